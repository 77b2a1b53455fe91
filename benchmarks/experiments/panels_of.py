"""Panels of a figure. A panel contains the curves of a quantity, with medians and ranges over repetitions."""

from collections.abc import Sequence
from dataclasses import dataclass

from benchmarks.experiments.cases import Figure, Printed, Repeated, Results
from benchmarks.experiments.factors import RUNS, factor_of
from benchmarks.experiments.store import COSTS_BEGIN


@dataclass(frozen=True)
class Panel:
    """Quantity of a figure, at all levels at which it was measured."""

    quantity: str
    label: str
    results: Repeated
    levels: Sequence[str]
    """Levels from which medians and ranges are computed. A single empty level if the figure is measured once."""
    singles: Sequence[str]
    """Named levels, shown separately."""
    median: Results
    printed: Sequence[Printed]
    """Figures that the paper states for the quantity."""

    @property
    def series(self) -> list[str]:
        """Names of the curves with this quantity."""
        return [name for name in self.median.series if self.median.curve(name, self.quantity)]

    @property
    def positions(self) -> list[float | str]:
        """Positions on the horizontal axis with a value of this quantity."""
        there = {x for name in self.series for x, _ in self.median.curve(name, self.quantity)}
        return [x for x in self.median.positions if x in there]

    @property
    def is_drawn(self) -> bool:
        """True if the panel has several positions to draw."""
        return len(self.positions) > 1

    def point(self, series: str, x: float | str) -> tuple[float, float, float] | None:
        """Return the median, smallest and largest value of a point. None if it was not measured."""
        if self.quantity not in self.median.measured.get((series, x), {}):
            return None
        low, high = self.results.range(self.levels, series, x, self.quantity)
        return self.median.at(series, x, self.quantity), low, high

    def single(self, level: str, series: str, x: float | str) -> float | None:
        """Return the value of a point at a named level. None if it was not measured."""
        measured = self.results.levels[level].measured.get((series, x), {}) if level in self.results.levels else {}
        return float(measured[self.quantity]) if self.quantity in measured else None


def panels_of(figure: Figure, results: Repeated) -> list[Panel]:
    """Return a panel for each measured quantity of a figure."""
    return [
        panel
        for quantity, label in figure.quantities.items()
        if (panel := _panel(figure, results, quantity, label)) is not None
    ]


def _panel(figure: Figure, results: Repeated, quantity: str, label: str) -> Panel | None:
    """Return the panel of a quantity, or None if it was not measured. Costs are taken from repeated runs if these
    exist.
    """
    by_factor: dict[str, list[str]] = {}
    for level, at_level in results.levels.items():
        if at_level.has(quantity):
            factor = factor_of(level)
            by_factor.setdefault(factor.name if factor else "", []).append(level)
    if not by_factor:
        return None
    costs = quantity.startswith(COSTS_BEGIN)
    chosen = max(by_factor, key=lambda name: ((name == RUNS.name) == costs, len(by_factor[name])))
    factor = factor_of(by_factor[chosen][0])
    draws = [level for level in by_factor[chosen] if factor is None or level in factor.draws]
    singles = [level for level in (factor.singles if factor else ()) if level in by_factor[chosen]]
    levels = draws or singles
    printed = [band for band in figure.printed if band.quantity == quantity]
    return Panel(quantity, label, results, levels, singles if draws else [], results.median(levels), printed)
