"""Import the names of a package on first use."""

from collections.abc import Callable
from functools import cache
from pkgutil import resolve_name
from typing import Any


def lazy_names(package: dict[str, Any]) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return ``__getattr__`` and ``__dir__`` for a package with names that are imported on first use (PEP 562).

    Parameters
    ----------
    package
        ``globals()`` of the package. The stub ``__init__.pyi``, which type checkers read, lists the names.
    """

    def get(name: str) -> Any:
        homes = {} if name.startswith("__") and name != "__all__" else _homes(package["__file__"])
        if name == "__all__":
            return sorted(homes)
        if name not in homes:
            raise AttributeError(f"module {package['__name__']!r} has no attribute {name!r}")
        package[name] = _suggesting(resolve_name(f"{homes[name]}:{name}"))
        return package[name]

    return get, lambda: sorted({*package, *_homes(package["__file__"])})


def _suggesting(value: Any) -> Any:
    """Return a function or dataclass whose errors about unknown keyword arguments name the most similar parameter."""
    from dataclasses import is_dataclass
    from inspect import isfunction

    if isfunction(value):
        return _checked(value, value.__name__)
    if isinstance(value, type) and is_dataclass(value) and "__init__" in vars(value):
        type.__setattr__(value, "__init__", _checked(vars(value)["__init__"], value.__name__))
    return value


def _checked(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    from functools import wraps
    from inspect import signature

    parameters = signature(function).parameters
    takes_all = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values())

    @wraps(function)
    def call(*args: Any, **keywords: Any) -> Any:
        if not takes_all and (unknown := [keyword for keyword in keywords if keyword not in parameters]):
            from anonset.spelling import did_you_mean

            msg = f"{name}() got an unexpected keyword argument {unknown[0]!r}{did_you_mean(unknown[0], [*parameters])}"
            raise TypeError(msg)
        return function(*args, **keywords)

    return call


@cache
def _homes(path: str) -> dict[str, str]:
    import re
    from pathlib import Path

    stub = Path(path).with_suffix(".pyi").read_text(encoding="utf-8")
    return {name: home for home, name in re.findall(r"^from (\S+) import (?:\(\s+)?(\w+) as \2\b", stub, re.MULTILINE)}
