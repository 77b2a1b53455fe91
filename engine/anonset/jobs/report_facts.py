"""Everything that a report on a publication may speak of: what is attested, what is private, and the risks."""

from dataclasses import dataclass
from typing import Any

from anonset.attacks.registry import ALL
from anonset.data import Table
from anonset.data.redacted_repr import Discreet
from anonset.data.table import Int64
from anonset.errors import InputError
from anonset.jobs.bucket_risk import BucketRisk
from anonset.jobs.chunk_risk import ChunkRisk
from anonset.jobs.exposures import Exposure, exposures
from anonset.jobs.risk import Risk, risk
from anonset.jobs.summary import Summary, summary
from anonset.measures.countable import Countable, FrequentItems, countable
from anonset.privacy import PrivacyModel
from anonset.publications import Buckets, Records
from anonset.release.documents import Attestation, Report
from anonset.release.opened import Opened
from anonset.spelling import setting


@dataclass(frozen=True)
class ReportFacts(Discreet):
    """What is known of a publication."""

    attested: Attestation
    """What goes with it."""
    model: PrivacyModel
    """What was promised."""
    summary: Summary
    """What its rows look like, and what anybody can count in them."""
    after: Risk | BucketRisk | ChunkRisk
    """Risks after."""
    private: Report | None = None
    """What stays at home; None where it is not there."""
    before: tuple[Exposure, ...] = ()
    """How far somebody gets with the original, by the same knowledge, where that is there."""
    errors: Countable | None = None
    """How well items are counted, where the original is there."""


def report_facts(
    opened: Opened,
    original: Table | None = None,
    hierarchies: dict[str, Any] | None = None,
    persons: Int64 | None = None,
) -> ReportFacts:
    """Read the private report of a publication, and count the risks before and after.

    Parameters
    ----------
    persons
        int64 (n,): whose each record of the original is, from 0; None: each is another person's.

    Raises
    ------
    InputError
        If the private directory or the original is not its own.
    """
    if opened.private is None:
        ways = f"{setting('private')} names it, {setting('shareable', True)} needs none"
        msg = f"an internal report needs the private directory of {str(opened.out)!r}; {ways}"
        raise InputError(msg)
    report, publication = opened.report, opened.publication
    of_records = isinstance(publication, Records)
    attacks = [ALL] if of_records and original is not None else []
    after = risk(opened, original, hierarchies=hierarchies, persons=persons, attacks=attacks)
    before, errors = tuple[Exposure, ...](), None
    if original is not None and not isinstance(publication, Buckets):
        if isinstance(after, Risk):
            most = max((one.items for one in after.exposures), default=0)
            before = exposures(original, opened.model, most, owner=persons)
        if original.transactions is not None:
            errors = countable(FrequentItems.of(original.transactions), publication)
    return ReportFacts(opened.attested, opened.model, summary(publication), after, report, before, errors)


def public_facts(opened: Opened) -> ReportFacts:
    """Count the risks after, from the files of a publication alone."""
    return ReportFacts(opened.attested, opened.model, summary(opened.publication), risk(opened))
