"""Kernel signatures: the annotations, and the types that Numba compiled."""

import importlib
import re
from collections.abc import Iterator
from types import NoneType, UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np
from numba.core import types
from numba.core.dispatcher import Dispatcher

from anonset_kernels import _arrays
from anonset_kernels._jit import FOLDER, name_of

FILES = sorted(FOLDER.rglob("*.py"))
REGISTERED = {
    "".join(f"_{c.lower()}" if c.isupper() else c for c in name).lstrip("_"): hint
    for name, hint in vars(_arrays).items()
    if get_origin(hint) is Annotated
}
"""Documented arrays, by parameter name."""
TOGETHER = [hint for hint in vars(_arrays).values() if get_origin(hint) is tuple]
"""Documented tuples of arrays."""


def kernels() -> Iterator[tuple[str, Any]]:
    """Yield every kernel by ``file.name``: the dispatcher, or the function if the JIT is off."""
    for path in FILES:
        source = path.read_text(encoding="utf-8")
        module = importlib.import_module(f"anonset_kernels.{name_of(path)}")
        for name, value in vars(module).items():
            function = getattr(value, "py_func", value)
            if re.search(rf"@kernel\(.*\)\ndef {name}\(", source) and function.__module__ == module.__name__:
                yield f"{name_of(path)}.{name}", value


def hints_of(kernel: Any) -> dict[str, Any]:
    """Return the annotations of a kernel by parameter, and by ``return``."""
    return get_type_hints(getattr(kernel, "py_func", kernel), include_extras=True)


def parts(hint: Any) -> Iterator[Any]:
    """Yield an annotation and all parts, including fields of named tuples, but not the parts of arrays."""
    yield hint
    if is_array(hint):
        return
    if isinstance(hint, TypeVar):
        yield from parts(hint.__bound__)
    elif is_named_tuple(hint):
        for field in get_type_hints(hint, include_extras=True).values():
            yield from parts(field)
    else:
        for argument in get_args(hint)[: 1 if get_origin(hint) is Annotated else None]:
            yield from parts(argument)


def is_array(hint: Any) -> bool:
    """Return True if an annotation is that of an array."""
    return get_origin(hint) is np.ndarray or (get_origin(hint) is Annotated and is_array(get_args(hint)[0]))


def is_named_tuple(hint: Any) -> bool:
    """Return True if an annotation is a named tuple class."""
    return isinstance(hint, type) and issubclass(hint, tuple) and hasattr(hint, "_fields")


def allows(hint: Any, compiled: Any) -> bool:
    """Return True if an annotation matches a compiled type."""
    origin, arguments = get_origin(hint), get_args(hint)
    if hint is Any:
        return True
    if origin is Annotated:
        return allows(arguments[0], compiled)
    if isinstance(hint, TypeVar):
        return allows(hint.__bound__, compiled)
    if origin in (Union, UnionType):
        return any(allows(argument, compiled) for argument in arguments)
    if origin is np.ndarray:
        shape, dtype = (get_args(argument) for argument in arguments)
        wanted = np.dtype(dtype[0])
        return isinstance(compiled, types.Array) and (str(compiled.dtype), compiled.ndim) == (wanted.name, len(shape))
    if is_named_tuple(hint):
        fields = get_type_hints(hint, include_extras=True).values()
        return getattr(compiled, "instance_class", None) is hint and all(map(allows, fields, compiled))
    if origin is tuple:
        fits = isinstance(compiled, types.BaseTuple) and len(compiled) == len(arguments)
        return fits and all(map(allows, arguments, compiled))
    if origin is np.signedinteger or hint in (int, np.signedinteger):
        return isinstance(compiled, types.Integer | types.IntegerLiteral)
    scalars = {bool: types.Boolean | types.BooleanLiteral, float: types.Float, NoneType: types.NoneType}
    return isinstance(compiled, scalars[hint]) if hint in scalars else str(compiled) == np.dtype(hint).name


def mismatches() -> tuple[int, list[str]]:
    """Return the number of kernels called in this process, and their differences from the annotations."""
    n_called, differences = 0, []
    for name, kernel in kernels():
        if not isinstance(kernel, Dispatcher):
            continue
        hints = hints_of(kernel)
        n_called += bool(kernel.overloads)
        for arguments, overload in kernel.overloads.items():
            settings = dict(zip(kernel.py_func.__code__.co_varnames, arguments, strict=False))
            for parameter, compiled in {**settings, "return": overload.signature.return_type}.items():
                if parameter in hints and not allows(hints[parameter], compiled):
                    differences.append(f"{name}: {parameter} is {compiled}")
    return n_called, sorted(set(differences))
