"""Read job files. A job file contains settings of `anonset anonymize`, and every command accepts it in place of a data
set.
"""

import re
import tomllib
from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

from anonset.algorithms.registry import ALGORITHMS, APART
from anonset.columns.roles import SETS
from anonset.errors import Fix, InputError, Problem, UndeclaredUnitError, typed
from anonset.reading.file_options import COLUMN_OPTIONS, NONE, OPEN, ROW, UNKNOWN
from anonset.reading.linked import LinkedTables, column_of, without_open
from anonset.reading.sources.files import require_file
from anonset.reading.sources.place import Place, is_address
from anonset.settings.column_rules import OPTIONS_OF_ROLES, TABLES
from anonset.settings.edits import QUESTIONS, answer_in, answered, answers_of, edited, without_questions
from anonset.settings.job import Job
from anonset.settings.job_text import toml_of, unit_line
from anonset.settings.parameters import accepted_settings, default_algorithm, parameters
from anonset.settings.paths import placed_below
from anonset.settings.readers import WrittenFloat
from anonset.settings.settings import REPORT, ReadingSettings, Settings, is_job, unknown_setting, validate
from anonset.spelling import as_typed, setting
from anonset.strict_json import loads

_Settings = TypeVar("_Settings", bound=ReadingSettings)
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
        raise InputError(f"job file {str(path)!r} is not valid TOML: {error}") from None
    except RecursionError:
        raise InputError(f"job file {str(path)!r} is not valid TOML: it is nested too deeply") from None
    return {key.replace("-", "_"): value for key, value in entries.items()}, text


def read_job(path: str, flags: Job | None = None, *, unanswered: bool = False) -> Job:
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
    entries, text = read_toml(path)
    if "tables" in entries:
        _name_columns(path, entries)
    job = Job(entries)
    for question in QUESTIONS:
        job = _with_answer(path, job, question, text, flags or Job(), unanswered=unanswered)
    return placed_below(
        _with_tables(path, job, flags or Job(), unanswered=unanswered) if "tables" in job else job, Place(path).parent
    )


def _name_columns(path: str, job: dict[str, Any]) -> None:
    """Name the columns of a job with linked tables ``table.column``."""
    if "sensitive" in job:
        raise InputError(
            f"{path}: linked tables have no sensitive column; declare {setting('sensitive_items')} instead"
        )
    if clashing := [name for name in ("input", *_ROLES) if name in job]:
        raise InputError(f"{path}: {clashing[0]} must be set in a table, because the job names tables")
    for settings in (job, *job.get(QUESTIONS["unit"], {}).values()):
        for kind in TABLES:
            if isinstance(trees := settings.get(kind), Mapping):
                settings[kind] = dict(column_settings(trees))


def _with_tables(path: str, job: Job, flags: Job, *, unanswered: bool) -> Job:
    """Return the settings of a job with linked tables and the roles of their columns. The job file itself is the
    input.
    """
    tables = without_open(job["tables"]) if unanswered else job["tables"]
    roles, apart = LinkedTables.of(tables, job.get("unit"), path, Place(path).parent).roles, dict[str, str]()
    if len(roles["items"]) > 1 and job.get("model") == "kkm" and "algorithm" not in job:
        name = flags.text("algorithm") or str(default_algorithm("kkm", relational=True))
        if name in ALGORITHMS and "transaction" in accepted_settings(name, {}):
            apart = {"transaction": APART}  # the symbols of its default may have items of different tables
    trees = job.get("hierarchy")
    if isinstance(trees, Mapping):  # without those of other answers to the question which column contains the items
        of_items = [name for name, one in job["tables"].items() if "items" in one]
        trees = {n: tree for n, tree in trees.items() if n in roles["items"] or n.partition(".")[0] not in of_items}
    return Job({"input": Path(path).name, **apart, **job.without("tables").with_(hierarchy=trees), **roles})


