"""Kernels of the verification. They share no code with the search that they check.

Itemsets of one size are enumerated depth first, in code order. For each prefix that occurs, the walk gathers its
positions and counts the items after them in one dense array, which fits into the first-level cache. Itemsets are not
packed into keys, so no itemset size and no number of symbols can overflow. The counts of a prefix are exact once it has
been visited. An enumeration stops after a given number of steps and can be resumed, so that the caller can report
progress and be interrupted.

If many rows contain a prefix, the last two items of the sets are counted as pairs, in counters that stop at k. 64
symbols are checked at a time; a symbol is skipped after all its pairs have reached k.
"""

from typing import NamedTuple

import numpy as np

from anonset_kernels._arrays import (
    Csr,
    Int32Array,
    Int32Matrix,
    Int64Array,
    Int64Matrix,
    Integer,
    Items,
    UInt64Array,
    UInt64Matrix,
)
from anonset_kernels._counted_bits import number_of_bits
from anonset_kernels._jit import kernel

_LEAST_WORTH = 32.0
"""Smallest expected number of pairs after a prefix for which pairs are counted."""


class DistinctRowItems(NamedTuple):
    """Distinct rows, indexed by item position."""

    items: Items
    """int32 (nnz,): codes, strictly ascending in a row."""
    row: Int32Array
    """int32 (nnz,): the row of each position."""
    end: Int64Array
    """int64 (rows,): end of each row in `items`."""
    weight: Int64Array
    """int64 (rows,): number of records equal to each row."""


class PairCounters(NamedTuple):
    """Counters of all pairs of N symbols, numbered from 0, and buffers for a row. A bitmap of N bits has W elements."""

    met: Int32Array
    """int32 (N * N,): records that contain each pair, up to k."""
    open: UInt64Array
    """uint64 (N * W,): bits of the pairs with fewer than k records so far."""
    number: Int32Array
    """int32 (V,): number of each symbol."""
    row: Int32Array
    """int32 (N,): symbol numbers in a row, ascending."""
    words: UInt64Array
    """uint64 (W,): non-zero words of the row's bitmap."""
    used: Int32Array
    """int32 (W,): index of each of these words."""
    first: Int64Array
    """int64 (W + 1,): index in `row` of the first symbol of each word in `words`, and the end."""


class ItemsetWalk(NamedTuple):
    """Arrays of an enumeration of the itemsets of a given size. Level `d` chooses the d-th item of a set."""

    positions: Int64Array
    """int64: positions of the symbols of each level, level by level, grouped by symbol."""
    symbols: Int32Matrix
    """int32 (levels, V): candidate symbols of each level, ascending."""
    first: Int64Matrix
    """int64 (levels, V + 1): first position of each candidate symbol."""
    cursor: Int64Matrix
    """int64 (levels, 2): index of the current symbol, and number of symbols."""
    count: Int64Array  # type: ignore[assignment]  # no use is made of the method of this name
    """int64 (V,): counters, zero between prefixes."""
    touched: Int32Array
    """int32 (V,): symbols with non-zero counters."""
    pairs: PairCounters
    """Counters of item pairs at the end of sets."""


class EnumerationCounts(NamedTuple):
    """Counts of an enumeration so far, and the first itemset with fewer than k records. All fields are int64."""

    level: int
    """Current level of the enumeration; -1 if it is complete."""
    occurrences: int
    """Number of itemset occurrences counted."""
    distinct: int
    """Number of distinct itemsets counted."""
    symbol: int
    """Last symbol of the first itemset with fewer than k records; -1 if none was found."""
    support: int
    """Number of records that contain this itemset."""

    @classmethod
    def at_start(cls) -> "EnumerationCounts":
        """Return the initial counts of an enumeration."""
        return cls(0, 0, 0, -1, 0)


