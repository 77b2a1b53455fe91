"""Read and write the three files that contain the results of a paper.

``cases.jsonl``
    A line per case with input and outcome: figure, series, x, repetition, parameters, and ``found`` or ``error``. A new
    measurement changes a line only if the outcome differs.
``costs.jsonl``
    A line per case with time and memory, date, load of the machine, name of the environment, name of the list of
    modules, and a digest of modules and data (see `sources`).
``environment.json``
    Machine, versions and commit of each environment. Names of all modules, and lists of modules by number.

Lines are sorted by figure, series, x and repetition, and fields have a fixed order, so equal results give equal bytes.
Numbers are written with enough digits to read back the same number.
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
"""Result of a case, with ``figure``, ``series``, ``x``, ``repetition``, ``parameters``, ``machine``, ``modules`` and
the fields of `_WHEN`. It also contains ``measured``, or ``error`` if the case failed.
"""

FILES = CASES, COSTS, ENVIRONMENT = "cases.jsonl", "costs.jsonl", "environment.json"
_KEY = ("figure", "series", "x", "repetition")
_WHEN = ("measured_at", "seconds_of_case", "cpu_seconds_of_case", "load_before", "sources")
"""Fields of the measurement. Results of earlier code, and of killed processes, have no CPU time."""
COSTS_BEGIN = ("seconds", "microseconds", "peak_mib")
"""Prefixes of the names of cost quantities. All other quantities are outcomes."""


def load(folder: Path) -> dict[Key, dict[str, Any]]:
    """Return the results in a folder by case key. Empty if the folder does not exist."""
    if not (folder / CASES).exists():
        return {}
    described = json.loads((folder / ENVIRONMENT).read_text(encoding="utf-8"))
    environments, modules = described["environments"], unpacked(described)
    costs = {_key(line): line for line in _lines(folder / COSTS)}
    results_by_key = {}
    for line in _lines(folder / CASES):
        cost = costs[_key(line)]
        if "found" in line:
            line["measured"] = line.pop("found") | cost["took"]
        line |= {"machine": environments[cost["environment"]], "modules": modules[cost["modules"]]}
        results_by_key[_key(line)] = line | {name: cost[name] for name in _WHEN if name in cost}
    return results_by_key


def save(folder: Path, results: Iterable[Result], wanted: Collection[Key]) -> None:
    """Add results to a folder, replacing results of the same cases.

    Parameters
    ----------
    folder
        Folder of the paper; created if missing.
    results
        New results.
    wanted
        Keys of the cases of the paper. Results of other cases are deleted.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with _alone(folder):
        results_by_key = load(folder) | {_key(result): dict(result) for result in results}
        write(folder, [result for key, result in results_by_key.items() if key in wanted])


def write(folder: Path, results: Collection[Result]) -> None:
    """Write the three files, each atomically."""
    ordered = sorted(results, key=_place)
    environments = {name_of(result["machine"]): result["machine"] for result in ordered}
    environment = {"environments": environments, **packed(result["modules"] for result in ordered)}
    described = json.dumps(environment, indent=1, sort_keys=True, ensure_ascii=False)
    replace_file(folder / ENVIRONMENT, described + "\n")
    replace_file(folder / COSTS, "".join(_line(_cost(result)) for result in ordered))
    replace_file(folder / CASES, "".join(_line(_case(result)) for result in ordered))


def packed(lists: Iterable[Sequence[str]]) -> dict[str, Any]:
    """Return all names of modules, and each distinct list of modules by its name, as numbers."""
    by_name = {name_of(modules): modules for modules in lists}
    names = sorted({name for modules in by_name.values() for name in modules})
    number = {name: str(i) for i, name in enumerate(names)}
    numbers = {name: " ".join(number[one] for one in modules) for name, modules in by_name.items()}
    return {"modules": names, "lists": numbers}


def unpacked(described: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the lists of modules by name."""
    names = described["modules"]
    return {name: [names[int(i)] for i in numbers.split()] for name, numbers in described["lists"].items()}


def digest_of_outcomes(results: Iterable[Result]) -> str:
    """Return a digest of parameters and outcomes, which does not depend on costs.

    It is the sum of the digests of the results, so it does not depend on their order.
    """
    found = (sha256(_line(_case(result)).encode()).digest()[:8] for result in results)
    return f"{sum(int.from_bytes(one) for one in found) % 2**64:016x}"


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
        | {name: result[name] for name in _WHEN if name in result}
        | {"environment": name_of(result["machine"]), "modules": name_of(result["modules"])}
    )


def _sorted(values: Mapping[str, Any], *, costs: bool | None = None) -> dict[str, Any]:
    """Return values sorted by name. `costs` selects costs (True), outcomes (False), or all values (None)."""
    return {name: values[name] for name in sorted(values) if costs in (None, name.startswith(COSTS_BEGIN))}


def name_of(described: Mapping[str, Any] | Sequence[str]) -> str:
    """Return a short name of an environment or a list of modules, computed from the contents."""
    return sha256(json.dumps(described, sort_keys=True).encode()).hexdigest()[:8]


def _key(line: Mapping[str, Any]) -> Key:
    return line["figure"], line["series"], line["x"], line["repetition"]


def _place(line: Mapping[str, Any]) -> tuple[str, str, bool, float | str, str, int]:
    """Return the sort key of a line. Numbers precede names, and the levels of a factor have their order."""
    name, _, number = line["repetition"].rpartition(" ")
    level = (name, int(number)) if number.isdigit() else (line["repetition"], 0)
    return line["figure"], line["series"], isinstance(line["x"], str), line["x"], *level


def _lines(path: Path) -> list[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def _line(values: Mapping[str, Any]) -> str:
    return json.dumps(values, ensure_ascii=False) + "\n"


SUMS = "SHA256SUMS"
"""Digests of the stored results, in the format of ``sha256sum``. Each write of a result updates its line, so a result
that nothing here has written differs.
"""
_SEALED = {".json", ".jsonl"}


def replace_file(path: Path, text: str) -> None:
    """Write a file whole. An interrupted process leaves the earlier file."""
    partial = path.with_suffix(".partial")
    partial.write_text(text, encoding="utf-8")
    partial.replace(path)
    root = next((folder for folder in path.parents if (folder / SUMS).exists()), None)
    if root is not None and path.suffix in _SEALED:
        with _alone(root):
            found = _sums(root) | {str(path.relative_to(root)): sha256(text.encode()).hexdigest()}
            (root / SUMS).write_text("".join(f"{one}  {name}\n" for name, one in sorted(found.items())))


def unsealed(root: Path) -> list[str]:
    """Return a line for each stored result in a folder that is missing, has no digest, or is not the one that was last
    written.
    """
    sums = _sums(root)
    names = {str(path.relative_to(root)) for path in root.rglob("*.jsonl")} | sums.keys()
    return [
        f"{name}: differs from its digest in {SUMS}"
        for name in sorted(names)
        if not (root / name).exists() or sha256((root / name).read_bytes()).hexdigest() != sums.get(name)
    ]


def _sums(root: Path) -> dict[str, str]:
    lines = [line.split() for line in (root / SUMS).read_text(encoding="utf-8").splitlines()]
    return {name: one for one, name in lines}


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Wait until no other process writes to the folder."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        flock(descriptor, LOCK_EX)
        yield
    finally:
        os.close(descriptor)
