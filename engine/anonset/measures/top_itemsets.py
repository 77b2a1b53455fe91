"""Retention of the most frequent itemsets (tKd and re) and of frequent items (tlost).

The measures compare the most frequent sets of 2 to 4 items of the original with the sets of highest expected support in
the publication:

* ``tkd``: the share of the most frequent sets of the original that are missing from an equally long list of sets with
  the highest expected support.
* ``re``: the mean of |s - s'| / ((s + s') / 2) over the most frequent sets of the original. s is the support, and s' is
  the expected support.
* ``tlost``: the share of the items in at least k records that no record or sub-record contains unchanged.

References: Terrovitis, Liagouris, Mamoulis, Skiadopoulos, PVLDB 2012, section 6.

Deviations: the sets have 2 to 4 items. Supports are expected values instead of values in a random reconstruction. If
sets have the same expected support because their items share symbols, all of them have the same weight.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import combinations, combinations_with_replacement, groupby
from math import comb, fsum, prod

import numpy as np

from anonset.data import SetColumn
from anonset.data.redacted_repr import RedactedRepr
from anonset.measures.item_supports import LARGEST_SET, Chosen, ColumnSupports, Supports
from anonset.publications import Published
from anonset.queries.estimate import Reading

SIZES = range(2, LARGEST_SET + 1)
_DIGITS, _EQUAL = 12, 1e-9
_PAIRED = 256


@dataclass(frozen=True)
class TopItemsets(RedactedRepr):
    """Differences between the most frequent itemsets of the original and of the publication."""

    top: int
    """Number of compared sets. It is smaller than requested if fewer sets occur."""
    tkd: float
    """Share of the original's most frequent sets that are not among the sets of highest expected support."""
    re: float
    """Mean error of the expected supports, relative to the mean of support and expected support."""
    reading: Reading | None
    """Interpretation of a symbol of several items. None if every symbol has one item."""


@dataclass(frozen=True)
class _EqualSupportSets(RedactedRepr):
    """Itemsets with the same expected support because their items are from the same groups."""

    count: float
    chosen: Chosen
    number: int


def top_itemsets(column: SetColumn, supports: Supports, top: int) -> TopItemsets:
    """Return the retention of the most frequent itemsets of the original column.

    Sets with equal support are sorted by the frequency of their items, then in canonical order.

    Parameters
    ----------
    supports
        Expected supports of the publication.

    Examples
    --------
    >>> from anonset.data import Table
    >>> from anonset.generalization import ItemGroups, apply
    >>> from anonset.measures.item_supports import SymbolSupports
    >>> from anonset.queries.estimate import ONE_MEMBER
    >>> table = Table.from_sets(["ab", "ab", "abc", "acd", "cd", "bcd"])
    >>> groups = ItemGroups(table.transactions.vocabulary, np.array([0, 1, 2, 2], np.int32))
    >>> publication = apply(table, groups)
    >>> supports = SymbolSupports(publication, publication.transactions, ONE_MEMBER)
    >>> top_itemsets(table.transactions, supports, 2)
    TopItemsets(top=2, tkd=0.5, re=1.0, reading='one-member')
    """
    original = ColumnSupports(column)
    true = [itemset for itemset in most_frequent(original, top) if itemset.count > 0]
    group_of = {label: number for number, labels in enumerate(supports.groups) for label in labels}
    places = [[group_of.get(original.groups[number][0], -1) for number in itemset.chosen] for itemset in true]
    chosen = [tuple(sorted(codes)) if min(codes) >= 0 else () for codes in places]
    counts = [_rounded(supports.count(codes)) if codes else 0.0 for codes in chosen]
    published = most_frequent(supports, len(true), at_least=min(counts, default=0.0))
    share = _shares(published, len(true))
    retained = fsum(share.get(codes, 0.0) for codes in chosen)
    errors = [
        2 * abs(itemset.count - count) / (itemset.count + count) for itemset, count in zip(true, counts, strict=True)
    ]
    number = max(1, len(true))
    return TopItemsets(len(true), 1 - retained / number if true else 0.0, fsum(errors) / number, supports.reading)


def lost_items(column: SetColumn, publication: Published, k: int) -> float:
    """Return the measure tlost, which is the share of lost items. Return 0 if no item is in k records."""
    shown = set(publication.items_shown())
    frequent = [column.vocabulary.labels[item] for item in np.flatnonzero(column.occurrences >= k).tolist()]
    return sum(label not in shown for label in frequent) / len(frequent) if frequent else 0.0


