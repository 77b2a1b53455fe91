"""Read job files. A job file contains settings of `anonset anonymize`, and every command accepts it in place of a data
set.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from anonset.algorithms.registry import ALGORITHMS, APART
from anonset.errors import InputError, UndeclaredUnitError
from anonset.reading.file_options import COLUMN_OPTIONS, OPEN, ROW, UNKNOWN, Unit
from anonset.reading.linked import LinkedTables, column_of
from anonset.reading.sources.files import require_file
from anonset.reading.sources.place import Place, is_address
from anonset.settings.column_rules import TABLES, without_roles
from anonset.settings.job import Job
from anonset.settings.job_text import unit_line
from anonset.settings.overriding import over
from anonset.settings.parameters import accepted_settings, default_algorithm, parameters
from anonset.settings.paths import placed_below
from anonset.settings.readers import WrittenFloat
from anonset.settings.settings import REPORT, ReadingSettings, Settings, is_job, unknown_setting
from anonset.spelling import as_typed, listed
from anonset.strict_json import loads

ANSWERS = "unit_is"
"""Name of the table with the settings for each possible value of ``unit``."""
_POSSIBLE = re.compile(r"^# (unit = \S.*?) *$", re.MULTILINE)
_ROLES = tuple(role for role in COLUMN_OPTIONS if role != "id")


def _content(path: str) -> bytes:
    if is_address(path):
        place = Place(path)
        return place.parent.read(place.name)
    require_file(Path(path))
    return Path(path).read_bytes()


def read_toml(path: str) -> tuple[dict[str, Any], str]:
    """Return the settings and the text of a TOML file. A key is an option name, with hyphens or underscores.

    Raises
    ------
    InputError
        If there is no such file, or it is not TOML.
    """
    content = _content(path)
    try:
        text = content.decode()
        entries = tomllib.loads(text, parse_float=WrittenFloat)
    except ValueError as error:  # from TOML, from UTF-8, or from a number with thousands of digits
        msg = f"job file {str(path)!r} is not valid TOML: {error}"
        raise InputError(msg) from None
    except RecursionError:
        msg = f"job file {str(path)!r} is not valid TOML: it is nested too deeply"
        raise InputError(msg) from None
    return {key.replace("-", "_"): value for key, value in entries.items()}, text


def read_job(path: str, flags: Mapping[str, Any] | None = None, *, unanswered: bool = False) -> dict[str, Any]:
    """Read a job file, or the settings in a private report. Paths in a job file are relative to it.

    Parameters
    ----------
    flags
        Settings that override the file. `unit` declares the unit.
    unanswered
        True to accept a job without a declared unit. Settings that depend on the unit are then omitted.

    Raises
    ------
    InputError
        If the file does not exist, or is not TOML or a report. `UndeclaredUnitError` if the unit is open.
    """
    if Path(path).name == REPORT:
        return _settings_of_report(path)
    job, text = read_toml(path)
    of_tables = "tables" in job
    if of_tables:
        job = _with_column_names(path, job)
    job = _with_declared_unit(path, job, text, flags or {}, unanswered=unanswered)
    return placed_below(_with_tables(path, job, flags or {}) if of_tables else job, Place(path).parent)


def _with_column_names(path: str, job: dict[str, Any]) -> dict[str, Any]:
    """Return the settings of a job with linked tables, whose columns are called ``table.column``."""
    if clashing := [name for name in ("input", *_ROLES) if name in job]:
        msg = f"{path}: {clashing[0]} must be set in a table, because the job names tables"
        raise InputError(msg)
    for settings in (job, *_answers(path, job).values()):
        for kind in TABLES:
            if isinstance(trees := settings.get(kind), Mapping):
                settings[kind] = dict(column_settings(trees))
    return job


def _with_tables(path: str, job: dict[str, Any], flags: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a job with linked tables and the roles of their columns. The job file itself is the
    input.
    """
    roles = LinkedTables.of(job.pop("tables"), job.get("unit"), path, Place(path).parent).roles
    if len(roles["items"]) > 1 and job.get("model") == "kkm" and "algorithm" not in job:
        name = str(flags.get("algorithm") or default_algorithm("kkm", relational=True))
        if name in ALGORITHMS and "transaction" in accepted_settings(name, {}):
            job = {"transaction": APART, **job}  # the symbols of its default may have items of different tables
    return {"input": Path(path).name, **job, **roles}


