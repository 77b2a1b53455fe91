"""Check to which clusters the shared chunks of a disassociated publication can belong. The search shares no code with
this check.
"""

from typing import NamedTuple

import numpy as np

from anonset_kernels._arrays import BoolArray, Int64Array
from anonset_kernels._jit import kernel


class ShownItems(NamedTuple):
    """Clusters and shared chunks that contain each item.

    An item is *shown* by a cluster if a chunk of the cluster contains it.
    """

    cluster_begins: Int64Array
    """Start of each item in `cluster`, int64 (M + 1,)."""
    cluster: Int64Array
    """Clusters that show each item, in ascending order for each item, int64."""
    range_begins: Int64Array
    """Start of each item in `first` and `last`, int64 (M + 1,)."""
    first: Int64Array
    """First cluster of each shared chunk that contains an item, in ascending order for each item, int64."""
    last: Int64Array
    """Last cluster of each shared chunk of `first`, int64."""


class Ranges(NamedTuple):
    """Cluster ranges and items of shared chunks."""

    first: Int64Array
    """First cluster of each chunk, int64 (chunks,)."""
    last: Int64Array
    """Last cluster of each chunk, int64 (chunks,)."""
    item_begins: Int64Array
    """First index of each chunk in `item`, int64 (chunks + 1,)."""
    item: Int64Array
    """Items of the chunks, int64."""


@kernel(allocates=True)
def free_places(shown: ShownItems, chunks: Ranges, places: Int64Array, window: int) -> Int64Array:
    """Return, for each shared chunk, how many records of some clusters may have a sub-record in it, int64 (chunks,).

    These are the records of clusters in the chunk's range that show none of the chunk's items, neither in their own
    chunks nor in a smaller shared chunk.

    Parameters
    ----------
    shown, chunks
        Items that the clusters show, and the shared chunks whose ranges intersect the clusters.
    places
        int64 (clusters + 1,): number of records before each cluster.
    window
        Number of the first cluster.
    """
    free, window_end = np.empty(len(chunks.first), np.int64), window + len(places) - 1
    subtracted = np.full(len(places) - 1, -1, np.int64)
    for chunk in range(len(chunks.first)):
        first, last = chunks.first[chunk], chunks.last[chunk]
        begin, end = max(first, window), min(last + 1, window_end)
        free[chunk] = places[end - window] - places[begin - window]
        for where in range(chunks.item_begins[chunk], chunks.item_begins[chunk + 1]):
            item = chunks.item[where]
            stop = shown.cluster_begins[item + 1]
            i = _first_from(shown.cluster, shown.cluster_begins[item], stop, begin)
            while i < stop and shown.cluster[i] < end:
                free[chunk] -= _take(subtracted, places, shown.cluster[i] - window, chunk)
                i += 1
            stop = shown.range_begins[item + 1]
            i = _first_from(shown.first, shown.range_begins[item], stop, first)
            while i < stop and shown.first[i] <= last:
                if shown.last[i] <= last and shown.last[i] - shown.first[i] < last - first:
                    for cluster in range(max(shown.first[i], begin), min(shown.last[i] + 1, end)):
                        free[chunk] -= _take(subtracted, places, cluster - window, chunk)
                i += 1
    return free


@kernel()
def _take(subtracted: Int64Array, places: Int64Array, cluster: int, chunk: int) -> int:
    """Return the number of a cluster's records if they were not subtracted before, else 0. Mark them as subtracted."""
    if subtracted[cluster] == chunk:
        return 0
    subtracted[cluster] = chunk
    return places[cluster + 1] - places[cluster]


@kernel()
def _first_from(values: Int64Array, begin: int, end: int, least: int) -> int:
    """Return the first index in ``values[begin:end]``, ascending, of a value that is at least `least`, or `end`."""
    while begin < end:
        middle = (begin + end) // 2
        if values[middle] < least:
            begin = middle + 1
        else:
            end = middle
    return begin


@kernel(allocates=True)
def falls(shown: ShownItems, chunks: Ranges, chunk: Int64Array, cluster: Int64Array) -> BoolArray:
    """Return True for each pair of a chunk and a cluster if the chunk may belong to the cluster, bool (pairs,).

    Parameters
    ----------
    chunk, cluster
        int64 (pairs,) each.
    """
    may = np.ones(len(chunk), np.bool_)
    for pair in range(len(chunk)):
        first, last, target = chunks.first[chunk[pair]], chunks.last[chunk[pair]], cluster[pair]
        for where in range(chunks.item_begins[chunk[pair]], chunks.item_begins[chunk[pair] + 1]):
            item = chunks.item[where]
            end = shown.cluster_begins[item + 1]
            i = _first_from(shown.cluster, shown.cluster_begins[item], end, target)
            if i < end and shown.cluster[i] == target:
                may[pair] = False
            end = shown.range_begins[item + 1]
            i = _first_from(shown.first, shown.range_begins[item], end, first)
            while i < end and shown.first[i] <= target:
                inner = shown.last[i] <= last and shown.last[i] - shown.first[i] < last - first
                if inner and shown.last[i] >= target:
                    may[pair] = False
                i += 1
    return may
