"""Output of ``anonset inspect`` about a folder of linked tables, or a job that names tables."""

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonset.cli.output import show, show_json
from anonset.errors import InputError
from anonset.spelling import as_typed

if TYPE_CHECKING:
    from anonset.jobs.linked_findings import LinkedFindings


def show_linked(
    findings: "LinkedFindings", flags: Mapping[str, Any], *, out: str | None, new_job: str, quiet: bool, json: bool
) -> None:
    """Print findings about linked tables with the next commands, and write a job file if `out` names one. Without
    `out`, the next command writes `new_job`.

    Raises
    ------
    InputError
        If a job file is asked for, and no table has items.
    """
    from anonset.reading.sources.files import write_file
    from anonset.report.linked_findings import linked_account

    source = findings.source
    if json:
        show_json(findings.to_dict())
    else:
        show(*linked_account(findings))
    with_next = not (json or quiet)
    if out is not None:
        try:
            text = findings.job_text(Path(out).parent)
        except InputError as error:
            msg = error.problem.sentence if json else f"{out} is not written: {error.problem.sentence}"
            raise InputError(msg) from None
        write_file(Path(out), [text.encode()])
    if not with_next or not findings.can_run:
        return
    if out is None:
        command = as_typed("inspect", source, flags)
        answer = "" if findings.is_declared else '; in it, replace unit = "?" by the line that states who is a person'
        show(f"Next: {command} -o {new_job}, to write these tables to a job file{answer}")
        return
    first = "review" if findings.is_declared else "declare who is a person in"
    line = "" if findings.is_declared else f" ({findings.question()[0].partition(' # ')[0]})"
    then = f"{as_typed('suggest', out)}, or {as_typed('anonymize', out)}"
    show(f"Next: {first} {out}{line}, then run {then}")
    for key in findings.keys[1:] if not findings.is_declared else ():
        other = shlex.quote(str(Path(out).with_stem(f"{Path(out).stem}-{key.unit}")))
        show(f"If each {key.unit} is a person: {as_typed('inspect', source, {**flags, 'unit': key.unit})} -o {other}")
