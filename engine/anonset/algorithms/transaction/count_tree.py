"""Searching a hierarchy cut by fixing the rare sets of the count-tree one after the other.

The shared ground of the direct and the apriori anonymization (Terrovitis, Mamoulis, Kalnis, VLDB 2008, sections
4.1, 4.3 and 4.4) and of what is built on them. The count-tree is walked in its own order and never stored. A fix
changes the cut, not the supports, so a walk may run ahead of the fixes: what it reports is looked at again, in
order, and sets that hold a node generalised meanwhile are passed over. The result depends neither on how far a
walk runs ahead nor on the number of workers.
"""

from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonset.algorithms.base import Progress, run_tasks
from anonset.data import Hierarchy, SetColumn
from anonset.data.discreet import Discreet
from anonset.data.table import Int32, Int64
from anonset.errors import InfeasibleError, InputError
from anonset.generalization import Cut

Nodes = NDArray[np.bool_]
"""bool (V,): a set of nodes."""

INCREMENTS_PER_TASK = 1_000_000
TASKS_PER_ROUND = 4
THREATS_PER_TASK = 1 << 14
PAIR_CELLS = 1 << 26
TOGETHER_CELLS = 1 << 28


@dataclass(frozen=True)
class Fix(Discreet):
    """One decision: a rare set and the nodes it made the search generalise to."""

    itemset: tuple[str, ...]
    """The rare set, in the order of the count-tree (descending support)."""
    support: int
    """Its support, below k."""
    rules: tuple[str, ...]
    """The nodes to which everything below them is generalised, in preorder."""


@dataclass(frozen=True, eq=False)
class _Records:
    """The records as seen by one walk: the codes of the nodes that take part."""

    node_of_code: Int32
    arrays: tuple[Int32, Int64, NDArray[np.integer]]
    intervals: tuple[Int32, Int32]
    work: NDArray[np.float64]


