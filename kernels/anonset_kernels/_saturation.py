"""Counters that stop at k, and bitmaps of those that have not: what is full is passed over, 64 codes at a time."""

import numpy as np

from anonset_kernels._arrays import Int32Array, UInt64Array
from anonset_kernels._bits import bit
from anonset_kernels._jit import kernel


@kernel()
def gather_words(ascending: Int32Array, begin: int, end: int, words: UInt64Array, used: Int32Array) -> int:
    """Store the codes ``ascending[begin:end]`` as the words of a bitmap that are not zero; return their number.

    Parameters
    ----------
    ascending
        int32 (any,): codes, ascending from `begin` to `end`.
    words, used
        uint64 (W,) and int32 (W,): filled with the words and their places, ascending.
    """
    n_words = 0
    for at in range(begin, end):
        place = ascending[at] >> 6
        if n_words == 0 or used[n_words - 1] != place:
            used[n_words], words[n_words] = place, np.uint64(0)
            n_words += 1
        words[n_words - 1] |= bit(ascending[at] & 63)
    return n_words
