"""Steps of the walk over the count-tree: report rare sets, and count all pairs of a prefix's extensions in one pass."""

from typing import NamedTuple

import numpy as np

from anonset_kernels._arrays import (
    Codes,
    Count,
    Found,
    FoundSupport,
    IndexArray,
    Int32Array,
    Int64Array,
    Intervals,
    Prefix,
    Together,
    UInt16Array,
    UInt64Array,
)
from anonset_kernels._bits import bit, trailing_zeros
from anonset_kernels._jit import kernel
from anonset_kernels.rare_sets._tree import is_below

_MOST_IN_A_CELL = 65_535
_MOST_TOGETHER = 4_096


@kernel()
def next_code(words: UInt64Array, first: int) -> int:
    """Remove and return the smallest code of the bitmap `words`, uint64 (W,), from word `first` on, or -1. O(W)."""
    for w in range(first, len(words)):
        if words[w] != 0:
            code = w * 64 + trailing_zeros(words[w])
            words[w] &= words[w] - np.uint64(1)
            return code
    return -1


class PairCounts(NamedTuple):
    """Buffers to count all pairs of a prefix's extensions. The extensions, at most N, are numbered from 0."""

    met: UInt16Array
    """Number of records with each pair, up to k, uint16 (N * N,). Zero between prefixes."""
    counted: UInt64Array
    """Bitmap of the pairs with fewer than k records so far, uint64 (N * W,)."""
    seen: UInt64Array
    """Bitmap of the pairs that occur, uint64 (N * W,). Zero between prefixes."""
    row: Int32Array
    """Extensions in the current record, int32 (N,)."""
    words: UInt64Array
    """Words of the current record's bitmap, uint64 (W,)."""
    used: Int32Array
    """Bitmap index of each word in `words`, int32 (W,)."""


class RareSearch(NamedTuple):
    """Current prefix of a search for rare sets, and the arrays that the search fills."""

    intervals: Intervals
    """Leaf intervals by code."""
    prefix: Prefix
    """Ascending codes, int32 (size,)."""
    rare_sets: Found
    """Reported sets, padded with -1, int32 (F, size)."""
    support: FoundSupport
    """Support of each reported set, int32 (F,)."""
    together: Together
    """Marked pairs, uint8 (C, C)."""
    pairs: PairCounts


@kernel(allocates=True)
def room_for_pairs(n_codes: int) -> PairCounts:
    """Allocate buffers for all codes, but for at most `_MOST_TOGETHER` extensions."""
    n = min(n_codes, _MOST_TOGETHER)
    n_words = (n + 63) // 64
    return PairCounts(
        np.zeros(n * n, np.uint16),
        np.empty(n * n_words, np.uint64),
        np.zeros(n * n_words, np.uint64),
        np.empty(n, np.int32),
        np.empty(n_words, np.uint64),
        np.empty(n_words, np.int32),
    )


