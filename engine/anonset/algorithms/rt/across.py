"""Merge clusters of different parts of a large table. Each part first merges some of its own clusters.

A cluster may fit best to a cluster of another part, and the limit on the loss applies to all records together. Each
part therefore merges clusters only while the smallest cluster loss is below a threshold. The threshold leaves as many
clusters as a single process can merge. The remaining clusters of all parts are then merged as in the paper.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise

import numpy as np

from anonset.algorithms.relational.generalized_tuples import GeneralizedTuples
from anonset.algorithms.rt.distances import Distances, Numerator
from anonset.algorithms.rt.merging import Clusters
from anonset.data import SetColumn
from anonset.data.array_types import Float64, Int32, Int64
from anonset.data.blocks import SetColumnBuilder
from anonset.data.quasi_identifiers import QuasiIdentifiers
from anonset.data.redacted_repr import RedactedRepr
from anonset_kernels._arrays import ClusterStates

MOST_BEGUN = 1 << 15
"""Approximate number of clusters that remain for merging across parts. Merging this many takes a few seconds."""
MOST_TOGETHER = 1 << 22
"""Maximum number of records in a cluster that is merged across parts. Each cluster is published in memory."""
_LONGEST = 8
"""Item distances are computed from at most this many records per cluster. The longest records are used."""


@dataclass(frozen=True, eq=False)
class PartlyMergedClusters(RedactedRepr):
    """Clusters of a part after merging up to the threshold."""

    cluster: Int32
    """Cluster of each record of the part, int32."""
    size: Int64
    values: ClusterStates
    seeds: Float64
    """Relational loss of the seed of each merge, ascending, float64."""
    longest: tuple[SetColumn, Int64] | None
    """The longest records of the clusters, and the cluster of each record. None if clusters are merged by relational
    values only.
    """
    figures: Mapping[str, float]
    """Statistics from before the merges."""

    @classmethod
    def of(
        cls, clusters: Clusters, seeds: Sequence[float], figures: Mapping[str, float], *, by_items: bool
    ) -> "PartlyMergedClusters":
        """Return the state of the current clusters. The longest records are included if `by_items` is True."""
        cluster = clusters.cluster()
        longest = _longest(clusters.function.column, cluster) if by_items else None
        return cls(cluster, clusters.size, clusters.tuples.values, np.array(seeds, np.float64), longest, dict(figures))


class ClustersOfAllParts(Clusters):
    """Merges the clusters of all parts. Each cluster of a part is treated like a record.

    Parameters
    ----------
    qi
        Relational columns with the domains of the complete table. Their records are not used.
    parts
        Clusters of each part.
    """

    order = "btd"
    most = MOST_TOGETHER

    def __init__(self, qi: QuasiIdentifiers, parts: Sequence[PartlyMergedClusters], numerator: Numerator) -> None:
        low, high, code, bits = zip(*(part.values for part in parts), strict=True)
        bounds = np.concatenate(low, axis=1), np.concatenate(high, axis=1)
        coded = np.concatenate(code, axis=1), np.concatenate(bits, axis=1)
        tuples = GeneralizedTuples(qi, ClusterStates(*bounds, *coded))
        size = np.concatenate([part.size for part in parts])
        self._begin(list(np.arange(len(size))[:, None]), size, tuples, int(size.sum()))
        longest = [part.longest for part in parts if part.longest is not None]
        if longest:
            self._distances = _distances(longest, [len(part.size) for part in parts], numerator)

    def merged(self) -> Int32:
        """Return the merged cluster of each initial cluster, int32 (B,)."""
        cluster = np.empty(sum(len(part) for parts in self.parts for part in parts), np.int32)
        for c, place in enumerate(np.flatnonzero(self.alive).tolist()):
            cluster[np.concatenate(self.parts[place])] = c
        return cluster


def threshold(samples: Sequence[PartlyMergedClusters], share: float) -> float:
    """Return the largest seed loss up to which each part merges its own clusters.

    About `MOST_BEGUN` clusters of all parts then remain. The threshold is -1 if the parts need no merging.

    Parameters
    ----------
    samples
        Some parts, in which clusters are merged as far as the bound allows.
    share
        Share of all records that are in these parts.
    """
    seeds = np.sort(np.concatenate([part.seeds for part in samples]))
    n_clusters = sum(len(part.size) + len(part.seeds) for part in samples)
    merges = n_clusters - int(MOST_BEGUN * share)
    if merges <= 0:
        return -1.0
    return float(seeds[merges - 1]) if merges <= len(seeds) else float("inf")


def _distances(longest: Sequence[tuple[SetColumn, Int64]], counts: Sequence[int], numerator: Numerator) -> Distances:
    with SetColumnBuilder(longest[0][0].name) as rows:
        for records, _ in longest:
            rows.append(records)
    firsts = accumulate(counts, initial=0)
    of = np.concatenate([of + first for (_, of), first in zip(longest, firsts, strict=False)])
    ends = np.searchsorted(of, np.arange(sum(counts) + 1)).tolist()
    places = [np.arange(first, end) for first, end in pairwise(ends)]
    return Distances(rows.finished(longest[0][0].vocabulary), places, numerator)


def _longest(column: SetColumn, cluster: Int32) -> tuple[SetColumn, Int64]:
    order = np.lexsort((-column.lengths, cluster)).astype(np.int64)
    of = cluster[order].astype(np.int64)
    chosen = np.arange(len(of)) - np.searchsorted(of, of) < _LONGEST
    return column.take(order[chosen]), of[chosen]
