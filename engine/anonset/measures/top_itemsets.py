"""What stays of the most frequent sets of items: tKd and re, and tlost of the items.

Counted are the sets of 2 to 4 items that most records of the original hold, and those that most records of what is
published are expected to hold:

* ``tkd``: the share of the first that are not among the second, which are as many;
* ``re``: the mean of |s - s'| / ((s + s') / 2) over the first, where s records hold one, and s' are expected to;
* ``tlost``: the share of the items of at least k records that no record, or sub-record, shows as themselves.

References: Terrovitis, Liagouris, Mamoulis, Skiadopoulos, PVLDB 2012, section 6.
Deviations: sizes 2 to 4; counts are expected, nothing is drawn; of sets that are expected equally often, by whatever
items of their symbols, each is taken with the same share; re is of the most frequent sets.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import singledispatch
from heapq import heappop, heappush
from itertools import combinations, combinations_with_replacement, groupby
from math import comb, fsum, prod
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from anonset.data import SetColumn
from anonset.data.redacted_repr import Discreet
from anonset.data.spans import spans
from anonset.data.table import Int32, Int64
from anonset.errors import InputError
from anonset.measures.terms import in_chunks, in_terms
from anonset.publications import Buckets, Chunks, Published, Records
from anonset.publications.base import unknown_kind
from anonset.queries.chunks import ChunkCounts
from anonset.queries.estimate import ONE_MEMBER, Reading, presence_probability
from anonset.support import SupportIndex

SIZES = (2, 3, 4)
"""How many items the sets have."""
Chosen = tuple[int, ...]
"""Numbers of groups of items, ascending; as many items of a group as it comes."""
_DIGITS, _EQUAL = 12, 1e-9
_KEPT_BYTES = 2**28
_PAIRED, _MOST_PAIRED = 256, 4096


@dataclass(frozen=True)
class TopItemsets(Discreet):
    """What stays of the most frequent sets of items."""

    top: int
    """How many sets there are: as many as asked for, or all that occur."""
    tkd: float
    """Share of them that are not among as many that are expected most often."""
    re: float
    """Mean relative error of their counts, by the mean of both counts."""
    reading: Reading | None
    """What a symbol of several items is taken to stand for; None where there are none."""


class Supports(Protocol):
    """Counts of sets of items, of which those of a group are interchangeable."""

    @property
    def reading(self) -> Reading | None:
        """What a symbol of several items is taken to stand for; None where there are no such symbols."""
        ...

    @property
    def groups(self) -> Sequence[tuple[str, ...]]:
        """The items of each group, the most frequent ones first."""
        ...

    def count(self, chosen: Chosen) -> float:
        """Return how many records hold, or are expected to hold, so many given items of each group."""
        ...

    def pairs(self, number: int) -> NDArray[np.float64] | None:
        """Return the same of each two of the first groups, float64 (number, number), where each group is one item.

        None where that takes too much, or no less than one by one.
        """
        ...


@dataclass(frozen=True)
class _Set(Discreet):
    """Sets of items that are expected equally often, by whatever items of their groups."""

    count: float
    chosen: Chosen
    number: int
    """How many they are."""


def top_itemsets(column: SetColumn, publication: Published, top: int, *, reading: Reading = ONE_MEMBER) -> TopItemsets:
    """Return what stays of the most frequent sets of the original column.

    Of equally frequent sets those of the more frequent items are taken, then of the first in canonical order.

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
    """Return tlost; 0 where no item is in k records."""
    shown = set(items_shown(publication))
    frequent = [column.vocabulary.labels[item] for item in np.flatnonzero(column.occurrences >= k).tolist()]
    return sum(label not in shown for label in frequent) / len(frequent) if frequent else 0.0


@singledispatch
def items_shown(publication: Published) -> Iterator[str]:
    """Yield the items that some record, or sub-record, shows as themselves."""
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


def most_frequent(supports: Supports, top: int, *, at_least: float = 0.0) -> list[_Set]:
    """Return the sets that are expected most often: as few as make `top` or more, or all that are expected at all.

    No set is expected more often than a part of it, so sets grow while they are above the last one that counts. Cost:
    the pairs of the items above that, and some larger sets for each pair that counts.

    Parameters
    ----------
    at_least
        What at least `top` sets are known to be expected.
    """
    best = _Best(supports, top, at_least * (1 - _EQUAL))
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


