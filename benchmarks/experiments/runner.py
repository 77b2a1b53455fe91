"""Run the cases that have no fresh result. A result is fresh if parameters, code and data are unchanged.

If no claim is about the cost of a case, two processes run cases side by side. Cases with claims about time run last,
one at a time, repetition by repetition. Each case with claims about memory runs in a separate process.
"""

import json
import os
import platform
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from functools import cached_property
from importlib import import_module, metadata
from pathlib import Path
from random import Random
from threading import Lock
from typing import Any

from benchmarks.experiments import sources, store
from benchmarks.experiments.cases import Case, Key, Paper
from benchmarks.experiments.workers import ROOT, Worker, grouped

from anonset.errors import InputError

RESULTS = ROOT / "benchmarks" / "results"
QUICK_RESULTS = ROOT / "build" / "quick"
"""Results folder of the quick subset. The folder of the tracked results is another folder."""
CHANGED = "+changes"
"""Suffix of the commit if measuring code has uncommitted changes."""
REPEATED = "repeated.json"
"""File with the outcomes of measuring cases again."""
Tracked = Mapping[Key, store.Result]
"""Results of a paper by key."""
DRAWN = 5
"""Number of cases of each figure that `check` draws."""
LONGEST = 60.0
"""Seconds of the longest case that `check` draws."""
SIDE_BY_SIDE = 2
"""Number of processes that run cases without claims about costs."""
_WRITE_EVERY = 15.0
"""Seconds between writes of new results. A killed run loses at most the results of this time."""


def paper(key: str) -> Paper:
    """Import the experiments of a paper. The key is a package in this folder, or any module if it contains a dot.

    Raises
    ------
    InputError
        If the paper is unknown.
    """
    name = key if "." in key else f"{__package__}.{key}"
    try:
        loaded: Paper = import_module(name).PAPER
    except ModuleNotFoundError as missing:
        if missing.name != name:
            raise
        msg = f"paper must be one of {', '.join(papers())}, got {key!r}"
        raise InputError(msg) from None
    return loaded


def papers(*, studies: bool = True) -> list[str]:
    """Return the keys of all papers, with or without our own studies."""
    keys = sorted(path.parent.name for path in Path(__file__).parent.glob("*/__init__.py"))
    return keys if studies else [key for key in keys if not paper(key).study]


def results_of(chosen: Paper, results: Path = RESULTS) -> dict[Key, store.Result]:
    """Load the results of a paper by key, without results of outdated parameters."""
    loaded = store.load(results / chosen.key)
    current = {case.key: dict(case.parameters) for case in chosen.cases}
    return {key: result for key, result in loaded.items() if key in current and result["parameters"] == current[key]}


def declared(chosen: Paper, figures: Sequence[str] = ()) -> list[Case]:
    """Return the cases that `check` measures again: the quick subset, in papers without cases whose cost is claimed.

    In papers, such cases only repeat the others to measure costs. In our own studies, they also count losses.
    """
    cases = [case for case in chosen.quick_cases() if not figures or case.figure in figures]
    return [case for case in cases if chosen.study or not case.cost]


def drawn(
    chosen: Paper, seed: str, figures: Sequence[str] = (), results: Path = RESULTS, unsigned: Collection[Key] = ()
) -> list[Case]:
    """Draw `DRAWN` cases of each figure at random, which `check` measures again beside the declared cases. Draw all
    cases that are `unsigned` (see `Checks.unsigned`).

    Other cases are drawn from those with a tracked result, except declared cases, cases whose cost is claimed, and
    cases that took longer than `LONGEST`. `seed` is the commit of the code, or a text that a reader chooses.
    """
    tracked, known = results_of(chosen, results), {case.key for case in declared(chosen)}
    by_figure: dict[str, list[Case]] = {}
    found = []
    for case in chosen.cases:
        result = tracked.get(case.key, {})
        if case.key in unsigned:
            found += [case] if case.key not in known and (not figures or case.figure in figures) else []
            continue
        short = "measured" in result and result.get("seconds_of_case", 0.0) <= LONGEST
        if short and not case.cost and case.key not in known and (not figures or case.figure in figures):
            by_figure.setdefault(case.figure, []).append(case)
    for figure, cases in by_figure.items():
        found += Random(f"{seed} {figure}").sample(cases, min(DRAWN, len(cases)))
    return found


