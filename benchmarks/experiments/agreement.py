"""Compare two sets of results. Losses and counts must agree to 1e-12. Times are not compared.

The tracked results may be older than the code. Therefore the declared cases of a figure (`runner.declared`) are
measured again. For each figure, ``repeated.json`` contains the commit of this measurement, the number of cases, the
number of cases that differ, and a digest of the code and data. The results of a figure are current if its declared
cases agree with the current code.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isclose
from pathlib import Path
from typing import Any

from benchmarks.experiments.cases import Key
from benchmarks.experiments.runner import (
    REPEATED,
    RESULTS,
    code_and_data,
    declared,
    paper,
    results_of,
    runnable,
    stored_checks,
)
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
    """Compare the results of a paper in two folders. Return the number of common cases, and the differences."""
    chosen = paper(key)
    first, second = results_of(chosen, here), results_of(chosen, there)
    common = [case for case in first if case in second and "measured" in first[case] and "measured" in second[case]]
    return len(common), [difference for case in common for difference in differences(case, first[case], second[case])]


def unmeasured(key: str, here: Path, there: Path = RESULTS) -> tuple[list[str], list[str]]:
    """Return a line for each case of the quick subset that failed or has no result in one of the folders.

    The second list has a line for each missing data set, with the number of cases that need it.
    """
    chosen = paper(key)
    wanted = chosen.quick_cases()
    can_run, missing = runnable(chosen, wanted)
    lines = []
    for where, results in (("new", results_of(chosen, here)), ("tracked", results_of(chosen, there))):
        for case in can_run:
            result = results.get(case.key, {})
            if "measured" not in result:
                reason = f"failed: {result['error']}" if "error" in result else "not measured"
                lines.append(f"{case.slug}: {reason} ({where} results)")
    needing = Counter(name for case in wanted for name in chosen.reads(case.parameters) if name in missing)
    return lines, [f"{n} case(s) need {name}, which is not available" for name, n in sorted(needing.items())]


def store_figures(
    key: str, commit: str, here: Path, figures: Sequence[str] = (), there: Path = RESULTS
) -> list[Difference]:
    """Store for each figure whether its declared cases in `here`, by the code of `commit`, agree with tracked results.

    Returns the differences. A figure without declared cases, or with a declared case that has no result in one of the
    folders, has no outcome.
    """
    _, found = compared(key, here, there)
    differing = {difference.key for difference in found}
    first, second = (results_of(paper(key), folder) for folder in (here, there))
    by_figure: dict[str, list[Key]] = {}
    for case in declared(paper(key), figures):
        by_figure.setdefault(case.figure, []).append(case.key)
    outcomes = {
        figure: {
            "commit": commit,
            "cases": len(keys),
            "differing": len(differing.intersection(keys)),
            "sources": code_and_data(paper(key), figure),
        }
        for figure, keys in by_figure.items()
        if all("measured" in of_folder.get(case, {}) for case in keys for of_folder in (first, second))
    }
    stored = stored_checks(there)
    old = {figure: one for figure, one in stored.get(key, {}).items() if figure not in by_figure}
    written = json.dumps(stored | {key: old | outcomes}, indent=1, sort_keys=True)
    (there / REPEATED).write_text(written + "\n", encoding="utf-8")
    return [difference for difference in found if difference.key[0] in by_figure]


def sentences(key: str, results: Path = RESULTS) -> str:
    """Return a line for each commit whose code measured cases of a paper again, with the outcome. Empty if none."""
    checks, cases = stored_checks(results).get(key, {}), Counter(case.figure for case in paper(key).cases)
    by_commit: dict[str, list[str]] = {}
    for figure in paper(key).figures:
        if figure.key in checks:
            by_commit.setdefault(checks[figure.key]["commit"], []).append(figure.key)
    lines = []
    for commit, figures in by_commit.items():
        differing = [f"{figure} {checks[figure]['differing']}" for figure in figures if checks[figure]["differing"]]
        outcome = f"some cases differ ({', '.join(differing)})" if differing else "all losses and counts agree"
        again = ", ".join(f"{figure} {checks[figure]['cases']} of {cases[figure]}" for figure in figures)
        lines.append(f"- Measured again with the code of commit {commit}: {outcome}. Cases: {again}")
    return "\n".join(lines)


def differences(key: Key, here: Result, there: Result) -> Iterator[Difference]:
    """Yield the losses and counts that differ between two results of a case."""
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
