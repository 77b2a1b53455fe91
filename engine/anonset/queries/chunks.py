"""Expected answers to COUNT queries from a disassociated publication.

The expected answer is the mean over the tables that `anonset.reconstruct` draws from. In a cluster of n records these
tables are random, with independent draws:

* The sub-records of a chunk are assigned to distinct records of the cluster. If the cluster has terms, all assignments
  are equally likely. If it has none, chunks are assigned in published order, to as many empty records as possible, and
  these assignments are equally likely.
* A term is in one record, uniformly drawn. If a published total requires more records with the term, these are drawn
  uniformly from its clusters.
* The sub-records of a shared chunk are assigned to distinct records of all its clusters. All assignments are equally
  likely.

Items of different chunks are therefore independent within a cluster that has terms: their probabilities are multiplied,
and the products are summed over clusters. The publication shows how often items of the same chunk occur together.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import fsum

import numpy as np
from numpy.typing import NDArray

from anonset.data.redacted_repr import RedactedRepr
from anonset.data.table import Int32, Int64
from anonset.publications import Chunks
from anonset.publications.chunk_columns import PublishedCluster, items_of, joined
from anonset.queries.workload import Query

Floats = NDArray[np.float64]
_CLUSTERS_AT_ONCE, _MOST_HELD = 4096, 2**25


@dataclass(frozen=True, eq=False)
class _Places(RedactedRepr):
    """Positions of an item: at most one chunk or term per cluster."""

    cluster: Int64
    """Clusters in which a record may contain the item, ascending, int64 (P,)."""
    chunk: Int64
    """Chunk that contains the item in each cluster, int64 (P,). Shared chunks have the highest numbers; -1 is the term
    chunk."""
    chance: Floats
    """Probability that a given record of the cluster contains the item, float64 (P,)."""


class ChunkCounts:
    """Expected answers to COUNT queries, from clusters, chunks and terms.

    Cost of a query: number of clusters with its items, and number of distinct sub-records that contain them.

    Examples
    --------
    >>> from anonset.data import Vocabulary
    >>> chunks = ((((0,), 2), ((0, 1), 2)), (((2,), 3),))
    >>> publication = Chunks("items", Vocabulary(("a", "b", "c", "d")), (PublishedCluster(6, (3,), chunks),), ())
    >>> counts = ChunkCounts(publication)
    >>> [counts.count(Query(tuple(items))) for items in ("a", "ab", "ac", "abc", "d", "cd", "x")]
    [4.0, 2.0, 2.0, 1.0, 1.0, 0.5, 0.0]
    """

    def __init__(self, publication: Chunks) -> None:
        self.publication = publication
        clusters, shared = publication.columns
        n_items = len(publication.vocabulary)
        self._records, self._cluster_of = clusters.n, clusters.cluster_of_chunk
        self._first_chunk = clusters.chunk_begins.tolist()
        self._rows = joined([clusters.rows, shared.rows])
        self._chunk_of_row = self._rows.chunk
        self._places_of_chunk = np.zeros(len(self._rows), np.int64)
        self._places_of_chunk[: len(self._cluster_of)] = self._records[self._cluster_of]
        row = np.repeat(np.arange(len(self._chunk_of_row)), np.diff(self._rows.indptr))
        self._rows_of = _by_item(self._rows.items, row, n_items)
        self._terms = _by_item(clusters.terms, clusters.cluster_of_term, n_items)
        self._totals = dict(publication.totals or ())
        self._in_turn = (np.diff(clusters.chunk_begins) > 1) & (np.diff(clusters.term_begins) == 0)
        self._shown = publication.shown()
        self._places: dict[int, _Places] = {}
        self._fallen: dict[int, Int64] = {}
        self._held_numbers = 0
        self._together: dict[tuple[int, ...], float] = {}

    def count(self, query: Query) -> float:
        """Return the expected number of records that contain all items of a query. Ignores conditions."""
        index = self.publication.vocabulary.index
        codes = {index.get(item) for item in query.items}
        return 0.0 if None in codes else self.expected(code for code in codes if code is not None)

    def expected(self, codes: Iterable[int]) -> float:
        """Return the expected number of records that contain all items of `codes`."""
        items = sorted(set(codes))
        if not items:
            return float(self._records.sum())
        shown = [self.places(item) for item in items]
        cluster = _common([item_places.cluster for item_places in shown])
        positions = [np.searchsorted(item_places.cluster, cluster) for item_places in shown]
        chance = np.stack([item_places.chance[where] for item_places, where in zip(shown, positions, strict=True)])
        if len(items) == 1:
            return fsum(chance[0] * self._records[cluster])
        chunk = np.stack([item_places.chunk[where] for item_places, where in zip(shown, positions, strict=True)])
        return fsum(self._chances(items, cluster, chunk, chance) * self._records[cluster])

    def pairs(self, items: Sequence[int]) -> Floats:
        """Return the expected number of records with both items of each pair, float64 (F, F), 0 on the diagonal.

        Cost: F^2 times the number of clusters, processed in batches, and the pairs of these items in each sub-record.
        """
        shown = [self.places(item) for item in items]
        counts = np.zeros((len(items), len(items)))
        for first in range(0, len(self._records), _CLUSTERS_AT_ONCE):
            records = self._records[first : first + _CLUSTERS_AT_ONCE]
            chance = np.zeros((len(records), len(items)))
            for column, places in enumerate(shown):
                window = slice(*np.searchsorted(places.cluster, (first, first + len(records))))
                chance[places.cluster[window] - first, column] = places.chance[window]
            counts += chance.T @ (chance * records[:, None])
        column_of = {item: column for column, item in enumerate(items)}
        for chunk in range(len(self._rows)):
            rows = self._rows[chunk]
            columns_here = sorted({column_of[item] for row_items, _ in rows for item in row_items if item in column_of})
            if len(columns_here) > 1:
                place = {items[column]: number for number, column in enumerate(columns_here)}
                holds = np.zeros((len(rows), len(columns_here)))
                for number, (row_items, _) in enumerate(rows):
                    holds[number, [place[item] for item in row_items if item in place]] = 1
                pair_counts = holds.T @ (holds * np.array([count for _, count in rows])[:, None])
                single = pair_counts.diagonal()
                counts[np.ix_(columns_here, columns_here)] += (
                    pair_counts - np.outer(single, single) / self._places_of_chunk[chunk]
                )
        for cluster in np.flatnonzero(self._in_turn).tolist():
            self._correct_pairs(counts, cluster, column_of)
        np.fill_diagonal(counts, 0)
        return counts

    def _correct_pairs(self, counts: Floats, cluster: int, column_of: dict[int, int]) -> None:
        """Correct the products for a cluster without terms, whose chunks fill empty records first."""
        published, n = self.publication.clusters[cluster], self.publication.clusters[cluster].n
        items_of_chunk = [[item for item in items_of(rows) if item in column_of] for rows in published.chunks]
        for low, high in combinations(range(len(items_of_chunk)), 2):
            if items_of_chunk[low] and items_of_chunk[high]:
                first = self._first_chunk[cluster]
                more = n * (self._likelier(cluster, (first + low, first + high)) - 1)
                sides = [[self._chance_in(item, cluster) for item in items_of_chunk[chunk]] for chunk in (low, high)]
                columns = [[column_of[item] for item in items_of_chunk[chunk]] for chunk in (low, high)]
                product = more * np.outer(sides[0], sides[1])
                counts[np.ix_(columns[0], columns[1])] += product
                counts[np.ix_(columns[1], columns[0])] += product.T

    def _chance_in(self, item: int, cluster: int) -> float:
        item_places = self.places(item)
        return float(item_places.chance[np.searchsorted(item_places.cluster, cluster)])

    def _likelier(self, cluster: int, chunks: tuple[int, ...]) -> float:
        """Return the result of `together` for chunks of a cluster, cached."""
        if chunks not in self._together:
            numbers = [chunk - self._first_chunk[cluster] for chunk in chunks]
            self._together[chunks] = together(self.publication.clusters[cluster], numbers)
        return self._together[chunks]

    def places(self, item: int) -> _Places:
        """Return the positions of an item, from the cache if available."""
        if item not in self._places:
            chunk, count = self._held(self._rows_of[item])
            parts = [(self._cluster_of[chunk], chunk) for chunk in [chunk[chunk < len(self._cluster_of)]]]
            for number in chunk[chunk >= len(self._cluster_of)].tolist():
                clusters = self._falls_on(number)
                parts.append((clusters, np.full(len(clusters), number)))
            terms = self._terms[item]
            parts.append((terms, np.full(len(terms), -1)))
            cluster, chunks = (np.concatenate(column) for column in zip(*parts, strict=True))
            order = np.argsort(cluster, kind="stable")
            cluster, chunks = cluster[order], chunks[order]
            in_chunk = np.zeros(len(self._places_of_chunk) + 1)  # index -1 (terms) remains 0
            in_chunk[chunk] = count / self._places_of_chunk[chunk]
            self._make_room(3 * len(cluster))
            chance = np.where(chunks < 0, self._chance_of_term(item, terms)[cluster], in_chunk[chunks])
            self._places[item] = _Places(cluster, chunks, chance)
        return self._places[item]

    def _chance_of_term(self, item: int, clusters: Int64) -> Floats:
        """Return the probability that a record of each cluster contains a term, float64 (clusters,).

        It is 0 outside the given clusters.
        """
        n = self._records[clusters]
        chance = np.zeros(len(self._records))
        more = self._totals.get(item, len(clusters)) - len(clusters)
        free = int(n.sum()) - len(clusters)
        chance[clusters] = (1 + (n - 1) * (more / free if more else 0.0)) / n
        return chance

    def _falls_on(self, number: int) -> Int64:
        """Return the clusters of a shared chunk, and store their number of records."""
        if number not in self._fallen:
            place = number - len(self._cluster_of)
            clusters = self.publication.shared[place].first + np.flatnonzero(self._shown.falls_on(place))
            self._places_of_chunk[number] = self._records[clusters].sum()
            self._make_room(len(clusters))
            self._fallen[number] = clusters
        return self._fallen[number]

    def _make_room(self, numbers: int) -> None:
        """Clear the caches of items and shared chunks if they exceed the limit."""
        self._held_numbers += numbers
        if self._held_numbers > _MOST_HELD:
            self._places, self._fallen, self._held_numbers = {}, {}, numbers

    def _held(self, rows: Int64) -> tuple[Int64, Int64]:
        """Return the chunks of distinct sub-records, ascending, and the number of these sub-records in each chunk."""
        chunk = self._chunk_of_row[rows]
        first = np.flatnonzero(np.append(True, chunk[1:] != chunk[:-1])) if len(chunk) else chunk
        count = np.add.reduceat(self._rows.count[rows], first) if len(first) else chunk
        return chunk[first], count

    def _chances(self, items: Sequence[int], cluster: Int64, chunk: Int64, chance: Floats) -> Floats:
        """Return the probability that a given record of each cluster contains all items, float64 (P,).

        `chunk` and `chance` are (items, P). Clusters in which the same items share a chunk are processed together.
        """
        apart = np.where(chunk < 0, -1 - np.arange(len(items))[:, None], chunk)
        leads = (apart[:, None] == apart[None]).argmax(axis=0)  # first item in the same chunk
        places, result = np.arange(len(cluster)), np.ones(len(cluster))
        for shape, alike_places in _alike(leads, places):
            groups = [[place for place, lead in enumerate(shape) if lead == first] for first in sorted(set(shape))]
            for group in groups:
                first = group[0]
                if len(group) == 1:
                    result[alike_places] *= chance[first, alike_places]
                else:
                    result[alike_places] *= self._joint([items[place] for place in group], chunk[first, alike_places])
            self._correct(result, alike_places, cluster, chunk[[group[0] for group in groups]])
        return result

    def _joint(self, items: Sequence[int], chunk: Int64) -> Floats:
        """Return the probability that a record contains all items of a chunk, for each chunk."""
        chunks, count = self._held(_common([self._rows_of[item] for item in items]))
        in_chunk = np.zeros(len(self._places_of_chunk))
        in_chunk[chunks] = count
        return np.asarray(in_chunk[chunk] / self._places_of_chunk[chunk])

    def _correct(self, result: Floats, places: Int64, cluster: Int64, chunk: Int64) -> None:
        """Correct the products of probabilities for clusters without terms, whose chunks fill empty records first."""
        for place in places[self._in_turn[cluster[places]]].tolist():
            cluster_chunks = tuple(
                number for number in sorted(chunk[:, place].tolist()) if 0 <= number < len(self._cluster_of)
            )
            if len(cluster_chunks) > 1:
                result[place] *= self._likelier(int(cluster[place]), cluster_chunks)


def _by_item(items: Int32, values: Int64, n_items: int) -> list[Int64]:
    """Group `values`, int64 (v,), by item. `items`, int32 (v,), is the item of each value, below `n_items`."""
    order = np.argsort(items, kind="stable")
    ends = np.searchsorted(items[order], np.arange(1, n_items))
    return np.split(values[order], ends)


def _common(ascending: Iterable[Int64]) -> Int64:
    """Return the intersection of ascending arrays."""
    fewest, *others = sorted(ascending, key=len)
    for other in others:
        if len(fewest):
            place = np.minimum(np.searchsorted(other, fewest), len(other) - 1)
            fewest = fewest[other[place] == fewest]
    return fewest


def _alike(leads: Int64, places: Int64) -> Iterator[tuple[list[int], Int64]]:
    """Yield each distinct column of `leads` with its positions."""
    while len(places):
        same = (leads == leads[:, :1]).all(axis=0)
        yield leads[:, 0].tolist(), places[same]
        leads, places = leads[:, ~same], places[~same]


def together(cluster: PublishedCluster, chunks: Sequence[int]) -> float:
    """Return the probability of sub-records of all given chunks in a record, relative to independent chunks.

    The cluster has no terms. Its chunks are assigned in order to empty records, while there are any. Cost: number of
    chunks.

    >>> rows = (((0,), 3),)
    >>> [together(PublishedCluster(n, (), (rows, rows)), [0, 1]) for n in (3, 4, 6)]
    [1.0, 0.8888888888888888, 0.0]
    """
    empty, filled, before, independent = 1.0, 0.0, 0, 1.0
    for number, rows in enumerate(cluster.chunks):
        size = sum(count for _, count in rows)
        n_empty = cluster.n - before
        n_new = min(size, n_empty)
        on_empty = n_new / n_empty if n_empty else 0.0
        on_filled = (size - n_new) / before if before else 0.0
        if number in chunks:
            empty, filled = 0.0, empty * on_empty + filled * on_filled
            independent *= size / cluster.n
        else:
            empty, filled = empty - empty * on_empty, filled + empty * on_empty
        before += n_new
    return (empty + filled) / independent
