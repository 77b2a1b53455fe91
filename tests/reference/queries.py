"""Naive implementation of query estimates: enumerate all possible originals of each published record."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product


@dataclass(frozen=True)
class Stretch:
    """A number uniform in [low, high]."""

    low: Fraction
    high: Fraction


Value = Stretch | tuple[str | Fraction, ...]
"""A stretch, or equally likely values."""
Wanted = tuple[Fraction, Fraction] | Collection[str]
"""Bounds of a number, or labels."""


def share_of(value: Value, wanted: Wanted) -> Fraction:
    """Return the probability that a published value satisfies a condition."""
    if isinstance(value, Stretch):
        low, high = wanted
        if value.low == value.high:
            return Fraction(low <= value.low <= high)
        return max(Fraction(0), min(high, value.high) - max(low, value.low)) / (value.high - value.low)
    if isinstance(wanted, tuple):
        return Fraction(sum(wanted[0] <= x <= wanted[1] for x in value), len(value))
    return Fraction(sum(x in wanted for x in value), len(value))


def worlds(symbols: Sequence[Sequence[str]], reading: str) -> list[set[str]]:
    """Return all item sets that a record's symbols may represent. All are equally likely."""
    most = 1 if reading == "one-member" else max(map(len, symbols), default=0)
    subsets = [[set(c) for size in range(1, most + 1) for c in combinations(s, size)] for s in symbols]
    return [set().union(*chosen) for chosen in product(*subsets)]


def expected_count(
    records: Sequence[tuple[Mapping[str, Value], Sequence[Sequence[str]]]],
    where: Mapping[str, Wanted],
    items: Collection[str],
    reading: str,
) -> Fraction:
    """Return the sum of the records' probabilities."""
    total = Fraction(0)
    for values, symbols in records:
        result = worlds(symbols, reading)
        probability = Fraction(sum(set(items) <= world for world in result), len(result))
        for name, wanted in where.items():
            probability *= share_of(values[name], wanted)
        total += probability
    return total


def true_count(
    records: Sequence[tuple[Mapping[str, str | Fraction], Collection[str]]],
    where: Mapping[str, Wanted],
    items: Collection[str],
) -> int:
    """Count the original records that match."""
    tests: dict[str, Callable[[str | Fraction], bool]] = {}
    for name, wanted in where.items():
        if isinstance(wanted, tuple):
            tests[name] = lambda x, bounds=wanted: bounds[0] <= x <= bounds[1]
        else:
            tests[name] = lambda x, labels=wanted: x in labels
    return sum(set(items) <= set(row) and all(tests[name](values[name]) for name in where) for values, row in records)
