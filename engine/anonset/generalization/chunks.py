"""A disassociated publication: items as they are, in chunks of clusters of records that hide which stood together."""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonset.data import SetColumn, Table, Vocabulary
from anonset.data.redacted_repr import Discreet
from anonset.data.table import Int32, Int64
from anonset.errors import InputError
from anonset.generalization.recoding import TERMS, Disassociated

Items = tuple[int, ...]
"""Codes of items, ascending."""
Rows = tuple[tuple[Items, int], ...]
"""The distinct sub-records of a chunk, ascending, and how often each stands in it."""
GROUPED = 4
"""So many neighbouring clusters, or groups of them, make a group, which may share chunks."""


@dataclass(frozen=True)
class Cluster(Discreet):
    """What is published of a cluster by itself."""

    n: int
    """Number of its records."""
    terms: Items
    """Items that some of its records hold, and nothing says how many."""
    chunks: tuple[Rows, ...]
    """The parts of its records that its chunks cut out, without the empty ones."""


@dataclass(frozen=True)
class SharedChunk(Discreet):
    """A chunk whose sub-records are of records of several clusters.

    It falls on those of its range that show none of its items by themselves, or in a chunk that fewer clusters share.
    """

    first: int
    """The first cluster of its range."""
    last: int
    """The last one."""
    rows: Rows

    @property
    def items(self) -> Items:
        """Its items."""
        return items_of(self.rows)


@dataclass(frozen=True, eq=False)
class ChunkPublication(Discreet):
    """Clusters of records with their chunks and terms, and the chunks that they share.

    Clusters, chunks and sub-records are in the order of their content, clusters within the groups that share chunks.
    """

    name: str
    """Name of the set-valued column."""
    vocabulary: Vocabulary
    """The published items."""
    clusters: tuple[Cluster, ...] = field(repr=False)
    """The clusters, numbered as they stand."""
    shared: tuple[SharedChunk, ...] = field(repr=False)
    """The shared chunks by range, then content."""
    record: Int64 | None = None
    """int64 (n,): the input records, cluster by cluster. Private."""
    cluster: Int32 | None = None
    """int32 (n,): the cluster of each of them. Private."""
    totals: tuple[tuple[int, int], ...] | None = field(default=None, repr=False)
    """Terms, ascending, with the number of records that hold them where they are terms; None: that is not published."""

    def __repr__(self) -> str:
        clusters, chunks = len(self.clusters), sum(len(cluster.chunks) for cluster in self.clusters)
        return (
            f"ChunkPublication({self.n:,} records in {clusters:,} clusters of {chunks:,} chunks, "
            f"{len(self.shared):,} shared chunks)"
        )

    @property
    def n(self) -> int:
        """Number of records."""
        return sum(cluster.n for cluster in self.clusters)

    @property
    def transactions(self) -> None:
        """No column of records: they are parted."""
        return

    @property
    def relational(self) -> tuple[()]:
        """No relational columns."""
        return ()

    @property
    def kept(self) -> tuple[()]:
        """No columns that are kept as they are."""
        return ()

    @property
    def symbols(self) -> tuple[()]:
        """No symbols that stand for sets: items are published as they are."""
        return ()

    @classmethod
    def of(cls, table: Table, recoding: Disassociated) -> "ChunkPublication":
        """Cut the records of a table into chunks, and number clusters by what is published of them.

        Raises
        ------
        InputError
            If the recoding is not one of this table.

        Examples
        --------
        >>> import numpy as np
        >>> table = Table.from_sets([{"a", "b"}, {"a", "c"}])
        >>> one, item = np.zeros(3, np.int32), np.arange(3, dtype=np.int32)
        >>> recoding = Disassociated(one[:2], one, item, np.array([0, -1, -1], np.int32), one[:1], one[:1])
        >>> [(one.n, one.terms, one.chunks) for one in ChunkPublication.of(table, recoding).clusters]
        [(2, (1, 2), ((((0,), 2),),))]
        """
        column = table.transactions
        if column is None or len(recoding.cluster) != column.n:
            records = "none" if column is None else f"{column.n}"
            msg = f"the recoding is of {len(recoding.cluster)} records with items, the table has {records}"
            raise InputError(msg)
        shown = np.unique(recoding.item)
        labels = [column.vocabulary.labels[item] for item in shown.tolist()]
        vocabulary = Vocabulary.of(labels)
        code = np.zeros(len(column.vocabulary), np.int32)
        code[shown] = [vocabulary.index[label] for label in labels]
        rows = _rows_of_chunks(column, recoding, code)
        clusters = _clusters(recoding, rows, code)
        spans = zip(recoding.first.tolist(), recoding.last.tolist(), rows, strict=True)
        shared = [SharedChunk(first, last, own) for first, last, own in spans if first < last]
        order = _order(clusters, shared)
        number = np.empty(len(clusters), np.int32)
        number[order] = np.arange(len(clusters), dtype=np.int32)
        cluster = number[recoding.cluster]
        record = np.argsort(cluster, kind="stable").astype(np.int64)
        totals = None
        if recoding.totals is not None:
            held = np.bincount(column.items[recoding.places_of(column) == TERMS], minlength=len(code))
            totals = tuple(sorted((int(code[item]), int(held[item])) for item in recoding.totals.tolist()))
        return cls(
            column.name,
            vocabulary,
            tuple(clusters[old] for old in order),
            tuple(sorted((_renumbered(chunk, number) for chunk in shared), key=in_order)),
            record,
            cluster[record],
            totals,
        )


