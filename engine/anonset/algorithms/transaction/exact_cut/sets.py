"""Rare sets of three and more nodes: those of a cut, lifted to maximal ones above it; the records that hold sets."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from anonset.algorithms.transaction.exact_cut.clauses import TOLERANCE, Clauses
from anonset.algorithms.transaction.exact_cut.limits import SearchBudget
from anonset.algorithms.transaction.exact_cut.problem import CutProblem, Float64, Tree
from anonset.algorithms.transaction.exact_cut.view import View
from anonset.data.redacted_repr import Discreet
from anonset.data.table import Int32
from anonset_kernels._arrays import Expanded, Intervals

if TYPE_CHECKING:
    from anonset_kernels.count_tree import Rule

SETS_PER_ROUND = 6_000
SETS_PER_NODE = 400
"""Of the sets that begin with one node so many are taken, from all over them: more of them say little more."""
MAX_TOGETHER = 1 << 28
"""Pairs of nodes of a cut of which a byte each may tell whether they can be in a violated set."""
WITNESSES_PER_ROUND = 1 << 18
CLAUSES_PER_ROUND = 20_000
LEAST_USES, USES_PER_ROUND = 3, 30_000
"""Clauses of one round that an item is in: at least so many, and of few items so many in all.

With more, some items fill the round, and it takes many more rounds; with three of 915 items, it takes many more too.
"""
SETS_PER_CALL = 500
"""Sets that are lifted before the limits are looked at again."""
LEAST_SENT = 1e8
"""Sets of a window from which on workers of a cluster count it: fewer are counted here before tasks are there."""
_ROOM = 40_000
_WINDOW = 16


def rare_sets(view: View, size: int, limits: SearchBudget) -> Int32:
    """Return rare sets of a view's cut whose clauses are violated, int32 (n, size), from left to right.

    Those that begin with nodes of few records come first, and of many sets not all are there. At a point of zeros and
    ones there are none only if the cut has no rare set. Cost: one increment for each set of `size` in each record,
    below the nodes that are looked at, less where pairs tell that a clause holds.

    Raises
    ------
    LimitReached
        If no step or no time is left before that.
    """
    from anonset_kernels.count_tree import EXACT, Rule, walk_sizes

    problem, nodes, closed = view.problem, view.cut, view.point.closed
    found = [np.empty((0, size), np.int32)]
    if len(nodes) < size:
        return found[0]
    weight = view.point.out_of_reach(problem)
    allowed = _allowed(problem, nodes, weight, closed)
    records, rule = view.expanded(nodes), Rule(size, problem.k, EXACT)
    intervals = Intervals(problem.hierarchy.leaf_lo[nodes], problem.hierarchy.leaf_hi[nodes])
    work = walk_sizes(records.codes, len(nodes), size)
    find = _Find(records, intervals, rule, allowed, nodes, problem.tree, weight, closed)
    for last in range(len(nodes), 0, -_WINDOW):
        firsts = range(last - 1, max(0, last - _WINDOW) - 1, -1)
        of_window = float(work[firsts[-1] : last].sum())
        limits.count(of_window)
        store, of_task = view.here, 1
        if view.store.workers.remote and of_window >= LEAST_SENT:
            store = view.store
            of_task = -(-len(firsts) // len(store.workers.divided(firsts)))
        tasks = [firsts[at : at + of_task] for at in range(0, len(firsts), of_task)]
        found += (sets for several in store.map(find, tasks) for sets in several)
        if sum(map(len, found)) >= SETS_PER_ROUND:
            break
    return np.concatenate(found)


@dataclass(frozen=True, eq=False)
class _Find(Discreet):
    """Finds violated rare sets of a cut below some nodes; the records, where they lie in files, go by their names."""

    records: Expanded
    intervals: Intervals
    rule: "Rule"
    allowed: NDArray[np.uint8]
    nodes: Int32
    tree: Tree
    weight: Float64
    """float64 (V,): how far each node is out of reach."""
    closed: Float64

    def __call__(self, firsts: Iterable[int]) -> list[Int32]:
        """Return some from all over those that begin with each node, int32 (n, size), given the nodes' places."""
        return [self._below(first) for first in firsts]

    def _below(self, first: int) -> Int32:
        from anonset_kernels.count_tree import walk

        size, span = self.rule.size, (first, first + 1)
        codes, support = np.empty((_ROOM, size), np.int32), np.empty(_ROOM, np.int32)
        none_dead = np.zeros(len(self.nodes), np.uint8)
        n_found, _ = walk(self.records, self.intervals, none_dead, span, self.rule, codes, support, self.allowed)
        sets: Int32 = np.sort(self.nodes[codes[:n_found]], axis=1)
        sets = sets[_slack(self.tree, sets, self.weight[sets], self.closed) > TOLERANCE]
        return sets[:: -(-len(sets) // SETS_PER_NODE)] if len(sets) else sets


def lifted(view: View, sets: Int32, limits: SearchBudget) -> Int32:
    """Return maximal rare sets above the given ones, each once, in canonical order.

    Raises
    ------
    LimitReached
        If time is up before that.
    """
    from anonset_kernels.rare_sets import lift

    rows, postings, problem = view.rows, view.postings(sets), view.problem

    def raise_some(some: Int32) -> Int32:
        limits.check()
        raised = some.copy()
        lift(rows, postings, problem.tree, problem.k, raised)
        return raised

    parts = [sets[first : first + SETS_PER_CALL] for first in range(0, len(sets), SETS_PER_CALL)]
    return np.unique(np.concatenate([sets[:0], *view.here.map(raise_some, parts)]), axis=0)


def witnessed(view: View, sets: Int32) -> Clauses:
    """Return clauses of sets, each with the items of a record that holds it, that are violated.

    No item is in more of them than `USES_PER_ROUND` allows; the most violated come first. There are none only where
    all hold.
    """
    from anonset_kernels.covering import spread_rows
    from anonset_kernels.rare_sets import witnesses

    problem, point, size = view.problem, view.point, sets.shape[1]
    slack = _slack(problem.tree, sets, point.closed[problem.hierarchy.parent[sets]], point.closed)
    order = np.argsort(-slack, kind="stable")
    sets, slack = sets[order], slack[order]
    room = max(_ROOM, problem.k)
    found = (np.empty((room, size), np.int32), np.empty(room, np.int32), np.empty(room))
    items, which, violation = [np.empty((0, size), np.int32)], [np.empty(0, np.int32)], [np.empty(0)]
    at, n_found, postings = 0, 0, view.postings(sets)
    while at < len(sets) and n_found < WITNESSES_PER_ROUND:
        n, at = witnesses(view.rows, postings, problem.tree, sets, slack, point.suppressed, at, found)
        items.append(found[0][:n].copy())
        which.append(found[1][:n].copy())
        violation.append(found[2][:n].copy())
        n_found += n
    held = np.concatenate(items)
    order = np.argsort(-np.concatenate(violation), kind="stable")
    chosen = np.empty(min(CLAUSES_PER_ROUND, len(order)), np.int64)
    n_leaves = problem.hierarchy.n_leaves
    most, used = max(LEAST_USES, USES_PER_ROUND // n_leaves), np.zeros(n_leaves, np.int32)
    rows = np.arange(0, held.size + 1, size), held.ravel()
    chosen = chosen[: spread_rows(rows, order, most, used, chosen)]
    return Clauses.of(problem, sets[np.concatenate(which)[chosen]], held[chosen])


def _allowed(problem: CutProblem, nodes: Int32, weight: Float64, closed: Float64) -> NDArray[np.uint8]:
    """Tell which nodes can be in a violated set together, as `walk` takes it: uint8 (C, C); empty means all."""
    from anonset_kernels.rare_sets import allow_violated

    n = len(nodes) if len(nodes) ** 2 <= MAX_TOGETHER else 0
    allowed = np.zeros((n, n), np.uint8)
    allow_violated(problem.tree, nodes[:n], weight[nodes[:n]], closed, allowed)
    return allowed


def _slack(tree: Tree, sets: Int32, weights: Float64, closed: Float64) -> Float64:
    """Return by how much the clauses of sets are violated, given how far each member is out of reach: float64 (n,)."""
    from anonset_kernels.rare_sets import meeting_nodes

    meetings = meeting_nodes(tree, sets)
    slack: Float64 = 1.0 - weights.sum(axis=1) + closed[meetings].sum(axis=1)
    return slack
