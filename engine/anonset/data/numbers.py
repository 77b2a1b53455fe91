"""Which numbers can be worked with: those that a 64-bit float holds exactly, and not so large that sums overflow."""

import numpy as np
from numpy.typing import NDArray

from anonset.data.table import Int64

LARGEST_NUMBER = 1e300
"""Largest absolute value: differences, and sums over 10^8 records, stay finite."""
_ALL_EXACT = 1 << 53


def unfit(values: NDArray[np.int64] | NDArray[np.float64]) -> tuple[Int64, str]:
    """Return which of some numbers cannot be worked with, and what would be required of the first kind of them.

    Integers are worked with as floats: those of more than 53 significant bits would be rounded, and two of them may
    look equal.

    Returns
    -------
    int64 positions, ascending, and the requirement; none and an empty text if all can be worked with. O(n).

    >>> unfit(np.array([0.1, -1e301, np.inf])), unfit(np.array([1, 2**53 + 1, 2**60]))[0]
    ((array([2]), 'a finite number'), array([1]))
    """
    if values.dtype == np.int64:
        large = np.flatnonzero((values > _ALL_EXACT) | (values < -_ALL_EXACT))
        large_values = values[large].astype(np.int64)
        rounded = large[np.abs(large_values // (large_values & -large_values)) > _ALL_EXACT]
        kinds = [(rounded, "an integer that a 64-bit float holds exactly (all up to 2^53)")]
    else:
        infinite = np.flatnonzero(~np.isfinite(values))
        large = np.flatnonzero(np.abs(values) > LARGEST_NUMBER)
        kinds = [(infinite, "a finite number"), (large, f"a number from -{LARGEST_NUMBER:g} to {LARGEST_NUMBER:g}")]
    return next(((rows.astype(np.int64), asked) for rows, asked in kinds if len(rows)), (np.empty(0, np.int64), ""))
