"""Running cases: what has a result of the same parameters, code and data is not run again.

Cases of which only what comes out counts run in two processes side by side. Those whose time is judged come after all
others, one at a time, repetition by repetition; those whose memory is judged have a process of their own.
"""

import json
import os
import platform
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from importlib import import_module, metadata
from pathlib import Path
from threading import Lock
from typing import Any

from benchmarks.experiments import sources, store
from benchmarks.experiments.cases import Case, Key, Paper
from benchmarks.experiments.workers import ROOT, Worker, grouped

from anonset.errors import InputError

RESULTS = ROOT / "benchmarks" / "results"
QUICK_RESULTS = ROOT / "build" / "quick"
"""Where the quick subset's results lie: they never take the place of the tracked ones."""
SOURCES = ("engine", "kernels", "datasets", "benchmarks/experiments")
"""What a result depends on: changes here that are not committed are noted beside it."""
SIDE_BY_SIDE = 2
"""Processes for cases whose cost is not judged."""
_KEPT_EVERY = 15.0
"""Seconds after which what was measured is written: so much is lost when the run is killed."""


def paper(key: str) -> Paper:
    """Import the experiments of a paper: a package beside this module, or any module if the key holds a dot.

    Raises
    ------
    InputError
        If there is no such paper.
    """
    name = key if "." in key else f"{__package__}.{key}"
    try:
        found: Paper = import_module(name).PAPER
    except ModuleNotFoundError as missing:
        if missing.name != name:
            raise
        msg = f"paper must be one of {', '.join(papers())}, got {key!r}"
        raise InputError(msg) from None
    return found


def papers(*, studies: bool = True) -> list[str]:
    """Return the keys of all papers, with our own studies or without."""
    keys = sorted(path.parent.name for path in Path(__file__).parent.glob("*/__init__.py"))
    return keys if studies else [key for key in keys if not paper(key).study]


def results_of(chosen: Paper, results: Path = RESULTS) -> dict[Key, store.Result]:
    """Load the results of a paper by key, but those of other parameters than its cases have now."""
    found = store.load(results / chosen.key)
    asked = {case.key: dict(case.parameters) for case in chosen.cases}
    return {key: one for key, one in found.items() if key in asked and one["parameters"] == asked[key]}


def is_fresh(chosen: Paper, result: store.Result) -> bool:
    """Tell whether a result is one of the code and data as they are now."""
    if "measured" not in result:
        return False
    now = sources.digest(result["modules"], chosen.reads(result["parameters"]))
    return bool(now == result["sources"])


