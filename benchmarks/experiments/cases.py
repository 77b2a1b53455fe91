"""What an experiment is: cases of figures, and claims about their results."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import median
from typing import Any, Literal, NamedTuple

from benchmarks.experiments.factors import Cost, Factor, factor_of

Parameters = Mapping[str, Any]
Measured = Mapping[str, Any]
Key = tuple[str, str, float | str, str]
"""Figure, series, x and repetition: what a case and its result are known by."""


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
    repetition: str = ""
    """The level of a factor (see `factors`), such as ``random 3``; empty for what is taken once."""
    cost: Cost = ""
    """What of its cost is judged: with ``time`` nothing runs beside it, with ``memory`` it has its own process too."""

    @property
    def key(self) -> Key:
        """What its result is known by."""
        return self.figure, self.series, self.x, self.repetition

    @property
    def slug(self) -> str:
        """Name on the command line."""
        text = "-".join(str(part) for part in self.key if part != "")
        return "".join(c if c.isalnum() or c in "-." else "_" for c in text)


@dataclass(frozen=True)
class Results:
    """The results of one figure at one level, by series and x."""

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
class Repeated:
    """The results of one figure at all levels, by level."""

    levels: Mapping[str, Results]

    def median(self, levels: Sequence[str]) -> Results:
        """Return the median of every quantity over some levels; what is no number is that of the first level."""
        chosen = [self.levels[level] for level in levels if level in self.levels]
        points = dict.fromkeys(key for one in chosen for key in one.measured)
        return Results({key: _median([one.measured[key] for one in chosen if key in one.measured]) for key in points})

    def range(self, levels: Sequence[str], series: str, x: float | str, quantity: str) -> tuple[float, float]:
        """Return the least and the largest value of one point over some levels."""
        found = [self.levels[level].measured.get((series, x), {}) for level in levels if level in self.levels]
        values = [float(one[quantity]) for one in found if quantity in one]
        return min(values), max(values)


def _median(points: Sequence[Measured]) -> dict[str, Any]:
    first = points[0]
    found = {}
    for name, value in first.items():
        values = [one[name] for one in points if name in one]
        plain = all(isinstance(v, int | float) and not isinstance(v, bool) for v in values)
        found[name] = median(values) if plain else value
    return found


class Finding(NamedTuple):
    """What a check found at one level; a check may also return the first two as a plain pair."""

    held: bool
    shown: str
    """The figures that this rests on."""
    parts: Mapping[str, bool] = {}
    """Whether it held for each part of what the claim is about, where its `over` names what the parts are."""
    margin: float | None = None
    """By how much it held: above zero for, below against, zero a tie; for the sign test."""


@dataclass(frozen=True)
class Claim:
    """A statement about a figure, and how to tell whether the results bear it out."""

    text: str
    """The claim, in the paper's sense."""
    criterion: str
    """What is required of the results, with its tolerance; why it cannot be told, where there is no check."""
    check: Callable[[Results], tuple[bool, str] | Finding] | None
    """Judges the results at one level; None: not testable here."""
    factor: Factor | None = None
    """What is repeated for it: its verdict rests on the cases at the levels of this factor; None: taken once."""
    kind: Literal["paper", "own", "enforced"] = "paper"
    """Whose claim it is: the paper's, our own, or one that the algorithm enforces (a bound that it is given)."""
    over: str = ""
    """What a check's parts are, such as "data set"."""
    printed: str = ""
    """The figures that the paper prints for it."""
    main: bool = False
    """Whether it is one of the few findings that the paper is read for: those stand first on the page of findings."""
    about: tuple[str, ...] = ()
    """The curves that its check looks at: it is judged once all of their cases have a result; all curves by default."""


def with_main(claims: Sequence[Claim], *texts: str) -> tuple[Claim, ...]:
    """Return claims, those of these texts as main ones.

    Raises
    ------
    ValueError
        If there is no claim of one of the texts.
    """
    if unknown := set(texts) - {one.text for one in claims}:
        msg = f"main claim must be one of the figure's, got {min(unknown)!r}"
        raise ValueError(msg)
    return tuple(replace(one, main=one.main or one.text in texts) for one in claims)


@dataclass(frozen=True)
class Printed:
    """Figures of the paper's text for one quantity: drawn as a band, and written beside ours."""

    quantity: str
    low: float
    high: float
    says: str
    """The paper's words, short, with where they stand."""


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
    printed: Sequence[Printed] = ()
    """What the paper's text says of its curves."""
    quick: Sequence[float | str] | None = None
    """The positions of the quick subset; all by default."""

    @property
    def label(self) -> str:
        """Name in the paper: the title up to its colon."""
        return self.title.split(": ", 1)[0]

    def is_quick(self, case: Case) -> bool:
        """Tell whether a case belongs to the quick subset."""
        factor = factor_of(case.repetition)
        return (factor is None or case.repetition in factor.quick) and (self.quick is None or case.x in self.quick)


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
    study: bool = False
    """Whether this is a study of our own, and no paper's."""
    reads: Callable[[Parameters], Sequence[str]] = lambda parameters: [parameters.get("data", "")]
    """Names of the data sets that a case reads; those of the catalogue are found by their digests."""

    @property
    def cases(self) -> list[Case]:
        """All cases of all figures."""
        return [case for figure in self.figures for case in figure.cases]

    def quick_cases(self) -> list[Case]:
        """Return the cases of the quick subset."""
        return [case for figure in self.figures for case in figure.cases if figure.is_quick(case)]