@kernel()
def _open_level(rows: DistinctRowItems, walk: ItemsetWalk, level: int, begin: int, end: int, n_following: int) -> int:
    """Group the items after the positions `begin` to `end` by symbol, as the candidate symbols of `level`.

    Only items with at least `n_following` more items after them can still grow to the required size. Returns the number
    of items read.
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
    walk.touched[:n_symbols].sort()
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
    """Count the records of each extension of the prefix that occurs at the positions `begin` to `end`.

    Returns the counts of these itemsets, with the smallest symbol that has a support below `k`.
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
    """Count the pairs of a row of `length` symbols, out of `n`, that occurs in `weight` records.

    Returns the number of its pairs, of pairs seen for the first time, and of pairs that have just reached `k` records.
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
    """Count, up to `k`, the symbol pairs of some rows. Symbols are numbered by their codes.

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
def set_bits(rows: Csr, number: Int32Array, copies: Int64Matrix, bits: UInt64Matrix) -> None:
    """Set, in the bitmap of each symbol, the bits of the rows that contain it.

    Parameters
    ----------
    rows
        Pair (int64 indptr, int32 codes).
    number
        int32 (V,): row of each symbol in `bits`.
    copies
        int64 (rows, 3): bit of each row, and range of the additional bits.
    bits
        uint64 (symbols, words).
    """
    indptr, items = rows
    unit = np.uint64(1)
    for row in range(len(indptr) - 1):
        copy_bit, begin, end = copies[row]
        for entry in range(indptr[row], indptr[row + 1]):
            symbol = number[items[entry]]
            bits[symbol, copy_bit >> 6] |= unit << np.uint64(copy_bit & 63)
            for copy in range(begin, end):
                bits[symbol, copy >> 6] |= unit << np.uint64(copy & 63)


class SharedPairCounts(NamedTuple):
    """Counts of symbol pairs, and the first pair with fewer than k records. All fields are int64."""

    occurrences: Integer
    """Number of pair occurrences."""
    distinct: Integer
    """Number of distinct pairs that occur."""
    a: Integer
    """First symbol of the first pair with fewer than k records; -1 if there is none."""
    b: Integer
    """Second symbol of this pair."""
    support: Integer
    """Number of records that contain this pair."""


@kernel()
def count_shared_bits(bits: UInt64Matrix, n_first: int, begin: int, end: int, k: int) -> SharedPairCounts:
    """Count the rows shared by each symbol from `begin` to `end` and each later symbol, up to the first rare pair.

    Parameters
    ----------
    bits
        uint64 (symbols, words): rows that contain each symbol. The first words have a bit per row; the others have
        additional bits for rows that occur in several records.
    n_first
        Number of words with a bit per row.

    Cost: a step per word and pair.
    """
    n, n_words = bits.shape
    occurrences = distinct = np.int64(0)
    for a in range(begin, end):
        for b in range(a + 1, n):
            first = more = np.int64(0)
            for word in range(n_first):
                first += number_of_bits(bits[a, word] & bits[b, word])
            for word in range(n_first, n_words):
                more += number_of_bits(bits[a, word] & bits[b, word])
            if first > 0:
                occurrences += first
                distinct += 1
                if first + more < k:
                    return SharedPairCounts(occurrences, distinct, a, b, first + more)
    return SharedPairCounts(occurrences, distinct, -1, -1, 0)


@kernel()
def _number_symbols(rows: DistinctRowItems, walk: ItemsetWalk, begin: int, end: int) -> int:
    """Assign numbers to the symbols after the positions `begin` to `end`, in order, if counting pairs is worth it.

    Returns the number of symbols. Returns 0 if there are more symbols than `PairCounters` has space for, or too few
    pairs for the number of counters.
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
    walk.touched[:n_symbols].sort()
    for s in range(n_symbols):
        count[walk.touched[s]] = 0
        walk.pairs.number[walk.touched[s]] = s
    return n_symbols if n_symbols <= n and worth > n_symbols * ((n_symbols + 63) // 64) else 0


@kernel()
def _count_pairs_behind(
    rows: DistinctRowItems, walk: ItemsetWalk, level: int, begin: int, end: int, n: int, k: int
) -> EnumerationCounts:
    """Count the records of each pair of `n` numbered symbols after the prefix at the positions `begin` to `end`.

    Returns the counts of these itemsets, with the second symbol of the first pair whose support is below `k`. The first
    symbol of this pair is stored as the current symbol of the next level.
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
    """Continue the enumeration of the itemsets of `size` (>= 2) items for about `limit` steps; return all counts.

    The enumeration is complete when the level is below 0. It also stops at the first itemset, in code order, with fewer
    than `k` records: `symbol` is the last symbol of this set, and the cursors point to the other symbols.

    Parameters
    ----------
    counted
        Counts that the previous call returned.

    Cost: a step per itemset occurrence (less if pairs are counted together), and up to three per occurrence of a
    smaller itemset.
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
