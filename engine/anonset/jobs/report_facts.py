"""Facts for a report on a publication, from the attestation, the private report and the risks."""

from dataclasses import dataclass, replace
from typing import Any

from anonset.attacks.registry import ALL
from anonset.data import Table
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.table import Int64
from anonset.errors import InputError
from anonset.jobs.risk import risk
from anonset.kinds.base import analysis_of
from anonset.kinds.exposures import Exposure
from anonset.kinds.risk import RiskReport
from anonset.kinds.summary import Summary
from anonset.measures.countable import CountAccuracy, FrequentItems, accuracy_of
from anonset.privacy import PrivacyModel
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
    report = opened.report
    if original is None:
        return replace(public_facts(opened), private=report)
    kind, column = analysis_of(opened.publication), original.transactions
    after = risk(opened, original, hierarchies=hierarchies, persons=persons, attacks=[ALL])
    errors = None
    if column is not None and kind.shows_items:
        frequent = FrequentItems.of(column)
        errors = accuracy_of(frequent, *kind.expected_counts(frequent))
    return ReportFacts(opened.attested, opened.model, kind.summary(), after, after.before, errors, report)


def public_facts(opened: OpenedPublication) -> ReportFacts:
    """Return the facts that follow from the public files of a publication alone."""
    return ReportFacts(opened.attested, opened.model, analysis_of(opened.publication).summary(), risk(opened))
