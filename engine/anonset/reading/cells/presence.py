"""Meaning of the values in columns that mark an item as present or absent, if the owner declares one value."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from anonset.arrow import ArrowColumns
from anonset.columns.marks import ABOVE_0, ABSENT, FILLED, PRESENT, are_counts, says_present, words_for_marks
from anonset.columns.missing import NULLS
from anonset.data.redacted_repr import RedactedRepr
from anonset.errors import VALUE, Fix, InputError, Problem, datum, typed
from anonset.reading.cells.columns import Encoder
from anonset.spelling import setting


@dataclass
class _Values(RedactedRepr):
    """Distinct values of a column, without the declared value."""

    others: dict[str, str] = field(default_factory=dict)
    """Values as written, by the value without case. At most one is allowed if a value is declared."""
    occurs: bool = False
    """True if the declared value occurs."""


def labels_of_marks(
    encoder: Encoder, batches: Iterable[tuple[int, ArrowColumns]], labels: Mapping[str, str]
) -> dict[str, str]:
    """Check the columns that mark items, with the declared value of a member, and return the item of each column.

    With the value ``filled``, the item of a column is its only label. It is the header if the column has several
    labels, if other columns contain the label, or if the label is a mark such as ``x``.

    Parameters
    ----------
    batches
        Number of rows before each batch, and the columns.
    labels
        Items by column, from the headers.

    Raises
    ------
    InputError
        If a column has two other values, if the declared value never occurs, or if cells contain a word for null.
    """
    values = {name: _Values() for name in labels}
    n = 0
    for before, columns in batches:
        for name in labels:
            _add(encoder, values[name], name, columns[name], before)
            n += len(columns[name])
    if encoder.present == ABOVE_0:
        return dict(labels)
    if encoder.present != FILLED:
        if n and not any(of_column.occurs for of_column in values.values()):
            msg = f"{encoder.where}: no column of {setting('one_hot')} contains {typed(encoder.present)}"
            raise InputError(msg, fixes=[Fix({"present": VALUE}, "to name the value that marks an item")])
        return dict(labels)
    only = {name: next(iter(found.others.values())) for name, found in values.items() if len(found.others) == 1}
    times = list(map(str.casefold, only.values()))
    named = {name: label for name, label in only.items() if times.count(label.casefold()) == 1 and not _is_mark(label)}
    return {name: named.get(name, label) for name, label in labels.items()}


def _add(encoder: Encoder, values: _Values, name: str, column: Any, before: int) -> None:
    codes, labels = encoder.marks(name, column)
    place = f"{encoder.where}: column {name!r} ({setting('one_hot')})"
    given = [label for label in labels if label]
    if encoder.present == FILLED:
        if words := sorted(NULLS.intersection(given)):
            row = before + int(np.argmax(codes == labels.index(words[0]))) + 1
            problem = f"row {row} contains {typed(words[0])}, which many programs write for a missing value"
            msg = f"{place}: {problem}"
            raise InputError(msg, fixes=[Fix({"null": [words[0]]}, "if it means no item")], column=name, row=row)
        values.others.update((label.casefold(), label) for label in given[:_MOST_KEPT])
        _refuse_pairs(place, list(values.others.values()))
        return
    chosen = (encoder.present or "").casefold()
    if chosen == ABOVE_0:
        if wrong := [label for label in labels if not are_counts([label]) and (label or not encoder.empty_for_null)]:
            row = before + int(np.argmax(codes == labels.index(wrong[0]))) + 1
            fault = "has another value" if wrong[0] else "is empty"
            msg = f"{place}: {setting('present', ABOVE_0)} needs counts: row {row} {fault}"
            fixes = [] if wrong[0] else [Fix(encoder.null_as("empty"), "if empty means 0")]
            raise InputError(msg, fixes=fixes, column=name, row=row)
        return
    for label in labels:
        if label.casefold() == chosen:
            values.occurs = True
        elif label or not encoder.empty_for_null:
            values.others.setdefault(label.casefold(), label)
        if len(values.others) > 1:
            row = before + int(np.argmax(codes == labels.index(label))) + 1
            raise InputError(_third(encoder, place, name, values, row), column=name, row=row)


_MOST_KEPT = 3


def _third(encoder: Encoder, place: str, name: str, values: _Values, row: int) -> Problem:
    """Return the problem of a column with two values besides the declared value."""
    present = setting("present", encoder.present)
    if "" in values.others:
        other = next(label for label in values.others.values() if label)
        problem = f"cells are {datum(other)} or empty, besides {present}: row {row}"
        return Problem(f"{place}: {problem}", [Fix(encoder.null_as("empty"), "if empty means 'no item'")])
    found = " and ".join(map(datum, values.others.values()))
    problem = f"one value besides {present} is allowed, found {found} (row {row})"
    return Problem(f"{place}: {problem}", [Fix({"null": [f"{name}={VALUE}"]}, "if one means a missing value")])


def _refuse_pairs(place: str, values: list[str]) -> None:
    """Reject columns in which one of two filled values marks the item as absent."""
    pair = words_for_marks(values) if len(values) == 2 else None
    absent = pair[1] if pair else next((value for value in values if value in ABSENT), "")
    if absent and len(values) <= 2:
        fixes = [Fix({"present": pair[0]}, "to declare the value of a member")] if pair else []
        way = "" if pair else f"; remove {setting('present', FILLED)}"
        read = f"{typed(absent)} marks an item as absent, but {setting('present', FILLED)} reads it as a member"
        raise InputError(f"{place}: {read}{way}", fixes=fixes)


def _is_mark(label: str) -> bool:
    words = words_for_marks([label])
    return label in PRESENT or says_present([label])[label] is not None or bool(words and words[0])


def value_of_members(labels: Iterable[str]) -> str | None:
    """Return the value of the setting ``present`` for a column with these values.

    Empty if the owner must choose one of two values. None for columns with more than two values that are no counts, and
    for columns in which each value marks an absent item.

    >>> columns = (["Checked", "Unchecked"], ["", "Diabetes"], ["a", "b", "c"], ["0", "1", "5"])
    >>> [value_of_members(labels) for labels in columns]
    ['Checked', 'filled', None, 'above-0']
    """
    listed = sorted(set(labels))
    if are_counts(listed) and (len(listed) > 2 or ABSENT.intersection(listed)):
        return ABOVE_0
    if len(listed) > 2:
        return None
    if words := words_for_marks(listed):
        return words[0] or None
    return FILLED if "" in listed else ""
