"""Row covers by columns, compared with naive implementations, and the linear programs, compared with SciPy's."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.optimize import LinearConstraint, linprog, milp

from anonset.algorithms.transaction.exact_cut.limits import LimitReached, SearchBudget
from anonset.algorithms.transaction.exact_cut.rows import LEAST_USES, SparseRows
from anonset.algorithms.transaction.exact_cut.solver import Solver
from anonset_kernels.exact_cut.covering import cover
from effort import examples

some = settings(max_examples=examples(200))
rows_of = st.integers(1, 7).flatmap(
    lambda n: st.tuples(
        st.just(n),
        st.lists(
            st.lists(st.tuples(st.integers(0, n - 1), st.sampled_from([1, 1, 1, -1])), min_size=1, max_size=5),
            min_size=1,
            max_size=12,
        ),
    )
)

NO_ROWS = SparseRows(np.zeros(1, np.int64), np.empty(0, np.int32), np.empty(0), np.empty(0))


def sparse(rows: list[list[tuple[int, int]]]) -> SparseRows:
    """Return sparse rows with right side 1, or 0 if a column has a negative sign."""
    result = NO_ROWS
    for row in rows:
        columns = np.array([[column for column, _ in row]], np.int32)
        values = np.array([value for _, value in row], np.float64)
        result = result.joined(SparseRows.of(columns, values, 1.0 - (values < 0).sum()))
    return result


def dense(rows: SparseRows, n_columns: int) -> np.ndarray:
    result = np.zeros((rows.n, n_columns))
    for row in range(rows.n):
        for place in range(rows.start[row], rows.start[row + 1]):
            result[row, rows.columns[place]] += rows.values[place]
    return result


@pytest.mark.long
@some
@given(rows_of, st.lists(st.floats(0, 1), min_size=7, max_size=7), st.integers(1, 12))
@example((7, [[(1, 1)]] * 5), [0.0] * 7, 5)
def test_violated_rows_are_found_and_spread(given: tuple, point: list[float], most: int) -> None:
    n_columns, rows = given[0], sparse(given[1])
    position = np.array(point[:n_columns])
    short = rows.short(position)
    assert np.allclose(short, rows.least - dense(rows, n_columns) @ position)
    free = np.arange(n_columns) % 3 > 0
    actual = rows.spread(short, free, 1e-6, most)
    missed = sorted(np.flatnonzero(short > 1e-6).tolist(), key=lambda row: (-short[row], row))
    used, expected = dict.fromkeys(range(n_columns), 0), []
    uses = max(LEAST_USES, LEAST_USES * most // max(1, int(free.sum())))
    for row in missed:
        columns = rows.columns[rows.start[row] : rows.start[row + 1]].tolist()
        if len(expected) < most and all(used[column] < uses or not free[column] for column in columns):
            expected.append(row)
            for column in columns:
                used[column] += 1
    assert actual.tolist() == expected
    assert len(actual) > 0 or not missed


@pytest.mark.long
@some
@given(rows_of, st.lists(st.integers(0, 9), min_size=7, max_size=7), st.integers(0, 127), st.integers(0, 127))
def test_a_covering_covers_all_rows_without_redundant_columns(
    given: tuple, costs: list[int], fixed: int, taken: int
) -> None:
    n, rows = given[0], sparse(given[1])
    bits = np.arange(n)
    free, begun = ((fixed >> bits) & 1).astype(np.uint8), ((taken >> bits) & 1).astype(np.uint8)
    price, values, matrix = np.array(costs[:n], np.float64), begun.copy(), dense(rows, n)
    covers = cover(rows.arrays, rows.of_columns(n), price, free, values)
    assert (values[free == 0] == begun[free == 0]).all()
    if not covers:
        helps = (matrix > 0) & (free == 1) & (values == 0)
        missed = matrix @ values < rows.least - 0.5
        assert missed.any()
        assert not helps[missed].any(axis=1).all()
        return
    assert (matrix @ values >= rows.least - 0.5).all()
    for column in np.flatnonzero((values == 1) & (free == 1) & (price > 0)):
        less = values.copy()
        less[column] = 0
        assert (matrix @ less < rows.least - 0.5).any()


def made(n_columns: int, n_rows: int, seed: int) -> tuple[np.ndarray, SparseRows, Solver]:
    """Return a problem with more rows than the solver handles at a time, with three random columns each."""
    rng = np.random.default_rng(seed)
    columns = np.array([rng.choice(n_columns, 3, replace=False) for _ in range(n_rows)], np.int32)
    costs = rng.integers(1, 100, n_columns)
    rows = SparseRows.of(columns, np.ones(3), 1.0)
    solver = Solver(costs, 7, NO_ROWS, int(costs.sum()) // 2, SearchBudget(None, 1e6))
    solver.add(rows)
    return costs, rows, solver


@pytest.mark.long
@pytest.mark.compiled
@pytest.mark.parametrize("seed", range(3))
def test_programs_of_many_rows_are_solved_with_few_of_them(seed: int) -> None:
    costs, rows, solver = made(24, 6_000, seed)
    matrix = dense(rows, 24)
    values, bound = solver.solve()
    wanted = linprog(costs, -matrix, -rows.least, bounds=(0, 1))
    assert values is not None
    assert bound == pytest.approx(7 + wanted.fun)
    assert (matrix @ values >= rows.least - 1e-5).all()
    assert len(solver.given) < rows.n / 2
    rounded = solver.rounded()
    best = milp(costs, constraints=LinearConstraint(matrix, lb=rows.least), integrality=np.ones(24), bounds=(0, 1))
    assert rounded is not None
    assert (matrix @ rounded >= rows.least).all()
    assert best.fun <= costs @ rounded + 1e-6
    solution, least = solver.solve_integer(rounded, 0.0)
    assert solution is not None
    assert (matrix @ solution >= rows.least).all()
    assert (7 + costs @ solution, least) == (pytest.approx(7 + best.fun), pytest.approx(7 + best.fun))


@pytest.mark.compiled
@pytest.mark.parametrize("steps", [0.1, 5.0])
def test_a_stopped_integer_program_returns_a_solution_for_all_rows(
    steps: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("anonset.algorithms.transaction.exact_cut.solver._ROWS_NEAR", 1_000)  # of 6,000
    costs, rows, solver = made(40, 6_000, 1)
    solver.solve()
    solver.limits.steps = steps
    solution, bound = solver.solve_integer(np.ones(40), 0.0)
    assert solution is not None
    assert (dense(rows, 40) @ solution >= rows.least).all()
    assert bound <= 7 + costs @ solution
    with pytest.raises(LimitReached):
        solver.limits.check()
