"""Tum-bound of Poulis et al., ECML/PKDD 2013, sections 4 and 5."""

from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from math import fsum
from typing import ClassVar

import numpy as np

from anonset.algorithms.base import Progress, Result
from anonset.algorithms.relational.formations import formation_of
from anonset.algorithms.rt.cluster_function import ClusterMapping, TransactionClass
from anonset.algorithms.rt.frame import (
    Frame,
    OnInfeasible,
    empty_result,
    mean_loss,
    require_one_of,
    require_share,
    rt_model,
)
from anonset.algorithms.rt.merging import TOLERANCE, Clusters, ItemOrder, MergeOrder, Numerator
from anonset.algorithms.transaction.coat import Coat
from anonset.data import Hierarchy, Table
from anonset.data.quasi_identifiers import Float64
from anonset.data.table import Int64
from anonset.errors import InfeasibleError
from anonset.privacy.kkm import KKmAnonymity
from anonset.privacy.lm import KLmDiversity


@dataclass(frozen=True, kw_only=True)
class TumBound:
    """Tum-bound: merge clusters until the loss of their items is within a bound.

    Guarantees (k, k^m)-anonymity, and a utility loss (UL) of the items of at most `delta`. Cost: that of the
    formation; for each merge, one loss and one distance for each cluster, and one run of the transaction algorithm on
    the union (order "ul": on each candidate; scan: on each candidate until one meets the bound).

    References: Poulis, Loukides, Gkoulalas-Divanis, Skiadopoulos, ECML/PKDD 2013, Tum-bound and TMERGE_R, _T, _RT;
    with order "ul" the baselines TM_TUL and TM_RTUL.
    Deviations: merges accumulate, whether or not they meet the bound at once.
    """

    name: ClassVar[str] = "tum-bound"

    k: int
    """Smallest number of records that share relational values and up to m items (>= 1)."""
    m: int
    """Largest number of items the attacker knows (>= 1)."""
    delta: float = 0.65
    """Largest utility loss of the items (UL), in [0, 1]."""
    transaction: TransactionClass = Coat
    """The transaction algorithm, as a class; it is given k and m (``partial(LmApriori, l=.., ..)`` for diversity)."""
    merge: MergeOrder = "rt"
    """Which candidates come first: the best relationally (r), by their items (t), or by both ranks (rt)."""
    formation: str = "cluster"
    """How the clusters to begin with are formed."""
    order: ItemOrder = "btd"
    """What orders by items: the distance of transactions (btd), or the true utility loss (ul), much slower."""
    btd: Numerator = "xor"
    """Numerator of the distance of transactions."""
    scan: bool = False
    """Before a merge, look for the first candidate that meets the bound at once."""
    relational_weights: Mapping[str, float] | None = None
    """Weight of each relational column in the loss, together at most 1; all the same if None."""
    on_infeasible: OnInfeasible = "error"
    """Clusters with some, but fewer than k, non-empty records: an error, or merged with their best partner first."""
    seed: int | None = None
    """Seed of the formation "cluster": at random by this number; the first record that is left if None."""

    def __post_init__(self) -> None:
        require_share("delta", self.delta)
        require_one_of("merge", self.merge, ("r", "t", "rt"))
        require_one_of("order", self.order, ("btd", "ul"))
        require_one_of("btd", self.btd, ("xor", "or"))
        require_one_of("on_infeasible", self.on_infeasible, ("error", "merge"))
        _ = self.model
        formation_of(self.formation, self.k, self.seed)

    @property
    def model(self) -> KKmAnonymity | KLmDiversity:
        """(k, k^m)-anonymity, or (k, l^m)-diversity by the transaction function ``lm-apriori``."""
        return rt_model(self.transaction, self.k, self.m)

    def anonymize(
        self,
        table: Table,
        hierarchies: Mapping[str, Hierarchy],
        *,
        executor: Executor | None = None,
        progress: Progress | None = None,
    ) -> Result:
        """Form clusters, merge them until the bound holds, and publish each; the trace lists the merges in order.

        Raises
        ------
        InfeasibleError
            If even one cluster of all records exceeds `delta`, or one has some, but fewer than k, non-empty records.
        InputError
            If a column, a hierarchy or a weight is missing or unfit.
        """
        function = (self.transaction, self.k, self.m)
        frame = Frame.of(self.name, table, hierarchies, function, self.relational_weights, (executor, progress))
        if not table.n:
            return empty_result(table)
        clusters = frame.clusters(self.formation, self.seed, self.order, self.btd)
        if self.on_infeasible == "merge":
            frame.repair(clusters)
        clusters.drop_merged()
        published = _Published(frame, clusters)
        before = {"rum_before": clusters.rum, "tum_before": published.tum, "clusters_before": float(clusters.count)}
        smallest = published.tum
        while published.tum > self.delta + TOLERANCE:
            if clusters.count == 1:
                reason = (
                    f"one cluster is left, with a utility loss of {published.tum:.6g}; delta={self.delta} is required; "
                    f"a delta of at least {smallest:.12g} would do"
                )
                raise InfeasibleError(self.name, reason, achieved=published.tum, bound=self.delta)
            self._merge(clusters, published)
            smallest = min(smallest, published.tum)
            if progress is not None:
                progress("merges", before["clusters_before"] - clusters.count, before["clusters_before"] - 1)
        return frame.result(clusters, published.mappings(), before)

    def _merge(self, clusters: Clusters, published: "_Published") -> None:
        """TMERGE: the seed takes its first candidate (scan: the first that meets the bound, if any)."""
        seed = clusters.seed()
        ncp = clusters.states.merged_loss(seed)
        if self.scan:
            chosen, distance = self._scan(clusters, published, seed, ncp)
        else:
            chosen, distance = clusters.best(seed, self.merge, ncp)
        union = clusters.members(seed, chosen)
        kept = clusters.merge(seed, chosen, float(ncp[chosen]), distance)
        published.replace(kept, max(seed, chosen), union)
        alive = clusters.alive
        if clusters.compact():
            published.keep(alive.tolist())

    def _scan(self, clusters: Clusters, published: "_Published", seed: int, ncp: Float64) -> tuple[int, float]:
        """Return the first candidate that meets the bound at once, else the first of all."""
        keys, distance = clusters.ranking(seed, self.merge, ncp)
        order = np.argsort(keys, kind="stable")[: int(np.count_nonzero(keys < np.inf))].tolist()
        for other in order:
            if published.tum_after(seed, other, clusters.members(seed, other)) <= self.delta + TOLERANCE:
                return other, float(distance[other])
        return order[0], float(distance[order[0]])


