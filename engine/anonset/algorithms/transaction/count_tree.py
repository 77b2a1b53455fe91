"""The count-tree of Terrovitis, Mamoulis, Kalnis, VLDB 2008, section 4.1: sets of nodes and their supports.

It is walked in its own order and never stored. A fix changes the cut, not the supports, so a walk may run ahead of the
fixes: the rare sets that it yields are looked at again, in order, by whoever generalises. What comes out depends
neither on how far a walk runs ahead nor on the number of workers.
"""

from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from anonset.algorithms.base import Progress, run_tasks
from anonset.algorithms.transaction.expanded_records import Records
from anonset.data.table import Index, Int32, Int64

Float64 = NDArray[np.float64]
Nodes = NDArray[np.bool_]
"""bool (V,): a set of nodes."""
Pairs = NDArray[np.uint8]
"""uint8 (C, C): a set of pairs of codes."""

INCREMENTS_PER_TASK = 1_000_000
TASKS_PER_ROUND = 4
RARE_SETS_PER_TASK = 1 << 14
PAIR_CELLS = 1 << 26
PAIR_CELLS_PER_TASK = 1 << 24
WINDOWS, LEAST_WINDOW, LARGEST_WINDOW = 16, 1 << 20, 1 << 27
"""Number of windows of a pass, where they hold neither fewer nor more codes than these."""


@dataclass(frozen=True, eq=False)
class RareSets:
    """Some sets with a support below k, in the order of the count-tree."""

    codes: Int32
    """int32 (T, size): the members of each as places in `node_of_code`, filled up with -1."""
    support: Int32
    """int32 (T,)."""
    node_of_code: Int32
    """int32 (C,)."""

    @classmethod
    def joined(cls, parts: "list[RareSets]") -> "RareSets":
        """Return sets of the same nodes, one part after the other."""
        codes = np.concatenate([part.codes for part in parts])
        return cls(codes, np.concatenate([part.support for part in parts]), parts[0].node_of_code)


