"""Linear and integer programs over variables between 0 and 1, by HiGHS; its bounds are not trusted but computed."""

from typing import Any

import numpy as np

from anonset.algorithms.transaction.exact_cut.limits import Limits
from anonset.algorithms.transaction.exact_cut.problem import Float64
from anonset.algorithms.transaction.exact_cut.rows import SparseRows
from anonset.data.table import Int32, Int64
from anonset.errors import AnonsetError

_MAGNITUDE = 2.0**17
"""About the value of the objective, after scaling the costs by a power of two: HiGHS's tolerances are absolute."""
_SAFE = 1e-9
"""Relative error that is allowed for in what is proven by floating-point numbers."""


class Solver:
    """Minimizes costs under rows, to which more are added; one live model keeps its basis.

    Parameters
    ----------
    costs
        int64 (n,): cost of each variable.
    constant
        What is added to their sum: bounds and gaps are of both together.
    worth
        About the value of the optimum, for scaling.
    """

    def __init__(self, costs: Int64, constant: int, rows: SparseRows, worth: int, limits: Limits) -> None:
        self.costs, self.limits, self.rows = costs.astype(np.float64), limits, SparseRows.none()
        self.constant = float(constant)
        self.scale = float(2.0 ** np.round(np.log2(_MAGNITUDE / max(1, worth))))
        self.lower, self.upper = np.zeros(len(costs)), np.ones(len(costs))
        self.weights, self.reduced, self.proven = np.zeros(rows.n), np.zeros(len(costs)), 0.0
        self.model = self._model(rows)
        self.rows = rows
        self.n_nodes = 0

    def add(self, rows: SparseRows) -> None:
        """Add rows."""
        self.weights = np.concatenate([self.weights, np.zeros(rows.n)])
        self.rows = self.rows.joined(rows)
        infinite = np.full(rows.n, np.inf)
        start = rows.start[:-1].astype(np.int32)
        self.model.addRows(rows.n, rows.least, infinite, len(rows.columns), start, rows.columns, rows.values)

    def bound(self, columns: Int32, lower: float, upper: float) -> None:
        """Bound variables."""
        self.lower[columns], self.upper[columns] = lower, upper
        wanted = columns.astype(np.int32)
        self.model.changeColsBounds(len(wanted), wanted, self.lower[wanted], self.upper[wanted])

    def solve(self) -> tuple[Float64 | None, float]:
        """Solve the linear program: values, and a proven lower bound; no values where it is infeasible.

        The bound comes from the dual values: for weights y >= 0 of the rows, whatever they are, no solution costs less
        than the weighted sum of the rows' bounds and, for each variable, the lesser of its reduced cost at its bounds.

        Raises
        ------
        LimitReached
            If a limit is reached before it is solved.
        """
        import highspy

        if not len(self.costs):
            return np.empty(0), self.constant
        self.limits.step()
        self._run(self.model)
        status = self.model.getModelStatus()
        if status == highspy.HighsModelStatus.kInfeasible:
            return None, np.inf
        if status != highspy.HighsModelStatus.kOptimal:
            self.limits.check()
            raise _failed(status)
        solution = self.model.getSolution()
        self.weights = np.maximum(np.array(solution.row_dual), 0.0) / self.scale
        self.reduced = self.costs - self.rows.weighted_sum(self.weights, len(self.costs))
        at_bounds = np.minimum(self.reduced * self.lower, self.reduced * self.upper)
        self.proven = self.constant + float(self.weights @ self.rows.least + at_bounds.sum())
        return np.clip(np.array(solution.col_value), 0.0, 1.0), self.proven

    def fix(self, cost: float) -> None:
        """Fix the variables whose other value costs at least `cost`, by the last linear program solved."""
        free, beyond = self.lower < self.upper, cost * (1 + _SAFE) - self.proven
        self.bound(np.flatnonzero(free & (self.reduced > beyond)).astype(np.int32), 0.0, 0.0)
        self.bound(np.flatnonzero(free & (-self.reduced > beyond)).astype(np.int32), 1.0, 1.0)

    def solve_integer(self, start: Float64, gap: float, *, lazily: bool) -> tuple[Float64 | None, float]:
        """Solve the integer program from a start: the best values found, and HiGHS's lower bound.

        Parameters
        ----------
        gap
            Gap that is good enough, as a share of all costs with the constant.
        lazily
            Begin with the rows that the linear program needed for its bound, and add others as they are violated.
            Where rows are of two terms that takes a fifth of the time; where they are of more, much longer.

        Raises
        ------
        LimitReached
            If the time limit is reached, and the solver does not stop.
        """
        chosen = (self.weights > 0) | (self.rows.least == 0) | (not lazily)
        while True:
            values, bound, finished = self._solve_integer(self.rows.take(chosen), start, gap)
            if values is None or not finished or self.limits.left <= 0:
                return values, bound
            violated = self.rows.products(values) < self.rows.least - 0.5
            if not violated.any():
                return values, bound
            chosen |= violated

    def _solve_integer(self, rows: SparseRows, start: Float64, gap: float) -> tuple[Float64 | None, float, bool]:
        import highspy

        model, states = self._model(rows, integer=True), highspy.HighsModelStatus
        options = {"mip_rel_gap": gap, "mip_abs_gap": 1e-6, "mip_allow_restart": False, "mip_heuristic_effort": 0.0}
        for option, value in (options | {"time_limit": min(self.limits.left, 1e9)}).items():
            model.setOptionValue(option, value)
        guess = highspy.HighsSolution()
        guess.col_value = start.tolist()
        model.setSolution(guess)
        self._run(model)
        status, info = model.getModelStatus(), model.getInfo()
        self.n_nodes += max(0, int(info.mip_node_count))
        if status == states.kInfeasible:
            return None, np.inf, True
        if status not in (states.kOptimal, states.kTimeLimit, states.kInterrupt):
            raise _failed(status)
        found = abs(info.objective_function_value) < np.inf
        values = np.round(np.array(model.getSolution().col_value)) if found else None
        return values, info.mip_dual_bound / self.scale, status == states.kOptimal

    def _model(self, rows: SparseRows, *, integer: bool = False) -> Any:
        import highspy

        program = highspy.HighsLp()
        program.num_col_, program.num_row_ = len(self.costs), rows.n
        program.col_cost_, program.offset_ = self.costs * self.scale, self.constant * self.scale
        program.col_lower_, program.col_upper_ = self.lower, self.upper
        program.row_lower_, program.row_upper_ = rows.least, np.full(rows.n, np.inf)
        program.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        program.a_matrix_.start_ = rows.start.astype(np.int32)
        program.a_matrix_.index_, program.a_matrix_.value_ = rows.columns, rows.values
        if integer:
            program.integrality_ = [highspy.HighsVarType.kInteger] * len(self.costs)
        model: Any = highspy.Highs()  # type: ignore[no-untyped-call]
        for option, value in (("output_flag", False), ("threads", 1), ("parallel", "off")):
            model.setOptionValue(option, value)
        model.passModel(program)
        return model

    def _run(self, model: Any) -> None:
        """Run HiGHS so that it can be stopped; each check of a branch and bound is a step."""
        told: list[bool] = []

        def heed(event: Any) -> None:
            if told:
                event.interrupt()

        def count(event: Any) -> None:
            self.limits.steps -= 1
            if told or self.limits.steps < 0:
                event.interrupt()

        model.cbSimplexInterrupt += heed
        model.cbMipInterrupt += count
        try:
            self.limits.run(model.run, lambda: told.append(True))
        finally:
            model.cbSimplexInterrupt -= heed
            model.cbMipInterrupt -= count


def _failed(status: Any) -> AnonsetError:
    return AnonsetError(f"exact: the solver ended with the status {status.name}")
