"""Find codes of the data that are not leaves of a hierarchy, and add leaves that can replace these codes."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from anonset.data.hierarchies.hierarchy import Hierarchy, Tree
from anonset.data.hierarchies.hierarchy_rules import MISSING_VALUE, NO_VALUE
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


def with_missing_value(hierarchy: Hierarchy, labels: Sequence[str]) -> Hierarchy:
    """Return a hierarchy with a leaf for the missing values of a column.

    A leaf of the other missing value is renamed. Otherwise, ``?`` becomes a leaf below the root, as in hierarchies that
    are made by a rule. Empty text does not, because the owner has not declared that it means a missing value.

    Parameters
    ----------
    labels
        Labels of the column.

    >>> tree = Hierarchy.from_tree(("*", [("X", ["a", "b"]), ""]))
    >>> with_missing_value(tree, ["a", "?"]).leaves.labels, with_missing_value(tree, ["a", ""]).leaves.labels
    (('a', 'b', '?'), ('a', 'b', ''))
    """
    leaves, used = hierarchy.leaves.index, NO_VALUE.intersection(labels)
    for label in sorted(used.difference(hierarchy.labels)):
        free = [leaf for leaf in NO_VALUE if leaf in leaves and leaf not in used]
        if free:
            names = {free[0]: label}
            aliases = tuple((collapsed, names.get(node, node)) for collapsed, node in hierarchy.aliases)
            labels_after = tuple(names.get(node, node) for node in hierarchy.labels)
            hierarchy = replace(hierarchy, labels=labels_after, aliases=aliases)
        elif label == MISSING_VALUE and hierarchy.place is None:
            hierarchy = _with_leaf_below_root(hierarchy, label)
    return hierarchy


def _with_leaf_below_root(hierarchy: Hierarchy, label: str) -> Hierarchy:
    """Return a hierarchy with a further leaf below the root, which is restored if it had a single child."""
    root, labels, aliases = root_of(hierarchy), list(hierarchy.labels), list(hierarchy.aliases)
    parents, columns = hierarchy.parent.tolist(), hierarchy.column_depth.tolist()
    if root != labels[0]:
        aliases.remove((root, labels[0]))
        parents, columns = [-1, 0, *(parent + 1 for parent in parents[1:])], [0, 1, *columns[1:]]
        labels = [root, *labels]
    elif len(labels) == 1:
        return hierarchy
    longer = Hierarchy.from_preorder([*labels, label], np.array([*parents, 0], np.int64), [*columns, 1])
    facts: dict[str, Any] = {"from_data": hierarchy.from_data, "unnamed": hierarchy.unnamed}
    return replace(longer, aliases=tuple(aliases), **facts)


def root_of(hierarchy: Hierarchy) -> str:
    """Return the label of the root, also if it had a single child and was replaced by the child."""
    above = [collapsed for collapsed, label in hierarchy.aliases if label == hierarchy.labels[0]]
    return above[0] if above else hierarchy.labels[0]


def nodes_of(hierarchy: Hierarchy) -> set[str]:
    """Return the labels of all nodes except the root. The root carries no information."""
    root = root_of(hierarchy)
    return {*hierarchy.labels, *(collapsed for collapsed, _ in hierarchy.aliases)} - {root}
