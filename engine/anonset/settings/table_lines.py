"""Spell the roles of columns of linked tables as lines of the job file. Flags cannot set them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from anonset.reading.linked import ATTRIBUTES
from anonset.reading.name_lists import name_list
from anonset.settings.edits import edited
from anonset.settings.job import Job
from anonset.settings.job_files import read_toml
from anonset.settings.job_text import table_header, toml_of
from anonset.spelling import SettingValue, Spelling, StatedSettings

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


def job_with_tables(path: Path) -> Job | None:
    """Return the content of a job file that names tables. Return None for other files and invalid job files."""
    if path.suffix.lower() != ".toml":
        return None
    try:
        job = Job(read_toml(str(path))[0])
    except (OSError, ValueError):  # reported where the job is read
        return None
    tables = job.get("tables")
    return job if isinstance(tables, dict) and all(isinstance(one, dict) for one in tables.values()) else None


def spelled_for_tables(tables: Mapping[str, StatedSettings], settings: StatedSettings, spelling: Spelling) -> str:
    r"""Return settings as text: lines of the job file for the roles of columns in tables, and `spelling` for others.

    >>> tables = {"patient": {"relational": ["age", "zip"], "drop": "name"}, "drug": {"items": "atc"}}
    >>> spelled_for_tables(tables, {"drop": ["patient.zip"], "k": 3}, str)
    '[tables.patient] relational = ["age"], drop = ["name", "zip"] {\'k\': 3}'
    >>> spelled_for_tables(tables, {"drop": ["drug.atc"]}, str), spelled_for_tables(tables, {"keep": None}, str)
    ('without [tables.drug]', 'keep')
    """
    lines, others = list[str](), dict[str, SettingValue]()
    for name, value in settings.items():
        if name in TABLE_ROLES and value is None:
            lines.append(name)
        elif of_table := columns_by_table(tables, name, value):
            for table, columns in of_table.items():
                lines += _changed_lines(table, Job(tables[table]), name, columns)
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


def with_column_role(table: Job, role: str, columns: Sequence[str]) -> Job:
    """Return the settings of a linked table in which some columns have another role.

    A table has one column of items, so the former column of items loses its role. The other columns of a table with
    items are never published and have no role.

    >>> with_column_role(Job({"relational": ["age", "zip"], "drop": "name"}), "drop", ["zip"]).settings
    {'relational': ['age'], 'drop': ['name', 'zip']}
    >>> with_column_role(Job({"items": "atc"}), "items", ["dose"]).settings
    {'items': 'dose'}
    """
    made = edited(table.without("items") if role == "items" else table, Job({role: list(columns)}))
    if not (items := made.names("items")):
        return made
    return made.without("drop", "numeric").with_(items=items if len(items) > 1 else items[0])


def _changed_lines(name: str, table: Job, role: str, columns: Sequence[str]) -> Iterator[str]:
    header = f"[{table_header(name)}]"
    if role == "drop" and table.text("items") in columns:
        yield f"without {header}"
        return
    after = with_column_role(table, role, columns)
    lines = table.changes(after) or {role: after.get(role)}
    yield f"{header} {', '.join(f'{setting} = {toml_of(value or [])}' for setting, value in lines.items())}"
