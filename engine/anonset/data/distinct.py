"""Distinct values by sorting, and positions of distinct values."""

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from anonset.data.array_types import Int32

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


def positions(numbers: NDArray[np.integer], n: int, first: int = 0) -> Int32:
    """Return the position of each number from 0 to n - 1 in an array of distinct numbers, int32 (n,). -1 for numbers
    that are missing. Positions begin at `first`.

    >>> positions(np.array([2, 0]), 3)
    array([ 1, -1,  0], dtype=int32)
    """
    position = np.full(n, -1, np.int32)
    position[numbers] = np.arange(first, first + len(numbers), dtype=np.int32)
    return position
