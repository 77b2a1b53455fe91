"""Rum-bound of Poulis et al., ECML/PKDD 2013, sections 4 and 5.

The paper's lines, and where they are. Rum-bound::

    1, 2    D := CLUSTERFORMATION(D, k)                          RelationalFirst.form_and_publish
    3       if Rum(D) > delta: no solution                       RumBound.merge_and_publish
    4       D := RMERGE(D, T, delta)                             RumBound._merge
    5, 6    apply T to each cluster                              results.publish, ClusterFunction

RMERGE_R, RMERGE_T and RMERGE_RT, which differ in the order of candidates alone::

    R     T       RT
    1     1       1         while D changes
    2     2       2             C := the cluster with the smallest Rum        Clusters.seed
    3     3, 4    3 to 5        C' := the other clusters in turn, by their    candidates.candidates
                                losses, by their items, or by both ranks
    4, 5  5       6, 7          if Rum <= delta once C and C' are merged:     candidates.first_within
    5     6, 7    8, 9              merge them, and look for the next         Clusters.merge
"""

from dataclasses import dataclass
from typing import ClassVar

from anonset.algorithms.base import Progress, Result
from anonset.algorithms.rt.base import MergingFramework, tell_merges
from anonset.algorithms.rt.candidates import first_within
from anonset.algorithms.rt.merging import TOLERANCE, Clusters
from anonset.algorithms.rt.results import publish, tum
from anonset.errors import InfeasibleError


@dataclass(frozen=True, kw_only=True)
class RumBound(MergingFramework):
    """Rum-bound: merge clusters, to publish their items with less loss, while the relational loss stays bounded.

    Guarantees (k, k^m)-anonymity, and a relational loss (NCP) of at most `delta`. Cost: that of the formation; for
    each merge, one loss for each cluster, and a distance for those that may be among the nearest; one run of the
    transaction algorithm for each cluster that is published (order "ul": for each candidate of each merge).

    References: Poulis, Loukides, Gkoulalas-Divanis, Skiadopoulos, ECML/PKDD 2013, Rum-bound and RMERGE_R, _T, _RT;
    with order "ul" the baselines RM_TUL and RM_RTUL.
    Deviations: merging goes on after the first merge; candidates by both orders are all clusters. It ends as soon as
    no partner of the cluster with the smallest loss keeps the bound, as in the paper.
    """

    name: ClassVar[str] = "rum-bound"

    def merge_and_publish(self, clusters: Clusters, progress: Progress | None) -> Result:
        """Merge clusters while the relational loss is at most `delta`, and publish each.

        Raises
        ------
        InfeasibleError
            If the clusters to begin with exceed `delta`.
        """
        before = {"rum_before": clusters.rum, "clusters_before": float(clusters.count), "tum_before": tum(clusters)}
        if not clusters.rum <= self.delta + TOLERANCE:  # line 3
            reason = (
                f"the clusters to begin with have a relational loss of {clusters.rum:.6g}, delta={self.delta} is "
                f"required; it takes a delta of at least {clusters.rum:.12g}"
            )
            raise InfeasibleError(self.name, reason, achieved=clusters.rum, bound=self.delta)
        self._merge(clusters, progress)  # line 4
        return publish(clusters, before)  # lines 5 to 7

    def _merge(self, clusters: Clusters, progress: Progress | None) -> None:
        """RMERGE: the seed takes its first candidate that keeps the bound, until a seed finds none."""
        total, n_begun = clusters.rum * clusters.n, clusters.count
        while clusters.count > 1:  # line 1
            seed = clusters.seed()  # line 2
            found = first_within(clusters, seed, self.merge, total, self.delta)  # lines 3 to 7 of RMERGE_RT
            if found is None:
                return
            chosen, ncp, distance, growth = found
            total += growth
            clusters.merge(seed, chosen, ncp, distance)  # lines 8 and 9
            clusters.compact()
            tell_merges(progress, clusters, n_begun)
