"""Menus of the screen Data that change the roles of columns."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from urllib.parse import quote

from nicegui import ui
from nicegui.elements.mixins.text_element import TextElement

from anonset.columns.roles import OF_PERSONS, SETS
from anonset.ui.screens.frame import Screen, button, menu_of, text
from anonset.ui.state import choices
from anonset.ui.state.column_choice import ColumnChoice
from anonset.ui.state.setting_words import ROLE_WORDS

Roles = Mapping[str, tuple[str, str]]
"""Role of each column, and the reason for it."""


class RoleMenus:
    """Menus with the role of each column of a job, next to the reasons. They follow the roles in the job file.

    Parameters
    ----------
    roles
        Returns the role of each column, and the reason for it.
    choice
        Columns that get their role together, or None if the screen does not offer this.
    """

    def __init__(self, screen: Screen, roles: Callable[[], Roles], choice: ColumnChoice | None = None) -> None:
        self._screen = screen
        self._roles = roles
        self._choice = choice
        self._shows_values = screen.state.is_local and not screen.state.first_step
        self._shown: dict[str, tuple[ui.select, TextElement]] = {}
        self._links: dict[str, ui.link] = {}
        screen.live(roles, self._show)

    def add_name(self, column: str, *, can_choose: bool) -> None:
        """Create the first cell of a row, with the name of the column and the box that chooses it."""
        with ui.element("th").props("scope=row") as cell:
            cell.props["aria-label"] = column
            with ui.element("div").classes("named"):
                if can_choose and (choice := self._choice) is not None:
                    box = button("", lambda: self._screen.act(partial(choice.toggle, column)))
                    box.classes("box").mark(f"choose {column}").props("role=checkbox")
                    box.props["aria-label"] = f"Choose {column}"

                    def check(*, chosen: bool) -> None:
                        box.props["aria-checked"] = "true" if chosen else "false"
                        box.update()

                    check(chosen=column in choice.names)
                    self._screen.live(lambda: column in choice.names, lambda chosen: check(chosen=chosen))
                text("span", column)

    def show_values(self, column: str, role: str) -> None:
        """Create a link to the values of a column. It is visible while the column is published. Columns that
        identify the person have none.
        """
        if self._shows_values and role not in OF_PERSONS:
            of_set = role in SETS and role != "items"  # these columns are read as one set
            link = ui.link("Show values", f"/values?column={quote('items' if of_set else column)}", new_tab=True)
            link.props["aria-label"] = f"Show values of {column}"
            link.classes("values").mark(f"values {column}").set_visibility(role != "drop")
            self._links[column] = link

    def add(self, column: str, role: str, reason: str, offered: Sequence[str], *, enabled: bool) -> None:
        """Create the menu of a column and the reason for its role, as two cells of a table."""
        options = {one: ROLE_WORDS[one] for one in offered if one != "id" or role == one}
        with ui.element("td"):
            menu = menu_of(options, f"Role of column {column}", partial(self._give, column), value=role)
            menu.mark(f"role {column}").set_enabled(enabled)
        self._shown[column] = menu, text("td", reason).props('data-label="Reason"')

    def _give(self, column: str, role: str) -> None:
        """Change the role of a column. The menu returns to the former role if the new one is rejected."""
        former, _ = self._roles()[column]
        if role != former and not self._screen.act(choices.give_role, self._screen.state, [column], role):
            self._shown[column][0].set_value(former)

    def _show(self, roles: Roles) -> None:
        for name, (menu, reason) in self._shown.items():
            role, why = roles[name]
            if role in menu.options:
                menu.set_value(role)
            reason.set_text(why)
            if name in self._links:
                self._links[name].set_visibility(role != "drop")
