"""Truthfulness of a disassociated publication: its chunks are what the records of its clusters hold, and all of it."""

import numpy as np
from numpy.typing import NDArray

from anonset.data import SetColumn, Table, Vocabulary
from anonset.data.table import Int32, Int64
from anonset.errors import InputError
from anonset.generalization.chunk_columns import begins_of
from anonset.generalization.chunks import ChunkPublication
from anonset.privacy.model import Witness
from anonset.verification.disassociation import Breach, shown_in
from anonset.verification.distinct_rows import merge_equal

_TERM, _NOWHERE = -1, -2


def check_chunks_true(table: Table, publication: ChunkPublication) -> Witness | None:
    """Return the first cluster or chunk that is not true of the original table, or None.

    The clusters must part all records. In a cluster, every occurrence of a published item must be in its chunk, in the
    chunk that it shares, or among its terms; every chunk must hold the parts of the records that it cuts out, as often,
    and every term must occur.

    Raises
    ------
    InputError
        If nothing says which record is in which cluster, or the original has no set-valued column.
    """
    column, record, cluster = table.transactions, publication.record, publication.cluster
    if record is None or cluster is None:
        msg = (
            "a disassociated publication is compared with its original by the cluster of each record: the private "
            "directory says it, or the file that --records names"
        )
        raise InputError(msg)
    if column is None:
        msg = "the original must have a set-valued column, got none"
        raise InputError(msg)
    if (breach := _untrue_clusters(table.n, publication, record, cluster)) is not None:
        return breach
    cluster_of = np.empty(table.n, np.int64)
    cluster_of[record] = cluster
    index = publication.vocabulary.index
    code = np.array([index.get(label, _NOWHERE) for label in column.vocabulary.labels], np.int64)
    item = code[column.items] if len(code) else np.empty(0, np.int64)
    rows = np.repeat(np.arange(table.n), column.lengths)[item >= 0]
    item = item[item >= 0]
    place = _places(publication, cluster_of[rows], item)
    if (unplaced := np.flatnonzero(place == _NOWHERE)).size:
        where = int(cluster_of[rows[unplaced[0]]])
        label = publication.vocabulary.labels[item[unplaced[0]]]
        return Breach((label,), 0, 1, where, f"cluster {where} shows it nowhere, and a record of it holds it")
    return _untrue_terms(publication, cluster_of[rows], item, place) or _untrue_chunks(publication, rows, item, place)


def _untrue_clusters(n: int, publication: ChunkPublication, record: Int64, cluster: Int32) -> Breach | None:
    if not (len(record) == len(cluster) == n and np.array_equal(np.sort(record), np.arange(n))):
        return Breach((), len(record), n, 0, f"the clusters do not part the {n} records of the original")
    stated = publication.columns[0].n
    if n and not 0 <= int(cluster.min()) <= int(cluster.max()) < len(stated):
        return Breach((), 0, 1, 0, "records are in a cluster that is not published")
    held = np.bincount(cluster, minlength=len(stated))
    for number in np.flatnonzero(held != stated).tolist():
        return Breach(
            (), int(held[number]), int(stated[number]), number, f"cluster {number} has {held[number]} records"
        )
    return None


