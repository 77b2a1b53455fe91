"""Binary trees over labels in order of descending frequency. They separate frequent labels and combine rare labels.

With ``frequency``, each of the two children of a node has about half of its occurrences. With ``number``, each child
has half of its labels. Labels are sorted by descending frequency, then by place, and a node contains consecutive
labels. A cut therefore discloses frequency ranges. The nodes have no names for publication. Published sets are sorted
in label order, so they do not disclose the tree.
"""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import accumulate

import numpy as np

from anonset.data.array_types import Int64
from anonset.data.hierarchies.hierarchy import Hierarchy
from anonset.data.spans import begins_of

HALVED_BY = ("frequency", "number")
"""Ways to divide a node into two halves: by the total frequency of the labels, or by their number."""
_MADE = -1


def halves(labels: Sequence[str], occurrences: Int64, by: str = "frequency", *, from_data: bool = True) -> Hierarchy:
    """Return a binary tree over labels by descending frequency. Its inner nodes have no names for publication.

    Parameters
    ----------
    labels
        At least one label, in canonical order.
    occurrences
        Frequency of each label, int64 (M,). Labels that do not occur get frequency 1.
    by
        Value of `HALVED_BY`. The tree for ``frequency`` has the tree for ``number`` as its `Hierarchy.rival`.
    from_data
        Whether the occurrences are from the data to be published.

    Examples
    --------
    >>> tree = halves(["a", "b", "c", "d"], np.array([1, 9, 2, 2]))
    >>> tree.labels
    ('H1', 'b', 'H2', 'c', 'H3', 'd', 'a')
    >>> tree.rival.labels
    ('H1', 'H3', 'b', 'c', 'H2', 'd', 'a')
    """
    if len(labels) == 1:
        return replace(Hierarchy.from_tree(labels[0]), from_data=from_data)
    flat = Hierarchy.from_tree((f"{max(labels, key=len)}*", list(labels)))
    return refined(flat, occurrences, by, from_data=from_data, keep_root=False)


def refined(
    hierarchy: Hierarchy,
    occurrences: Int64,
    by: str = "frequency",
    *,
    from_data: bool = True,
    keep_root: bool = True,
) -> Hierarchy:
    """Return a hierarchy with a binary tree of halves over the children of each node. Original nodes keep their names.

    Every cut of the given hierarchy is also a cut of the new hierarchy.

    Parameters
    ----------
    hierarchy
        The given tree.
    occurrences
        Frequency of each leaf, int64 (M,).
    by, from_data
        As for `halves`.
    keep_root
        Whether the root keeps its name.

    Examples
    --------
    >>> tree = refined(Hierarchy.from_tree(("ALL", ["a", "b", ("C", ["c", "d"])])), np.array([1, 9, 2, 2]))
    >>> tree.labels, sorted(tree.unnamed), tree.place.tolist()
    (('ALL', 'b', 'H1', 'C', 'c', 'd', 'a'), ['H1'], [1, 2, 3, 0])
    """
    old_nodes, parent = _split(hierarchy, occurrences, by)
    place = np.arange(hierarchy.n_leaves, dtype=np.int32) if hierarchy.place is None else hierarchy.place
    made = [old == _MADE or (old == 0 and not keep_root) for old in old_nodes]
    names = _names(hierarchy, old_nodes, parent, made, place.tolist())
    tree = Hierarchy.from_preorder(names, np.array(parent, np.int64))
    old_leaf = {int(node): leaf for leaf, node in enumerate(hierarchy.leaf_node)}
    order = [old_leaf[old] for old in old_nodes if old in old_leaf]
    number = by == "number"
    return replace(
        tree,
        aliases=hierarchy.aliases,
        from_data=from_data or hierarchy.from_data,
        unnamed=hierarchy.unnamed | {name for name, is_made in zip(names, made, strict=True) if is_made},
        place=place[order],
        rival=None if number else refined(hierarchy, occurrences, "number", from_data=from_data, keep_root=keep_root),
    )


