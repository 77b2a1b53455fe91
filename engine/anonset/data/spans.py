"""Going through many records a span at a time, so that nothing on the way is as long as the table."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
from numpy.typing import NDArray

AT_ONCE = 1 << 18
"""Records, or elements of an array, in a span."""
BASE = 330 << 20
"""Memory, in bytes, that a run by blocks takes besides what it holds at once: Python, compiled kernels, buffers."""
_room: int | None = None


def spans(n: int, at_once: int | None = None) -> Iterator[tuple[int, int]]:
    """Yield the first and the end of each span of 0 .. n - 1; the last one may be short.

    >>> list(spans(5, 2))
    [(0, 2), (2, 4), (4, 5)]
    """
    size = AT_ONCE if at_once is None else at_once
    for first in range(0, n, size):
        yield first, min(first + size, n)


@contextmanager
def memory_limit(limit: int | None) -> Iterator[None]:
    """Let what is held at once keep to a limit on the memory of the whole process, in bytes; None: there is none."""
    global _room
    before, _room = _room, None if limit is None else max(limit - BASE, limit // 8)
    try:
        yield
    finally:
        _room = before


def held_at_once(most: int, bytes_each: int) -> int:
    """Return how many elements to hold at once: so many, or as many as half of the room within the limit takes.

    >>> held_at_once(1000, 8)
    1000
    >>> with memory_limit(8000):
    ...     held_at_once(1000, 8)
    62
    """
    return most if _room is None else max(1, min(most, _room // 2 // bytes_each))


def has_room(n_bytes: int) -> bool:
    """Tell whether the limit has room for so many bytes at once; where there is none, it has.

    >>> has_room(8000)
    True
    >>> with memory_limit(8000):
    ...     has_room(1000), has_room(1001)
    (True, False)
    """
    return _room is None or n_bytes <= _room


def ascending(codes: NDArray[np.integer]) -> bool:
    """Tell whether codes, (n,), do not fall; nothing as long as they are is made.

    >>> ascending(np.array([0, 0, 2])), ascending(np.array([1, 0]))
    (True, False)
    """
    return all(bool(np.all(codes[first:end] <= codes[first + 1 : end + 1])) for first, end in spans(len(codes) - 1))


def run_spans(codes: NDArray[np.integer], at_once: int | None = None) -> Iterator[tuple[int, int]]:
    """Yield spans of ascending codes, each of which ends where equal codes end.

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
