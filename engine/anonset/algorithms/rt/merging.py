"""Merging clusters of an RT-dataset: which cluster goes next, and with which (Poulis et al. 2013, section 4).

Clusters stand in the order of their smallest records, and keep their place when they grow: the union of two takes
the place of the earlier, so that the first place among equals is the smallest index.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from anonset.algorithms.relational.states import ClusterStates, members_of, rounded, split
from anonset.algorithms.rt.cluster_function import ClusterFunction, joined
from anonset.data import SetColumn
from anonset.data.quasi_identifiers import Float64, QuasiIdentifiers
from anonset.data.table import Int32, Int64

MergeOrder = Literal["r", "t", "rt"]
"""Which candidates come first: the best relationally, by their items, or by both ranks together."""
ItemOrder = Literal["btd", "ul"]
"""What orders candidates by their items: the distance of transactions, or the true utility loss."""
Numerator = Literal["xor", "or"]
"""The numerator of the distance of transactions."""

TOLERANCE = 1e-12
_DOUBT = 1e-9
"""Sums that are updated are trusted where they are further than this from the bound; else all is summed anew."""


@dataclass(frozen=True)
class Merge:
    """One decision: the cluster of record `seed` was merged with the cluster of record `other`."""

    seed: int
    """Smallest record of the seed cluster."""
    other: int
    """Smallest record of the chosen cluster."""
    size: int
    """Records of the union."""
    ncp: float
    """Relational loss of a record of the union."""


class Distances:
    """BTD of the unions of clusters: the records of each cluster, longest first."""

    def __init__(self, column: SetColumn, clusters: Sequence[Int64], numerator: Numerator) -> None:
        from anonset_kernels.btd import cluster_distances, pack_rows

        self.rows = pack_rows(column.indptr, column.items)
        self.length = column.lengths
        self.with_or = numerator == "or"
        self.size = np.array([len(members) for members in clusters], np.int64)
        records, start = joined(clusters)
        of = np.repeat(np.arange(len(clusters)), self.size)
        self.first, self.end = start[:-1].copy(), column.n
        self.members = np.empty(2 * column.n, np.int64)
        self.members[: column.n] = records[np.lexsort((-self.length[records], of))]
        self.own = np.empty(len(clusters), np.float64)
        segments = (self.first, self.size)
        cluster_distances(self.rows, self.length, self.members, *segments, self.with_or, self.own)

    def of_unions(self, c: int, allowed: NDArray[np.bool_]) -> Float64:
        """float64 (C,): BTD of the union of cluster `c` with each allowed cluster, infinite for the others."""
        out = np.full(len(self.own), np.inf)
        self._search(c, allowed, out)
        return out

    def nearest(self, c: int, allowed: NDArray[np.bool_]) -> tuple[int, float]:
        """Return the allowed cluster whose union with `c` has the smallest BTD, and this; -1 if there is none."""
        if not allowed.any():
            return -1, np.inf
        out = np.empty(min(1, len(allowed) - 1), np.float64)
        return self._search(c, allowed, out), float(out[0])

    def _search(self, c: int, allowed: NDArray[np.bool_], out: Float64) -> int:
        from anonset_kernels.btd import united_distances

        clusters = (self.first, self.size, self.own)
        return int(united_distances(self.rows, self.length, self.members, clusters, c, self.with_or, allowed, out))

    def scaled(self, distances: Float64) -> Float64:
        """Return integers that order as these distances do: fractions with small denominators."""
        longest = float(self.length.max(initial=0))
        scaled: Float64 = np.rint(distances * (4.0 * (longest + 1) ** 2))
        return scaled

    def merge(self, c: int, x: int, distance: float) -> None:
        """Replace cluster `c` by its union with `x`, whose distance is known."""
        from anonset_kernels.btd import gather_segments, merge_sorted

        size = int(self.size[c] + self.size[x])
        if self.end + size > len(self.members):
            room = np.empty(len(self.members), np.int64)
            self.end = gather_segments(self.members, self.first, self.size, room)
            self.members = room
        left, right = (int(self.first[c]), int(self.size[c])), (int(self.first[x]), int(self.size[x]))
        merge_sorted(self.length, self.members, left, right, self.end)
        self.first[c], self.size[c], self.size[x], self.own[c] = self.end, size, 0, distance
        self.end += size

    def keep(self, alive: NDArray[np.bool_]) -> None:
        """Forget the clusters that are gone."""
        self.first, self.size, self.own = self.first[alive], self.size[alive], self.own[alive]


class Clusters:
    """The clusters under way: their records, relational states, and what their items cost or how far apart they are.

    Parameters
    ----------
    qi, cluster
        The relational columns, and the cluster of each record, numbered by their smallest record.
    function
        The transaction function.
    order, numerator
        What orders candidates by their items.
    """

    def __init__(
        self, qi: QuasiIdentifiers, cluster: Int32, function: ClusterFunction, order: ItemOrder, numerator: Numerator
    ) -> None:
        self.function, self.order, self.numerator = function, order, numerator
        formed = split(*members_of(cluster))
        self.parts = [[members] for members in formed]
        self.smallest = np.array([members[0] for members in formed], np.int64)
        self.states = ClusterStates.of(qi, cluster, len(formed))
        self.n = qi.n
        self.size = np.array([len(members) for members in formed], np.int64)
        self.ncp = self.states.losses()
        self.alive = np.ones(len(formed), bool)
        self.trace: list[Merge] = []
        self._distances: Distances | None = None

    @property
    def count(self) -> int:
        """Number of clusters."""
        return int(np.count_nonzero(self.alive))

    @property
    def rum(self) -> float:
        """Average relational loss of a record."""
        return fsum((self.size * self.ncp)[self.alive].tolist()) / self.n

    def cluster(self) -> Int32:
        """Return the cluster of each record, int32 (n,), numbered by their smallest record."""
        cluster = np.empty(self.n, np.int32)
        for c, at in enumerate(np.flatnonzero(self.alive).tolist()):
            for part in self.parts[at]:
                cluster[part] = c
        return cluster

    def members(self, *places: int) -> Int64:
        """Return the records of a cluster, or of the union of some, ascending."""
        return np.sort(np.concatenate([part for at in places for part in self.parts[at]]))

    def seed(self) -> int:
        """Return the cluster with the smallest loss, the first among equals."""
        return int(np.argmin(np.where(self.alive, rounded(self.ncp), np.inf)))

    def usable(self, seed: int) -> NDArray[np.bool_]:
        """Bool (C,): the clusters that `seed` may be merged with."""
        usable = self.alive.copy()
        usable[seed] = False
        return usable

    def ranking(self, seed: int, merge: MergeOrder, ncp: Float64) -> tuple[Float64, Float64]:
        """Rate the clusters that `seed` may be merged with; `ncp` is the loss of the union with each.

        Returns
        -------
        (key, distance)
            float64 each: the smaller key comes first, the first place among equals; infinite where there is no
            candidate. The distance of the union's items, where it was needed.
        """
        usable = self.usable(seed)
        by_loss = rounded(ncp)
        if merge == "r":
            keys = np.where(usable, by_loss, np.inf)
            keys[np.arange(len(keys)) != np.argmin(keys)] = np.inf
            return keys, keys
        distance, by_items = self._item_keys(seed, usable)
        if merge == "t":
            return np.where(usable, by_items, np.inf), distance
        u, v = _ranks(by_loss, usable), _ranks(by_items, usable)
        return np.where(usable, (u + v) * (2.0 * len(u)) + u, np.inf), distance

    def best(self, seed: int, merge: MergeOrder, ncp: Float64) -> tuple[int, float]:
        """Return the first candidate to merge `seed` with, and the distance of the union's items."""
        if merge == "t" and self.order == "btd":
            return self.distances.nearest(seed, self.usable(seed))
        keys, distance = self.ranking(seed, merge, ncp)
        best = int(np.argmin(keys))
        return best, float(distance[best])

    def _item_keys(self, seed: int, usable: NDArray[np.bool_]) -> tuple[Float64, Float64]:
        """Return the distance (or loss) of the items of each union, and whole numbers that order as these do."""
        if self.order == "btd":
            distance = self.distances.of_unions(seed, usable)
            return distance, self.distances.scaled(distance)
        places = np.flatnonzero(usable)
        unions = [self.members(seed, x) for x in places.tolist()]
        losses = self.function.losses(unions, self.function.mappings(unions))
        keys = np.full(len(usable), np.inf)
        keys[places] = rounded(np.array([fsum(found.tolist()) / len(found) for found in losses]))
        return keys, keys

    @property
    def distances(self) -> Distances:
        """Distances of the clusters' items, computed when they are first asked for."""
        if self._distances is None:
            members = [self.members(at) if there else self.smallest[:0] for at, there in enumerate(self.alive.tolist())]
            self._distances = Distances(self.function.column, members, self.numerator)
        return self._distances

    def merge(self, seed: int, other: int, ncp: float, distance: float) -> int:
        """Merge two clusters and return the place of the union; `distance` is that of their items, if known."""
        decision = Merge(
            int(self.smallest[seed]), int(self.smallest[other]), int(self.size[seed] + self.size[other]), ncp
        )
        kept, gone = min(seed, other), max(seed, other)
        longer, shorter = sorted((self.parts[kept], self.parts[gone]), key=len, reverse=True)
        longer += shorter
        self.parts[kept], self.parts[gone] = longer, []
        self.states.merge(kept, gone)
        self.size[kept] += self.size[gone]
        self.ncp[kept], self.alive[gone] = ncp, False
        if self._distances is not None:
            self._distances.merge(kept, gone, distance)
        self.trace.append(decision)
        return kept

    def compact(self) -> bool:
        """Forget the clusters that are gone, once they are half of all; tell whether places have changed."""
        if 2 * self.count > len(self.alive):
            return False
        self.drop_merged()
        return True

    def drop_merged(self) -> None:
        """Forget the clusters that are gone: places change."""
        alive = self.alive
        self.parts = [parts for parts, there in zip(self.parts, alive.tolist(), strict=True) if there]
        self.smallest = self.smallest[alive]
        self.states = self.states.take(alive)
        if self._distances is not None:
            self._distances.keep(alive)
        self.size, self.ncp, self.alive = self.size[alive], self.ncp[alive], alive[alive]


