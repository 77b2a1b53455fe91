"""TFIRST of Poulis et al., ECML/PKDD 2013, section 3."""

from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from anonset.algorithms.base import Progress, Result
from anonset.algorithms.relational.base import require_records
from anonset.algorithms.relational.states import ClusterStates, numbered
from anonset.algorithms.relational.values import relational_values, require_plain_values
from anonset.algorithms.rt.frame import empty_result
from anonset.algorithms.transaction.base import bind_to_hierarchy
from anonset.algorithms.transaction.lra import Lra
from anonset.data import Hierarchy, Table
from anonset.data.discreet import Discreet
from anonset.data.quasi_identifiers import QuasiIdentifiers
from anonset.data.table import Int32
from anonset.generalization import Cut, ItemGroups, PerCluster
from anonset.privacy import require_at_least
from anonset.privacy.kkm import KKmAnonymity


@dataclass(frozen=True, kw_only=True)
class TFirst(Discreet):
    """TFIRST: k^m-anonymous partitions of the items first, then common relational values; items suffer least.

    Guarantees (k, k^m)-anonymity. Cost: that of LRA.

    References: Poulis, Loukides, Gkoulalas-Divanis, Skiadopoulos, ECML/PKDD 2013, section 3.
    Deviations: the partitions are those of LRA; records without items join the last one.
    """

    name: ClassVar[str] = "tfirst"

    k: int
    """Smallest number of records that share relational values and up to m items (>= 1)."""
    m: int
    """Largest number of items the attacker knows (>= 1)."""
    partitions: int = 10
    """Largest number of partitions (>= 1)."""
    relational_weights: Mapping[str, float] | None = None
    """Weight of each relational column in the loss; all the same if None."""

    def __post_init__(self) -> None:
        require_at_least("partitions", self.partitions, 1)
        _ = self.model

    @property
    def model(self) -> KKmAnonymity:
        """(k, k^m)-anonymity."""
        return KKmAnonymity(self.k, self.m)

    def recode(
        self,
        table: Table,
        hierarchies: Mapping[str, Hierarchy],
        *,
        executor: Executor | None = None,
        progress: Progress | None = None,
    ) -> Result:
        """Partition the records by their items, and give each partition its common relational values.

        Raises
        ------
        InfeasibleError
            If there are fewer than k records, or some, but fewer than k, non-empty ones.
        InputError
            If a column, a hierarchy or a weight is missing or unfit.
        """
        column, _ = bind_to_hierarchy(table, hierarchies)
        qi = QuasiIdentifiers.of(table.relational, hierarchies, self.relational_weights)
        require_plain_values(qi)
        require_records(self.name, qi.n, self.k)
        if not qi.n:
            return empty_result(table)
        lra = Lra(k=self.k, m=self.m, partitions=self.partitions)
        found = lra.recode(Table(column), hierarchies, executor=executor, progress=progress)
        cluster, cuts = _with_empty_records(found, column.lengths == 0)
        states = ClusterStates.of(qi, cluster, len(cuts))
        values = relational_values(qi, states)
        ncp = float(np.mean(states.losses()[cluster]))
        figures = {"rum": ncp, "clusters": float(len(cuts))}
        return Result(PerCluster(cluster, cuts, values), found.trace, figures)


def _with_empty_records(found: Result, empty: NDArray[np.bool_]) -> tuple[Int32, list[Cut | ItemGroups]]:
    """Put the records without items into the last partition; return the clusters by smallest record, and their cuts."""
    recoding = found.recoding
    if not isinstance(recoding, PerCluster):
        msg = f"lra must give a recoding for each partition, got {type(recoding).__name__}"
        raise TypeError(msg)
    cluster = recoding.cluster.copy()
    if found.trace:
        cluster[empty] = recoding.cluster[found.trace[-1].records[0]]
    numbers = numbered(cluster)
    first = np.unique(numbers, return_index=True)[1]
    return numbers, [recoding.items[int(cluster[r])] for r in first]
