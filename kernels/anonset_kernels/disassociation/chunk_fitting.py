"""Disassociation: divide the items of each cluster into k^m-anonymous chunks, and share terms between clusters.

The posting of an item is the ascending list of the records that contain it. A term is an item without a chunk in its
cluster.
"""

from typing import NamedTuple

import numpy as np

from anonset_kernels._arrays import BoolArray, Indptr, Int32Array, Int64Array, Int64Matrix, Items
from anonset_kernels._jit import kernel
from anonset_kernels.disassociation._first_fit import ChunkRule, first_fit


class ClusterItems(NamedTuple):
    """Items of some clusters, sorted by cluster and item: p pairs of a cluster and an item."""

    cluster: Int32Array
    """Cluster of each pair, int32 (p,)."""
    item: Int32Array
    """Item of each pair, int32 (p,)."""
    place: Int32Array
    """Chunk of each pair's item in the cluster, int32 (p,). -1 if the item is a term."""
    begins: Int64Array
    """Start of each pair's posting in `records`, int64 (p + 1,)."""
    records: Int32Array
    """Postings of all pairs, int32 (nnz,)."""
    n_chunks: Int32Array
    """Number of chunks in each cluster, int32 (clusters,)."""
    must_keep: BoolArray
    """True for clusters that must keep a term, bool (clusters,). Without terms, their chunks would disclose too much.
    """


class ClusterTerms(NamedTuple):
    """Terms that may be moved to shared chunks.

    The e pairs of an item and a cluster are sorted by group, item and cluster.
    """

    item: Int32Array
    """Item of each pair, int32 (e,)."""
    cluster: Int32Array
    """Cluster of each pair, int32 (e,)."""
    start: Int64Array
    """Start of each pair's posting, int64 (e,)."""
    end: Int64Array
    """End of each pair's posting, int64 (e,)."""
    shown: BoolArray
    """True if a chunk of any cluster in the group contains the item, bool (e,)."""


class ChunkedClusters(NamedTuple):
    """State of each cluster."""

    n: Int64Array
    """Number of records, int64 (clusters,)."""
    terms: Int32Array
    """Number of remaining terms, int32 (clusters,). Changed in place."""
    must_keep: BoolArray
    """True if the last term must remain, bool (clusters,)."""


@kernel()
def needs_term(n: int, covered: Int64Array, k: int, m: int) -> bool:
    """Return True if a cluster needs a term in addition to its chunks.

    Without terms, each record has a sub-record in a chunk. For each set of items of several chunks, k records must then
    be able to contain the set, or no record. The result is exact for a single cluster.

    Parameters
    ----------
    n
        Number of records in the cluster.
    covered
        int64 (chunks,): number of non-empty sub-records in each chunk.
    """
    if k == 1:
        return False
    excess, several = -n, min(m, len(covered)) - 1
    for chunk in range(len(covered)):
        excess += covered[chunk]
    return len(covered) == 0 or excess < 0 or (several > 0 and 0 < excess < k * several)


@kernel(allocates=True)
def divide_clusters(indptr: Indptr, items: Items, borders: Int64Array, rule: ChunkRule) -> ClusterItems:
    """Assign the items of each cluster to chunks or to the terms.

    Cost: that of `first_fit`, plus sorting the items of each cluster.

    Parameters
    ----------
    borders
        int64 (clusters + 1,): first record of each cluster, starting with 0.
    """
    n_clusters, nnz = len(borders) - 1, indptr[-1] - indptr[0]
    cluster, item_of, place = np.empty(nnz, np.int32), np.empty(nnz, np.int32), np.empty(nnz, np.int32)
    begins, records = np.zeros(nnz + 1, np.int64), np.empty(nnz, np.int32)
    n_chunks, must_keep = np.zeros(n_clusters, np.int32), np.zeros(n_clusters, np.bool_)
    slot, head = np.full(len(rule.alone), -1, np.int64), np.full(len(indptr) - 1, -1, np.int32)
    filled = 0
    for number in range(n_clusters):
        first, end = borders[number], borders[number + 1]
        stop = filled
        for item in np.sort(items[indptr[first] : indptr[end]]):
            if stop == filled or item_of[stop - 1] != item:
                slot[item], cluster[stop], item_of[stop] = stop, number, item
                stop += 1
        _post(indptr, items, first, end, slot, filled, begins, records)
        starts, cluster_items = begins[filled : stop + 1], item_of[filled:stop]
        chunks, n_chunks[number], must_keep[number] = _divide(starts, records, cluster_items, end - first, rule, head)
        for i in range(len(cluster_items)):
            place[filled + i] = chunks[i]
        filled = stop
    return ClusterItems(
        cluster[:filled].copy(),
        item_of[:filled].copy(),
        place[:filled].copy(),
        begins[: filled + 1].copy(),
        records,
        n_chunks,
        must_keep,
    )


