"""Encode records as rows of codes in reflected Gray order of their bit vectors, and decode them.

Let p1 < p2 < ... be the set bits of a vector. Its rank is larger if p1 is smaller, then if p2 is larger, and so on. The
sort key is (-p1, +p2, -p3, ...), terminated by -inf after an even number of bits and by +inf after an odd number. A row
that ends sorts before its continuations, so -inf is omitted.
"""

import numpy as np

from anonset_kernels._arrays import Csr, Indptr, Int32Array
from anonset_kernels._jit import kernel


@kernel(allocates=True)
def gray_codes(indptr: Indptr, ranks: Int32Array, n_bits: int) -> Csr:
    """Return the key of each record as a row of codes.

    Returns the offsets, int64 (n + 1,), and the codes from 0 to `n_bits`, int32. O(nnz).

    Parameters
    ----------
    indptr, ranks
        int64 (n + 1,) and int32 (nnz,): positions of the set bits of each record, ascending. Position 0 is the most
        significant of `n_bits` bits.
    """
    n = len(indptr) - 1
    begins, codes = np.zeros(n + 1, np.int64), np.empty(indptr[n] - indptr[0] + n, np.int32)
    filled = 0
    for record in range(n):
        first, end = indptr[record], indptr[record + 1]
        for entry in range(first, end):
            codes[filled] = ranks[entry] if (entry - first) & 1 else n_bits - 1 - ranks[entry]
            filled += 1
        if (end - first) & 1:
            codes[filled] = n_bits
            filled += 1
        begins[record + 1] = filled
    return begins, codes[:filled].copy()


@kernel(allocates=True)
def gray_items(indptr: Indptr, keys: Int32Array, item_of_bit: Int32Array) -> Csr:
    """Return the records with the given keys. This is the inverse of `gray_codes`.

    Returns the offsets, int64 (n + 1,), and the items, int32. O(nnz).

    Parameters
    ----------
    indptr, keys
        int64 (n + 1,), which may start above 0, and int32: rows of codes.
    item_of_bit
        int32 (bits,): item of each bit. The items of a record are returned in bit order.
    """
    n, n_bits = len(indptr) - 1, len(item_of_bit)
    begins, items = np.zeros(n + 1, np.int64), np.empty(indptr[n] - indptr[0], np.int32)
    filled = 0
    for record in range(n):
        first = indptr[record]
        for entry in range(first, indptr[record + 1]):
            if keys[entry] < n_bits:
                items[filled] = item_of_bit[keys[entry] if (entry - first) & 1 else n_bits - 1 - keys[entry]]
                filled += 1
        begins[record + 1] = filled
    return begins, items[:filled].copy()