@kernel()
def are_dense(n_records: int, entries: int, n_kept: int, k: int, buffers: PairCounts) -> bool:
    """Return True if the buffers have space for all pairs of extensions and counting costs more than clearing them."""
    words = np.int64(n_kept) * ((n_kept + 63) // 64)
    return (
        k <= _MOST_IN_A_CELL and 1 < n_kept <= len(buffers.row) and bool(float(entries) * entries > words * n_records)
    )


@kernel(allocates=True)
def rare_dense_pairs(
    search: RareSearch,
    codes: Codes,
    starts: IndexArray,
    extensions: tuple[Count, UInt64Array, Int64Array],
    n_kept: int,
    rule: tuple[int, int, bool],
    n_found: int,
    buffers: PairCounts,
) -> int:
    """Append the rare sets of a prefix and two extensions. Return -1 if `rare_sets` overflows.

    A single pass over the records counts all pairs of extensions. Counters stop at `k`, and full counters are skipped,
    64 extensions at a time. The bitmap of extensions is cleared.

    Parameters
    ----------
    starts
        int32 or int64 (r,): positions in `codes` at which the prefix ends.
    extensions
        (count, words, place): count of each extension; bitmap of the extensions, uint64 (W,); and place of each code,
        int64 (C,), which is -1 for excluded codes.
    rule
        (size, k, marks). If `marks`, pairs are also marked in `together`, and the search continues when `rare_sets` is
        full.
    """
    count, words, place = extensions
    size, k, marks = rule
    intervals, prefix, rare_sets, found_support, together, _ = search
    extension, c = np.empty(n_kept, np.int32), 0
    for i in range(n_kept):
        c = next_code(words, c >> 6)
        extension[i], place[c], count[c] = c, i, 0
    n_words = (n_kept + 63) // 64
    buffers.counted[: n_kept * n_words] = ~np.uint64(0)
    for p in starts:
        length, position = 0, p + 1
        c = codes[position]
        while c >= 0:
            if place[c] >= 0:
                buffers.row[length] = place[c]
                length += 1
            position += 1
            c = codes[position]
        if length > 1:
            _count_record(length, n_kept, k, buffers)
    full = False
    for i in range(n_kept):
        for w in range(i * n_words, (i + 1) * n_words):
            open_bits = buffers.seen[w]
            buffers.seen[w] = np.uint64(0)
            while open_bits != 0:
                j = (w - i * n_words) * 64 + trailing_zeros(open_bits)
                low = open_bits & (~open_bits + np.uint64(1))
                open_bits ^= low
                support, buffers.met[i * n_kept + j] = buffers.met[i * n_kept + j], 0
                if buffers.counted[w] & low and not is_below(
                    intervals.leaf_lo, intervals.leaf_hi, extension[j], extension[i]
                ):
                    full |= not marks and n_found == len(rare_sets)
                    if not full:
                        prefix[size - 2], prefix[size - 1] = extension[i], extension[j]
                        n_found = report_rare_set(
                            rare_sets, found_support, n_found, prefix, size, support, marks, together
                        )
    return -1 if full else n_found


@kernel()
def _count_record(length: int, n_kept: int, k: int, buffers: PairCounts) -> None:
    """Count the pairs of the first `length` extensions in ``buffers.row``, except pairs that have reached k."""
    words, used, n_words = buffers.words, buffers.used, (n_kept + 63) // 64
    n_used = _gather_words(buffers.row, length, words, used)
    begin = 0
    for i in range(length - 1):
        a = int(buffers.row[i])
        words[begin] ^= bit(a & 63)  # only extensions after this extension remain
        if words[begin] == 0:
            begin += 1
        for w in range(begin, n_used):
            cell = a * n_words + used[w]
            common = words[w] & buffers.counted[cell]
            while common != 0:
                low = common & (~common + np.uint64(1))
                common ^= low
                b = a * n_kept + used[w] * 64 + trailing_zeros(low)
                buffers.seen[cell] |= low
                buffers.met[b] += 1
                if buffers.met[b] >= k:
                    buffers.counted[cell] ^= low


@kernel()
def _gather_words(ascending: Int32Array, length: int, words: UInt64Array, used: Int32Array) -> int:
    """Store the first `length` codes, ascending, as the non-zero words of a bitmap. Return the number of words.

    Parameters
    ----------
    words, used
        uint64 (W,) and int32 (W,): filled with the words and their bitmap indices, ascending.
    """
    n_words = 0
    for i in range(length):
        place = ascending[i] >> 6
        if n_words == 0 or used[n_words - 1] != place:
            used[n_words], words[n_words] = place, np.uint64(0)
            n_words += 1
        words[n_words - 1] |= bit(ascending[i] & 63)
    return n_words


@kernel()
def report_rare_set(
    rare_sets: Found,
    found_support: FoundSupport,
    n_found: int,
    prefix: Prefix,
    length: int,
    support: int,
    marks: bool,
    together: Together,
) -> int:
    """Report a rare set, and mark its pairs if `marks`. Return the number of reported sets.

    Callers that mark continue when `rare_sets` is full: further sets are counted and marked but not stored.
    """
    if marks:
        for i in range(length):
            for j in range(i + 1, length):
                together[prefix[i], prefix[j]] = 1
        if n_found >= len(rare_sets):
            return n_found + 1
    for j in range(rare_sets.shape[1]):
        rare_sets[n_found, j] = prefix[j] if j < length else -1
    found_support[n_found] = support
    return n_found + 1
