"""RFIRST of Poulis et al., ECML/PKDD 2013, section 3, and the base class of the frameworks that merge its clusters."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar, Literal

from anonset.algorithms.base import Result, Traits, traits_of
from anonset.algorithms.relational.base import Formation, MaxEvaluations, Refine
from anonset.algorithms.relational.formations import FORMATIONS, formation_of
from anonset.algorithms.rt.base import RTFramework, UsesTransactionAlgorithm, transaction_function
from anonset.algorithms.rt.candidates import MergeOrder, merge_infeasible
from anonset.algorithms.rt.cluster_function import ClusterFunction, TransactionClass
from anonset.algorithms.rt.distances import Numerator
from anonset.algorithms.rt.merging import Clusters, ItemOrder
from anonset.algorithms.rt.results import publish
from anonset.algorithms.transaction.item_sets.coat import Coat
from anonset.data import Hierarchy, Table
from anonset.data.array_types import Int32
from anonset.data.progress import Progress
from anonset.data.quasi_identifiers import QuasiIdentifiers
from anonset.errors import require_known
from anonset.privacy import PartitionKmAnonymity, require_share
from anonset.spelling import listed, setting

_SPLIT = [name for name, formation in FORMATIONS.items() if formation.traits.split_records is not None]
MOST_MERGED = 1 << 14
"""Maximum record count of a part whose clusters are merged by items."""
OnInfeasible = Literal["error", "merge"]
"""Action for a cluster with 1 to k - 1 non-empty records."""


@dataclass(frozen=True, kw_only=True)
class RFirst(UsesTransactionAlgorithm, RTFramework):
    """RFIRST: form k-anonymous clusters, then anonymize the items of each cluster.

    Preserves relational values better than items.

    Guarantees (k, k^m)-anonymity. Cost: the time to form the clusters, and a run of the transaction algorithm for each
    cluster.

    References: Poulis, Loukides, Gkoulalas-Divanis, Skiadopoulos, ECML/PKDD 2013, section 3.
    """

    name: ClassVar[str] = "rfirst"
    traits: ClassVar[Traits] = Traits(
        memory_factor=1.3,
        split_records=MOST_MERGED,
        where=f"the formation is {listed(_SPLIT, 'or')}",
        forms_sets=True,
        tight=True,
        keeps_more=True,
        answers=("kkm", "klm"),
    )

    transaction: Annotated[
        TransactionClass,
        "Class of the transaction algorithm, called with k and m. For diversity, ``partial(LmApriori, l=.., ..)``.",
    ] = Coat
    formation: Annotated[str, "Name of the algorithm that forms the initial clusters."] = "cluster"
    on_infeasible: Annotated[
        OnInfeasible,
        'Action for a cluster with 1 to k - 1 non-empty records. With "merge", the cluster is merged with the '
        "cluster whose union has the smallest relational loss, before all other merges.",
    ] = "error"
    seed: Annotated[
        int | None,
        'Random seed for the formation "cluster". If None, each cluster starts with the first remaining record.',
    ] = None
    refine: Refine = False
    max_evaluations: MaxEvaluations = None

    def __post_init__(self) -> None:
        super().__post_init__()
        _ = self.forming, self.algorithm

    @property
    def own_traits(self) -> Traits:
        """Traits of the framework, combined with traits of the formation and the transaction algorithm."""
        of_formation, function = traits_of(self.forming).split_records, self.algorithm
        return replace(
            self.traits,
            split_records=None if of_formation is None else min(of_formation, self.most_merged),
            forms_sets=traits_of(function).forms_sets,
            sets_from_data=traits_of(function).sets_from_data,
            tight=not isinstance(function.model, PartitionKmAnonymity),
        )

    @property
    def forming(self) -> Formation:
        """Algorithm that forms the initial clusters."""
        more = {"refine": self.refine, "max_evaluations": self.max_evaluations}
        return formation_of(self.formation, self.k, self.seed, **more)

    @property
    def most_merged(self) -> int:
        """Maximum record count of a part whose clusters are merged. It is limited because merging is quadratic."""
        return MOST_MERGED

    def merge_and_publish(self, clusters: Clusters, progress: Progress | None) -> Result:
        """Publish the initial clusters without merging."""
        return publish(clusters, {})

    def form_and_publish(
        self, table: Table, hierarchies: Mapping[str, Hierarchy], qi: QuasiIdentifiers, *, progress: Progress | None
    ) -> Result:
        """Form clusters, then call `merge_and_publish`."""
        return self.merge_and_publish(self.formed(table, hierarchies, qi, progress), progress)

    def formed(
        self, table: Table, hierarchies: Mapping[str, Hierarchy], qi: QuasiIdentifiers, progress: Progress | None
    ) -> Clusters:
        """Form clusters. If `on_infeasible` is "merge", merge clusters that cannot be made anonymous."""
        function = self.function(table, hierarchies)
        cluster, _ = self.forming.clusters(qi, progress)
        clusters = self.begin(qi, cluster, function)
        if self.on_infeasible == "merge":
            merge_infeasible(self.name, clusters)
        clusters.drop_merged()
        return clusters

    def function(self, table: Table, hierarchies: Mapping[str, Hierarchy]) -> ClusterFunction:
        """Return the transaction function for clusters of the table."""
        return transaction_function(self.algorithm, self.k, table, hierarchies)

    def begin(self, qi: QuasiIdentifiers, cluster: Int32, function: ClusterFunction) -> Clusters:
        """Return the clusters before the merges. `cluster` is the number of each record's cluster."""
        return Clusters(qi, cluster, function)


@dataclass(frozen=True, kw_only=True)
class MergingFramework(RFirst):
    """Base class of frameworks that merge clusters of RFIRST and limit either the relational loss or the item loss."""

    delta: Annotated[
        float,
        "Maximum loss, in [0, 1]. `rum-bound` limits the relational loss (Rum), and `tum-bound` limits the item loss"
        " (Tum).",
        require_share,
    ]
    merge: Annotated[
        MergeOrder,
        "Order in which merge partners are tried: by relational loss (r), by item similarity (t), or by both (rt).",
    ] = "rt"
    order: Annotated[
        ItemOrder,
        'Measure of item similarity. "btd" compares the symbols of the clusters. "ul" computes the utility loss '
        'after two clusters are merged. The option "ul" is much slower.',
    ] = "btd"
    btd: Annotated[
        Numerator, 'Items that "btd" counts: items in exactly one of the two clusters (xor), or in at least one (or).'
    ] = "xor"

    def __post_init__(self) -> None:
        require_known(setting("order", option="item_order"), self.order, ("btd", "ul"))
        super().__post_init__()

    def begin(self, qi: QuasiIdentifiers, cluster: Int32, function: ClusterFunction) -> Clusters:
        """Return the initial clusters, prepared for merging in the requested order."""
        return Clusters(qi, cluster, function, self.order, self.btd)
