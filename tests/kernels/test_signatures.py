"""Kernel signatures state dtype and shape, and match the compiled types."""

import ast
import inspect
import re
import sys
from typing import Any, get_args

import numpy as np
import pytest
from numba import typeof

from algorithms.contracts import CONTRACTS, published
from anonset.algorithms.registry import ALGORITHMS
from anonset.verification import verify
from anonset_kernels import _arrays
from anonset_kernels._jit import kernel
from kernels.signatures import (
    FILES,
    REGISTERED,
    TOGETHER,
    allows,
    hints_of,
    is_array,
    is_named_tuple,
    kernels,
    mismatches,
    parts,
)

KERNELS = dict(kernels())


def test_every_kernel_is_checked():
    written = sum(len(re.findall(r"^@kernel\(", path.read_text(), re.MULTILINE)) for path in FILES)
    assert len(KERNELS) == written > 200


def test_no_parameter_is_anything():
    vague = set()
    for name, kernel_function in KERNELS.items():
        function = getattr(kernel_function, "py_func", kernel_function)
        hints = hints_of(kernel_function)
        assert hints.keys() == {*function.__code__.co_varnames[: function.__code__.co_argcount], "return"}, name
        for parameter, hint in hints.items():
            vague |= {(name, parameter) for part in parts(hint) if part in (Any, np.ndarray, tuple)}
    assert vague == set()


@pytest.mark.long
def test_a_kernel_that_receives_an_array_of_another_kernel_counts_references():
    """It would never free the array otherwise. Numba itself rejects new and returned arrays."""
    by_function = {
        id(getattr(kernel_function, "py_func", kernel_function)): name for name, kernel_function in KERNELS.items()
    }
    returning = {name for name in KERNELS if any(map(is_array, parts(hints_of(KERNELS[name])["return"])))}
    leaking = set()
    for name, kernel_function in KERNELS.items():
        function = getattr(kernel_function, "py_func", kernel_function)
        source = inspect.getsource(function)
        if source.startswith("@kernel(allocates=True"):
            continue
        module = sys.modules[function.__module__]
        called = {
            by_function.get(id(getattr(callee, "py_func", callee)))
            for node in ast.walk(ast.parse(source))
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
            for callee in [getattr(module, node.func.id, None)]
        }
        leaking |= {(name, callee) for callee in (called & returning) | ({name} & returning)}
    assert leaking == set()


def test_a_kernel_that_sorts_counts_references():
    """Numba compiles its sort for the first kernel of a process that sorts, and needs reference counts for it."""
    sorting = {
        name: inspect.getsource(getattr(function, "py_func", function))
        for name, function in KERNELS.items()
        if re.search(r"\.(arg)?sort\(", inspect.getsource(getattr(function, "py_func", function)))
    }
    assert len(sorting) > 5
    assert {name for name, source in sorting.items() if not source.startswith("@kernel(allocates=True")} == set()


def test_an_array_of_a_registered_name_is_that_array():
    other = {
        (name, parameter)
        for name, function in KERNELS.items()
        for parameter, hint in hints_of(function).items()
        if parameter in REGISTERED and is_array(hint) and hint != REGISTERED[parameter]
    }
    assert other == set(), "rename the parameter, or take the registered type"


def test_unregistered_arrays_are_described_in_the_docstring():
    known, undescribed = (*REGISTERED.values(), *TOGETHER), set()
    for name in (name for name in KERNELS if "._" not in name):
        function = getattr(KERNELS[name], "py_func", KERNELS[name])
        hints = {p: hint for p, hint in hints_of(KERNELS[name]).items() if p != "return" and p not in REGISTERED}
        arrays = {p for p, hint in hints.items() if hint not in known and not is_named_tuple(hint)}
        arrays = {p for p in arrays if any(map(is_array, parts(hints[p])))}
        undescribed |= {(name, p) for p in arrays if not re.search(rf"\b{p}\b", function.__doc__ or "")}
    assert undescribed == set()


def test_registered_arrays_are_described():
    assert len(REGISTERED) > 20
    for hint in REGISTERED.values():
        (described,) = (extra for extra in get_args(hint)[1:] if isinstance(extra, _arrays.ArrayDescription))
        assert re.match(r"\(.+,.*\)", described.shape)
        assert described.meaning


@pytest.mark.long
def test_kernels_are_called_with_the_types_of_their_signatures():
    """Run every algorithm and verify its output, then compare the compiled types with the annotations."""
    for name, contract in CONTRACTS.items():
        case, model = contract.case(1, 40), contract.model(2, 2)
        result = contract.make(ALGORITHMS[name], 2, 2).recode(case.table, case.hierarchies)
        assert verify(published(case, result), model).holds
    n_called, actual = mismatches()
    assert actual == []
    if type(KERNELS["records.rows.transpose"]).__name__ == "CPUDispatcher":
        assert n_called > 50, "what others call is not compiled apart where the cache holds the machine code"


@kernel(allocates=True)
def doubled(indptr: _arrays.Indptr, known: _arrays.KnownSets, k: int) -> _arrays.Int64Array:
    return indptr + known[0][0, 0] * k


ONE = np.zeros(1, np.int64)
SETS = (np.zeros((1, 2), np.int32), np.zeros(2, np.int32))


@pytest.mark.parametrize(
    ("parameter", "value", "fits"),
    [
        ("indptr", ONE, True),
        ("indptr", ONE.astype(np.int32), False),
        ("indptr", ONE.reshape(1, 1), False),
        ("indptr", 1, False),
        ("known", SETS, True),
        ("known", SETS[::-1], False),
        ("known", SETS[:1], False),
        ("k", 1, True),
        ("k", 1.0, False),
        ("k", True, False),
    ],
)
def test_annotations_match_compiled_types(parameter, value, fits):
    assert allows(hints_of(doubled)[parameter], typeof(value)) is fits
