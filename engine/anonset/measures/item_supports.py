"""Supports of itemsets: exact supports in original records, or expected supports in a publication."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import fsum, prod
from typing import Protocol

import numpy as np

from anonset.data import SetColumn
from anonset.data.array_types import Float64, Int32, Int64
from anonset.data.redacted_repr import RedactedRepr
from anonset.measures.countable import pair_counts
from anonset.measures.terms import in_chunks, in_terms
from anonset.publications import Chunks, Records
from anonset.queries.chunks import ChunkCounts
from anonset.queries.estimate import Reading, presence_probability
from anonset.support import SupportIndex

LARGEST_SET = 4
"""Maximum number of items in a set."""
Chosen = tuple[int, ...]
"""Group numbers of chosen items, ascending. A group number is repeated for each item that is chosen from the group."""
_KEPT_BYTES = 2**28
_MOST_PAIRED = 4096


class Supports(Protocol):
    """Supports of itemsets. All items of a group have the same supports."""

    @property
    def reading(self) -> Reading | None:
        """Interpretation of a symbol of several items. None if the publication has no symbols of several items."""
        ...

    @property
    def groups(self) -> Sequence[tuple[str, ...]]:
        """Items of each group, in order of descending frequency."""
        ...

    def count(self, chosen: Chosen) -> float:
        """Return the exact or expected number of records that contain distinct items of the chosen groups."""
        ...

    def pairs(self, number: int) -> Float64 | None:
        """Return the supports of all pairs of the first `number` groups, float64 (number, number). Each group must be a
        single item.

        Return None if the computation is too expensive, or not cheaper than separate calls of `count`.
        """
        ...


def _in_order(counts: Mapping[Chosen, float]) -> list[Chosen]:
    """Return the keys by descending count. Ties keep their order."""
    return sorted(counts, key=lambda key: -counts[key])


class ColumnSupports:
    """Exact supports from records. Each group is one item."""

    reading = None

    def __init__(self, column: SetColumn) -> None:
        self._index = SupportIndex(column)
        order = np.argsort(-column.occurrences.astype(np.int64), kind="stable")
        self._codes = order[column.occurrences[order] > 0].tolist()
        self.groups = [(column.vocabulary.labels[code],) for code in self._codes]

    def count(self, chosen: Chosen) -> float:
        """Return the number of records that contain the items."""
        return float(self._index.support(self._codes[number] for number in chosen))

    def pairs(self, number: int) -> Float64 | None:
        """Return the number of records that contain both items of each pair.

        Cost: the number of pairs of the first `number` items in all records.
        """
        if number > _MOST_PAIRED:
            return None
        together = pair_counts(self._index.column, np.array(self._codes[:number], np.int64))
        counts = together.reshape(number, number)
        return (counts + counts.T).astype(np.float64)


class ChunkSupports:
    """Expected supports from chunks. Each group is one item."""

    reading = None

    def __init__(self, publication: Chunks) -> None:
        self._counts = ChunkCounts(publication)
        shown = zip(in_chunks(publication), in_terms(publication), strict=True)
        single: dict[Chosen, float] = {(item,): sum(counts) for item, counts in enumerate(shown)}
        self._codes = [item for (item,) in _in_order(single)]
        self.groups = [(publication.vocabulary.labels[item],) for item in self._codes]

    def count(self, chosen: Chosen) -> float:
        """Return the expected number of records that contain the items."""
        return self._counts.expected(self._codes[number] for number in chosen)

    def pairs(self, number: int) -> Float64 | None:
        """Return the expected number of records that contain both items of each pair."""
        return None if number > _MOST_PAIRED else self._counts.pairs(self._codes[:number])


class SymbolSupports:
    """Expected supports from published records. A group contains the items that are covered by the same symbols."""

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
            [[presence_probability(size, number, reading) for size in sizes] for number in range(1, LARGEST_SET + 1)]
        ).reshape(LARGEST_SET, len(sizes))
        single = {
            codes: fsum(self._index.support_of_item(code) * self._present[0, code] for code in codes)
            for codes in items_of
        }
        self._codes = _in_order(single)
        self.groups = [tuple(items_of[codes]) for codes in self._codes]
        self._symbols: dict[int, Int32] = {}
        self._grown: dict[int, tuple[Chosen, _CandidateRecords]] = {}

    def count(self, chosen: Chosen) -> float:
        """Return the expected number of records that contain the chosen items."""
        if all(len(self._codes[number]) == 1 for number in set(chosen)):
            codes = {self._codes[number][0]: chosen.count(number) for number in chosen}
            return self._index.support(codes) * prod(float(self._present[n - 1, code]) for code, n in codes.items())
        return fsum(self._holding(chosen).chance)

    def pairs(self, number: int) -> Float64 | None:
        """Return None, because groups may have several items."""
        return None

    def _holding(self, chosen: Chosen) -> "_CandidateRecords":
        """Return the records that may contain the chosen items. The result for all items except the last is cached."""
        size = len(chosen)
        if size not in self._grown or self._grown[size][0] != chosen:
            before = self._holding(chosen[:-1]) if size > 1 else _CandidateRecords.of_all(self._index.n)
            self._grown[size] = (chosen, before.with_one(self._symbols_of(chosen[-1]), self._present))
        return self._grown[size][1]

    def _symbols_of(self, number: int) -> Int32:
        """Return the symbol that covers the items of a group in each record, int32 (n,). -1 if there is none."""
        if number not in self._symbols:
            symbol = np.full(self._index.n, -1, np.int32)
            for code in self._codes[number]:
                symbol[self._index.records([code])] = code
            if len(self._symbols) * symbol.nbytes >= _KEPT_BYTES:
                self._symbols.clear()
            self._symbols[number] = symbol
        return self._symbols[number]


@dataclass(frozen=True, eq=False)
class _CandidateRecords(RedactedRepr):
    record: Int64
    chance: Float64
    """Probability that each record contains the items, float64 (R,)."""
    symbols: tuple[Int32, ...]
    """Symbol that covers each item in each record, int32 (R,) per item."""

    @classmethod
    def of_all(cls, n: int) -> "_CandidateRecords":
        """Return all records for the empty set of items."""
        return cls(np.arange(n), np.ones(n), ())

    def with_one(self, symbol: Int32, present: Float64) -> "_CandidateRecords":
        """Return the records that may also contain another item. `symbol` covers this item in each record."""
        covered = np.flatnonzero(symbol[self.record] >= 0)
        record, covering = self.record[covered], symbol[self.record[covered]]
        before = [earlier[covered] for earlier in self.symbols]
        same = (
            sum((earlier == covering).astype(np.int64) for earlier in before)
            if before
            else np.zeros(len(covering), np.int64)
        )
        earlier_chance = np.where(same > 0, present[same - 1, covering], 1.0)
        chance = np.divide(
            self.chance[covered] * present[same, covering],
            earlier_chance,
            out=np.zeros(len(covering)),
            where=earlier_chance > 0,
        )
        remaining = np.flatnonzero(chance > 0)
        return _CandidateRecords(
            record[remaining], chance[remaining], tuple(symbols[remaining] for symbols in (*before, covering))
        )
