"""Kernels that hold published rows against the records that they were made from; they belong to the verification."""

from typing import NamedTuple

import numpy as np

from anonset_kernels._arrays import BoolArray, Csr, Indptr, Int32Array, Int64Array, Items, UInt64Array
from anonset_kernels._jit import kernel


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
    original: Csr, published: Csr, record: Int64Array, symbol_of: Int32Array, begin: int, end: int
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

    Returns
    -------
    Row, offending item, offending symbol; -1 where there is none. O(items x symbols) a row, of small steps.
    """
    shown = published[1]
    for row in range(begin, end):
        first, last = published[0][row], published[0][row + 1]
        item_begin, item_end = original[0][record[row]], original[0][record[row] + 1]
        found = 0  # symbols that stand for an item of the record
        for i in range(item_begin, item_end):
            wanted = symbol_of[original[1][i]]
            if wanted < 0:
                continue
            at = first
            while at < last and shown[at] != wanted:
                at += 1
            if at == last:
                return row, int(original[1][i]), -1
            earlier = i - 1
            while earlier >= item_begin and symbol_of[original[1][earlier]] != wanted:
                earlier -= 1
            if earlier < item_begin:
                found += 1
        if found < last - first:
            lowest = first
            while True:
                founded = False
                for i in range(item_begin, item_end):
                    founded = founded or symbol_of[original[1][i]] == shown[lowest]
                if not founded:
                    return row, -1, int(shown[lowest])
                lowest += 1
    return -1, -1, -1
