"""Records of which equal ones are held k times at most: all that rare sets can be told by."""

from collections.abc import Callable
from concurrent.futures import Executor

import numpy as np
from numpy.typing import NDArray

from anonset.algorithms.base import run_tasks
from anonset.data.blocks import Rows

_PARTS_PER_ROUND = 4


def chosen_rows(rows: Rows, chosen: NDArray[np.bool_]) -> Rows:
    """Return the chosen rows, bool (n,)."""
    indptr, items = rows
    lengths = np.diff(indptr)
    start = np.concatenate([[0], np.cumsum(lengths[chosen])]).astype(np.int64)
    return start, items[indptr[0] : indptr[-1]][np.repeat(chosen, lengths)]


def first_copies(part: Callable[[int], Rows], n_parts: int, k: int, executor: Executor | None) -> Rows:
    """Return the rows of some parts in their order, but of equal ones only the first k.

    A set of nodes that fewer than k of all rows hold is held by as many of these, any other by k at least. They are
    the same for any division into parts. Memory: some parts, and up to three times what is returned.
    """
    from anonset_kernels import rows as kernels

    def reduced(rows: Rows) -> Rows:
        return chosen_rows(rows, kernels.first_copies(*rows, k))

    found, waiting = (np.zeros(1, np.int64), np.empty(0, np.int32)), list[Rows]()
    for first in range(0, n_parts, _PARTS_PER_ROUND):
        ats = range(first, min(n_parts, first + _PARTS_PER_ROUND))
        waiting += run_tasks(executor, lambda at: reduced(part(at)), ats)
        if n_parts == 1:
            return waiting[0]
        if ats.stop == n_parts or sum(map(_size, waiting)) >= _size(found):
            found, waiting = reduced(_joined([found, *waiting])), []
    return found


def _size(rows: Rows) -> int:
    return len(rows[0]) + len(rows[1])


def _joined(parts: list[Rows]) -> Rows:
    """Return the rows of parts, one after the other."""
    lengths = np.concatenate([np.diff(indptr) for indptr, _ in parts])
    items = np.concatenate([items[indptr[0] : indptr[-1]] for indptr, items in parts])
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64), items
