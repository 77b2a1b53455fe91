"""Compare releases of many records with releases of fewer records of the same data."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import inf
from statistics import mean
from typing import Any

from benchmarks.experiments.baselines import LARGE, LARGE_AT, LARGE_DATA, LARGE_WAYS, place
from benchmarks.experiments.baselines.measurement import TRAINED
from benchmarks.experiments.baselines.quantities import COLUMNS, COMPARED, IN_WORDS, interval, values
from benchmarks.experiments.cases import Figure, Key
from benchmarks.experiments.judging import results_of_figure
from benchmarks.experiments.render import rows

HEAD = f"""\
**More records.** The same releases of {TRAINED:,} and of {LARGE:,} records of `{LARGE_DATA}`. The divisions with more
records overlap more, so their intervals are narrower than those for new data:"""


@dataclass(frozen=True, eq=False)
class Release:
    """A release at both numbers of records."""

    way: str
    parameter: str
    """``k`` or ``epsilon``."""
    x: int | str
    few: Mapping[str, list[float]]
    """Values of each quantity over the divisions with `TRAINED` records."""
    many: Mapping[str, list[float]]
    """The same with `LARGE` records."""


def table(figures: Mapping[str, Figure], found: Mapping[Key, Mapping[str, Any]]) -> str:
    """Return a table of the quantities at both numbers of records."""
    head = [f"{COLUMNS[quantity]}, {n:,}" for quantity in COMPARED for n in (TRAINED, LARGE)]
    cells = [
        (
            f"`{one.way}`, {place(**{one.parameter: one.x})}",
            *(interval(measured[quantity]) for quantity in COMPARED for measured in (one.few, one.many)),
        )
        for one in _releases(figures, found)
    ]
    return rows(("publication", *head), cells)


def in_words(figures: Mapping[str, Figure], found: Mapping[Key, Mapping[str, Any]]) -> str:
    """Return by which quantities a private release of many records is better than a k^m-anonymous one."""
    releases = list(_releases(figures, found))
    ways, ks = ", ".join(f"`{way}`" for way in LARGE_WAYS["k"]), ", ".join(map(str, LARGE_AT["k"]))
    parts = []
    for epsilon in LARGE_AT["epsilon"]:
        private = [one for one in releases if one.x == epsilon]
        lost = {one: _lost(one, private) for one in releases if one.parameter == "k"}
        by_way = {
            way: [f"k={one.x}: {', '.join(of)}" for one, of in lost.items() if one.way == way and of]
            for way in LARGE_WAYS["k"]
        }
        better = "; ".join(f"`{way}` ({'; '.join(at)})" for way, at in by_way.items() if at)
        parts.append(f"with epsilon={epsilon}, a private release is better than {better or 'none of them'}")
    return f"With {LARGE:,} records of {LARGE_DATA}, we compare {ways} with k={ks}: {'; '.join(parts)}."


def _lost(one: Release, private: list[Release]) -> list[str]:
    """Return each quantity by which the best private release is better."""
    lost = []
    for quantity, sign in COMPARED.items():
        best = max((sign * mean(other.many[quantity]) for other in private if other.many[quantity]), default=-inf)
        if one.many[quantity] and best > sign * mean(one.many[quantity]):
            lost.append(IN_WORDS[quantity])
    return lost


def _releases(figures: Mapping[str, Figure], found: Mapping[Key, Mapping[str, Any]]) -> Iterator[Release]:
    many = results_of_figure(figures[f"{LARGE_DATA}_large"], found)
    for parameter, ways in LARGE_WAYS.items():
        few = results_of_figure(figures[f"{LARGE_DATA}_{parameter}"], found)
        for way in ways:
            for x in LARGE_AT[parameter]:
                at = place(**{parameter: x})
                yield Release(
                    way,
                    parameter,
                    x,
                    {quantity: values(few, way, x, quantity) for quantity in COMPARED},
                    {quantity: values(many, way, at, quantity) for quantity in COMPARED},
                )
