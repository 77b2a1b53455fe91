"""Hierarchies by rule over the labels of a column: prefixes of codes, masks, bins of numbers, parts of dates."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date, datetime
from fractions import Fraction
from itertools import pairwise
from math import floor
from operator import itemgetter
from typing import Any

import numpy as np

from anonset.data.hierarchy import Hierarchy, Tree
from anonset.data.table import Int64
from anonset.data.vocabulary import Vocabulary
from anonset.errors import HierarchyError, datum
from anonset.spelling import setting

ROOT = "*"
"""Label of the root of every hierarchy by rule."""
MISSING_VALUE = "?"
"""Label of a value that is null or suppressed."""
NO_VALUE = frozenset({"", MISSING_VALUE})
"""Labels of a missing value: they stand below the root, whatever the rule."""
RULES = ("prefix", "mask", "bins", "date")
PROPOSED = "halves:frequency"
"""The hierarchy that is proposed for items where none is given: its best cut loses least."""
BALANCED, HALVES, REFINE = "balanced:", "halves:", "refine:"
"""Prefixes of specifications that make a tree: ``balanced:5``; ``halves:frequency``, and ``halves:frequency@FILE``
by the frequencies of a file; ``refine:FILE``, a file's tree with halves over the children of its nodes."""
OF_LABELS = (BALANCED, HALVES)
"""Prefixes of specifications that make a tree of any labels."""

Paths = Callable[[str], list[str]]
"""Gives the nodes above a label, its parent first, without the root."""

Children = dict[str, Any]
"""The labels below a node, each with the `Children` below it, or None if it is a leaf."""

_DATE_LEVELS: dict[str, Callable[[date], str]] = {
    "month": lambda day: f"{day.year:04d}-{day.month:02d}",
    "quarter": lambda day: f"{day.year:04d}-Q{(day.month + 2) // 3}",
    "year": lambda day: f"{day.year:04d}",
    "decade": lambda day: f"{day.year // 10:03d}0s",
    "century": lambda day: f"{day.year // 100:02d}xx",
}
_OF_LEVEL: dict[str, tuple[re.Pattern[str], Callable[[str], date]]] = {
    "month": (re.compile(r"\d{4}-\d{2}"), lambda text: date(int(text[:4]), int(text[5:]), 1)),
    "quarter": (re.compile(r"\d{4}-Q[1-4]"), lambda text: date(int(text[:4]), 3 * int(text[6:]), 1)),
    "year": (re.compile(r"\d{4}"), lambda text: date(int(text), 1, 1)),
    "decade": (re.compile(r"\d{3}0s"), lambda text: date(int(text[:4]), 1, 1)),
    "century": (re.compile(r"\d{2}xx"), lambda text: date(int(text[:2]) * 100, 1, 1)),
}
"""How each level is published, and a day in what is."""
FROM = "from-"
"""Before the finest level that is published: ``date:from-month,year``, ``mask:from-2,1``, ``prefix:from-3,1``."""
_FROM_RULES = ("date", "mask", "prefix")


def is_rule(spec: object) -> bool:
    """Tell whether a specification names a rule, such as ``prefix:1,3``."""
    return isinstance(spec, str) and spec.partition(":")[0] in RULES and ":" in spec


def hierarchy_by_rule(spec: str, vocabulary: Vocabulary, name: str) -> Hierarchy:
    """Return the hierarchy that a rule makes of the labels of a column.

    Parameters
    ----------
    spec
        ``prefix:1,3``: codes that share their first 1, and their first 3, characters (``E1*`` above ``E10`` and
        ``E11``). ``mask:3,1``: so many characters are kept from the left, the rest is ``*`` (``476**`` above ``47677``,
        below ``4****``). ``prefix:from-3,1`` and ``mask:from-2,1`` of labels that `coarser` cut. ``bins:0,18,65`` or
        ``bins:width=5,20``: half-open intervals of numbers (``[18:65)``,
        ``[65:)``), the wider ones above. ``date:month,year,decade`` of ISO dates, or of others with their format,
        ``date:%d.%m.%Y:month,year``; ``date:from-month,year`` of labels that `coarser` made months.
    vocabulary
        The labels of the column.
    name
        Name of the column, for messages.

    Raises
    ------
    HierarchyError
        If the rule is malformed, or a label is not what it requires.

    Examples
    --------
    >>> hierarchy_by_rule("mask:3", Vocabulary(("47677", "47602", "13053")), "zip").labels
    ('*', '476**', '47677', '47602', '13053')
    """
    above = _paths_of(spec, name)
    tree: Children = {}
    for label in vocabulary.labels:
        try:
            path = [] if label in NO_VALUE else above(label)
        except ValueError as error:
            odd = odd_labels(spec, vocabulary.labels, name)
            which = f"got {datum(label)}" + (f" and {len(odd) - 1:,} more" if len(odd) > 1 else "")
            way = f"{setting('unknown', 'suppress')} publishes {'them' if len(odd) > 1 else 'it'} as '?'"
            msg = f"hierarchy of {name!r}: {spec}: {error}, {which}; {way}"
            raise HierarchyError(msg, column=name, count=len(odd)) from None
        below = tree
        for node in reversed(path):
            below = below.setdefault(node, {})
        below[label] = None
    return _built(tree, spec, name)


