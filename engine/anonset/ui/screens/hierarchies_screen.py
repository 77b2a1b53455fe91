"""Screen **Hierarchies**.

The owner sees the tree of each column, and can change its rule or file, ceilings and names.
"""

from functools import partial
from typing import Any

from nicegui import ui

from anonset.errors import AnonsetError
from anonset.jobs.proposals.column_hierarchy import ColumnHierarchy
from anonset.spelling import counted
from anonset.ui.screens.frame import LiveSection, Screen, alert, button, card, empty, text
from anonset.ui.state.page_state import PageState
from anonset.ui.state.setting_words import CEILING, RULE
from anonset.ui.state.tree_state import TreeState

_STEP = 50
"""Number of children that a node shows at once."""
_FOUND = 20
"""Maximum number of search results."""


def hierarchies_screen(state: PageState) -> None:
    """Create the screen."""
    screen = Screen(state, "/hierarchies")
    with screen.opened("How may values be generalized?", lambda: state.tree.command):
        if screen.is_blocked():
            return
        trees, views = state.tree, list[_TreeView]()
        trees.follow()
        with card():
            screen.section(lambda: (trees.column, trees.columns), lambda section: _columns(screen, section))
            screen.section(lambda: (trees.column, trees.spec), lambda _: _specs(screen))
            screen.section(lambda: _progress(trees), lambda _: _status(trees))
        screen.section(lambda: _identity(trees.tree), lambda _: _show_tree(screen, views))
        screen.section(lambda: trees.tree and trees.tree.ceilings, lambda _: _mark(views))
        with ui.element("div").classes("actions"):
            ui.link("Back: data", "/")
            ui.link("Next: choose the promise", "/promise").classes("next")


def _columns(screen: Screen, section: LiveSection) -> None:
    trees = screen.state.tree

    def choose(column: str) -> None:
        trees.column = column

    if not trees.columns:
        empty("No column has a hierarchy. If you give a column a role on the screen Data, anonset proposes one.")
        return
    choice = ui.select(trees.columns, value=trees.column, label="Column")
    choice.on_value_change(lambda event: screen.act(choose, event.value, shown=section))
    choice.props("outlined stack-label").classes("field").mark("column")


def _specs(screen: Screen) -> None:
    trees = screen.state.tree
    trees.follow()
    if not trees.column:
        return

    def choose(spec: str | None) -> None:
        if spec and spec.strip() != trees.spec:
            screen.act(trees.choose_spec, spec.strip())

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
    return trees.column, trees.spec, trees.is_reading, tuple(trees.faults), trees.tree is None


def _status(trees: TreeState) -> None:
    with ui.element("div").props("role=status"):
        if trees.is_reading:
            text("p", "Reading the hierarchy …").classes("busy")
        elif trees.column and not trees.has_tree:
            text("p", "Ranges and sets of values are computed for each group of records. They have no tree.")
        elif trees.tree is not None:
            tree = trees.tree.hierarchy
            text("p", f"{counted(tree.n_leaves, 'value')}, {counted(tree.n_nodes, 'node')}, {tree.depth.max()} levels.")
    if trees.faults:
        text("h2", "Faults of the hierarchy")
        with ui.element("ul"):
            for fault in trees.faults[:_STEP]:
                alert(fault, "li")
        if len(trees.faults) > _STEP:
            text("p", f"{len(trees.faults) - _STEP:,} more faults")


def _identity(tree: ColumnHierarchy | None) -> object:
    return tree and id(tree.hierarchy)


def _show_tree(screen: Screen, views: "list[_TreeView]") -> None:
    views.clear()
    if screen.state.tree.tree is None or not screen.state.tree.has_tree:
        return
    view = _TreeView(screen)
    with card():
        search = ui.input("Search", on_change=lambda event: view.search(event.value or ""))
        search.props("outlined stack-label clearable debounce=250").classes("field").mark("search")
        view.create()
    views.append(view)


def _mark(views: "list[_TreeView]") -> None:
    for view in views:
        view.mark_ceilings()


