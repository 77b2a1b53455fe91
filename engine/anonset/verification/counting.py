"""Count all itemsets of one size. The itemsets are divided into windows by their first symbol, and each window is
traversed depth-first.
"""

import threading
from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from anonset.data import SetColumn
from anonset.data.array_types import Int32, Int64
from anonset.data.progress import Progress, report_progress
from anonset.data.spans import begins_of, spans, spans_up_to
from anonset.data.storage.store import MEMORY, Store
from anonset.data.storage.workers import is_unwanted
from anonset.errors import AnonsetError
from anonset.verification.distinct_rows import rows_of

if TYPE_CHECKING:
    from anonset_kernels.verification.counting import ItemsetWalk, PairCounters
    from anonset_kernels.verification.triples import TripleWindow

CODES_PER_WINDOW, LARGEST_WINDOW, WINDOWS = 1 << 22, 1 << 26, 32
"""Limits of windows. A window has at most CODES_PER_WINDOW codes. If more than WINDOWS windows would be needed, a
window has at most LARGEST_WINDOW codes, because each window is a pass over all rows. A window of a single symbol may
have any number of codes.
"""
MOST_SYMBOLS = 1 << 11
"""Maximum number of symbols with a counter for each pair (16 MiB)."""
BYTES_PER_OCCURRENCE = 1
"""Maximum memory for the counters of itemsets of three items, in bytes per occurrence."""
MOST_WINDOWS = 16
"""Maximum number of passes over the rows to count triples."""
_WINDOWS_PER_THREAD = 2
_STEPS_PER_CALL = 20_000_000  # takes about 0.1 s. Interruptions are handled between calls.


@dataclass(frozen=True)
class Resources:
    """Limits and tools of a check that counts itemsets."""

    budget: int
    """Maximum number of occurrences of itemsets in distinct records."""
    progress: Progress | None = None
    """Called with (phase, done, total)."""
    store: Store = MEMORY
    """Store of the distinct records, if the columns are in files."""


@dataclass(frozen=True)
class ItemsetCount:
    """Count of the itemsets of a size, up to the first rare itemset."""

    size: int
    """Number of items of each itemset."""
    distinct: int
    """Number of distinct itemsets counted."""
    rare: tuple[int, ...] | None = None
    """Codes of the first itemset below the threshold, in code order, or None."""
    support: int = 0
    """Number of records that contain `rare`."""


@dataclass(frozen=True)
class TraversalResult:
    """Result of a traversal, up to the first rare itemset."""

    counted: int
    """Number of itemset occurrences in the rows."""
    distinct: int
    """Number of distinct itemsets."""
    rare: tuple[int, ...] | None
    """First rare itemset, or None."""
    support: int
    """Number of records that contain `rare`."""


