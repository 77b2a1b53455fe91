"""The rows of a large table in shares that hold all rows of a relational tuple, or none: each is checked by itself."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonset.data import CategoricalColumn
from anonset.data.spans import spans
from anonset.data.store import Store
from anonset.data.table import Column, Int64

_FIRST, _SECOND, _SHIFT = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(31)


def shares_of(columns: Sequence[Column], store: Store) -> Iterator[Int64]:
    """Yield the rows of each share, ascending, int64: equal tuples are in the same one, by a hash of their values.

    Parameters
    ----------
    columns
        What makes up a tuple; at least one.
    store
        Where the rows lie.
    """
    n = columns[0].n
    count = store.limits.buckets(n)
    with ExitStack() as stack:
        found = [stack.enter_context(store.growing("share", np.int64)) for _ in range(count)]
        for first, end in spans(n):
            share = (_hashes(columns, first, end) % np.uint64(count)).astype(np.int64)
            order = np.argsort(share, kind="stable")
            ends = np.cumsum(np.bincount(share, minlength=count))
            for target, rows in zip(found, np.split(order + first, ends[:-1]), strict=True):
                target.append(rows)
        for share_rows in found:
            if len(rows := share_rows.finished()):
                yield rows
            share_rows.drop()


def _hashes(columns: Sequence[Column], first: int, end: int) -> NDArray[np.uint64]:
    """Return a hash of the tuple of each row of a span."""
    parts = [column.part(first, end) for column in columns]
    values = [part.codes if isinstance(part, CategoricalColumn) else part.values + 0 for part in parts]
    return hashed(values, end - first)  # no negative zero


def hashed(columns: Sequence[NDArray[Any]], n: int) -> NDArray[np.uint64]:
    """Return a hash of each of n rows, whose values are codes or numbers; sums and products wrap around."""
    state = np.zeros(n, np.uint64)
    for values in columns:
        state += values.astype(np.uint64) if values.dtype == np.int32 else values.view(np.uint64)
        state += _FIRST
        state *= _SECOND
        state ^= state >> _SHIFT
    return state
