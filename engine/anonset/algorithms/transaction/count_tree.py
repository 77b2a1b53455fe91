"""The count-tree of Terrovitis, Mamoulis, Kalnis, VLDB 2008, section 4.1: sets of nodes and their supports.

It is walked in its own order and never stored. A fix changes the cut, not the supports, so a walk may run ahead of the
fixes: the rare sets that it yields are looked at again, in order, by whoever generalises. What comes out depends
neither on how far a walk runs ahead nor on the number of workers.
"""

from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from anonset.algorithms.base import Progress, run_tasks
from anonset.algorithms.transaction.expanded_records import Records, expand_records
from anonset.data import Hierarchy, SetColumn
from anonset.data.table import Int32, Int64
from anonset.generalization import Cut

Nodes = NDArray[np.bool_]
"""bool (V,): a set of nodes."""
Pairs = NDArray[np.uint8]
"""uint8 (C, C): a set of pairs of codes."""

INCREMENTS_PER_TASK = 1_000_000
TASKS_PER_ROUND = 4
RARE_SETS_PER_TASK = 1 << 14
PAIR_CELLS = 1 << 26


@dataclass(frozen=True, eq=False)
class RareSets:
    """Some sets with a support below k, in the order of the count-tree."""

    codes: Int32
    """int32 (T, size): the members of each as places in `node_of_code`, filled up with -1."""
    support: Int32
    """int32 (T,)."""
    node_of_code: Int32
    """int32 (C,)."""


class SupportedNodes:
    """The nodes above the items of some records, and count-trees of them.

    Parameters
    ----------
    column
        The records, bound to the hierarchy (item codes are leaf positions).
    k
        Smallest support that is not rare.
    """

    def __init__(
        self,
        column: SetColumn,
        hierarchy: Hierarchy,
        k: int,
        *,
        executor: Executor | None = None,
        progress: Progress | None = None,
    ) -> None:
        from anonset_kernels.count_tree import node_supports

        self.column, self.hierarchy, self.k = column, hierarchy, k
        self.executor, self.progress = executor, progress
        self.support: Int64 = node_supports(column.indptr, column.items, hierarchy.leaf_node, hierarchy.parent)
        order = np.lexsort((np.arange(hierarchy.n_nodes), -self.support)).astype(np.int32)
        self.by_support: Int32 = order[(order != 0) & (self.support[order] > 0)]
        """int32: the nodes without the root, by descending support, then in preorder: ancestors come first."""

    @property
    def longest(self) -> int:
        """Length of the longest record: no record supports a larger set of nodes, none of which is above another."""
        return int(self.column.lengths.max(initial=0))

    def rare(self, taking_part: Nodes) -> RareSets:
        """Return the nodes that are rare by themselves, of those that take part."""
        nodes = self.by_support
        nodes = nodes[(self.support[nodes] < self.k) & taking_part[nodes]]
        return RareSets(np.arange(len(nodes), dtype=np.int32)[:, None], self.support[nodes].astype(np.int32), nodes)

    def count_tree(self, taking_part: Nodes, image: Int32, size: int, *, placed: bool = True) -> "CountTree":
        """Return the count-tree of the sets of `size` nodes that take part (lines 1 to 3 of Algorithm 1).

        Parameters
        ----------
        taking_part
            bool (V,).
        image
            int32 (M,): the node that each leaf begins with; it and what is above it is what a record expands to.
        placed
            Whether the tree can be walked; pairs are counted without.
        """
        tree, nodes = self.hierarchy, self.by_support[taking_part[self.by_support]]
        rows = self.column.indptr, self.column.items
        records = expand_records(rows, image, tree.parent, nodes, self.support[nodes], placed=placed)[1]
        intervals = tree.leaf_lo[nodes], tree.leaf_hi[nodes]
        return CountTree(
            node_of_code=nodes,
            records=records,
            intervals=intervals,
            size=size,
            k=self.k,
            executor=self.executor,
            progress=self.progress,
        )

    def rare_set(self, cut: Cut, m: int) -> tuple[int, ...] | None:
        """Find a rare set of at most `m` nodes of a cut, if there is one."""
        on_cut = np.isin(np.arange(self.hierarchy.n_nodes), cut.image)
        rare = np.flatnonzero(on_cut & (self.support > 0) & (self.support < self.k))
        if len(rare):
            return (int(rare[0]),)
        sizes = range(2, min(m, self.longest) + 1)
        found = (self.count_tree(on_cut, cut.image, size).first_rare_set() for size in sizes)
        return next((rare_set for rare_set in found if rare_set is not None), None)


