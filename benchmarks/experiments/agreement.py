"""Compare two sets of results. Losses and counts must agree to 1e-12 on any machine. Times are not compared.

The tracked results may be older than the code. Therefore a part of the cases (the quick subset) is measured again.
``repeated.json`` contains the commit of this measurement, the number of cases, and the number of cases that differ.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import isclose
from pathlib import Path
from typing import Any

from benchmarks.experiments.cases import Key
from benchmarks.experiments.runner import CHANGED, RESULTS, paper, results_of
from benchmarks.experiments.store import COSTS_BEGIN, Result

from anonset.errors import InputError

REPEATED = "repeated.json"
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
    """Compare the results of a paper in two folders. Return the number of common cases, and the differences."""
    chosen = paper(key)
    first, second = results_of(chosen, here), results_of(chosen, there)
    common = [case for case in first if case in second and "measured" in first[case] and "measured" in second[case]]
    return len(common), [difference for case in common for difference in _differences(case, first[case], second[case])]


def store(key: str, here: Path, there: Path = RESULTS) -> None:
    """Compare the results of a paper in both folders, and store the number of differing cases in the folder `there`.

    Raises
    ------
    InputError
        If the results in `here` come from several commits, or from uncommitted sources.
    """
    n, differences = compared(key, here, there)
    commits = {result["machine"]["commit"] for result in results_of(paper(key), here).values()}
    if len(commits) != 1 or any(commit.endswith(CHANGED) for commit in commits):
        msg = f"{key}: measure the cases again at one commit, got {', '.join(sorted(commits)) or 'no results'}"
        raise InputError(msg)
    repeated = {"commit": commits.pop(), "cases": n, "differing": len({difference.key for difference in differences})}
    stored = _stored(there) | {key: repeated}
    (there / REPEATED).write_text(json.dumps(stored, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def sentence(key: str, results: Path = RESULTS) -> str:
    """Return a sentence about the repeated measurement of a paper. Empty if no case was measured again."""
    repeated = _stored(results).get(key)
    if repeated is None:
        return ""
    verdict = f"{repeated['differing']} differ" if repeated["differing"] else "all losses and counts agree"
    return f"- {repeated['cases']} case(s) were measured again at commit {repeated['commit']}: {verdict}"


def _stored(results: Path) -> dict[str, Any]:
    path = results / REPEATED
    stored: dict[str, Any] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return stored


def _differences(key: Key, here: Result, there: Result) -> Iterator[Difference]:
    first, second = _counted(here["measured"]), _counted(there["measured"])
    for name in sorted(first.keys() | second.keys()):
        if not _same(first.get(name), second.get(name)):
            yield Difference(key, name, first.get(name), second.get(name))


def _counted(measured: Mapping[str, Any]) -> dict[str, Any]:
    """Return the measured numbers, without times and memory. Texts are omitted."""
    return {
        name: value
        for name, value in measured.items()
        if not name.startswith(COSTS_BEGIN) and not isinstance(value, str)
    }


def _same(first: Any, second: Any) -> bool:
    if isinstance(first, list) and isinstance(second, list):
        return len(first) == len(second) and all(_same(a, b) for a, b in zip(first, second, strict=True))
    if isinstance(first, int | float) and isinstance(second, int | float):
        return isclose(first, second, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    return bool(first == second)
