"""Blocks of the page of results that are generated."""

import json
from pathlib import Path
from typing import Any

from benchmarks.experiments.judging import judge
from benchmarks.experiments.render import rows, show
from benchmarks.experiments.runner import RESULTS, paper, results_of
from benchmarks.experiments.workers import ROOT

PAGE = ROOT / "docs" / "results.md"
BENCHMARKS = "benchmarks"
"""Key of the results of pytest-benchmark, which lie in ``benchmarks/results/benchmarks.json``."""

ALGORITHMS = "benchmarks/algorithms/"
"""Where the benchmarks of whole algorithms lie, those that the page shows."""


def write_block(key: str, page: Path = PAGE, results: Path = RESULTS) -> str:
    """Replace what is between the key's markers in the page; return what was done, in words."""
    first, last = f"<!-- results:{key} -->", f"<!-- /results:{key} -->"
    text = page.read_text(encoding="utf-8")
    start, end = text.find(first), text.find(last)
    if start < 0 or end < start:
        return f"{page.name}: nothing done, it has no markers {first} and {last}"
    block = benchmarks_table(results) if key == BENCHMARKS else claims_table(key, results)
    page.write_text(f"{text[: start + len(first)]}\n{block}\n{text[end:]}", encoding="utf-8")
    return f"{page.name}: wrote the results of {key}"


def claims_table(key: str, results: Path = RESULTS) -> str:
    """Return the verdict on each claim of a paper as a short Markdown table."""
    chosen = paper(key)
    judged = judge(chosen, results_of(chosen, results))
    cells = [(one.figure, one.claim.text, f"**{one.verdict}**", one.measured) for one in judged]
    return rows(("figure", "claim", "verdict", "measured"), cells)


def benchmarks_table(results: Path = RESULTS) -> str:
    """Return what pytest-benchmark found of the algorithms as a Markdown table: best of the rounds, and what was noted.

    The kernels' figures stay in the file.
    """
    path = results / "benchmarks.json"
    if not path.exists():
        return "Not measured yet."
    found: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["benchmarks"]
    cells = []
    found = [one for one in found if str(one["fullname"]).startswith(ALGORITHMS)]
    for one in sorted(found, key=lambda one: str(one["fullname"])):
        beside = ", ".join(f"{name} {_plain(value)}" for name, value in one["extra_info"].items())
        cells.append((one["group"], one["name"].removeprefix("test_bench_"), _duration(one["stats"]["min"]), beside))
    return rows(("group", "benchmark", "best", "details"), cells)


def _plain(value: Any) -> str:
    return show(value) if isinstance(value, int | float) else str(value)


def _duration(seconds: float) -> str:
    if seconds < 1e-3:
        return f"{seconds * 1e6:.3g} µs"
    return f"{seconds * 1e3:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"
