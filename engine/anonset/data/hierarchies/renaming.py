"""Rename nodes of a hierarchy."""

from dataclasses import replace

from anonset.data.hierarchies.hierarchy import Hierarchy
from anonset.errors import HierarchyError, typed


def rename_node(hierarchy: Hierarchy, old: str, new: str) -> Hierarchy:
    """Return a hierarchy in which the inner node `old` has the label `new`.

    Raises
    ------
    HierarchyError
        If `old` is not an inner node, or `new` is empty or the label of another node.

    >>> rename_node(Hierarchy.from_tree(("ALL", [("A", ["a1", "a2"]), "b"])), "A", "first").labels
    ('ALL', 'first', 'a1', 'a2', 'b')
    """
    node = hierarchy.node_of.get(old)
    if node is None or hierarchy.is_leaf[node]:
        reason = "is not a node of the hierarchy" if node is None else "is a value of the data and keeps its name"
        msg = f"label {typed(old)} {reason}"
        raise HierarchyError(msg)
    if not new or new != new.strip():
        msg = f"new label {typed(new)} must be a text without blanks at its ends"
        raise HierarchyError(msg)
    if new != old and new in hierarchy.node_of:
        msg = f"new label {typed(new)} is already a label of the hierarchy"
        raise HierarchyError(msg)
    labels = (*hierarchy.labels[:node], new, *hierarchy.labels[node + 1 :])
    return replace(hierarchy, labels=labels, unnamed=hierarchy.unnamed - {old})
