"""Rum-bound of Poulis et al., ECML/PKDD 2013, sections 4 and 5."""

from dataclasses import dataclass
from typing import ClassVar

from anonset.algorithms.base import Result
from anonset.algorithms.rt.base import MergingFramework
from anonset.algorithms.rt.candidates import first_within
from anonset.algorithms.rt.frame import Frame
from anonset.algorithms.rt.merging import TOLERANCE, Clusters
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

    def bounded(self, frame: Frame, clusters: Clusters) -> Result:
        """Merge clusters while the relational loss is at most `delta`, and publish each.

        Raises
        ------
        InfeasibleError
            If the clusters to begin with exceed `delta`.
        """
        before = {
            "rum_before": clusters.rum,
            "clusters_before": float(clusters.count),
            "tum_before": frame.tum(clusters),
        }
        if not clusters.rum <= self.delta + TOLERANCE:
            reason = (
                f"the clusters to begin with have a relational loss of {clusters.rum:.6g}, delta={self.delta} is "
                f"required; a delta of at least {clusters.rum:.12g} would do"
            )
            raise InfeasibleError(self.name, reason, achieved=clusters.rum, bound=self.delta)
        self._merge(frame, clusters)
        return frame.publish(clusters, before)

    def _merge(self, frame: Frame, clusters: Clusters) -> None:
        """RMERGE: the seed takes its first candidate that keeps the bound, until a seed finds none."""
        total = clusters.rum * clusters.n
        at_first = clusters.count
        while clusters.count > 1:
            seed = clusters.seed()
            found = first_within(clusters, seed, self.merge, total, self.delta)
            if found is None:
                return
            chosen, ncp, distance, growth = found
            total += growth
            clusters.merge(seed, chosen, ncp, distance)
            clusters.compact()
            frame.merged(clusters, at_first)
