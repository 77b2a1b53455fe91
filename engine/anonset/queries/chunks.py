"""Answers of COUNT queries that a disassociated publication leads to expect.

What is expected is the mean over the tables that `anonset.reconstruct` draws from, where in a cluster of n records, by
chance and independently of the others,

* the sub-records of a chunk are on n places, each on one of its own: in any way, equally likely, where the cluster has
  terms; where it has none, chunk after chunk as they are published, on as many empty records as possible, equally
  likely among these ways;
* a term is in one record, each equally likely;
* the sub-records of a shared chunk are on the records of all clusters that it falls on: in any way, equally likely.

So items of different chunks are independent within a cluster that has terms: their chances are multiplied, and the
products summed over clusters. Items of one chunk are together as often as published.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import fsum

import numpy as np
from numpy.typing import NDArray

from anonset.data.redacted_repr import Discreet
from anonset.data.table import Int64
from anonset.generalization.chunks import ChunkPublication, Cluster, Rows, Shown
from anonset.queries.workload import Query

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class _Places(Discreet):
    """Where an item is shown: in each cluster at one place at most."""

    cluster: Int64
    """int64 (P,): the clusters in which a record may hold it, ascending."""
    chunk: Int64
    """int64 (P,): the chunk there, the shared ones numbered behind the others; of a term -1."""
    chance: Floats
    """float64 (P,): the probability that a given record there holds it."""


class ChunkCounts:
    """Expected answers, from clusters, chunks and terms.

    Cost of a query: the clusters that show its items, and the distinct sub-records that hold them.

    Examples
    --------
    >>> from anonset.data import Vocabulary
    >>> chunks = ((((0,), 2), ((0, 1), 2)), (((2,), 3),))
    >>> publication = ChunkPublication("items", Vocabulary(("a", "b", "c", "d")), (Cluster(6, (3,), chunks),), ())
    >>> counts = ChunkCounts(publication)
    >>> [counts.count(Query(tuple(items))) for items in ("a", "ab", "ac", "abc", "d", "cd", "x")]
    [4.0, 2.0, 2.0, 1.0, 1.0, 0.5, 0.0]
    """

    def __init__(self, publication: ChunkPublication) -> None:
        self.publication = publication
        self._records = np.array([cluster.n for cluster in publication.clusters], np.int64)
        self._cluster_of = np.array(
            [number for number, cluster in enumerate(publication.clusters) for _ in cluster.chunks], np.int64
        )
        self._first_chunk = np.searchsorted(self._cluster_of, np.arange(len(self._records))).tolist()
        self._read_rows()
        self._terms: dict[int, list[int]] = {}
        for number, cluster in enumerate(publication.clusters):
            for term in cluster.terms:
                self._terms.setdefault(term, []).append(number)
        self._in_turn = np.array([len(own.chunks) > 1 and not own.terms for own in publication.clusters], np.bool_)
        self._shown = Shown(publication)
        self._places: dict[int, _Places] = {}
        self._together: dict[tuple[int, ...], float] = {}

    def _read_rows(self) -> None:
        """Give chunks and their distinct sub-records numbers, and note which hold each item."""
        own = [rows for cluster in self.publication.clusters for rows in cluster.chunks]
        chunks: list[Rows] = [*own, *(chunk.rows for chunk in self.publication.shared)]
        rows = [(items, count) for chunk in chunks for items, count in chunk]
        self._chunk_of_row = np.repeat(np.arange(len(chunks)), [len(chunk) for chunk in chunks])
        self._count_of_row = np.array([count for _, count in rows], np.int64)
        self._places_of_chunk = np.zeros(len(chunks), np.int64)
        self._places_of_chunk[: len(own)] = self._records[self._cluster_of]
        held = np.array([item for items, _ in rows for item in items], np.int64)
        row = np.repeat(np.arange(len(rows)), [len(items) for items, _ in rows])
        order = np.argsort(held, kind="stable")
        ends = np.searchsorted(held[order], np.arange(len(self.publication.vocabulary) + 1))
        self._rows_of = np.split(row[order], ends[1:-1]) if len(ends) > 1 else []

    def count(self, query: Query) -> float:
        """Return the expected number of records that hold all items of a query; conditions are not looked at."""
        index = self.publication.vocabulary.index
        codes = {index.get(item) for item in query.items}
        return 0.0 if None in codes else self.expected(code for code in codes if code is not None)

    def expected(self, codes: Iterable[int]) -> float:
        """Return the expected number of records that hold all the given items."""
        items = sorted(set(codes))
        if not items:
            return float(self._records.sum())
        shown = [self.places(item) for item in items]
        cluster = shown[0].cluster
        for other in shown[1:]:
            cluster = np.intersect1d(cluster, other.cluster, assume_unique=True)
        at = [np.searchsorted(own.cluster, cluster) for own in shown]
        chance = np.stack([own.chance[where] for own, where in zip(shown, at, strict=True)])
        if len(items) == 1:
            return fsum(chance[0] * self._records[cluster])
        chunk = np.stack([own.chunk[where] for own, where in zip(shown, at, strict=True)])
        return fsum(self._chances(items, cluster, chunk, chance) * self._records[cluster])

    def places(self, item: int) -> _Places:
        """Return where an item is shown."""
        if item not in self._places:
            chunk, count = self._held(self._rows_of[item])
            parts = [(self._cluster_of[chunk], chunk) for chunk in [chunk[chunk < len(self._cluster_of)]]]
            for number in chunk[chunk >= len(self._cluster_of)].tolist():
                clusters = self._falls_on(number)
                parts.append((clusters, np.full(len(clusters), number)))
            terms = np.array(self._terms.get(item, []), np.int64)
            parts.append((terms, np.full(len(terms), -1)))
            cluster, chunks = (np.concatenate(column) for column in zip(*parts, strict=True))
            order = np.argsort(cluster, kind="stable")
            cluster, chunks = cluster[order], chunks[order]
            in_chunk = np.zeros(len(self._places_of_chunk) + 1)  # of a term, at -1: nothing
            in_chunk[chunk] = count / self._places_of_chunk[chunk]
            chance = np.where(chunks < 0, 1.0 / self._records[cluster], in_chunk[chunks])
            self._places[item] = _Places(cluster, chunks, chance)
        return self._places[item]

    def _falls_on(self, number: int) -> Int64:
        """Return the clusters on which a shared chunk falls, and note how many records they have."""
        place = number - len(self._cluster_of)
        clusters = self.publication.shared[place].first + np.flatnonzero(self._shown.falls_on(place))
        self._places_of_chunk[number] = self._records[clusters].sum()
        return clusters

    def _held(self, rows: Int64) -> tuple[Int64, Int64]:
        """Return the chunks of some distinct sub-records, ascending, and how often these stand in each."""
        chunk = self._chunk_of_row[rows]
        first = np.flatnonzero(np.append(True, chunk[1:] != chunk[:-1])) if len(chunk) else chunk
        count = np.add.reduceat(self._count_of_row[rows], first) if len(first) else chunk
        return chunk[first], count

    def _chances(self, items: Sequence[int], cluster: Int64, chunk: Int64, chance: Floats) -> Floats:
        """Return float64 (P,): the probability that a given record of each cluster holds all of several items.

        `chunk` and `chance` are (items, P). Clusters are taken together in which the same items share a chunk.
        """
        apart = np.where(chunk < 0, -1 - np.arange(len(items))[:, None], chunk)
        leads = (apart[:, None] == apart[None]).argmax(axis=0)  # the first item with the same place
        shapes, shape_of = np.unique(leads, axis=1, return_inverse=True)
        result = np.ones(len(cluster))
        for number, shape in enumerate(shapes.T.tolist()):
            here = np.flatnonzero(shape_of.ravel() == number)
            groups = [[place for place, lead in enumerate(shape) if lead == first] for first in sorted(set(shape))]
            for group in groups:
                first = group[0]
                if len(group) == 1:
                    result[here] *= chance[first, here]
                else:
                    result[here] *= self._joint([items[place] for place in group], chunk[first, here])
            self._correct(result, here, cluster, chunk[[group[0] for group in groups]])
        return result

    def _joint(self, items: Sequence[int], chunk: Int64) -> Floats:
        """Return the probability that a record holds several items of each of some chunks."""
        rows = self._rows_of[items[0]]
        for item in items[1:]:
            rows = np.intersect1d(rows, self._rows_of[item], assume_unique=True)
        held, count = self._held(rows)
        in_chunk = np.zeros(len(self._places_of_chunk))
        in_chunk[held] = count
        return np.asarray(in_chunk[chunk] / self._places_of_chunk[chunk])

    def _correct(self, result: Floats, here: Int64, cluster: Int64, chunk: Int64) -> None:
        """Correct products of chances where a cluster has no terms: its chunks fill empty records first."""
        for place in here[self._in_turn[cluster[here]]].tolist():
            number = int(cluster[place])
            first = self._first_chunk[number]
            own = tuple(one for one in sorted(chunk[:, place].tolist()) if 0 <= one < len(self._cluster_of))
            if len(own) > 1:
                if own not in self._together:
                    taken = [one - first for one in own]
                    self._together[own] = together(self.publication.clusters[number], taken)
                result[place] *= self._together[own]


def together(cluster: Cluster, chunks: Sequence[int]) -> float:
    """Return how much likelier it is that a record has sub-records of all given chunks than if they were independent.

    For a cluster without terms, whose chunks go one after the other on records that have nothing yet, while there are
    any. Cost: its chunks.

    >>> rows = (((0,), 3),)
    >>> [together(Cluster(n, (), (rows, rows)), [0, 1]) for n in (3, 4, 6)]
    [1.0, 0.8888888888888888, 0.0]
    """
    empty, filled, before, independent = 1.0, 0.0, 0, 1.0
    for number, rows in enumerate(cluster.chunks):
        size = sum(count for _, count in rows)
        left = cluster.n - before
        fresh = min(size, left)
        on_empty = fresh / left if left else 0.0
        on_filled = (size - fresh) / before if before else 0.0
        if number in chunks:
            empty, filled = 0.0, empty * on_empty + filled * on_filled
            independent *= size / cluster.n
        else:
            empty, filled = empty - empty * on_empty, filled + empty * on_empty
        before += fresh
    return (empty + filled) / independent
