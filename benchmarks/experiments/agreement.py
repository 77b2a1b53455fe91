"""Whether two sets of results agree: losses and counts to 1e-12, whatever the machine; times are not compared."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isclose
from pathlib import Path
from typing import Any

from benchmarks.experiments.cases import Key
from benchmarks.experiments.runner import RESULTS, paper, results_of
from benchmarks.experiments.store import COSTS_BEGIN, Result

TOLERANCE = 1e-12
"""What two losses may differ by, relative to the larger one."""


@dataclass(frozen=True)
class Difference:
    """A value that came out differently."""

    key: Key
    quantity: str
    here: Any
    there: Any

    def __str__(self) -> str:
        """Return the case, the quantity and both values."""
        name = " ".join(str(part) for part in self.key if part != "")
        return f"{name}: {self.quantity} {self.here!r}, and {self.there!r}"


def compared(key: str, here: Path, there: Path = RESULTS) -> tuple[int, list[Difference]]:
    """Compare two folders' results of a paper; return how many cases both have, and what differs."""
    chosen = paper(key)
    one, other = results_of(chosen, here), results_of(chosen, there)
    both = [case for case in one if case in other and "measured" in one[case] and "measured" in other[case]]
    return len(both), [difference for case in both for difference in _differences(case, one[case], other[case])]


def _differences(key: Key, here: Result, there: Result) -> Iterator[Difference]:
    one, other = _counted(here["measured"]), _counted(there["measured"])
    for name in sorted(one.keys() | other.keys()):
        if not _same(one.get(name), other.get(name)):
            yield Difference(key, name, one.get(name), other.get(name))


def _counted(measured: Mapping[str, Any]) -> dict[str, Any]:
    """Return what came out, without what it took."""
    return {name: value for name, value in measured.items() if not name.startswith(COSTS_BEGIN)}


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(_same(a, b) for a, b in zip(one, other, strict=True))
    if isinstance(one, int | float) and isinstance(other, int | float):
        return isclose(one, other, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    return bool(one == other)
