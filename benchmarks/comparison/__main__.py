"""Measure the tools, and write the tables of docs/comparison.md."""

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.comparison import inputs, measures, tools
from benchmarks.experiments.render import rows as markdown
from benchmarks.experiments.results_page import put
from benchmarks.experiments.runner import RESULTS, machine
from benchmarks.experiments.store import replace_file
from benchmarks.experiments.workers import ROOT
from benchmarks.relational import COLUMNS
from cyclopts import App

from benchmarks import process_tree

app = App(name="comparison", help="Compare anonset with other tools.")
PAGE = ROOT / "docs" / "comparison.md"
STORED = RESULTS / "comparison.json"
TABLES = {"adult4": ("age", "education", "marital-status", "race"), "adult": COLUMNS}
SETS = ("groceries", "bms_webview1")
ADDED = "90,Preschool,Widowed,Other\n"
"""Row that violates the guarantee, with the columns of ``adult4``. No tool may publish it."""
SECONDS = 180
"""Time limit of a run in seconds."""
_TIMED_OUT = 124
_FEWEST = 3
"""Number of runs from which times are compared."""

Judge = Callable[[tools.Way, Path], dict[str, float]]
"""Function that computes the losses of a published file, and the size of the smallest class. For sets, it computes the
lowest support instead of the class size.
"""


