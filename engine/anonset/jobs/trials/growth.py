"""Growth of time and memory with data size, measured with nested samples of a table and summarized by fitted
lines and exponents.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import product
from typing import Any

import numpy as np

from anonset.data import SetColumn, Table, Vocabulary
from anonset.data.split_mix import SplitMix
from anonset.errors import InputError, typed
from anonset.settings.ranges import whole_number

RUNS = 3
"""Runs per size, to estimate the variance of their times."""
AXES = ("records", "n_items", "workers")
"""Axes of a growth study, in addition to the parameters of algorithms."""
RUN = "run"
LINEAR_WITHIN = 0.1
"""Largest relative difference between a linear growth and its fitted line."""
_PERCENT = re.compile(r"(\d{1,3}(?:\.\d{1,9})?)%")
_ALL = 100  # percent


@dataclass(frozen=True)
class RunSize:
    """Numbers of records, items and threads of one run. None means all records, all items, or the default number of
    threads.
    """

    records: int | None = None
    n_items: int | None = None
    workers: int | None = None
    run: int | None = None
    """Run number, from 1, if each size runs several times."""

    @property
    def given(self) -> dict[str, int]:
        """Requested sizes and thread count by name. Empty if all runs use the same data and thread count."""
        if self.run is None:
            return {}
        return {name: value for name in (*AXES, RUN) if (value := getattr(self, name)) is not None}


def run_sizes(records: str | None, n_items: str | None, workers: str | None, n: int) -> list[RunSize]:
    """Return the requested sizes, smaller data first. Each size is repeated for its runs.

    Parameters
    ----------
    records, n_items, workers
        Comma-separated numbers. `records` may also contain percentages.
    n
        Number of records of the table.

    Raises
    ------
    InputError
        If a value is no number, or too large.

    >>> [size.given for size in run_sizes("50%", None, "1,2", 8)][::3]
    [{'records': 4, 'workers': 1, 'run': 1}, {'records': 4, 'workers': 2, 'run': 1}]
    """
    counts = _numbers("records", records, n)
    items, threads = _numbers("n-items", n_items), _numbers("workers", workers)
    varied = records is not None or n_items is not None or len(threads) > 1
    runs: Sequence[int | None] = range(1, RUNS + 1) if varied else (None,)
    return [RunSize(*chosen) for chosen in product(counts, items, threads, runs)]


_MOST_VALUES = 1000
_NUMBER = r"-?\d{1,9}(?:\.\d{1,9})?"
_RANGE = re.compile(rf"({_NUMBER})\.\.({_NUMBER})(?::({_NUMBER}))?")


def values_of(option: str, text: str) -> list[str]:
    """Return the values of a varied option. ``10..50:10`` expands to 10, 20, 30, 40, 50.

    >>> values_of("--k", "2,5,10..50:20"), values_of("--delta", "0.1..0.3:0.1")
    (['2', '5', '10', '30', '50'], ['0.1', '0.2', '0.3'])

    Raises
    ------
    InputError
        If a range has no values or too many values.
    """
    values: list[str] = []
    for part in map(str.strip, text.split(",")):
        if (ends := _RANGE.fullmatch(part)) is None:
            values.append(part)
            continue
        first, last, step = Decimal(ends[1]), Decimal(ends[2]), Decimal(ends[3] or 1)
        number = (last - first) // step + 1 if step > 0 and last >= first else 0
        if not 0 < number <= _MOST_VALUES:
            need = f"a range must be FROM..TO or FROM..TO:STEP of 1 to {_MOST_VALUES} values"
            raise InputError(f"{option}: {need}, got {typed(part)}")
        values += [str(first + step * count) for count in range(int(number))]
    return values


def _numbers(name: str, text: str | None, n: int | None = None) -> list[int | None]:
    if text is None:
        return [None]
    numbers = []
    for part in values_of(f"--{name}", text):
        percent = _PERCENT.fullmatch(part) if n is not None else None
        if percent is not None and n is not None:
            number = round(n * float(percent[1]) / 100) if float(percent[1]) <= _ALL else 0
        else:
            number = whole_number(part) or 0
        if number < 1 or (n is not None and number > n):
            most = "" if n is None else f" to {n:,}, or percentages up to 100%"
            raise InputError(f"--{name}: must be comma-separated integers from 1{most or ' up'}, got {typed(part)}")
        numbers.append(number)
    return sorted(set(numbers))  # type: ignore[return-value]


def sample(table: Table, size: RunSize, seed: int) -> Table:
    """Return a table of randomly drawn records, restricted to its most frequent items.

    Samples with the same seed are nested, so a smaller sample is a subset of a larger sample.
    """
    if size.records is not None and size.records < table.n:
        order = np.argsort(SplitMix(seed).words(table.n), kind="stable")
        table = table.take(np.sort(order[: size.records]))
    column = table.transactions
    if size.n_items is None or column is None:
        return table
    often = np.argsort(-column.occurrences, kind="stable")[: size.n_items]
    is_frequent = np.zeros(len(column.vocabulary), np.bool_)
    is_frequent[often] = True
    labels = Vocabulary(
        tuple(label for label, stays in zip(column.vocabulary.labels, is_frequent, strict=True) if stays)
    )
    restricted, number = column.only(is_frequent), (np.cumsum(is_frequent) - 1).astype(np.int32)
    return table.with_transactions(SetColumn(column.name, restricted.indptr, number[restricted.items], labels))


@dataclass(frozen=True)
class Line:
    """Line `fixed + slope * x` with the least relative errors. Both parameters are at least 0."""

    fixed: float
    slope: float
    residual: float
    """Largest difference between the line and a value, as a share of the value."""
    largest: float
    """Largest x."""

    @classmethod
    def fitted(cls, points: Sequence[tuple[float, float]]) -> "Line":
        """Fit a line to points, (x, y) with positive y.

        >>> line = Line.fitted([(1.0, 7.0), (10.0, 25.0), (100.0, 205.0)])
        >>> round(line.fixed, 9), round(line.slope, 9), line.is_linear
        (5.0, 2.0, True)
        """
        x, y = np.array(points, float).T
        ones, rises = 1 / y, x / y
        matrix = np.array([[ones @ ones, ones @ rises], [ones @ rises, rises @ rises]])
        fixed, slope = np.linalg.lstsq(matrix, np.array([ones.sum(), rises.sum()]))[0]
        if fixed < 0:
            fixed, slope = 0.0, rises.sum() / (rises @ rises)
        elif slope < 0:
            fixed, slope = ones.sum() / (ones @ ones), 0.0
        return cls(float(fixed), float(slope), float(np.abs((fixed + slope * x) / y - 1).max()), float(x.max()))

    @property
    def is_linear(self) -> bool:
        """Return True if all values are near the line, and at least half of the largest value grows with x."""
        return self.residual <= LINEAR_WITHIN and self.slope * self.largest >= self.fixed


@dataclass(frozen=True)
class Growth:
    """Growth of search time along one axis, as a line, and as a power law whose exponent has a 95% interval."""

    axis: str
    label: str
    """Algorithm and parameters that the runs share."""
    exponent: float
    low: float
    high: float
    per_record: float
    """Seconds per record at the largest size."""
    line: "Line"

    def __str__(self) -> str:
        if self.axis != "workers" and self.line.is_linear:
            unit = "record" if self.axis == "records" else "item"
            own = f"{1e3 * self.line.fixed:.3g} ms + {1e6 * self.line.slope:.3g} µs per {unit}"
            return f"{self.label}: run time is {own} (differs by at most {self.line.residual:.0%})"
        if self.axis != "workers" and self.exponent <= 0:
            return f"{self.label}: run time does not grow with {self.axis}"
        power = f"{self.axis}^{self.exponent:.2f} (95%: {self.low:.2f} to {self.high:.2f})"
        per = f"; {1e6 * self.per_record:.3g} µs per record at the largest size" if self.axis == "records" else ""
        return f"{self.label}: run time grows as {power}{per}"


def growths(rows: Iterable[Mapping[str, Any]], parameters: Sequence[str]) -> list[Growth]:
    """Return the growth of the search time along each axis with several sizes.

    Parameters
    ----------
    rows
        Rows of a comparison.
    parameters
        Requested columns, the algorithm first.
    """
    listed, results = list(rows), []
    for axis in (name for name in AXES if name in parameters):
        groups: dict[str, list[Mapping[str, Any]]] = {}
        others = [name for name in parameters if name not in (axis, RUN, "seed", "model")]
        for row in listed:
            if row[axis] is not None and row["seconds"] > 0 and row["outcome"] != "infeasible":
                groups.setdefault(repr([row[name] for name in others]), []).append(row)
        for group in groups.values():
            if len({row[axis] for row in group}) > 1:
                shared = [f"{name}={group[0][name]}" for name in others[1:] if group[0][name] is not None]
                label = ", ".join([group[0]["algorithm"], *shared])
                points = [(float(row[axis]), float(row["seconds"])) for row in group]
                largest = max(x for x, _ in points)
                cost = float(np.median([y for x, y in points if x == largest])) / largest
                results.append(Growth(axis, label, *fitted_power(points), cost, Line.fitted(points)))
    return results


def fitted_power(points: Sequence[tuple[float, float]]) -> tuple[float, float, float]:
    """Return the exponent of the best-fitting power law, by least squares of logarithms, and the 95% confidence
    interval.

    >>> fitted_power([(1.0, 3.0), (2.0, 12.0), (4.0, 48.0)])[0]
    2.0
    """
    x, y = np.log(np.array(points)).T
    spread = float(((x - x.mean()) ** 2).sum())
    slope = float(((x - x.mean()) * (y - y.mean())).sum() / spread)
    degrees = len(points) - 2
    if degrees < 1:
        return slope, float("-inf"), float("inf")
    from scipy.special import stdtrit

    residual = float(((y - y.mean() - slope * (x - x.mean())) ** 2).sum())
    width = float(stdtrit(degrees, 0.975)) * (residual / degrees / spread) ** 0.5
    return slope, slope - width, slope + width
