"""Columns of a single table on the screen Data: values, roles, and one role for several columns."""

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from nicegui import ui

from anonset.columns.kinds import MARKS
from anonset.columns.roles import SETS
from anonset.data.hierarchies.hierarchy_rules import is_coarser
from anonset.reading.file_options import Unit
from anonset.settings.job import Job
from anonset.spelling import counted, short_names
from anonset.ui.screens.frame import Screen, button, card, menu_of, table, text
from anonset.ui.screens.role_menus import RoleMenus
from anonset.ui.state import choices
from anonset.ui.state.page_state import PageState
from anonset.ui.state.setting_words import ROLE_WORDS

_ALWAYS = ("items", "relational", "sensitive", "unit", "keep", "drop")
"""Roles that the screen offers for every column. Any other role is only offered if a column already has it."""
_MANY = 20
"""Number of columns from which the screen offers a search and folds numbered columns."""
_SINGLE = ("items", "sensitive")
"""Roles that the screen offers for one column at a time."""
_PERSON = "chosen above as the person"
_SEVERAL = "Choose columns in the table, or a group of columns with the same values, and give them a role together."


def create_columns(screen: Screen) -> None:
    """Create sections with the columns of a job, and with the role of several columns."""
    state, chosen = screen.state, screen.state.chosen
    screen.section(lambda: (chosen.names, chosen.groups, _can_change(state)), lambda _: _several(screen))
    screen.section(lambda: _shown(state), lambda _: _columns(screen))


def _can_change(state: PageState) -> bool:
    return state.answered and not state.publishing


def _shown(state: PageState) -> object:
    """Return what the table shows apart from the roles, which the menus follow."""
    columns = tuple((one["name"], one["nulls"], one["missing"]) for one in state.inspection.columns)
    shown = (columns, _offered(state), state.unit, state.answered, state.first_step, state.publishing)
    return shown if columns else None


def _several(screen: Screen) -> None:
    """Show the control that gives a role to the chosen columns."""
    state, chosen = screen.state, screen.state.chosen
    if not _can_change(state) or not (chosen.groups or chosen.names):
        return
    with card("One role for several columns").classes("several"):
        text("p", _SEVERAL).classes("soft")
        with ui.element("div").classes("actions"):
            for names in chosen.groups:
                group = button(
                    f"Choose {short_names(names)}", partial(screen.act, chosen.choose, {*chosen.names, *names})
                )
                group.classes("second").mark(f"group {names[0]}")
            if chosen.names:
                button("Choose none", partial(screen.act, chosen.choose, ())).classes("second").mark("choose none")
        if chosen.names:
            effect = text("p", chosen.words).props("role=status").mark("effect")
            screen.live(lambda: chosen.words, effect.set_text)
            _role_menu(screen, chosen.names)


def _role_menu(screen: Screen, names: list[str]) -> None:
    kinds = {one["name"]: one["kind"] for one in screen.state.inspection.columns}
    of_items = "one_hot" if {kinds[name] for name in names} <= {*MARKS} else "one_code"
    several = [of_items, *(role for role in _offered(screen.state) if role not in (*_SINGLE, *SETS, "id"))]
    offered = several if len(names) > 1 else _offered(screen.state, kinds[names[0]])

    def give(role: str) -> None:
        if screen.act(choices.give_role, screen.state, names, role):
            screen.act(screen.state.chosen.choose, ())

    menu = menu_of({role: ROLE_WORDS[role] for role in offered}, f"Role of {short_names(names)}", give)
    menu.props('display-value="Choose a role"').classes("wide").mark("role of several")


def _columns(screen: Screen) -> None:
    state = screen.state
    found, rows, unit = state.inspection.findings or {}, dict[str, ui.element](), Unit.of(state.unit)
    columns = found["columns"]
    roles = _roles_with_reasons(state)
    menus = RoleMenus(screen, lambda: _roles_with_reasons(state), state.chosen)
    with card("Columns"):
        _search(rows, [column["name"] for column in columns])
        with table(("Column", "Values", "Missing", "Role", "Reason"), "columns roles"):
            for column in columns:
                name, can_change = column["name"], _can_change(state) and column["name"] not in unit
                with ui.element("tr").mark(f"row {name}") as rows[name]:
                    menus.add_name(name, can_choose=can_change)
                    with ui.element("td").props('data-label="Values"'):
                        text("span", f"{column['distinct']:,} different ({column['items'] or column['kind']})")
                        _distribution(name, column["frequencies"])
                        menus.show_values(name, roles[name][0])
                    text("td", _missing(column, found["rows"])).props('data-label="Missing"')
                    menus.add(name, *roles[name], _offered(state, column["kind"]), enabled=can_change)
        _fold(rows)
        if state.is_local and not state.first_step:
            ui.link("Show the most frequent values", "/values", new_tab=True).mark("values")


