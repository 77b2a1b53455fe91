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
            msg = f"module {package['__name__']!r} has no attribute {name!r}"
            raise AttributeError(msg)
        package[name] = resolve_name(f"{homes[name]}:{name}")
        return package[name]

    return get, lambda: sorted({*package, *_homes(package["__file__"])})


@cache
def _homes(path: str) -> dict[str, str]:
    import re
    from pathlib import Path

    stub = Path(path).with_suffix(".pyi").read_text(encoding="utf-8")
    return {name: home for home, name in re.findall(r"^from (\S+) import (?:\(\s+)?(\w+) as \2\b", stub, re.MULTILINE)}
