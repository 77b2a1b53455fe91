"""Partitions of similar records. Records are sorted by the reflected Gray order of their bit vectors, and divided into
runs.

Sort keys have the same order as the bit vectors (see the kernel `gray.gray_codes`). If the column is stored in files,
records are sorted in files.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from anonset.data import SetColumn
from anonset.data.array_types import Int32, Int64
from anonset.data.blocks import SetColumnBuilder, checked_rows
from anonset.data.codes import sort_items
from anonset.data.distinct import positions
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.spans import spans
from anonset.data.storage.store import MEMORY, Store
from anonset.generalization.row_order import sort_rows
from anonset.generalization.unsorted_rows import UnsortedRows

Run = tuple[int, int]
"""Start and end of a partition in the Gray order."""


@dataclass(frozen=True, eq=False)
class GrayOrder(RedactedRepr):
    """Records of a column, sorted by the Gray rank of their bit vectors, then by record index.

    A bit vector has a bit for each item, by descending support, then position. The first bit is the most significant.

    >>> order = GrayOrder.of(SetColumn.of([{"a"}, {"a", "b"}, {"b"}, set()]))
    >>> order.record.tolist(), order.n_empty, list(order.slice(2, 4).rows())
    ([3, 2, 1, 0], 1, [['a', 'b'], ['a']])
    """

    record: Int64
    """Records in Gray order, int64 (n,). Empty records are first."""
    n_empty: int
    keys: SetColumn
    """Sort keys of the records in Gray order. Their codes are not item codes."""
    item: Int32
    """Item of each bit, int32 (M,)."""

    @classmethod
    def of(cls, column: SetColumn, store: Store = MEMORY) -> "GrayOrder":
        """Sort the records of a column.

        Cost: O(nnz) and a radix sort of 62 bits of each key. Records with the same bits are sorted by further bits.

        Parameters
        ----------
        store
            Storage for arrays of column length.

        Raises
        ------
        InputError
            If the column's files are damaged.
        """
        for first, end in spans(column.n):
            checked_rows((column.indptr[first : end + 1], column.codes), len(column.vocabulary))
        support = column.occurrences
        item = np.lexsort((np.arange(len(support)), -support)).astype(np.int32)
        keys = _keys(column, item, store)
        in_order = sort_rows(UnsortedRows(keys), largest=[len(item) + 1], store=store)
        ordered = SetColumn(column.name, in_order.indptr, in_order.items, column.vocabulary)
        return cls(in_order.record, column.n - column.n_nonempty, ordered, item)

    def runs(self, k: int, partitions: int) -> list[Run]:
        """Divide the order into at most `partitions` runs of about equal length. Each run has at least k records.

        Empty records are in no run. If there are fewer than k non-empty records, they form a single run.

        >>> GrayOrder.of(SetColumn.of([{"a"}, {"a", "b"}, {"b"}, {"a"}, set()])).runs(2, 10)
        [(1, 3), (3, 5)]
        """
        n = len(self.record) - self.n_empty
        if n == 0:
            return []
        number = max(1, min(partitions, n // k))
        return list(pairwise(self.n_empty + j * n // number for j in range(number + 1)))

    def slice(self, first: int, end: int, store: Store = MEMORY) -> SetColumn:
        """Return the records first .. end - 1 in Gray order, with their items in `store`."""
        from anonset_kernels.partitions.gray import gray_items

        with SetColumnBuilder(self.keys.name, store) as rows:
            for a, b in spans(end - first):
                block = self.keys.slice(first + a, first + b)
                indptr, items = gray_items(block.indptr, block.items, self.item)
                items = sort_items(indptr, items, len(self.item))
                rows.append(SetColumn(block.name, indptr, items, block.vocabulary))
        return rows.finished(self.keys.vocabulary)


def _keys(column: SetColumn, item: Int32, store: Store) -> SetColumn:
    """Return the sort-key codes of each record. They are not item codes."""
    from anonset_kernels.partitions.gray import gray_codes

    bit_of = positions(item, len(item))
    with SetColumnBuilder(column.name, store) as keys:
        for first, end in spans(column.n):
            block = column.slice(first, end)
            bits = sort_items(block.indptr, bit_of[block.items], len(item))
            keys.append(SetColumn(column.name, *gray_codes(block.indptr, bits, len(item)), column.vocabulary))
    return keys.finished(column.vocabulary)


def gray_partitions(column: SetColumn, k: int, partitions: int) -> list[Int64]:
    """Return the records of each run of the Gray order, as divided by `GrayOrder.runs`.

    >>> [run.tolist() for run in gray_partitions(SetColumn.of([{"a"}, {"a", "b"}, {"b"}, {"a"}]), 2, 10)]
    [[2, 1], [0, 3]]
    """
    order = GrayOrder.of(column)
    return [order.record[first:end] for first, end in order.runs(k, partitions)]
