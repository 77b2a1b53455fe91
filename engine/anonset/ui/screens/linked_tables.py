"""Sections of the screen Data about linked tables: the key, the persons and the columns of each table."""

from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any

from nicegui import ui

from anonset.reading.file_options import Unit
from anonset.reading.linked import column_of
from anonset.settings.job import Job
from anonset.spelling import counted, listed
from anonset.ui.screens.frame import LiveSection, Screen, card, text
from anonset.ui.screens.role_menus import RoleMenus
from anonset.ui.screens.run_sections import table
from anonset.ui.state.page_state import PageState
from anonset.ui.state.table_roles import Inspected, roles_of

_KEY = "key: links the tables, not published"
_OFFERED = ("items", "relational", "keep", "drop")
"""Roles of the columns of linked tables."""


def tables_state(state: PageState) -> object:
    """Return what the sections show."""
    return state.tables, state.inspection.linked, state.answered, state.publishing


def show_tables(screen: Screen, section: LiveSection) -> None:
    """Show the tables with a menu for the role of each column, and the files that the inspection leaves out."""
    state = screen.state
    tables, inspected, roles = state.tables, state.inspected, _roles(state)
    menus = RoleMenus(screen, section, lambda: _roles(state), lambda column, role: _reason(inspected, column, role))
    can_change = state.answered and not state.publishing
    for name in [*tables, *(name for name in inspected if name not in tables)] if tables else ():
        found = inspected.get(name)
        stated = tables.get(name, Job(found or {}))
        keys = stated.names("key") or Unit.of(state.unit if state.answered else (found or {}).get("key", ""))
        links = any(one.text("in").partition(".")[0] == name for one in tables.values())
        with card(f"Table {name}"):
            _describe(stated, keys, found, links=links)
            _columns(menus, name, keys, roles, found, can_change=can_change)
    _left_out((state.inspection.linked or {"left_out": {}})["left_out"])
    if tables and state.is_local and not state.first_step:
        with ui.element("p"):
            ui.link("Show the most frequent values", "/values", new_tab=True).mark("values")


def keys_of(state: PageState) -> dict[str, str]:
    """Return the keys that may identify the persons, in words."""
    now = state.inspection.linked and state.inspection.linked["persons"]
    persons = {state.unit: now} if state.answered and now is not None else {}
    keys = {
        one[
            "unit"
        ]: f"Each {one['unit']} is a person: {counted(persons.get(one['unit'], one['persons']), 'person')}; in "
        f"{counted(len(one['tables']), 'table')}: {', '.join(one['tables'])}"
        for one in state.inspection.answers
    }
    return keys if not state.answered or state.unit in keys else {state.unit: f"Each {state.unit} is a person", **keys}


def _describe(stated: Job, keys: Sequence[str], found: Mapping[str, Any] | None, *, links: bool) -> None:
    """Show how a table is linked, and its number of rows and ids."""
    place = f", which leads to a person by table {stated.text('in')}" if stated.text("in") else ""
    text("p", f"{stated.text('input')}: key {', '.join(keys)}{place}.")
    if found is not None:
        linking = " Other tables lead to a person by this table." if links else ""
        text("p", f"{_counts(found)}{linking}").classes("soft")


def _columns(
    menus: RoleMenus,
    name: str,
    keys: Sequence[str],
    roles: Mapping[str, str],
    found: Mapping[str, Any] | None,
    *,
    can_change: bool,
) -> None:
    """Show the kind, the role and the reason of each column of a table."""
    kinds = {} if found is None else {one["name"]: one["kind"] for one in found["columns"]}
    named = [column.partition(".")[2] for column in roles if column.partition(".")[0] == name]
    with ui.element("table").classes("columns roles linked"):
        with ui.element("thead"), ui.element("tr"):
            for head in ("Column", "Kind", "Role", "Reason"):
                text("th", head).props("scope=col")
        with ui.element("tbody"):
            for column in dict.fromkeys([*kinds, *named]):
                known = column_of(name, column)
                with ui.element("tr"):
                    text("th", column).props("scope=row")
                    with ui.element("td").props('data-label="Kind"'):
                        text("span", kinds.get(column, ""))
                        if column not in keys:
                            menus.show_values(known, roles[known])
                    if column in keys:
                        text("td", _KEY).props('data-label="Role"')
                        text("td", "key of the table").props('data-label="Reason"')
                    else:
                        menus.add(known, roles[known], _OFFERED, enabled=can_change)


def _roles(state: PageState) -> dict[str, str]:
    """Return the role of each column of the tables."""
    columns = {
        column_of(name, one["name"]): "drop" for name, found in state.inspected.items() for one in found["columns"]
    }
    return {**columns, **roles_of(state.tables)}


def _reason(inspected: Inspected, column: str, role: str) -> str:
    table_name, _, own = column.partition(".")
    found = inspected.get(table_name, {"columns": ()})
    proposed = next((one for one in found["columns"] if one["name"] == own), None)
    return f"proposed: {proposed['why']}" if proposed is not None and proposed["role"] == role else "chosen"


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
            table(("File", "Reason"), [(PurePath(file).name, why) for file, why in files.items()], of_sentences=True)
