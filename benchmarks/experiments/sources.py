"""Digests of the modules that a case imported, and of the data files that it read.

A result is fresh if the modules and the data files are unchanged, or if the declared cases of its figure give the same
losses and counts with the current code of the modules that cases of the figure loaded (`runner.confirmed`). A module
that is newer than a result, and that no declared case loads, is not noticed. Modules are compared by their syntax trees
without docstrings, so comments and line breaks do not matter. Modules that only describe, judge or draw experiments are
ignored; case parameters are compared separately.
"""

import ast
import sys
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from pathlib import Path

ROOTS = ("anonset", "anonset_kernels", "anonset_datasets", "benchmarks")
_DESCRIBES = {
    "__main__", "agreement", "cases", "checks", "claims", "criteria", "factors", "findings", "inventory", "judging",
    "loss_checks", "methods", "negatives", "panels", "panels_of", "plots", "render", "results_page", "runner",
    "sources", "store", "verdicts", "workers",
}  # fmt: skip
"""Names of modules that do not influence measurements, in this package and in the packages of papers."""
_EXPERIMENTS = "benchmarks/experiments"
_FOLDERS = ("engine", "kernels", "datasets", _EXPERIMENTS)
PATHS = (
    *(f":(glob){folder}/**/*.py" for folder in _FOLDERS),
    *(f":(exclude,glob){_EXPERIMENTS}/**/{name}.py" for name in sorted({"__init__"} | _DESCRIBES)),
)
"""Code that can influence a measurement, as paths of git."""


def imported() -> list[str]:
    """Return the project's modules that this process has imported, except modules that only describe experiments."""
    return sorted(name for name in sys.modules if name.split(".")[0] in ROOTS and _measures(name))


def _measures(module: str) -> bool:
    parts = module.split(".")
    if parts[0] != "benchmarks" or parts[1:2] != ["experiments"]:
        return True
    is_package_of_cases = len(parts) == 3 and hasattr(sys.modules.get(module), "__path__")
    return len(parts) > 2 and parts[-1] not in _DESCRIBES and not is_package_of_cases


def digest(modules: Iterable[str], data: Iterable[str]) -> str:
    """Return a digest of the current code of modules and the current files of data sets.

    A deleted module counts as changed.

    Raises
    ------
    InputError
        If a file of a data set is missing.
    """
    result_digest = sha256()
    for name in modules:
        result_digest.update(f"{name} {code_of(name)}\n".encode())
    for name in data:
        result_digest.update(f"{name} {data_of(name)}\n".encode())
    return result_digest.hexdigest()[:16]


@cache
def data_of(name: str) -> str:
    """Return a digest of the files of a data set and of its hierarchies. Empty for generated data.

    Raises
    ------
    InputError
        If a file is missing.
    """
    from anonset_datasets import catalogue
    from anonset_datasets.entries import ENTRIES

    if name not in ENTRIES:
        return ""
    taxonomy = catalogue.hierarchy(name)
    files = [catalogue.path(name), *([taxonomy] if taxonomy else []), *catalogue.relational_hierarchies(name).values()]
    return sha256("".join(sha256(path.read_bytes()).hexdigest() for path in files).encode()).hexdigest()


@cache
def code_of(module: str) -> str:
    """Return a digest of the syntax tree of a module, without docstrings. Empty if the module does not exist.

    Finds the source file by its path, without importing the module.
    """
    path = _path_of(module)
    if path is None:
        return ""
    return syntax_digest(path.read_text(encoding="utf-8"))


def syntax_digest(text: str) -> str:
    """Return a digest of the syntax tree of `text`, without docstrings and comments.

    >>> syntax_digest("x = 1  # comment") == syntax_digest("x = (1)") != syntax_digest("x = 2")
    True
    """
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            node.body = [statement for statement in node.body if not _is_text(statement)]
    return sha256(ast.dump(tree).encode()).hexdigest()


def _is_text(statement: ast.stmt) -> bool:
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Constant)
        and isinstance(statement.value.value, str)
    )


def _path_of(module: str) -> Path | None:
    root = Path(__file__).resolve().parents[2]
    home = {"anonset": "engine", "anonset_kernels": "kernels", "anonset_datasets": "datasets"}
    parts = module.split(".")
    stem = (root / home.get(parts[0], ".")).joinpath(*parts)
    for path in (stem.with_suffix(".py"), stem / "__init__.py"):
        if path.exists():
            return path
    return None
