"""Kernels of the verification, and of nothing else: they share no code with the search that they check.

Itemsets of one size are enumerated depth first, in the order of their codes: for each prefix that occurs, the
positions where it occurs are gathered, and the items after them are counted into one dense array, which stays in
the innermost cache. Nothing is packed into keys, so no size and no number of symbols can overflow, and the counts
of a prefix are exact as soon as it has been visited. A walk stops after a given amount of work and goes on where
it stopped, so that the caller can report progress and be interrupted.

Where many rows hold a prefix, the last two items of the sets are counted together, in counters that stop at k: of a
row, 64 symbols at a time are passed over whose pairs have all been met k times.
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
"""Pairs behind a prefix for which it is looked up how many symbols there are."""


class Rows(NamedTuple):
    """Distinct rows, seen from the positions of their items."""

    items: Items
    """int32 (nnz,): codes, strictly ascending in a row."""
    row: Int32Array
    """int32 (nnz,): the row of each position."""
    end: Int64Array
    """int64 (rows,): where each row ends in `items`."""
    weight: Int64Array
    """int64 (rows,): number of records that each row stands for."""


class Pairs(NamedTuple):
    """Counters of all pairs of up to N symbols, numbered from 0, and room for one row. W words hold N bits."""

    met: Int32Array
    """int32 (N * N,): records of each pair, up to k."""
    open: UInt64Array
    """uint64 (N * W,): bits of the pairs that have not been met k times."""
    number: Int32Array
    """int32 (V,): number of each symbol."""
    row: Int32Array
    """int32 (N,): numbers of the symbols of a row, ascending."""
    words: UInt64Array
    """uint64 (W,): their bits, of those words that are not zero."""
    used: Int32Array
    """int32 (W,): which words these are."""
    first: Int64Array
    """int64 (W + 1,): where the symbols of each begin in the row."""


class Walk(NamedTuple):
    """Arrays of an enumeration of the itemsets of one size; level `d` chooses the item `d` of a set."""

    positions: Int64Array
    """int64: for each level, one after another, the positions of its symbols, grouped by symbol."""
    symbols: Int32Matrix
    """int32 (levels, V): symbols that may come next at each level, ascending."""
    first: Int64Matrix
    """int64 (levels, V + 1): where the positions of each of them start."""
    cursor: Int64Matrix
    """int64 (levels, 2): the symbol at hand, and their number."""
    count: Int64Array  # type: ignore[assignment]  # no use is made of the method of this name
    """int64 (V,): counters, zero between prefixes."""
    touched: Int32Array
    """int32 (V,): symbols whose counters are not zero."""
    pairs: Pairs
    """Counters of the last two items of sets together."""


class Counted(NamedTuple):
    """Counts of an enumeration so far, and the first itemset that is too rare. All fields are int64."""

    level: int
    """Current level of the enumeration; -1 if it has ended."""
    occurrences: int
    """Itemset occurrences counted."""
    distinct: int
    """Distinct itemsets counted."""
    symbol: int
    """Last symbol of the first itemset with fewer than k records; -1 if none was found."""
    support: int
    """Number of records that contain this itemset."""

    @classmethod
    def at_start(cls) -> "Counted":
        """Return the counts before the first itemset."""
        return cls(0, 0, 0, -1, 0)


@kernel()
def _open_level(rows: Rows, walk: Walk, level: int, begin: int, end: int, room: int) -> int:
    """Group the items after the positions `begin` to `end` by symbol, as the symbols of `level`.

    Only items with at least `room` more after them can still grow to the wanted size. Returns the number of
    items looked at.
    """
    items, positions, count = rows.items, walk.positions, walk.count
    found = 0
    work = 0
    for i in range(begin, end):
        at = positions[i]
        last = rows.end[rows.row[at]]
        work += last - at - 1
        for after in range(at + 1, last - room):
            symbol = items[after]
            if count[symbol] == 0:
                walk.touched[found] = symbol
                found += 1
            count[symbol] += 1
    walk.touched[:found].sort()
    fill = walk.first[level - 1, walk.cursor[level - 1, 1]]
    for s in range(found):
        symbol = walk.touched[s]
        walk.symbols[level, s], walk.first[level, s] = symbol, fill
        fill += count[symbol]
        count[symbol] = walk.first[level, s]
    walk.first[level, found] = fill
    for i in range(begin, end):
        at = positions[i]
        for after in range(at + 1, rows.end[rows.row[at]] - room):
            symbol = items[after]
            positions[count[symbol]] = after
            count[symbol] += 1
    for s in range(found):
        count[walk.symbols[level, s]] = 0
    walk.cursor[level, 0] = 0
    walk.cursor[level, 1] = found
    return work


@kernel()
def _count_extensions(rows: Rows, walk: Walk, level: int, begin: int, end: int, k: int) -> Counted:
    """Count the records of each extension of the prefix that occurs at the positions `begin` to `end`.

    Returns the counts of these itemsets, with the smallest symbol whose support is below `k`.
    """
    items, positions, count, touched = rows.items, walk.positions, walk.count, walk.touched
    found = work = support = 0
    rare = -1
    for i in range(begin, end):
        at = positions[i]
        row = rows.row[at]
        weight, last = rows.weight[row], rows.end[row]
        work += last - at - 1
        for after in range(at + 1, last):
            symbol = items[after]
            if count[symbol] == 0:
                touched[found] = symbol
                found += 1
            count[symbol] += weight
    for s in range(found):
        symbol = touched[s]
        if count[symbol] < k and (rare < 0 or symbol < rare):
            rare, support = symbol, count[symbol]
        count[symbol] = 0
    return Counted(level, work, found, rare, support)


@kernel()
def _count_row(pairs: Pairs, length: int, n: int, weight: int, k: int) -> tuple[int, int, int]:
    """Count the pairs of a row of so many of `n` symbols, which stands for `weight` records.

    Returns the number of its pairs, of those met for the first time, and of those that have now been met `k` times.
    """
    row, words, used, first = pairs.row, pairs.words, pairs.used, pairs.first
    n_words, one, groups = (n + 63) // 64, np.uint64(1), 0
    for i in range(length):
        word = row[i] >> 6
        if groups == 0 or used[groups - 1] != word:
            used[groups], words[groups], first[groups] = word, np.uint64(0), i
            groups += 1
        words[groups - 1] |= one << np.uint64(row[i] & 63)
    first[groups] = length
    looked = new = full = begin = 0
    for i in range(length - 1):
        a = np.int64(row[i])
        words[begin] ^= one << np.uint64(a & 63)  # what is left are the symbols behind this one
        if words[begin] == 0:
            begin += 1
        for g in range(begin, groups):
            behind, cell = max(first[g], i + 1), a * n_words + used[g]
            looked += first[g + 1] - behind
            if words[g] & pairs.open[cell] == 0:
                continue
            for j in range(behind, first[g + 1]):
                own, at = one << np.uint64(row[j] & 63), a * n + row[j]
                if pairs.open[cell] & own:
                    new += pairs.met[at] == 0
                    pairs.met[at] = min(k, pairs.met[at] + weight)
                    if pairs.met[at] == k:
                        pairs.open[cell] ^= own
                        full += 1
    return looked, new, full


@kernel()
def count_pairs(rows: Csr, weight: Int64Array, k: int, pairs: Pairs) -> int:
    """Count, up to `k`, the pairs of the symbols of some rows; the number of a symbol is its code.

    Parameters
    ----------
    rows
        Pair (int64 indptr, int32 codes).
    weight
        int64 (rows,): number of records that each row stands for.

    Returns the occurrences of pairs. Cost: a look at each word of a row's bits for each of its symbols, and a step for
    each pair that has not been met `k` times.
    """
    indptr, items = rows
    total = 0
    for row in range(len(indptr) - 1):
        length = indptr[row + 1] - indptr[row]
        for at in range(length):
            pairs.row[at] = items[indptr[row] + at]
        total += _count_row(pairs, length, len(pairs.row), weight[row], k)[0]
    return total


@kernel()
def set_bits(rows: Csr, number: Int32Array, copies: Int64Matrix, bits: UInt64Matrix) -> None:
    """Set in the row of each symbol the bits of the rows that hold it.

    Parameters
    ----------
    rows
        Pair (int64 indptr, int32 codes).
    number
        int32 (V,): the row of `bits` of each symbol.
    copies
        int64 (rows, 3): the bit of each row, and from where to where it has further ones.
    bits
        uint64 (symbols, words).
    """
    indptr, items = rows
    one = np.uint64(1)
    for row in range(len(indptr) - 1):
        own, begin, end = copies[row]
        for at in range(indptr[row], indptr[row + 1]):
            symbol = number[items[at]]
            bits[symbol, own >> 6] |= one << np.uint64(own & 63)
            for copy in range(begin, end):
                bits[symbol, copy >> 6] |= one << np.uint64(copy & 63)


class SharedBits(NamedTuple):
    """Counts of pairs of symbols, and the first pair that is too rare. All fields are int64."""

    occurrences: Integer
    """Occurrences of pairs."""
    distinct: Integer
    """Distinct pairs that occur."""
    a: Integer
    """First symbol of the first pair with fewer than k records; -1 if there is none."""
    b: Integer
    """Second symbol of this pair."""
    support: Integer
    """Number of records that contain this pair."""


@kernel()
def count_shared_bits(bits: UInt64Matrix, n_first: int, begin: int, end: int, k: int) -> SharedBits:
    """Count the rows that each symbol from `begin` to `end` shares with each later symbol, up to the first rare pair.

    Parameters
    ----------
    bits
        uint64 (symbols, words): the rows that contain each symbol. The first words have one bit for each row; the
        others have further bits for rows that stand for several records.
    n_first
        Number of the first words.

    Cost: a step for each word of each pair.
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
                    return SharedBits(occurrences, distinct, a, b, first + more)
    return SharedBits(occurrences, distinct, -1, -1, 0)


