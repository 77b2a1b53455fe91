"""Classes that describe experiments: the cases of a figure, and the claims about the results."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import median
from typing import Any, Literal, NamedTuple

from benchmarks.experiments.factors import Cost, Factor, factor_of

Parameters = Mapping[str, Any]
Measured = Mapping[str, Any]
Kind = Literal["paper", "derived", "own", "enforced"]
"""Origin of a claim: ``paper``, ``own``, ``derived`` (a claim of a paper that could hardly have another outcome,
because it follows from the data, from the kind of algorithm, or from other claims of the figure that hold), or
``enforced`` (the algorithm receives the claim as a bound, or meets it by construction).
"""
OF_PAPERS: tuple[Kind, ...] = ("paper", "derived")
"""Claims of papers. Counts of claims that hold leave out those of kind ``derived``."""
Key = tuple[str, str, float | str, str]
"""Identifier of a case and its result: figure, series, x and repetition."""


@dataclass(frozen=True)
class Case:
    """Point of a curve. Data, algorithm and parameters are plain values."""

    figure: str
    """Key of the figure."""
    series: str
    """Name of the curve."""
    x: float | str
    """Position on the horizontal axis."""
    parameters: Parameters
    """Parameters for the paper's `measure`, as JSON values."""
    repetition: str = ""
    """Level of a factor (see `factors`), such as ``random 3``. Empty if the case is measured once."""
    cost: Cost = ""
    """``time`` or ``memory`` if a claim is about this cost. Empty for other cases.

    Cases with ``time`` run alone. Cases with ``memory`` run alone in a new process.
    """

    @property
    def key(self) -> Key:
        """Identifier of the case and its result."""
        return self.figure, self.series, self.x, self.repetition

    @property
    def slug(self) -> str:
        """Name used on the command line."""
        text = "-".join(str(part) for part in self.key if part != "")
        return "".join(c if c.isalnum() or c in "-." else "_" for c in text)


NULL = "null"
"""Name of the curve of the null publication, and prefix of its quantities."""
OPTIMUM = "OA"
"""Name of the curve of the least loss, with which others are compared. The null publication does not replace it."""
LOST = ("ncp", "loss", "diversity")
"""Prefixes of losses that are 1 if a publication contains no information."""
ERRORS = ("are", "ul")
"""Prefixes of query errors and utility losses. Without information, they are the same in all curves and positions."""
SUPPRESSED = "suppressed"
"""Prefix of the shares of suppressed items, which are 0 if each item is published as the root."""


@dataclass(frozen=True)
class Results:
    """Results of a figure at one level of a factor, by series and x."""

    measured: Mapping[tuple[str, float | str], Measured]

    def curve(self, series: str, quantity: str) -> list[tuple[float | str, float]]:
        """Return the measured points of a curve, in the order of the cases."""
        return [(x, float(m[quantity])) for (s, x), m in self.measured.items() if s == series and quantity in m]

    def values(self, series: str, quantity: str) -> list[float]:
        """Return the measured values of a curve."""
        return [value for _, value in self.curve(series, quantity)]

    def has(self, quantity: str) -> bool:
        """Return True if a case measured the quantity."""
        return any(quantity in one for one in self.measured.values())

    def at(self, series: str, x: float | str, quantity: str) -> float:
        """Return the measured value of a quantity at a point of a curve."""
        return float(self.measured[series, x][quantity])

    def without_information(self, share: float = 1.0) -> "Results":
        """Return the results of the null publication, in which each value is the root of its hierarchy.

        Its NCP and its share of lost tuples are 1. Its query errors and utility losses are measured by the curves of
        the null publication, or by quantities whose names begin with `NULL`. If they are not measured, they are 1, so
        they do not differ. It violates every utility constraint: the groups of a policy divide the items, so only a
        single group allows the root. It suppresses nothing. Losses, errors and violations are multiplied by `share`,
        and the rest of `share` is suppressed. With a smaller share, the results show which claims depend on these
        quantities.
        """
        own = {series.removeprefix(NULL): one for (series, _), one in self.measured.items() if series.startswith(NULL)}
        replaced = {}
        for (series, x), one in self.measured.items():
            if series == OPTIMUM:
                replaced[series, x] = dict(one)
                continue
            function = series.partition(", ")[2]
            null: dict[str, Any] = {name: 1.0 for name in one if name.startswith((*LOST, *ERRORS))}
            if (groups := one.get("utility_groups")) is not None:
                null["utility_violated"] = groups if groups > 1 else 0
            null |= own.get(f", {function}" if function else "", {})
            null |= {name.removeprefix(NULL + "_"): value for name, value in one.items() if name.startswith(NULL + "_")}
            suppressed = {name: 1 - share for name in one if name.startswith(SUPPRESSED)}
            replaced[series, x] = dict(one) | suppressed | {name: share * null[name] for name in one if name in null}
        return Results(replaced)

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
    """Results of a figure at all levels of a factor, by level."""

    levels: Mapping[str, Results]

    def median(self, levels: Sequence[str]) -> Results:
        """Return the median of every quantity over some levels. Non-numeric values are those of the first level."""
        chosen = [self.levels[level] for level in levels if level in self.levels]
        points = dict.fromkeys(key for one in chosen for key in one.measured)
        return Results({key: _median([one.measured[key] for one in chosen if key in one.measured]) for key in points})

    def range(self, levels: Sequence[str], series: str, x: float | str, quantity: str) -> tuple[float, float]:
        """Return the smallest and the largest value of a point over some levels."""
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


ONLY = ""
"""Name of the part of a claim that is not divided into parts."""