def _add_pairs(best: "_Best", supports: Supports) -> int:
    """Add the pairs of the first groups where they are counted together; return of how many groups that is done.

    Twice as many are taken until the rest is below the bound.
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


class _Best:
    """The sets that are expected most often so far; of equal ones the first that come."""

    def __init__(self, supports: Supports, top: int, bound: float) -> None:
        self._supports, self.top = supports, top
        self.bound = bound
        """A set must be expected more often than this."""
        self._heap: list[tuple[float, int, _Set]] = []
        self._number = self._serial = 0

    @property
    def sets(self) -> list[_Set]:
        """The sets, the one that is expected most often first."""
        return [one for _, _, one in sorted(self._heap, reverse=True)]

    def add(self, chosen: Chosen) -> None:
        """Count a set, and keep it if it is above the bound."""
        groups = self._supports.groups
        number = prod(comb(len(groups[own]), chosen.count(own)) for own in set(chosen))
        count = _rounded(self._supports.count(chosen)) if number and self.top else 0.0
        if count <= self.bound:
            return
        self._serial -= 1
        heappush(self._heap, (count, self._serial, _Set(count, chosen, number)))
        self._number += number
        while self._number - self._heap[0][2].number >= self.top:
            self._number -= heappop(self._heap)[2].number
        if self._number >= self.top:
            self.bound = self._heap[0][0]


def _grown(held: set[Chosen]) -> Iterator[Chosen]:
    """Yield the sets of one more item of which all parts are among the given ones, in order."""
    for prefix, own in groupby(sorted(held), key=lambda chosen: chosen[:-1]):
        for pair in combinations_with_replacement([chosen[-1] for chosen in own], 2):
            grown = (*prefix, *pair)
            if all(part in held for part in combinations(grown, len(grown) - 1)):
                yield grown


def _shares(sets: Sequence[_Set], top: int) -> dict[Chosen, float]:
    """Return the share that is taken of each: all but of the last ones, which are expected equally often."""
    last = sets[-1].count if sets else 0.0
    above = sum(one.number for one in sets if one.count > last)
    tied = sum(one.number for one in sets if one.count == last)
    return {one.chosen: 1.0 if one.count > last else min(1.0, (top - above) / tied) for one in sets}


def _rounded(count: float) -> float:
    """Return a count without what rounding made of it, so that equal ones are equal."""
    return float(f"{count:.{_DIGITS}g}")


def _in_order(counts: Mapping[Chosen, float]) -> list[Chosen]:
    """Return keys by their counts, the largest first, the rest in the order given."""
    return sorted(counts, key=lambda key: -counts[key])


class ColumnSupports:
    """Counts in records as they are: a group is an item."""

    reading = None

    def __init__(self, column: SetColumn) -> None:
        self._index = SupportIndex(column)
        order = np.argsort(-column.occurrences.astype(np.int64), kind="stable")
        self._codes = order[column.occurrences[order] > 0].tolist()
        self.groups = [(column.vocabulary.labels[code],) for code in self._codes]

    def count(self, chosen: Chosen) -> float:
        """Return how many records hold the items."""
        return float(self._index.support(self._codes[number] for number in chosen))

    def pairs(self, number: int) -> NDArray[np.float64] | None:
        """Return how many records hold both of two items; cost: the pairs of these items in each record."""
        if number > _MOST_PAIRED:
            return None
        column = self._index.column
        place = np.full(len(column.vocabulary), -1, np.int64)
        place[self._codes[:number]] = np.arange(number)
        together = np.zeros(number * number, np.int64)
        for first, end in spans(column.n):
            here = place[column.codes[column.indptr[first] : column.indptr[end]]]
            record = np.repeat(np.arange(end - first), np.diff(column.indptr[first : end + 1]))[here >= 0]
            here = here[here >= 0]
            for apart in range(1, number):
                both = np.flatnonzero(record[apart:] == record[: max(0, len(record) - apart)])
                if not len(both):
                    break
                together += np.bincount(here[both] * number + here[both + apart], minlength=len(together))
        counts = together.reshape(number, number)
        return (counts + counts.T).astype(np.float64)


class ChunkSupports:
    """Counts expected of chunks: a group is an item."""

    reading = None

    def __init__(self, publication: Chunks) -> None:
        self._counts = ChunkCounts(publication)
        shown = zip(in_chunks(publication), in_terms(publication), strict=True)
        single: dict[Chosen, float] = {(item,): sum(counts) for item, counts in enumerate(shown)}
        self._codes = [item for (item,) in _in_order(single)]
        self.groups = [(publication.vocabulary.labels[item],) for item in self._codes]

    def count(self, chosen: Chosen) -> float:
        """Return in how many records the items are expected."""
        return self._counts.expected(self._codes[number] for number in chosen)

    def pairs(self, number: int) -> NDArray[np.float64] | None:
        """Return in how many records both of two items are expected."""
        return None if number > _MOST_PAIRED else self._counts.pairs(self._codes[:number])


class SymbolSupports:
    """Counts expected of records of symbols: a group is the items that the same symbols stand for."""

    def __init__(self, publication: Records, column: SetColumn, reading: Reading) -> None:
        self.reading = reading
        self._index = SupportIndex(column)
        symbols_of: dict[str, Chosen] = {}
        for code, symbol in enumerate(publication.symbols):
            if self._index.support_of_item(code):
                for item in symbol.members:
                    symbols_of[item] = (*symbols_of.get(item, ()), code)
        items_of: dict[Chosen, list[str]] = {}
        for item, codes in symbols_of.items():
            items_of.setdefault(codes, []).append(item)
        sizes = [max(1, len(symbol.members)) for symbol in publication.symbols]
        self._present = np.array(
            [[presence_probability(size, number, reading) for size in sizes] for number in range(1, SIZES[-1] + 1)]
        ).reshape(SIZES[-1], len(sizes))
        single = {
            codes: fsum(self._index.support_of_item(code) * self._present[0, code] for code in codes)
            for codes in items_of
        }
        self._codes = _in_order(single)
        self.groups = [tuple(items_of[codes]) for codes in self._codes]
        self._symbols: dict[int, Int32] = {}
        self._grown: dict[int, tuple[Chosen, _Holding]] = {}

    def count(self, chosen: Chosen) -> float:
        """Return in how many records so many items of each group are expected."""
        if all(len(self._codes[number]) == 1 for number in set(chosen)):
            codes = {self._codes[number][0]: chosen.count(number) for number in chosen}
            return self._index.support(codes) * prod(float(self._present[n - 1, code]) for code, n in codes.items())
        return fsum(self._holding(chosen).chance)

    def pairs(self, number: int) -> NDArray[np.float64] | None:
        """Return None: groups have several items."""
        return None

    def _holding(self, chosen: Chosen) -> "_Holding":
        """Return the records that may hold the items, from those for all but the last item, which are kept."""
        size = len(chosen)
        if size not in self._grown or self._grown[size][0] != chosen:
            before = self._holding(chosen[:-1]) if size > 1 else _Holding.of_all(self._index.n)
            self._grown[size] = (chosen, before.with_one(self._symbols_of(chosen[-1]), self._present))
        return self._grown[size][1]

    def _symbols_of(self, number: int) -> Int32:
        """Return int32 (n,): the symbol of each record that stands for the items of a group, -1 where none does."""
        if number not in self._symbols:
            symbol = np.full(self._index.n, -1, np.int32)
            for code in self._codes[number]:
                symbol[self._index.records([code])] = code
            if len(self._symbols) * symbol.nbytes >= _KEPT_BYTES:
                self._symbols.clear()
            self._symbols[number] = symbol
        return self._symbols[number]


@dataclass(frozen=True, eq=False)
class _Holding(Discreet):
    """The records that may hold some items."""

    record: Int64
    """int64 (R,)."""
    chance: NDArray[np.float64]
    """float64 (R,): the probability that each does."""
    symbols: tuple[Int32, ...]
    """int32 (R,) for each item: the symbol that stands for it."""

    @classmethod
    def of_all(cls, n: int) -> "_Holding":
        """Return all records, which hold no items."""
        return cls(np.arange(n), np.ones(n), ())

    def with_one(self, symbol: Int32, present: NDArray[np.float64]) -> "_Holding":
        """Return those that may hold one item more, given the symbol that stands for it in each record."""
        here = np.flatnonzero(symbol[self.record] >= 0)
        record, own = self.record[here], symbol[self.record[here]]
        before = [earlier[here] for earlier in self.symbols]
        same = sum((earlier == own).astype(np.int64) for earlier in before) if before else np.zeros(len(own), np.int64)
        known = np.where(same > 0, present[same - 1, own], 1.0)
        chance = np.divide(self.chance[here] * present[same, own], known, out=np.zeros(len(own)), where=known > 0)
        left = np.flatnonzero(chance > 0)
        return _Holding(record[left], chance[left], tuple(one[left] for one in (*before, own)))


@singledispatch
def supports_of(publication: Published, reading: Reading = ONE_MEMBER) -> Supports:
    """Return the counts that a publication with a set-valued column leads to expect.

    Raises
    ------
    InputError
        If it has no set-valued column.
    """
    raise unknown_kind(publication)


@supports_of.register
def _(publication: Chunks, reading: Reading = ONE_MEMBER) -> Supports:
    return ChunkSupports(publication)


@supports_of.register
def _(publication: Buckets, reading: Reading = ONE_MEMBER) -> Supports:
    raise InputError(_NO_ITEMS)


@supports_of.register
def _(publication: Records, reading: Reading = ONE_MEMBER) -> Supports:
    if publication.transactions is None:
        raise InputError(_NO_ITEMS)
    return SymbolSupports(publication, publication.transactions, reading)


_NO_ITEMS = "the most frequent sets of items are of a set-valued column, and the publication has none"
