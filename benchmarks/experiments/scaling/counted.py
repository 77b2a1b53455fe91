"""Workers that count the work of a search, and functions that measure the work of their tasks."""

import threading
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from functools import partial
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonset.algorithms.transaction.rare_sets.rare_tables import CountSets
from anonset.data.codes import stored_codes
from anonset.data.storage.store import backing
from anonset.data.storage.workers import Workers


class Counted(Workers):
    """Passes tasks to other workers, and counts passes, tasks, bytes read and bytes returned.

    For tables of sets, counts the nodes of the records, the accesses to cells for sets of size 3 or more, and the
    increments of counters.
    """

    def __init__(self, inner: Workers) -> None:
        self._inner, self.remote = inner, inner.remote
        self._last: Any = None
        self.passes = self.tasks_begun = self.bytes_of_records = self.bytes_stored = self.bytes_returned = 0
        self.codes = self.cells_of_larger_sets = self.raised = 0

    @property
    def count(self) -> int:
        """Number of tasks that run at the same time."""
        return self._inner.count

    @property
    def local(self) -> Workers:
        """These workers if their tasks run in this process. Otherwise workers of this process."""
        return self._inner.local if self.remote else self

    def at_once(self, tasks: int) -> int:
        """Return the number of tasks that run at the same time in a pass over the data."""
        return self._inner.at_once(tasks)

    def tasks(self, wanted: int) -> int:
        """Return the number of tasks into which a pass over the data is divided."""
        return self._inner.tasks(wanted)

    def begin(self, work: Callable[[Any], Any], task: Any, ended: threading.Event) -> Any:
        """Start a task on the inner workers."""
        self.passes += work is not self._last
        self._last = work
        self.tasks_begun += 1
        self.bytes_of_records += bytes_of_records((work, task))
        self.bytes_stored += bytes_stored((work, task))
        return _Pending(self, work, self._inner.begin(work, task, ended))

    def take(self, fn: Callable[..., Any], found: Any) -> None:
        """Count the result of a task."""
        self.bytes_returned += bytes_in_memory(found)
        if isinstance(fn, CountSets):
            table, lengths, _ = found
            self.codes += int(lengths @ np.arange(len(lengths)))
            self.cells_of_larger_sets += cells_of_larger_sets(lengths, fn.size, fn.n_words)
            self.raised += raised(table.planes, len(table.flip))

    @property
    def figures(self) -> dict[str, float]:
        """All counted quantities."""
        records, stored, returned = (
            self.bytes_of_records / 2**30,
            self.bytes_stored / 2**30,
            self.bytes_returned / 2**20,
        )
        read = {"gib_of_records": records, "gib_stored": stored}
        of_tables = {
            "codes": self.codes,
            "cells_of_larger_sets": self.cells_of_larger_sets,
            "raised": self.raised,
        }
        return {"passes": self.passes, "tasks": self.tasks_begun, **read, "mib_returned": returned, **of_tables}


class _Pending:
    def __init__(self, counted: Counted, fn: Callable[..., Any], pending: Any) -> None:
        self._counted, self._fn, self._pending = counted, fn, pending

    def result(self, timeout: float | None = None) -> Any:
        found = self._pending.result(timeout)
        self._counted.take(self._fn, found)
        return found

    def cancel(self) -> bool:
        return bool(self._pending.cancel())


def cells_of_larger_sets(lengths: NDArray[np.int64], size: int, n_words: int) -> int:
    """Return an upper bound of the accesses to cells of a table of sets of size 3 or more. 0 for pairs.

    A record accesses a cell for each choice of `size - 1` of its codes, and for each 64-code word of smaller codes.

    Parameters
    ----------
    lengths
        int64 (C + 1,): number of records by number of codes.
    n_words
        Number of 64-code words of the smallest codes.
    """
    if size == 2:
        return 0
    return sum(
        int(lengths[length])
        * sum(min(before, n_words) * comb(length - 1 - before, size - 2) for before in range(1, length))
        for length in np.flatnonzero(lengths).tolist()
    )


def raised(planes: NDArray[np.uint64], n_planes: int) -> int:
    """Return the sum of the counters of a table with interleaved planes: uint64 (cells * P,)."""
    return sum(int(np.bitwise_count(planes[p::n_planes]).sum()) << p for p in range(n_planes))


def bytes_of_records(value: Any) -> int:
    """Return the bytes of record blocks in files that a task reads, without items of other tasks."""
    if _is_block(value):
        indptr, items = value
        each = stored_codes(items).itemsize
        return int(indptr.nbytes + each * (indptr[-1] - indptr[0])) if _is_filed(items) else 0
    return sum(map(bytes_of_records, _parts(value)))


def bytes_stored(value: Any) -> int:
    """Return the bytes of all other arrays in files that a task reads. These arrays contain records stored as codes."""
    if isinstance(value, np.ndarray):
        return value.nbytes if _is_filed(value) else 0
    return 0 if _is_block(value) else sum(map(bytes_stored, _parts(value)))


def bytes_in_memory(value: Any) -> int:
    """Return the bytes of the arrays in a result that are not in files."""
    if isinstance(value, np.ndarray):
        return 0 if _is_filed(value) else value.nbytes
    return sum(map(bytes_in_memory, _parts(value)))


def _is_filed(value: Any) -> bool:
    return bool(stored_codes(value).size) and backing(value) is not None


def _is_block(value: Any) -> bool:
    return isinstance(value, tuple) and [getattr(part, "dtype", None) for part in value] == [np.int64, np.int32]


def _parts(value: Any) -> list[Any]:
    if isinstance(value, partial):
        return [value.func, *value.args, *value.keywords.values()]
    if is_dataclass(value) and not isinstance(value, type):
        return [getattr(value, field.name) for field in fields(value)]
    return list(value) if isinstance(value, (tuple, list)) else []
