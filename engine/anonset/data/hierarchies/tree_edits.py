"""Edit a hierarchy by hand: rename, move, make, delete, split and merge groups. A group is an inner node.

Each function returns a new hierarchy over the same leaves. A group that loses all members vanishes, and a group with a
single member is replaced by this member, as in every `Hierarchy`.
"""

import re
from bisect import insort
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from itertools import pairwise
from typing import Any, NoReturn

import numpy as np

from anonset.data.hierarchies.hierarchy import Hierarchy
from anonset.data.hierarchies.hierarchy_rules import EITHER, read_date
from anonset.errors import HierarchyError, typed

_INTERVAL = re.compile(r"\[([^:\[\]()]*):([^:\[\]()]*)\)")
"""Label of a half-open interval, such as ``[18:65)``."""
_DATE = re.compile(r"\d{4}(-\d{2}(-\d{2})?)?")
Children = dict[str, list[str]]
"""Members of each group, in order, by label."""


def rename_node(hierarchy: Hierarchy, old: str, new: str) -> Hierarchy:
    """Return a hierarchy in which the group `old` has the label `new`.

    Raises
    ------
    HierarchyError
        If `old` is not a group, or `new` is empty or the label of another node.

    >>> rename_node(Hierarchy.from_tree(("ALL", [("A", ["a1", "a2"]), "b"])), "A", "first").labels
    ('ALL', 'first', 'a1', 'a2', 'b')
    """
    node = _group(hierarchy, old)
    if new != old:
        _require_new(hierarchy, new)
    labels = (*hierarchy.labels[:node], new, *hierarchy.labels[node + 1 :])
    return replace(hierarchy, labels=labels, unnamed=hierarchy.unnamed - {old})


def move_nodes(hierarchy: Hierarchy, moved: Sequence[str], group: str) -> Hierarchy:
    """Return a hierarchy in which nodes are members of another group. Nodes below another moved node stay there.

    Raises
    ------
    HierarchyError
        If `group` is not a group, all nodes are members of it already, or it is below a moved node.

    >>> tree = Hierarchy.from_tree(("ALL", [("A", ["a", "b", "d"]), ("B", ["c", "e"])]))
    >>> move_nodes(tree, ["d"], "B").labels
    ('ALL', 'A', 'a', 'b', 'B', 'c', 'd', 'e')
    >>> move_nodes(tree, ["c", "e"], "A").labels  # B vanishes, and ALL would only contain A
    ('A', 'a', 'b', 'c', 'd', 'e')
    """
    target, tops = _group(hierarchy, group), _highest(hierarchy, moved)
    inside = next((hierarchy.labels[top] for top in tops if top <= target < hierarchy.subtree_end[top]), None)
    if inside is not None:
        _refuse(f"group {typed(inside)} cannot be moved to {typed(group)}, which is a part of it")
    if all(hierarchy.parent[top] == target for top in tops):
        _refuse(f"the chosen values are already in the group {typed(group)}")
    children = _children(hierarchy)
    _take(hierarchy, children, tops)
    for top in tops:
        _insert(children[group], hierarchy.labels[top])
    return _rebuilt(hierarchy, children)


def group_nodes(hierarchy: Hierarchy, members: Sequence[str], name: str) -> Hierarchy:
    """Return a hierarchy with a new group of nodes, below the lowest node above all of them and at the place of the
    first one.

    Raises
    ------
    HierarchyError
        If the name is empty or the label of another node, there are fewer than two members, or they are already all
        members of a group.

    >>> tree = Hierarchy.from_tree(("ALL", [("A", ["a1", "a2", "a3"]), ("B", ["b1", "b2"])]))
    >>> group_nodes(tree, ["a3", "a2"], "new").labels
    ('ALL', 'A', 'a1', 'new', 'a2', 'a3', 'B', 'b1', 'b2')
    >>> group_nodes(tree, ["a1", "b1"], "new").labels
    ('ALL', 'new', 'a1', 'b1', 'A', 'a2', 'a3', 'b2')
    """
    _require_new(hierarchy, name)
    tops = _highest(hierarchy, members)
    if len(tops) < 2:
        _refuse(f"the new group {typed(name)} needs at least two values")
    above = int(hierarchy.parent[tops[0]])
    while hierarchy.subtree_end[above] <= tops[-1]:
        above = int(hierarchy.parent[above])
    if tops == hierarchy.children(above):
        _refuse(f"the group {typed(hierarchy.labels[above])} already contains exactly these values; rename it")
    children = _children(hierarchy)
    under = children[hierarchy.labels[above]]
    place = sum(child <= tops[0] for child in hierarchy.children(above)) - 1
    _take(hierarchy, children, tops)
    under.insert(place, name)
    children[name] = [hierarchy.labels[top] for top in tops]
    return _rebuilt(hierarchy, children)


