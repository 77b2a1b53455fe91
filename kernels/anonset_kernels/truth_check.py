"""Kernels that hold published rows against the records that they were made from; they belong to the verification."""

from typing import NamedTuple

import numpy as np

from anonset_kernels._arrays import BoolArray, Csr, Indptr, Int32Array, Int64Array, Items, UInt16Array, UInt64Array
from anonset_kernels._jit import kernel

_ROWS_AT_ONCE = 64


@kernel()
def first_repeated(record: Int64Array, seen: UInt64Array, begin: int, end: int) -> int:
    """Return the first row, from `begin` to `end`, whose record was seen before, or -1; note the records as seen.

    `record` is int64 (n,): record of each published row; `seen`, uint64 (words,): a bit for each record. O(rows).
    """
    one = np.uint64(1)
    for row in range(begin, end):
        word, bit = record[row] >> 6, np.uint64(record[row] & 63)
        if (seen[word] >> bit) & one:
            return row
        seen[word] |= one << bit
    return -1


@kernel()
def widened(rows: tuple[Int64Array, UInt16Array], chosen: Int64Array) -> Csr:
    """Return the chosen rows, side by side, with items of four bytes where they have two: int64 (c + 1,) and int32.

    Parameters
    ----------
    rows
        int64 (n + 1,) and uint16 (nnz,): where each row begins, and the items.
    chosen
        int64 (c,): rows, anywhere and in any order. O(items of these).
    """
    indptr = np.zeros(len(chosen) + 1, np.int64)
    for i in range(len(chosen)):
        indptr[i + 1] = indptr[i] + rows[0][chosen[i] + 1] - rows[0][chosen[i]]
    items = np.empty(indptr[len(chosen)], np.int32)
    for i in range(len(chosen)):
        begin = rows[0][chosen[i]] - indptr[i]
        for at in range(indptr[i], indptr[i + 1]):
            items[at] = rows[1][begin + at]
    return indptr, items


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


@kernel()
def first_untrue_by_one(
    original: Csr, published: Csr, record: Int64Array, symbol_of: Int32Array, n_symbols: int, begin: int, end: int
) -> tuple[int, int, int]:
    """Find what `first_untrue` does where no two symbols stand for the same item.

    Parameters
    ----------
    original, published
        Pairs (int64 indptr, int32 codes): the records' items, and the published rows' symbols.
    record
        int64 (n,): record of each published row.
    symbol_of
        int32 (M,): the symbol that stands for each item; -1 where none does.
    n_symbols
        Number of symbols.

    Returns
    -------
    Row, offending item, offending symbol; -1 where there is none. O(items + symbols) a row, and O(n_symbols).

    The records of some rows are gathered before they are looked at, for they lie anywhere: so the processor waits for
    many of them at a time, which takes a quarter of the time.
    """
    mark = np.full(n_symbols, -1, np.int64)  # twice the last row that shows the symbol, and 1 once an item is found
    indptr, items = np.empty(_ROWS_AT_ONCE + 1, np.int64), np.empty(0, np.int32)
    for some in range(begin, end, _ROWS_AT_ONCE):
        stop = min(some + _ROWS_AT_ONCE, end)
        items = _gathered(original, record[some:stop], indptr, items)
        for row in range(some, stop):
            first, last, shown = published[0][row], published[0][row + 1], 2 * row
            for s in range(first, last):
                mark[published[1][s]] = shown
            n_founded = 0
            for item in items[indptr[row - some] : indptr[row - some + 1]]:
                symbol = symbol_of[item]
                if symbol >= 0:
                    if mark[symbol] < shown:
                        return row, int(item), -1
                    n_founded += shown + 1 - mark[symbol]
                    mark[symbol] = shown + 1
            if n_founded < last - first:
                for s in range(first, last):
                    if mark[published[1][s]] == shown:
                        return row, -1, int(published[1][s])
    return -1, -1, -1


@kernel()
def _gathered(rows: Csr, chosen: Int64Array, indptr: Indptr, room: Items) -> Items:
    """Copy the chosen rows, side by side, into `room`, or a larger array; fill `indptr` with where they begin."""
    indptr[0] = 0
    for i in range(len(chosen)):
        indptr[i + 1] = indptr[i] + rows[0][chosen[i] + 1] - rows[0][chosen[i]]
    if indptr[len(chosen)] > len(room):
        room = np.empty(2 * indptr[len(chosen)], np.int32)
    for i in range(len(chosen)):
        begin = rows[0][chosen[i]]
        for at in range(indptr[i], indptr[i + 1]):
            room[at] = rows[1][begin + at - indptr[i]]
    return room
