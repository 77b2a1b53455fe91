"""Anonymize files, or verify the publication if an earlier run of the same job has finished it."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonset.data.progress import Progress
from anonset.data.storage.lease import Tell
from anonset.errors import InputError
from anonset.jobs.runs.beside import sha256_of_other
from anonset.jobs.runs.run import FileRun, anonymize_file
from anonset.jobs.runs.work_places import clear_finished, difference, identity, relevant
from anonset.release.documents import ATTESTATION
from anonset.release.release import Release
from anonset.settings.settings import Settings

if TYPE_CHECKING:
    from anonset.jobs.check import PublicationCheck
    from anonset.release.opened import OpenedPublication


def anonymize_or_verify(
    settings: Settings, *, progress: Progress | None = None, note: Tell | None = None
) -> "Release | PublicationCheck":
    """Anonymize files (`anonymize_file`). If ``if_exists`` is ``resume``, a finished publication of the same job is
    verified instead, and the run of a killed job is continued.

    Two runs belong to the same job if settings, data, side files and versions are equal.

    Raises
    ------
    InputError
        See `anonymize_file`; also if the output exists and differs. The message names the difference.
    """
    check = _finished(FileRun(settings), progress) if settings.if_exists == "resume" else None
    return anonymize_file(settings, progress=progress, note=note) if check is None else check


def _finished(run: FileRun, progress: Progress | None) -> "PublicationCheck | None":
    """Verify the output of an earlier run of the same job and return the verdict. None if there is no output."""
    from anonset.release.opened import open_publication

    out, private = run.destination.out, run.destination.private
    if not (out.exists() if isinstance(out, Path) else out.size(ATTESTATION) is not None):
        return None
    with open_publication(out, private) as opened:
        check = _checked(run, opened, progress)
    if check.holds is not False:
        clear_finished(run.reading)
    return check


def _checked(run: FileRun, opened: "OpenedPublication", progress: Progress | None) -> "PublicationCheck":
    from anonset.jobs.verify import check
    from anonset.release.publishing.continuation import read_earlier

    settings = run.settings
    report = opened.require_report(f"{settings.out!r}: the private directory is missing")
    earlier = read_earlier(settings.recoding)
    expected = identity(run.absolute) | {
        "data": run.source.sha256,
        "earlier release": None if earlier is None else earlier.attestation_sha256,
        "release beside": None if settings.after is None else sha256_of_other(settings.after),
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
    return check(opened, opened.kept_constraints, progress=progress)