def delete_group(hierarchy: Hierarchy, group: str) -> Hierarchy:
    """Return a hierarchy without a group. Its members become members of the group above. Without the root, all other
    groups are deleted.

    Raises
    ------
    HierarchyError
        If the label is not that of a group, or there is no other group.

    >>> tree = Hierarchy.from_tree(("ALL", [("A", ["a1", "a2"]), ("B", ["b1", "b2"])]))
    >>> delete_group(tree, "A").labels, delete_group(tree, "ALL").labels
    (('ALL', 'a1', 'a2', 'B', 'b1', 'b2'), ('ALL', 'a1', 'a2', 'b1', 'b2'))
    """
    node, children = _group(hierarchy, group), _children(hierarchy)
    if node:
        above = children[hierarchy.labels[hierarchy.parent[node]]]
        place = above.index(group)
        above[place : place + 1] = children.pop(group)
    elif len(children) == 1:
        _refuse(f"the group {typed(group)} contains all values and cannot be deleted")
    else:
        children = {group: list(hierarchy.leaves.labels)}
    return _rebuilt(hierarchy, children)


def is_ordered(hierarchy: Hierarchy, node: int, date_form: str = "") -> bool:
    """Return True if all leaves of a group are numbers or dates, so that a bound can split the group. See `split_group`
    for `date_form`.

    >>> tree = Hierarchy.from_tree(("ALL", [("A", ["1", "2"]), "x"]))
    >>> is_ordered(tree, 1), is_ordered(tree, 0)
    (True, False)
    """
    return _scale(_leaves(hierarchy, node), date_form) is not None


def split_group(hierarchy: Hierarchy, group: str, bound: str, date_form: str = "") -> Hierarchy:
    """Return a hierarchy in which two groups replace a group of numbers or dates: the values below a bound, and the
    others. The root remains above the two groups.

    Parameters
    ----------
    date_form
        Format of dates for `datetime.strptime`. Empty for ISO dates.

    Raises
    ------
    HierarchyError
        If the label is not that of such a group, the bound is no number or date, all values are on one side, a member
        has values on both sides, or the name of a part is the label of another node.

    >>> tree = Hierarchy.from_tree(("ALL", [("[18:65)", ["18", "30", "40"]), ("old", ["70", "80", "90"])]))
    >>> split_group(tree, "[18:65)", "30").labels
    ('ALL', '18', '[30:65)', '30', '40', 'old', '70', '80', '90')
    >>> split_group(tree, "old", "80").labels
    ('ALL', '[18:65)', '18', '30', '40', '70', 'old from 80', '80', '90')
    >>> split_group(Hierarchy.from_tree(("ALL", ["01.02.2024", "31.12.2023"])), "ALL", "1.1.2024", "%d.%m.%Y").labels
    ('ALL', '31.12.2023', '01.02.2024')
    """
    node, bound = _group(hierarchy, group), bound.strip()
    scale = _scale(_leaves(hierarchy, node), date_form)
    if scale is None:
        _refuse(f"the group {typed(group)} contains values that are not numbers or dates, so no bound splits it")
    if _scale([bound], date_form) != scale:
        example = date(2024, 7, 1).strftime(date_form.partition(EITHER)[0] or "%Y-%m-%d")
        _refuse(f"bound {typed(bound)} must be a {'number' if scale is float else f'date such as {example}'}")
    parts: tuple[list[str], list[str]] = [], []
    for member in hierarchy.children(node):
        sides = {scale(leaf) >= scale(bound) for leaf in _leaves(hierarchy, member)}
        if len(sides) > 1:
            _refuse(f"{typed(bound)} is inside of the group {typed(hierarchy.labels[member])}; split that group first")
        parts[sides.pop()].append(hierarchy.labels[member])
    if not all(parts):
        _refuse(f"all values of {typed(group)} are {'below' if parts[0] else 'at or above'} {typed(bound)}")
    children, names = _children(hierarchy), _names_of_parts(group, bound, is_root=not node, scale=scale)
    for name, part in zip(names, parts, strict=True):
        if len(part) > 1:
            _require_new(hierarchy, name)
            children[name] = part
    tops = [name if name in children and len(part) > 1 else part[0] for name, part in zip(names, parts, strict=True)]
    if node:
        above = children[hierarchy.labels[hierarchy.parent[node]]]
        place = above.index(group)
        above[place : place + 1] = tops
        del children[group]
    else:
        children[group] = tops
    return _rebuilt(hierarchy, children)


