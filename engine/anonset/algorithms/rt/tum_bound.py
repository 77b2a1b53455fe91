"""Tum-bound of Poulis et al., ECML/PKDD 2013, sections 4 and 5.

Lines of the paper and their implementation. Tum-bound::

    1, 2    D := CLUSTERFORMATION(D, k)                          RFirst.form_and_publish
    3       if Tum(T(D)) <= delta: D                             TumBound.merge_and_publish
    4       D := TMERGE(D, T, delta)                             TumBound._merge, until the bound is met
    5, 6    apply T to each cluster                              cluster_losses.ClusterLosses, while merging
    7       if Tum(D) > delta: no solution                       TumBound.merge_and_publish

TMERGE_R, TMERGE_T and TMERGE_RT are RMERGE_R, RMERGE_T and RMERGE_RT (see `rum_bound`) with Tum instead of Rum.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain
from typing import Annotated, ClassVar

from anonset.algorithms.base import Result, Traits
from anonset.algorithms.rt.candidates import candidates
from anonset.algorithms.rt.cluster_losses import ClusterLosses
from anonset.algorithms.rt.merging import TOLERANCE, Clusters
from anonset.algorithms.rt.results import publish_mapped
from anonset.algorithms.rt.rfirst import MergingFramework
from anonset.data.progress import Progress, report_progress
from anonset.errors import InfeasibleError


@dataclass(frozen=True, kw_only=True)
class TumBound(MergingFramework):
    """Tum-bound: merge clusters until the item loss is within a limit.

    Guarantees (k, k^m)-anonymity, and an item loss (utility loss, UL) of at most `delta`. The cost has three terms. The
    first term is the formation of the initial clusters. The second term is the work for each merge, which computes a
    loss per cluster and the distances of possible nearest clusters. The third term is a run of the transaction
    algorithm for each union whose loss must be known. With order "ul", the transaction algorithm runs for each
    candidate. With `scan`, it runs for each candidate until a candidate satisfies the limit.

    References: Poulis, Loukides, Gkoulalas-Divanis, Skiadopoulos, ECML/PKDD 2013, Tum-bound and TMERGE_R, _T, _RT. With
    order "ul", the baselines TM_TUL and TM_RTUL.
    Deviations: merging continues even if a merge does not satisfy the limit immediately.
    """

    name: ClassVar[str] = "tum-bound"
    traits: ClassVar[Traits] = replace(
        MergingFramework.traits, memory_factor=1.7, not_tried="it merges clusters like rum-bound, with another bound"
    )

    scan: Annotated[bool, "True to prefer a merge after which the item loss is at most `delta`."] = False

    def merge_and_publish(self, clusters: Clusters, progress: Progress | None) -> Result:
        """Merge clusters until the utility loss of the items is at most `delta`, and publish each resulting cluster.

        Raises
        ------
        InfeasibleError
            If the loss exceeds `delta` even if all records form a single cluster.
        """
        losses, n_begun = ClusterLosses(clusters), clusters.count
        before = {"rum_before": clusters.rum, "tum_before": losses.tum, "clusters_before": float(n_begun)}
        while losses.exceeds(self.delta + TOLERANCE):  # lines 3 and 4
            if clusters.count == 1:  # line 7
                reason = (
                    f"a single cluster remains, and its utility loss {losses.tum:.6g} is above delta={self.delta}; "
                    f"a delta of at least {losses.smallest_tum():.12g} is feasible"
                )
                raise InfeasibleError(self.name, reason, achieved=losses.tum, bound=self.delta)
            self._merge(clusters, losses)
            report_progress(progress, "merges", n_begun - clusters.count, n_begun - 1)
        return publish_mapped(clusters, losses.mappings(), losses.tum, before)

    def _merge(self, clusters: Clusters, losses: ClusterLosses) -> None:
        """Merge the seed with its first candidate (TMERGE), or with the candidate that `scan` selects."""
        seed = clusters.seed()
        ncp = clusters.tuples.union_losses(seed)
        order = candidates(clusters, seed, self.merge, ncp, clusters.usable(seed))
        chosen, distance = self._scan(clusters, losses, seed, order) if self.scan else next(order)
        losses.take_merge(int(clusters.smallest[seed]), int(clusters.smallest[chosen]))
        clusters.merge(seed, chosen, float(ncp[chosen]), distance)
        clusters.compact()

    def _scan(
        self, clusters: Clusters, losses: ClusterLosses, seed: int, order: Iterator[tuple[int, float]]
    ) -> tuple[int, float]:
        """Return the first candidate whose union satisfies the limit. If there is none, return the first candidate."""
        first = next(order)
        for other, distance in chain([first], order):
            tum = losses.tum_after(int(clusters.smallest[seed]), int(clusters.smallest[other]))
            if tum <= self.delta + TOLERANCE:
                return other, distance
        return first
