"""Rows to be sorted. They are read block by block."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from anonset.data.array_types import Int32, Int64
from anonset.data.labels.vocabulary import Vocabulary
from anonset.data.table import SetColumn

if TYPE_CHECKING:
    from anonset_kernels.records.row_order import RowContent


class UnsortedRows:
    """Rows to be sorted, starting at row `first`.

    Parameters
    ----------
    sets
        Items of the rows. `without_items` returns rows without items.
    columns
        Codes of the columns, as int32 (n,) per column or as int32 (n, c). The first columns are compared before the
        items. The other columns are not compared.
    record
        Record number of each row, int64 (n,). If None, the record numbers are the row numbers.
    """

    def __init__(
        self,
        sets: SetColumn,
        columns: Sequence[Int32] | Int32 = (),
        record: Int64 | None = None,
        first: int = 0,
    ) -> None:
        self.sets, self._columns, self._record, self._first = sets, columns, record, first

    def __call__(self, begin: int, end: int) -> "RowContent":
        """Return the rows begin to end - 1 in the format of the kernels."""
        begin, end = self._first + begin, self._first + end
        return self._content(self.sets.slice(begin, end), slice(begin, end))

    def some(self, rows: Int64) -> "RowContent":
        """Return the rows with the given numbers as one block."""
        return self._content(self.sets.take(self._first + rows), self._first + rows)

    def items(self, sets: SetColumn) -> tuple[Int64, Int32]:
        """Return the row starts, int64 (rows + 1,), and the items, int32, of a block of rows."""
        return sets.indptr, sets.items

    @property
    def n_columns(self) -> int:
        """Number of columns with codes."""
        return self._columns.shape[1] if isinstance(self._columns, np.ndarray) else len(self._columns)

    def _content(self, sets: SetColumn, chosen: slice | Int64) -> "RowContent":
        from anonset_kernels.records.row_order import RowContent

        if isinstance(self._columns, np.ndarray):
            fixed = self._columns[chosen]
        else:
            fixed = np.empty((sets.n, len(self._columns)), np.int32)
            for number, column in enumerate(self._columns):
                fixed[:, number] = column[chosen]
        if self._record is not None:
            record = self._record[chosen]
        else:
            record = np.arange(chosen.start, chosen.stop) if isinstance(chosen, slice) else chosen
        return RowContent(*self.items(sets), fixed, record)


def without_items(n: int) -> SetColumn:
    """Return n rows without items. They use constant memory.

    >>> without_items(3).slice(1, 3).indptr.tolist()
    [0, 0, 0]
    """
    return SetColumn("rows", np.broadcast_to(np.int64(0), n + 1), np.empty(0, np.int32), Vocabulary(()))
