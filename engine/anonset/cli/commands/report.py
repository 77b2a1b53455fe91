"""``anonset report``: report about a publication for a data protection officer."""

import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from anonset.cli.flags import flags_of, given_flags
from anonset.cli.options import Option
from anonset.cli.output import Output, written
from anonset.data.progress import Progress
from anonset.errors import InputError
from anonset.jobs.reading import opened_to_compare
from anonset.jobs.report_facts import ReportFacts, public_facts, report_facts, source_tables
from anonset.local_paths import require_local
from anonset.release.documents import Report, read_report
from anonset.release.publishing.staging import private_of
from anonset.report.doubts import to_check
from anonset.report.page import report_page
from anonset.report.typed_statements import is_linked, require_true
from anonset.settings.job import Job
from anonset.settings.job_files import settings_at
from anonset.settings.publication import OriginalSettings, ReportSettings
from anonset.settings.settings import REPORT
from anonset.spelling import as_typed, setting

Flags: Any = flags_of(ReportSettings)
_PUBLIC = {*ReportSettings.model_fields} - {*OriginalSettings.model_fields} | {"memory_limit", "work_dir"}
"""Settings that a shareable report may use: the statements of the owner, and limits of the machine."""


def report(
    published: Annotated[str, Option("Directory made by anonset anonymize, or the job file.", "OUT")],
    /,
    *,
    out: Annotated[
        str | None,
        Option("New HTML file outside of OUT. Default: OUT-report.html or OUT-shareable.html.", alias="-o"),
    ] = None,
    shareable: Annotated[
        bool, Option("Write a report that you may share with the data. It uses no private information.")
    ] = False,
    progress: Progress | None,
    **flags: Flags,
) -> Output:
    """Write a report about a publication for a data protection officer.

    The report explains the guarantee and its limits, the risk before and after anonymization, and the remaining
    utility. It has a place for a signature. By default, the report is internal: it contains private information, and
    only you can read the file. With --shareable, the report uses only OUT and the options of this command, so you may
    share it with the data. Stated numbers, dates, columns and releases that contradict the private directory are
    rejected. If the data contradict a confirmation of the declared person, the report states this.
    """
    if shareable:
        _require_public([name for name in given_flags(flags) if name not in _PUBLIC])
    published, settings = settings_at(published, "out", given_flags(flags), ReportSettings)
    file = Path(out or f"{Path(published).resolve().name}-{'shareable' if shareable else 'report'}.html")
    _require_place(file, Path(published))
    source = None if shareable else settings.original_source()
    compared = opened_to_compare(published, source, settings, "risks", with_private=not shareable)
    with compared as (opened, place):
        if progress is not None:
            progress("count", 0, 0)
        facts = public_facts(opened) if shareable else report_facts(opened, source, settings, place)
        run = facts.private or _run_of(facts, published)
        require_true(settings, run, _with_tables(facts, run, published, settings), published)
        against = [] if run is None or facts.private or not settings.confirmation else run.contradictions
        page = report_page(facts.confirmed() if against else facts, settings)
    _write(file, page.html, shareable=shareable)
    for_whom = "may be shared with the data" if shareable else "is internal: do not share it"
    asked = f"“{ReportSettings.model_fields['confirmation'].title}”"
    shown = to_check([doubt.replace(asked, setting("confirmation")) for doubt in page.doubts])
    contradicting = [f"{setting('confirmation')}: {one}" for one in against]
    notes = [page.risk, *shown, *contradicting, f"{file} {for_whom}; print and sign it"]
    if not shareable:
        near = published.removeprefix(f"{Path.cwd()}{os.sep}")
        notes.append(f"Next: {as_typed('report', near, {'shareable': True})}, to write the report for recipients")
    return written(file, notes, shareable=shareable, risk=page.risk, doubts=page.doubts)


def _run_of(facts: ReportFacts, out: str) -> Report | None:
    """Return the private report next to OUT, with which the statements of a shareable report are compared, if there is
    one. The page contains nothing of it, except that the data contradict a confirmation.
    """
    try:
        run = read_report(private_of(out), Path(out))
    except InputError:  # the owner may write a shareable report without the private directory
        return None
    return run if run.attestation_sha256 == facts.sha256 else None


def _with_tables(facts: ReportFacts, run: Report | None, out: str, typed: ReportSettings) -> ReportFacts:
    """Return the facts with the linked tables of the run, if typed numbers are compared with their rows and columns."""
    if run is None or facts.tables or not is_linked(run) or not (typed.not_published or typed.left_out):
        return facts
    try:
        job = settings_at(str(Path(private_of(out)) / REPORT), "out", Job(), OriginalSettings)[1]
        source = job.original_source()
        return facts if source is None else replace(facts, tables=source_tables(source, job))
    except InputError:  # the tables were moved
        return facts


def _require_public(names: Iterable[str]) -> None:
    """Reject options that name private data, because a shareable report uses only OUT."""
    for name in names:
        raise InputError(f"{setting('shareable', True)} uses only OUT; remove {setting(name)}")


def _require_place(path: Path, published: Path) -> None:
    require_local(path)
    if path.resolve().is_relative_to(published.resolve()):
        raise InputError(f"-o {path}: the report must be outside {published}, which recipients get")
    if not path.parent.is_dir():
        raise InputError(f"-o {path}: {str(path.parent)!r} is not a directory")
    if path.exists():
        raise InputError(f"{path} already exists and is not overwritten; name another file", code="exists")


def _write(path: Path, text: str, *, shareable: bool) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644 if shareable else 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