@kernel(allocates=True)
def _post(
    indptr: Indptr,
    items: Items,
    first: int,
    end: int,
    slot: Int64Array,
    filled: int,
    begins: Int64Array,
    records: Int32Array,
) -> None:
    """Write the postings of a cluster's items consecutively, starting with slot `filled`."""
    stop = filled
    for entry in range(indptr[first], indptr[end]):
        where = slot[items[entry]]
        begins[where + 1] += 1
        stop = max(stop, where + 1)
    for where in range(filled, stop):
        begins[where + 1] += begins[where]
    written = begins[filled:stop].copy()
    for record in range(first, end):
        for entry in range(indptr[record], indptr[record + 1]):
            where = slot[items[entry]] - filled
            records[written[where]] = record
            written[where] += 1


@kernel(allocates=True)
def _divide(
    begins: Int64Array, records: Int32Array, cluster_items: Int32Array, n: int, rule: ChunkRule, head: Int32Array
) -> tuple[Int32Array, int, bool]:
    """Return the chunk of each item of a cluster (-1 for a term), the number of chunks, and if a term must remain."""
    place, supports = np.full(len(cluster_items), -1, np.int32), begins[1:] - begins[:-1]
    shown, n_shown, together, n_together = (
        np.empty(len(cluster_items), np.int64),
        0,
        np.empty(len(cluster_items), np.int64),
        0,
    )
    for i in np.argsort(-supports, kind="mergesort"):
        is_alone = rule.alone[cluster_items[i]]
        if supports[i] >= rule.k and not (is_alone and supports[i] * rule.denominator > rule.numerator * n):
            shown[n_shown] = i
            n_shown += 1
            if not is_alone:
                together[n_together] = i
                n_together += 1
    starts, ends, n_chunks = np.empty(n_together, np.int64), np.empty(n_together, np.int64), 0
    for i in range(n_together):
        starts[i], ends[i] = begins[together[i]], begins[together[i] + 1]
    chunks = first_fit(starts, ends, records, rule, head)
    for i in range(n_together):
        place[together[i]] = chunks[i]
        n_chunks = max(n_chunks, chunks[i] + 1)
    for i in shown[:n_shown]:
        if place[i] < 0:
            place[i] = n_chunks
            n_chunks += 1
    lacks = needs_term(n, _covered(place, n_chunks, begins, records, head), rule.k, rule.m)
    if lacks and 0 < n_shown == len(cluster_items):
        n_chunks -= _without(place, shown[n_shown - 1])
        lacks = needs_term(n, _covered(place, n_chunks, begins, records, head), rule.k, rule.m)
    return place, n_chunks, lacks


@kernel()
def _without(place: Int32Array, last: int) -> int:
    """Make item `last` a term. If its chunk is then empty, renumber the later chunks and return 1, else return 0."""
    emptied = place[last]
    place[last] = -1
    for i in range(len(place)):
        if place[i] == emptied:
            return 0
    for i in range(len(place)):
        place[i] -= place[i] > emptied
    return 1


@kernel(allocates=True)
def _covered(place: Int32Array, n_chunks: int, begins: Int64Array, records: Int32Array, head: Int32Array) -> Int64Array:
    """Return the number of non-empty sub-records of each chunk in a cluster, int64 (chunks,)."""
    covered = np.zeros(n_chunks, np.int64)
    for chunk in range(n_chunks):
        for i in range(len(place)):
            if place[i] == chunk:
                for where in range(begins[i], begins[i + 1]):
                    covered[chunk] += head[records[where]] != chunk
                    head[records[where]] = chunk
    for where in range(begins[0], begins[-1]):
        head[records[where]] = -1
    return covered


