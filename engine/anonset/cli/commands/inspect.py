"""``anonset inspect``: column roles, re-identification risk and problems of a data set."""

import shlex
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from anonset.cli.flags import INPUT, flags_of, given_flags
from anonset.cli.options import Option
from anonset.cli.output import Output
from anonset.data.progress import Progress
from anonset.errors import InputError, foreign
from anonset.local_paths import require_local
from anonset.settings.commands import InspectSettings
from anonset.settings.edits import edited
from anonset.settings.job import Job
from anonset.settings.settings import RoleSettings, validate
from anonset.spelling import as_typed

if TYPE_CHECKING:
    from anonset.jobs.findings import Findings, UnitOption
    from anonset.jobs.linked_findings import LinkedFindings, TableFindings


Flags: Any = flags_of(InspectSettings, leave_out=["input"])

_SPLIT = (
    Job({"delimiter": " "}),
    Job({"delimiter": ":", "input_format": "csv"}),
    Job({"input_format": "spmf"}),
)
"""Reading options for lines that are read as a single column without items."""


def inspect(
    source: Annotated[str, INPUT],
    /,
    *,
    out: Annotated[str | None, Option("New job file (.toml) with the proposed settings.", alias="-o")] = None,
    progress: Progress | None,
    quiet: bool = False,
    json: bool = False,
    **flags: Flags,
) -> Output:
    """Examine a data set: column roles, re-identification risk and problems.

    Proposes a role, with a reason, for each column that has no declared role. For a folder of tables that share a key,
    proposes a job for linked tables. The output contains no data values. Exit codes: 0 done, even if problems are
    listed; 2 the data cannot be read.
    """
    from anonset.jobs.findings import further_roles
    from anonset.jobs.proposals.inspect import inspect_one, inspect_several
    from anonset.reading.sources.files import write_file
    from anonset.report.findings import findings_account
    from anonset.settings.job_files import next_job_file, over_job

    if out is not None:
        _require_new(Path(out))
    given = given_flags(flags)
    if progress is not None:
        progress("inspect", 0, 0)
    linked = inspect_several(source, given)
    if linked is not None:
        return _linked(linked, given, out=out, json=json)
    place, options = over_job(source, "input", given, InspectSettings, unanswered=True)
    settings = validate(InspectSettings, {**options, "input": place})
    roles = options.only((*RoleSettings.model_fields, "publish_as_is"))
    try:
        findings = inspect_one(
            place, k=settings.k, m=settings.m, hierarchies=settings.hierarchy, seed=settings.seed, **roles
        )
    except InputError as error:
        ways = [Job(fix.settings) for fix in error.fixes if fix.settings]
        commands = _ways_to_read(source, place, given, roles, ways)
        error.commands = [f"complete command: {command}" for command in commands]
        raise
    typed, trees = Job({**given, **findings.recognised, "hierarchy": []}), given.get("hierarchy")
    job = Path(out or next_job_file(source))
    job = job.with_stem(f"{job.stem}-more") if out is not None and findings.records else job
    further, condition = further_roles(findings.possible_items, findings.possible_roles)
    more = [f"{as_typed('inspect', source, {**typed, **columns}, trees)} -o {job}" for columns in further]
    if not findings.records and (fixes := findings.ways_to_read):
        more = [f"{as_typed('inspect', source, edited(typed, Job(fixes[0].settings)), trees)} -o {job}"]
        condition = f", {fixes[0].effect}"
    if not more and not findings.records and len(findings.columns) == 1:
        more = _ways_to_read(source, place, given, roles, _SPLIT)[:1]
        condition = ", if the lines contain several columns or items"
    notes, failure = _note_on_codes(findings), None
    if out is not None and findings.obstacle is not None:
        listed = "problems" if json else "Check"
        failure = InputError(f"{out} is not written: {foreign(findings.obstacle.sentence)} (see {listed})")
        failure.commands = [f"complete command{condition}: {command}" for command in more]
    elif out is not None:
        write_file(Path(out), [findings.job_text(Path(out).parent).encode()])
        units = [] if findings.question is None else [str(answer.unit) for answer in findings.question.able]
        task = "resolve the problems that Check calls rejected in" if findings.rejected else "review"
        asked = [findings] if findings.question is None else findings.question.able
        notes.append(_next_run(out, _task(asked, task, asks_unit=findings.question is not None), units))
    elif findings.records:
        notes.append(_next_job(source, typed, trees, "settings", is_open=findings.question is not None))
    if not more and not findings.records:
        notes.append(f"{_NO_COMMAND}: {as_typed('inspect', source, {**typed, 'unit': 'COLUMN', 'items': 'COLUMN'})}")
    further_lines = [] if failure is not None else [*_next_lines(findings, more, condition)]
    return Output(findings.to_dict, lambda: findings_account(findings), lambda: [*notes, *further_lines], error=failure)


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


