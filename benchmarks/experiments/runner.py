"""Running cases: each in a process of its own; what has a result is not run again."""

import json
import os
import platform
import subprocess
import sys
import time
from datetime import UTC, datetime
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

from benchmarks.experiments import store
from benchmarks.experiments.cases import Case, Paper

ROOT = Path(__file__).resolve().parents[2]
RESULTS = ROOT / "benchmarks" / "results"
SOURCES = ("engine", "kernels", "datasets", "benchmarks/experiments")
"""What a result depends on: changes here that are not committed are noted beside it."""


def paper(key: str) -> Paper:
    """Import the experiments of a paper: a package beside this module, or any module if the key holds a dot.

    Raises
    ------
    ValueError
        If there is no such paper.
    """
    name = key if "." in key else f"{__package__}.{key}"
    try:
        found: Paper = import_module(name).PAPER
    except ModuleNotFoundError as missing:
        if missing.name != name:
            raise
        msg = f"paper must be one of {', '.join(papers())}, got {key!r}"
        raise ValueError(msg) from None
    return found


def papers() -> list[str]:
    """Return the keys of all papers."""
    return sorted(path.parent.name for path in Path(__file__).parent.glob("*/__init__.py"))


def results_of(chosen: Paper, results: Path = RESULTS) -> dict[store.Key, store.Result]:
    """Load the results of a paper by figure, series and x, but those of other parameters than its cases have now."""
    found = store.load(results / chosen.key)
    asked = {case.key: dict(case.parameters) for case in chosen.cases}
    return {key: one for key, one in found.items() if key in asked and one["parameters"] == asked[key]}


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


def run_case(key: str, slug: str) -> dict[str, Any]:
    """Run one case in this process and return its measured quantities.

    Raises
    ------
    ValueError
        If the paper has no such case.
    """
    chosen = paper(key)
    for case in chosen.cases:
        if case.slug == slug:
            return dict(chosen.measure(case.parameters))
    msg = f"case of {key} must be one of {', '.join(case.slug for case in chosen.cases)}, got {slug!r}"
    raise ValueError(msg)


def run(
    key: str,
    *,
    figures: tuple[str, ...] = (),
    force: bool = False,
    timeout: float = 1800.0,
    results: Path = RESULTS,
) -> tuple[int, int]:
    """Run the cases that have no result yet; return how many were run, and how many of them failed.

    A case that fails or runs out of time leaves a result that says so; it is tried again in the next run. So is a
    case whose parameters have changed since. Cases of the same parameters are measured once.

    Raises
    ------
    ValueError
        If there is no such paper or figure.
    """
    chosen = paper(key)
    if unknown := set(figures) - {figure.key for figure in chosen.figures}:
        known = ", ".join(figure.key for figure in chosen.figures)
        msg = f"figure of {key} must be one of {known}, got {min(unknown)!r}"
        raise ValueError(msg)
    due = [case for case in chosen.cases if not figures or case.figure in figures]
    there = {} if force else results_of(chosen, results)
    due = [case for case in due if "measured" not in there.get(case.key, {})]
    if due and chosen.prepare is not None:
        _python("prepare", key, timeout=timeout)
    described, measured, failed = machine(), dict[str, dict[str, Any]](), 0
    wanted = {case.key for case in chosen.cases}
    for case in due:
        parameters = json.dumps(dict(case.parameters), sort_keys=True)
        if parameters not in measured:
            measured[parameters] = _measure(key, case, timeout)
        result = {"figure": case.figure, "series": case.series, "x": case.x, "parameters": dict(case.parameters)}
        result |= measured[parameters] | {"machine": described}
        store.save(results / key, result, wanted)
        failed += "error" in result
        shown = result.get("error") or json.dumps(result["measured"])
        sys.stderr.write(f"{key} {case.slug}: {shown}\n")
    return len(due), failed


def _measure(key: str, case: Case, timeout: float) -> dict[str, Any]:
    """Measure one case in a process of its own; return what it measured, or its error, and when."""
    began, at, load = time.perf_counter(), datetime.now(UTC), os.getloadavg()[0]
    measured: dict[str, Any]
    try:
        done = _python("case", key, case.slug, timeout=timeout)
    except subprocess.TimeoutExpired:
        measured = {"error": f"did not finish within {timeout:g} s"}
    else:
        lines = done.stderr.strip().splitlines() or [f"ended with status {done.returncode}"]
        measured = {"error": lines[-1]} if done.returncode else {"measured": json.loads(done.stdout.splitlines()[-1])}
    return {
        **measured,
        "measured_at": at.isoformat(timespec="seconds"),
        "seconds_of_case": round(time.perf_counter() - began, 3),
        "load_before": round(load, 2),
    }


def _python(*arguments: str, timeout: float) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", str(__package__), *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=timeout, check=False)
