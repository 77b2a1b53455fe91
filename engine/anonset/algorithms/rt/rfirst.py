"""RFIRST of Poulis et al., ECML/PKDD 2013, section 3."""

from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import ClassVar

from anonset.algorithms.base import Progress, Result, forms_sets
from anonset.algorithms.relational.formations import formation_of
from anonset.algorithms.rt.cluster_function import TransactionClass
from anonset.algorithms.rt.frame import Frame, OnInfeasible, empty_result, require_one_of, rt_model
from anonset.algorithms.transaction.coat import Coat
from anonset.data import Hierarchy, Table
from anonset.data.discreet import Discreet
from anonset.privacy.kkm import KKmAnonymity
from anonset.privacy.lm import KLmDiversity


@dataclass(frozen=True, kw_only=True)
class RFirst(Discreet):
    """RFIRST: k-anonymous clusters first, then the items of each; relational values suffer least, items most.

    Guarantees (k, k^m)-anonymity. Cost: that of the formation, and one run of the transaction algorithm for each
    cluster.

    References: Poulis, Loukides, Gkoulalas-Divanis, Skiadopoulos, ECML/PKDD 2013, section 3.
    """

    name: ClassVar[str] = "rfirst"

    k: int
    """Smallest number of records that share relational values and up to m items (>= 1)."""
    m: int
    """Largest number of items the attacker knows (>= 1)."""
    transaction: TransactionClass = Coat
    """The transaction algorithm, as a class; it is given k and m (``partial(LmApriori, l=.., ..)`` for diversity)."""
    formation: str = "cluster"
    """How the clusters are formed."""
    relational_weights: Mapping[str, float] | None = None
    """Weight of each relational column in the loss, together at most 1; all the same if None."""
    on_infeasible: OnInfeasible = "error"
    """Clusters with some, but fewer than k, non-empty records: an error, or merged with their best partner first."""
    seed: int | None = None
    """Seed of the formation "cluster": at random by this number; the first record that is left if None."""

    def __post_init__(self) -> None:
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

    def recode(
        self,
        table: Table,
        hierarchies: Mapping[str, Hierarchy],
        *,
        executor: Executor | None = None,
        progress: Progress | None = None,
    ) -> Result:
        """Form clusters and publish each by itself.

        Raises
        ------
        InfeasibleError
            If there are fewer than k records, or a cluster has some, but fewer than k, non-empty records.
        InputError
            If a column, a hierarchy or a weight is missing or unfit.
        """
        function = (self.transaction, self.k, self.m)
        frame = Frame.of(self.name, table, hierarchies, function, self.relational_weights, (executor, progress))
        if not table.n:
            return empty_result(table)
        clusters = frame.clusters(self.formation, self.seed, "btd", "xor")
        if self.on_infeasible == "merge":
            frame.repair(clusters)
        return frame.publish(clusters, {})
