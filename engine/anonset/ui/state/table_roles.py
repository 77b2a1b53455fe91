"""Changes of a job with linked tables if columns get other roles."""

import os
from collections.abc import Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from anonset.data.hierarchies.hierarchy_rules import RANGE
from anonset.reading.linked import column_of
from anonset.reading.roles import name_list
from anonset.settings.job import Job
from anonset.settings.model_choices import with_fix
from anonset.settings.table_lines import TABLE_ROLES, columns_by_table, with_column_role

_GENERALIZED = ("items", "relational")
"""Roles of columns with a hierarchy."""
Tables = Mapping[str, Mapping[str, Any]]
"""Settings of linked tables by name, as in a job file."""
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
    read = {os.path.normpath(str(table.get("input", ""))) for table in tables.values()}
    found = [
        {**one, "input": Path(os.path.relpath(folder / one["input"], job.parent)).as_posix()}
        for one in ([*linked["tables"], *linked["without_items"]] if linked else ())
    ]
    return {one["name"]: one for one in found if one["name"] in tables or one["input"] not in read}


def roles_of(tables: Tables) -> dict[str, str]:
    """Return the role of each column that a table names.

    >>> roles_of({"patient": {"relational": ["age"], "numeric": ["age"]}, "drug": {"items": "atc"}})
    {'patient.age': 'relational', 'drug.atc': 'items'}
    """
    return {
        column_of(table, column): role
        for table, settings in tables.items()
        for role in TABLE_ROLES
        if role != "numeric"
        for column in name_list(settings.get(role, ()))
    }


def job_changes(
    job: Job, tables: Tables, inspected: Inspected, unit: str, settings: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the changes of a job file with linked tables if settings are added. Roles change the sections of the
    tables; a column with another hierarchy loses its ceiling.

    Parameters
    ----------
    job
        Settings of the job.
    """
    known = {**inspected, **tables}
    others = {name: value for name, value in settings.items() if not columns_by_table(known, name, value)}
    made, of_tables = job.changes(with_fix(job, Job(others))), role_changes(tables, inspected, unit, settings)
    trees = {**of_tables.get("hierarchy", {}), **made.get("hierarchy", {})}
    named = {"hierarchy": trees, "ceiling": dict.fromkeys(trees.keys() & job.entries("ceiling").keys())}
    return {**made, **of_tables, **{name: entries for name, entries in named.items() if entries}}


def role_changes(tables: Tables, inspected: Inspected, unit: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the changes of a job file if columns get the roles in `settings`. A column is called ``table.column``.

    A table of which nothing is published any more is removed, and a table is added if the owner publishes a column of
    it. Columns with another role get the hierarchy that the inspection proposes for this role.

    Parameters
    ----------
    settings
        Columns by role, and hierarchies. Other settings are ignored.
    """
    after = {name: dict(one) for name, one in tables.items()}
    for given, value in settings.items():
        for name, columns in columns_by_table({**inspected, **tables}, given, value).items():
            table, found = after.get(name) or _section(inspected[name]), inspected.get(name, {"columns": ()})
            after[name] = _with_role(table, found, unit, given, columns)
    after = _with_parents(after, inspected)
    was, now = roles_of(tables), roles_of(after)
    trees: dict[str, Any] = {name: None for name, role in was.items() if role in _GENERALIZED and name not in now}
    for name, role in now.items():
        if role != was.get(name):
            trees[name] = settings.get("hierarchy", {}).get(name) or _proposed(inspected, name, role)
            if role == "relational" and trees[name] == RANGE:
                own_table, _, column = name.partition(".")
                numeric = name_list(after[own_table].get("numeric", ()))
                after[own_table]["numeric"] = list(dict.fromkeys([*numeric, column]))
    changed = {
        name: Job(tables.get(name, {})).changes(Job(after[name])) if name in after else None
        for name in {**tables, **after}
    }
    made = {"tables": {name: change for name, change in changed.items() if change != {}}, "hierarchy": trees}
    return {name: entries for name, entries in made.items() if entries}


def _section(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of an inspected table without the roles of its columns."""
    section = {"input": found["input"], "key": found["key"]}
    if parent := found["in"]:
        section["in"] = parent if found["parent_key"] == found["key"] else column_of(parent, found["parent_key"])
    return {**section, **found["options"]}


def _with_role(
    table: Mapping[str, Any], found: Mapping[str, Any], unit: str, role: str, columns: Sequence[str]
) -> dict[str, Any]:
    roles = with_column_role(table, role, columns)
    if roles.keys() == {"drop"} and "relational" not in table and "keep" not in table:
        roles = {}
    elif "items" not in roles:  # a table of persons names each of its columns
        named = {*name_list(table.get("key", unit)), *chain.from_iterable(roles.values())}
        roles["drop"] = [*roles.get("drop", ()), *(one["name"] for one in found["columns"] if one["name"] not in named)]
    own: dict[str, Any] = {
        name: table[name] if name in table and names == name_list(table[name]) else names
        for name, names in roles.items()
        if names
    }
    if "items" in own and len(roles["items"]) == 1:
        own["items"] = roles["items"][0]
    return {**{name: value for name, value in table.items() if name not in TABLE_ROLES}, **own}


def _with_parents(tables: Mapping[str, dict[str, Any]], inspected: Inspected) -> dict[str, dict[str, Any]]:
    """Return the tables that publish columns, and the tables that link these tables to persons, in the order of the job
    file. A table that links may hang on another table.
    """
    added = {name: _section(found) for name, found in inspected.items() if name not in tables}
    every = {**tables, **added}
    needed = [name for name, table in tables.items() if any(role in table for role in TABLE_ROLES)]
    for name in needed:  # grows in the loop
        parent = str(every[name].get("in", "")).partition(".")[0]
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
