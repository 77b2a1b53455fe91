"""Refinement of clusters. Neighbouring clusters are dissolved and replaced by new clusters while the loss decreases.

The search dissolves several clusters at once and temporarily accepts a slightly higher loss.

References: the ruin-and-recreate method (Schrimpf, Schneider, Stamm-Wilbrandt, Dueck, J. Comput. Phys. 159, 2000).
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from anonset.algorithms.clusters import renumber_clusters
from anonset.algorithms.relational.generalized_tuples import GeneralizedTuples
from anonset.algorithms.relational.spatial import points
from anonset.data.array_types import Int32, Int64
from anonset.data.class_rules import ClassRule
from anonset.data.progress import Progress, report_progress
from anonset.data.quasi_identifiers import QuasiIdentifiers
from anonset.data.redacted_repr import RedactedRepr
from anonset.measures.losses.relational_ncp import relational_ncp
from anonset_kernels._arrays import Tuples

if TYPE_CHECKING:
    from anonset_kernels.relational.refine import ClusterSlots, Pieces

WINDOW = 4096
"""Number of clusters in which the neighbours of a cluster are searched. They are adjacent in spatial order."""
PATIENCE = 30
"""The search stops after this many unsuccessful steps per possible cluster."""
PHASES = 64
"""Number of phases, all with the same number of evaluations. The tolerance decreases to 0 in the last phase."""
FIRST_EVALUATIONS = 4_000_000
"""Minimum number of evaluations of the first round of a search that stops by itself."""
MOST_EVALUATIONS = 300_000_000
"""Maximum number of evaluations of a search that stops by itself."""
LEAST_GAIN = 0.05
"""A search that stops by itself continues after a round that lowers the loss by this share."""
TOLERANCE = 1 / 16
"""Maximum increase of the loss by a step in the first phase, as a share of the mean loss of a cluster."""


@dataclass(frozen=True)
class RefinedClusters:
    """Refined clusters and search statistics."""

    cluster: Int32
    """Cluster of each record, int32 (n,). Clusters are numbered by first record."""
    evaluations: int
    """Number of computed union losses."""
    steps: int
    gains: int
    """Number of steps that decreased the loss."""

    def followed_by(self, later: "RefinedClusters") -> "RefinedClusters":
        """Return the clusters of a later search, with the statistics of both."""
        return RefinedClusters(
            later.cluster, self.evaluations + later.evaluations, self.steps + later.steps, self.gains + later.gains
        )


def refine_clusters(
    qi: QuasiIdentifiers,
    cluster: Int32,
    k: int,
    max_evaluations: int | None = None,
    progress: Progress | None = None,
    *,
    window: int = WINDOW,
    tolerance: float = TOLERANCE,
) -> RefinedClusters:
    """Reduce the loss of clusters of at least k records. If the loss cannot be reduced, return the clusters unchanged.

    If the clusters satisfy the rule of `qi`, the result also satisfies it, because steps that break the rule are
    rejected. Cost: at most `max_evaluations` union losses (about 10^8 per second), plus the losses of the last step.

    If `max_evaluations` is None, rounds of the search follow each other, each with twice the evaluations of the
    previous round. The first round has about one step per cluster, or more in small tables. The search ends when a
    round lowers the loss by less than a twentieth, or after `MOST_EVALUATIONS`.

    >>> from anonset.data import Table
    >>> qi = QuasiIdentifiers.of(Table.from_columns(sex=["f", "m", "f", "m"]).relational, {})
    >>> refine_clusters(qi, np.array([0, 0, 1, 1], np.int32), 2).cluster.tolist()
    [0, 1, 0, 1]
    """
    if max_evaluations is None:
        return _refine_in_rounds(qi, cluster, k, progress, window, tolerance)
    from anonset_kernels.relational._pools import EVALUATIONS, GAIN
    from anonset_kernels.relational.refine import (
        GAINS,
        IDLE,
        STEPS,
        ClusterSlots,
        Pieces,
        RefinementLimits,
        pair_losses,
        put_pieces,
        refine,
    )

    slots = qi.n // k
    if slots < 1 or int(cluster.max()) + 1 > slots:
        return RefinedClusters(cluster, 0, 0, 0)
    apart = _TuplesToDistribute.of(qi)
    of, tuple_of, count = _pieces(apart, _slot_of(qi, cluster, slots, window)[cluster])
    head, following = _lists(of, slots)
    pieces = Pieces(*(np.zeros(qi.n, np.int64) for _ in range(4)))
    pieces.tuple_of[: len(of)], pieces.count[: len(of)], pieces.following[: len(of)] = tuple_of, count, following
    pieces.free[: qi.n - len(of)] = np.arange(qi.n - 1, len(of) - 1, -1)
    state = GeneralizedTuples.empty(qi, slots).values
    clusters = ClusterSlots(state, np.zeros(slots, np.int64), np.zeros(slots), head, pieces)
    run, random = np.array([qi.n - len(of), 0, 0, 0, 0], np.int64), np.zeros(1, np.uint64)
    put_pieces(qi.space, apart.tuples, clusters)
    before = _loss(clusters)
    allowed = tolerance * before / (int(cluster.max()) + 1)
    table, patience = pair_losses(qi.space), PATIENCE * slots
    with np.errstate(over="ignore"):
        for phase in range(1, PHASES + 1):
            most = max_evaluations * phase // PHASES
            now = allowed * (PHASES - phase) / (PHASES - 1)
            while run[EVALUATIONS] < most and run[IDLE] < patience:
                limits = RefinementLimits(k, most, patience, window, now)
                refine(qi.space, table, apart.tuples, clusters, run, random, apart.rule.packed, limits)
                if now and run[IDLE] >= patience:  # continue without tolerance
                    now, allowed, run[IDLE] = 0.0, 0.0, 0
            report_progress(progress, "refining", min(int(run[EVALUATIONS]), max_evaluations), max_evaluations)
            if run[IDLE] >= patience:
                break
    if tolerance and _loss(clusters) >= before - GAIN:
        return RefinedClusters(cluster, int(run[EVALUATIONS]), int(run[STEPS]), 0)
    slot_of_record = _assign_slots(apart.tuple_of, head, pieces)
    return RefinedClusters(
        renumber_clusters(slot_of_record)[0], int(run[EVALUATIONS]), int(run[STEPS]), int(run[GAINS])
    )


def _refine_in_rounds(
    qi: QuasiIdentifiers, cluster: Int32, k: int, progress: Progress | None, window: int, tolerance: float
) -> RefinedClusters:
    slots = max(1, qi.n // k)
    result, planned = RefinedClusters(cluster, 0, 0, 0), max(FIRST_EVALUATIONS, slots * min(slots, window))
    loss = relational_ncp(qi, cluster)
    while result.evaluations < MOST_EVALUATIONS and loss > 0:
        planned = min(planned, MOST_EVALUATIONS - result.evaluations)
        told = None if progress is None else partial(_tell_of_round, progress, result.evaluations)
        found = refine_clusters(qi, result.cluster, k, planned, told, window=window, tolerance=tolerance)
        result = result.followed_by(found)
        before, loss = loss, relational_ncp(qi, found.cluster)
        if loss > (1 - LEAST_GAIN) * before or found.evaluations < planned:
            break
        planned *= 2
    return result


def _tell_of_round(progress: Progress, earlier: int, phase: str, done: float, _: float) -> None:
    progress(phase, earlier + done, float(MOST_EVALUATIONS))


@dataclass(frozen=True, eq=False)
class _TuplesToDistribute(RedactedRepr):
    """Distinct tuples. If there is a rule, tuples with different sensitive values are distinct."""

    tuples: Tuples
    tuple_of: Int32
    rule: ClassRule
    """Rule with a sensitive value per distinct tuple instead of per record."""

    @classmethod
    def of(cls, qi: QuasiIdentifiers) -> "_TuplesToDistribute":
        if qi.rule is None:
            return cls(qi.tuples, qi.tuple_of, ClassRule.none())
        width = len(qi.rule.overall) + 1  # 0 for missing values
        pairs, of = np.unique(qi.tuple_of.astype(np.int64) * width + qi.rule.value + 1, return_inverse=True)
        numbers, codes = qi.tuples.numbers[:, pairs // width], qi.tuples.codes[:, pairs // width]
        rule = replace(qi.rule, value=(pairs % width - 1).astype(np.int32))
        tuples = Tuples(np.ascontiguousarray(numbers), np.ascontiguousarray(codes))
        return cls(tuples, of.reshape(-1).astype(np.int32), rule)


def _loss(clusters: "ClusterSlots") -> float:
    return float(np.dot(clusters.size, clusters.loss))


def _slot_of(qi: QuasiIdentifiers, cluster: Int32, slots: int, window: int) -> Int64:
    """Return the slot of each cluster. Some slots are empty.

    If only nearby clusters are searched, clusters are in spatial order.
    """
    from anonset_kernels.relational.cluster import spatial_order

    n_clusters = int(cluster.max()) + 1
    order = np.arange(n_clusters)
    if slots > window:
        first = qi.tuple_of[np.unique(cluster, return_index=True)[1]]
        order = spatial_order(points(qi, qi.tuples.numbers[:, first], qi.tuples.codes[:, first]))
    slot = np.empty(n_clusters, np.int64)
    slot[order] = np.arange(n_clusters) * slots // n_clusters
    return slot


def _pieces(apart: _TuplesToDistribute, slot: Int64) -> tuple[Int64, Int64, Int64]:
    """Return the slot, tuple and record count of each piece (records of one tuple in one slot), sorted by slot, then
    tuple.
    """
    n_tuples = int(apart.tuple_of.max()) + 1
    pairs, count = np.unique(slot * n_tuples + apart.tuple_of, return_counts=True)
    return pairs // n_tuples, pairs % n_tuples, count.astype(np.int64)


def _lists(of: Int64, slots: int) -> tuple[Int64, Int64]:
    """Return the first piece of each slot, and the next piece of the same slot for each piece. -1 if there is none."""
    head = np.full(slots, -1, np.int64)
    chosen, first = np.unique(of, return_index=True)
    head[chosen] = first
    following = np.arange(1, len(of) + 1)
    following[np.append(of[1:] != of[:-1], True)] = -1
    return head, following


def _assign_slots(tuple_of: Int32, head: Int64, pieces: "Pieces") -> Int64:
    """Return the slot of each record. Records of a tuple, ascending, are assigned to its pieces in slot order."""
    of = np.full(len(tuple_of), -1, np.int64)
    piece, slot = head[head >= 0], np.flatnonzero(head >= 0)
    while len(piece):
        of[piece] = slot
        piece, slot = pieces.following[piece], slot[pieces.following[piece] >= 0]
        piece = piece[piece >= 0]
    chosen = np.flatnonzero(of >= 0)
    chosen = chosen[np.lexsort((of[chosen], pieces.tuple_of[chosen]))]
    slot_of_record = np.empty(len(tuple_of), np.int64)
    slot_of_record[np.argsort(tuple_of, kind="stable")] = np.repeat(of[chosen], pieces.count[chosen])
    return slot_of_record
