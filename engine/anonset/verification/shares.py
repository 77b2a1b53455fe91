"""Divide the rows of a large table into shares that are checked separately. Rows with equal relational tuples are in
the same share.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from anonset.data import CategoricalColumn
from anonset.data.array_types import Int64, UInt64
from anonset.data.division import Division
from anonset.data.spans import spans
from anonset.data.storage.store import Store, damage_error
from anonset.data.table import Column

_FIRST, _SECOND, _SHIFT = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(31)
_WORDS = 1 << 64


def shares_of(columns: Sequence[Column], store: Store) -> Iterator[Int64]:
    """Yield the rows of each share in ascending order, int64. Rows with equal tuples are in the same share.

    Parameters
    ----------
    columns
        Columns of the tuple, at least one.
    store
        Store of the rows.
    """
    n = columns[0].n
    if not n:
        return
    if store.buckets(n) == 1:
        yield np.arange(n)
        return
    rows = ((_hashes(columns, first, end), np.arange(first, end)) for first, end in spans(n))
    yield from divided(rows, store.buckets(n), store, np.int64)


def divided(
    rows: Iterable[tuple[UInt64, NDArray[Any]]], count: int, store: Store, dtype: DTypeLike
) -> Iterator[NDArray[Any]]:
    """Divide rows by a hash of their keys, and yield each non-empty share, (r,) or (r, width).

    Raises
    ------
    InputError
        If the shares do not contain exactly the given rows, which is detected by a sum of hashes.
    """
    before = after = 0
    with Division(store, count, dtype) as division:
        for key, batch in rows:
            before += _sum_of_hashes(batch)
            division.add(key, batch)
        for share in division.shares():
            after += _sum_of_hashes(share)
            if len(share):
                yield share
    if before % _WORDS != after % _WORDS:
        raise damage_error()


def _sum_of_hashes(rows: NDArray[Any]) -> int:
    return int(hashed(list(np.atleast_2d(rows.T)), len(rows)).sum(dtype=np.uint64)) + len(rows)


def _hashes(columns: Sequence[Column], first: int, end: int) -> UInt64:
    slices = [column.slice(first, end) for column in columns]
    values = [rows.codes if isinstance(rows, CategoricalColumn) else rows.values + 0 for rows in slices]
    return hashed(values, end - first)  # `+ 0` above converts -0.0 to 0.0


def hashed(columns: Sequence[NDArray[Any]], n: int) -> UInt64:
    """Return a hash of each of n rows of codes or numbers."""
    state = np.zeros(n, np.uint64)
    for values in columns:
        state += values.astype(np.uint64) if values.dtype == np.int32 else values.view(np.uint64)
        state += _FIRST
        state *= _SECOND
        state ^= state >> _SHIFT
    return state
