"""Sort records by their keys. The key of a record is the ascending list of the children of a node that it contains.

`key_start` is the start of each key in `keys`, int64 (n + 1,), for int32 `keys`.
"""

import numpy as np

from anonset_kernels._arrays import Int32Array, Int64Array
from anonset_kernels._jit import kernel


@kernel()
def compare_keys(key_start: Int64Array, keys: Int32Array, a: int, b: int) -> int:
    """Compare two keys lexicographically. Return a negative number, zero or a positive number."""
    i, j = key_start[a], key_start[b]
    while i < key_start[a + 1] and j < key_start[b + 1]:
        if keys[i] != keys[j]:
            return int(np.int64(keys[i]) - np.int64(keys[j]))
        i += 1
        j += 1
    return (key_start[a + 1] - i) - (key_start[b + 1] - j)


@kernel(allocates=True)
def sort_keys(key_start: Int64Array, keys: Int32Array) -> Int32Array:
    """Return the records sorted by key, int32 (n,). A stable merge sort."""
    n = len(key_start) - 1
    order, other, width = np.arange(n).astype(np.int32), np.empty(n, np.int32), 1
    while width < n:
        for begin in range(0, n, 2 * width):
            middle, end = min(begin + width, n), min(begin + 2 * width, n)
            a, b = begin, middle
            for place in range(begin, end):
                if b == end or (a < middle and compare_keys(key_start, keys, order[a], order[b]) <= 0):
                    other[place] = order[a]
                    a += 1
                else:
                    other[place] = order[b]
                    b += 1
        order, other = other, order
        width *= 2
    return order