def stored_checks(results: Path = RESULTS) -> dict[str, Any]:
    """Return the stored outcomes of measuring cases again, by paper and figure, with lists of modules."""
    path = results / REPEATED
    if not path.exists():
        return {}
    stored: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    lists = store.unpacked(stored)
    return {
        key: {figure: check | {"modules": lists[check["modules"]]} for figure, check in checks.items()}
        for key, checks in stored["checks"].items()
    }


def store_checks(key: str, checks: Mapping[str, Any], results: Path = RESULTS) -> None:
    """Store the outcomes of measuring cases of a paper again, by figure."""
    by_paper = stored_checks(results) | {key: checks}
    packed = {
        paper: {figure: check | {"modules": store.name_of(check["modules"])} for figure, check in figures.items()}
        for paper, figures in by_paper.items()
    }
    lists = store.packed(check["modules"] for figures in by_paper.values() for check in figures.values())
    written = json.dumps({"checks": packed, **lists}, indent=1, sort_keys=True)
    store.replace_file(results / REPEATED, written + "\n")


@dataclass(frozen=True)
class Checks:
    """Tracked results of a paper, and the outcomes of the last check, by figure."""

    chosen: Paper
    tracked: Tracked
    outcomes: Mapping[str, Any]

    @cached_property
    def altered(self) -> set[str]:
        """Figures whose tracked outcomes are not those that the last check compared.

        Cases that were measured for the first time after the check are no change.
        """
        of_figure: dict[str, list[store.Result]] = {}
        for case, result in self.tracked.items():
            if "measured" in result:
                of_figure.setdefault(case[0], []).append(result)
        found = set()
        for figure, check in self.outcomes.items():
            every = of_figure.get(figure, [])
            compared = [one for one in every if one["measured_at"] <= check["until"]]
            if check["outcomes"] not in {store.digest_of_outcomes(every), store.digest_of_outcomes(compared)}:
                found.add(figure)
        return found

    @cached_property
    def unsigned(self) -> set[Key]:
        """Cases with a tracked result that the digests of the last check do not cover: all cases of an altered figure,
        and cases that were measured for the first time after it.
        """
        until = {figure: check["until"] for figure, check in self.outcomes.items()}
        return {
            case
            for case, one in self.tracked.items()
            if "measured" in one
            and (case[0] in self.altered or (case[0] in until and one["measured_at"] > until[case[0]]))
        }

    @cached_property
    def available(self) -> set[str]:
        """Checked figures whose data are available."""
        return {figure for figure in self.outcomes if not missing_data(reads(self.chosen, figure))}

    @cached_property
    def confirmed(self) -> set[str]:
        """Figures whose declared cases gave the stored losses and counts with the current code and data."""
        return {
            figure
            for figure in self.available - self.altered
            if (check := self.outcomes[figure])["cases"]
            and not check["differing"]
            and check["sources"] == sources.digest(check["modules"], reads(self.chosen, figure))
        }


def checks_of(chosen: Paper, results: Path = RESULTS) -> Checks:
    """Load the results and the last check of a paper."""
    return Checks(chosen, results_of(chosen, results), stored_checks(results).get(chosen.key, {}))


def reads(chosen: Paper, figure: str) -> list[str]:
    """Return the data sets of a figure."""
    return sorted({name for case in chosen.cases if case.figure == figure for name in chosen.reads(case.parameters)})


def missing_data(names: Iterable[str]) -> set[str]:
    """Return the data sets that are not available."""
    missing = set()
    for name in names:
        try:
            sources.data_of(name)
        except InputError:
            missing.add(name)
    return missing


def state(result: Mapping[str, Any] | None) -> str:
    """Return the state of a case that is due, by its stored result."""
    if result is None:
        return "not measured"
    return "failed" if "error" in result else "measured with earlier code or data"


def is_fresh(chosen: Paper, result: store.Result) -> bool:
    """Return True if a result belongs to the current code and data."""
    if "measured" not in result:
        return False
    now = sources.digest(result["modules"], chosen.reads(result["parameters"]))
    return bool(now == result["sources"])


