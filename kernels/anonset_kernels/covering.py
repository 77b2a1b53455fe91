"""Covering rows by columns: which rows a linear program is given next, and a cheap covering to begin with.

A row is the sum of some columns, each times 1 or -1, that must be at least a bound. Rows come as (start, columns,
values, least): int64 (n + 1,) where each begins, int32 (nnz,), float64 (nnz,) and the bounds, float64 (n,).
"""

import numpy as np

from anonset_kernels._arrays import Float64Array, Int32Array, Int64Array, UInt8Array
from anonset_kernels._jit import kernel

_HALF = 0.5
_Rows = tuple[Int64Array, Int32Array, Float64Array, Float64Array]


@kernel()
def missing(rows: _Rows, point: Float64Array, short: Float64Array) -> None:
    """Tell by how much each of the `rows` falls short of its bound at a point: `short`, float64 (n,), filled here.

    `point` is float64 (C,). O(nnz).
    """
    start, columns, values, least = rows
    for row in range(len(least)):
        total = least[row]
        for place in range(start[row], start[row + 1]):
            total -= values[place] * point[columns[place]]
        short[row] = total


@kernel()
def spread_rows(
    rows: tuple[Int64Array, Int32Array], order: Int64Array, most: int, used: Int32Array, chosen: Int64Array
) -> int:
    """Choose `rows` in the given order, none of whose columns was chosen `most` times; return their number.

    `rows` are (start, columns); `order` is int64 (t,); `used`, int32 (C,), counts how often each column was chosen;
    `chosen`, int64 (F,), is filled here.
    """
    start, columns = rows
    n_chosen = 0
    for row in order:
        if n_chosen == len(chosen):
            break
        free = True
        for place in range(start[row], start[row + 1]):
            free &= used[columns[place]] < most
        if free:
            for place in range(start[row], start[row + 1]):
                used[columns[place]] += 1
            chosen[n_chosen] = row
            n_chosen += 1
    return n_chosen


@kernel()
def cover(
    rows: _Rows,
    of_column: tuple[Int64Array, Int64Array, Float64Array],
    costs: Float64Array,
    free: UInt8Array,
    taken: UInt8Array,
) -> bool:
    """Take columns until all `rows` are at their bounds, then give back what is not needed; tell whether they are.

    The column is taken next that helps most rows for its cost; the dearest are given back first.

    Parameters
    ----------
    of_column
        The same rows by columns: int64 (C + 1,) where each column begins, int64 (nnz,) its rows, and their values.
    costs, free
        float64 (C,) cost of each column, and uint8 (C,), whether it may be taken or given back.
    taken
        uint8 (C,): which columns are taken at the start; filled here.

    O(nnz) and, for each column that is taken, O(C).
    """
    start, columns, values, least = rows
    short, helped = np.empty(len(least)), np.zeros(len(costs), np.int64)
    missing(rows, taken.astype(np.float64), short)
    n_short = 0
    for row in range(len(least)):
        if short[row] > _HALF:
            n_short += 1
            for place in range(start[row], start[row + 1]):
                if values[place] > 0:
                    helped[columns[place]] += 1
    while n_short > 0:
        best, most = -1, 0.0
        for column in range(len(costs)):
            if free[column] and not taken[column] and helped[column] > 0:
                worth = helped[column] / max(costs[column], 1.0)
                if worth > most:
                    best, most = column, worth
        if best < 0:
            return False
        taken[best] = 1
        n_short += _moved(rows, of_column, best, 1.0, short, helped)
    order, changed = np.argsort(-costs, kind="mergesort"), True
    while changed:
        changed = False
        for column in order:
            if taken[column] and free[column] and costs[column] > 0 and _is_idle(of_column, column, short):
                taken[column] = 0
                _moved(rows, of_column, column, -1.0, short, helped)
                changed = True
    return True


@kernel()
def _is_idle(of_column: tuple[Int64Array, Int64Array, Float64Array], column: int, short: Float64Array) -> bool:
    """Tell whether all rows stay at their bounds without a column."""
    begin, row_of, value_of = of_column
    for place in range(begin[column], begin[column + 1]):
        if short[row_of[place]] + value_of[place] > _HALF:
            return False
    return True


@kernel()
def _moved(
    rows: _Rows,
    of_column: tuple[Int64Array, Int64Array, Float64Array],
    column: int,
    by: float,
    short: Float64Array,
    helped: Int64Array,
) -> int:
    """Take a column (`by` 1) or give it back (-1); return by how much the number of rows grows that fall short."""
    start, columns, values, _ = rows
    begin, row_of, value_of = of_column
    more = 0
    for at in range(begin[column], begin[column + 1]):
        row = row_of[at]
        was = short[row] > _HALF
        short[row] -= by * value_of[at]
        now = short[row] > _HALF
        if was != now:
            step = 1 if now else -1
            more += step
            for place in range(start[row], start[row + 1]):
                if values[place] > 0:
                    helped[columns[place]] += step
    return more
