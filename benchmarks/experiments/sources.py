"""Digests of the modules that a case imported, and of the data files that it read.

A result is fresh if the modules and the data files are unchanged, or if the declared cases of its figure give the same
losses and counts with the current code of the modules that cases of the figure loaded (`runner.Checks`). A module that
is newer than a result, and that no declared case loads, is not noticed. Modules are compared by their syntax trees
without docstrings, so comments and line breaks do not matter. Modules that only describe, judge or draw experiments are
ignored (`measuring`); case parameters are compared separately.
"""

import ast
import sys
from collections.abc import Iterable
from functools import cache
from hashlib import sha256
from pathlib import Path

ROOTS = ("anonset", "anonset_kernels", "anonset_datasets", "benchmarks")
_PACKAGE = "benchmarks.experiments"
_ROOT = Path(__file__).resolve().parents[2]


@cache
def measuring() -> frozenset[str]:
    """Return the modules of the experiments that measure: those that a function of a package of cases whose name begins
    with "measure" comes from, and the modules that these import. All others describe, judge or draw experiments.
    """
    packages = sorted(Path(__file__).parent.glob("*/__init__.py"))
    return reached(
        module for path in packages for module, names in _imports(path) if any(n.startswith("measure") for n in names)
    )


def reached(modules: Iterable[str]) -> frozenset[str]:
    """Return modules of the experiments, and those that they import, except packages and modules that import this."""
    waiting = list(modules)
    found = set[str]()
    while waiting:
        module = waiting.pop()
        path = _path_of(module) if module.startswith(_PACKAGE + ".") and module not in found else None
        if path is None or path.name == "__init__.py":
            continue
        imports = [name for of, names in _imports(path) for name in (of, *(f"{of}.{one}" for one in names))]
        if __name__ not in imports:
            found.add(module)
            waiting += imports
    return frozenset(found)


def _imports(path: Path) -> list[tuple[str, list[str]]]:
    """Return the modules from which a file imports names, with the names."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return [(n.module, [one.name for one in n.names]) for n in nodes if isinstance(n, ast.ImportFrom) and n.module]


def paths() -> list[str]:
    """Return the code that can influence a measurement, as paths of git."""
    own = [f"{module.replace('.', '/')}.py" for module in sorted(measuring())]
    return [*(f":(glob){folder}/**/*.py" for folder in ("engine", "kernels", "datasets")), *own]


def imported() -> list[str]:
    """Return the project's modules that this process has imported, except modules that only describe experiments."""
    return sorted(name for name in sys.modules if name.split(".")[0] in ROOTS and _measures(name))


def _measures(module: str) -> bool:
    return not f"{module}.".startswith(f"{_PACKAGE}.") or module in measuring()


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
    home = {"anonset": "engine", "anonset_kernels": "kernels", "anonset_datasets": "datasets"}
    parts = module.split(".")
    stem = (_ROOT / home.get(parts[0], ".")).joinpath(*parts)
    for path in (stem.with_suffix(".py"), stem / "__init__.py"):
        if path.exists():
            return path
    return None