def merge_groups(hierarchy: Hierarchy, first: str, second: str) -> Hierarchy:
    """Return a hierarchy in which one group replaces two neighbours. If the group above contains no other members, it
    contains their members directly.

    Raises
    ------
    HierarchyError
        If the nodes are not neighbouring groups below the same node, or another node has the new name.

    >>> tree = Hierarchy.from_tree(("ALL", [("[0:18)", ["5", "6"]), ("[18:65)", ["18", "30"]), "70"]))
    >>> merge_groups(tree, "[0:18)", "[18:65)").labels
    ('ALL', '[0:65)', '5', '6', '18', '30', '70')
    """
    nodes = _group(hierarchy, first), _group(hierarchy, second)
    above = int(hierarchy.parent[nodes[0]])
    if hierarchy.subtree_end[nodes[0]] != nodes[1] or hierarchy.parent[nodes[1]] != above:
        _refuse(f"{typed(first)} and {typed(second)} are not neighbours")
    children = _children(hierarchy)
    under = children[hierarchy.labels[above]]
    place, merged = under.index(first), children.pop(first) + children.pop(second)
    if len(under) == 2:
        children[hierarchy.labels[above]] = merged
        return _rebuilt(hierarchy, children)
    name = merged_name(first, second)
    _require_new(hierarchy, name)
    under[place : place + 2] = [name]
    children[name] = merged
    return _rebuilt(hierarchy, children)


def merged_name(first: str, second: str) -> str:
    """Return the name of two merged groups.

    >>> merged_name("[0:18)", "[18:65)"), merged_name("2023", "2024")
    ('[0:65)', '2023 to 2024')
    """
    low, high = _INTERVAL.fullmatch(first), _INTERVAL.fullmatch(second)
    return f"{first} to {second}" if low is None or high is None else f"[{low[1]}:{high[2]})"


def _names_of_parts(group: str, bound: str, *, is_root: bool, scale: Callable[[str], Any]) -> tuple[str, str]:
    """Return the names of the values of a group below a bound, and of the others. No name contains a value of the
    data.
    """
    interval = _INTERVAL.fullmatch("[:)" if is_root and scale is float else group)
    if interval is not None:
        return f"[{interval[1]}:{bound})", f"[{bound}:{interval[2]})"
    return ("before " if is_root else f"{group} {'below' if scale is float else 'before'} ") + bound, (
        "from " if is_root else f"{group} from "
    ) + bound


@dataclass(frozen=True)
class _Dates:
    """Makes dates of a format comparable."""

    form: str

    def __call__(self, label: str) -> datetime:
        return read_date(label, self.form)


def _scale(labels: Sequence[str], date_form: str = "") -> Callable[[str], Any] | None:
    """Return the function that makes labels comparable: `float` for numbers, `str` for ISO dates of one length,
    `_Dates` for dates of another format, or None for other labels.
    """
    if date_form:
        dates = _Dates(date_form)
        try:
            return dates if [dates(label) for label in labels] else None
        except ValueError:
            return None
    if len({len(label) for label in labels}) == 1 and all(map(_DATE.fullmatch, labels)) and "-" in labels[0]:
        return str
    try:
        numbers = [float(label) for label in labels]
    except ValueError:
        return None
    return float if np.isfinite(numbers).all() else None


