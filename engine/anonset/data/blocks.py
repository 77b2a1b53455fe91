"""Rows of set-valued columns. A search processes them in blocks, and a reader builds a column from parts."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from anonset.data.array_types import Bools, Int32, Int64
from anonset.data.codes import Codes, CodesBuilder, NarrowCodes, in_full, sort_items, stored_codes
from anonset.data.distinct import first_of_runs
from anonset.data.labels.vocabulary import Vocabulary, canonical_codes
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.spans import begins_of
from anonset.data.storage.growing import ArrayBuilder
from anonset.data.storage.store import MEMORY, Store, backing, damage_error
from anonset.data.table import SetColumn

Rows = tuple[Int64, Int32]
"""Arrays (indptr, items) of a block. `indptr`, int64 (b + 1,), is the start of each record in the items. `items`,
int32, are ascending item codes.
"""
StoredRows = tuple[Int64, Codes]
"""Rows in their stored form, in memory or in files. `checked_rows` converts them for kernels."""
RECORDS_PER_BLOCK = 1 << 18


@dataclass(frozen=True, eq=False)
class Blocks(RedactedRepr):
    """Records of a set-valued column in blocks, with a common vocabulary.

    >>> blocks = Blocks.of(SetColumn.of([{"a", "b"}, {"a"}, set()]), MEMORY, records_per_block=2)
    >>> [len(indptr) - 1 for indptr, _ in blocks], blocks.occurrences.tolist(), blocks.longest
    ([2, 1], [2, 1], 2)
    """

    name: str
    vocabulary: Vocabulary
    rows: Sequence[StoredRows]
    """Blocks in input order."""
    n: int
    """Number of records."""
    n_nonempty: int
    """Number of non-empty records."""
    longest: int
    """Number of items of the longest record."""
    occurrences: Int64
    """Number of records that contain each item, int64 (M,)."""
    store: Store = MEMORY
    """Store of the blocks, with the workers that process them."""

    @classmethod
    def of(cls, column: SetColumn, store: Store, records_per_block: int = RECORDS_PER_BLOCK) -> "Blocks":
        """Return a stored column as blocks. Nothing is copied."""
        starts = range(0, column.n, records_per_block)
        rows = [(column.indptr[start : start + records_per_block + 1], column.codes) for start in starts]
        sizes = column.n, column.n_nonempty, column.longest, column.occurrences
        return cls(column.name, column.vocabulary, rows, *sizes, store)

    @property
    def column(self) -> SetColumn:
        """Column of all records, in memory. A single block is not copied."""
        if len(self.rows) == 1 and len(self.rows[0][1]) == self.rows[0][0][-1] and self.rows[0][0][0] == 0:
            return SetColumn(self.name, *self.rows[0], self.vocabulary)
        lengths = [np.diff(indptr) for indptr, _ in self]
        indptr = begins_of(np.concatenate([*lengths, np.empty(0, np.int64)]))
        items = [items[indptr[0] : indptr[-1]] for indptr, items in self]
        return SetColumn(self.name, indptr, np.concatenate([*items, np.empty(0, np.int32)]), self.vocabulary)

    def __iter__(self) -> Iterator[StoredRows]:
        return iter(self.rows)


def checked_rows(rows: StoredRows, n_items: int) -> Rows:
    """Return rows in the format of the kernels. Reject rows in files if a start or a code is out of bounds.

    Rows in memory are not checked. Two-byte codes are converted to int32, but only for the given rows.

    Parameters
    ----------
    rows
        int64 (b + 1,), int32: start of each row in the items, and their codes, below `n_items`.

    Raises
    ------
    InputError
        The message names the file.
    """
    indptr, items = rows
    begins, codes = backing(indptr), backing(stored_codes(items))
    if begins is None or codes is None:
        return indptr, in_full(items)
    for file in (begins, codes):
        path = Path(str(file.filename))
        # a mapped page beyond the end of the file cannot be read
        if not path.exists() or path.stat().st_size < file.offset + file.nbytes:
            raise damage_error(path)
    first, end = int(indptr[0]), int(indptr[-1])
    if not 0 <= first <= end <= len(items) or bool(np.any(indptr[1:] < indptr[:-1])):
        raise damage_error(begins.filename)
    row_items = items[first:end]
    if len(row_items) and (int(row_items.min()) < 0 or int(row_items.max()) >= n_items):
        raise damage_error(codes.filename)
    return (indptr - first, row_items) if isinstance(items, NarrowCodes) else (indptr, items)


class SetColumnBuilder(ExitStack):
    """Builder of a set-valued column of unknown length. The vocabulary is set at the end. In files, codes may have two
    bytes.

    >>> with SetColumnBuilder("items") as sets:
    ...     sets.append(SetColumn.of([{"a"}, {"b"}]))
    ...     sets.append(SetColumn.of([set(), {"a", "b"}]))
    >>> list(sets.finished(Vocabulary(("a", "b"))).rows())
    [['a'], ['b'], [], ['a', 'b']]
    """

    def __init__(self, name: str, store: Store = MEMORY, *, narrow: bool = False) -> None:
        super().__init__()
        self.name = name
        self._end = 0
        self._indptr = self.enter_context(store.growing("indptr", np.int64))
        self._items: ArrayBuilder | CodesBuilder
        if narrow:
            self._items = self.enter_context(CodesBuilder("items", store))
        else:
            self._items = self.enter_context(store.growing("items", np.int32))
        self._indptr.append(np.zeros(1, np.int64))

    def append(self, part: SetColumn) -> None:
        """Append records. Their vocabulary is ignored.

        Raises
        ------
        InputError
            If the disk is full, or fails.
        """
        self._indptr.append(part.indptr[1:] + self._end)
        if isinstance(self._items, CodesBuilder):
            self._items.append(part.codes)
        else:
            self._items.append(part.items)
        self._end += len(part.codes)

    def finished(self, vocabulary: Vocabulary) -> SetColumn:
        """Return the column with a vocabulary. `append` must not be called afterwards."""
        return SetColumn(self.name, self._indptr.finished(), self._items.finished(), vocabulary)

    def drop_items(self) -> None:
        """Delete the stored items. The record starts remain."""
        self._items.drop()


def tidy_rows(name: str, indptr: Int64, codes: Int32, vocabulary: Vocabulary) -> SetColumn:
    """Build a set-valued column: sort each row and remove duplicate codes. The cost is O(nnz + n + M) for any row
    lengths.
    """
    from anonset_kernels.records.rows import unsorted_or_repeated

    codes = np.ascontiguousarray(codes, np.int32)
    if unsorted_or_repeated(indptr, codes) < 0:  # checking costs a tenth of sorting, and rows are usually sorted
        return SetColumn(name, indptr, codes, vocabulary)
    items = sort_items(indptr, codes.copy(), len(vocabulary))
    is_first = first_of_runs(items)
    starts = indptr[:-1]
    is_first[starts[starts < len(items)]] = True
    if not is_first.all():
        before = begins_of(is_first)
        indptr, items = before[indptr], items[is_first]
    return SetColumn(name, indptr, items, vocabulary)


def encode_sets(name: str, indptr: Int64, codes: Int32, labels: Sequence[str]) -> SetColumn:
    """Build a set-valued column from positions in distinct `labels`. Its vocabulary is in canonical order."""
    vocabulary, image = canonical_codes(labels)
    return tidy_rows(name, indptr, image[codes], vocabulary)


def keep_tokens(lengths: Int64, codes: Int32, kept: Bools) -> tuple[Int64, Int32]:
    """Remove the tokens that are not marked in `kept`. Return the new row lengths and codes."""
    rows = np.repeat(np.arange(len(lengths)), lengths)
    return np.bincount(rows[kept], minlength=len(lengths)).astype(np.int64), codes[kept]
