"""Spell the roles of columns of linked tables as lines of the job file. Flags cannot set them."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from anonset.reading.roles import name_list
from anonset.settings.job_files import read_toml
from anonset.settings.job_text import table_header, toml_of
from anonset.settings.overriding import over
from anonset.spelling import Spelling

_ROLES = ("items", "relational", "numeric", "keep", "drop")
"""Settings of a table that name columns."""


def with_table_lines(arguments: Sequence[str], spelling: Spelling) -> Spelling:
    """Return the spelling of settings for a command: `spelling`, but lines of the job file for roles in its tables.

    Parameters
    ----------
    arguments
        Arguments of the command. The first job file among them that names tables counts.
    """
    for path in (Path(argument) for argument in arguments):
        if (job := job_with_tables(path)) is not None:
            tables = job["tables"]
            return lambda settings: spelled_for_tables(tables, settings, spelling)
    return spelling


def job_with_tables(path: Path) -> dict[str, Any] | None:
    """Return the content of a job file that names tables. Return None for other files and invalid job files."""
    if path.suffix.lower() != ".toml":
        return None
    try:
        job, _ = read_toml(str(path))
    except (OSError, ValueError):  # reported where the job is read
        return None
    tables = job.get("tables")
    return job if isinstance(tables, dict) and all(isinstance(one, dict) for one in tables.values()) else None


def spelled_for_tables(tables: Mapping[str, Any], settings: Mapping[str, Any], spelling: Spelling) -> str:
    r"""Return settings as text: lines of the job file for the roles of columns in tables, and `spelling` for others.

    >>> tables = {"patient": {"relational": ["age", "zip"], "drop": "name"}, "drug": {"items": "atc"}}
    >>> spelled_for_tables(tables, {"drop": ["patient.zip"], "k": 3}, str)
    '[tables.patient] relational = ["age"], drop = ["name", "zip"] {\'k\': 3}'
    >>> spelled_for_tables(tables, {"drop": ["drug.atc"]}, str), spelled_for_tables(tables, {"keep": None}, str)
    ('without [tables.drug]', 'keep')
    """
    lines, others = list[str](), dict[str, Any]()
    for name, value in settings.items():
        if name in _ROLES and value is None:
            lines.append(name)
        elif name in _ROLES and isinstance(value, str | list) and (of_table := _by_table(tables, name_list(value))):
            for table, columns in of_table.items():
                lines += _changed_lines(table, tables[table], name, columns)
        else:
            others[name] = value
    return " ".join([*lines, *([spelling(others)] if others else [])])


def _by_table(tables: Mapping[str, Any], names: Sequence[str]) -> dict[str, list[str]]:
    """Return the columns of each table. Empty if a name is not ``table.column``."""
    found: dict[str, list[str]] = {}
    for name in names:
        table, _, column = name.partition(".")
        if table not in tables or not column:
            return {}
        found.setdefault(table, []).append(column)
    return found


def _changed_lines(table: str, settings: Mapping[str, Any], role: str, columns: Sequence[str]) -> Iterator[str]:
    header = f"[{table_header(table)}]"
    if role == "drop" and settings.get("items") in columns:
        yield f"without {header}"
        return
    before = {name: name_list(settings[name]) for name in _ROLES if name in settings}
    after = {name: names for name, names in over(before, {role: list(columns)}).items() if names}
    changed = {name: after.get(name, []) for name in {**before, role: []} if after.get(name) != before.get(name)}
    lines = changed or {role: after[role]}
    plain = {name: names[0] if name == "items" and len(names) == 1 else names for name, names in lines.items()}
    yield f"{header} {', '.join(f'{name} = {toml_of(value)}' for name, value in plain.items())}"
