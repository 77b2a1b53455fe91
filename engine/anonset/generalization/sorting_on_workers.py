"""Sorting of rows by content on the workers of a cluster.

Tasks of the first pass distribute a block of rows over ranges of keys, and write the rows range by range to new files.
Tasks of the second pass read some ranges from all files, in block order, and sort the rows. Rows with equal content
thus remain in input order.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from anonset.data.codes import MOST_CODES
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.spans import ITEMS_PER_TASK, begins_of, rows_per_task, spans
from anonset.data.store import Files
from anonset.data.table import Int32, Int64
from anonset.generalization.unsorted_rows import UnsortedRows

if TYPE_CHECKING:
    from anonset_kernels.row_order import RowContent

RecordNumbers = Int32 | Int64
"""Record numbers in their stored width."""
SortRange = Callable[["RowContent", Int64, "RowContent", tuple[int, int]], None]
"""Function that sorts rows, given the widths of the codes, and writes them to other rows from a given row and item
on.
"""


@dataclass(frozen=True, eq=False)
class Runs(RedactedRepr):
    """Rows of a block, stored range by range."""

    sizes: Int32
    """int32 (2, ranges): rows and items of each range."""
    lengths: Int32
    """int32 (rows,): number of items of each row."""
    items: NDArray[Any]
    fixed: Int32
    record: RecordNumbers


@dataclass(frozen=True, eq=False)
class Distribution(RedactedRepr):
    """Task that distributes a block of rows over the ranges."""

    source: UnsortedRows
    widths: Int64
    splitters: Int64
    n_codes: int
    short: bool
    """Store record numbers in four bytes."""
    store: Files

    def __call__(self, span: tuple[int, int]) -> Runs:
        """Return the runs of a block, in new files."""
        from anonset_kernels.row_order import RowComparison, fill_buckets, measure_buckets

        by, sizes = RowComparison(self.widths, self.splitters), np.zeros((3, len(self.splitters) + 1), np.int64)
        rows = self.source(*span)
        measure_buckets(rows, by, 0, sizes)
        out = empty_rows((len(rows.record), int(sizes[1].sum())), rows.fixed.shape[1])
        fill_buckets(rows, by, 0, np.ascontiguousarray(np.cumsum(sizes[:2], axis=1) - sizes[:2]), out)
        arrays = {
            "lengths": np.diff(out.indptr).astype(np.int32),
            "items": out.items.astype(np.uint16) if self.n_codes <= MOST_CODES else out.items,
            "fixed": out.fixed,
            "record": out.record.astype(np.int32) if self.short else out.record,
        }
        written = (self.store.keep(self.store.reserve_name(name), array) for name, array in arrays.items())
        return Runs(sizes[:2].astype(np.int32), *written)


@dataclass(frozen=True, eq=False)
class RangeSort(RedactedRepr):
    """Task that sorts the rows of consecutive ranges."""

    runs: list[Runs]
    """Runs of all blocks."""
    widths: Int64
    n_columns: int
    n_codes: int
    short: bool
    """Return record numbers as four-byte integers."""
    sort: SortRange

    def __call__(self, ranges: tuple[int, int]) -> tuple[Int32, NDArray[Any], Int32, RecordNumbers]:
        """Return the number of items of each row, the items, the fixed codes and the record numbers, in order."""
        sizes = sum(run.sizes[:, slice(*ranges)].sum(axis=1, dtype=np.int64) for run in self.runs)
        out, place = empty_rows((int(sizes[0]), int(sizes[1])), self.n_columns), (0, 0)
        for number in range(*ranges):
            rows = self._rows(number)
            size = len(rows.record), len(rows.items)
            self.sort(rows, self.widths, out, place)
            place = place[0] + size[0], place[1] + size[1]
        items = out.items.astype(np.uint16) if self.n_codes <= MOST_CODES else out.items
        record = out.record.astype(np.int32) if self.short else out.record
        return np.diff(out.indptr).astype(np.int32), items, out.fixed.reshape(-1), record

    def _rows(self, number: int) -> "RowContent":
        """Return the rows of a range, in block order."""
        from anonset_kernels.row_order import RowContent

        parts = []
        for run, starts in zip(self.runs, self._starts, strict=True):
            (row, item), (n, n_items) = starts[:, number].tolist(), run.sizes[:, number].tolist()
            fixed = run.fixed[row * self.n_columns : (row + n) * self.n_columns]
            parts.append(
                (run.lengths[row : row + n], run.items[item : item + n_items], fixed, run.record[row : row + n])
            )
        lengths, items, fixed, record = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
        return RowContent(
            begins_of(lengths),
            items.astype(np.int32),
            fixed.reshape(len(lengths), self.n_columns),
            record.astype(np.int64),
        )

    @cached_property
    def _starts(self) -> list[Int64]:
        """First row and item of each range in each block, int64 (2, ranges) each."""
        return [np.cumsum(run.sizes, axis=1, dtype=np.int64) - run.sizes for run in self.runs]


def sorted_ranges(
    distribution: Distribution, size: tuple[int, int], *, most: int, sort: SortRange, n_columns: int
) -> Iterator[tuple[Int32, NDArray[Any], Int32, RecordNumbers]] | None:
    """Return the sorted rows of consecutive ranges (see `RangeSort`).

    Parameters
    ----------
    size
        Number of rows and items.
    most
        Maximum number of rows of a range. If a range has more, or too many items, None is returned.
    """
    store, n = distribution.store, size[0]
    rows_at_once = rows_per_task(size, store.workers.count)
    runs = list(store.map(distribution, spans(n, rows_at_once)))
    rows, items = sum((run.sizes for run in runs), np.zeros((2, 1), np.int64))
    if int(rows.max()) > most or int(items.max()) > ITEMS_PER_TASK:
        return None
    ends = np.searchsorted(np.cumsum(rows), np.arange(rows_at_once, n, rows_at_once))
    bounds = np.unique([0, *ends.tolist(), len(rows)]).tolist()
    task = RangeSort(runs, distribution.widths, n_columns, distribution.n_codes, distribution.short, sort)
    return store.map(task, pairwise(bounds))


def empty_rows(size: tuple[int, int], n_columns: int) -> "RowContent":
    """Allocate memory for `size = (rows, items)`."""
    from anonset_kernels.row_order import RowContent

    n, n_items = size
    rows = RowContent(
        np.empty(n + 1, np.int64),
        np.empty(n_items, np.int32),
        np.empty((n, n_columns), np.int32),
        np.empty(n, np.int64),
    )
    rows.indptr[0] = 0
    return rows
