"""Grids of numeric columns. A grid contains the numbers at which published ranges may end.

The smallest and the largest value of a class are values of single records. Published ranges therefore end at round
numbers, which are multiples of 1, 2 or 5 times a power of ten. The steps are fine for dense values and coarse for
sparse values. A grid depends on the data only through sets of at least k records:

* A multiple p of a step s can be an inner end if [p - s, p) or [p, p + s) contains at least k records. Coarse steps
  come first, and p is left out if fewer than k records are between p and a neighbouring end.
* The outer ends are multiples of the smallest step s for which at least k values are less than s away from the
  smallest, or from the largest value.

Each cell of a grid therefore contains at least k records. No inner end depends on the values of fewer than k records.
An outer end can also depend on the smallest or the largest value: with k = 5, ages 79, 79, 79, 79 and 81 end at 85, and
ages 79, 79, 79, 79 and 80 end at 80.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count

import numpy as np

from anonset.data.array_types import Float64, Int64
from anonset.data.distinct import first_of_runs
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.spans import begins_of, spans

Numbers = Int64 | Float64

MOST_CELLS = 1 << 16
"""Maximum number of counted cells. If the values occupy more cells, cells of ten times the width are counted."""
_DIGITS = 15
"""Significant digits that a float preserves."""
_LEAST_EXPONENT = -290
"""Smallest exponent of a step. Much smaller floats have fewer than `_DIGITS` significant digits."""
_EXACT_POWER = 22
"""Largest exponent of a power of ten that is a float."""
_LARGEST_POWER = 18
"""Largest exponent of a power of ten that is an int64."""
_LARGEST_INTEGER = (1 << 63) - 1


@dataclass(frozen=True, eq=False)
class Grid(RedactedRepr):
    """Numbers at which published ranges may end, stored as cells ``[lows[i] : highs[i]]``. Each cell contains at least
    k records.
    """

    lows: Numbers = field(repr=False)
    """Ascending lower ends, int64 or float64 (cells,). Cell i contains the values x with ``lows[i] <= x < lows[i +
    1]``.

    An algorithm may split the values at all lower ends except the first."""
    highs: Numbers = field(repr=False)
    """Ascending upper ends, (cells,): ``lows[i + 1]`` for floats, and ``lows[i + 1] - 1`` for integers. A published
    range includes both ends.
    """

    def __len__(self) -> int:
        """Return the number of cells."""
        return len(self.lows)

    def rounded(self, low: Float64, high: Float64) -> tuple[Numbers, Numbers]:
        """Widen the ranges from `low` to `high` to the ends of the grid. A range of a single value does not change.

        >>> grid = grid_of(np.repeat(np.arange(18, 66, 2), 3), 5)
        >>> grid.rounded(np.array([22.0, 30.0]), np.array([24.0, 30.0]))
        (array([15, 30]), array([24, 30]))
        """
        begin, end = self.around(low, high)
        dtype, several = self.lows.dtype, low < high
        return np.where(several, begin, low.astype(dtype)), np.where(several, end, high.astype(dtype))

    def around(self, low: Float64, high: Float64) -> tuple[Numbers, Numbers]:
        """Return the outer ends of all cells that each range overlaps. A range of a single value becomes the range of
        its cell.
        """
        dtype = self.lows.dtype  # floats represent the integers of a column exactly
        begin = np.searchsorted(self.lows, low.astype(dtype), side="right") - 1
        return self.lows[begin], self.highs[np.searchsorted(self.highs, high.astype(dtype), side="left")]


def grid_of(values: Numbers, k: int) -> Grid:
    """Return the grid of a complete column.

    The grid does not depend on the order of the values, so it is the same in memory, in blocks and on workers.

    Parameters
    ----------
    values
        int64 or float64 (n,): usable numbers (see `anonset.data.decimals.unfit`).
    k
        Minimum number of records of a cell (>= 1). The grid of fewer than k values has a single cell.

    Cost: O(n log n); constant memory.

    Examples
    --------
    >>> grid = grid_of(np.array([17, 20, 21, 22, 24, 26, 27, 29, 35, 93]), 2)
    >>> grid.lows.tolist(), grid.highs.tolist()
    ([15, 22, 25, 30], [21, 24, 29, 100])
    >>> grid_of(np.array([0.1, 0.2, 0.3, 0.3, 0.4, 0.45, 0.9]), 2).highs.tolist()
    [0.3, 0.4, 1.0]
    """
    if not len(values):
        return Grid(values[:0], values[:0])
    counted = _Counted.of(values)
    cuts, outer = _inner_ends(counted, k), _outer_ends(counted, k)
    if values.dtype == np.int64:
        unit = 10**counted.exponent
        low, high = (min(max(end * unit, -_LARGEST_INTEGER - 1), _LARGEST_INTEGER) for end in outer)
        lows = np.array([low, *(cuts * unit).tolist()], np.int64)
        return Grid(lows, np.append(lows[1:] - 1, np.int64(high)))
    ends = _multiples(np.array([outer[0], *cuts.tolist(), outer[1]], np.float64), counted.exponent)
    return Grid(ends[:-1], ends[1:])


@dataclass(frozen=True, eq=False)
class _Counted(RedactedRepr):
    """Record counts in cells. The cell width is the smallest power of ten that needs at most `MOST_CELLS` cells."""

    exponent: int
    cell: Int64
    """int64 (C,), ascending: cell j has the values x with ``j * 10^exponent <= x < (j + 1) * 10^exponent``."""
    below: Int64
    """Number of records below each cell, int64 (C + 1,). The last element is the number of all records."""
    top: int
    """Smallest multiple of the power of ten that is at least the largest value."""

    @classmethod
    def of(cls, values: Numbers) -> "_Counted":
        blocks = [values[first:end] for first, end in spans(len(values))]
        least, largest = min(block.min() for block in blocks), max(block.max() for block in blocks)
        if values.dtype == np.int64:  # floats represent larger integers exactly only if they are multiples of 2^7
            exponent = int(max(abs(int(least)), abs(int(largest))) > 10**_LARGEST_POWER)
        else:
            exponent = _finest(max(abs(least), abs(largest)))
        cell, records = np.empty(0, np.int64), np.empty(0, np.int64)
        for block in blocks:
            block_cells, counts = np.unique(_cells(block, exponent), return_counts=True)
            cell, records = np.append(cell, block_cells), np.append(records, counts)
            order = np.argsort(cell, kind="stable")
            cell, records = _merge_equal_cells(cell[order], records[order])
            while len(cell) > MOST_CELLS:
                exponent += 1
                cell, records = _merge_equal_cells(cell // 10, records)
        if values.dtype == np.int64:
            top = -(-int(largest) // 10**exponent)
        else:
            top = -int(_cells(np.array([-largest]), exponent)[0])
        return cls(exponent, cell, begins_of(records), top)


def _finest(largest: float) -> int:
    """Return the exponent of the smallest power of ten whose multiples up to `largest` are floats of 15 digits."""
    return max(_LEAST_EXPONENT, int(f"{largest:.16e}".partition("e")[2]) + 1 - _DIGITS) if largest else 0


def _cells(values: Numbers, exponent: int) -> Int64:
    """Return the cell of each value.

    The value of a float is the decimal number that Python prints: 0.3 is in cell 3 of the exponent -1, although 0.3 /
    0.1 < 3.
    """
    if values.dtype == np.int64:
        return (values // 10**exponent if exponent else values).astype(np.int64, copy=False)
    cell = np.floor(values * 10.0**-exponent if exponent < 0 else values / 10.0**exponent)
    cell -= _multiples(cell, exponent) > values
    cell += _multiples(cell + 1, exponent) <= values
    return cell.astype(np.int64)


def _multiples(number: Float64, exponent: int) -> Float64:
    """Return the floats nearest to multiples of a power of ten. Python prints them as these multiples."""
    if abs(exponent) > _EXACT_POWER:
        return np.array([float(f"{int(multiple)}e{exponent}") for multiple in number.tolist()], np.float64)
    return number * 10.0**exponent if exponent >= 0 else number / 10.0**-exponent


def _merge_equal_cells(cell: Int64, records: Int64) -> tuple[Int64, Int64]:
    first = np.flatnonzero(first_of_runs(cell))
    return cell[first], np.add.reduceat(records, first)


def _inner_ends(counted: _Counted, k: int) -> Int64:
    """Return the inner ends, ascending, as multiples of the power of ten."""
    cell, below = counted.cell, counted.below
    ends, records_below = np.empty(0, np.int64), np.array([0, below[-1]])  # records below each end
    span = int(cell[-1]) - int(cell[0])
    for power in range(min(len(str(span)), _LARGEST_POWER), -1, -1):
        for step in (5 * 10**power, 2 * 10**power, 10**power):
            wide = cell // step
            first = np.flatnonzero(first_of_runs(wide))
            dense = np.diff(below[np.append(first, len(cell))]) >= k
            for multiple in (wide[first[dense]] + 1, wide[first[dense]]):  # ends above and below a cell of k records
                multiple = multiple[(wide[0] < multiple) & (multiple <= wide[-1])]
                records = below[np.searchsorted(wide, multiple)]
                index = np.searchsorted(records_below, records, side="right")
                fits = (records - records_below[index - 1] >= k) & (
                    records_below[np.minimum(index, len(records_below) - 1)] - records >= k
                )
                ends = np.sort(np.append(ends, multiple[fits] * step))
                records_below = np.sort(np.append(records_below, records[fits]))
    return ends


def _outer_ends(counted: _Counted, k: int) -> tuple[int, int]:
    """Return the lower and the upper outer end as multiples of the power of ten."""
    cell, below, top = counted.cell, counted.below, counted.top
    n, first = int(below[-1]), int(cell[0])
    kth = np.searchsorted(below, [min(k, n), n - min(k, n) + 1]) - 1  # k-th smallest and k-th largest value
    lowest = next(step for step in _steps() if step > int(cell[kth[0]]) - first)
    highest = next(step for step in _steps() if step > top - int(cell[kth[1]]))
    return first // lowest * lowest, -(-top // highest) * highest


def _steps() -> Iterator[int]:
    for power in count():
        yield from (10**power, 2 * 10**power, 5 * 10**power)
