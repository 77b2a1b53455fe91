"""Findings of a disclosure scan: columns that stop a publication."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from anonset.columns.personal_values import KINDS
from anonset.data.redacted_repr import RedactedRepr
from anonset.errors import Fix, Problem
from anonset.privacy import PrivacyModel
from anonset.release.scan import remedies

FEW_PERSONS = 5
"""Minimum number of persons with a value or in a group, for models without k. Values and groups of fewer persons are
findings.
"""


def few_persons(model: PrivacyModel) -> int:
    """Return the minimum number of persons for which a value or group is no finding: the model's k, or `FEW_PERSONS` if
    the model has no k.
    """
    return model.k or FEW_PERSONS


@dataclass(frozen=True)
class ScanFinding(RedactedRepr):
    """Column that stops a publication."""

    column: str
    """Name of the column, or comma-separated names if several columns together cause the finding."""
    count: int
    """Number of values or persons."""
    problem: Problem
    """Column, count and remedies, without any value of the data."""
    what: str = ""
    """What is wrong with the values."""
    is_text: bool = False
    """True if the items look like free text, which the owner may know better."""

    @classmethod
    def of(
        cls, names: Sequence[str], count: int, problem: str, fixes: Sequence[Fix], *, may_stay: bool = True
    ) -> "ScanFinding":
        """Return a finding for one or several columns, with the count and the remedies. If the owner may know that the
        values identify no person (`may_stay`), a remedy is to publish them.
        """
        named = f"column {names[0]!r}" if len(names) == 1 else f"columns {', '.join(map(repr, names))}"
        stopped = f"{named}: {count:,} {problem}, so nothing is published"
        as_is = [remedies.publishing_as_is(names)] if may_stay else []
        return cls(",".join(names), count, Problem(stopped, [*fixes, *as_is]), problem)

    def __str__(self) -> str:
        return str(self.problem)


@dataclass(frozen=True)
class ScanResult(RedactedRepr):
    """Result of a scan."""

    findings: tuple[ScanFinding, ...] = ()
    promised: Mapping[str, int] = field(default_factory=dict)
    """Number of values of few persons that the model publishes unchanged, by column."""


def personal_values_finding(names: tuple[str, ...], kind: str, count: int, fixes: Sequence[Fix]) -> ScanFinding:
    """Return a finding for values of a kind that identifies persons."""
    return ScanFinding.of(names, count, f"values look like {KINDS[kind].words}", fixes)