def _places(publication: ChunkPublication, cluster: Int64, item: Int64) -> Int64:
    """Return where each occurrence must be: the number of a chunk, -1 for a term, -2 where nothing shows it.

    Chunks are numbered cluster by cluster, the shared ones behind. An occurrence that no cluster shows by itself is in
    the smallest shared chunk around that may fall on its cluster.
    """
    width, clusters = max(1, len(publication.vocabulary)), publication.columns[0]
    chunk, of_chunk = clusters.rows.domains
    of_terms = clusters.cluster_of_term * width + clusters.terms
    known = np.append(clusters.cluster_of_chunk[chunk] * width + of_chunk, of_terms)
    order = np.argsort(known, kind="stable")
    known, place_of = known[order], np.append(chunk, np.full(len(of_terms), _TERM))[order]
    keys, inverse = np.unique(cluster * width + item, return_inverse=True)
    place = np.full(len(keys), _NOWHERE, np.int64)
    at = np.atleast_1d(np.searchsorted(known, keys))
    shown: NDArray[np.bool_] = np.append(known, -1)[at] == keys
    place[shown] = place_of[at[shown]]
    left = np.flatnonzero(~shown)
    found = _in_shared(publication, keys[left] // width, keys[left] % width)
    place[left] = np.where(found >= 0, found + len(clusters.rows), found)
    places: Int64 = place[inverse.ravel()]
    return places


def _in_shared(publication: ChunkPublication, cluster: Int64, item: Int64) -> Int64:
    """Return the smallest shared chunk of an item that may fall on a cluster, int64 (pairs,); -2 where none may."""
    from anonset_kernels.chunk_check import falls

    shared, place = publication.columns[1], np.full(len(item), _NOWHERE, np.int64)
    shown, chunks = shown_in(publication)
    chunk, of_chunk = shared.rows.domains
    n_clusters, size = len(publication.clusters) + 1, (shared.last - shared.first)[chunk]
    for width in np.unique(size).tolist():
        here = np.flatnonzero(size == width)
        begins = of_chunk[here] * n_clusters + shared.first[chunk[here]]
        here, begins = here[np.argsort(begins, kind="stable")], np.sort(begins)
        left = np.flatnonzero(place == _NOWHERE)
        nearest = np.searchsorted(begins, item[left] * n_clusters + cluster[left], side="right") - 1
        pair = here[nearest]
        around = (nearest >= 0) & (of_chunk[pair] == item[left]) & (shared.last[chunk[pair]] >= cluster[left])
        left, wanted = left[around], chunk[pair[around]]
        may = falls(shown, chunks, wanted, cluster[left])
        place[left[may]] = wanted[may]
    return place


def _untrue_terms(publication: ChunkPublication, cluster: Int64, item: Int64, place: Int64) -> Breach | None:
    clusters, labels = publication.columns[0], publication.vocabulary.labels
    terms, width = place == _TERM, max(1, len(labels))
    stated = clusters.cluster_of_term * width + clusters.terms
    for key in stated[~np.isin(stated, cluster[terms] * width + item[terms])].tolist():
        number, label = key // width, labels[key % width]
        return Breach((label,), 0, 1, number, f"it is a term of cluster {number}, and no record of it holds it")
    occurrences = np.bincount(item[terms], minlength=width).tolist()
    for term, total in publication.totals or ():
        if occurrences[term] != total:
            detail = f"{occurrences[term]} records hold it where it is a term, not {total}"
            return Breach((labels[term],), occurrences[term], total, 0, detail)
    return None


def _untrue_chunks(publication: ChunkPublication, record: Int64, item: Int64, place: Int64) -> Breach | None:
    """Compare each chunk with the parts of records that it cuts out, as multisets.

    What the records give and what is published weigh against each other: equal ones must add up to nothing.
    """
    (clusters, shared), width = publication.columns, max(1, len(publication.vocabulary))
    in_chunks = np.flatnonzero(place >= 0)
    in_chunks = in_chunks[np.lexsort((item[in_chunks], record[in_chunks], place[in_chunks]))]
    place, record, item = place[in_chunks], record[in_chunks], item[in_chunks]
    begin = np.flatnonzero(np.append(True, (place[1:] != place[:-1]) | (record[1:] != record[:-1]))[: len(place)])
    keys, weights = [place * width + item], [np.ones(len(begin), np.int64)]
    lengths = [np.diff(np.append(begin, len(place)))]
    for first, rows in ((0, clusters.rows), (len(clusters.rows), shared.rows)):
        keys.append((np.repeat(rows.chunk, np.diff(rows.indptr)) + first) * width + rows.items)
        weights.append(-rows.count)
        lengths.append(np.diff(rows.indptr))
    symbols, codes = np.unique(np.concatenate(keys), return_inverse=True)
    indptr, vocabulary = begins_of(np.concatenate(lengths)), Vocabulary.numbered(len(symbols))
    column = SetColumn(publication.name, indptr, codes.ravel().astype(np.int32), vocabulary)
    for row in np.flatnonzero(merge_equal(column, np.concatenate(weights))).tolist():
        chunk = int(symbols[column.items[indptr[row]]]) // width
        number, name = _named_chunk(publication, chunk)
        return Breach((), 0, 1, number, f"{name} differs from what its records hold")
    return None


def _named_chunk(publication: ChunkPublication, chunk: int) -> tuple[int, str]:
    """Return the first cluster of a chunk, numbered as by `_places`, and what to call it."""
    clusters, shared = publication.columns
    if chunk >= len(clusters.rows):
        one = chunk - len(clusters.rows)
        return int(shared.first[one]), f"shared chunk {one}"
    number = int(clusters.cluster_of_chunk[chunk])
    return number, f"chunk {chunk - clusters.chunk_begins[number]} of cluster {number}"
