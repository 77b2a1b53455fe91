"""Text of job files: settings with comments, which users can edit."""

import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from anonset.reading.file_options import Unit
from anonset.reading.sources.place import is_address
from anonset.spelling import StatedSettings, in_file

CHECK = "# Check: "
"""Begin of a comment about a problem that the owner should check."""
CHECKED = "# Checked: "
"""Begin of a comment about a problem that the owner has checked."""
_OF_TABLE = "tables."
"""First part of the names of linked tables, whose entries are settings."""
_BARE = re.compile(r"[A-Za-z0-9_-]+")
"""Names that TOML does not quote."""


def job_text(
    input: str | None,  # noqa: A002
    out: str,
    settings: StatedSettings,
    guarantee: Mapping[str, str | int],
    reasons: Mapping[str, Sequence[str]],
    problems: Sequence[str],
    question: Sequence[str] = (),
    answers: Mapping[str, str] = MappingProxyType({}),
    items: Mapping[str, StatedSettings] = MappingProxyType({}),
) -> str:
    """Return a commented job file.

    Parameters
    ----------
    input, out
        Paths of the data and of the publication, relative to the job file. `input` is None if the settings name tables.
    settings
        Roles, reading options and hierarchies.
    guarantee
        ``model``, ``k``, ``m`` and other parameters of the model.
    reasons
        Comment lines above a setting.
    problems
        Problems that the owner should check first.
    question
        Possible lines that declare who is a person. Empty if no declaration is needed.
    answers
        Text with the settings for each possible value of ``unit``.
    items
        Edits of the settings for each possible value of ``items``. Empty if it is not open.
    """
    lines = [
        "# Job file for anonset. Run: anonset anonymize THIS-FILE. Compare algorithms: anonset suggest THIS-FILE.",
        "# Roles are proposals, based on column names and values. Check them: only you know the data.",
    ]
    lines += ["#", *(f"{CHECK}{problem}" for problem in map(one_line, problems))] if problems else []
    lines += [
        "",
        *([] if input is None else [f"input = {toml_of(input)}"]),
        f"out = {toml_of(out)}  # new directory; do not share {one_line(out)}.private",
    ]
    if question:
        lines += [
            "",
            '# Who is a person? Replace unit = "?" by one of these lines; until then, the job does not run.',
        ]
        lines += [*(f"# {one_line(line)}" for line in question), 'unit = "?"']
    lines += [*_settings_lines(settings, guarantee, reasons), *_lines_of_items(items)]
    for answer, text in answers.items():
        lines += [
            "",
            f"# If each of {one_line(answer)} is a person:" if answer != "row" else "# If each row is a person:",
        ]
        lines += [f"[unit_is.{toml_of(answer)}]", *text.splitlines()]
    return "\n".join(lines) + "\n"


def answer_text(
    answer: str,
    settings: StatedSettings,
    guarantee: Mapping[str, str | int],
    reasons: Mapping[str, Sequence[str]],
    items: Mapping[str, StatedSettings] = MappingProxyType({}),
) -> str:
    """Return text with the settings for a value of ``unit``. `items` are edits of them (see `job_text`)."""
    within = f"unit_is.{toml_of(answer)}."
    return "\n".join([*_settings_lines(settings, guarantee, reasons, within), *_lines_of_items(items, within)])


def _lines_of_items(items: Mapping[str, StatedSettings], within: str = "") -> list[str]:
    lines = list[str]()
    for answer, edits in items.items():
        place = f"{within}items_is.{toml_of(answer)}"
        lines += ["", f"[{place}]", *filter(None, _settings_lines(edits, {}, {}, f"{place}."))]
    return lines


def _settings_lines(
    settings: StatedSettings, guarantee: Mapping[str, str | int], reasons: Mapping[str, Sequence[str]], within: str = ""
) -> list[str]:
    """Return the lines of settings. Table names are nested below the table `within`."""
    lines: list[str] = []
    tables = {name: value for name, value in settings.items() if isinstance(value, Mapping)}
    for name, value in settings.items():
        if name not in tables:
            lines += ["", *(f"# {one_line(reason)}" for reason in reasons.get(name, ())), f"{name} = {toml_of(value)}"]
    if guarantee:
        lines += [
            "",
            "# Privacy model. k: minimum number of matching records; m: maximum number of items that an "
            "attacker knows.",
        ]
    lines += [f"{name} = {toml_of(value)}" for name, value in guarantee.items()]
    for name, entries in tables.items():
        if entries or not within:
            lines += ["", *(f"# {one_line(reason)}" for reason in reasons.get(name, ())), f"[{within}{name}]"]
            key_text = str if name.startswith(_OF_TABLE) else toml_of
            for key, value in entries.items():
                comments = [f"# {one_line(reason)}" for reason in reasons.get(f"{name}.{key}", ())]
                lines += [*comments, f"{key_text(key)} = {toml_of(value)}"]
    return lines


def table_header(name: str) -> str:
    """Return the name of the part of a job file that contains the settings of a linked table.

    >>> table_header("visit"), table_header("my visits")
    ('tables.visit', 'tables."my visits"')
    """
    return f"{_OF_TABLE}{name if _BARE.fullmatch(name) else toml_of(name)}"


def relative_to(folder: Path, path: str) -> str:
    """Return a path relative to a folder. An address is returned unchanged.

    >>> relative_to(Path("jobs"), "a.csv"), relative_to(Path("jobs"), "s3://bucket/a.csv")
    ('../a.csv', 's3://bucket/a.csv')
    """
    return path if Path(path).is_absolute() or is_address(path) else Path(os.path.relpath(path, folder)).as_posix()


def unit_line(unit: str | Unit) -> str:
    r"""Return the line of a job file that states who is a person.

    >>> print(unit_line('a "b"'))
    unit = "a \"b\""
    """
    return f"unit = {toml_of(str(unit))}"


def toml_of(value: Any) -> str:
    """Return a value as TOML. TOML strings equal JSON strings, except for the character DEL."""
    if isinstance(value, bool) or not isinstance(value, (str, list, tuple)):
        return str(value).lower() if isinstance(value, bool) else str(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")
    return f"[{', '.join(map(toml_of, value))}]"


def one_line(text: str) -> str:
    """Return a text as a comment of a job file."""
    return "".join(c if c.isprintable() else " " for c in in_file(text))
