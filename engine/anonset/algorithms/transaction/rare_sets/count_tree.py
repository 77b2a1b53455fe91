"""The count-tree of Terrovitis, Mamoulis, Kalnis, VLDB 2008, section 4.1, which contains node sets and their supports.

A set is rare if 1 to k - 1 records contain it. A counting step is a pair of a record and a counted set that the record
contains. The tree is not stored, but traversed in preorder. The caller generalizes nodes to fix each rare set that the
traversal yields. The traversal may be ahead of the caller, so the caller checks whether a yielded set contains a node
that was generalized before. The result depends neither on this lead nor on the number of workers.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from anonset.algorithms.transaction.rare_sets import marked_pairs
from anonset.algorithms.transaction.rare_sets.expanded_blocks import ExpandedBlocks
from anonset.algorithms.transaction.rare_sets.sets import Found, Pairs, RareSets
from anonset.algorithms.transaction.rare_sets.windows import PairMarker, Span, Suffixes, WindowSearch, spans
from anonset.data.array_types import Float64, Int32, Int64, UInt8
from anonset.data.progress import Progress
from anonset_kernels._arrays import Intervals

_Marked = tuple[Int64 | Pairs | None, Found, int]
"""Return value of `windows.PairMarker`. The pairs are None if they were marked in place."""

INCREMENTS_PER_TASK = 1_000_000
TASKS_PER_ROUND = 4


@dataclass(frozen=True, eq=False, kw_only=True)
class CountTree:
    """Sets of `size` unrelated nodes that occur in a record. The code of a node is its position in `node_of_code`.

    A pass over the sets is divided into windows (ranges of first codes), and each window into tasks of about equal
    work. For each window, the codes that follow its first codes in the records are copied.
    """

    node_of_code: Int32
    """Nodes that may be members of sets, by descending support, int32 (C,)."""
    records: ExpandedBlocks
    """Records as codes of the nodes in `node_of_code`."""
    intervals: Intervals
    """Leaves below the node of each code."""
    size: int
    k: int
    """Smallest support of a set that is not rare."""
    progress: Progress | None

    @property
    def n_codes(self) -> int:
        """Number of nodes that may be members of sets."""
        return len(self.node_of_code)

    def increments(self, size: int) -> Float64:
        """Return the number of counting steps for the sets of `size` nodes with each first code, float64 (C,)."""
        sizes = partial(_increments, n_codes=self.n_codes, size=size)
        return sum(self.records.over(sizes), np.zeros(self.n_codes))

    @cached_property
    def work(self) -> Float64:
        """Number of counting steps for the sets with each first code, float64 (C,)."""
        return self.increments(self.size)

    @cached_property
    def total(self) -> float:
        """Total number of counting steps."""
        return float(self.work.sum())

    def rare_sets(self, generalized: UInt8, together: Pairs | None = None) -> Iterator[RareSets]:
        """Yield the rare sets in order, in batches.

        Parameters
        ----------
        generalized
            1 for nodes whose sets are skipped, uint8 (V,). The array is read again before each part, so the caller may
            add nodes.
        together
            Pairs of codes with which a set may start. None for all pairs.
        """
        from anonset_kernels.rare_sets.count_tree import EXACT

        return self._walk(EXACT, generalized, np.empty((0, 0), np.uint8) if together is None else together)

    def rare_leaves(self, generalized: UInt8) -> Iterator[RareSets]:
        """Yield the rare leaves of the tree of all sets of up to `size` nodes, like `rare_sets`.

        A leaf is a set without children in the tree, at any depth.
        """
        from anonset_kernels.rare_sets.count_tree import LEAVES

        return self._walk(LEAVES, generalized, np.empty((0, 0), np.uint8))

    def _walk(self, mode: int, generalized: UInt8, together: Pairs) -> Iterator[RareSets]:
        from anonset_kernels.rare_sets.count_tree import LEAVES, SupportRule

        suffixes = Suffixes.of(self.records, self.n_codes, 0 if mode == LEAVES else self.size - 1)
        walk = WindowSearch(suffixes, self.intervals, SupportRule(self.size, self.k, mode))
        windows = suffixes.windows
        if suffixes.in_place:
            yield from self._walk_window(walk, windows[0], generalized, together)
            return
        tasks = ((window, generalized[self.node_of_code], together) for window in windows)
        for window, (rare_sets, following) in zip(windows, self.records.store.map(walk, tasks), strict=True):
            yield from map(self._rare, rare_sets)
            while following < window[1]:
                rare_sets, following = walk(((following, window[1]), generalized[self.node_of_code], together))
                yield from map(self._rare, rare_sets)
            self._tell(f"sets of {self.size}", window[1])

    def _walk_window(self, walk: WindowSearch, window: Span, generalized: UInt8, together: Pairs) -> Iterator[RareSets]:
        """Yield the rare sets of the only window, like `rare_sets`. The window is divided into tasks."""
        records = walk.suffixes.of_window(window)

        def find(span: Span) -> tuple[Found, int]:
            return walk.step(records, span, generalized[self.node_of_code], together)

        parts = list(spans(self.work, window, INCREMENTS_PER_TASK))
        for first in range(0, len(parts), TASKS_PER_ROUND):
            tasks = parts[first : first + TASKS_PER_ROUND]
            for span, (rare_sets, following) in zip(tasks, list(self.records.store.map(find, tasks)), strict=True):
                yield self._rare(rare_sets)
                while following < span[1]:
                    rare_sets, following = find((following, span[1]))
                    yield self._rare(rare_sets)
                self._tell(f"sets of {self.size}", span[1])

    def first_rare_set(self) -> tuple[int, ...] | None:
        """Return the nodes of the first rare set, or None."""
        rare_sets = self.rare_sets(np.zeros(self.node_of_code.max(initial=-1) + 1, np.uint8))
        first = next((rare.codes[0] for rare in rare_sets if len(rare.codes)), None)
        return None if first is None else tuple(int(v) for v in self.node_of_code[first])

    def rare_together(self, most: int) -> tuple[Pairs, RareSets | None]:
        """Return the pairs of codes that occur together in a rare set, and up to `most` of the rare sets."""
        from anonset_kernels.rare_sets.count_tree import MARK, SupportRule

        suffixes = Suffixes.of(self.records, self.n_codes, self.size - 1)
        mark = PairMarker(suffixes, self.intervals, SupportRule(self.size, self.k, MARK), most)
        tasks, store = suffixes.windows, self.records.store
        records = suffixes.of_window(tasks[0]) if suffixes.in_place else None
        if suffixes.in_place:
            tasks = list(spans(self.work, tasks[0], max(self.total / 64, INCREMENTS_PER_TASK)))
        marked, total = np.zeros((self.n_codes, self.n_codes), np.uint8), 0

        def mark_here(span: Span) -> _Marked:
            return None, *mark.step(span, marked, records)

        work: Callable[[Span], _Marked] = mark if store.workers.remote else mark_here
        collected = [self._rare((np.empty((0, self.size), np.int32), np.empty(0, np.int32)))]
        for span, (pairs, rare_sets, n_found) in zip(tasks, store.map(work, tasks), strict=True):
            if pairs is not None:
                marked_pairs.mark(pairs, marked)
            total += n_found
            collected = [*collected, self._rare(rare_sets)] if total <= most else collected[:1]
            self._tell(f"sets of {self.size} on the cut", span[1])
        marked_pairs.make_symmetric(marked)
        return marked, None if total > most else RareSets.joined(collected)

    def _rare(self, rare_sets: Found) -> RareSets:
        return RareSets(*rare_sets, self.node_of_code)

    def _tell(self, phase: str, code: int) -> None:
        if self.progress is not None:
            self.progress(phase, float(self.work[:code].sum()), self.total)


def _increments(blocks: Iterable[Int32], n_codes: int, size: int) -> Float64:
    """Return the number of counting steps for the sets of `size` codes with each first code, float64 (C,)."""
    from anonset_kernels.rare_sets.count_tree import walk_sizes

    return sum((walk_sizes(codes, n_codes, size) for codes in blocks), np.zeros(n_codes))
