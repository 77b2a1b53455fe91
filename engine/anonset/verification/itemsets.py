"""Counting every supported itemset of published symbols, and k^m-anonymity by it."""

from functools import cached_property, partial
from math import comb
from typing import Any

import numpy as np

from anonset.data import SetColumn
from anonset.data.spans import spans
from anonset.data.store import MEMORY, Store
from anonset.data.table import Int64
from anonset.errors import AnonsetError, InputError
from anonset.privacy import KmAnonymity, Verdict, Witness
from anonset.verification.counting import (
    BYTES_PER_OCCURRENCE,
    MOST_OF_BITS,
    MOST_SYMBOLS,
    Bits,
    Count,
    Counting,
    Found,
    Progress,
    Triples,
    windows_of,
)
from anonset.verification.distinct_rows import first_of_alike, merged, rows_of

_PAIR, _TRIPLE = 2, 3
MOST_OF_TRIPLES = 1 << 27
"""Bytes of the counters of sets of three in a thread, memory permitting."""
_WORTH_THREADS = 50_000_000  # itemset occurrences, some tenths of a second
_WORTH_MERGING = 1_000_000_000  # some seconds
_TRIED = 2_000_000_000
"""Occurrences that are counted, within the budget, of a size that exceeds it: where most sets are rare, the first
rare one is found early."""


