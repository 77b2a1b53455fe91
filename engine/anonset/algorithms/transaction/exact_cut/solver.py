"""Linear and integer programs over variables from 0 to 1. HiGHS solves the programs.

The lower bounds of linear programs are recomputed from the dual values.
"""

from typing import Any

import numpy as np

from anonset.algorithms.transaction.exact_cut.limits import SearchBudget
from anonset.algorithms.transaction.exact_cut.rows import SparseRows
from anonset.data.array_types import Bools, Float64, Int32, Int64
from anonset.errors import AnonsetError

_MAGNITUDE = 2.0**17
"""Approximate objective value after scaling. HiGHS has absolute tolerances, so costs are scaled by a power of two."""
_MISSED = 1e-6
"""Rows that a solution violates by more than this value are added to the linear program."""
_ROWS_AT_ONCE = 3_000
"""Maximum number of rows added to the linear program at once. Adding all violated rows is ten times slower."""
_ROWS_OF_A_STEP = 25_000
"""Number of rows at which a branch-and-bound check counts as a complete step. Smaller programs count less."""
_SMALL = 20_000
"""Maximum product of rows and columns of a program that is solved in the main thread. Programs with a time limit are
solved in another thread.
"""
_NEAR, _ROWS_NEAR = 0.5, 20_000
"""The initial integer program also has up to _ROWS_NEAR satisfied rows, with a slack below _NEAR."""
_ROUNDED = (0.34, 0.42, 0.5, 0.6, 0.67, 0.8)
"""Thresholds above which a variable is rounded to 1 at the start of a covering."""
_HALF = 0.5
"""Minimum shortfall of a row that 0-1 values do not satisfy."""
_SAFE = 1e-9
"""Relative error allowance for proofs in floating-point numbers."""


