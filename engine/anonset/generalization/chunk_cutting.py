"""Split records into chunks, several clusters at a time."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from anonset.data import SetColumn, Table, Vocabulary
from anonset.data.array_types import Bools, Int32, Int64, UInt8
from anonset.data.distinct import first_of_runs
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.spans import begins_of, gathered, spans
from anonset.data.storage.store import Store
from anonset.errors import InputError
from anonset.generalization.chunk_order import Group, StoredText, by_range, grouped, in_order, renumbered
from anonset.generalization.recoding import TERMS, ClusterPiece, Disassociated, clusters_at_once
from anonset.publications.chunk_columns import ChunkColumnsBuilder, ChunkRows, ClusterColumns, SharedChunks
from anonset.publications.chunks import Chunks

_LARGEST_KEY = 1 << 63


class CutRecords(NamedTuple):
    """Records split into chunks, in publication order."""

    clusters: ClusterColumns
    shared: SharedChunks
    record: Int64
    """Record numbers, sorted by cluster, int64 (n,)."""
    cluster: Int32
    """Cluster of each record, int32 (n,)."""
    terms: Int64
    """Number of records with each item, int64 (M,), counted in the clusters that publish the item as a term."""


class _Piece(NamedTuple):
    """A range of neighbouring clusters in publication order."""

    order: Int64
    """Original numbers of the clusters, int64."""
    shared: slice
    """Slice of the chunks that are shared only within this piece. They refer to clusters by their numbers
    in the piece.
    """
    content: slice
    """Slice of the bytes that are the sort key of the piece."""


@dataclass(frozen=True, eq=False)
class _Cut(RedactedRepr):
    """Chunk, record and item code of each occurrence of an item in a chunk, int64 (occurrences,)."""

    place: Int64
    record: Int64
    item: Int64

    def only(self, chosen: Bools) -> "_Cut":
        return _Cut(self.place[chosen], self.record[chosen], self.item[chosen])

    def rows(self) -> tuple[Int64, ChunkRows]:
        """Return the non-empty chunks, ascending, and their distinct sub-records."""
        from anonset_kernels.disassociation.sub_records import distinct_sub_records

        place, record, item = self._sorted()
        new_chunk, begin = first_of_runs(place), np.flatnonzero(first_of_runs(place, record))
        indptr, chunks = np.append(begin, len(place)), place[new_chunk]
        begins = np.searchsorted(begin, np.append(np.flatnonzero(new_chunk), len(place)))
        items = item.astype(np.int32)
        merged = distinct_sub_records(begins, indptr, items)
        indptr_of_merged, places = gathered(indptr[merged.row], np.diff(indptr)[merged.row])
        return chunks, ChunkRows(merged.begins, indptr_of_merged, items[places], merged.copies)

    def _sorted(self) -> tuple[Int64, Int64, Int64]:
        if not len(self.place):
            return self.place, self.record, self.item
        first, many, width = int(self.record.min()), int(np.ptp(self.record)) + 1, int(self.item.max()) + 1
        if (int(self.place.max()) + 1) * many * width < _LARGEST_KEY:  # numbers are sorted faster than triples
            keys = np.sort((self.place * many + self.record - first) * width + self.item)
            keys, item = np.divmod(keys, width)
            place, record = np.divmod(keys, many)
            return place, record + first, item
        order = np.lexsort((self.item, self.record, self.place))
        return self.place[order], self.record[order], self.item[order]


def disassociate(table: Table, recoding: Disassociated) -> Chunks:
    """Split the records of a table into chunks. Clusters are numbered in the order of their published content.

    Raises
    ------
    InputError
        If the recoding does not fit the table.

    Examples
    --------
    >>> import numpy as np
    >>> table = Table.from_sets([{"a", "b"}, {"a", "c"}])
    >>> one, item, place = np.zeros(3, np.int32), np.arange(3, dtype=np.int32), np.array([0, -1, -1], np.int32)
    >>> recoding = Disassociated(np.arange(2), np.array([0, 2]), one, item, place, one[:1], one[:1])
    >>> [(one.n, one.terms, one.chunks) for one in disassociate(table, recoding).clusters]
    [(2, (1, 2), ((((0,), 2),),))]
    """
    column = table.transactions
    if column is None or len(recoding.record) != column.n:
        records = "none" if column is None else f"{column.n}"
        raise InputError(f"the recoding has {len(recoding.record)} records with items, the table has {records}")
    occurs = np.zeros(len(column.vocabulary), np.bool_)
    for first, end in spans(len(recoding.item)):
        occurs[recoding.item[first:end]] = True
    shown = np.flatnonzero(occurs)
    labels = [column.vocabulary.labels[item] for item in shown.tolist()]
    vocabulary = Vocabulary.of(labels)
    code = np.zeros(len(column.vocabulary), np.int32)
    code[shown] = [vocabulary.index[label] for label in labels]
    made = cut(column, recoding, code, table.store)
    totals = None
    if recoding.totals is not None:
        totals = tuple(sorted((item, int(made.terms[item])) for item in code[recoding.totals].tolist()))
    private, in_terms = (made.record, made.cluster), int(made.terms.sum())
    return Chunks(column.name, vocabulary, made.clusters, made.shared, *private, totals, in_terms)


def cut(column: SetColumn, recoding: Disassociated, code: Int32, store: Store) -> CutRecords:
    """Split the records of each cluster into chunks.

    Clusters and chunks are numbered in the order of their published content.

    Parameters
    ----------
    code
        Published code of each item, int32 (M,).
    store
        Store for the new arrays.
    """
    width, terms, n_shared = clusters_at_once(recoding.n_clusters, column), np.zeros(len(code), np.int64), 0
    pieces, wide = list[_Piece](), list[_Cut]()
    with (
        store.nested() as scratch,
        ChunkColumnsBuilder(ClusterColumns, scratch) as clusters,
        ChunkColumnsBuilder(SharedChunks, scratch) as shared,
        scratch.growing("content", np.uint8) as content,
    ):
        for piece in recoding.pieces(column):
            terms += np.bincount(code[piece.column.items[piece.place == TERMS]], minlength=len(terms))
            piece_clusters, inside, outside = _cut_piece(piece, recoding, code)
            order, piece_clusters, inside, text = in_order(piece_clusters, inside, width)
            slices = slice(n_shared, n_shared + len(inside)), slice(content.length, content.length + len(text))
            pieces.append(_Piece(order + piece.first, *slices))
            n_shared += len(inside)
            clusters.append(piece_clusters)
            shared.append(inside)
            content.append(np.frombuffer(text, np.uint8))
            wide.append(outside)
        in_pieces = clusters.finished(), shared.finished()
        return _put_together(recoding, pieces, in_pieces, _shared(wide, recoding), content.finished(), store, terms)


def _cut_piece(piece: ClusterPiece, recoding: Disassociated, code: Int32) -> tuple[ClusterColumns, SharedChunks, _Cut]:
    """Return the clusters of the piece, the chunks shared only within the piece, and the occurrences in all other
    shared chunks.

    Clusters and shared chunks are numbered within the piece.
    """
    n, shown = np.diff(recoding.begins[piece.first : piece.end + 1]), piece.place >= 0
    row = np.repeat(recoding.begins[piece.first] + np.arange(piece.column.n), piece.column.lengths)
    occurrences = _Cut(
        piece.place[shown].astype(np.int64), row[shown], code[piece.column.items[shown]].astype(np.int64)
    )
    inside = (recoding.first[occurrences.place] >= piece.first) & (recoding.last[occurrences.place] < piece.end)
    chunks, rows = occurrences.only(inside).rows()
    first, last = (borders[chunks] - np.int64(piece.first) for borders in (recoding.first, recoding.last))
    in_one_cluster, in_shared = np.flatnonzero(first == last), np.flatnonzero(first < last)
    in_one_cluster = in_one_cluster[np.argsort(first[in_one_cluster], kind="stable")]
    is_term = recoding.place[piece.pairs] == TERMS
    in_cluster = recoding.in_cluster[piece.pairs][is_term] - piece.first
    terms = code[recoding.item[piece.pairs][is_term]]
    clusters = ClusterColumns(
        n,
        begins_of(np.bincount(in_cluster, minlength=len(n))),
        terms[np.lexsort((terms, in_cluster))],
        begins_of(np.bincount(first[in_one_cluster], minlength=len(n))),
        rows.take(in_one_cluster),
    )
    return clusters, SharedChunks(first[in_shared], last[in_shared], rows.take(in_shared)), occurrences.only(~inside)


def _shared(parts: Sequence[_Cut], recoding: Disassociated) -> SharedChunks:
    """Return the chunks shared by clusters of several pieces."""
    empty = np.empty(0, np.int64)
    columns = (
        np.concatenate([empty, *(getattr(part, name) for part in parts)]) for name in ("place", "record", "item")
    )
    chunks, rows = _Cut(*columns).rows()
    return SharedChunks(recoding.first[chunks].astype(np.int64), recoding.last[chunks].astype(np.int64), rows)


def _put_together(
    recoding: Disassociated,
    pieces: Sequence[_Piece],
    in_pieces: tuple[ClusterColumns, SharedChunks],
    wide: SharedChunks,
    content: UInt8,
    store: Store,
    terms: Int64,
) -> CutRecords:
    """Sort the pieces, and combine the chunks shared within pieces with the chunks shared across pieces."""
    wide_chunks, of_range = by_range(wide)
    groups: list[Group] = [
        ([StoredText(content[piece.content])], [number], (int(piece.order.min()), int(piece.order.max())))
        for number, piece in enumerate(pieces)
    ]
    order = grouped(groups, of_range, len(pieces), lambda text: StoredText(np.frombuffer(text, np.uint8)))[1]
    chosen = np.concatenate([np.empty(0, np.int64), *(pieces[number].order for number in order)])
    wide, done = renumbered(wide, wide_chunks, chosen), 0
    borders = begins_of(len(piece.order) for piece in pieces).tolist()
    with (
        ChunkColumnsBuilder(ClusterColumns, store) as clusters,
        ChunkColumnsBuilder(SharedChunks, store) as shared,
        store.growing("record", np.int64) as record,
        store.growing("cluster", np.int32) as cluster,
    ):
        for number in order:
            piece_clusters, piece = in_pieces[0].slice(borders[number], borders[number + 1]), pieces[number]
            clusters.append(piece_clusters)
            begin, end = np.searchsorted(wide.first, (done, done + len(piece_clusters))).tolist()
            inside = in_pieces[1].slice(piece.shared.start, piece.shared.stop).shifted(done)
            shared.append(inside.with_wider(wide.slice(begin, end)))
            sizes = np.diff(recoding.begins)[piece.order]
            record.append(recoding.record[gathered(recoding.begins[piece.order], sizes)[1]])
            cluster.append(np.repeat(np.arange(done, done + len(piece_clusters), dtype=np.int32), piece_clusters.n))
            done += len(piece_clusters)
        return CutRecords(clusters.finished(), shared.finished(), record.finished(), cluster.finished(), terms)
