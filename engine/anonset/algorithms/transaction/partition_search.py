"""Local search over partitions of the items: descents, and for m up to 2 penalties that let pairs be violated."""

from itertools import cycle, islice

import numpy as np

from anonset.algorithms.base import Progress
from anonset.data.table import Int32, Int64, SetColumn
from anonset_kernels._partitions import CELLS, TOTAL, Records, Rule, count, make_partition, make_scratch

CELLS_OF_A_STEP = 10**8
_FIRST, _AGAIN = (4, 16, 64), (32, 64, 128, 16)
"""What the penalty begins with, in 64ths of the mean cost of an item: in the first rounds, and over and over again."""
_ROUNDS = 40
"""Rounds at most."""
_STEEPEST = 4096
"""The most that a penalty grows to, of that mean."""
_SWEEPS, _NEXT_TO_NOTHING = 30, 14
"""Sweeps of a descent at most; it ends where one gains no more than the cost divided by 2 so many times."""
_CELLS_PER_CALL = 30_000_000
_LARGEST_COST = 1 << 60


class OutOfSteps(Exception):  # noqa: N818
    """All steps of a search are taken."""


class PartitionSearch:
    """Searches a partition of the items of a column, from one that is k^m-anonymous.

    Parameters
    ----------
    start
        int32 (M,): a number for each item, the same in a group; -1 of those that never occur.
    max_steps
        Steps of `CELLS_OF_A_STEP` cells that may be looked at.
    """

    def __init__(
        self, column: SetColumn, rule: Rule, start: Int32, *, max_steps: int, progress: Progress | None = None
    ) -> None:
        self.records = _distinct_records(column)
        support = column.occurrences
        self.order = np.argsort(support, kind="stable")[np.count_nonzero(support == 0) :].astype(np.int32)
        self.rule = rule._replace(m=min(rule.m, column.longest))
        self.limit = max_steps * CELLS_OF_A_STEP
        self.progress = progress
        self.cells = self.sweeps = self.moves = 0
        self.out_of_steps = False
        self._open(start)
        self.best, self.cost = self.groups.of.copy(), self._cost

    def run(self) -> None:
        """Search, until no round is left or all steps are taken; `best` is the partition of least cost."""
        if self.rule.m > 2:
            self._descents()
            return
        try:
            self._descend()
            self._keep()
            self._rounds()
        except OutOfSteps:
            self.out_of_steps = True
            self._keep()

    def _descents(self) -> None:
        """Descend twice, by moves that are safe, with weights that rise; half of the steps are for the first time.

        First from the partition given, frequent items first; then from one set of all items, rare ones first. The
        second ends at once on most data, and on some is far better.
        """
        rule, rising, whole = self.rule, self.order, self.limit
        weights = sorted({rule.mu >> 2, rule.mu >> 1, rule.mu})
        one = np.where(self.best >= 0, 0, -1).astype(np.int32)
        ways = ((self.best, rising[::-1].copy(), weights), (one, rising, sorted({0, *weights})))
        for (start, self.order, tried), self.limit in zip(ways, (whole // 2, whole), strict=True):
            self._open(start)
            try:
                for mu in tried:
                    self.rule = rule._replace(mu=mu)
                    self._open(self.groups.of)
                    self._descend()
            except OutOfSteps:
                self.out_of_steps = True
            self.rule = rule
            self._open(self.groups.of)
            self._keep()

    def _rounds(self) -> None:
        """Let pairs be violated, at a price that grows, until no way to begin with it brings anything any more."""
        failed = 0
        for number, share in enumerate((*_FIRST, *islice(cycle(_AGAIN), _ROUNDS - len(_FIRST)))):
            if failed >= len(_AGAIN) and number >= len(_FIRST) + len(_AGAIN):
                return
            if self.progress is not None:
                self.progress("rounds of moving items", number, _ROUNDS)
            self._open(self.best)
            if self._anneal(share):
                self._repair()
                self._descend()
            failed = 0 if self._keep() else failed + 1

    @property
    def item_groups(self) -> Int32:
        """int32 (M,): group of each item, numbered by their smallest item; what never occurs stands alone."""
        alone = len(self.best) + np.arange(len(self.best))
        _, first, number = np.unique(np.where(self.best < 0, alone, self.best), return_index=True, return_inverse=True)
        return np.argsort(np.argsort(first))[number].astype(np.int32)

    @property
    def _cost(self) -> int:
        return int(self.groups.cost.sum())

    @property
    def _violated(self) -> int:
        return int(self.groups.state[TOTAL])

    def _keep(self) -> bool:
        """Keep a partition that violates nothing and costs less than the best one; tell whether it does."""
        is_better = self._violated == 0 and self._cost < self.cost
        if is_better:
            self.best, self.cost = self.groups.of.copy(), self._cost
        return is_better

    def _open(self, of: Int32) -> None:
        """Begin with a partition, whose groups are numbered by their smallest item."""
        group, occurring = np.full(len(of), -1, np.int32), of >= 0
        _, first, number = np.unique(of[occurring], return_index=True, return_inverse=True)
        group[occurring] = np.argsort(np.argsort(first))[number]
        self._count(group, len(first))

    def _count(self, group: Int32, n_groups: int) -> None:
        """Count what a partition holds, with room for half as many groups more."""
        room = n_groups + n_groups // 2 + 16
        self.groups = make_partition(group, room, len(self.records.weight), self.rule.m)
        self.scratch = make_scratch(room)
        count(self.records, self.groups, self.scratch, self.rule)

    def _sweep(self, penalty: int) -> int:
        """Move each item to where it costs least; return how many moved.

        Raises
        ------
        OutOfSteps
            If no step is left.
        """
        from anonset_kernels._sweeps import sweep

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
        """Move items as long as that costs less, by more than next to nothing, and violates nothing."""
        for _ in range(_SWEEPS):
            before = self._cost
            self._sweep(0)
            if before - self._cost <= before >> _NEXT_TO_NOTHING:
                return

    def _anneal(self, share: int) -> bool:
        """Move items at a penalty that doubles, as long as items move and pairs are violated, or it is low.

        Returns whether there is hope that what is left can be satisfied: the cost is not far above the least, and no
        more is violated at a high penalty than half of the number of groups.
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
        """Merge groups until nothing is violated."""
        from anonset_kernels._sweeps import merge_violated

        while self._violated > 0:
            merge_violated(self.records, self.groups, self.scratch, self.rule)
            self._step()

    def _step(self) -> None:
        """Count what was looked at.

        Raises
        ------
        OutOfSteps
            If no step is left.
        """
        self.cells += int(self.groups.state[CELLS])
        self.groups.state[CELLS] = 0
        if self.cells > self.limit:
            raise OutOfSteps


def _distinct_records(column: SetColumn) -> Records:
    """Return the records that hold something, equal ones once."""
    from anonset_kernels.rows import first_equal, transpose

    first = first_equal(column.indptr, column.items)
    copies: Int64 = np.bincount(first, minlength=column.n).astype(np.int64)
    copies[column.lengths == 0] = 0
    kept = np.flatnonzero(copies)
    rows, support = column.take(kept), column.occurrences
    level = np.array([(max(1, count) ** 2).bit_length() - 1 for count in support.tolist()], np.int64)
    by_item = transpose(rows.indptr, rows.items, len(support))
    return Records(rows.indptr, rows.items, copies[kept], *by_item, support, level)
