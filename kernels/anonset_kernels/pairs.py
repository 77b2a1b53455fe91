"""Counting all pairs of nodes at once, where a matrix of them is small: one pass over the expanded records."""

import numpy as np

from anonset_kernels._arrays import (
    Codes,
    CountMatrix,
    Int32Array,
    UInt64Array,
    UInt64Matrix,
)
from anonset_kernels._bits import bit, trailing_zeros
from anonset_kernels._jit import kernel
from anonset_kernels._saturation import gather_words

_SHORT = 12
"""Codes up to which a record is counted pair by pair: to gather its words would take longer."""


@kernel()
def count_pairs(codes: Codes, first: int, last: int, k: int, pairs: CountMatrix) -> None:
    """Add, up to `k`, the records of each pair whose first code is in ``first .. last - 1``.

    ``pairs[a - first, b]`` is (last - first, C), of the smallest type that holds `k`, for it stops at `k`. One pass
    over the records in their order. Cost: a look at each word of a record's bitmap for each of its codes, and an
    increment for each pair that has not been met `k` times.
    """
    n_words = (pairs.shape[1] + 63) // 64
    words, used = np.empty(n_words, np.uint64), np.empty(n_words, np.int32)
    counted = _not_full(pairs, k)
    begin = 0
    for end in range(len(codes)):
        if codes[end] >= 0:
            continue
        if end - begin <= _SHORT:
            _count_short(codes, begin, end, first, last, k, counted, pairs)
            begin = end + 1
            continue
        left = gather_words(codes, begin, end, words, used) if codes[begin] < last else 0
        w = 0
        for at in range(begin, end if left > 0 else begin):
            a = codes[at]
            if a >= last:
                break
            words[w] ^= bit(a & 63)  # what is left are the codes behind this one
            if words[w] == 0:
                w += 1
            if a >= first:
                _count_row(a - first, w, left, words, used, k, counted, pairs)
        begin = end + 1


@kernel()
def _count_short(
    codes: Codes, begin: int, end: int, first: int, last: int, k: int, counted: UInt64Matrix, pairs: CountMatrix
) -> None:
    """Count a record of few codes, ``codes[begin:end]``, pair by pair."""
    for at in range(begin, end):
        row = codes[at] - first
        if codes[at] >= last:
            return
        for behind in range(at + 1, end if row >= 0 else begin):
            b = codes[behind]
            if pairs[row, b] < k:
                pairs[row, b] += 1
                if pairs[row, b] >= k:
                    counted[row, b >> 6] ^= bit(b & 63)


@kernel()
def _not_full(pairs: CountMatrix, k: int) -> UInt64Matrix:
    """Return the bits of the pairs that have not been met `k` times."""
    counted = np.zeros((len(pairs), (pairs.shape[1] + 63) // 64), np.uint64)
    for row in range(len(pairs)):
        for b in range(pairs.shape[1]):
            if pairs[row, b] < k:
                counted[row, b >> 6] |= bit(b & 63)
    return counted


@kernel()
def _count_row(
    row: int, w: int, n_words: int, words: UInt64Array, used: Int32Array, k: int, counted: UInt64Matrix,
    pairs: CountMatrix,
) -> None:  # fmt: skip
    """Count the codes of a record's words from place `w` on, those that are not full."""
    for at in range(w, n_words):
        place = used[at]
        found = words[at] & counted[row, place]
        while found != 0:
            b = place * 64 + trailing_zeros(found)
            found &= found - np.uint64(1)
            pairs[row, b] += 1
            if pairs[row, b] >= k:
                counted[row, place] ^= bit(b & 63)
