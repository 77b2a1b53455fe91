"""How time and memory grow with the data: nested samples of a table, and the exponents of what was measured on them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from anonset.data import SetColumn, Table, Vocabulary
from anonset.data.split_mix import SplitMix
from anonset.errors import InputError, typed

RUNS = 3
"""Runs of each size, for the spread of their times."""
AXES = ("records", "n_items", "workers")
"""What a study of growth varies, beside the parameters of algorithms."""
RUN = "run"
_PERCENT = re.compile(r"(\d{1,3}(?:\.\d{1,9})?)%")
_ALL = 100  # percent
_MOST_DIGITS = 18


@dataclass(frozen=True)
class RunSize:
    """What one run is given of the data, and the threads that it takes; None: all."""

    records: int | None = None
    n_items: int | None = None
    workers: int | None = None
    run: int | None = None
    """Number of the run, from 1, where each size is run several times."""

    @property
    def given(self) -> dict[str, int]:
        """What of it was asked for; nothing where the runs do not differ in it."""
        if self.run is None:
            return {}
        return {name: value for name in (*AXES, RUN) if (value := getattr(self, name)) is not None}


def sizes_of(records: str | None, n_items: str | None, workers: str | None, n: int) -> list[RunSize]:
    """Return the sizes that are asked for, each as often as it is run, the smaller data first.

    Parameters
    ----------
    records, n_items, workers
        Numbers, commas between; those of records also in percent.
    n
        Number of records of the table.

    Raises
    ------
    InputError
        If a number is none, or above what there is.

    >>> [size.given for size in sizes_of("50%", None, "1,2", 8)][::3]
    [{'records': 4, 'workers': 1, 'run': 1}, {'records': 4, 'workers': 2, 'run': 1}]
    """
    counts = _numbers("records", records, n)
    items, threads = _numbers("n-items", n_items), _numbers("workers", workers)
    varied = records is not None or n_items is not None or len(threads) > 1
    runs: Sequence[int | None] = range(1, RUNS + 1) if varied else (None,)
    return [RunSize(*chosen) for chosen in product(counts, items, threads, runs)]


def _numbers(name: str, text: str | None, n: int | None = None) -> list[int | None]:
    """Read numbers, ascending; None alone where none are asked for."""
    if text is None:
        return [None]
    found = []
    for part in map(str.strip, text.split(",")):
        percent = _PERCENT.fullmatch(part) if n is not None else None
        if percent is not None and n is not None:
            number = round(n * float(percent[1]) / 100) if float(percent[1]) <= _ALL else 0
        else:
            number = int(part) if part.isdecimal() and len(part) <= _MOST_DIGITS else 0
        if number < 1 or (n is not None and number > n):
            most = "" if n is None else f" to {n:,}, or of 100%"
            msg = f"--{name}: must be numbers from 1{most or ' on'}, commas between, got {typed(part)}"
            raise InputError(msg)
        found.append(number)
    return sorted(set(found))  # type: ignore[return-value]


def sample(table: Table, size: RunSize, seed: int) -> Table:
    """Return a table of some records, drawn at random, with the most frequent of its items.

    Samples are nested: that of fewer records is part of that of more, for the same seed.
    """
    if size.records is not None and size.records < table.n:
        order = np.argsort(SplitMix(seed).words(table.n), kind="stable")
        table = table.take(np.sort(order[: size.records]))
    column = table.transactions
    if size.n_items is None or column is None:
        return table
    often = np.argsort(-column.occurrences, kind="stable")[: size.n_items]
    kept = np.zeros(len(column.vocabulary), np.bool_)
    kept[often] = True
    labels = Vocabulary(tuple(label for label, stays in zip(column.vocabulary.labels, kept, strict=True) if stays))
    taken, number = column.only(kept), (np.cumsum(kept) - 1).astype(np.int32)
    return table.with_transactions(SetColumn(column.name, taken.indptr, number[taken.items], labels))


@dataclass(frozen=True)
class Growth:
    """How the seconds of a search grow along one axis: as its power, with a 95% interval of the exponent."""

    axis: str
    series: Mapping[str, Any]
    """What else the runs have in common."""
    exponent: float
    low: float
    high: float
    per_record: float
    """Seconds for each record of the largest size."""

    def __str__(self) -> str:
        who = ", ".join(
            [str(self.series["algorithm"]), *(f"{n}={x}" for n, x in self.series.items() if n != "algorithm")]
        )
        power = f"{self.axis}^{self.exponent:.2f} (95%: {self.low:.2f} to {self.high:.2f})"
        per = f"; {1e6 * self.per_record:.3g} µs a record at the largest" if self.axis == "records" else ""
        return f"{who}: seconds grow as {power}{per}"


def growths(rows: Iterable[Mapping[str, Any]], given: Sequence[str]) -> list[Growth]:
    """Return how the seconds grow along each axis of which there are several sizes.

    Parameters
    ----------
    rows
        The rows of a comparison.
    given
        The columns of what was asked for, the algorithm first.
    """
    listed, found = list(rows), []
    for axis in (name for name in AXES if name in given):
        groups: dict[str, list[Mapping[str, Any]]] = {}
        others = [name for name in given if name not in (axis, RUN, "seed", "model")]
        for row in listed:
            if row[axis] is not None and row["seconds"] > 0 and row["outcome"] != "infeasible":
                groups.setdefault(repr([row[name] for name in others]), []).append(row)
        for group in groups.values():
            if len({row[axis] for row in group}) > 1:
                series = {name: group[0][name] for name in others if group[0][name] is not None}
                points = [(float(row[axis]), float(row["seconds"])) for row in group]
                largest = max(x for x, _ in points)
                cost = float(np.median([y for x, y in points if x == largest])) / largest
                found.append(Growth(axis, series, *fitted_power(points), cost))
    return found


def fitted_power(points: Sequence[tuple[float, float]]) -> tuple[float, float, float]:
    """Return the exponent of the power law that fits points best, by least squares of logarithms, and its interval.

    >>> fitted_power([(1.0, 3.0), (2.0, 12.0), (4.0, 48.0)])[0]
    2.0
    """
    x, y = np.log(np.array(points)).T
    spread = float(((x - x.mean()) ** 2).sum())
    slope = float(((x - x.mean()) * (y - y.mean())).sum() / spread)
    left = len(points) - 2
    if left < 1:
        return slope, float("-inf"), float("inf")
    from scipy.special import stdtrit

    rest = float(((y - y.mean() - slope * (x - x.mean())) ** 2).sum())
    width = float(stdtrit(left, 0.975)) * (rest / left / spread) ** 0.5
    return slope, slope - width, slope + width
