"""Linear relaxation and integer program of a cut problem. Clauses are added during the search."""

import numpy as np

from anonset.algorithms.transaction.exact_cut.clauses import Clauses
from anonset.algorithms.transaction.exact_cut.limits import SearchBudget
from anonset.algorithms.transaction.exact_cut.problem import CutProblem, Nodes, entries
from anonset.algorithms.transaction.exact_cut.rows import SparseRows
from anonset.algorithms.transaction.exact_cut.solver import Solver
from anonset.algorithms.transaction.exact_cut.view import Point
from anonset.data.array_types import Float64, Int64
from anonset.data.distinct import positions
from anonset.generalization import Cut
from anonset.generalization.recoding import SUPPRESSED


class Relaxation:
    """Linear program with the known clauses. Its variables are closed nodes and suppressed leaves, from 0 to 1.

    There is a variable for each frequent inner node that is not yet permanently closed. With suppression, there is also
    a variable for each frequent leaf below these nodes. A node that is rare by itself is never published. A rare inner
    node is closed if the lowest frequent node above it is closed. A rare leaf is suppressed unless that node is closed.

    Parameters
    ----------
    closed
        True for nodes that are permanently closed, bool (V,). All nodes below a closed node must be closed.
    worth
        Approximate value of the optimum.
    """

    def __init__(self, problem: CutProblem, closed: Nodes, worth: int, limits: SearchBudget) -> None:
        hierarchy, frequent = problem.hierarchy, problem.support >= problem.k
        self.problem, self.closed = problem, closed & problem.occurring
        open_ = problem.occurring & ~closed
        self.nodes = np.flatnonzero(open_ & frequent).astype(np.int32)
        self.leaves = np.flatnonzero(problem.suppress & frequent[hierarchy.leaf_node]).astype(np.int32)
        rare = (problem.support > 0) & ~frequent & problem.suppress
        self.rare_leaves = np.flatnonzero(rare[hierarchy.leaf_node]).astype(np.int32)
        self.saviour = hierarchy.parent[entries(hierarchy, rare)]
        """Parent of the highest rare node above each rare leaf, int32 (M,). If it is closed, the leaf is not
        suppressed.
        """
        self.of_node = positions(self.nodes, hierarchy.n_nodes)
        rare_inner = np.flatnonzero(rare & open_)
        self.of_node[rare_inner] = self.of_node[self.saviour[hierarchy.leaf_lo[rare_inner]]]
        self.of_leaf = positions(self.leaves, hierarchy.n_leaves, len(self.nodes))
        constant = int(problem.weights[self.closed].sum() + problem.suppression_costs[self.rare_leaves].sum())
        self.solver = Solver(self._costs(open_), constant, self._order(), worth, limits)

    def _costs(self, open_: Nodes) -> Int64:
        """Return the cost of each variable. Closing a `saviour` saves the suppression of its rare leaves."""
        problem = self.problem
        costs = np.zeros(len(self.nodes) + len(self.leaves), np.int64)
        np.add.at(costs, self.of_node[open_], problem.weights[open_])
        saved = self.of_node[self.saviour[self.rare_leaves]]
        np.subtract.at(costs, saved, problem.suppression_costs[self.rare_leaves])
        costs[len(self.nodes) :] = problem.suppression_costs[self.leaves]
        return costs

    def _order(self) -> SparseRows:
        """Return linear constraints: a child of a closed node is closed, or a leaf that is not suppressed."""
        parent = self.problem.hierarchy.parent
        children = self.nodes[parent[self.nodes] >= 0]
        closing = np.stack([self.of_node[children], self.of_node[parent[children]]], axis=1)
        above = parent[self.problem.hierarchy.leaf_node[self.leaves]]
        node_or_leaf = np.stack([self.of_node[above], self.of_leaf[self.leaves]], axis=1)
        first = SparseRows.of(closing, np.array([1.0, -1.0]), 0.0)
        return first.joined(SparseRows.of(node_or_leaf, np.array([-1.0, -1.0]), -1.0))

    def add(self, clauses: Clauses) -> None:
        """Add clauses that the last solution violates."""
        is_rare = self.of_leaf[clauses.items] < 0
        items = np.where(is_rare, self.of_node[self.saviour[clauses.items]], self.of_leaf[clauses.items])
        columns = np.hstack([self.of_node[clauses.parents], self.of_node[clauses.meetings], items])
        signs = np.ones(columns.shape)
        signs[:, clauses.parents.shape[1] :][:, : clauses.meetings.shape[1]] = -1.0
        signs[:, columns.shape[1] - items.shape[1] :][is_rare] = -1.0
        self.solver.add(SparseRows.of(columns, signs, 1.0 - is_rare.sum(axis=1)))

    def close(self, nodes: Nodes) -> None:
        """Close nodes permanently."""
        self.solver.bound(self.of_node[self.nodes[nodes[self.nodes]]], 1.0, 1.0)

    def solve(self) -> tuple[Point | None, float]:
        """Solve the relaxation. Return the solution and a proven lower bound of the cost of any cut.

        The solution is None if `fix` excluded all solutions, because none costs less than the cost given to `fix`.

        Raises
        ------
        LimitReached
            If a limit is reached before the relaxation is solved.
        """
        values, bound = self.solver.solve()
        return self._point(values), bound

    def solve_integer(self, start: Cut, gap: float) -> tuple[Point | None, float]:
        """Solve the integer program from a feasible cut. Return the best known solution and a lower bound.

        Raises
        ------
        LimitReached
            If the time limit is reached and the solver does not stop.
        """
        values, bound = self.solver.solve_integer(self._values(start), gap)
        return self._point(values), bound

    def rounded(self) -> Point | None:
        """Round the last solution to an integral point that satisfies all known clauses. None if this fails."""
        return self._point(self.solver.rounded())

    def fix(self, cost: int) -> None:
        """Fix each variable that has the same value in all cuts cheaper than `cost`, as the last relaxation proves."""
        self.solver.fix(float(cost))

    def _point(self, values: Float64 | None) -> Point | None:
        if values is None:
            return None
        hierarchy = self.problem.hierarchy
        closed, suppressed = np.zeros(hierarchy.n_nodes), np.zeros(hierarchy.n_leaves)
        closed[self.closed] = 1.0
        variables = np.flatnonzero(self.of_node >= 0)
        closed[variables] = values[self.of_node[variables]]
        suppressed[self.leaves] = values[len(self.nodes) :]
        suppressed[self.rare_leaves] = 1.0 - closed[self.saviour[self.rare_leaves]]
        return Point(closed, suppressed)

    def _values(self, cut: Cut) -> Float64:
        hierarchy = self.problem.hierarchy
        image = np.where(cut.image == SUPPRESSED, hierarchy.leaf_node, cut.image)
        inside = image[hierarchy.leaf_lo[self.nodes]]
        closed = (inside <= self.nodes) & (hierarchy.subtree_end[inside] >= hierarchy.subtree_end[self.nodes])
        return np.concatenate([closed, cut.image[self.leaves] == SUPPRESSED]).astype(np.float64)
