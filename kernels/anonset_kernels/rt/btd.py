"""Bit-vector transaction distance (Poulis et al. 2013, section 5) between records and between clusters of records.

The distance of two records with a and b items, of which c are common, is (a + b - 2c + 1) / (c + 1), or (a + b - c + 1)
/ (c + 1) with OR in the numerator. Records without common items have distance a + b + 1. Records with common items have
at most half of this distance. The largest distance in a cluster is therefore usually that of the two longest records
without common items. Records of a cluster are sorted by descending length, and a search stops when these bounds cannot
improve the best distance. Distances are fractions of small integers. Correctly rounded quotients of numbers below 2^26
have the same order as the fractions, and are equal only if the fractions are equal.

A packed record is a sequence of 64-bit words, identified by the position of its first word. The first word contains the
number of items, plus 2^32 times the number of non-zero words of the bit-vector. The second word is the signature. The
index and the value of each non-zero word follow. All data of a record are adjacent, because memory access dominates the
search time.
"""

import numpy as np

from anonset_kernels._arrays import (
    BoolArray,
    Float64Array,
    Indptr,
    Int64Array,
    Int64Matrix,
    Items,
    Packed,
    UInt64Matrix,
)
from anonset_kernels._bits import bit, bit_count
from anonset_kernels._jit import kernel

_Clusters = tuple[Int64Array, Int64Array, Int64Matrix]


