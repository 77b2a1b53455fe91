"""Counting every supported itemset of published symbols, and k^m-anonymity by it."""

import os
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from anonset.data import SetColumn
from anonset.data.table import Int64
from anonset.errors import AnonsetError, InputError
from anonset.privacy import KmAnonymity, Verdict, Witness

if TYPE_CHECKING:
    from anonset_kernels.verification import Rows, Walk

Progress = Callable[[str, float, float], None]
"""Called with (phase, amount done, total amount) as work goes on."""

_ROWS_PER_CALL = 200_000
_STEPS_PER_CALL = 20_000_000  # about a tenth of a second: an interruption is noticed between two calls
_WORTH_THREADS = 200_000_000  # itemset occurrences, about a second
_SPANS = 64


@dataclass(frozen=True)
class Count:
    """The itemsets of one size, counted until the first one that has too few records."""

    size: int
    """Number of items of each set."""
    distinct: int
    """Distinct itemsets that were counted."""
    rare: tuple[int, ...] | None = None
    """Codes of the first itemset below the threshold, in the order of the codes; None if there is none."""
    support: int = 0
    """Number of records that hold it."""


class DistinctRows:
    """The distinct records of a column, each with the number of records equal to it.

    Coarse publications repeat few records many times over: merging them first is what makes their check cheap.

    >>> rows = DistinctRows(SetColumn.of([{"a", "b", "c"}, {"a", "b", "c"}, {"a", "b"}]))
    >>> rows.n, rows.occurrences(2)
    (2, 4)
    >>> rows.count(2, k=3)
    Count(size=2, distinct=2, rare=(0, 2), support=2)

    Raises
    ------
    InputError
        If the column is malformed: codes outside its vocabulary, or not ascending in a record.
    """

    def __init__(self, column: SetColumn) -> None:
        require_well_formed(column)
        self.column = column
        self.symbols = int(np.count_nonzero(column.occurrences))
        """Number of distinct symbols that occur."""
        representative, self.weight = _merge(column)
        self._rows = column.take(representative)

    @property
    def n(self) -> int:
        """Number of distinct records."""
        return self._rows.n

    @cached_property
    def longest(self) -> int:
        """Number of items of the longest record."""
        return int(self._rows.lengths.max(initial=0))

    @cached_property
    def _lengths(self) -> list[tuple[int, int]]:
        """Pairs (length of a record, number of distinct records of that length)."""
        found = np.bincount(self._rows.lengths) if self.n else np.zeros(0, np.int64)
        return [(length, int(found[length])) for length in np.flatnonzero(found).tolist()]

    def occurrences(self, size: int) -> int:
        """Return the exact number of occurrences of itemsets of `size` items in the distinct records."""
        return sum(records * comb(length, size) for length, records in self._lengths)

    def count(self, size: int, k: int, progress: Progress | None = None) -> Count:
        """Count all itemsets of `size` items, stopping at the first that occurs in fewer than `k` records.

        Cost: one step for each occurrence (:meth:`occurrences`), some for those of smaller sizes; memory for a
        few arrays over the items of the distinct records.
        """
        if size == 1:
            return self._count_items(k)
        total = self.occurrences(size)
        spans = self._spans(size) if total >= _WORTH_THREADS else [(0, len(self.column.vocabulary))]
        counting, rows = _Counting(size, k, total, progress), self._view
        room = sum(self._widest(level) for level in range(1, size - 1))
        if len(spans) == 1:
            return counting.summed([counting.run(rows, self._start(size, spans[0], room))])

        def walked(span: tuple[int, int]) -> "Walk":
            return counting.run(rows, self._start(size, span, room))

        _ = self._by_symbol, self._first_of  # made once, before threads ask for them
        with ThreadPoolExecutor(os.cpu_count(), thread_name_prefix="anonset-verify") as pool:
            try:
                return counting.summed(pool.map(walked, spans))
            finally:  # also where a rare set was found, or the wait was interrupted
                counting.stopped = True
                pool.shutdown(cancel_futures=True)

    def _spans(self, size: int) -> list[tuple[int, int]]:
        """Cut the symbols into spans, so that about as many itemsets begin with those of one as of another."""
        begun = np.array([comb(left, size - 1) for left in range(self.longest)], np.float64)
        work = np.bincount(self._rows.items, weights=begun[self._left], minlength=len(self.column.vocabulary))
        share = np.cumsum(work) / max(1.0, work.sum())
        ends = np.searchsorted(share, np.arange(1, _SPANS) / _SPANS) + 1
        bounds = sorted({0, *ends.tolist(), len(work)})
        return list(pairwise(bounds))

    def _count_items(self, k: int) -> Count:
        supports = self.column.occurrences
        rare = np.flatnonzero((supports > 0) & (supports < k))
        if len(rare) == 0:
            return Count(1, self.symbols)
        return Count(1, self.symbols, (int(rare[0]),), int(supports[rare[0]]))

    @cached_property
    def _left(self) -> NDArray[np.int32]:
        """int32 (nnz,): number of items after each position in its row."""
        end = np.repeat(self._rows.indptr[1:], self._rows.lengths)
        return (end - np.arange(1, len(end) + 1)).astype(np.int32)

    @cached_property
    def _view(self) -> "Rows":
        from anonset_kernels.verification import Rows

        return Rows(self._rows.items, self._left, np.repeat(self.weight, self._rows.lengths))

    @cached_property
    def _by_symbol(self) -> Int64:
        """int64 (nnz,): positions ordered by symbol."""
        return np.argsort(self._rows.items, kind="stable").astype(np.int64)

    @cached_property
    def _first_of(self) -> Int64:
        """int64 (V + 1,): where the positions of each symbol begin in `_by_symbol`."""
        counts = np.bincount(self._rows.items, minlength=len(self.column.vocabulary))
        return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)

    def _start(self, size: int, span: tuple[int, int], room: int) -> "Walk":
        """Return a walk over the itemsets of `size` items whose first is in a span; it stands before the first.

        `room` is that for the positions of all levels but the first.
        """
        from anonset_kernels.verification import Walk

        levels, n_symbols = size - 1, len(self.column.vocabulary)
        roots = self._by_symbol[self._first_of[span[0]] : self._first_of[span[1]]]
        roots = roots[self._left[roots] >= size - 1]
        per_symbol = np.bincount(self._rows.items[roots], minlength=n_symbols)
        present = np.flatnonzero(per_symbol)
        positions = np.empty(len(roots) + room, np.int64)
        positions[: len(roots)] = roots
        symbols = np.zeros((levels, n_symbols), np.int32)
        first = np.zeros((levels, n_symbols + 1), np.int64)
        cursor = np.zeros((levels, 2), np.int64)
        symbols[0, : len(present)] = present
        np.cumsum(per_symbol[present], out=first[0, 1 : len(present) + 1])
        cursor[0, 1] = len(present)
        state = np.array([0, 0, 0, -1, 0], np.int64)
        return Walk(
            positions, symbols, first, cursor, np.zeros(n_symbols, np.int64), np.zeros(n_symbols, np.int32), state
        )

    def _widest(self, level: int) -> int:
        """Return a bound on the positions of a level: items that may follow a prefix of `level` items.

        An item that follows such a prefix is at least `level` places behind its first item, so the bound is the
        largest over all first items.
        """
        room = np.maximum(self._left - (level - 1), 0)
        return int(np.bincount(self._rows.items, weights=room).max(initial=0))


