"""Random numbers of the generator SplitMix64. Sums wrap around (``np.errstate(over="ignore")``)."""

import numpy as np

from anonset_kernels._arrays import UInt64Array
from anonset_kernels._jit import kernel

_27, _30, _31 = np.uint64(27), np.uint64(30), np.uint64(31)
_STEP, _MIX, _MIX_AGAIN = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


@kernel()
def next_number(random: UInt64Array) -> np.uint64:
    """Return the next number and update the state `random`, uint64 (1,)."""
    random[0] += _STEP
    z = random[0]
    z = (z ^ (z >> _30)) * _MIX
    z = (z ^ (z >> _27)) * _MIX_AGAIN
    return z ^ (z >> _31)