def odd_labels(spec: str, labels: Sequence[str], name: str) -> list[str]:
    """Return the labels of a column that a rule rejects.

    Raises
    ------
    HierarchyError
        If the rule is malformed.

    >>> odd_labels("date:month,year", ["2020-01-31", "unknown", "?"], "admitted")
    ['unknown']
    """
    above, odd = _paths_of(spec, name), []
    for label in labels:
        if label not in NO_VALUE:
            try:
                above(label)
            except ValueError:
                odd.append(label)
    return odd


def _paths_of(spec: str, name: str) -> Paths:
    """Return what gives the nodes above a label by a rule."""
    rule, _, given = spec.partition(":")
    parts = {"prefix": _prefixes, "mask": _masks, "bins": _bins, "date": _dates}
    try:
        return parts[rule](given)
    except ValueError as error:
        msg = f"hierarchy of {name!r}: {spec}: {error}"
        raise HierarchyError(msg) from None


def is_coarser(spec: object) -> bool:
    """Tell whether a rule publishes no label as it is: ``date:from-month,year``, ``mask:from-2,1``."""
    rule, _, given = str(spec).partition(":")
    return is_rule(spec) and rule in _FROM_RULES and given.rpartition(":")[2].startswith(FROM)


def coarser(spec: object, labels: Sequence[str], name: str) -> dict[str, str]:
    """Return what becomes of the labels that a rule never publishes as they are; nothing by most rules.

    ``date:from-month,year`` makes months of full dates: these are the leaves of its hierarchy. Of months it makes none.
    ``mask:from-2,1`` and ``prefix:from-2,1`` cut values in the same way.

    Raises
    ------
    HierarchyError
        As for `hierarchy_by_rule`.

    >>> coarser("date:from-month,year", ["1950-03-01", "1950-03", ""], "born")
    {'1950-03-01': '1950-03'}
    >>> coarser("mask:from-2,1", ["47677", "47***"], "zip"), coarser("prefix:from-3,1", ["E119", "E11*"], "code")
    ({'47677': '47***'}, {'E119': 'E11*'})
    """
    if not is_coarser(spec):
        return {}
    if not str(spec).startswith("date:"):
        above_label = _paths_of(str(spec), name)
        longest = max(_whole_numbers(str(spec).partition(FROM)[2], "lengths"))
        paths = {label: above_label(label) for label in labels if len(label.rstrip("*")) > longest}
        return {label: nodes[0] for label, nodes in paths.items() if label not in NO_VALUE and nodes}
    given = str(spec).removeprefix("date:")
    try:
        above, is_made = _dates(given), _OF_LEVEL[_first_level(given)][0].fullmatch
        return {label: above(label)[0] for label in labels if label not in NO_VALUE and not is_made(label)}
    except ValueError as error:
        way = f"{setting('unknown', 'suppress')} publishes other values as '?'"
        msg = f"hierarchy of {name!r}: {spec}: {error}; {way}"
        raise HierarchyError(msg, column=name) from None


def balanced_by_frequency(labels: Sequence[str], occurrences: Int64, fanout: int) -> Hierarchy:
    """Return a balanced hierarchy whose nodes join labels that occur about equally often.

    That keeps more than one in the order of the labels, for the frequent ones need not be generalised; and it tells who
    is about as frequent as whom. It tells no more: nodes are numbered, and children stand, by their smallest label.

    Parameters
    ----------
    labels
        At least one.
    occurrences
        int64 (M,): records that hold each label.

    Raises
    ------
    HierarchyError
        If `fanout` is below 2, or a label has the name of an inner node.

    Examples
    --------
    >>> balanced_by_frequency(["a", "b", "c", "d"], np.array([9, 1, 8, 2]), 2).labels
    ('N2_0', 'N1_0', 'a', 'c', 'N1_1', 'b', 'd')
    """
    order = np.lexsort((np.arange(len(labels)), -occurrences))
    level: list[tuple[str, Tree]] = [(labels[code], labels[code]) for code in order]  # smallest label, tree
    Hierarchy.balanced(labels, fanout)  # refuses a bad fanout, or no labels
    height = 0
    while len(level) > 1:
        height += 1
        chunks = [sorted(level[start : start + fanout], key=itemgetter(0)) for start in range(0, len(level), fanout)]
        number = {chunk[0][0]: rank for rank, chunk in enumerate(sorted(chunks, key=lambda chunk: chunk[0][0]))}
        level = [(chunk[0][0], (f"N{height}_{number[chunk[0][0]]}", [tree for _, tree in chunk])) for chunk in chunks]
    balanced = Hierarchy.from_tree(level[0][1])
    return replace(balanced, from_data=True)


