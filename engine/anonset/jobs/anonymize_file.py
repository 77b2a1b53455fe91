"""Anonymize files, continue a killed run of the same job, or verify the publication if a run has finished it."""

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonset.data import Table
from anonset.data.progress import Progress
from anonset.data.storage.lease import Tell
from anonset.errors import InputError
from anonset.jobs.runs.cluster import connected
from anonset.jobs.runs.file_run import FileRun
from anonset.jobs.runs.matched_releases import sha256_of_other
from anonset.jobs.runs.run_identity import difference, identity, relevant
from anonset.jobs.runs.work_places import clear_finished, killed_run
from anonset.reading.sources.files import arrow_threads
from anonset.release.documents import ATTESTATION
from anonset.release.release import Release
from anonset.settings.column_rules import with_exact_names
from anonset.settings.job import Job
from anonset.settings.settings import Settings
from anonset.spelling import setting

if TYPE_CHECKING:
    from anonset.jobs.check import PublicationCheck
    from anonset.release.opened import OpenedPublication


def anonymize_file(
    settings: Settings, *, progress: Progress | None = None, note: Tell | None = None
) -> "Release | PublicationCheck":
    """Anonymize files, write the result, read it back, verify and publish it.

    If ``if_exists`` is ``resume``, a finished publication of the same job is verified instead, and the run of a killed
    job is continued. Two runs belong to the same job if settings, data, side files and versions are equal.

    A run that exceeds the memory limit runs out of core if the algorithm supports it. `note` is then called with a line
    about this.

    Raises
    ------
    InputError
        If the settings or the data are invalid, or the output exists and belongs to another job. The message names the
        difference.
    InfeasibleError
        If the guarantee or the largest allowed loss cannot be reached, or (`WorthlessError`) only one symbol remains.
    VerificationError
        If the model does not hold, or (`UndecidedError`) the check could not finish.
    """
    file_run = FileRun(settings)
    file_run.require_apart()
    source, side = file_run.source, file_run.side_files  # digests of the side files before any of them is read
    algorithm = file_run.algorithm
    if settings.if_exists == "resume":
        if (check := _finished(file_run, progress)) is not None:
            return check
        killed_run(file_run.reading)  # rejects the work directory of another run
        file_run.destination.clear(note)
    file_run.destination.require_free(by_command=True)
    run = file_run.run(progress)
    with ExitStack() as stack:
        stack.enter_context(run.watch.memory.watched())
        file_run.require_disk(note)
        files, client = stack.enter_context(file_run.work_place(note)), None
        if settings.cluster is not None:
            with run.watch.phase("cluster"):
                client = stack.enter_context(connected(settings))
        stack.enter_context(arrow_threads(settings.workers))
        with run.watch.phase("read"):
            table = stack.enter_context(file_run.table(files, client, progress=progress, note=note))
            run.watch.folder = table.store.path
            if table.store.in_files:
                source.leave_cache()
        _require_records(table, settings)
        unverified = run.unverified(table, settings.hierarchy, algorithm, file_run.algorithm_for)
        releases = {"recoding_of": run.earlier, "after": run.other_release}
        earlier = {name: release.attestation_sha256 for name, release in releases.items() if release is not None}
        facts = {"file": Path(settings.input).name, "sha256": source.sha256, "side_files": side, **earlier}
        context = {"settings": file_run.absolute, "seed": settings.seed, "input": facts}
        return run.release(unverified, file_run.destination, context)


def _finished(file_run: FileRun, progress: Progress | None) -> "PublicationCheck | None":
    """Verify the output of an earlier run of the same job and return the verdict. None if there is no output."""
    from anonset.release.opened import open_publication

    out, private = file_run.destination.out, file_run.destination.private
    if not (out.exists() if isinstance(out, Path) else out.size(ATTESTATION) is not None):
        return None
    with open_publication(out, private) as opened:
        check = _checked(file_run, opened, progress)
    if check.holds is not False:
        clear_finished(file_run.reading)
    return check


def _checked(file_run: FileRun, opened: "OpenedPublication", progress: Progress | None) -> "PublicationCheck":
    from anonset.jobs.verify import check
    from anonset.release.publishing.continuation import read_earlier

    settings, columns = file_run.settings, file_run.columns
    report = opened.require_report(f"{settings.out!r}: the private directory is missing")
    earlier = read_earlier(settings.recoding)
    expected = identity(with_exact_names(file_run.absolute, columns)) | {
        file_run.source.compared: file_run.source.sha256,
        "earlier release": None if earlier is None else earlier.attestation_sha256,
        "release beside": None if settings.after is None else sha256_of_other(settings.after),
    }
    # older reports lack some settings
    defaults = type(settings).model_construct().model_dump(exclude_none=True)
    released: dict[str, Any] = {
        "settings": relevant(with_exact_names(Job({**defaults, **report.settings}), columns)),
        "side files": report.input.get("side_files", {}),
        "versions": report.versions,
        file_run.source.compared: report.input.get("sha256"),
        "earlier release": report.input.get("recoding_of"),
        "release beside": report.input.get("after"),
    }
    if other := difference(expected, released):
        msg = f"{settings.out!r} already contains a release with other {other}; choose another --out"
        raise InputError(msg, code="other-run")
    given = settings.stated.only(("memory_limit", "after"))
    return check(opened, {**opened.kept_constraints, **given}, progress=progress)


def _require_records(table: Table, settings: Settings) -> None:
    if not table.columns:
        ways = f"publish columns, such as a set of codes ({setting('items')}) or a personal attribute"
        raise InputError(f"{settings.input}: all columns except the id are dropped; {ways} ({setting('relational')})")
    if not table.n and "empty" not in settings.accept:
        publish_empty = setting("accept", "empty")
        raise InputError(f"{settings.input}: the data contain no records; to publish an empty table: {publish_empty}")
