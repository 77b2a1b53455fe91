"""Bit-vector transaction distance (Poulis et al. 2013, section 5) between records and between clusters of records.

A record is its non-zero 64-bit words. The distance of two records with a and b items, c of them common, is
(a + b - 2c + 1) / (c + 1), or (a + b - c + 1) / (c + 1) with OR in the numerator: it falls as c grows, so no pair is
further apart than a + b + 1. Records of a cluster stand in descending order of their lengths, and a search for the
largest distance ends where this bound is no better than the best. Distances are fractions of small integers;
correctly rounded quotients of numbers below 2^26 order as the fractions do, and are equal only if these are.
"""

from typing import Any

import numpy as np

from anonset_kernels._bits import bit, bit_count
from anonset_kernels._jit import kernel


@kernel()
def pack_rows(indptr: Any, items: Any) -> Any:
    """Return each record's non-zero words: int64 (n + 1,) offsets, int32 word numbers, uint64 words. O(nnz)."""
    n = len(indptr) - 1
    start = np.zeros(n + 1, np.int64)
    for r in range(n):
        count, before = 0, np.int32(-1)
        for at in range(indptr[r], indptr[r + 1]):
            number = items[at] >> 6
            if number != before:
                count, before = count + 1, number
        start[r + 1] = start[r] + count
    numbers, words = np.empty(start[n], np.int32), np.zeros(start[n], np.uint64)
    for r in range(n):
        at_word = start[r] - 1
        for at in range(indptr[r], indptr[r + 1]):
            number = items[at] >> 6
            if at_word < start[r] or numbers[at_word] != number:
                at_word += 1
                numbers[at_word] = number
            words[at_word] |= bit(items[at] & 63)
    return start, numbers, words


@kernel()
def common_items(rows: Any, a: int, b: int) -> int:
    """Count the items that two packed records share. O(words of both)."""
    start, numbers, words = rows
    i, j, common = start[a], start[b], 0
    while i < start[a + 1] and j < start[b + 1]:
        if numbers[i] == numbers[j]:
            common += bit_count(words[i] & words[j])
            i += 1
            j += 1
        elif numbers[i] < numbers[j]:
            i += 1
        else:
            j += 1
    return common


@kernel()
def record_distance(rows: Any, length: Any, a: int, b: int, with_or: bool) -> float:
    """Return the distance of two packed records."""
    common = common_items(rows, a, b)
    united = length[a] + length[b] - common
    return (united - (0 if with_or else common) + 1) / (common + 1)


@kernel()
def cluster_distances(rows: Any, length: Any, members: Any, first: Any, size: Any, with_or: bool, out: Any) -> None:
    """Fill ``out[c]`` with the largest distance of two records of cluster `c`, 0 for fewer than two.

    The records of cluster `c` are ``members[first[c]:first[c] + size[c]]``, longest first. Cost: a pair of records
    for each that the bound does not exclude; all of them at worst.
    """
    for c in range(len(out)):
        best = 0.0
        begin, end = first[c], first[c] + size[c]
        for i in range(begin, end - 1):
            a = members[i]
            if length[a] + length[members[i + 1]] + 1 <= best:
                break
            for j in range(i + 1, end):
                b = members[j]
                if length[a] + length[b] + 1 <= best:
                    break
                best = max(best, record_distance(rows, length, a, b, with_or))
        out[c] = best


@kernel()
def united_distances(
    rows: Any, length: Any, members: Any, clusters: Any, c: int, with_or: bool, allowed: Any, out: Any
) -> int:
    """Find the distance of the union of cluster `c` with each allowed cluster, or the nearest of these.

    Parameters
    ----------
    clusters
        (first, size, own): where the records of each cluster are in `members`, as above, and its distance.
    out
        float64: filled with the distances of all if it has room for all. Else the first entry alone is used, for the
        smallest: a union is no closer than its parts, so most clusters need no look then.

    Returns
    -------
    The allowed cluster that is nearest, the first among equals; -1 if none is allowed.

    Cost: only pairs across are looked at, and only those that may exceed the distances of both clusters. The loops
    stand here, not in a kernel of their own: a call for each cluster took ten times as long.
    """
    first, size, own = clusters
    begin, end = first[c], first[c] + size[c]
    only_nearest = len(out) < len(allowed)
    smallest, nearest = np.inf, -1
    for x in range(len(allowed)):
        best = max(own[c], own[x])
        if not allowed[x] or (only_nearest and best >= smallest):
            continue
        for i in range(begin, end):
            a = members[i]
            if size[x] == 0 or length[a] + length[members[first[x]]] + 1 <= best:
                break
            for j in range(first[x], first[x] + size[x]):
                b = members[j]
                if length[a] + length[b] + 1 <= best:
                    break
                best = max(best, record_distance(rows, length, a, b, with_or))
        if best < smallest:
            smallest, nearest = best, x
        if not only_nearest:
            out[x] = best
    if only_nearest:
        out[0] = smallest
    return nearest


@kernel()
def merge_sorted(length: Any, members: Any, left: Any, right: Any, at: int) -> None:
    """Merge two segments (first, size) of `members`, longest first, into the room from `at` on. O(size)."""
    i, j = left[0], right[0]
    i_end, j_end = left[0] + left[1], right[0] + right[1]
    while i < i_end or j < j_end:
        if j == j_end or (i < i_end and length[members[i]] >= length[members[j]]):
            members[at] = members[i]
            i += 1
        else:
            members[at] = members[j]
            j += 1
        at += 1


@kernel()
def gather_segments(members: Any, first: Any, size: Any, room: Any) -> int:
    """Copy the segments into `room`, one after the other; update `first`, and return the end. O(n)."""
    at = 0
    for c in range(len(first)):
        for j in range(size[c]):
            room[at + j] = members[first[c] + j]
        first[c] = at
        at += size[c]
    return at
