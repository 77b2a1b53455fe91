"""CLUSTER, the cluster formation of Poulis et al., ECML/PKDD 2013, section 5.

Lines of the paper and their implementation::

    1, 2     while at least k records are left                   Cluster._grow_around_seeds
    3        s := one of them at random                          by `seed`, or the first
    4, 5     s and the k - 1 records whose loss with s is        kernel cluster.form_clusters
             the smallest become a cluster, and leave
    6, 7     each record that is left joins the cluster whose    _accommodate
             loss with it is the smallest
    8 to 11  clusters of equal generalized tuples become one     GeneralizedTuples.first_equal
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np

from anonset.algorithms.base import Traits
from anonset.algorithms.clusters import renumber_clusters
from anonset.algorithms.parameters import SEED
from anonset.algorithms.relational.base import OF_CLASSES, Formation
from anonset.algorithms.relational.generalized_tuples import GeneralizedTuples, first_least
from anonset.algorithms.relational.spatial import points
from anonset.data.array_types import Int32
from anonset.data.progress import Progress, report_progress
from anonset.data.quasi_identifiers import QuasiIdentifiers
from anonset.data.spans import begins_of
from anonset.data.split_mix import SplitMix
from anonset_kernels._arrays import Tuples

if TYPE_CHECKING:
    from anonset_kernels.relational.cluster import Bounds, RemainingRecords, TupleRecords

_SEEDS_PER_CALL = 256


@dataclass(frozen=True, kw_only=True)
class Cluster(Formation):
    """CLUSTER: add the k - 1 best matching records to each seed, then each remaining record to the best cluster.

    Guarantees k-anonymity. For each of the n / k seeds, the algorithm computes a lower bound of the loss for each block
    of distinct tuples. It computes exact losses only in blocks whose bound is low enough. Cost: O(n^2 / k) in the worst
    case, and much less if the attributes separate the records well.

    References: Poulis, Loukides, Gkoulalas-Divanis, Skiadopoulos, ECML/PKDD 2013, algorithm CLUSTER.
    Deviations: a cluster starts with the first remaining record, unless a random seed is given.

    >>> from anonset.data import Table
    >>> table = Table.from_columns(sex=["f", "m", "f", "m"], race=["1", "2", "1", "1"])
    >>> Cluster(k=2).recode(table, {}).recoding.relational[1].labels
    ('1', '(1,2)')
    """

    name: ClassVar[str] = "cluster"
    traits: ClassVar[Traits] = Traits(
        memory_factor=1.6,
        split_records=1 << 13,
        tight=True,
        slow=True,
        keeps_more=True,
        answers=OF_CLASSES,
    )

    seed: Annotated[
        int | None,
        "Random seed (>= 0) that determines the first record of each cluster. If None, each cluster starts with the "
        "first remaining record.",
        SEED,
    ] = None

    def form(self, qi: QuasiIdentifiers, progress: Progress | None = None) -> Int32:
        """Return the cluster of each record, int32 (n,). Clusters are numbered by first record."""
        cluster = np.full(qi.n, -1, np.int32)
        n_clusters = qi.n // self.k
        if n_clusters:
            self._grow_around_seeds(qi, cluster, progress)
            _accommodate(qi, cluster, n_clusters)
            same = GeneralizedTuples.of(qi, cluster, n_clusters).first_equal()
            cluster = same[cluster].astype(np.int32)
        return renumber_clusters(cluster)[0]

    def _grow_around_seeds(self, qi: QuasiIdentifiers, cluster: Int32, progress: Progress | None) -> None:
        from anonset_kernels.relational.cluster import form_clusters

        picks = np.zeros(qi.n // self.k, np.int64)
        if self.seed is not None:
            random = SplitMix(self.seed)
            picks[:] = [random.below(qi.n - j * self.k) for j in range(len(picks))]
        remaining, made = _RemainingTuples(qi, cluster), np.array([self.k, 0], np.int64)
        for first in range(0, len(picks), _SEEDS_PER_CALL):
            if 2 * np.count_nonzero(remaining.left.in_tuple) < len(remaining.left.in_tuple):
                remaining = _RemainingTuples(qi, cluster)
            chunk = picks[first : first + _SEEDS_PER_CALL]
            form_clusters(
                qi.space, remaining.tuples, remaining.bounds, remaining.records, remaining.left, cluster, chunk, made
            )
            report_progress(progress, "clusters", made[1], len(picks))


class _RemainingTuples:
    """Tuples of the remaining records in spatial order, in the format of the kernel."""

    tuples: Tuples
    bounds: "Bounds"
    records: "TupleRecords"
    left: "RemainingRecords"

    def __init__(self, qi: QuasiIdentifiers, cluster: Int32) -> None:
        from anonset_kernels.relational.cluster import (
            BLOCK,
            CHUNK,
            RemainingRecords,
            TupleRecords,
            block_bounds,
            spatial_order,
        )

        remaining = np.flatnonzero(cluster < 0)
        chosen, tuple_of = np.unique(qi.tuple_of[remaining], return_inverse=True)
        numbers, codes = qi.tuples.numbers[:, chosen], qi.tuples.codes[:, chosen]
        order = spatial_order(points(qi, numbers, codes))
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        self.tuples = Tuples(np.ascontiguousarray(numbers[:, order]), np.ascontiguousarray(codes[:, order]))
        self.bounds = block_bounds(self.tuples)
        tuple_at = place[tuple_of]
        by_tuple = np.argsort(tuple_at, kind="stable")
        in_tuple = np.bincount(tuple_at, minlength=len(order)).astype(np.int64)
        start = begins_of(in_tuple)
        of_record = np.full(qi.n, -1, np.int32)
        of_record[remaining] = tuple_at
        self.records = TupleRecords(start, remaining[by_tuple].astype(np.int32), of_record)
        in_block = np.add.reduceat(in_tuple, np.arange(0, len(order), BLOCK))
        in_chunk = np.bincount(remaining // CHUNK, minlength=qi.n // CHUNK + 1).astype(np.int64)
        self.left = RemainingRecords(in_tuple, in_block, in_chunk, start[:-1].copy())


def _accommodate(qi: QuasiIdentifiers, cluster: Int32, n_clusters: int) -> None:
    """Add each remaining record to the cluster whose union with the record has the least loss.

    The cluster is updated before the next record is added.
    """
    unassigned = np.flatnonzero(cluster < 0)
    if not len(unassigned):
        return
    assigned = np.flatnonzero(cluster >= 0)
    part = qi.take(assigned)
    tuples = GeneralizedTuples.of(part, cluster[assigned], n_clusters)
    singles = GeneralizedTuples.of_tuples(qi.take(unassigned))
    for r, t in zip(unassigned.tolist(), qi.take(unassigned).tuple_of.tolist(), strict=True):
        best = first_least(singles.union_losses(t, tuples))
        cluster[r] = best
        tuples.merge(best, t, singles)
