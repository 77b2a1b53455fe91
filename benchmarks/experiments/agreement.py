"""Compare two sets of results. Losses and counts must agree to 1e-12. Times are not compared.

Texts, such as what a verification covered, must be equal.

The tracked results may be older than the code. Therefore the declared cases of a figure (`runner.declared`) are
measured again, with other cases that are drawn at random (`runner.drawn`). For each figure, ``repeated.json`` contains
the commit of this measurement, the numbers of declared and of drawn cases, the number of cases that differ, a digest of
all tracked outcomes of the figure, the time of the last of them, the loaded modules, and a digest of these modules and
the data. The results of a
figure are current if these cases agree with the current code. A tracked outcome that changes later is noticed by the
digest.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isclose
from pathlib import Path
from typing import Any

from benchmarks.experiments.cases import Case, Key, Paper
from benchmarks.experiments.runner import (
    RESULTS,
    Checks,
    checks_of,
    declared,
    is_fresh,
    missing_data,
    paper,
    reads,
    results_of,
    runnable,
    state,
    store_checks,
    stored_checks,
)
from benchmarks.experiments.sources import digest
from benchmarks.experiments.store import COSTS_BEGIN, Result, digest_of_outcomes

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


def unmeasured(
    key: str, here: Path, there: Path = RESULTS, wanted: Sequence[Case] | None = None
) -> tuple[list[str], list[str]]:
    """Return a line for each wanted case that failed or has no result in one of the folders.

    All cases of the quick subset are wanted by default. A result in `here` that belongs to earlier code or data does
    not count. The second list has a line for each missing data set, with the number of cases that need it.
    """
    chosen = paper(key)
    wanted = chosen.quick_cases() if wanted is None else wanted
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

    Other cases with a result in `here` are compared, too. Returns the differences. A figure without declared cases, or
    with a declared case that has no result in one of the folders, keeps its earlier outcome.
    """
    _, found = compared(key, here, there)
    first, second = current(key, here), _measured(key, there)
    by_figure: dict[str, list[Key]] = {}
    for case in declared(paper(key), figures):
        by_figure.setdefault(case.figure, []).append(case.key)
    checks = checks_of(paper(key), there)
    earlier, waiting = checks.outcomes, checks.unsigned - first.keys()
    outcomes = {}
    for figure, keys in by_figure.items():
        if all(case in folder for case in keys for folder in (first, second)):
            # cases that are not declared may load other modules
            of_figure = {case: one for case, one in second.items() if case[0] == figure}
            outcomes[figure] = {
                "commit": commit,
                "cases": len(keys),
                "drawn": len((first.keys() & of_figure.keys()) - set(keys)),
                "differing": len({difference.key for difference in found} & of_figure.keys()),
                **_signed(of_figure, earlier[figure] if any(case[0] == figure for case in waiting) else None),
                **_loaded(checks.chosen, figure, [*(first[case] for case in keys), *of_figure.values()]),
            }
    store_checks(key, {**earlier, **outcomes}, there)
    return [difference for difference in found if difference.key[0] in by_figure]


def sign(before: Checks, commit: str, results: Path = RESULTS) -> None:
    """Store the outcomes that a run has measured, as `check` does, so that a later change is noticed.

    A figure is signed if the last check covers all its other cases. It counts as checked with the code of `commit` if
    the run has measured all its declared cases.

    Parameters
    ----------
    before
        Results and the last check before the run.
    """
    chosen, after = before.chosen, results_of(before.chosen, results)
    measured = {
        case
        for case, one in after.items()
        if "measured" in one and one["measured_at"] != before.tracked.get(case, {}).get("measured_at")
    }
    outcomes = dict[str, Any]()
    for figure in sorted({case[0] for case in measured}):
        of_figure = {case: one for case, one in after.items() if case[0] == figure and "measured" in one}
        covered = {case for case in of_figure if figure in before.outcomes} - before.unsigned
        if of_figure.keys() - covered - measured:
            continue
        keys = {case.key for case in declared(chosen, [figure])}
        if keys and keys <= measured:
            outcomes[figure] = {
                "commit": commit,
                "cases": len(keys),
                "drawn": len((measured & of_figure.keys()) - keys),
                "differing": 0,
                **_loaded(chosen, figure, list(of_figure.values())),
            }
        elif figure in before.outcomes:
            outcomes[figure] = before.outcomes[figure]
        else:
            continue
        outcomes[figure] = {**outcomes[figure], **_signed(of_figure, None)}
    store_checks(chosen.key, {**before.outcomes, **outcomes}, results)


def _loaded(chosen: Paper, figure: str, results: Iterable[Result]) -> dict[str, Any]:
    """Return the modules that the cases of a figure loaded, and the digest of modules and data."""
    modules = sorted({name for result in results for name in result["modules"]})
    return {"modules": modules, "sources": digest(modules, reads(chosen, figure))}


def _signed(of_figure: Mapping[Key, Result], earlier: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the digest of the outcomes of a figure, and the time of the last of them; or those of an earlier check, if
    not all cases that it does not cover were measured again.
    """
    if earlier is not None:
        return {name: earlier[name] for name in ("outcomes", "until")}
    times = [result["measured_at"] for result in of_figure.values()]
    return {"outcomes": digest_of_outcomes(of_figure.values()), "until": max(times)}


def disagreeing(key: str, results: Path = RESULTS) -> list[str]:
    """Return a line for each figure whose last measurement with newer code differs from the tracked results."""
    return [
        f"{figure}: {check['differing']} of {check['cases']} cases measured again with the code of commit "
        f"{check['commit']} differ from the tracked results"
        for figure, check in stored_checks(results).get(key, {}).items()
        if check["differing"]
    ]


def changed(key: str, results: Path = RESULTS) -> list[str]:
    """Return a line for each figure whose tracked outcomes are not those that `check` compared, and one for cases that
    were measured for the first time after it.
    """
    checks = checks_of(paper(key), results)
    since = "the tracked results have changed since `check` compared them, at commit"
    lines = [f"{figure}: {since} {checks.outcomes[figure]['commit']}" for figure in sorted(checks.altered)]
    new = Counter(case[0] for case in checks.unsigned if case[0] not in checks.altered)
    return lines + [f"{figure}: {n} new case(s) since the last `check`" for figure, n in sorted(new.items())]


def without_outcome(key: str, results: Path = RESULTS) -> list[str]:
    """Return a line for each figure of which a declared case has no tracked result or was not measured again.

    Figures without any tracked result are omitted if their data are not available.
    """
    checks, tracked = stored_checks(results).get(key, {}), _measured(key, results)
    cases: dict[str, list[Key]] = {}
    for case in declared(paper(key)):
        cases.setdefault(case.figure, []).append(case.key)
    return [
        f"{figure}: {sum(case in tracked for case in keys)} of {len(keys)} declared cases have a tracked result, and "
        f"{again} were measured again"
        for figure, keys in cases.items()
        if (again := checks.get(figure, {"cases": 0})["cases"]) != len(keys) or not tracked.keys() >= set(keys)
        if again or tracked.keys() & set(keys) or not missing_data(reads(paper(key), figure))
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
        counted = {figure: checks[figure]["cases"] + checks[figure]["drawn"] for figure in figures}
        again = ", ".join(f"{figure} {n} of {cases[figure]}" for figure, n in counted.items())
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


def _same(first: Any, second: Any) -> bool:
    if isinstance(first, list) and isinstance(second, list):
        return len(first) == len(second) and all(_same(a, b) for a, b in zip(first, second, strict=True))
    if isinstance(first, int | float) and isinstance(second, int | float):
        return isclose(first, second, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    return bool(first == second)
