"""Records of which equal ones are held k times at most: all that rare sets can be told by."""

import secrets
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from anonset.algorithms.base import run_tasks
from anonset.algorithms.transaction.exact_cut.limits import require_room
from anonset.data.blocks import Rows
from anonset.data.discreet import Discreet
from anonset.data.mapped import WorkFolder

_PARTS_PER_ROUND = 4
_COPIES_AT_ONCE, _BYTES_OF_ROW = 3, 16
"""What was found, all of it joined, and what is left of that; and what telling equal rows takes for each."""


def chosen_rows(rows: Rows, chosen: NDArray[np.bool_]) -> Rows:
    """Return the chosen rows, bool (n,)."""
    indptr, items = rows
    lengths = np.diff(indptr)
    start = np.concatenate([[0], np.cumsum(lengths[chosen])]).astype(np.int64)
    return start, items[indptr[0] : indptr[-1]][np.repeat(chosen, lengths)]


@dataclass(frozen=True, eq=False)
class FirstCopies(Discreet):
    """Reduces a part to the first k of equal rows; into files, where a directory is given."""

    shown: Callable[[Rows], Rows]
    """What the rows of a part are looked at as."""
    k: int
    work: WorkFolder | None = None
    token: str = field(default_factory=lambda: secrets.token_hex(8))

    def reduced(self, rows: Rows) -> Rows:
        """Return the rows, but of equal ones only the first k."""
        from anonset_kernels import rows as kernels

        return chosen_rows(rows, kernels.first_copies(*rows, self.k))

    def names(self, at: int) -> tuple[str, str]:
        """Return the names of the files of a part."""
        return f"copies-{self.token}-{at}", f"copies-{self.token}-{at}-items"

    def __call__(self, numbered: tuple[int, Rows]) -> Rows:
        """Return what is left of a part."""
        at, rows = numbered
        indptr, items = self.reduced(self.shown(rows))
        if self.work is None:
            return indptr, items
        begins, codes = self.names(at)
        return self.work.stored(begins, indptr), self.work.stored(codes, items)


def first_copies(parts: Sequence[Rows], reduce: FirstCopies, executor: Executor | None) -> Rows:
    """Return the rows of some parts in their order, but of equal ones only the first k.

    A set of nodes that fewer than k of all rows hold is held by as many of these, any other by k at least. They are
    the same for any division into parts. Memory: some parts, and up to three times what is returned.

    Raises
    ------
    InputError
        If the limit on the memory has no room for that.
    """
    if len(parts) == 1:
        return reduce.reduced(reduce.shown(parts[0]))
    found, waiting = (np.zeros(1, np.int64), np.empty(0, np.int32)), list[Rows]()
    at_a_time = _PARTS_PER_ROUND * (1 if reduce.work is None else int(getattr(executor, "_max_workers", 1)))
    for first in range(0, len(parts), at_a_time):
        numbered = list(enumerate(parts))[first : first + at_a_time]
        for (at, _), rows in zip(numbered, run_tasks(executor, reduce, numbered), strict=True):
            waiting.append(rows)
            if reduce.work is not None:  # what is mapped lives on until it is let go
                reduce.work.drop(*reduce.names(at))
        if first + at_a_time >= len(parts) or sum(map(_size, waiting)) >= _size(found):
            together = [found, *waiting]
            require_room(sum(_COPIES_AT_ONCE * _bytes(rows) + _BYTES_OF_ROW * len(rows[0]) for rows in together))
            found, waiting = reduce.reduced(_joined(together)), []
    return found


def _size(rows: Rows) -> int:
    return len(rows[0]) + len(rows[1])


def _joined(parts: list[Rows]) -> Rows:
    """Return the rows of parts, one after the other."""
    lengths = np.concatenate([np.diff(indptr) for indptr, _ in parts])
    items = np.concatenate([items[indptr[0] : indptr[-1]] for indptr, items in parts])
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64), items


def _bytes(rows: Rows) -> int:
    return rows[0].nbytes + rows[1].nbytes