@kernel(allocates=True)
def share_terms(
    terms: ClusterTerms,
    records: Int32Array,
    groups: Int64Array,
    clusters: ChunkedClusters,
    rule: ChunkRule,
    head: Int32Array,
) -> tuple[Int32Array, BoolArray, Int32Array]:
    """Move terms that occur in several clusters of a group into chunks that the group shares.

    Returns three arrays. The first contains the chunk of each term, int32 (e,), or -1 if the term is not moved. The
    second is True for terms that must not be moved because a shared chunk contains their item, bool (e,). The third
    contains the group of each chunk, int32 (chunks,).

    Parameters
    ----------
    records
        int32: postings of the terms.
    groups
        int64 (groups + 1,): first term of each group.
    head
        int32 (n,): -1 before and after the call.
    """
    n_terms = len(terms.item)
    chunk_of, settled = np.full(n_terms, -1, np.int32), np.zeros(n_terms, np.bool_)
    group_of, n_chunks = np.empty(n_terms, np.int32), 0
    for group in range(len(groups) - 1):
        runs = _frequent_runs(terms, groups[group], groups[group + 1], rule.k)
        together, n_together, single_runs, n_alone = np.empty_like(runs), 0, np.empty(len(runs), np.int64), 0
        for i in range(len(runs)):
            first, end = runs[i, 0], runs[i, 1]
            leaving, n_leaving = _leaving(terms, first, end, clusters, rule)
            if not n_leaving:
                continue
            settled[first:end] = True
            for term in range(first, end):
                if leaving[term - first]:
                    clusters.terms[terms.cluster[term]] -= 1
                    chunk_of[term] = -2
            if terms.shown[first] or rule.alone[terms.item[first]] or n_leaving < end - first:
                single_runs[n_alone] = i
                n_alone += 1
            else:
                together[n_together, 0], together[n_together, 1] = first, end
                n_together += 1
        new = n_chunks
        if n_together:
            starts, ends, posted = _joined(terms, together[:n_together], records)
            chunks = first_fit(starts, ends, posted, rule, head)
            for i in range(n_together):
                chunk_of[together[i, 0] : together[i, 1]] = n_chunks + chunks[i]
            for i in range(n_together):
                new = max(new, n_chunks + chunks[i] + 1)
        for i in range(n_alone):
            for term in range(runs[single_runs[i], 0], runs[single_runs[i], 1]):
                if chunk_of[term] == -2:
                    chunk_of[term] = new
            new += 1
        group_of[n_chunks:new] = group
        n_chunks = new
    return chunk_of, settled, group_of[:n_chunks].copy()


@kernel(allocates=True)
def _frequent_runs(terms: ClusterTerms, first: int, end: int, k: int) -> Int64Matrix:
    """Return the range of terms of each item that occurs in several clusters of a group and in at least k records.

    The ranges are sorted by descending support, then by item.
    """
    begins, ends, n_frequent = np.empty(end - first, np.int64), np.empty(end - first, np.int64), 0
    support = np.empty(end - first, np.int64)
    while first < end:
        stop, records = first, 0
        while stop < end and terms.item[stop] == terms.item[first]:
            records += terms.end[stop] - terms.start[stop]
            stop += 1
        if stop - first > 1 and records >= k:
            begins[n_frequent], ends[n_frequent], support[n_frequent] = first, stop, records
            n_frequent += 1
        first = stop
    runs, filled = np.empty((n_frequent, 2), np.int64), 0
    for i in np.argsort(-support[:n_frequent], kind="mergesort"):
        runs[filled, 0], runs[filled, 1] = begins[i], ends[i]
        filled += 1
    return runs


@kernel(allocates=True)
def _leaving(
    terms: ClusterTerms, first: int, end: int, clusters: ChunkedClusters, rule: ChunkRule
) -> tuple[BoolArray, int]:
    """Return True for each term that its cluster may lose, bool (end - first,), and their number.

    The number is 0 if too few records contain the item.
    """
    leaving, n_leaving, records, places = np.zeros(end - first, np.bool_), 0, 0, 0
    for term in range(first, end):
        cluster = terms.cluster[term]
        if clusters.terms[cluster] > int(clusters.must_keep[cluster]):
            leaving[term - first] = True
            n_leaving += 1
            records += terms.end[term] - terms.start[term]
            places += clusters.n[cluster]  # records to which a chunk of the item belongs, as a lower bound
    capped = rule.alone[terms.item[first]] and records * rule.denominator > rule.numerator * places
    return leaving, n_leaving if records >= rule.k and not capped else 0


@kernel(allocates=True)
def _joined(terms: ClusterTerms, runs: Int64Matrix, records: Int32Array) -> tuple[Int64Array, Int64Array, Int32Array]:
    """Return the start and end of each item's posting over all clusters of a group, and the records."""
    starts, ends, size = np.empty(len(runs), np.int64), np.empty(len(runs), np.int64), 0
    for i in range(len(runs)):
        starts[i] = size
        for term in range(runs[i, 0], runs[i, 1]):
            size += terms.end[term] - terms.start[term]
        ends[i] = size
    posted, filled = np.empty(size, np.int32), 0
    for i in range(len(runs)):
        for term in range(runs[i, 0], runs[i, 1]):
            for where in range(terms.start[term], terms.end[term]):
                posted[filled] = records[where]
                filled += 1
    return starts, ends, posted
