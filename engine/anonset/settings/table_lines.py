"""Spell the roles of columns of linked tables as lines of the job file. Flags cannot set them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from anonset.reading.linked import ATTRIBUTES
from anonset.reading.roles import name_list
from anonset.settings.edits import edited
from anonset.settings.job import Job
from anonset.settings.job_files import read_toml
from anonset.settings.job_text import table_header, toml_of
from anonset.spelling import Spelling

TABLE_ROLES = ("items", *ATTRIBUTES)
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
        if name in TABLE_ROLES and value is None:
            lines.append(name)
        elif of_table := columns_by_table(tables, name, value):
            for table, columns in of_table.items():
                lines += _changed_lines(table, tables[table], name, columns)
        else:
            others[name] = value
    return " ".join([*lines, *([spelling(others)] if others else [])])


def columns_by_table(tables: Iterable[str], setting: str, value: Any) -> dict[str, list[str]]:
    """Return the columns of each table that a setting names. Empty if the setting is not the role of columns of these
    tables.

    >>> columns_by_table(["patient", "drug"], "drop", ["patient.zip", "patient.age"])
    {'patient': ['zip', 'age']}
    """
    found: dict[str, list[str]] = {}
    for name in name_list(value) if setting in TABLE_ROLES and isinstance(value, str | list) else ():
        table, _, column = name.partition(".")
        if table not in tables or not column:
            return {}
        found.setdefault(table, []).append(column)
    return found


def with_column_role(settings: Mapping[str, Any], role: str, columns: Sequence[str]) -> dict[str, list[str]]:
    """Return the columns of a linked table by role if some columns get another role. Roles without columns are omitted.

    A table has one column of items, so the former column of items loses its role. The other columns of a table with
    items are never published and have no role.

    >>> with_column_role({"relational": ["age", "zip"], "drop": "name"}, "drop", ["zip"])
    {'relational': ['age'], 'drop': ['name', 'zip']}
    >>> with_column_role({"items": "atc"}, "items", ["dose"])
    {'items': ['dose']}
    """
    before = {name: name_list(settings[name]) for name in TABLE_ROLES if name in settings}
    if role == "items":
        before["items"] = []
    if role == "numeric":
        columns = [*before.get(role, ()), *columns]
    after = {name: names for name, names in edited(Job(before), Job({role: list(columns)})).settings.items() if names}
    return {name: names for name, names in after.items() if name not in ("drop", "numeric") or "items" not in after}


def _changed_lines(table: str, settings: Mapping[str, Any], role: str, columns: Sequence[str]) -> Iterator[str]:
    header = f"[{table_header(table)}]"
    if role == "drop" and settings.get("items") in columns:
        yield f"without {header}"
        return
    before = {name: name_list(settings[name]) for name in TABLE_ROLES if name in settings}
    after = with_column_role(settings, role, columns)
    changed = {name: after.get(name, []) for name in {**before, role: []} if after.get(name) != before.get(name)}
    lines = changed or {role: after.get(role, [])}
    plain = {name: names[0] if name == "items" and len(names) == 1 else names for name, names in lines.items()}
    yield f"{header} {', '.join(f'{name} = {toml_of(value)}' for name, value in plain.items())}"
