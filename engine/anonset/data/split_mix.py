"""Random number generator SplitMix64 (Steele, Lea, Flood, OOPSLA 2014). A seed gives the same numbers on all
platforms.
"""

import numpy as np

from anonset.data.array_types import UInt64
from anonset.errors import InputError

_MASK = (1 << 64) - 1
_STEP = 0x9E3779B97F4A7C15


class SplitMix:
    """Generator of a stream of 64-bit random numbers.

    >>> random = SplitMix(0)
    >>> [f"{random.next():x}" for _ in range(3)]
    ['e220a8397b1dcdaf', '6e789e6aa1b965f4', '6c45d188009454f']
    """

    def __init__(self, seed: int = 0) -> None:
        if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
            raise InputError(f"seed must be an integer of at least 0, got {seed!r}")
        self._state = seed & _MASK

    def next(self) -> int:
        """Return the next number, in 0 .. 2^64 - 1."""
        self._state = (self._state + _STEP) & _MASK
        z = self._state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
        return z ^ (z >> 31)

    def words(self, n: int) -> UInt64:
        """Return the next `n` numbers, uint64 (n,).

        >>> [f"{word:x}" for word in SplitMix(0).words(3)]
        ['e220a8397b1dcdaf', '6e789e6aa1b965f4', '6c45d188009454f']
        """
        # array arithmetic wraps around
        z = np.uint64(self._state) + np.arange(1, n + 1, dtype=np.uint64) * np.uint64(_STEP)
        self._state = (self._state + n * _STEP) & _MASK
        return mixed(z)

    def below(self, n: int) -> int:
        """Return an index in 0 .. n - 1, which is the next number modulo n."""
        return self.next() % n

    def distinct(self, n: int, size: int) -> list[int]:
        """Draw `size` distinct indices below `n`. Repeated indices are discarded. `n` must be at least `size`."""
        drawn: dict[int, None] = {}
        while len(drawn) < size:
            drawn.setdefault(self.below(n))
        return list(drawn)


def mixed(z: UInt64) -> UInt64:
    """Return a hash of each number, uint64 (n,). Different numbers have different hashes."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))