def _search(rows: Mapping[str, ui.element], names: Sequence[str]) -> None:
    """Create a search for columns, if there are many. Without a searched text, numbered columns are folded."""
    if len(names) <= _MANY:
        return

    def show() -> None:
        wanted = (search.value or "").strip().casefold()
        if not wanted:
            _fold(rows)
        for name, row in rows.items() if wanted else ():
            row.set_visibility(wanted in name.casefold())

    search = ui.input("Search columns", on_change=show)
    search.props("outlined stack-label clearable debounce=250").classes("field").mark("search columns")
    folded = len(names) - len(unfolded(names))
    if folded:
        text("p", f"{counted(folded, 'numbered column')} folded, such as the second of dx1, dx2: search to see them.")


def _fold(rows: Mapping[str, ui.element]) -> None:
    shown = unfolded([*rows]) if len(rows) > _MANY else rows
    for name, row in rows.items():
        row.set_visibility(name in shown)


def unfolded(names: Sequence[str]) -> set[str]:
    """Return the columns without those that differ from an earlier column only in their number.

    >>> sorted(unfolded(["age", "dx1", "dx2", "dx10", "q_1a", "q_2a"]))
    ['age', 'dx1', 'q_1a']
    """
    first = dict[str, str]()
    for name in names:
        first.setdefault(re.sub(r"[0-9]+", "#", name), name)
    return {*first.values()}


def _offered(state: PageState, kind: str = "") -> list[str]:
    """Return the roles that the screen offers, for a column of a kind. Marks are items of their own, and no sets."""
    roles = [*roles_of_job(state).values(), *(["one_hot"] if kind in MARKS else [])]
    hidden = "items" if kind in MARKS and "items" not in roles else ""
    return [role for role in ROLE_WORDS if role != hidden and (role in _ALWAYS or role in roles)]


def roles_of_job(state: PageState) -> dict[str, str]:
    """Return the role of each column in the job, or the proposed role if the column has none."""
    job = state.stated if state.answered else Job()
    named = {name: role for role in ROLE_WORDS for name in job.names(role)}
    return {one["name"]: named.get(one["name"], one["role"]) for one in state.inspection.columns}


def coarsened(state: PageState) -> list[str]:
    """Return the attributes that the rules of the job coarsen while reading."""
    known = state.stated.names("relational") if state.answered else []
    return [name for name, rule in state.stated.entries("hierarchy").items() if name in known and is_coarser(rule)]


def _distribution(column: str, frequencies: Sequence[int]) -> None:
    if len(frequencies) > 1:
        rows = f"from {frequencies[0]:,} to {frequencies[-1]:,} rows"
        bars = ui.element("div").classes("distribution").props("role=img")
        bars.props["aria-label"] = f"{column}: the {len(frequencies)} most frequent values, {rows}"
        with bars:
            for count in frequencies:
                ui.element("div").style(f"height: {count / frequencies[0]:.0%}")


def _missing(column: Mapping[str, Any], rows: int) -> str:
    missing = column["nulls"] + column["missing"]
    return f"{missing / rows:.1%}" if missing else "none"


def _roles_with_reasons(state: PageState) -> dict[str, tuple[str, str]]:
    roles, unit = roles_of_job(state), Unit.of(state.unit)
    proposed, named = state.reasons([*roles]), state.stated.names(*ROLE_WORDS) if state.answered else ()
    reasons = {**{name: f"proposed: {why}" for name, why in proposed.items()}, **dict.fromkeys(unit, _PERSON)}
    return {n: (role, reasons.get(n, "chosen" if n in named else "proposed")) for n, role in roles.items()}
