"""Columnar storage of the clusters and shared chunks of a disassociated publication. The columns can be used as
sequences.
"""

from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, fields
from functools import cached_property
from itertools import pairwise
from typing import Any, Generic, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from anonset.data.array_types import Int32, Int64
from anonset.data.distinct import distinct
from anonset.data.labels.computed_sequence import ComputedSequence
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.spans import begins_of, gathered, spans
from anonset.data.storage.store import MEMORY, Store

Items = tuple[int, ...]
"""Item codes, ascending."""
Rows = tuple[tuple[Items, int], ...]
"""Distinct sub-records of a chunk in ascending order. Each sub-record has a count."""


@dataclass(frozen=True)
class PublishedCluster(RedactedRepr):
    """Published content of a cluster. Shared chunks are stored separately."""

    n: int
    """Number of records."""
    terms: Items
    """Items that occur in some records of the cluster. Their counts are not published."""
    chunks: tuple[Rows, ...]
    """Chunks of the cluster. A chunk contains the non-empty projections of the records on its items."""


@dataclass(frozen=True)
class SharedChunk(RedactedRepr):
    """A chunk with sub-records of several clusters.

    A sub-record can belong to most clusters of the range. It cannot belong to a cluster that publishes an item of the
    shared chunk, either in the cluster itself or in a chunk shared by a smaller range.
    """

    first: int
    """First cluster of the range."""
    last: int
    """Last cluster of the range."""
    rows: Rows


def items_of(rows: Iterable[tuple[Items, int]]) -> Items:
    """Return the items of sub-records, ascending.

    >>> items_of([((0, 2), 5), ((1,), 1)])
    (0, 1, 2)
    """
    return tuple(sorted({item for row, _ in rows for item in row}))


def runs_of(begins: Int64, first: int, end: int) -> Int64:
    """Return the index of the run that contains each element from `first` to `end` - 1, int64 (end - first,).

    >>> runs_of(np.array([0, 2, 2, 5]), 1, 4).tolist()
    [0, 2, 2]
    """
    low, high = int(np.searchsorted(begins, first, side="right")) - 1, int(np.searchsorted(begins, end))
    inside = np.clip(begins[low : high + 1], first, end)
    return np.repeat(np.arange(low, high), np.diff(inside))


@dataclass(frozen=True, eq=False)
class ChunkRows(RedactedRepr):
    """Distinct sub-records of chunks, ordered by chunk. Each sub-record has a count.

    >>> rows = ChunkRows.of([(((0,), 2), ((0, 1), 3)), (((4,), 1),)])
    >>> len(rows), rows[1], rows.take(np.array([1, 0]))[0]
    (2, (((4,), 1),), (((4,), 1),))
    """

    begins: Int64
    """Start of each chunk in the rows, int64 (chunks + 1,)."""
    indptr: Int64
    """Start of each row in `items`, int64 (rows + 1,)."""
    items: Int32
    """Items of each row, ascending, int32."""
    count: Int64
    """Frequency of each row in the chunk, int64 (rows,)."""

    @classmethod
    def of(cls, chunks: Iterable[Rows]) -> "ChunkRows":
        """Return the rows of a sequence of chunks as columns."""
        row_lists = [tuple(rows) for rows in chunks]
        rows = [row for chunk in row_lists for row in chunk]
        items = np.array([item for row, _ in rows for item in row], np.int32)
        count = np.array([n for _, n in rows], np.int64)
        return cls(begins_of(map(len, row_lists)), begins_of(len(row) for row, _ in rows), items, count)

    def __len__(self) -> int:
        return len(self.begins) - 1

    def __getitem__(self, chunk: int) -> Rows:
        first, end = self.begins[chunk], self.begins[chunk + 1]
        bounds = self.indptr[first : end + 1].tolist()
        items, begin = self.items[bounds[0] : bounds[-1]].tolist(), bounds[0]
        counts = self.count[first:end].tolist()
        return tuple(
            (tuple(items[a - begin : b - begin]), n) for (a, b), n in zip(pairwise(bounds), counts, strict=True)
        )

    @property
    def chunk(self) -> Int64:
        """Chunk of each row, int64 (rows,)."""
        return np.repeat(np.arange(len(self)), np.diff(self.begins))

    @cached_property
    def domains(self) -> tuple[Int64, Int64]:
        """Sorted pairs of a chunk and an item of the chunk, as two arrays, int64 (pairs,)."""
        width = int(self.items.max(initial=0)) + 1
        keys = distinct(np.repeat(self.chunk, np.diff(self.indptr)) * width + self.items)
        chunk, item = np.divmod(keys, width)
        return chunk, item

    @cached_property
    def occurrences(self) -> int:
        """Total number of items in all sub-records."""
        return sum(int(np.dot(self.count[a:b], np.diff(self.indptr[a : b + 1]))) for a, b in spans(len(self.count)))

    @property
    def sizes(self) -> Int64:
        """Number of sub-records per chunk, int64 (chunks,)."""
        done = begins_of(self.count)
        sizes: Int64 = done[self.begins[1:]] - done[self.begins[:-1]]
        return sizes

    def take(self, chunks: NDArray[np.integer]) -> "ChunkRows":
        """Return the rows of the given chunks, in the given order."""
        begins, rows = gathered(self.begins[chunks], np.diff(self.begins)[chunks])
        indptr, places = gathered(self.indptr[rows], np.diff(self.indptr)[rows])
        return ChunkRows(begins, indptr, self.items[places], self.count[rows])

    def slice(self, first: int, end: int) -> "ChunkRows":
        """Return the rows of the chunks from `first` to `end` - 1. Items and counts are not copied."""
        begins = self.begins[first : end + 1]
        indptr, count = self.indptr[begins[0] : begins[-1] + 1], self.count[begins[0] : begins[-1]]
        return ChunkRows(begins - begins[0], indptr - indptr[0], self.items[indptr[0] : indptr[-1]], count)


