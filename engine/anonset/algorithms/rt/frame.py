"""What the RT frameworks share: their parameters, the clusters they begin with, and the result."""

from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from math import fsum
from typing import Literal

import numpy as np

from anonset.algorithms.base import Progress, Result
from anonset.algorithms.relational.base import require_records
from anonset.algorithms.relational.formations import formation_of
from anonset.algorithms.relational.values import relational_values, require_plain_values
from anonset.algorithms.rt.candidates import candidates
from anonset.algorithms.rt.cluster_function import ClusterFunction, ClusterMapping, TransactionClass
from anonset.algorithms.rt.distances import Numerator
from anonset.algorithms.rt.diverse_function import DiverseFunction
from anonset.algorithms.rt.merging import Clusters, ItemOrder
from anonset.data import Hierarchy, SetColumn, Table
from anonset.data.quasi_identifiers import QuasiIdentifiers
from anonset.errors import InputError
from anonset.generalization import PerCluster, RelationalValues
from anonset.privacy.kkm import KKmAnonymity
from anonset.privacy.lm import KLmDiversity, LmDiversity

OnInfeasible = Literal["error", "merge"]
"""What to do with a cluster that has some, but fewer than k, records with items."""


@dataclass(frozen=True, eq=False)
class Frame:
    """An RT-dataset made ready: bound columns, the transaction function, and the clusters to begin with."""

    name: str
    qi: QuasiIdentifiers
    function: ClusterFunction
    progress: Progress | None

    @classmethod
    def of(
        cls,
        name: str,
        table: Table,
        hierarchies: Mapping[str, Hierarchy],
        function: tuple[TransactionClass, int, int],
        weights: Mapping[str, float] | None,
        workers: tuple[Executor | None, Progress | None],
    ) -> "Frame":
        """Bind a table; `function` is the transaction algorithm with k and m.

        Raises
        ------
        InputError
            If a column, a hierarchy or a weight is missing or unfit.
        InfeasibleError
            If there are fewer than k records.
        """
        transaction, k, m = function
        promised = transaction(k=k, m=m).model
        of: ClusterFunction
        if isinstance(promised, LmDiversity):
            of = DiverseFunction.of(table, hierarchies, promised, transaction, workers[0])
        else:
            column = _bound_items(table, hierarchies)
            of = ClusterFunction(column, hierarchies.get(column.name), transaction, k, m, workers[0])
        qi = QuasiIdentifiers.of(table.relational, hierarchies, weights, bounded=True)
        require_plain_values(qi)
        require_records(name, qi.n, k)
        return cls(name, qi, of, workers[1])

    def clusters(self, formation: str, seed: int | None, order: ItemOrder, numerator: Numerator) -> Clusters:
        """Form the clusters to begin with."""
        cluster = formation_of(formation, self.function.k, seed).form(self.qi, self.progress)
        return Clusters(self.qi, cluster, self.function, order, numerator)

    def repair(self, clusters: Clusters) -> None:
        """Merge each cluster that nothing makes anonymous with its best partner, the first first.

        Raises
        ------
        InfeasibleError
            If one such cluster is all there is.
        """
        poor = self.function.poor(clusters.all_members())
        while poor.any():
            at = int(np.argmax(poor))
            if clusters.count == 1:
                raise self.function.hopeless(self.name, clusters.members(at))
            ncp = clusters.states.merged_loss(at)
            best, distance = next(candidates(clusters, at, "r", ncp, clusters.usable(at)))
            poor[at] = poor[best] = False
            kept = clusters.merge(at, best, float(ncp[best]), distance)
            poor[kept] = self.function.poor([clusters.members(kept)])[0]

    def merged(self, clusters: Clusters, at_first: int) -> None:
        """Tell how many merges there were, and how many there can be."""
        if self.progress is not None:
            self.progress("merges", float(at_first - clusters.count), float(at_first - 1))

    def tum(self, clusters: Clusters) -> float | None:
        """Return the average UL of the clusters published as they are; None if one of them cannot be."""
        members = clusters.all_members()
        if self.function.poor(members).any():
            return None
        losses = self.function.losses(members, self.function.mappings(members))
        return mean_loss([fsum(found.tolist()) for found in losses], self.qi.n)

    def publish(self, clusters: Clusters, figures: Mapping[str, float | None]) -> Result:
        """Give each cluster its relational values and its mapping of the items."""
        members = clusters.all_members()
        mappings = self.function.mappings(members)
        losses = self.function.losses(members, mappings)
        tum = mean_loss([fsum(part.tolist()) for part in losses], self.qi.n)
        return self.result(clusters, mappings, tum, figures)

    def result(
        self, clusters: Clusters, mappings: list[ClusterMapping], tum: float, figures: Mapping[str, float | None]
    ) -> Result:
        """Return clusters with known mappings, and the average UL of these, as a result."""
        size = clusters.size[clusters.alive]
        found: dict[str, float | None] = {
            **figures,
            "rum": clusters.rum,
            "tum": tum,
            "clusters": float(clusters.count),
            "largest_cluster": float(size.max()),
            "smallest_cluster": float(size.min()),
            "merges": float(len(clusters.trace)),
        }
        values = relational_values(self.qi, clusters.states.take(clusters.alive))
        recoding = PerCluster(clusters.cluster(), self.function.recoding(mappings), values)
        return Result(recoding, tuple(clusters.trace), {k: v for k, v in found.items() if v is not None})


def rt_model(transaction: TransactionClass, k: int, m: int) -> KKmAnonymity | KLmDiversity:
    """Return what a framework guarantees with a transaction function: (k, k^m)-anonymity, or (k, l^m)-diversity."""
    model = KKmAnonymity(k, m)
    promised = transaction(k=k, m=m).model
    if isinstance(promised, LmDiversity):
        return KLmDiversity(k, promised.l, m, promised.sensitive_items)
    return model


def mean_loss(sums: list[float], n: int) -> float:
    """Return the average over n records of losses that were summed for each cluster."""
    return fsum(sums) / n


def empty_result(table: Table) -> Result:
    """Return the result for a table without records."""
    values = tuple(RelationalValues(column.name, ()) for column in table.relational)
    return Result(PerCluster(np.empty(0, np.int32), (), values), figures={"clusters": 0.0})


def require_one_of(name: str, value: str, choices: tuple[str, ...]) -> None:
    """Refuse a parameter that is none of its choices.

    Raises
    ------
    InputError
        With the name, the value and the choices.
    """
    if value not in choices:
        msg = f"{name} must be one of {', '.join(choices)}, got {value!r}"
        raise InputError(msg)


def require_share(name: str, value: float) -> None:
    """Refuse a parameter outside [0, 1].

    Raises
    ------
    InputError
        With the name, the value and the requirement.
    """
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 <= value <= 1.0:
        msg = f"{name} must be a number in [0, 1], got {value!r}"
        raise InputError(msg)


def _bound_items(table: Table, hierarchies: Mapping[str, Hierarchy]) -> SetColumn:
    if table.transactions is None:
        msg = "the table must have a set-valued column beside its relational columns, got none"
        raise InputError(msg)
    hierarchy = hierarchies.get(table.transactions.name)
    return table.transactions if hierarchy is None else hierarchy.bind(table.transactions)