def most_frequent(supports: Supports, top: int, *, at_least: float = 0.0) -> list[_EqualSupportSets]:
    """Return the sets with the highest expected support.

    The result contains at least `top` sets, with as few entries as possible. If fewer sets have a positive support, it
    contains all of them. The expected support of a set is at most the support of its subsets. Therefore only sets above
    the lowest support in the result are extended. Cost: the number of pairs of items above the lowest support, and some
    larger sets for each pair in the result.

    Parameters
    ----------
    at_least
        Lower bound on the expected support of the `top` sets. 0 if no bound is known.
    """
    best = _BestItemsets(supports, top, at_least * (1 - _EQUAL))
    n_paired = _add_pairs(best, supports)
    for number, labels in enumerate(supports.groups[n_paired:], n_paired):
        if supports.count((number,)) <= best.bound:
            break
        for other in range(number + (len(labels) > 1)):
            best.add((other, number))
    for size in SIZES[1:]:
        for chosen in _extended({entry.chosen for entry in best.sets if len(entry.chosen) == size - 1}):
            best.add(chosen)
    return best.sets


def _add_pairs(best: "_BestItemsets", supports: Supports) -> int:
    """Count all pairs of the first groups together, and add the pairs to `best`.

    The number of groups is doubled until the remaining groups are below the bound. Returns the number of processed
    groups.
    """
    n_paired = 0
    while n_paired < len(supports.groups) and supports.count((n_paired,)) > best.bound:
        number = min(len(supports.groups), max(_PAIRED, 2 * n_paired))
        if (counts := supports.pairs(number)) is None:
            return n_paired
        other, later = np.triu_indices(number, 1)
        count = counts[other, later]
        new = np.flatnonzero((later >= n_paired) & (count > best.bound))
        for place in new[np.lexsort((other[new], later[new], -count[new]))][: best.top].tolist():
            best.add((int(other[place]), int(later[place])))
        n_paired = number
    return n_paired


class _BestItemsets:
    """The added sets with the highest expected support. Sets with equal support remain in the order of addition."""

    def __init__(self, supports: Supports, top: int, bound: float) -> None:
        self._supports, self.top = supports, top
        self.bound = bound
        """Expected support that a set must exceed."""
        self._heap: list[tuple[float, int, _EqualSupportSets]] = []
        self._number = self._serial = 0

    @property
    def sets(self) -> list[_EqualSupportSets]:
        """Sets by descending expected support."""
        return [entry for _, _, entry in sorted(self._heap, reverse=True)]

    def add(self, chosen: Chosen) -> None:
        groups = self._supports.groups
        number = prod(comb(len(groups[group]), chosen.count(group)) for group in set(chosen))
        count = _rounded(self._supports.count(chosen)) if number and self.top else 0.0
        if count <= self.bound:
            return
        self._serial -= 1
        heappush(self._heap, (count, self._serial, _EqualSupportSets(count, chosen, number)))
        self._number += number
        while self._number - self._heap[0][2].number >= self.top:
            self._number -= heappop(self._heap)[2].number
        if self._number >= self.top:
            self.bound = self._heap[0][0]


def _extended(itemsets: set[Chosen]) -> Iterator[Chosen]:
    """Yield the sets with one more item whose subsets are all in `itemsets`. The sets are sorted."""
    for prefix, extensions in groupby(sorted(itemsets), key=lambda chosen: chosen[:-1]):
        for pair in combinations_with_replacement([chosen[-1] for chosen in extensions], 2):
            grown = (*prefix, *pair)
            if all(part in itemsets for part in combinations(grown, len(grown) - 1)):
                yield grown


def _shares(sets: Sequence[_EqualSupportSets], top: int) -> dict[Chosen, float]:
    """Return the weight of each entry. Only entries with the lowest support may have a weight below 1."""
    last = sets[-1].count if sets else 0.0
    above = sum(entry.number for entry in sets if entry.count > last)
    tied = sum(entry.number for entry in sets if entry.count == last)
    return {entry.chosen: 1.0 if entry.count > last else min(1.0, (top - above) / tied) for entry in sets}


def _rounded(count: float) -> float:
    """Return a count rounded to `_DIGITS` digits, so that equal counts compare equal."""
    return float(f"{count:.{_DIGITS}g}")
