"""Measure the tools, and write the tables of docs/comparison.md."""

import json
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from benchmarks.comparison import inputs, measures, tools
from benchmarks.experiments.render import rows as markdown
from benchmarks.experiments.results_page import put
from benchmarks.experiments.runner import RESULTS, machine
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

Judge = Callable[[tools.Way, Path], tuple[float, int]]
"""Function that computes the loss of a published file, and the size of the smallest class. For sets, it computes the
lowest support instead of the class size.
"""


@app.command
def run(data: Path, folder: Path) -> None:
    """Run all tools named in FOLDER/tools.json, and store losses, times, memory and answers of the checks.

    Parameters
    ----------
    data
        Folder of data sets, with ``relational/adult.csv.gz``, ``hierarchies/adult_arx`` and ``transactions``.
    folder
        Folder for inputs and outputs.
    """
    installed = json.loads((folder / "tools.json").read_text(encoding="utf-8"))
    begin = tools.prepare(installed, folder)
    environment = machine() | {"date": f"{datetime.now(UTC):%Y-%m-%d}", "load": os.getloadavg()[0]}
    versions = {name: tool["version"] for name, tool in installed.items()}
    versions[tools.ANONSET] = f"{environment['versions']['anonset']}, commit {environment['commit']}"
    results = {"machine": environment, "versions": versions, "limit": SECONDS, "cases": {}}
    results["cases"] = dict(_tables(data, folder, begin)) | dict(_sets(data, folder, begin))
    results["checks"] = list(_checks(folder, begin))
    STORED.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def _tables(data: Path, folder: Path, begin: Mapping[str, list[str]]) -> Iterator[tuple[str, Any]]:
    for name, columns in TABLES.items():
        rows, trees = inputs.adult(data, folder / name, columns)

        def judged(way: tools.Way, path: Path, rows: measures.Rows = rows, trees: Any = trees) -> tuple[float, int]:
            table = measures.read_table(path)
            if way.tool == "amnesia":
                table = measures.best_levels(table, rows, trees)
            return measures.table_loss(table, trees, len(rows)), measures.smallest_class(table)

        yield name, _measured(tools.of_tables(begin, folder / name, list(trees)), folder / name / "out", judged)


def _sets(data: Path, folder: Path, begin: Mapping[str, list[str]]) -> Iterator[tuple[str, Any]]:
    for name in SETS:
        records, tree = inputs.baskets(data, name, folder / name)

        def judged(_: tools.Way, path: Path, records: measures.Rows = records, tree: Any = tree) -> tuple[float, int]:
            published = measures.read_sets(path)
            return measures.set_loss(published, records, tree), measures.least_support(published, tools.M)

        yield name, _measured(tools.of_sets(begin, folder / name), folder / name / "out", judged)


def _measured(ways: Iterable[tools.Way], out: Path, judged: Judge) -> list[dict[str, Any]]:
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    results = []
    for way in ways:
        took = process_tree.run(["timeout", str(SECONDS), *way.command])
        result: dict[str, Any] = {"tool": way.tool, "algorithm": way.algorithm}
        if took.code == 0:
            loss, k = judged(way, out / way.output)
            result |= {"loss": loss, "k": k, "seconds": took.seconds, "peak_mib": took.peak / 2**20}
        else:
            error = (took.errors.strip() or f"exit code {took.code}").splitlines()[-1]
            result["error"] = "time limit" if took.code == _TIMED_OUT else error
        sys.stderr.write(f"{result}\n")
        results.append(result)
    return results


def _checks(folder: Path, begin: Mapping[str, list[str]]) -> Iterator[dict[str, str]]:
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
        sys.stdout.write(put(table(measured), key, PAGE) + "\n")
    answers = [(tools.NAMES[one["tool"]], one["of"], one["answer"]) for one in results["checks"]]
    sys.stdout.write(put(markdown(("tool", "data", "answer"), answers), "checks", PAGE) + "\n")
    sys.stdout.write(put(provenance(results), "comparison", PAGE) + "\n")


def table(measured: Sequence[Mapping[str, Any]]) -> str:
    """Return the results of a data set as a Markdown table, by ascending loss.

    >>> way = {"tool": "arx", "algorithm": "local recoding"}
    >>> done = {"loss": 0.25, "k": 10, "seconds": 1.25, "peak_mib": 99.6}
    >>> print(table([way | {"error": "time limit"}, way | done]))
    | tool | algorithm | loss | smallest class or support | seconds | peak MiB |
    |---|---|---|---|---|---|
    | ARX | local recoding | 0.2500 | 10 | 1.2 | 100 |
    | ARX | local recoding | time limit |  |  |  |
    """
    cells = []
    for way in sorted(measured, key=lambda way: way.get("loss", 2.0)):
        names = tools.NAMES[way["tool"]], way["algorithm"]
        if "error" in way:
            cells.append((*names, way["error"], "", "", ""))
        else:
            costs = f"{way['seconds']:.1f}", f"{way['peak_mib']:.0f}"
            cells.append((*names, f"{way['loss']:.4f}", str(way["k"]), *costs))
    return markdown(("tool", "algorithm", "loss", "smallest class or support", "seconds", "peak MiB"), cells)


def provenance(results: Mapping[str, Any]) -> str:
    """Return a sentence about versions, machine and time limit."""
    versions = "; ".join(f"{tools.NAMES[tool]} {version}" for tool, version in results["versions"].items())
    m = results["machine"]
    hardware = f"{m['cpu']}, {m['cores']} cores, {m['memory_gib']} GiB, load {m['load']:.1f} before the first run"
    return f"Measured on {m['date']} with {versions}. Machine: {hardware}. Time limit: {results['limit']} s."


if __name__ == "__main__":
    app()
