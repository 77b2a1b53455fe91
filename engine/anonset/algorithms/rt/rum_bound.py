"""Rum-bound of Poulis et al., ECML/PKDD 2013, sections 4 and 5."""

from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import ClassVar

from anonset.algorithms.base import Progress, Result
from anonset.algorithms.relational.formations import formation_of
from anonset.algorithms.rt.cluster_function import TransactionClass
from anonset.algorithms.rt.frame import Frame, OnInfeasible, empty_result, require_one_of, require_share, rt_model
from anonset.algorithms.rt.merging import TOLERANCE, Clusters, ItemOrder, MergeOrder, Numerator, first_within
from anonset.algorithms.transaction.coat import Coat
from anonset.data import Hierarchy, Table
from anonset.errors import InfeasibleError
from anonset.privacy.kkm import KKmAnonymity
from anonset.privacy.lm import KLmDiversity


@dataclass(frozen=True, kw_only=True)
class RumBound:
    """Rum-bound: merge clusters, to publish their items with less loss, while the relational loss stays bounded.

    Guarantees (k, k^m)-anonymity, and a relational loss (NCP) of at most `delta`. Cost: that of the formation; for
    each merge, one loss and one distance for each cluster; one run of the transaction algorithm for each cluster
    that is published (order "ul": for each candidate of each merge).

    References: Poulis, Loukides, Gkoulalas-Divanis, Skiadopoulos, ECML/PKDD 2013, Rum-bound and RMERGE_R, _T, _RT;
    with order "ul" the baselines RM_TUL and RM_RTUL.
    Deviations: merging goes on after the first merge; candidates by both orders are all clusters. It ends as soon as
    no partner of the cluster with the smallest loss keeps the bound, as in the paper.
    """

    name: ClassVar[str] = "rum-bound"

    k: int
    """Smallest number of records that share relational values and up to m items (>= 1)."""
    m: int
    """Largest number of items the attacker knows (>= 1)."""
    delta: float = 0.65
    """Largest relational loss (NCP), in [0, 1]."""
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
        """Form clusters, merge them, and publish each by itself; the trace lists the merges in order.

        Raises
        ------
        InfeasibleError
            If the clusters to begin with exceed `delta`, or one has some, but fewer than k, non-empty records.
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
        before = {
            "rum_before": clusters.rum,
            "clusters_before": float(clusters.count),
            "tum_before": frame.tum(clusters),
        }
        if clusters.rum > self.delta + TOLERANCE:
            reason = (
                f"the clusters to begin with have a relational loss of {clusters.rum:.6g}, delta={self.delta} is "
                f"required; a delta of at least {clusters.rum:.12g} would do"
            )
            raise InfeasibleError(self.name, reason, achieved=clusters.rum, bound=self.delta)
        self._merge(clusters, progress)
        return frame.publish(clusters, before)

    def _merge(self, clusters: Clusters, progress: Progress | None) -> None:
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
            if progress is not None:
                progress("merges", float(at_first - clusters.count), float(at_first - 1))
