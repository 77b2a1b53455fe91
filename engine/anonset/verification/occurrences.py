"""Enumerate the occurrences of sets of symbols in records. Sets are extended symbol by symbol with NumPy.

The occurrences of a set are contiguous, and are processed in slices to limit the memory. If the occurrences of a set do
not fit in memory, the set is extended by ranges of symbols. The empty set is treated in the same way, with all records
as its occurrences. If the occurrences of an extended set do not fit in memory, each pass over the records computes them
again.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from anonset.data.array_types import Int32, Int64
from anonset.data.spans import Limits, begins_of, gathered, spans, spans_up_to

OCCURRENCES_AT_ONCE = 500_000
"""Number of occurrences in memory. It is up to `_MOST_TIMES` times higher for records with many symbols."""
_MOST_TIMES = 8
_SHARE_OF_SYMBOLS = 8  # inverse of the share of symbols per slice, which limits the number of passes
_BYTES_OF_OCCURRENCE = 160  # peak memory while sorting
MOST_OF_A_SET = 1 << 23
"""Maximum number of occurrences of a set in memory."""
_BYTES_OF_A_SET = 80  # per occurrence, with its number of next symbols
_Symbols = tuple[Int64, Int64]
"""Rows and positions of symbols."""
_Passes = Callable[[], Iterator[_Symbols]]
"""Function that starts a new pass over symbols."""


@dataclass(frozen=True, eq=False)
class Occurrences:
    """Occurrences of sets of the same size, grouped by set."""

    rank: Int64
    """Row in `sets` of the set of each occurrence, ascending, int64."""
    row: Int64
    """Distinct record of each occurrence, int64."""
    following: Int64
    """Offset of the symbols that may extend each occurrence, int64."""
    sets: Int64
    """Symbol codes of each set, int64 (S, size)."""
    goes_on: bool = False
    """True if the slice contains a single set and the next slice contains further occurrences of the set."""


@dataclass(frozen=True, eq=False)
class MemberSymbols:
    """Symbols of records that may be members of sets."""

    indptr: Int64
    """Offset of each record, int64 (n + 1,)."""
    items: Int32
    """Symbol codes, ascending in a record, int32."""
    n_symbols: int
    """Exclusive upper bound of the codes."""
    limits: Limits
    """Limits that determine the number of occurrences in memory."""

    def of_size(self, size: int) -> Iterator[Occurrences]:
        """Yield the occurrences of the sets of `size` (>= 1) symbols in all records. They are in code order, in
        slices.
        """
        yield from self._by_symbols(lambda: self._first_of(size), np.empty((1, 0), np.int64), size)

    def extended(self, occurrences: Occurrences, size: int) -> Iterator[Occurrences]:
        """Yield the occurrences of the sets of `size` symbols that extend one of the given sets, in slices."""
        missing = size - occurrences.sets.shape[1]
        if missing == 0:
            yield occurrences
            return
        choices = np.maximum(self.indptr[occurrences.row + 1] - occurrences.following - (missing - 1), 0)
        before = begins_of(choices)
        bounds = np.concatenate([np.flatnonzero(np.diff(occurrences.rank, prepend=-1)), [len(occurrences.rank)]])
        for begin, end in spans_up_to(before[bounds], self.at_once):
            part = slice(int(bounds[begin]), int(bounds[end]))
            if before[part.stop] > before[part.start]:
                yield from self._extend(occurrences, part, choices[part], size)

    def _extend(self, occurrences: Occurrences, part: slice, choices: Int64, size: int) -> Iterator[Occurrences]:
        """Extend each occurrence of a slice by each possible next symbol, and group the results by set. Then extend the
        results further.
        """
        row, following = occurrences.row[part], occurrences.following[part]
        if int(choices.sum()) > self.at_once:  # all occurrences are of the same set
            single = occurrences.sets[occurrences.rank[part.start]][None]
            yield from self._by_symbols(lambda: _chunks(row, following, choices, self.at_once), single, size)
            return
        _, places = gathered(following, choices)
        key = np.repeat(occurrences.rank[part], choices) * self.n_symbols + self.items[places]
        yield from self.extended(self._grouped(key, np.repeat(row, choices), places, occurrences.sets), size)

    def _by_symbols(self, symbols: _Passes, single: Int64, size: int) -> Iterator[Occurrences]:
        """Extend a single set, int64 (1, any), by ranges of next symbols. Then extend the results further."""
        n, most = self.n_symbols, self.limits.at_once_within(MOST_OF_A_SET, _BYTES_OF_A_SET)
        count = np.zeros(n + 1, np.int64)
        for _, places in symbols():
            count[1:] += np.bincount(self.items[places], minlength=n)
        done = np.cumsum(count)
        for first, last in spans_up_to(done, self.at_once):
            if last == first + 1 and count[last] > most:
                yield from self._too_many(symbols, np.append(single, [[first]], axis=1), int(count[last]), size)
            elif done[last] > done[first]:
                row, place, key = (np.empty(int(done[last] - done[first]), np.int64) for _ in range(3))
                filled = 0
                for rows, places in symbols():
                    code = self.items[places]
                    chosen = (code >= first) & (code < last)
                    end = filled + int(np.count_nonzero(chosen))
                    row[filled:end], place[filled:end], key[filled:end] = rows[chosen], places[chosen], code[chosen]
                    filled = end
                yield from self.extended(self._grouped(key, row, place, single), size)

    def _too_many(self, symbols: _Passes, single: Int64, n: int, size: int) -> Iterator[Occurrences]:
        """Extend a set with `n` occurrences that do not fit in memory. Each call of `symbols` starts another pass."""
        last, missing = int(single[0, -1]), size - single.shape[1]

        def of_set() -> Iterator[_Symbols]:
            for row, places in symbols():
                chosen = self.items[places] == last
                yield row[chosen], places[chosen] + 1

        def following() -> Iterator[_Symbols]:
            for row, after in of_set():
                choices = np.maximum(self.indptr[row + 1] - after - (missing - 1), 0)
                yield from _chunks(row, after, choices, self.at_once)

        if missing:
            yield from self._by_symbols(following, single, size)
            return
        for row, after in of_set():
            n -= len(row)
            if len(row):
                yield Occurrences(np.zeros(len(row), np.int64), row, after, single, goes_on=n > 0)

    def _first_of(self, size: int) -> Iterator[_Symbols]:
        """Yield the possible first symbols of sets of `size` in all records, in blocks."""
        for a, b in spans(len(self.indptr) - 1):
            begin = self.indptr[a:b]
            choices = np.maximum(self.indptr[a + 1 : b + 1] - begin - (size - 1), 0)
            yield from _chunks(np.arange(a, b), begin, choices, self.at_once)

    def _grouped(self, key: Int64, row: Int64, places: Int64, before: Int64) -> Occurrences:
        """Group occurrences by extended set. A key encodes the previous set and the new symbol."""
        order = np.argsort(key, kind="stable")
        ascending, begins = key[order], np.ones(len(key), bool)
        np.not_equal(ascending[1:], ascending[:-1], out=begins[1:])
        rank = np.cumsum(begins, dtype=np.int64)
        rank -= 1
        extended, symbol = np.divmod(ascending[begins], self.n_symbols)
        del ascending, begins
        sets = np.column_stack([before[extended], symbol])
        return Occurrences(rank, row[order], places[order] + 1, sets)

    @property
    def at_once(self) -> int:
        """Maximum number of occurrences in memory. A set that is extended by a single symbol may have more
        occurrences.
        """
        most = min(_MOST_TIMES * OCCURRENCES_AT_ONCE, len(self.items) // _SHARE_OF_SYMBOLS)
        return self.limits.at_once_within(max(OCCURRENCES_AT_ONCE, most), _BYTES_OF_OCCURRENCE)


def _chunks(row: Int64, following: Int64, choices: Int64, at_once: int) -> Iterator[_Symbols]:
    """Yield the rows and positions of the symbols that follow some occurrences, in blocks."""
    for first, last in spans_up_to(begins_of(choices), at_once):
        part = slice(first, last)
        yield np.repeat(row[part], choices[part]), gathered(following[part], choices[part])[1]
