"""Parameters and steps shared by the clustering algorithms."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

import numpy as np

from anonset.algorithms.base import Result, Traits, traits_of
from anonset.algorithms.clusters import list_members, renumber_clusters
from anonset.algorithms.parameters import AT_LEAST_1, Count, Parameters
from anonset.algorithms.relational.class_rules import merge_broken, model_of, rule_of
from anonset.algorithms.relational.generalized_tuples import GeneralizedTuples
from anonset.algorithms.relational.refinement import RefinedClusters, refine_clusters
from anonset.algorithms.relational.rounded_tuples import as_published
from anonset.algorithms.relational.values import relational_values, require_plain_values
from anonset.data import CategoricalColumn, Hierarchy, Table
from anonset.data.array_types import Int32, Int64
from anonset.data.decimals import Written
from anonset.data.progress import Progress
from anonset.data.quasi_identifiers import QuasiIdentifiers, require_weights
from anonset.data.redacted_repr import RedactedRepr
from anonset.errors import InfeasibleError, InputError
from anonset.generalization import PerCluster
from anonset.measures.losses.relational_ncp import relational_ncp
from anonset.privacy.classes import Distance, Kind
from anonset.privacy.k import KAnonymity
from anonset.spelling import hierarchy_of, setting

Refine = Annotated[
    bool,
    "True to improve the clusters. Neighbouring clusters are dissolved and formed again while the loss decreases.",
]
OF_CLASSES = ("k", "kl", "kt")
"""Models of the relational algorithms: k-anonymity, (k,l)-diversity and (k,t)-closeness."""
MaxEvaluations = Annotated[
    int | None,
    "Number of loss evaluations for `refine` (about 10^8 per second). If None, the search stops when twice the "
    "evaluations lower the loss by less than a twentieth, at the latest after 300 million.",
    AT_LEAST_1,
]


@dataclass(frozen=True, eq=False)
class Solution(RedactedRepr):
    """Clusters with their published tuples, and statistics of the search."""

    cluster: Int32
    """Cluster of each record, int32 (n,). Clusters are numbered by first record."""
    tuples: GeneralizedTuples
    figures: dict[str, float]


@dataclass(frozen=True, kw_only=True)
class Formation(Parameters, ABC):
    """An algorithm that forms clusters of at least k records, for relational k-anonymity by local recoding.

    With a sensitive column and l or t, the result satisfies (k,l)-diversity or (k,t)-closeness in every cluster.
    """

    name: ClassVar[str]
    traits: ClassVar[Traits]

    k: Annotated[int, "Minimum size of a cluster (>= 1)."]
    relational_weights: Annotated[
        Mapping[str, float] | None, "Weight of each relational column in the loss. If None, all weights are equal."
    ] = None
    refine: Refine = False
    max_evaluations: MaxEvaluations = None
    sensitive: Annotated[
        str | None,
        "Column with sensitive values. They are published unchanged, and l or t limits how well they can be inferred.",
    ] = None
    l: Annotated[  # noqa: E741
        int | None, "Minimum number of different values of the sensitive column in each cluster."
    ] = None
    l_kind: Annotated[Kind, "Measure of diversity: distinct, entropy or recursive."] = "distinct"
    c: Annotated[
        Written | None,
        "Ratio for recursive diversity. The most frequent value must occur less than `c` times as often as all "
        "values of rank `l` and lower together.",
    ] = None
    t: Annotated[
        Written | None,
        "Maximum distance, from 0 to 1, between the distributions of sensitive values in a cluster and in all records.",
    ] = None
    t_distance: Annotated[Distance, "Distance between values: equal, ordered (numbers) or hierarchical."] = "equal"
    t_tree: Annotated[
        str | None, "Tree of the values for the hierarchical distance, with a line ``value;parent;...;root`` per value."
    ] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        require_weights(self.relational_weights, bounded=False)
        model = self.model
        if model.name not in traits_of(self).answers:
            raise InputError(f"algorithm {self.name} does not provide the model {model.name}")

    @property
    def model(self) -> KAnonymity:
        """The model k-anonymity or, with a sensitive column, (k,l)-diversity or (k,t)-closeness."""
        return model_of(self.k, self.sensitive, (self.l, self.l_kind, self.c), (self.t, self.t_distance, self.t_tree))

    @abstractmethod
    def form(self, qi: QuasiIdentifiers, progress: Progress | None = None) -> Int32:
        """Return the cluster of each record, int32 (n,). Clusters are numbered by first record.

        Raises
        ------
        InputError
            If the algorithm's cost is quadratic and the table has more than `max_records` records.
        """

    def clusters(self, qi: QuasiIdentifiers, progress: Progress | None = None) -> tuple[Int32, dict[str, float]]:
        """Return the clusters of `form` and statistics of the search. The clusters are refined if `refine` is True.

        Raises
        ------
        InputError
            See `form`.
        """
        if len(parts := _under_ceilings(qi)) > 1:
            return self._clusters_of_parts(qi, parts, progress)
        cluster = self.form(qi, progress)
        formed = merge_broken(qi, cluster)
        if not self.refine or not qi.n:
            return formed, {}
        before = {"ncp_before": relational_ncp(qi, formed), "clusters_before": float(formed.max()) + 1}
        if qi.rule is None:
            refined = refine_clusters(qi, cluster, self.k, self.max_evaluations, progress)
        else:
            refined = self._refined_by_rule(qi, cluster, formed, progress)
        return refined.cluster, {**before, "evaluations": float(refined.evaluations), "gains": float(refined.gains)}

    def _refined_by_rule(
        self, qi: QuasiIdentifiers, cluster: Int32, formed: Int32, progress: Progress | None
    ) -> RefinedClusters:
        """Refine clusters that must satisfy a rule in addition to k. Two candidates are compared.

        One candidate is `formed`, and the other is refined without the rule and then merged where it breaks the rule.
        The better candidate is refined again, with the rule.
        """
        half = None if self.max_evaluations is None else max(1, self.max_evaluations // 2)
        free = refine_clusters(replace(qi, rule=None), cluster, self.k, half, progress)
        merged = merge_broken(qi, free.cluster)
        start = merged if relational_ncp(qi, merged) < relational_ncp(qi, formed) else formed
        refined = refine_clusters(qi, start, self.k, half, progress)
        return free.followed_by(refined)

    def _clusters_of_parts(
        self, qi: QuasiIdentifiers, parts: list[Int64], progress: Progress | None
    ) -> tuple[Int32, dict[str, float]]:
        """Cluster each part separately. A part contains records that can be published together without exceeding the
        generalization limit of any column.
        """
        smallest = min(map(len, parts))
        if smallest < self.k:
            small = sum(len(records) for records in parts if len(records) < self.k)
            problem = f"with the ceilings, {small:,} of {qi.n:,} records are in classes of fewer than k={self.k}"
            reason = f"{problem}; use a higher ceiling"
            raise InfeasibleError(self.name, reason, achieved=float(smallest), bound=float(self.k))
        if qi.rule is not None and qi.rule.broken_classes(_numbered(parts, qi.n), len(parts)).any():
            reason = f"with the ceilings, a class does not contain {self.model.asked}"
            raise InfeasibleError(self.name, f"{reason}; use a higher ceiling")
        cluster, first, figures = np.empty(qi.n, np.int32), 0, dict[str, float]()
        for records in parts:
            part_cluster, more = self.clusters(qi.take(records), progress)
            cluster[records] = part_cluster + first
            first += int(part_cluster.max()) + 1
            figures = {name: figures.get(name, 0.0) + value for name, value in more.items()}
        return renumber_clusters(cluster)[0], {name: x for name, x in figures.items() if name != "ncp_before"}

    def solve(self, qi: QuasiIdentifiers, progress: Progress | None = None) -> Solution:
        """Form the clusters, and generalize each cluster to its lowest common values.

        Raises
        ------
        InputError
            See `form`.
        """
        cluster, figures = self.clusters(qi, progress)
        return Solution(cluster, GeneralizedTuples.of(qi, cluster, int(cluster.max(initial=-1)) + 1), figures)

    def recode(self, table: Table, hierarchies: Mapping[str, Hierarchy], *, progress: Progress | None = None) -> Result:
        """Cluster a table without a set-valued column, and publish common relational values per cluster.

        Raises
        ------
        InputError
            If the table has a set-valued column, which k-anonymity does not protect, or more records than `form` can
            process.
        InfeasibleError
            If the table has fewer than k records.
        """
        if table.transactions is not None:
            raise InputError(
                f"column {table.transactions.name!r} is set-valued, which k-anonymity does not protect; "
                "drop it or use the model kkm"
            )
        qi = bind_tuples(self.name, self.k, table, hierarchies, self.relational_weights)
        qi = replace(qi, rule=rule_of(self.model, table))
        if qi.rule is not None and qi.rule.broken_classes(np.zeros(qi.n, np.int32), min(1, qi.n)).any():
            reason = f"all {qi.n:,} records together do not contain {self.model.asked}, so no class can"
            raise InfeasibleError(self.name, reason)
        solution = self.solve(qi, progress)
        cluster, tuples = solution.cluster, solution.tuples
        ncp = float(np.mean(as_published(tuples).losses()[cluster])) if qi.n else 0.0
        figures = {"clusters": float(tuples.n), "ncp": ncp}
        recoding = PerCluster(cluster, (), relational_values(qi, tuples))
        return Result(recoding, figures={**figures, **solution.figures})


class NodeFormation(Formation):
    """Base class of algorithms that publish nodes. If `refine` is True, they publish the narrowest common values."""

    @property
    def own_traits(self) -> Traits:
        """Traits of the algorithm. The published values are the narrowest common values only if `refine` is True."""
        return replace(self.traits, tight=self.refine)

    def solve(self, qi: QuasiIdentifiers, progress: Progress | None = None) -> Solution:
        """Return the classes with their nodes, or refined clusters with their lowest common values.

        Raises
        ------
        InputError
            See `form`.
        """
        return super().solve(qi, progress) if self.refine else self.solve_by_nodes(qi, progress)

    @abstractmethod
    def solve_by_nodes(self, qi: QuasiIdentifiers, progress: Progress | None) -> Solution:
        """Return the classes of `form` with their nodes."""


def _under_ceilings(qi: QuasiIdentifiers) -> list[Int64]:
    """Divide the records into sets that cannot be published together. Empty if no column limits its generalization."""
    tops = []
    for column, domain in zip(qi.columns, qi.domains, strict=True):
        if isinstance(domain, Hierarchy) and domain.capped and isinstance(column, CategoricalColumn):
            first_leaf = domain.leaf_lo[domain.children(0)]
            tops.append(np.searchsorted(first_leaf, column.codes, side="right"))
    if not tops or not qi.n:
        return []
    return list_members(np.unique(np.stack(tops), axis=1, return_inverse=True)[1].reshape(-1))


def _numbered(parts: list[Int64], n: int) -> Int32:
    number = np.empty(n, np.int32)
    for part, records in enumerate(parts):
        number[records] = part
    return number


@dataclass(frozen=True, kw_only=True)
class QuadraticFormation(Formation):
    """Base class of formations with quadratic running time. They reject large tables."""

    traits: ClassVar[Traits] = Traits(
        memory_factor=1.6, split_records=1 << 12, tight=True, slow=True, answers=OF_CLASSES
    )

    max_records: Annotated[Count, "Maximum number of records, because the time is quadratic."] = 100_000

    @abstractmethod
    def form_small(self, qi: QuasiIdentifiers, progress: Progress | None) -> Int32:
        """Return the cluster of each record, int32 (n,), for at most `max_records` records."""

    def form(self, qi: QuasiIdentifiers, progress: Progress | None = None) -> Int32:
        """Return the cluster of each record, int32 (n,). Clusters are numbered by first record.

        Raises
        ------
        InputError
            If the table has more than `max_records` records.
        """
        if qi.n > self.max_records:
            raise InputError(
                f"{self.name}: the limit is {self.max_records:,} records, because the time is quadratic, got {qi.n:,}; "
                f"use the formation cluster or mondrian, or a larger {setting('max_records', option='max_work')}"
            )
        return self.form_small(qi, progress)


def bind_tuples(
    name: str,
    k: int,
    table: Table,
    hierarchies: Mapping[str, Hierarchy],
    weights: Mapping[str, float] | None,
    *,
    bounded: bool = False,
) -> QuasiIdentifiers:
    """Return the relational tuples of a table, bound to their hierarchies.

    Parameters
    ----------
    name
        Name of the algorithm, for error messages.
    bounded
        True to require that the sum of the weights is at most 1.

    Raises
    ------
    InputError
        If a hierarchy or a weight is missing or invalid, or a value looks like a set of values.
    InfeasibleError
        If the table has records, but fewer than k.
    """
    if table.transactions is not None and not table.relational:
        alternative = f"{setting('model', 'km')} {hierarchy_of(table.transactions.name, 'halves:frequency')}"
        needed = "the table needs a relational column (quasi-identifier), got none"
        raise InputError(f"{needed}; {alternative} protects only sets")
    qi = QuasiIdentifiers.of(table.relational, hierarchies, weights, bounded=bounded)
    require_plain_values(qi)
    if 0 < qi.n < k:
        reason = f"there are {qi.n} records, at least k={k} are required"
        raise InfeasibleError(name, reason, achieved=float(qi.n), bound=float(k))
    return replace(qi, forbids=True) if bounded else qi
