"""Summary of published records."""

from dataclasses import dataclass

import numpy as np

from anonset.data import CategoricalColumn
from anonset.jobs.summary.base import Summary, example, summary
from anonset.measures.countable import mean_symbol_size
from anonset.publications import Records
from anonset.publications.records import written_columns
from anonset.publications.symbols import range_ends


@dataclass(frozen=True)
class RecordsSummary(Summary):
    """Summary of published records."""

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


@summary.register
def _of_records(publication: Records) -> RecordsSummary:
    """Return the summary of published records.

    >>> from anonset.data import Table
    >>> from anonset.generalization import ItemGroups, apply
    >>> table = Table.from_sets([{"a", "b"}, {"a"}, {"c"}])
    >>> found = summary(apply(table, ItemGroups(table.transactions.vocabulary, np.array([0, 0, 1], np.int32))))
    >>> found.examples[0].rows, found.n, round(found.single, 2), found.stands_for
    ((('(a,b)',), ('(a,b)',), ('c',)), 3, 0.33, 2.0)
    """
    columns = written_columns(publication)
    single = None
    if (sets := publication.transactions) is not None:
        often = sets.occurrences.astype(np.int64)
        is_single = np.array([len(symbol.members) == 1 for symbol in publication.symbols] or [False])[: len(often)]
        single = float(often[is_single].sum() / often.sum()) if often.sum() else None
    widths = [width for column in publication.relational if (width := _width(column)) is not None]
    width = sum(widths) / len(widths) if widths else None
    return RecordsSummary(publication.n, (example(columns),), single, mean_symbol_size(publication), width)


def _width(column: CategoricalColumn) -> float | None:
    """Return the mean width of a column's numbers and ranges, as a share of its span. None for columns of other
    texts.
    """
    shown = np.flatnonzero(column.occurrences)
    try:
        ends = np.array([range_ends(column.vocabulary.labels[code]) for code in shown.tolist()], np.float64)
    except ValueError:  # categories
        return None
    if not len(ends) or not np.isfinite(ends).all() or (span := ends[:, 1].max() - ends[:, 0].min()) <= 0:
        return None
    often = column.occurrences[shown]
    return float(((ends[:, 1] - ends[:, 0]) * often).sum() / (often.sum() * span))