class Solver:
    """Minimizes costs under a growing set of rows. The solver keeps its basis when rows are added.

    The model contains only rows that some solution violated, because few of many rows are needed.

    Parameters
    ----------
    costs
        Cost of each variable, int64 (n,).
    constant
        Constant part of the total cost. Bounds and gaps include it.
    worth
        Approximate value of the optimum, for scaling.
    """

    def __init__(self, costs: Int64, constant: int, rows: SparseRows, worth: int, limits: SearchBudget) -> None:
        self.costs, self.limits, self.rows = costs.astype(np.float64), limits, rows
        self.constant = float(constant)
        self.scale = float(2.0 ** np.round(np.log2(_MAGNITUDE / max(1, worth))))
        self.lower, self.upper, self.values = np.zeros(len(costs)), np.ones(len(costs)), np.zeros(len(costs))
        self.weights, self.reduced, self.proven = np.zeros(rows.n), np.zeros(len(costs)), 0.0
        self.given = np.arange(rows.n)
        """Rows of the model, in model order, int64."""
        self.model = self._model(rows)
        self.n_nodes = 0

    @property
    def free(self) -> Bools:
        """True for variables that are not fixed, bool (n,)."""
        return self.lower < self.upper

    def add(self, rows: SparseRows) -> None:
        """Add rows."""
        self.weights = np.concatenate([self.weights, np.zeros(rows.n)])
        self.rows = self.rows.joined(rows)

    def bound(self, columns: Int32, lower: float, upper: float) -> None:
        """Set the bounds of variables."""
        self.lower[columns], self.upper[columns] = lower, upper
        indices = columns.astype(np.int32)
        self.model.changeColsBounds(len(indices), indices, self.lower[indices], self.upper[indices])

    def solve(self) -> tuple[Float64 | None, float]:
        """Solve the linear program. Return the values and a proven lower bound. The values are None if the program is
        infeasible.

        The bound follows from the dual values. For any row weights y >= 0, every solution costs at least the weighted
        sum of the row bounds plus, for each variable, the reduced cost at the cheaper of its two bounds.

        Raises
        ------
        LimitReached
            If a limit is reached before the program is solved.
        """
        import highspy

        if not len(self.costs):
            return np.empty(0), self.constant
        self.limits.step()
        while True:
            self._run(self.model)
            status = self.model.getModelStatus()
            if status == highspy.HighsModelStatus.kInfeasible:
                return None, np.inf
            if status != highspy.HighsModelStatus.kOptimal:
                self.limits.check()
                raise _failed(status)
            solution = self.model.getSolution()
            self.values = np.clip(np.array(solution.col_value), 0.0, 1.0)
            if not self._add_violated(self.rows.short(self.values)):
                break
        self.weights[:] = 0.0
        self.weights[self.given] = np.maximum(np.array(solution.row_dual), 0.0) / self.scale
        self.reduced = self.costs - self.rows.weighted_sum(self.weights, len(self.costs))
        at_bounds = np.minimum(self.reduced * self.lower, self.reduced * self.upper)
        self.proven = self.constant + float(self.weights @ self.rows.least + at_bounds.sum())
        return self.values, self.proven

    def _add_violated(self, short: Float64) -> bool:
        """Add violated rows that the model does not contain yet. Return True if any rows were added."""
        short[self.given] = 0.0
        missed = self.rows.spread(short, self.free, _MISSED, _ROWS_AT_ONCE)
        chosen = np.zeros(self.rows.n, np.bool_)
        chosen[missed] = True
        rows, infinite = self.rows.take(chosen), np.full(len(missed), np.inf)
        self.given = np.concatenate([self.given, np.flatnonzero(chosen)])
        begins = rows.start[:-1].astype(np.int32)
        self.model.addRows(rows.n, rows.least, infinite, len(rows.columns), begins, rows.columns, rows.values)
        return rows.n > 0

    def rounded(self) -> Float64 | None:
        """Round the values of the last linear program to 0-1 values that satisfy all rows. None if this fails."""
        of_columns = self.rows.of_columns(len(self.costs))
        coverings = [self._covering(self.values >= least, of_columns) for least in _ROUNDED]
        return min(
            (values for values in coverings if values is not None), key=lambda values: self.costs @ values, default=None
        )

    def _covering(self, start: Bools, of_columns: tuple[Int64, Int64, Float64]) -> Float64 | None:
        """Extend the `start` variables to values that satisfy all rows. None if this fails."""
        from anonset_kernels.exact_cut.covering import cover

        values = np.where(start, self.upper, self.lower).astype(np.uint8)
        covers = cover(self.rows.arrays, of_columns, self.costs, self.free.astype(np.uint8), values)
        return values.astype(np.float64) if covers else None

    def fix(self, cost: float) -> None:
        """Fix each variable if changing its value would raise the lower bound of the last linear program to at least
        `cost`.
        """
        free, beyond = self.free, cost * (1 + _SAFE) - self.proven
        self.bound(np.flatnonzero(free & (self.reduced > beyond)).astype(np.int32), 0.0, 0.0)
        self.bound(np.flatnonzero(free & (-self.reduced > beyond)).astype(np.int32), 1.0, 1.0)

    def solve_integer(self, start: Float64, gap: float) -> tuple[Float64 | None, float]:
        """Solve the integer program from a start.

        Return the best known values, and the lower bound that HiGHS reports.

        The initial program contains the rows of the linear model with little slack at its solution, or all rows if
        there are few. Violated rows are added until no row is violated. If a limit stops the search, the best values
        are extended to satisfy all rows.

        Parameters
        ----------
        gap
            Relative gap at which the search stops. The total cost includes the constant.

        Raises
        ------
        LimitReached
            If the time limit is reached and the solver does not stop.
        """
        short = self.rows.short(self.values)
        short[self.given] = -np.inf
        chosen = np.full(self.rows.n, self.rows.n <= _ROWS_NEAR)
        chosen[self.given] = chosen[self.rows.spread(short, self.free, -_NEAR, _ROWS_NEAR)] = True
        while True:
            values, bound, finished = self._solve_integer(self.rows.take(chosen), start, gap)
            if values is None:
                return None, bound
            missed = self.rows.spread(self.rows.short(values), self.free, _HALF, _ROWS_AT_ONCE)
            if not len(missed):
                return values, bound
            if not finished or self.limits.left <= 0:
                return self._covering(values > 0, self.rows.of_columns(len(self.costs))), bound
            chosen[missed] = True

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
        has_solution = abs(info.objective_function_value) < np.inf
        values = np.round(np.array(model.getSolution().col_value)) if has_solution else None
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
        """Run HiGHS so that it can be interrupted. Each check of branch and bound uses a step, or part of a step."""
        stops: list[bool] = []
        of_a_check = min(1.0, model.getNumRow() / _ROWS_OF_A_STEP)

        def heed(event: Any) -> None:
            if stops:
                event.interrupt()

        def count(event: Any) -> None:
            self.limits.steps -= of_a_check
            if stops or self.limits.steps < 0:
                event.interrupt()

        model.cbSimplexInterrupt += heed
        model.cbMipInterrupt += count
        try:
            if self.limits.seconds is None and model.getNumRow() * model.getNumCol() <= _SMALL:
                model.run()  # takes milliseconds, less than starting a thread
            else:
                self.limits.run(model.run, lambda: stops.append(True))
        finally:
            model.cbSimplexInterrupt -= heed
            model.cbMipInterrupt -= count


def _failed(status: Any) -> AnonsetError:
    return AnonsetError(f"exact: the solver ended with the status {status.name}")
