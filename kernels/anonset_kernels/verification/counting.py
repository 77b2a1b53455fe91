"""Kernels of the verification. They share no code with the search that they check.

Itemsets of a given size are enumerated depth first, in code order. For each prefix that occurs, the walk collects the
positions at which the prefix ends, and counts the items that follow in a dense array. The array fits into the
first-level cache. Itemsets are not packed into keys, so neither large itemsets nor many symbols can cause an overflow.
The counts of a prefix are exact once it has been visited. An enumeration stops after a given number of steps and can be
resumed, so that the caller can report progress and be interrupted.

If many rows contain a prefix, the last two items of the sets are counted as pairs, in counters that stop at k. 64
symbols are checked at a time. A symbol is skipped when all its pairs have reached k.
"""

from typing import NamedTuple

import numpy as np

from anonset_kernels._arrays import (
    Csr,
    Int32Array,
    Int32Matrix,
    Int64Array,
    Int64Matrix,
    Items,
    UInt64Array,
)
from anonset_kernels._jit import kernel

_LEAST_WORTH = 32.0
"""Pairs are counted if their expected number after a prefix is at least this value."""


class DistinctRowItems(NamedTuple):
    """Distinct rows, indexed by item position."""

    items: Items
    """Codes of the rows, strictly ascending in each row, int32 (nnz,)."""
    row: Int32Array
    """Row of each position in `items`, int32 (nnz,)."""
    end: Int64Array
    """End of each row in `items`, int64 (rows,)."""
    weight: Int64Array
    """Number of records equal to each row, int64 (rows,)."""


class PairCounters(NamedTuple):
    """Counters of all pairs of N symbols, and buffers for a row.

    The symbols are numbered from 0. A bitmap of N bits has W words.
    """

    met: Int32Array
    """Number of records that contain each pair, up to k, int32 (N * N,)."""
    open: UInt64Array
    """Bitmap of the pairs with fewer than k records so far, uint64 (N * W,)."""
    number: Int32Array
    """Number of each symbol, int32 (V,)."""
    row: Int32Array
    """Numbers of the symbols in a row in ascending order, int32 (N,)."""
    words: UInt64Array
    """Non-zero words of the row's bitmap, uint64 (W,)."""
    used: Int32Array
    """Bitmap index of each word in `words`, int32 (W,)."""
    first: Int64Array
    """Index in `row` of the first symbol of each word in `words`, int64 (W + 1,). The last element is the end."""


class ItemsetWalk(NamedTuple):
    """Arrays of an enumeration of the itemsets of a given size. Level `d` chooses the d-th item of a set."""

    positions: Int64Array
    """Positions of the candidate symbols, level by level and symbol by symbol, int64."""
    symbols: Int32Matrix
    """Candidate symbols of each level in ascending order, int32 (levels, V)."""
    first: Int64Matrix
    """First position of each candidate symbol, int64 (levels, V + 1)."""
    cursor: Int64Matrix
    """Index of the current symbol and number of symbols at each level, int64 (levels, 2)."""
    count: Int64Array  # type: ignore[assignment]  # the method of this name is not used
    """Counter of each symbol, int64 (V,). Zero between prefixes."""
    touched: Int32Array
    """Symbols with non-zero counters, int32 (V,)."""
    pairs: PairCounters
    """Counters of item pairs at the end of sets."""


class EnumerationCounts(NamedTuple):
    """Counts of an enumeration, and the first itemset with fewer than k records. All fields are int64."""

    level: int
    """Current level of the enumeration. -1 if it is complete."""
    occurrences: int
    """Number of counted itemset occurrences."""
    distinct: int
    """Number of counted distinct itemsets."""
    symbol: int
    """Last symbol of the first itemset with fewer than k records. -1 if there is none so far."""
    support: int
    """Number of records that contain the first itemset with fewer than k records."""

    @classmethod
    def at_start(cls) -> "EnumerationCounts":
        """Return the initial counts of an enumeration."""
        return cls(0, 0, 0, -1, 0)


@kernel(allocates=True)
def _sort(symbols: Int32Array) -> None:
    """Sort in a kernel that counts references: otherwise Numba rejects its first sort in a process."""
    symbols.sort()


