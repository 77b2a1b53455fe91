"""Menus of the screen Data that change the roles of columns."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any
from urllib.parse import quote

from nicegui import ui
from nicegui.elements.mixins.text_element import TextElement

from anonset.columns.roles import OF_PERSONS, SETS
from anonset.ui.screens.frame import LiveSection, Screen, button, menu_of, text
from anonset.ui.state.column_choice import ColumnChoice
from anonset.ui.state.setting_words import ROLE_WORDS


class RoleMenus:
    """Menus with the role of each column of a job, next to the reasons.

    Parameters
    ----------
    section
        Section of the screen that contains the menus.
    roles
        Returns the role of each column.
    reason
        Returns the reason for the role of a column.
    choice
        Columns that get their role together, or None if the screen does not offer this.
    """

    def __init__(
        self,
        screen: Screen,
        section: LiveSection,
        roles: Callable[[], Mapping[str, str]],
        reason: Callable[[str, str], str],
        choice: ColumnChoice | None = None,
    ) -> None:
        self._screen = screen
        self._section = section
        self._roles = roles
        self._reason = reason
        self._choice = choice
        self._boxes: dict[str, TextElement] = {}
        self._shows_values = screen.state.is_local and not screen.state.first_step
        self._shown: dict[str, tuple[Any, TextElement]] = {}
        self._links: dict[str, ui.link] = {}

    def add_name(self, column: str, *, can_choose: bool) -> None:
        """Create the first cell of a row, with the name of the column and the box that chooses it."""
        with ui.element("th").props("scope=row") as cell:
            cell.props["aria-label"] = column
            with ui.element("div").classes("named"):
                if can_choose and self._choice is not None:
                    box = button("", partial(self._choose, column)).classes("box").mark(f"choose {column}")
                    box.props("role=checkbox").props["aria-label"] = f"Choose {column}"
                    self._boxes[column] = box
                text("span", column)
        self.show_chosen()

    def show_chosen(self) -> None:
        """Show in each box whether its column is chosen."""
        names = () if self._choice is None else self._choice.names
        for column, box in self._boxes.items():
            box.props["aria-checked"] = "true" if column in names else "false"
            box.update()

    def _choose(self, column: str) -> None:
        if self._choice is not None:
            self._screen.act(partial(self._choice.choose, [column], chosen=column not in self._choice.names))

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

    def add(self, column: str, role: str, offered: Sequence[str], *, enabled: bool) -> None:
        """Create the menu of a column and the reason for its role, as two cells of a table."""
        options = {one: ROLE_WORDS[one] for one in offered if one != "id" or role == one}
        with ui.element("td"):
            menu = menu_of(options, f"Role of column {column}", partial(self._give, column), value=role)
            menu.mark(f"role {column}").set_enabled(enabled)
        self._shown[column] = menu, text("td", self._reason(column, role)).props('data-label="Reason"')

    def _give(self, column: str, role: str) -> None:
        """Change the role of a column. The menus of other columns follow, and this menu if the role is rejected."""
        if role == self._roles().get(column):
            return
        shown = None if role == "unit" else self._section  # another person changes all roles
        succeeds = self._screen.act(self._screen.state.give_role, [column], role, shown=shown)
        roles = {**self._roles(), **({column: role} if succeeds else {})}
        for name, (menu, reason) in self._shown.items():
            role_now = roles.get(name, "drop")
            if name != column and menu.value == role_now:
                continue
            menu.set_value(role_now)
            reason.set_text(self._reason(name, role_now))
            if name in self._links:
                self._links[name].set_visibility(role_now != "drop")
