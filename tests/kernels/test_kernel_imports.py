"""Allowed calls between kernel files."""

import ast
from pathlib import Path

import pytest

import anonset_kernels

FILES = sorted(Path(anonset_kernels.__file__).parent.glob("*.py"))


def imported(path: Path) -> set[str]:
    modules = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            modules.add(node.module or "")
        elif isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
    return {m.removeprefix("anonset_kernels.") for m in modules if m.startswith("anonset_kernels")}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_kernels_import_only_private_modules(path):
    assert all(module.startswith("_") for module in imported(path))


VERIFYING = {"constraints_check", "published_rows", "truth_check", "verification", "verified_triples"}
OF_VERIFICATION = "_counted_bits"
"""The only module shared by the verification kernels, and by no others."""


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_verification_kernels_share_no_module_with_others(path):
    if path.stem in VERIFYING:
        assert imported(path) - {OF_VERIFICATION} == {"_arrays", "_jit"}
    elif path.stem == OF_VERIFICATION:
        assert imported(path) == {"_jit"}
    else:
        assert not imported(path) & {*VERIFYING, OF_VERIFICATION}


def test_the_module_of_array_types_has_no_functions():
    tree = ast.parse(Path(anonset_kernels.__file__).with_name("_arrays.py").read_text())
    assert not any(isinstance(node, ast.FunctionDef) for node in ast.walk(tree))
