"""Steps of the walk over the count-tree: report rare sets, count all pairs of a prefix's extensions together."""

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
from anonset_kernels._saturation import gather_words
from anonset_kernels._tree import is_below

_MOST_IN_A_CELL = 65_535
_MOST_TOGETHER = 4_096


@kernel()
def next_code(words: UInt64Array, first: int) -> int:
    """Remove and return the smallest code of a bitmap, `words`, uint64 (W,), from word `first` on; -1 if none. O(W)."""
    for w in range(first, len(words)):
        if words[w] != 0:
            code = w * 64 + trailing_zeros(words[w])
            words[w] &= words[w] - np.uint64(1)
            return code
    return -1


class PairCounts(NamedTuple):
    """Buffers to count all pairs of up to N extensions, numbered from 0, of successive prefixes."""

    met: UInt16Array
    """uint16 (N * N,): records with each pair, up to k; zero between prefixes."""
    counted: UInt64Array
    """uint64 (N * W,): bits of the pairs with fewer than k records so far."""
    seen: UInt64Array
    """uint64 (N * W,): bits of the pairs that occur; zero between prefixes."""
    row: Int32Array
    """int32 (N,): extensions in a record."""
    words: UInt64Array
    """uint64 (W,)."""
    used: Int32Array
    """int32 (W,)."""


@kernel()
def room_for_pairs(n_codes: int) -> PairCounts:
    """Allocate buffers for the largest possible number of extensions, up to a limit."""
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
def are_dense(n_records: int, entries: int, n_kept: int, k: int, room: PairCounts) -> bool:
    """Return True if the buffers have space for all pairs of extensions and counting costs more than clearing them."""
    words = np.int64(n_kept) * ((n_kept + 63) // 64)
    return k <= _MOST_IN_A_CELL and 1 < n_kept <= len(room.row) and bool(float(entries) * entries > words * n_records)


@kernel()
def rare_dense_pairs(
    codes: Codes, held: IndexArray, extensions: tuple[Count, UInt64Array, Int64Array], n_kept: int,
    intervals: Intervals, rule: tuple[int, int, bool], prefix: Prefix,
    found: Found, found_support: FoundSupport, n_found: int, together: Together, room: PairCounts,
) -> int:  # fmt: skip
    """Report the rare sets of a prefix and two extensions, counting all pairs together; return -1 if `found` is full.

    Counters stop at `k`. Full counters are skipped, 64 extensions at a time. Clears the bitmap of extensions.

    Parameters
    ----------
    held
        int32 or int64 (r,): positions in `codes` at which the prefix ends.
    extensions
        (count, words, place): counts; bitmap, uint64 (W,); and, by code, int64 (C,), -1 for excluded codes.
    rule
        (size, k, marks). With `marks`, pairs are also marked in `together`, and the search continues if `found` is
        full.
    """
    count, words, place = extensions
    size, k, marks = rule
    kept, c = np.empty(n_kept, np.int32), 0
    for i in range(n_kept):
        c = next_code(words, c >> 6)
        kept[i], place[c], count[c] = c, i, 0
    n_words = (n_kept + 63) // 64
    room.counted[: n_kept * n_words] = ~np.uint64(0)
    for p in held:
        length, at = 0, p + 1
        c = codes[at]
        while c >= 0:
            if place[c] >= 0:
                room.row[length] = place[c]
                length += 1
            at += 1
            c = codes[at]
        if length > 1:
            _count_record(length, n_kept, k, room)
    full = False
    for i in range(n_kept):
        for w in range(i * n_words, (i + 1) * n_words):
            seen = room.seen[w]
            room.seen[w] = np.uint64(0)
            while seen != 0:
                j = (w - i * n_words) * 64 + trailing_zeros(seen)
                low = seen & (~seen + np.uint64(1))
                seen ^= low
                support, room.met[i * n_kept + j] = room.met[i * n_kept + j], 0
                if room.counted[w] & low and not is_below(intervals.leaf_lo, intervals.leaf_hi, kept[j], kept[i]):
                    full |= not marks and n_found == len(found)
                    if not full:
                        prefix[size - 2], prefix[size - 1] = kept[i], kept[j]
                        n_found = report_rare_set(found, found_support, n_found, prefix, size, support, marks, together)
    return -1 if full else n_found


@kernel()
def _count_record(length: int, n_kept: int, k: int, room: PairCounts) -> None:
    """Count all pairs, below k so far, of a record's extensions: the first `length` of ``room.row``."""
    words, used, n_words = room.words, room.used, (n_kept + 63) // 64
    left = gather_words(room.row, 0, length, words, used)
    begin = 0
    for i in range(length - 1):
        a = int(room.row[i])
        words[begin] ^= bit(a & 63)  # only extensions after this extension remain
        if words[begin] == 0:
            begin += 1
        for at in range(begin, left):
            cell = a * n_words + used[at]
            found = words[at] & room.counted[cell]
            while found != 0:
                low = found & (~found + np.uint64(1))
                found ^= low
                b = a * n_kept + used[at] * 64 + trailing_zeros(low)
                room.seen[cell] |= low
                room.met[b] += 1
                if room.met[b] >= k:
                    room.counted[cell] ^= low


@kernel()
def report_rare_set(
    found: Found,
    found_support: FoundSupport,
    n_found: int,
    prefix: Prefix,
    length: int,
    support: int,
    marks: bool,
    together: Together,
) -> int:
    """Report a rare set, and mark its pairs if `marks`; return the number of reported sets.

    Callers that mark continue when `found` is full: further sets are counted and marked but not stored.
    """
    if marks:
        for i in range(length):
            for j in range(i + 1, length):
                together[prefix[i], prefix[j]] = 1
        if n_found >= len(found):
            return n_found + 1
    for j in range(found.shape[1]):
        found[n_found, j] = prefix[j] if j < length else -1
    found_support[n_found] = support
    return n_found + 1
