"""Naive implementation of the grid of range ends, over lists of exact numbers."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import ceil, floor

Number = int | float
Cells = list[tuple[Fraction, Fraction]]
_DIGITS = 15


def grid(values: Sequence[Number], k: int, most: int) -> Cells:
    """Return the grid cells of the numbers, ascending, each by two ends."""
    all_integers = all(isinstance(value, int) for value in values)
    exact = [Fraction(repr(value)) for value in values]
    unit = _finest(max(map(abs, exact)))
    if all_integers:
        unit = Fraction(10 if max(map(abs, exact)) > 10**18 else 1)
    while len({floor(value / unit) for value in exact}) > most:
        unit *= 10
    cells = sorted(floor(value / unit) for value in exact)
    ends = _inner(cells, k)
    low, high = (end * unit for end in _outer(cells, ceil(max(exact) / unit), k))
    if all_integers:  # range ends are 64-bit integers
        low, high = max(low, Fraction(-(2**63))), min(high, Fraction(2**63 - 1))
    lows = [low, *(end * unit for end in ends)]
    highs = [*(end * unit - all_integers for end in ends), high]
    return list(zip(lows, highs, strict=True))


def _finest(largest: Fraction) -> Fraction:
    if not largest:
        return Fraction(1)
    power = len(str(largest.numerator)) - len(str(largest.denominator))
    power += 0 if largest >= Fraction(10) ** power else -1
    return Fraction(10) ** max(-290, power + 1 - _DIGITS)


def _inner(cells: list[int], k: int) -> list[int]:
    ends: list[int] = []
    for step in reversed(list(_steps(10 * (cells[-1] - cells[0] + 1)))):
        counts = Counter(cell // step for cell in cells)
        dense = [cell for cell in counts if counts[cell] >= k]
        for multiples in ([(cell + 1) * step for cell in dense], [cell * step for cell in dense]):
            for end in sorted(multiples):
                position = bisect_left(ends, end)
                bounds = [0, *(bisect_left(cells, known) for known in ends), len(cells)]
                records = bisect_left(cells, end)
                if records - bounds[position] >= k and bounds[position + 1] - records >= k:
                    ends.insert(position, end)
    return ends


def _outer(cells: list[int], top: int, k: int) -> tuple[int, int]:
    nth = min(k, len(cells))
    lowest = next(step for step in _steps() if cells[nth - 1] - cells[0] < step)
    highest = next(step for step in _steps() if top - cells[-nth] < step)
    return cells[0] // lowest * lowest, -(-top // highest) * highest


def _steps(largest: int | None = None) -> Iterator[int]:
    power = 1
    while largest is None or power <= largest:
        yield from (power, 2 * power, 5 * power)
        power *= 10
