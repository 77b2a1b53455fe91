"""k-member of Byun, Kamra, Bertino, Li, DASFAA 2007."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anonset.algorithms.clusters import renumber_clusters
from anonset.algorithms.relational.base import QuadraticFormation
from anonset.algorithms.relational.generalized_tuples import GeneralizedTuples, first_least
from anonset.data.array_types import Int32
from anonset.data.progress import Progress, report_progress
from anonset.data.quasi_identifiers import QuasiIdentifiers
from anonset.data.spans import begins_of


@dataclass(frozen=True, kw_only=True)
class KMember(QuadraticFormation):
    """k-member: start clusters far from each other, and add the records that increase the loss least.

    Each cluster starts with the remaining record that is farthest from the record that was added last. Guarantees
    k-anonymity. Cost: O(n T v) for T distinct tuples, so large tables are rejected.

    References: Byun, Kamra, Bertino, Li, DASFAA 2007.
    Deviations: the first cluster starts with the record that is farthest from record 0.

    >>> from anonset.data import Table
    >>> table = Table.from_columns(sex=["f", "m", "f", "m"], race=["1", "2", "1", "2"])
    >>> KMember(k=2).recode(table, {}).recoding.cluster.tolist()
    [0, 1, 0, 1]
    """

    name: ClassVar[str] = "k-member"

    def form_small(self, qi: QuasiIdentifiers, progress: Progress | None) -> Int32:
        """Return the cluster of each record, int32 (n,). Clusters are numbered by first record."""
        remaining = _RemainingRecords(qi)
        n_clusters = qi.n // self.k
        cluster = np.full(qi.n, -1, np.int32)
        tuples = GeneralizedTuples.empty(qi, n_clusters)
        size = np.full(n_clusters, self.k)
        last = int(qi.tuple_of[0]) if qi.n else 0
        for c in range(n_clusters):
            last = remaining.furthest(last)
            cluster[remaining.remove(last)] = c
            tuples.put(c, remaining.singles, last)
            for grown in range(1, self.k):
                last = remaining.nearest(tuples, c, grown)
                cluster[remaining.remove(last)] = c
                tuples.merge(c, last, remaining.singles)
            report_progress(progress, "clusters", c + 1, n_clusters)
        for r in np.flatnonzero(cluster < 0).tolist() if n_clusters else []:
            t = int(qi.tuple_of[r])
            increase = (size + 1) * remaining.singles.union_losses(t, tuples) - size * tuples.losses()
            best = first_least(increase)
            cluster[r] = best
            size[best] += 1
            tuples.merge(best, t, remaining.singles)
        return renumber_clusters(cluster)[0]


class _RemainingRecords:
    """Remaining records of each distinct tuple. Records with equal tuples are removed in record order."""

    def __init__(self, qi: QuasiIdentifiers) -> None:
        self.singles = GeneralizedTuples.of_tuples(qi)
        self.order = np.argsort(qi.tuple_of, kind="stable").astype(np.int64)
        self.alive = np.bincount(qi.tuple_of, minlength=qi.n_tuples).astype(np.int64)
        self.place = begins_of(self.alive)[:-1]
        self.head = self.order[self.place] if qi.n else self.place

    def remove(self, t: int) -> int:
        record = int(self.head[t])
        self.alive[t] -= 1
        self.place[t] += 1
        if self.alive[t]:
            self.head[t] = self.order[self.place[t]]
        return record

    def furthest(self, t: int) -> int:
        """Return the remaining tuple whose union with tuple `t` has the largest loss."""
        from anonset_kernels.relational.tuples import furthest

        return int(furthest(self.singles.union_losses(t), self.alive, self.head))

    def nearest(self, tuples: GeneralizedTuples, c: int, size: int) -> int:
        """Return the tuple whose addition increases the loss of a cluster of `size` records least."""
        from anonset_kernels.relational.tuples import nearest

        single = GeneralizedTuples(tuples.qi, tuples.take(np.array([c])).values)
        offset = size * float(single.losses()[0])
        return int(nearest(tuples.union_losses(c, self.singles), float(size + 1), offset, self.alive, self.head))
