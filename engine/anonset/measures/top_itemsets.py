"""Retention of the most frequent itemsets: tKd and re, and tlost of the items.

The measures compare the most frequent sets of 2 to 4 items of the original with the sets of highest expected support in
the publication:

* ``tkd``: the share of the first that are not among the second; both lists have the same length.
* ``re``: the mean of |s - s'| / ((s + s') / 2) over the first, with s the support and s' the expected support.
* ``tlost``: the share of the items in at least k records that no record or sub-record contains unchanged.

References: Terrovitis, Liagouris, Mamoulis, Skiadopoulos, PVLDB 2012, section 6.

Deviations: sizes 2 to 4. Supports are expected values, not drawn. If several sets have the same expected support
because their items share symbols, each counts with the same share. re is computed over the most frequent sets.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import singledispatch
from heapq import heappop, heappush
from itertools import combinations, combinations_with_replacement, groupby
from math import comb, fsum, prod

import numpy as np

from anonset.data import SetColumn
from anonset.data.redacted_repr import RedactedRepr
from anonset.measures.item_supports import LARGEST_SET, Chosen, ColumnSupports, Supports, supports_of
from anonset.publications import Buckets, Chunks, Published, Records
from anonset.publications.base import unknown_kind
from anonset.queries.estimate import ONE_MEMBER, Reading

SIZES = range(2, LARGEST_SET + 1)
"""Sizes of the itemsets."""
_DIGITS, _EQUAL = 12, 1e-9
_PAIRED = 256


@dataclass(frozen=True)
class TopItemsets(RedactedRepr):
    """Retention of the most frequent itemsets."""

    top: int
    """Number of sets: as requested, or all that occur."""
    tkd: float
    """Share of the sets that are not among the sets of highest expected support."""
    re: float
    """Mean relative error of their supports, relative to the mean of support and expected support."""
    reading: Reading | None
    """Interpretation of a symbol of several items, or None if there are none."""


@dataclass(frozen=True)
class _EqualSupportSets(RedactedRepr):
    """Itemsets with the same expected support because their items are from the same groups."""

    count: float
    chosen: Chosen
    number: int
    """Number of itemsets."""


def top_itemsets(column: SetColumn, publication: Published, top: int, *, reading: Reading = ONE_MEMBER) -> TopItemsets:
    """Return the retention of the most frequent itemsets of the original column.

    Ties: sets of more frequent items first, then canonical order.

    Examples
    --------
    >>> from anonset.data import Table
    >>> from anonset.generalization import ItemGroups, apply
    >>> table = Table.from_sets(["ab", "ab", "abc", "acd", "cd", "bcd"])
    >>> groups = ItemGroups(table.transactions.vocabulary, np.array([0, 1, 2, 2], np.int32))
    >>> top_itemsets(table.transactions, apply(table, groups), 2)
    TopItemsets(top=2, tkd=0.5, re=1.0, reading='one-member')
    """
    original = ColumnSupports(column)
    true = [one for one in most_frequent(original, top) if one.count > 0]
    supports = supports_of(publication, reading)
    group_of = {label: number for number, labels in enumerate(supports.groups) for label in labels}
    places = [[group_of.get(original.groups[number][0], -1) for number in one.chosen] for one in true]
    chosen = [tuple(sorted(own)) if min(own) >= 0 else () for own in places]
    counts = [_rounded(supports.count(own)) if own else 0.0 for own in chosen]
    published = most_frequent(supports, len(true), at_least=min(counts, default=0.0))
    share = _shares(published, len(true))
    kept = fsum(share.get(own, 0.0) for own in chosen)
    errors = [2 * abs(one.count - count) / (one.count + count) for one, count in zip(true, counts, strict=True)]
    number = max(1, len(true))
    return TopItemsets(len(true), 1 - kept / number if true else 0.0, fsum(errors) / number, supports.reading)


def lost_items(column: SetColumn, publication: Published, k: int) -> float:
    """Return tlost, 0 if no item is in k records."""
    shown = set(items_shown(publication))
    frequent = [column.vocabulary.labels[item] for item in np.flatnonzero(column.occurrences >= k).tolist()]
    return sum(label not in shown for label in frequent) / len(frequent) if frequent else 0.0


@singledispatch
def items_shown(publication: Published) -> Iterator[str]:
    """Yield the items that a record or sub-record contains unchanged."""
    raise unknown_kind(publication)


@items_shown.register
def _(publication: Chunks) -> Iterator[str]:
    chunks = [rows for cluster in publication.clusters for rows in cluster.chunks]
    for rows in (*chunks, *(chunk.rows for chunk in publication.shared)):
        yield from (publication.vocabulary.labels[item] for items, _ in rows for item in items)


@items_shown.register
def _(publication: Buckets) -> Iterator[str]:
    yield from ()


@items_shown.register
def _(publication: Records) -> Iterator[str]:
    if publication.transactions is not None:
        for code in np.flatnonzero(publication.transactions.occurrences).tolist():
            if len(members := publication.symbols[code].members) == 1:
                yield members[0]


def most_frequent(supports: Supports, top: int, *, at_least: float = 0.0) -> list[_EqualSupportSets]:
    """Return the sets of highest expected support: as few entries as contain `top` sets, or all with positive support.

    The expected support of a set is at most that of its subsets, so only sets above the lowest support in the result
    are extended. Cost: the pairs of items above this support, and some larger sets for each pair in the result.

    Parameters
    ----------
    at_least
        Known lower bound on the expected support of `top` sets.
    """
    best = _BestItemsets(supports, top, at_least * (1 - _EQUAL))
    known = _add_pairs(best, supports)
    for number, labels in enumerate(supports.groups[known:], known):
        if supports.count((number,)) <= best.bound:
            break
        for other in range(number + (len(labels) > 1)):
            best.add((other, number))
    for size in SIZES[1:]:
        for chosen in _grown({one.chosen for one in best.sets if len(one.chosen) == size - 1}):
            best.add(chosen)
    return best.sets


def _add_pairs(best: "_BestItemsets", supports: Supports) -> int:
    """Add the pairs of the first groups, counted together. Return the number of groups processed.

    The number of groups is doubled until the remaining groups are below the bound.
    """
    known = 0
    while known < len(supports.groups) and supports.count((known,)) > best.bound:
        number = min(len(supports.groups), max(_PAIRED, 2 * known))
        if (counts := supports.pairs(number)) is None:
            return known
        other, own = np.triu_indices(number, 1)
        count = counts[other, own]
        new = np.flatnonzero((own >= known) & (count > best.bound))
        for place in new[np.lexsort((other[new], own[new], -count[new]))][: best.top].tolist():
            best.add((int(other[place]), int(own[place])))
        known = number
    return known


class _BestItemsets:
    """Sets of highest expected support so far. Ties: the first added."""

    def __init__(self, supports: Supports, top: int, bound: float) -> None:
        self._supports, self.top = supports, top
        self.bound = bound
        """Expected support that a set must exceed."""
        self._heap: list[tuple[float, int, _EqualSupportSets]] = []
        self._number = self._serial = 0

    @property
    def sets(self) -> list[_EqualSupportSets]:
        """Sets by descending expected support."""
        return [one for _, _, one in sorted(self._heap, reverse=True)]

    def add(self, chosen: Chosen) -> None:
        """Count a set, and add it if it exceeds the bound."""
        groups = self._supports.groups
        number = prod(comb(len(groups[own]), chosen.count(own)) for own in set(chosen))
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


def _grown(held: set[Chosen]) -> Iterator[Chosen]:
    """Yield the sets with one more item whose subsets are all in `held`, in order."""
    for prefix, own in groupby(sorted(held), key=lambda chosen: chosen[:-1]):
        for pair in combinations_with_replacement([chosen[-1] for chosen in own], 2):
            grown = (*prefix, *pair)
            if all(part in held for part in combinations(grown, len(grown) - 1)):
                yield grown


def _shares(sets: Sequence[_EqualSupportSets], top: int) -> dict[Chosen, float]:
    """Return the weight of each entry: 1, or less for entries that tie at the lowest support."""
    last = sets[-1].count if sets else 0.0
    above = sum(one.number for one in sets if one.count > last)
    tied = sum(one.number for one in sets if one.count == last)
    return {one.chosen: 1.0 if one.count > last else min(1.0, (top - above) / tied) for one in sets}


def _rounded(count: float) -> float:
    """Return a count rounded to `_DIGITS` digits, so that equal counts compare equal."""
    return float(f"{count:.{_DIGITS}g}")
