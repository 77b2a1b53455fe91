"""Cover rows by columns: select rows for a linear program, and find a low-cost initial covering.

A row is a sum of columns, each multiplied by 1 or -1. Each row has a lower bound. Rows are stored as (start, columns,
values, least): first index of each row, int64 (n + 1,); its columns, int32 (nnz,), and their factors, float64 (nnz,);
and the bounds, float64 (n,).
"""

import numpy as np

from anonset_kernels._arrays import Float64Array, Int32Array, Int64Array, UInt8Array
from anonset_kernels._jit import kernel

_HALF = 0.5
_Rows = tuple[Int64Array, Int32Array, Float64Array, Float64Array]


@kernel()
def shortfalls(rows: _Rows, point: Float64Array, short: Float64Array) -> None:
    """Fill `short`, float64 (n,), with the difference between bound and value of each of the `rows` at a point.

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
    """Select rows in the given order, except rows with a column that was used `most` times. Return their number.

    `rows` is (start, columns), and `order` is int64 (t,). `used`, int32 (C,), counts the uses of each column. `chosen`,
    int64 (F,), is filled with the selected rows.
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


@kernel(allocates=True)
def cover(
    rows: _Rows,
    of_column: tuple[Int64Array, Int64Array, Float64Array],
    costs: Float64Array,
    free: UInt8Array,
    chosen: UInt8Array,
) -> bool:
    """Add columns until all `rows` reach their bounds, then remove unnecessary columns.

    Returns True if all bounds are met.

    The column that helps the most rows per cost is added next. The most expensive columns are removed first.

    Parameters
    ----------
    of_column
        The entries of `rows`, sorted by column: first index of each column, int64 (C + 1,); its rows, int64 (nnz,); and
        its values in these rows.
    costs, free
        float64 (C,) cost of each column, and uint8 (C,), 1 if it may be added or removed.
    chosen
        uint8 (C,): 1 for the columns in the initial covering. Updated to the final covering.

    O(nnz), plus O(C) for each added column.
    """
    start, columns, values, least = rows
    short, helped = np.empty(len(least)), np.zeros(len(costs), np.int64)
    shortfalls(rows, chosen.astype(np.float64), short)
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
            if free[column] and not chosen[column] and helped[column] > 0:
                worth = helped[column] / max(costs[column], 1.0)
                if worth > most:
                    best, most = column, worth
        if best < 0:
            return False
        chosen[best] = 1
        n_short += _moved(rows, of_column, best, 1.0, short, helped)
    order, changed = np.argsort(-costs, kind="mergesort"), True
    while changed:
        changed = False
        for column in order:
            if chosen[column] and free[column] and costs[column] > 0 and _is_idle(of_column, column, short):
                chosen[column] = 0
                _moved(rows, of_column, column, -1.0, short, helped)
                changed = True
    return True


@kernel()
def _is_idle(of_column: tuple[Int64Array, Int64Array, Float64Array], column: int, short: Float64Array) -> bool:
    """Return True if all rows reach their bounds without `column`."""
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
    """Add a column (`by` 1) or remove it (-1). Return the increase in the number of rows below their bounds."""
    start, columns, values, _ = rows
    begin, row_of, value_of = of_column
    more = 0
    for entry in range(begin[column], begin[column + 1]):
        row = row_of[entry]
        was = short[row] > _HALF
        short[row] -= by * value_of[entry]
        now = short[row] > _HALF
        if was != now:
            step = 1 if now else -1
            more += step
            for place in range(start[row], start[row + 1]):
                if values[place] > 0:
                    helped[columns[place]] += step
    return more