def same_columns(first: Any, second: Any) -> bool:
    """Return True if two objects contain equal columns. The objects are chunk rows, clusters or shared chunks.

    >>> rows = ChunkRows.of([(((0,), 2), ((0, 1), 3)), (((4,), 1),)])
    >>> same_columns(rows, rows.slice(0, 2)), same_columns(rows, rows.slice(0, 1))
    (True, False)
    """
    for field in fields(first):
        mine, others = getattr(first, field.name), getattr(second, field.name)
        if isinstance(mine, ChunkRows):
            same = same_columns(mine, others)
        else:
            parts = (np.array_equal(mine[a:b], others[a:b]) for a, b in spans(len(mine)))
            same = len(mine) == len(others) and all(parts)
        if not same:
            return False
    return True


_One = TypeVar("_One")


class _Columns(RedactedRepr, ComputedSequence[_One]):
    @classmethod
    def of(cls, members: Sequence[_One]) -> Self:
        raise NotImplementedError

    def __eq__(self, other: object) -> bool:
        return same_columns(self, type(self).of(other)) if isinstance(other, Sequence) else NotImplemented

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True, eq=False)
class ClusterColumns(_Columns[PublishedCluster]):
    """Clusters stored as columns."""

    n: Int64
    """Record count per cluster, int64 (clusters,)."""
    term_begins: Int64
    """Start of each cluster's terms, int64 (clusters + 1,)."""
    terms: Int32
    """Terms of each cluster, ascending, int32."""
    chunk_begins: Int64
    """Start of each cluster's chunks, int64 (clusters + 1,)."""
    rows: ChunkRows
    """Sub-records of the chunks of all clusters."""

    @classmethod
    def of(cls, clusters: Sequence[PublishedCluster]) -> "ClusterColumns":
        """Convert clusters to columns. Columns are returned unchanged."""
        if isinstance(clusters, ClusterColumns):
            return clusters
        return cls(
            np.array([cluster.n for cluster in clusters], np.int64),
            begins_of(len(cluster.terms) for cluster in clusters),
            np.array([term for cluster in clusters for term in cluster.terms], np.int32),
            begins_of(len(cluster.chunks) for cluster in clusters),
            ChunkRows.of(rows for cluster in clusters for rows in cluster.chunks),
        )

    def __len__(self) -> int:
        return len(self.n)

    def member(self, index: int) -> PublishedCluster:
        """Return the cluster with number `index`."""
        terms = self.terms[self.term_begins[index] : self.term_begins[index + 1]].tolist()
        chunks = range(int(self.chunk_begins[index]), int(self.chunk_begins[index + 1]))
        return PublishedCluster(int(self.n[index]), tuple(terms), tuple(self.rows[chunk] for chunk in chunks))

    def slice(self, first: int, end: int) -> "ClusterColumns":
        """Return the clusters from `first` to `end` - 1."""
        terms, chunks = (begins[first : end + 1] for begins in (self.term_begins, self.chunk_begins))
        return ClusterColumns(
            self.n[first:end],
            terms - terms[0],
            self.terms[terms[0] : terms[-1]],
            chunks - chunks[0],
            self.rows.slice(int(chunks[0]), int(chunks[-1])),
        )

    @property
    def cluster_of_chunk(self) -> Int64:
        """Cluster of each chunk, int64 (chunks,)."""
        return np.repeat(np.arange(len(self)), np.diff(self.chunk_begins))

    @property
    def cluster_of_term(self) -> Int64:
        """Cluster of each term, int64 (terms,)."""
        return np.repeat(np.arange(len(self)), np.diff(self.term_begins))