JOINTLY = "jointly"
"""Name of the smallest of several differences of an ordering, which is no comparison of its own."""


class Finding(NamedTuple):
    """Outcome of a check at a level of a factor. A check may also return a pair of `held` and `shown`."""

    held: bool
    shown: str
    """Measured figures as text."""
    parts: Mapping[str, bool] = {}
    """Outcome for each part of the claim, such as each data set. `Claim.over` is the kind of the parts."""
    gaps: Mapping[str, Mapping[Any, float]] = {}
    """If the claim is an ordering: the relative difference of each compared pair of values, for each part. Positive in
    the claimed direction, negative in the reversed direction, and 0 for a tie. The ordering holds if all differences
    are positive, and its reversal holds if all are negative.
    """
    answered: Mapping[str, float] = {}
    """Smallest number of queries with an answer behind an error, for each part that compares errors of queries."""
    errors: Mapping[str, tuple[float, float]] = {}
    """Smallest and largest error of queries that an ordering compares, for each part."""
    lost: Mapping[str, int] = {}
    """Number of positions at which a curve that an ordering compares loses everything, for each such curve."""


@dataclass(frozen=True)
class Claim:
    """Statement about a figure, with a check of the results."""

    text: str
    """The claim, close to the paper's wording."""
    criterion: str
    """Requirement on the results, with tolerance. If `check` is None, the reason why the claim cannot be tested."""
    check: Callable[[Results], tuple[bool, str] | Finding] | None
    """Check of the results at a level of the factor. None if the claim cannot be tested."""
    factor: Factor | None = None
    """Factor whose levels are the repetitions of the check. None if the figure is measured once."""
    kind: Kind = "paper"
    """Origin of the claim."""
    over: str = ""
    """Kind of the parts that the check returns, such as "data set"."""
    printed: str = ""
    """Figures that the paper prints for the claim."""
    main: bool = False
    """True if the claim is one of the main findings at the top of the page of findings."""
    high: bool = False
    """True if the claim says that a loss is high or that constraints are violated. Other claims of papers are not
    judged if a publication without any information meets the criterion.
    """
    about: tuple[str, ...] = ()
    """Curves that the check needs. The claim is judged when all cases of these curves have results."""


def with_main(claims: Sequence[Claim], *texts: str) -> tuple[Claim, ...]:
    """Mark the claims with the given texts as main claims. Return all claims.

    Raises
    ------
    ValueError
        If no claim has the text.
    """
    if unknown := set(texts) - {one.text for one in claims}:
        msg = f"main claim must be one of the claims of the figure, got {min(unknown)!r}"
        raise ValueError(msg)
    return tuple(replace(one, main=one.main or one.text in texts) for one in claims)


@dataclass(frozen=True)
class Printed:
    """Figures that the paper's text states for a quantity. They are drawn as a band, and printed above our table."""

    quantity: str
    low: float
    high: float
    says: str
    """Short quotation from the paper, with the section."""


@dataclass(frozen=True)
class Figure:
    """A figure or table of a paper."""

    key: str
    """Name on the command line and in file names."""
    title: str
    """Label in the paper, a colon and a description, such as "Fig. 8: loss as k grows"."""
    x_label: str
    quantities: Mapping[str, str]
    """Axis label of each measured quantity in tables and plots, by key."""
    cases: Sequence[Case]
    claims: Sequence[Claim] = ()
    note: str = ""
    """Deviations from the paper's set-up."""
    printed: Sequence[Printed] = ()
    """Figures that the paper's text states for the curves."""
    quick: Sequence[float | str] | None = None
    """Horizontal positions and names of curves of the quick subset. By default all positions."""
    pilot: Sequence[str] = ()
    """Levels of a pilot run, by which the parameters were chosen. They are stored, but not reported."""

    @property
    def label(self) -> str:
        """Label in the paper, which is the part of the title before the colon."""
        return self.title.split(": ", 1)[0]

    def is_quick(self, case: Case) -> bool:
        """Return True if the case belongs to the quick subset."""
        factor = factor_of(case.repetition)
        return (factor is None or case.repetition in factor.quick) and (
            self.quick is None or case.x in self.quick or case.series in self.quick
        )


@dataclass(frozen=True)
class Paper:
    """A paper's experiments."""

    key: str
    title: str
    figures: Sequence[Figure]
    measure: Callable[[Parameters], Measured] = field(repr=False)
    """Function that runs a case in this process and returns its quantities."""
    note: str = ""
    """Note on the data, times and deviations of all figures."""
    prepare: Callable[[], object] | None = field(default=None, repr=False)
    """Preparation before the first case, such as compilation. It runs in a separate process."""
    study: bool = False
    """True for our own studies."""
    reads: Callable[[Parameters], Sequence[str]] = lambda parameters: [parameters.get("data", "")]
    """Function that returns the names of the data sets that a case reads. If the digest of such a data set changes, the
    result of the case becomes invalid.
    """

    reading: Mapping[str, str] = field(default_factory=dict)
    """Readings (`criteria.READINGS`) by which the claims of the paper are judged, with the words of the paper that fix
    each reading.
    """

    published_data: frozenset[str] | None = None
    """Names of the data sets of the paper, or of parts of them. Others are substitutes. None for our own studies."""
    records_in_paper: Mapping[str, int] = field(default_factory=dict)
    """Number of records in the paper, for each data set of which only a part is available."""

    @property
    def cases(self) -> list[Case]:
        """All cases of all figures."""
        return [case for figure in self.figures for case in figure.cases]

    def quick_cases(self) -> list[Case]:
        """Return the cases of the quick subset."""
        return [case for figure in self.figures for case in figure.cases if figure.is_quick(case)]