def windows_of(n_codes: Int64) -> list[tuple[int, int]]:
    """Split the symbols into one or more windows, given the number of codes of each symbol.

    >>> windows_of(np.array([1, 0, 2], np.int64))
    [(0, 3)]
    """
    most = max(CODES_PER_WINDOW, min(LARGEST_WINDOW, int(n_codes.sum()) // WINDOWS))
    return list(spans_up_to(begins_of(n_codes), most)) or [(0, 0)]


def pair_counters(n: int, n_symbols: int) -> "PairCounters":
    """Return zeroed counters for the pairs of up to `n` symbols."""
    from anonset_kernels.verification.counting import PairCounters

    n_words = (n + 63) // 64
    return PairCounters(
        np.zeros(n * n, np.int32),
        np.full(n * n_words, -1, np.int64).view(np.uint64),
        np.zeros(n_symbols, np.int32),
        np.empty(n, np.int32),
        np.empty(n_words, np.uint64),
        np.empty(n_words, np.int32),
        np.empty(n_words + 1, np.int64),
    )


class CountedTriples:
    """Counters for all sets of three symbols, in windows that fit in memory.

    A symbol's number is its rank by descending support.

    Parameters
    ----------
    column
        The rows.
    k
        Maximum count.
    most
        Maximum memory of the counters of a window, in bytes.
    threads
        Number of threads.
    """

    def __init__(self, column: SetColumn, k: int, most: int, threads: int) -> None:
        present = np.flatnonzero(column.occurrences)
        self.k, support = k, column.occurrences[present]
        self.symbols: Int32 = present[np.argsort(-support, kind="stable")].astype(np.int32)
        """Symbol of each number, int32 (N,)."""
        numbers = np.arange(len(self.symbols) + 1)
        self._before: Int64 = np.cumsum((numbers + 63) // 64) - (numbers + 63) // 64
        self._bytes = 8 * (1 + k.bit_length()) * self._before[:-1]
        self.bytes = int(self._bytes.sum())
        """Memory of the counters of all windows, in bytes."""
        self.windows = self._windows(np.sort(support)[::-1], most, threads)
        """Ranges (first, end) of symbol numbers. A window contains the sets whose largest symbol number is in its
        range. Empty if more than `MOST_WINDOWS` windows would be necessary.
        """

    def _windows(self, support: Int64, most: int, threads: int) -> list[tuple[int, int]]:
        """Split the range of largest symbol numbers into windows of similar memory and work."""
        smaller = np.cumsum(support) - support
        work = support * smaller.astype(np.float64) ** 2
        ends = np.cumsum(self._bytes / max(1, self.bytes) + work / max(1.0, float(work.sum())))
        fewest = 1 if threads == 1 else min(_WINDOWS_PER_THREAD * threads, MOST_WINDOWS)
        for n_windows in range(fewest, MOST_WINDOWS + 1 if len(ends) else 0):
            cuts = np.searchsorted(ends, float(ends[-1]) / n_windows * np.arange(1, n_windows))
            windows = list(pairwise(np.unique([0, *cuts.tolist(), len(ends)]).tolist()))
            if all(int(self._bytes[first:end].sum()) <= most for first, end in windows):
                return windows
        return []

    @property
    def number(self) -> Int32:
        """Number of each symbol that occurs, int32 (V,)."""
        number = np.zeros(int(self.symbols.max(initial=-1)) + 1, np.int32)
        number[self.symbols] = np.arange(len(self.symbols), dtype=np.int32)
        return number

    def counters(self, window: tuple[int, int]) -> "TripleWindow":
        """Return zeroed counters of a window."""
        from anonset_kernels.verification.triples import TripleWindow

        first, end = window
        begin = begins_of(self._before[first:end])
        digits = np.array([-(self.k >> p & 1) for p in range(self.k.bit_length())], np.int64).view(np.uint64)
        full, counts = np.zeros(int(begin[-1]), np.uint64), np.zeros(int(begin[-1]) * len(digits), np.uint64)
        return TripleWindow(self._before, first, begin, digits, full, counts)


class ItemsetCounting:
    """Counting of all itemsets of equal size, in parts that may run in parallel."""

    def __init__(self, size: int, k: int, total: int, progress: Progress | None, most: int | None = None) -> None:
        self.size, self.k, self.total, self.progress = size, k, total, progress
        self._done = 0
        self._lock: threading.Lock | None = threading.Lock()  # None in another process
        self._most = total if most is None else most

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "progress": None, "_lock": None}

    @property
    def exhausted(self) -> bool:
        """True if the maximum number of occurrences is counted."""
        return self._done >= self._most

    def run(self, rows: SetColumn, weight: Int64) -> TraversalResult:
        """Count the itemsets that start with the first symbol of a row. Stop at the first rare itemset, or if counting
        is cancelled.

        Parameters
        ----------
        rows
            Rows ordered by first symbol.
        weight
            Number of records of each row, int64 (rows,).
        """
        from anonset_kernels.verification.counting import DistinctRowItems, EnumerationCounts, advance

        row_of = np.repeat(np.arange(rows.n, dtype=np.int32), rows.lengths)
        distinct_rows, walk = DistinctRowItems(rows.items, row_of, rows.indptr[1:], weight), self._walk(rows)
        counted = EnumerationCounts.at_start()
        while counted.level >= 0 and not (is_unwanted() or (self._most < self.total and self.exhausted)):
            before, counted = counted, advance(distinct_rows, walk, counted, self.size, self.k, _STEPS_PER_CALL)
            self._tell(int(counted.occurrences - before.occurrences))
            if counted.symbol >= 0:
                prefix = [int(walk.symbols[level, walk.cursor[level, 0]]) for level in range(self.size - 1)]
                rare = (*prefix, int(counted.symbol))
                return TraversalResult(int(counted.occurrences), int(counted.distinct), rare, int(counted.support))
        return TraversalResult(int(counted.occurrences), int(counted.distinct), None, 0)

    def run_pairs(self, rows: SetColumn, weight: Int64, parts: Iterable[tuple[int, int]]) -> tuple[Int32, int]:
        """Count all pairs in some spans of rows. Counts above `k` are stored as `k`. Stop early if counting is
        cancelled.

        Parameters
        ----------
        weight
            Number of records of each row, int64 (rows,).

        Returns
        -------
        Number of records of each pair, int32 (V, V), with the smaller code first, and the number of pair occurrences.
        """
        from anonset_kernels.verification.counting import count_pairs

        n, counted = len(rows.vocabulary), 0
        pairs = pair_counters(n, 0)
        for a, b in parts:
            if is_unwanted():
                break
            increments = int(count_pairs(rows_of(rows, a, b), weight[a:b], self.k, pairs))
            counted += increments
            self._tell(increments)
        return pairs.met.reshape(n, n), counted

    def run_triples(
        self, rows: SetColumn, weight: Int64, triples: CountedTriples, window: tuple[int, int]
    ) -> TraversalResult:
        """Count all sets of three symbols with the largest symbol number in a window. Counts above `k` are stored as
        `k`. Stop early if counting is cancelled.

        Parameters
        ----------
        weight
            Number of records of each row, int64 (rows,).
        """
        from anonset_kernels.verification.triples import count_triples, read_triples

        counters, number, counted = triples.counters(window), triples.number, 0
        for a, b in spans(rows.n):
            if is_unwanted():
                break
            increments = int(count_triples(rows_of(rows, a, b), weight[a:b], self.k, number, rows.longest, counters))
            counted += increments
            self._tell(increments)
        read = read_triples(counters, triples.symbols)
        rare = None if read.a < 0 else (int(read.a), int(read.b), int(read.c))
        return TraversalResult(counted, int(read.distinct), rare, int(read.support))

    def first_of(self, parts: Iterable[TraversalResult]) -> TraversalResult:
        """Combine the results of all parts. The parts may be in any order."""
        results = list(parts)
        rare = min((part for part in results if part.rare is not None), key=lambda part: part.rare or (), default=None)
        counted, distinct = sum(part.counted for part in results), sum(part.distinct for part in results)
        return (
            TraversalResult(counted, distinct, None, 0)
            if rare is None
            else TraversalResult(counted, distinct, rare.rare, rare.support)
        )

    def pair_result(self, parts: Iterable[tuple[Int32, int]]) -> TraversalResult:
        """Add the pair counters of all parts of the rows, and return the result for all pairs."""
        support, counted = np.zeros((1, 1), np.int64), 0
        for some, increments in parts:
            support, counted = np.minimum(support + some, self.k), counted + increments
        distinct, rare = int(np.count_nonzero(support)), (support > 0) & (support < self.k)
        if not bool(rare.any()):
            return TraversalResult(counted, distinct, None, 0)
        first = tuple(int(code) for code in np.unravel_index(int(np.argmax(rare)), support.shape))
        return TraversalResult(counted, distinct, first, int(support[first]))

    def _tell(self, counted: int) -> None:
        with self._lock or nullcontext():
            self._done += counted
            report_progress(self.progress, f"itemsets of size {self.size}", self._done, self.total)

    def _walk(self, rows: SetColumn) -> "ItemsetWalk":
        """Return a new traversal with buffers for each level. At level j, the next item is at least j positions after
        the first item of its row, which limits the buffer size.
        """
        from anonset_kernels.verification.counting import ItemsetWalk

        levels, n_symbols, starts = self.size - 1, len(rows.vocabulary), rows.indptr[:-1]
        heads = rows.items[starts]
        per_symbol = np.bincount(heads, minlength=n_symbols)
        present = np.flatnonzero(per_symbol)
        capacity = 0
        for level in range(1, levels):
            n_following = np.bincount(heads, weights=np.maximum(rows.lengths - level, 0))
            capacity += int(n_following.max(initial=0))
        positions = np.empty(rows.n + capacity, np.int64)
        positions[: rows.n] = starts
        symbols = np.zeros((levels, n_symbols), np.int32)
        first = np.zeros((levels, n_symbols + 1), np.int64)
        cursor = np.zeros((levels, 2), np.int64)
        symbols[0, : len(present)] = present
        np.cumsum(per_symbol[present], out=first[0, 1 : len(present) + 1])
        cursor[0, 1] = len(present)
        counters = np.zeros(n_symbols, np.int64), np.zeros(n_symbols, np.int32)
        together = self.size > 2 and self.k <= np.iinfo(np.int32).max
        pairs = pair_counters(min(n_symbols, MOST_SYMBOLS) if together else 0, n_symbols)
        return ItemsetWalk(positions, symbols, first, cursor, *counters, pairs)

    def summed(self, parts: Iterable[TraversalResult]) -> ItemsetCount:
        """Return the sum of partial results, up to the first rare set. The results must be in set order.

        Raises
        ------
        AnonsetError
            If the counted occurrences differ from the total.
        """
        counted = distinct = 0
        for part in parts:
            counted, distinct = counted + part.counted, distinct + part.distinct
            if part.rare is not None:
                return ItemsetCount(self.size, distinct, part.rare, part.support)
        if counted != self.total:  # detects kernels that skip occurrences
            of = f"itemsets of size {self.size}"
            msg = f"verification counted {counted} occurrences of {of}, but the records contain {self.total}"
            raise AnonsetError(msg)
        return ItemsetCount(self.size, distinct)
