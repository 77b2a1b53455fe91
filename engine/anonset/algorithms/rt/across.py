"""Merging clusters over the parts of split data: merging begins in each part and continues over all of them.

Merging in each part alone loses more than merging over all: a cluster finds its best partners across a cut, too, and
the bound is on the loss of all records. So each part merges its clusters only as long as the seed loses less than some
threshold, which leaves as many clusters as can be merged by one process; these are then merged as in the paper.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np

from anonset.algorithms.relational.generalized_tuples import GeneralizedTuples
from anonset.algorithms.rt.distances import Distances, Numerator
from anonset.algorithms.rt.merging import Clusters
from anonset.data import SetColumn
from anonset.data.blocks import GrowingSets
from anonset.data.quasi_identifiers import Float64, QuasiIdentifiers
from anonset.data.redacted_repr import Discreet
from anonset.data.table import Int32, Int64
from anonset_kernels._arrays import ClusterStates

MOST_BEGUN = 1 << 15
"""Clusters of all parts that are merged across parts, about: merging is quadratic, these take some seconds."""
MOST_TOGETHER = 1 << 22
"""Most records of a cluster that is merged across parts: it is published in memory."""
_LONGEST = 8
"""Records of each cluster whose items stand for all: distances of clusters are those of their longest records."""


@dataclass(frozen=True, eq=False)
class Begun(Discreet):
    """The clusters of a part, some of them merged."""

    cluster: Int32
    """int32 (records of the part,): cluster of each."""
    size: Int64
    """int64 (C,): records of each cluster."""
    values: ClusterStates
    """What the tuples of each cluster generalize to."""
    seeds: Float64
    """float64: loss of each merged seed, ascending."""
    longest: tuple[SetColumn, Int64] | None
    """The longest records of the clusters, R of them, and int64 (R,), the cluster of each; None: items don't matter."""
    figures: Mapping[str, float]
    """Figures of the clusters before merging."""

    @classmethod
    def of(cls, clusters: Clusters, seeds: Sequence[float], figures: Mapping[str, float], *, by_items: bool) -> "Begun":
        """Take the facts on clusters, none of them deleted; `by_items`: also those that order them by their items."""
        cluster = clusters.cluster()
        longest = _longest(clusters.function.column, cluster) if by_items else None
        return cls(cluster, clusters.size, clusters.tuples.values, np.array(seeds, np.float64), longest, dict(figures))


class BegunClusters(Clusters):
    """The clusters of all parts, to be merged: each of them counts as one, whatever records it has.

    Parameters
    ----------
    qi
        Relational columns with the domains of the whole table, whatever records they have.
    begun
        The clusters of each part.
    """

    order = "btd"
    most = MOST_TOGETHER

    def __init__(self, qi: QuasiIdentifiers, begun: Sequence[Begun], numerator: Numerator) -> None:
        low, high, code, bits = zip(*(part.values for part in begun), strict=True)
        bounds = np.concatenate(low, axis=1), np.concatenate(high, axis=1)
        coded = np.concatenate(code, axis=1), np.concatenate(bits, axis=1)
        tuples = GeneralizedTuples(qi, ClusterStates(*bounds, *coded))
        size = np.concatenate([part.size for part in begun])
        self._begin(list(np.arange(len(size))[:, None]), size, tuples, int(size.sum()))
        longest = [part.longest for part in begun if part.longest is not None]
        if longest:
            self._distances = _distances(longest, [len(part.size) for part in begun], numerator)

    def merged(self) -> Int32:
        """int32 (B,): the merged cluster of each initial cluster."""
        cluster = np.empty(sum(len(part) for parts in self.parts for part in parts), np.int32)
        for c, place in enumerate(np.flatnonzero(self.alive).tolist()):
            cluster[np.concatenate(self.parts[place])] = c
        return cluster


def threshold(samples: Sequence[Begun], share: float) -> float:
    """Return the loss of a seed up to which parts merge so that about `MOST_BEGUN` clusters are left over all parts.

    Parameters
    ----------
    samples
        Some parts, whose clusters are merged as far as the bound allows.
    share
        Records of these parts, of all.

    Returns
    -------
    float
        -1 where nothing need be merged in parts.
    """
    seeds = np.sort(np.concatenate([part.seeds for part in samples]))
    begun = sum(len(part.size) + len(part.seeds) for part in samples)
    merges = begun - int(MOST_BEGUN * share)
    if merges <= 0:
        return -1.0
    return float(seeds[merges - 1]) if merges <= len(seeds) else float("inf")


def _distances(longest: Sequence[tuple[SetColumn, Int64]], counts: Sequence[int], numerator: Numerator) -> Distances:
    """Return the distances of the clusters of all parts, by their longest records."""
    with GrowingSets(longest[0][0].name) as rows:
        for records, _ in longest:
            rows.append(records)
    firsts = accumulate(counts, initial=0)
    of = np.concatenate([of + first for (_, of), first in zip(longest, firsts, strict=False)])
    ends = np.searchsorted(of, np.arange(sum(counts) + 1)).tolist()
    places = [np.arange(first, end) for first, end in pairwise(ends)]
    return Distances(rows.finished(longest[0][0].vocabulary), places, numerator)


def _longest(column: SetColumn, cluster: Int32) -> tuple[SetColumn, Int64]:
    """Return the longest records of each cluster, cluster by cluster, and the cluster of each."""
    order = np.lexsort((-column.lengths, cluster)).astype(np.int64)
    of = cluster[order].astype(np.int64)
    chosen = np.arange(len(of)) - np.searchsorted(of, of) < _LONGEST
    return column.take(order[chosen]), of[chosen]
