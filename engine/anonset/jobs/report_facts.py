"""Facts for a report on a publication, from the attestation, the private report and the risks."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import singledispatch
from typing import Any, cast

from anonset.attacks.registry import ALL
from anonset.data import Table
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.table import Int64
from anonset.errors import InputError
from anonset.jobs.exposures import Exposure
from anonset.jobs.risk import Risk, RiskReport, risk
from anonset.jobs.summary import Summary, summary
from anonset.measures.countable import CountAccuracy, FrequentItems, countable
from anonset.privacy import PrivacyModel
from anonset.publications import Buckets, Chunks, Published, Records
from anonset.publications.base import unknown_kind
from anonset.release.documents import Attestation, Report
from anonset.release.opened import OpenedPublication
from anonset.spelling import setting


@dataclass(frozen=True)
class ReportFacts(RedactedRepr):
    """Facts about a publication."""

    attested: Attestation
    """Public attestation."""
    model: PrivacyModel
    """Attested privacy model."""
    summary: Summary
    """First rows and figures from the public files."""
    after: RiskReport
    """Risks of the publication."""
    before: tuple[Exposure, ...] = ()
    """Risks of the original for an attacker with the knowledge that `after` assumes. Empty if the original is not
    available.
    """
    errors: CountAccuracy | None = None
    """Errors of counts of frequent items. None if the original is not available."""
    private: Report | None = None
    """Private report. None if the report is not available."""


def report_facts(
    opened: OpenedPublication,
    original: Table | None,
    hierarchies: dict[str, Any] | None,
    persons: Int64 | None,
) -> ReportFacts:
    """Read the private report of a publication, and count the risks before and after anonymization.

    Parameters
    ----------
    persons
        Person number of each record of the original, from 0, int64 (n,). None if each record is a different person.

    Raises
    ------
    InputError
        If the private directory or the original belongs to another publication.
    """
    if opened.private is None:
        ways = f"name it with {setting('private')}, or use {setting('shareable', True)}"
        msg = f"an internal report needs the private directory of {str(opened.out)!r}; {ways}"
        raise InputError(msg)
    report, publication = opened.report, opened.publication
    if original is None:
        return ReportFacts(opened.attested, opened.model, summary(publication), risk(opened), private=report)
    against = RiskComparison(opened, original, hierarchies, persons)
    return ReportFacts(opened.attested, opened.model, summary(publication), *compared(publication, against), report)


@dataclass(frozen=True)
class RiskComparison(RedactedRepr):
    """Publication and original whose risks are compared."""

    opened: OpenedPublication
    original: Table
    hierarchies: Mapping[str, Any] | None
    persons: Int64 | None

    def risk(self, attacks: Sequence[str] = ()) -> RiskReport:
        """Return the risks of the publication."""
        return risk(
            self.opened, self.original, hierarchies=self.hierarchies, persons=self.persons, attacks=attacks
        )  # fmt: skip

    def errors(self, publication: Published) -> CountAccuracy | None:
        """Return the errors of counts of frequent items. None if the data have no items."""
        column = self.original.transactions
        return None if column is None else countable(FrequentItems.of(column), publication)


Compared = tuple[RiskReport, tuple[Exposure, ...], CountAccuracy | None]
"""Risks of the publication, risks of the original, and errors of item counts."""


@singledispatch
def compared(publication: Published, against: RiskComparison) -> Compared:
    """Return the results of comparing a publication with the original."""
    raise unknown_kind(publication)


@compared.register
def _(publication: Records, against: RiskComparison) -> Compared:
    after = cast("Risk", against.risk([ALL]))
    return after, after.before, against.errors(publication)


@compared.register
def _(publication: Chunks, against: RiskComparison) -> Compared:
    return against.risk(), (), against.errors(publication)


@compared.register
def _(publication: Buckets, against: RiskComparison) -> Compared:
    return against.risk(), (), None


def public_facts(opened: OpenedPublication) -> ReportFacts:
    """Return the facts that follow from the public files of a publication alone."""
    return ReportFacts(opened.attested, opened.model, summary(opened.publication), risk(opened))
