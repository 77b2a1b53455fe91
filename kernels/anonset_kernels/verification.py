"""Kernels of the verification, and of nothing else: they share no code with the search that they check.

Itemsets of one size are enumerated depth first, in the order of their codes: for each prefix that occurs, the
positions where it occurs are gathered, and the items after them are counted into one dense array, which stays in
the innermost cache. Nothing is packed into keys, so no size and no number of symbols can overflow, and the counts
of a prefix are exact as soon as it has been visited. A walk stops after a given amount of work and goes on where
it stopped, so that the caller can report progress and be interrupted.
"""

from typing import NamedTuple

import numpy as np

from anonset_kernels._arrays import BoolArray, Csr, Indptr, Int32Array, Int32Matrix, Int64Array, Int64Matrix, Items
from anonset_kernels._jit import kernel


class Rows(NamedTuple):
    """Distinct records, seen from the positions of their items."""

    items: Items
    """int32 (nnz,): codes, strictly ascending in a row."""
    left: Int32Array
    """int32 (nnz,): number of items after this one in its row."""
    weight: Int64Array
    """int64 (nnz,): number of records that are equal to this one's row."""


class Walk(NamedTuple):
    """Where the enumeration of the itemsets of one size stands; level `d` chooses the item `d` of a set."""

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
    state: Int64Array
    """int64 (5,): level, itemset occurrences, distinct itemsets, and of the offender last symbol (or -1), support."""


@kernel()
def merge_rows(
    indptr: Indptr,
    items: Items,
    slots: Int64Array,
    representative: Int64Array,
    weight: Int64Array,
    begin: int,
    end: int,
    n_found: int,
) -> int:
    """Go through the rows `begin` to `end`, adding new ones to the distinct rows and counting known ones.

    Parameters
    ----------
    slots
        int64 (power of two, more than n): open-addressed table of distinct rows, -1 where free. Rows are
        compared item by item, so the hash decides about speed alone.
    representative, weight
        int64 (n,): first record of each distinct row, and number of records equal to it.
    n_found
        Number of distinct rows so far; the new number is returned. O(items of the rows).
    """
    mask = len(slots) - 1
    for row in range(begin, end):
        start, length = indptr[row], indptr[row + 1] - indptr[row]
        key = 7
        for at in range(start, start + length):
            key = (key * 1000003 + int(items[at]) + 1) & 0x7FFFFFFF
        slot = (key ^ (key >> 15)) & mask
        while slots[slot] >= 0:
            other = indptr[representative[slots[slot]]]
            if indptr[representative[slots[slot]] + 1] - other == length:
                same = 0
                while same < length and items[other + same] == items[start + same]:
                    same += 1
                if same == length:
                    break
            slot = (slot + 1) & mask
        if slots[slot] < 0:
            slots[slot] = n_found
            representative[n_found] = row
            n_found += 1
        weight[slots[slot]] += 1
    return n_found


@kernel()
def _open_level(rows: Rows, walk: Walk, level: int, begin: int, end: int, room: int) -> int:
    """Group the items after the positions `begin` to `end` by symbol, as the symbols of `level`.

    Only items with at least `room` more after them can still grow to the wanted size. Returns the number of
    items looked at.
    """
    items, left, positions, count = rows.items, rows.left, walk.positions, walk.count
    found = 0
    work = 0
    for i in range(begin, end):
        at = positions[i]
        work += left[at]
        for after in range(at + 1, at + left[at] - room + 1):
            symbol = items[after]
            if count[symbol] == 0:
                walk.touched[found] = symbol
                found += 1
            count[symbol] += 1
    walk.symbols[level, :found] = np.sort(walk.touched[:found])
    fill = walk.first[level - 1, walk.cursor[level - 1, 1]]
    for s in range(found):
        symbol = walk.symbols[level, s]
        walk.first[level, s] = fill
        fill += count[symbol]
        count[symbol] = walk.first[level, s]
    walk.first[level, found] = fill
    for i in range(begin, end):
        at = positions[i]
        for after in range(at + 1, at + left[at] - room + 1):
            symbol = items[after]
            positions[count[symbol]] = after
            count[symbol] += 1
    for s in range(found):
        count[walk.symbols[level, s]] = 0
    walk.cursor[level, 0] = 0
    walk.cursor[level, 1] = found
    return work


