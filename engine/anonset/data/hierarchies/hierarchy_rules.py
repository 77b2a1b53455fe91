"""Hierarchies that a rule builds from the labels of a column: by code prefixes, masks, number bins or date parts."""

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date, datetime
from fractions import Fraction
from itertools import pairwise
from math import floor
from operator import itemgetter
from typing import Any

import numpy as np

from anonset.data.array_types import Int64
from anonset.data.hierarchies.hierarchy import Hierarchy, Tree
from anonset.data.labels.vocabulary import Vocabulary
from anonset.errors import Fix, HierarchyError, datum

ROOT = "*"
"""Root label of every hierarchy by rule."""
MISSING_VALUE = "?"
"""Label of a null or suppressed value."""
NO_VALUE = frozenset({"", MISSING_VALUE})
"""Labels of missing values. Every rule makes them children of the root."""
RULE_NAMES = ("prefix", "mask", "bins", "date")
PROPOSED = "halves:frequency"
"""Rule that is proposed for items without a hierarchy. Its loss is lower than that of balanced trees on all data sets
of benchmarks/results/trees.
"""
BALANCED, HALVES, REFINE = "balanced:", "halves:", "refine:"
"""Prefixes of specifications that build a tree. ``balanced:5`` gives each node five children. ``halves:frequency``
builds a binary tree by the frequencies of the data, and ``halves:frequency@FILE`` by the frequencies in a file.
``refine:FILE`` reads a hierarchy from a file and inserts a binary tree by frequency below each node.
"""
RANGE, VALUES = "range", "values"
"""Keywords that replace a hierarchy. ``RANGE`` generalizes numbers to ranges. ``VALUES`` generalizes categories to sets
of values.
"""
OF_LABELS = (BALANCED, HALVES)
"""Prefixes of specifications that need no hierarchy file."""

Paths = Callable[[str], list[str]]
"""Function that returns the ancestors of a label, parent first, without the root."""

Children = dict[str, Any]
"""Children of a node by label. The value is the `Children` of an inner node, or None for a leaf."""

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
"""Pattern of the texts of each published date level, and function that converts such a text to a date."""
FROM = "from-"
"""Prefix of the finest published level in a rule, as in ``date:from-month,year`` or ``mask:from-2,1``."""
_FROM_RULES = ("date", "mask", "prefix")


def date_rule(form: str, levels: str) -> str:
    """Return the rule that generalizes dates to levels. `form` is the format of the dates, or empty for ISO dates.

    >>> date_rule("", "month,year"), date_rule("%d.%m.%Y", "from-year")
    ('date:month,year', 'date:%d.%m.%Y:from-year')
    """
    return f"date:{form}:{levels}" if form else f"date:{levels}"


EITHER = "|"
"""Separates the formats of dates that are written in several formats, as in ``date:%Y-%m-%d|%d.%m.%Y:month,year``."""


def read_date(label: str, form: str) -> datetime:
    """Return the date that a label contains. `form` is the format for `datetime.strptime`, or several formats.

    Raises
    ------
    ValueError
        If no format fits, or the formats that fit read different dates.

    >>> read_date("24.12.1950", "%Y-%m-%d|%d.%m.%Y").isoformat()
    '1950-12-24T00:00:00'
    """
    if EITHER not in form:
        return datetime.strptime(label, form)
    found = set[datetime]()
    for one in form.split(EITHER):
        with suppress(ValueError):
            found.add(datetime.strptime(label, one).replace(tzinfo=None))
    if len(found) != 1:
        raise ValueError(label)
    return found.pop()


def is_date(label: str, form: str) -> bool:
    """Return True if `read_date` reads a label."""
    with suppress(ValueError):
        return bool(read_date(label, form))
    return False


def is_rule(spec: object) -> bool:
    """Return True if a specification is a rule, such as ``prefix:1,3``."""
    return isinstance(spec, str) and spec.partition(":")[0] in RULE_NAMES and ":" in spec


