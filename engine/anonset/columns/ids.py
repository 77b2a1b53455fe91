"""Encode columns of the first rows as numbers: rows without missing values, and distinct combinations."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from anonset import arrow
from anonset.arrow import is_list
from anonset.columns.identity import same_ids, same_values
from anonset.columns.kinds import look_at
from anonset.columns.missing import MISSING
from anonset.data import SetColumn
from anonset.data.array_types import Int64
from anonset.data.distinct import distinct
from anonset.lazy_arrow import pa

_MISSING = tuple(sorted(MISSING))
_LAST_EXACT = 1 << 53
"""Largest float up to which all integers are exact."""


def texts_of(column: Any) -> Any:
    """Return the values of a column as text (``pyarrow.LargeStringArray``). Floats that are exact integers have the
    text of the integer.

    >>> import pyarrow as pa
    >>> texts_of(pa.array([12345678901.0, 0.5, None, 1e20])).to_pylist()
    ['12345678901', '0.5', None, '1e+20']
    """
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    plain = arrow.cast(column, kind)
    plain = plain.combine_chunks() if isinstance(plain, pa.ChunkedArray) else plain
    text = arrow.cast(plain, pa.large_string())
    if not pa.types.is_floating(kind):
        return text
    values = arrow.to_numpy(arrow.fill_null(arrow.cast(plain, pa.float64()), "nan"))
    integral = (values == np.floor(values)) & (np.abs(values) <= _LAST_EXACT)
    digits = arrow.digits(np.where(integral, values, 0).astype(np.int64))
    return arrow.if_else(pa.array(integral), digits, text)


def given_texts(column: Any) -> Any:
    """Return the non-missing values of a column as text (``pyarrow.LargeStringArray``)."""
    text, lacking = _texts_and_lacking(column)
    return arrow.filter(text, arrow.invert(lacking)) if arrow.any(lacking).as_py() else text


def texts_of_all(columns: Sequence[Any]) -> list[Any]:
    """Return the values of the rows without missing values as text (``pyarrow.LargeStringArray``)."""
    if len(columns) == 1:
        return [given_texts(columns[0])]
    pairs = [_texts_and_lacking(column) for column in columns]
    is_complete = ~np.any([arrow.to_numpy(lacking) for _, lacking in pairs], axis=0)
    rows = arrow.number_array(np.flatnonzero(is_complete))
    return [arrow.take(text, rows) for text, _ in pairs]


def encoded(column: Any) -> tuple[Any, Int64]:
    """Return the distinct values of a column that are not missing, as text, and the code of each row by `same_ids`,
    int64 (n,). -1 if the value is missing.
    """
    chunk = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    coded = chunk if pa.types.is_dictionary(chunk.type) else arrow.dictionary_encode(chunk)
    labels = texts_of(coded.dictionary)
    given = arrow.invert(arrow.is_in(labels, _MISSING, nulls=True))
    codes = np.append(np.where(arrow.to_numpy(given), same_ids(labels), -1), -1)
    return arrow.filter(labels, given), codes[
        arrow.to_numpy(arrow.coalesce(coded.indices, arrow.number_array([-1])[0]))
    ]


def persons_in(ids: Sequence[Any]) -> Int64:
    """Return the person of each row as a code, int64 (n,), given the columns that identify persons. -1 if a value is
    missing.
    """
    return combined([encoded(column)[1] for column in ids])


def counted_in(columns: Sequence[Any]) -> tuple[int, int]:
    """Return the number of rows that have a value in each column, and the number of distinct combinations."""
    codes = persons_in(columns)
    return int((codes >= 0).sum()), count_distinct(codes)


def rows_that_differ(ids: Sequence[Any], column: Any, most: int) -> list[int]:
    """Return the first row numbers (from 1) with a value of `column` that is less frequent than another value of the
    same person.

    Parameters
    ----------
    ids
        Columns that identify the person.

    >>> import pyarrow as pa
    >>> person, sex = (pa.chunked_array([list(values)]) for values in ("aaabbb", "fffmfm"))
    >>> rows_that_differ([person], sex, 5)
    [5]
    """
    text, lacking = _texts_and_lacking(column)
    persons = np.where(arrow.to_numpy(lacking), -1, persons_in(ids))
    values = values_of(text)
    pairs, pair_of, counts = np.unique(np.stack([persons, values]), axis=1, return_inverse=True, return_counts=True)
    often = np.zeros(int(persons.max(initial=-1)) + 2, np.int64)
    np.maximum.at(often, pairs[0], counts)
    first = np.full(len(often), len(counts))
    most_often = np.flatnonzero(counts == often[pairs[0]])
    np.minimum.at(first, pairs[0][most_often], most_often)
    differs = (persons >= 0) & (pair_of.reshape(-1) != first[persons])
    return [int(row) + 1 for row in np.flatnonzero(differs)[:most]]


def values_of(text: Any) -> Int64:
    """Return the code of each value of a column, int64 (n,). A date or a number has the same code in each notation.

    >>> values_of(arrow.text_array(["5", "5.0", "6"])).tolist(), values_of(arrow.text_array(["E5.0", "E5"])).tolist()
    ([0, 0, 1], [0, 1])
    """
    labels = arrow.unique(text)
    labels = arrow.filter(labels, arrow.invert(arrow.is_in(labels, _MISSING, nulls=True)))
    with_zeros = arrow.any(arrow.matches(labels, r"[.,]0+$")).as_py()
    return same_values(text, numbers=bool(with_zeros) and look_at("", labels.to_pylist()).kind == "numbers")


def _texts_and_lacking(column: Any) -> tuple[Any, Any]:
    text = texts_of(column)
    return text, arrow.is_in(text, _MISSING, nulls=True)


def combined(codes: Sequence[Int64]) -> Int64:
    """Return a code of each combination of values, int64 (n,). -1 if a value is missing."""
    combined = codes[0]
    for further in codes[1:]:
        pairs = combined * (int(further.max(initial=-1)) + 1) + further
        missing = (combined < 0) | (further < 0)
        combined = np.where(missing, -1, np.unique(pairs, return_inverse=True)[1].ravel()).astype(np.int64)
    return combined


def are_values(column: Any) -> bool:
    """Return True if the values of a column are texts, or plain values that can be written as text."""
    if holds_sets(column):
        return False
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    return not (pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind))


def holds_sets(column: Any) -> bool:
    """Return True if the values of a column are sets or nested values. They are then neither ids nor attributes."""
    if isinstance(column, SetColumn) or is_list(column.type):
        return True
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    return bool(pa.types.is_nested(kind))


FEWEST_PAIRS = 20
_TELLING = frozenset({"birth", "sex"})
_TELLING_OF_NAMES = frozenset({"birth", "residence"})
"""Attributes that agree within a person. A first name determines the sex, whether or not it is one person."""
_AGREEING, _BY_CHANCE, _DEVIATIONS = 0.95, 0.9, 5.0


def count_distinct(codes: Int64) -> int:
    """Return the number of distinct non-negative codes in `codes`, (n,)."""
    return len(distinct(codes[codes >= 0]))


AGREE, UNKNOWN, DIFFER = 0, 1, 2
"""Evidence about a column. Birth and sex may agree within its values (each value is a person), differ (each value is,
for example, a physician), or be unknown.
"""


def evidence_of(codes: Int64, attributes: Sequence[tuple[str, str, Int64]], *, of_names: bool = False) -> int:
    """Return `AGREE`, `UNKNOWN` or `DIFFER`, which states whether birth or sex agrees within the values of a column.

    Parameters
    ----------
    codes
        Value of each row, int64 (n,). Negative if it is missing.
    attributes
        Kind, name and codes of each attribute.
    of_names
        Whether the values are names.
    """
    telling = _TELLING_OF_NAMES if of_names else _TELLING
    first, second = _pairs(codes)
    tested = False
    for kind, _, of_attribute in attributes:
        if kind in telling:
            if agrees(of_attribute, first, second):
                return AGREE
            comparable = (of_attribute[first] >= 0) & (of_attribute[second] >= 0)
            tested |= comparable.sum() >= FEWEST_PAIRS and count_distinct(of_attribute) > 1
    return DIFFER if tested else UNKNOWN


def _pairs(codes: Int64) -> tuple[Int64, Int64]:
    """Return the first and the second row of all pairs. A pair is a row with a value, and the next row with the same
    value.
    """
    order = np.argsort(codes, kind="stable")
    order = order[codes[order] >= 0]
    same = codes[order[1:]] == codes[order[:-1]]
    return order[:-1][same], order[1:][same]


def agrees(codes: Int64, first: Int64, second: Int64) -> bool:
    """Return True if pairs of rows agree in a column far more often than by chance."""
    counts = np.bincount(codes[codes >= 0]).astype(np.float64)
    n = counts.sum()
    both_filled = (codes[first] >= 0) & (codes[second] >= 0)
    pairs, agreed = int(both_filled.sum()), int((both_filled & (codes[first] == codes[second])).sum())
    if n < 2 or pairs < FEWEST_PAIRS:
        return False
    p = float((counts * (counts - 1)).sum() / (n * (n - 1)))
    beyond = agreed - pairs * p > _DEVIATIONS * float(np.sqrt(pairs * p * (1 - p)))
    return agreed >= _AGREEING * pairs and p <= _BY_CHANCE and beyond
