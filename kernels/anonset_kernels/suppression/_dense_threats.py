"""Search for the rare extensions of a prefix in a bit matrix with a row per code and a column per record.

If most sets are frequent, this is much faster than walking the records, because the first words of the rows usually
contain k records of a set. With k=5, mHgHs takes a third of the CPU time for up to three codes of hospital visits, 3 %
for up to four, a quarter for up to five items of grocery baskets, and 0.75 for up to three items of a supermarket.
"""

from typing import NamedTuple

import numpy as np

from anonset_kernels._arrays import (
    Allowed,
    Codes,
    Found,
    IndexArray,
    Int32Array,
    Int64Array,
    KnownSets,
    Prefix,
    UInt64Array,
    UInt64Matrix,
)
from anonset_kernels._bits import bit, bit_count, trailing_zeros
from anonset_kernels._jit import kernel
from anonset_kernels.suppression._known_sets import is_minimal_rare


class DenseTask(NamedTuple):
    """Parameters and starting point of `search_dense`. All fields are int64."""

    size: int
    """Size of the threats."""
    k: int
    """Smallest support of a frequent set."""
    depth: int
    """Number of codes in the prefix, at most size - 2."""
    goal: int
    """Number of codes in `resume` from which the search continues. 0 to start at the beginning."""
    n_found: int
    """Number of threats found before the call."""
    budget: int
    """Number of steps after which the search stops."""


@kernel()
def is_dense(n_records: int, entries: int, n_kept: int, k: int) -> bool:
    """Return True if bit rows are faster than a walk over the records, for an average pair of extensions.

    The walk needs a step per record that contains the pair. Bit rows are read until k of these records are found.
    """
    if n_kept < 2:
        return False
    together = float(entries) * entries / (float(n_records) * n_kept * n_kept)
    return together > 1.0 + n_records / 64 * min(1.0, k / together)