@kernel(allocates=True)
def pack_records(indptr: Indptr, items: Items, chosen: Int64Array, n_items: int) -> tuple[Int64Array, Packed]:
    """Pack the `chosen` records, int64 (n,), in this order.

    Returns the position of each record, int64 (n,), and the words of all records, uint64. O(nnz).

    The signature of a record has a bit for each of 64 intervals of the items. The bit is set if the record contains an
    item of the interval. Related items are adjacent, so most records without common items have signatures without
    common bits.
    """
    place = np.zeros(len(chosen), np.int64)
    filled = 0
    for r in range(len(chosen)):
        place[r] = filled
        filled += 2
        before = np.int64(-1)
        for entry in range(indptr[chosen[r]], indptr[chosen[r] + 1]):
            if items[entry] >> 6 != before:
                before = np.int64(items[entry] >> 6)
                filled += 2
    packed = np.zeros(filled, np.uint64)
    for r in range(len(chosen)):
        at_word, before = place[r], np.int64(-1)
        begin, end = indptr[chosen[r]], indptr[chosen[r] + 1]
        for entry in range(begin, end):
            item = np.int64(items[entry])
            if item >> 6 != before:
                before = item >> 6
                at_word += 2
                packed[at_word] = before
            packed[at_word + 1] |= bit(int(item & 63))
            packed[place[r] + 1] |= bit(int(item * 64 // n_items))
        packed[place[r]] = ((at_word - place[r]) // 2 << 32) + end - begin
    return place, packed


@kernel()
def length(packed: Packed, r: int) -> int:
    """Return the number of items of a record."""
    return int(np.int64(packed[r]) & 0xFFFFFFFF)


@kernel()
def end_of(packed: Packed, r: int) -> int:
    """Return the end position of a record (exclusive)."""
    return int(r + 2 + 2 * (np.int64(packed[r]) >> 32))


@kernel()
def common_items(packed: Packed, a: int, b: int) -> int:
    """Count the items that two records share. O(words of both records)."""
    i, j, common = a + 2, b + 2, 0
    i_end, j_end = end_of(packed, a), end_of(packed, b)
    while i < i_end and j < j_end:
        if packed[i] == packed[j]:
            common += bit_count(packed[i + 1] & packed[j + 1])
            i += 2
            j += 2
        elif packed[i] < packed[j]:
            i += 2
        else:
            j += 2
    return common


@kernel()
def record_distance(packed: Packed, a: int, b: int, with_or: bool) -> float:
    """Return the distance between two records."""
    common = common_items(packed, a, b)
    united = length(packed, a) + length(packed, b) - common
    return (united - (0 if with_or else common) + 1) / (common + 1)


@kernel()
def cluster_distances(
    packed: Packed, members: Int64Array, first: Int64Array, size: Int64Array, with_or: bool, out: Float64Array
) -> None:
    """Fill ``out[c]`` with the largest distance between two records of cluster `c`, or 0 if it has fewer than two.

    The records of cluster `c` are ``members[first[c]:first[c] + size[c]]``, in descending order of length. `members` is
    int64 (n,), `first` and `size` are int64 (C,), and `out` is float64 (C,). Cost: a step per pair of records of a
    cluster that the bound does not exclude.
    """
    for c in range(len(out)):
        best = 0.0
        begin, end = first[c], first[c] + size[c]
        for i in range(begin, end - 1):
            a = members[i]
            if length(packed, a) + length(packed, members[i + 1]) + 1 <= best:
                break
            for j in range(i + 1, end):
                b = members[j]
                if length(packed, a) + length(packed, b) + 1 <= best:
                    break
                best = max(best, record_distance(packed, a, b, with_or))
        out[c] = best


@kernel()
def put_heads(packed: Packed, members: Int64Array, clusters: _Clusters, begin: int, end: int) -> None:
    """Fill the heads of the clusters from `begin` to `end` (exclusive). O(1) per cluster.

    The head of a cluster has four entries: the lengths of the two longest records (-1 if there is no record), and the
    signature and position of the longest record. See `nearest_unions` for `members` and `clusters`.
    """
    first, size, heads = clusters
    for c in range(begin, end):
        heads[c, 0], heads[c, 1], heads[c, 2], heads[c, 3] = -1, -1, 0, 0
        if size[c] > 0:
            lead = members[first[c]]
            heads[c, 0], heads[c, 2], heads[c, 3] = length(packed, lead), np.int64(packed[lead + 1]), lead
        if size[c] > 1:
            heads[c, 1] = length(packed, members[first[c] + 1])


@kernel(allocates=True)
def nearest_unions(
    packed: Packed,
    members: Int64Array,
    clusters: _Clusters,
    c: int,
    with_or: bool,
    limits: tuple[Float64Array, BoolArray],
    expanded: UInt64Matrix,
    nearest: tuple[Float64Array, Int64Array],
) -> int:
    """Find the clusters whose union with cluster `c` has the smallest distance. Ties are resolved by cluster number.

    Parameters
    ----------
    clusters
        (first, size, heads). `first` and `size`, int64 (C,), are the slice of each cluster's records in `members`,
        int64 (n,), in descending order of length. `heads`, int64 (C, 4), is filled by `put_heads`. The candidates and
        `c` must not be empty.
    limits
        (bound, exact): float64 (C,) and bool (C,). `bound` is a lower bound of the distance of each union, and equal to
        it if `exact`. Initially, `bound` is the larger distance of both parts, or infinity for excluded clusters, and
        `exact` is False. Both are updated, and a search for more clusters can reuse them.
    expanded
        uint64 (64, words of the bit-vector of all items): zero before and after the call.
    nearest
        (distance, place): float64 and int64 (t,), filled with the t nearest clusters, unordered.

    Returns
    -------
    Number of clusters found: t, or all candidates.

    Cost: as soon as t clusters are known, most other clusters are excluded by their bounds, mostly by the bound for the
    longest records without common items. The loops are inlined, because a kernel call per cluster takes ten times as
    long.
    """
    first, size, heads = clusters
    bound, exact = limits
    distance, place = nearest
    begin, end = first[c], first[c] + size[c]
    lengths = _expand(packed, members[begin : min(end, begin + len(expanded))], expanded)
    top, sign, less, n_nearest, limit = lengths[0], heads[c, 2], 0 if with_or else 1, 0, np.inf
    for x in range(len(bound)):
        best = bound[x]
        if best >= limit:
            continue
        half, far = (top + heads[x, 0] - less) / 2, float(top + heads[x, 0] + 1)
        if far > best and sign & heads[x, 2] == 0:
            best = far
        j, b, excess = 0, heads[x, 3], heads[x, 0] + 1
        while top + excess > best and best < limit and not exact[x]:  # pairs without common items
            i, stop = 0, b + 2 + 2 * (np.int64(packed[b]) >> 32)
            while i < len(lengths) and lengths[i] + excess > best:
                shared = np.uint64(0)
                for word in range(b + 2, stop, 2):
                    shared |= expanded[i, packed[word]] & packed[word + 1]
                if shared == 0:
                    best = float(lengths[i] + excess)
                i += 1
            while len(lengths) <= i < end - begin and length(packed, members[begin + i]) + excess > best:
                if common_items(packed, members[begin + i], b) == 0:
                    best = float(length(packed, members[begin + i]) + excess)
                i += 1
            j += 1
            if j == size[x] or (j == 1 and top + heads[x, 1] + 1 <= best):
                break
            b = members[first[x] + j]
            excess = (np.int64(packed[b]) & 0xFFFFFFFF) + 1
        if half > best and best < limit and not exact[x]:  # pairs with common items
            for i in range(begin, end):
                a = members[i]
                if (length(packed, a) + heads[x, 0] - less) / 2 <= best:
                    break
                for j in range(first[x], first[x] + size[x]):
                    b = members[j]
                    if (length(packed, a) + length(packed, b) - less) / 2 <= best:
                        break
                    best = max(best, record_distance(packed, a, b, with_or))
        bound[x], exact[x] = best, best < limit
        if n_nearest < len(place):
            distance[n_nearest], place[n_nearest] = best, x
            n_nearest += 1
            if n_nearest == len(place):
                limit = _heapify(distance, place)
        elif best < limit:
            limit = _replace(distance, place, best, x)
    _clear(packed, members[begin : begin + len(lengths)], expanded)
    return n_nearest


@kernel(allocates=True)
def _expand(packed: Packed, chosen: Int64Array, expanded: UInt64Matrix) -> Int64Array:
    """Write the bit-vectors of the chosen records into rows of zeros. Return the record lengths."""
    lengths = np.empty(len(chosen), np.int64)
    for i in range(len(chosen)):
        lengths[i] = length(packed, chosen[i])
        for j in range(chosen[i] + 2, end_of(packed, chosen[i]), 2):
            expanded[i, packed[j]] = packed[j + 1]
    return lengths


@kernel()
def _clear(packed: Packed, chosen: Int64Array, expanded: UInt64Matrix) -> None:
    """Set the rows filled by `_expand` to zero."""
    for i in range(len(chosen)):
        for j in range(chosen[i] + 2, end_of(packed, chosen[i]), 2):
            expanded[i, packed[j]] = 0


@kernel()
def _heapify(distance: Float64Array, place: Int64Array) -> float:
    """Make a heap with the largest pair (distance, place) on top. Return the distance of the top. O(t)."""
    for i in range(len(place) // 2 - 1, -1, -1):
        _sink(distance, place, i)
    return float(distance[0])


@kernel()
def _replace(distance: Float64Array, place: Int64Array, best: float, x: int) -> float:
    """Replace the top of a heap. Return the distance of the new top. O(log t)."""
    distance[0], place[0] = best, x
    _sink(distance, place, 0)
    return float(distance[0])


@kernel()
def _sink(distance: Float64Array, place: Int64Array, i: int) -> None:
    """Move the pair at position `i` down to its position in the heap. O(log t)."""
    d, x = distance[i], place[i]
    while 2 * i + 1 < len(place):
        below = 2 * i + 1
        if below + 1 < len(place) and _comes_after(distance, place, below + 1, distance[below], place[below]):
            below += 1
        if not _comes_after(distance, place, below, d, x):
            break
        distance[i], place[i] = distance[below], place[below]
        i = below
    distance[i], place[i] = d, x


@kernel()
def _comes_after(distance: Float64Array, place: Int64Array, i: int, d: float, x: int) -> bool:
    """Return True if the pair at position `i` is greater than (d, x)."""
    return bool(distance[i] > d or (distance[i] == d and place[i] > x))


@kernel()
def unite(packed: Packed, members: Int64Array, clusters: _Clusters, c: int, x: int, target: int) -> None:
    """Replace cluster `c` by its union with cluster `x`. Its records are stored in ``members[target:]``. O(size).

    `members` and `clusters` are as for `nearest_unions`.
    """
    first, size, _ = clusters
    i, j, begin = first[c], first[x], target
    i_end, j_end = first[c] + size[c], first[x] + size[x]
    while i < i_end or j < j_end:
        if j == j_end or (i < i_end and length(packed, members[i]) >= length(packed, members[j])):
            members[target] = members[i]
            i += 1
        else:
            members[target] = members[j]
            j += 1
        target += 1
    first[c], size[c], size[x] = begin, target - begin, 0
    put_heads(packed, members, clusters, c, c + 1)


@kernel()
def gather_segments(members: Int64Array, first: Int64Array, size: Int64Array, gathered: Int64Array) -> int:
    """Copy the slices of `members` in sequence into `gathered`. Update `first`, and return the end. O(n).

    `members` and `gathered` are int64 (n,). `first` and `size`, int64 (C,), are the slices.
    """
    target = 0
    for c in range(len(first)):
        for j in range(size[c]):
            gathered[target + j] = members[first[c] + j]
        first[c] = target
        target += size[c]
    return target
