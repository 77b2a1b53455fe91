"""Verification kernels that compare published rows with their original records."""

from typing import NamedTuple

import numpy as np

from anonset_kernels._arrays import BoolArray, Csr, Indptr, Int32Array, Int64Array, Items, UInt16Array, UInt64Array
from anonset_kernels._jit import kernel

_ROWS_AT_ONCE = 64


@kernel()
def first_repeated(record: Int64Array, bitmap: UInt64Array, begin: int, end: int) -> int:
    """Return the first row from `begin` to `end` that publishes the record of an earlier row, or -1. Mark the records
    in `bitmap`.

    `record`, int64 (n,), is the record of each published row. `bitmap`, uint64 (words,), has a bit per record. O(rows).
    """
    unit = np.uint64(1)
    for row in range(begin, end):
        word, bit = record[row] >> 6, np.uint64(record[row] & 63)
        if (bitmap[word] >> bit) & unit:
            return row
        bitmap[word] |= unit << bit
    return -1


@kernel(allocates=True)
def widened(rows: tuple[Int64Array, UInt16Array], chosen: Int64Array) -> Csr:
    """Copy the chosen rows, and convert two-byte items to four bytes.

    Returns the start of each row, int64 (c + 1,), and the items, int32.

    Parameters
    ----------
    rows
        int64 (n + 1,) and uint16 (nnz,): start of each row, and items.
    chosen
        int64 (c,): rows, in any order. O(items of these rows).
    """
    indptr = np.zeros(len(chosen) + 1, np.int64)
    for i in range(len(chosen)):
        indptr[i + 1] = indptr[i] + rows[0][chosen[i] + 1] - rows[0][chosen[i]]
    items = np.empty(indptr[len(chosen)], np.int32)
    for i in range(len(chosen)):
        begin = rows[0][chosen[i]] - indptr[i]
        for entry in range(indptr[i], indptr[i + 1]):
            items[entry] = rows[1][begin + entry]
    return indptr, items


class SymbolMembers(NamedTuple):
    """Items that each published symbol covers, as compressed sparse rows."""

    indptr: Indptr
    """First member of each symbol, int64 (S + 1,)."""
    items: Items
    """Original item codes in ascending order for each symbol, int32."""


@kernel()
def _stands_for(members: SymbolMembers, symbol: int, item: int) -> bool:
    """Return True if `item` is a member of `symbol`. O(log members)."""
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
    original: Csr, published: Csr, record: Int64Array, members: SymbolMembers, hidden: BoolArray, begin: int, end: int
) -> tuple[int, int, int]:
    """Find the first published row from `begin` to `end` that is not a truthful generalization of its record.

    Parameters
    ----------
    original, published
        Pairs (int64 indptr, int32 codes): items of the records, and symbols of the published rows.
    record
        int64 (n,): record of each published row.
    hidden
        bool (M,): items that no published symbol covers.

    Returns
    -------
    Row, offending item and offending symbol, each -1 if there is none. O(items x symbols x log members) per row.
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


@kernel(allocates=True)
def first_untrue_by_one(
    original: Csr, published: Csr, record: Int64Array, symbol_of: Int32Array, n_symbols: int, begin: int, end: int
) -> tuple[int, int, int]:
    """Find the same row as `first_untrue`. No two symbols may cover the same item.

    Parameters
    ----------
    original, published
        Pairs (int64 indptr, int32 codes): items of the records, and symbols of the published rows.
    record
        int64 (n,): record of each published row.
    symbol_of
        int32 (M,): symbol that covers each item, or -1.
    n_symbols
        Number of symbols.

    Returns
    -------
    Row, offending item and offending symbol, each -1 if there is none. O(items + symbols) per row, plus O(n_symbols).

    The records of several rows are copied before they are compared. The records are at random addresses, and copying
    lets the processor load many of them at a time. This takes a quarter of the time.
    """
    mark = np.full(n_symbols, -1, np.int64)  # twice the last row with the symbol, plus 1 if it covers an item
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


@kernel(allocates=True)
def _gathered(rows: Csr, chosen: Int64Array, indptr: Indptr, out: Items) -> Items:
    """Concatenate the chosen rows in `out`, and fill `indptr` with their starts.

    Return `out`, enlarged if necessary.
    """
    indptr[0] = 0
    for i in range(len(chosen)):
        indptr[i + 1] = indptr[i] + rows[0][chosen[i] + 1] - rows[0][chosen[i]]
    if indptr[len(chosen)] > len(out):
        out = np.empty(2 * indptr[len(chosen)], np.int32)
    for i in range(len(chosen)):
        begin = rows[0][chosen[i]]
        for entry in range(indptr[i], indptr[i + 1]):
            out[entry] = rows[1][begin + entry - indptr[i]]
    return out
