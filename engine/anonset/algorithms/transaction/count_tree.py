"""The count-tree of Terrovitis, Mamoulis, Kalnis, VLDB 2008, section 4.1: sets of nodes and their supports.

It is walked in its own order and never stored. A fix changes the cut, not the supports, so a walk may run ahead of the
fixes: the rare sets that it yields are looked at again, in order, by whoever generalises. What comes out depends
neither on how far a walk runs ahead nor on the number of workers.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from numpy.typing import NDArray

from anonset.algorithms.base import Progress
from anonset.algorithms.transaction import marked_pairs
from anonset.algorithms.transaction.expanded_blocks import ExpandedBlocks
from anonset.algorithms.transaction.rare_sets import Found, Pairs, RareSets
from anonset.algorithms.transaction.windows import (
    Float64,
    Mark,
    Span,
    Suffixes,
    Walk,
    spans,
)
from anonset.data.table import Int32, Int64
from anonset_kernels._arrays import Intervals

_Marked = tuple[Int64 | Pairs | None, Found, int]
"""What `windows.Mark` returns; no pairs where they were marked in place."""

INCREMENTS_PER_TASK = 1_000_000
TASKS_PER_ROUND = 4


@dataclass(frozen=True, eq=False, kw_only=True)
class CountTree:
    """The sets of `size` nodes that records support, with no two above each other; a node's code is its place.

    A pass over the sets is divided by the first of their codes: into windows, for each of which what follows its codes
    in the records is gathered, and these into tasks of about equal work.
    """

    node_of_code: Int32
    """int32 (C,): the nodes that take part, by descending support."""
    records: ExpandedBlocks
    """The records as codes, those of the nodes that take part."""
    intervals: Intervals
    """Leaves below the node of each code."""
    size: int
    k: int
    """Smallest support that is not rare."""
    progress: Progress | None

    @property
    def n_codes(self) -> int:
        """Number of nodes that take part."""
        return len(self.node_of_code)

    def increments(self, size: int) -> Float64:
        """float64 (C,): increments that counting the sets of so many nodes takes, by their first code."""
        sizes = partial(_increments, n_codes=self.n_codes, size=size)
        return sum(self.records.over(sizes), np.zeros(self.n_codes))

    @cached_property
    def work(self) -> Float64:
        """float64 (C,): increments that a walk takes, by first code."""
        return self.increments(self.size)

    @cached_property
    def total(self) -> float:
        """Increments that a walk takes."""
        return float(self.work.sum())

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
        from anonset_kernels.count_tree import LEAVES, Rule

        suffixes = Suffixes.of(self.records, self.n_codes, 0 if mode == LEAVES else self.size - 1)
        walk = Walk(suffixes, self.intervals, Rule(self.size, self.k, mode))
        windows = suffixes.windows
        if suffixes.in_place:
            yield from self._walk_window(walk, windows[0], generalized, together)
            return
        tasks = ((window, generalized[self.node_of_code], together) for window in windows)
        for window, (found, following) in zip(windows, self.records.store.map(walk, tasks), strict=True):
            yield from map(self._rare, found)
            while following < window[1]:
                found, following = walk(((following, window[1]), generalized[self.node_of_code], together))
                yield from map(self._rare, found)
            self._tell(f"sets of {self.size}", window[1])

    def _walk_window(
        self, walk: Walk, window: Span, generalized: NDArray[np.uint8], together: Pairs
    ) -> Iterator[RareSets]:
        """Yield the rare sets of the only window, which is divided into tasks; see `rare_sets`."""
        records = walk.suffixes.of_window(window)

        def find(span: Span) -> tuple[Found, int]:
            return walk.step(records, span, generalized[self.node_of_code], together)

        parts = list(spans(self.work, window, INCREMENTS_PER_TASK))
        for first in range(0, len(parts), TASKS_PER_ROUND):
            tasks = parts[first : first + TASKS_PER_ROUND]
            for span, (found, following) in zip(tasks, list(self.records.store.map(find, tasks)), strict=True):
                yield self._rare(found)
                while following < span[1]:
                    found, following = find((following, span[1]))
                    yield self._rare(found)
                self._tell(f"sets of {self.size}", span[1])

    def first_rare_set(self) -> tuple[int, ...] | None:
        """Find the first rare set, as nodes."""
        found = self.rare_sets(np.zeros(self.node_of_code.max(initial=-1) + 1, np.uint8))
        first = next((rare.codes[0] for rare in found if len(rare.codes)), None)
        return None if first is None else tuple(int(v) for v in self.node_of_code[first])

    def rare_together(self, room: int) -> tuple[Pairs, RareSets | None]:
        """Return the pairs of codes that are in a rare set, symmetric; and the rare sets, up to `room` of them."""
        from anonset_kernels.count_tree import MARK, Rule

        suffixes = Suffixes.of(self.records, self.n_codes, self.size - 1)
        mark = Mark(suffixes, self.intervals, Rule(self.size, self.k, MARK), room)
        tasks, store = suffixes.windows, self.records.store
        records = suffixes.of_window(tasks[0]) if suffixes.in_place else None
        if suffixes.in_place:
            tasks = list(spans(self.work, tasks[0], max(self.total / 64, INCREMENTS_PER_TASK)))
        marked, total = np.zeros((self.n_codes, self.n_codes), np.uint8), 0

        def mark_here(span: Span) -> _Marked:
            return None, *mark.step(span, marked, records)

        work: Callable[[Span], _Marked] = mark if store.workers.remote else mark_here
        kept = [self._rare((np.empty((0, self.size), np.int32), np.empty(0, np.int32)))]
        for span, (pairs, found, n_found) in zip(tasks, store.map(work, tasks), strict=True):
            if pairs is not None:
                marked_pairs.mark(pairs, marked)
            total += n_found
            kept = [*kept, self._rare(found)] if total <= room else kept[:1]
            self._tell(f"sets of {self.size} on the cut", span[1])
        marked_pairs.make_symmetric(marked)
        return marked, None if total > room else RareSets.joined(kept)

    def _rare(self, found: Found) -> RareSets:
        return RareSets(*found, self.node_of_code)

    def _tell(self, phase: str, code: int) -> None:
        if self.progress is not None:
            self.progress(phase, float(self.work[:code].sum()), self.total)


def _increments(blocks: Iterable[Int32], n_codes: int, size: int) -> Float64:
    """Count the increments that the sets of so many nodes take in some blocks, by their first code: float64 (C,)."""
    from anonset_kernels.count_tree import walk_sizes

    return sum((walk_sizes(codes, n_codes, size) for codes in blocks), np.zeros(n_codes))
