"""``anonset report``: one page on a publication, for a data protection officer."""

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from anonset.cli.exit_codes import DONE
from anonset.cli.flags import flags_of, given_flags
from anonset.cli.output import progress_bars, show
from anonset.errors import InputError
from anonset.jobs.original import original_and_persons
from anonset.jobs.reading import opened_to_compare
from anonset.jobs.report_facts import public_facts, report_facts
from anonset.local_paths import require_local
from anonset.report.page import Purpose, internal_page, shareable_page
from anonset.settings.job_files import over_job
from anonset.settings.publication import OriginalSettings
from anonset.settings.settings import validate
from anonset.spelling import setting

Flags: Any = flags_of(OriginalSettings, leave_out=["items"])


def report(
    published: Annotated[str, Parameter(name="OUT", help="Directory made by anonset anonymize, or the job file.")],
    /,
    *,
    out: Annotated[str, Parameter(alias="-o", help="New file for the page, outside OUT.")] = "report.html",
    shareable: Annotated[bool, Parameter(help="Write a page that may go with the data: it shows only OUT.")] = False,
    recipient: Annotated[str, Parameter(help="Who receives the data.")] = "",
    purpose: Annotated[str, Parameter(help="What the data are for.")] = "",
    title: Annotated[str, Parameter(help="Title of the page.")] = "Report on a publication",
    quiet: Annotated[bool, Parameter(help="Print no progress.")] = False,
    **flags: Flags,
) -> int:
    """Write one page on a publication: guarantee and limits in words, risk before and after, what is left, a signature.

    The internal page holds all that is known, and only its owner can read the file. The shareable one is made from OUT
    alone, and from what is typed here; it opens no other data and no private directory. A page never lies in OUT.
    """
    if shareable:
        _require_public([name for name in given_flags(flags) if name not in ("memory_limit", "work_dir")])
    published, given = over_job(published, "out", given_flags(flags), OriginalSettings)
    settings = validate(OriginalSettings, given)
    _require_place(Path(out), Path(published))
    purpose_of_page = Purpose(recipient, purpose, title)
    source = None if shareable else settings.original_source()
    compared = opened_to_compare(published, source, settings, for_risks=True)
    with progress_bars(quiet=quiet) as progress, compared as (opened, place):
        if progress is not None:
            progress("count", 0, 0)
        if shareable:
            page = shareable_page(public_facts(opened), purpose_of_page)
        else:
            table, persons = original_and_persons(opened, source, settings, place)
            page = internal_page(report_facts(opened, table, settings.hierarchy, persons), purpose_of_page)
    _write(Path(out), page, shareable=shareable)
    if not quiet:
        for_whom = "may go with the data" if shareable else "is internal: do not hand it on"
        show(f"{out} {for_whom}; print it, and sign it")
    return DONE


def _require_public(given: Iterable[str]) -> None:
    """Refuse settings that speak of the original where a page shows the publication alone."""
    for name in given:
        msg = f"{setting('shareable', True)} shows OUT alone: leave out {setting(name)}"
        raise InputError(msg)


def _require_place(path: Path, published: Path) -> None:
    """Refuse a page within the publication, or in the place of another file."""
    require_local(path)
    if path.resolve().is_relative_to(published.resolve()):
        msg = f"-o {path}: a page must not lie in {published}, which is handed on"
        raise InputError(msg)
    if path.exists():
        msg = f"{path} exists already; pages are not overwritten"
        raise InputError(msg, code="exists")


def _write(path: Path, text: str, *, shareable: bool) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644 if shareable else 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
