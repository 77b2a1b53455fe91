"""The files of a paper's results: a line a case, the machines once.

``cases.jsonl``
    What was asked and what came out: figure, series, x, repetition, parameters, and ``found`` or ``error``. Measured
    again, a line changes only where the result did.
``costs.jsonl``
    What it took: time and memory, when it was measured, how busy the machine was, the name of the environment, and what
    it depends on: the name of the list of modules, and the digest of these and of the data (see `sources`).
``environment.json``
    The environments by name: machine, versions, commit; the modules, and the lists of their numbers by name.

Lines are sorted by figure, series, x and repetition, and their names stand in a fixed order, so that files of the same
results have the same bytes. Numbers are written with as many digits as it takes to read the same number back.
"""

import json
import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fcntl import LOCK_EX, flock
from hashlib import sha256
from pathlib import Path
from typing import Any

from benchmarks.experiments.cases import Key

Result = Mapping[str, Any]
"""``figure``, ``series``, ``x``, ``repetition``, ``parameters``; ``measured`` or ``error``; ``machine``, ``modules``
and the names of `_WHEN`."""

FILES = CASES, COSTS, ENVIRONMENT = "cases.jsonl", "costs.jsonl", "environment.json"
_KEY = ("figure", "series", "x", "repetition")
_WHEN = ("measured_at", "seconds_of_case", "load_before", "sources")
COSTS_BEGIN = ("seconds", "microseconds", "peak_mib")
"""Quantities whose names begin so say what a case took, all others what came out."""


def load(folder: Path) -> dict[Key, dict[str, Any]]:
    """Return the results that lie in a folder, by figure, series and x; none if there is no such folder."""
    if not (folder / CASES).exists():
        return {}
    described = json.loads((folder / ENVIRONMENT).read_text(encoding="utf-8"))
    environments, names = described["environments"], described["modules"]
    modules = {name: [names[int(i)] for i in numbers.split()] for name, numbers in described["lists"].items()}
    costs = {_key(line): line for line in _lines(folder / COSTS)}
    found = {}
    for line in _lines(folder / CASES):
        cost = costs[_key(line)]
        if "found" in line:
            line["measured"] = line.pop("found") | cost["took"]
        line |= {"machine": environments[cost["environment"]], "modules": modules[cost["modules"]]}
        found[_key(line)] = line | {name: cost[name] for name in _WHEN}
    return found


def save(folder: Path, results: Iterable[Result], wanted: Collection[Key]) -> None:
    """Put results beside those that lie in a folder, or in place of those of the same cases.

    Parameters
    ----------
    folder
        The folder of the paper; made if it is not there.
    results
        The results of cases.
    wanted
        The cases of the paper: results of others are dropped.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with _alone(folder):
        found = load(folder) | {_key(result): dict(result) for result in results}
        write(folder, [one for key, one in found.items() if key in wanted])


def write(folder: Path, results: Collection[Result]) -> None:
    """Write the three files; each is there as a whole or not at all."""
    ordered = sorted(results, key=_place)
    environments = {_name(one["machine"]): one["machine"] for one in ordered}
    names = sorted({name for one in ordered for name in one["modules"]})
    number = {name: str(i) for i, name in enumerate(names)}
    lists = {_name(one["modules"]): " ".join(number[name] for name in one["modules"]) for one in ordered}
    whole = {"environments": environments, "modules": names, "lists": lists}
    described = json.dumps(whole, indent=1, sort_keys=True, ensure_ascii=False)
    _replace(folder / ENVIRONMENT, described + "\n")
    _replace(folder / COSTS, "".join(_line(_cost(one)) for one in ordered))
    _replace(folder / CASES, "".join(_line(_case(one)) for one in ordered))


def _case(result: Result) -> dict[str, Any]:
    line = {name: result[name] for name in _KEY} | {"parameters": _sorted(result["parameters"])}
    if "error" in result:
        return line | {"error": result["error"]}
    return line | {"found": _sorted(result["measured"], costs=False)}


def _cost(result: Result) -> dict[str, Any]:
    took = _sorted(result.get("measured", {}), costs=True)
    line = {name: result[name] for name in _KEY} | {"took": took}
    return (
        line
        | {name: result[name] for name in _WHEN}
        | {"environment": _name(result["machine"]), "modules": _name(result["modules"])}
    )


def _sorted(values: Mapping[str, Any], *, costs: bool | None = None) -> dict[str, Any]:
    """Return values by name in order: all, or those that say what a case took, or the others."""
    return {name: values[name] for name in sorted(values) if costs in (None, name.startswith(COSTS_BEGIN))}


def _name(described: Mapping[str, Any] | Sequence[str]) -> str:
    """Return a short name of an environment or a list, made of what it holds."""
    return sha256(json.dumps(described, sort_keys=True).encode()).hexdigest()[:8]


def _key(line: Mapping[str, Any]) -> Key:
    return line["figure"], line["series"], line["x"], line["repetition"]


def _place(line: Mapping[str, Any]) -> tuple[str, str, bool, float | str, str, int]:
    """Return what lines are sorted by: numbers come before names, and levels of a factor in their order."""
    name, _, number = line["repetition"].rpartition(" ")
    level = (name, int(number)) if number.isdigit() else (line["repetition"], 0)
    return line["figure"], line["series"], isinstance(line["x"], str), line["x"], *level


def _lines(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _line(values: Mapping[str, Any]) -> str:
    return json.dumps(values, ensure_ascii=False) + "\n"


def _replace(path: Path, text: str) -> None:
    partial = path.with_suffix(".partial")
    partial.write_text(text, encoding="utf-8")
    partial.replace(path)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Wait until no other process puts a result into the folder."""
    held = os.open(folder, os.O_RDONLY)
    try:
        flock(held, LOCK_EX)
        yield
    finally:
        os.close(held)
