"""``anonset inspect``: column roles, re-identification risk and problems of a data set."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from anonset.cli.exit_codes import DONE
from anonset.cli.flags import Input, Quiet, flags_of, given_flags
from anonset.cli.output import show, show_json
from anonset.cli.progress import progress_bars
from anonset.errors import InputError, foreign
from anonset.local_paths import require_local
from anonset.settings.commands import InspectSettings
from anonset.settings.settings import RoleSettings, validate
from anonset.spelling import as_typed

if TYPE_CHECKING:
    from anonset.jobs.findings import Findings
    from anonset.jobs.linked_findings import LinkedFindings


Flags: Any = flags_of(InspectSettings, leave_out=["input"])

_SPLIT = ({"delimiter": " "}, {"input_format": "spmf"})
"""Reading options for lines that are read as a single column without items."""


def inspect(
    source: Input,
    /,
    *,
    out: Annotated[str | None, Parameter(alias="-o", help="New job file (.toml) with the proposed settings.")] = None,
    quiet: Quiet = False,
    json: Annotated[bool, Parameter(help="Print the findings as JSON.")] = False,
    **flags: Flags,
) -> int:
    """Examine a data set: column roles, re-identification risk and problems.

    Proposes a role, with a reason, for each column that has no declared role. For a folder of tables that share a key,
    proposes a job for linked tables. The output contains no data values. Exit codes: 0 done, even if problems are
    listed; 2 the data cannot be read.
    """
    from anonset.jobs.findings import further_roles
    from anonset.jobs.proposals.inspect import inspect_one
    from anonset.jobs.proposals.linked_proposal import inspect_linked
    from anonset.report.findings import findings_account
    from anonset.settings.job_files import over_job

    if out is not None:
        _require_new(Path(out))
    given = given_flags(flags)
    with progress_bars(quiet=quiet) as progress:
        if progress is not None:
            progress("inspect", 0, 0)
        linked = inspect_linked(source, given)
    if linked is not None:
        _show_linked(linked, given, out=out, quiet=quiet, json=json)
        return DONE
    place, options = over_job(source, "input", given, InspectSettings, unanswered=True)
    settings = validate(InspectSettings, {**options, "input": place})
    roles = {name: options[name] for name in options if name in (*RoleSettings.model_fields, "publish_as_is")}
    with progress_bars(quiet=quiet) as progress:
        if progress is not None:
            progress("inspect", 0, 0)
        try:
            findings = inspect_one(
                place, k=settings.k, m=settings.m, hierarchies=settings.hierarchy, seed=settings.seed, **roles
            )
        except InputError as error:
            ways = [fix.settings for fix in error.fixes if fix.settings]
            commands = _ways_to_read(source, place, given, roles, ways)
            error.commands = [f"complete command: {command}" for command in commands]
            raise
    if json:
        show_json(findings.to_dict())
    else:
        show(*findings_account(findings), *([] if quiet else _note_on_codes(findings)))
    typed, trees = {**given, **findings.recognised, "hierarchy": []}, given.get("hierarchy")
    job = Path(out or _new_job(source))
    job = job.with_stem(f"{job.stem}-more") if out is not None and findings.records else job
    further, condition = further_roles(findings.possible_items, findings.possible_roles)
    more = [f"{as_typed('inspect', source, {**typed, **columns}, trees)} -o {job}" for columns in further]
    if not more and not findings.records and len(findings.columns) == 1:
        more = _ways_to_read(source, place, given, roles, _SPLIT)[:1]
        condition = ", if the lines contain several columns or items"
    with_next = not (json or quiet)
    if out is not None:
        lines = [f"complete command{condition}: {command}" for command in more]
        _write_job(Path(out), findings, lines, json=json, with_next=with_next)
    elif with_next and findings.records:
        _show_next_job(source, typed, trees, "settings", is_open=findings.question is not None)
    if with_next:
        show(*_next_lines(findings, more, condition))
    return DONE


def _next_lines(findings: "Findings", commands: Sequence[str], condition: str) -> Iterator[str]:
    """Yield a line for each command that publishes further columns. Without records, these are the next commands."""
    for number, command in enumerate(commands):
        if not (findings.records or number):
            yield f"Next{condition}: {command}"
        elif findings.possible_roles:
            yield f"To publish further columns, if they may be published: {command}"
        else:
            yield f"To publish other columns as items: {command}"


def _note_on_codes(findings: "Findings") -> list[str]:
    """Return a note that `suggest` also tries a hierarchy by frequency.

    Without a proposed hierarchy that groups codes by their first characters, there is no note.
    """
    from anonset.data.hierarchies.hierarchy_rules import PROPOSED

    trees = findings.settings.get("hierarchy", {})
    sets = [
        name for name in ("items", *findings.settings.get("items", ())) if str(trees.get(name)).startswith("prefix:")
    ]
    if not sets:
        return []
    return [
        f"{trees[sets[0]]} groups codes by meaning; {PROPOSED} groups codes of similar frequency, and usually loses "
        "less: anonset suggest compares both"
    ]


def _ways_to_read(
    source: str, place: str, flags: Mapping[str, Any], roles: Mapping[str, Any], ways: Sequence[Mapping[str, Any]]
) -> list[str]:
    """Return the commands that read several columns or items with other reading options."""
    from anonset.jobs.proposals.inspect import inspect_one

    commands = list[str]()
    for settings in ways:
        with suppress(InputError):
            found = inspect_one(place, **{**roles, **settings})
            if found.records or len(found.columns) > 1:
                commands.append(as_typed("inspect", source, {**flags, **settings}))
    return commands


def _new_job(source: str) -> str:
    """Return the name of a new job file: ``job.toml``, or with a number if the source is a job file."""
    if not source.lower().endswith(".toml"):
        return "job.toml"
    further = (Path(source).with_name(f"{Path(source).stem}-{number}.toml") for number in count(2))
    return str(next(file for file in further if not file.exists()))


def _show_next_job(source: str, flags: Mapping[str, Any], trees: Any, written: str, *, is_open: bool) -> None:
    """Print the command that writes the findings to a new job file."""
    answer = '; in it, replace unit = "?" by the line that states who is a person' if is_open else ""
    command = f"{as_typed('inspect', source, flags, trees)} -o {_new_job(source)}"
    show(f"Next: {command}, to write these {written} to a job file{answer}")


def _show_next_run(job: str, task: str, units: Sequence[str]) -> None:
    """Print the commands that run a written job file, after a task of the user. `units` are the possible values of the
    unit if it is open.
    """
    from anonset.settings.job_text import unit_line

    lines = f" ({' or '.join(map(unit_line, units))})" if units else ""
    show(f"Next: {task} {job}{lines}, then run {as_typed('suggest', job)}, or {as_typed('anonymize', job)}")


def _require_new(path: Path) -> None:
    require_local(path)
    if path.suffix.lower() != ".toml":
        msg = f"-o {path}: the name of a job file must end with .toml"
        raise InputError(msg)
    if path.exists():
        msg = f"{path} already exists and is not overwritten; name another file"
        raise InputError(msg)


def _write_job(path: Path, findings: "Findings", further: Sequence[str], *, json: bool, with_next: bool) -> None:
    from anonset.reading.sources.files import write_file

    if findings.obstacle is not None:
        listed = "problems" if json else "Check"
        msg = f"{path} is not written: {foreign(findings.obstacle.sentence)} (see {listed})"
        error = InputError(msg)
        error.commands = list(further)
        raise error
    write_file(path, [findings.job_text(path.parent).encode()])
    if with_next:
        units = [] if findings.question is None else [answer.key for answer in findings.question.able]
        task = "resolve the problems that Check calls rejected in" if findings.rejected else "review"
        _show_next_run(str(path), task if findings.question is None else _TO_DECLARE, units)


def _show_linked(
    findings: "LinkedFindings", flags: Mapping[str, Any], *, out: str | None, quiet: bool, json: bool
) -> None:
    """Print findings about linked tables with the next commands, and write a job file if `out` names one.

    Raises
    ------
    InputError
        If a job file is asked for, and no table has items.
    """
    from anonset.reading.sources.files import write_file
    from anonset.report.linked_findings import linked_account

    if json:
        show_json(findings.to_dict())
    else:
        show(*linked_account(findings))
    if out is not None:
        try:
            text = findings.job_text(Path(out).parent)
        except InputError as error:
            msg = error.problem.sentence if json else f"{out} is not written: {error.problem.sentence}"
            raise InputError(msg) from None
        write_file(Path(out), [text.encode()])
    if json or quiet or not findings.can_run:
        return
    source, units = findings.source, [] if findings.is_declared else [key.unit for key in findings.keys]
    if out is None:
        _show_next_job(source, flags, None, "tables", is_open=bool(units))
        return
    _show_next_run(out, _TO_DECLARE if units else "review", units[:1])
    for unit in units[1:]:
        other = shlex.quote(str(Path(out).with_stem(f"{Path(out).stem}-{unit}")))
        show(f"If each {unit} is a person: {as_typed('inspect', source, {**flags, 'unit': unit})} -o {other}")


_TO_DECLARE = "declare who is a person in"
