"""Sub-records of chunks: the distinct ones of each chunk, in the order of their items."""

from typing import NamedTuple

import numpy as np

from anonset_kernels._arrays import Indptr, Int64Array, Items
from anonset_kernels._jit import kernel


class Distinct(NamedTuple):
    """The distinct sub-records of some chunks, chunk by chunk, in the order of their items."""

    begins: Int64Array
    """int64 (chunks + 1,): where those of each chunk begin."""
    row: Int64Array
    """int64 (d,): one of the sub-records that are equal to each."""
    copies: Int64Array
    """int64 (d,): how many are."""


@kernel()
def distinct_sub_records(begins: Int64Array, indptr: Indptr, items: Items) -> Distinct:
    """Merge the equal sub-records of each chunk, and sort the distinct ones.

    Cost: O(s log s) comparisons for a chunk of s sub-records.

    Parameters
    ----------
    begins
        int64 (chunks + 1,): where the sub-records of each chunk begin.
    """
    n_chunks, n = len(begins) - 1, len(indptr) - 1
    row, count, new = np.empty(n, np.int64), np.empty(n, np.int64), np.zeros(n_chunks + 1, np.int64)
    order, spare, filled = np.arange(n), np.empty(n, np.int64), 0
    for chunk in range(n_chunks):
        first, end = begins[chunk], begins[chunk + 1]
        _sort(indptr, items, order, spare, first, end)
        for at in range(first, end):
            if at > first and _compare(indptr, items, order[at - 1], order[at]) == 0:
                count[filled - 1] += 1
            else:
                row[filled], count[filled] = order[at], 1
                filled += 1
        new[chunk + 1] = filled
    return Distinct(new, row[:filled].copy(), count[:filled].copy())


@kernel()
def _sort(indptr: Indptr, items: Items, order: Int64Array, spare: Int64Array, first: int, end: int) -> None:
    """Sort the sub-records first .. end - 1 by their items, by merging ever longer runs."""
    width = 1
    while width < end - first:
        for begin in range(first, end, 2 * width):
            middle, stop = min(begin + width, end), min(begin + 2 * width, end)
            left, right = begin, middle
            for at in range(begin, stop):
                takes_left = left < middle and (
                    right == stop or _compare(indptr, items, order[left], order[right]) <= 0
                )
                spare[at] = order[left] if takes_left else order[right]
                left += takes_left
                right += not takes_left
        for at in range(first, end):
            order[at] = spare[at]
        width *= 2


@kernel()
def _compare(indptr: Indptr, items: Items, one: int, other: int) -> int:
    """Return -1, 0 or 1 as the items of a sub-record come before those of another one, are the same, or come behind."""
    a, b = indptr[one], indptr[other]
    a_end, b_end = indptr[one + 1], indptr[other + 1]
    while a < a_end and b < b_end:
        if items[a] != items[b]:
            return -1 if items[a] < items[b] else 1
        a += 1
        b += 1
    return int(a < a_end) - int(b < b_end)
