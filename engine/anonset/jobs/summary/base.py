"""A publication at a glance: its first rows, and what anybody can count in it, from its own files alone."""

from dataclasses import dataclass, field
from functools import singledispatch

from anonset.data import CategoricalColumn, SetColumn
from anonset.data.redacted_repr import Discreet
from anonset.publications import Published
from anonset.publications.base import unknown_kind

EXAMPLES = 5
"""Rows that are shown."""
MOST_SYMBOLS = 6
"""Symbols of a row that are shown."""


@dataclass(frozen=True)
class Example(Discreet):
    """The first rows of a table as they are published."""

    head: tuple[str, ...]
    """Names of the columns."""
    rows: tuple[tuple[str, ...], ...] = field(repr=False)
    """At most `EXAMPLES`, a text a column."""


@dataclass(frozen=True)
class Summary(Discreet):
    """The first rows of a publication, and what can be counted in it."""

    n: int
    """Published records."""
    examples: tuple[Example, ...]
    """The first rows of each table."""


@singledispatch
def summary(publication: Published) -> Summary:
    """Return a publication at a glance."""
    raise unknown_kind(publication)


def example(columns: tuple[SetColumn | CategoricalColumn, ...]) -> Example:
    """Return the first rows of some columns."""
    n = min(EXAMPLES, min((column.n for column in columns), default=0))
    rows = tuple(tuple(_cell(column, row) for column in columns) for row in range(n))
    return Example(tuple(column.name for column in columns), rows)


def _cell(column: SetColumn | CategoricalColumn, row: int) -> str:
    labels = column.vocabulary.labels
    if isinstance(column, CategoricalColumn):
        return str(labels[column.codes[row]])
    codes = column.held_by(row)
    more = f" … ({len(codes):,})" if len(codes) > MOST_SYMBOLS else ""
    return " ".join(labels[code] for code in codes[:MOST_SYMBOLS].tolist()) + more
