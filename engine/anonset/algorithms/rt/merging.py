"""Clusters of an RT-dataset during merging (Poulis et al. 2013, section 4).

Clusters are sorted by first record. The union of two clusters is stored at the index of the earlier cluster. Ties
are resolved by the smallest index.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum
from typing import Literal

import numpy as np

from anonset.algorithms.clusters import list_members
from anonset.algorithms.relational.generalized_tuples import GeneralizedTuples, loss_keys
from anonset.algorithms.relational.rounded_tuples import as_published
from anonset.algorithms.rt.cluster_function import ClusterFunction
from anonset.algorithms.rt.distances import Distances, Numerator
from anonset.data.array_types import Bools, Int32, Int64
from anonset.data.quasi_identifiers import QuasiIdentifiers
from anonset.data.redacted_repr import RedactedRepr

ItemOrder = Literal["btd", "ul"]
"""Measure of item similarity: the transaction distance of two clusters (btd), or the utility loss after they are
merged (ul).
"""

TOLERANCE = 1e-12
_MOST_BETWEEN = 4
"""Maximum number of losses that are shown between those before and after all merges."""


@dataclass(frozen=True)
class Merge(RedactedRepr):
    """A merge of the cluster of record `seed` with the cluster of record `other`."""

    seed: int
    """First record of the seed cluster."""
    other: int
    """First record of the other cluster."""
    size: int
    """Record count of the union."""
    ncp: float
    """Relational loss of each record of the union."""
    rum: float
    """Average relational loss per record after the merge."""


def intermediate_losses(rum: float, clusters: int, trace: Sequence[Merge]) -> list[tuple[float, int]]:
    """Return relational losses and cluster counts before, during and after the merges.

    They describe a single run. A run with another limit may merge other clusters.

    Parameters
    ----------
    rum, clusters
        Loss and number of clusters before the merges.
    trace
        The merges in order. The losses are ascending.

    Returns
    -------
    list of (loss, clusters)
        Loss, and number of clusters after the last merge that does not exceed this loss. There are at most 4 losses
        during the merges, all multiples of 0.05.

    Examples
    --------
    >>> intermediate_losses(0.02, 5, [Merge(0, 1, 4, 0.1, 0.08), Merge(0, 2, 6, 0.2, 0.19), Merge(3, 4, 4, 0.4, 0.31)])
    [(0.02, 5), (0.05, 5), (0.15, 4), (0.25, 3), (0.31, 2)]
    """
    if not trace:
        return [(rum, clusters)]
    reached = np.array([merge.rum for merge in trace])
    between = [step / 20 for step in range(1, 20) if rum < step / 20 < reached[-1]]
    shown = between[:: max(1, -(-len(between) // _MOST_BETWEEN))]
    n_clusters = clusters - np.searchsorted(reached, [value + TOLERANCE for value in shown], side="right")
    return [(rum, clusters), *zip(shown, n_clusters.tolist(), strict=True), (float(reached[-1]), clusters - len(trace))]


class Clusters:
    """Current clusters during merging, with their records, published relational values and losses.

    Parameters
    ----------
    qi, cluster
        The relational columns, and the cluster of each record. Clusters are numbered by first record.
    function
        The transaction function.
    order, numerator
        Measure of item similarity.
    """

    most: int | None = None
    """Maximum number of records in a union. None if unlimited."""

    def __init__(
        self,
        qi: QuasiIdentifiers,
        cluster: Int32,
        function: ClusterFunction,
        order: ItemOrder = "btd",
        numerator: Numerator = "xor",
    ) -> None:
        self.function, self.order, self.numerator = function, order, numerator
        formed = list_members(cluster)
        size = np.array([len(members) for members in formed], np.int64)
        self._begin(formed, size, GeneralizedTuples.of(qi, cluster, len(formed)), qi.n)

    def _begin(self, formed: Sequence[Int64], size: Int64, tuples: GeneralizedTuples, n: int) -> None:
        self.parts = [[members] for members in formed]
        self.smallest = np.array([members[0] for members in formed], np.int64)
        self.tuples, self.n, self.size = as_published(tuples), n, size
        self.ncp = self.tuples.losses()
        self.total = fsum((self.size * self.ncp).tolist())
        self.alive = np.ones(len(formed), bool)
        self.count = len(formed)
        self.trace: list[Merge] = []
        self._seed_keys = loss_keys(self.ncp)
        self._distances: Distances | None = None

    @property
    def rum(self) -> float:
        """Average relational loss per record."""
        return fsum((self.size * self.ncp)[self.alive].tolist()) / self.n

    def cluster(self) -> Int32:
        """Return the cluster number of each record, int32 (n,). Clusters are numbered by first record."""
        cluster = np.empty(self.n, np.int32)
        for c, place in enumerate(np.flatnonzero(self.alive).tolist()):
            for part in self.parts[place]:
                cluster[part] = c
        return cluster

    def members(self, *places: int) -> Int64:
        """Return the records of a cluster or of a union of clusters, ascending."""
        parts = [part for place in places for part in self.parts[place]]
        records = parts[0] if len(parts) == 1 else np.sort(np.concatenate(parts))
        if len(places) == 1:
            self.parts[places[0]] = [records]
        return records

    def all_members(self) -> list[Int64]:
        """Return the records of each current cluster, ascending."""
        return [self.members(place) for place in np.flatnonzero(self.alive).tolist()]

    def place(self, smallest: int) -> int:
        """Return the index of the cluster whose first record is `smallest`."""
        return int(np.searchsorted(self.smallest, smallest))

    def seed(self) -> int:
        """Return the cluster to merge next, which has the smallest loss. Ties are resolved by the smallest index."""
        return int(np.argmin(self._seed_keys))

    def usable(self, seed: int) -> Bools:
        """Return True for each cluster that may be merged with `seed`, bool (C,)."""
        usable = self.alive.copy()
        usable[seed] = False
        return usable if self.most is None else usable & (self.size + self.size[seed] <= self.most)

    def too_large(self, seed: int) -> bool:
        """Return True if a cluster cannot be a seed, because only small clusters could be merged with it."""
        return self.most is not None and 2 * int(self.size[seed]) > self.most

    def set_aside(self, seed: int) -> bool:
        """Exclude a cluster from the seeds, because all its unions exceed the size limit.

        Return True if other seeds remain.
        """
        if self.most is None or not np.any(self.alive & (self.size + self.size[seed] > self.most)):
            return False
        self._seed_keys[seed] = np.inf
        return bool(np.isfinite(self._seed_keys).any())

    @property
    def distances(self) -> Distances:
        """Item distances of unions of clusters, computed on first access."""
        if self._distances is None:
            members = [
                self.members(place) if is_alive else self.smallest[:0]
                for place, is_alive in enumerate(self.alive.tolist())
            ]
            self._distances = Distances(self.function.column, members, self.numerator)
        return self._distances

    def merge(self, seed: int, other: int, ncp: float, distance: float) -> int:
        """Merge two clusters and return the index of the union. `distance` is the item distance of the
        union, if known.
        """
        size = int(self.size[seed] + self.size[other])
        self.total += size * ncp - float(self.size[seed] * self.ncp[seed] + self.size[other] * self.ncp[other])
        decision = Merge(int(self.smallest[seed]), int(self.smallest[other]), size, ncp, self.total / self.n)
        low, high = min(seed, other), max(seed, other)
        longer, shorter = sorted((self.parts[low], self.parts[high]), key=len, reverse=True)
        longer += shorter
        self.parts[low], self.parts[high] = longer, []
        self.tuples.merge(low, high)
        self.size[low] += self.size[high]
        self.ncp[low], self.alive[high] = ncp, False
        self._seed_keys[low], self._seed_keys[high] = loss_keys(self.ncp[low]), np.inf
        self.count -= 1
        if self._distances is not None:
            self._distances.merge(low, high, distance)
        self.trace.append(decision)
        return low

    def compact(self) -> None:
        """Delete merged clusters if they are at least half of all clusters. This changes the cluster indices."""
        if 2 * self.count <= len(self.alive):
            self.drop_merged()

    def drop_merged(self) -> None:
        """Delete merged clusters. This changes the cluster indices."""
        alive = self.alive
        self.parts = [parts for parts, is_alive in zip(self.parts, alive.tolist(), strict=True) if is_alive]
        self.smallest = self.smallest[alive]
        self.tuples = self.tuples.take(alive)
        if self._distances is not None:
            self._distances.keep(alive)
        self.size, self.ncp, self._seed_keys = self.size[alive], self.ncp[alive], self._seed_keys[alive]
        self.alive = alive[alive]