def column_settings(settings: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the setting of each column. TOML reads the key ``table.column`` as a table with the key ``column``."""
    for name, value in settings.items():
        if isinstance(value, Mapping):
            yield from ((column_of(name, column), inner) for column, inner in value.items())
        else:
            yield name, value


def _with_answer(path: str, job: Job, question: str, text: str, flags: Job, *, unanswered: bool) -> Job:
    """Return a job with the edits for the answer to a question that it asks, or for that of the flags."""
    if not isinstance(job.get(question, ""), str | list):
        raise InputError(f"{path}: {question} must be a list of names, got {typed(job[question])}")
    answers = answers_of(job, question)
    stated = answer_in(question, flags)
    stated = [] if stated == [NONE] and NONE not in answers else stated
    names = stated or job.names(question) or ([OPEN] if answers else [])
    if not answers and names != [OPEN]:
        job = edited(job, Job({"unit": names})) if question == "unit" and names else job
        return job.without(question) if job.names(question) == [OPEN] else job
    if (made := answered(job, question, names)) is not None:
        return made.with_(items=[NONE]) if flags.names("items") == [NONE] else made  # `edited` removes both
    if unanswered:
        asked = {name for edits in answers.values() for name in edits.names(*SETS)}
        closed = without_questions(job, question)
        return closed.with_(drop=[name for name in closed.names("drop") if name not in asked])
    if names == [OPEN]:
        raise _open_question(path, job, question, text)
    command = f"{as_typed('inspect', path, {'unit': job.names('unit'), question: names})} -o {next_job_file(path)}"
    named = f"{question} = {toml_of(','.join(names))}"
    raise InputError(f"{path}: {named} needs other column roles than the job has; to propose these roles: {command}")


def next_job_file(source: str) -> str:
    """Return the name of a new job file: ``job.toml``, or with a number if the source is a job file."""
    if not source.lower().endswith(".toml"):
        return "job.toml"
    job = Path(Place(source).name if is_address(source) else source)
    further = (job.with_stem(f"{job.stem}-{number}") for number in count(2))
    return str(next(file for file in further if not file.exists()))


def item_fixes(job: Job) -> list[Fix]:
    """Return the possible answers to the question which columns contain the items. Empty if it is not open.

    >>> edits = {"a": {"items": ["a"], "model": "km"}, "none": {"model": "k"}}
    >>> [fix.settings for fix in item_fixes(Job({"items": "?", "items_is": edits}))]
    [{'items': ['a']}, {'items': ['none']}]
    """
    answers = answers_of(job, "items") if job.names("items") == [OPEN] else {}
    return [
        Fix({**edits.only((*SETS, *OPTIONS_OF_ROLES))} or {"items": [NONE]}, f"for items = {toml_of(answer)}")
        for answer, edits in answers.items()
    ]


def _open_question(path: str, job: Job, question: str, text: str) -> InputError:
    """Return the error that a job does not answer a question. It contains the possible answers."""
    if question == "items":
        sentence = 'which columns contain the items? Replace items = "?" by an answer'
        return InputError(Problem(f"{path}: {sentence}", item_fixes(job)))
    lines = _POSSIBLE.findall(text) or [unit_line(answer) for answer in answers_of(job, question)]
    lines = lines or [
        f"{unit_line(ROW)} if each row is a person",
        "the names of the columns that identify the person",
        f"{unit_line(UNKNOWN)} if the data do not say",
    ]
    ways = "; ".join(lines)
    return UndeclaredUnitError(f'{path}: declare who is a person: replace unit = "?" by one of these lines: {ways}')


def _settings_of_report(path: str) -> Job:
    content = _content(path)
    try:
        settings = loads(content)["settings"]
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path}: not the report.json of a private directory ({type(error).__name__})") from None
    if not settings:
        ways = "give OUT and --original, or write a job file"
        raise InputError(f"{path}: the report of a run from Python contains no settings; {ways}")
    return Job(settings)


def _require_settings(source: str, job: Job, model: type[ReadingSettings]) -> None:
    accepted: dict[str, Any] = {**Settings.model_fields, **model.model_fields}
    if accepted.keys() >= job.keys():
        return
    accepted |= parameters()
    if unknown := [unknown_setting(name, accepted) for name in job if name not in accepted]:
        raise InputError(f"{source}: {'; '.join(unknown)}")


def over_job(
    source: str, place: str, flags: Job, model: type[ReadingSettings], *, unanswered: bool = False
) -> tuple[str, Job]:
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
        return source, flags
    job = read_job(source, flags if "unit" in model.model_fields else None, unanswered=unanswered)
    if Path(source).name != REPORT:  # a report may contain settings of another version
        _require_settings(source, job, model)
    if not isinstance(job.get(place), str):
        raise InputError(f"{source}: {place} must be set to a path")
    return job[place], edited(model.of_job(job, flags).without(place), flags)


def settings_at(source: str, place: str, flags: Job, model: type[_Settings]) -> tuple[str, _Settings]:
    """Return the path of the data and the validated settings of a command. Parameters and errors as in `over_job`."""
    path, settings = over_job(source, place, flags, model)
    return path, validate(model, {**settings, place: path} if place in model.model_fields else settings)
