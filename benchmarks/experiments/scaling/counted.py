"""An executor that counts what a search asks of it: passes, tasks, bytes that these read, and bytes that come back."""

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import fields, is_dataclass
from functools import partial
from typing import Any

import numpy as np

from anonset.data.mapped import backing


class Counted(Executor):
    """Hands tasks on to another executor, and counts."""

    def __init__(self, inner: Any) -> None:
        self._inner, self._max_workers = inner, inner._max_workers
        self.remote = bool(getattr(inner, "remote", False))
        self._last: Any = None
        self.passes = self.tasks = self.bytes_read = self.bytes_returned = 0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        """Hand a task on."""
        self.passes += fn is not self._last
        self._last = fn
        self.tasks += 1
        self.bytes_read += bytes_in_files((fn, args))
        return _Pending(self, self._inner.submit(fn, *args, **kwargs))

    @property
    def figures(self) -> dict[str, float]:
        """What was counted."""
        read, returned = self.bytes_read / 2**30, self.bytes_returned / 2**20
        return {"passes": self.passes, "tasks": self.tasks, "gib_read": read, "mib_returned": returned}


class _Pending:
    def __init__(self, counted: Counted, pending: Any) -> None:
        self._counted, self._pending = counted, pending

    def result(self, timeout: float | None = None) -> Any:
        found = self._pending.result(timeout)
        self._counted.bytes_returned += bytes_in_memory(found)
        return found

    def cancel(self) -> bool:
        return bool(self._pending.cancel())


def bytes_in_files(value: Any) -> int:
    """Return the bytes of arrays in files that a task takes with it; of a block of records those of its own items."""
    if isinstance(value, np.ndarray):
        return value.nbytes if value.size and backing(value) is not None else 0
    if isinstance(value, tuple) and [getattr(part, "dtype", None) for part in value] == [np.int64, np.int32]:
        indptr, items = value
        return int(indptr.nbytes + items.itemsize * (indptr[-1] - indptr[0])) if bytes_in_files(items) else 0
    return sum(map(bytes_in_files, _parts(value)))


def bytes_in_memory(value: Any) -> int:
    """Return the bytes of the arrays in a result that do not lie in files."""
    if isinstance(value, np.ndarray):
        return 0 if value.size and backing(value) is not None else value.nbytes
    return sum(map(bytes_in_memory, _parts(value)))


def _parts(value: Any) -> list[Any]:
    if isinstance(value, partial):
        return [value.func, *value.args, *value.keywords.values()]
    if is_dataclass(value) and not isinstance(value, type):
        return [getattr(value, field.name) for field in fields(value)]
    return list(value) if isinstance(value, (tuple, list)) else []