@dataclass(frozen=True, eq=False)
class SharedChunks(_Columns[SharedChunk]):
    """Shared chunks stored as columns."""

    first: Int64
    """First cluster of each chunk's range, int64 (chunks,)."""
    last: Int64
    """Last cluster of each chunk's range, int64 (chunks,)."""
    rows: ChunkRows

    @classmethod
    def of(cls, chunks: Sequence[SharedChunk]) -> "SharedChunks":
        """Convert shared chunks to columns. Columns are returned unchanged."""
        if isinstance(chunks, SharedChunks):
            return chunks
        first, last = (np.array([getattr(chunk, name) for chunk in chunks], np.int64) for name in ("first", "last"))
        return cls(first, last, ChunkRows.of(chunk.rows for chunk in chunks))

    def __len__(self) -> int:
        return len(self.first)

    def member(self, index: int) -> SharedChunk:
        """Return the shared chunk with number `index`."""
        return SharedChunk(int(self.first[index]), int(self.last[index]), self.rows[index])

    def slice(self, first: int, end: int) -> "SharedChunks":
        """Return the chunks from `first` to `end` - 1."""
        return SharedChunks(self.first[first:end], self.last[first:end], self.rows.slice(first, end))

    def take(self, chunks: NDArray[np.integer]) -> "SharedChunks":
        """Return the given chunks, in the given order."""
        return SharedChunks(self.first[chunks], self.last[chunks], self.rows.take(chunks))

    def with_wider(self, others: "SharedChunks") -> "SharedChunks":
        """Return the chunks of this object and of `others`, sorted by range. If ranges are equal, the chunks of
        `others` come last.
        """
        all_chunks = concatenated([self, others])
        return all_chunks.take(np.lexsort((all_chunks.last, all_chunks.first)))

    def shifted(self, clusters: int) -> "SharedChunks":
        """Return the chunks with all cluster numbers increased by `clusters`."""
        return SharedChunks(self.first + clusters, self.last + clusters, self.rows)


_Kind = TypeVar("_Kind", ChunkRows, ClusterColumns, SharedChunks)
_BEGINS = frozenset({"begins", "indptr", "term_begins", "chunk_begins"})


class ChunkColumnsBuilder(ExitStack, Generic[_Kind]):
    """Builder of chunk rows, clusters or shared chunks in a store.

    >>> rows = ChunkRows.of([(((0,), 2), ((0, 1), 3)), (((4,), 1),)])
    >>> with ChunkColumnsBuilder(ChunkRows) as growing:
    ...     growing.append(rows)
    ...     growing.append(rows.slice(1, 2))
    >>> same_columns(growing.finished(), rows.take(np.array([0, 1, 1])))
    True
    """

    def __init__(self, kind: type[_Kind], store: Store = MEMORY) -> None:
        super().__init__()
        self._kind: type[_Kind] = kind
        self._parts, self._ends = dict[str, Any](), dict.fromkeys(_BEGINS, 0)
        for name, column in vars(kind.of(())).items():
            nested = isinstance(column, ChunkRows)
            part: Any = ChunkColumnsBuilder(ChunkRows, store) if nested else store.growing(name, column.dtype)
            self._parts[name] = self.enter_context(part)
            if name in _BEGINS:
                part.append(np.zeros(1, np.int64))

    def append(self, more: _Kind) -> None:
        """Append columns."""
        for name, part in self._parts.items():
            column = getattr(more, name)
            if name in _BEGINS:
                part.append(column[1:] + self._ends[name])
                self._ends[name] += int(column[-1])
            else:
                part.append(column)

    def finished(self) -> _Kind:
        """Return the complete columns. Do not call `append` afterwards."""
        columns: _Kind = self._kind(**{name: part.finished() for name, part in self._parts.items()})
        return columns


def concatenated(parts: Sequence[_Kind]) -> _Kind:
    """Concatenate one or more column objects in memory."""
    with ChunkColumnsBuilder(type(parts[0])) as growing:
        for part in parts:
            growing.append(part)
    return growing.finished()
