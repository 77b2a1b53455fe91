"""Limits of a run: number of records that are processed together, and amount of data in memory.

Arrays are processed in spans (blocks) of elements. A *run* is a sequence of elements that belong together, such as the
items of a record. Some functions never divide a run.

Processor and memory limits are read from the control groups of this process (/proc/self/cgroup, versions 1 and 2) and
from their parent groups. In a container, the files of the process's own group may be at the root.
"""

import math
import os
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import NDArray

from anonset.data.array_types import Int64
from anonset.data.redacted_repr import RedactedRepr

AT_ONCE = 1 << 18
"""Number of records or array elements per span."""
ROWS_PER_TASK, ITEMS_PER_TASK = 1 << 20, 1 << 24
"""Approximate maximum number of rows and of items per task in another process."""
_TASKS_PER_WORKER = 4
"""Intended number of tasks per worker. The actual number may differ because of the minimum and maximum size of a task.
"""
BASE = 330 << 20
"""Memory in bytes that an out-of-core run needs for Python, compiled kernels and buffers."""
_OWN, _GROUPS = Path("/proc/self/cgroup"), Path("/sys/fs/cgroup")
_CACHE = ("file", "total_cache")  # field of memory.stat with the page cache, by version of the control groups
_UNLIMITED = 1 << 62  # version 1 reports about twice this value if there is no limit


def spans(n: int, at_once: int | None = None) -> Iterator[tuple[int, int]]:
    """Yield the start and end of each span of 0 .. n - 1. The last span may be short.

    >>> list(spans(5, 2))
    [(0, 2), (2, 4), (4, 5)]
    """
    size = AT_ONCE if at_once is None else at_once
    for first in range(0, n, size):
        yield first, min(first + size, n)


def spans_up_to(begins: NDArray[np.integer | np.floating], most: float) -> Iterator[tuple[int, int]]:
    """Yield spans of runs with at most `most` elements in total. A longer run has a span of its own.

    `begins`, (runs + 1,), contains the start of each run, and the end of the last run (see `begins_of`).

    >>> list(spans_up_to(np.array([0, 2, 3, 12, 13]), 3))
    [(0, 2), (2, 3), (3, 4)]
    """
    first = 0
    while first < len(begins) - 1:
        end = max(first + 1, int(np.searchsorted(begins, begins[first] + most, side="right")) - 1)
        yield first, end
        first = end