@kernel()
def _open_level(rows: DistinctRowItems, walk: ItemsetWalk, level: int, begin: int, end: int, n_following: int) -> int:
    """Group the items that follow the positions `begin` to `end` by symbol. The symbols are the candidates of `level`.

    An item is only used if at least `n_following` items follow it, because the set must reach the required size.
    Returns the number of items read.
    """
    items, positions, count = rows.items, walk.positions, walk.count
    n_symbols = 0
    work = 0
    for i in range(begin, end):
        position = positions[i]
        last = rows.end[rows.row[position]]
        work += last - position - 1
        for after in range(position + 1, last - n_following):
            symbol = items[after]
            if count[symbol] == 0:
                walk.touched[n_symbols] = symbol
                n_symbols += 1
            count[symbol] += 1
    _sort(walk.touched[:n_symbols])
    fill = walk.first[level - 1, walk.cursor[level - 1, 1]]
    for s in range(n_symbols):
        symbol = walk.touched[s]
        walk.symbols[level, s], walk.first[level, s] = symbol, fill
        fill += count[symbol]
        count[symbol] = walk.first[level, s]
    walk.first[level, n_symbols] = fill
    for i in range(begin, end):
        position = positions[i]
        for after in range(position + 1, rows.end[rows.row[position]] - n_following):
            symbol = items[after]
            positions[count[symbol]] = after
            count[symbol] += 1
    for s in range(n_symbols):
        count[walk.symbols[level, s]] = 0
    walk.cursor[level, 0] = 0
    walk.cursor[level, 1] = n_symbols
    return work


@kernel()
def _count_extensions(
    rows: DistinctRowItems, walk: ItemsetWalk, level: int, begin: int, end: int, k: int
) -> EnumerationCounts:
    """Count the records of each extension of the prefix that ends at the positions `begin` to `end`.

    Returns the counts of these itemsets. `symbol` is the smallest symbol with a support below `k`.
    """
    items, positions, count, touched = rows.items, walk.positions, walk.count, walk.touched
    n_symbols = work = support = 0
    rare = -1
    for i in range(begin, end):
        position = positions[i]
        row = rows.row[position]
        weight, last = rows.weight[row], rows.end[row]
        work += last - position - 1
        for after in range(position + 1, last):
            symbol = items[after]
            if count[symbol] == 0:
                touched[n_symbols] = symbol
                n_symbols += 1
            count[symbol] += weight
    for s in range(n_symbols):
        symbol = touched[s]
        if count[symbol] < k and (rare < 0 or symbol < rare):
            rare, support = symbol, count[symbol]
        count[symbol] = 0
    return EnumerationCounts(level, work, n_symbols, rare, support)


@kernel()
def _count_row(pairs: PairCounters, length: int, n: int, weight: int, k: int) -> tuple[int, int, int]:
    """Count the symbol pairs of a row that occurs in `weight` records. The row has `length` of the `n` symbols.

    Returns the number of pairs in the row, the number of pairs that no earlier row contains, and the number of pairs
    that reach `k` records.
    """
    row, words, used, first = pairs.row, pairs.words, pairs.used, pairs.first
    n_words, unit, groups = (n + 63) // 64, np.uint64(1), 0
    for i in range(length):
        word = row[i] >> 6
        if groups == 0 or used[groups - 1] != word:
            used[groups], words[groups], first[groups] = word, np.uint64(0), i
            groups += 1
        words[groups - 1] |= unit << np.uint64(row[i] & 63)
    first[groups] = length
    looked = new = full = begin = 0
    for i in range(length - 1):
        a = np.int64(row[i])
        words[begin] ^= unit << np.uint64(a & 63)  # only symbols after this symbol remain
        if words[begin] == 0:
            begin += 1
        for g in range(begin, groups):
            start, cell = max(first[g], i + 1), a * n_words + used[g]
            looked += first[g + 1] - start
            if words[g] & pairs.open[cell] == 0:
                continue
            for j in range(start, first[g + 1]):
                bit, cell_of_pair = unit << np.uint64(row[j] & 63), a * n + row[j]
                if pairs.open[cell] & bit:
                    new += pairs.met[cell_of_pair] == 0
                    pairs.met[cell_of_pair] = min(k, pairs.met[cell_of_pair] + weight)
                    if pairs.met[cell_of_pair] == k:
                        pairs.open[cell] ^= bit
                        full += 1
    return looked, new, full


@kernel()
def count_pairs(rows: Csr, weight: Int64Array, k: int, pairs: PairCounters) -> int:
    """Count, up to `k`, the records of each symbol pair in some rows. The number of a symbol is its code.

    Parameters
    ----------
    rows
        Pair (int64 indptr, int32 codes).
    weight
        int64 (rows,): number of records equal to each row.

    Returns the number of pair occurrences. Cost: a step per symbol and word of a row's bitmap, and a step per pair
    below `k`.
    """
    indptr, items = rows
    total = 0
    for row in range(len(indptr) - 1):
        length = indptr[row + 1] - indptr[row]
        for i in range(length):
            pairs.row[i] = items[indptr[row] + i]
        total += _count_row(pairs, length, len(pairs.row), weight[row], k)[0]
    return total


