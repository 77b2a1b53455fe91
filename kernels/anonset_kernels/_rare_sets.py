"""Steps of the walk over the count-tree: reporting rare sets, counting all pairs of extensions of a prefix at once."""

import numpy as np

from anonset_kernels._arrays import (
    Codes,
    Count,
    Found,
    FoundSupport,
    IndexArray,
    Int64Array,
    Intervals,
    Prefix,
    Together,
    UInt64Array,
)
from anonset_kernels._bits import trailing_zeros
from anonset_kernels._jit import kernel
from anonset_kernels._tree import is_below

_MOST_IN_A_CELL = 255


@kernel()
def next_code(words: UInt64Array) -> int:
    """Take the smallest code out of a bitmap, `words`, uint64 (W,); -1 if it is empty. O(W)."""
    for w in range(len(words)):
        if words[w] != 0:
            code = w * 64 + trailing_zeros(words[w])
            words[w] &= words[w] - np.uint64(1)
            return code
    return -1


@kernel()
def are_dense(n_records: int, entries: int, n_kept: int, k: int) -> bool:
    """Tell whether a matrix of all pairs of extensions is smaller than the number of pairs to be counted."""
    return k <= _MOST_IN_A_CELL and n_kept > 1 and entries * entries > 4 * n_records * n_kept * n_kept


@kernel()
def rare_dense_pairs(
    codes: Codes, held: IndexArray, extensions: tuple[Count, UInt64Array, Int64Array], n_kept: int,
    intervals: Intervals, rule: tuple[int, int, bool], prefix: Prefix,
    found: Found, found_support: FoundSupport, n_found: int, together: Together,
) -> int:  # fmt: skip
    """Take the rare sets of a prefix and two extensions, counting all pairs at once; -1 where `found` is full.

    Cells stop at `k`, which keeps them in a byte and the matrix in cache. Empties the extensions' bitmap.

    Parameters
    ----------
    held
        int32 or int64 (r,): the places in `codes` where the prefix ends.
    extensions
        (count, words, place): their counts, bitmap, uint64 (W,), and, by code, int64 (C,), -1 for those left out.
    rule
        (size, k, marks): whether pairs are marked in `together` rather than reported.
    """
    count, words, place = extensions
    size, k, marks = rule
    kept, row = np.empty(n_kept, np.int32), np.empty(n_kept, np.int64)
    for i in range(n_kept):
        c = next_code(words)
        kept[i], place[c], count[c] = c, i, 0
    pairs = np.zeros((n_kept, n_kept), np.uint8)
    for p in held:
        length, at = 0, p + 1
        while codes[at] >= 0:
            if place[codes[at]] >= 0:
                row[length] = place[codes[at]]
                length += 1
            at += 1
        for i in range(length - 1):
            cells = pairs[row[i]]
            for j in range(i + 1, length):
                if cells[row[j]] < k:
                    cells[row[j]] += 1
    for i in range(n_kept):
        for j in range(i + 1, n_kept):
            if 0 < pairs[i, j] < k and not is_below(intervals[0], intervals[1], kept[j], kept[i]):
                if not marks and n_found == len(found):
                    return -1
                prefix[size - 2], prefix[size - 1] = kept[i], kept[j]
                n_found = take(found, found_support, n_found, prefix, size, pairs[i, j], marks, together)
    return n_found


@kernel()
def take(
    found: Found,
    found_support: FoundSupport,
    n_found: int,
    prefix: Prefix,
    length: int,
    support: int,
    marks: bool,
    together: Together,
) -> int:
    """Report a rare set, or mark its pairs; return the number of reported sets."""
    if marks:
        for i in range(length):
            for j in range(i + 1, length):
                together[prefix[i], prefix[j]] = 1
        return n_found
    for j in range(found.shape[1]):
        found[n_found, j] = prefix[j] if j < length else -1
    found_support[n_found] = support
    return n_found + 1
