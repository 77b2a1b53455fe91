"""Check whether an existing output is the finished publication of the same job."""

from pathlib import Path
from typing import Any

from anonset.data.progress import Progress
from anonset.errors import InputError
from anonset.jobs.check import PublicationCheck
from anonset.jobs.runs.beside import open_other
from anonset.jobs.runs.work_places import clear_finished, difference, identity, relevant
from anonset.jobs.verify import check as check_publication
from anonset.release.documents import ATTESTATION
from anonset.release.opened import OpenedPublication, open_publication
from anonset.release.publishing.continuation import read_earlier
from anonset.release.publishing.destination import destination
from anonset.settings.paths import with_absolute_paths
from anonset.settings.settings import Settings


def finished_before(settings: Settings, *, progress: Progress | None) -> PublicationCheck | None:
    """Verify the output of an earlier run of the same job and return the verdict. None if there is no output.

    Two runs belong to the same job if settings, data, side files and versions are equal.

    Raises
    ------
    InputError
        If the output exists and differs. The message names the difference.
    """
    place = destination(settings.out, settings.private)
    if not (place.out.exists() if isinstance(place.out, Path) else place.out.size(ATTESTATION) is not None):
        return None
    with open_publication(place.out, place.private) as opened:
        check = _checked(settings, opened, progress)
    if check.holds is not False:
        clear_finished(settings)
    return check


def _checked(settings: Settings, opened: OpenedPublication, progress: Progress | None) -> PublicationCheck:
    report = opened.require_report(f"{settings.out!r}: the private directory is missing")
    options = with_absolute_paths(settings.model_dump(exclude_none=True))
    earlier = read_earlier(settings.recoding)
    expected = identity(options) | {
        "data": settings.source(settings.input).sha256,
        "earlier release": None if earlier is None else earlier.attestation_sha256,
        "release beside": None if settings.after is None else _sha256_of(settings.after),
    }
    # older reports lack some settings
    defaults = type(settings).model_construct().model_dump(exclude_none=True)
    made: dict[str, Any] = {
        "settings": relevant({**defaults, **report.settings}),
        "side files": report.input.get("side_files", {}),
        "versions": report.versions,
        "data": report.input.get("sha256"),
        "earlier release": report.input.get("recoding_of"),
        "release beside": report.input.get("after"),
    }
    if other := difference(expected, made):
        msg = f"{settings.out!r} already contains a release with other {other}; choose another --out"
        raise InputError(msg, code="other-run")
    return check_publication(opened, opened.kept_constraints, progress=progress)


def _sha256_of(release: str) -> str:
    with open_other(release) as opened:
        return opened.sha256