def machine() -> dict[str, Any]:
    """Describe the machine, the commit and the versions that a result was measured with."""
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
    """Return the commit of the checkout, marked where sources are not committed."""
    commit = subprocess.run(["git", "rev-parse", "--short=12", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    if commit.returncode:
        return "unknown"
    changed = subprocess.run(
        ["git", "status", "--porcelain", "--", *SOURCES], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return commit.stdout.strip() + ("+changes" if changed.stdout.strip() else "")


@dataclass(frozen=True)
class Plan:
    """What is to be run of a paper."""

    due: Sequence[Case]
    there: int
    """Cases that have a result of the same parameters, code and data."""
    without_data: Sequence[str]
    """Data sets that are not there; their cases keep the results that they have."""
    cases_without_data: int


def plan(
    chosen: Paper,
    *,
    figures: Sequence[str] = (),
    quick: bool = False,
    untimed: bool = False,
    again: bool = False,
    results: Path = RESULTS,
) -> Plan:
    """Find the cases that have no fresh result, or, if they are to be run `again`, all.

    Raises
    ------
    ValueError
        If there is no such figure.
    """
    if unknown := set(figures) - {figure.key for figure in chosen.figures}:
        known = ", ".join(figure.key for figure in chosen.figures)
        msg = f"figure of {chosen.key} must be one of {known}, got {min(unknown)!r}"
        raise ValueError(msg)
    asked = [
        case for case in (chosen.quick_cases() if quick else chosen.cases) if not figures or case.figure in figures
    ]
    asked = [case for case in asked if not (untimed and case.cost)]
    missing = _missing(chosen, asked)
    can_run = [case for case in asked if not missing.intersection(chosen.reads(case.parameters))]
    found = results_of(chosen, results)
    due = [case for case in can_run if again or case.key not in found or not is_fresh(chosen, found[case.key])]
    return Plan(due, len(can_run) - len(due), sorted(missing), len(asked) - len(can_run))


@dataclass(frozen=True)
class Piece:
    """A figure, which can be measured by itself."""

    figure: str
    cases: int
    due: int
    seconds: float
    """What those cases took that have a result, of whatever code, one after the other."""


def pieces(chosen: Paper, results: Path = RESULTS) -> list[Piece]:
    """Return the figures of a paper, in order, and how much of each is to be measured."""
    found = results_of(chosen, results)
    due = Counter(case.figure for case in plan(chosen, results=results).due)
    cases = Counter(case.figure for case in chosen.cases)
    seconds: Counter[str] = Counter()
    for key, one in found.items():
        seconds[key[0]] += one.get("seconds_of_case", 0.0)
    return [Piece(one.key, cases[one.key], due[one.key], float(seconds[one.key])) for one in chosen.figures]


def _missing(chosen: Paper, cases: Iterable[Case]) -> set[str]:
    """Return the data sets that cases read and that are not there."""
    from anonset.errors import InputError

    missing = set()
    for name in {name for case in cases for name in chosen.reads(case.parameters)}:
        try:
            sources.data_of(name)
        except InputError:
            missing.add(name)
    return missing


def run(
    key: str,
    *,
    figures: Sequence[str] = (),
    quick: bool = False,
    untimed: bool = False,
    again: bool = False,
    timeout: float = 600.0,
    results: Path = RESULTS,
) -> tuple[int, int]:
    """Run the cases that have no fresh result, or all `again`; return how many were run, and how many of them failed.

    A case that fails or runs out of time leaves a result that says so; it is tried again in the next run. Cases of the
    same parameters are measured once.

    Raises
    ------
    ValueError
        If there is no such paper or figure.
    """
    chosen = paper(key)
    planned = plan(chosen, figures=figures, quick=quick, untimed=untimed, again=again, results=results)
    if planned.without_data:
        names = ", ".join(planned.without_data)
        sys.stderr.write(f"{key}: {planned.cases_without_data} case(s) are left out: no data {names}\n")
    if planned.due and chosen.prepare is not None:
        subprocess.run([sys.executable, "-m", str(__package__), "prepare", key], cwd=ROOT, check=True)
    alike: dict[str, list[Case]] = {}
    for case in planned.due:
        alike.setdefault(json.dumps(dict(case.parameters), sort_keys=True), []).append(case)
    kept = _Kept(chosen, results / key, machine())
    with closing(kept):
        _run_all(chosen, alike, kept, timeout)
    return len(planned.due), kept.failed


def _run_all(chosen: Paper, alike: dict[str, list[Case]], kept: "_Kept", timeout: float) -> None:
    """Run one case of each that are alike: first those whose cost is not judged, side by side."""
    chosen_cases = [max(cases, key=lambda case: ("", "time", "memory").index(case.cost)) for cases in alike.values()]
    same = {id(case): cases for case, cases in zip(chosen_cases, alike.values(), strict=True)}

    def run_group(group: list[Case]) -> None:
        with closing(Worker(chosen.key)) as worker:
            for case in group:
                kept.add(same[id(case)], worker.run(case, timeout))
        kept.close()  # later cases may be about these

    free = [case for case in chosen_cases if not case.cost]
    with ThreadPoolExecutor(SIDE_BY_SIDE) as lanes:
        list(lanes.map(run_group, _split(grouped(chosen, free))))
    for group in grouped(chosen, [case for case in chosen_cases if case.cost]):
        run_group(group)


def _split(groups: list[list[Case]], most: int = 60) -> Iterator[list[Case]]:
    """Return groups of at most so many cases, the largest first, so that no process is left alone with many."""
    for group in sorted(groups, key=len, reverse=True):
        for at in range(0, len(group), most):
            yield group[at : at + most]


@dataclass
class _Kept:
    """Results on their way into the files: written every few seconds and at the end."""

    chosen: Paper
    folder: Path
    environment: dict[str, Any]
    failed: int = 0
    _new: list[store.Result] = field(default_factory=list)
    _written: float = field(default_factory=time.monotonic)
    _lock: Lock = field(default_factory=Lock)

    def add(self, cases: Sequence[Case], answer: dict[str, Any]) -> None:
        """Take what was measured for cases of the same parameters."""
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
        if time.monotonic() - self._written > _KEPT_EVERY:
            self.close()

    def close(self) -> None:
        """Write what is new."""
        with self._lock:
            if self._new:
                store.save(self.folder, self._new, {case.key for case in self.chosen.cases})
            self._new, self._written = [], time.monotonic()
