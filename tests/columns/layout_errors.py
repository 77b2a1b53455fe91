"""Errors of layouts: keys, roles, options, and columns that refer to each other."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tests.columns.drawing import LayoutError
from tests.columns.traits import STRUCTURAL_TRAITS, TRAITS

if TYPE_CHECKING:
    from tests.columns.layouts import Layout

ROLES = ("person", "key", "name", "contact", "birth", "text", "attribute", "sensitive", "items", "event", "other")
DOMAINS = ("hospital", "insurer", "survey", "shop", "web", "library", "school", "employer", "bank", "public", "sensor")
DOMAINS += ("genome",)
FORMATS = ("csv", "tsv", "jsonl", "fimi", "baskets")
VARIANTS = ("case", "zeros", "blanks", "hyphens", "float")
OPTIONS = ("per", "pool", "set", "filled", "missing", "rare", "variants", "odd")
TEXT, LIST = (str,), (list,)
REQUIRED = {"name": TEXT, "language": TEXT, "domain": TEXT, "person": TEXT, "columns": LIST}
OPTIONAL = {"rows": (str, int), "episodes": (str, int), "present": (str, int), "header": (bool,)}
OPTIONAL |= dict.fromkeys(("format", "delimiter", "encoding"), TEXT) | dict.fromkeys(("traits", "above"), LIST)
OPTIONAL |= dict.fromkeys(("before", "after"), LIST)
LARGEST = 50_000
"""Rows of the largest table: a person column needs enough distinct values for it."""


def key_errors(entry: Mapping[str, Any]) -> Iterator[str]:
    """Yield the errors in the keys of a layout."""
    types = REQUIRED | OPTIONAL
    yield from (f"unknown key {key!r}" for key in entry if key not in types)
    yield from (f"{key} is missing" for key in REQUIRED if not entry.get(key))
    for key, value in entry.items():
        if not isinstance(value, types.get(key, (object,))):
            yield f"{key} must be of the type {types[key][0].__name__}, got {value!r}"
    for key in ("traits", "above"):
        if not all(isinstance(x, str) for x in _listed(entry, key)):
            yield f"{key} must be a list of texts"
    for key in ("before", "after"):
        if not all(isinstance(line, list) for line in _listed(entry, key)):
            yield f"{key} must be a list of lines, and a line a list of fields"
    for key, known in (("domain", DOMAINS), ("format", FORMATS)):
        if entry.get(key, known[0]) not in known:
            yield f"unknown {key} {entry[key]!r} (known: {', '.join(known)})"


def _listed(entry: Mapping[str, Any], key: str) -> list[Any]:
    value = entry.get(key)
    return value if isinstance(value, list) else []


def option_errors(options: Any) -> Iterator[str]:
    """Yield the errors in the options of a column."""
    if not isinstance(options, dict):
        yield f"options must be a table, got {options!r}"
        return
    for key, value in options.items():
        match key, value:
            case "per", str():
                continue
            case "pool", int() if value >= 1:
                continue
            case "set", [str(), int() | float() as mean] if mean >= 1:
                continue
            case (("filled" | "rare"), int() | float()) if 0 <= value <= 1:
                continue
            case "missing", dict() if all(isinstance(x, int | float) for x in value.values()):
                if 0 <= sum(value.values()) <= 1:
                    continue
            case "variants", [*names] if names and all(name in VARIANTS for name in names):
                continue
            case "odd", dict() if value and all(isinstance(x, int) and x >= 1 for x in value.values()):
                continue
        known = key in OPTIONS
        yield (
            f"option {key} = {value!r} is invalid" if known else f"unknown option {key!r} (known: {', '.join(OPTIONS)})"
        )


def mean_rows(rows: str) -> float:
    """Return the mean of a number of rows: ``3``, ``geometric|MEAN`` or ``uniform|LOW|HIGH``.

    Raises LayoutError if it is none of them.
    """
    match rows.split("|"):
        case [number] if number.isdigit() and int(number) >= 1:
            return int(number)
        case ["geometric", mean] if re.fullmatch(r"\d+(\.\d+)?", mean) and float(mean) >= 1:
            return float(mean)
        case ["uniform", low, high] if low.isdigit() and high.isdigit() and 1 <= int(low) <= int(high):
            return (int(low) + int(high)) / 2
    message = f"rows must be a number, 'geometric|MEAN' or 'uniform|LOW|HIGH', got {rows!r}"
    raise LayoutError(message)


def layout_errors(layout: Layout) -> Iterator[str]:
    """Yield the errors of a layout whose columns are valid."""
    headers = [column.header for column in layout.columns]
    yield from (f"column {name!r} occurs {n} times" for name, n in Counter(headers).items() if n > 1)
    if not re.fullmatch(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*", layout.language):
        yield f"unknown language {layout.language!r} (a BCP 47 tag such as 'de' or 'pt-BR')"
    try:
        "".encode(layout.encoding)
    except LookupError:
        yield f"unknown encoding {layout.encoding!r}"
    yield from _row_errors(layout)
    yield from _person_errors(layout, headers)
    yield from _source_errors(layout, headers)
    yield from _format_errors(layout)
    yield from (f"unknown trait {x!r} (known: {', '.join(TRAITS)})" for x in layout.traits if x not in TRAITS)
    for trait, holds in STRUCTURAL_TRAITS.items():
        if holds(layout) != (trait in layout.traits):
            yield f"trait {trait!r} is {'missing' if holds(layout) else 'not true of this layout'}"


def _row_errors(layout: Layout) -> Iterator[str]:
    for rows in (layout.rows, layout.episodes or "1"):
        try:
            mean_rows(rows)
        except LayoutError as error:
            yield str(error)
    if layout.person == "row" and layout.rows != "1":
        yield f"person = 'row' requires rows = 1, got {layout.rows!r}"


def _person_errors(layout: Layout, headers: Sequence[str]) -> Iterator[str]:
    persons = layout.person_columns
    for name in persons:
        if name not in headers:
            yield f"person column {name!r} does not exist"
        elif layout.column(name).role != "person":
            yield f"person column {name!r} has the role {layout.column(name).role!r} instead of 'person'"
        elif layout.column(name).per != "person":
            yield f"person column {name!r} must not have per = {layout.column(name).per!r}"
        elif len(persons) == 1 and layout.column(name).pool:
            yield f"person column {name!r} must not have a pool"
    for column in layout.columns:
        if column.role == "person" and column.header not in persons:
            yield f"column {column.header!r} has the role 'person', but person = {layout.person!r} does not name it"
    if len(persons) == 1 and persons[0] in headers:
        capacity = layout.column(persons[0]).generator.capacity
        needed = LARGEST / mean_rows(layout.rows) * 1.1
        if capacity < needed:
            yield f"person column {persons[0]!r}: {LARGEST} rows need {needed:.0f} distinct values, got {capacity:.0f}"


def _source_errors(layout: Layout, headers: Sequence[str]) -> Iterator[str]:
    sources = {column.header: column.sources for column in layout.columns}
    for column in layout.columns:
        for name in column.sources:
            if name not in headers:
                yield f"column {column.header!r}: refers to the column {name!r}, which does not exist"
        if column.per == "episode" and layout.episodes is None:
            yield f"column {column.header!r}: per = 'episode' requires episodes in the layout"
        reached, todo = set(), list(column.sources)
        while todo:
            name = todo.pop()
            if name not in reached:
                reached.add(name)
                todo += sources.get(name, [])
        if column.header in reached:
            yield f"column {column.header!r} depends on itself"


def _format_errors(layout: Layout) -> Iterator[str]:
    if len(layout.delimiter) != 1:
        yield f"delimiter must be one character, got {layout.delimiter!r}"
    if layout.format not in ("csv", "tsv"):
        if layout.before or layout.after or layout.above:
            yield f"format {layout.format!r} has no lines before, after or above the rows"
        if layout.header and layout.format != "jsonl":
            yield f"format {layout.format!r} has no header"
    for key, lines in (("before", layout.before), ("after", layout.after)):
        for line in lines:
            if len(line) > len(layout.columns):
                yield f"a line of {key} has {len(line)} fields, the table has {len(layout.columns)} columns"
    if layout.format == "jsonl":
        headers = {column.header for column in layout.columns}
        for name in headers:
            levels = name.split(".")
            parents = {".".join(levels[:n]) for n in range(1, len(levels))} & headers
            yield from (f"column {parent!r} is also a level of {name!r}" for parent in sorted(parents))
    for column in layout.columns:
        if column.set and column.set[0] == "list" and layout.format != "jsonl":
            yield f"column {column.header!r}: set = ['list', …] requires format = 'jsonl'"
