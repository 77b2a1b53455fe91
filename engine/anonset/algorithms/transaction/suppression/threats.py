"""Minimal privacy threats of a taxonomy (Liu and Wang 2010, sections 2 and 4.1).

A threat is a set of unrelated nodes that occurs in at least one, but fewer than k, records. It is minimal if all proper
subsets are frequent. The threats of a cut are the minimal threats whose nodes are all on the cut, so the threats of all
cuts are mined together.
"""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from anonset.algorithms.transaction.rare_sets.expanded_records import expand_records, nodes_at_or_above
from anonset.data import Hierarchy, SetColumn
from anonset.data.array_types import Bools, Int32, Int64, UInt64
from anonset.data.progress import Progress, report_progress
from anonset.data.spans import spans_up_to
from anonset.data.storage.store import MEMORY, Store
from anonset.errors import TooLargeError
from anonset.generalization import Cut
from anonset.spelling import setting
from anonset_kernels._arrays import ExpandedCodes, Intervals

if TYPE_CHECKING:
    from anonset_kernels.suppression.threats import DisclosureRule

MAX_PAIR_BITS = 16_000_000_000
WORK_PER_SPAN = 2_000_000
SPANS_PER_ROUND = 16
STEPS_PER_CALL = 50_000_000  # work of some tenths of a second, so that interrupts are handled between calls
ROWS_PER_CALL = 100_000_000  # number of rows of code pairs, or of sets to insert
THREATS_PER_CALL = 1 << 16


class MinimalThreats:
    """Minimal threats of a taxonomy, mined by increasing size.

    Parameters
    ----------
    column
        Records, bound to the hierarchy (item codes are leaf positions).
    k
        Smallest support of a set that is not rare.
    limit
        Maximum number of threats.
    max_increments
        Maximum number of steps for the threats of a size.
    """

    def __init__(
        self,
        column: SetColumn,
        hierarchy: Hierarchy,
        k: int,
        *,
        limit: int,
        max_increments: float = float("inf"),
        store: Store = MEMORY,
        progress: Progress | None = None,
    ) -> None:
        from anonset_kernels.rare_sets.count_tree import node_supports

        # the longest records first: k records of a set then are in the first words of bit rows (1.8 times faster for
        # hospital visits, 1.5 times for clicks)
        self.column = column.take(np.argsort(-column.lengths, kind="stable"))
        self.hierarchy, self.k = hierarchy, k
        self.limit, self.max_increments = limit, max_increments
        self.store, self.progress = store, progress
        self.support: Int64 = node_supports(column.indptr, column.items, hierarchy.leaf_node, hierarchy.parent)
        self.bottom = hierarchy.leaf_node
        self.by_size: list[Int32] = []

    @property
    def n(self) -> int:
        """Number of threats found."""
        return sum(map(len, self.by_size))

    def reduce(self, cut: Cut) -> None:
        """Remove the nodes below a cut from the taxonomy, and all threats that contain a removed node."""
        self.bottom = cut.image
        in_taxonomy = self.in_taxonomy
        self.by_size = [threats[in_taxonomy[threats].all(axis=1)] for threats in self.by_size]

    @property
    def in_taxonomy(self) -> Bools:
        """True for each node that is left in the taxonomy: `bottom` and the nodes above it, bool (V,)."""
        return nodes_at_or_above(self.hierarchy, self.bottom)

    def mine_next(self) -> None:
        """Mine the threats of the next size.

        Raises
        ------
        TooLargeError
            If the number of threats exceeds the limit, or mining needs more than `max_increments` steps.
        """
        size = len(self.by_size) + 1
        if size == 1:
            rare = np.flatnonzero((self.support > 0) & (self.support < self.k) & self.in_taxonomy)
            # if the root is rare, all nodes are rare, and generalization does not help
            self.by_size.append(rare.astype(np.int32)[:, None])
        else:
            self.by_size.append(self._mine(size))
        if self.n > self.limit:
            self._refuse(size)

    def _refuse(self, size: int) -> NoReturn:
        raise TooLargeError(
            f"the search found more than {self.limit:,} minimal threats of up to {size} nodes: use an m below {size}, "
            f"a smaller k, or a larger {setting('max_threats', option='max_work')}"
        )

    def _mine(self, size: int) -> Int32:
        nodes, code, records = self._store()
        smaller = [code[threats] for threats in self.by_size[1:]]
        threats_of_size = records.mine(size, smaller, self.limit - self.n, self.max_increments)
        if threats_of_size is None:
            self._refuse(size)
        return nodes[threats_of_size].astype(np.int32, copy=False)

    def _store(self) -> tuple[Int32, Int32, "StoredRecords"]:
        """Return the node of each code, the code of each node (-1 if none), and the records as codes."""
        in_taxonomy = self.in_taxonomy & (self.support >= self.k)
        in_taxonomy[0] = False
        nodes: Int32 = np.flatnonzero(in_taxonomy).astype(np.int32)
        nodes = nodes[np.lexsort((nodes, -self.support[nodes]))]
        hierarchy, rows = self.hierarchy, (self.column.indptr, self.column.items)
        code, arrays = expand_records(rows, self.bottom, hierarchy.parent, nodes, self.support[nodes])
        intervals = Intervals(hierarchy.leaf_lo[nodes], hierarchy.leaf_hi[nodes])
        records = StoredRecords(arrays, intervals, self.k, store=self.store, progress=self.progress)
        return nodes, code, records