class _Published:
    """What each cluster publishes now, and the loss of its records together."""

    def __init__(self, frame: Frame, clusters: Clusters) -> None:
        self.frame = frame
        members = [clusters.members(at) for at in range(len(clusters.parts))]
        self.mapping: list[ClusterMapping | None] = [*frame.function.mappings(members)]
        self.loss = np.array([fsum(part.tolist()) for part in frame.function.losses(members, self.mappings())])

    @property
    def tum(self) -> float:
        """Average loss of a record."""
        return mean_loss(self.loss.tolist(), self.frame.qi.n)

    def mappings(self) -> list[ClusterMapping]:
        """Return the mappings of the clusters that are there."""
        return [mapping for mapping in self.mapping if mapping is not None]

    def replace(self, kept: int, gone: int, union: Int64) -> None:
        """Publish the union of two clusters in the place of the first."""
        mapping = self.frame.function.mappings([union])[0]
        self.mapping[kept], self.mapping[gone] = mapping, None
        self.loss[kept], self.loss[gone] = self._loss(union, mapping), 0.0

    def tum_after(self, a: int, b: int, union: Int64) -> float:
        """Return the average loss of a record after a merge."""
        loss = self.loss.copy()
        loss[a], loss[b] = self._loss(union, self.frame.function.mappings([union])[0]), 0.0
        return mean_loss(loss.tolist(), self.frame.qi.n)

    def _loss(self, union: Int64, mapping: ClusterMapping) -> float:
        return fsum(self.frame.function.losses([union], [mapping])[0].tolist())

    def keep(self, alive: list[bool]) -> None:
        """Forget the clusters that are gone."""
        self.mapping = [mapping for mapping, there in zip(self.mapping, alive, strict=True) if there]
        self.loss = self.loss[alive]
