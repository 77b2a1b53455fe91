"""The apriori anonymization on many clusters of records, each by itself, by a kernel that takes many of them."""

from collections.abc import Sequence
from concurrent.futures import Executor

import numpy as np

from anonset.algorithms.base import run_tasks
from anonset.algorithms.transaction.cluster_mappings import ClusterMapping, SearchEach, concatenate
from anonset.data import Hierarchy, SetColumn
from anonset.data.table import Int32, Int64

_CLUSTERS_PER_TASK = 256
_LARGE = 2000
"""Least records of a cluster for which the pruning of the full search pays, for sets of three items or more."""


class AprioriOnClusters:
    """AA on clusters of one column: small ones by the kernel, which saves the set-up of the full search."""

    def __init__(
        self, k: int, m: int, column: SetColumn, hierarchy: Hierarchy, full: SearchEach, executor: Executor | None
    ) -> None:
        self.k, self.m, self.column, self.hierarchy = k, m, column, hierarchy
        self.full, self.executor = full, executor

    def __call__(self, clusters: Sequence[Int64]) -> list[ClusterMapping]:
        """Return the inner nodes that each cluster publishes."""
        tasks = [clusters[i : i + _CLUSTERS_PER_TASK] for i in range(0, len(clusters), _CLUSTERS_PER_TASK)]
        return [mapping for part in run_tasks(self.executor, self._search, tasks) for mapping in part]

    def _search(self, clusters: Sequence[Int64]) -> list[ClusterMapping]:
        small = [self.m <= 2 or len(members) < _LARGE for members in clusters]
        chosen = [members for members, fits in zip(clusters, small, strict=True) if fits]
        nodes_of_small = iter(self._search_small(chosen))
        return [
            next(nodes_of_small) if fits else self.full.search(members)
            for members, fits in zip(clusters, small, strict=True)
        ]

    def _search_small(self, clusters: Sequence[Int64]) -> list[Int32]:
        from anonset_kernels.cluster_cuts import anonymize_clusters

        if not clusters:
            return []
        tree, (members, start) = self.hierarchy, concatenate(clusters)
        node_start = np.zeros(len(start), np.int64)
        room = 64 * len(clusters) + tree.n_nodes
        arrays = (tree.leaf_node, tree.parent, tree.leaf_lo, tree.leaf_hi)
        nodes_of: list[Int32] = []
        nodes, scratch = np.empty(room, np.int32), np.empty((2, tree.n_nodes), np.int32)
        records, rule = (self.column.indptr, self.column.items), (self.k, self.m)
        while len(nodes_of) < len(clusters):
            rest = start[len(nodes_of) :]
            done = anonymize_clusters(records, members, rest, arrays, rule, node_start, nodes, scratch)
            nodes_of += [nodes[node_start[c] : node_start[c + 1]].copy() for c in range(done)]
        return nodes_of
