"""The tables in file headers that map code to lines of a paper name existing functions."""

import ast
import importlib
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import anonset.algorithms
import anonset_kernels

ALGORITHMS, KERNELS = (Path(package.__file__ or "").parent for package in (anonset.algorithms, anonset_kernels))
NAME = re.compile(r"\b([A-Za-z_]\w*)\.([A-Za-z_]\w*)")
OTHERS = {"np"}


def header(path: Path) -> str:
    """Return the table in a file's docstring, if any."""
    text = ast.get_docstring(ast.parse(path.read_text())) or ""
    return "\n".join(line for line in text.splitlines() if line.startswith(" "))


def modules() -> Iterator[Any]:
    """Yield the modules of the algorithms and of the kernels."""
    for root, package in ((ALGORITHMS, "anonset.algorithms"), (KERNELS, "anonset_kernels")):
        for path in sorted(root.rglob("*.py")):
            if path.stem != "__init__":
                yield importlib.import_module(".".join([package, *path.relative_to(root).with_suffix("").parts]))


@pytest.fixture(scope="module")
def homes() -> dict[str, list[Any]]:
    """Return the valid names before a dot: modules, and classes of the algorithms."""
    result: dict[str, list[Any]] = defaultdict(list)
    for module in modules():
        result[module.__name__.rpartition(".")[2]].append(module)
        for name, value in vars(module).items():
            if isinstance(value, type):
                result[name].append(value)
    return result


FILES = [path for path in sorted(ALGORITHMS.rglob("*.py")) if NAME.search(header(path))]


def test_headers_of_known_algorithms_are_found() -> None:
    assert {"apriori", "direct", "coat", "pcta", "hghs", "rum_bound", "cluster"} <= {path.stem for path in FILES}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_headers_name_existing_functions(path: Path, homes: dict[str, list[Any]]) -> None:
    missing = [
        f"{home}.{name}"
        for home, name in NAME.findall(header(path))
        if home not in OTHERS and not any(hasattr(home, name) for home in homes[home])
    ]
    assert missing == []
