"""A publication at a glance: its first rows, and what anybody can count in it, from its own files alone."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice

import numpy as np

from anonset.data import CategoricalColumn, SetColumn
from anonset.data.redacted_repr import Discreet
from anonset.measures.countable import stands_for
from anonset.publications import Buckets, Chunks, Records
from anonset.publications.records import written_columns
from anonset.publications.symbols import range_ends

EXAMPLES = 5
"""Rows that are shown."""
_MOST_SYMBOLS = 6


@dataclass(frozen=True)
class Example(Discreet):
    """The first rows of a table as they are published."""

    head: tuple[str, ...]
    """Names of the columns."""
    rows: tuple[tuple[str, ...], ...] = field(repr=False)
    """At most `EXAMPLES`, a text a column."""


@dataclass(frozen=True)
class Glance(Discreet):
    """What the rows of a publication look like, and what can be counted in them."""

    n: int
    """Published rows."""
    examples: tuple[Example, ...]
    """Of the records, or of the tables of buckets."""
    single: float | None = None
    """Share of the symbols that rows show which stand for one item; None where none is shown."""
    stands_for: float | None = None
    """Items that a symbol of several items stands for, the mean over its occurrences; None where none is shown."""
    width: float | None = None
    """Width of a published number or range as a share of what its column spans, the mean over all; None without any."""
    in_chunks: int | None = None
    """Occurrences of items that chunks show; None of other publications."""
    terms: int | None = None
    """Terms of all clusters together."""


def glance(publication: Records | Buckets | Chunks) -> Glance:
    """Look at a publication.

    >>> from anonset.data import Table
    >>> from anonset.generalization import ItemGroups, apply
    >>> table = Table.from_sets([{"a", "b"}, {"a"}, {"c"}])
    >>> found = glance(apply(table, ItemGroups(table.transactions.vocabulary, np.array([0, 0, 1], np.int32))))
    >>> found.examples[0].rows, found.n, round(found.single, 2), found.stands_for
    ((('(a,b)',), ('(a,b)',), ('c',)), 3, 0.33, 2.0)
    """
    if isinstance(publication, Buckets):
        return Glance(publication.n, (_example(publication.qit), _sensitive(publication)))
    if isinstance(publication, Chunks):
        from anonset.measures.terms import in_chunks

        terms = sum(len(cluster.terms) for cluster in publication.clusters)
        return Glance(publication.n, _of_chunks(publication), in_chunks=sum(in_chunks(publication)), terms=terms)
    columns = written_columns(publication)
    single = None
    if (sets := publication.transactions) is not None:
        often = sets.occurrences.astype(np.int64)
        one = np.array([len(symbol.members) == 1 for symbol in publication.symbols] or [False])[: len(often)]
        single = float(often[one].sum() / often.sum()) if often.sum() else None
    widths = [width for column in publication.relational if (width := _width(column)) is not None]
    width = sum(widths) / len(widths) if widths else None
    return Glance(publication.n, (_example(columns),), single, stands_for(publication), width)


def _example(columns: tuple[SetColumn | CategoricalColumn, ...]) -> Example:
    n = min(EXAMPLES, min((column.n for column in columns), default=0))
    rows = tuple(tuple(_cell(column, row) for column in columns) for row in range(n))
    return Example(tuple(column.name for column in columns), rows)


def _cell(column: SetColumn | CategoricalColumn, row: int) -> str:
    labels = column.vocabulary.labels
    if isinstance(column, CategoricalColumn):
        return str(labels[column.codes[row]])
    codes = column.held_by(row)
    more = f" … ({len(codes):,})" if len(codes) > _MOST_SYMBOLS else ""
    return " ".join(labels[code] for code in codes[:_MOST_SYMBOLS].tolist()) + more


def _of_chunks(publication: Chunks) -> tuple[Example, ...]:
    """Return the first clusters, and the first sub-records of their chunks and of those that clusters share."""
    clusters = [
        (str(number), f"{own.n:,}", _text(publication, own.terms))
        for number, own in enumerate(publication.clusters[:EXAMPLES])
    ]
    examples = [Example(("cluster", "n", "terms"), tuple(clusters))]
    rows = (
        (str(number), str(chunk), _text(publication, items), f"{count:,}")
        for number, own in enumerate(publication.clusters)
        for chunk, rows in enumerate(own.chunks)
        for items, count in rows
    )
    examples.append(Example(("cluster", "chunk", "items", "count"), tuple(islice(rows, EXAMPLES))))
    shared = (
        (str(chunk.first), str(chunk.last), _text(publication, items), f"{count:,}")
        for chunk in publication.shared
        for items, count in chunk.rows
    )
    if first := tuple(islice(shared, EXAMPLES)):
        examples.append(Example(("first", "last", "items", "count"), first))
    return tuple(examples)


def _text(publication: Chunks, items: Sequence[int]) -> str:
    more = f" … ({len(items):,})" if len(items) > _MOST_SYMBOLS else ""
    return " ".join(publication.vocabulary.labels[item] for item in items[:_MOST_SYMBOLS]) + more


def _sensitive(publication: Buckets) -> Example:
    """Return the first values of the groups, with how often each is there."""
    groups, values = publication.group.vocabulary.labels, publication.snt_value.vocabulary.labels
    rows = tuple(
        (
            groups[publication.snt_group[pair]],
            values[publication.snt_value.codes[pair]],
            f"{publication.snt_count[pair]:,}",
        )
        for pair in range(min(EXAMPLES, publication.snt_value.n))
    )
    return Example((publication.group.name, publication.snt_value.name, "count"), rows)


def _width(column: CategoricalColumn) -> float | None:
    """Return the mean width of the numbers and ranges of a column as a share of what it spans; None for other texts."""
    shown = np.flatnonzero(column.occurrences)
    try:
        ends = np.array([range_ends(column.vocabulary.labels[code]) for code in shown.tolist()], np.float64)
    except ValueError:  # categories
        return None
    if not len(ends) or not np.isfinite(ends).all() or (span := ends[:, 1].max() - ends[:, 0].min()) <= 0:
        return None
    often = column.occurrences[shown]
    return float(((ends[:, 1] - ends[:, 0]) * often).sum() / (often.sum() * span))
