"""Everything that a report on a publication may speak of: what is attested, what is private, and the risks."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from anonset.data import Table
from anonset.data.discreet import Discreet
from anonset.errors import InputError
from anonset.jobs.bucket_risk import BucketRisk
from anonset.jobs.evaluate import private_folder
from anonset.jobs.findings import Findings
from anonset.jobs.inspect import inspect
from anonset.jobs.provenance import require_private
from anonset.jobs.risk import Risk, risk
from anonset.jobs.verify import promised_by
from anonset.privacy import PrivacyModel
from anonset.release.attested import read_attestation, require_attested
from anonset.release.documents import Attestation, Report
from anonset.spelling import setting


@dataclass(frozen=True)
class Dossier(Discreet):
    """What is known of a publication."""

    attested: Attestation
    """What goes with it."""
    model: PrivacyModel
    """What was promised."""
    private: Report | None
    """What stays at home; None where it is not there."""
    after: Risk | BucketRisk
    """Risks after."""
    before: Findings | None
    """Risks before, where the original is there."""


def dossier(
    out: Path,
    private: Path | None = None,
    original: Table | None = None,
    hierarchies: dict[str, Any] | None = None,
) -> Dossier:
    """Read a publication, its private report, and count the risks before and after.

    Raises
    ------
    InputError
        If it is no publication, or the private directory or the original is not its own.
    """
    attested = _attested(out)
    home = private_folder(out, private)
    if home is None:
        ways = f"{setting('private')} names it, {setting('shareable', True)} needs none"
        msg = f"an internal report needs the private directory of {str(out)!r}; {ways}"
        raise InputError(msg)
    model, report = promised_by(attested), require_private(out, home)
    after = risk(out, original, hierarchies=hierarchies, private=private)
    k, m = int(getattr(model, "k", 5)), int(getattr(model, "m", 2))
    return Dossier(attested, model, report, after, None if original is None else inspect(original, k=k, m=m + 1))


def public_dossier(out: Path) -> Dossier:
    """Read a publication and count the risks after, from its own files alone.

    Raises
    ------
    InputError
        If it is no publication.
    """
    attested = _attested(out)
    return Dossier(attested, promised_by(attested), None, risk(out), None)


def _attested(out: Path) -> Attestation:
    attested = read_attestation(out)
    if attested is None:
        msg = f"{str(out)!r} must be a directory made by anonset anonymize, with its attestation.json"
        raise InputError(msg)
    require_attested(out, attested)
    return attested
