"""Heaps of the bucketization kernels. A heap is a slice of two parallel arrays, with the largest key first.

A key consists of an amount (high 32 bits) and an inverted or random tie-breaker (low 32 bits). The second array
contains the index of each entry's tuples and is moved together with the keys.
"""

import numpy as np

from anonset_kernels._arrays import Int64Array, Integer
from anonset_kernels._jit import kernel

ONE = 1 << 32
"""Add this to a key to increase its amount by one."""
LOW = ONE - 1
"""Mask of the tie-breaker bits."""


@kernel()
def packed(amount: Integer, code: Integer) -> np.int64:
    return np.int64(amount) * ONE + (LOW - np.int64(code))


@kernel()
def sift_up(key: Int64Array, cursors: Int64Array, place: Integer) -> None:
    """Move the entry at `place` up to its position in the heap of `key` and `cursors`, (size,) or longer."""
    moved, cursor = key[place], cursors[place]
    while place > 0:
        parent = (place - 1) // 2
        if key[parent] >= moved:
            break
        key[place] = key[parent]
        cursors[place] = cursors[parent]
        place = parent
    key[place] = moved
    cursors[place] = cursor


@kernel()
def sift_down(key: Int64Array, cursors: Int64Array, size: Integer) -> None:
    """Move the first entry down to its position in the heap of `key` and `cursors`, (size,) or longer."""
    place = 0
    moved, cursor = key[0], cursors[0]
    while 2 * place + 1 < size:
        child = 2 * place + 1
        if child + 1 < size and key[child + 1] > key[child]:
            child += 1
        if key[child] <= moved:
            break
        key[place] = key[child]
        cursors[place] = cursors[child]
        place = child
    key[place] = moved
    cursors[place] = cursor
