"""DiffPart: records with noisy counts, from a top-down division of the records by a taxonomy of the items.

A partition contains the records whose items generalize to the same set of nodes, its cut. To divide a partition, one
inner node of its cut is replaced by each non-empty set of its children. The sets that no record has are included, so
that the published partitions do not reveal which counts are 0.

The partitions of a division are disjoint, so one record changes one count by 1. A path from the root to a leaf spends
at most half of epsilon on divisions. The published count of the leaf spends the rest.

Reference: Chen, Mohammed, Fung, Desai, Xiong, Publishing set-valued data via differential privacy, PVLDB 4(11), 2011.

Deviations: the divided node is the first inner node of the cut, not a random one. A set of children remains if its
noisy count is at least h ln(s) times the scale of the noise, for s sets and a cut of height h. With a constant number
of standard deviations, as in the paper, the number of empty sets that remain grows exponentially.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain
from math import log, sqrt

import numpy as np
from benchmarks.experiments.baselines.noise import Bools, column_of, laplace, matrix_of

from anonset.data import Hierarchy, SetColumn
from anonset.data.array_types import Int64

FANOUT = 10
"""Fan-out of the taxonomy. The taxonomy is balanced over the public domain, so it does not depend on the records."""
DEVIATIONS = 2.0
"""A leaf is published if its noisy count is at least this number of standard deviations of the noise."""


@dataclass(frozen=True)
class Partition:
    """Records whose items generalize to the same nodes."""

    cut: tuple[int, ...]
    """Nodes of the taxonomy."""
    records: Int64
    """Records of the partition, int64 (n,). A partition may be empty."""
    spent: tuple[float, ...] = ()
    """Budget of each noisy count on the path from the root."""


@dataclass(frozen=True)
class Taxonomy:
    """Balanced tree over the domain."""

    children: tuple[tuple[int, ...], ...]
    """Children of each node. Empty for leaves."""
    inner: tuple[int, ...]
    """Number of inner nodes below and including each node."""
    height: tuple[int, ...]
    """Height of each node. 0 for leaves."""
    leaf: tuple[int, ...]
    """Item of each leaf, and -1 for inner nodes."""
    contains: Bools
    """True if a record contains an item below a node, bool (n, nodes)."""

    @classmethod
    def over(cls, column: SetColumn) -> "Taxonomy":
        """Return the tree with the nodes that each record contains."""
        tree, matrix = Hierarchy.balanced(column.vocabulary.labels, FANOUT), matrix_of(column)
        children: list[list[int]] = [[] for _ in range(tree.n_nodes)]
        inner, height = [0] * tree.n_nodes, [0] * tree.n_nodes
        for node in range(tree.n_nodes - 1, -1, -1):
            inner[node] = sum(inner[child] for child in children[node]) + bool(children[node])
            height[node] = max((height[child] + 1 for child in children[node]), default=0)
            if node:
                children[int(tree.parent[node])].insert(0, node)
        leaf = [column.vocabulary.index[label] if not children[node] else -1 for node, label in enumerate(tree.labels)]
        items = [column.vocabulary.index[label] for label in tree.leaves.labels]
        below = [items[tree.leaf_lo[node] : tree.leaf_hi[node]] for node in range(tree.n_nodes)]
        contains = np.stack([matrix[:, codes].any(axis=1) for codes in below], axis=1)
        return cls(tuple(map(tuple, children)), tuple(inner), tuple(height), tuple(leaf), contains)


def diff_part(column: SetColumn, epsilon: float, random: np.random.Generator) -> SetColumn:
    """Return the published records. Items without any published record remain in the domain."""
    tree = Taxonomy.over(column)
    rows: list[Bools] = []
    for partition in leaf_partitions(tree, epsilon, random):
        budget = epsilon - sum(partition.spent)
        count = len(partition.records) + float(laplace(random, 1, budget, 1)[0])
        if count >= DEVIATIONS * sqrt(2) / budget:
            row = np.zeros(len(column.vocabulary), np.bool_)
            row[[tree.leaf[node] for node in partition.cut]] = True
            rows += [row] * round(count)
    return column_of(np.array(rows, np.bool_).reshape(len(rows), len(column.vocabulary)), column)


def leaf_partitions(tree: Taxonomy, epsilon: float, random: np.random.Generator) -> Iterator[Partition]:
    """Yield the remaining partitions whose cut contains only leaves."""
    waiting = [Partition((0,), np.flatnonzero(tree.contains[:, 0]))]
    while waiting:
        partition = waiting.pop()
        if any(tree.children[node] for node in partition.cut):
            waiting += _divided(partition, tree, epsilon / 2, random)
        else:
            yield partition


def _divided(partition: Partition, tree: Taxonomy, budget: float, random: np.random.Generator) -> Iterator[Partition]:
    """Yield the partitions that replace the first inner node of the cut by a set of its children, and that remain."""
    node = next(node for node in partition.cut if tree.children[node])
    children, others = tree.children[node], tuple(one for one in partition.cut if one != node)
    alpha = (budget - sum(partition.spent)) / sum(tree.inner[one] for one in partition.cut)
    records = partition.records
    sets = tree.contains[records][:, list(children)] @ (1 << np.arange(len(children)))
    n_sets = (1 << len(children)) - 1
    counts = np.bincount(sets, minlength=n_sets + 1)[1:] + laplace(random, 1, alpha, n_sets)
    height = max(1, *(tree.height[one] for one in chain(children, others)))
    # an empty set remains with a probability of at most 1/(2 n_sets)
    for chosen in (np.flatnonzero(counts >= height * log(max(2, n_sets)) / alpha) + 1).tolist():
        cut = (*others, *(child for place, child in enumerate(children) if chosen >> place & 1))
        yield Partition(tuple(sorted(cut)), records[sets == chosen], (*partition.spent, alpha))
