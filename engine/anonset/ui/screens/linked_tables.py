"""Sections of the screen Data about linked tables: the key, the persons and the columns of each table."""

from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from nicegui import ui

from anonset.reading.linked import column_of
from anonset.settings.overriding import name_list
from anonset.spelling import counted, listed
from anonset.ui.screens.frame import LiveSection, Screen, card, text
from anonset.ui.screens.role_menus import RoleMenus
from anonset.ui.screens.run_sections import table
from anonset.ui.state.page_state import PageState
from anonset.ui.state.table_roles import roles_of

_KEY = "key: links the tables, not published"
_OFFERED = ("items", "relational", "keep", "drop")
"""Roles of the columns of linked tables."""


def tables_state(state: PageState) -> object:
    """Return what the sections show."""
    return state.tables, state.linked, state.answered, state.publishing


def show_tables(screen: Screen, section: LiveSection) -> None:
    """Show the tables with a menu for the role of each column, and the files that the inspection leaves out."""
    state = screen.state
    tables, inspected = state.tables, state.inspected
    menus = RoleMenus(screen, section, lambda: _roles(state), lambda column, role: _reason(state, column, role))
    for name in [*tables, *(name for name in inspected if name not in tables)] if tables else ():
        _table(state, menus, name, tables.get(name, inspected.get(name, {})))
    _left_out((state.linked or {"left_out": {}})["left_out"])
    if tables and state.is_local and not state.first_step:
        with ui.element("p"):
            ui.link("Show the most frequent values", "/values", new_tab=True).mark("values")


def keys_of(state: PageState) -> dict[str, str]:
    """Return the keys that may identify the persons, in words."""
    keys = {
        one["unit"]: f"Each {one['unit']} is a person: {counted(one['persons'], 'person')}; in "
        f"{counted(len(one['tables']), 'table')}: {', '.join(one['tables'])}"
        for one in state.answers
    }
    return keys if not state.answered or state.unit in keys else {state.unit: f"Each {state.unit} is a person", **keys}


def _table(state: PageState, menus: RoleMenus, name: str, settings: Mapping[str, Any]) -> None:
    """Show a table: how it is linked, and the kind, the role and the reason of each column."""
    found = state.inspected.get(name)
    keys = name_list(settings.get("key", state.unit if state.answered else (found or {}).get("key", "")))
    place = f", which leads to a person by table {settings['in']}" if settings.get("in") else ""
    with card(f"Table {name}"):
        text("p", f"{settings.get('input', '')}: key {', '.join(keys)}{place}.")
        if found is not None:
            links = any(str(one.get("in") or "").partition(".")[0] == name for one in state.tables.values())
            text("p", f"{_counts(found)}{' Other tables lead to a person by this table.' if links else ''}").classes(
                "soft"
            )
        roles = _roles(state)
        kinds = {} if found is None else {one["name"]: one["kind"] for one in found["columns"]}
        named = [column.partition(".")[2] for column in roles if column.partition(".")[0] == name]
        with ui.element("table").classes("columns roles linked"):
            with ui.element("thead"), ui.element("tr"):
                for head in ("Column", "Kind", "Role", "Reason"):
                    text("th", head).props("scope=col")
            with ui.element("tbody"):
                for column in dict.fromkeys([*kinds, *named]):
                    with ui.element("tr"):
                        text("th", column).props("scope=row")
                        known = column_of(name, column)
                        with ui.element("td").props('data-label="Kind"'):
                            text("span", kinds.get(column, ""))
                            if column not in keys:
                                menus.show_values(known, roles[known])
                        if column in keys:
                            text("td", _KEY).props('data-label="Role"')
                            text("td", "key of the table").props('data-label="Reason"')
                        else:
                            enabled = state.answered and not state.publishing
                            menus.add(known, roles[known], _OFFERED, enabled=enabled)


def _roles(state: PageState) -> dict[str, str]:
    """Return the role of each column of the tables."""
    columns = {
        column_of(name, one["name"]): "drop" for name, found in state.inspected.items() for one in found["columns"]
    }
    return {**columns, **roles_of(state.tables)}


def _reason(state: PageState, column: str, role: str) -> str:
    table_name, _, own = column.partition(".")
    found = state.inspected.get(table_name, {"columns": ()})
    proposed = next((one for one in found["columns"] if one["name"] == own), None)
    return proposed["reason"] if proposed is not None and proposed["role"] == role else "role in the job file"


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
