"""Allowed calls between kernel files."""

import ast
from functools import cache
from pathlib import Path

from anonset_kernels._jit import FOLDER, name_of, path_of

FILES = sorted(FOLDER.rglob("*.py"))


@cache
def imported(path: Path) -> set[str]:
    modules = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            modules.add(node.module or "")
        elif isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
    return {m.removeprefix("anonset_kernels.") for m in modules if m.startswith("anonset_kernels")}


def test_kernels_import_only_private_modules():
    public = {path: [name for name in imported(path) if not name.rpartition(".")[2].startswith("_")] for path in FILES}
    assert {name_of(path): names for path, names in public.items() if names} == {}


def test_verification_kernels_share_no_module_with_others():
    for path in FILES:
        if path.parent.name == "verification":
            assert imported(path) <= {"_arrays", "_jit"}, path
        else:
            assert not any(module.startswith("verification") for module in imported(path)), path


def test_the_module_of_array_types_has_no_functions():
    tree = ast.parse(path_of("_arrays").read_text())
    assert not any(isinstance(node, ast.FunctionDef) for node in ast.walk(tree))
