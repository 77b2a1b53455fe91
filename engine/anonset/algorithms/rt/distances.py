"""Item distances of unions of clusters (Poulis et al. 2013, section 5)."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from anonset.algorithms.transaction.cluster_mappings import concatenate
from anonset.data import SetColumn
from anonset.data.array_types import Bools, Float64, Int64

Numerator = Literal["xor", "or"]
"""Items counted in the numerator of the transaction distance."""


class Distances:
    """Bit-vector transaction distance (BTD) of clusters and of their unions.

    The records of each cluster are sorted by descending length. The longest records of all clusters are stored
    contiguously, because a search rarely reads shorter records.

    Parameters
    ----------
    column
        Items of all records.
    clusters
        Records of each cluster. No record is in two clusters.
    numerator
        Items to count.
    """

    def __init__(self, column: SetColumn, clusters: Sequence[Int64], numerator: Numerator) -> None:
        from anonset_kernels.rt.btd import cluster_distances, pack_records, put_heads

        self.with_or = numerator == "or"
        self.size = np.array([len(members) for members in clusters], np.int64)
        records, start = concatenate(clusters)
        of = np.repeat(np.arange(len(clusters)), self.size)
        records = records[np.lexsort((-column.lengths[records], of))]
        self.first, self.end = start[:-1].copy(), len(records)
        leads = np.zeros(len(records), bool)
        leads[self.first[self.size > 0]] = True
        records = np.concatenate([records[leads], records[~leads]])
        place, self.packed = pack_records(column.indptr, column.items, records, len(column.vocabulary))
        self.members = np.empty(2 * len(records), np.int64)
        self.members[: self.end][leads], self.members[: self.end][~leads] = np.split(place, [np.count_nonzero(leads)])
        self.heads = np.empty((len(clusters), 4), np.int64)
        put_heads(self.packed, self.members, (self.first, self.size, self.heads), 0, len(clusters))
        self.own = np.empty(len(clusters), np.float64)
        cluster_distances(self.packed, self.members, self.first, self.size, self.with_or, self.own)
        self.expanded = np.zeros((64, len(column.vocabulary) // 64 + 1), np.uint64)

    def search(self, c: int, candidates: Bools) -> "Search":
        """Return a search for the `candidates` whose unions with cluster `c` have the smallest distances."""
        return Search(self, c, np.where(candidates, np.maximum(self.own, self.own[c]), np.inf))

    def merge(self, c: int, x: int, distance: float) -> None:
        """Replace cluster `c` by its union with cluster `x`. `distance` is the distance of the union."""
        from anonset_kernels.rt.btd import gather_segments, unite

        size = int(self.size[c] + self.size[x])
        if self.end + size > len(self.members):
            members = np.empty(len(self.members), np.int64)
            self.end = gather_segments(self.members, self.first, self.size, members)
            self.members = members
        unite(self.packed, self.members, (self.first, self.size, self.heads), c, x, self.end)
        self.own[c] = distance
        self.end += size

    def keep(self, alive: Bools) -> None:
        """Remove all clusters that are False in `alive`."""
        self.first, self.size, self.own = self.first[alive], self.size[alive], self.own[alive]
        self.heads = self.heads[alive]


class Search:
    """Search for the clusters whose unions with a given cluster have the smallest distances. It can be continued.

    Parameters
    ----------
    distances, c
        The distances of all clusters, and the index of the given cluster.
    bound
        Lower bound of the distance of each union, float64 (C,). The bound is the larger of the distances of the two
        clusters. It is infinite for clusters that are not candidates.
    """

    def __init__(self, distances: Distances, c: int, bound: Float64) -> None:
        self._distances, self._c, self._bound = distances, c, bound
        self._exact = np.zeros(len(bound), bool)
        self._count = int(np.count_nonzero(bound < np.inf))

    def nearest(self, count: int) -> tuple[Int64, Float64]:
        """Return the indices and distances of the `count` nearest candidates.

        Ties are resolved by the smallest index.
        """
        from anonset_kernels.rt.btd import nearest_unions

        of, count = self._distances, min(count, self._count)
        place, distance = np.empty(count, np.int64), np.empty(count, np.float64)
        if count:
            clusters, limits = (of.first, of.size, of.heads), (self._bound, self._exact)
            nearest = (distance, place)
            nearest_unions(of.packed, of.members, clusters, self._c, of.with_or, limits, of.expanded, nearest)
        if count < 2:
            return place, distance
        order = np.lexsort((place, distance))
        return place[order], distance[order]
