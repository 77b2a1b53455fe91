"""Local search over partitions of the items. For m <= 2, violations are temporarily allowed at a penalty."""

from itertools import cycle, islice

import numpy as np

from anonset.data.array_types import Int32, Int64
from anonset.data.progress import Progress, report_progress
from anonset.data.table import SetColumn
from anonset_kernels.item_sets._partitions import (
    CELLS,
    TOTAL,
    PartitionRecords,
    PartitionRule,
    count,
    make_partition,
    make_scratch,
)

CELLS_OF_A_STEP = 10**8
_FIRST = (4, 16, 64)
"""Initial penalties of the first rounds, in 64ths of the mean cost of an item."""
_AGAIN = (32, 64, 128, 16)
"""Initial penalties of the later rounds, in 64ths of the mean cost of an item. They are used in a cycle."""
_ROUNDS = 40
_STEEPEST = 4096
"""Maximum penalty, as a multiple of the mean cost of an item."""
_SWEEPS = 30
"""Maximum number of passes over all items (sweeps) in a descent."""
_NEXT_TO_NOTHING = 14
"""A descent ends if a sweep reduces the cost by at most the cost divided by 2 to the power of this number."""
_CELLS_PER_CALL = 30_000_000
_LARGEST_COST = 1 << 60


class OutOfSteps(Exception):  # noqa: N818
    """Raised when a search has used all steps."""


