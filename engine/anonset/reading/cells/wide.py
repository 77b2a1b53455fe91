"""Read sets that are stored in several columns. The columns are a 0/1 column for each item, or columns with one code
per cell.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from anonset import arrow
from anonset.arrow import ArrowColumns, is_list
from anonset.columns.marks import ABOVE_0, FILLED, says_present
from anonset.data import SetColumn, Vocabulary
from anonset.data.array_types import Bools, Int32
from anonset.data.blocks import tidy_rows
from anonset.data.labels.vocabulary import canonical_order
from anonset.data.spans import begins_of
from anonset.errors import VALUE, Fix, InputError, datum
from anonset.reading.cells.columns import Encoder
from anonset.reading.cells.numbers import others
from anonset.reading.cells.presence import value_of_members
from anonset.spelling import setting

NAME = "items"
"""Name of the set-valued column built from several columns."""


def one_hot_sets(encoder: Encoder, columns: ArrowColumns, labels: Mapping[str, str]) -> SetColumn:
    """Read columns that mark an item as present or absent in each record.

    Parameters
    ----------
    columns
        Columns by name. They contain 0/1 or true/false, as text, numbers or booleans, or the declared value of a
        member (see `labels_of_marks`).
    labels
        Items by column name.

    Raises
    ------
    InputError
        If a column contains any other value, or two columns have the same item.
    """
    name_of: dict[str, str] = {}
    for name, label in labels.items():
        if label in name_of:
            raise InputError(
                f"{encoder.where}: columns {name_of[label]!r} and {name!r} both name the item {datum(label)}; rename "
                "one"
            )
        name_of[label] = name
    vocabulary = Vocabulary(tuple(canonical_order(labels.values())))
    rows = [np.flatnonzero(_present(encoder, name_of[x], columns[name_of[x]])) for x in vocabulary.labels]
    n = len(next(iter(columns.values())))
    lengths = np.zeros(n, np.int64)
    for rows_with_item in rows:
        lengths[rows_with_item] += 1
    indptr = begins_of(lengths)
    free, items = indptr[:-1].copy(), np.empty(indptr[-1], np.int32)
    for code, rows_with_item in enumerate(rows):
        items[free[rows_with_item]] = code
        free[rows_with_item] += 1
    return SetColumn(NAME, indptr, items, vocabulary)


def _present(encoder: Encoder, name: str, column: Any) -> Bools:
    if encoder.present is not None:
        codes, labels = encoder.marks(name, column)
        chosen = encoder.present.casefold()
        if chosen == ABOVE_0:
            return np.array([bool(x) and float(x) > 0 for x in labels], bool)[codes]
        return np.array([bool(x) if chosen == FILLED else x.casefold() == chosen for x in labels], bool)[codes]
    codes, labels = encoder.truth(name, column)
    presence = says_present([label for label in labels if label != "0"] if encoder.empty_for_null else labels)
    present = [presence.get(label, False) for label in labels]
    wrong = np.flatnonzero(np.array([says is None for says in present], bool)[codes])
    if len(wrong):
        empty = labels[codes[wrong[0]]] == ""
        fault = "is empty" if empty else "has another value"
        alike = others(len(wrong), encoder.last_row(column))
        place = f"{encoder.where}: column {name!r} ({setting('one_hot')})"
        row = encoder.before + wrong[0] + 1
        fixes = [Fix(encoder.null_as("empty"), "if empty means 0")] if empty else []
        member = None if empty else value_of_members(encoder.marks(name, column)[1])
        if member:
            marks = "a count above 0" if member == ABOVE_0 else "one value"
            fixes = [Fix({"present": member}, f"if {marks} marks an item")]
        elif member is not None:
            fixes = [Fix({"present": VALUE}, "if one value marks an item")]
        msg = f"{place} must contain 0 and 1 only: row {row}{alike} {fault}"
        raise InputError(msg, fixes=fixes, column=name, row=row)
    return np.array([bool(says) for says in present], bool)[codes]


def one_code_sets(encoder: Encoder, columns: ArrowColumns) -> SetColumn:
    """Merge columns with one code each into a set-valued column. Empty and null cells add no code.

    Items are codes, or ``header=code`` if this is declared. A backslash precedes each ``=`` and each backslash of a
    header, so that the first ``=`` without a backslash ends the header.

    Raises
    ------
    InputError
        If a column contains lists, or if each cell of a record is null and null is not declared to be the empty set.
    """
    for name, column in columns.items():
        if is_list(column.type):
            raise InputError(
                f"{encoder.where}: column {name!r} contains lists; {setting('one_code')} columns must contain a "
                "single code per row"
            )
    if not encoder.empty_for_null:
        _refuse_unknown(encoder, list(columns.values()))
    sets = {name: encoder.codes(name, column) for name, column in columns.items()}
    if encoder.with_header:
        return union([_with_header(name, column) for name, column in sets.items()], NAME)
    return union(list(sets.values()), NAME)


def _with_header(name: str, column: SetColumn) -> SetColumn:
    header = name.replace("\\", "\\\\").replace("=", "\\=")
    return replace(column, vocabulary=Vocabulary(tuple(f"{header}={label}" for label in column.vocabulary.labels)))


def _refuse_unknown(encoder: Encoder, columns: Sequence[Any]) -> None:
    unknown = np.ones(len(columns[0]), bool)
    for column in columns:
        unknown &= arrow.to_numpy(column.is_null()) if column.null_count else False
    rows = np.flatnonzero(unknown)
    if len(rows):
        alike = others(len(rows), encoder.last_row(columns[0]))
        msg = f"{encoder.where}: row {encoder.before + rows[0] + 1}{alike} has no codes"
        raise InputError(msg, fixes=[Fix(encoder.null_as("empty"), "if null means no items")])


def union(columns: Sequence[SetColumn], name: str) -> SetColumn:
    """Return the union of set-valued columns of the same records, over one vocabulary."""
    vocabulary = Vocabulary.of(label for column in columns for label in column.vocabulary.labels)
    lengths = np.sum([column.lengths for column in columns], axis=0)
    indptr = begins_of(lengths)
    free, items = indptr[:-1].copy(), np.empty(indptr[-1], np.int32)
    for column in columns:
        image: Int32 = np.array([vocabulary.index[label] for label in column.vocabulary.labels], np.int32)
        place = np.arange(len(column.codes)) + np.repeat(free - column.indptr[:-1], column.lengths)
        items[place] = image[column.items]
        free += column.lengths
    return tidy_rows(name, indptr, items, vocabulary)
