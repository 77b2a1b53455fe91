"""Tree of a hierarchy on the screen, in which the owner sets ceilings and edits groups.

The tree is a nested list with buttons. A group shows its members when the owner opens it, 50 at a time. Nodes are
chosen by their boxes; the panel below the first chosen node changes all chosen nodes.
"""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

from nicegui import ui

from anonset.data import Hierarchy
from anonset.errors import AnonsetError
from anonset.jobs.proposals.column_hierarchy import ColumnHierarchy
from anonset.spelling import counted
from anonset.ui.screens.frame import Screen, button, card, text
from anonset.ui.screens.node_panel import NodePanel
from anonset.ui.state.page_state import message_of
from anonset.ui.state.setting_words import CEILING

_STEP = 50
"""Number of members that a group shows at once."""
_FOUND = 20
"""Maximum number of search results."""
_KEYS = """<script>
document.addEventListener("keydown", event => {
  const tree = event.target.closest(".hierarchy"), row = event.target.closest("li[data-node]");
  const writes = event.target.closest("input, textarea");
  if ((event.ctrlKey || event.metaKey) && event.key === "z" && !writes) {
    document.querySelector(".undo:not([aria-disabled=true])")?.click();
  } else if (tree && row && !writes && !event.target.closest(".panel")) {
    const rows = [...tree.querySelectorAll("li[data-node]")];
    const kind = event.target.classList.contains("box") ? ".box" : ".node";
    const part = (item, kind) => item.querySelector(`:scope > .branch > ${kind}`);
    const focus = item => item && (part(item, kind) || part(item, ".node")).focus();
    const toggle = part(row, ".toggle"), opened = toggle?.ariaExpanded === "true";
    const way = {
      ArrowDown: () => focus(rows[rows.indexOf(row) + 1]),
      ArrowUp: () => focus(rows[rows.indexOf(row) - 1]),
      ArrowRight: () => opened ? focus(row.querySelector("li[data-node]")) : toggle?.click(),
      ArrowLeft: () => opened ? toggle.click() : focus(row.parentElement.closest("li[data-node]")),
      F2: () => part(row, ".node").click(),
    }[event.key];
    if (way) { event.preventDefault(); way(); }
  }
});
</script>"""
"""Script for keys: arrows move between nodes and open groups, F2 opens the panel of a node, Ctrl-Z undoes an edit."""


