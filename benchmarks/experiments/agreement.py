"""Compare two sets of results. Losses and counts must agree to 1e-12 on any machine. Times are not compared.

The tracked results may be older than the code. Therefore a part of the cases (the quick subset) is measured again.
``repeated.json`` contains the commit of this measurement, the number of cases, and the number of cases that differ. For
each checked figure, it contains the same numbers with a digest of the code. The results of a figure are current if its
declared cases agree with the current code; `runner.declared` selects the cases.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isclose
from pathlib import Path
from typing import Any

from benchmarks.experiments.cases import Key
from benchmarks.experiments.runner import (
    CHANGED,
    REPEATED,
    RESULTS,
    code_and_data,
    declared,
    paper,
    results_of,
    stored_checks,
)
from benchmarks.experiments.store import COSTS_BEGIN, Result

from anonset.errors import InputError

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
    stored = stored_checks(there)
    _write(stored | {key: stored.get(key, {}) | repeated}, there)


def store_figures(key: str, here: Path, figures: Sequence[str] = (), there: Path = RESULTS) -> list[Difference]:
    """Store for each figure whether its declared cases in `here` agree with the tracked results.

    Returns the differences. A figure without declared cases, or with a declared case that has no result in one of the
    folders, has no outcome.
    """
    _, differences = compared(key, here, there)
    differing = {difference.key for difference in differences}
    first, second = (results_of(paper(key), folder) for folder in (here, there))
    by_figure: dict[str, list[Key]] = {}
    for case in declared(paper(key), figures):
        by_figure.setdefault(case.figure, []).append(case.key)
    outcomes = {
        figure: {
            "cases": len(keys),
            "differing": len(differing.intersection(keys)),
            "sources": code_and_data(paper(key), figure),
        }
        for figure, keys in by_figure.items()
        if all("measured" in of_folder.get(case, {}) for case in keys for of_folder in (first, second))
    }
    stored = stored_checks(there)
    old = {figure: one for figure, one in stored.get(key, {}).get("figures", {}).items() if figure not in by_figure}
    _write(stored | {key: stored.get(key, {}) | {"figures": old | outcomes}}, there)
    return [difference for difference in differences if difference.key[0] in by_figure]


def _write(stored: Mapping[str, Any], there: Path) -> None:
    (there / REPEATED).write_text(json.dumps(stored, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def sentence(key: str, results: Path = RESULTS) -> str:
    """Return a sentence about the repeated measurement of a paper. Empty if no case was measured again."""
    repeated = stored_checks(results).get(key)
    if repeated is None or "commit" not in repeated:
        return ""
    verdict = f"{repeated['differing']} differ" if repeated["differing"] else "all losses and counts agree"
    return f"- {repeated['cases']} case(s) were measured again at commit {repeated['commit']}: {verdict}"


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