def hierarchy_by_rule(spec: str, vocabulary: Vocabulary, name: str) -> Hierarchy:
    """Build the hierarchy of a column's labels by a rule.

    Parameters
    ----------
    spec
        - ``prefix:1,3``: groups codes by their first 3 characters, and these groups by their first character.
        - ``mask:3,1``: replaces all characters after the first 3 by ``*``, and one level higher after the first
          (``47677``, ``476**``, ``4****``).
        - ``prefix:from-3,1`` and ``mask:from-2,1``: for labels that `coarser` shortened.
        - ``bins:0,18,65`` or ``bins:width=5,20``: half-open intervals of numbers, such as ``[18:65)`` and ``[65:)``.
          Higher levels have wider intervals.
        - ``date:month,year,decade``: ISO dates; ``date:%d.%m.%Y:month,year``: dates in another format;
          ``date:%Y-%m-%d|%d.%m.%Y:month,year``: dates in either format; ``date:from-month,year``: for labels that
          `coarser` reduced to months.
    vocabulary
        Labels of the column.
    name
        Column name, for messages.

    Raises
    ------
    HierarchyError
        If the rule is malformed, or a label does not have the required form.

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
            rejected = odd_labels(spec, vocabulary.labels, name)
            shown = f"got {datum(label)}" + (f" and {len(rejected) - 1:,} more" if len(rejected) > 1 else "")
            fix = Fix({"unknown": "suppress"}, f"to publish {'them' if len(rejected) > 1 else 'it'} as '?'")
            msg = f"hierarchy of {name!r}: {spec}: {error}, {shown}"
            raise HierarchyError(msg, fixes=[fix], column=name, count=len(rejected)) from None
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
    above, rejected = _paths_of(spec, name), []
    for label in labels:
        if label not in NO_VALUE:
            try:
                above(label)
            except ValueError:
                rejected.append(label)
    return rejected


def _paths_of(spec: str, name: str) -> Paths:
    rule, _, arguments = spec.partition(":")
    parts = {"prefix": _prefixes, "mask": _masks, "bins": _bins, "date": _dates}
    try:
        return parts[rule](arguments)
    except ValueError as error:
        raise HierarchyError(f"hierarchy of {name!r}: {spec}: {error}") from None


def is_coarser(spec: object) -> bool:
    """Return True if a rule publishes no label unchanged, such as ``date:from-month,year`` or ``mask:from-2,1``."""
    rule, _, arguments = str(spec).partition(":")
    return is_rule(spec) and rule in _FROM_RULES and arguments.rpartition(":")[2].startswith(FROM)


def coarser(spec: object, labels: Sequence[str], name: str) -> dict[str, str]:
    """Return the replacement of each label that is finer than the leaves of a rule. The result is empty for most rules.

    ``date:from-month,year`` replaces full dates by months. Months are the leaves of its hierarchy and are not replaced.
    ``mask:from-2,1`` and ``prefix:from-2,1`` shorten values in the same way.

    Raises
    ------
    HierarchyError
        See `hierarchy_by_rule`.

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
    arguments = str(spec).removeprefix("date:")
    try:
        above, is_made = _dates(arguments), _OF_LEVEL[_first_level(arguments)][0].fullmatch
        return {label: above(label)[0] for label in labels if label not in NO_VALUE and not is_made(label)}
    except ValueError as error:
        fix = Fix({"unknown": "suppress"}, "to publish other values as '?'")
        raise HierarchyError(f"hierarchy of {name!r}: {spec}: {error}", fixes=[fix], column=name) from None


