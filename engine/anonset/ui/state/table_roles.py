"""Roles of the columns of linked tables."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from anonset.data.hierarchies.hierarchy_rules import RANGE
from anonset.reading.file_options import NONE, OPEN, Unit
from anonset.reading.linked import column_of
from anonset.settings.edits import edited
from anonset.settings.job import Job
from anonset.settings.table_lines import TABLE_ROLES, columns_by_table, with_column_role

_GENERALIZED = ("items", "relational")
"""Roles of columns with a hierarchy."""
_PUBLISHED = (*_GENERALIZED, "keep")
"""Roles of published columns."""
Tables = Mapping[str, Job]
"""Settings of linked tables by name."""
Inspected = Mapping[str, Mapping[str, Any]]
"""Findings about linked tables by name, as ``anonset inspect --json`` prints them."""


def inspected_tables(tables: Tables, linked: Mapping[str, Any] | None, folder: Path, job: Path) -> Inspected:
    """Return the findings about the tables of a job, and about tables with the same key that the job does not read.

    Parameters
    ----------
    folder
        Folder in which the tables were inspected.
    job
        Path of the job file. The paths in the result are relative to it.
    """
    read = {os.path.normpath(table.text("input")) for table in tables.values()}
    found = [
        {**one, "input": Path(os.path.relpath(folder / one["input"], job.parent)).as_posix()}
        for one in ([*linked["tables"], *linked["without_items"]] if linked else ())
    ]
    return {one["name"]: one for one in found if one["name"] in tables or one["input"] not in read}


def roles_of(tables: Tables) -> dict[str, str]:
    """Return the role of each column that a table names.

    >>> roles_of({"patient": Job({"relational": ["age"], "numeric": ["age"]}), "drug": Job({"items": "atc"})})
    {'patient.age': 'relational', 'drug.atc': 'items'}
    """
    return {
        column_of(table, column): role
        for table, stated in tables.items()
        for role in TABLE_ROLES
        if role != "numeric"
        for column in stated.names(role)
        if (role, column) not in (("items", OPEN), ("items", NONE))
    }


def with_columns(job: Job, tables: Tables, inspected: Inspected, unit: str, added: Job) -> tuple[Job, dict[str, Job]]:
    """Return a job and its linked tables with other settings. A column is called ``table.column``.

    A table of which nothing is published any more is removed, and a table is added if the owner publishes a column of
    it. Columns with another role get the hierarchy that the inspection proposes for this role.

    Parameters
    ----------
    added
        Columns by role, and other settings.
    """
    after, others = {**tables}, {}
    for name, value in added.settings.items():
        of_tables = columns_by_table({**inspected, **tables}, name, value)
        for table, columns in of_tables.items():
            section = after.get(table) or _section(inspected[table])
            after[table] = _with_role(section, inspected.get(table, {"columns": ()}), unit, name, columns)
        if not of_tables:
            others[name] = value
    job, after = edited(job, Job(others)), _with_parents(after, inspected)
    was, now = roles_of(tables), roles_of(after)
    for name in [name for name in {**was, **now} if was.get(name) != now.get(name)]:
        tree = added.entries("hierarchy").get(name) or _proposed(inspected, name, now.get(name, ""))
        if now.get(name) == "relational" and tree == RANGE:
            table, _, column = name.partition(".")
            after[table] = edited(after[table], Job({"numeric": [column]}))
        job = job.with_entry("hierarchy", name, tree).with_entry("ceiling", name, None)
    return job, after


def _section(found: Mapping[str, Any]) -> Job:
    """Return the settings of an inspected table without the roles of its columns."""
    section = {"input": found["input"], "key": found["key"]}
    if parent := found["in"]:
        section["in"] = parent if found["parent_key"] == found["key"] else column_of(parent, found["parent_key"])
    return Job({**section, **found["options"]})


def _with_role(table: Job, found: Mapping[str, Any], unit: str, role: str, columns: Sequence[str]) -> Job:
    made = with_column_role(table, role, columns)
    if not (table.names("relational", "keep") or made.names(*_PUBLISHED)):
        return made.without("drop")
    if made.names("items"):
        return made
    named = {*(table.names("key") or Unit.of(unit)), *made.names(*TABLE_ROLES)}  # a table of persons names the others
    return made.with_(
        drop=[*made.names("drop"), *(one["name"] for one in found["columns"] if one["name"] not in named)]
    )


def _with_parents(tables: Tables, inspected: Inspected) -> dict[str, Job]:
    """Return the tables that publish columns, and the tables that link these tables to persons, in the order of the job
    file. A table that links may hang on another table.
    """
    every = {**tables, **{name: _section(found) for name, found in inspected.items() if name not in tables}}
    needed = [name for name, table in tables.items() if any(role in table.settings for role in TABLE_ROLES)]
    for name in needed:  # grows in the loop
        parent = every[name].text("in").partition(".")[0]
        if parent in every and parent not in needed:
            needed.append(parent)
    return {name: table for name, table in every.items() if name in needed}


def _proposed(inspected: Inspected, name: str, role: str) -> str | None:
    table, _, column = name.partition(".")
    columns = inspected.get(table, {"columns": ()})["columns"]
    found = next((one for one in columns if one["name"] == column), None)
    if found is None or role not in _GENERALIZED:
        return None
    proposed: str = found["hierarchy"] if found["role"] == role else found["hierarchies"][role]
    return proposed
