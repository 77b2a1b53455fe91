"""Rows divided into parts by a key, of which each is small enough to be held: equal keys come into the same part."""

from collections.abc import Iterator
from contextlib import ExitStack
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import DTypeLike, NDArray

from anonset.data.store import Store


class Division:
    """Rows under division. The rows of a part stand in the order in which they were added.

    Parameters
    ----------
    store
        Where the parts lie.
    count
        Number of parts, at most 65,536.

    >>> from anonset.data.store import MEMORY
    >>> with Division(MEMORY, 2, np.int32) as division:
    ...     division.add(np.array([7, 8, 9], np.uint64), np.arange(3))
    ...     [part.tolist() for part in division.parts()]
    [[1], [0, 2]]
    """

    def __init__(self, store: Store, count: int, dtype: DTypeLike) -> None:
        self._shape: tuple[int, ...] = ()
        self._parts = [store.growing("part", dtype) for _ in range(count)]
        self._stack = ExitStack()

    def add(self, key: NDArray[np.uint64], rows: NDArray[Any]) -> None:
        """Add rows, (r,) or (r, any), by a key of each, uint64 (r,): a hash, or what is as evenly spread."""
        count, self._shape = len(self._parts), rows.shape[1:]
        if count == 1:
            self._parts[0].append(rows.ravel())
            return
        part = (key % np.uint64(count)).astype(np.min_scalar_type(count - 1))  # of 8 or 16 bits: a radix sort
        order = np.argsort(part, kind="stable")
        ends = np.cumsum(np.bincount(part, minlength=count))
        for target, own in zip(self._parts, np.split(rows[order], ends[:-1]), strict=True):
            target.append(own.ravel())

    def parts(self, *, dropped: bool = True) -> Iterator[NDArray[Any]]:
        """Yield the rows of each part, as they were added, dropping it before the next one; nothing more is added."""
        for part in self._parts:
            yield part.finished().reshape(-1, *self._shape)
            if dropped:
                part.drop()

    def __enter__(self) -> Self:
        for part in self._parts:
            self._stack.enter_context(part)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._stack.__exit__(kind, error, at)