class Shown:
    """Where clusters and shared chunks show each item."""

    def __init__(self, publication: ChunkPublication) -> None:
        self._shared = publication.shared
        self._clusters: dict[int, list[int]] = {}
        self._ranges: dict[int, list[tuple[int, int]]] = {}
        for number, cluster in enumerate(publication.clusters):
            for item in (*cluster.terms, *(item for rows in cluster.chunks for item in items_of(rows))):
                self._clusters.setdefault(item, []).append(number)
        for chunk in sorted(publication.shared, key=lambda chunk: (chunk.first, chunk.last)):
            for item in chunk.items:
                self._ranges.setdefault(item, []).append((chunk.first, chunk.last))

    def falls_on(self, number: int) -> NDArray[np.bool_]:
        """Return on which clusters of its range a shared chunk may fall, bool (clusters of the range,).

        They show none of its items by themselves, nor does a shared chunk of a smaller range that holds them.
        """
        chunk = self._shared[number]
        free = np.ones(chunk.last - chunk.first + 1, np.bool_)
        for item in chunk.items:
            clusters = self._clusters.get(item, [])
            own = clusters[bisect_left(clusters, chunk.first) : bisect_right(clusters, chunk.last)]
            free[np.array(own, np.int64) - chunk.first] = False
            ranges = self._ranges[item]
            inside = slice(bisect_left(ranges, (chunk.first,)), bisect_right(ranges, (chunk.last, chunk.last)))
            for first, last in ranges[inside]:
                if last <= chunk.last and last - first < chunk.last - chunk.first:
                    free[first - chunk.first : last - chunk.first + 1] = False
        return free


def items_of(rows: Iterable[tuple[Items, int]]) -> Items:
    """Return the items of sub-records, ascending.

    >>> items_of([((0, 2), 5), ((1,), 1)])
    (0, 1, 2)
    """
    return tuple(sorted({item for row, _ in rows for item in row}))


def in_order(chunk: SharedChunk) -> tuple[int, int, Rows]:
    """Return what shared chunks are sorted by."""
    return chunk.first, chunk.last, chunk.rows


def _rows_of_chunks(column: SetColumn, recoding: Disassociated, code: Int32) -> list[Rows]:
    """Return the sub-records of each chunk, in the order of the recoding."""
    place, item = recoding.places_of(column), code[column.items]
    record = np.repeat(np.arange(column.n), column.lengths)
    shown = np.flatnonzero(place >= 0)
    shown = shown[np.lexsort((item[shown], record[shown], place[shown]))]
    place, record, item = place[shown], record[shown], item[shown]
    new = np.ones(len(shown), np.bool_)
    new[1:] = (place[1:] != place[:-1]) | (record[1:] != record[:-1])
    begin = np.flatnonzero(new)
    ends, items = np.append(begin, len(shown))[1:].tolist(), item.tolist()
    counts: list[Counter[Items]] = [Counter() for _ in range(len(recoding.first))]
    for a, b, chunk in zip(begin.tolist(), ends, place[begin].tolist(), strict=True):
        counts[chunk][tuple(items[a:b])] += 1
    return [tuple(sorted(own.items())) for own in counts]


def _clusters(recoding: Disassociated, rows: Sequence[Rows], code: Int32) -> list[Cluster]:
    """Return what is published of each cluster by itself."""
    n_clusters = recoding.n_clusters
    terms: list[list[int]] = [[] for _ in range(n_clusters)]
    is_term = recoding.place == TERMS
    for cluster, item in zip(recoding.in_cluster[is_term].tolist(), code[recoding.item[is_term]].tolist(), strict=True):
        terms[cluster].append(item)
    chunks: list[list[Rows]] = [[] for _ in range(n_clusters)]
    for first, last, own in zip(recoding.first.tolist(), recoding.last.tolist(), rows, strict=True):
        if first == last:
            chunks[first].append(own)
    sizes = np.bincount(recoding.cluster, minlength=n_clusters).tolist()
    return [
        Cluster(n, tuple(sorted(own_terms)), tuple(sorted(own_chunks)))
        for n, own_terms, own_chunks in zip(sizes, terms, chunks, strict=True)
    ]


def _order(clusters: Sequence[Cluster], shared: Iterable[SharedChunk]) -> list[int]:
    """Return the clusters sorted by content within each group of 4, these groups within each of 16, and so on.

    So the clusters of a shared chunk stay neighbours, and their numbers tell nothing beside what is published.
    """
    of_range: dict[tuple[int, int], list[Rows]] = {}
    for chunk in shared:
        of_range.setdefault((chunk.first, chunk.last), []).append(chunk.rows)
    nodes: list[tuple[Any, list[int], tuple[int, int]]] = [
        ((own.n, own.terms, own.chunks), [number], (number, number)) for number, own in enumerate(clusters)
    ]
    while len(nodes) > 1:
        above = []
        for first in range(0, len(nodes), GROUPED):
            group = nodes[first : first + GROUPED]
            span = (group[0][2][0], group[-1][2][1])
            in_group = sorted(group, key=lambda node: node[0])
            chunks = sorted(of_range.get(span, ())) if len(group) > 1 else []
            above.append((([node[0] for node in in_group], chunks), [c for node in in_group for c in node[1]], span))
        nodes = above
    return nodes[0][1] if nodes else []


def _renumbered(chunk: SharedChunk, number: Int32) -> SharedChunk:
    """Return a shared chunk over the new numbers of its clusters, which are neighbours as before."""
    clusters = number[chunk.first : chunk.last + 1]
    return SharedChunk(int(clusters.min()), int(clusters.max()), chunk.rows)
