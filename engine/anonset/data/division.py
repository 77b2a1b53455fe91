"""Division of rows by key into shares that fit in memory. Rows with equal keys are in the same share."""

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from anonset.data.array_types import UInt64
from anonset.data.spans import begins_of
from anonset.data.storage.growing import ArrayBuilder
from anonset.data.storage.store import Store


class Division(ExitStack):
    """Rows divided into shares. Rows within a share are in the order in which they were added.

    Parameters
    ----------
    store
        Store of the shares.
    count
        Number of shares, at most 65,536.

    >>> from anonset.data.storage.store import MEMORY
    >>> with Division(MEMORY, 2, np.int32) as division:
    ...     division.add(np.array([7, 8, 9], np.uint64), np.arange(3))
    ...     [share.tolist() for share in division.shares()]
    [[1], [0, 2]]
    """

    def __init__(self, store: Store, count: int, dtype: DTypeLike) -> None:
        super().__init__()
        self._store, self._dtype = store, dtype
        self._shape: tuple[int, ...] = (0,)
        self._shares: list[ArrayBuilder | None] = [None] * count

    def add(self, key: UInt64, rows: NDArray[Any]) -> None:
        """Add rows, (r,) or (r, any). The keys of the rows, uint64 (r,), are hashes or other uniformly distributed
        numbers.
        """
        count, self._shape = len(self._shares), (-1, *rows.shape[1:])
        if count == 1:
            self._grow(0, rows)
            return
        share = (key % np.uint64(count)).astype(np.min_scalar_type(count - 1))  # 8 or 16 bits: NumPy uses a radix sort
        order, begins = np.argsort(share, kind="stable"), begins_of(np.bincount(share, minlength=count))
        for number in np.flatnonzero(np.diff(begins)).tolist():
            self._grow(number, rows[order[begins[number] : begins[number + 1]]])

    def _grow(self, number: int, rows: NDArray[Any]) -> None:
        share = self._shares[number]
        if share is None:
            share = self._shares[number] = self.enter_context(self._store.growing("share", self._dtype))
        share.append(rows.ravel())

    def shares(self, *, dropped: bool = True) -> Iterator[NDArray[Any]]:
        """Yield the rows of each share. By default a share is deleted before the next share is read. Do not call `add`
        afterwards.
        """
        for share in self._shares:
            rows = np.empty(0, self._dtype) if share is None else share.finished()
            yield rows.reshape(self._shape)
            if dropped and share is not None:
                share.drop()
