"""Functions that checks of claims use to compute the growth of a curve and to format figures."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from benchmarks.experiments.cases import ONLY, Finding, Results

from anonset.jobs.trials.growth import LINEAR_WITHIN, Line, fitted_power

Check = Callable[[Results], tuple[bool, str]]
"""Function that returns the outcome of a check, and the measured figures as text."""


def exponent(points: Iterable[tuple[float | str, float]]) -> float:
    """Return the exponent of the best-fitting power law, which is the slope between the logarithms.

    >>> round(exponent([(1, 3), (2, 12), (4, 48)]), 9)
    2.0
    """
    return fitted_power([(float(x), y) for x, y in points])[0]


LINEAR = (
    f"a line a + b·x with a >= 0 differs from each value by at most {LINEAR_WITHIN:.0%}, "
    "and b·x is at least a at the largest x"
)
"""Criterion of `grows_linearly`."""


def grows_linearly(curve: Iterable[tuple[float | str, float]]) -> tuple[bool, str]:
    """Return True if a curve grows linearly, and the fitted line as text.

    >>> grows_linearly([(1, 7.0), (10, 25.0), (100, 205.0)])
    (True, '5 + 2 x, differs by at most 0.0%')
    """
    line = Line.fitted([(float(x), y) for x, y in curve])
    return line.is_linear, f"{line.fixed:.3g} + {line.slope:.3g} x, differs by at most {line.residual:.1%}"


def rise(values: Sequence[float]) -> float:
    """Return the largest ratio of a value to an earlier value. At most 1 if the values never rise.

    >>> rise([4.0, 2.0, 3.0]), rise([4.0, 2.0])
    (1.5, 1.0)
    """
    return max(value / min(values[: i + 1]) for i, value in enumerate(values))


def spread(values: Sequence[float]) -> float:
    """Return the largest value divided by the smallest."""
    return max(values) / min(values)


def ordering(gaps: Mapping[str, Mapping[Any, float]], shown: str) -> Finding:
    """Return the outcome of an ordering, which holds if every difference is positive.

    >>> ordering({"A": {1: 0.1, 2: 0.0}, "B": {1: 0.2}}, "").parts
    {'A': False, 'B': True}
    """
    parts = {part: all(gap > 0 for gap in found.values()) for part, found in gaps.items()}
    return Finding(all(parts.values()), shown, {} if list(parts) == [ONLY] else parts, gaps)


def below(low: float, high: float) -> float:
    """Return how far `low` is below `high`, as a share of the larger absolute value, in [-2, 2]. Negative if above.

    >>> below(1, 4), below(4, 1), below(0, 0)
    (0.75, -0.75, 0.0)
    """
    return (high - low) / (max(abs(low), abs(high)) or 1.0)


def steps(values: Sequence[float], *, up: bool, name: str = "") -> dict[tuple[str, int], float]:
    """Return the relative difference between each value and the next, positive if the values rise (`up`) or fall."""
    return {(name, i): below(a, b) if up else below(b, a) for i, (a, b) in enumerate(pairwise(values))}


def rises(values: Sequence[float], *, slack: float = 0.0) -> bool:
    """Return True if no value falls below an earlier value by more than the fraction `slack` of the earlier value."""
    return all(value >= max(values[:i], default=value) * (1 - slack) for i, value in enumerate(values))


def listed(values: Iterable[float], digits: int = 3) -> str:
    """Format numbers as a comma-separated list."""
    return ", ".join(f"{value:,.{digits}g}" if abs(value) < 1000 else f"{value:,.0f}" for value in values)


def exponents_within(series: Sequence[str], quantity: str, low: float, high: float) -> Check:
    """Return a check that the exponents of some curves are between two values."""

    def check(results: Results) -> tuple[bool, str]:
        found = {name: exponent(results.curve(name, quantity)) for name in series}
        held = all(low <= value <= high for value in found.values())
        return held, "exponents: " + ", ".join(f"{name} {value:.2f}" for name, value in found.items())

    return check


def rise_at_most(series: str, quantity: str, most: float) -> Check:
    """Return a check that no value of a curve is more than `most` times an earlier value."""

    def check(results: Results) -> tuple[bool, str]:
        values = results.values(series, quantity)
        return rise(values) <= most, f"largest rise: {rise(values):.2f} ({listed(values)})"

    return check


def linear(series: str, quantity: str) -> Check:
    """Return a check that a curve grows linearly."""
    return lambda results: grows_linearly(results.curve(series, quantity))


def each_at_most(series: str, quantity: str, most: float) -> Check:
    """Return a check that no value of a curve is above `most`."""

    def check(results: Results) -> tuple[bool, str]:
        curve = results.curve(series, quantity)
        return max(y for _, y in curve) <= most, ", ".join(f"{x}: {listed([y])}" for x, y in curve)

    return check