class PartitionSearch:
    """Search for a partition of a column's items, starting from a k^m-anonymous partition.

    Parameters
    ----------
    start
        Group number of each item, int32 (M,). -1 for items that never occur.
    max_steps
        Maximum number of steps. A step examines `CELLS_OF_A_STEP` cells.
    """

    def __init__(
        self, column: SetColumn, rule: PartitionRule, start: Int32, *, max_steps: int, progress: Progress | None = None
    ) -> None:
        self.records = _distinct_records(column)
        support = column.occurrences
        self.order = np.argsort(support, kind="stable")[np.count_nonzero(support == 0) :].astype(np.int32)
        self.rule = rule._replace(m=min(rule.m, column.longest))
        self.limit = max_steps * CELLS_OF_A_STEP
        self.progress = progress
        self.cells = self.sweeps = self.moves = 0
        self.out_of_steps = False
        self._set_partition(start)
        self.best, self.cost = self.groups.of.copy(), self._cost

    def run(self) -> None:
        """Search until all rounds or all steps are used. Afterwards, `best` is the partition of minimum cost."""
        if self.rule.m > 2:
            self._descents()
            return
        try:
            self._descend()
            self._store_if_best()
            self._rounds()
        except OutOfSteps:
            self.out_of_steps = True
            self._store_if_best()

    def _descents(self) -> None:
        """Move items twice without violations. The weight `mu` increases during each descent.

        The first descent starts from the given partition, processes frequent items first, and uses at most half of the
        steps. The second descent starts from a single set of all items and processes rare items first. On most data,
        the second descent stops immediately. On some data, its result is much better.
        """
        rule, rising, limit = self.rule, self.order, self.limit
        weights = sorted({rule.mu >> 2, rule.mu >> 1, rule.mu})
        single = np.where(self.best >= 0, 0, -1).astype(np.int32)
        ways = ((self.best, rising[::-1].copy(), weights), (single, rising, sorted({0, *weights})))
        for (start, self.order, penalties), self.limit in zip(ways, (limit // 2, limit), strict=True):
            self._set_partition(start)
            try:
                for mu in penalties:
                    self.rule = rule._replace(mu=mu)
                    self._set_partition(self.groups.of)
                    self._descend()
            except OutOfSteps:
                self.out_of_steps = True
            self.rule = rule
            self._set_partition(self.groups.of)
            self._store_if_best()

    def _rounds(self) -> None:
        """Allow violated pairs at an increasing penalty.

        Rounds with other initial penalties follow until no penalty improves the partition.
        """
        failed = 0
        for number, share in enumerate((*_FIRST, *islice(cycle(_AGAIN), _ROUNDS - len(_FIRST)))):
            if failed >= len(_AGAIN) and number >= len(_FIRST) + len(_AGAIN):
                return
            report_progress(self.progress, "rounds of moving items", number, _ROUNDS)
            self._set_partition(self.best)
            if self._anneal(share):
                self._repair()
                self._descend()
            failed = 0 if self._store_if_best() else failed + 1

    @property
    def item_groups(self) -> Int32:
        """Group of each item, int32 (M,), numbered by first item. Items that never occur are groups of their own."""
        own_group = len(self.best) + np.arange(len(self.best))
        _, first, number = np.unique(
            np.where(self.best < 0, own_group, self.best), return_index=True, return_inverse=True
        )
        return np.argsort(np.argsort(first))[number].astype(np.int32)

    @property
    def _cost(self) -> int:
        return int(self.groups.cost.sum())

    @property
    def _violated(self) -> int:
        return int(self.groups.state[TOTAL])

    def _store_if_best(self) -> bool:
        """Store the current partition if it has no violation and costs less than the best partition.

        Return True if it was stored.
        """
        is_better = self._violated == 0 and self._cost < self.cost
        if is_better:
            self.best, self.cost = self.groups.of.copy(), self._cost
        return is_better

    def _set_partition(self, of: Int32) -> None:
        """Set the current partition. Groups are numbered by their first items."""
        group, occurring = np.full(len(of), -1, np.int32), of >= 0
        _, first, number = np.unique(of[occurring], return_index=True, return_inverse=True)
        group[occurring] = np.argsort(np.argsort(first))[number]
        self._count(group, len(first))

    def _count(self, group: Int32, n_groups: int) -> None:
        """Count the contents of a partition. All arrays have 50 % more space than needed."""
        capacity = n_groups + n_groups // 2 + 16
        self.groups = make_partition(group, capacity, len(self.records.weight), self.rule.m)
        self.scratch = make_scratch(capacity)
        count(self.records, self.groups, self.scratch, self.rule)

    def _sweep(self, penalty: int) -> int:
        """Move each item to the group of minimum cost, and return the number of moves.

        Raises
        ------
        OutOfSteps
            If no step remains.
        """
        from anonset_kernels.item_sets._sweeps import sweep

        rule = self.rule._replace(penalty=penalty)
        place = moves = 0
        while place < len(self.order):
            place, moved = sweep(self.records, self.groups, self.scratch, rule, self.order, place, _CELLS_PER_CALL)
            moves += moved
            self._step()
            if place < len(self.order) and bool(np.all(self.groups.size > 0)):
                self._count(self.groups.of, len(self.groups.size))
            self.moves += moved
        self.sweeps += 1
        return moves

    def _descend(self) -> None:
        """Move items without violations until a sweep reduces the cost only slightly."""
        for _ in range(_SWEEPS):
            before = self._cost
            self._sweep(0)
            if before - self._cost <= before >> _NEXT_TO_NOTHING:
                return

    def _anneal(self, share: int) -> bool:
        """Move items at a penalty that doubles after each sweep.

        Sweeps end if no item moves, or if no pair is violated and the penalty is not low. Returns False if the
        remaining violations are unlikely to be resolved: the cost exceeds 1.5 times the best cost, or a high penalty
        leaves more violations than half of the number of groups.
        """
        unit = max(1, self.cost // len(self.best))
        steepest = min(_STEEPEST * unit, _LARGEST_COST // (self.rule.k * len(self.groups.size)))
        penalty, moves = max(1, unit * share // 64), 1
        while penalty <= steepest and moves > 0 and (self._violated > 0 or penalty < 4 * unit):
            moves = self._sweep(penalty)
            if 2 * self._cost > 3 * self.cost:
                return False
            if penalty >= 4 * unit and 2 * self._violated > np.count_nonzero(self.groups.size):
                return False
            penalty *= 2
        return True

    def _repair(self) -> None:
        from anonset_kernels.item_sets._sweeps import merge_violated

        while self._violated > 0:
            merge_violated(self.records, self.groups, self.scratch, self.rule)
            self._step()

    def _step(self) -> None:
        """Add the examined cells to the step count.

        Raises
        ------
        OutOfSteps
            If no step remains.
        """
        self.cells += int(self.groups.state[CELLS])
        self.groups.state[CELLS] = 0
        if self.cells > self.limit:
            raise OutOfSteps


def _distinct_records(column: SetColumn) -> PartitionRecords:
    from anonset_kernels.records.rows import first_equal, transpose

    first = first_equal(column.indptr, column.items)
    copies: Int64 = np.bincount(first, minlength=column.n).astype(np.int64)
    copies[column.lengths == 0] = 0
    representatives = np.flatnonzero(copies)
    rows, support = column.take(representatives), column.occurrences
    level = np.array([(max(1, count) ** 2).bit_length() - 1 for count in support.tolist()], np.int64)
    by_item = transpose(rows.indptr, rows.items, len(support))
    return PartitionRecords(rows.indptr, rows.items, copies[representatives], *by_item, support, level)
