"""Distinct sub-records of each chunk, sorted by their items."""

from typing import NamedTuple

import numpy as np

from anonset_kernels._arrays import Indptr, Int64Array, Items
from anonset_kernels._jit import kernel


class DistinctSubRecords(NamedTuple):
    """Distinct sub-records of some chunks, chunk by chunk, sorted by their items."""

    begins: Int64Array
    """First distinct sub-record of each chunk, int64 (chunks + 1,)."""
    row: Int64Array
    """An example row of each distinct sub-record, int64 (d,)."""
    copies: Int64Array
    """Multiplicity of each distinct sub-record, int64 (d,)."""


@kernel(allocates=True)
def distinct_sub_records(begins: Int64Array, indptr: Indptr, items: Items) -> DistinctSubRecords:
    """Merge equal sub-records of each chunk, and sort the distinct sub-records.

    Cost: O(s log s) comparisons for a chunk of s sub-records.

    Parameters
    ----------
    begins
        int64 (chunks + 1,): first sub-record of each chunk.
    """
    n_chunks, n = len(begins) - 1, len(indptr) - 1
    row, count, new = np.empty(n, np.int64), np.empty(n, np.int64), np.zeros(n_chunks + 1, np.int64)
    order, merged, filled = np.arange(n), np.empty(n, np.int64), 0
    for chunk in range(n_chunks):
        first, end = begins[chunk], begins[chunk + 1]
        _sort(indptr, items, order, merged, first, end)
        for i in range(first, end):
            if i > first and _compare(indptr, items, order[i - 1], order[i]) == 0:
                count[filled - 1] += 1
            else:
                row[filled], count[filled] = order[i], 1
                filled += 1
        new[chunk + 1] = filled
    return DistinctSubRecords(new, row[:filled].copy(), count[:filled].copy())


@kernel()
def _sort(indptr: Indptr, items: Items, order: Int64Array, merged: Int64Array, first: int, end: int) -> None:
    """Sort the sub-records first .. end - 1 by their items. A bottom-up merge sort."""
    width = 1
    while width < end - first:
        for begin in range(first, end, 2 * width):
            middle, stop = min(begin + width, end), min(begin + 2 * width, end)
            left, right = begin, middle
            for i in range(begin, stop):
                takes_left = left < middle and (
                    right == stop or _compare(indptr, items, order[left], order[right]) <= 0
                )
                merged[i] = order[left] if takes_left else order[right]
                left += takes_left
                right += not takes_left
        for i in range(first, end):
            order[i] = merged[i]
        width *= 2


@kernel()
def _compare(indptr: Indptr, items: Items, first: int, second: int) -> int:
    """Return -1, 0 or 1 if sub-record `first` is less than, equal to or greater than sub-record `second`."""
    a, b = indptr[first], indptr[second]
    a_end, b_end = indptr[first + 1], indptr[second + 1]
    while a < a_end and b < b_end:
        if items[a] != items[b]:
            return -1 if items[a] < items[b] else 1
        a += 1
        b += 1
    return int(a < a_end) - int(b < b_end)
