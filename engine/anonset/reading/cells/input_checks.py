"""Reject input that is probably misread. A misread input would break the privacy guarantee without notice."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from typing import Any

import numpy as np

from anonset import arrow
from anonset.arrow import ArrowColumns
from anonset.columns.cells import (
    FURTHER_MARKS,
    LIST,
    MARKS,
    STOP_WORDS,
    are_names_of_things,
    hold_codes,
    mark_of_mixed_codes,
    mark_of_sets,
    other_marks,
    recombine,
)
from anonset.columns.ids import given_texts, holds_sets
from anonset.columns.kinds import MOST_LOOKED_AT
from anonset.columns.marks import ABSENT, PRESENT, words_for_marks
from anonset.data.array_types import Float64
from anonset.errors import Fix, InputError, datum, typed
from anonset.reading.sources.dialect import DELIMITERS
from anonset.spelling import counted, setting

_ENDS = (("[", "]"), ("{", "}"))
_PRINTED = ("['", '["', "{'", '{"')
MOST_BYTES_OF_ID = 4096
"""Maximum length of an id in bytes."""
_FIRST_INEXACT = 1 << 53
"""Smallest positive integer that is not the only one with its float64."""


def require_split(
    where: str, labels: Collection[str], separator: str | None, *, baskets: bool = False, one_code: str = ""
) -> None:
    """Reject items that look like several items in one, unless a separator is declared.

    Parameters
    ----------
    where
        Name of the source, for messages.
    labels
        The distinct items.
    separator
        Declared separator of items. None if no separator is declared, and items are separated by blanks.
    baskets
        Whether the format separates items by blanks, so that any other separator must be declared.
    one_code
        Name of a column in which no cell contains several items. Empty for other columns.

    Raises
    ------
    InputError
        The message names the option that would help.
    """
    as_lists = [] if baskets else [Fix({"separator": LIST}, "to read the cells as lists")]
    if any(label.startswith(_PRINTED) for label in labels):
        msg = (
            f"{where}: the cells contain printed lists ([...] with quotes), so brackets and quotes would become part "
            "of items"
        )
        raise InputError(msg, fixes=as_lists)
    if not baskets and (ends := next((ends for ends in _ENDS if _torn(labels, *ends)), None)) is not None:
        marks = f"{ends[0]} and {ends[1]}"
        enclosed = f"the cells are enclosed in {marks}, which would become part of items"
        raise InputError(f"{where}: {enclosed}; if they are no lists, remove {marks}", fixes=as_lists)
    if not baskets and separator is None and sum(label.casefold() in STOP_WORDS for label in labels) > 2:
        msg = (
            f"{where}: the cells look like titles or sentences, and each word would become an item; "
            f"if each cell is an item: {setting('one_code')}"
        )
        raise InputError(msg, fixes=[Fix({"separator": " "}, "if each word is an item")])
    if not baskets and separator is None and (list_text := next(filter(_is_printed_list, labels), None)) is not None:
        msg = (
            f"{where}: {datum(list_text)} looks like a list but would become a single item; if it is none, remove "
            f"{list_text[0]} and {list_text[-1]}"
        )
        raise InputError(msg, fixes=[*as_lists, Fix({"separator": " "}, "if it is an item")])
    mark = (_mark_within(labels) or (None if baskets else mark_of_sets(labels))) if separator is None else None
    if separator is not None and baskets and separator.strip() and any(separator in label for label in labels):
        mark = separator
    if mark is None:
        return
    count = sum(mark in label for label in labels)
    problem = f"{where}: items were split at blanks, but {count:,} of {len(labels):,} items contain {mark!r}"
    way, fixes = _ways_to_split(labels, mark)
    if baskets:
        further = {} if mark in DELIMITERS else {"separator": mark}
        way, fixes = "", [Fix({"input_format": "baskets", **further}, f"if {mark!r} separates items")]
    whole = {"one_code": [one_code]} if one_code else {"separator": " "}
    raise InputError(f"{problem}{way}", fixes=[*fixes, Fix(whole, "if not")])


def require_no_names(where: str, columns: ArrowColumns) -> None:
    """Reject columns of names of several words, such as product names. Blanks would split them into items.

    Parameters
    ----------
    columns
        First rows of the set-valued columns without a declared separator, by column name.

    Raises
    ------
    InputError
        The message names the options for both readings.
    """
    for name, column in columns.items():
        if not holds_sets(column) and are_names_of_things(given_texts(column).to_pylist()):
            msg = (
                f"{where}: column {name!r}: the cells look like names of several words, and each word would become "
                "an item"
            )
            whole = Fix({"one_code": [name]}, "if each cell is an item")
            raise InputError(msg, fixes=[whole, Fix({"separator": " "}, "if each word is an item")])


def require_whole(where: str, name: str, labels: Collection[str], separator: str | None = None) -> None:
    """Reject cells that look like sets of items but would be read as a single item.

    Parameters
    ----------
    separator
        Declared separator, which splits no cell. None if no separator is declared.

    Raises
    ------
    InputError
        The message names the option that splits cells, and the option that declares that each cell is one item.
    """
    words = " " if recombine(labels) else None
    if (mark := mark_of_sets(labels, *MARKS, " ") or mark_of_mixed_codes(labels) or words) is not None:
        some = f"{sum(mark in label for label in labels):,} of {len(labels):,} distinct cells"
        reason = "each cell would be one item" if separator is None else f"{separator!r} separates no items"
        problem = f"{where}: column {name!r}: {reason}, but {some} contain {mark!r}"
        way, fixes = _ways_to_split(labels, mark)
        raise InputError(f"{problem}{way}", fixes=[*fixes, Fix({"one_code": [name]}, "if not")])


def _ways_to_split(labels: Collection[str], mark: str) -> tuple[str, list[Fix]]:
    """Return advice, or a setting, for labels that a separator splits into items, and other characters perhaps too."""
    others = other_marks({part.strip() for label in labels for part in label.split(mark)}, mark)
    if others:
        further = " and ".join(map(repr, others))
        return f"; if {mark!r} and {further} separate items: replace {further} by {mark!r} in the file", []
    return "", [Fix({"separator": mark}, f"if {mark!r} separates items")]


def _torn(labels: Collection[str], begin: str, end: str) -> bool:
    """Return True if some items begin with one bracket or quote, and others end with its counterpart."""
    opened = (label for label in labels if label.startswith(begin) and not label.endswith(end))
    return any(True for _ in opened) and any(x.endswith(end) and not x.startswith(begin) for x in labels)


def _is_printed_list(label: str) -> bool:
    return "," in label and (label[0] + label[-1]) in ("[]", "{}")


def _mark_within(labels: Collection[str]) -> str | None:
    """Return the probable separator of items. It ends a label, occurs in most labels, or separates parts that are also
    labels.
    """
    for mark in MARKS:
        if any(len(label) > 1 and label.endswith(mark) for label in labels):
            return mark
    # published sets such as (a,b) contain separators
    plain = [label for label in labels if not (label.startswith("(") and label.endswith(")"))]
    return next((mark for mark in MARKS if _separates(mark, plain)), None)


def _separates(mark: str, labels: Collection[str]) -> bool:
    """Return True if most labels contain the separator, or if the parts between separators also occur in other
    labels.
    """
    parts_of_labels = [{part.strip() for part in label.split(mark)} for label in labels if mark in label]
    if 2 * len(parts_of_labels) > len(labels):
        return True
    times = Counter(part for parts in parts_of_labels for part in parts)
    times.update(label for label in labels if mark not in label)
    n_recurring = sum(any(times[part] > 1 for part in parts) for parts in parts_of_labels)
    return 2 * n_recurring >= len(parts_of_labels) > 0


def require_single(where: str, name: str, labels: Sequence[str]) -> None:
    """Reject a relational column of code sets, because each set would be read as a single value.

    Only the first of many values are examined.

    Raises
    ------
    InputError
        The message names the column, and the options that would help.
    """
    mark = next((mark for mark in (*MARKS, *FURTHER_MARKS, " ") if hold_codes(labels[:MOST_LOOKED_AT], mark)), None)
    if mark is not None:
        split = {"separator": mark} if mark.strip() else {}
        sets = Fix({"items": [name], **split}, "if its cells are sets")
        msg = (
            f"{where}: relational column {name!r} seems to contain sets of codes, and each set would be a single value"
        )
        raise InputError(msg, fixes=[sets, Fix({"drop": [name]}, "otherwise")])


def require_items(where: str, columns: Iterable[tuple[str, Collection[str]]]) -> None:
    """Reject set-valued columns whose cells mark an item as present or absent, because their column names are the
    items.

    Parameters
    ----------
    columns
        Name and distinct items of each column in which no cell contains several items.

    Raises
    ------
    InputError
        The message names the columns, and the option that would help.
    """
    labels_of = [(name, set(labels)) for name, labels in columns]
    indicators = [name for name, labels in labels_of if labels and labels <= PRESENT | ABSENT]
    if any(labels & ABSENT for name, labels in labels_of if name in indicators):
        columns_text = ", ".join(map(repr, indicators[:5])) + (
            f" and {len(indicators) - 5} more" if len(indicators) > 5 else ""
        )
        msg = f"{where}: {columns_text} contain only 0 and 1, which would become items"
        raise InputError(msg, fixes=[Fix({"one_hot": indicators}, "if each column is an item")])
    marks = [(name, words) for name, labels in labels_of if (words := words_for_marks([*labels])) and all(words)]
    if len(marks) > 1:
        (column, (chosen, other)), *_ = marks
        problem = (
            f"{column!r} and {counted(len(marks) - 1, 'other column')} contain only {typed(chosen)} and {typed(other)}"
        )
        fix = Fix({"one_hot": [name for name, _ in marks], "present": chosen}, "if each column is an item")
        raise InputError(f"{where}: {problem}, which would become items", fixes=[fix])


def require_short_ids(where: str, name: str, ids: Any, before: int) -> None:
    """Reject ids that are longer than `MOST_BYTES_OF_ID`. Such texts are not ids, for example because of an open quote.

    Parameters
    ----------
    ids
        Ids of the column `name` (``pyarrow.LargeStringArray``).
    before
        Number of rows before the first id.

    Raises
    ------
    InputError
        The message names the column and the row.
    """
    lengths = np.diff(arrow.text_of(ids)[0])
    if not len(lengths) or lengths.max() <= MOST_BYTES_OF_ID:
        return
    position = int(np.argmax(lengths > MOST_BYTES_OF_ID))
    row, problem = before + position + 1, f"the id has {lengths[position]:,} bytes, at most {MOST_BYTES_OF_ID:,} fit"
    msg = f"{where}: id column {name!r}: row {row}: {problem}; check the quotes of the file, or declare another column"
    raise InputError(msg, column=name, row=row)


def require_exact_ids(where: str, name: str, ids: Float64, kind: str) -> None:
    """Reject ids that are floats so large that different ids would be equal.

    Parameters
    ----------
    ids
        Ids of the column `name`. NaN is no id.
    kind
        Type of the column, for the message.

    Raises
    ------
    InputError
        The message names the column.
    """
    if (np.abs(ids) >= _FIRST_INEXACT).any():
        problem = f"numbers of {_FIRST_INEXACT} and more are not exact as {kind}"
        raise InputError(f"{where}: column {name!r}: {problem}; store the ids as integers or text", column=name)