@kernel(allocates=True)
def bit_matrix(
    codes: Codes, starts: IndexArray, extensions: UInt64Array, place: Int64Array
) -> tuple[Int32Array, UInt64Matrix]:
    """Return the extensions of a prefix, int32 (E,), and bitmaps of the records that contain them, uint64 (E, W).

    `starts`, int32 or int64 (r,), contains the positions in `codes` at which the prefix ends. `extensions`, uint64
    (W,), is a bitmap of codes. `place`, int64 (C,), is -1 for all codes outside `extensions` before the call, and -1
    for all codes after the call.
    """
    n = 0
    for w in range(len(extensions)):
        n += bit_count(extensions[w])
    members = np.empty(n, np.int32)
    i = 0
    for w in range(len(extensions)):
        word = extensions[w]
        while word != 0:
            members[i] = w * 64 + trailing_zeros(word)
            place[members[i]] = i
            i += 1
            word &= word - np.uint64(1)
    rows = np.zeros((n, (len(starts) + 63) // 64), np.uint64)
    for r in range(len(starts)):
        position = starts[r] + 1
        while codes[position] >= 0:
            if place[codes[position]] >= 0:
                rows[place[codes[position]], r >> 6] |= bit(r & 63)
            position += 1
    for i in range(n):
        place[members[i]] = -1
    return members, rows


@kernel(allocates=True)
def search_dense(
    rows: UInt64Matrix,
    members: Int32Array,
    allowed: Allowed,
    known_sets: KnownSets,
    prefix: Prefix,
    task: DenseTask,
    resume: Int32Array,
    threat_sets: Found,
) -> tuple[int, int, bool]:
    """Find the minimal rare sets that begin with a prefix of codes.

    Parameters
    ----------
    rows, members
        uint64 (E, W) and int32 (E,), from `bit_matrix`. Every member forms a frequent set with the prefix.
    allowed, known_sets, resume, threat_sets
        As for `threats.mine`.
    prefix
        int32 (size,): the first `task.depth` codes are the prefix.
    task
        Search parameters and starting point.

    Returns
    -------
    (n_found, steps, finished)
        If `finished` is False, `resume` contains the prefix at which the next call continues.
    """
    size, k, depth, goal, n_found, budget = task
    partners = _allowed_with(allowed, members)
    tidsets = np.empty((size - depth, rows.shape[1]), np.uint64)
    candidates = np.zeros((size - depth, partners.shape[1]), np.uint64)
    subset = np.empty(size, np.int32)
    tidsets[0] = ~np.uint64(0)
    for i in range(len(members)):
        if depth >= goal or members[i] >= resume[depth]:
            candidates[0, i >> 6] |= bit(i & 63)
    level, steps = 0, 0
    while level >= 0:
        i = _take_first(candidates, level)
        if i < 0:
            level -= 1
            continue
        length = depth + level + 1
        prefix[length - 1] = members[i]
        if goal == 0 and (steps > budget or n_found + len(members) > len(threat_sets)):
            resume[length:] = -1
            for j in range(length):
                resume[j] = prefix[j]
            return n_found, steps, False
        if goal == length:
            goal = 0
        for w in range(rows.shape[1]):
            tidsets[level + 1, w] = tidsets[level, w] & rows[i, w]
        steps += rows.shape[1] + len(members) // 8
        if length == size - 1:
            for v in range(partners.shape[1]):
                word = candidates[level, v] & partners[i, v]
                while word != 0:
                    e = v * 64 + trailing_zeros(word)
                    word &= word - np.uint64(1)
                    support, n_words = _support(tidsets, level + 1, rows, e, k)
                    steps += n_words
                    if 0 < support < k:
                        prefix[length] = members[e]
                        steps += 1 << length
                        if length < 3 or is_minimal_rare(prefix, known_sets, subset):
                            for j in range(size):
                                threat_sets[n_found, j] = prefix[j]
                            n_found += 1
            continue
        for v in range(partners.shape[1]):
            candidates[level + 1, v] = candidates[level, v] & partners[i, v]
        steps += _keep_frequent(tidsets, rows, candidates, level + 1, k)
        if length < goal:
            _drop_below(candidates, level + 1, members, resume[length])
        level += 1
    return n_found, steps, True


@kernel(allocates=True)
def _allowed_with(allowed: Allowed, members: Int32Array) -> UInt64Matrix:
    """Return a bitmap of the members that can be combined with each member, uint64 (E, (E + 63) // 64)."""
    n = len(members)
    partners = np.zeros((n, (n + 63) // 64), np.uint64)
    for i in range(n):
        for e in range(n):
            if allowed[members[i], members[e] >> 6] & bit(members[e] & 63):
                partners[i, e >> 6] |= bit(e & 63)
    return partners


@kernel()
def _take_first(candidates: UInt64Matrix, level: int) -> int:
    for w in range(candidates.shape[1]):
        word = candidates[level, w]
        if word != 0:
            candidates[level, w] = word & (word - np.uint64(1))
            return w * 64 + trailing_zeros(word)
    return -1


@kernel()
def _support(tidsets: UInt64Matrix, level: int, rows: UInt64Matrix, e: int, k: int) -> tuple[int, int]:
    """Count, up to k, the records of a prefix that contain an extension.

    Return the count and the number of words read.
    """
    support, w = 0, 0
    while w < rows.shape[1] and support < k:
        support += bit_count(tidsets[level, w] & rows[e, w])
        w += 1
    return support, w


@kernel()
def _keep_frequent(tidsets: UInt64Matrix, rows: UInt64Matrix, candidates: UInt64Matrix, level: int, k: int) -> int:
    """Remove the candidates that are rare with the prefix. Return the number of words read."""
    steps = 0
    for v in range(candidates.shape[1]):
        word = candidates[level, v]
        while word != 0:
            low = word & (~word + np.uint64(1))
            support, n_words = _support(tidsets, level, rows, v * 64 + trailing_zeros(word), k)
            steps += n_words
            if support < k:
                candidates[level, v] ^= low
            word ^= low
    return steps


@kernel()
def _drop_below(candidates: UInt64Matrix, level: int, members: Int32Array, lowest: int) -> None:
    for e in range(len(members)):
        if members[e] < lowest:
            candidates[level, e >> 6] &= ~bit(e & 63)
