"""Bit count of ``uint64`` words for the verification, which shares no code with the searches."""

import numpy as np

from anonset_kernels._jit import kernel


@kernel()
def number_of_bits(word: np.uint64) -> np.int64:
    """Return the number of set bits of a word. Adds neighboring bit fields of increasing width."""
    word -= (word >> np.uint64(1)) & np.uint64(0x5555555555555555)
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    word += word >> np.uint64(8)
    word += word >> np.uint64(16)
    return np.int64((word + (word >> np.uint64(32))) & np.uint64(0x7F))