@kernel()
def _count_extensions(rows: Rows, walk: Walk, begin: int, end: int, k: int) -> int:
    """Count the records of each extension of the prefix that occurs at the positions `begin` to `end`.

    Adds to the walk's figures and notes the smallest symbol whose support is below `k`. Returns the occurrences.
    """
    items, left, positions, count, touched = rows.items, rows.left, walk.positions, walk.count, walk.touched
    found = 0
    work = 0
    for i in range(begin, end):
        at = positions[i]
        weight = rows.weight[at]
        work += left[at]
        for after in range(at + 1, at + left[at] + 1):
            symbol = items[after]
            if count[symbol] == 0:
                touched[found] = symbol
                found += 1
            count[symbol] += weight
    for s in range(found):
        symbol = touched[s]
        if count[symbol] < k and (walk.state[3] < 0 or symbol < walk.state[3]):
            walk.state[3] = symbol
            walk.state[4] = count[symbol]
        count[symbol] = 0
    walk.state[1] += work
    walk.state[2] += found
    return work


@kernel()
def advance(rows: Rows, walk: Walk, size: int, k: int, limit: int) -> bool:
    """Go on with the walk over the itemsets of `size` (>= 2) items, for about `limit` steps.

    Returns whether the walk is over: all itemsets are counted, or ``state[3] >= 0`` names the last symbol of the
    first itemset, in the order of the codes, with fewer than `k` records (its others are at the cursors). Cost:
    one step for each occurrence of an itemset, and up to three for those of smaller sizes.
    """
    level = walk.state[0]
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
            work += _count_extensions(rows, walk, begin, end, k)
            if walk.state[3] >= 0:
                return True
            walk.cursor[level, 0] += 1
        else:
            level += 1
            work += 3 * _open_level(rows, walk, level, begin, end, size - 1 - level)
    walk.state[0] = level
    return level < 0


class Members(NamedTuple):
    """What each published symbol stands for, in compressed sparse rows."""

    indptr: Indptr
    """int64 (S + 1,): where the members of each symbol start."""
    items: Items
    """int32: original item codes, ascending for each symbol."""


@kernel()
def _stands_for(members: Members, symbol: int, item: int) -> bool:
    """Tell whether `item` is a member of `symbol`. O(log members)."""
    low, high = members.indptr[symbol], members.indptr[symbol + 1]
    end = high
    while low < high:
        middle = (low + high) // 2
        if members.items[middle] < item:
            low = middle + 1
        else:
            high = middle
    return low < end and members.items[low] == item


@kernel()
def first_untrue(
    original: Csr, published: Csr, record: Int64Array, members: Members, hidden: BoolArray, begin: int, end: int
) -> tuple[int, int, int]:
    """Find the first published row, from `begin` to `end`, that does not tell the truth about its record.

    Parameters
    ----------
    original, published
        Pairs (int64 indptr, int32 codes): the records' items, and the published rows' symbols.
    record
        int64 (n,): record of each published row.
    hidden
        bool (M,): items that no published symbol stands for.

    Returns
    -------
    Row, offending item, offending symbol; -1 where there is none. O(items x symbols x log members) a row.
    """
    for row in range(begin, end):
        item_begin, item_end = original[0][record[row]], original[0][record[row] + 1]
        symbol_begin, symbol_end = published[0][row], published[0][row + 1]
        for i in range(item_begin, item_end):
            item = original[1][i]
            covered = hidden[item]
            for s in range(symbol_begin, symbol_end):
                covered = covered or _stands_for(members, published[1][s], item)
            if not covered:
                return row, int(item), -1
        for s in range(symbol_begin, symbol_end):
            symbol = published[1][s]
            founded = False
            for i in range(item_begin, item_end):
                founded = founded or _stands_for(members, symbol, original[1][i])
            if not founded:
                return row, -1, int(symbol)
    return -1, -1, -1
