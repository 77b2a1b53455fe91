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
from anonset.data.table import Int32, Int64
from anonset.errors import InfeasibleError, InputError
from anonset.generalization import Cut

Nodes = NDArray[np.bool_]
"""bool (V,): a set of nodes."""

INCREMENTS_PER_TASK = 1_000_000
TASKS_PER_ROUND = 4
THREATS_PER_TASK = 1 << 14


@dataclass(frozen=True)
class Fix:
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
        taking_part = self._alive & self._in_rare_sets(size) if size > 2 else self._alive
        if taking_part.any():
            self._walk_and_fix(self._expand(taking_part, size), size)

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
            n_found, _ = walk(records.arrays, records.intervals, dead, (0, n_codes), rule, found, support, dead)
            if n_found:
                return tuple(int(v) for v in records.node_of_code[found[0]])
        return None

    @property
    def _alive(self) -> Nodes:
        alive: Nodes = self.dead == 0
        return alive

    def _expand(self, taking_part: Nodes, size: int) -> _Records:
        """Store the records as codes of the nodes that take part, and estimate the walk over sets of `size`."""
        from anonset_kernels.count_tree import expand, walk_sizes

        nodes = self.rank[taking_part[self.rank]]
        code = np.full(self.hierarchy.n_nodes, -1, np.int32)
        code[nodes] = np.arange(len(nodes), dtype=np.int32)
        start = np.concatenate([[0], np.cumsum(self.support[nodes])]).astype(np.int64)
        wide = start[-1] + self.column.n > np.iinfo(np.int32).max
        position: NDArray[np.integer] = np.empty(int(start[-1]), np.int64 if wide else np.int32)
        codes = expand(self.column.indptr, self.column.items, self.image, self.hierarchy.parent, code, start, position)
        intervals = (self.hierarchy.leaf_lo[nodes], self.hierarchy.leaf_hi[nodes])
        return _Records(nodes, (codes, start, position), intervals, walk_sizes(codes, len(nodes), size))

    def _account(self, records: _Records, size: int) -> None:
        work = float(records.work.sum())
        self.increments += work
        if work > self.max_increments:
            msg = f"m must be below {size}: sets of {size} take {work:.3g} increments, max_increments={self.max_increments:.3g}"
            raise InputError(msg)

    def _in_rare_sets(self, size: int) -> Nodes:
        """Mark the nodes that can be in a rare set of `size`: those at or above a member of one on the cut.

        A rare set holds, record by record, a set of the cut below it, which is supported and no more frequent.
        So the cut alone, a much smaller walk, tells which nodes need to be looked at.
        """
        from anonset_kernels.count_tree import MARK, walk

        records = self._expand(np.isin(np.arange(self.hierarchy.n_nodes), self.image), size)
        self._account(records, size)
        unused = np.empty((0, size), np.int32)
        spans = list(self._spans(records, 0))

        def mark_rare(span: tuple[int, int]) -> NDArray[np.uint8]:
            mark = np.zeros(len(records.node_of_code), np.uint8)
            dead = np.zeros(len(records.node_of_code), np.uint8)
            walk(
                records.arrays,
                records.intervals,
                dead,
                span,
                (size, self.k, MARK),
                unused,
                unused[:, 0],
                mark,
            )
            return mark

        found = np.zeros(self.hierarchy.n_nodes + 1, np.int64)
        for span, mark in zip(spans, run_tasks(self.executor, mark_rare, spans), strict=True):
            found[records.node_of_code] |= mark
            self._tell(f"sets of {size} on the cut", records, span[1])
        marked_before = np.concatenate([[0], np.cumsum(found[:-1])])
        at_or_above: Nodes = marked_before[self.hierarchy.subtree_end] > marked_before[:-1]
        return at_or_above

    def _spans(self, records: _Records, first: int) -> Iterator[tuple[int, int]]:
        """Cut the first codes from `first` on into spans of about equal work."""
        n_codes = len(records.node_of_code)
        done = np.cumsum(records.work)
        while first < n_codes:
            before = done[first - 1] if first else 0.0
            last = max(first + 1, int(np.searchsorted(done, before + INCREMENTS_PER_TASK, side="right")))
            yield first, min(last, n_codes)
            first = last

    def _walk_and_fix(self, records: _Records, size: int, mode: int = 0) -> None:
        from anonset_kernels.count_tree import walk

        unused = np.empty(0, np.uint8)
        phase = f"sets of {size}"
        self._account(records, size)

        def find(span: tuple[int, int]) -> tuple[Int32, Int32, int]:
            found, support = (
                np.empty((THREATS_PER_TASK, size), np.int32),
                np.empty(THREATS_PER_TASK, np.int32),
            )
            dead = self.dead[records.node_of_code]
            rule = (size, self.k, mode)
            n_found, following = walk(records.arrays, records.intervals, dead, span, rule, found, support, unused)
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
