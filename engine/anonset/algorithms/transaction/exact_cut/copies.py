"""Records of which equal ones are held k times at most: all that rare sets can be told by."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonset.algorithms.transaction.exact_cut.limits import require_room
from anonset.data.blocks import Rows, StoredRows
from anonset.data.redacted_repr import Discreet
from anonset.data.spans import begins_of
from anonset.data.store import MEMORY, Store

_PARTS_PER_ROUND = 4
_COPIES_AT_ONCE = 3
"""What was found, all of it joined, and what is left of that."""
BYTES_OF_ROW = 32
"""What telling equal rows takes for each."""


def chosen_rows(rows: Rows, chosen: NDArray[np.bool_]) -> Rows:
    """Return the chosen rows, bool (n,)."""
    indptr, items = rows
    lengths = np.diff(indptr)
    start = begins_of(lengths[chosen])
    return start, items[indptr[0] : indptr[-1]][np.repeat(chosen, lengths)]


def joined_rows(parts: list[Rows]) -> Rows:
    """Return the rows of parts, one after the other."""
    lengths = np.concatenate([np.diff(indptr) for indptr, _ in parts])
    items = np.concatenate([items[indptr[0] : indptr[-1]] for indptr, items in parts])
    return begins_of(lengths), items


@dataclass(frozen=True, eq=False)
class FirstCopies(Discreet):
    """Reduces a part to the first k of equal rows."""

    shown: Callable[[StoredRows], Rows]
    """What the rows of a part are looked at as."""
    k: int

    def kept(self, rows: Rows) -> NDArray[np.bool_]:
        """Tell of each row whether fewer than k before it are equal to it: bool (n,)."""
        from anonset_kernels import rows as kernels

        among_first: NDArray[np.bool_] = kernels.first_copies(*rows, self.k)
        return among_first

    def reduced(self, rows: Rows) -> Rows:
        """Return the rows, but of equal ones only the first k."""
        return chosen_rows(rows, self.kept(rows))

    def __call__(self, rows: StoredRows) -> Rows:
        """Return what is left of a part."""
        return self.reduced(self.shown(rows))


def first_copies(parts: Sequence[StoredRows], reduce: FirstCopies, store: Store = MEMORY) -> Rows:
    """Return the rows of some parts in their order, but of equal ones only the first k.

    A set of nodes that fewer than k of all rows hold is held by as many of these, any other by k at least. They are
    the same for any division into parts. Memory: some parts, and up to three times what is returned.

    Raises
    ------
    InputError
        If the limit on the memory has no room for that.
    """
    if len(parts) == 1:
        return reduce(parts[0])
    found, waiting = (np.zeros(1, np.int64), np.empty(0, np.int32)), list[Rows]()
    for first in range(0, len(parts), _PARTS_PER_ROUND):
        waiting += store.map(reduce, parts[first : first + _PARTS_PER_ROUND])
        if first + _PARTS_PER_ROUND >= len(parts) or sum(map(_size, waiting)) >= _size(found):
            together = [found, *waiting]
            require_room(
                store.limits, sum(_COPIES_AT_ONCE * _bytes(rows) + BYTES_OF_ROW * len(rows[0]) for rows in together)
            )
            found, waiting = reduce.reduced(joined_rows(together)), []
    return found


def _size(rows: Rows) -> int:
    return len(rows[0]) + len(rows[1])


def _bytes(rows: Rows) -> int:
    return rows[0].nbytes + rows[1].nbytes
