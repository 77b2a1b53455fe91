"""Full-subtree recoding by a cut in the tree of each column. Each node of a cut replaces all values below the node."""

from dataclasses import dataclass

import numpy as np

from anonset.algorithms.relational.generalized_tuples import GeneralizedTuples
from anonset.algorithms.relational.levels import Classes, tuple_rule, tuples_at_nodes
from anonset.data import Hierarchy
from anonset.data.array_types import Float64, Int32, Int64
from anonset.data.domains import Range
from anonset.data.hierarchies.hierarchy import children_of
from anonset.data.quasi_identifiers import QuasiIdentifiers


@dataclass(frozen=True, eq=False)
class ColumnTree:
    """Tree of a column in preorder. A column without a hierarchy has a tree with a root above all values."""

    leaf: Int32
    """Leaf of each distinct tuple, int32 (T,)."""
    parent: Int32
    subtree_end: Int32
    cost: Float64
    """Weighted loss of each node, float64 (V,)."""

    @property
    def inner(self) -> list[int]:
        """Inner nodes, in preorder."""
        return [node for node in range(len(self.parent)) if self.above(node)]

    def above(self, node: int) -> bool:
        """Return True if a node has descendants."""
        return bool(self.subtree_end[node] > node + 1)

    def children(self, node: int) -> list[int]:
        """Return the children of a node, in preorder."""
        return children_of(self.subtree_end, node)


def column_trees(qi: QuasiIdentifiers) -> list[ColumnTree]:
    """Return the tree of each column. A column without a hierarchy has two levels, the values and a root."""
    numbers, codes = qi.tuples
    trees = []
    for domain, weight, slot in zip(qi.domains, qi.weights, qi.slot, strict=True):
        if isinstance(domain, Hierarchy):
            share = np.where(domain.is_leaf, 0.0, domain.n_leaves_below / domain.n_leaves)
            trees.append(ColumnTree(codes[slot], domain.parent, domain.subtree_end, weight * share))
            continue
        values = numbers[slot] if isinstance(domain, Range) else codes[slot]
        several = domain.high > domain.low if isinstance(domain, Range) else len(domain.vocabulary) > 1
        distinct, rank = np.unique(values, return_inverse=True)
        n = len(distinct)
        parent = np.concatenate([[-1], np.zeros(n)]).astype(np.int32)
        ends = np.concatenate([[n + 1], np.arange(2, n + 2)]).astype(np.int32)
        cost = np.concatenate([[weight if several else 0.0], np.zeros(n)])
        trees.append(ColumnTree((rank.reshape(-1) + 1).astype(np.int32), parent, ends, cost))
    return trees


class Cuts:
    """Cuts in the trees of all columns. They determine the published nodes of each distinct tuple."""

    def __init__(self, qi: QuasiIdentifiers, *, at_roots: bool) -> None:
        self.qi, self.trees = qi, column_trees(qi)
        self.weight = np.bincount(qi.tuple_of, minlength=qi.n_tuples).astype(np.int64)
        self.counted = Classes(self.weight, tuple_rule(qi))
        self.ids = np.array([np.zeros_like(t.leaf) if at_roots else t.leaf for t in self.trees], np.int32)
        self.ids = self.ids.reshape(len(self.trees), -1)
        self._rows, self._free = np.arange(len(self.trees)), np.zeros(self.ids.shape)

    def below(self, a: int, node: int) -> Int64:
        """Return the distinct tuples whose values are below a node of column `a`."""
        leaf = self.trees[a].leaf
        return np.flatnonzero((leaf >= node) & (leaf < self.trees[a].subtree_end[node]))

    def cost(self, a: int, tuples: Int64) -> float:
        """Return the loss of distinct tuples in column `a`."""
        return float((self.trees[a].cost[self.ids[a, tuples]] * self.weight[tuples]).sum())

    def put(self, a: int, tuples: Int64, nodes: Int32 | int) -> Int32:
        """Set the published nodes of distinct tuples in column `a`, and return the previous nodes."""
        before: Int32 = self.ids[a, tuples]
        self.ids[a, tuples] = nodes
        return before

    def children_of(self, a: int, node: int, tuples: Int64) -> Int32:
        """Return the child of `node` that is above the value of each tuple."""
        starts = np.array(self.trees[a].children(node), np.int32)
        children: Int32 = starts[np.searchsorted(starts, self.trees[a].leaf[tuples], side="right") - 1]
        return children

    def small(self, k: int) -> int:
        """Count the records in classes that are smaller than k or break the rule."""
        return self.smallest(k)[1]

    def smallest(self, k: int) -> tuple[int, int]:
        """Return the size of the smallest class, and the number of records in failing classes.

        A class fails if it is smaller than k or breaks the rule.
        """
        return self.counted.count(self.ids, self._free, self._rows, k)[:2]

    def cluster(self) -> Int32:
        """Return the class of each record, int32 (n,)."""
        self.counted.count(self.ids, self._free, self._rows, 1)
        class_of_record: Int32 = self.counted.class_of[self.qi.tuple_of]
        return class_of_record

    def generalize(self, cluster: Int32) -> GeneralizedTuples:
        """Return the published tuples of clusters. All records of a cluster have the same nodes."""
        return tuples_at_nodes(self.qi, cluster, lambda a, member: self.ids[a, member])
