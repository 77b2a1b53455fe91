"""Reduce equal records to k copies. The result has the same rare sets."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from anonset.algorithms.transaction.exact_cut.limits import require_room
from anonset.data.array_types import Bools
from anonset.data.blocks import Rows, StoredRows
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.spans import begins_of
from anonset.data.storage.store import MEMORY, Store

_PARTS_PER_ROUND = 4
_COPIES_AT_ONCE = 3
"""Number of copies of the rows in memory: the results of the parts, their concatenation, and the reduced result."""
BYTES_OF_ROW = 32
"""Bytes per row for the comparison of rows."""


def chosen_rows(rows: Rows, chosen: Bools) -> Rows:
    """Return the rows for which `chosen`, bool (n,), is True."""
    indptr, items = rows
    lengths = np.diff(indptr)
    start = begins_of(lengths[chosen])
    return start, items[indptr[0] : indptr[-1]][np.repeat(chosen, lengths)]


def joined_rows(parts: list[Rows]) -> Rows:
    """Return the concatenation of rows."""
    lengths = np.concatenate([np.diff(indptr) for indptr, _ in parts])
    items = np.concatenate([items[indptr[0] : indptr[-1]] for indptr, items in parts])
    return begins_of(lengths), items


@dataclass(frozen=True, eq=False)
class FirstCopies(RedactedRepr):
    """Removes each row of a part that equals at least k earlier rows."""

    shown: Callable[[StoredRows], Rows]
    """Function that converts the rows of a part before the comparison."""
    k: int

    def kept(self, rows: Rows) -> Bools:
        """Return True for each row that equals fewer than k earlier rows, bool (n,)."""
        from anonset_kernels.records import rows as kernels

        among_first: Bools = kernels.first_copies(*rows, self.k)
        return among_first

    def reduced(self, rows: Rows) -> Rows:
        """Return the rows that equal fewer than k earlier rows."""
        return chosen_rows(rows, self.kept(rows))

    def __call__(self, rows: StoredRows) -> Rows:
        """Return the remaining rows of a part."""
        return self.reduced(self.shown(rows))


def first_copies(parts: Sequence[StoredRows], reduce: FirstCopies, store: Store = MEMORY) -> Rows:
    """Return the rows of all parts in order, without rows that equal at least k earlier rows.

    If a set of nodes has a support below k, its support does not change. If its support is at least k, it remains at
    least k. The result is independent of the division into parts. Memory contains some parts, and up to three copies of
    the result.

    Raises
    ------
    InputError
        If the rows exceed the memory limit.
    """
    if len(parts) == 1:
        return reduce(parts[0])
    copies, waiting = (np.zeros(1, np.int64), np.empty(0, np.int32)), list[Rows]()
    for first in range(0, len(parts), _PARTS_PER_ROUND):
        waiting += store.map(reduce, parts[first : first + _PARTS_PER_ROUND])
        if first + _PARTS_PER_ROUND >= len(parts) or sum(map(_size, waiting)) >= _size(copies):
            together = [copies, *waiting]
            require_room(
                store.limits, sum(_COPIES_AT_ONCE * _bytes(rows) + BYTES_OF_ROW * len(rows[0]) for rows in together)
            )
            copies, waiting = reduce.reduced(joined_rows(together)), []
    return copies


def _size(rows: Rows) -> int:
    return len(rows[0]) + len(rows[1])


def _bytes(rows: Rows) -> int:
    return rows[0].nbytes + rows[1].nbytes