def _built(tree: Children, spec: str, name: str) -> Hierarchy:
    """Return the hierarchy of nested mappings below the root."""
    try:
        return Hierarchy.from_tree(_nested(ROOT, tree))
    except HierarchyError as error:
        msg = f"hierarchy of {name!r}: {spec}: {error}"
        raise HierarchyError(msg) from None


def _nested(label: str, below: Children | None) -> Tree:
    return label if below is None else (label, [_nested(child, further) for child, further in below.items()])


def _whole_numbers(given: str, what: str) -> list[int]:
    """Read distinct positive numbers between commas."""
    fields = given.split(",")
    if not all(part.strip().isdecimal() and len(part) < 10 and int(part) > 0 for part in fields):
        msg = f"{what} must be whole numbers from 1 on between commas"
        raise ValueError(msg)
    numbers = [int(part) for part in fields]
    if len(set(numbers)) < len(numbers):
        msg = f"{what} must differ"
        raise ValueError(msg)
    return numbers


def _prefixes(given: str) -> Paths:
    lengths = sorted(_whole_numbers(given.removeprefix(FROM), "lengths"), reverse=True)

    def above(label: str) -> list[str]:
        nodes = [label[:length] + "*" for length in lengths if len(label) >= length]
        return [node for node in nodes if node != label] if given.startswith(FROM) else nodes

    return above


def _masks(given: str) -> Paths:
    kept = sorted(_whole_numbers(given.removeprefix(FROM), "numbers of characters kept"), reverse=True)

    def above(label: str) -> list[str]:
        nodes = [label[:n] + "*" * (len(label) - n) for n in kept if n < len(label)]
        return [node for node in nodes if node != label] if given.startswith(FROM) else nodes

    return above


def _number(text: str) -> Fraction:
    try:
        return Fraction(text.strip())
    except (ValueError, ZeroDivisionError):
        msg = "values must be numbers"
        raise ValueError(msg) from None


def _shown(number: Fraction) -> str:
    return str(number.numerator) if number.denominator == 1 else f"{float(number):.12g}"


def _bins(given: str) -> Paths:
    if given.startswith("width="):
        return _bins_of_widths(given.removeprefix("width="))
    edges = [_number(edge) for edge in given.split(",")]
    if not all(low < high for low, high in pairwise(edges)):
        msg = "edges must ascend"
        raise ValueError(msg)

    def above(label: str) -> list[str]:
        number = _number(label)
        if number < edges[0]:
            msg = f"values must be at least {_shown(edges[0])}"
            raise ValueError(msg)
        last = max(position for position, edge in enumerate(edges) if edge <= number)
        return [f"[{_shown(edges[last])}:{_shown(edges[last + 1]) if last + 1 < len(edges) else ''})"]

    return above


def _bins_of_widths(given: str) -> Paths:
    widths = [_number(width) for width in given.split(",")]
    if not all(width > 0 for width in widths):
        msg = "widths must be above 0"
        raise ValueError(msg)
    if not all(wide > narrow and (wide / narrow).denominator == 1 for narrow, wide in pairwise(widths)):
        msg = "each width must be a multiple of the one before"
        raise ValueError(msg)

    def above(label: str) -> list[str]:
        number = _number(label)
        lows = [floor(number / width) * width for width in widths]
        return [f"[{_shown(low)}:{_shown(low + width)})" for low, width in zip(lows, widths, strict=True)]

    return above


def _first_level(given: str) -> str:
    return given.rpartition(":")[2].partition(",")[0].removeprefix(FROM)


def _dates(given: str) -> Paths:
    form, _, levels = given.rpartition(":")
    names = levels.removeprefix(FROM).split(",")
    if unknown := [level for level in names if level not in _DATE_LEVELS]:
        msg = f"levels must be some of {', '.join(_DATE_LEVELS)}, got {unknown[0]!r}"
        raise ValueError(msg)
    order = list(_DATE_LEVELS)
    if not _ascends([order.index(level) for level in names]):
        msg = f"levels must stand in the order {', '.join(order)}"
        raise ValueError(msg)
    made, day_in = _OF_LEVEL[names[0]]

    def above(label: str) -> list[str]:
        if levels.startswith(FROM) and made.fullmatch(label):
            return [_DATE_LEVELS[level](day_in(label)) for level in names[1:]]
        try:
            day = datetime.strptime(label, form).date() if form else date.fromisoformat(label)
        except ValueError:
            msg = f"values must be dates of the form {form or 'YYYY-MM-DD'} (for others, date:%d.%m.%Y:{levels})"
            raise ValueError(msg) from None
        return [_DATE_LEVELS[level](day) for level in names]

    return above


def _ascends(numbers: Sequence[int]) -> bool:
    return all(a < b for a, b in pairwise(numbers))
