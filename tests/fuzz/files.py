"""Write a case to files: data in a random format, hierarchies, policies, and the job's settings."""

import csv
import gzip
import io
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import parquet

from fuzz.draws import Case
from reference.hierarchy_model import Tree

ROLES = ("items", "relational", "sensitive", "id", "unit", "keep", "drop")
NUMBERS = ("age", "income")
UNKNOWN = ("unknown-1", "unknown-2")
_MODELS = {
    "exact": "km",
    "cluster": "k",
    "joint-split": "kkm",
    "rum-bound": "klm",
    "lm-apriori": "lm",
    "coat": "constraints",
    "coherence-suppression": "coherence",
    "suppress-control": "rho",
    "local-generalization": "transaction-k",
    "lra": "partition-km",
    "disassociation": "disassociation",
    "safe-grouping": "safe-grouping",
    "anatomy": "anatomy",
}
"""Models by the algorithm that serves them by default."""


def settings_of(case: Case, folder: Path) -> dict[str, Any]:
    """Write the input files of a case to a folder. Return the settings of `anonset anonymize`."""
    layout = case.layout
    data = _write_data(case, folder)
    for name, text in case.texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    parameters = {
        name: str(folder / value) if isinstance(value, str) and value in case.texts else value
        for name, value in case.parameters.items()
    }
    hierarchy = {column: _spec(case, folder, column) for column in case.specs}
    layout_settings = (
        "separator",
        "order",
        "symbols",
        "format",
        "accept",
        "max_loss",
        "max_work",
        "part_rows",
    )
    roles = () if data.name.startswith("data.dat") else ROLES
    result = {
        "input": str(data),
        "out": str(folder / "out"),
        **_request(case),
        "workers": 1,
        "hierarchy": hierarchy,
        **{name: layout.get(name) for name in layout_settings},
        **{name: case.roles.get(name) for name in roles},
        "publish_as_is": _shown_exactly(case) or None,
        **parameters,
        **reading_of(case),
    }
    return {name: value for name, value in result.items() if value is not None}


def _shown_exactly(case: Case) -> list[str]:
    """Return the columns exempt from the disclosure scan, because random values are often rare."""
    roles = case.roles
    named = [*roles.get("relational", ()), *roles.get("keep", ()), roles.get("sensitive")]
    return [name for name in named if name is not None]


def reading_of(case: Case) -> dict[str, Any]:
    """Return the settings that undo the case's leading zeros and unknown items."""
    result: dict[str, Any] = {"normalize": ["strip-zeros"]} if case.has_zeros else {}
    return result | ({"unknown": "suppress"} if case.has_unknown else {})


def _request(case: Case) -> dict[str, str]:
    """Return the requested algorithm, model, or both."""
    model, by = _MODELS.get(case.algorithm), case.layout["by"]
    if model is None or by == "algorithm":
        return {"algorithm": case.algorithm}
    if case.algorithm == "cluster":
        model = "kt" if "t" in case.parameters else "kl" if "l" in case.parameters else "k"
    if case.parameters.get("m") and case.roles.get("relational"):
        model = "klm" if case.parameters.get("transaction") == "lm-apriori" else "kkm"
    by_default = model == _MODELS[case.algorithm] or case.algorithm == "cluster"
    return {"model": model} if by == "model" and by_default else {"model": model, "algorithm": case.algorithm}


def checks_of(case: Case, given: dict[str, Any]) -> dict[str, Any]:
    """Return the settings with which `anonset verify` finds the original and the mapping."""
    result = {
        name: given[name] for name in ("hierarchy", "drop", "unit", "separator", "max_suppressed") if name in given
    }
    result |= reading_of(case)
    result |= {"original": given["input"], "records": f"{given['out']}.private/records.csv"}
    if given.get("utility_constraints", "").endswith("utility.txt"):
        result["utility_constraints"] = given["utility_constraints"]
    return result