def machine() -> dict[str, Any]:
    """Return the machine, the commit and the versions of a measurement."""
    return {
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30),
        "system": platform.system(),
        "python": platform.python_version(),
        "versions": {name: metadata.version(name) for name in ("anonset", "numba", "numpy", "pyroaring")},
        "commit": _commit(),
    }


def _cpu() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


def _commit() -> str:
    """Return the last commit that changed measuring code, with `CHANGED` if such code has uncommitted changes.

    Commits of results and claims are skipped, because rebasing a branch of results renames them.
    """
    commit = _git("log", "-1", "--format=%h", "--abbrev=12")
    return (commit or "unknown") + (CHANGED if commit and _git("status", "--porcelain") else "")


def _git(*command: str) -> str:
    """Run a git command on the measuring code. Return its output, which is empty outside of a repository."""
    ran = subprocess.run(["git", *command, "--", *sources.paths()], cwd=ROOT, capture_output=True, text=True)
    return ran.stdout.strip()


@dataclass(frozen=True)
class Plan:
    """Cases of a paper that are to be run."""

    due: Sequence[Case]
    there: int
    """Cases whose result is fresh."""
    without_data: Sequence[str]
    """Missing data sets. Cases that need a missing data set keep their old results."""
    cases_without_data: int


def plan(
    chosen: Paper,
    *,
    figures: Sequence[str] = (),
    quick: bool = False,
    untimed: bool = False,
    again: bool = False,
    only: Sequence[Case] | None = None,
    results: Path = RESULTS,
) -> Plan:
    """Return the cases without a fresh result, or all cases if `again`. `only` are the cases in question, if given.

    Raises
    ------
    ValueError
        If a figure is unknown.
    """
    if unknown := set(figures) - {figure.key for figure in chosen.figures}:
        known = ", ".join(figure.key for figure in chosen.figures)
        msg = f"figure of {chosen.key} must be one of {known}, got {min(unknown)!r}"
        raise ValueError(msg)
    of_paper = chosen.quick_cases() if quick else chosen.cases
    wanted = (
        [case for case in of_paper if (not figures or case.figure in figures) and not (untimed and case.cost)]
        if only is None
        else only
    )
    can_run, missing = runnable(chosen, wanted)
    checks = checks_of(chosen, results)
    existing = checks.tracked
    unchanged = {
        case.key
        for case in can_run
        if case.figure in checks.confirmed and case.key not in checks.unsigned and not case.cost
    }
    due = [
        case
        for case in can_run
        if again
        or "measured" not in existing.get(case.key, {})
        or not (case.key in unchanged or is_fresh(chosen, existing[case.key]))
    ]
    return Plan(due, len(can_run) - len(due), sorted(missing), len(wanted) - len(can_run))


@dataclass(frozen=True)
class Piece:
    """Figure of a paper with the number of its cases. Each figure can be measured separately."""

    figure: str
    cases: int
    due: int
    seconds: float
    """Total seconds of the measured cases, with any version of the code."""


def pieces(chosen: Paper, results: Path = RESULTS) -> list[Piece]:
    """Return the figures of a paper in order, with the number of cases due."""
    measured = results_of(chosen, results)
    due = Counter(case.figure for case in plan(chosen, results=results).due)
    cases = Counter(case.figure for case in chosen.cases)
    seconds: Counter[str] = Counter()
    for key, result in measured.items():
        seconds[key[0]] += result.get("seconds_of_case", 0.0)
    return [
        Piece(figure.key, cases[figure.key], due[figure.key], float(seconds[figure.key])) for figure in chosen.figures
    ]


def runnable(chosen: Paper, cases: Sequence[Case]) -> tuple[list[Case], set[str]]:
    """Return the cases whose data are available, and the names of the missing data sets."""
    missing = missing_data({name for case in cases for name in chosen.reads(case.parameters)})
    return [case for case in cases if not missing.intersection(chosen.reads(case.parameters))], missing


