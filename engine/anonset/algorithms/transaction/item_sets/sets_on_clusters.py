"""Local search for item sets in separate clusters, by a single kernel for all clusters."""

from collections.abc import Sequence

import numpy as np

from anonset.algorithms.transaction.cluster_mappings import ClusterMapping, SearchEach, concatenate
from anonset.algorithms.transaction.item_sets.partition_search import CELLS_OF_A_STEP
from anonset.data import SetColumn
from anonset.data.array_types import Int64
from anonset.data.storage.store import Store
from anonset.generalization.local import MergedItems

LARGEST_K = (1 << 16) - 1
_CELLS = 1 << 26
"""Maximum number of node pairs (2 bytes each) that the kernel counts. A cluster with more pairs is searched alone."""
_RECORDS_PER_TASK, _CLUSTERS_PER_TASK = 1 << 11, 1 << 8


class SetsOnClusters:
    """`set-search` on clusters of a column.

    The kernel starts from the better of two cuts that apriori finds on trees that halve the cluster's items.
    `SetSearch` starts from exact cuts on a complete table. On small clusters, exact cuts would take most of the time
    and hardly reduce the loss.
    """

    def __init__(
        self, rule: tuple[int, int, int], max_steps: int, column: SetColumn, single_search: SearchEach, store: Store
    ) -> None:
        self.rule, self.column, self.each = rule, column, single_search
        self.limits = max_steps * CELLS_OF_A_STEP, _CELLS
        self.store = store.with_local_workers()

    def __call__(self, clusters: Sequence[Int64]) -> list[ClusterMapping]:
        """Return the merged items of each cluster."""
        return [mapping for part in self.store.map(self._search, _tasks(clusters)) for mapping in part]

    def _search(self, clusters: Sequence[Int64]) -> list[ClusterMapping]:
        from anonset_kernels.item_sets.cluster_sets import search_clusters

        members, start = concatenate(clusters)
        capacity = int(self.column.lengths[members].sum())
        end, item, smallest = (
            np.zeros(len(clusters), np.int64),
            np.empty(capacity, np.int32),
            np.empty(capacity, np.int32),
        )
        records, n_items = (self.column.indptr, self.column.items), len(self.column.vocabulary)
        search_clusters(records, members, start, self.rule, n_items, self.limits, (end, item, smallest))
        mappings: list[ClusterMapping] = []
        begin = 0
        for of_cluster, stop in zip(clusters, end.tolist(), strict=True):
            if stop < 0:
                mappings.append(self.each.search(of_cluster))
                continue
            mappings.append(MergedItems(item[begin:stop].copy(), smallest[begin:stop].copy()))
            begin = stop
        return mappings


def _tasks(clusters: Sequence[Int64]) -> list[list[Int64]]:
    """Return groups of clusters that need about the same time."""
    tasks: list[list[Int64]] = []
    records = _RECORDS_PER_TASK
    for members in clusters:
        if records >= _RECORDS_PER_TASK or len(tasks[-1]) >= _CLUSTERS_PER_TASK:
            tasks.append([])
            records = 0
        tasks[-1].append(members)
        records += len(members)
    return tasks