@dataclass(frozen=True, eq=False)
class StoredRecords:
    """Records as ascending codes, for mining. No code is a threat by itself."""

    arrays: ExpandedCodes
    """Codes and their positions."""
    intervals: Intervals
    """Leaf interval of each code. A set must not contain codes with overlapping intervals."""
    k: int
    """Smallest support of a set that is not rare."""
    private: "DisclosureRule | None" = None
    """Number of private items, and maximum share of a private item in a cohort. None if all items are public."""
    store: Store = MEMORY
    progress: Progress | None = None

    def mine(
        self, size: int, smaller: Sequence[Int32], limit: int, max_increments: float = float("inf")
    ) -> Int32 | None:
        """Return the minimal threats of `size` codes. Return None if there are more than `limit` threats.

        Parameters
        ----------
        smaller
            Minimal threats of 2, 3, ... size - 1 codes.

        Raises
        ------
        TooLargeError
            If the bit matrix of code pairs exceeds the limit, or mining needs more than `max_increments`.
        """
        from anonset_kernels.rare_sets.count_tree import walk_sizes
        from anonset_kernels.suppression.threats import DisclosureRule, ThreatRule, mine

        n_codes = len(self.intervals.leaf_lo)
        if n_codes < size:
            return np.empty((0, size), np.int32)
        allowed = self._allowed_pairs(smaller[0] if size > 2 else np.empty((0, 2), np.int32))
        known_threats = _hash_table(smaller[1:], size)
        private = self.private or DisclosureRule(0, 0, 1)
        rule = ThreatRule(size, self.k, STEPS_PER_CALL)

        def find(part: tuple[Int32, int]) -> tuple[Int32, Int32, int]:
            resume, buffer = part[0].copy(), np.empty((max(THREATS_PER_CALL, n_codes), size), np.int32)
            n_found, steps = mine(self.arrays, allowed, known_threats, resume, part[1], rule, private, buffer)
            return buffer[:n_found].copy(), resume, int(steps)

        work = np.append(0.0, np.cumsum(walk_sizes(self.arrays.codes, n_codes, min(size, 3))))
        spans = spans_up_to(work, WORK_PER_SPAN)
        tasks = [_Task(np.array([first, *[-1] * (size - 1)], np.int32), last, []) for first, last in spans]
        if not self._run(tasks, find, limit, max_increments):
            return None
        return np.concatenate([threats for task in tasks for threats in task.found])

    def _run(
        self,
        tasks: "list[_Task]",
        find: Callable[[tuple[Int32, int]], tuple[Int32, Int32, int]],
        limit: int,
        max_increments: float,
    ) -> bool:
        """Continue the tasks in batches until all are done. Return False if there are more than `limit` threats."""
        size, waiting, n_found, increments, n_done = len(tasks[0].at), deque(tasks), 0, 0, 0
        while waiting:
            window = [waiting.popleft() for _ in range(min(SPANS_PER_ROUND, len(waiting)))]
            parts = [(task.at, task.last) for task in window]
            for task, (threats, resume, steps) in zip(window, self.store.map(find, parts), strict=True):
                task.found.append(threats)
                n_done += int(resume[0] - task.at[0])
                task.at = resume
                n_found += len(threats)
                increments += steps
                if n_found > limit:
                    return False
                if increments > max_increments:
                    raise TooLargeError(
                        f"mining sets of {size} needs more than {max_increments:,} increments: use a larger "
                        f"{setting('max_increments', option='max_work')}, or smaller sets"
                    )
                report_progress(self.progress, f"threats of {size}", n_done, len(self.intervals.leaf_lo))
            waiting.extendleft(task for task in reversed(window) if task.at[0] < task.last)
        return True

    def _allowed_pairs(self, pairs: Int32) -> UInt64:
        """Return a bit for each pair of codes that may occur together in a set, uint64 (C, W)."""
        from anonset_kernels.suppression.threats import allow_antichains, forbid_pairs

        n_codes = len(self.intervals.leaf_lo)
        if n_codes**2 > MAX_PAIR_BITS:
            raise TooLargeError(
                f"at most {int(MAX_PAIR_BITS**0.5):,} items or nodes may have a support of at least k, got {n_codes:,}"
            )
        allowed = np.zeros((n_codes, (n_codes + 63) // 64), np.uint64)
        rows = max(1, ROWS_PER_CALL // n_codes)
        for first in range(0, n_codes, rows):
            allow_antichains(*self.intervals, first, min(first + rows, n_codes), allowed)
        forbid_pairs(pairs, allowed)
        return allowed


@dataclass(eq=False)
class _Task:
    """Range of first codes to mine, the prefix from which to continue, and the known threats of the range."""

    at: Int32
    """Prefix from which to continue, int32 (size,), padded with -1."""
    last: int
    found: list[Int32]


def _hash_table(smaller: Sequence[Int32], size: int) -> tuple[Int32, Int32]:
    """Return the known threats of 3 to size - 1 codes, and a hash table of them."""
    from anonset_kernels.suppression.threats import hash_sets

    known_threats = np.full((sum(map(len, smaller)), max(1, size - 1)), -1, np.int32)
    filled = 0
    for threats in smaller:
        known_threats[filled : filled + len(threats), : threats.shape[1]] = np.sort(threats, axis=1)
        filled += len(threats)
    slots = np.full(1 << max(1, (2 * len(known_threats)).bit_length()), -1, np.int32)
    for first in range(0, filled, THREATS_PER_CALL):
        hash_sets(known_threats, first, min(first + THREATS_PER_CALL, filled), slots)
    return known_threats, slots
