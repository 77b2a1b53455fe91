"""Compilation of kernels by their parameter annotations, without calling them."""

from collections.abc import Iterator
from importlib import import_module
from types import UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np


def all_files() -> list[str]:
    """Return the names of all modules of the kernels, such as ``cuts.fix``, sorted. Some contain no kernel."""
    from anonset_kernels._jit import FOLDER, name_of

    return sorted({name_of(path) for path in FOLDER.rglob("*.py") if path.stem != "__init__"})


def compile_file(name: str) -> None:
    """Compile or load the kernels of a file that other files call. If an annotation allows several types, only the
    first type is compiled. It is the type for data of usual size.
    """
    for kernel in _kernels_of(name):
        kernel.compile(argument_types(kernel.py_func))


def argument_types(function: Any) -> tuple[Any, ...]:
    """Return the Numba argument types given by the annotations of a kernel."""
    hints = get_type_hints(function, include_extras=True)
    return tuple(_type_of(hint) for name, hint in hints.items() if name != "return")


def _kernels_of(name: str) -> Iterator[Any]:
    module = import_module(f"anonset_kernels.{name}")
    for kernel in vars(module).values():
        function = getattr(kernel, "py_func", None)
        if function is not None and function.__module__ == module.__name__ and not function.__name__.startswith("_"):
            yield kernel


def _type_of(hint: Any) -> Any:
    from numba.np.numpy_support import from_dtype

    types = _types()

    origin, arguments = get_origin(hint), get_args(hint)
    if isinstance(hint, TypeVar):
        return _type_of(hint.__bound__)
    if origin in (Annotated, Union, UnionType):
        numba_type = _type_of(arguments[0])
        return numba_type if getattr(arguments[1], "writable", True) else numba_type.copy(readonly=True)
    if origin is np.ndarray:
        shape, dtype = (get_args(hint_of_part) for hint_of_part in arguments)
        return types.Array(from_dtype(np.dtype(dtype[0])), len(shape), "C")
    if origin is tuple:
        return types.Tuple([_type_of(hint_of_part) for hint_of_part in arguments])
    if isinstance(hint, type) and hasattr(hint, "_fields"):
        return _named(
            hint, [_type_of(hint_of_part) for hint_of_part in get_type_hints(hint, include_extras=True).values()]
        )
    if origin is np.signedinteger or hint in (int, np.signedinteger):
        return types.int64
    return types.none if hint is type(None) else from_dtype(np.dtype(hint))


def _named(cls: type, members: list[Any]) -> Any:
    """Return the Numba type of a named tuple, as Numba's own inference would."""
    types = _types()
    if all(member == members[0] for member in members):
        return types.NamedUniTuple(members[0], len(members), cls)
    return types.NamedTuple(members, cls)


def _types() -> Any:
    from numba.core import types

    return types
