"""Top-down local recoding of Xu, Wang, Pei, Wang, Shi, Fu, KDD 2006."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from anonset.algorithms.clusters import renumber_clusters
from anonset.algorithms.relational.base import QuadraticFormation
from anonset.algorithms.relational.generalized_tuples import GeneralizedTuples, first_least
from anonset.data.array_types import Int32
from anonset.data.progress import Progress, report_progress
from anonset.data.quasi_identifiers import QuasiIdentifiers


@dataclass(frozen=True, kw_only=True)
class XuTopDown(QuadraticFormation):
    """Split clusters of at least 2k records in two. Each half grows around one of two distant records.

    Guarantees k-anonymity. Cost: O(n v) per level of splits, O(n^2 v) in the worst case, so large tables are rejected.

    References: Xu, Wang, Pei, Wang, Shi, Fu, KDD 2006.
    Deviations: the first seed is the first record. A side of fewer than k records receives records from the other side.

    >>> from anonset.data import Table
    >>> table = Table.from_columns(sex=["f", "m", "f", "m"], race=["1", "2", "1", "2"])
    >>> XuTopDown(k=2).recode(table, {}).recoding.cluster.tolist()
    [0, 1, 0, 1]
    """

    name: ClassVar[str] = "xu-top-down"

    def form_small(self, qi: QuasiIdentifiers, progress: Progress | None) -> Int32:
        """Return the cluster of each record, int32 (n,). Clusters are numbered by first record."""
        singles = GeneralizedTuples.of_tuples(qi)
        cluster, n_done = np.empty(qi.n, np.int64), 0
        stack = [np.arange(qi.n)]
        while stack:
            records = stack.pop()
            if len(records) < 2 * self.k:
                cluster[records] = records[:1]
                n_done += len(records)
                report_progress(progress, "clusters", n_done, qi.n)
                continue
            side = self._halves(singles.take(qi.tuple_of[records]))
            stack += [records[side == 0], records[side == 1]]
        return renumber_clusters(cluster)[0]

    def _halves(self, singles: GeneralizedTuples) -> NDArray[np.int8]:
        """Grow two clusters around distant seeds, and return the cluster of each record."""
        from anonset_kernels.relational.tuples import grow_two

        u = 0
        for _ in range(3):
            v = _furthest(singles, u)
            before, u = u, _furthest(singles, v)
            if u == before:
                break
        side = np.empty(singles.n, np.int8)
        two = GeneralizedTuples.empty(singles.qi, 2)
        grow_two(singles.qi.space, two.values, singles.values, np.array([u, v], np.int64), side)
        for small in (0, 1):
            while np.count_nonzero(side == small) < self.k:
                losses = two.union_losses(small, singles)
                pulled = first_least(np.where(side == small, np.inf, losses))
                side[pulled] = small
                two.merge(small, pulled, singles)
        return side


def _furthest(singles: GeneralizedTuples, x: int) -> int:
    losses = singles.union_losses(x)
    losses[x] = -1.0
    return first_least(-losses)
