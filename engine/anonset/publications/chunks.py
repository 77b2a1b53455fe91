"""Disassociated publications. Items are published unchanged, in chunks of record clusters. The publication hides which
items of different chunks occur together.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np

from anonset.data import Vocabulary
from anonset.data import spans as limits
from anonset.data.array_types import Bools, Int32, Int64
from anonset.data.distinct import distinct
from anonset.data.spans import begins_of
from anonset.errors import AnonsetError
from anonset.publications.base import Published
from anonset.publications.chunk_columns import (
    ClusterColumns,
    Items,
    PublishedCluster,
    Rows,
    SharedChunk,
    SharedChunks,
    items_of,
)

__all__ = ["Chunks", "PublishedCluster", "Items", "Rows", "SharedChunk", "ItemPlaces", "items_of"]


@dataclass(frozen=True, eq=False)
class Chunks(Published):
    """A disassociated publication. It contains clusters with their chunks and terms, and the chunks shared by several
    clusters.

    Chunks and sub-records are sorted by content. Clusters that may share chunks form groups, and are sorted by content
    within a group.
    """

    name: str
    """Name of the set-valued column."""
    vocabulary: Vocabulary
    """The published items."""
    clusters: Sequence[PublishedCluster] = field(repr=False)
    """Clusters. The position of a cluster is its number."""
    shared: Sequence[SharedChunk] = field(repr=False)
    """Shared chunks, sorted by range and content."""
    record: Int64 | None = None
    """Private input records, ordered by cluster, int64 (n,)."""
    cluster: Int32 | None = None
    """Private cluster of each record, int32 (n,)."""
    totals: tuple[tuple[int, int], ...] | None = field(default=None, repr=False)
    """Pairs of a term and its record count in the clusters that publish it as a term. None if no counts are
    published.
    """
    in_terms: int | None = None
    """Private number of item occurrences that are published as terms."""

    def __repr__(self) -> str:
        clusters, chunks = len(self.clusters), len(self.columns[0].rows)
        return (
            f"Chunks({self.n:,} records in {clusters:,} clusters of {chunks:,} chunks, "
            f"{len(self.shared):,} shared chunks)"
        )

    @property
    def n(self) -> int:
        """Number of records."""
        return int(self.columns[0].n.sum())

    @cached_property
    def occurrences(self) -> int:
        """Number of items in the sub-records of all chunks."""
        return sum(part.rows.occurrences for part in self.columns)

    def share_outside(self, occurrences: int) -> float:
        """Return the share of the original's item occurrences that are not in chunks. 0 without occurrences."""
        return 1 - self.occurrences / occurrences if occurrences else 0.0

    @cached_property
    def columns(self) -> tuple[ClusterColumns, SharedChunks]:
        """The clusters and the shared chunks, stored as columns."""
        return ClusterColumns.of(self.clusters), SharedChunks.of(self.shared)

    def shown(self) -> "ItemPlaces":
        """Return the clusters and shared chunks that contain each item."""
        return ItemPlaces(*self.columns, len(self.vocabulary))

    def windows(self) -> "Iterator[ChunkWindow]":
        """Yield consecutive clusters with all shared chunks that overlap them."""
        clusters, shared = self.columns
        around = np.empty(0, np.int64)
        order = None if limits.ascending(shared.first) else np.argsort(shared.first, kind="stable")
        begins = shared.first if order is None else shared.first[order]
        at_once = max(1, 2 * limits.AT_ONCE * self.n // max(1, self.n + self.occurrences))
        for first, end in limits.spans_up_to(begins_of(clusters.n), at_once):
            low, high = np.searchsorted(begins, (first, end)).tolist()
            number = np.append(around, np.arange(low, high) if order is None else order[low:high])
            yield ChunkWindow(first, end, clusters.slice(first, end), number, shared.take(number))
            around = number[shared.last[number] >= end]

    def counts(self) -> dict[str, int]:
        """Return the number of records, clusters and items."""
        return {
            "records": self.n,
            "clusters": len(self.clusters),
            "items": len(self.vocabulary),
        }

    def content(self) -> list[Any]:
        """Return the items, clusters and shared chunks, and the input record of each row."""
        way_back = self.record is None or self.record.tolist()
        return [self.vocabulary.labels, self.clusters, self.shared, way_back]

    def items_shown(self) -> Iterator[str]:
        """Yield the items in chunks. An item is repeated for each distinct sub-record."""
        chunks = [rows for cluster in self.clusters for rows in cluster.chunks]
        for rows in (*chunks, *(chunk.rows for chunk in self.shared)):
            yield from (self.vocabulary.labels[item] for items, _ in rows for item in items)

    def with_way_back(self, record: Int64, cluster: Int32 | None) -> Self:
        """Return a copy with the input records, ordered by cluster, and the cluster of each record."""
        return replace(self, record=record, cluster=cluster)

    def require_same(self, written: Self) -> Self:
        """Compare clusters and chunks. The input records are private and not part of the comparison."""
        same = self.name == written.name and list(self.vocabulary.labels) == list(written.vocabulary.labels)
        for name, before, after in (
            ("clusters or chunks", self.clusters, written.clusters),
            ("shared", self.shared, written.shared),
            ("counts", self.totals, written.totals),
        ):
            if not same or before != after:
                raise AnonsetError(f"table {name}: the written file differs from the result in memory")
        return written if self.record is None else written.with_way_back(self.record, self.cluster)


class ChunkWindow(NamedTuple):
    """A range of consecutive clusters of a publication, and the shared chunks whose ranges overlap it."""

    first: int
    end: int
    clusters: ClusterColumns
    number: Int64
    """Numbers of the shared chunks whose ranges overlap the clusters, int64."""
    shared: SharedChunks


class ItemPlaces:
    """Clusters and shared chunks that contain each item.

    Attributes
    ----------
    cluster_begins, cluster
        Start of each item in `cluster`, int64 (items + 1,), and the ascending clusters that publish the item outside
        shared chunks, int64.
    range_begins, first, last
        Start of each item in `first` and `last`, int64 (items + 1,), and the ascending ranges of the shared chunks that
        contain the item, int64.
    item_begins, item
        Start of each shared chunk in `item`, int64 (chunks + 1,), and the ascending items of the chunk, int64.

    Parameters
    ----------
    clusters, shared
        Consecutive clusters, and the shared chunks whose ranges overlap them.
    n_items
        Number of items.
    number
        Number of the first cluster.
    """

    def __init__(self, clusters: ClusterColumns, shared: SharedChunks, n_items: int, number: int = 0) -> None:
        self.shared = shared
        numbers, end = np.arange(n_items + 1), max(1, number + len(clusters))
        chunk, item = clusters.rows.domains
        of_chunks = item * end + clusters.cluster_of_chunk[chunk] + number
        keys = distinct(np.append(of_chunks, clusters.terms * np.int64(end) + clusters.cluster_of_term + number))
        self.cluster_begins, self.cluster = np.searchsorted(keys, numbers * end), keys % end
        chunk, self.item = shared.rows.domains
        self.item_begins = np.searchsorted(chunk, np.arange(len(shared) + 1))
        first, last = shared.first[chunk], shared.last[chunk]
        order = np.lexsort((last, first, self.item))
        self.range_begins = np.searchsorted(self.item[order], numbers)
        self.first, self.last = first[order], last[order]

    def falls_on(self, number: int) -> Bools:
        """Return True for each cluster in the range of a shared chunk that may contain sub-records of the chunk, bool.

        A cluster may not contain sub-records of the chunk if it already publishes an item of the chunk. This includes
        items in shared chunks with a smaller range.
        """
        begin, end = int(self.shared.first[number]), int(self.shared.last[number])
        free = np.ones(end - begin + 1, np.bool_)
        for item in self.item[self.item_begins[number] : self.item_begins[number + 1]].tolist():
            clusters = self.cluster[self.cluster_begins[item] : self.cluster_begins[item + 1]]
            free[clusters[slice(*np.searchsorted(clusters, (begin, end + 1)))] - begin] = False
            ranges = slice(int(self.range_begins[item]), int(self.range_begins[item + 1]))
            first, last = self.first[ranges], self.last[ranges]
            inside = (first >= begin) & (last <= end) & (last - first < end - begin)
            for a, b in zip(first[inside].tolist(), last[inside].tolist(), strict=True):
                free[a - begin : b - begin + 1] = False
        return free
