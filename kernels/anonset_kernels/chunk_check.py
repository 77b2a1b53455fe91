"""Check of disassociated publications: possible positions of shared chunks. Shares no code with the search."""

from typing import NamedTuple

import numpy as np

from anonset_kernels._arrays import BoolArray, Int64Array
from anonset_kernels._jit import kernel


class ShownItems(NamedTuple):
    """Clusters and shared chunks that show each item."""

    cluster_begins: Int64Array
    """int64 (M + 1,): first index, in `cluster`, of each item."""
    cluster: Int64Array
    """int64: clusters that show each item in their own chunks, ascending per item."""
    range_begins: Int64Array
    """int64 (M + 1,): first index, in `first` and `last`, of each item."""
    first: Int64Array
    """int64: first cluster of the shared chunks that show each item, ascending per item."""
    last: Int64Array
    """int64: last cluster of these chunks."""


class Ranges(NamedTuple):
    """Cluster ranges and items of shared chunks."""

    first: Int64Array
    """int64 (chunks,): first cluster of each chunk."""
    last: Int64Array
    """int64 (chunks,): last cluster of each chunk."""
    item_begins: Int64Array
    """int64 (chunks + 1,): first index of each chunk in `item`."""
    item: Int64Array
    """int64: items of the chunks."""


@kernel()
def free_places(shown: ShownItems, chunks: Ranges, places: Int64Array, window: int) -> Int64Array:
    """Count, for each shared chunk, the records of some clusters that may have a sub-record in it, int64 (chunks,).

    Counts the records of clusters in a chunk's range that show none of the chunk's items, neither in own chunks nor in
    a smaller shared chunk.

    Parameters
    ----------
    shown, chunks
        Items shown in these clusters; chunks whose ranges intersect them.
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
    """Return the number of a cluster's records not yet subtracted from a chunk, and mark them as subtracted."""
    if subtracted[cluster] == chunk:
        return 0
    subtracted[cluster] = chunk
    return places[cluster + 1] - places[cluster]


@kernel()
def _first_from(values: Int64Array, begin: int, end: int, least: int) -> int:
    """Return the first index, from `begin` to `end`, of an ascending value that is at least `least`; else `end`."""
    while begin < end:
        middle = (begin + end) // 2
        if values[middle] < least:
            begin = middle + 1
        else:
            end = middle
    return begin


@kernel()
def falls(shown: ShownItems, chunks: Ranges, chunk: Int64Array, cluster: Int64Array) -> BoolArray:
    """Return a mask of the pairs in which the chunk may belong to the cluster (in its range), bool (pairs,).

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
