"""Distinct values by sorting, runs of equal values, and positions of distinct values."""

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from anonset.data.array_types import Bools, Int32

_Number = TypeVar("_Number", np.int32, np.int64, np.float64)


def distinct(values: NDArray[_Number]) -> NDArray[_Number]:
    """Return the distinct numbers of an array, (n,), in ascending order.

    NumPy's `unique` uses a hash table if only the values are requested. For 10^6 numbers this takes 80 times as long as
    sorting.

    >>> distinct(np.array([3, 1, 3]))
    array([1, 3])
    """
    ordered = np.sort(values)
    return ordered[first_of_runs(ordered)]


def first_of_runs(*keys: NDArray[Any]) -> Bools:
    """Return True for the first element of each run of elements that are equal in all arrays, bool (n,).

    >>> first_of_runs(np.array([0, 0, 0, 1]), np.array([5, 5, 6, 6])).tolist()
    [True, False, True, True]
    """
    first = np.ones(len(keys[0]), np.bool_)
    first[1:] = keys[0][1:] != keys[0][:-1]
    for key in keys[1:]:
        first[1:] |= key[1:] != key[:-1]
    return first


def positions(numbers: NDArray[np.integer], n: int, first: int = 0) -> Int32:
    """Return the position of each number from 0 to n - 1 in an array of distinct numbers, int32 (n,). -1 for numbers
    that are missing. Positions begin at `first`.

    >>> positions(np.array([2, 0]), 3)
    array([ 1, -1,  0], dtype=int32)
    """
    position = np.full(n, -1, np.int32)
    position[numbers] = np.arange(first, first + len(numbers), dtype=np.int32)
    return position
