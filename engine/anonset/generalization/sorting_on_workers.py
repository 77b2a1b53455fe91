"""Sorting of rows by content on the workers of a cluster.

Tasks of the first pass distribute a block of rows over ranges of keys, and write the rows range by range to new files.
Tasks of the second pass read some ranges from all files, in block order, and sort the rows. Rows with equal content
thus remain in input order.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
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

    starts: Int64
    """int64 (ranges + 1, 2): first row and item of each range, and the end of the last."""
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

    def __call__(self, span: tuple[int, int]) -> tuple[Runs, Int32]:
        """Return the runs of a block, in new files, and their rows and items, int32 (2, ranges)."""
        from anonset_kernels.row_order import RowComparison, fill_buckets, measure_buckets

        by, sizes = RowComparison(self.widths, self.splitters), np.zeros((3, len(self.splitters) + 1), np.int64)
        rows = self.source(*span)
        measure_buckets(rows, by, 0, sizes)
        out = empty_rows((len(rows.record), int(sizes[1].sum())), rows.fixed.shape[1])
        starts = np.zeros((len(self.splitters) + 2, 2), np.int64)
        np.cumsum(sizes[:2].T, axis=0, out=starts[1:])
        fill_buckets(rows, by, 0, np.ascontiguousarray(starts[:-1].T), out)
        arrays: dict[str, NDArray[Any]] = {
            "starts": starts,
            "lengths": np.diff(out.indptr).astype(np.int32),
            "items": out.items.astype(np.uint16) if self.n_codes <= MOST_CODES else out.items,
            "fixed": out.fixed,
            "record": out.record.astype(np.int32) if self.short else out.record,
        }
        written = {name: self.store.keep(self.store.reserve_name(name), array) for name, array in arrays.items()}
        return Runs(**{**written, "starts": written["starts"].reshape(starts.shape)}), sizes[:2].astype(np.int32)


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
        first, end = ranges
        starts = [np.array(run.starts[first : end + 1]) for run in self.runs]
        size = sum((begins[-1] - begins[0] for begins in starts), np.zeros(2, np.int64)).tolist()
        out, place = empty_rows((size[0], size[1]), self.n_columns), (0, 0)
        for number in range(end - first):
            rows = self._rows([begins[number : number + 2] for begins in starts])
            self.sort(rows, self.widths, out, place)
            place = place[0] + len(rows.record), place[1] + len(rows.items)
        items = out.items.astype(np.uint16) if self.n_codes <= MOST_CODES else out.items
        record = out.record.astype(np.int32) if self.short else out.record
        return np.diff(out.indptr).astype(np.int32), items, out.fixed.reshape(-1), record

    def _rows(self, bounds: Sequence[Int64]) -> "RowContent":
        """Return the rows of a range, in block order, given its first row and item and its ends in each block."""
        from anonset_kernels.row_order import RowContent

        parts = []
        for run, ((row, item), (end, end_item)) in zip(self.runs, map(np.ndarray.tolist, bounds), strict=True):
            fixed = run.fixed[row * self.n_columns : end * self.n_columns]
            parts.append((run.lengths[row:end], run.items[item:end_item], fixed, run.record[row:end]))
        lengths, items, fixed, record = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
        return RowContent(
            begins_of(lengths),
            items.astype(np.int32),
            fixed.reshape(len(lengths), self.n_columns),
            record.astype(np.int64),
        )


def sorted_ranges(
    distribution: Distribution, size: tuple[int, int], *, most: int, sort: SortRange, n_columns: int
) -> Iterator[tuple[Int32, NDArray[Any], Int32, RecordNumbers]] | None:
    """Return the sorted rows of consecutive ranges (see `RangeSort`).

    Parameters
    ----------
    size
        Number of rows and items.
    most
        Maximum number of rows of a range, unless a task sorts more. If a range has more rows, or too many items, None
        is returned.
    """
    store, n = distribution.store, size[0]
    rows_at_once = rows_per_task(size, store.workers.count)
    runs, total = list[Runs](), np.zeros((2, len(distribution.splitters) + 1), np.int64)
    for run, sizes in store.map(distribution, spans(n, rows_at_once)):
        runs.append(run)
        total += sizes
    rows, items = total
    if int(rows.max()) > max(most, rows_at_once) or int(items.max()) > ITEMS_PER_TASK:
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
