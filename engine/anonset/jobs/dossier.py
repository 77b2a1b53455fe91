"""Everything that a report on a publication may speak of: what is attested, what is private, and the risks."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anonset.data import Table
from anonset.data.discreet import Discreet
from anonset.data.table import Int64
from anonset.errors import InputError
from anonset.generalization.buckets import BucketPublication
from anonset.jobs.bucket_risk import BucketRisk
from anonset.jobs.evaluate import private_folder, read_publication
from anonset.jobs.glance import Glance, glance
from anonset.jobs.provenance import require_private
from anonset.jobs.risk import Exposure, Risk, attested_publication, exposures, risk
from anonset.jobs.verify import promised_by
from anonset.measures.countable import Countable, FrequentItems, countable
from anonset.privacy import PrivacyModel
from anonset.release.attested import place_of_parts
from anonset.release.documents import Attestation, Report
from anonset.spelling import setting


@dataclass(frozen=True)
class Dossier(Discreet):
    """What is known of a publication."""

    attested: Attestation
    """What goes with it."""
    model: PrivacyModel
    """What was promised."""
    glance: Glance
    """What its rows look like, and what anybody can count in them."""
    after: Risk | BucketRisk
    """Risks after."""
    private: Report | None = None
    """What stays at home; None where it is not there."""
    before: tuple[Exposure, ...] = ()
    """How far somebody gets with the original, by the same knowledge, where that is there."""
    errors: Countable | None = None
    """How well items are counted, where the original is there."""


def dossier(
    out: Path,
    private: Path | None = None,
    original: Table | None = None,
    hierarchies: dict[str, Any] | None = None,
    persons: Int64 | None = None,
) -> Dossier:
    """Read a publication, its private report, and count the risks before and after.

    Parameters
    ----------
    persons
        int64 (n,): whose each record of the original is, from 0; None: each is another person's.

    Raises
    ------
    InputError
        If it is no publication, or the private directory or the original is not its own.
    """
    attested = attested_publication(out)
    home = private_folder(out, private)
    if home is None:
        ways = f"{setting('private')} names it, {setting('shareable', True)} needs none"
        msg = f"an internal report needs the private directory of {str(out)!r}; {ways}"
        raise InputError(msg)
    model, report = promised_by(attested), require_private(out, home)
    after = risk(out, original, hierarchies=hierarchies, private=private, persons=persons)
    with place_of_parts(attested) as store:
        publication = read_publication(out, attested, store)
        look, before, errors = glance(publication), tuple[Exposure, ...](), None
        if original is not None and isinstance(after, Risk) and not isinstance(publication, BucketPublication):
            most = max((one.items for one in after.exposures), default=0)
            before = exposures(original, model, most, owner=persons)
            if original.transactions is not None:
                errors = countable(FrequentItems.of(original.transactions), publication)
    return Dossier(attested, model, look, after, report, before, errors)


def public_dossier(out: Path) -> Dossier:
    """Read a publication and count the risks after, from its own files alone.

    Raises
    ------
    InputError
        If it is no publication.
    """
    attested = attested_publication(out)
    with place_of_parts(attested) as store:
        look = glance(read_publication(out, attested, store))
    return Dossier(attested, promised_by(attested), look, risk(out))
