"""Relational columns by levels: the published value of each distinct tuple, and its loss.

Level 0 publishes values as they are, the last one a single value for all. A level of a hierarchy is a column of its
file: the nodes in it, the only child instead of a collapsed node, the leaf of a shorter path. Of h columns
above the leaves, level g is column h - g from the root's. A column without hierarchy has two levels: its values, and
the set or the range of all of them.
"""

from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from anonset.algorithms.relational.generalized_tuples import GeneralizedTuples
from anonset.data import Hierarchy
from anonset.data.class_rules import TupleRule
from anonset.data.domains import Range, ValueSet
from anonset.data.quasi_identifiers import Float64, QuasiIdentifiers
from anonset.data.table import Int32, Int64

Vector = tuple[int, ...]
"""A level for each column."""


@dataclass(frozen=True, eq=False)
class Levels:
    """The levels of all columns, one row each."""

    qi: QuasiIdentifiers
    ids: Int32
    """int32 (R, T): what each distinct tuple is published as; nodes of a hierarchy, else ranks of values."""
    costs: Float64
    """float64 (R, T): its weighted loss."""
    first: Int64
    """int64 (v + 1,): where the rows of each column begin."""

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
        """Number of vectors of levels."""
        return prod(height + 1 for height in self.heights)

    def rows(self, vector: Vector) -> Int64:
        """int64 (v,): the rows of a vector of levels."""
        return self.first[:-1] + np.array(vector, np.int64)

    def vectors(self) -> NDArray[np.int64]:
        """int64 (n_vectors, v): all vectors of levels, in lexicographic order."""
        return np.indices([height + 1 for height in self.heights]).reshape(len(self.heights), -1).T.astype(np.int64)

    def allowed(self) -> NDArray[np.int64]:
        """int64 (n, v): the vectors of levels of which none is above a ceiling, in lexicographic order."""
        vectors = self.vectors()
        for a, domain in enumerate(self.qi.domains):
            if isinstance(domain, Hierarchy) and domain.capped:
                rows = self.ids[self.first[a] : self.first[a + 1]]
                vectors = vectors[~(rows == 0).any(axis=1)[vectors[:, a]]]
        return vectors

    def generalize(self, cluster: Int32, vectors: list[Vector]) -> GeneralizedTuples:
        """Return what clusters are published as, each by its own vector of levels."""
        qi = self.qi
        tuples = GeneralizedTuples.of(qi, cluster, len(vectors))
        low, high, code, bits = tuples.values
        member = qi.tuple_of[np.unique(cluster, return_index=True)[1]]
        for a, (domain, slot) in enumerate(zip(qi.domains, qi.slot, strict=True)):
            level = np.array([vector[a] for vector in vectors], np.int64)
            if isinstance(domain, Hierarchy):
                code[slot] = self.ids[self.first[a] + level, member]
                continue
            whole = level > 0
            if isinstance(domain, Range):
                low[slot, whole], high[slot, whole] = domain.low, domain.high
            elif isinstance(domain, ValueSet):
                code[slot, whole] = len(domain.vocabulary)
                bits[qi.word_at[a] : qi.word_at[a + 1], whole] = all_of(len(domain.vocabulary))[:, None]
        return tuples


def _nodes_by_level(tree: Hierarchy, leaves: Int32) -> list[Int32]:
    """Return the nodes that leaves are published as, level by level."""
    depth, rows = tree.column_depth, []
    height, node = int(depth.max(initial=0)), leaves.astype(np.int32)
    for limit in range(height, -1, -1):
        node = np.where(depth[node] > limit, tree.parent[node], node).astype(np.int32)
        rows.append(node)
    return rows


def all_of(n: int) -> NDArray[np.uint64]:
    """Return the words of a value set that holds all of n values."""
    bits = np.zeros(-(-n // 64) * 64, np.uint8)
    bits[:n] = 1
    return np.packbits(bits, bitorder="little").view("<u8").astype(np.uint64)


def tuple_rule(qi: QuasiIdentifiers) -> TupleRule | None:
    """Return what classes of the distinct tuples must hold beside their size."""
    return None if qi.rule is None else qi.rule.by_tuple(qi.tuple_of, qi.n_tuples)


class Classes:
    """Classes of tuples that are published alike, counted repeatedly in the same arrays.

    A class fails if it has fewer than k records, or breaks the rule, if there is one.
    """

    def __init__(self, weight: Int64, rule: TupleRule | None = None) -> None:
        self.weight, self.rule = weight, rule
        self.class_of = np.empty(len(weight), np.int32)
        self.failed = np.zeros(0, np.uint8)
        self._room = np.empty(1 << (2 * len(weight) + 2).bit_length(), np.int32)

    def count(self, ids: Int32, costs: Float64, rows: Int64, k: int) -> tuple[int, int, float]:
        """Form the classes; return the size of the smallest, the records of those that fail, and the loss of others.

        `class_of`, int32 (T,), has the class of each tuple then, and `failed`, uint8 (C,), tells which fail.
        """
        from anonset_kernels.lattice import classes, outcome

        with np.errstate(over="ignore"):
            n = classes(ids, rows, self.weight, self._room, self.class_of)
        self.failed = np.zeros(n, np.uint8) if self.rule is None else self.rule.broken(self.class_of, n).view(np.uint8)
        return outcome(costs, rows, self.weight, self.class_of, self.failed, k)

    def together_fail(self) -> bool:
        """Tell whether the tuples of the classes that fail, published alike, break the rule."""
        if self.rule is None:
            return False
        alike = np.where(self.failed.astype(np.bool_)[self.class_of], 0, -1)
        return bool(self.rule.broken(alike, 1)[0])
