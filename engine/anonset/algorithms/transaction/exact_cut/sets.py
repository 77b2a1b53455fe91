"""Find rare sets of three or more nodes on a cut, raise them to maximal sets, and list records that contain them.

A rare set is maximal if it is no longer rare once a member is replaced by its parent.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from anonset.algorithms.transaction.exact_cut.clauses import TOLERANCE, Clauses
from anonset.algorithms.transaction.exact_cut.limits import SearchBudget
from anonset.algorithms.transaction.exact_cut.problem import CutProblem, Tree
from anonset.algorithms.transaction.exact_cut.view import View
from anonset.data.array_types import Float64, Int32, UInt8
from anonset.data.redacted_repr import RedactedRepr
from anonset_kernels._arrays import ExpandedCodes, Intervals

if TYPE_CHECKING:
    from anonset_kernels.rare_sets.count_tree import SupportRule

SETS_PER_ROUND = 6_000
SETS_PER_NODE = 400
"""Maximum number of sets with the same first node. An even selection is used if there are more, because further sets
have little effect.
"""
MAX_TOGETHER = 1 << 28
"""Maximum size of the byte matrix that marks the node pairs that can occur in a violated set."""
WITNESSES_PER_ROUND = 1 << 18
CLAUSES_PER_ROUND = 20_000
LEAST_USES, USES_PER_ROUND = 3, 30_000
"""Limits on the clauses with the same item in a round: max(LEAST_USES, USES_PER_ROUND // number of items).

Higher limits lead to many more rounds, because a few items occur in most clauses of a round. A limit of three for 915
items also leads to many more rounds.
"""
SETS_PER_CALL = 500
"""Number of rare sets that a call replaces by maximal rare sets. The limits are checked between calls."""
LEAST_SENT = 1e8
"""Minimum number of sets in a window that is counted on cluster workers. Smaller windows are not worth sending."""
_ROOM = 40_000
_WINDOW = 16


def rare_sets(view: View, size: int, limits: SearchBudget) -> Int32:
    """Return rare sets of a view's cut with violated clauses, int32 (n, size), from left to right.

    Sets whose first node is in few records come first. If there are many sets, only a selection is returned. At an
    integral point, the result is empty only if the cut has no rare set.
    Cost: a counting step for each set of `size` examined nodes in each record, minus sets that the pairs exclude.

    Raises
    ------
    LimitReached
        If no step or no time remains during the search.
    """
    from anonset_kernels.rare_sets.count_tree import EXACT, SupportRule, walk_sizes

    problem, nodes, closed = view.problem, view.cut, view.point.closed
    parts = [np.empty((0, size), np.int32)]
    if len(nodes) < size:
        return parts[0]
    weight = view.point.unpublished_degree(problem)
    allowed = _allowed(problem, nodes, weight, closed)
    records, rule = view.expanded(nodes), SupportRule(size, problem.k, EXACT)
    intervals = Intervals(problem.hierarchy.leaf_lo[nodes], problem.hierarchy.leaf_hi[nodes])
    work = walk_sizes(records.codes, len(nodes), size)
    find = _ViolationSearch(records, intervals, rule, allowed, nodes, problem.tree, weight, closed)
    for last in range(len(nodes), 0, -_WINDOW):
        firsts = range(last - 1, max(0, last - _WINDOW) - 1, -1)
        of_window = float(work[firsts[-1] : last].sum())
        limits.count(of_window)
        store, of_task = view.local_store, 1
        if view.store.workers.remote and of_window >= LEAST_SENT:
            store = view.store
            of_task = -(-len(firsts) // len(store.workers.divided(firsts)))
        tasks = [firsts[begin : begin + of_task] for begin in range(0, len(firsts), of_task)]
        parts += (sets for several in store.map(find, tasks) for sets in several)
        if sum(map(len, parts)) >= SETS_PER_ROUND:
            break
    return np.concatenate(parts)


@dataclass(frozen=True, eq=False)
class _ViolationSearch(RedactedRepr):
    """Search for violated rare sets of a cut below some nodes. Records in files are passed to tasks by file name."""

    records: ExpandedCodes
    intervals: Intervals
    rule: "SupportRule"
    allowed: UInt8
    nodes: Int32
    tree: Tree
    weight: Float64
    """Degree to which each node is unpublished, float64 (V,). See `Point.unpublished_degree`."""
    closed: Float64

    def __call__(self, firsts: Iterable[int]) -> list[Int32]:
        """Return an even selection of the sets that start with each of the nodes in `firsts`, int32 (n, size).

        Nodes are given by their positions.
        """
        return [self._below(first) for first in firsts]

    def _below(self, first: int) -> Int32:
        from anonset_kernels.rare_sets.count_tree import walk

        size, span = self.rule.size, (first, first + 1)
        codes, support = np.empty((_ROOM, size), np.int32), np.empty(_ROOM, np.int32)
        none_dead = np.zeros(len(self.nodes), np.uint8)
        n_found, _ = walk(self.records, self.intervals, none_dead, span, self.rule, codes, support, self.allowed)
        sets: Int32 = np.sort(self.nodes[codes[:n_found]], axis=1)
        sets = sets[_violation(self.tree, sets, self.weight[sets], self.closed) > TOLERANCE]
        return sets[:: -(-len(sets) // SETS_PER_NODE)] if len(sets) else sets


def raise_to_maximal(view: View, sets: Int32, limits: SearchBudget) -> Int32:
    """Return the distinct maximal rare sets above the given sets, in canonical order.

    Raises
    ------
    LimitReached
        If no time remains.
    """
    from anonset_kernels.exact_cut.rare_sets import raise_members

    rows, postings, problem = view.rows, view.postings(sets), view.problem

    def raise_some(some: Int32) -> Int32:
        limits.check()
        raised = some.copy()
        raise_members(rows, postings, problem.tree, problem.k, raised)
        return raised

    parts = [sets[first : first + SETS_PER_CALL] for first in range(0, len(sets), SETS_PER_CALL)]
    return np.unique(np.concatenate([sets[:0], *view.local_store.map(raise_some, parts)]), axis=0)


def witness_clauses(view: View, sets: Int32) -> Clauses:
    """Return violated clauses of sets, each with the items of a record that contains the set.

    The most violated clauses are first. The number of clauses with the same item is limited (`USES_PER_ROUND`). The
    result is empty only if no clause is violated.
    """
    from anonset_kernels.exact_cut.covering import spread_rows
    from anonset_kernels.exact_cut.rare_sets import witnesses

    problem, point, size = view.problem, view.point, sets.shape[1]
    slack = _violation(problem.tree, sets, point.closed[problem.hierarchy.parent[sets]], point.closed)
    order = np.argsort(-slack, kind="stable")
    sets, slack = sets[order], slack[order]
    capacity = max(_ROOM, problem.k)
    buffers = (np.empty((capacity, size), np.int32), np.empty(capacity, np.int32), np.empty(capacity))
    items, set_numbers, violation = [np.empty((0, size), np.int32)], [np.empty(0, np.int32)], [np.empty(0)]
    position, n_found, postings = 0, 0, view.postings(sets)
    while position < len(sets) and n_found < WITNESSES_PER_ROUND:
        n, position = witnesses(view.rows, postings, problem.tree, sets, slack, point.suppressed, position, buffers)
        items.append(buffers[0][:n].copy())
        set_numbers.append(buffers[1][:n].copy())
        violation.append(buffers[2][:n].copy())
        n_found += n
    witness_items = np.concatenate(items)
    order = np.argsort(-np.concatenate(violation), kind="stable")
    chosen = np.empty(min(CLAUSES_PER_ROUND, len(order)), np.int64)
    n_leaves = problem.hierarchy.n_leaves
    most, used = max(LEAST_USES, USES_PER_ROUND // n_leaves), np.zeros(n_leaves, np.int32)
    rows = np.arange(0, witness_items.size + 1, size), witness_items.ravel()
    chosen = chosen[: spread_rows(rows, order, most, used, chosen)]
    return Clauses.of(problem, sets[np.concatenate(set_numbers)[chosen]], witness_items[chosen])


def _allowed(problem: CutProblem, nodes: Int32, weight: Float64, closed: Float64) -> UInt8:
    """Return 1 for node pairs that can be in a violated set, uint8 (C, C). Empty if this is true for all pairs."""
    from anonset_kernels.exact_cut.rare_sets import allow_violated

    n = len(nodes) if len(nodes) ** 2 <= MAX_TOGETHER else 0
    allowed = np.zeros((n, n), np.uint8)
    allow_violated(problem.tree, nodes[:n], weight[nodes[:n]], closed, allowed)
    return allowed


def _violation(tree: Tree, sets: Int32, weights: Float64, closed: Float64) -> Float64:
    """Return the violation of the clause of each set, float64 (n,). `weights` is the unpublished degree of
    each member.
    """
    from anonset_kernels.exact_cut.rare_sets import meeting_nodes

    meetings = meeting_nodes(tree, sets)
    slack: Float64 = 1.0 - weights.sum(axis=1) + closed[meetings].sum(axis=1)
    return slack
