"""A setting changes a job in the same way as a flag over a job file, in a printed command, and on the page."""

import asyncio
import shlex
from collections.abc import Callable
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import pytest

from anonset.cli.commands.anonymize import anonymize
from anonset.cli.fixed_commands import printing_fixed_commands
from anonset.cli.flags import given_flags
from anonset.cli.options import options_of, parse
from anonset.errors import Fix, InputError
from anonset.reading.file_options import COLUMN_OPTIONS
from anonset.settings.column_rules import with_exact_names
from anonset.settings.job import Job
from anonset.settings.job_files import over_job, read_job
from anonset.settings.parameters import MODELS
from anonset.settings.settings import settings_model
from anonset.spelling import JOB_KEYS, arguments_of
from anonset.ui.state import choices
from anonset.ui.state.folder import Folder
from anonset.ui.state.page_state import PageState

COLUMNS = ("age", "zip", "hiv", "note,x", "codes", "more", "pid", "old", "sex")
JOB = """
input = "v.csv"
out = "safe"
unit = "row"
model = "kl"
k = 3
l = 2
items = ["codes", "more"]
relational = ["age", "zip"]
numeric = ["age"]
sensitive = "hiv"
id = ["pid"]
keep = ["note,x"]
drop = ["old"]
null = ["-9", "zip=0"]
normalize = ["upper", "zip=nfc"]
separator = "codes=, more=;"
publish_as_is = ["note,x", "zip"]
sensitive_items = ["E10"]
skip_rows = ["footer"]
accept = ["empty"]
[hierarchy]
age = "range"
zip = "zip.csv"
codes = "prefix:1"
[ceiling]
zip = "1"
[relational_weights]
zip = "2"
"""
NO_EDITS = {"input", "out", "private", "work_dir"}
"""Settings that name the data or places of a run."""


def values_of(name: str, kind: Any) -> list[Any]:
    """Return values of a setting, by its type: another value, or every column in a setting of columns."""
    if get_origin(kind) in (Union, UnionType):
        kind = next(one for one in get_args(kind) if one is not type(None))
    if get_origin(kind) is Annotated:
        kind = get_args(kind)[0]
    if name in ("null", "normalize"):
        return [[f"{mark}{text}"] for text in ("k.A.", "upper") for mark in ("", "zip=", "sex=")]
    if name in (*COLUMN_OPTIONS, "unit", "publish_as_is"):
        return [[column] if get_origin(kind) is list else column for column in COLUMNS]
    if get_origin(kind) is dict:
        return [{column: value} for column in ("age", "zip", "sex") for value in ("1", "range")]
    if get_origin(kind) is list:
        choices = get_args(get_args(kind)[0])
        return [[one] for one in choices or ("no-other", "footer")]
    if get_origin(kind) is Literal:
        return [get_args(kind)[-1]]
    if name == "separator":
        return ["|", "codes=|", "sex=|"]
    if name == "model":
        return [*MODELS]
    return [True, False] if kind is bool else [{int: 7, float: 0.5}.get(kind, "7")]


EDITS = [
    pytest.param(name, value, id=f"{name}={value}")
    for name, field in settings_model().model_fields.items()
    if name not in NO_EDITS
    for value in values_of(name, field.annotation)
]


def typed(arguments: list[str]) -> Job:
    _, values = parse(options_of(anonymize), arguments)
    return given_flags(values)


def by_flag(name: str, value: Any) -> Job:
    flags = Job({name: value}) if name in JOB_KEYS else typed(["job.toml", *arguments_of({name: value})])
    return over_job("job.toml", "input", flags, settings_model())[1]


def reject(fixes: list[Fix]) -> None:
    raise InputError("rejected", fixes=fixes)


def by_printed_command(name: str, value: Any) -> Job:
    base = read_job("job.toml").without("input")
    with pytest.raises(InputError) as caught, printing_fixed_commands("anonymize", "v.csv", base):
        reject([Fix({name: value}, "a change")])
    (command,) = caught.value.commands
    return typed(shlex.split(command.partition(" anonymize ")[2].strip("\ufdd1")))


def by_page(name: str, value: Any) -> Job:
    state = PageState(Folder(Path.cwd()))
    state.job = Path("job.toml")
    state.inspect_again = lambda: None  # type: ignore[method-assign]

    async def click() -> None:
        choices.apply_fix(state, Fix({name: value}))
        await state.end()

    asyncio.run(click())
    return read_job("job.toml").without("input")


@pytest.mark.parametrize(("name", "value"), EDITS)
def test_a_flag_a_printed_command_and_the_page_make_the_same_job(
    name: str, value: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("v.csv").write_text(",".join(f'"{column}"' for column in COLUMNS) + "\n")
    ways: list[Callable[[str, Any], Job]] = [by_flag, by_page]
    if name not in JOB_KEYS and name != "publish_as_is":  # these have no printed command
        ways.insert(0, by_printed_command)
    jobs = []
    for way in ways:
        Path("job.toml").write_text(JOB)
        listed = [value] if name == "sensitive" and way is not by_flag else value
        jobs.append(with_exact_names(way(name, listed), COLUMNS))
    assert [jobs[0].changes(job) for job in jobs[1:]] == [{} for _ in jobs[1:]]
