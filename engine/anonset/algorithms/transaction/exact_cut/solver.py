"""Linear and integer programs over variables between 0 and 1, by HiGHS; its bounds are not trusted but computed."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonset.algorithms.transaction.exact_cut.limits import SearchBudget
from anonset.algorithms.transaction.exact_cut.problem import Float64
from anonset.algorithms.transaction.exact_cut.rows import SparseRows
from anonset.data.table import Int32, Int64
from anonset.errors import AnonsetError

_MAGNITUDE = 2.0**17
"""About the value of the objective, after scaling the costs by a power of two: HiGHS's tolerances are absolute."""
_MISSED = 1e-6
"""What a row must fall short by at a point to be given to the linear program."""
_ROWS_AT_ONCE = 3_000
"""Rows that the linear program is given at a time: with all that fall short it takes ten times as long."""
_ROWS_OF_A_STEP = 25_000
"""Rows of an integer program of which a check of branch and bound is one step; of fewer it is a part of one."""
_SMALL = 20_000
"""Rows times columns of a program that is solved in the same thread if there is no time limit."""
_NEAR, _ROWS_NEAR = 0.5, 20_000
"""The integer program begins with so many rows more, of those that fall short by a little less than nothing."""
_ROUNDED = (0.34, 0.42, 0.5, 0.6, 0.67, 0.8)
"""From what value on variables are taken for 1 to begin a covering with."""
_HALF = 0.5
"""What a row falls short by more than where values of 0 and 1 do not meet it."""
_SAFE = 1e-9
"""Relative error that is allowed for in what is proven by floating-point numbers."""


class Solver:
    """Minimizes costs under rows, to which more are added; one live model keeps its basis.

    The model holds those rows alone that some solution fell short of: of many rows few are needed.

    Parameters
    ----------
    costs
        int64 (n,): cost of each variable.
    constant
        What is added to their sum: bounds and gaps are of both together.
    worth
        About the value of the optimum, for scaling.
    """

    def __init__(self, costs: Int64, constant: int, rows: SparseRows, worth: int, limits: SearchBudget) -> None:
        self.costs, self.limits, self.rows = costs.astype(np.float64), limits, rows
        self.constant = float(constant)
        self.scale = float(2.0 ** np.round(np.log2(_MAGNITUDE / max(1, worth))))
        self.lower, self.upper, self.values = np.zeros(len(costs)), np.ones(len(costs)), np.zeros(len(costs))
        self.weights, self.reduced, self.proven = np.zeros(rows.n), np.zeros(len(costs)), 0.0
        self.given = np.arange(rows.n)
        """int64: the rows of the model, as they stand there."""
        self.model = self._model(rows)
        self.n_nodes = 0

    @property
    def free(self) -> NDArray[np.bool_]:
        """Bool (n,): the variables that are not fixed."""
        return self.lower < self.upper

    def add(self, rows: SparseRows) -> None:
        """Add rows."""
        self.weights = np.concatenate([self.weights, np.zeros(rows.n)])
        self.rows = self.rows.joined(rows)

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
            if not self._give(self.rows.short(self.values)):
                break
        self.weights[:] = 0.0
        self.weights[self.given] = np.maximum(np.array(solution.row_dual), 0.0) / self.scale
        self.reduced = self.costs - self.rows.weighted_sum(self.weights, len(self.costs))
        at_bounds = np.minimum(self.reduced * self.lower, self.reduced * self.upper)
        self.proven = self.constant + float(self.weights @ self.rows.least + at_bounds.sum())
        return self.values, self.proven

    def _give(self, short: Float64) -> bool:
        """Give the model rows that fall short by so much, and tell whether there are some; it has none of them."""
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
        """Return values of 0 and 1 under all rows, made from those of the last linear program; None: it found none."""
        of_columns = self.rows.of_columns(len(self.costs))
        tried = [self._covering(self.values >= least, of_columns) for least in _ROUNDED]
        return min(
            (values for values in tried if values is not None), key=lambda values: self.costs @ values, default=None
        )

    def _covering(self, taken: NDArray[np.bool_], of_columns: tuple[Int64, Int64, Float64]) -> Float64 | None:
        """Return values under all rows, from some that are taken on; None: it found none."""
        from anonset_kernels.covering import cover

        values = np.where(taken, self.upper, self.lower).astype(np.uint8)
        covers = cover(self.rows.arrays, of_columns, self.costs, self.free.astype(np.uint8), values)
        return values.astype(np.float64) if covers else None

    def fix(self, cost: float) -> None:
        """Fix the variables whose other value costs at least `cost`, by the last linear program solved."""
        free, beyond = self.free, cost * (1 + _SAFE) - self.proven
        self.bound(np.flatnonzero(free & (self.reduced > beyond)).astype(np.int32), 0.0, 0.0)
        self.bound(np.flatnonzero(free & (-self.reduced > beyond)).astype(np.int32), 1.0, 1.0)

    def solve_integer(self, start: Float64, gap: float) -> tuple[Float64 | None, float]:
        """Solve the integer program from a start: the best values found, and HiGHS's lower bound.

        It begins with the rows of the model of the linear program and some that nearly fall short of its solution, or
        with all where they are few; others are added as they are violated. Where it has to stop, what it has is made
        to hold for all rows.

        Parameters
        ----------
        gap
            Gap that is good enough, as a share of all costs with the constant.

        Raises
        ------
        LimitReached
            If the time limit is reached, and the solver does not stop.
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
        """Run HiGHS so that it can be stopped; each check of a branch and bound takes a step, or a part of one."""
        told: list[bool] = []
        of_a_check = min(1.0, model.getNumRow() / _ROWS_OF_A_STEP)

        def heed(event: Any) -> None:
            if told:
                event.interrupt()

        def count(event: Any) -> None:
            self.limits.steps -= of_a_check
            if told or self.limits.steps < 0:
                event.interrupt()

        model.cbSimplexInterrupt += heed
        model.cbMipInterrupt += count
        try:
            if self.limits.seconds is None and model.getNumRow() * model.getNumCol() <= _SMALL:
                model.run()  # milliseconds: a thread would take longer to start
            else:
                self.limits.run(model.run, lambda: told.append(True))
        finally:
            model.cbSimplexInterrupt -= heed
            model.cbMipInterrupt -= count


def _failed(status: Any) -> AnonsetError:
    return AnonsetError(f"exact: the solver ended with the status {status.name}")
