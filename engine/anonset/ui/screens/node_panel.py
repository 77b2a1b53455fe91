"""Panel that edits the chosen nodes of a hierarchy: move, group, rename, split, merge and delete."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from nicegui import ui

from anonset.data import Hierarchy
from anonset.data.hierarchies.tree_edits import (
    delete_group,
    group_nodes,
    is_ordered,
    merge_groups,
    merged_name,
    move_nodes,
    split_group,
)
from anonset.jobs.proposals.column_hierarchy import ColumnHierarchy
from anonset.ui.screens.frame import button, text
from anonset.ui.state.tree_state import TreeState

_SPLIT = "Only groups of numbers, and of dates in one format, can be split at a value."
_TARGETS = 8
"""Maximum number of groups that the panel offers."""
_NAMED = 3
"""Maximum number of nodes that a sentence names."""


class NodePanel:
    """Controls that edit some nodes of a hierarchy.

    Parameters
    ----------
    chosen
        Labels of the nodes.
    act
        Called with the label of the node that gets the focus after the edit, a function that edits, and the former
        label of this node if the edit renames it.
    """

    def __init__(
        self,
        trees: TreeState,
        tree: ColumnHierarchy,
        chosen: Sequence[str],
        act: Callable[..., object],
    ) -> None:
        self._trees = trees
        self._tree = tree
        self._hierarchy = tree.hierarchy
        self._chosen = chosen
        self._nodes = [tree.hierarchy.node_of[label] for label in chosen]
        self._act = act

    @property
    def _group(self) -> int | None:
        """Chosen node if it is a single group."""
        is_group = len(self._nodes) == 1 and not self._hierarchy.is_leaf[self._nodes[0]]
        return self._nodes[0] if is_group else None

    def create(self) -> None:
        """Create the inputs: the name of a group, the bound that splits it, and the group to which the nodes move."""
        text("p", f"Chosen: {self._names(self._chosen)}").classes("soft").mark("chosen")
        if self._group is not None:
            self._change_group(self._group)
        if all(self._nodes):
            self._targets(self._nodes)

    def create_buttons(self) -> None:
        """Create the buttons that merge or delete a group."""
        if self._group is not None:
            self._merge_or_delete(self._group)

    def move(self, group: str) -> None:
        """Move the nodes to a group."""
        words = f"{self._names(self._chosen)} moved to {self._place(group)}."
        self._edit(self._neighbour(), words, move_nodes, [*self._chosen], group)

    def _targets(self, nodes: Sequence[int]) -> None:
        """Show the groups to which the chosen nodes can move, and the search for a group."""
        wanted = ui.input("Move to a group, or name of a new group", on_change=lambda event: show(event.value or ""))
        wanted.props("outlined stack-label clearable debounce=250").classes("field").mark("target")
        found = ui.element("div").props("role=status")

        def show(name: str) -> None:
            name = name.strip()
            found.clear()
            with found, ui.element("div").classes("actions"):
                for label in self._groups(nodes, name):
                    move = button(f"Move to {self._place(label)}", partial(self.move, label)).classes("second")
                    move.mark(f"move to {label}")
                if name and name not in self._hierarchy.node_of:
                    if len(nodes) > 1:
                        button(f"Make the new group “{name}”", partial(self._make, name)).mark("make")
                    else:
                        text("span", "To make a new group, choose at least two values.").classes("soft")

        show("")

    def _groups(self, nodes: Sequence[int], name: str) -> list[str]:
        """Return labels of groups to which nodes can move, and that contain a text. The nearest groups come first."""
        tree = self._hierarchy
        barred = {one for node in nodes for one in range(node, int(tree.subtree_end[node]))}
        barred |= parents if len(parents := {int(tree.parent[node]) for node in nodes}) == 1 else set()
        groups = [node for node in np.flatnonzero(~tree.is_leaf).tolist() if node not in barred]
        fitting = [node for node in groups if name.casefold() in tree.labels[node].casefold()]
        near = sorted(fitting, key=lambda node: (tree.labels[node] != name, abs(node - nodes[0])))
        return [tree.labels[node] for node in near[:_TARGETS]]

    def _place(self, label: str) -> str:
        """Return the words for a group in a sentence."""
        return f"“{label}”" if self._hierarchy.node_of[label] else "the top"

    def _change_group(self, node: int) -> None:
        label = self._hierarchy.labels[node]
        with ui.element("div").classes("sizes"):
            name = ui.input("Name of the group", value=label)
            name.props("outlined stack-label").classes("field").mark("name")
            button("Rename", lambda: self._rename(label, (name.value or "").strip())).classes("second").mark("rename")
        if is_ordered(self._hierarchy, node, self._tree.date_form):
            with ui.element("div").classes("sizes"):
                bound = ui.input("Split at").props("outlined stack-label").classes("field short").mark("bound")
                button("Split", lambda: self._split(label, bound.value or "")).classes("second").mark("split")
        else:
            text("p", _SPLIT).classes("soft").mark("unsplit")

    def _merge_or_delete(self, node: int) -> None:
        tree, label = self._hierarchy, self._hierarchy.labels[node]
        following = int(tree.subtree_end[node])
        has_neighbour = node and following < tree.n_nodes and tree.parent[following] == tree.parent[node]
        if has_neighbour and all(
            not tree.is_leaf[one] and is_ordered(tree, one, self._tree.date_form) for one in (node, following)
        ):
            other = tree.labels[following]
            button(f"Merge with {other}", partial(self._merge, label, other)).classes("second").mark("merge")
        words = "Delete this group" if node else "Delete all groups"
        button(words, partial(self._delete, label)).classes("second").mark("delete")

    def _make(self, name: str) -> None:
        self._edit(name, f"New group “{name}” with {self._names(self._chosen)}.", group_nodes, [*self._chosen], name)

    def _delete(self, label: str) -> None:
        if node := self._hierarchy.node_of[label]:
            above = self._hierarchy.labels[self._hierarchy.parent[node]]
            self._edit(
                above, f"Group “{label}” deleted; its values are now in {self._place(above)}.", delete_group, label
            )
        else:
            self._edit(label, "All groups deleted.", delete_group, label)

    def _split(self, label: str, bound: str) -> None:
        above = self._hierarchy.labels[max(0, self._hierarchy.parent[self._hierarchy.node_of[label]])]
        self._edit(above, f"“{label}” split at {bound.strip()}.", split_group, label, bound, self._tree.date_form)

    def _merge(self, label: str, other: str) -> None:
        name = merged_name(label, other)
        self._edit(name, f"“{label}” and “{other}” merged.", merge_groups, label, other)

    def _rename(self, old: str, new: str) -> None:
        self._act(new, partial(self._trees.rename, old, new), old)

    def _edit(self, focus: str, words: str, change: Callable[..., Hierarchy], *arguments: Any) -> None:
        self._act(focus, partial(self._trees.edit, words, change, *arguments))

    def _neighbour(self) -> str:
        """Return the label of the node that follows the chosen nodes, or of the group above."""
        tree, chosen = self._hierarchy, {self._hierarchy.node_of[label] for label in self._chosen}
        first = min(chosen)
        members = tree.children(int(tree.parent[first]))
        others = [member for member in members if member not in chosen]
        return tree.labels[next((one for one in others if one > first), (others or [int(tree.parent[first])])[-1])]

    def _names(self, labels: Sequence[str]) -> str:
        titles = [self._tree.title(self._hierarchy.node_of[label]) for label in labels[:_NAMED]]
        more = f" and {len(labels) - _NAMED:,} more" if len(labels) > _NAMED else ""
        return f"{', '.join(titles)}{more}"
