"""The random numbers of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): the same everywhere for the same seed."""

from collections.abc import Iterator

_MASK = (1 << 64) - 1


def split_mix(seed: int) -> Iterator[int]:
    """Yield 64-bit random numbers.

    >>> random = split_mix(0)
    >>> [f"{next(random):x}" for _ in range(2)]
    ['e220a8397b1dcdaf', '6e789e6aa1b965f4']
    """
    state = seed
    while True:
        state = (state + 0x9E3779B97F4A7C15) & _MASK
        z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
        yield z ^ (z >> 31)
