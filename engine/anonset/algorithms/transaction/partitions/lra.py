"""Local recoding anonymization (LRA) of Terrovitis, Mamoulis, Kalnis, VLDB Journal 2011.

Steps of the algorithm and their implementation::

    sort the records in the Gray order of their items            gray_order.GrayOrder; kernel gray.gray_codes
    cut them into runs of at least k records (partitions)        GrayOrder.runs
    AA on each partition                                         AprioriBased.run_apriori; kernel
                                                                 cluster_cuts.anonymize_cluster
    number partitions as clusters, in parts that fit memory      clusters.number_clusters
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

import numpy as np

from anonset.algorithms.base import Result, Traits
from anonset.algorithms.clusters import number_clusters
from anonset.algorithms.parameters import Count
from anonset.algorithms.transaction.cuts.apriori import Apriori, AprioriBased
from anonset.algorithms.transaction.cuts.apriori_on_clusters import in_bitmaps, search_in_bitmaps
from anonset.algorithms.transaction.cuts.cut_search import TOGETHER_CELLS, FixedSet
from anonset.algorithms.transaction.partitions.gray_order import GrayOrder, Run
from anonset.algorithms.transaction.rare_sets.rare_tables import increments_of
from anonset.data import Hierarchy, SetColumn, spans
from anonset.data.array_types import Int32, Int64
from anonset.data.blocks import Blocks
from anonset.data.progress import Progress, report_progress
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.storage.store import Memory, Store
from anonset.generalization import Cut, PerCluster
from anonset.generalization.local import ClusterCuts
from anonset.privacy import PartitionKmAnonymity


@dataclass(frozen=True)
class RecodedPartition(RedactedRepr):
    """A partition and its cut by apriori anonymization."""

    records: tuple[int, ...] | Int64
    """Input records in Gray order. If the data are in a work directory, this is an array in files, int64 (records,)."""
    cut: tuple[str, ...]
    """Nodes of the cut, in preorder."""
    fixes: tuple[FixedSet, ...]


@dataclass(frozen=True, eq=False)
class _PartitionResult(RedactedRepr):
    nodes: Int32
    labels: tuple[str, ...]
    fixes: tuple[FixedSet, ...]
    increments: float


@dataclass(frozen=True, kw_only=True)
class Lra(AprioriBased):
    """Divide the records into runs of similar records, and anonymize each run by its own hierarchy cut.

    Guarantees k^m-anonymity of every partition, and therefore of the entire data. Similar records are close in the Gray
    order of their bit vectors. Empty records belong to no partition and are unchanged.
    Cost: a run of apriori anonymization for each partition. Partitions are independent tasks. If the run is out of
    core, the order of the records is stored in the work directory. Partitions that do not fit into memory together are
    also stored there.

    References: Terrovitis, Mamoulis, Kalnis, "Local and global recoding methods for anonymizing set-valued data",
    VLDB Journal 2011 (LRA), as described by Poulis et al., 2013.
    Deviations: partitions have a fixed size, and their borders are not refined.

    >>> from anonset.data import Hierarchy, Table
    >>> hierarchy = Hierarchy.from_tree(("ALL", [("A", ["a1", "a2"]), ("B", ["b1", "b2"])]))
    >>> table = Table.from_sets([["a1", "b1"], ["a2"], ["b1"], ["a1"], ["a1"], ["b1", "b2"]])
    >>> for partition in Lra(k=2, m=2, partitions=2).recode(table, {"items": hierarchy}).trace:
    ...     print(partition.records, partition.cut)
    (1, 5, 2) ('ALL',)
    (0, 3, 4) ('ALL',)
    """

    name: ClassVar[str] = "lra"
    traits: ClassVar[Traits] = Traits(
        memory_factor=1.7,
        by_blocks=True,
        answers=("partition-km",),
        not_tried="its guarantee differs: k^m-anonymity within each part",
    )

    partitions: Annotated[Count, "Maximum number of partitions (>= 1)."] = 10

    @property
    def model(self) -> PartitionKmAnonymity:
        """The model k^m-anonymity of every partition."""
        return PartitionKmAnonymity(self.k, self.m)

    @property
    def on_each_part(self) -> Apriori:
        """Algorithm that anonymizes each partition."""
        return Apriori(k=self.k, m=self.m, max_increments=self.max_increments)

    def generalize(self, column: SetColumn, hierarchy: Hierarchy, *, store: Store, progress: Progress | None) -> Result:
        """Find the partitions and their cuts. `Result.trace` contains the partitions in Gray order.

        Raises
        ------
        InputError
            If counting the sets of some size would take more than `max_increments`.
        """
        with store.nested() as scratch:
            order = GrayOrder.of(column, scratch)
            runs = order.runs(self.k, self.partitions)
            recoded = []
            for partition in self._recoded(order, runs, hierarchy, scratch):
                recoded.append(partition)
                report_progress(progress, "partitions", len(recoded), len(runs))
        members, nodes = [order.record[first:end] for first, end in runs], [partition.nodes for partition in recoded]
        if order.n_empty:
            members.append(order.record[: order.n_empty])
            nodes.append(np.empty(0, np.int32))
        cluster, parts, old = number_clusters(members, column.n, store)
        cuts = ClusterCuts(hierarchy, tuple(nodes[c] for c in old))
        trace = (
            RecodedPartition(records if store.in_files else tuple(records.tolist()), partition.labels, partition.fixes)
            for records, partition in zip(members, recoded, strict=False)
        )
        figures = {
            "partitions": float(len(runs)),
            "increments": sum((partition.increments for partition in recoded), 0.0),
        }
        return Result(PerCluster(cluster, cuts, parts=parts), tuple(trace), figures)

    def _recoded(
        self,
        order: GrayOrder,
        runs: list[Run],
        hierarchy: Hierarchy,
        scratch: Store,
    ) -> Iterator[_PartitionResult]:
        """Anonymize the partitions in parallel, or one by one in files if they do not fit into memory."""
        if _fit_together(order, runs, hierarchy, scratch):
            limit, together = scratch.limits.room, scratch.workers.count
            memory = Memory(replace(scratch.limits, room=None if limit is None else limit // together), scratch.workers)
            return scratch.map(lambda run: self._in_memory(order.slice(*run), hierarchy, memory), runs)
        return (self._in_files(order, run, hierarchy, scratch) for run in runs)

    def _in_memory(self, records: SetColumn, hierarchy: Hierarchy, memory: Memory) -> _PartitionResult:
        """Anonymize a partition in memory. For small partitions, use the kernel for clusters."""
        if not self._suits_bitmaps(records, hierarchy):
            return self._search(Blocks.of(records, memory), hierarchy)
        nodes, fixes, increments = search_in_bitmaps(records, hierarchy, self.k, self.m)
        return _PartitionResult(nodes, tuple(Cut.of(hierarchy, nodes).labels), tuple(fixes), increments)

    def _suits_bitmaps(self, records: SetColumn, hierarchy: Hierarchy) -> bool:
        """Return True if the kernel supports a partition and needs no more than `max_increments` counting steps."""
        before = spans.begins_of(records.occurrences)
        n_nodes = int(np.count_nonzero(before[hierarchy.leaf_hi] > before[hierarchy.leaf_lo]))
        codes = np.bincount(records.lengths * (int(hierarchy.depth.max(initial=0)) + 1))
        fits = max(increments_of(codes, size) for size in range(1, self.m + 1)) <= self.max_increments
        return fits and records.n_nonempty >= self.k and in_bitmaps(records.n, n_nodes, self.m)

    def _search(self, blocks: Blocks, hierarchy: Hierarchy) -> _PartitionResult:
        search = self.run_apriori(blocks, hierarchy)
        inner = search.cut.nodes[~hierarchy.is_leaf[search.cut.nodes]]
        return _PartitionResult(inner, tuple(search.cut.labels), tuple(search.fixes), search.increments)

    def _in_files(self, order: GrayOrder, run: Run, hierarchy: Hierarchy, scratch: Store) -> _PartitionResult:
        with scratch.nested() as nested:
            return self._search(Blocks.of(order.slice(*run, nested), nested), hierarchy)


def _fit_together(order: GrayOrder, runs: list[Run], hierarchy: Hierarchy, store: Store) -> bool:
    """Return True if the partitions that are processed in parallel fit into memory together.

    A partition needs memory for its items, their nodes on all levels, and the matrix of node pairs.
    """
    items = max((int(order.keys.indptr[end] - order.keys.indptr[first]) for first, end in runs), default=0)
    records = max((end - first for first, end in runs), default=0)
    levels = int(hierarchy.depth.max(initial=0)) + 1
    needed = 4 * items * (levels + 4) + 32 * records + min(4 * hierarchy.n_nodes**2, TOGETHER_CELLS)
    return records <= store.rows_at_once(records, spans.AT_ONCE) and store.limits.has_room(store.workers.count * needed)
