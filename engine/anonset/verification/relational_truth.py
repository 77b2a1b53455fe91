"""Check whether each published relational value covers the original value."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from anonset.data import CategoricalColumn, Hierarchy, NumericColumn, Table
from anonset.data.array_types import Int32, Int64
from anonset.data.decimals import exact
from anonset.data.spans import spans
from anonset.data.table import Column
from anonset.errors import InputError
from anonset.privacy import Witness
from anonset.publications import Records
from anonset.verification.constraints import members_of


def check_relational_truth(
    original: Table, publication: Records, hierarchies: Mapping[str, Hierarchy]
) -> Witness | None:
    """Find a published relational value that does not cover the original value.

    ``[low:high]`` covers the numbers in the range. A node of the column's hierarchy covers the leaves below it.
    A set ``(a,b,c)`` covers its members, which are leaves if there is a hierarchy. A number covers the same number in
    any notation. Any other label covers only itself. The cost is O(n) for a numeric column and O(n log n) for any other
    column.

    Returns
    -------
    The first violation, by column, then by row, or None.

    Raises
    ------
    InputError
        If the publication lacks a relational column of the table.

    Examples
    --------
    >>> table = Table.from_columns(sex=["f", "m"])
    >>> said = CategoricalColumn.of("sex", ["(f,m)", "f"])
    >>> str(check_relational_truth(table, Records(None, (), (said,), (), np.arange(2)), {}))
    "{f} matches 0 records, 1 required; published row 1 shows it; column 'sex': the original value differs"
    """
    published = {column.name: column for column in publication.relational}
    for column in original.relational:
        if column.name not in published:
            raise InputError(f"the publication lacks the relational column {column.name!r}")
        witness = _first_untrue(column, published[column.name], publication.record, hierarchies.get(column.name))
        if witness is not None:
            return witness
    return None


def _first_untrue(
    before: Column, after: CategoricalColumn, record: Int64, hierarchy: Hierarchy | None
) -> Witness | None:
    look = (
        _Ranges(after.vocabulary.labels, before)
        if isinstance(before, NumericColumn)
        else _Pairs(after.vocabulary.labels, before, hierarchy)
    )
    for first, end in spans(after.n):
        codes = after.codes[first:end]
        wrong = look.first_wrong(before.take(record[first:end]), codes)
        if wrong >= 0:
            detail = f"column {after.name!r}: the original value differs"
            return Witness((after.vocabulary.labels[codes[wrong]],), 0, 1, first + wrong, detail)
    return None


class _Pairs:
    """Checks whether labels cover values, and caches the result of each pair."""

    def __init__(self, labels: Sequence[str], before: Column, hierarchy: Hierarchy | None) -> None:
        self._labels, self._hierarchy, self._numeric = labels, hierarchy, isinstance(before, NumericColumn)
        self._rules: dict[int, Callable[[str], bool]] = {}
        self._true: set[tuple[Any, int]] = set()

    def first_wrong(self, before: Column, codes: Int32) -> int:
        """Return the first row with a label that does not cover the value, or -1."""
        values = before.codes if isinstance(before, CategoricalColumn) else before.values
        distinct, rank = np.unique(values, return_inverse=True)
        width = max(1, len(self._labels))
        pairs, first = np.unique(rank.reshape(-1) * width + codes, return_index=True)
        wrong = -1
        for pair, row in zip(pairs.tolist(), first.tolist(), strict=True):
            value, code = distinct[pair // width], pair % width
            if wrong != -1 and row > wrong:
                continue
            key = value.item(), code
            if key not in self._true:
                if not self._covers(before, value, code):
                    wrong = row
                    continue
                self._true.add(key)
        return wrong

    def _covers(self, before: Column, value: Any, code: int) -> bool:
        if code not in self._rules:
            self._rules[code] = covers(self._labels[code], self._numeric, self._hierarchy)
        return self._rules[code](
            before.vocabulary.labels[value] if isinstance(before, CategoricalColumn) else str(value)
        )


class _Ranges:
    """Checks with array operations whether ranges cover numbers. The dtype of the column must represent the ends of the
    ranges exactly. A float represents the decimal number that is printed for it. Printing preserves the order of
    floats.
    """

    def __init__(self, labels: Sequence[str], before: NumericColumn) -> None:
        dtype = before.values.dtype
        self._low, self._high = np.zeros(len(labels), dtype), np.zeros(len(labels), dtype)
        self._plain = np.zeros(len(labels), np.bool_)
        self._others = _Pairs(labels, before, None)
        for code, label in enumerate(labels):
            ends = [_as_number(end, dtype.kind) for end in ends_of(label)]
            if ends[0] is not None and ends[1] is not None:
                self._low[code], self._high[code], self._plain[code] = ends[0], ends[1], True

    def first_wrong(self, before: Column, codes: Int32) -> int:
        """Return the first row with a label that does not cover the value, or -1."""
        values = before.values if isinstance(before, NumericColumn) else before.codes
        plain = self._plain[codes]
        wrong = np.flatnonzero(plain & ~((self._low[codes] <= values) & (values <= self._high[codes])))
        first = int(wrong[0]) if len(wrong) else -1
        others = np.flatnonzero(~plain)
        if not len(others):
            return first
        wrong_other = self._others.first_wrong(before.take(others), codes[others])
        wrong_rows = [row for row in (first, int(others[wrong_other]) if wrong_other >= 0 else -1) if row >= 0]
        return min(wrong_rows, default=-1)


def _as_number(text: str, kind: str) -> int | float | None:
    """Return the number with exactly the value of the text as an integer or float. Return None if there is no such
    number.
    """
    try:
        number = exact(text)
        if kind == "i":
            return int(number) if number.denominator == 1 and abs(number) < 1 << 63 else None
        return float(number) if exact(float(number)) == number else None
    except (ValueError, OverflowError):
        return None


def ends_of(label: str) -> tuple[str, str]:
    """Return the lower and upper end of a range as text. For a number, both ends are the number."""
    low, _, high = label[1:-1].partition(":") if label.startswith("[") else (label, ":", label)
    return low, high


def are_ranges(labels: Iterable[str]) -> bool:
    """Return True if all labels are numbers or ranges, and some are ranges.

    >>> are_ranges(["[1:3]", "4"]), are_ranges(["3", "4"]), are_ranges(["[1:3]", "(4,5)"])
    (True, False, False)
    """
    any_range = False
    for label in labels:
        if not all(map(_is_number, ends_of(label))):
            return False
        any_range = any_range or label.startswith("[")
    return any_range


def _is_number(text: str) -> bool:
    try:
        exact(text)
    except ValueError:
        return False
    return True


def covers(label: str, numeric: bool, hierarchy: Hierarchy | None) -> Callable[[str], bool]:
    """Return a function that tests whether a published label covers an original value, given as text."""
    if numeric:
        try:
            bounds = [exact(end) for end in ends_of(label)]
        except ValueError:
            return lambda _: False
        return lambda text: bounds[0] <= _number(text) <= bounds[1]
    if hierarchy is not None:
        node = hierarchy.node_of.get(label)
        return (set(members_of(label)) - {label} if node is None else set(_leaves(hierarchy, node))).__contains__
    listed = {label, *members_of(label)}
    if _is_number(label):
        return lambda text: text == label or (_is_number(text) and exact(text) == exact(label))
    return listed.__contains__


@lru_cache(maxsize=4096)
def _number(text: str) -> Fraction:
    """Return the number of a text, cached because values repeat."""
    return exact(text)


def _leaves(hierarchy: Hierarchy, node: int) -> tuple[str, ...]:
    return tuple(hierarchy.leaves.labels[hierarchy.leaf_lo[node] : hierarchy.leaf_hi[node]])
