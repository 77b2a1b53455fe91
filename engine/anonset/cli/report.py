"""``anonset report``: one page on a publication, for a data-protection officer."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from anonset.cli.app import flags_of, given_flags, pairs, split
from anonset.cli.exit_codes import DONE
from anonset.cli.originals import MemoryLimit, WorkDir, original_and_persons
from anonset.cli.output import progress_bars, show
from anonset.errors import InputError
from anonset.settings.job_files import is_job, of_job
from anonset.settings.reading import ReadingSettings
from anonset.settings.settings import over
from anonset.spelling import setting

Flags: Any = flags_of(ReadingSettings)
_JOB = ("private", "input", "id", "drop", "hierarchy", *ReadingSettings.model_fields)


def report(
    published: Annotated[str, Parameter(name="OUT", help="Directory made by anonset anonymize, or the job file.")],
    /,
    *,
    out: Annotated[str, Parameter(alias="-o", help="New file for the page, outside OUT.")] = "report.html",
    shareable: Annotated[bool, Parameter(help="Write a page that may go with the data: it shows only OUT.")] = False,
    recipient: Annotated[str, Parameter(help="Who receives the data.")] = "",
    purpose: Annotated[str, Parameter(help="What the data are for.")] = "",
    title: Annotated[str, Parameter(help="Title of the page.")] = "Report on a publication",
    original: Annotated[str | None, Parameter(help="The original data, for the risk before.")] = None,
    private: Annotated[str | None, Parameter(help="Private directory; default: OUT.private.")] = None,
    hierarchy: Annotated[list[str] | None, Parameter(help="COL=SPEC, as for anonymize; repeatable.")] = None,
    id: Annotated[list[str] | None, Parameter(help="Columns of the original that identify the person.")] = None,  # noqa: A002
    drop: Annotated[list[str] | None, Parameter(help="Columns of the original that were not published.")] = None,
    memory_limit: MemoryLimit = None,
    work_dir: WorkDir = None,
    flags: Annotated[Flags, Parameter(name="*")] = Flags(),  # noqa: B008
    quiet: Annotated[bool, Parameter(help="Print no progress.")] = False,
) -> int:
    """Write one page on a publication: guarantee and limits in words, risk before and after, what is left, a signature.

    The internal page holds all that is known, and only its owner can read the file. The shareable one is made from OUT
    alone, and from what is typed here; it opens no other data and no private directory. A page never lies in OUT.
    """
    from anonset.jobs.reading import opened_to_compare
    from anonset.jobs.report_facts import public_facts, report_facts
    from anonset.report.page import Purpose, internal_page, shareable_page

    given: dict[str, Any] = {"id": split(id or []), "drop": split(drop or []), **given_flags(flags)}
    given["hierarchy"] = pairs("--hierarchy", hierarchy or [])
    given = {name: value for name, value in given.items() if value}
    if shareable:
        _require_public({"original": original, "private": private, **given})
    if is_job(published):
        published, job = of_job(published, "out", _JOB)
        original, private = original or job.pop("input", None), private or job.pop("private", None)
        given = over(job, given)
        original = original if original is not None and Path(original).exists() else None
    _require_place(Path(out), Path(published))
    said = Purpose(recipient, purpose, title)
    source = None if shareable else original
    compared = opened_to_compare(published, private, source, given, memory_limit, work_dir, for_risks=True)
    with progress_bars(quiet=quiet) as progress, compared as (opened, place):
        if progress is not None:
            progress("count", 0, 0)
        if shareable:
            page = shareable_page(public_facts(opened), said)
        else:
            table, persons = (None, None) if source is None else original_and_persons(opened, source, given, place)
            page = internal_page(report_facts(opened, table, given.get("hierarchy", {}), persons), said)
    _write(Path(out), page, shareable=shareable)
    if not quiet:
        for_whom = "may go with the data" if shareable else "is internal: do not hand it on"
        show(f"{out} {for_whom}; print it, and sign it")
    return DONE


def _require_public(given: Mapping[str, Any]) -> None:
    """Refuse settings that speak of the original where a page shows the publication alone."""
    for name, value in given.items():
        if value is not None:
            msg = f"{setting('shareable', True)} shows OUT alone: leave out {setting(name)}"
            raise InputError(msg)


def _require_place(path: Path, published: Path) -> None:
    """Refuse a page within the publication, or in the place of another file."""
    if path.resolve().is_relative_to(published.resolve()):
        msg = f"-o {path}: a page must not lie in {published}, which is handed on"
        raise InputError(msg)
    if path.exists():
        msg = f"{path} exists already; pages are not overwritten"
        raise InputError(msg)


def _write(path: Path, text: str, *, shareable: bool) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644 if shareable else 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
