"""Accuracy of counts from a publication: the errors for frequent items and pairs, and the mean symbol size.

The default interpretation of symbols is ``one-member`` (see `anonset.queries.ExpectedCounts`). 1/s of the records with
a symbol of s items are then expected to contain a given item of the symbol. If two items are covered by different
symbols of s and t items, 1/(s t) of the records with both symbols are expected to contain both items. No record is
expected to contain two items of the same symbol.
"""

from dataclasses import dataclass, field

import numpy as np

from anonset.data import SetColumn
from anonset.data.array_types import Float64, Int32, Int64
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.spans import AT_ONCE, begins_of, gathered, spans
from anonset.publications import Chunks, Records
from anonset.queries.chunks import ChunkCounts
from anonset.queries.estimate import ONE_MEMBER, Reading

FREQUENT = 200
"""Number of most frequent items, and of most frequent pairs, that are counted."""
COMMONEST = 30
"""Number of the most frequent items whose original and expected counts are shown."""
Counts = Float64
_RECORDS_AT_ONCE = 4096


@dataclass(frozen=True)
class CountAccuracy(RedactedRepr):
    """Accuracy of counts from a publication."""

    items_error: float | None
    """Median relative error of the counts of the most frequent items. None if there are no items."""
    pairs_error: float | None
    """Median relative error of the counts of the most frequent pairs. None if no record has two items."""
    stands_for: float | None
    """Mean number of items of a symbol, over the occurrences of symbols with several items. None if every symbol has
    one item.
    """
    reading: Reading = ONE_MEMBER
    """Interpretation of a symbol of several items."""
    counted: tuple[int, int] = field(default=(FREQUENT, FREQUENT), repr=False)
    """Number of items, and of pairs, whose counts are compared: all, if they are fewer than `FREQUENT`."""
    largest: tuple[float | None, float | None] = field(default=(None, None), repr=False)
    """Largest relative error of these counts, of items and of pairs."""

    @property
    def errors(self) -> dict[str, tuple[float, float | None]]:
        """Median and largest error of the counts of items and of pairs of items, by name, without those not counted."""
        found = {"items": self.items_error, "pairs of items": self.pairs_error}
        pairs = zip(found.items(), self.largest, strict=True)
        return {name: (error, largest) for (name, error), largest in pairs if error is not None}


def largest_in_words(largest: float | None) -> str:
    """Return the largest error next to a median. Empty if it is not known.

    >>> largest_in_words(0.41), largest_in_words(None)
    (', the worst of them by 41%', '')
    """
    return "" if largest is None else f", the worst of them by {largest:.0%}"


@dataclass(frozen=True)
class FrequentItems(RedactedRepr):
    """Most frequent items of the original, and most frequent pairs of these items, with their counts.

    Items with equal frequencies are in canonical order. Pairs with equal frequencies are in the order of their items.
    """

    labels: tuple[str, ...]
    """At most `FREQUENT` items, in canonical order."""
    counts: Int64
    """Number of records with each item, int64 (F,)."""
    pairs: Int64
    """At most `FREQUENT` pairs of these items, int64 (P, 2). The smaller index of a pair is first."""
    pair_counts: Int64
    """Number of records with both items of each pair, int64 (P,)."""

    @classmethod
    def of(cls, column: SetColumn) -> "FrequentItems":
        """Count the items and pairs. Cost: O(nnz) times the maximum number of frequent items in a record.

        >>> found = FrequentItems.of(SetColumn.of([["a", "b"], ["a", "b", "c"], ["a"]]))
        >>> found.labels, found.counts.tolist(), found.pairs.tolist(), found.pair_counts.tolist()
        (('a', 'b', 'c'), [3, 2, 1], [[0, 1], [0, 2], [1, 2]], [2, 1, 1])
        """
        order = np.argsort(-column.occurrences.astype(np.int64), kind="stable")[:FREQUENT]
        chosen = np.sort(order[column.occurrences[order] > 0])
        together = pair_counts(column, chosen)
        ranked = np.argsort(-together, kind="stable")[:FREQUENT]
        ranked = ranked[together[ranked] > 0]
        pairs = np.stack(np.divmod(ranked, max(1, len(chosen))), axis=1)
        labels = tuple(column.vocabulary.labels[code] for code in chosen.tolist())
        return cls(labels, column.occurrences[chosen].astype(np.int64), pairs, together[ranked])


