"""The random numbers of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): the same everywhere for the same seed."""

from anonset.errors import InputError

_MASK = (1 << 64) - 1


class SplitMix:
    """A stream of 64-bit random numbers.

    >>> random = SplitMix(0)
    >>> [f"{random.next():x}" for _ in range(3)]
    ['e220a8397b1dcdaf', '6e789e6aa1b965f4', '6c45d188009454f']
    """

    def __init__(self, seed: int = 0) -> None:
        if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
            msg = f"seed must be an integer of at least 0, got {seed!r}"
            raise InputError(msg)
        self._state = seed & _MASK

    def next(self) -> int:
        """Return the next number, in 0 .. 2^64 - 1."""
        self._state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        z = self._state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
        return z ^ (z >> 31)

    def below(self, n: int) -> int:
        """Return an index in 0 .. n - 1: the next number modulo n."""
        return self.next() % n

    def distinct(self, n: int, size: int) -> list[int]:
        """Return `size` distinct indices below `n` (>= `size`), in the order drawn; a repeated one is drawn again."""
        found: dict[int, None] = {}
        while len(found) < size:
            found.setdefault(self.below(n))
        return list(found)