def _leaves(hierarchy: Hierarchy, node: int) -> Sequence[str]:
    return hierarchy.leaves.labels[hierarchy.leaf_lo[node] : hierarchy.leaf_hi[node]]


def _group(hierarchy: Hierarchy, label: str) -> int:
    node = hierarchy.node_of.get(label)
    if node is None or hierarchy.is_leaf[node]:
        reason = "is not a node of the hierarchy" if node is None else "is a value of the data and keeps its name"
        _refuse(f"label {typed(label)} {reason}")
    return node


def _require_new(hierarchy: Hierarchy, label: str) -> None:
    if not label or label != label.strip():
        _refuse(f"new label {typed(label)} must be a text without blanks at its ends")
    if label in hierarchy.node_of:
        _refuse(f"new label {typed(label)} is already a label of the hierarchy")


def _refuse(reason: str) -> NoReturn:
    raise HierarchyError(reason)


def _highest(hierarchy: Hierarchy, labels: Iterable[str]) -> list[int]:
    """Return the nodes with given labels, in order, without nodes below another node of the result.

    Raises
    ------
    HierarchyError
        If a label is not a node, or is the root.
    """
    highest: list[int] = []
    for label in labels:
        if not hierarchy.node_of.get(label):
            reason = "contains all values and cannot be moved" if label in hierarchy.node_of else "is not a node"
            _refuse(f"label {typed(label)} {reason}")
    for node in sorted({hierarchy.node_of[label] for label in labels}):
        if not highest or node >= hierarchy.subtree_end[highest[-1]]:
            highest.append(node)
    return highest


def _children(hierarchy: Hierarchy) -> Children:
    children: Children = {hierarchy.labels[node]: [] for node in np.flatnonzero(~hierarchy.is_leaf).tolist()}
    for node, parent in enumerate(hierarchy.parent.tolist()):
        if parent >= 0:
            children[hierarchy.labels[parent]].append(hierarchy.labels[node])
    return children


def _take(hierarchy: Hierarchy, children: Children, nodes: Sequence[int]) -> None:
    """Remove nodes from the groups that contain them."""
    taken = {hierarchy.labels[node] for node in nodes}
    for parent in {hierarchy.labels[hierarchy.parent[node]] for node in nodes}:
        children[parent][:] = [label for label in children[parent] if label not in taken]


def _insert(members: list[str], label: str) -> None:
    """Insert a label at its place if the members are sorted. Otherwise, append it."""
    keys = [_key(member) for member in members]
    if all(low <= high for low, high in pairwise(keys)):
        insort(members, label, key=_key)
    else:
        members.append(label)


def _key(label: str) -> tuple[bool, float, str]:
    is_number = _scale([label]) is float
    return not is_number, float(label) if is_number else 0, label


def _rebuilt(hierarchy: Hierarchy, children: Children) -> Hierarchy:
    """Return the hierarchy with given members of each group. Empty groups vanish. Each node keeps its column in the
    file, unless the group above is in this column.
    """
    former = dict(zip(hierarchy.labels, hierarchy.column_depth.tolist(), strict=True))
    is_empty = _empty_groups(hierarchy.labels[0], children)
    labels, parents, columns = list[str](), list[int](), list[int]()
    stack = [(hierarchy.labels[0], -1)]
    while stack:
        label, parent = stack.pop()
        if label in is_empty:
            continue
        stack.extend((child, len(labels)) for child in reversed(children.get(label, ())))
        labels.append(label)
        parents.append(parent)
        columns.append(0 if parent < 0 else max(former.get(label, 0), columns[parent] + 1))
    return Hierarchy.from_preorder(labels, np.array(parents, np.int64), columns)


def _empty_groups(root: str, children: Children) -> set[str]:
    order = [root]
    for label in order:
        order.extend(children.get(label, ()))
    empty: set[str] = set()
    for label in reversed(order):
        if label in children and all(child in empty for child in children[label]):
            empty.add(label)
    return empty
