"""Find codes of the data that are not leaves of a hierarchy, and add leaves that can replace these codes."""

from dataclasses import dataclass, field

from anonset.data.hierarchy import Hierarchy, Tree
from anonset.data.redacted_repr import RedactedRepr
from anonset.errors import HierarchyError, datum

UNSPECIFIED = ":unspecified"
"""Suffix of the leaf that represents an inner node itself."""


@dataclass(frozen=True)
class Misfit(RedactedRepr):
    """A label of the data that is not a leaf of the hierarchy."""

    label: str = field(repr=False)
    occurrences: int
    inner: bool
    """True if the label is an inner node of the hierarchy. False if the hierarchy does not contain the label."""


def misfits(hierarchy: Hierarchy, labels: tuple[str, ...], occurrences: list[int]) -> list[Misfit]:
    """Return the labels that are not leaves, in the given order."""
    leaves = hierarchy.leaves.index
    misfitting = [(label, count) for label, count in zip(labels, occurrences, strict=True) if label not in leaves]
    inner = inner_labels(hierarchy) if misfitting else set()
    return [Misfit(label, count, label in inner) for label, count in misfitting]


def inner_labels(hierarchy: Hierarchy) -> set[str]:
    """Return the labels of the inner nodes, including collapsed nodes with a single child."""
    collapsed = {label for label, _ in hierarchy.aliases}
    leaf = hierarchy.is_leaf.tolist()
    return ({label for node, label in enumerate(hierarchy.labels) if not leaf[node]} | collapsed) - {
        *hierarchy.leaves.labels
    }


def longest_prefix(label: str, nodes: set[str]) -> str | None:
    """Return the longest proper prefix of a label that is a node.

    >>> longest_prefix("250.13", {"250", "250.1", "25"})
    '250.1'
    """
    ends = range(len(label) - 1, 0, -1)
    return next((label[:end] for end in ends if label[:end] in nodes), None)


def with_unspecified(hierarchy: Hierarchy) -> Hierarchy:
    """Add a leaf to every inner node, after its other children. The leaf represents the node itself. Collapsed nodes
    are restored.

    Every inner node gets a leaf, even if the data do not contain the node. The tree therefore discloses nothing about
    the data.

    >>> with_unspecified(Hierarchy.from_tree(("any", [("E", ["E10", "E11"]), "I10"]))).leaves.labels
    ('E10', 'E11', 'E:unspecified', 'I10', 'any:unspecified')

    Raises
    ------
    HierarchyError
        If a label of the hierarchy is also the name of a new leaf.
    """
    used_labels = {*hierarchy.labels, *(label for label, _ in hierarchy.aliases)}
    above: dict[str, list[str]] = {}
    for collapsed, label in hierarchy.aliases:
        if collapsed != label:
            above.setdefault(label, []).append(collapsed)
    below: list[list[Tree]] = [[] for _ in hierarchy.labels]
    tree: Tree = ""
    for node in range(hierarchy.n_nodes - 1, -1, -1):
        label = hierarchy.labels[node]
        tree = (label, [*reversed(below[node]), _unspecified(label, used_labels)]) if below[node] else label
        for collapsed in reversed(above.get(label, [])):
            tree = (collapsed, [tree, _unspecified(collapsed, used_labels)])
        if node:
            below[int(hierarchy.parent[node])].append(tree)
    return Hierarchy.from_tree(tree)


def has_unspecified(hierarchy: Hierarchy) -> bool:
    """Return True if every inner node has a leaf that represents it, as added by `with_unspecified`."""
    leaf_labels = set(hierarchy.leaves.labels)
    nodes = zip(hierarchy.labels, hierarchy.is_leaf.tolist(), strict=True)
    return all(f"{label}{UNSPECIFIED}" in leaf_labels for label, leaf in nodes if not leaf)


def _unspecified(label: str, used_labels: set[str]) -> str:
    name = f"{label}{UNSPECIFIED}"
    if name in used_labels:
        msg = f"hierarchy: label {datum(name)} is reserved for the leaf of item {datum(label)}; rename it"
        raise HierarchyError(msg)
    return name


def nodes_of(hierarchy: Hierarchy) -> set[str]:
    """Return the labels of all nodes except the root. The root carries no information."""
    above = [collapsed for collapsed, label in hierarchy.aliases if label == hierarchy.labels[0]]
    root = above[0] if above else hierarchy.labels[0]
    return {*hierarchy.labels, *(collapsed for collapsed, _ in hierarchy.aliases)} - {root}