def first_within(
    clusters: Clusters, seed: int, merge: MergeOrder, total: float, delta: float
) -> tuple[int, float, float, float] | None:
    """Find the first candidate after whose merge the relational loss is at most `delta`.

    Returns its place, the loss and the distance of the union, and how much the sum of the losses of all records
    grows; None if there is no candidate.
    """
    ncp = clusters.states.merged_loss(seed)
    size, own = clusters.size, clusters.ncp
    growth = (size[seed] + size) * ncp - size[seed] * own[seed] - size * own
    excess = (total + growth) / clusters.n - (delta + TOLERANCE)
    allowed = clusters.usable(seed) & (excess <= _DOUBT)
    by_distance = merge == "t" and clusters.order == "btd"
    keys, distances = (ncp, ncp) if by_distance else clusters.ranking(seed, merge, ncp)
    while True:
        if by_distance:
            best, distance = clusters.distances.nearest(seed, allowed)
        else:
            best = int(np.argmin(np.where(allowed, keys, np.inf)))
            best, distance = (best if allowed[best] and keys[best] < np.inf else -1), float(distances[best])
        if best < 0:
            return None
        if excess[best] < -_DOUBT or _exact_rum(clusters, seed, best, float(ncp[best])) <= delta + TOLERANCE:
            return best, float(ncp[best]), distance, float(growth[best])
        allowed[best] = False


def _exact_rum(clusters: Clusters, seed: int, other: int, ncp: float) -> float:
    size, own = clusters.size.copy(), clusters.ncp.copy()
    size[seed], own[seed] = size[seed] + size[other], ncp
    others = clusters.alive.copy()
    others[other] = False
    return fsum((size * own)[others].tolist()) / clusters.n


def _ranks(keys: Float64, usable: NDArray[np.bool_]) -> Int64:
    """Return positions in ascending order among the usable places, the first place first among equals.

    Keys are whole numbers; with the place in their low bits they are distinct, and plain sorting is much faster than
    stable sorting of pairs.
    """
    places = np.flatnonzero(usable)
    shift = max(1, len(keys).bit_length())
    ranks = np.zeros(len(keys), np.int64)
    if float(keys[places].max(initial=0.0)) < 2.0 ** (62 - shift):
        order = np.sort((keys[places].astype(np.int64) << shift) | places) & ((1 << shift) - 1)
    else:
        order = places[np.argsort(keys[places], kind="stable")]
    ranks[order] = np.arange(1, len(places) + 1)
    return ranks
