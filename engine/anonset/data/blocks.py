"""A set-valued column as blocks of records, which a search goes through, or a reader puts together."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from anonset.data.narrow import GrowingCodes, NarrowCodes
from anonset.data.redacted_repr import Discreet
from anonset.data.store import DAMAGED, MEMORY, Closing, Growing, Store, backing, store_of
from anonset.data.table import Int32, Int64, SetColumn
from anonset.data.vocabulary import Vocabulary
from anonset.errors import InputError

Rows = tuple[Int64, Int32]
"""(indptr, items): int64 (b + 1,), where each record of a block begins in the items; int32, its codes, ascending."""
RECORDS_PER_BLOCK = 1 << 18


@dataclass(frozen=True, eq=False)
class Blocks(Discreet):
    """The records of a set-valued column, block by block, under one vocabulary.

    >>> blocks = Blocks.of(SetColumn.of([{"a", "b"}, {"a"}, set()]), records_per_block=2)
    >>> [len(indptr) - 1 for indptr, _ in blocks], blocks.occurrences.tolist(), blocks.longest
    ([2, 1], [2, 1], 2)
    """

    name: str
    vocabulary: Vocabulary
    rows: Sequence[Rows]
    """The blocks, in the order of the input."""
    n: int
    """Number of records."""
    n_nonempty: int
    """Number of records that hold an item."""
    longest: int
    """Number of items of the longest record."""
    occurrences: Int64
    """int64 (M,): records that hold each item."""
    store: Store = MEMORY
    """Where the blocks lie."""

    @classmethod
    def of(cls, column: SetColumn, records_per_block: int = RECORDS_PER_BLOCK, store: Store | None = None) -> "Blocks":
        """Return a column as blocks; nothing is copied. The store is that of the column unless it is given."""
        starts = range(0, column.n, records_per_block)
        rows = [(column.indptr[start : start + records_per_block + 1], column.items) for start in starts]
        sizes = column.n, column.n_nonempty, column.longest, column.occurrences
        return cls(column.name, column.vocabulary, rows, *sizes, store_of(column.items) if store is None else store)

    @property
    def column(self) -> SetColumn:
        """All records at once, in memory."""
        lengths = [np.diff(indptr) for indptr, _ in self]
        indptr = np.concatenate([[0], np.cumsum(np.concatenate([*lengths, np.empty(0, np.int64)]))]).astype(np.int64)
        items = [items[indptr[0] : indptr[-1]] for indptr, items in self]
        return SetColumn(self.name, indptr, np.concatenate([*items, np.empty(0, np.int32)]), self.vocabulary)

    def __iter__(self) -> Iterator[Rows]:
        return iter(self.rows)


def sound(rows: Rows, n_items: int) -> Rows:
    """Return rows as kernels take them, and refuse those in files whose starts or codes are out of bounds.

    Rows in memory are returned as they are, and not looked at; of narrow ones these rows alone are.

    Parameters
    ----------
    rows
        int64 (b + 1,), int32: where each of some rows begins in the items, and their codes, below `n_items`.

    Raises
    ------
    InputError
        With the file.
    """
    indptr, items = rows
    begins, codes = backing(indptr), backing(items)
    if begins is None or codes is None:
        return rows
    for file in (begins, codes):
        path = Path(str(file.filename))
        if not path.exists() or path.stat().st_size < file.offset + file.nbytes:  # what lies behind cannot be read
            msg = f"{path}: {DAMAGED}"
            raise InputError(msg)
    first, end = int(indptr[0]), int(indptr[-1])
    if not 0 <= first <= end <= len(items) or bool(np.any(indptr[1:] < indptr[:-1])):
        msg = f"{begins.filename}: {DAMAGED}"
        raise InputError(msg)
    held = items[first:end]
    if len(held) and (int(held.min()) < 0 or int(held.max()) >= n_items):
        msg = f"{codes.filename}: {DAMAGED}"
        raise InputError(msg)
    return (indptr - first, held) if isinstance(items, NarrowCodes) else rows


class GrowingSets(Closing):
    """A set-valued column of unknown length, whose vocabulary is known at the end; in files perhaps a narrow one.

    >>> with GrowingSets("items") as sets:
    ...     sets.append(SetColumn.of([{"a"}, {"b"}]))
    ...     sets.append(SetColumn.of([set(), {"a", "b"}]))
    >>> list(sets.finished(Vocabulary(("a", "b"))).rows())
    [['a'], ['b'], [], ['a', 'b']]
    """

    def __init__(self, name: str, store: Store = MEMORY, *, narrow: bool = False) -> None:
        super().__init__()
        self.name = name
        self._end = 0
        self._indptr = self.held.enter_context(store.growing("indptr", np.int64))
        self._items: Growing | GrowingCodes
        if narrow and store.in_files:
            self._items = self.held.enter_context(GrowingCodes("items", store))
        else:
            self._items = self.held.enter_context(store.growing("items", np.int32))
        self._indptr.append(np.zeros(1, np.int64))

    def append(self, part: SetColumn) -> None:
        """Add records at the end; their vocabulary is ignored.

        Raises
        ------
        InputError
            If the disk is full, or fails.
        """
        self._indptr.append(part.indptr[1:] + self._end)
        self._items.append(part.items)
        self._end += len(part.items)

    def finished(self, vocabulary: Vocabulary) -> SetColumn:
        """Return the column under its vocabulary; call `append` no more."""
        return SetColumn(self.name, self._indptr.finished(), self._items.finished(), vocabulary)

    def drop_items(self) -> None:
        """Delete the items, but keep where those of each record begin."""
        self._items.drop()
