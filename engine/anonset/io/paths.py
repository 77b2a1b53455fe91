"""Paths from leaves to the root, from the parent of each label."""

from collections.abc import Mapping
from typing import Any


def paths_of(parent: Mapping[Any, Any]) -> list[list[Any]]:
    """Return the path to the root of each label that is nobody's parent; of a cycle, one that runs around it.

    >>> paths_of({"E10": "E", "E": "any", "I10": "any"})
    [['E10', 'E', 'any'], ['I10', 'any']]
    """
    above = set(parent.values())
    rows = []
    for leaf in parent:
        path = [leaf]
        while path[-1] in parent and len(path) <= len(parent):
            path.append(parent[path[-1]])
        if len(path) > len(parent) and path[-1] in parent:  # a cycle, which building the tree refuses
            return [path]
        if leaf not in above:
            rows.append(path)
    return rows
