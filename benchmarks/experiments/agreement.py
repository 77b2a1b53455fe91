"""Comparison of two sets of results: losses and counts must agree to 1e-12 on any machine; times are not compared."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isclose
from pathlib import Path
from typing import Any

from benchmarks.experiments.cases import Key
from benchmarks.experiments.runner import RESULTS, paper, results_of
from benchmarks.experiments.store import COSTS_BEGIN, Result

TOLERANCE = 1e-12
"""Largest relative difference between two values that agree."""


@dataclass(frozen=True)
class Difference:
    """A value that differs between two results of the same case."""

    key: Key
    quantity: str
    here: Any
    there: Any

    def __str__(self) -> str:
        """Return the case, the quantity and both values."""
        name = " ".join(str(part) for part in self.key if part != "")
        return f"{name}: {self.quantity} {self.here!r}, expected {self.there!r}"


def compared(key: str, here: Path, there: Path = RESULTS) -> tuple[int, list[Difference]]:
    """Compare the results of a paper in two folders; return the number of common cases, and the differences."""
    chosen = paper(key)
    first, second = results_of(chosen, here), results_of(chosen, there)
    common = [case for case in first if case in second and "measured" in first[case] and "measured" in second[case]]
    return len(common), [difference for case in common for difference in _differences(case, first[case], second[case])]


def _differences(key: Key, here: Result, there: Result) -> Iterator[Difference]:
    first, second = _counted(here["measured"]), _counted(there["measured"])
    for name in sorted(first.keys() | second.keys()):
        if not _same(first.get(name), second.get(name)):
            yield Difference(key, name, first.get(name), second.get(name))


def _counted(measured: Mapping[str, Any]) -> dict[str, Any]:
    """Return the measured values without costs."""
    return {name: value for name, value in measured.items() if not name.startswith(COSTS_BEGIN)}


def _same(first: Any, second: Any) -> bool:
    if isinstance(first, list) and isinstance(second, list):
        return len(first) == len(second) and all(_same(a, b) for a, b in zip(first, second, strict=True))
    if isinstance(first, int | float) and isinstance(second, int | float):
        return isclose(first, second, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    return bool(first == second)
