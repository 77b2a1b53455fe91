"""Functions that checks of claims use to compute the growth of a curve and to format figures."""

from collections.abc import Callable, Iterable, Sequence

from benchmarks.experiments.cases import Results

from anonset.jobs.growth import fitted_power

Check = Callable[[Results], tuple[bool, str]]
"""Function that returns the outcome of a check, and the measured figures as text."""


def exponent(points: Iterable[tuple[float | str, float]]) -> float:
    """Return the exponent of the best-fitting power law, which is the slope between the logarithms.

    >>> round(exponent([(1, 3), (2, 12), (4, 48)]), 9)
    2.0
    """
    return fitted_power([(float(x), y) for x, y in points])[0]


def spread(values: Sequence[float]) -> float:
    """Return the largest value divided by the smallest."""
    return max(values) / min(values)


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


def spread_at_most(series: str, quantity: str, most: float) -> Check:
    """Return a check that a curve's largest value is at most `most` times the smallest."""

    def check(results: Results) -> tuple[bool, str]:
        values = results.values(series, quantity)
        return spread(values) <= most, f"largest / smallest: {spread(values):.2f} ({listed(values)})"

    return check


def each_at_most(series: str, quantity: str, most: float) -> Check:
    """Return a check that no value of a curve is above `most`."""

    def check(results: Results) -> tuple[bool, str]:
        curve = results.curve(series, quantity)
        return max(y for _, y in curve) <= most, ", ".join(f"{x}: {listed([y])}" for x, y in curve)

    return check
