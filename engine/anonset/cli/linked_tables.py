"""``anonset inspect`` of a folder of linked tables, and of a job that names tables."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anonset.cli.output import show, show_json
from anonset.cli.progress import progress_bars
from anonset.errors import InputError
from anonset.reading.file_options import OPEN
from anonset.reading.linked import READING
from anonset.reading.sources.place import is_address
from anonset.release.documents import ATTESTATION
from anonset.settings.commands import InspectSettings
from anonset.settings.overriding import name_list
from anonset.settings.settings import validate
from anonset.settings.table_lines import job_with_tables
from anonset.spelling import as_typed, setting

if TYPE_CHECKING:
    from anonset.jobs.linked_findings import LinkedFindings

_ALLOWED = (*READING, "unit", "k", "m")
"""Settings that `inspect` accepts for several tables."""


def tables_at(source: str, flags: Mapping[str, Any]) -> tuple[dict[str, str], dict[str, str], dict[str, Any]] | None:
    """Return the path of each table of a folder or of a job, the files that are no tables with the reason, and the
    settings of the job. Return None if the source is a single data set.

    Raises
    ------
    InputError
        If the source is a publication.
    """
    path = Path(source)
    if path.is_dir():
        if (path / ATTESTATION).exists():
            msg = f"{source}: is a publication; to show its risk: {as_typed('risk', source)}"
            raise InputError(msg)
        from anonset.jobs.proposals.table_evidence import tables_in_folder

        found = tables_in_folder(path, {name: value for name, value in flags.items() if name in READING})
        return None if found is None else (*found, {})
    job = job_with_tables(path)
    if job is None or not all("input" in one for one in job["tables"].values()):
        return None
    settings = {name: job[name] for name in _ALLOWED if name in job and job[name] != OPEN}
    inputs = {name: str(one["input"]) for name, one in job["tables"].items()}
    placed = {name: place if is_address(place) else str(path.parent / place) for name, place in inputs.items()}
    return placed, {}, settings


def inspect_linked(
    source: str,
    found: tuple[dict[str, str], dict[str, str], dict[str, Any]],
    flags: Mapping[str, Any],
    *,
    out: str | None,
    quiet: bool,
    json: bool,
) -> None:
    """Examine linked tables, and write a job file if `out` names one.

    Raises
    ------
    InputError
        If a flag applies to a single table, or the tables share no items.
    """
    from anonset.jobs.proposals.linked_proposal import inspect_tables
    from anonset.report.linked_findings import linked_account, linked_summary

    if refused := [name for name in flags if name not in _ALLOWED]:
        msg = f"{source}: several tables; set {setting(refused[0])} in the job file, in the table of the column"
        raise InputError(msg)
    tables, others, of_job = found
    given = validate(InspectSettings, {**of_job, **flags, "input": source})
    options = {name: value for name, value in {**of_job, **flags}.items() if name in READING}
    with progress_bars(quiet=quiet) as progress:
        if progress is not None:
            progress("inspect", 0, 0)
        unit = name_list(flags.get("unit") or of_job.get("unit") or ())
        findings = inspect_tables(source, tables, others, unit=unit, k=given.k, m=given.m, **options)
    if json:
        show_json(linked_summary(findings))
    else:
        show(*linked_account(findings))
    with_next = not (json or quiet)
    if out is not None:
        _write_linked_job(Path(out), findings)
    if not with_next or not findings.can_run:
        return
    if out is None:
        job = (
            "job.toml"
            if not source.lower().endswith(".toml")
            else str(Path(source).with_stem(f"{Path(source).stem}-2"))
        )
        command = as_typed("inspect", source, flags)
        answer = "" if findings.is_declared else '; in it, replace unit = "?" by the line that states who is a person'
        show(f"Next: {command} -o {job}, to write these tables to a job file{answer}")
        return
    first = "review" if findings.is_declared else "declare who is a person in"
    line = "" if findings.is_declared else f" ({findings.question()[0].partition(' # ')[0]})"
    then = f"{as_typed('suggest', out)}, or {as_typed('anonymize', out)}"
    show(f"Next: {first} {out}{line}, then run {then}")
    for key in findings.keys[1:] if not findings.is_declared else ():
        other = Path(out).with_stem(f"{Path(out).stem}-{key.unit}")
        show(f"If each {key.unit} is a person: {as_typed('inspect', source, {**flags, 'unit': key.unit})} -o {other}")


def _write_linked_job(path: Path, findings: "LinkedFindings") -> None:
    from anonset.reading.sources.files import write_file
    from anonset.settings.job_text import answer_text, job_text, table_header

    if not findings.can_run:
        msg = f"{path} is not written: no linked table has a column that is recognized as items"
        raise InputError(msg)
    tables = {table_header(one.name): findings.settings_of(one, path.parent) for one in findings.tables}
    reasons = {
        table_header(one.name): [f"{column.profile.name}: {column.reason}" for column in one.columns]
        for one in findings.tables
    }
    trees, guarantee = findings.hierarchies, findings.guarantee
    unit, common = findings.keys[0].unit, dict(findings.settings)
    left_out = [f"{Path(file).name} is left out: {why}" for file, why in findings.left_out.items()]
    problems = [*map(str, findings.checks), *left_out]
    out = f"{Path(findings.source).stem or 'tables'}-safe"
    if findings.is_declared:
        settings = {"unit": unit, **common, **tables, "hierarchy": trees}
        text = job_text(None, out, settings, guarantee, reasons, problems)
    else:
        answers = {unit: answer_text(unit, {"hierarchy": trees}, {}, {})}
        settings = {**common, **tables}
        lines = findings.question()
        text = job_text(None, out, settings, guarantee, reasons, problems, question=lines, answers=answers)
    write_file(path, [text.encode()])