@kernel()
def _number_symbols(rows: DistinctRowItems, walk: ItemsetWalk, begin: int, end: int) -> int:
    """Assign numbers to the symbols that follow the positions `begin` to `end`, if counting pairs is faster.

    Returns the number of symbols, or 0 if pairs are not counted: `PairCounters` has no space for all symbols, or there
    are too few pairs for the number of counters.
    """
    items, positions, count = rows.items, walk.positions, walk.count
    entries, n_symbols, n = 0, 0, len(walk.pairs.row)
    for i in range(begin, end):
        entries += rows.end[rows.row[positions[i]]] - positions[i] - 1
    worth = float(entries) * entries / (end - begin)
    if n == 0 or worth < _LEAST_WORTH:
        return 0
    for i in range(begin, end):
        position = positions[i]
        for after in range(position + 1, rows.end[rows.row[position]]):
            symbol = items[after]
            if count[symbol] == 0:
                count[symbol] = 1
                walk.touched[n_symbols] = symbol
                n_symbols += 1
    _sort(walk.touched[:n_symbols])
    for s in range(n_symbols):
        count[walk.touched[s]] = 0
        walk.pairs.number[walk.touched[s]] = s
    return n_symbols if n_symbols <= n and worth > n_symbols * ((n_symbols + 63) // 64) else 0


@kernel()
def _count_pairs_behind(
    rows: DistinctRowItems, walk: ItemsetWalk, level: int, begin: int, end: int, n: int, k: int
) -> EnumerationCounts:
    """Count the records of each pair of `n` numbered symbols after the prefix at the positions `begin` to `end`.

    Returns the counts of these itemsets. `symbol` is the second symbol of the first pair whose support is below `k`.
    The first symbol of this pair is stored as the current symbol of the next level.
    """
    pairs, number = walk.pairs, walk.pairs.number
    pairs.met[: n * n] = 0
    pairs.open[: n * ((n + 63) // 64)] = ~np.uint64(0)
    work = distinct = closed = support = 0
    rare = -1
    for i in range(begin, end):
        position = walk.positions[i]
        row, length = rows.row[position], 0
        for after in range(position + 1, rows.end[row]):
            pairs.row[length] = number[rows.items[after]]
            length += 1
        looked, new, full = _count_row(pairs, length, n, rows.weight[row], k)
        work, distinct, closed = work + looked, distinct + new, closed + full
    for position in range(n * n if closed < distinct else 0):
        if 0 < pairs.met[position] < k:
            walk.symbols[level + 1, 0], walk.cursor[level + 1, 0] = walk.touched[position // n], 0
            rare, support = walk.touched[position % n], pairs.met[position]
            break
    return EnumerationCounts(level, work, distinct, rare, support)


@kernel()
def advance(
    rows: DistinctRowItems, walk: ItemsetWalk, counted: EnumerationCounts, size: int, k: int, limit: int
) -> EnumerationCounts:
    """Continue the enumeration of the itemsets of `size` (>= 2) items for about `limit` steps. Return all counts.

    The enumeration is complete when the level is below 0. It also stops at the first itemset in code order with fewer
    than `k` records. `symbol` is then the last symbol of this set, and the cursors point to its other symbols.

    Parameters
    ----------
    counted
        Counts that the previous call returned.

    Cost: a step per itemset occurrence, and up to three steps per occurrence of a smaller itemset. Counting pairs takes
    fewer steps.
    """
    level, occurrences, distinct = counted.level, counted.occurrences, counted.distinct
    work = 0
    while level >= 0 and work < limit:
        branch = walk.cursor[level, 0]
        if branch == walk.cursor[level, 1]:
            level -= 1
            if level >= 0:
                walk.cursor[level, 0] += 1
            continue
        work += 1
        begin, end = walk.first[level, branch], walk.first[level, branch + 1]
        if level == size - 2:
            more = _count_extensions(rows, walk, level, begin, end, k)
        else:
            n = _number_symbols(rows, walk, begin, end) if level == size - 3 else 0
            if n == 0:
                level += 1
                work += 3 * _open_level(rows, walk, level, begin, end, size - 1 - level)
                continue
            more = _count_pairs_behind(rows, walk, level, begin, end, n, k)
        work, occurrences, distinct = work + more.occurrences, occurrences + more.occurrences, distinct + more.distinct
        if more.symbol >= 0:
            return EnumerationCounts(level, occurrences, distinct, more.symbol, more.support)
        walk.cursor[level, 0] += 1
    return EnumerationCounts(level, occurrences, distinct, -1, 0)
