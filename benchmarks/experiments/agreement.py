"""Compare two sets of results. Losses and counts must agree to 1e-12. Times are not compared.

Texts, such as what a verification covered, must be equal in their numbers if they have the same words. If the words
changed since the tracked result, the texts are shown and not compared.

The tracked results may be older than the code. Therefore the declared cases of a figure (`runner.declared`) are
measured again. For each figure, ``repeated.json`` contains the commit of this measurement, the number of cases, the
number of cases that differ, the loaded modules, and a digest of these modules and the data. The results of a figure are
current if its declared cases agree with the current code.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isclose
from pathlib import Path
from typing import Any

from benchmarks.experiments.cases import Key
from benchmarks.experiments.runner import (
    RESULTS,
    declared,
    is_fresh,
    paper,
    reads,
    results_of,
    runnable,
    state,
    store_checks,
    stored_checks,
)
from benchmarks.experiments.sources import digest
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
    """Compare results of the current code and data in `here` with results of any code in `there`.

    Return the number of common cases, and the differences.
    """
    first, second = current(key, here), _measured(key, there)
    common = [case for case in first if case in second]
    return len(common), [difference for case in common for difference in differences(case, first[case], second[case])]


def _measured(key: str, folder: Path) -> dict[Key, Result]:
    """Return the results of a paper without failed cases."""
    return {case: result for case, result in results_of(paper(key), folder).items() if "measured" in result}


def current(key: str, folder: Path) -> dict[Key, Result]:
    """Return the results of a paper that belong to the current code and data."""
    chosen, measured = paper(key), _measured(key, folder)
    can_run, _ = runnable(chosen, [case for case in chosen.cases if case.key in measured])
    return {case.key: measured[case.key] for case in can_run if is_fresh(chosen, measured[case.key])}


def unmeasured(key: str, here: Path, there: Path = RESULTS) -> tuple[list[str], list[str]]:
    """Return a line for each case of the quick subset that failed or has no result in one of the folders.

    A result in `here` that belongs to earlier code or data does not count. The second list has a line for each missing
    data set, with the number of cases that need it.
    """
    chosen = paper(key)
    wanted = chosen.quick_cases()
    can_run, missing = runnable(chosen, wanted)
    lines = []
    for where, folder, accepted in (("new", here, current(key, here)), ("tracked", there, _measured(key, there))):
        results = results_of(chosen, folder)
        for case in can_run:
            if case.key not in accepted:
                reason = state(results.get(case.key))
                error = f": {results[case.key]['error']}" if reason == "failed" else ""
                lines.append(f"{case.slug}: {reason}{error} ({where} results)")
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
    first, second = current(key, here), _measured(key, there)
    by_figure: dict[str, list[Key]] = {}
    for case in declared(paper(key), figures):
        by_figure.setdefault(case.figure, []).append(case.key)
    outcomes = {}
    for figure, keys in by_figure.items():
        if all(case in folder for case in keys for folder in (first, second)):
            # cases that are not declared may load other modules
            loaded = [*(first[case] for case in keys), *(one for case, one in second.items() if case[0] == figure)]
            modules = sorted({name for result in loaded for name in result["modules"]})
            outcomes[figure] = {
                "commit": commit,
                "cases": len(keys),
                "differing": len(differing.intersection(keys)),
                "modules": modules,
                "sources": digest(modules, reads(paper(key), figure)),
            }
    old = {figure: one for figure, one in stored_checks(there).get(key, {}).items() if figure not in by_figure}
    store_checks(key, old | outcomes, there)
    return [difference for difference in found if difference.key[0] in by_figure]


def disagreeing(key: str, results: Path = RESULTS) -> list[str]:
    """Return a line for each figure whose last measurement with newer code differs from the tracked results."""
    return [
        f"{figure}: {check['differing']} of {check['cases']} cases measured again with the code of commit "
        f"{check['commit']} differ from the tracked results"
        for figure, check in stored_checks(results).get(key, {}).items()
        if check["differing"]
    ]


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
    """Return the measured numbers and texts, without times and memory."""
    return {name: value for name, value in measured.items() if not name.startswith(COSTS_BEGIN)}


def reworded(key: str, here: Path, there: Path = RESULTS) -> Counter[tuple[str, str]]:
    """Return how often a text of the tracked results has other words in the new results, by both texts."""
    first, second = current(key, here), _measured(key, there)
    return Counter(
        (old, new)
        for case in first.keys() & second.keys()
        for name, new in first[case]["measured"].items()
        if isinstance(new, str)
        and isinstance(old := second[case]["measured"].get(name), str)
        and _words(old) != _words(new)
    )


def _words(text: str) -> str:
    """Return a text without its numbers.

    >>> _words("sizes 1..2 of 3; size 3 has 1,200")
    'sizes .. of ; size  has '
    """
    return re.sub(r"\d[\d,]*", "", text)


def _same(first: Any, second: Any) -> bool:
    if isinstance(first, str) and isinstance(second, str):
        return first == second or _words(first) != _words(second)
    if isinstance(first, list) and isinstance(second, list):
        return len(first) == len(second) and all(_same(a, b) for a, b in zip(first, second, strict=True))
    if isinstance(first, int | float) and isinstance(second, int | float):
        return isclose(first, second, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    return bool(first == second)
