"""Search for the exact cut.

The search repeatedly solves a linear relaxation of the covering problem, and adds the clauses that its solution
violates.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, inf

import numpy as np

from anonset.algorithms.transaction.exact_cut.clauses import Clauses
from anonset.algorithms.transaction.exact_cut.limits import LimitReached, SearchBudget
from anonset.algorithms.transaction.exact_cut.pairs import CountedPairs, RarePairs, rare_siblings
from anonset.algorithms.transaction.exact_cut.problem import CutProblem, Nodes, below_closed
from anonset.algorithms.transaction.exact_cut.relaxation import Relaxation
from anonset.algorithms.transaction.exact_cut.sets import raise_to_maximal, rare_sets, witness_clauses
from anonset.algorithms.transaction.exact_cut.triples import LEAST_NODES, RareTriples
from anonset.algorithms.transaction.exact_cut.view import OPEN, Point, View
from anonset.data.array_types import Int32
from anonset.data.blocks import StoredRows
from anonset.data.progress import Progress, report_progress
from anonset.generalization import Cut

PROVEN = 1e-9
"""Relative gap that is treated as zero. It is the precision of floating-point bounds."""
_THRESHOLDS = (0.34, 0.42, 0.5, 0.6, 0.67, 0.8, 1.0 - OPEN)
"""Thresholds for the search for rare sets at a fractional solution. A node with at least this value counts
as closed.
"""

_LEAST_NEW = 0.25
"""Minimum share of new nodes at a depth. If the share is smaller, the depth is combined with the next depth."""
_ROUNDINGS = 4
"""Maximum number of rounded solutions that are searched for rare sets with unknown clauses."""


@dataclass(frozen=True)
class SearchStep:
    """A solved relaxation or integer program, and the bounds known after solving it."""

    kind: str
    """``relaxation`` or ``integer``."""
    lower_bound: float
    """Proven lower bound of the loss of any cut (NCP)."""
    loss: float
    """Loss of the best known cut."""
    clauses: int


class ExactSearch:
    """Search for a cut of minimum loss, and for a proof that the cut is optimal.

    Parameters
    ----------
    known
        Initial cut without rare sets.
    gap
        Relative gap at which the search stops.
    """

    def __init__(
        self,
        problem: CutProblem,
        start: Cut,
        limits: SearchBudget,
        *,
        gap: float = 0.0,
        progress: Progress | None = None,
    ) -> None:
        self.problem, self.limits, self.gap, self.progress = problem, limits, gap, progress
        self.best, self.cost, self.bound = start, problem.cost(start), 0
        self.closed: Nodes = problem.begun
        self.records: Sequence[StoredRows] = problem.blocks.rows
        self._gathered: Nodes | None = None
        self._counted: CountedPairs | None = None
        self._triples: Clauses | None = None
        """Clauses of maximal rare triples that may still be violated. None before all triples are enumerated."""
        self._lists_triples = problem.size > 2 and not problem.suppress
        self.steps: list[SearchStep] = []
        self.clauses, self.nodes, self.stopped = 0, 0, ""
        self._threshold = 0

    def run(self) -> None:
        """Search until the best cut is proven optimal, or a limit is reached."""
        try:
            relaxation = self._begin()
            while not self._is_proven:
                point = self._solved(relaxation)
                if point is None or self._refine(relaxation, point):
                    continue
                if point.is_integral and self._accept_point(point):
                    return
                self._round(relaxation)
                if self._is_proven:
                    return
                relaxation.fix(self.cost)
                point = self._solved_integer(relaxation)
                if point is not None and not self._refine(relaxation, point):
                    self._accept_point(point)
                    self.limits.check()
                    return
        except LimitReached as reached:
            self.stopped = str(reached)

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes of a search that was stopped by a limit."""
        return (f"exact stopped ({self.stopped}): {self._distance}",) if self.stopped else ()

    @property
    def _distance(self) -> str:
        if self.bound <= 0:
            return "this is the best result so far; the minimum loss may be smaller"
        return f"the loss is at most {(self.cost - self.bound) / self.bound:.2%} above the minimum of a cut"

    @property
    def _is_proven(self) -> bool:
        return self.cost - self.bound <= max(self.gap, PROVEN) * self.cost

    def _begin(self) -> Relaxation:
        """Return the relaxation with the clauses of rare nodes and rare siblings."""
        problem, parent = self.problem, self.problem.hierarchy.parent
        if problem.suppress:
            relaxation = Relaxation(problem, self.closed, self.cost, self.limits)
            if self.problem.size > 1:
                self._add_siblings(relaxation)
            return relaxation
        self.closed = _with_below(problem, self.closed, parent[problem.rare_nodes])
        if self.problem.size > 1:
            self.closed = _with_below(problem, self.closed, parent[rare_siblings(problem, self.closed)[:, 0]])
        return Relaxation(problem, self.closed, self.cost, self.limits)

    def _view_of_closed(self) -> View:
        point = Point(self.closed.astype(np.float64), np.zeros(self.problem.hierarchy.n_leaves))
        return View(self.problem, self.records, point, 1.0 - OPEN, 2)

    def _gather(self) -> None:
        """Replace items below permanently closed nodes by these nodes, and store the records as a single part."""
        if self._gathered is not self.closed:
            self.records, self._gathered = [self._view_of_closed().gathered()], self.closed

    def _add_siblings(self, relaxation: Relaxation) -> None:
        """Add clauses of rare siblings, starting with the siblings nearest to the root."""
        self._gather()
        problem, hierarchy = self.problem, self.problem.hierarchy
        siblings = rare_siblings(problem, self.closed)
        parent = hierarchy.parent[siblings[:, 0]]
        split = np.zeros(hierarchy.n_nodes, np.bool_)
        split[parent] = True
        highest = ~below_closed(hierarchy, split)[parent]
        view = self._view_of_closed()
        for part in (siblings[highest], siblings[~highest]):
            self._add(relaxation, witness_clauses(view, part))

    def _solved(self, relaxation: Relaxation) -> Point | None:
        point, bound = relaxation.solve()
        self._note("relaxation", bound)
        return point

    def _solved_integer(self, relaxation: Relaxation) -> Point | None:
        point, bound = relaxation.solve_integer(self.best, self.gap)
        self.nodes = relaxation.solver.n_nodes
        self._note("integer", bound)
        return point

    def _note(self, kind: str, bound: float) -> None:
        if bound == inf:  # no cut is better than the best known cut
            self.bound = self.cost
        elif bound > 0:
            self.bound = min(self.cost, max(self.bound, ceil(bound * (1 - PROVEN))))
        total = self.problem.total
        self.steps.append(SearchStep(kind, self.bound / total, self.cost / total, self.clauses))
        report_progress(self.progress, "loss proven to be least", self.bound, self.cost)

    def _accept_point(self, point: Point) -> bool:
        """Convert an integral point without rare sets to a cut. Return True if the best cut is proven optimal."""
        cut = self.problem.cut(point.closed >= 0.5, point.suppressed >= 0.5)
        if self.problem.rank(cut) < self.problem.rank(self.best):
            self.best, self.cost = cut, self.problem.cost(cut)
            self.bound = min(self.bound, self.cost)
        return self._is_proven

    def _round(self, relaxation: Relaxation) -> None:
        """Search for a better cut near the last solution of the relaxation."""
        for _ in range(_ROUNDINGS):
            point = relaxation.rounded()
            if point is None:
                return
            if not self._refine(relaxation, point):
                self._accept_point(point)
                return

    def _refine(self, relaxation: Relaxation, point: Point) -> bool:
        """Add clauses that a solution violates. Return True if any clause was added."""
        if self.problem.size < 2:
            return False
        view = View(self.problem, self.records, point, 1.0 - OPEN, 2)
        pairs = RarePairs(view, self.limits, self._counted)
        if not pairs.is_known:
            self._counted = pairs.counted
        if self._add_sets(relaxation, view, pairs.violated()):
            return True
        if self._lists_triples and self._refine_triples(relaxation, point):
            return True
        listed = 2 if self._triples is None else 3
        thresholds = (0.5,) if point.is_integral else (*_THRESHOLDS[self._threshold :], *_THRESHOLDS[: self._threshold])
        if self.problem.size > listed:
            self._gather()
        for size in range(listed + 1, self.problem.size + 1):
            for threshold in thresholds:
                view = View(self.problem, self.records, point, threshold, size)
                sets = rare_sets(view, size, self.limits)
                if len(sets) and self._add_sets(relaxation, view, raise_to_maximal(view, sets, self.limits)):
                    self._threshold = _THRESHOLDS.index(threshold)
                    return True
        return False

    def _refine_triples(self, relaxation: Relaxation, point: Point) -> bool:
        """Add clauses of rare triples that a solution violates. Return True if any clause was added."""
        n_closed = int(self.closed.sum())
        if self._triples is None:
            self._list_triples(relaxation)
        if self._triples is None:
            return False
        violated = self._triples.violated(point.closed)
        added = self._add(relaxation, self._triples.take(violated))
        self._triples = self._triples.take(~violated)
        return added or int(self.closed.sum()) > n_closed

    def _list_triples(self, relaxation: Relaxation) -> None:
        """Enumerate the rare triples if memory permits, and close the nodes that their clauses force to be closed.

        Triples are enumerated by depth, starting near the root, where there are few nodes. Nodes below closed nodes
        need not be examined.
        """
        problem, hierarchy, inner = self.problem, self.problem.hierarchy, ~self.problem.hierarchy.is_leaf
        looked_at = np.zeros(hierarchy.n_nodes, np.bool_)
        for depth in range(1, int(hierarchy.depth.max()) + 1):
            deep = np.flatnonzero(inner & (hierarchy.depth >= depth)).astype(np.int32)
            triples = RareTriples(problem, _with_below(problem, self.closed, deep), self.limits)
            n_new, n = np.count_nonzero(~looked_at[triples.nodes]), len(triples.nodes)
            if len(deep) and (n < LEAST_NODES or n_new < _LEAST_NEW * n):
                continue
            looked_at[triples.nodes] = True
            listed = triples.clauses()
            self._lists_triples = listed is not None
            if listed is None:
                return
            self.closed = _with_below(problem, self.closed, listed.closing)
            relaxation.close(self.closed)
            if bool(self.closed[deep].all()):  # no deeper node is open
                self._triples = listed.take(~np.any(self.closed[listed.parents], axis=1))
                return

    def _add_sets(self, relaxation: Relaxation, view: View, sets: Int32) -> bool:
        """Add a clause per maximal rare set, or close the nodes that the clause forces to be closed.

        Return True if anything changed.
        """
        if self.problem.suppress:
            return self._add(relaxation, witness_clauses(view, sets))
        clauses = Clauses.of(self.problem, sets)
        closing = clauses.closing
        if len(closing):
            self.closed = _with_below(self.problem, self.closed, closing)
            relaxation.close(self.closed)
        return self._add(relaxation, clauses.take(~np.any(self.closed[clauses.parents], axis=1))) or len(closing) > 0

    def _add(self, relaxation: Relaxation, clauses: Clauses) -> bool:
        relaxation.add(clauses)
        self.clauses += clauses.n
        return clauses.n > 0


def _with_below(problem: CutProblem, closed: Nodes, nodes: Int32) -> Nodes:
    """Close `nodes` and all nodes below closed nodes. Return the closed inner nodes."""
    more = closed.copy()
    more[nodes] = True
    inner: Nodes = (more | below_closed(problem.hierarchy, more)) & ~problem.hierarchy.is_leaf
    return inner
