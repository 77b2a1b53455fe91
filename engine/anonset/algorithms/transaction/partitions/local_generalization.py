"""Top-down local generalization (LG, "Partition") of He and Naughton, VLDB 2009.

Steps and their implementation in the kernel `local_generalization`::

    select the node of the partition with the largest gain       advance, _add_gains
    one bucket for each set of its children in the records       _divide, _keys
    collect buckets below k, and records that fill them to k     _fill_left
    continue with these leftovers, without that node, and        _push
    with the buckets, by its children
    a partition without further nodes is complete                advance
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from anonset.algorithms.base import Result, Traits
from anonset.algorithms.clusters import renumber_clusters
from anonset.algorithms.parameters import Parameters
from anonset.algorithms.transaction.base import bind_to_hierarchy
from anonset.data import Hierarchy, SetColumn, Table
from anonset.data.array_types import Int32, Int64
from anonset.data.progress import Progress
from anonset.data.redacted_repr import RedactedRepr
from anonset.errors import InfeasibleError
from anonset.generalization import PerCluster
from anonset.generalization.local import ClusterCuts
from anonset.privacy.transaction_k import TransactionKAnonymity

if TYPE_CHECKING:
    from anonset_kernels.partitions._partition_stack import HierarchyRecords
    from anonset_kernels.partitions.reallocation import Partitions

_WORK_PER_CALL = 5_000_000


@dataclass(frozen=True)
class Partition(RedactedRepr):
    """Records that are published as the same nodes."""

    records: tuple[int, ...]
    """Input records, ascending."""
    nodes: tuple[str, ...]
    """Published nodes of each record, in preorder."""


@dataclass(frozen=True, kw_only=True)
class LocalGeneralization(Parameters):
    """Divide the records top-down so that each published record is identical to at least k - 1 others.

    Guarantees k-anonymity of entire records, which implies k^m-anonymity for every m. The recoding is local: an item
    may be published unchanged in one partition and as an ancestor in another.
    Cost: O(items of the data) for each level of the division, and a sort of each divided partition.

    References: He and Naughton, "Anonymization of set-valued data via top-down, local generalization", VLDB 2009,
    section 4.
    Deviations: a node that divides a partition only into small buckets is not used for the leftovers of the partition.
    The paper does not specify this. Empty records form a group of their own.

    The recoding of a partition is a complete cut. Items below a published node map to this node. All other items,
    which occur in no record of the partition, map to themselves.

    >>> from anonset.data import Hierarchy, Table
    >>> hierarchy = Hierarchy.from_tree(("ALL", [("A", ["a1", "a2"]), ("B", ["b1", "b2"])]))
    >>> table = Table.from_sets([["a1", "b1", "b2"], ["a2", "b1", "b2"], ["a1", "a2"], ["a1", "a2"]])
    >>> for partition in LocalGeneralization(k=2).recode(table, {"items": hierarchy}).trace:
    ...     print(partition.records, partition.nodes)
    (2, 3) ('a1', 'a2')
    (0, 1) ('A', 'b1', 'b2')
    """

    name: ClassVar[str] = "local-generalization"
    traits: ClassVar[Traits] = Traits(memory_factor=1.7, answers=("transaction-k",))

    k: Annotated[int, "Minimum number of identical published records (>= 1)."]

    @property
    def model(self) -> TransactionKAnonymity:
        """The model k-anonymity of transactions."""
        return TransactionKAnonymity(self.k)

    def recode(self, table: Table, hierarchies: Mapping[str, Hierarchy], *, progress: Progress | None = None) -> Result:
        """Find the partitions. `Result.trace` contains the partitions in order of completion.

        Raises
        ------
        InfeasibleError
            If the number of empty records, or of non-empty records, is between 1 and k - 1.
        """
        column, hierarchy = bind_to_hierarchy(table, hierarchies)
        require_feasible(self.name, column, self.k)
        return self.divided(column, hierarchy, progress).result(hierarchy)

    def divided(self, column: SetColumn, hierarchy: Hierarchy, progress: Progress | None) -> "Divided":
        """Divide the records into partitions."""
        return divide(column, records_of(column, hierarchy, leaf_counts(hierarchy)), None, self.k, progress)


class Divided(NamedTuple):
    """Partitions of all records. Empty records, if any, form the last partition, which has no nodes."""

    cluster: Int32
    """Partition of each record, int32 (n,)."""
    start: Int64
    """First node of each partition with nodes in `nodes`, int64 (partitions + 1,)."""
    nodes: Int32
    """Nodes of the partitions, int32."""
    level: NDArray[np.int16]
    """Depth of each item's published node, int16 (nnz,)."""

    def result(self, hierarchy: Hierarchy) -> Result:
        """Return the recoding. The trace contains the partitions in order."""
        start, nodes, cluster = self.start, self.nodes, self.cluster
        present = [np.sort(part) for part in np.split(nodes, start[1:-1])] if len(start) > 1 else []
        by_partition = np.argsort(cluster, kind="stable")
        records = np.split(by_partition, np.cumsum(np.bincount(cluster))[:-1]) if len(cluster) else []
        labels = hierarchy.labels
        trace = tuple(
            Partition(tuple(ids.tolist()), tuple(labels[v] for v in part))
            for ids, part in zip(records, present, strict=False)
        )
        inner = [part[~hierarchy.is_leaf[part]] for part in present]
        inner.append(np.empty(0, np.int32))  # empty records, if any, form the last partition
        order, first = renumber_clusters(cluster)
        cuts = ClusterCuts(hierarchy, tuple(inner[c] for c in first))
        return Result(PerCluster(order, cuts), trace, {"partitions": float(len(trace))})


