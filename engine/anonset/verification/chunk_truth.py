"""Truthfulness of a disassociated publication: its chunks are what the records of its clusters hold, and all of it."""

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from anonset.data import SetColumn, Table, Vocabulary
from anonset.data.spans import run_spans
from anonset.data.table import Int32, Int64
from anonset.errors import InputError
from anonset.generalization.chunk_columns import ChunkRows, begins_of
from anonset.generalization.chunks import ChunkPublication
from anonset.privacy.model import Witness
from anonset.verification.disassociation import Breach, shown_in
from anonset.verification.distinct_rows import merge_equal

if TYPE_CHECKING:
    from anonset_kernels.chunk_check import Ranges, ShownItems

RECORDS_AT_ONCE = 1 << 17
"""Records, about, that are compared at once."""
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
    by_cluster = np.argsort(cluster, kind="stable")
    return _Comparison(publication, column).breach(record[by_cluster], cluster[by_cluster])


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


class _Comparison:
    """What records hold against what is published of them, by some clusters at a time; at the end what several share.

    Memory: the records of some clusters, the published chunks, and the occurrences in shared ones.
    """

    def __init__(self, publication: ChunkPublication, column: SetColumn) -> None:
        self._publication, self._column = publication, column
        self._clusters, self._shared = publication.columns
        self._width = max(1, len(publication.vocabulary))
        index = publication.vocabulary.index
        labels = column.vocabulary.labels
        self._code = np.array([index.get(label, _NOWHERE) for label in labels], np.int64)
        chunk, item = self._clusters.rows.domains
        self._terms = self._clusters.cluster_of_term * self._width + self._clusters.terms
        shown = np.append(self._clusters.cluster_of_chunk[chunk] * self._width + item, self._terms)
        order = np.argsort(shown, kind="stable")
        self._shown = np.append(shown[order], np.iinfo(np.int64).max)
        self._place = np.append(np.append(chunk, np.full(len(self._terms), _TERM))[order], _NOWHERE)

    def breach(self, record: Int64, cluster: Int32) -> Breach | None:
        """Return what is not true, given the records, int64 (n,), and the cluster of each, int32 (n,), ascending."""
        terms, occurrences = list[Int64](), np.zeros(self._width, np.int64)
        left: list[tuple[Int64, Int64, Int64]] = []
        from_chunk, n_own = 0, len(self._clusters.rows)
        for first, end in run_spans(cluster, RECORDS_AT_ONCE):
            part = self._column.take(record[first:end])
            item, row = self._code[part.items], np.repeat(np.arange(first, end), part.lengths)
            row, item = row[item >= 0], item[item >= 0]
            keys = cluster[row] * np.int64(self._width) + item
            place = self._places(keys)
            if (unplaced := np.flatnonzero(place == _NOWHERE)).size:
                where, label = int(cluster[row[unplaced[0]]]), self._publication.vocabulary.labels[item[unplaced[0]]]
                return Breach((label,), 0, 1, where, f"cluster {where} shows it nowhere, and a record of it holds it")
            terms.append(np.unique(keys[place == _TERM]))
            occurrences += np.bincount(item[place == _TERM], minlength=self._width)
            to_chunk = n_own if end == len(cluster) else int(self._clusters.chunk_begins[cluster[end - 1] + 1])
            own = (place >= 0) & (place < n_own)
            rows = self._clusters.rows.take(np.arange(from_chunk, to_chunk))
            if (chunk := _differing(rows, place[own] - from_chunk, row[own], item[own])) is not None:
                return self._different(from_chunk + chunk)
            several = place >= n_own
            left.append((place[several] - n_own, row[several], item[several]))
            from_chunk = to_chunk
        if (breach := self._untrue_terms(np.concatenate([*terms, np.empty(0, np.int64)]), occurrences)) is not None:
            return breach
        empty = np.empty(0, np.int64)
        joined = (np.concatenate([empty, *(part[number] for part in left)]) for number in range(3))
        chunk = _differing(self._shared.rows, *joined)
        return None if chunk is None else self._different(n_own + chunk)

    def _places(self, keys: Int64) -> Int64:
        """Return where each occurrence must be: the number of a chunk, -1 for a term, -2 where nothing shows it.

        Chunks are numbered cluster by cluster, the shared ones behind. An occurrence that no cluster shows by itself is
        in the smallest shared chunk around that may fall on its cluster.

        Parameters
        ----------
        keys
            int64 (occurrences,): the cluster times the number of items, plus the item.
        """
        at = np.atleast_1d(np.searchsorted(self._shown, keys))
        place: Int64 = np.where(self._shown[at] == keys, self._place[at], _NOWHERE)
        left = np.flatnonzero(place == _NOWHERE)
        distinct, inverse = np.unique(keys[left], return_inverse=True)
        shared = self._in_shared(distinct // self._width, distinct % self._width)
        place[left] = np.where(shared >= 0, shared + len(self._clusters.rows), shared)[inverse.ravel()]
        return place

    @cached_property
    def _by_width(self) -> list[tuple[Int64, Int64, Int64]]:
        """The shared chunks by width, the narrow ones first: the key of each with each item, chunk and item."""
        chunk, item = self._shared.rows.domains
        size, found = (self._shared.last - self._shared.first)[chunk], []
        for width in np.unique(size).tolist():
            here = np.flatnonzero(size == width)
            begins = item[here] * (len(self._clusters) + 1) + self._shared.first[chunk[here]]
            order = np.argsort(begins, kind="stable")
            found.append((begins[order], chunk[here[order]], item[here[order]]))
        return found

    @cached_property
    def _falls(self) -> "tuple[ShownItems, Ranges]":
        return shown_in(self._publication)

    def _in_shared(self, cluster: Int64, item: Int64) -> Int64:
        """Return the smallest shared chunk of an item that may fall on a cluster, int64 (pairs,); -2 where none may."""
        from anonset_kernels.chunk_check import falls

        place = np.full(len(item), _NOWHERE, np.int64)
        for begins, chunk, of_chunk in self._by_width:
            left = np.flatnonzero(place == _NOWHERE)
            wanted = item[left] * (len(self._clusters) + 1) + cluster[left]
            nearest = np.atleast_1d(np.searchsorted(begins, wanted, side="right")) - 1
            around = (nearest >= 0) & (of_chunk[nearest] == item[left])
            around &= self._shared.last[chunk[nearest]] >= cluster[left]
            left, found = left[around], chunk[nearest[around]]
            may = falls(*self._falls, found, cluster[left])
            place[left[may]] = found[may]
        return place

    def _untrue_terms(self, held: Int64, occurrences: Int64) -> Breach | None:
        """Return a term that no record holds, or a total that is another one."""
        labels = self._publication.vocabulary.labels
        for key in self._terms[~np.isin(self._terms, held)].tolist():
            number, label = key // self._width, labels[key % self._width]
            return Breach((label,), 0, 1, number, f"it is a term of cluster {number}, and no record of it holds it")
        for term, total in self._publication.totals or ():
            if (found := int(occurrences[term])) != total:
                detail = f"{found} records hold it where it is a term, not {total}"
                return Breach((labels[term],), found, total, 0, detail)
        return None

    def _different(self, chunk: int) -> Breach:
        number, name = _named_chunk(self._publication, chunk)
        return Breach((), 0, 1, number, f"{name} differs from what its records hold")


def _differing(rows: ChunkRows, place: Int64, record: Int64, item: Int64) -> int | None:
    """Return a chunk whose sub-records, as a multiset, are others than those that occurrences in it make; or None.

    What the records give and what is published weigh against each other: equal ones must add up to nothing.
    """
    order = np.lexsort((item, record, place))
    place, record, item = place[order], record[order], item[order]
    width = max(int(item.max(initial=0)), int(rows.items.max(initial=0))) + 1
    begin = np.flatnonzero(np.append(True, (place[1:] != place[:-1]) | (record[1:] != record[:-1]))[: len(place)])
    stated = np.repeat(rows.chunk, np.diff(rows.indptr)) * width + rows.items
    symbols, codes = np.unique(np.append(place * width + item, stated), return_inverse=True)
    indptr = begins_of(np.append(np.diff(np.append(begin, len(place))), np.diff(rows.indptr)))
    column = SetColumn("items", indptr, codes.ravel().astype(np.int32), Vocabulary.numbered(len(symbols)))
    sums = merge_equal(column, np.append(np.ones(len(begin), np.int64), -rows.count))
    different = np.flatnonzero(sums)
    return int(symbols[column.items[indptr[different[0]]]]) // width if len(different) else None


def _named_chunk(publication: ChunkPublication, chunk: int) -> tuple[int, str]:
    """Return the first cluster of a chunk, the shared ones numbered behind the others, and what to call it."""
    clusters, shared = publication.columns
    if chunk >= len(clusters.rows):
        one = chunk - len(clusters.rows)
        return int(shared.first[one]), f"shared chunk {one}"
    number = int(clusters.cluster_of_chunk[chunk])
    return number, f"chunk {chunk - clusters.chunk_begins[number]} of cluster {number}"