class _Counting:
    """The counting of all itemsets of one size, by walks over some of them each, which may run side by side."""

    def __init__(self, size: int, k: int, total: int, progress: Progress | None) -> None:
        self.size, self.k, self.total, self.progress = size, k, total, progress
        self.stopped, self._done, self._lock = False, 0, threading.Lock()

    def run(self, rows: "Rows", walk: "Walk") -> "Walk":
        """Walk to the end, or to the first set that is too rare, or until told to stop."""
        from anonset_kernels.verification import advance

        over, before = False, 0
        while not over and not self.stopped:
            over = bool(advance(rows, walk, self.size, self.k, _STEPS_PER_CALL))
            with self._lock:
                self._done += int(walk.state[1]) - before
                before = int(walk.state[1])
                if self.progress is not None:
                    self.progress(f"itemsets of size {self.size}", float(self._done), float(self.total))
        return walk

    def summed(self, walks: Iterable["Walk"]) -> Count:
        """Return what walks found, one after the other in the order of their sets, up to the first rare one.

        Raises
        ------
        AnonsetError
            If they counted other than all occurrences.
        """
        counted = distinct = 0
        for walk in walks:
            _, done, found, last, support = walk.state.tolist()
            counted, distinct = counted + done, distinct + found
            if last >= 0:
                prefix = [int(walk.symbols[level, walk.cursor[level, 0]]) for level in range(self.size - 1)]
                return Count(self.size, distinct, (*prefix, last), support)
        if counted != self.total:  # an exact account of the work: a kernel that skipped anything cannot pass
            of = f"itemsets of size {self.size}"
            msg = f"verification counted {counted} occurrences of {of}, but the records hold {self.total}"
            raise AnonsetError(msg)
        return Count(self.size, distinct)