def run(
    key: str,
    *,
    figures: Sequence[str] = (),
    quick: bool = False,
    untimed: bool = False,
    again: bool = False,
    only: Sequence[Case] | None = None,
    timeout: float = 600.0,
    results: Path = RESULTS,
) -> tuple[int, int]:
    """Run the cases without a fresh result, or all cases if `again`. Return the numbers of cases and of failures.

    `only` are the cases in question, if given.

    If a case fails or exceeds the time limit, its result contains the error, and the next run repeats the case. Cases
    with equal parameters are measured once.

    Raises
    ------
    ValueError
        If the paper or a figure is unknown.
    """
    chosen = paper(key)
    planned = plan(chosen, figures=figures, quick=quick, untimed=untimed, again=again, only=only, results=results)
    if planned.without_data:
        names = ", ".join(planned.without_data)
        sys.stderr.write(f"{key}: {planned.cases_without_data} case(s) skipped: no data {names}\n")
    if planned.due and chosen.prepare is not None:
        subprocess.run([sys.executable, "-m", str(__package__), "prepare", key], cwd=ROOT, check=True)
    new_results = _NewResults(chosen, results / key, machine())
    with closing(new_results):
        _run_all(chosen, planned.due, new_results, timeout)
    return len(planned.due), new_results.failed


def distinct(cases: Iterable[Case]) -> list[list[Case]]:
    """Group cases by parameters. The first case of each group is measured: the one whose cost is claimed, if any."""
    equal_cases: dict[str, list[Case]] = {}
    for case in cases:
        equal_cases.setdefault(json.dumps(dict(case.parameters), sort_keys=True), []).append(case)
    order = ("memory", "time", "")
    return [sorted(equal, key=lambda case: order.index(case.cost)) for equal in equal_cases.values()]


def _run_all(chosen: Paper, due: Sequence[Case], new_results: "_NewResults", timeout: float) -> None:
    """Run one case of each group with equal parameters. Cases without claims about costs run first, side by side."""
    same = {equal[0].key: equal for equal in distinct(due)}
    firsts = [equal[0] for equal in same.values()]

    def run_group(group: list[Case]) -> None:
        with closing(Worker(chosen.key)) as worker:
            for case in group:
                new_results.add(same[case.key], worker.run(case, timeout))
        new_results.close()  # later cases may need these results

    free = [case for case in firsts if not case.cost]
    with ThreadPoolExecutor(SIDE_BY_SIDE) as lanes:
        list(lanes.map(run_group, _split(grouped(chosen, free))))
    for group in grouped(chosen, [case for case in firsts if case.cost]):
        run_group(group)


def _split(groups: list[list[Case]], most: int = 60) -> Iterator[list[Case]]:
    """Split groups into groups of at most `most` cases. Large groups come first, so that processes end together."""
    for group in sorted(groups, key=len, reverse=True):
        for at in range(0, len(group), most):
            yield group[at : at + most]


@dataclass
class _NewResults:
    """Buffer of new results. The buffer is written to files every few seconds and at the end."""

    chosen: Paper
    folder: Path
    environment: dict[str, Any]
    failed: int = 0
    _new: list[store.Result] = field(default_factory=list)
    _written: float = field(default_factory=time.monotonic)
    _lock: Lock = field(default_factory=Lock)

    def add(self, cases: Sequence[Case], answer: dict[str, Any]) -> None:
        modules = answer.get("modules", [])
        for case in cases:
            result = {
                "figure": case.figure,
                "series": case.series,
                "x": case.x,
                "repetition": case.repetition,
                "parameters": dict(case.parameters),
                **answer,
                "modules": modules,
                "sources": sources.digest(modules, self.chosen.reads(case.parameters)),
                "machine": self.environment,
            }
            shown = answer.get("error") or f"{answer['seconds_of_case']:.2f} s"
            sys.stderr.write(f"{self.chosen.key} {case.slug}: {shown}\n")
            with self._lock:
                self._new.append(result)
                self.failed += "error" in answer
        if time.monotonic() - self._written > _WRITE_EVERY:
            self.close()

    def close(self) -> None:
        with self._lock:
            if self._new:
                store.save(self.folder, self._new, {case.key for case in self.chosen.cases})
            self._new, self._written = [], time.monotonic()
