"""Summary of a publication. It contains random rows, and figures that any recipient can compute."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from anonset.data import CategoricalColumn, SetColumn
from anonset.data.redacted_repr import RedactedRepr
from anonset.publications import Symbol

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