@dataclass(frozen=True, eq=False, kw_only=True)
class CountTree:
    """The sets of `size` nodes that records support, with no two above each other; a node's code is its place.

    A pass over the sets is divided by the first of their codes into tasks of about equal work.
    """

    node_of_code: Int32
    """int32 (C,): the nodes that take part, by descending support."""
    records: Records
    """The records, as codes."""
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

    def increments(self, size: int) -> NDArray[np.float64]:
        """float64 (C,): increments that counting the sets of so many nodes takes, by their first code."""
        from anonset_kernels.count_tree import walk_sizes

        found: NDArray[np.float64] = walk_sizes(self.records[0], self.n_codes, size)
        return found

    @cached_property
    def work(self) -> NDArray[np.float64]:
        """float64 (C,): increments that a walk takes, by first code."""
        return self.increments(self.size)

    @property
    def suits_pairs(self) -> bool:
        """Whether counting all pairs at once beats the walk: the matrix is small, and small for the work."""
        return self.k <= np.iinfo(np.uint8).max and self.n_codes**2 <= PAIR_CELLS and 4 * self.n_codes**2 < self.total

    @property
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
        from anonset_kernels.count_tree import walk

        def find(span: tuple[int, int]) -> tuple[RareSets, int]:
            found = np.empty((RARE_SETS_PER_TASK, self.size), np.int32)
            support = np.empty(RARE_SETS_PER_TASK, np.int32)
            rule, dead = (self.size, self.k, mode), generalized[self.node_of_code]
            n_found, following = walk(self.records, self.intervals, dead, span, rule, found, support, together)
            return RareSets(found[:n_found], support[:n_found], self.node_of_code), following

        spans = list(self._spans(INCREMENTS_PER_TASK))
        for first in range(0, len(spans), TASKS_PER_ROUND):
            window = spans[first : first + TASKS_PER_ROUND]
            for span, (rare, following) in zip(window, list(run_tasks(self.executor, find, window)), strict=True):
                yield rare
                while following < span[1]:
                    rare, following = find((following, span[1]))
                    yield rare
                self._tell(f"sets of {self.size}", span[1])

    def rare_pairs(self, generalized: NDArray[np.uint8]) -> Iterator[RareSets]:
        """Yield the rare pairs as `rare_sets` does, but from a matrix of all: each task counts some of its rows."""
        from anonset_kernels.pairs import count_pairs, rare_pairs

        codes, nodes = self.records[0], self.node_of_code
        spans = list(self._spans(max(self.total / TASKS_PER_ROUND, 1.0)))

        def count(span: tuple[int, int]) -> Pairs:
            pairs = np.zeros((span[1] - span[0], len(nodes)), np.uint8)
            count_pairs(codes, span[0], span[1], self.k, pairs)
            return pairs

        found, support = np.empty((RARE_SETS_PER_TASK, 2), np.int32), np.empty(RARE_SETS_PER_TASK, np.int32)
        for (first, last), pairs in zip(spans, run_tasks(self.executor, count, spans), strict=True):
            at = first
            while at < last:
                rest, dead = pairs[at - first :], generalized[nodes]
                n_found, at = rare_pairs(rest, at, self.k, self.intervals, dead, found, support)
                yield RareSets(found[:n_found], support[:n_found], nodes)
            self._tell("sets of 2", last)

    def first_rare_set(self) -> tuple[int, ...] | None:
        """Find the first rare set, as nodes."""
        from anonset_kernels.count_tree import EXACT, walk

        found, support = np.empty((1, self.size), np.int32), np.empty(1, np.int32)
        none, rule = np.zeros(self.n_codes, np.uint8), (self.size, self.k, EXACT)
        span, everything = (0, self.n_codes), np.empty((0, 0), np.uint8)
        n_found, _ = walk(self.records, self.intervals, none, span, rule, found, support, everything)
        return tuple(int(v) for v in self.node_of_code[found[0]]) if n_found else None

    def pairs_in_rare_sets(self) -> Pairs:
        """Return the pairs of codes that are in a rare set: symmetric."""
        from anonset_kernels.count_tree import MARK, walk

        none, unused = np.zeros(self.n_codes, np.uint8), np.empty((0, self.size), np.int32)
        spans, rule = list(self._spans(INCREMENTS_PER_TASK)), (self.size, self.k, MARK)

        def mark(tasks: list[tuple[int, int]]) -> Pairs:
            together = np.zeros((self.n_codes, self.n_codes), np.uint8)
            for span in tasks:
                walk(self.records, self.intervals, none, span, rule, unused, unused[:, 0], together)
            return together

        marked = np.zeros((self.n_codes, self.n_codes), np.uint8)
        for first in range(0, len(spans), 8 * TASKS_PER_ROUND):
            window = spans[first : first + 8 * TASKS_PER_ROUND]
            tasks = [window[i::TASKS_PER_ROUND] for i in range(TASKS_PER_ROUND)]
            for pairs in run_tasks(self.executor, mark, tasks):
                marked |= pairs | pairs.T
            self._tell(f"sets of {self.size} on the cut", window[-1][1])
        return marked

    def _spans(self, increments: float) -> Iterator[tuple[int, int]]:
        """Cut the codes into spans of about so many increments."""
        done, first = np.cumsum(self.work), 0
        while first < self.n_codes:
            before = done[first - 1] if first else 0.0
            last = max(first + 1, int(np.searchsorted(done, before + increments, side="right")))
            yield first, min(last, self.n_codes)
            first = last

    def _tell(self, phase: str, code: int) -> None:
        if self.progress is not None:
            self.progress(phase, float(self.work[:code].sum()), self.total)
