"""Sorting records by the reflected Gray rank of their bit vectors, without the bit vectors."""

import numpy as np

from anonset_kernels._arrays import Indptr, Int32Array
from anonset_kernels._jit import kernel


@kernel()
def gray_order(indptr: Indptr, ranks: Int32Array, records: Int32Array) -> Int32Array:
    """Sort records by Gray rank, ties by their place in `records`: a merge sort.

    Parameters
    ----------
    indptr, ranks
        int64 (n + 1,) and int32 (nnz,): positions of the set bits of each record, ascending; 0 is the most
        significant bit.
    records
        int32 (r,): the records to sort.

    Returns
    -------
    int32 (r,). O(r log r) comparisons, each as long as what two neighbours share.
    """
    n, width = len(records), 1
    order, other = records.copy(), np.empty(n, np.int32)
    while width < n:
        for begin in range(0, n, 2 * width):
            middle, end = min(begin + width, n), min(begin + 2 * width, n)
            a, b = begin, middle
            for place in range(begin, end):
                if b == end or (a < middle and not _comes_before(indptr, ranks, order[b], order[a])):
                    other[place] = order[a]
                    a += 1
                else:
                    other[place] = order[b]
                    b += 1
        order, other = other, order
        width *= 2
    return order


@kernel()
def _comes_before(indptr: Indptr, ranks: Int32Array, a: int, b: int) -> bool:
    """Compare the keys (-p1, +p2, -p3, ...) of two records, closed by -inf after an even number of bits, else +inf.

    After an even number of bits in common the record with the next bit set is the later one, after an odd number
    the earlier one.
    """
    i, j, shared = indptr[a], indptr[b], 0
    while i < indptr[a + 1] and j < indptr[b + 1] and ranks[i] == ranks[j]:
        i += 1
        j += 1
        shared += 1
    if i == indptr[a + 1] and j == indptr[b + 1]:
        return False
    if i == indptr[a + 1]:
        a_has_next_bit = False
    elif j == indptr[b + 1]:
        a_has_next_bit = True
    else:
        a_has_next_bit = ranks[i] < ranks[j]
    return a_has_next_bit == (shared % 2 == 1)
