"""Compare releases of many records with releases of fewer records of the same data."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from benchmarks.experiments.baselines import LARGE, LARGE_AT, LARGE_DATA, LARGE_WAYS, place
from benchmarks.experiments.baselines.measurement import TRAINED
from benchmarks.experiments.baselines.quantities import (
    COLUMNS,
    COMPARED,
    IN_WORDS,
    PRIVATE,
    Stored,
    by_sample,
    interval,
    is_better,
)
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
    few: Mapping[str, Mapping[str, float]]
    """Values of each quantity by division, with `TRAINED` records."""
    many: Mapping[str, Mapping[str, float]]
    """The same with `LARGE` records."""


def table(of: Stored) -> str:
    """Return a table of the quantities at both numbers of records."""
    head = [f"{COLUMNS[quantity]}, {n:,}" for quantity in COMPARED for n in (TRAINED, LARGE)]
    cells = [
        (
            f"`{one.way}`, {place(**{one.parameter: one.x})}",
            *(interval(measured[quantity].values()) for quantity in COMPARED for measured in (one.few, one.many)),
        )
        for one in _releases(of)
        if any(one.many.values())
    ]
    return rows(("publication", *head), cells)


def in_words(of: Stored) -> str:
    """Return by which quantities a private release of many records is better than a k^m-anonymous one."""
    releases = list(_releases(of))
    ways, ks = ", ".join(f"`{way}`" for way in LARGE_WAYS["k"]), ", ".join(map(str, LARGE_AT["k"]))
    parts = []
    for epsilon in LARGE_AT["epsilon"]:
        private = [one for one in releases if one.x == epsilon]
        lost = {one: _lost(one, private) for one in releases if one.parameter == "k"}
        by_way = {
            way: [f"k={one.x}: {', '.join(by)}" for one, by in lost.items() if one.way == way and by]
            for way in LARGE_WAYS["k"]
        }
        better = "; ".join(f"`{way}` ({'; '.join(at)})" for way, at in by_way.items() if at)
        parts.append(f"with epsilon={epsilon}, a private release is better than {better or 'none of them'}")
    return f"With {LARGE:,} records of {LARGE_DATA}, we compare {ways} with k={ks}: {'; '.join(parts)}."


def _lost(one: Release, private: list[Release]) -> list[str]:
    """Return each quantity by which a private release is better."""
    return [
        IN_WORDS[quantity]
        for quantity in COMPARED
        if any(is_better(quantity, other.many[quantity], one.many[quantity]) for other in private)
    ]


def _releases(of: Stored) -> Iterator[Release]:
    many = of(LARGE_DATA, "large")
    for parameter, ways in (("k", LARGE_WAYS["k"]), ("epsilon", PRIVATE)):
        few = of(LARGE_DATA, parameter)
        for way in ways:
            for x in LARGE_AT[parameter]:
                at = place(**{parameter: x})
                yield Release(
                    way,
                    parameter,
                    x,
                    {quantity: by_sample(few, way, x, quantity) for quantity in COMPARED},
                    {quantity: by_sample(many, way, at, quantity) for quantity in COMPARED},
                )
