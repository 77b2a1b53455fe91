"""Read Amnesia hierarchy files: ``distinct`` files contain labels, ``range`` files intervals of numbers or dates.

The header lines contain ``distinct`` or ``range``, then ``name``, ``type`` and ``height``. They are followed by one
line for each inner node, ``node has child child ...``. The lowest levels come first, and blank lines separate the
levels. The values of the data become the leaves of a range file. A number at the end of an interval belongs to the next
interval, except at the end of the root. A date at the end of an interval belongs to it, unless another interval begins
there.
"""

import re
from calendar import monthrange
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any

from anonset.data import Vocabulary
from anonset.errors import HierarchyError, datum

_HEAD = re.compile(r"\s*(distinct|range)\s*\n\s*name\b", re.IGNORECASE)
_HAS = " has "
_DATE = re.compile(r"(?:(?:(\d{1,2})/)?(\d{1,2})/)?(\d{4})")


def is_amnesia(text: str) -> bool:
    """Return True if a text is an Amnesia hierarchy file."""
    return _HEAD.match(text) is not None


def is_range(text: str) -> bool:
    """Return True if an Amnesia file contains intervals. Its leaves are then the values of the data."""
    head = _HEAD.match(text)
    return head is not None and head[1].lower() == "range"


def rows_of_labels(where: str, text: str) -> list[list[str]]:
    """Return the path of each leaf of a ``distinct`` file to the root.

    Raises
    ------
    HierarchyError
        If a line is malformed, with its number.
    """
    return paths_of(dict(_links(where, text)))


def rows_of_values(where: str, text: str, vocabulary: Vocabulary) -> list[list[str]]:
    """Return the path of each value to the root of a ``range`` file.

    Raises
    ------
    HierarchyError
        If a line is malformed, or a value is not a number or date, or is in no interval.
    """
    dates = re.search(r"^\s*type\s+date\b", text, re.MULTILINE | re.IGNORECASE) is not None
    parent = dict(_links(where, text))
    roots = {node for node in parent.values() if node not in parent}
    if len(roots) != 1:
        raise HierarchyError(f"{where}: the hierarchy must have a single root, got {len(roots)}")
    root = next(iter(roots))
    bounds = {node: _bounds(where, node, dates=dates) for node in {*parent, root}}
    end = bounds[root][1]
    labels = {node: f"[{_shown(node)}{']' if dates or bounds[node][1] == end else ')'}" for node in bounds}
    children: dict[str, list[str]] = {}
    for child, node in parent.items():
        children.setdefault(node, []).append(child)

    def below(nodes: list[str], number: float) -> str | None:
        inside = (node for node in nodes if bounds[node][0] <= number < bounds[node][1])
        ends = (node for node in nodes if number == bounds[node][1] and (dates or number == end))
        return next(inside, next(ends, None))

    rows = []
    for value in vocabulary.labels:
        number = _date(value, last=False) if dates else _float(value)
        if number is None:
            raise HierarchyError(f"{where}: values must be {'dates' if dates else 'numbers'}, got {datum(value)}")
        path, nodes = [value], [root]
        while nodes:
            inner = below(nodes, number)
            if inner is None:
                raise HierarchyError(f"{where}: no interval contains the value {datum(value)}")
            path.insert(1, labels[inner])
            nodes = children.get(inner, [])
        rows.append(path)
    return rows


def _links(where: str, text: str) -> Iterator[tuple[str, str]]:
    """Yield (child, parent) for each child in each line after the header."""
    in_head, parent_of = True, dict[str, str]()
    for number, line in enumerate(text.splitlines(), 1):
        if in_head:
            in_head = bool(line.strip())
            continue
        if not line.strip():
            continue
        node, has, children = line.partition(_HAS)
        if not has or not node.strip() or not children.split():
            raise HierarchyError(f"{where}: line {number}: expected 'node has child child ...'")
        for child in children.split():
            if child == "null,null":
                continue
            if parent_of.setdefault(child, node.strip()) != node.strip():
                parents = f"{datum(parent_of[child])} and {datum(node.strip())}"
                raise HierarchyError(f"{where}: line {number}: label {datum(child)} has two parents, {parents}")
            yield child, node.strip()


def _bounds(where: str, node: str, *, dates: bool) -> tuple[float, float]:
    low, comma, high = node.partition(",")
    ends = (_date(low, last=False), _date(high, last=True)) if dates else (_float(low), _float(high))
    if not comma or ends[0] is None or ends[1] is None or ends[0] > ends[1]:
        raise HierarchyError(f"{where}: intervals must be written low,high, got {datum(node)}")
    return ends[0], ends[1]


def _float(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _date(text: str, *, last: bool) -> float | None:
    """Return a day as a number, from an ISO date, or the first or last day of day/month/year, month/year or year."""
    if date_parts := _DATE.fullmatch(text.strip()):
        day, month, year = (int(part or 0) for part in date_parts.groups())
        month = month or (12 if last else 1)
        if not 1 <= month <= 12:
            return None
        day = day or (monthrange(year, month)[1] if last else 1)
        return _ordinal(year, month, day)
    try:
        return float(date.fromisoformat(text.strip()).toordinal())
    except ValueError:
        return None


def _ordinal(year: int, month: int, day: int) -> float | None:
    try:
        return float(date(year, month, day).toordinal())
    except ValueError:
        return None


def _shown(node: str) -> str:
    """Return the label of an interval without its brackets.

    >>> _shown("0.0,18.5"), _shown("1/2010,12/2010")
    ('0:18.5', '1/2010:12/2010')
    """
    return ":".join(part.strip().removesuffix(".0") for part in node.split(","))


def paths_of(parent: Mapping[Any, Any]) -> list[list[Any]]:
    """Return the path to the root of each label that is no other label's parent. For a cycle, return a path around it.

    >>> paths_of({"E10": "E", "E": "any", "I10": "any"})
    [['E10', 'E', 'any'], ['I10', 'any']]
    """
    above = set(parent.values())
    rows = []
    for leaf in parent:
        path = [leaf]
        while path[-1] in parent and len(path) <= len(parent):
            path.append(parent[path[-1]])
        if len(path) > len(parent) and path[-1] in parent:  # a cycle, which is rejected when the tree is built
            return [path]
        if leaf not in above:
            rows.append(path)
    return rows
