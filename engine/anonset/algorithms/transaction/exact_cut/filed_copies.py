"""Reduce equal records in files to k copies. Rows are hashed into shares, so that equal rows are in the same share."""

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
from anonset.algorithms.transaction.rare_sets.windows import spans
from anonset.data.array_types import Bools, Int32, Int64, UInt8
from anonset.data.blocks import Rows, StoredRows
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.spans import begins_of, gathered
from anonset.data.storage.store import Files, delete_when_collected

BYTES_AT_ONCE = 1 << 31
"""Maximum memory, in bytes, for the comparison of rows. The memory limit of the run may be lower."""
N_SHARES = 256
_COPIES_AT_ONCE = 2
"""Number of copies of the rows in memory: lengths and positions during the comparison, and the concatenation."""


def filed_copies(parts: Sequence[StoredRows], reduce: FirstCopies, store: Files, *, anew: bool = False) -> Rows:
    """Return the same rows as `first_copies`, stored in files. Rows are compared a few shares at a time.

    Cost: each row is written and read twice.

    Parameters
    ----------
    anew
        True to skip the comparison within each part, if few rows of a part can be equal.

    Raises
    ------
    InputError
        If a share exceeds the memory limit, or the directory is full.
    """
    if len(parts) == 1:
        return filed_rows(store, [reduce(parts[0])])
    token = secrets.token_hex(8)
    share_files = list(store.map(_Share(reduce.shown if anew else reduce, store, token), enumerate(parts)))
    begin = begins_of([part.first[-1] for part in share_files])
    is_kept = delete_when_collected(store.array("kept", np.bool_, int(begin[-1])))
    of_parts = [is_kept[first:end] for first, end in pairwise(begin)]
    bytes_of_share = sum((part.bytes_at_once for part in share_files), np.zeros(N_SHARES, np.int64))
    for first, end in spans(
        bytes_of_share.astype(np.float64), (0, N_SHARES), store.limits.at_once_within(BYTES_AT_ONCE, 1)
    ):
        require_room(store.limits, int(bytes_of_share[first:end].sum()))
        kept_rows = reduce.kept(joined_rows([part.rows_of(first, end) for part in share_files]))
        for part, of_part in zip(share_files, of_parts, strict=True):
            n = int(part.first[end] - part.first[first])
            of_part[part.first[first] : part.first[end]], kept_rows = kept_rows[:n], kept_rows[n:]
    return filed_rows(store, (part.chosen(of_part) for part, of_part in zip(share_files, of_parts, strict=True)))


@dataclass(frozen=True, eq=False)
class _Shares(RedactedRepr):
    """Rows of a part in files, sorted by share and then by position in the part."""

    first: Int64
    """Start of each share, int64 (N_SHARES + 1,)."""
    store: Files
    names: tuple[str, str, str]
    """Names of the files with the row starts, the items, and the position of each row in the part."""

    @cached_property
    def arrays(self) -> tuple[Int64, Int32, Int32]:
        """Contents of the files, which are deleted with this object."""
        begins, codes, order = self.names
        mapped = self.store.mapped
        return (
            delete_when_collected(mapped(begins, np.int64)),
            delete_when_collected(mapped(codes, np.int32)),
            delete_when_collected(mapped(order, np.int32)),
        )

    def rows_of(self, first: int, end: int) -> Rows:
        indptr, items, _ = self.arrays
        return indptr[self.first[first] : self.first[end] + 1], items

    @property
    def bytes_at_once(self) -> Int64:
        n_rows, n_items = np.diff(self.first), np.diff(self.arrays[0][self.first])
        needed: Int64 = _COPIES_AT_ONCE * (8 * n_rows + 4 * n_items) + BYTES_OF_ROW * n_rows
        return needed

    def chosen(self, chosen: Bools) -> Rows:
        indptr, items, order = self.arrays
        places = np.flatnonzero(chosen)
        return _rows_at((indptr, items), places[np.argsort(order[places])])


@dataclass(frozen=True, eq=False)
class _Share(RedactedRepr):
    """Writes the remaining rows of a part to files, sorted by share."""

    left: Callable[[StoredRows], Rows]
    store: Files
    token: str

    def __call__(self, numbered: tuple[int, StoredRows]) -> _Shares:
        rows = self.left(numbered[1])
        share = _share_of(rows)
        order = np.argsort(share, kind="stable").astype(np.int32)
        first = begins_of(np.bincount(share, minlength=N_SHARES))
        name = f"copies-{self.token}-{numbered[0]}"
        names = name, f"{name}-items", f"{name}-order"
        arrays: list[NDArray[Any]] = [*_rows_at(rows, order), order]
        for file, values in zip(names, arrays, strict=True):
            self.store.keep(file, values)
        return _Shares(first, self.store, names)


def _rows_at(rows: Rows, places: NDArray[np.integer]) -> Rows:
    indptr, items = rows
    start, positions = gathered(indptr[places], np.diff(indptr)[places])
    return start, items[positions]


def _share_of(rows: Rows) -> UInt8:
    """Return a hash of the items of each row, uint8 (n,)."""
    indptr, items = rows
    mixed = items[indptr[0] : indptr[-1]].astype(np.uint32) * np.uint32(0x9E3779B1)
    mixed = (mixed ^ (mixed >> np.uint32(15))) * np.uint32(0x85EBCA77)
    total = np.concatenate([np.zeros(1, np.uint64), np.cumsum(mixed, dtype=np.uint64)])
    offsets = indptr - indptr[0]
    share: UInt8 = ((total[offsets[1:]] - total[offsets[:-1]]) >> np.uint64(24)).astype(np.uint8)
    return share
