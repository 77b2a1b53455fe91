"""Columns of a single table on the screen Data: values, roles, and one role for several columns."""

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from nicegui import ui
from nicegui.elements.mixins.text_element import TextElement

from anonset.data.hierarchies.hierarchy_rules import is_coarser
from anonset.reading.file_options import Unit
from anonset.settings.job import Job
from anonset.spelling import counted, short_names
from anonset.ui.screens.frame import LiveSection, Screen, button, card, menu_of, show_page, text
from anonset.ui.screens.role_menus import RoleMenus
from anonset.ui.state.page_state import PageState
from anonset.ui.state.setting_words import ROLE_WORDS

_ALWAYS = ("items", "relational", "sensitive", "unit", "keep", "drop")
"""Roles that the screen offers for every column. Any other role is only offered if a column already has it."""
_MANY = 20
"""Number of columns from which the screen offers a search and folds numbered columns."""
_SINGLE = ("items", "sensitive")
"""Roles that the screen offers for one column at a time."""
_SEVERAL = "Choose columns in the table, or a group of columns with the same values, and give them a role together."


class ColumnsCard:
    """Sections with the columns of a job, and with the role of several columns."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._state = screen.state
        self._menus: RoleMenus | None = None
        self._effect: TextElement | None = None

    def create(self) -> None:
        """Create the sections."""
        chosen = self._state.chosen
        self._screen.section(lambda: (tuple(chosen.names), self._shown()), lambda _: self._show_several())
        self._screen.section(self._shown, self._show_columns)
        self._screen.section(lambda: (tuple(chosen.names), chosen.words), lambda _: self._show_chosen())

    def _shown(self) -> object:
        """Return what the table shows."""
        state = self._state
        return (
            state.inspection.findings and tuple(roles_of_job(state).items()),
            state.unit,
            state.answered,
            state.publishing,
        )

    @property
    def _can_change(self) -> bool:
        return self._state.answered and not self._state.publishing

    def _show_several(self) -> None:
        """Show the control that gives a role to the chosen columns."""
        chosen = self._state.chosen
        groups = chosen.groups
        if not self._can_change or not (groups or chosen.names):
            return
        with card("One role for several columns").classes("several"):
            text("p", _SEVERAL).classes("soft")
            with ui.element("div").classes("actions"):
                for names in groups:
                    group = button(f"Choose {short_names(names)}", partial(self._screen.act, chosen.choose, names))
                    group.classes("second").mark(f"group {names[0]}")
                if chosen.names:
                    none = button("Choose none", partial(self._screen.act, chosen.clear))
                    none.classes("second").mark("choose none")
            if chosen.names:
                self._effect = text("p", chosen.words).props("role=status").mark("effect")
                self._role_menu()

    def _role_menu(self) -> None:
        names = self._state.chosen.names
        offered = [role for role in _offered(self._state) if role not in (*_SINGLE, "id") or len(names) == 1]
        label = f"Role of {short_names(names)}"
        menu = menu_of({role: ROLE_WORDS[role] for role in offered}, label, on_change=self._give)
        menu.props('display-value="Choose a role"').classes("wide").mark("role of several")

    def _give(self, role: str) -> None:
        if self._screen.act(self._state.give_role, self._state.chosen.names, role):
            self._screen.act(self._state.chosen.clear)

    def _show_chosen(self) -> None:
        """Update the boxes in the table, and the sentence about the chosen columns."""
        chosen = self._state.chosen
        if self._effect is not None and chosen.names:
            self._effect.set_text(chosen.words)
        if self._menus is not None:
            self._menus.show_chosen()

    def _show_columns(self, section: LiveSection) -> None:
        state = self._state
        found, roles, unit = state.inspection.findings, roles_of_job(state), Unit.of(state.unit)
        if found is None:
            return
        reason = partial(_reason, state, unit)
        self._menus = menus = RoleMenus(self._screen, section, lambda: roles_of_job(state), reason, state.chosen)
        rows = dict[str, ui.element]()
        with card("Columns"):
            _search(rows, [column["name"] for column in found["columns"]])
            with ui.element("table").classes("columns roles"):
                with ui.element("thead"), ui.element("tr"):
                    for head in ("Column", "Values", "Missing", "Role", "Reason"):
                        text("th", head).props("scope=col")
                with ui.element("tbody"):
                    for column in found["columns"]:
                        name, role = column["name"], roles[column["name"]]
                        with ui.element("tr").mark(f"row {name}") as rows[name]:
                            menus.add_name(name, can_choose=self._can_change and name not in unit)
                            with ui.element("td").props('data-label="Values"'):
                                text("span", f"{column['distinct']:,} different ({column['items'] or column['kind']})")
                                _distribution(name, column["frequencies"])
                                menus.show_values(name, role)
                            text("td", _missing(column, found["rows"])).props('data-label="Missing"')
                            can_change = self._can_change and name not in unit
                            menus.add(name, role, _offered(state), enabled=can_change)
            _fold(rows)
            if state.is_local and not state.first_step:
                grid = ui.element("div")
                with ui.element("div").classes("actions"):
                    ui.link("Show the most frequent values", "/values", new_tab=True).mark("values")
                    first = button("Show the first records", lambda: show_page(grid, "/records", "First records"))
                    first.classes("second").mark("records")


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


def _offered(state: PageState) -> list[str]:
    """Return the roles that the screen offers."""
    roles = roles_of_job(state).values()
    return [role for role in ROLE_WORDS if role in _ALWAYS or role in roles]


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


def _reason(state: PageState, unit: Sequence[str], column: str, role: str) -> str:
    if column in unit:
        return "chosen above as the person"
    reasons = state.reasons([column])
    if column in reasons:
        return f"proposed: {reasons[column]}"
    return "chosen" if state.answered else "proposed"
