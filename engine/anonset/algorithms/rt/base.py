"""Parameters and steps shared by the RT frameworks, before and after clusters are formed and merged."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

from anonset.algorithms.base import Algorithm, Result
from anonset.algorithms.parameters import Parameters
from anonset.algorithms.relational.base import bind_tuples
from anonset.algorithms.rt.cluster_function import ClusterFunction, TransactionClass
from anonset.algorithms.rt.diverse_function import DiverseFunction
from anonset.algorithms.rt.parts_function import PartsFunction
from anonset.algorithms.rt.results import empty_result
from anonset.data import Hierarchy, Table
from anonset.data.progress import Progress
from anonset.data.quasi_identifiers import QuasiIdentifiers, require_weights
from anonset.errors import InputError
from anonset.privacy import PartitionKmAnonymity
from anonset.privacy.kkm import KKmAnonymity
from anonset.privacy.lm import KLmDiversity
from anonset.spelling import setting


def require_items(table: Table) -> None:
    """Reject a table without a set-valued column."""
    if table.transactions is None:
        way = f"{setting('model', 'k')} protects only relational columns"
        msg = f"the table must have relational columns and a set-valued column, got no set-valued column; {way}"
        raise InputError(msg)


@dataclass(frozen=True, kw_only=True)
class RTFramework(Parameters, ABC):
    """Base class of frameworks that cluster records. Each cluster has relational values and a separate item mapping."""

    name: ClassVar[str]
    bounded_weights: ClassVar[bool] = True
    """True if the weighted loss is compared with a bound. The column weights must then sum to at most 1."""

    k: Annotated[int, "Minimum number of records that share relational values and up to m items (>= 1)."]
    m: Annotated[int, "Maximum number of items that the attacker knows (>= 1)."]
    relational_weights: Annotated[
        Mapping[str, float] | None,
        "Weight of each relational column in the loss. The weights must sum to at most 1. If None, all weights are "
        "equal.",
    ] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        require_weights(self.relational_weights, bounded=self.bounded_weights)

    @property
    def model(self) -> KKmAnonymity | KLmDiversity:
        """(k, k^m)-anonymity."""
        return KKmAnonymity(self.k, self.m)

    @abstractmethod
    def form_and_publish(
        self, table: Table, hierarchies: Mapping[str, Hierarchy], qi: QuasiIdentifiers, *, progress: Progress | None
    ) -> Result:
        """Form clusters of at least k records from a non-empty table, and publish each cluster."""

    def recode(self, table: Table, hierarchies: Mapping[str, Hierarchy], *, progress: Progress | None = None) -> Result:
        """Form clusters and publish each cluster separately.

        `form_and_publish` documents the entries of `Result.trace`.

        Raises
        ------
        InfeasibleError
            If there are fewer than k records, a loss exceeds its bound, or a cluster cannot be made anonymous.
        InputError
            If a column, a hierarchy or a weight is missing or invalid.
        """
        require_items(table)
        weights, bounded = self.relational_weights, self.bounded_weights
        qi = bind_tuples(self.name, self.k, table, hierarchies, weights, bounded=bounded)
        if not qi.n:
            return empty_result(table)
        return self.form_and_publish(table, hierarchies, qi, progress=progress)


class UsesTransactionAlgorithm:
    """Base class of algorithms that anonymize the items of each cluster by a transaction algorithm."""

    k: int
    m: int
    transaction: TransactionClass

    @property
    def algorithm(self) -> Algorithm:
        """Transaction algorithm that anonymizes each cluster."""
        return self.transaction(k=self.k, m=self.m)

    @property
    def model(self) -> KKmAnonymity | KLmDiversity:
        """The model (k, l^m)-diversity if the transaction algorithm guarantees it, otherwise (k, k^m)-anonymity."""
        promised = self.algorithm.model
        if promised.secrets_beside:
            return KLmDiversity(self.k, promised.diversity, self.m, promised.beside)
        return KKmAnonymity(self.k, self.m)


def transaction_function(
    algorithm: Algorithm, k: int, table: Table, hierarchies: Mapping[str, Hierarchy]
) -> ClusterFunction:
    """Return a transaction function that applies an algorithm to clusters of the table."""
    kind: type[ClusterFunction] = DiverseFunction if algorithm.model.secrets_beside else ClusterFunction
    if isinstance(algorithm.model, PartitionKmAnonymity):
        kind = PartsFunction
    return kind.of(algorithm, k, table, hierarchies)
