"""Requirements: each package is imported, and `constraints.txt` has an allowed version of it."""

import ast
import re
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from effort import statements

ROOT = Path(__file__).resolve().parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PROJECT = PYPROJECT["project"]
ASKED = [
    *PROJECT["dependencies"],
    *(requirement for extra in PROJECT.get("optional-dependencies", {}).values() for requirement in extra),
]


def name_of(requirement: str) -> str:
    """Return the package of a requirement such as ``numba>=0.67``."""
    return Requirement(requirement).name


def imported(folder: str) -> set[str]:
    """Return the packages that the modules below a folder import, also within functions."""
    result = set[str]()
    for path in (ROOT / folder).rglob("*.py"):
        source = path.read_text()
        if {*re.findall(r"^ *(?:import|from) +(\w+)", source, re.MULTILINE)} <= result:
            continue
        for node in statements(source):
            if isinstance(node, ast.Import):
                result |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                result.add((node.module or "").partition(".")[0])
    return result


@pytest.mark.long
def test_required_packages_are_imported() -> None:
    modules = imported("engine") | imported("kernels") | imported("datasets")
    owners = packages_distributions()
    packages = modules | {package for module in modules for package in owners.get(module, ())}
    assert sorted({name_of(requirement) for requirement in ASKED} - packages) == []


def test_each_requirement_has_a_tested_version() -> None:
    lines = re.findall(r"^([\w.-]+)==([\w.]+)", (ROOT / "constraints.txt").read_text(), re.MULTILINE)
    groups = [
        requirement
        for group in PYPROJECT["dependency-groups"].values()
        for requirement in group
        if isinstance(requirement, str)
    ]
    for requirement in map(Requirement, [*PYPROJECT["build-system"]["requires"], *ASKED, *groups]):
        name = canonicalize_name(requirement.name)
        versions = [version for pinned, version in lines if canonicalize_name(pinned) == name]
        assert versions, name
        assert all(version in requirement.specifier for version in versions), name
