"""What Rum-bound and Tum-bound share: their parameters, and the steps around their merges."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import ClassVar

from anonset.algorithms.base import Progress, Result, forms_sets
from anonset.algorithms.relational.formations import formation_of
from anonset.algorithms.rt.candidates import MergeOrder
from anonset.algorithms.rt.cluster_function import TransactionClass
from anonset.algorithms.rt.distances import Numerator
from anonset.algorithms.rt.frame import Frame, OnInfeasible, empty_result, require_one_of, require_share, rt_model
from anonset.algorithms.rt.merging import Clusters, ItemOrder
from anonset.algorithms.transaction.coat import Coat
from anonset.data import Hierarchy, Table
from anonset.data.discreet import Discreet
from anonset.privacy.kkm import KKmAnonymity
from anonset.privacy.lm import KLmDiversity


@dataclass(frozen=True, kw_only=True)
class MergingFramework(Discreet, ABC):
    """A framework that forms clusters, and merges them with respect to a bound on one of their losses."""

    name: ClassVar[str]
    """Name on the command line."""

    k: int
    """Smallest number of records that share relational values and up to m items (>= 1)."""
    m: int
    """Largest number of items the attacker knows (>= 1)."""
    delta: float = 0.65
    """Largest loss, in [0, 1]; of what, the framework says."""
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

    @property
    def forms_sets(self) -> bool:
        """Whether the transaction function publishes sets of items."""
        return forms_sets(self.transaction(k=self.k, m=self.m))

    @abstractmethod
    def bounded(self, frame: Frame, clusters: Clusters) -> Result:
        """Merge clusters and publish each.

        Raises
        ------
        InfeasibleError
            If the loss cannot be kept within `delta`.
        """

    def recode(
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
            If the loss exceeds `delta`, or a cluster has some, but fewer than k, non-empty records.
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
        return self.bounded(frame, clusters)