class _TreeView:
    """Tree on the screen. The children of a node are created when the owner opens the node."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._trees = screen.state.tree
        self._rows: dict[int, Any] = {}
        """Label element of each visible node."""
        self._toggles: dict[int, Any] = {}
        self._lists: dict[int, Any] = {}
        """List element for the children of each visible inner node. The list is empty while the node is closed."""
        self._panel: Any = None
        self._boxes: dict[int, Any] = {}

    @property
    def _tree(self) -> ColumnHierarchy:
        tree = self._trees.tree
        if tree is None:
            msg = "the hierarchy is being read"
            raise AnonsetError(msg)
        return tree

    def create(self) -> None:
        self._results = ui.element("div").props("role=status")
        with ui.element("ul").classes("tree"):
            self._add(0)
        self._open(0)

    def search(self, wanted: str) -> None:
        self._results.clear()
        if not wanted.strip():
            return
        found = self._tree.matches(wanted.strip(), _FOUND)
        with self._results:
            text("p", counted(len(found), "result") if len(found) < _FOUND else f"the first {_FOUND} results")
            with ui.element("ul").classes("tree"):
                for node in found:
                    path = " › ".join(map(self._tree.title, self._tree.path(node)[:-1]))
                    with ui.element("li"):
                        button(self._tree.title(node), partial(self._go_to, node)).classes("node").mark(f"found {node}")
                        text("span", path).classes("soft")

    def mark_ceilings(self) -> None:
        for node, row in self._rows.items():
            row.set_text(self._words(node))
            row.classes(remove="ceiling excluded", add=self._class(node))

    def _words(self, node: int) -> str:
        tree, below = self._tree, int(self._tree.hierarchy.n_leaves_below[node])
        figures = [] if tree.hierarchy.is_leaf[node] else [counted(below, "value")]
        figures.append(counted(int(tree.records[node]), "record"))
        mark = {"ceiling": " – ceiling", "excluded": " – not published"}.get(self._class(node), "")
        return f"{tree.title(node)} ({', '.join(figures)}){mark}"

    def _class(self, node: int) -> str:
        return "ceiling" if node in self._tree.ceilings else "excluded" if node in self._tree.excluded else ""

    def _add(self, node: int) -> None:
        with ui.element("li"):
            if not self._tree.hierarchy.is_leaf[node]:
                toggle = button("+", partial(self._toggle, node)).classes("toggle")
                toggle.props("aria-expanded=false").props["aria-label"] = f"Open {self._tree.title(node)}"
                self._toggles[node] = toggle.mark(f"toggle {node}")
            row = button(self._words(node), partial(self._select, node)).classes("node").classes(self._class(node))
            self._rows[node] = row.mark(f"node {node}")
            self._boxes[node] = ui.element("div")
            if not self._tree.hierarchy.is_leaf[node]:
                self._lists[node] = ui.element("ul")

    def _toggle(self, node: int) -> None:
        if self._lists[node].default_slot.children:
            self._close(node)
        else:
            self._open(node)

    def _open(self, node: int) -> None:
        if not self._lists[node].default_slot.children:
            self._toggles[node].set_text("−")
            self._toggles[node].props("aria-expanded=true")
            self._add_children(node, 0)

    def _close(self, node: int) -> None:
        self._lists[node].clear()
        self._toggles[node].set_text("+")
        self._toggles[node].props("aria-expanded=false")
        end = int(self._tree.hierarchy.subtree_end[node])
        for shown in (self._rows, self._toggles, self._lists, self._boxes):
            for below in [one for one in shown if node < one < end]:
                del shown[below]

    def _add_children(self, node: int, first: int) -> None:
        children = self._tree.children(node)
        more = len(children) - first - _STEP
        with self._lists[node]:
            for child in children[first : first + _STEP]:
                self._add(child)
            if more > 0:
                with ui.element("li") as item:

                    def show_more() -> None:
                        item.delete()
                        self._add_children(node, first + _STEP)

                    button(f"Show {min(more, _STEP)} of {more:,} more", show_more).classes("node")

    def _go_to(self, node: int) -> None:
        for above in self._tree.path(node)[:-1]:
            self._open(above)
            child = next(one for one in self._tree.path(node) if self._tree.hierarchy.parent[one] == above)
            if child not in self._rows:
                with self._lists[above]:
                    self._add(child)
        self._select(node)
        self._rows[node].run_method("focus")

    def _select(self, node: int) -> None:
        if self._panel is not None and not self._panel.is_deleted:
            self._panel.delete()
        trees, tree = self._trees, self._tree
        with self._boxes[node]:
            self._panel = ui.element("div").classes("good")
        with self._panel:
            is_ceiling = node in tree.ceilings
            with ui.element("div").classes("actions"):
                label = "Remove the ceiling" if is_ceiling else CEILING
                if node:
                    button(label, partial(self._click, node)).mark("set ceiling")
                button("Close", self._panel.delete).classes("second")
            if tree.hierarchy.is_leaf[node]:
                return
            if trees.is_file:
                name = ui.input("Name of the node", value=tree.hierarchy.labels[node])
                name.props("outlined stack-label").classes("field").mark("name")
                button("Rename", lambda: self._screen.run(trees.rename(node, name.value))).mark("rename")
            elif tree.hierarchy.unnamed:
                text("p", "The nodes of this tree have no names. They are published as sets of values.").classes("soft")
            else:
                text("p", "To rename nodes, write the tree to a file first.").classes("soft")
                button("Write the tree to a file", lambda: self._screen.run(trees.write_to_file())).mark("write")

    def _click(self, node: int) -> None:
        if self._screen.act(self._trees.click, node):
            self._select(node)