def _spec(case: Case, folder: Path, column: str) -> str:
    """Write the hierarchy file of a column, if any. Return the hierarchy setting."""
    if case.specs[column] != "file":
        return case.specs[column]
    path = folder / f"tree-{column}.csv"
    rng = random.Random(f"tree {case.seed} {column}")
    lines = io.StringIO()
    writer = csv.writer(lines, delimiter=rng.choice(",;"), lineterminator="\n", quoting=rng.choice((0, 1)))
    writer.writerows(_paths(case.trees[column]))
    path.write_text(lines.getvalue(), encoding="utf-8")
    return str(path)


def _paths(tree: Tree, above: Sequence[str] = ()) -> list[list[str]]:
    """Return each leaf with all ancestors."""
    if isinstance(tree, str):
        return [[tree, *above]]
    label, children = tree
    return [path for child in children for path in _paths(child, [label, *above])]


def _write_data(case: Case, folder: Path) -> Path:
    suffix, columns = case.layout["suffix"], {**case.columns, **_written_sets(case)}
    path = folder / f"data.{suffix}"
    if suffix.startswith("dat"):
        lines = "".join(f"{' '.join(row)}\n" for row in columns["items"]).encode()
        path.write_bytes(gzip.compress(lines) if suffix.endswith("gz") else lines)
        return path
    if case.roles.get("divided"):
        columns = _divided(case, columns)
    if suffix == "parquet":
        parquet.write_table(_table(case, columns), path)
        return path
    text = io.StringIO()
    dialect = {"delimiter": "\t" if suffix == "tsv" else ",", "lineterminator": case.layout["line_end"]}
    writer = csv.writer(text, **dialect)
    writer.writerow(columns)
    mark = case.layout["separator"]
    cells = [[mark.join(cell) if isinstance(cell, list) else cell for cell in cells] for cells in columns.values()]
    writer.writerows(zip(*cells, strict=True))
    raw = (("\ufeff" if case.layout["bom"] else "") + text.getvalue()).encode()
    if suffix.endswith("gz"):
        raw = gzip.compress(raw)
    elif suffix.endswith("zst"):
        raw = pa.compress(raw, codec="zstd", asbytes=True)
    path.write_bytes(raw)
    return path


def _written_sets(case: Case) -> dict[str, list[list[str]]]:
    """Return the set-valued columns as written: with leading zeros and unknown items."""
    rng = random.Random(f"items {case.seed}")
    result = {name: [list(row) for row in case.columns[name]] for name in case.sets}
    for rows in result.values():
        for row in rows:
            if case.has_zeros:
                row[:] = ["0" * rng.choice((0, 0, 1, 2)) + item for item in row]
            if case.has_unknown and rng.random() < 0.2:
                row.insert(rng.randint(0, len(row)), rng.choice(UNKNOWN))
    return result


def _divided(case: Case, whole: Mapping[str, Sequence[Any]]) -> dict[str, list[Any]]:
    """Split some people's sets over two rows. The second rows come at the end."""
    rng = random.Random(f"rows {case.seed}")
    columns = {name: list(cells) for name, cells in whole.items()}
    for i in range(len(columns["who"])):
        if rng.random() < 0.5:
            continue
        for name, cells in columns.items():
            if name in case.sets:
                half = rng.randint(0, len(cells[i]))
                cells.append(cells[i][half:])
                cells[i] = cells[i][:half]
            else:
                cells.append(cells[i])
    return columns


def _table(case: Case, columns: dict[str, list[Any]]) -> pa.Table:
    result = {}
    for name, cells in columns.items():
        if name in case.sets:
            joined = cells if case.layout["lists"] else [case.layout["separator"].join(cell) for cell in cells]
            result[name] = pa.array(joined, pa.list_(pa.string()) if case.layout["lists"] else pa.string())
        elif name in NUMBERS and case.specs.get(name) == "range":
            result[name] = pa.array([int(cell) if name == "age" else float(cell) for cell in cells])
        else:
            result[name] = pa.array(cells, pa.string())
    return pa.table(result)