@kernel()
def _number_symbols(rows: Rows, walk: Walk, begin: int, end: int) -> int:
    """Give numbers to the symbols after the positions `begin` to `end`, in order, if it pays to count their pairs.

    Returns how many there are, 0 if it does not pay: there is no room, or less to count than there are counters.
    """
    items, positions, count = rows.items, walk.positions, walk.count
    entries, found, n = 0, 0, len(walk.pairs.row)
    for i in range(begin, end):
        entries += rows.end[rows.row[positions[i]]] - positions[i] - 1
    worth = float(entries) * entries / (end - begin)
    if n == 0 or worth < _LEAST_WORTH:
        return 0
    for i in range(begin, end):
        at = positions[i]
        for after in range(at + 1, rows.end[rows.row[at]]):
            symbol = items[after]
            if count[symbol] == 0:
                count[symbol] = 1
                walk.touched[found] = symbol
                found += 1
    walk.touched[:found].sort()
    for s in range(found):
        count[walk.touched[s]] = 0
        walk.pairs.number[walk.touched[s]] = s
    return found if found <= n and worth > found * ((found + 63) // 64) else 0


@kernel()
def _count_pairs_behind(rows: Rows, walk: Walk, level: int, begin: int, end: int, n: int, k: int) -> Counted:
    """Count the records of each two of `n` numbered symbols behind the prefix at the positions `begin` to `end`.

    Returns the counts of these itemsets, with the second symbol of the first pair whose support is below `k`. The
    first symbol of this pair is stored as the current symbol of the next level.
    """
    pairs, number = walk.pairs, walk.pairs.number
    pairs.met[: n * n] = 0
    pairs.open[: n * ((n + 63) // 64)] = ~np.uint64(0)
    work = distinct = closed = support = 0
    rare = -1
    for i in range(begin, end):
        at = walk.positions[i]
        row, length = rows.row[at], 0
        for after in range(at + 1, rows.end[row]):
            pairs.row[length] = number[rows.items[after]]
            length += 1
        looked, new, full = _count_row(pairs, length, n, rows.weight[row], k)
        work, distinct, closed = work + looked, distinct + new, closed + full
    for at in range(n * n if closed < distinct else 0):
        if 0 < pairs.met[at] < k:
            walk.symbols[level + 1, 0], walk.cursor[level + 1, 0] = walk.touched[at // n], 0
            rare, support = walk.touched[at % n], pairs.met[at]
            break
    return Counted(level, work, distinct, rare, support)


@kernel()
def advance(rows: Rows, walk: Walk, counted: Counted, size: int, k: int, limit: int) -> Counted:
    """Continue the enumeration of the itemsets of `size` (>= 2) items for about `limit` steps; return all counts.

    The enumeration ends with a level below 0 when all itemsets are counted, or with a symbol of 0 or more: that of the
    first itemset, in the order of the codes, with fewer than `k` records. Its other symbols are at the cursors.

    Parameters
    ----------
    counted
        Counts that the previous call returned.

    Cost: one step for each occurrence of an itemset, fewer if pairs are counted together, and up to three for each
    occurrence of a smaller itemset.
    """
    level, occurrences, distinct = counted.level, counted.occurrences, counted.distinct
    work = 0
    while level >= 0 and work < limit:
        at = walk.cursor[level, 0]
        if at == walk.cursor[level, 1]:
            level -= 1
            if level >= 0:
                walk.cursor[level, 0] += 1
            continue
        work += 1
        begin, end = walk.first[level, at], walk.first[level, at + 1]
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
            return Counted(level, occurrences, distinct, more.symbol, more.support)
        walk.cursor[level, 0] += 1
    return Counted(level, occurrences, distinct, -1, 0)
