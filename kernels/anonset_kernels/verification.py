"""Kernels of the verification, and of nothing else: they share no code with the search that they check.

Itemsets of one size are enumerated depth first, in the order of their codes: for each prefix that occurs, the
positions where it occurs are gathered, and the items after them are counted into one dense array, which stays in
the innermost cache. Nothing is packed into keys, so no size and no number of symbols can overflow, and the counts
of a prefix are exact as soon as it has been visited. A walk stops after a given amount of work and goes on where
it stopped, so that the caller can report progress and be interrupted.
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
)
from anonset_kernels._jit import kernel


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


class Merged(NamedTuple):
    """Rows with equal ones merged, in the order in which they were met; there is room for all rows."""

    representative: Int64Array
    """int64 (n,): first of the equal rows."""
    weight: Int64Array
    """int64 (n,): sum of their weights."""


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
    rows: Csr,
    given: Int64Array,
    slots: Int64Array,
    merged: Merged,
    share: tuple[int, int],
    span: tuple[int, int],
    n: int,
) -> int:
    """Go through the rows of a span, adding new ones to the distinct rows and merging known ones.

    Parameters
    ----------
    rows
        Pair (int64 indptr, int32 codes).
    given
        int64 (rows,): number of records that each row stands for; empty: one.
    slots
        int64 (power of two): open-addressed table of the distinct rows, -1 where free, at most half full. Rows are
        compared item by item, so the hash decides about speed alone.
    share
        (one, of so many): rows of other shares, which are told by the hash too, are passed over.
    n
        Number of distinct rows so far; the new number is returned, or -1 where the table is too small for them.
        O(items of the rows).
    """
    indptr, items = rows
    mask = len(slots) - 1
    for row in range(span[0], span[1]):
        start, length = indptr[row], indptr[row + 1] - indptr[row]
        key = 7
        for at in range(start, start + length):
            key = (key * 1000003 + int(items[at]) + 1) & 0x7FFFFFFF
        if (((key * 0x9E3779B1) >> 20) & 0xFFFF) % share[1] != share[0]:
            continue
        slot = (key ^ (key >> 15)) & mask
        while slots[slot] >= 0:
            other = indptr[merged.representative[slots[slot]]]
            if indptr[merged.representative[slots[slot]] + 1] - other == length:
                same = 0
                while same < length and items[other + same] == items[start + same]:
                    same += 1
                if same == length:
                    break
            slot = (slot + 1) & mask
        if slots[slot] < 0:
            if 2 * n >= mask:
                return -1
            slots[slot] = n
            merged.representative[n] = row
            n += 1
        merged.weight[slots[slot]] += given[row] if len(given) else 1
    return n


@kernel()
def measure_suffixes(rows: Csr, least: int, codes_behind: Int64Array, rows_with: Int64Array) -> None:
    """Add up what is at and behind each symbol in the rows, where at least so many codes are behind it.

    Parameters
    ----------
    rows
        Pair (int64 indptr, int32 codes).
    codes_behind, rows_with
        int64 (V,) and int64 (V,): added to; the codes from the symbol on, and the rows. O(nnz).
    """
    indptr, items = rows
    for row in range(len(indptr) - 1):
        end = indptr[row + 1]
        for at in range(indptr[row], end - least):
            codes_behind[items[at]] += end - at
            rows_with[items[at]] += 1


@kernel()
def gather_suffixes(
    rows: Csr, given: Int64Array, least: int, window: tuple[int, int], fill: Int64Matrix, out: Csr, weight: Int64Array
) -> None:
    """Copy each row from each symbol of a window on, symbol by symbol, where at least so many codes are behind it.

    Parameters
    ----------
    rows, out
        Pairs (int64 indptr, int32 codes).
    given, weight
        int64 (rows,) and int64 (rows of out,): number of records that each row stands for.
    fill
        int64 (2, symbols of the window): where the next row, and its codes, of each symbol go; moved on.

    O(nnz + what is copied).
    """
    indptr, items = rows
    first, last = window
    for row in range(len(indptr) - 1):
        end = indptr[row + 1]
        for at in range(indptr[row], end - least):
            symbol = items[at]
            if symbol >= last:
                break
            if symbol < first:
                continue
            to = fill[1, symbol - first]
            for code in range(at, end):
                out[1][to] = items[code]
                to += 1
            fill[1, symbol - first] = to
            place = fill[0, symbol - first]
            out[0][place + 1] = to
            weight[place] = given[row]
            fill[0, symbol - first] = place + 1


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
def _count_extensions(rows: Rows, walk: Walk, begin: int, end: int, k: int) -> int:
    """Count the records of each extension of the prefix that occurs at the positions `begin` to `end`.

    Adds to the walk's figures and notes the smallest symbol whose support is below `k`. Returns the occurrences.
    """
    items, positions, count, touched = rows.items, walk.positions, walk.count, walk.touched
    found = 0
    work = 0
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
