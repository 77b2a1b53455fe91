"""The package `pyarrow`, which is imported when one of its names is used, because the import is slow."""

from types import ModuleType
from typing import Any


class _LazyArrow(ModuleType):
    def __getattr__(self, name: str) -> Any:
        import pyarrow as pa

        return getattr(pa, name)


pa: Any = _LazyArrow("pyarrow")
"""The module `pyarrow`."""
