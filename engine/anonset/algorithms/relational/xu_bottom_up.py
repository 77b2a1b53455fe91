"""Bottom-up local recoding of Xu, Wang, Pei, Wang, Shi, Fu, KDD 2006."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anonset.algorithms.clusters import renumber_clusters
from anonset.algorithms.relational.base import QuadraticFormation
from anonset.algorithms.relational.generalized_tuples import GeneralizedTuples, by_loss, first_least
from anonset.data.array_types import Int32, Int64
from anonset.data.progress import Progress, report_progress
from anonset.data.quasi_identifiers import QuasiIdentifiers


@dataclass(frozen=True, kw_only=True)
class XuBottomUp(QuadraticFormation):
    """Merge clusters of fewer than k records with the partner of least loss, and split clusters of at least 2k records.

    Guarantees k-anonymity. Cost: O(n^2 v log k), so large tables are rejected.

    References: Xu, Wang, Pei, Wang, Shi, Fu, KDD 2006.
    Deviations: clusters are processed in the order of their first records. A cluster of 2k records or more is split by
    distance to its first record.

    >>> from anonset.data import Table
    >>> table = Table.from_columns(sex=["f", "m", "f", "m"], race=["1", "2", "1", "2"])
    >>> XuBottomUp(k=2).recode(table, {}).recoding.cluster.tolist()
    [0, 1, 0, 1]
    """

    name: ClassVar[str] = "xu-bottom-up"

    def form_small(self, qi: QuasiIdentifiers, progress: Progress | None) -> Int32:
        """Return the cluster of each record, int32 (n,). Clusters are numbered by first record."""
        singles = GeneralizedTuples.of_tuples(qi)
        tuples = singles.take(qi.tuple_of)
        parts = [[r] for r in range(qi.n)]
        while True:
            small = [c for c, part in enumerate(parts) if len(part) < self.k]
            if not small:
                break
            merged = self._round(tuples, parts, small)
            report_progress(progress, "clusters", qi.n - len(small), qi.n)
            tuples, parts = tuples.take(merged), [parts[c] for c in merged.tolist()]
        cluster = np.empty(qi.n, np.int64)
        for part in parts:
            for records in self._split(qi, singles, sorted(part)):
                cluster[records] = records[0]
        return renumber_clusters(cluster)[0]

    def _round(self, tuples: GeneralizedTuples, parts: list[list[int]], small: list[int]) -> Int64:
        """Merge each small cluster with its best partner. Return the indices of the remaining clusters.

        A union is stored at the index of the earlier cluster, so clusters remain sorted by first record.
        """
        size = np.array([len(part) for part in parts])
        alive, touched = np.ones(len(parts), bool), np.zeros(len(parts), bool)
        for c in small:
            if touched[c]:
                continue
            losses = np.where(alive, (size + size[c]) * tuples.union_losses(c), np.inf)
            losses[c] = np.inf
            partner = first_least(losses)
            low, high = min(c, partner), max(c, partner)
            tuples.merge(low, high)
            parts[low] += parts[high]
            size[low] += size[high]
            touched[low] = touched[high] = True
            alive[high] = False
        return np.flatnonzero(alive)

    def _split(self, qi: QuasiIdentifiers, singles: GeneralizedTuples, records: list[int]) -> list[list[int]]:
        """Split a cluster of at least 2k records into pieces of k, by distance to the first record."""
        pieces = len(records) // self.k
        if pieces < 2:
            return [records]
        of = qi.tuple_of[records]
        loss = singles.union_losses(int(of[0]), singles.take(of))
        ranked = [records[i] for i in by_loss(loss).tolist()]
        ends = [*range(self.k, pieces * self.k, self.k), len(records)]
        return [ranked[end - self.k if end < len(records) else (pieces - 1) * self.k : end] for end in ends]
