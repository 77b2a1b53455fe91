"""Summary of a publication. It contains random rows, and figures that any recipient can compute."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonset.data import CategoricalColumn, SetColumn
from anonset.data.array_types import Int64
from anonset.data.redacted_repr import RedactedRepr
from anonset.measures.shares import percent
from anonset.publications import Symbol
from anonset.publications.symbols import range_ends

EXAMPLES = 5
"""Number of example rows."""
MOST_SYMBOLS = 6
"""Number of symbols shown per row."""


ShownBy = Callable[[int], Symbol | str]
"""Function from the codes of a column to symbols or texts."""
ExampleCell = tuple[Symbol | str, ...]
"""Symbols and texts in a cell of an example row."""


@dataclass(frozen=True)
class Example(RedactedRepr):
    """Random rows of a published table."""

    head: tuple[str, ...]
    """Column names."""
    rows: tuple[tuple[ExampleCell, ...], ...] = field(repr=False)
    """At most `EXAMPLES` rows, with one cell per column."""


@dataclass(frozen=True)
class ColumnDetail(RedactedRepr):
    """Detail that recipients see in a published column of quasi-identifiers."""

    name: str
    distinct: int
    """Number of different published values."""
    largest: float
    """Share of the records with the most frequent value."""
    exact: float
    """Share of the records with a value, or with a named group of a hierarchy, and not with a range or a set."""
    width: float | None
    """Median width of the ranges, in units of the column. None if the column contains no ranges."""
    members: float | None
    """Median number of values of the sets. None if the column contains no sets."""

    @property
    def short(self) -> str:
        """Detail in a few words.

        >>> ColumnDetail("age", 12, 0.2, 0.25, 10.0, None).short
        'ranges of 10'
        """
        if self.distinct < 2 or self.exact == 1:
            return "lost" if self.distinct < 2 else "values or named groups"
        forms = [f"ranges of {self.width:,.4g}"] if self.width is not None else []
        return " or ".join([*forms, *([f"sets of {self.members:,.4g} values"] if self.members is not None else [])])

    def __str__(self) -> str:
        """Return the detail in words.

        >>> print(ColumnDetail("age", 12, 0.2, 0.25, 10.0, None))
        12 different values; a value or a named group for 25.0% of the records, otherwise ranges of 10 in the median
        >>> print(ColumnDetail("born", 1, 1.0, 0.0, None, 60.0))
        lost: all records show the same value
        """
        if self.distinct < 2:
            return "lost: all records show the same value" if self.distinct else "no values"
        if self.exact == 1:
            return f"{self.distinct:,} different values; the most frequent in {percent(self.largest)} of the records"
        parts = (
            f"a value or a named group for {percent(self.exact)} of the records, otherwise {self.short} in the median"
        )
        return f"{self.distinct:,} different values; {parts}"


def column_detail(column: CategoricalColumn, members: Sequence[int]) -> ColumnDetail:
    """Return the detail of a published column.

    Parameters
    ----------
    members
        Number of values that each label of the vocabulary shows: 1 for a value, several for a set.
    """
    often, sizes = column.occurrences.astype(np.int64), np.array(members, np.int64)
    widths = np.array([_width(label) for label in column.vocabulary.labels], np.float64)
    n, is_set, is_range = max(1, int(often.sum())), sizes > 1, widths > 0
    return ColumnDetail(
        column.name,
        int(np.count_nonzero(often)),
        float(often.max(initial=0) / n),
        float(often[~is_set & ~is_range].sum() / n),
        _median(widths[is_range], often[is_range]),
        _median(sizes[is_set], often[is_set]),
    )


def _width(label: str) -> float:
    """Return the width of a range, or 0 for other labels."""
    low, high = range_ends(label)
    try:
        return 0.0 if low == high else float(high) - float(low)
    except ValueError:  # a date
        return 0.0


def _median(values: NDArray[Any], often: Int64) -> float | None:
    """Return the median of values that occur a number of times each. None if there are none."""
    if not (total := int(often.sum())):
        return None
    order = np.argsort(values, kind="stable")
    return float(values[order][np.searchsorted(np.cumsum(often[order]), total / 2)])


@dataclass(frozen=True)
class Summary(RedactedRepr):
    """Random rows and counts of a publication."""

    n: int
    """Number of published records."""
    examples: tuple[Example, ...]
    """Random rows of each table."""
    single: float | None = None
    """Share of published symbol occurrences with a single item. None if there are no symbols."""
    stands_for: float | None = None
    """Mean number of items of the symbols with several items, weighted by their occurrences. None if every symbol has
    one item.
    """
    width: float | None = None
    """Mean width of published numbers and ranges, as a share of the column's span. None if no column contains
    numbers.
    """
    in_chunks: int | None = None
    """Number of item occurrences shown in chunks. None if the publication has no chunks."""
    terms: int = 0
    """Number of terms over all clusters."""
    columns: tuple[ColumnDetail, ...] = ()
    """Detail of each column of quasi-identifiers."""


def example(
    columns: tuple[SetColumn | CategoricalColumn, ...],
    shown: Callable[[SetColumn | CategoricalColumn], ShownBy] = lambda column: column.vocabulary.labels.__getitem__,
) -> Example:
    """Return random rows of columns.

    Parameters
    ----------
    shown
        Returns a function from the codes of a column to symbols or texts.
    """
    chosen = drawn(min((column.n for column in columns), default=0))
    rows = zip(*(_cells(column, shown(column), chosen) for column in columns), strict=True)
    return Example(tuple(column.name for column in columns), tuple(rows))


def drawn(n: int) -> list[int]:
    """Return the ascending positions of at most `EXAMPLES` random rows of `n`. The seed is fixed, so that equal
    publications have equal examples.

    >>> drawn(3), len(drawn(1_000)), drawn(1_000) == drawn(1_000)
    ([0, 1, 2], 5, True)
    """
    return sorted(np.random.default_rng(0).choice(n, min(EXAMPLES, n), replace=False).tolist()) if n else []


def _cells(column: SetColumn | CategoricalColumn, shown: ShownBy, rows: Sequence[int]) -> list[ExampleCell]:
    if isinstance(column, CategoricalColumn):
        return [(shown(int(column.codes[row])),) for row in rows]
    return [first_symbols(shown, column.held_by(row).tolist()) for row in rows]


def first_symbols(shown: ShownBy, codes: Sequence[int]) -> ExampleCell:
    """Return the first `MOST_SYMBOLS` symbols or texts, and the number of all if there are more."""
    more = [f"… ({len(codes):,})"] if len(codes) > MOST_SYMBOLS else []
    return (*(shown(code) for code in codes[:MOST_SYMBOLS]), *more)
