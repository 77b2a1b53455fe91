"""Heaps of the bucketizing kernels: a heap is a stretch of two parallel arrays, the largest key first.

`key` packs an amount (high 32 bits) and, inverted or drawn, what decides between equal amounts (low 32 bits); `at` goes
along and says where the entry's tuples are.
"""

import numpy as np

from anonset_kernels._arrays import Int64Array, Integer
from anonset_kernels._jit import kernel

ONE = 1 << 32
"""One in the amount of a key."""
LOW = ONE - 1
"""The bits of a key below its amount."""


@kernel()
def packed(amount: Integer, code: Integer) -> np.int64:
    """Return the key of an amount and a code."""
    return np.int64(amount) * ONE + (LOW - np.int64(code))


@kernel()
def sift_up(key: Int64Array, at: Int64Array, place: Integer) -> None:
    """Move an entry of the heap of `key` and `at`, (size,) or longer, up to where it belongs."""
    moved, cursor = key[place], at[place]
    while place > 0:
        parent = (place - 1) // 2
        if key[parent] >= moved:
            break
        key[place] = key[parent]
        at[place] = at[parent]
        place = parent
    key[place] = moved
    at[place] = cursor


@kernel()
def sift_down(key: Int64Array, at: Int64Array, size: Integer) -> None:
    """Move the first entry of the heap of `key` and `at`, (size,) or longer, down to where it belongs."""
    place = 0
    moved, cursor = key[0], at[0]
    while 2 * place + 1 < size:
        child = 2 * place + 1
        if child + 1 < size and key[child + 1] > key[child]:
            child += 1
        if key[child] <= moved:
            break
        key[place] = key[child]
        at[place] = at[child]
        place = child
    key[place] = moved
    at[place] = cursor