def balanced_by_frequency(labels: Sequence[str], occurrences: Int64, fanout: int) -> Hierarchy:
    """Return a balanced hierarchy that combines labels of similar frequency.

    A hierarchy in label order loses more information, because it combines frequent labels with rare labels. The
    returned hierarchy discloses which labels are similarly frequent, but nothing else: nodes are numbered, and children
    sorted, by their smallest label.

    Parameters
    ----------
    labels
        At least one label.
    occurrences
        Number of records that contain each label, int64 (M,).

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
    level: list[tuple[str, Tree]] = [(labels[code], labels[code]) for code in order]  # pairs (smallest label, tree)
    Hierarchy.balanced(labels, fanout)  # raises InputError if the fanout is invalid or there are no labels
    height = 0
    while len(level) > 1:
        height += 1
        chunks = [sorted(level[start : start + fanout], key=itemgetter(0)) for start in range(0, len(level), fanout)]
        number = {chunk[0][0]: rank for rank, chunk in enumerate(sorted(chunks, key=lambda chunk: chunk[0][0]))}
        level = [(chunk[0][0], (f"N{height}_{number[chunk[0][0]]}", [tree for _, tree in chunk])) for chunk in chunks]
    balanced = Hierarchy.from_tree(level[0][1])
    return replace(balanced, from_data=True)


def _built(tree: Children, spec: str, name: str) -> Hierarchy:
    try:
        return Hierarchy.from_tree(_nested(ROOT, tree))
    except HierarchyError as error:
        raise HierarchyError(f"hierarchy of {name!r}: {spec}: {error}") from None


def _nested(label: str, below: Children | None) -> Tree:
    return label if below is None else (label, [_nested(child, further) for child, further in below.items()])


def _whole_numbers(text: str, noun: str) -> list[int]:
    fields = text.split(",")
    if not all(part.strip().isdecimal() and len(part) < 10 and int(part) > 0 for part in fields):
        raise ValueError(f"{noun} must be comma-separated integers of at least 1")
    numbers = [int(part) for part in fields]
    if len(set(numbers)) < len(numbers):
        raise ValueError(f"{noun} must be distinct")
    return numbers


def _prefixes(arguments: str) -> Paths:
    lengths = sorted(_whole_numbers(arguments.removeprefix(FROM), "lengths"), reverse=True)

    def above(label: str) -> list[str]:
        nodes = [label[:length] + "*" for length in lengths if len(label) >= length]
        return [node for node in nodes if node != label] if arguments.startswith(FROM) else nodes

    return above


def _masks(arguments: str) -> Paths:
    lengths = sorted(_whole_numbers(arguments.removeprefix(FROM), "numbers of characters kept"), reverse=True)

    def above(label: str) -> list[str]:
        nodes = [label[:n] + "*" * (len(label) - n) for n in lengths if n < len(label)]
        return [node for node in nodes if node != label] if arguments.startswith(FROM) else nodes

    return above


def _number(text: str) -> Fraction:
    try:
        return Fraction(text.strip())
    except (ValueError, ZeroDivisionError):
        raise ValueError("values must be numbers") from None


def _shown(number: Fraction) -> str:
    return str(number.numerator) if number.denominator == 1 else f"{float(number):.12g}"


def _bins(arguments: str) -> Paths:
    if arguments.startswith("width="):
        return _bins_of_widths(arguments.removeprefix("width="))
    edges = [_number(edge) for edge in arguments.split(",")]
    if not all(low < high for low, high in pairwise(edges)):
        raise ValueError("edges must be in ascending order")

    def above(label: str) -> list[str]:
        number = _number(label)
        if number < edges[0]:
            raise ValueError(f"values must be at least {_shown(edges[0])}")
        last = max(position for position, edge in enumerate(edges) if edge <= number)
        return [f"[{_shown(edges[last])}:{_shown(edges[last + 1]) if last + 1 < len(edges) else ''})"]

    return above


def _bins_of_widths(arguments: str) -> Paths:
    widths = [_number(width) for width in arguments.split(",")]
    if not all(width > 0 for width in widths):
        raise ValueError("widths must be positive")
    if not all(wide > narrow and (wide / narrow).denominator == 1 for narrow, wide in pairwise(widths)):
        raise ValueError("each width must be a multiple of the previous width")

    def above(label: str) -> list[str]:
        number = _number(label)
        lows = [floor(number / width) * width for width in widths]
        return [f"[{_shown(low)}:{_shown(low + width)})" for low, width in zip(lows, widths, strict=True)]

    return above


def _first_level(arguments: str) -> str:
    return arguments.rpartition(":")[2].partition(",")[0].removeprefix(FROM)


def _dates(arguments: str) -> Paths:
    form, _, levels = arguments.rpartition(":")
    names = levels.removeprefix(FROM).split(",")
    if unknown := [level for level in names if level not in _DATE_LEVELS]:
        raise ValueError(f"levels must be among {', '.join(_DATE_LEVELS)}, got {unknown[0]!r}")
    if names != [level for level in _DATE_LEVELS if level in names]:
        raise ValueError(f"levels must be in the order {', '.join(_DATE_LEVELS)}")
    made, day_in = _OF_LEVEL[names[0]]

    def above(label: str) -> list[str]:
        if levels.startswith(FROM) and made.fullmatch(label):
            return [_DATE_LEVELS[level](day_in(label)) for level in names[1:]]
        try:
            day = read_date(label, form).date() if form else date.fromisoformat(label)
        except ValueError:
            others = f"(for others, date:%d.%m.%Y:{levels})"
            forms = " or ".join(form.split(EITHER)) or "YYYY-MM-DD"
            raise ValueError(f"values must be dates of the form {forms} {others}") from None
        return [_DATE_LEVELS[level](day) for level in names]

    return above
