"""Search for items or values. Each label that contains the searched text is a button."""

from collections.abc import Callable
from functools import partial

from nicegui import ui

from anonset.spelling import counted
from anonset.ui.screens.frame import Screen, button, text
from anonset.ui.state.composed_file import ComposedFile

_FOUND = 20
"""Maximum number of search results."""


def show_reading(screen: Screen) -> None:
    """Show a note while the items are read, or that the search needs a hierarchy of the items."""
    trees = screen.state.tree

    def show() -> None:
        with ui.element("div").props("role=status"):
            if trees.busy:
                text("p", "Counting …").classes("busy")
            elif trees.tree is None:
                text("p", "The search needs a hierarchy of the items. Choose a rule on the screen Hierarchies.")

    screen.section(lambda: (trees.busy, trees.tree is None), lambda _: show())


def item_search(screen: Screen, label: str, kind: str, choose: Callable[[str], None], *, leaves: bool = True) -> None:
    """Create a search for items or values. A click on a result calls `choose` with its label.

    Parameters
    ----------
    leaves
        True to offer only items or values, the most frequent before a search. False to also offer groups of the
        hierarchy.
    """
    trees = screen.state.tree

    def add(item: str) -> None:
        choose(item)
        screen.follow()

    def show() -> None:
        wanted = (search.value or "").strip()
        if trees.tree is None or not (wanted or leaves):
            return
        with ui.element("div").props("role=status"), ui.element("ul").classes("tree found"):
            for node in trees.tree.matches(wanted, _FOUND, leaves=leaves):
                item = trees.tree.hierarchy.labels[node]
                with ui.element("li"):
                    row = button(f"{item} ({counted(int(trees.tree.records[node]), 'record')})", partial(add, item))
                    row.classes("node").mark(f"item-{kind}-{item}")

    search = ui.input(label, on_change=screen.follow)
    search.props("outlined stack-label clearable debounce=250").classes("field").mark(f"search-{kind}")
    screen.section(lambda: (search.value, trees.tree is None), lambda _: show())


def new_row(
    screen: Screen, composed: ComposedFile, kind: str, words: Callable[[], str], add: Callable[[], None]
) -> None:
    """Show the new constraint or query, with buttons to add or to discard it."""

    def clear() -> None:
        composed.clear()
        screen.follow()

    def show() -> None:
        if shown := words():
            text("p", f"New: {shown}").classes("good")
            with ui.element("div").classes("actions"):
                button("Add", partial(screen.act, add)).mark(f"add-{kind}")
                button("Clear", clear).classes("second")

    screen.section(words, lambda _: show())