def _split(hierarchy: Hierarchy, occurrences: Int64, by: str) -> tuple[list[int], list[int]]:
    """Return the nodes of the new tree in preorder, as two lists. The first list contains the corresponding node of
    `hierarchy`, or -1 for an inserted node. The second list contains the parent of each node.
    """
    before = begins_of(occurrences)
    below = (before[hierarchy.leaf_hi] - before[hierarchy.leaf_lo]).tolist()
    weight = np.maximum(below, 1).tolist() if hierarchy.n_nodes else []
    leaf = hierarchy.is_leaf.tolist()
    old_nodes: list[int] = []
    parents: list[int] = []
    stack: list[tuple[list[int], list[int], int, int, int]] = [([0], [0, weight[0]], 0, 1, -1)]
    while stack:
        nodes, sums, low, high, parent = stack.pop()
        is_single = high - low == 1
        number = len(old_nodes)
        old_nodes.append(nodes[low] if is_single else _MADE)
        parents.append(parent)
        if is_single and leaf[nodes[low]]:
            continue
        if is_single:
            nodes = sorted(hierarchy.children(nodes[low]), key=lambda node: (-below[node], node))
            sums = list(accumulate((weight[node] for node in nodes), initial=0))
            low, high = 0, len(nodes)
        middle = _middle(sums, low, high, by)
        stack += [(nodes, sums, middle, high, number), (nodes, sums, low, middle, number)]
    return old_nodes, parents


def _middle(sums: Sequence[int], low: int, high: int, by: str) -> int:
    """Return the start of the second half if consecutive labels are divided into two non-empty halves."""
    if by == "number":
        return low + (high - low + 1) // 2
    total = sums[low] + sums[high]  # 2 * (sums[j] - sums[low]) < sums[high] - sums[low]
    less = bisect_left(sums, total, low + 1, high + 1, key=lambda upto: 2 * upto)
    return max(low + 1, min(high - 1, less - 1))


def _names(
    hierarchy: Hierarchy, old_nodes: list[int], parent: list[int], made: list[bool], place: list[int]
) -> list[str]:
    """Return the name of each node. Inserted nodes are numbered by the first place below them. If two inserted nodes
    have the same first place, the larger node comes first.
    """
    n, last = len(old_nodes), max(place) + 1
    first, size = [last] * n, [0] * n
    old_leaf = {int(node): leaf for leaf, node in enumerate(hierarchy.leaf_node)}
    for node in range(n - 1, -1, -1):
        if old_nodes[node] in old_leaf:
            first[node], size[node] = place[old_leaf[old_nodes[node]]], 1
        if (above := parent[node]) >= 0:
            first[above] = min(first[above], first[node])
            size[above] += size[node]
    prefix = _free_prefix(hierarchy.labels)
    in_order = sorted((node for node in range(n) if made[node]), key=lambda node: (first[node], -size[node]))
    names = [hierarchy.labels[old] for old in old_nodes]
    for number, node in enumerate(in_order, 1):
        names[node] = f"{prefix}{number}"
    return names


def _free_prefix(labels: Iterable[str]) -> str:
    """Return a prefix such that no label consists of this prefix and a number."""
    prefix, similar = "H", [label for label in labels if label.startswith("H")]
    while any(label.startswith(prefix) and label[len(prefix) :].isdecimal() for label in similar):
        prefix += "_"
    return prefix


def in_order_of_place(hierarchy: Hierarchy) -> Hierarchy:
    """Return a hierarchy with the children of each node in publication order, for display.

    >>> in_order_of_place(halves(["a", "b", "c", "d"], np.array([1, 9, 2, 2]))).labels
    ('H1', 'H2', 'H3', 'a', 'd', 'c', 'b')
    """
    if hierarchy.place is None:
        return hierarchy
    first = [hierarchy.n_leaves] * hierarchy.n_nodes
    for leaf, node in enumerate(hierarchy.leaf_node.tolist()):
        first[node] = int(hierarchy.place[leaf])
    above = hierarchy.parent.tolist()
    for node in range(hierarchy.n_nodes - 1, 0, -1):
        first[above[node]] = min(first[above[node]], first[node])
    labels, parents, order = list[str](), list[int](), list[int]()
    stack = [(0, -1)]
    while stack:
        node, parent = stack.pop()
        number = len(labels)
        labels.append(hierarchy.labels[node])
        parents.append(parent)
        children = sorted(hierarchy.children(node), key=lambda child: first[child], reverse=True)
        stack += [(child, number) for child in children]
        if not children:
            order.append(first[node])
    ordered = Hierarchy.from_preorder(labels, np.array(parents, np.int64))
    return replace(
        ordered,
        aliases=hierarchy.aliases,
        from_data=hierarchy.from_data,
        unnamed=hierarchy.unnamed,
        place=np.array(order, np.int32),
    )