def require_feasible(algorithm: str, column: SetColumn, k: int) -> None:
    """Reject data with 1 to k - 1 records with items, or 1 to k - 1 empty records.

    Raises
    ------
    InfeasibleError
        If the number of empty records, or of non-empty records, is between 1 and k - 1.
    """
    for n, kind in ((column.n_nonempty, "non-empty"), (column.n - column.n_nonempty, "empty")):
        if 0 < n < k:
            reason = f"there are {n} {kind} records, at least k={k} (or none) are required"
            raise InfeasibleError(algorithm, reason, achieved=float(n), bound=float(k))


def leaf_counts(hierarchy: Hierarchy) -> Int64:
    """Return the cost of publishing each node: the number of leaves below it, or 0 for a leaf, int64 (V,)."""
    leaves = hierarchy.n_leaves_below.astype(np.int64)
    leaves[hierarchy.is_leaf] = 0
    return leaves


def records_of(column: SetColumn, hierarchy: Hierarchy, costs: Int64) -> "HierarchyRecords":
    """Return the records and the hierarchy for the kernels.

    Parameters
    ----------
    costs
        Cost of publishing each node, int64 (V,). At least 1 for inner nodes, and 0 for leaves.
    """
    from anonset_kernels.partitions._partition_stack import HierarchyRecords

    return HierarchyRecords(column.indptr, column.items, _paths(hierarchy), costs)


def divide(
    column: SetColumn,
    records: "HierarchyRecords",
    partitions: "Partitions | None",
    k: int,
    progress: Progress | None,
) -> Divided:
    """Divide partitions until no node divides them. Without partitions, divide all non-empty records by the root."""
    from anonset_kernels.partitions._partition_stack import EMITTED, FRAMES, PartitionStack
    from anonset_kernels.partitions.local_generalization import advance

    ids = np.flatnonzero(column.lengths).astype(np.int32)
    nnz, n = len(column.codes), len(ids)
    frames, cursor = np.zeros((n + 1, 4), np.int64), np.zeros(3, np.int64)
    state = PartitionStack(
        ids,
        np.zeros(nnz, np.int16),
        frames,
        np.zeros(nnz + 1, np.int32),
        np.zeros(nnz + 1, np.uint8),
        np.full(column.n, -1, np.int32),
        np.zeros(n + 2, np.int64),
        np.empty(nnz + 1, np.int32),
        cursor,
    )
    if partitions is not None:
        from anonset_kernels.partitions.reallocation import stack

        stack(records, partitions, state)
    elif n:
        frames[0] = (0, n, 0, 1)
        cursor[FRAMES] = 1
    while not advance(records, state, k, _WORK_PER_CALL):
        if progress is not None:
            waiting = frames[: cursor[FRAMES]]
            progress("partitions", float(n - (waiting[:, 1] - waiting[:, 0]).sum()), float(n))
    n_partitions = int(cursor[EMITTED])
    state.cluster[state.cluster < 0] = n_partitions
    start = state.cut_start[: n_partitions + 1]
    return Divided(state.cluster, start, state.cut_nodes[: start[-1]], state.level)


def _paths(hierarchy: Hierarchy) -> Int32:
    """Nodes from the root to each leaf, int32 (M, D), padded with -1."""
    depth = hierarchy.depth[hierarchy.leaf_node]
    paths = np.full((hierarchy.n_leaves, int(depth.max()) + 1), -1, np.int32)
    leaf, node = np.arange(hierarchy.n_leaves), hierarchy.leaf_node
    while len(node):
        paths[leaf, hierarchy.depth[node]] = node
        above = hierarchy.parent[node]
        leaf, node = leaf[above >= 0], above[above >= 0]
    return paths
