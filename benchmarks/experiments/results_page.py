"""Generated blocks of the results page."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.experiments import baselines, claim_counts, criteria, findings
from benchmarks.experiments.agreement import current, disagreeing
from benchmarks.experiments.baselines import render as of_baselines
from benchmarks.experiments.cases import OF_PAPERS
from benchmarks.experiments.judging import BASES, judge
from benchmarks.experiments.render import rows, show
from benchmarks.experiments.rt_frontier import render as of_rt_datasets
from benchmarks.experiments.runner import QUICK_RESULTS, RESULTS, SIDE_BY_SIDE, distinct, paper, papers, results_of
from benchmarks.experiments.store import replace_file
from benchmarks.experiments.verdicts import in_short, judged_papers
from benchmarks.experiments.workers import ROOT

from anonset_datasets.entries import ENTRIES

PAGE = ROOT / "docs" / "results.md"
BENCHMARKS = "benchmarks"
"""Key of the pytest-benchmark results, stored in ``benchmarks/results/benchmarks.json``."""
OVERVIEW = "overview"
"""Key of the verdict counts of all papers and studies."""
QUICK = "quick"
"""Key of the CPU time of the quick subset of each paper, in its last run."""

IN_SHORT = "baselines-in-short"
"""Key of the sentences about the study of baselines."""
RT_ERRORS = "rt_frontier-errors"
"""Key of the table of errors of `joint-split` and Rum-bound."""
_BASELINES = ROOT / "docs" / "baselines.md"
PAGES = {
    baselines.PAPER.key: _BASELINES,
    IN_SHORT: _BASELINES,
    QUICK: ROOT / "docs" / "reproducing.md",
    RT_ERRORS: ROOT / "docs" / "development" / "measurements.md",
}
"""Page of a block, if it is not `PAGE`."""

ALGORITHMS = "benchmarks/algorithms/"
"""Folder of the algorithm benchmarks, which the page shows."""


def write_block(key: str, page: Path | None = None, results: Path | None = None) -> str:
    """Replace the text between the markers of `key` in the page. Return a line that describes the change."""
    special = {
        BENCHMARKS: benchmarks_table,
        OVERVIEW: overview,
        QUICK: quick_table,
        IN_SHORT: of_baselines.in_short,
        RT_ERRORS: of_rt_datasets.errors,
        baselines.PAPER.key: of_baselines.tables,
    }
    folder = results or (QUICK_RESULTS if key == QUICK else RESULTS)
    block = special[key](folder) if key in special else claims_table(key, folder)
    page = PAGES.get(key, PAGE) if page is None else page
    return put(block, key, page) if block else f"{page.name}: unchanged, {folder} lacks current results of {key}"


def put(block: str, key: str, page: Path) -> str:
    """Write a block between the markers of `key` in a page. Return a line that describes the change."""
    first, last = f"<!-- results:{key} -->", f"<!-- /results:{key} -->"
    text = page.read_text(encoding="utf-8")
    start, end = text.find(first), text.find(last)
    if start < 0 or end < start:
        return f"{page.name}: unchanged, it has no markers {first} and {last}"
    replace_file(page, f"{text[: start + len(first)]}\n{block}\n{text[end:]}")
    return f"{page.name}: wrote the results of {key}"


_RUNS = "all", "some", "no"
"""Runs in which a claim about times is met, in the order of `claim_counts.times`."""


def overview(results: Path = RESULTS) -> str:
    """Return a Markdown table that counts claims by verdict: of each paper by kind of data, and of each own study.

    Studies without claims are not shown. Names each figure whose results the code did not give again.
    """
    depends = criteria.DEPENDS.removesuffix(" the ")
    undecided = criteria.NO_ORDER, criteria.EQUAL
    printed = criteria.DIFFERS, criteria.AGREES
    not_met = criteria.CONTRADICTED, criteria.FAILS_IN_WORDS, criteria.MIXED
    verdicts = *not_met, depends, *undecided, criteria.HOLDS_IN_WORDS, *printed
    cells = []
    for key, judged in judged_papers(results).items():
        study = paper(key).study
        shown = [one for one in judged if one.claim.kind in (("own",) if study else OF_PAPERS)]
        link = f"[{paper(key).title if study else findings.names(key)}](../benchmarks/results/{key}/README.md)"
        for basis in ("",) if study else BASES:
            chosen = [one for one in shown if one.basis == basis]
            counts = Counter(in_short(one.verdict) for one in chosen)
            if counts:
                row = [counts[verdict] for verdict in verdicts]
                met = ", ".join(f"{n} in {runs}" for n, runs in zip(claim_counts.times(chosen), _RUNS, strict=True))
                of_times = f" (met: {met} runs)" if counts[criteria.SHOWN] else ""
                rest = f"{counts.total() - sum(row)}{of_times}"
                cells.append((study, [link, basis or _data_of(key), *map(str, row), rest]))
    decided = "contradicted", "fail", "mixed", "depend on a condition", *undecided, "hold", *printed
    head = ("claims of", "data", *decided, "no verdict")
    outdated = "".join(f"\n* `{key}`, {line}." for key in papers() for line in disagreeing(key, results))
    table = rows(head, [row for _, row in sorted(cells, key=lambda cell: cell[0])])
    return f"{table}\n{outdated}" if outdated else table


def quick_table(results: Path = QUICK_RESULTS) -> str:
    """Return a Markdown table of the last run of the quick subset: cases, and CPU seconds of each paper.

    A sentence below states the elapsed time of all cases, from the tracked results. Empty if a case of the subset that
    has a tracked result was not measured with the current code.
    """
    cells, machines, n_free, seconds = [], set(), 0, 0.0
    for key in papers(studies=False):
        chosen = paper(key)
        stored, cases, tracked = current(key, results), chosen.quick_cases(), results_of(chosen, RESULTS)
        if any(case.key in tracked and case.key not in stored for case in cases):
            return ""
        free = [case for case in cases if not ENTRIES.keys() & set(chosen.reads(case.parameters))]
        row = []
        for some in (cases, free):
            found = [stored[case.key] for case in some if "cpu_seconds_of_case" in stored.get(case.key, {})]
            machines |= {(one["machine"]["commit"], one["machine"]["cpu"], one["machine"]["cores"]) for one in found}
            measured = [equal[0].key for equal in distinct(some) if equal[0].key in stored]
            spent = sum(stored[case]["cpu_seconds_of_case"] for case in measured)
            row += [f"{len(found)} of {len(some)}", f"{spent:.0f} s"]
        n_free, seconds = n_free + len(free), seconds + spent
        cells.append((findings.names(key), *row))
    origin = "; ".join(f"commit {commit}, {cpu}, {cores} cores" for commit, cpu, cores in sorted(machines))
    head = ("paper", "cases measured", "CPU time", "cases without data files", "CPU time of these cases")
    without = f"Without data files, {n_free} cases are measured, which needs {seconds:.0f} s of CPU."
    return f"Measured at {origin}. {without}\n\n{rows(head, cells)}\n\n{_complete_run()}"


def _complete_run() -> str:
    """Return a table of the elapsed times of all cases of each paper and study, without start and compilation."""
    cells, total = [], Counter[bool]()
    for key in sorted(papers(), key=lambda key: paper(key).study):
        stored, seconds, measured = results_of(paper(key), RESULTS), Counter[bool](), 0
        for case in (equal[0] for equal in distinct(paper(key).cases)):
            if case.key in stored:
                measured += 1
                seconds[bool(case.cost)] += stored[case.key]["seconds_of_case"]
        if not paper(key).study:
            total += seconds
        name = f"`{key}`" if paper(key).study else findings.names(key)
        cells.append((name, f"{measured:,}", *(f"{seconds[alone] / 60:.0f} min" for alone in (False, True))))
    head = (
        "paper or study",
        "cases with different parameters",
        f"cases that run {SIDE_BY_SIDE} at a time",
        "cases that run alone",
    )
    least = (total[False] / SIDE_BY_SIDE + total[True]) / 3600
    return (
        "The table shows the elapsed times of all cases with different parameters, in the tracked results. Cases with "
        f"claims about their cost run alone. So the complete run of the five papers takes at least {least:.1f} "
        f"hours.\n\n{rows(head, cells)}"
    )


def _data_of(key: str) -> str:
    """Return the number of data sets of a study, without generated data."""
    chosen = paper(key)
    names = {name for case in chosen.cases for name in chosen.reads(case.parameters)} & ENTRIES.keys()
    return f"{len(names)} data sets" if names else "generated data"


def claims_table(key: str, results: Path = RESULTS) -> str:
    """Return the verdicts on all claims of a paper as a short Markdown table. Claims that do not hold come first.

    If figures share claims, the table has a row per claim, and lists the figures of each verdict. A sentence before the
    table names each figure whose results the code did not give again.
    """
    outdated = "".join(f"{line}.\n\n" for line in disagreeing(key, results))
    chosen = paper(key)
    judged = sorted(judge(chosen, results_of(chosen, results)), key=lambda one: findings.place_of(one.verdict))
    figures: dict[str, dict[str, list[str]]] = {}
    criteria_of = {judgement.claim.text: judgement.claim.criterion for judgement in judged}
    for judgement in judged:
        verdicts = figures.setdefault(judgement.claim.text, {})
        verdicts.setdefault(judgement.sentence, []).append(judgement.figure)
    if len(figures) < len(judged):
        shared = [
            (
                claim,
                criteria_of[claim],
                ". ".join(f"**{verdict}**: {'; '.join(of)}" for verdict, of in verdicts.items()),
            )
            for claim, verdicts in figures.items()
        ]
        return outdated + rows(("claim", "criterion", "verdict, with its figures"), shared)
    cells = [(one.figure, one.claim.text, one.claim.criterion, f"**{one.sentence}**", one.measured) for one in judged]
    return outdated + rows(("figure", "claim", "criterion", "verdict", "measured"), cells)


def benchmarks_table(results: Path = RESULTS) -> str:
    """Return commit and machine of the algorithm benchmarks, and a Markdown table of the shortest times and details.

    Benchmarks of kernels are not shown.
    """
    path = results / "benchmarks.json"
    if not path.exists():
        return "Not measured yet."
    stored: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    cells, here = [], stored["machine_info"]
    origin = f"Measured at commit {here['commit']}, {here['cpu']}, {here['cores']} cores."
    records = [record for record in stored["benchmarks"] if str(record["fullname"]).startswith(ALGORITHMS)]
    for record in sorted(records, key=lambda record: str(record["fullname"])):
        details = ", ".join(f"{name} {_plain(value)}" for name, value in record["extra_info"].items())
        cells.append(
            (record["group"], record["name"].removeprefix("test_bench_"), _duration(record["stats"]["min"]), details)
        )
    return f"{origin}\n\n{rows(('group', 'benchmark', 'best', 'details'), cells)}"


def _plain(value: Any) -> str:
    return show(value) if isinstance(value, int | float) else str(value)


def _duration(seconds: float) -> str:
    if seconds < 1e-3:
        return f"{seconds * 1e6:.3g} µs"
    return f"{seconds * 1e3:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"