def require_well_formed(column: SetColumn) -> None:
    """Refuse a column whose codes are outside its vocabulary, or not strictly ascending in a record.

    Raises
    ------
    InputError
        With the first offending record.
    """
    items, lengths = column.items, column.lengths
    if bool(np.any(lengths < 0)):
        msg = f"column {column.name!r}: indptr must not decrease, but does at record {int(np.argmax(lengths < 0))}"
        raise InputError(msg)
    outside = (items < 0) | (items >= len(column.vocabulary))
    if bool(np.any(outside)):
        at = int(np.argmax(outside))
        need = f"codes must be in 0..{len(column.vocabulary) - 1}"
        msg = f"column {column.name!r}: {need}, got {items[at]} in record {_row(column, at)}"
        raise InputError(msg)
    falls = np.zeros(len(items) + 1, bool)
    falls[1:-1] = items[1:] <= items[:-1]
    falls[column.indptr] = False  # nothing is required between two records
    if bool(np.any(falls)):
        record = _row(column, int(np.argmax(falls)))
        msg = f"column {column.name!r}: codes must be strictly ascending in a record, but are not in record {record}"
        raise InputError(msg)


def _row(column: SetColumn, position: int) -> int:
    return int(np.searchsorted(column.indptr, position, side="right")) - 1


def _merge(column: SetColumn) -> tuple[Int64, Int64]:
    """Return the first record of each distinct row, and how many records equal it."""
    from anonset_kernels.verification import merge_rows

    slots = np.full(1 << max(1, (2 * column.n).bit_length()), -1, np.int64)
    representative, weight = np.zeros(column.n, np.int64), np.zeros(column.n, np.int64)
    found = 0
    for begin in range(0, column.n, _ROWS_PER_CALL):
        end = min(begin + _ROWS_PER_CALL, column.n)
        found = int(merge_rows(column.indptr, column.items, slots, representative, weight, begin, end, found))
    return representative[:found], weight[:found]


def check_km(column: SetColumn, model: KmAnonymity, budget: int, progress: Progress | None) -> Verdict:
    """Check published records; the witness is the smallest violating set, then the first by its codes.

    Every size from 1 to m is counted, none is inferred from another: a record shorter than m holds no set of m
    symbols at all. Sizes beyond the longest record have nothing to count.
    """
    rows = DistinctRows(column)
    sizes = min(model.m, rows.longest)
    checked: dict[str, Any] = {"rows": column.n, "distinct_rows": rows.n, "symbols": rows.symbols}
    occurrences = checked["itemset_occurrences"] = {}
    distinct = checked["distinct_itemsets"] = {}
    left = budget
    for size in range(1, sizes + 1):
        occurrences[size] = rows.occurrences(size)
        left -= occurrences[size]
        if left < 0 and bool(np.all(rows.weight >= model.k)):  # then so often occurs whatever is in a record
            del checked["itemset_occurrences"], checked["distinct_itemsets"]  # how far they came depends on the budget
            checked["covered"] = f"{_sizes(model.m, model.m)}: every record occurs at least {model.k} times"
            return Verdict(True, model, checked)
        if left < 0:
            checked["covered"] = _too_large(size, model.m, occurrences[size], budget)
            return Verdict(None, model, checked)
        count = rows.count(size, model.k, progress)
        if count.rare is not None:
            checked["covered"] = f"{_sizes(size - 1, model.m)}; size {size} up to the witness"
            return Verdict(False, model, checked, _witness(column, count, model.k))
        distinct[size] = count.distinct
    longer = f", the longest record has {rows.longest}" if model.m > rows.longest else ""
    checked["covered"] = f"{_sizes(sizes, model.m)}{longer}"
    return Verdict(True, model, checked)


def _sizes(covered: int, m: int) -> str:
    if covered == 0:
        return f"no size of 1..{m}"
    return f"size 1 of {m}" if covered == 1 else f"sizes 1..{covered} of {m}"


def _too_large(size: int, m: int, occurrences: int, budget: int) -> str:
    return (
        f"{_sizes(size - 1, m)}; size {size} has {occurrences:,} itemset occurrences, "
        f"more than what is left of the budget of {budget:,}"
    )


def _witness(column: SetColumn, count: Count, k: int) -> Witness:
    """Show the violating set, after looking it up in the published records themselves."""
    codes = count.rare or ()
    records = records_with(column, codes)
    if len(records) != count.support:
        msg = f"verification counted {count.support} records with the symbols {codes}, but {len(records)} hold them"
        raise AnonsetError(msg)
    labels = tuple(column.vocabulary.labels[code] for code in codes)
    return Witness(labels, count.support, k, int(records[0]))


def records_with(column: SetColumn, codes: tuple[int, ...]) -> Int64:
    """Return the records that hold all the given codes, by one scan of the column."""
    wanted = np.zeros(len(column.vocabulary), bool)
    wanted[list(codes)] = True
    at = np.flatnonzero(wanted[column.items])
    record = np.searchsorted(column.indptr, at, side="right") - 1
    return np.flatnonzero(np.bincount(record, minlength=column.n) == len(codes)).astype(np.int64)
