"""Steps of a walk over the prefixes of encoded records.

A record is a row of ascending codes, followed by a negative value.
"""

from typing import TypeVar

import numpy as np

from anonset_kernels._arrays import Codes, Count, IndexArray, Int64Array, Stack, UInt64Array
from anonset_kernels._bits import bit
from anonset_kernels._jit import kernel

_Array = TypeVar("_Array", bound=IndexArray)


@kernel()
def count_extensions(codes: Codes, starts: IndexArray, count: Count, words: UInt64Array) -> None:
    """Count the codes that follow a prefix at the positions `starts`, int32 or int64 (r,). O(codes).

    Sets the bit of each counted code in `words`, uint64 (W,).
    """
    for p in starts:
        position = p + 1
        c = codes[position]
        while c >= 0:
            if count[c] == 0:
                words[c >> 6] |= bit(c & 63)
            count[c] += 1
            position += 1
            c = codes[position]


@kernel()
def project(codes: Codes, stack: Stack, begin: int, end: int, place: Int64Array) -> None:
    """Write the positions of each extension `c` with ``place[c] >= 0`` to ``stack[place[c]:]``, and advance `place`.

    ``stack[begin:end]`` contains the positions of the prefix. `place` is int64 (C,).
    """
    for p in range(begin, end):
        position = stack[p] + 1
        c = codes[position]
        while c >= 0:
            if place[c] >= 0:
                stack[place[c]] = position
                place[c] += 1
            position += 1
            c = codes[position]


@kernel(allocates=True)
def with_room(array: _Array, used: int, length: int) -> _Array:
    """Return the array. If it is shorter than `length`, return an enlarged copy of its first `used` values."""
    if length <= len(array):
        return array
    grown = np.empty(length + length // 2, array.dtype)
    for n in range(used):
        grown[n] = array[n]
    return grown  # type: ignore[return-value]  # its dtype is that of the array