def _ways_to_read(source: str, place: str, flags: Job, roles: Job, ways: Sequence[Job]) -> list[str]:
    """Return the commands that read several columns or items with other reading options."""
    from anonset.jobs.proposals.inspect import inspect_one

    commands = list[str]()
    for settings in ways:
        with suppress(InputError):
            found = inspect_one(place, **{**roles, **settings})
            if found.records or len(found.columns) > 1:
                commands.append(as_typed("inspect", source, {**flags, **settings}))
    return commands


def _next_job(source: str, flags: Job, trees: Any, written: str, *, is_open: bool) -> str:
    """Return the command that writes the findings to a new job file."""
    from anonset.settings.job_files import next_job_file

    answer = '; in it, replace unit = "?" by the line that states who is a person' if is_open else ""
    command = f"{as_typed('inspect', source, flags, trees)} -o {next_job_file(source)}"
    return f"Next: {command}, to write these {written} to a job file{answer}"


def _next_run(job: str, task: str, units: Sequence[str]) -> str:
    """Return the commands that run a written job file, after a task of the user. `units` are the possible values of the
    unit if it is open.
    """
    from anonset.settings.job_text import unit_line

    lines = f" ({' or '.join(map(unit_line, units))})" if units else ""
    return f"Next: {task} {job}{lines}, then run {as_typed('suggest', job)}, or {as_typed('anonymize', job)}"


def _require_new(path: Path) -> None:
    require_local(path)
    if path.suffix.lower() != ".toml":
        raise InputError(f"-o {path}: the name of a job file must end with .toml")
    if path.exists():
        raise InputError(f"{path} already exists and is not overwritten; name another file")


def _linked(findings: "LinkedFindings", flags: Job, *, out: str | None, json: bool) -> Output:
    """Return the output on linked tables, and write a job file if `out` names one."""
    from anonset.reading.sources.files import write_file
    from anonset.report.linked_findings import linked_account

    source, units = findings.source, [] if findings.is_declared else [key.unit for key in findings.keys]
    notes, error = [], None
    if out is None:
        notes = [_next_job(source, flags, None, "tables", is_open=bool(units))]
    else:
        try:
            write_file(Path(out), [findings.job_text(Path(out).parent).encode()])
        except InputError as problem:  # no table has items
            why = problem.problem.sentence
            error = InputError(why if json else f"{out} is not written: {why}")
        notes = [_next_run(out, _task(findings.tables, "review", asks_unit=bool(units)), units[:1])]
        for unit in units[1:]:
            other = shlex.quote(str(Path(out).with_stem(f"{Path(out).stem}-{unit}")))
            notes.append(
                f"If each {unit} is a person: {as_typed('inspect', source, {**flags, 'unit': unit})} -o {other}"
            )
    if not findings.can_run:
        places = [path for name in findings.left_out for path in (Path(source, name), Path(name))]
        files = [*dict.fromkeys(str(path) for path in places if path.is_file())] or [
            one.input for one in findings.tables
        ]
        commands = [as_typed("inspect", file) for file in files] or [as_typed("inspect", source, {"unit": "COLUMN"})]
        notes = [f"Next: inspect the files that are left out or have no items one by one: {'; '.join(commands)}"]
    return Output(findings.to_dict, lambda: linked_account(findings), lambda: [] if error else notes, error=error)


def _task(asked: "Iterable[Findings | UnitOption | TableFindings]", otherwise: str, *, asks_unit: bool) -> str:
    """Return the task before a run: to answer the questions of the job file, or `otherwise` without questions."""
    who, items = "who is a person" if asks_unit else "", "the items" if any(one.item_answers for one in asked) else ""
    questions = f"{who}, and {items}," if who and items else who or items
    return f"declare {questions} in" if questions else otherwise


_NO_COMMAND = (
    "Next: if no column contains or describes persons, the data need no anonymization; otherwise resolve the problems "
    "listed under Check, or name the columns of the persons and the items"
)
"""Next step if no column can be published."""
