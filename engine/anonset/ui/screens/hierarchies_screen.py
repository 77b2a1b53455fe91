"""Screen **Hierarchies**.

The owner sees the tree of each column, and can change its rule or file, its ceilings and its groups.
"""

from functools import partial

from nicegui import ui

from anonset.errors import AnonsetError
from anonset.spelling import counted
from anonset.ui.screens.frame import Screen, alert, button, card, empty, text
from anonset.ui.screens.tree_view import TreeView
from anonset.ui.state.page_state import PageState, message_of
from anonset.ui.state.setting_words import RULE
from anonset.ui.state.tree_state import TreeState

_FAULTS = 50
"""Maximum number of faults that the screen shows."""


def hierarchies_screen(state: PageState) -> None:
    """Create the screen."""
    screen = Screen(state, "/hierarchies")
    with screen.opened("How may values be generalized?", lambda: state.tree.command):
        if screen.is_blocked():
            return
        trees = state.tree
        trees.follow()
        with card():
            screen.section(lambda: trees.columns, partial(_columns, screen))
            screen.section(lambda: (trees.column, trees.spec), lambda _: _specs(screen))
            screen.section(lambda: _progress(trees), lambda _: _status(trees))
        TreeView(screen).create()
        with ui.element("div").classes("actions"):
            ui.link("Back: data", "/")
            ui.link("Next: choose the promise", "/promise").classes("next")


def _columns(screen: Screen, columns: list[str]) -> None:
    trees = screen.state.tree
    if not columns:
        empty("No column has a hierarchy. If you give a column a role on the screen Data, anonset proposes one.")
        return
    choice = ui.select(columns, value=trees.column, label="Column")
    choice.on_value_change(lambda event: event.value == trees.column or screen.act(trees.choose, event.value))
    choice.props("outlined stack-label").classes("field").mark("column")
    screen.live(lambda: trees.column, choice.set_value)


def _specs(screen: Screen) -> None:
    trees = screen.state.tree
    trees.follow()
    if not trees.column:
        return

    async def choose(spec: str | None) -> None:
        if spec and spec.strip() != trees.spec:
            own.error = None
            try:
                await trees.choose_spec(spec.strip())
            except AnonsetError as error:
                choice.set_value(trees.spec)
                own.error = message_of(error)
            screen.follow()

    with ui.element("div").classes("sizes"):
        options = {spec: f"{spec}: {words}" for spec, words in trees.choices.items()}
        choice = ui.select(options, value=trees.spec, label=RULE, on_change=lambda event: choose(event.value))
        choice.props("outlined stack-label").classes("field").mark("spec")
        own = ui.input("Other levels or file", value=trees.spec)
        own.props('outlined stack-label hint="for example prefix:1,4 or bins:0,18,65"').classes("field").mark(
            "own-spec"
        )
        button("Apply", lambda: choose(own.value)).mark("apply")


def _progress(trees: TreeState) -> object:
    tree = trees.tree
    return trees.column, trees.spec, trees.busy, tuple(trees.faults), tree and id(tree.hierarchy)


def _status(trees: TreeState) -> None:
    with ui.element("div").props("role=status"):
        if trees.busy and trees.tree is None:
            text("p", "Reading the hierarchy …").classes("busy")
        elif trees.column and not trees.has_tree:
            text("p", "Ranges and sets of values are computed for each group of records. They have no tree.")
        elif trees.tree is not None:
            tree = trees.tree.hierarchy
            text("p", f"{counted(tree.n_leaves, 'value')}, {counted(tree.n_nodes, 'node')}, {tree.depth.max()} levels.")
    if trees.faults:
        text("h2", "Faults of the hierarchy")
        with ui.element("ul"):
            for fault in trees.faults[:_FAULTS]:
                alert(fault, "li")
        if len(trees.faults) > _FAULTS:
            text("p", f"{len(trees.faults) - _FAULTS:,} more faults")
