"""Check whether an existing output is the finished publication of the same job."""

from pathlib import Path
from typing import Any

from anonset.data.progress import Progress
from anonset.errors import InputError
from anonset.jobs.check import PublicationCheck
from anonset.jobs.runs.beside import release_at
from anonset.jobs.runs.work_places import clear_finished, difference, identity, relevant
from anonset.jobs.verify import check_opened
from anonset.release.documents import ATTESTATION, read_report
from anonset.release.opened import OpenedPublication, kept_constraints
from anonset.release.publishing.continuation import read_earlier
from anonset.release.publishing.destination import destination
from anonset.release.publishing.fetched import fetched_publication
from anonset.settings.paths import with_absolute_paths
from anonset.settings.publication import check_settings_model
from anonset.settings.settings import Settings, validate


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
    with fetched_publication(place.out, place.private) as (folder, private_folder):
        check = _checked(settings, folder, private_folder, progress)
    if check.holds is not False:
        clear_finished(settings)
    return check


def _checked(settings: Settings, out: Path, private: Path, progress: Progress | None) -> PublicationCheck:
    report, opened = read_report(private, out), OpenedPublication.at(out)
    opened.require_own(report, private)
    options = with_absolute_paths(settings.model_dump(exclude_none=True))
    earlier = read_earlier(settings.recoding)
    expected = identity(options) | {
        "data": settings.source(settings.input).sha256,
        "earlier release": None if earlier is None else earlier.attestation_sha256,
        "release beside": None if settings.after is None else release_at(settings.after).sha256,
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
    constraints = validate(check_settings_model(), kept_constraints(private))
    return check_opened(out, opened, constraints, progress=progress)
