"""What is asked for is needed: no package is installed that nothing imports."""

import ast
import tomllib
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
ASKED = [
    *PROJECT["dependencies"],
    *(one for extra in PROJECT.get("optional-dependencies", {}).values() for one in extra),
]


def name_of(requirement: str) -> str:
    """Return the package of a requirement such as ``numba>=0.67``; ours are imported by the names of their packages."""
    return requirement.partition(">")[0].partition("=")[0].strip()


@cache
def imported(folder: str) -> set[str]:
    """Return the packages that the modules below a folder import, also within functions."""
    found = set()
    for path in (ROOT / folder).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                found.add((node.module or "").partition(".")[0])
    return found


@pytest.mark.parametrize("requirement", ASKED)
def test_what_is_asked_for_is_imported(requirement: str) -> None:
    modules = imported("engine") | imported("kernels") | imported("datasets")
    assert name_of(requirement) in modules
