"""Distinct values by sorting."""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

_Number = TypeVar("_Number", np.int32, np.int64, np.float64)


def distinct(values: NDArray[_Number]) -> NDArray[_Number]:
    """Return the distinct numbers of an array, (n,), in ascending order.

    NumPy's `unique` uses a hash table if only the values are requested. For 10^6 numbers this takes 80 times as long as
    sorting.

    >>> distinct(np.array([3, 1, 3]))
    array([1, 3])
    """
    ordered = np.sort(values)
    new = np.ones(len(ordered), np.bool_)
    new[1:] = ordered[1:] != ordered[:-1]
    return ordered[new]
