"""Sort rows by content in memory. Rows are distributed into buckets, and each bucket is sorted.

Rows are compared by the codes of their columns (fixed codes), then by their items. The sort is stable. The first 62
bits of the codes determine the bucket of a row. The limits of the buckets are quantiles of a sample. A bucket that is
too large is split again. If all its rows share the first 62 bits, the following codes are used.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from anonset.data.array_types import Int32, Int64
from anonset.data.labels.vocabulary import Vocabulary
from anonset.data.spans import Limits, spans
from anonset.data.storage.store import Store
from anonset.data.table import SetColumn
from anonset.generalization.unsorted_rows import UnsortedRows

if TYPE_CHECKING:
    from anonset_kernels.records.row_order import RowComparison, RowContent

ITEMS_PER_BUCKET = 1 << 24
"""Maximum number of items in a bucket that is sorted at once. The memory limit determines the maximum
number of rows.
"""
ROWS_IN_CACHE = 1 << 16
"""Approximate number of rows that fit into the CPU cache. Buckets of this size are sorted and copied faster."""
MOST_BUCKETS = 256
SAMPLE, SAMPLED_PER_BUCKET = 1 << 16, 32
"""Minimum size of the sample, in rows, and minimum number of sampled rows per bucket."""
BYTES_OF_ROW = 400  # approximate memory per row that a task sorts
Place = tuple[int, int]  # row position, and position of the row's first item
_Task = tuple[UnsortedRows, tuple[int, int], Place]


@dataclass(frozen=True)
class RowSorter:
    """Sorts rows into their final positions in `out`."""

    widths: Int64
    """Bits per code of each compared column, then bits per item, int64 (f + 1,)."""
    out: "RowContent"
    store: Store

    def sort(self, source: UnsortedRows, size: tuple[int, int], position: int, place: Place) -> None:
        """Sort rows, and write them to `place` in the output. `size` is the number of rows and of items.

        All rows have the same codes before `position`.
        """
        from anonset_kernels.records.row_order import following

        if self._is_small(size):
            self._sort_at_once(source, size[0], position, place)
            return
        splitters = self._splitters(source, size[0], position)
        sizes = self._measured(source, size[0], position, splitters)
        while sizes.total[0].max() == size[0]:  # a single bucket, because all rows have the same prefix
            next_position = following(self.widths, position)
            if sizes.total[2].max() + len(self.widths) - 1 <= next_position:
                self._copy(source, size[0], place)
                return
            position = next_position
            splitters = self._splitters(source, size[0], position)
            sizes = self._measured(source, size[0], position, splitters)
        rows = empty_rows(size, self.out.fixed.shape[1])
        self._fill(source, size[0], position, splitters, sizes, rows)
        self._sort_buckets(rows, sizes.total, position, place)

    def _sort_buckets(self, rows: "RowContent", sizes: Int64, position: int, place: Place) -> None:
        """Sort each bucket. Small buckets are sorted in parallel, then large buckets one by one."""
        begin = np.cumsum(sizes[:2], axis=1) - sizes[:2]
        sets = SetColumn("rows", rows.indptr, rows.items[: int(rows.indptr[-1])], Vocabulary(()))
        small, large = list[_Task](), list[_Task]()
        for b in np.flatnonzero(sizes[0]).tolist():
            first, size = (int(begin[0, b]), int(begin[1, b])), (int(sizes[0, b]), int(sizes[1, b]))
            source = UnsortedRows(sets, rows.fixed, rows.record, first[0])
            (small if self._is_small(size) else large).append(
                (source, size, (place[0] + first[0], place[1] + first[1]))
            )

        def sort(task: _Task) -> None:
            source, size, at = task
            self.sort(source, size, position, at)

        for _ in self.store.map(sort, small):
            pass
        for task in large:
            sort(task)

    def _is_small(self, size: tuple[int, int]) -> bool:
        return size[0] <= 1 or (size[0] <= self._rows_per_bucket and size[1] <= ITEMS_PER_BUCKET)

    @property
    def _rows_per_bucket(self) -> int:
        return rows_per_bucket(self.store.limits, self.store.workers.count)

    def _by(self, splitters: Int64 | None = None) -> "RowComparison":
        from anonset_kernels.records.row_order import RowComparison

        return RowComparison(self.widths, np.empty(0, np.int64) if splitters is None else splitters)

    def _sort_at_once(self, source: UnsortedRows, n: int, position: int, place: Place) -> None:
        from anonset_kernels.records.row_order import order_rows

        rows, order = source(0, n), np.arange(n, dtype=np.int64)
        order_rows(rows, self._by(), position, order)
        self._gather(rows, order, place)

    def _gather(self, rows: "RowContent", order: Int64, place: Place) -> None:
        from anonset_kernels.records.row_order import gather_rows

        gather_rows(rows, order, *place, self.out)

    def _copy(self, source: UnsortedRows, n: int, place: Place) -> None:
        row, item = place
        for begin, end in spans(n):
            self._gather(source(begin, end), np.arange(end - begin), (row + begin, item))
            item = int(self.out.indptr[row + end])

    def _splitters(self, source: UnsortedRows, n: int, position: int) -> Int64:
        return splitters_of(source, n, self.widths, position, self._rows_per_bucket)

    def _measured(self, source: UnsortedRows, n: int, position: int, splitters: Int64) -> "_BucketSizes":
        from anonset_kernels.records.row_order import measure_buckets

        def measure(span: tuple[int, int]) -> Int64:
            sizes = np.zeros((3, len(splitters) + 1), np.int64)
            measure_buckets(source(*span), self._by(splitters), position, sizes)
            return sizes

        total, of_spans = np.zeros((3, len(splitters) + 1), np.int64), list[Int32]()
        for sizes in self.store.map(measure, spans(n)):
            total[:2] += sizes[:2]
            total[2] = np.maximum(total[2], sizes[2])
            of_spans.append(sizes[:2].astype(np.int32))
        return _BucketSizes(total, of_spans)

    def _fill(
        self, source: UnsortedRows, n: int, position: int, splitters: Int64, sizes: "_BucketSizes", rows: "RowContent"
    ) -> None:
        """Distribute the rows into buckets. Each block is sorted by bucket, and then copied into place."""
        from anonset_kernels.records.row_order import fill_buckets

        def starts(of: NDArray[np.integer]) -> Int64:
            return np.ascontiguousarray(np.cumsum(of, axis=1, dtype=np.int64) - of)

        def spread(task: tuple[tuple[int, int], Int32, Int64]) -> None:
            span, size, place = task
            fill = starts(size)
            buffer = empty_rows((int(size[0].sum()), int(size[1].sum())), rows.fixed.shape[1])
            fill_buckets(source(*span), self._by(splitters), position, fill.copy(), buffer)
            for b in np.flatnonzero(size[0]).tolist():
                first = int(fill[0, b])
                _put(buffer, (first, first + int(size[0, b])), (int(place[0, b]), int(place[1, b])), rows)

        def tasks() -> Iterator[tuple[tuple[int, int], Int32, Int64]]:
            place = starts(sizes.total[:2])
            for span, size in zip(spans(n), sizes.of_spans, strict=True):
                yield span, size, place.copy()
                place += size

        for _ in self.store.map(spread, tasks()):
            pass


@dataclass(frozen=True, eq=False)
class _BucketSizes:
    total: Int64
    """Number of rows, number of items and largest item count of each bucket, int64 (3, b)."""
    of_spans: list[Int32]
    """Row count and item count of each bucket, int32 (2, b), for each block of rows."""


def empty_rows(size: tuple[int, int], n_columns: int) -> "RowContent":
    """Allocate memory for `size = (rows, items)`."""
    from anonset_kernels.records.row_order import RowContent

    n, n_items = size
    rows = RowContent(
        np.empty(n + 1, np.int64),
        np.empty(n_items, np.int32),
        np.empty((n, n_columns), np.int32),
        np.empty(n, np.int64),
    )
    rows.indptr[0] = 0
    return rows


def rows_per_bucket(limits: Limits, workers: int) -> int:
    """Return the maximum number of rows of a bucket that is sorted at once, which depends on the memory limit."""
    if limits.room is None:
        return limits.rows_per_bucket
    return max(limits.rows_per_bucket, limits.at_once_within(4 * limits.rows_per_bucket, BYTES_OF_ROW * workers))


def splitters_of(source: UnsortedRows, n: int, widths: Int64, position: int, most: int) -> Int64:
    """Return the smallest key of each bucket after the first, int64 (b - 1,). A bucket has at most about `most` rows.

    In at least one bucket, all rows have the same key.
    """
    from anonset_kernels.records.row_order import RowComparison, pack_keys

    in_cache = max(ROWS_IN_CACHE, n // MOST_BUCKETS)
    n_spans = 2 * n // min(in_cache, most) + 2
    sample = min(n, max(SAMPLE, SAMPLED_PER_BUCKET * n_spans))
    picks = np.unique(np.linspace(0, n - 1, sample).astype(np.int64))
    keys = np.empty(len(picks), np.int64)
    by = RowComparison(widths, np.empty(0, np.int64))
    pack_keys(source.some(picks), by, position, np.arange(len(picks)), keys)
    keys.sort()
    chosen = keys[np.arange(1, n_spans) * len(keys) // n_spans]
    values, counts = np.unique(keys, return_counts=True)
    heavy = np.append(values[counts * n_spans > len(keys)], keys[len(keys) // 2])
    return np.unique(np.concatenate([chosen, heavy, heavy + 1]))


def _put(rows: "RowContent", some: tuple[int, int], place: Place, out: "RowContent") -> None:
    """Copy the rows from `some[0]` to `some[1]` to `out`. `place` contains the row and item positions in `out`."""
    (first, end), (row, item), begin = some, place, int(rows.indptr[some[0]])
    n_items = int(rows.indptr[end]) - begin
    out.indptr[row + 1 : row + 1 + end - first] = rows.indptr[first + 1 : end + 1] + (item - begin)
    out.items[item : item + n_items] = rows.items[begin : begin + n_items]
    out.fixed[row : row + end - first] = rows.fixed[first:end]
    out.record[row : row + end - first] = rows.record[first:end]