def rows_per_task(size: tuple[int, int], workers: int) -> int:
    """Return the number of rows per task in another process. `size` is the number of rows and items of the table.

    >>> rows_per_task((10**8, 5 * 10**8), 16), rows_per_task((10**6, 10**7), 2), rows_per_task((10**6, 10**9), 2)
    (1048576, 262144, 16777)
    """
    n, n_items = size
    rows = max(AT_ONCE, min(ROWS_PER_TASK, -(-n // (_TASKS_PER_WORKER * workers))))
    return max(1, min(rows, ITEMS_PER_TASK * n // max(1, n_items)))


def joined_ranges(sizes: Int64, most: int, most_items: int) -> Iterator[tuple[int, int]]:
    """Join consecutive ranges while they have at most `most` rows and `most_items` items in total. Yield the
    first range and the end of each group, and omit empty ranges. `sizes`, int64 (2, ranges) or (more, ranges), contains
    the rows and the items of each range.

    >>> list(joined_ranges(np.array([[2, 1, 0, 9, 1], [0, 0, 0, 0, 0]]), 3, 9))
    [(0, 2), (3, 4), (4, 5)]
    """
    first, rows, items, end = 0, 0, 0, 0
    for b in np.flatnonzero(sizes[0]).tolist():
        if rows and (rows + sizes[0, b] > most or items + sizes[1, b] > most_items):
            yield first, end
            rows = items = 0
        first, end = b if not rows else first, b + 1
        rows, items = rows + int(sizes[0, b]), items + int(sizes[1, b])
    if rows:
        yield first, end


def cores() -> int:
    """Return the number of threads that can run simultaneously, by CPU affinity and control group limits."""
    if hasattr(os, "process_cpu_count"):
        count = os.process_cpu_count() or 1
    else:
        count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(count, _share(_OWN, _GROUPS)))


def memory_left() -> int | None:
    """Return the free memory within the group limits in bytes, or None without a limit. Page cache counts as free
    memory.
    """
    free = []
    for folder in _folders("memory", _OWN, _GROUPS):
        for limit, usage in (("memory.max", "memory.current"), ("memory.limit_in_bytes", "memory.usage_in_bytes")):
            try:
                if (most := int((folder / limit).read_text())) >= _UNLIMITED:
                    continue  # without a limit, do not read the usage, which the system computes slowly
                used = int((folder / usage).read_text())
                stat = dict(line.split() for line in (folder / "memory.stat").read_text().splitlines())
            except (OSError, ValueError):  # no such file, or "max"
                continue
            free.append(max(0, most - used + next((int(stat[name]) for name in _CACHE if name in stat), 0)))
    return min(free, default=None)


@cache
def _share(group_file: Path, groups: Path) -> int:
    """Return the processor limit of the control groups. The result is cached because every step of a run needs it."""
    shares = [sys.maxsize]
    for folder in _folders("cpu", group_file, groups):
        try:
            if (folder / "cpu.max").exists():
                quota, period = map(int, (folder / "cpu.max").read_text().split())
            else:
                quota, period = (int((folder / f"cpu.cfs_{name}_us").read_text()) for name in ("quota", "period"))
        except (OSError, ValueError):  # no such file, or "max"
            continue
        if quota > 0:
            shares.append(math.ceil(quota / period))
    return min(shares)


def _folders(controller: str, group_file: Path, groups: Path) -> Iterator[Path]:
    """Yield the directories of the process's group for a controller, and of the parent groups."""
    try:
        lines = [line.split(":", 2) for line in group_file.read_text().splitlines()]
    except OSError:
        return
    for _, controllers, path in lines:
        if controllers and controller not in controllers.split(","):
            continue
        root = groups / controller if controllers else groups
        folder = root / path.lstrip("/")
        yield folder
        if folder != root:
            yield from (above for above in folder.parents if above.is_relative_to(root))


@dataclass(frozen=True, kw_only=True)
class Limits(RedactedRepr):
    """Limits on the data that a run keeps in memory. Tests set low limits, so that small data are processed like large
    data.

    >>> Limits(room=8000).at_once_within(1000, 8), Limits(room=8000).has_room(8001), Limits().at_once_within(1000, 8)
    (500, False, 1000)
    >>> Limits(rows_per_bucket=100).buckets(250)
    3
    """

    room: int | None = None
    """Memory available for data in bytes. None means no limit."""
    rows_per_bucket: int = 1 << 19
    """Approximate number of rows, or texts, that are sorted or compared together."""
    labels_held: int = 1 << 16
    """Maximum number of distinct labels of a published column in memory. If there are more labels, they are stored in
    files.
    """

    @classmethod
    def of_process(cls, memory: int | None) -> Self:
        """Return the limits of a run. `memory` is the memory limit of the process in bytes, or None."""
        return cls(room=None if memory is None else max(memory - BASE, memory // 8))

    def at_once_within(self, most: int, bytes_each: int) -> int:
        """Return the number of elements that are processed together. It is at most `most`, and the elements fit into
        half of the limit.
        """
        return most if self.room is None else max(1, min(most, self.room // 2 // bytes_each))

    def has_room(self, n_bytes: int) -> bool:
        """Return True if `n_bytes` fit into the limit."""
        return self.room is None or n_bytes <= self.room

    def buckets(self, n: int) -> int:
        """Return the number of buckets for n rows, at least 1."""
        return max(1, -(-n // self.rows_per_bucket))


NO_LIMITS = Limits()


def ascending(codes: NDArray[np.integer]) -> bool:
    """Return True if codes, (n,), are non-decreasing. The memory use is constant.

    >>> ascending(np.array([0, 0, 2])), ascending(np.array([1, 0]))
    (True, False)
    """
    return all(bool(np.all(codes[first:end] <= codes[first + 1 : end + 1])) for first, end in spans(len(codes) - 1))


def run_spans(codes: NDArray[np.integer], at_once: int | None = None) -> Iterator[tuple[int, int]]:
    """Yield spans of ascending codes that never split equal codes.

    >>> list(run_spans(np.array([0, 0, 1, 1, 1, 2]), 3))
    [(0, 5), (5, 6)]
    """
    size, first = AT_ONCE if at_once is None else at_once, 0
    while first < len(codes):
        end = min(first + size, len(codes))
        last = codes[end - 1]
        while end < len(codes) and codes[end] == last:
            end += int(np.searchsorted(codes[end : end + size], last, side="right"))
        yield first, end
        first = end


def begins_of(lengths: Iterable[int] | NDArray[np.integer | np.bool_]) -> Int64:
    """Return the start of each run and the end of the last run, int64 (runs + 1,). `lengths` are the run lengths.

    >>> begins_of([2, 0, 3]).tolist()
    [0, 2, 2, 5]
    """
    sizes = lengths if isinstance(lengths, np.ndarray) else np.fromiter(lengths, np.int64)
    begins = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=begins[1:])
    return begins


def gathered(first: NDArray[np.integer], lengths: NDArray[np.integer]) -> tuple[Int64, Int64]:
    """Concatenate runs. Return the start of each run in the result, and the original position of each element.

    >>> begins, places = gathered(np.array([2, 0]), np.array([3, 2]))
    >>> begins.tolist(), places.tolist()
    ([0, 3, 5], [2, 3, 4, 0, 1])
    """
    begins = begins_of(lengths)
    return begins, np.arange(begins[-1]) + np.repeat(first - begins[:-1], lengths)