@app.command
def run(data: Path, folder: Path, *, rounds: int = 3) -> None:
    """Run all tools named in FOLDER/tools.json, and store losses, times, memory and answers of the checks.

    The stored results of other tools remain, with the commit and the machine of their measurement.

    Parameters
    ----------
    data
        Folder of data sets, with ``relational/adult.csv.gz``, ``hierarchies/adult_arx`` and ``transactions``.
    folder
        Folder for inputs and outputs.
    rounds
        Number of runs of each tool. In each round, the tools run one after another. Times are medians.
    """
    installed = json.loads((folder / "tools.json").read_text(encoding="utf-8"))
    begin = tools.prepare(installed, folder)
    date = f"{datetime.now(UTC):%Y-%m-%d}"
    environment = machine() | {"load": os.getloadavg()[0], "rounds": rounds}
    versions = {name: tool["version"] for name, tool in installed.items()}
    versions[tools.ANONSET] = f"{environment['versions']['anonset']}, commit {environment['commit']}"
    new = dict(_tables(data, folder, begin, rounds)) | dict(_sets(data, folder, begin, rounds))
    results = json.loads(STORED.read_text(encoding="utf-8"))

    def merged(old: list[dict[str, Any]], measured: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
        return [*({**one, "on": date} for one in measured), *(one for one in old if one["tool"] not in begin)]

    results["cases"] = {name: merged(results["cases"][name], found) for name, found in new.items()}
    results["checks"] = merged(results["checks"], _checks(folder, begin))
    shown = [
        one for name in ("checks", *new) for one in (results["checks"] if name == "checks" else results["cases"][name])
    ]
    kept = {one["on"]: results["measurements"].get(one["on"]) for one in shown}
    results["measurements"] = kept | {date: environment | {"versions": versions}}
    replace_file(STORED, json.dumps(results, indent=1, ensure_ascii=False) + "\n")


def _tables(data: Path, folder: Path, begin: Mapping[str, list[str]], rounds: int) -> Iterator[tuple[str, Any]]:
    for name, columns in TABLES.items():
        rows, trees = inputs.adult(data, folder / name, columns)

        def judged(way: tools.Way, path: Path, rows: measures.Rows = rows, trees: Any = trees) -> dict[str, float]:
            table = measures.read_table(path)
            if way.tool == "amnesia":
                table = measures.best_levels(table, rows, trees)
            losses = {"loss": measures.table_loss(table, trees, len(rows)), "k": measures.smallest_class(table)}
            return losses | {"discernibility": measures.discernibility(table, trees, len(rows))}

        ways = list(tools.of_tables(begin, folder / name, list(trees)))
        yield name, _measured(ways, folder / name / "out", judged, rounds)


def _sets(data: Path, folder: Path, begin: Mapping[str, list[str]], rounds: int) -> Iterator[tuple[str, Any]]:
    for name in SETS:
        records, tree = inputs.baskets(data, name, folder / name)

        def judged(_: tools.Way, path: Path, records: measures.Rows = records, tree: Any = tree) -> dict[str, float]:
            published = measures.read_sets(path)
            loss = measures.set_loss(published, records, tree)
            return {"loss": loss, "k": measures.least_support(published, tools.M)}

        yield name, _measured(list(tools.of_sets(begin, folder / name)), folder / name / "out", judged, rounds)


def _measured(ways: Sequence[tools.Way], out: Path, judged: Judge, rounds: int) -> list[dict[str, Any]]:
    """Run all ways one after another, `rounds` times. A way that fails is not run again."""
    costs: dict[str, list[process_tree.Took]] = {}
    results: dict[str, dict[str, Any]] = {}
    for _ in range(rounds):
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir(parents=True)
        for way in (way for way in ways if "error" not in results.get(way.output, {})):
            took = process_tree.run(["timeout", str(SECONDS), *way.command])
            results[way.output] = {"tool": way.tool, "algorithm": way.algorithm}
            if took.code == 0:
                costs.setdefault(way.output, []).append(took)
                results[way.output] |= judged(way, out / way.output)
            else:
                error = (took.errors.strip() or f"exit code {took.code}").splitlines()[-1]
                results[way.output]["error"] = "time limit" if took.code == _TIMED_OUT else error
            sys.stderr.write(f"{results[way.output]} {took.cpu_seconds:.2f}\n")
    for name, found in costs.items():
        results[name] |= {
            "seconds": median(took.seconds for took in found),
            "cpu_seconds": median(took.cpu_seconds for took in found),
            "peak_mib": median(took.peak for took in found) / 2**20,
        }
    return list(results.values())


def _checks(folder: Path, begin: Mapping[str, list[str]]) -> Iterator[dict[str, Any]]:
    """Add an unprotected record to a published table and to published sets, and yield the answer of each tool."""
    table, sets = folder / "broken.csv", folder / "broken.dat"
    published = folder / "adult4" / "out" / "local-recoding" / "published.csv"
    table.write_text(published.read_text(encoding="utf-8") + ADDED, encoding="utf-8")
    published = folder / "groceries" / "out" / "apriori" / "published.dat"
    sets.write_text(published.read_text(encoding="utf-8") + "added\n", encoding="utf-8")
    if measures.smallest_class(measures.read_table(table)) > 1:
        msg = "the added row is not unique"
        raise RuntimeError(msg)
    for tool, kind, command in tools.checks(begin, table, sets):
        took = process_tree.run(command)
        yield {"tool": tool, "of": kind, "answer": (took.output + took.errors).strip().splitlines()[0]}


@app.command
def page() -> None:
    """Write the stored results into docs/comparison.md."""
    results = json.loads(STORED.read_text(encoding="utf-8"))
    for key, measured in results["cases"].items():
        sys.stdout.write(put(table(measured, results["measurements"]), key, PAGE) + "\n")
    answers = [(tools.NAMES[one["tool"]], one["of"], one["answer"]) for one in results["checks"]]
    sys.stdout.write(put(markdown(("tool", "data", "answer"), answers), "checks", PAGE) + "\n")
    sys.stdout.write(put(provenance(results), "comparison", PAGE) + "\n")


def table(measured: Sequence[Mapping[str, Any]], measurements: Mapping[str, Mapping[str, Any]]) -> str:
    """Return the results of a data set as a Markdown table, by ascending loss, with the measurement of each result.

    Omits wall times of measurements during which other programs used all cores, because they are not comparable. Omits
    the column of discernibility if no result has it.

    >>> way = {"tool": "arx", "algorithm": "local recoding", "on": "2026-11-24"}
    >>> done = {"loss": 0.25, "k": 10, "seconds": 1.25, "cpu_seconds": 2, "peak_mib": 99.6}
    >>> of = {"commit": "c1", "load": 0.5, "cores": 2, "rounds": 3}
    >>> print(table([way | {"error": "time limit"}, way | done], {"2026-11-24": of}))
    | tool | algorithm | loss | smallest class or support | CPU seconds | seconds | peak MiB | date | commit | load | runs |
    |---|---|---|---|---|---|---|---|---|---|---|
    | ARX | local recoding | 0.2500 | 10 | 2.0 | 1.2 | 100 | 2026-11-24 | c1 | 0.5 | 3 |
    | ARX | local recoding | time limit |  |  |  |  | 2026-11-24 | c1 | 0.5 | 1 |
    """  # noqa: E501 - a line of the table
    cells, second = [], any("discernibility" in way for way in measured)
    for way in sorted(measured, key=lambda way: way.get("loss", 2.0)):
        names, other = (tools.NAMES[way["tool"]], way["algorithm"]), [""] if second else []
        of = measurements[way["on"]]
        runs = 1 if "error" in way else of["rounds"]  # a way that fails is not run again
        where = way["on"], of["commit"], f"{of['load']:.1f}", f"{runs}"
        if "error" in way:
            cells.append((*names, way["error"], *other, "", "", "", "", *where))
        else:
            cpu = f"{way['cpu_seconds']:.1f}" if "cpu_seconds" in way else ""
            wall = "" if of["load"] > of["cores"] else f"{way['seconds']:.1f}"
            costs = cpu, wall, f"{way['peak_mib']:.0f}"
            other = [f"{way['discernibility']:,.1f}"] if "discernibility" in way else other
            cells.append((*names, f"{way['loss']:.4f}", *other, str(way["k"]), *costs, *where))
    costs = "CPU seconds", "seconds", "peak MiB"
    losses = ["loss", "discernibility"] if second else ["loss"]
    head = ("tool", "algorithm", *losses, "smallest class or support", *costs, "date", "commit", "load", "runs")
    return markdown(head, cells)


def provenance(results: Mapping[str, Any]) -> str:
    """Return a line about the versions and the machine of each measurement, the time limit, and which rows compare."""
    lines, dates = [], sorted(results["measurements"])
    for date, m in sorted(results["measurements"].items(), reverse=True):
        versions = "; ".join(f"{tools.NAMES[tool]} {version}" for tool, version in m["versions"].items())
        hardware = f"{m['cpu']}, {m['cores']} cores, {m['memory_gib']} GiB, load {m['load']:.1f} before the first run"
        lines.append(f"* Measured on {date} with {versions}. Machine: {hardware}. Runs of each tool: {m['rounds']}.")
    compare = "Rows with the same date and commit were measured one after another, and may be compared by all columns."
    if len(dates) > 1:
        compare += (
            " Rows of different dates may be compared by loss and by smallest class or support, which do not depend on"
            " the load, but not by time or memory."
        )
    few = [date for date in dates if results["measurements"][date]["rounds"] < _FEWEST]
    if few:
        compare += (
            f" The times of {' and '.join(few)} are of fewer than {_FEWEST} runs, so small differences say nothing."
        )
    return "\n".join([*lines, f"* Time limit: {results['limit']} s.", f"* {compare}"])


if __name__ == "__main__":
    app()
