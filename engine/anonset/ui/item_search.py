"""Search for items: a text input, and the items that contain the text as buttons."""

from collections.abc import Callable
from functools import partial

from nicegui import ui

from anonset.spelling import counted
from anonset.ui.frame import Screen, button, text

_FOUND = 20
"""Maximum number of search results."""


def show_reading(screen: Screen) -> None:
    """Show whether the items are being read, or need a hierarchy for the search."""
    trees = screen.state.tree

    def show() -> None:
        with ui.element("div").props("role=status"):
            if trees.is_reading:
                text("p", "Counting the items …")
            elif trees.tree is None:
                text("p", "The items need a hierarchy for the search: choose a rule on the screen Hierarchies.")

    screen.section(lambda: (trees.is_reading, trees.tree is None), lambda _: show())


def item_search(screen: Screen, label: str, kind: str, choose: Callable[[str], None]) -> None:
    """Create a search for the items of the job. A click on an item calls `choose` with its label."""
    trees = screen.state.tree

    def add(item: str) -> None:
        choose(item)
        screen.follow()

    def show() -> None:
        wanted = (search.value or "").strip()
        if trees.tree is None or not wanted:
            return
        with ui.element("div").props("role=status"), ui.element("ul").classes("tree"):
            for node in trees.tree.matches(wanted, _FOUND, leaves=True):
                item = trees.tree.hierarchy.labels[node]
                with ui.element("li"):
                    row = button(f"{item} ({counted(int(trees.tree.records[node]), 'record')})", partial(add, item))
                    row.classes("node").mark(f"item-{kind}-{item}")

    search = ui.input(label, on_change=screen.follow)
    search.props("outlined stack-label clearable debounce=250").classes("field").mark(f"search-{kind}")
    screen.section(lambda: (search.value, trees.tree is None), lambda _: show())