def pair_counts(column: SetColumn, codes: Int64) -> Int64:
    """Return the number of records that contain both items of each pair of `codes`, int64 (number of codes squared,).

    Each pair is counted in the order in which a record contains it.

    >>> pair_counts(SetColumn.of([["a", "b"], ["a", "b", "c"]]), np.array([0, 2])).tolist()
    [0, 1, 0, 0]
    """
    number = len(codes)
    place = np.full(len(column.vocabulary), -1, np.int64)
    place[codes] = np.arange(number)
    together = np.zeros(number * number, np.int64)
    most_items = max(AT_ONCE, number**2)  # so that adding to all counts takes no longer than counting
    for first, end in spans(column.n, max(1, most_items * column.n // max(1, int(column.indptr[-1])))):
        places = place[column.codes[column.indptr[first] : column.indptr[end]]]
        record = np.repeat(np.arange(end - first), np.diff(column.indptr[first : end + 1]))[places >= 0]
        places = places[places >= 0]
        for apart in range(1, number):
            same_record = np.flatnonzero(record[apart:] == record[: max(0, len(record) - apart)])
            if not len(same_record):
                break
            together += np.bincount(places[same_record] * number + places[same_record + apart], minlength=number**2)
    return together


def accuracy_of(frequent: FrequentItems, items: Counts, pairs: Counts, size: float | None) -> CountAccuracy:
    """Return the accuracy of expected counts. The arguments are the results of `counts_in_records` or
    `counts_in_chunks`.

    Examples
    --------
    >>> from anonset.data import Table
    >>> from anonset.generalization import ItemGroups, apply
    >>> table = Table.from_sets([{"a", "b"}, {"a"}, {"a"}, {"b"}, {"c"}])
    >>> groups = ItemGroups(table.transactions.vocabulary, np.array([0, 0, 1], np.int32))
    >>> frequent = FrequentItems.of(table.transactions)
    >>> accuracy_of(frequent, *counts_in_records(apply(table, groups), frequent))
    CountAccuracy(items_error=0.0, pairs_error=1.0, stands_for=2.0)
    """
    errors = [np.abs(true - found) / true for true, found in ((frequent.counts, items), (frequent.pair_counts, pairs))]
    of_items, of_pairs = (float(np.median(one)) if len(one) else None for one in errors)
    most_items, most_pairs = (float(one.max()) if len(one) else None for one in errors)
    return CountAccuracy(of_items, of_pairs, size, counted=(len(items), len(pairs)), largest=(most_items, most_pairs))


def commonest(frequent: FrequentItems, items: Counts) -> tuple[tuple[str, int, float], ...]:
    """Return the label, the count, and the expected count of the most frequent items, by descending count.

    `items` contains the expected counts of these items.

    >>> frequent = FrequentItems.of(SetColumn.of([["a", "b"], ["b"], ["b", "c"]]))
    >>> commonest(frequent, np.array([0.5, 3.0, 0.75]))
    (('b', 3, 3.0), ('a', 1, 0.5), ('c', 1, 0.8))
    """
    order = np.argsort(-frequent.counts, kind="stable")[:COMMONEST].tolist()
    return tuple(
        (frequent.labels[place], int(frequent.counts[place]), round(float(items[place]), 1)) for place in order
    )


def counts_in_records(publication: Records, frequent: FrequentItems) -> tuple[Counts, Counts, float | None]:
    """Return the expected number of records with each item, float64 (F,), and with each pair, float64 (P,), and the
    mean symbol size.

    Cost: O(n F), in blocks of records.
    """
    column, size = publication.transactions, mean_symbol_size(publication)
    n, items, pairs = len(frequent.labels), np.zeros(len(frequent.labels)), np.zeros(len(frequent.pairs))
    if column is None or not n:
        return items, pairs, size
    begin, member, chance = _members(frequent, publication)
    first_item, second_item = frequent.pairs.T
    for first, last in spans(column.n, _RECORDS_AT_ONCE):
        shown = column.codes[column.indptr[first] : column.indptr[last]]
        number = begin[shown + 1] - begin[shown]
        _, place = gathered(begin[shown], number)
        record = np.repeat(np.repeat(np.arange(last - first), np.diff(column.indptr[first : last + 1])), number)
        symbol = np.full((last - first, n), -1, np.int32)
        symbol[record, member[place]] = np.repeat(shown, number)
        present = np.where(symbol < 0, 0.0, chance[symbol])
        items += present.sum(axis=0)
        apart = symbol[:, first_item] != symbol[:, second_item]
        pairs += (present[:, first_item] * present[:, second_item] * apart).sum(axis=0)
    return items, pairs, size


def counts_in_chunks(publication: Chunks, frequent: FrequentItems) -> tuple[Counts, Counts, None]:
    """Return the expected number of records with each item, float64 (F,), and with each pair, float64 (P,). Chunks have
    no symbols of several items.

    The number is 0 for unpublished items.
    """
    counts, index = ChunkCounts(publication), publication.vocabulary.index
    published = [place for place, label in enumerate(frequent.labels) if label in index]
    codes = [index[frequent.labels[place]] for place in published]
    items, pairs = np.zeros(len(frequent.labels)), np.zeros((len(frequent.labels),) * 2)
    items[published] = [counts.expected((code,)) for code in codes]
    pairs[np.ix_(published, published)] = counts.pairs(codes)
    return items, pairs[frequent.pairs[:, 0], frequent.pairs[:, 1]], None


def mean_symbol_size(publication: Records) -> float | None:
    """Return the mean number of items of a symbol, over the occurrences of symbols with several items.

    Return None if every symbol has one item.
    """
    if publication.transactions is None:
        return None
    sizes = np.array([len(symbol.members) for symbol in publication.symbols] or [0], np.int64)
    often = publication.transactions.occurrences.astype(np.int64)
    coarse = sizes[: len(often)] > 1
    shown = int(often[coarse].sum())
    return int((often * sizes[: len(often)])[coarse].sum()) / shown if shown else None


def _members(frequent: FrequentItems, publication: Records) -> tuple[Int64, Int32, np.ndarray]:
    """Return the offsets and codes of the frequent items of each symbol, and 1/s for each symbol of s items."""
    place = {label: item for item, label in enumerate(frequent.labels)}
    item_places = [[place[label] for label in symbol.members if label in place] for symbol in publication.symbols]
    begin = begins_of(map(len, item_places))
    chance = np.array([1.0 / max(1, len(symbol.members)) for symbol in publication.symbols] or [0.0])
    return begin, np.array([item for members in item_places for item in members], np.int32), chance
