"""The first copies of equal records in files: told by shares of the records, in each of which all equal ones are."""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonset.algorithms.transaction.exact_cut.copies import BYTES_OF_ROW, FirstCopies, joined_rows
from anonset.algorithms.transaction.exact_cut.filed_rows import filed_rows
from anonset.algorithms.transaction.exact_cut.limits import require_room
from anonset.algorithms.transaction.windows import spans
from anonset.data.blocks import Rows, StoredRows
from anonset.data.redacted_repr import Discreet
from anonset.data.spans import begins_of, gathered
from anonset.data.store import Files, released
from anonset.data.table import Int32, Int64

BYTES_AT_ONCE = 1 << 31
"""What telling equal rows takes at once, where the limit on the memory leaves so much."""
N_SHARES = 256
_COPIES_AT_ONCE = 2
"""The lengths and places of rows on the way, and all of them joined."""


def filed_copies(parts: Sequence[StoredRows], reduce: FirstCopies, store: Files, *, anew: bool = False) -> Rows:
    """Return what `first_copies` does in the files of a directory; equal rows are told of some shares at a time.

    Cost: each row is written and read twice.

    Parameters
    ----------
    anew
        Whether few rows of a part can be equal, so that telling them part by part first saves nothing.

    Raises
    ------
    InputError
        If the limit on the memory has no room for one share, or the directory none for the rows.
    """
    if len(parts) == 1:
        return filed_rows(store, [reduce(parts[0])])
    token = secrets.token_hex(8)
    left = list(store.map(_Share(reduce.shown if anew else reduce, store, token), enumerate(parts)))
    begin = begins_of([part.first[-1] for part in left])
    kept = released(store.array("kept", np.bool_, int(begin[-1])))
    of_parts = [kept[first:end] for first, end in pairwise(begin)]
    taken = sum((part.bytes_at_once for part in left), np.zeros(N_SHARES, np.int64))
    for first, end in spans(taken.astype(np.float64), (0, N_SHARES), store.limits.held(BYTES_AT_ONCE, 1)):
        require_room(store.limits, int(taken[first:end].sum()))
        told = reduce.kept(joined_rows([part.rows_of(first, end) for part in left]))
        for part, of_part in zip(left, of_parts, strict=True):
            n = int(part.first[end] - part.first[first])
            of_part[part.first[first] : part.first[end]], told = told[:n], told[n:]
    return filed_rows(store, (part.chosen(of_part) for part, of_part in zip(left, of_parts, strict=True)))


@dataclass(frozen=True, eq=False)
class _Shares(Discreet):
    """Rows of a part in files, those of each share side by side, in their order."""

    first: Int64
    """int64 (N_SHARES + 1,): where each share begins."""
    store: Files
    names: tuple[str, str, str]
    """Files of where the rows begin, of their items, and of which row of the part each was."""

    @cached_property
    def arrays(self) -> tuple[Int64, Int32, Int32]:
        """What the files hold, which are removed with it."""
        begins, codes, order = self.names
        mapped = self.store.mapped
        return released(mapped(begins, np.int64)), released(mapped(codes, np.int32)), released(mapped(order, np.int32))

    def rows_of(self, first: int, end: int) -> Rows:
        """Return the rows of some shares."""
        indptr, items, _ = self.arrays
        return indptr[self.first[first] : self.first[end] + 1], items

    @property
    def bytes_at_once(self) -> Int64:
        """int64 (N_SHARES,): what telling equal rows of each share takes."""
        n_rows, n_items = np.diff(self.first), np.diff(self.arrays[0][self.first])
        taken: Int64 = _COPIES_AT_ONCE * (8 * n_rows + 4 * n_items) + BYTES_OF_ROW * n_rows
        return taken

    def chosen(self, chosen: NDArray[np.bool_]) -> Rows:
        """Return the chosen rows, bool (n,), in the order of the part."""
        indptr, items, order = self.arrays
        places = np.flatnonzero(chosen)
        return _taken((indptr, items), places[np.argsort(order[places])])


@dataclass(frozen=True, eq=False)
class _Share(Discreet):
    """Puts what is left of a part into files, by shares."""

    left: Callable[[StoredRows], Rows]
    store: Files
    token: str

    def __call__(self, numbered: tuple[int, StoredRows]) -> _Shares:
        """Return the files of a part."""
        rows = self.left(numbered[1])
        share = _share_of(rows)
        order = np.argsort(share, kind="stable").astype(np.int32)
        first = begins_of(np.bincount(share, minlength=N_SHARES))
        name = f"copies-{self.token}-{numbered[0]}"
        names = name, f"{name}-items", f"{name}-order"
        arrays: list[NDArray[Any]] = [*_taken(rows, order), order]
        for file, values in zip(names, arrays, strict=True):
            self.store.keep(file, values)
        return _Shares(first, self.store, names)


def _taken(rows: Rows, places: NDArray[np.integer]) -> Rows:
    """Return the rows at some places, in the order of these."""
    indptr, items = rows
    start, taken = gathered(indptr[places], np.diff(indptr)[places])
    return start, items[taken]


def _share_of(rows: Rows) -> NDArray[np.uint8]:
    """Return the share of each row, uint8 (n,), by all of its items."""
    indptr, items = rows
    mixed = items[indptr[0] : indptr[-1]].astype(np.uint32) * np.uint32(0x9E3779B1)
    mixed = (mixed ^ (mixed >> np.uint32(15))) * np.uint32(0x85EBCA77)
    total = np.concatenate([np.zeros(1, np.uint64), np.cumsum(mixed, dtype=np.uint64)])
    at = indptr - indptr[0]
    share: NDArray[np.uint8] = ((total[at[1:]] - total[at[:-1]]) >> np.uint64(24)).astype(np.uint8)
    return share
