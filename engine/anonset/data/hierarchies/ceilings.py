"""Ceilings of a hierarchy. A ceiling is a coarsest node that may be published."""

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from anonset.data.hierarchies.hierarchy import Hierarchy
from anonset.errors import HierarchyError, typed

Ceiling = int | Collection[str]
"""Labels of the coarsest nodes that may be published, or their column number in the hierarchy file. The root has number
0.
"""


def cap_hierarchy(hierarchy: Hierarchy, ceiling: Ceiling) -> Hierarchy:
    """Return a hierarchy without the nodes above a ceiling. The root of the result is never published.

    The remaining nodes have the same leaves as before, so losses do not change. A node that is neither above nor below
    a ceiling remains. If the root is the only ceiling, the hierarchy is returned unchanged.

    Raises
    ------
    HierarchyError
        If a label is not a node.

    >>> h = Hierarchy.from_tree(("ALL", [("X", [("A", ["a1", "a2"]), ("B", ["b1", "b2"])]), ("C", ["c1", "c2"])]))
    >>> cap_hierarchy(h, ["A"]).labels, cap_hierarchy(h, ["A"]).capped
    (('ALL', 'A', 'a1', 'a2', 'B', 'b1', 'b2', 'C', 'c1', 'c2'), True)
    >>> cap_hierarchy(h, 1).labels == h.labels, cap_hierarchy(h, 0) is h
    (True, True)
    """
    above = np.zeros(hierarchy.n_nodes, np.bool_)
    for node in nodes_of_ceiling(hierarchy, ceiling):
        above[hierarchy.ancestors(node)] = True
    if not above[0]:
        return hierarchy
    above[0] = False
    remains = ~above
    nearest = np.arange(hierarchy.n_nodes)
    for node in np.flatnonzero(above).tolist():  # preorder: `nearest` is final for the parent of the node
        nearest[node] = nearest[hierarchy.parent[node]]
    parent = (np.cumsum(remains) - 1)[nearest[hierarchy.parent[remains]]]
    parent[0] = -1
    names = [hierarchy.labels[node] for node in np.flatnonzero(remains).tolist()]
    made = Hierarchy.from_preorder(names, parent.astype(np.int64), hierarchy.column_depth[remains].tolist())
    return replace(
        made,
        aliases=hierarchy.aliases,
        from_data=hierarchy.from_data,
        unnamed=hierarchy.unnamed,
        place=hierarchy.place,
        rival=None if hierarchy.rival is None else cap_hierarchy(hierarchy.rival, ceiling),
        capped=True,
    )


def nodes_of_ceiling(hierarchy: Hierarchy, ceiling: Ceiling) -> list[int]:
    """Return the node numbers of a ceiling.

    Raises
    ------
    HierarchyError
        If a label is not a node.

    >>> nodes_of_ceiling(Hierarchy.from_tree(("ALL", [("A", ["a1", "a2"]), "b"])), 1)
    [1, 4]
    """
    if isinstance(ceiling, int):
        in_column: list[int] = np.unique(hierarchy.nodes_in_column(ceiling)).tolist()
        return in_column
    aliases, nodes = dict(hierarchy.aliases), list[int]()
    for label in ceiling:
        node = hierarchy.node_of.get(aliases.get(label, label))
        if node is None:
            raise HierarchyError(f"ceiling {typed(label)} is not a node of the hierarchy")
        nodes.append(node)
    return nodes