class DistinctRows:
    """The distinct records of a column, each with the number of records equal to it.

    Coarse publications repeat few records many times over: merging them first is what makes their check cheap.

    >>> rows = DistinctRows(SetColumn.of([{"a", "b", "c"}, {"a", "b", "c"}, {"a", "b"}]))
    >>> rows.n, rows.occurrences(2)
    (2, 4)
    >>> rows.count(2, k=3)
    Count(size=2, distinct=2, rare=(0, 2), support=2)

    Parameters
    ----------
    store
        Where the distinct records are to lie, if the column is mapped from files.

    Raises
    ------
    InputError
        If the column is malformed: codes outside its vocabulary, or not ascending in a record.
    """

    def __init__(self, column: SetColumn, store: Store = MEMORY) -> None:
        require_well_formed(column)
        self.column, self._store = column, store
        self._present = np.flatnonzero(column.occurrences).astype(np.int32)
        self.symbols = len(self._present)
        """Number of distinct symbols that occur."""
        rows = merged(column, store)
        self._rows, self.weight = rows.column, rows.weight

    def merge_columns(self) -> int:
        """Keep the first of the symbols that are in the same rows; return how many symbols are left.

        The smallest sets that are too rare are found all the same, and the first of them (`first_of_alike`).
        """
        first = first_of_alike(self._rows)
        present = np.flatnonzero(first & (self.column.occurrences > 0)).astype(np.int32)
        left = len(present)
        if left < self.symbols:
            self._present, self._rows = present, self._rows.only(first, self._store)
            for name in ("_lengths", "_least"):
                self.__dict__.pop(name, None)
        return left

    @property
    def n(self) -> int:
        """Number of distinct records."""
        return self._rows.n

    @property
    def longest(self) -> int:
        """Number of items of the longest record."""
        return self._rows.longest

    @cached_property
    def _lengths(self) -> list[tuple[int, int]]:
        """Pairs (length of a record, number of distinct records of that length)."""
        n_of_length = np.zeros(self.longest + 1, np.int64)
        for a, b in spans(self.n):
            n_of_length += np.bincount(np.diff(self._rows.indptr[a : b + 1]), minlength=len(n_of_length))
        return [(length, int(n_of_length[length])) for length in np.flatnonzero(n_of_length).tolist()]

    @cached_property
    def _least(self) -> list[int]:
        """The least code of each span of rows; where there is none, the number of codes."""
        none = len(self.column.vocabulary)
        return [int(rows_of(self._rows, a, b)[1].min(initial=none)) for a, b in spans(self.n)]

    def occurrences(self, size: int) -> int:
        """Return the exact number of occurrences of itemsets of `size` items in the distinct records."""
        return sum(records * comb(length, size) for length, records in self._lengths)

    def steps(self, size: int, k: int) -> int:
        """Return how many steps counting the itemsets of `size` items takes: one an occurrence, or fewer by bits."""
        total = self.occurrences(size)
        bits = self._by_bits(total, k) if size == _PAIR else None
        return total if bits is None else bits.steps

    def _by_bits(self, total: int, k: int) -> Bits | None:
        """Return by which bits pairs are counted, of so many occurrences; None where others are fewer steps."""
        if self._suit_a_matrix(total, k):
            return None
        bits = Bits(self._present, self.weight, k)
        return bits if bits.bytes <= MOST_OF_BITS and bits.steps <= total else None

    def count_within(self, size: int, k: int, budget: int, progress: Progress | None = None) -> Count | None:
        """Count as :meth:`count` does, if a budget of occurrences allows it.

        A count by bits costs its steps. If the budget does not reach, the first itemsets by their codes are counted,
        within it and for some seconds: returns what was counted if that ends with one that occurs in fewer than `k`
        records, else None.
        """
        total, most = self.occurrences(size), min(budget, _TRIED)
        if self.steps(size, k) <= budget:
            return self.count(size, k, progress)
        if size == 1 or most <= 0:
            return None
        counting, distinct = Counting(size, k, total, progress, most), 0
        behind, with_it = self._measured(size)
        for window in windows_of(behind):
            counts = counting.run(*self._gathered(size, window, behind, with_it))
            distinct += counts.distinct
            if counts.rare is not None:
                return Count(size, distinct, counts.rare, counts.support)
            if counting.exhausted:
                break
        return None

    def count(self, size: int, k: int, progress: Progress | None = None) -> Count:
        """Count all itemsets of `size` items, stopping at the first that occurs in fewer than `k` records.

        Pairs of few symbols are counted in a matrix of all, those of many in long rows by what the rows that hold each
        share, as bits, if that takes fewer steps; sets of three of few symbols by counters of all. Others, and larger
        sets, are by windows of their first symbols, for each of which the rows from these symbols on are gathered, so
        that a walk below a symbol stays in the caches; merging equal rows of a window once more costs more than it
        saves. Cost: at most one step for each occurrence (:meth:`occurrences`), some for those of smaller sizes; memory
        for some windows.
        """
        if size == 1:
            return self._count_items(k)
        total = self.occurrences(size)
        counting = Counting(size, k, total, progress)
        each, threads = (self._store.map, self._store.workers.count) if total >= _WORTH_THREADS else (map, 1)
        if size == _PAIR and self._suit_a_matrix(total, k):
            shares = [list(spans(self.n))[thread::threads] for thread in range(threads)]
            pairs = counting.found_pairs(each(partial(counting.run_pairs, self._rows, self.weight), shares))
            return counting.summed([pairs])
        if size == _PAIR and (bits := self._by_bits(total, k)) is not None:
            run = partial(counting.run_bits, bits.of(self._rows), bits)
            return counting.summed(each(run, bits.spans()))
        if size == _TRIPLE and (triples := self._triples(total, k, threads)) is not None:
            run = partial(counting.run_triples, self._rows, self.weight, triples)
            return counting.summed([counting.first_of(each(run, triples.windows))])
        behind, with_it = self._measured(size)

        def counted(window: tuple[int, int]) -> Found:
            return counting.run(*self._gathered(size, window, behind, with_it))

        return counting.summed(each(counted, windows_of(behind)))

    def _suit_a_matrix(self, total: int, k: int) -> bool:
        """Tell whether there is room for counters of all pairs, and there are as many pairs to count."""
        n = len(self.column.vocabulary)
        return n <= MOST_SYMBOLS and n * n <= total and k <= np.iinfo(np.int32).max

    def _triples(self, total: int, k: int, threads: int) -> Triples | None:
        """Return the counters of all sets of three, of so many occurrences; None where others take less."""
        most = self._store.limits.held(MOST_OF_TRIPLES, threads)
        triples = Triples(self._rows, k, most, threads)
        return triples if triples.windows and triples.bytes <= BYTES_PER_OCCURRENCE * total else None

    def _count_items(self, k: int) -> Count:
        supports = self.column.occurrences
        rare = np.flatnonzero((supports > 0) & (supports < k))
        if len(rare) == 0:
            return Count(1, self.symbols)
        return Count(1, self.symbols, (int(rare[0]),), int(supports[rare[0]]))

    def _measured(self, size: int) -> tuple[Int64, Int64]:
        """Return int64 (V,) each: codes of the rows from each symbol on, and rows, where others are behind it."""
        from anonset_kernels.published_rows import measure_suffixes

        behind, with_it = np.zeros((2, len(self.column.vocabulary)), np.int64)
        for a, b in spans(self.n):
            measure_suffixes(rows_of(self._rows, a, b), size - 1, behind, with_it)
        return behind, with_it

    def _gathered(self, size: int, window: tuple[int, int], behind: Int64, with_it: Int64) -> tuple[SetColumn, Int64]:
        """Return the rows from each symbol of a window on, symbol by symbol, and their weights."""
        from anonset_kernels.published_rows import gather_suffixes

        sizes = np.stack([with_it[slice(*window)], behind[slice(*window)]])
        n_rows, n_codes = sizes.sum(axis=1).tolist()
        indptr, items, weight = np.zeros(n_rows + 1, np.int64), np.empty(n_codes, np.int32), np.empty(n_rows, np.int64)
        fill = np.cumsum(sizes, axis=1) - sizes
        for (a, b), least in zip(spans(self.n), self._least, strict=True):
            if least >= window[1]:  # where the rows are in order, half of them, on average
                continue
            gather_suffixes(
                rows_of(self._rows, a, b), self.weight[a:b], size - 1, window, fill, (indptr, items), weight
            )
        return SetColumn(self.column.name, indptr, items, self.column.vocabulary), weight


