"""Rum-bound of Poulis et al., ECML/PKDD 2013, sections 4 and 5.

Lines of the paper and their implementation. Rum-bound::

    1, 2    D := CLUSTERFORMATION(D, k)                          RFirst.form_and_publish
    3       if Rum(D) > delta: no solution                       RumBound.merge_and_publish
    4       D := RMERGE(D, T, delta)                             RumBound._merge
    5, 6    apply T to each cluster                              results.publish, ClusterFunction

RMERGE_R, RMERGE_T and RMERGE_RT, which differ only in the order of candidates::

    R     T       RT
    1     1       1         while D changes
    2     2       2             C := the cluster with the smallest Rum        Clusters.seed
    3     3, 4    3 to 5        C' := the other clusters in order of their    candidates.candidates
                                losses, their items, or both ranks
    4, 5  5       6, 7          if Rum <= delta once C and C' are merged:     candidates.first_within
    5     6, 7    8, 9              merge them, and continue with the next    Clusters.merge
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum, inf
from typing import ClassVar

from anonset.algorithms.base import Result, Traits
from anonset.algorithms.relational.base import bind_tuples
from anonset.algorithms.rt.across import ClustersOfAllParts, PartlyMergedClusters
from anonset.algorithms.rt.candidates import first_within
from anonset.algorithms.rt.merging import TOLERANCE, Clusters
from anonset.algorithms.rt.results import publish, tum
from anonset.algorithms.rt.rfirst import MergingFramework
from anonset.data import Hierarchy, Table
from anonset.data.array_types import Int32
from anonset.data.progress import Progress, report_progress
from anonset.errors import InfeasibleError


@dataclass(frozen=True, kw_only=True)
class RumBound(MergingFramework):
    """Rum-bound: merge clusters to reduce the item loss while the relational loss remains within a limit.

    Guarantees (k, k^m)-anonymity, and a relational loss (NCP) of at most `delta`. The cost has three terms. The first
    term is the formation of the initial clusters. The second term is the work for each merge, which computes a loss per
    cluster and the distances of possible nearest clusters. The third term is a run of the transaction algorithm for
    each published cluster. With order "ul", the transaction algorithm also runs for each candidate of each merge.

    References: Poulis, Loukides, Gkoulalas-Divanis, Skiadopoulos, ECML/PKDD 2013, Rum-bound and RMERGE_R, _T, _RT. With
    order "ul", the baselines RM_TUL and RM_RTUL.
    Deviations: merging continues after the first merge. In the order "rt", all clusters are candidates. As in the
    paper, merging stops when no partner of the cluster with the smallest loss satisfies the bound.
    """

    name: ClassVar[str] = "rum-bound"
    traits: ClassVar[Traits] = replace(MergingFramework.traits, memory_factor=1.6)

    def merge_and_publish(self, clusters: Clusters, progress: Progress | None) -> Result:
        """Merge clusters while the relational loss is at most `delta`, and publish each resulting cluster.

        Raises
        ------
        InfeasibleError
            If the initial clusters exceed `delta`.
        """
        before = self._before(clusters)
        self._require_within(clusters.rum)  # line 3
        self._merge(clusters, progress)  # line 4
        return publish(clusters, before)  # lines 5 to 7

    @property
    def most_merged(self) -> int:
        """Maximum record count of a part whose clusters are merged.

        The maximum is larger if `merge` is "r", because this order does not compare items, which is slow.
        """
        return 1 << 15 if self.merge == "r" else super().most_merged

    @property
    def merges_across(self) -> bool:
        """True if clusters can be merged across parts without access to their records."""
        return self.order == "btd"

    def begin_part(self, part: Table, hierarchies: Mapping[str, Hierarchy], *, up_to: float) -> PartlyMergedClusters:
        """Form the clusters of a part. Merge them while the smallest cluster loss is at most `up_to`."""
        qi = bind_tuples(self.name, self.k, part, hierarchies, self.relational_weights, bounded=True)
        clusters = self.formed(part, hierarchies, qi, None)
        before = self._before(clusters)
        seeds = self._merge(clusters, up_to=up_to)
        clusters.drop_merged()
        figures = {name: value for name, value in before.items() if value is not None}
        return PartlyMergedClusters.of(clusters, seeds, figures, by_items=self.merge != "r")

    def merge_across(
        self,
        none: Table,
        hierarchies: Mapping[str, Hierarchy],
        parts: Sequence[PartlyMergedClusters],
        progress: Progress | None,
    ) -> Int32 | None:
        """Merge the clusters of all parts, and return the merged cluster of each cluster.

        Return None if the loss already exceeds `delta`.

        Parameters
        ----------
        none
            Table without records, whose columns have the domains of the complete table.

        Raises
        ------
        InfeasibleError
            If the clusters exceed `delta` before any merge.
        """
        sizes = [int(part.size.sum()) for part in parts]
        rums = [part.figures["rum_before"] for part in parts]
        self._require_within(fsum(n * rum for n, rum in zip(sizes, rums, strict=True)) / sum(sizes))
        qi = bind_tuples(self.name, self.k, none, hierarchies, self.relational_weights, bounded=True)
        clusters = ClustersOfAllParts(qi, parts, self.btd)
        if not clusters.rum <= self.delta + TOLERANCE:
            return None
        self._merge(clusters, progress)
        return clusters.merged()

    def publish_part(self, part: Table, hierarchies: Mapping[str, Hierarchy], cluster: Int32) -> Result:
        """Publish the clusters of some records. `cluster` contains the cluster of each record.

        Clusters are numbered by first record.
        """
        qi = bind_tuples(self.name, self.k, part, hierarchies, self.relational_weights, bounded=True)
        return publish(Clusters(qi, cluster, self.function(part, hierarchies)), {})

    def _before(self, clusters: Clusters) -> dict[str, float | None]:
        return {"rum_before": clusters.rum, "clusters_before": float(clusters.count), "tum_before": tum(clusters)}

    def _require_within(self, rum: float) -> None:
        if not rum <= self.delta + TOLERANCE:
            reason = (
                f"the initial clusters have a relational loss of {rum:.6g}, above delta={self.delta}; a delta of at "
                f"least {rum:.12g} is feasible"
            )
            raise InfeasibleError(self.name, reason, achieved=rum, bound=self.delta)

    def _merge(self, clusters: Clusters, progress: Progress | None = None, *, up_to: float = inf) -> list[float]:
        """Merge the seed with its first valid candidate, until a seed has no candidate (RMERGE).

        Merging stops before a seed with a loss above `up_to`. Returns the loss of each seed before its merge.
        """
        total, n_begun, seeds = clusters.rum * clusters.n, clusters.count, list[float]()
        while clusters.count > 1:  # line 1
            seed = clusters.seed()  # line 2
            if clusters.ncp[seed] > up_to:
                break
            candidate = None  # lines 3 to 7 of RMERGE_RT
            if not clusters.too_large(seed):
                candidate = first_within(clusters, seed, self.merge, total, self.delta)
            if candidate is not None:
                seeds.append(float(clusters.ncp[seed]))
                chosen, ncp, distance, growth = candidate
                total += growth
                clusters.merge(seed, chosen, ncp, distance)  # lines 8 and 9
                clusters.compact()
                report_progress(progress, "merges", n_begun - clusters.count, n_begun - 1)
            elif not clusters.set_aside(seed):
                break
        return seeds
