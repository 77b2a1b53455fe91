"""Sort, map and transpose the rows of a set-valued column (compressed sparse rows)."""

import numpy as np

from anonset_kernels._arrays import BoolArray, Csr, Indptr, Int32Array, Integer, ItemRecords, Items, ItemStart
from anonset_kernels._jit import kernel
from anonset_kernels._sorted import insert


@kernel(allocates=True)
def transpose(indptr: Indptr, items: Items, n_items: int) -> tuple[ItemStart, ItemRecords]:
    """List the records of each item. O(nnz + M).

    Returns the start of each item's list, int64 (M + 1,), and the records in ascending order, int32 (nnz,).
    """
    start = np.zeros(n_items + 1, np.int64)
    for item in items:
        start[item + 1] += 1
    for code in range(n_items):
        start[code + 1] += start[code]
    fill = start[:-1].copy()
    records = np.empty(len(items), np.int32)
    for record in range(len(indptr) - 1):
        for entry in range(indptr[record], indptr[record + 1]):
            item = items[entry]
            records[fill[item]] = record
            fill[item] += 1
    return start, records


@kernel()
def sort_rows(indptr: Indptr, items: Items) -> None:
    """Sort each row in place by insertion, in O(length^2)."""
    for record in range(len(indptr) - 1):
        first = indptr[record]
        for entry in range(first + 1, indptr[record + 1]):
            insert(items, first, entry, items[entry])


@kernel(allocates=True)
def map_rows(indptr: Indptr, items: Items, symbol_of: Int32Array, n_symbols: int) -> Csr:
    """Replace each item by ``symbol_of[item]``, remove duplicate symbols in each row, and sort each row.

    Items with symbol -1 are removed.

    Returns the start of each row, int64 (n + 1,), and the symbols, int32. O(nnz) if the mapping is monotone, as for a
    cut over leaf positions. Otherwise a row of l symbols costs O(l^2) for an insertion sort, or O(S) for a scan of all
    S symbols.
    """
    n = len(indptr) - 1
    last_record = np.full(n_symbols, -1, np.int32)
    out_ptr = np.zeros(n + 1, np.int64)
    out = np.empty(indptr[n] - indptr[0], np.int32)
    filled = 0
    for record in range(n):
        first, is_sorted = filled, True
        for entry in range(indptr[record], indptr[record + 1]):
            symbol = symbol_of[items[entry]]
            if symbol >= 0 and last_record[symbol] != record:
                last_record[symbol] = record
                is_sorted &= filled == first or out[filled - 1] < symbol
                out[filled] = symbol
                filled += 1
        if not is_sorted and (filled - first) ** 2 > 4 * n_symbols:
            place = first
            for symbol in range(n_symbols):
                if last_record[symbol] == record:
                    out[place] = symbol
                    place += 1
        elif not is_sorted:
            for entry in range(first + 1, filled):
                insert(out, first, entry, out[entry])
        out_ptr[record + 1] = filled
    return out_ptr, out[:filled].copy()


@kernel(allocates=True)
def first_copies(indptr: Indptr, items: Items, most: int) -> BoolArray:
    """Return True for each row with fewer than `most` equal rows before it, bool (n,). O(nnz)."""
    first = first_equal(indptr, items)
    copies, is_kept = np.zeros(len(first), np.int32), np.zeros(len(first), np.bool_)
    for row in range(len(first)):
        if copies[first[row]] < most:
            copies[first[row]] += 1
            is_kept[row] = True
    return is_kept


@kernel(allocates=True)
def first_equal(indptr: Indptr, items: Items) -> Int32Array:
    """Return the first row equal to each row, int32 (n,). Uses a hash table. O(nnz)."""
    n, n_slots = len(indptr) - 1, 16
    while n_slots < 2 * n:
        n_slots *= 2
    table, first = np.full(n_slots, -1, np.int32), np.empty(n, np.int32)
    for row in range(n):
        key = np.int64(7)
        for entry in range(indptr[row], indptr[row + 1]):
            key = (key * 1000003 + items[entry] + 1) & 0x7FFFFFFF
        slot = (key ^ (key >> 15)) & (n_slots - 1)
        while table[slot] >= 0 and not _are_equal(indptr, items, table[slot], row):
            slot = (slot + 1) & (n_slots - 1)
        if table[slot] < 0:
            table[slot] = row
        first[row] = table[slot]
    return first


@kernel()
def _are_equal(indptr: Indptr, items: Items, a: Integer, b: Integer) -> bool:
    length = indptr[a + 1] - indptr[a]
    if length != indptr[b + 1] - indptr[b]:
        return False
    for i in range(length):
        if items[indptr[a] + i] != items[indptr[b] + i]:
            return False
    return True


@kernel()
def unsorted_or_repeated(indptr: Indptr, items: Items) -> int:
    """Return the first record whose items are not strictly ascending, or -1. O(nnz)."""
    for record in range(len(indptr) - 1):
        for entry in range(indptr[record] + 1, indptr[record + 1]):
            if items[entry] <= items[entry - 1]:
                return record
    return -1
