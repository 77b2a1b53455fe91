"""Average utility loss of the current clusters (Tum of Poulis et al. 2013), and their item mappings."""

from math import fsum

import numpy as np

from anonset.algorithms.clusters import list_members
from anonset.algorithms.rt.merging import Clusters
from anonset.algorithms.transaction.cluster_mappings import ClusterMapping
from anonset.data.array_types import Int64

_SCALE = 1074
"""Losses are summed as integer multiples of 2^-1074. The sums are exact, because every float64 is such a multiple."""


class ClusterLosses:
    """Item mappings and item losses of the current clusters.

    A cluster is identified by its first record. The mappings of new unions are computed as late as possible, because
    most unions are merged again. While the sum of the known losses exceeds the limit, no other mapping is needed.
    """

    def __init__(self, clusters: Clusters) -> None:
        self.clusters = clusters
        self._mapping: dict[int, ClusterMapping] = {}
        self._loss: dict[int, int] = {}
        self._open = set(clusters.smallest[clusters.alive].tolist())
        self._total = 0
        self._begun, self._repairs = clusters.cluster(), len(clusters.trace)
        self._known: dict[tuple[int, int], int] = {}  # by first record and size; a cluster can only grow

    @property
    def tum(self) -> float:
        """Average loss per record."""
        self._publish_open()
        return self._mean(self._total)

    def exceeds(self, bound: float) -> bool:
        """Return True if the average loss per record exceeds a bound."""
        return not (self._mean(self._total) <= bound and self.tum <= bound)

    def mappings(self) -> list[ClusterMapping]:
        """Return the mappings of the current clusters, in cluster order."""
        self._publish_open()
        return [self._mapping[first] for first in self.clusters.smallest[self.clusters.alive].tolist()]

    def take_merge(self, seed: int, other: int) -> None:
        """Update the losses after a merge of two clusters, which are identified by their first records."""
        for first in (seed, other):
            self._open.discard(first)
            self._mapping.pop(first, None)
            self._total -= self._loss.pop(first, 0)
        self._open.add(min(seed, other))

    def tum_after(self, seed: int, other: int) -> float:
        """Return the average loss per record if two clusters were merged. They are identified by their smallest
        records.
        """
        self._publish_open()
        places = self.clusters.place(seed), self.clusters.place(other)
        (loss,) = self._publish([self.clusters.members(*places)])[1]
        return self._mean(self._total - self._loss[seed] - self._loss[other] + loss)

    def _publish_open(self) -> None:
        """Compute all missing mappings together, which is faster than one by one."""
        if not self._open:
            return
        chosen = sorted(self._open)
        members = [self.clusters.members(self.clusters.place(first)) for first in chosen]
        mappings, losses = self._publish(members)
        self._known.update(((first, len(part)), x) for first, part, x in zip(chosen, members, losses, strict=True))
        self._mapping.update(zip(chosen, mappings, strict=True))
        self._loss.update(zip(chosen, losses, strict=True))
        self._total += sum(losses)
        self._open.clear()

    def smallest_tum(self) -> float:
        """Return the smallest average loss so far. All missing mappings are computed."""
        members = {int(part[0]): part for part in list_members(self._begun)}
        loss = {first: self._known[first, len(part)] for first, part in members.items()}
        total = smallest = sum(loss.values())
        for merge in self.clusters.trace[self._repairs :]:
            union = np.sort(np.concatenate([members.pop(merge.seed), members.pop(merge.other)]))
            first = int(union[0])
            stored_loss = self._known.get((first, len(union)))
            total -= loss.pop(merge.seed) + loss.pop(merge.other)
            members[first], loss[first] = union, self._publish([union])[1][0] if stored_loss is None else stored_loss
            total += loss[first]
            smallest = min(smallest, total)
        return self._mean(smallest)

    def _publish(self, members: list[Int64]) -> tuple[list[ClusterMapping], list[int]]:
        mappings = self.clusters.function.mappings(members)
        losses = [_exact(fsum(part.tolist())) for part in self.clusters.function.losses(members, mappings)]
        return mappings, losses

    def _mean(self, total: int) -> float:
        """Return the average of summed losses. Integer division rounds only once, like ``fsum``."""
        return float(total / 2**_SCALE) / self.clusters.n


def _exact(loss: float) -> int:
    numerator, denominator = loss.as_integer_ratio()
    return numerator << (_SCALE - denominator.bit_length() + 1)
