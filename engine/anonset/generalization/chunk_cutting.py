"""Cutting records into chunks, and putting clusters and chunks into the order of what is published of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from anonset.data import SetColumn
from anonset.data.redacted_repr import Discreet
from anonset.data.table import Int32, Int64
from anonset.generalization.chunk_columns import ChunkRows, Clusters, SharedChunks, begins_of, gathered
from anonset.generalization.recoding import TERMS, Disassociated

GROUPED = 4
"""So many neighbouring clusters, or groups of them, make a group, which may share chunks."""
RECORDS_AT_ONCE = 1 << 17
"""Records, about, that are cut at once."""
_LARGEST_KEY = 1 << 63
_Key = list[bytes]


@dataclass(frozen=True, eq=False)
class _Cut(Discreet):
    """Occurrences of items in chunks: the chunk, the record and the code of each, int64 (occurrences,)."""

    place: Int64
    record: Int64
    item: Int64

    def rows(self) -> tuple[Int64, ChunkRows]:
        """Return the chunks of which there are any, ascending, and their distinct sub-records."""
        from anonset_kernels.sub_records import distinct_sub_records

        place, record, item = self._sorted()
        new_chunk = np.append(True, place[1:] != place[:-1])[: len(place)]
        begin = np.flatnonzero(new_chunk | np.append(True, record[1:] != record[:-1])[: len(place)])
        indptr, chunks = np.append(begin, len(place)), place[new_chunk]
        begins = np.searchsorted(begin, np.append(np.flatnonzero(new_chunk), len(place)))
        items = item.astype(np.int32)
        found = distinct_sub_records(begins, indptr, items)
        lengths = np.diff(indptr)[found.row]
        return chunks, ChunkRows(found.begins, begins_of(lengths), items[gathered(indptr, found.row)], found.copies)

    def _sorted(self) -> tuple[Int64, Int64, Int64]:
        """Return them by chunk, record and item."""
        if not len(self.place):
            return self.place, self.record, self.item
        first, many, width = int(self.record.min()), int(np.ptp(self.record)) + 1, int(self.item.max()) + 1
        if (int(self.place.max()) + 1) * many * width < _LARGEST_KEY:  # one number each, which sorts the fastest
            keys = np.sort((self.place * many + self.record - first) * width + self.item)
            keys, item = np.divmod(keys, width)
            place, record = np.divmod(keys, many)
            return place, record + first, item
        order = np.lexsort((self.item, self.record, self.place))
        return self.place[order], self.record[order], self.item[order]


def cut(column: SetColumn, recoding: Disassociated, code: Int32) -> tuple[Clusters, SharedChunks]:
    """Return the clusters and the shared chunks of records as the recoding numbers them.

    Parameters
    ----------
    code
        int32 (M,): the code of each item in what is published.
    """
    rows = _rows(column, recoding, code)
    is_term = recoding.place == TERMS
    terms, in_cluster = code[recoding.item[is_term]], recoding.in_cluster[is_term]
    n_clusters = recoding.n_clusters
    own, shared = (np.flatnonzero(kind) for kind in (recoding.first == recoding.last, recoding.first < recoding.last))
    own = own[np.argsort(recoding.first[own], kind="stable")]
    clusters = Clusters(
        np.bincount(recoding.cluster, minlength=n_clusters).astype(np.int64),
        begins_of(np.bincount(in_cluster, minlength=n_clusters)),
        terms[np.lexsort((terms, in_cluster))],
        begins_of(np.bincount(recoding.first[own], minlength=n_clusters)),
        rows.take(own),
    )
    first, last = (borders[shared].astype(np.int64) for borders in (recoding.first, recoding.last))
    return clusters, SharedChunks(first, last, rows.take(shared))


def _rows(column: SetColumn, recoding: Disassociated, code: Int32) -> ChunkRows:
    """Return the sub-records of each chunk, in the order of the recoding: those of clusters by some of them at once."""
    record = np.argsort(recoding.cluster, kind="stable")
    is_own, ends = recoding.first == recoding.last, np.cumsum(np.bincount(recoding.cluster, minlength=1))
    chunks, parts, left = list[Int64](), list[ChunkRows](), list[_Cut]()
    for first, end in _whole(ends):
        part, records = column.take(record[first:end]), record[first:end]
        place = recoding.places_of(part, records).astype(np.int64)
        whole = _Cut(place, np.repeat(np.arange(first, end), part.lengths), code[part.items].astype(np.int64))
        shown = place >= 0
        apart = shown.copy()
        apart[shown] = is_own[place[shown]]
        for chosen, several in ((apart, False), (shown & ~apart, True)):
            some = _Cut(whole.place[chosen], whole.record[chosen], whole.item[chosen])
            if several:
                left.append(some)
            else:
                own, rows = some.rows()
                chunks.append(own)
                parts.append(rows)
    if left:
        joined = (np.concatenate([getattr(some, name) for some in left]) for name in ("place", "record", "item"))
        own, rows = _Cut(*joined).rows()
        chunks.append(own)
        parts.append(rows)
    return _scattered(chunks, parts, len(recoding.first))


def _whole(ends: Int64) -> Iterator[tuple[int, int]]:
    """Yield spans of records, cluster by cluster, that end where clusters do, int64 (clusters,).

    >>> list(_whole(np.array([2, 5, 7])))
    [(0, 7)]
    """
    first = 0
    while first < ends[-1]:
        end = int(ends[min(int(np.searchsorted(ends, first + RECORDS_AT_ONCE)), len(ends) - 1)])
        yield first, end
        first = end


def _scattered(chunks: Sequence[Int64], parts: Sequence[ChunkRows], n_chunks: int) -> ChunkRows:
    """Return the rows of all chunks in order, given those of some, each once; the others have none."""
    if not parts:
        return ChunkRows.of([()] * n_chunks)
    joined = ChunkRows(
        begins_of(np.concatenate([np.diff(part.begins) for part in parts])),
        begins_of(np.concatenate([np.diff(part.indptr) for part in parts])),
        np.concatenate([part.items for part in parts]),
        np.concatenate([part.count for part in parts]),
    )
    chunk = np.concatenate(chunks)
    rows = joined.take(np.argsort(chunk, kind="stable"))
    lengths = np.zeros(n_chunks, np.int64)
    lengths[np.sort(chunk)] = np.diff(rows.begins)
    return ChunkRows(begins_of(lengths), rows.indptr, rows.items, rows.count)


# -- the order of what is published ------------------------------------------------------------------------------------


def in_order(clusters: Clusters, shared: SharedChunks) -> tuple[Int64, Clusters, SharedChunks]:
    """Return the clusters sorted by content within each group of 4, these groups within each of 16, and so on.

    So the clusters of a shared chunk stay neighbours, and their numbers tell nothing beside what is published. Chunks
    are sorted by their sub-records. The first of what is returned is the old number of each cluster.
    """
    chunk_texts, chunk = contents_of(clusters.rows), list[int]()
    texts, own_chunks = list[bytes](), list[list[int]]()
    term_ends, chunk_ends = clusters.term_begins.tolist(), clusters.chunk_begins.tolist()
    for number, n in enumerate(clusters.n.tolist()):
        own = sorted(range(chunk_ends[number], chunk_ends[number + 1]), key=lambda place: chunk_texts[place])
        terms = clusters.terms[term_ends[number] : term_ends[number + 1]]
        head = np.concatenate([[n], terms + 1, [0]]).astype(">u4").tobytes()
        texts.append(b"".join([head, *(chunk_texts[place] for place in own), _END]))
        own_chunks.append(own)
    by_range, of_range = _by_range(shared)
    order = _order(texts, of_range)
    for number in order:
        chunk += own_chunks[number]
    chosen = np.array(order, np.int64)
    sorted_clusters = Clusters(
        clusters.n[chosen],
        begins_of(np.diff(clusters.term_begins)[chosen]),
        clusters.terms[gathered(clusters.term_begins, chosen)],
        begins_of(np.diff(clusters.chunk_begins)[chosen]),
        clusters.rows.take(np.array(chunk, np.int64)),
    )
    return chosen, sorted_clusters, _renumbered(shared, by_range, chosen)


_END = bytes(4)


def contents_of(rows: ChunkRows) -> list[bytes]:
    """Return the content of each chunk as bytes that compare as its rows do, and none of which begins another one."""
    lengths = np.diff(rows.indptr) + 2  # the items, each plus one, then 0 and the count
    ends = begins_of(lengths)
    tokens = np.zeros(ends[-1], ">u4")
    behind = np.arange(len(rows.items)) + 2 * np.repeat(np.arange(len(lengths)), lengths - 2)
    tokens[behind] = rows.items + 1
    tokens[ends[1:] - 1] = rows.count
    text, bounds = tokens.tobytes(), (4 * ends[rows.begins]).tolist()
    return [text[a:b] + _END for a, b in pairwise(bounds)]


def _by_range(shared: SharedChunks) -> tuple[Int64, dict[tuple[int, int], bytes]]:
    """Return the shared chunks by range, then content; and the content of all of a range."""
    texts, of_range = contents_of(shared.rows), dict[tuple[int, int], bytes]()
    order = np.lexsort((shared.last, shared.first))
    ranges = np.stack([shared.first[order], shared.last[order]], axis=1)
    begins = np.flatnonzero(np.append(True, np.any(ranges[1:] != ranges[:-1], axis=1))) if len(order) else order
    sorted_chunks = list[int]()
    for first, end in zip(begins.tolist(), [*begins[1:].tolist(), len(order)], strict=False):
        own = sorted(order[first:end].tolist(), key=lambda chunk: texts[chunk])
        of_range[int(ranges[first, 0]), int(ranges[first, 1])] = b"".join(texts[chunk] for chunk in own)
        sorted_chunks += own
    return np.array(sorted_chunks, np.int64), of_range


def _order(texts: Sequence[bytes], of_range: dict[tuple[int, int], bytes]) -> list[int]:
    """Return the clusters, sorted within groups and groups of groups, given the content of each."""
    nodes: list[tuple[_Key, list[int], tuple[int, int]]] = [
        ([text], [number], (number, number)) for number, text in enumerate(texts)
    ]
    while len(nodes) > 1:
        above = []
        for first in range(0, len(nodes), GROUPED):
            group = nodes[first : first + GROUPED]
            span = (group[0][2][0], group[-1][2][1])
            inside = sorted(group, key=lambda node: node[0])
            chunks = of_range.get(span, b"") if len(group) > 1 else b""
            key = [text for node in inside for text in node[0]]
            above.append(([*key, _END + chunks + _END], [cluster for node in inside for cluster in node[1]], span))
        nodes = above
    return nodes[0][1] if nodes else []


def _renumbered(shared: SharedChunks, by_range: Int64, order: Int64) -> SharedChunks:
    """Return shared chunks over the new numbers of their clusters, which are neighbours as before, by these numbers."""
    number = np.empty(len(order), np.int64)
    number[order] = np.arange(len(order))
    first, last = shared.first[by_range], shared.last[by_range]
    ranges, of_range = np.unique(np.stack([first, last], axis=1), axis=0, return_inverse=True)
    new = np.array([number[a : b + 1].min() for a, b in ranges.tolist()], np.int64)[of_range.ravel()]
    behind = new + (last - first)
    again = np.lexsort((behind, new))
    return SharedChunks(new[again], behind[again], shared.rows.take(by_range[again]))
