"""Summary of a publication. It contains the first rows, and figures that any recipient can compute."""

from dataclasses import dataclass, field
from functools import singledispatch

from anonset.data import CategoricalColumn, SetColumn
from anonset.data.redacted_repr import RedactedRepr
from anonset.publications import Published
from anonset.publications.base import unknown_kind

EXAMPLES = 5
"""Number of example rows."""
MOST_SYMBOLS = 6
"""Number of symbols shown per row."""


@dataclass(frozen=True)
class Example(RedactedRepr):
    """First rows of a published table."""

    head: tuple[str, ...]
    """Column names."""
    rows: tuple[tuple[str, ...], ...] = field(repr=False)
    """At most `EXAMPLES` rows, with one text per column."""


@dataclass(frozen=True)
class Summary(RedactedRepr):
    """First rows and counts of a publication."""

    n: int
    """Number of published records."""
    examples: tuple[Example, ...]
    """First rows of each table."""


@singledispatch
def summary(publication: Published) -> Summary:
    """Return the summary of a publication."""
    raise unknown_kind(publication)


def example(columns: tuple[SetColumn | CategoricalColumn, ...]) -> Example:
    """Return the first rows of columns."""
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