def column_settings(settings: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the setting of each column. TOML reads the key ``table.column`` as a table with the key ``column``."""
    for name, value in settings.items():
        if isinstance(value, Mapping):
            yield from ((column_of(name, column), inner) for column, inner in value.items())
        else:
            yield name, value


def _answers(path: str, job: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the settings for each possible value of ``unit``."""
    answers = job.get(ANSWERS, {})
    if not (isinstance(answers, dict) and all(isinstance(roles, dict) for roles in answers.values())):
        msg = f"{path}: {ANSWERS} must be a table with the settings for each value of unit"
        raise InputError(msg)
    return answers


def _with_declared_unit(
    path: str, job: dict[str, Any], text: str, flags: Mapping[str, Any], *, unanswered: bool
) -> dict[str, Any]:
    answers = _answers(path, job)
    job.pop(ANSWERS, None)
    declared = flags.get("unit") or job.get("unit", OPEN if answers else "")
    if not (isinstance(declared, str) or (isinstance(declared, list) and all(isinstance(n, str) for n in declared))):
        msg = f'{path}: unit must be "{ROW}", "{UNKNOWN}" or column names, got {declared!r}'
        raise InputError(msg)
    unit, without = Unit.of(declared), {name: value for name, value in job.items() if name != "unit"}
    of_answer, is_open = answers.get(unit.key_in(answers)), str(unit) in (OPEN, "")
    is_lacking = is_open or (bool(answers) and of_answer is None)
    if is_lacking if unanswered else not (str(unit) or answers):
        return without
    if is_open:
        raise UndeclaredUnitError(_question(path, text, answers))
    if answers:
        if of_answer is None:
            has = listed([unit_line(answer) for answer in answers], "or")
            command = as_typed("inspect", path, {"unit": list(unit)})
            msg = (
                f"{path}: the job has no roles for {unit_line(unit)}, only for {has}; to propose these roles: {command}"
            )
            raise InputError(msg)
        brought = {name.replace("-", "_"): value for name, value in of_answer.items()}
    else:
        without, brought = dict(without_roles(Job(without), dict.fromkeys(unit.columns, "unit")).settings), {}
    return {name: value for name, value in {**without, **brought, "unit": list(unit)}.items() if value != []}


def _question(path: str, text: str, answers: Mapping[str, Any]) -> str:
    """Return the message that a job does not declare who is a person. The message contains the possible
    declarations.
    """
    lines = _POSSIBLE.findall(text) or [unit_line(answer) for answer in answers]
    lines = lines or [
        f"{unit_line(ROW)} if each row is a person",
        "the names of the columns that identify the person",
        f"{unit_line(UNKNOWN)} if the data do not say",
    ]
    return f'{path}: declare who is a person: replace unit = "?" by one of these lines: {"; ".join(lines)}'


def _settings_of_report(path: str) -> dict[str, Any]:
    content = _content(path)
    try:
        settings = loads(content)["settings"]
    except (ValueError, KeyError, TypeError) as error:
        msg = f"{path}: not the report.json of a private directory ({type(error).__name__})"
        raise InputError(msg) from None
    if not settings:
        ways = "give OUT and --original, or write a job file"
        msg = f"{path}: the report of a run from Python contains no settings; {ways}"
        raise InputError(msg)
    return dict(settings)


def _require_settings(source: str, job: Mapping[str, Any], model: type[ReadingSettings]) -> None:
    accepted: dict[str, Any] = {**Settings.model_fields, **model.model_fields}
    if accepted.keys() >= job.keys():
        return
    accepted |= parameters()
    if unknown := [unknown_setting(name, accepted) for name in job if name not in accepted]:
        msg = f"{source}: {'; '.join(unknown)}"
        raise InputError(msg)


def over_job(
    source: str, place: str, flags: Mapping[str, Any], model: type[ReadingSettings], *, unanswered: bool = False
) -> tuple[str, dict[str, Any]]:
    """Return the path of the data and the settings of a command. Flags override the settings of a job file.

    Parameters
    ----------
    source
        A data set, a publication, or a job file.
    place
        Setting of the job file that contains the path: ``input`` or ``out``.
    flags
        Settings from the command line, by name.
    model
        The settings of the command.
    unanswered
        True to accept a job file without a declared unit.

    Raises
    ------
    InputError
        If the file cannot be read, has no such setting, or contains an unknown setting.
    """
    if not is_job(source):
        return source, dict(flags)
    job = read_job(source, flags if "unit" in model.model_fields else {}, unanswered=unanswered)
    if Path(source).name != REPORT:  # a report may contain settings of another version
        _require_settings(source, job, model)
    if not isinstance(job.get(place), str):
        msg = f"{source}: {place} must be set to a path"
        raise InputError(msg)
    job_settings = {name: value for name, value in model.of_job(job, flags).items() if name != place}
    return job[place], dict(over(Job(job_settings), Job(flags)).settings)
