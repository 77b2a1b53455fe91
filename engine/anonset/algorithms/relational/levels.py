"""Generalization levels of relational columns, with the published value and loss of each distinct tuple.

Level 0 publishes the original values, and the last level publishes a single value for all records. The levels of a
hierarchy are the columns of the hierarchy file. If a node has a single child, the child is published instead. If a path
is too short to have a node in the column, the leaf is published. With h columns above the leaves, level g is column h -
g, counted from the root's column. A column without a hierarchy has two levels, single values and the set or range of
all values.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import prod

import numpy as np

from anonset.algorithms.relational.generalized_tuples import GeneralizedTuples
from anonset.data import Hierarchy
from anonset.data.array_types import Float64, Int32, Int64, UInt64
from anonset.data.class_rules import TupleRule
from anonset.data.domains import Range, ValueSet
from anonset.data.quasi_identifiers import QuasiIdentifiers

Vector = tuple[int, ...]
"""Level of each column."""


@dataclass(frozen=True, eq=False)
class Levels:
    """Levels of all columns. Each array has a row per level."""

    qi: QuasiIdentifiers
    ids: Int32
    """Published value of each distinct tuple, int32 (R, T). It is a hierarchy node, or the rank of a value."""
    costs: Float64
    """Weighted loss of each distinct tuple, float64 (R, T)."""
    first: Int64
    """First row of each column, int64 (v + 1,). The last element is the number of rows."""

    @classmethod
    def of(cls, qi: QuasiIdentifiers) -> "Levels":
        """Return the levels of columns bound to their domains."""
        ids, costs, first = [], [], [0]
        numbers, codes = qi.tuples
        for domain, weight, slot in zip(qi.domains, qi.weights, qi.slot, strict=True):
            if isinstance(domain, Hierarchy):
                rows = _nodes_by_level(domain, codes[slot])
                share = np.where(domain.is_leaf, 0.0, domain.n_leaves_below / domain.n_leaves)
                ids += rows
                costs += [weight * share[nodes] for nodes in rows]
                first.append(len(ids))
                continue
            values = numbers[slot] if isinstance(domain, Range) else codes[slot]
            rank = np.unique(values, return_inverse=True)[1].reshape(-1).astype(np.int32)
            several = domain.high > domain.low if isinstance(domain, Range) else len(domain.vocabulary) > 1
            ids += [rank, np.zeros_like(rank)] if several else [rank]
            costs += [np.zeros(len(rank)), np.full(len(rank), weight)] if several else [np.zeros(len(rank))]
            first.append(len(ids))
        table = np.array(ids, np.int32).reshape(len(ids), -1), np.array(costs, np.float64).reshape(len(ids), -1)
        return cls(qi, *table, np.array(first, np.int64))

    @property
    def heights(self) -> Vector:
        """Last level of each column."""
        return tuple((np.diff(self.first) - 1).tolist())

    @property
    def n_vectors(self) -> int:
        """Number of combinations of levels."""
        return prod(height + 1 for height in self.heights)

    def rows(self, vector: Vector) -> Int64:
        """Return the array rows of a vector of levels, int64 (v,)."""
        return self.first[:-1] + np.array(vector, np.int64)

    def vectors(self) -> Int64:
        """Return all vectors of levels in lexicographic order, int64 (n_vectors, v)."""
        return np.indices([height + 1 for height in self.heights]).reshape(len(self.heights), -1).T.astype(np.int64)

    def allowed(self) -> Int64:
        """Return the vectors that exceed no generalization limit of a column, int64 (n, v), in lexicographic order."""
        vectors = self.vectors()
        for a, domain in enumerate(self.qi.domains):
            if isinstance(domain, Hierarchy) and domain.capped:
                rows = self.ids[self.first[a] : self.first[a + 1]]
                vectors = vectors[~(rows == 0).any(axis=1)[vectors[:, a]]]
        return vectors

    def generalize(self, cluster: Int32, vectors: list[Vector]) -> GeneralizedTuples:
        """Return the published tuples of clusters. `vectors` contains the levels of each cluster."""

        def nodes_of(a: int, member: Int32) -> Int32:
            level = np.array([vector[a] for vector in vectors], np.int64)
            in_tree: Int32 = self.ids[self.first[a] + level, member]
            return in_tree if isinstance(self.qi.domains[a], Hierarchy) else (level == 0).astype(np.int32)

        return tuples_at_nodes(self.qi, cluster, nodes_of)


def tuples_at_nodes(qi: QuasiIdentifiers, cluster: Int32, nodes_of: Callable[[int, Int32], Int32]) -> GeneralizedTuples:
    """Return the published tuples of clusters.

    Parameters
    ----------
    cluster
        Cluster of each record, int32 (n,). Clusters have numbers from 0.
    nodes_of
        Function of a column and a distinct tuple of each cluster, int32 (c,), that returns the published node of each
        cluster, int32 (c,). In a column without a hierarchy, 0 is the set or range of all values, and any other number
        is the value of the tuple.
    """
    tuples = GeneralizedTuples.of(qi, cluster, int(cluster.max(initial=-1)) + 1)
    low, high, code, bits = tuples.values
    member = qi.tuple_of[np.unique(cluster, return_index=True)[1]]
    for a, (domain, slot) in enumerate(zip(qi.domains, qi.slot, strict=True)):
        nodes = nodes_of(a, member)
        if isinstance(domain, Hierarchy):
            code[slot] = nodes
        elif isinstance(domain, Range):
            low[slot, nodes == 0], high[slot, nodes == 0] = domain.low, domain.high
        elif isinstance(domain, ValueSet):
            code[slot, nodes == 0] = len(domain.vocabulary)
            bits[qi.word_at[a] : qi.word_at[a + 1], nodes == 0] = all_of(len(domain.vocabulary))[:, None]
    return tuples


def _nodes_by_level(tree: Hierarchy, leaves: Int32) -> list[Int32]:
    depth, rows = tree.column_depth, []
    height, node = int(depth.max(initial=0)), leaves.astype(np.int32)
    for limit in range(height, -1, -1):
        node = np.where(depth[node] > limit, tree.parent[node], node).astype(np.int32)
        rows.append(node)
    return rows


def all_of(n: int) -> UInt64:
    """Return the bit words of a value set with all n values."""
    bits = np.zeros(-(-n // 64) * 64, np.uint8)
    bits[:n] = 1
    return np.packbits(bits, bitorder="little").view("<u8").astype(np.uint64)


def tuple_rule(qi: QuasiIdentifiers) -> TupleRule | None:
    """Return the rule for classes of distinct tuples. None if only the class size is limited."""
    return None if qi.rule is None else qi.rule.by_tuple(qi.tuple_of, qi.n_tuples)


class Classes:
    """Classes of tuples with equal published values. Each call of `count` reuses the same arrays.

    A class fails if it has fewer than k records or breaks the rule.
    """

    def __init__(self, weight: Int64, rule: TupleRule | None = None) -> None:
        self.weight, self.rule = weight, rule
        self.class_of = np.empty(len(weight), np.int32)
        self.failed = np.zeros(0, np.uint8)
        self._room = np.empty(1 << (2 * len(weight) + 2).bit_length(), np.int32)

    def count(self, ids: Int32, costs: Float64, rows: Int64, k: int) -> tuple[int, int, float]:
        """Form the classes.

        Return the smallest class size, the number of records in failing classes, and the loss of the records in all
        other classes.

        Sets `class_of` to the class of each tuple, int32 (T,), and `failed` to 1 for failing classes, uint8 (C,).
        """
        from anonset_kernels.relational.lattice import classes, outcome

        with np.errstate(over="ignore"):
            n = classes(ids, rows, self.weight, self._room, self.class_of)
        self.failed = (
            np.zeros(n, np.uint8) if self.rule is None else self.rule.broken_classes(self.class_of, n).view(np.uint8)
        )
        return outcome(costs, rows, self.weight, self.class_of, self.failed, k)

    def together_fail(self) -> bool:
        """Return True if the tuples of all failing classes, published as a single class, break the rule."""
        if self.rule is None:
            return False
        alike = np.where(self.failed.astype(np.bool_)[self.class_of], 0, -1)
        return bool(self.rule.broken_classes(alike, 1)[0])