def require_well_formed(column: SetColumn) -> None:
    """Refuse a column whose codes are outside its vocabulary, or not strictly ascending in a record.

    Raises
    ------
    InputError
        With the first offending record.
    """
    for first, end in spans(column.n):
        _require_well_formed(column, first, end)


def _require_well_formed(column: SetColumn, first: int, end: int) -> None:
    indptr = column.indptr[first : end + 1]
    falls = indptr[1:] < indptr[:-1]
    if bool(np.any(falls)):
        record = first + int(np.argmax(falls))
        msg = f"column {column.name!r}: indptr must not decrease, but does at record {record}"
        raise InputError(msg)
    items = column.codes[indptr[0] : indptr[-1]]
    outside = (items < 0) | (items >= len(column.vocabulary))
    if bool(np.any(outside)):
        at = int(np.argmax(outside))
        need = f"codes must be in 0..{len(column.vocabulary) - 1}"
        msg = f"column {column.name!r}: {need}, got {items[at]} in record {_row(column, int(indptr[0]) + at)}"
        raise InputError(msg)
    falls = np.zeros(len(items) + 1, bool)
    falls[1:-1] = items[1:] <= items[:-1]
    falls[indptr - indptr[0]] = False  # nothing is required between two records
    if bool(np.any(falls)):
        record = _row(column, int(indptr[0]) + int(np.argmax(falls)))
        msg = f"column {column.name!r}: codes must be strictly ascending in a record, but are not in record {record}"
        raise InputError(msg)


def _row(column: SetColumn, position: int) -> int:
    return int(np.searchsorted(column.indptr, position, side="right")) - 1


def check_km(
    column: SetColumn,
    model: KmAnonymity,
    budget: int,
    progress: Progress | None,
    store: Store = MEMORY,
) -> Verdict:
    """Check published records; the witness is the smallest violating set, then the first by its codes.

    Every size from 1 to m is counted, none is inferred from another: a record shorter than m holds no set of m
    symbols at all. Sizes beyond the longest record have nothing to count. Where records are long, symbols that are in
    the same records are counted as one: sets of several of them are as frequent as smaller ones, which were counted.
    """
    rows = DistinctRows(column, store)
    sizes = min(model.m, rows.longest)
    checked: dict[str, Any] = {"rows": column.n, "distinct_rows": rows.n, "symbols": rows.symbols}
    occurrences = checked["itemset_occurrences"] = {}
    distinct = checked["distinct_itemsets"] = {}
    left, merged_columns = budget, False
    for size in range(1, sizes + 1):
        if rows.occurrences(size) > _WORTH_MERGING and not merged_columns:
            merged_columns = True
            if (columns := rows.merge_columns()) < rows.symbols:
                checked["distinct_columns"] = columns
        if not (total := rows.occurrences(size)):
            break
        occurrences[size] = total
        steps = rows.steps(size, model.k)
        if steps > left and int(rows.weight.min(initial=model.k)) >= model.k:  # every set occurs so often
            for name in ("itemset_occurrences", "distinct_itemsets", "distinct_columns"):  # how far they came
                checked.pop(name, None)  # depends on the budget
            checked["covered"] = f"{sizes_covered(model.m, model.m)}: every record occurs at least {model.k} times"
            return Verdict(True, model, checked)
        count = rows.count_within(size, model.k, left, progress)
        if count is None:
            checked["covered"] = too_large(size, model.m, total, budget)
            return Verdict(None, model, checked)
        if count.rare is not None:
            checked["covered"] = f"{sizes_covered(size - 1, model.m)}; size {size} up to the witness"
            return Verdict(False, model, checked, _witness(column, count, model.k))
        left, distinct[size] = left - steps, count.distinct
    longer = f", the longest record has {longest}" if model.m > (longest := rows.column.longest) else ""
    checked["covered"] = f"{sizes_covered(sizes, model.m)}{longer}"
    return Verdict(True, model, checked)


def sizes_covered(covered: int, m: int) -> str:
    """Say up to which size sets are counted."""
    if covered == 0:
        return f"no size of 1..{m}"
    return f"size 1 of {m}" if covered == 1 else f"sizes 1..{covered} of {m}"


def too_large(size: int, m: int, occurrences: int, budget: int) -> str:
    """Say of which size there are too many occurrences to be counted."""
    return (
        f"{sizes_covered(size - 1, m)}; size {size} has {occurrences:,} itemset occurrences, "
        f"more than what is left of the budget of {budget:,}"
    )


def _witness(column: SetColumn, count: Count, k: int) -> Witness:
    """Return the witness of a violating set, once a scan of the published records has confirmed it."""
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
    records = [np.empty(0, np.int64)]
    for first, end in spans(column.n):
        block = column.slice(first, end)
        record = np.searchsorted(block.indptr, np.flatnonzero(wanted[block.items]), side="right") - 1
        records.append(first + np.flatnonzero(np.bincount(record, minlength=block.n) == len(codes)))
    return np.concatenate(records)
