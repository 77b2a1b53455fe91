"""Sections of the screen Data about linked tables: the key, the persons and the columns of each table."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import PurePath
from typing import Any

from nicegui import ui

from anonset.reading.file_options import OPEN, Unit
from anonset.reading.linked import column_of
from anonset.settings.job import Job
from anonset.settings.table_lines import TABLE_ROLES
from anonset.spelling import counted, listed
from anonset.ui.screens.first_rows import show_first_rows
from anonset.ui.screens.frame import Screen, card, table, text
from anonset.ui.screens.role_menus import RoleMenus, Roles
from anonset.ui.screens.run_sections import show_table
from anonset.ui.state.page_state import PageState
from anonset.ui.state.table_roles import roles_of

_KEY = "key: links the tables, not published"
_OFFERED = ("items", "relational", "keep", "drop")
"""Roles of the columns of linked tables."""


def tables_state(state: PageState) -> object:
    """Return what the sections show apart from the roles, which the menus follow."""
    links = {name: stated.with_(**dict.fromkeys(TABLE_ROLES)).settings for name, stated in state.tables.items()}
    return links, state.inspection.linked, state.answered, state.first_step, state.publishing


def show_tables(screen: Screen) -> None:
    """Show the tables with a menu for the role of each column, and the files that the inspection leaves out."""
    state = screen.state
    tables, inspected, roles = state.tables, state.inspected, _roles(state)
    menus = RoleMenus(screen, lambda: _roles(state))
    can_change = state.answered and not state.publishing
    for name in dict.fromkeys([*tables, *inspected]) if tables else ():
        found = inspected.get(name)
        stated = tables.get(name, Job(found or {}))
        keys = stated.names("key") or Unit.of(state.unit if state.answered else (found or {}).get("key", ""))
        links = any(one.text("in").partition(".")[0] == name for one in tables.values())
        with card(f"Table {name}"):
            _describe(stated, keys, found, links=links)
            show_first_rows(screen, partial(Job, stated), name)
            _columns(menus, name, keys, roles, found, can_change=can_change)
    _left_out((state.inspection.linked or {"left_out": {}})["left_out"])
    if tables and state.is_local and not state.first_step:
        with ui.element("p"):
            ui.link("Show the most frequent values", "/values", new_tab=True).mark("values")


def keys_of(state: PageState) -> dict[str, str]:
    """Return the keys that may identify the persons, in words."""
    now = state.inspection.linked and state.inspection.linked["persons"]
    persons = {state.unit: now} if state.answered and now is not None else {}
    keys = dict[str, str]()
    for one in state.inspection.answers:
        unit, tables = one["unit"], one["tables"]
        number = counted(persons.get(unit, one["persons"]), "person")
        keys[unit] = f"Each {unit} is a person: {number}; in {counted(len(tables), 'table')}: {', '.join(tables)}"
    if state.unit not in ("", OPEN):
        keys.setdefault(state.unit, f"Each {state.unit} is a person")
    return keys


def _describe(stated: Job, keys: Sequence[str], found: Mapping[str, Any] | None, *, links: bool) -> None:
    """Show how a table is linked, and its number of rows and ids."""
    place = f", which leads to a person by table {stated.text('in')}" if stated.text("in") else ""
    text("p", f"{stated.text('input')}: key {', '.join(keys)}{place}.")
    if found is not None:
        linking = " Other tables lead to a person by this table." if links else ""
        text("p", f"{_counts(found)}{linking}").classes("soft")


def _columns(menus: RoleMenus, name: str, keys: Sequence[str], roles: Roles, found: Any, *, can_change: bool) -> None:
    """Show the kind, the role and the reason of each column of a table. `found` are the findings about it, or None."""
    kinds = {} if found is None else {one["name"]: one["kind"] for one in found["columns"]}
    named = [column.partition(".")[2] for column in roles if column.partition(".")[0] == name]
    with table(("Column", "Kind", "Role", "Reason"), "columns roles linked"):
        for column in dict.fromkeys([*kinds, *named]):
            known = column_of(name, column)
            with ui.element("tr"):
                text("th", column).props("scope=row")
                with ui.element("td").props('data-label="Kind"'):
                    text("span", "ids" if column in keys else kinds.get(column, ""))
                    if column not in keys:
                        menus.show_values(known, roles[known][0])
                if column in keys:
                    text("td", _KEY).props('data-label="Role"')
                    text("td", "key of the table").props('data-label="Reason"')
                else:
                    menus.add(known, *roles[known], _OFFERED, enabled=can_change)


def _roles(state: PageState) -> dict[str, tuple[str, str]]:
    """Return the role of each column of the tables, and the reason for it."""
    found = {column_of(name, one["name"]): one for name, of in state.inspected.items() for one in of["columns"]}
    roles = {**dict.fromkeys(found, "drop"), **roles_of(state.tables)}
    is_proposed = {name for name, one in found.items() if one["role"] == roles[name]}
    return {
        name: (role, f"proposed: {found[name]['why']}" if name in is_proposed else "chosen")
        for name, role in roles.items()
    }


def _counts(found: Mapping[str, Any]) -> str:
    counts = [counted(found["rows"], "row"), counted(found["ids"], "different id")]
    if found["lacking"]:
        counts.append(f"{counted(found['lacking'], 'id')} unknown to {found['in'] or 'the table of persons'}")
    if found["without_id"]:
        counts.append(f"{counted(found['without_id'], 'row')} without an id")
    return f"{listed(counts, 'and')}."


def _left_out(files: Mapping[str, str]) -> None:
    if files:
        with card("Left out"):
            text("p", "The inspection proposes to publish nothing of these files.")
            show_table(
                ("File", "Reason"), [(PurePath(file).name, why) for file, why in files.items()], of_sentences=True
            )
