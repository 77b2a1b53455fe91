"""Bitmaps for counters that stop at k. Full counters are skipped, 64 codes at a time."""

import numpy as np

from anonset_kernels._arrays import Int32Array, UInt64Array
from anonset_kernels._bits import bit
from anonset_kernels._jit import kernel


@kernel()
def gather_words(ascending: Int32Array, begin: int, end: int, words: UInt64Array, used: Int32Array) -> int:
    """Store the codes ``ascending[begin:end]`` as the non-zero words of a bitmap. Return the number of words.

    Parameters
    ----------
    ascending
        int32 (any,): codes, ascending from `begin` to `end`.
    words, used
        uint64 (W,) and int32 (W,): filled with the words and their bitmap indices, ascending.
    """
    n_words = 0
    for i in range(begin, end):
        place = ascending[i] >> 6
        if n_words == 0 or used[n_words - 1] != place:
            used[n_words], words[n_words] = place, np.uint64(0)
            n_words += 1
        words[n_words - 1] |= bit(ascending[i] & 63)
    return n_words