class CutSearch:
    """A hierarchy cut under construction, and the rare sets that are still in its way.

    Parameters
    ----------
    column
        The records, bound to the hierarchy (item codes are leaf positions).
    k
        Smallest support that is not rare.
    start
        The cut to begin with; every leaf as it is by default.
    max_increments
        Refuse a walk that would take more.
    """

    def __init__(
        self,
        column: SetColumn,
        hierarchy: Hierarchy,
        k: int,
        *,
        start: Cut | None = None,
        max_increments: float = float("inf"),
        executor: Executor | None = None,
        progress: Progress | None = None,
    ) -> None:
        from anonset_kernels.count_tree import node_supports
        from anonset_kernels.rows import transpose

        self.column, self.hierarchy, self.k, self.max_increments = column, hierarchy, k, max_increments
        self.executor, self.progress = executor, progress
        self.tree = (hierarchy.parent, hierarchy.leaf_lo, hierarchy.leaf_hi, hierarchy.subtree_end)
        self.support = node_supports(column.indptr, column.items, hierarchy.leaf_node, hierarchy.parent)
        self.data = (column.indptr, column.items, *transpose(column.indptr, column.items, hierarchy.n_leaves))
        self.rank = np.lexsort((np.arange(hierarchy.n_nodes), -self.support)).astype(np.int32)
        self.rank = self.rank[(self.rank != 0) & (self.support[self.rank] > 0)]
        self.occurrences = np.concatenate([[0], np.cumsum(column.occurrences)])
        self.image = hierarchy.leaf_node.copy() if start is None else start.image.copy()
        self.dead = np.zeros(hierarchy.n_nodes, np.uint8)
        for node in np.unique(self.image):
            self.dead[node + 1 : hierarchy.subtree_end[node]] = 1
        self.below = self._numerators()
        self.fixes: list[Fix] = []
        self.increments = 0.0

    def _numerators(self) -> Int64:
        """int64 (V,): NCP numerator of the leaves below each node under the current cut."""
        leaves = self.hierarchy.n_leaves_below[self.image].astype(np.int64)
        running = np.concatenate([[0], np.cumsum(np.where(leaves > 1, leaves * self.column.occurrences, 0))])
        numerators: Int64 = running[self.hierarchy.leaf_hi] - running[self.hierarchy.leaf_lo]
        return numerators

    @property
    def cut(self) -> Cut:
        """The cut as it stands."""
        return Cut(self.hierarchy, self.image.copy())

    @property
    def longest(self) -> int:
        """Length of the longest record: no record supports a larger set of nodes, none of which is above another."""
        return int(self.column.lengths.max(initial=0))

    def fix_size(self, size: int) -> None:
        """Make every supported set of exactly `size` nodes of the cut, or above it, frequent (AA's iteration).

        Raises
        ------
        InputError
            If the walk over these sets would take more than `max_increments` increments.
        """
        if size == 1:
            rare = self.rank[(self.support[self.rank] < self.k) & (self.dead[self.rank] == 0)]
            self._fix(np.arange(len(rare), dtype=np.int32)[:, None], self.support[rare].astype(np.int32), rare)
            return
        if size == 2:
            records = self._expand(self._alive, size, placed=False)
            if self._suits_pairs(records):
                self._pair_and_fix(records)
                return
            del records
            self._walk_and_fix(self._expand(self._alive, size), size)
            return
        taking_part, together = self._rare_together(size)
        if taking_part.any():
            self._walk_and_fix(self._expand(taking_part, size), size, together=together)

    def fix_leaves(self, m: int) -> None:
        """Go through the leaves of the count-tree of sets of up to `m` nodes, at any depth (DA's traversal)."""
        from anonset_kernels.count_tree import LEAVES

        if m == 1:
            self.fix_size(1)
            return
        self._walk_and_fix(self._expand(self._alive, m), m, LEAVES)

    def tree_size(self, m: int) -> float:
        """Count the nodes of the count-tree of sets of up to `m` nodes, once for each record that holds them."""
        from anonset_kernels.count_tree import walk_sizes

        records = self._expand(self._alive, 1)
        return sum(float(walk_sizes(records.arrays[0], len(records.node_of_code), i).sum()) for i in range(1, m + 1))

    def rare_set(self, nodes: Int32, m: int) -> tuple[int, ...] | None:
        """Find a supported, but rare, set of at most `m` of the given antichain of nodes."""
        from anonset_kernels.count_tree import EXACT, walk

        rare = nodes[(self.support[nodes] > 0) & (self.support[nodes] < self.k)]
        if len(rare):
            return (int(rare[0]),)
        taking_part = np.zeros(self.hierarchy.n_nodes, bool)
        taking_part[nodes] = True
        for size in range(2, min(m, self.longest) + 1):
            records = self._expand(taking_part, size)
            found, support = np.empty((1, size), np.int32), np.empty(1, np.int32)
            dead, n_codes = np.zeros(len(records.node_of_code), np.uint8), len(records.node_of_code)
            rule = (size, self.k, EXACT)
            everything = np.empty((0, 0), np.uint8)
            n_found, _ = walk(records.arrays, records.intervals, dead, (0, n_codes), rule, found, support, everything)
            if n_found:
                return tuple(int(v) for v in records.node_of_code[found[0]])
        return None

    @property
    def _alive(self) -> Nodes:
        alive: Nodes = self.dead == 0
        return alive

    def _expand(self, taking_part: Nodes, size: int, *, placed: bool = True) -> _Records:
        """Store the records as codes of the nodes that take part, and estimate the walk over sets of `size`.

        Unless `placed`, where each code stands is left out.
        """
        from anonset_kernels.count_tree import expand, walk_sizes

        nodes = self.rank[taking_part[self.rank]]
        code = np.full(self.hierarchy.n_nodes, -1, np.int32)
        code[nodes] = np.arange(len(nodes), dtype=np.int32)
        start = np.concatenate([[0], np.cumsum(self.support[nodes])]).astype(np.int64)
        wide = start[-1] + self.column.n > np.iinfo(np.int32).max
        position: NDArray[np.integer] = np.empty(int(start[-1]) if placed else 0, np.int64 if wide else np.int32)
        codes = expand(self.column.indptr, self.column.items, self.image, self.hierarchy.parent, code, start, position)
        intervals = (self.hierarchy.leaf_lo[nodes], self.hierarchy.leaf_hi[nodes])
        return _Records(nodes, (codes, start, position), intervals, walk_sizes(codes, len(nodes), size))

    def _account(self, records: _Records, size: int) -> None:
        work = float(records.work.sum())
        self.increments += work
        if work > self.max_increments:
            limit = f"max_increments={self.max_increments:.3g}"
            msg = f"m must be below {size}: counting sets of {size} would take {work:.3g} increments, above {limit}"
            raise InputError(msg)

    def _rare_together(self, size: int) -> tuple[Nodes, NDArray[np.uint8]]:
        """Tell which nodes can be in a rare set of `size`, and which of them together.

        A rare set holds, record by record, a set of the cut below it, which is supported and no more frequent. So
        the rare sets of the cut, a much smaller walk, tell which nodes above can be rare together.

        Returns
        -------
        bool (V,); uint8 (R, R)
            The nodes, and for each pair of them in the order of `rank` whether it can be in a rare set.
        """
        on_cut = np.isin(np.arange(self.hierarchy.n_nodes), self.image)
        records = self._expand(on_cut, size)
        self._account(records, size)
        alive = np.flatnonzero(self._alive)
        place = np.full(self.hierarchy.n_nodes, -1)
        place[alive] = np.arange(len(alive))
        if len(alive) ** 2 > TOGETHER_CELLS:
            return self._alive, np.empty((0, 0), np.uint8)
        pairs = np.zeros((len(alive), len(alive)), np.uint8)
        codes = place[records.node_of_code]
        pairs[np.ix_(codes, codes)] = self._mark_rare(records, size)
        above = place[self.hierarchy.parent[alive]]
        for _ in range(2):  # what is marked for a node is marked for all above it: rows first, columns then
            for node in range(len(alive) - 1, 0, -1):
                pairs[above[node]] |= pairs[node]
            pairs = np.ascontiguousarray(pairs.T)
        taking_part = np.zeros(self.hierarchy.n_nodes, bool)
        taking_part[alive] = pairs.any(axis=1)
        in_order = place[self.rank[taking_part[self.rank]]]
        return taking_part, pairs[np.ix_(in_order, in_order)]

    def _mark_rare(self, records: _Records, size: int) -> NDArray[np.uint8]:
        """Mark the pairs of codes that are in a rare set of `size`: uint8 (C, C), symmetric."""
        from anonset_kernels.count_tree import MARK, walk

        n_codes = len(records.node_of_code)
        none, unused = np.zeros(n_codes, np.uint8), np.empty((0, size), np.int32)
        spans = list(self._spans(records, 0))

        def mark(tasks: list[tuple[int, int]]) -> NDArray[np.uint8]:
            together = np.zeros((n_codes, n_codes), np.uint8)
            for span in tasks:
                rule = (size, self.k, MARK)
                walk(records.arrays, records.intervals, none, span, rule, unused, unused[:, 0], together)
            return together

        marked = np.zeros((n_codes, n_codes), np.uint8)
        for first in range(0, len(spans), 8 * TASKS_PER_ROUND):
            window = spans[first : first + 8 * TASKS_PER_ROUND]
            tasks = [window[i::TASKS_PER_ROUND] for i in range(TASKS_PER_ROUND)]
            for pairs in run_tasks(self.executor, mark, tasks):
                marked |= pairs | pairs.T
            self._tell(f"sets of {size} on the cut", records, window[-1][1])
        return marked

    def _spans(
        self, records: _Records, first: int, increments: float = INCREMENTS_PER_TASK
    ) -> Iterator[tuple[int, int]]:
        """Cut the first codes from `first` on into spans of about `increments`."""
        n_codes = len(records.node_of_code)
        done = np.cumsum(records.work)
        while first < n_codes:
            before = done[first - 1] if first else 0.0
            last = max(first + 1, int(np.searchsorted(done, before + increments, side="right")))
            yield first, min(last, n_codes)
            first = last

    def _suits_pairs(self, records: _Records) -> bool:
        """Tell whether counting all pairs at once beats the walk: a matrix that is small, and small for the work."""
        cells = len(records.node_of_code) ** 2
        return self.k <= np.iinfo(np.uint8).max and cells <= PAIR_CELLS and 4 * cells < float(records.work.sum())

    def _pair_and_fix(self, records: _Records) -> None:
        """Fix rare pairs, from a matrix of all pairs' supports: a pass over the records for each task's rows."""
        from anonset_kernels.pairs import count_pairs, rare_pairs

        self._account(records, 2)
        codes, nodes = records.arrays[0], records.node_of_code
        spans = list(self._spans(records, 0, max(float(records.work.sum()) / TASKS_PER_ROUND, 1.0)))

        def count(span: tuple[int, int]) -> NDArray[np.uint8]:
            pairs = np.zeros((span[1] - span[0], len(nodes)), np.uint8)
            count_pairs(codes, span[0], span[1], self.k, pairs)
            return pairs

        found, support = np.empty((THREATS_PER_TASK, 2), np.int32), np.empty(THREATS_PER_TASK, np.int32)
        for (first, last), pairs in zip(spans, run_tasks(self.executor, count, spans), strict=True):
            at = first
            while at < last:
                rest, dead = pairs[at - first :], self.dead[nodes]
                n_found, at = rare_pairs(rest, at, self.k, records.intervals, dead, found, support)
                self._fix(found[:n_found], support[:n_found], nodes)
            self._tell("sets of 2", records, last)

    def _walk_and_fix(
        self, records: _Records, size: int, mode: int = 0, together: NDArray[np.uint8] | None = None
    ) -> None:
        from anonset_kernels.count_tree import walk

        allowed = np.empty((0, 0), np.uint8) if together is None else together
        phase = f"sets of {size}"
        if together is None or not len(together):
            self._account(records, size)
        else:  # an upper bound: which pairs to leave out is known, how many sets that saves is not
            self.increments += float(records.work.sum())

        def find(span: tuple[int, int]) -> tuple[Int32, Int32, int]:
            found, support = (
                np.empty((THREATS_PER_TASK, size), np.int32),
                np.empty(THREATS_PER_TASK, np.int32),
            )
            dead = self.dead[records.node_of_code]
            rule = (size, self.k, mode)
            n_found, following = walk(records.arrays, records.intervals, dead, span, rule, found, support, allowed)
            return found[:n_found], support[:n_found], following

        spans = list(self._spans(records, 0))
        for first in range(0, len(spans), TASKS_PER_ROUND):
            window = spans[first : first + TASKS_PER_ROUND]
            for span, (found, support, following) in zip(
                window, list(run_tasks(self.executor, find, window)), strict=True
            ):
                self._fix(found, support, records.node_of_code)
                while following < span[1]:
                    found, support, following = find((following, span[1]))
                    self._fix(found, support, records.node_of_code)
                self._tell(phase, records, span[1])

    def _fix(self, found: Int32, support: Int32, node_of_code: Int32) -> None:
        from anonset_kernels.fix import fix_threats

        if not len(found):
            return
        fixed, rules = np.empty(len(found), np.int32), np.empty(found.shape, np.int32)
        state = (self.occurrences, self.below, self.image, self.dead, self.support)
        n_fixed = fix_threats(found, node_of_code, self.tree, self.data, state, self.k, fixed, rules)
        labels = self.hierarchy.labels
        for threat, chosen in zip(fixed[:n_fixed].tolist(), rules[:n_fixed].tolist(), strict=True):
            members = tuple(labels[node_of_code[c]] for c in found[threat].tolist() if c >= 0)
            self.fixes.append(Fix(members, int(support[threat]), tuple(labels[v] for v in chosen if v >= 0)))

    def _tell(self, phase: str, records: _Records, code: int) -> None:
        if self.progress is not None:
            total = float(records.work.sum())
            self.progress(phase, float(records.work[:code].sum()), total)


def require_feasible(algorithm: str, column: SetColumn, k: int) -> None:
    """Refuse data with some, but fewer than k, non-empty records: no generalisation makes them k.

    Raises
    ------
    InfeasibleError
        If 0 < n⁺ < k.
    """
    if 0 < column.n_nonempty < k:
        reason = f"there are {column.n_nonempty} non-empty records, at least k={k} are required"
        raise InfeasibleError(algorithm, reason, achieved=float(column.n_nonempty), bound=float(k))