@dataclass(frozen=True, eq=False, kw_only=True)
class CountTree:
    """The sets of `size` nodes that records support, with no two above each other; a node's code is its place.

    A pass over the sets is divided by the first of their codes: into windows, for each of which what follows its codes
    in the records is gathered, and these into tasks of about equal work.
    """

    node_of_code: Int32
    """int32 (C,): the nodes that take part, by descending support."""
    records: Sequence[Int32]
    """The records, block by block, as ascending codes, each record closed by -1."""
    intervals: tuple[Int32, Int32]
    """int32 (C,) and int32 (C,): the leaves below each node, from and to."""
    size: int
    k: int
    """Smallest support that is not rare."""
    executor: Executor | None
    progress: Progress | None

    @property
    def n_codes(self) -> int:
        """Number of nodes that take part."""
        return len(self.node_of_code)

    def increments(self, size: int) -> Float64:
        """float64 (C,): increments that counting the sets of so many nodes takes, by their first code."""
        from anonset_kernels.count_tree import walk_sizes

        def sizes(codes: Int32) -> Float64:
            found: Float64 = walk_sizes(codes, self.n_codes, size)
            return found

        return sum(run_tasks(self.executor, sizes, self.records), np.zeros(self.n_codes))

    @cached_property
    def work(self) -> Float64:
        """float64 (C,): increments that a walk takes, by first code."""
        return self.increments(self.size)

    @cached_property
    def total(self) -> float:
        """Increments that a walk takes."""
        return float(self.work.sum())

    @property
    def suits_pairs(self) -> bool:
        """Whether counting all pairs at once beats the walk: the matrix is small, and small for the work."""
        cells = self.n_codes**2
        return self.k <= np.iinfo(np.uint8).max and cells <= PAIR_CELLS and 4 * cells < self.total

    def rare_sets(self, generalized: NDArray[np.uint8], together: Pairs | None = None) -> Iterator[RareSets]:
        """Yield the rare sets in order, some at a time.

        Parameters
        ----------
        generalized
            uint8 (V,): nodes whose sets are passed over. It is read anew from one part of the walk to the next: the
            caller may add to it.
        together
            Look only at sets that begin with a pair of these; None: at all.
        """
        from anonset_kernels.count_tree import EXACT

        return self._walk(EXACT, generalized, np.empty((0, 0), np.uint8) if together is None else together)

    def rare_leaves(self, generalized: NDArray[np.uint8]) -> Iterator[RareSets]:
        """Yield the rare leaves, at any depth, of the tree of all sets of up to `size` nodes, as `rare_sets` does."""
        from anonset_kernels.count_tree import LEAVES

        return self._walk(LEAVES, generalized, np.empty((0, 0), np.uint8))

    def _walk(self, mode: int, generalized: NDArray[np.uint8], together: Pairs) -> Iterator[RareSets]:
        from anonset_kernels.count_tree import LEAVES, walk

        for window, records in self._windows(0 if mode == LEAVES else self.size - 1):

            def find(span: tuple[int, int], records: Records = records) -> tuple[RareSets, int]:
                found = np.empty((RARE_SETS_PER_TASK, self.size), np.int32)
                support = np.empty(RARE_SETS_PER_TASK, np.int32)
                rule, dead = (self.size, self.k, mode), generalized[self.node_of_code]
                n_found, following = walk(records, self.intervals, dead, span, rule, found, support, together)
                return RareSets(found[:n_found], support[:n_found], self.node_of_code), following

            spans = list(_spans(self.work, window, INCREMENTS_PER_TASK))
            for first in range(0, len(spans), TASKS_PER_ROUND):
                tasks = spans[first : first + TASKS_PER_ROUND]
                for span, (rare, following) in zip(tasks, list(run_tasks(self.executor, find, tasks)), strict=True):
                    yield rare
                    while following < span[1]:
                        rare, following = find((following, span[1]))
                        yield rare
                    self._tell(f"sets of {self.size}", span[1])

    def rare_pairs(self, generalized: NDArray[np.uint8]) -> Iterator[RareSets]:
        """Yield the rare pairs as `rare_sets` does, but from a matrix of all: each task counts some of its rows."""
        from anonset_kernels.pairs import count_pairs, rare_pairs

        nodes, everything = self.node_of_code, (0, self.n_codes)

        def count(span: tuple[int, int]) -> Pairs:
            pairs = np.zeros((span[1] - span[0], self.n_codes), np.uint8)
            for codes in self.records:
                count_pairs(codes, *span, self.k, pairs)
            return pairs

        rows = float(PAIR_CELLS_PER_TASK // max(1, self.n_codes))
        spans = [
            part
            for span in _spans(self.work, everything, max(self.total / TASKS_PER_ROUND, INCREMENTS_PER_TASK))
            for part in _spans(np.ones(self.n_codes), span, max(rows, 1.0))
        ]
        found, support = np.empty((RARE_SETS_PER_TASK, 2), np.int32), np.empty(RARE_SETS_PER_TASK, np.int32)
        for start in range(0, len(spans), TASKS_PER_ROUND):
            tasks = spans[start : start + TASKS_PER_ROUND]
            for (first, last), pairs in zip(tasks, run_tasks(self.executor, count, tasks), strict=True):
                at = first
                while at < last:
                    rest, dead = pairs[at - first :], generalized[nodes]
                    n_found, at = rare_pairs(rest, at, self.k, self.intervals, dead, found, support)
                    yield RareSets(found[:n_found], support[:n_found], nodes)
                self._tell("sets of 2", last)

    def first_rare_set(self) -> tuple[int, ...] | None:
        """Find the first rare set, as nodes."""
        found = self.rare_sets(np.zeros(self.node_of_code.max(initial=-1) + 1, np.uint8))
        first = next((rare.codes[0] for rare in found if len(rare.codes)), None)
        return None if first is None else tuple(int(v) for v in self.node_of_code[first])

    def rare_together(self, room: int) -> tuple[Pairs, RareSets | None]:
        """Return the pairs of codes that are in a rare set, symmetric; and the rare sets, up to `room` of them."""
        from anonset_kernels.count_tree import MARK, walk

        none, rule = np.zeros(self.n_codes, np.uint8), (self.size, self.k, MARK)
        marked, total = np.zeros((self.n_codes, self.n_codes), np.uint8), 0
        kept = [RareSets(np.empty((0, self.size), np.int32), np.empty(0, np.int32), self.node_of_code)]
        for window, records in self._windows(self.size - 1):

            def mark(span: tuple[int, int], records: Records = records) -> tuple[Pairs, RareSets, int]:
                together = np.zeros((self.n_codes, self.n_codes), np.uint8)
                found, support = np.empty((room, self.size), np.int32), np.empty(room, np.int32)
                n_found, _ = walk(records, self.intervals, none, span, rule, found, support, together)
                return together, RareSets(found[:n_found].copy(), support[:n_found].copy(), self.node_of_code), n_found

            spans = list(_spans(self.work, window, max(self.total / 64, INCREMENTS_PER_TASK)))
            for first in range(0, len(spans), TASKS_PER_ROUND):
                tasks = spans[first : first + TASKS_PER_ROUND]
                for span, (pairs, rare, n_found) in zip(tasks, run_tasks(self.executor, mark, tasks), strict=True):
                    marked |= pairs
                    total += n_found
                    kept = [*kept, rare] if total <= room else kept[:1]
                    self._tell(f"sets of {self.size} on the cut", span[1])
        marked |= marked.T.copy()
        return marked, None if total > room else RareSets.joined(kept)

    def _windows(self, least: int) -> Iterator[tuple[tuple[int, int], Records]]:
        """Cut the codes into spans, and yield each with what its walk looks at: the places of its codes in the records.

        The records of one block are looked at as they are. Of several, what follows a window's codes is gathered, where
        at least so many codes do: side by side for each code, and not more, as a rule, than there is room for.
        """
        from anonset_kernels.suffixes import measure_suffixes, place_codes

        one_block = len(self.records) == 1

        def measure(codes: Int32) -> Int64:
            found = np.zeros((2, self.n_codes), np.int64)
            measure_suffixes(codes, 0 if one_block else least, found[0], found[1])
            return found

        entries, records = sum(run_tasks(self.executor, measure, self.records), np.zeros((2, self.n_codes), np.int64))
        if one_block:
            start = np.concatenate([[0], np.cumsum(records)]).astype(np.int64)
            position = _positions(len(self.records[0]), int(start[-1]))
            place_codes(self.records[0], start[:-1].copy(), position)
            yield (0, self.n_codes), (self.records[0], start, position)
            return
        room = (entries + records).astype(np.float64)
        for window in _spans(room, (0, self.n_codes), min(max(room.sum() / WINDOWS, LEAST_WINDOW), LARGEST_WINDOW)):
            yield window, self._gathered(window, least, entries, records)

    def _gathered(self, window: tuple[int, int], least: int, entries: Int64, records: Int64) -> Records:
        """Return what follows the codes of a window in the records, with the places before it."""
        from anonset_kernels.suffixes import gather_suffixes

        first, last = window
        fill = np.concatenate([[0], np.cumsum(entries[first:last] + records[first:last])]).astype(np.int64)
        start = np.zeros(self.n_codes + 1, np.int64)
        np.cumsum(records[first:last], out=start[first + 1 : last + 1])
        codes, place = np.empty(int(fill[-1]), np.int32), start[first:last].copy()
        position = _positions(len(codes), int(start[last]))
        for block in self.records:
            gather_suffixes(block, first, last, least, fill, codes, place, position)
        return codes, start, position

    def _tell(self, phase: str, code: int) -> None:
        if self.progress is not None:
            self.progress(phase, float(self.work[:code].sum()), self.total)


def _positions(length: int, n: int) -> Index:
    """Return room for `n` places in an array of some length."""
    return np.empty(n, np.int32) if length <= np.iinfo(np.int32).max else np.empty(n, np.int64)


def _spans(work: Float64, within: tuple[int, int], most: float) -> Iterator[tuple[int, int]]:
    """Cut a span of codes into spans of about so much work."""
    done, first = np.cumsum(work), within[0]
    while first < within[1]:
        before = done[first - 1] if first else 0.0
        last = max(first + 1, int(np.searchsorted(done, before + most, side="right")))
        yield first, min(last, within[1])
        first = last
