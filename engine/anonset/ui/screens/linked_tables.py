"""Sections of the screen Data about linked tables: the key, the persons and the columns of each table."""

from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from nicegui import ui

from anonset.settings.overriding import name_list
from anonset.spelling import counted, listed
from anonset.ui.screens.frame import card, text
from anonset.ui.screens.run_sections import table
from anonset.ui.state.page_state import PageState
from anonset.ui.state.setting_words import ROLE_WORDS

_KEY = "key: links the tables, not published"


def tables_state(state: PageState) -> object:
    """Return what the sections show."""
    return state.tables, state.linked, state.answered


def show_tables(state: PageState) -> None:
    """Show the tables of the job with their columns, and the files that the inspection leaves out."""
    linked: Mapping[str, Any] = state.linked or {"tables": [], "left_out": {}}
    inspected = {one["name"]: one for one in linked["tables"]}
    if tables := state.tables:
        text("p", f"To change the role of a column, edit {state.name}: each table is a section there.").classes("lead")
    for name, settings in tables.items():
        _table(state, name, settings, inspected.get(name))
    _left_out(linked["left_out"])
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


def _table(state: PageState, name: str, settings: Mapping[str, Any], found: Mapping[str, Any] | None) -> None:
    """Show a table of the job: how it is linked, and the role and reason of each column."""
    key = ", ".join(name_list(settings.get("key", state.unit if state.answered else (found or {}).get("key", ""))))
    place = f", which leads to a person by table {settings['in']}" if "in" in settings else ""
    with card(f"Table {name}"):
        text("p", f"{settings.get('input', '')}: key {key}{place}.")
        if found is not None:
            text("p", _counts(found)).classes("soft")
        roles = {column: role for role in ROLE_WORDS for column in name_list(settings.get(role, ()))}
        columns = [] if found is None else found["columns"]
        reasons = {column["name"]: (column["role"], column["reason"], column["kind"]) for column in columns}
        rows = [
            (column, kind, *_role(column, roles.get(column, "drop"), key, proposed, reason))
            for column, (proposed, reason, kind) in reasons.items()
        ]
        rows += [
            (column, "", ROLE_WORDS[role], "role in the job file")
            for column, role in roles.items()
            if column not in reasons
        ]
        table(("Column", "Kind", "Role", "Reason"), rows, of_sentences=True)


def _role(column: str, role: str, key: str, proposed: str, reason: str) -> tuple[str, str]:
    """Return the role of a column in words, and its reason."""
    if column == key:
        return _KEY, "key of the table"
    return ROLE_WORDS[role], reason if role == proposed else "role in the job file"


def _counts(found: Mapping[str, Any]) -> str:
    counts = [counted(found["rows"], "row"), counted(found["ids"], "different id")]
    if found["lacking"]:
        counts.append(f"{counted(found['lacking'], 'id')} unknown to {found['in'] or 'the table of persons'}")
    if found["without_id"]:
        counts.append(f"{counted(found['without_id'], 'row')} without an id")
    published = any(column["role"] in ("items", "relational") for column in found["columns"])
    return listed(counts, "and") + ("." if published else ". The table links other tables, and is not published.")


def _left_out(files: Mapping[str, str]) -> None:
    if files:
        with card("Left out"):
            text("p", "The inspection proposes to publish nothing of these files.")
            table(("File", "Reason"), [(PurePath(file).name, why) for file, why in files.items()], of_sentences=True)
