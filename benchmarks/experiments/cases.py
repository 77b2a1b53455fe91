"""What an experiment is: cases of figures, and claims about their results."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

Parameters = Mapping[str, Any]
Measured = Mapping[str, Any]


@dataclass(frozen=True)
class Case:
    """One point of one curve: data, algorithm and parameters, all as plain values."""

    figure: str
    """Key of the figure."""
    series: str
    """Name of the curve."""
    x: float | str
    """Position on the horizontal axis."""
    parameters: Parameters
    """What the paper's `measure` needs to run it; values as JSON has them."""

    @property
    def key(self) -> tuple[str, str, float | str]:
        """Figure, series and x: what its result is known by."""
        return self.figure, self.series, self.x

    @property
    def slug(self) -> str:
        """Name on the command line."""
        text = f"{self.figure}-{self.series}-{self.x}"
        return "".join(c if c.isalnum() or c in "-." else "_" for c in text)


@dataclass(frozen=True)
class Results:
    """The results of one figure, by series and x."""

    measured: Mapping[tuple[str, float | str], Measured]

    def curve(self, series: str, quantity: str) -> list[tuple[float | str, float]]:
        """Return the points of one curve that were measured, in the order of the cases."""
        return [(x, float(m[quantity])) for (s, x), m in self.measured.items() if s == series and quantity in m]

    def values(self, series: str, quantity: str) -> list[float]:
        """Return the measured values of one curve."""
        return [value for _, value in self.curve(series, quantity)]

    def has(self, quantity: str) -> bool:
        """Tell whether some case measured a quantity."""
        return any(quantity in one for one in self.measured.values())

    def at(self, series: str, x: float | str, quantity: str) -> float:
        """Return one measured value."""
        return float(self.measured[series, x][quantity])

    @property
    def series(self) -> list[str]:
        """Names of the curves."""
        return list(dict.fromkeys(s for s, _ in self.measured))

    @property
    def positions(self) -> list[float | str]:
        """Positions on the horizontal axis, in the order of the cases."""
        return list(dict.fromkeys(x for _, x in self.measured))


@dataclass(frozen=True)
class Claim:
    """A statement about a figure, and how to tell whether the results bear it out."""

    text: str
    """The claim, in the paper's sense."""
    criterion: str
    """What is required of the results, with its tolerance."""
    check: Callable[[Results], tuple[bool, str]]
    """Returns (whether it held, what was measured)."""


@dataclass(frozen=True)
class Figure:
    """A figure or table of a paper."""

    key: str
    """Name on the command line and of the files."""
    title: str
    """Name in the paper and what it shows."""
    x_label: str
    quantities: Mapping[str, str]
    """Measured quantities to tabulate and plot: key to axis label."""
    cases: Sequence[Case]
    claims: Sequence[Claim] = ()
    note: str = ""
    """Deviations from the paper's set-up."""

    @property
    def label(self) -> str:
        """Name in the paper: the title up to its colon."""
        return self.title.split(": ", 1)[0]


@dataclass(frozen=True)
class Paper:
    """A paper's experiments."""

    key: str
    title: str
    figures: Sequence[Figure]
    measure: Callable[[Parameters], Measured] = field(repr=False)
    """Run one case in this process and return its quantities."""
    note: str = ""
    """What holds for all figures: data, timing, deviations."""
    prepare: Callable[[], object] | None = field(default=None, repr=False)
    """Called in a process of its own before the first case: what a case is not to pay for, such as compiling."""

    @property
    def cases(self) -> list[Case]:
        """All cases of all figures."""
        return [case for figure in self.figures for case in figure.cases]
