"""Our variant of local generalization and reallocation (LGR, LGR+) of Kim, 2023 and 2024.

Steps and their implementation in the kernel `reallocation`::

    divide the records top-down by local generalization               divide
    bottom-up: a partition and its siblings, by the children of a node   reallocate, _is_sibling, _form
    records whose cost falls most form a new partition                _move
    divide all partitions again                                       stack, divide
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import numpy as np

from anonset.algorithms.base import Traits
from anonset.algorithms.transaction.partitions.local_generalization import (
    Divided,
    LocalGeneralization,
    divide,
    leaf_counts,
    records_of,
)
from anonset.data import Hierarchy, SetColumn
from anonset.data.array_types import Int64
from anonset.data.progress import Progress
from anonset.data.spans import begins_of, gathered

if TYPE_CHECKING:
    from anonset_kernels.partitions._partition_stack import HierarchyRecords
    from anonset_kernels.partitions.reallocation import Partitions

NodeCost = Literal["ncp", "entropy"]
_PER_BIT = 1 << 20
"""Cost of a bit of entropy."""


@dataclass(frozen=True, kw_only=True)
class LocalReallocation(LocalGeneralization):
    """Divide the records as local generalization does, then move records to partitions that publish finer nodes.

    Guarantees k-anonymity of entire records. With `node_cost="ncp"`, the loss is at most the loss of
    `LocalGeneralization`, because records only move if the total cost falls.
    Cost: two local generalizations, and for each node of a partition with siblings the items of these partitions.

    References: Kim, Electronics 12(14), 3047, 2023 (LGR, with NCP), and "Optimizing privacy in set-valued data:
    comparing certainty penalty and information gain", Electronics 13(23), 4842, 2024 (LGR+, with an entropy). The
    division is that of He and Naughton, VLDB 2009.
    Deviations: this is our variant, because only the beginning of Algorithm 1 of 2024 was available to us. Its
    pickNode, distributeData and balancePartitions are the division of He and Naughton. Records of partitions below k
    then wait in a queue. The text does not show how these records are published. All following parts are ours. Siblings
    of a partition are the partitions below its nodes that the division made from the same records. A reallocation
    replaces a node of a partition by children, and forms a partition of at least k records of siblings that contain
    exactly these children. Records that gain move first; records that lose move only until there are k records; each
    partition keeps k records. One pass is made, because a second pass changes almost nothing. The entropy of a node is
    that of the items below it, by their frequencies in the data.

    >>> from anonset.data import Hierarchy, Table
    >>> hierarchy = Hierarchy.from_tree(("ALL", [("A", ["a1", "a2"]), ("B", ["b1", "b2"])]))
    >>> table = Table.from_sets([["a1", "b1", "b2"], ["a2", "b1", "b2"], ["a1", "a2"], ["a1", "a2"]])
    >>> for partition in LocalReallocation(k=2).recode(table, {"items": hierarchy}).trace:
    ...     print(partition.records, partition.nodes)
    (2, 3) ('a1', 'a2')
    (0, 1) ('A', 'b1', 'b2')
    """

    name: ClassVar[str] = "local-reallocation"
    traits: ClassVar[Traits] = Traits(memory_factor=2.0, answers=("transaction-k",))

    node_cost: Annotated[
        NodeCost, "Cost of publishing a node: its NCP (ncp), or the entropy of the items below it (entropy)."
    ] = "ncp"

    def divided(self, column: SetColumn, hierarchy: Hierarchy, progress: Progress | None) -> Divided:
        """Divide the records, reallocate some of them, and divide all partitions again."""
        costs = leaf_counts(hierarchy) if self.node_cost == "ncp" else entropies(column, hierarchy)
        records = records_of(column, hierarchy, costs)
        first = divide(column, records, None, self.k, progress)
        partitions = _reallocated(column, hierarchy, records, first, self.k)
        return divide(column, records, partitions, self.k, progress)


def entropies(column: SetColumn, hierarchy: Hierarchy) -> Int64:
    """Return the cost of publishing each node, int64 (V,): 2^20 times the bits of entropy of the items below it.

    The cost of a leaf is 0, and the cost of an inner node is at least 1.

    >>> hierarchy = Hierarchy.from_tree(("ALL", [("A", ["a1", "a2"]), "b"]))
    >>> entropies(hierarchy.bind(SetColumn.of([["a1", "b"], ["a2", "b"]])), hierarchy) / 2**20
    array([1.5, 1. , 0. , 0. , 0. ])
    """
    counts = column.occurrences.astype(np.float64)
    products = counts * np.log2(np.maximum(counts, 1))
    below, sums = (np.append(0, np.cumsum(values)) for values in (counts, products))
    low, high = hierarchy.leaf_lo, hierarchy.leaf_hi
    n = np.maximum(below[high] - below[low], 1)
    bits = np.log2(n) - (sums[high] - sums[low]) / n
    costs: Int64 = np.maximum(1, np.rint(_PER_BIT * bits)).astype(np.int64)
    costs[hierarchy.is_leaf] = 0
    return costs


def _reallocated(
    column: SetColumn, hierarchy: Hierarchy, records: "HierarchyRecords", divided: Divided, k: int
) -> "Partitions":
    """Return the partitions after the reallocation. A new partition follows the partition from which it was formed."""
    from anonset_kernels.partitions.reallocation import Moves, Partitions, Tree, costs, reallocate

    ids = np.flatnonzero(column.lengths).astype(np.int32)
    number = divided.cluster[ids]
    n, most = len(divided.start) - 1, len(ids) // k
    before = Partitions(
        ids[np.argsort(number, kind="stable")],
        begins_of(np.bincount(number, minlength=n)),
        divided.start,
        divided.nodes,
    )
    moves = Moves(
        divided.cluster.copy(),
        costs(records, divided.level),
        np.append(np.diff(before.begins), np.zeros(most, np.int64)),
        np.zeros(most, np.int32),
        np.zeros(most + 1, np.int64),
        np.zeros(len(column.codes) + 1, np.int32),
    )
    n_new = reallocate(records, Tree(hierarchy.parent, hierarchy.depth), before, moves, k)
    order = np.argsort(np.append(2 * np.arange(n), 2 * moves.source[:n_new] + 1), kind="stable")
    rank = np.empty(n + n_new, np.int64)
    rank[order] = np.arange(n + n_new)
    moved = rank[moves.cluster[ids]]
    first = np.append(divided.start[:-1], moves.cut_start[:n_new] + len(divided.nodes))[order]
    lengths = np.append(np.diff(divided.start), np.diff(moves.cut_start[: n_new + 1]))[order]
    start, places = gathered(first, lengths)
    nodes = np.append(divided.nodes, moves.cut_nodes)[places]
    return Partitions(
        ids[np.argsort(moved, kind="stable")], begins_of(np.bincount(moved, minlength=n + n_new)), start, nodes
    )
