"""Operations of jobs on a publication, which depend on the kind of the publication."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any, ClassVar, Generic

from anonset.data import Hierarchy, Table
from anonset.data.redacted_repr import RedactedRepr
from anonset.errors import InputError
from anonset.privacy import PrivacyModel, Witness
from anonset.publications import Published
from anonset.queries.estimate import ONE_MEMBER, Reading
from anonset.reading.sources.source import Source
from anonset.release.documents import Attestation
from anonset.release.formats import P
from anonset.settings.binding import require_sensitive
from anonset.settings.job import Job

if TYPE_CHECKING:
    from anonset.analysis.evaluation import Evaluation, EvaluationRequest
    from anonset.analysis.individuals import Correlations
    from anonset.analysis.risk import RiskContext, RiskReport
    from anonset.analysis.summary import ColumnDetail, Summary
    from anonset.analysis.workloads import QueryAnswers, WorkloadSpec
    from anonset.measures.class_sizes import ClassSizes
    from anonset.measures.countable import Counts, FrequentItems
    from anonset.measures.item_supports import Supports
    from anonset.release.opened import OpenedPublication
    from anonset.settings.publication import CheckSettings, OriginalSettings


_NO_COUNTS = "item counts need a set-valued column; the publication has none"
_NO_SUPPORTS = "frequent itemsets need a set-valued column; the publication has none"
NO_ITEMS = "utility constraints need a set-valued column; the publication has none"
"""Message about utility constraints of data without items."""


@dataclass(frozen=True, eq=False)
class PublicationAnalysis(RedactedRepr, ABC, Generic[P]):
    """Operations on a publication. By default, a kind has none of the optional features."""

    publication: P
    """Published data."""
    shows_items: ClassVar[bool] = True
    """Whether this kind of publication contains a set-valued column if the original contains one."""

    @abstractmethod
    def summary(self) -> "Summary":
        """Return the first rows and counts of the publication."""

    def details(self, original: Table | None) -> "tuple[ColumnDetail, ...]":
        """Return the detail of each column of quasi-identifiers."""
        return ()

    @abstractmethod
    def roles(self, model: PrivacyModel) -> dict[str, list[str]]:
        """Return the column names by their role in the model."""

    def require_sensitive(self, model: PrivacyModel) -> None:
        """Reject sensitive items that the publication does not show."""
        require_sensitive(model, None)

    def correlations(self, model: PrivacyModel) -> "Mapping[str, Correlations] | None":
        """Return the disclosures from several rows of one individual. None if disclosures are not computed."""
        return None

    @property
    def too_large(self) -> bool:
        """Whether correlations are skipped because there are too many rows."""
        return False

    def agreed_tree(self, model: PrivacyModel, settings: "CheckSettings") -> Hierarchy | None:
        """Return the given hierarchy of the published items, which the codebook must match. None if no hierarchy is
        given.
        """
        return None

    def require_explained(self, table: Table, hierarchies: Mapping[str, Hierarchy]) -> None:
        """Reject a codebook that contradicts the item hierarchy of the original, and single values that are absent from
        the original, unless a hierarchy explains them.
        """
        return

    def impossible(self, table: Table, hierarchies: Mapping[str, Hierarchy]) -> Witness | None:
        """Return a published value that the original contradicts in any order of its rows. None if the original
        contradicts no value.
        """
        return None

    def require_codebook(self, opened: "OpenedPublication", settings: "CheckSettings") -> None:
        """Reject an incomplete codebook of a publication on disk."""
        return

    def suppressed(self, table: Table) -> Fraction | None:
        """Return the share of the original's occurring items that no published symbol covers."""
        return None

    def beyond_utility(self, table: Table, settings: "CheckSettings") -> str:
        """Return the violation of the utility constraints. Empty if no constraint is violated or given.

        Raises
        ------
        InputError
            If constraints are given, and the publication has no set-valued column.
        """
        if settings.utility_constraints is not None:
            raise InputError(NO_ITEMS)
        return ""

    @abstractmethod
    def original_options(self, source: Source, settings: "OriginalSettings", attested: Attestation | None) -> list[Job]:
        """Return the possible reading options of the original, the most probable first.

        The publication supplies what the settings omit: column names, numeric columns, and the attested item separator.
        A FIMI publication has no column names. It is compared with the only column of the original that has no other
        role.
        """

    def explained_share(self, original: Table) -> float:
        """Return the share of the original's items that the publication covers."""
        return 1.0

    @abstractmethod
    def require_possible(self, original: Table, hierarchies: Mapping[str, Hierarchy]) -> None:
        """Reject an original that cannot be the original of the publication. Used without a private directory. The rows
        of the publication are in another order, so frequencies are compared.

        Raises
        ------
        InputError
            The message names the first difference.
        """

    def spelled(self) -> "PublicationAnalysis[P]":
        """Return the operations on the publication without short codes of value sets."""
        return self

    def answers(
        self, original: Table, spec: "WorkloadSpec", hierarchies: Mapping[str, Hierarchy]
    ) -> "QueryAnswers | None":
        """Return the average relative error of a workload, for a publication without short codes of value sets. None if
        no workload is requested.

        Parameters
        ----------
        hierarchies
            Hierarchies of relational columns.

        Raises
        ------
        InputError
            If the workload does not apply to this publication.
        """
        return None if spec.queries is None and spec.random is None else self.answered(original, spec, hierarchies)

    @abstractmethod
    def answered(self, original: Table, spec: "WorkloadSpec", hierarchies: Mapping[str, Hierarchy]) -> "QueryAnswers":
        """Return the average relative error of a requested workload."""

    def evaluation(self, request: "EvaluationRequest") -> "Evaluation":
        """Return the losses of the publication, with the errors of queries and itemsets.

        Raises
        ------
        InputError
            If a requested measure does not exist for this kind of publication.
        """
        from anonset.analysis.evaluation import require_itemsets
        from anonset.measures.top_itemsets import lost_items, top_itemsets

        original, column = request.original, request.original.transactions
        require_itemsets(request.top, has_items=column is not None and self.shows_items)
        spelled = self.spelled()
        if request.opened.private is None:
            spelled.require_possible(original, request.hierarchies)
        errors = spelled.answers(original, request.workload, request.hierarchies)
        evaluation = replace(self.losses(request), answers=errors)
        if request.top is None or column is None:
            return evaluation
        lost = lost_items(column, self.publication, int(request.opened.attested.parameters.get("k", 2)))
        itemsets = top_itemsets(column, self.supports(request.workload.reading), request.top)
        return replace(evaluation, measures={**evaluation.measures, "tlost": lost}, itemsets=itemsets)

    def sensitive_counts(self, names: Sequence[str]) -> Mapping[str, int | None]:
        """Return the number of published records with each of the named items that the publication shows. The number is
        0 if an item is only published in groups, and None if the publication contains no complete records.
        """
        return {}

    def class_sizes(self) -> "ClassSizes | None":
        """Return the sizes of the equivalence classes. None if the publication has no quasi-identifiers."""
        return None

    def supports(self, reading: Reading = ONE_MEMBER) -> "Supports":
        """Return the expected supports of itemsets.

        Raises
        ------
        InputError
            If the publication has no set-valued column.
        """
        raise InputError(_NO_SUPPORTS)

    def expected_counts(self, frequent: "FrequentItems") -> "tuple[Counts, Counts, float | None]":
        """Return the expected number of records with each item and with each pair, and the mean symbol size.

        Raises
        ------
        InputError
            If this kind of publication has no set-valued column.
        """
        raise InputError(_NO_COUNTS)

    @abstractmethod
    def losses(self, request: "EvaluationRequest") -> "Evaluation":
        """Return the losses of the publication."""

    @abstractmethod
    def risk(self, context: "RiskContext") -> "RiskReport":
        """Count the remaining risks of the publication.

        Raises
        ------
        InputError
            If a requested figure does not exist for this kind of publication.
        """


def analysis_of(publication: Published) -> PublicationAnalysis[Any]:
    """Return the operations on a publication. The class is imported on first use."""
    kind = type(publication).__name__
    if not isinstance(publication, Published):
        raise TypeError(f"a publication must be Records, Buckets or Chunks, got {kind}")
    made: PublicationAnalysis[Any] = resolve_name(f"anonset.analysis.{kind.lower()}:{kind}Analysis")(publication)
    return made