class TreeView:
    """Tree of the chosen column in one browser tab."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._trees = screen.state.tree
        self._opened: set[str] = set()
        """Labels of the groups whose members are visible."""
        self._shown: dict[str, int] = {}
        """Number of members that a group shows, if more than `_STEP`."""
        self._chosen: list[str] = []
        """Labels of the chosen nodes. The panel is below the first one."""
        self._dragged: list[str] = []
        self._wanted = ""
        self._refusal = ""
        """Reason why the last edit was refused."""
        self._focus = ""
        """Label of the node that gets the focus when the tree is rebuilt."""
        self._rows: dict[int, Any] = {}
        """Label element of each visible node."""
        self._toggles: dict[int, Any] = {}
        self._lists: dict[int, Any] = {}
        """List element for the members of each visible group. The list is empty while the group is closed."""
        self._boxes: dict[int, Any] = {}
        """Element for the panel below each visible node."""
        self._choices: dict[int, list[Any]] = {}
        """Check boxes of each visible node."""
        self._panel: Any = None

    @property
    def _tree(self) -> ColumnHierarchy:
        tree = self._trees.tree
        if tree is None:
            raise AnonsetError("the hierarchy is being read")
        return tree

    @property
    def _hierarchy(self) -> Hierarchy:
        return self._tree.hierarchy

    def create(self) -> None:
        """Create the tree, which follows the tree of the page."""
        ui.add_head_html(_KEYS)
        trees, screen = self._trees, self._screen
        with card() as box:
            with ui.element("div").classes("edits") as edits:  # remains visible while the tree is scrolled
                effect = text("p", "").props("role=status").mark("effect")
                undo = button("Undo", self._undo).classes("second undo").mark("undo")
            screen.section(self._structure, lambda _: self._build())

        def show() -> None:
            box.set_visibility(trees.tree is not None)
            edits.set_visibility(trees.is_edited)
            effect.set_text(self._refusal or trees.effect or "Choose values to move or to group them.")
            effect.classes(remove="refused", add="refused" if self._refusal else "")
            undo.props["aria-disabled"] = "false" if trees.undoable else "true"
            undo.props["aria-label"] = f"Undo: {trees.undoable}" if trees.undoable else "Undo: no edit"

        screen.section(
            lambda: (trees.tree is None, trees.is_edited, trees.effect, trees.undoable, self._refusal), lambda _: show()
        )
        screen.section(lambda: trees.tree and (trees.tree.ceilings, id(trees.tree.records)), lambda _: self._mark())

    def _structure(self) -> object:
        tree = self._trees.tree
        return tree and id(tree.hierarchy), self._trees.has_tree, self._trees.is_edited

    def _build(self) -> None:
        for shown in (self._rows, self._toggles, self._lists, self._boxes, self._choices):
            shown.clear()
        trees, self._panel = self._trees, None
        if trees.tree is None:
            return
        self._chosen = [label for label in self._chosen if label in self._hierarchy.node_of]
        if not trees.is_edited:
            self._offer()
        if not trees.has_tree:
            return
        search = ui.input("Search", value=self._wanted, on_change=lambda event: self._search(event.value or ""))
        search.props("outlined stack-label clearable debounce=250").classes("field").mark("search")
        self._results = ui.element("div").props("role=status")
        with ui.element("ul").classes("tree hierarchy"):
            self._add(0)
        self._open(0)
        self._reopen(0)
        self._search(self._wanted)
        if self._focus:
            self._reveal(self._hierarchy.node_of.get(self._focus, 0))
        self._focus = ""
        self._show_panel()

    def _offer(self) -> None:
        """Offer to edit a tree that is not yet a file of the page."""
        trees = self._trees
        if trees.why_not_editable:
            text("p", trees.why_not_editable).mark("not-editable")
            return
        words = "You can also make groups of values yourself."
        if trees.has_tree:
            words = "You can move values to other groups, and make, rename or delete groups."
            if self._hierarchy.unnamed:
                words += " The groups get numbers as names, which you can change."
        text("p", f"{words} The result is a new file next to the job file. The rule or file above is not changed.")
        start = button("Edit by hand", lambda: self._screen.run(trees.start_editing()))
        start.classes("second").mark("write")

    def _undo(self) -> None:
        if self._trees.undoable:
            self._act("", self._trees.undo)

    def _search(self, wanted: str) -> None:
        self._wanted = wanted.strip()
        self._results.clear()
        if not self._wanted:
            return
        tree, found = self._tree, self._tree.matches(self._wanted, _FOUND)
        with self._results:
            text("p", counted(len(found), "result") if len(found) < _FOUND else f"the first {_FOUND} results")
            with ui.element("ul").classes("tree"):
                for node in found:
                    path = " › ".join(map(tree.title, tree.path(node)[:-1]))
                    with ui.element("li"), ui.element("div").classes("branch"):
                        self._box(node)
                        button(tree.title(node), partial(self._go_to, node)).classes("node").mark(f"found {node}")
                        text("span", path).classes("soft")
            if self._trees.is_edited and len(found) > 1:
                button(f"Choose all {len(found)} results", partial(self._choose_all, found)).classes("second")

    def _mark(self) -> None:
        for node, row in self._rows.items():
            row.set_text(self._words(node))
            row.classes(remove="ceiling excluded", add=self._class(node))

    def _words(self, node: int) -> str:
        tree, below = self._tree, int(self._hierarchy.n_leaves_below[node])
        figures = [] if self._hierarchy.is_leaf[node] else [counted(below, "value")]
        if (records := int(tree.records[node])) >= 0:
            figures.append(counted(records, "record"))
        mark = {"ceiling": " – ceiling", "excluded": " – not published"}.get(self._class(node), "")
        return tree.title(node) + (f" ({', '.join(figures)})" if figures else "") + mark

    def _class(self, node: int) -> str:
        return "ceiling" if node in self._tree.ceilings else "excluded" if node in self._tree.excluded else ""

    def _add(self, node: int) -> None:
        is_group = not self._hierarchy.is_leaf[node]
        with ui.element("li").props(f"data-node={node}"):
            with ui.element("div").classes("branch" if is_group else "branch value") as line:
                self._drag(node, line)
                if is_group:
                    toggle = button("+", partial(self._toggle, node)).classes("toggle")
                    toggle.props("aria-expanded=false").props["aria-label"] = f"Open {self._tree.title(node)}"
                    self._toggles[node] = toggle.mark(f"toggle {node}")
                self._box(node)
                row = button(self._words(node), partial(self._select, node)).classes("node").classes(self._class(node))
                self._rows[node] = row.mark(f"node {node}")
            self._boxes[node] = ui.element("div")
            if is_group:
                self._lists[node] = ui.element("ul")

    def _drag(self, node: int, line: ui.element) -> None:
        """Let the owner drag a node to a group. A dragged node takes the other chosen nodes along if it is chosen."""
        if not self._trees.is_edited:
            return
        label = self._hierarchy.labels[node]

        def start() -> None:
            self._dragged = [*self._chosen] if label in self._chosen else [label]

        def drop() -> None:
            if self._dragged and label not in self._dragged:
                self._node_panel(self._dragged).move(label)
                self._dragged = []

        if node:
            line.props("draggable=true").on(
                "dragstart", start, js_handler='(e) => { e.dataTransfer.setData("text/plain", ""); emit(); }'
            )
        if not self._hierarchy.is_leaf[node]:
            line.on("dragover", js_handler="(e) => e.preventDefault()")
            line.on("drop", drop, js_handler="(e) => { e.preventDefault(); emit(); }")

    def _box(self, node: int) -> None:
        """Create the check box that chooses a node."""
        if self._trees.is_edited and node:
            box = button("", partial(self._choose, node)).classes("box").props("role=checkbox").mark(f"choose {node}")
            box.props["aria-label"] = f"Choose {self._tree.title(node)}"
            self._choices.setdefault(node, []).append(box)
            self._check(node)

    def _check(self, node: int) -> None:
        checked = "true" if self._hierarchy.labels[node] in self._chosen else "false"
        for box in self._choices.get(node, ()):
            if not box.is_deleted:
                box.props(f"aria-checked={checked}")

    def _toggle(self, node: int) -> None:
        if self._hierarchy.labels[node] in self._opened:
            self._close(node)
        else:
            self._open(node)

    def _reopen(self, node: int) -> None:
        """Open the groups that were open before the tree was rebuilt."""
        for child in self._hierarchy.children(node):
            if child in self._lists and self._hierarchy.labels[child] in self._opened:
                self._open(child)
                self._reopen(child)

    def _open(self, node: int) -> None:
        self._opened.add(self._hierarchy.labels[node])
        if not self._lists[node].default_slot.children:
            self._toggles[node].set_text("−")
            self._toggles[node].props("aria-expanded=true")
            self._add_members(node, 0)

    def _close(self, node: int) -> None:
        self._opened.discard(self._hierarchy.labels[node])
        self._lists[node].clear()
        self._toggles[node].set_text("+")
        self._toggles[node].props("aria-expanded=false")
        end = int(self._hierarchy.subtree_end[node])
        for shown in (self._rows, self._toggles, self._lists, self._boxes):
            for below in [one for one in shown if node < one < end]:
                del shown[below]

    def _add_members(self, node: int, first: int) -> None:
        members, label = self._hierarchy.children(node), self._hierarchy.labels[node]
        last = max(self._shown.get(label, _STEP), first + _STEP)
        self._shown[label], more = last, len(members) - last
        with self._lists[node]:
            for member in members[first:last]:
                if member not in self._rows:
                    self._add(member)
            if more > 0:
                with ui.element("li") as item:

                    def show_more() -> None:
                        item.delete()
                        self._add_members(node, last)

                    button(f"Show {min(more, _STEP)} of {more:,} more", show_more).classes("node")

    def _go_to(self, node: int) -> None:
        self._reveal(node)
        self._select(node)

    def _reveal(self, node: int) -> None:
        """Open all groups above a node, and focus the node."""
        for above, member in pairwise(self._tree.path(node)):
            self._open(above)
            if member not in self._rows:
                with self._lists[above]:
                    self._add(member)
        self._rows[node].run_method("focus")

    def _select(self, node: int) -> None:
        self._choose_only([node])

    def _choose_all(self, nodes: Sequence[int]) -> None:
        self._choose_only([node for node in nodes if node])

    def _choose_only(self, nodes: Sequence[int]) -> None:
        former, self._chosen = self._chosen, [self._hierarchy.labels[node] for node in nodes]
        for label in {*former, *self._chosen}:
            self._check(self._hierarchy.node_of[label])
        self._show_panel()

    def _choose(self, node: int) -> None:
        label = self._hierarchy.labels[node]
        if label in self._chosen:
            self._chosen.remove(label)
        else:
            self._chosen.append(label)
        self._check(node)
        self._show_panel()

    def _show_panel(self) -> None:
        """Show the panel of the chosen nodes below the first one that is visible."""
        if self._panel is not None and not self._panel.is_deleted:
            self._panel.delete()
        nodes = [self._hierarchy.node_of[label] for label in self._chosen]
        visible = [node for node in nodes if node in self._boxes]
        box = self._boxes[visible[0]] if visible else self._results if nodes else None
        if box is None:
            return
        with box:
            self._panel = ui.element("div").classes("good panel")
        with self._panel:
            panel, only = self._node_panel(self._chosen), nodes[0] if len(nodes) == 1 else 0
            if self._trees.is_edited:
                panel.create()
            with ui.element("div").classes("actions"):
                if self._trees.is_edited:
                    panel.create_buttons()
                if only:
                    label = "Remove the ceiling" if only in self._tree.ceilings else CEILING
                    button(label, partial(self._click, only)).classes("second").mark("set ceiling")
                button("Close", partial(self._choose_only, [])).classes("second").mark("close")

    def _node_panel(self, labels: Sequence[str]) -> NodePanel:
        return NodePanel(self._trees, self._tree, [*labels], self._act)

    def _act(self, focus: str, edit: Callable[[], object], former: str = "") -> None:
        """Edit the tree. If the edit succeeds, the node `focus` gets the focus. It is open if `former` was open."""
        chosen, self._focus, self._chosen, self._refusal = self._chosen, focus, [], ""
        if former in self._opened:
            self._opened.add(focus)
        try:
            edit()
        except AnonsetError as error:
            self._chosen, self._focus, self._refusal = chosen, "", message_of(error)
        self._screen.follow()

    def _click(self, node: int) -> None:
        if self._screen.act(self._trees.click, node):
            self._select(node)
