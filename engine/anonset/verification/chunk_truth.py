"""Check whether the chunks and terms of each cluster of a disassociated publication are exactly the items of the
original records.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from anonset.data import SetColumn, Table, Vocabulary
from anonset.data.array_types import Bools, Int32, Int64
from anonset.data.distinct import distinct, first_of_runs
from anonset.data.spans import ascending, begins_of, spans
from anonset.data.storage.store import MEMORY
from anonset.errors import InputError
from anonset.privacy.model import Witness
from anonset.publications import Chunks
from anonset.publications.chunk_columns import ChunkRows
from anonset.publications.chunks import ChunkWindow
from anonset.verification.disassociation import Breach, named_chunk, shown_in
from anonset.verification.distinct_rows import merge_equal
from anonset.verification.item_truth import first_repeated

_TERM, _NOWHERE = -1, -2
_LARGEST_CODE, _LARGEST_KEY = np.iinfo(np.int32).max, np.iinfo(np.int64).max


def check_chunks_true(table: Table, publication: Chunks) -> Witness | None:
    """Return the first cluster or chunk that does not match the original table, or None.

    The clusters must partition all records. In a cluster, every occurrence of a published item must be in a chunk of
    the cluster, in a shared chunk, or among the terms. Every chunk must contain the projections of the records onto the
    chunk's items, with the same counts. Every term must occur.

    Raises
    ------
    InputError
        If the cluster of each record is not known, or the original has no set-valued column.
    """
    column, record, cluster = table.transactions, publication.record, publication.cluster
    if record is None or cluster is None:
        raise InputError(
            "comparing a disassociated publication with its original requires the cluster of each record: use the "
            "private directory, or pass --records FILE"
        )
    if column is None:
        raise InputError("the original must have a set-valued column, got none")
    if (breach := _untrue_clusters(table.n, publication, record, cluster)) is not None:
        return breach
    if not ascending(cluster):
        by_cluster = np.argsort(cluster, kind="stable")
        record = record[by_cluster]
    return _Comparison(publication, column).breach(record)


def _untrue_clusters(n: int, publication: Chunks, record: Int64, cluster: Int32) -> Breach | None:
    within = all(bool(np.all((record[a:b] >= 0) & (record[a:b] < n))) for a, b in spans(len(record)))
    if not (len(record) == len(cluster) == n and within and first_repeated(record, n) < 0):
        return Breach((), len(record), n, 0, f"the clusters do not partition the {n} records of the original")
    stated = publication.columns[0].n
    actual = np.zeros(len(stated), np.int64)
    for a, b in spans(n):
        part = cluster[a:b]
        if not 0 <= int(part.min()) <= int(part.max()) < len(stated):
            return Breach((), 0, 1, 0, "records are in a cluster that is not published")
        actual += np.bincount(part, minlength=len(stated))
    for number in np.flatnonzero(actual != stated).tolist():
        return Breach(
            (), int(actual[number]), int(stated[number]), number, f"cluster {number} has {actual[number]} records"
        )
    return None


class _Occurrences(NamedTuple):
    """Occurrences of items in shared chunks."""

    chunk: Int64
    """Chunk of each occurrence, int64 (occurrences,)."""
    row: Int64
    """Record of each occurrence, numbered cluster by cluster, int64 (occurrences,)."""
    item: Int64

    def select(self, chosen: Bools) -> "_Occurrences":
        return _Occurrences(*(column[chosen] for column in self))


class _Comparison:
    """Comparison of the original records with their published clusters, in blocks of clusters.

    Occurrences in a shared chunk are stored until the last cluster in range is compared.
    """

    def __init__(self, publication: Chunks, column: SetColumn) -> None:
        self._publication, self._column = publication, column
        self._shared, self._width = publication.columns[1], max(1, len(publication.vocabulary))
        index = publication.vocabulary.index
        self._code = np.array([index.get(label, _NOWHERE) for label in column.vocabulary.labels], np.int64)
        self._of_terms = np.zeros(self._width, np.int64)
        empty = np.empty(0, np.int64)
        self._waiting = _Occurrences(empty, empty, empty)

    def breach(self, record: Int64) -> Breach | None:
        """Return the first difference. `record` contains the record numbers, int64 (n,), ordered by cluster."""
        done = 0
        for window in self._publication.windows():
            n = int(window.clusters.n.sum())
            breach = self._in_window(window, record[done : done + n], done)
            if breach is not None:
                return breach
            done += n
        labels = self._publication.vocabulary.labels
        for term, total in self._publication.totals or ():
            if (actual := int(self._of_terms[term])) != total:
                detail = f"{actual} records contain it as a term, not {total}"
                return Breach((labels[term],), actual, total, 0, detail)
        return None

    def _in_window(self, window: ChunkWindow, record: Int64, before: int) -> Breach | None:
        """Compare the records of a block of clusters. `before` is the number of records in earlier blocks."""
        labels, clusters = self._publication.vocabulary.labels, window.clusters
        part = self._column.take(record)
        item, row = self._code[part.items], np.repeat(np.arange(part.n), part.lengths)
        row, item = row[item >= 0], item[item >= 0]
        cluster = np.repeat(np.arange(len(clusters)), clusters.n)
        keys = cluster[row] * self._width + item
        place = _Places(self._publication, window, self._width).of(keys)
        n_own, row = len(clusters.rows), row + before
        if (unplaced := np.flatnonzero(place == _NOWHERE)).size:
            where, label = int(keys[unplaced[0]]) // self._width + window.first, labels[item[unplaced[0]]]
            return Breach(
                (label,), 0, 1, where, f"cluster {where} does not show it, but a record of the cluster contains it"
            )
        terms = clusters.cluster_of_term * self._width + clusters.terms
        for key in terms[~np.isin(terms, keys[place == _TERM])].tolist():
            number, label = key // self._width + window.first, labels[key % self._width]
            return Breach(
                (label,), 0, 1, number, f"it is a term of cluster {number}, but no record of the cluster contains it"
            )
        self._of_terms += np.bincount(item[place == _TERM], minlength=self._width)
        in_cluster, in_shared = (place >= 0) & (place < n_own), place >= n_own
        if (chunk := _differing(clusters.rows, place[in_cluster], row[in_cluster], item[in_cluster])) is not None:
            first = int(self._publication.columns[0].chunk_begins[window.first])
            return self._different(first + chunk, of_shared=False)
        new = _Occurrences(window.number[place[in_shared] - n_own], row[in_shared], item[in_shared])
        return self._in_shared(window, _Occurrences(*map(np.append, self._waiting, new)))

    def _in_shared(self, window: ChunkWindow, occurrences: _Occurrences) -> Breach | None:
        """Compare the shared chunks whose range of clusters ends in this block. Store the occurrences in other shared
        chunks.
        """
        ends = self._shared.last[window.number] < window.end
        complete = np.sort(window.number[ends])
        position = np.searchsorted(complete, occurrences.chunk)
        is_complete = np.append(complete, -1)[position] == occurrences.chunk
        self._waiting, ending = occurrences.select(~is_complete), occurrences.select(is_complete)
        chunk = _differing(self._shared.rows.take(complete), position[is_complete], ending.row, ending.item)
        return None if chunk is None else self._different(int(complete[chunk]), of_shared=True)

    def _different(self, chunk: int, *, of_shared: bool) -> Breach:
        number, name = named_chunk(self._publication, chunk, of_shared)
        return Breach((), 0, 1, number, f"{name} differs from the records")


class _Places:
    """Expected positions of the occurrences in the records of some clusters."""

    def __init__(self, publication: Chunks, window: ChunkWindow, width: int) -> None:
        self._publication, self._window, self._width = publication, window, width
        clusters = window.clusters
        chunk, item = clusters.rows.domains
        terms = clusters.cluster_of_term * width + clusters.terms
        shown = np.append(clusters.cluster_of_chunk[chunk] * width + item, terms)
        order = np.argsort(shown, kind="stable")
        self._shown = np.append(shown[order], np.iinfo(np.int64).max)
        self._place = np.append(np.append(chunk, np.full(len(terms), _TERM))[order], _NOWHERE)

    def of(self, keys: Int64) -> Int64:
        """Return the chunk number of each occurrence. -1 for a term, -2 for an occurrence that is not published.

        Chunks are numbered cluster by cluster. Shared chunks have the last numbers. If the chunks and terms of the
        cluster do not contain the item, the item must be in a shared chunk that may have sub-records in the cluster. Of
        several such chunks, the chunk with the smallest range is returned.

        Parameters
        ----------
        keys
            Key of each occurrence, int64 (occurrences,). A key is c times the number of items, plus the item code, for
            cluster number c in the window.
        """
        position = np.atleast_1d(np.searchsorted(self._shown, keys))
        place: Int64 = np.where(self._shown[position] == keys, self._place[position], _NOWHERE)
        unplaced = np.flatnonzero(place == _NOWHERE)
        pairs, inverse = np.unique(keys[unplaced], return_inverse=True)
        shared = self._in_shared(pairs // self._width + self._window.first, pairs % self._width)
        place[unplaced] = np.where(shared >= 0, shared + len(self._window.clusters.rows), shared)[inverse.ravel()]
        return place

    def _by_width(self) -> Iterator[tuple[Int64, Int64, Int64]]:
        """Yield arrays of sort keys, chunk numbers and items of the shared chunks with equal number of clusters. The
        number of clusters is ascending.
        """
        shared = self._window.shared
        chunk, item = shared.rows.domains
        size = (shared.last - shared.first)[chunk]
        for width in distinct(size).tolist():
            of_width = np.flatnonzero(size == width)
            begins = item[of_width] * self._n_clusters + shared.first[chunk[of_width]]
            order = np.argsort(begins, kind="stable")
            yield begins[order], chunk[of_width[order]], item[of_width[order]]

    @property
    def _n_clusters(self) -> int:
        return len(self._publication.columns[0]) + 1

    def _in_shared(self, cluster: Int64, item: Int64) -> Int64:
        """Return, for each pair of a cluster and an item, the smallest shared chunk that contains the item and may have
        sub-records in the cluster, int64 (pairs,). -2 if no shared chunk does.
        """
        from anonset_kernels.verification.chunks import falls

        place, shown, shared = np.full(len(item), _NOWHERE, np.int64), None, self._window.shared
        for begins, chunk, of_chunk in self._by_width():
            unplaced = np.flatnonzero(place == _NOWHERE)
            key = item[unplaced] * self._n_clusters + cluster[unplaced]
            nearest = np.atleast_1d(np.searchsorted(begins, key, side="right")) - 1
            around = (nearest >= 0) & (of_chunk[nearest] == item[unplaced])
            around &= shared.last[chunk[nearest]] >= cluster[unplaced]
            unplaced, candidate = unplaced[around], chunk[nearest[around]]
            shown = shown_in(self._publication, self._window) if shown is None else shown
            may = falls(*shown, candidate, cluster[unplaced])
            place[unplaced[may]] = candidate[may]
        return place


def _differing(rows: ChunkRows, place: Int64, record: Int64, item: Int64) -> int | None:
    """Return a chunk whose published sub-records differ from the original occurrences, or None.

    Original sub-records have positive weights, and published sub-records have negative weights. The weights of equal
    sub-records must sum to 0.
    """
    place, record, item = _in_order(place, record, item)
    width = max(int(item.max(initial=0)), int(rows.items.max(initial=0))) + 1
    begin = np.flatnonzero(first_of_runs(place, record))
    stated = np.repeat(rows.chunk, np.diff(rows.indptr)) * width + rows.items
    keys = codes = np.append(place * width + item, stated)
    if len(rows) * width > _LARGEST_CODE:
        codes = np.unique(keys, return_inverse=True)[1].ravel()
    indptr = begins_of(np.append(np.diff(np.append(begin, len(place))), np.diff(rows.indptr)))
    column = SetColumn("items", indptr, codes.astype(np.int32), Vocabulary.numbered(int(codes.max(initial=0)) + 1))
    sums = merge_equal(column, np.append(np.ones(len(begin), np.int64), -rows.count), MEMORY)
    different = np.flatnonzero(sums)
    return int(keys[indptr[different[0]]]) // width if len(different) else None


def _in_order(place: Int64, record: Int64, item: Int64) -> tuple[Int64, Int64, Int64]:
    """Return occurrences ordered by chunk, record and item."""
    if not len(place):
        return place, record, item
    first, rows, width = int(record.min()), int(np.ptp(record)) + 1, int(item.max()) + 1
    if (int(place.max()) + 1) * rows * width > _LARGEST_KEY:
        order = np.lexsort((item, record, place))
        return place[order], record[order], item[order]
    keys, item = np.divmod(np.sort((place * rows + record - first) * width + item), width)
    place, record = np.divmod(keys, rows)
    return place, record, item
