"""Sorting of any number of rows by content: rows are distributed into buckets, and each bucket is sorted.

Rows are compared by their fixed codes, one per column, then by their items. The sort is stable. Buckets are split by
the first 62 bits of the codes, at quantiles of a sample. Buckets that are still too large are split further. If all
rows of a bucket share these bits, the following codes are used.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from anonset.data import places
from anonset.data.codes import MOST_CODES, Codes, RowNumbers, are_narrow, as_codes, stored_codes
from anonset.data.spans import AT_ONCE, spans
from anonset.data.store import MEMORY, Store
from anonset.data.table import Int32, Int64, SetColumn
from anonset.data.vocabulary import Vocabulary
from anonset.generalization.sorting_on_workers import Distribution, empty_rows, sorted_ranges
from anonset.generalization.unsorted_rows import UnsortedRows

if TYPE_CHECKING:
    from anonset_kernels.row_order import RowComparison, RowContent

    _Task = tuple[UnsortedRows, tuple[int, int], int, tuple[int, int]]

ITEMS_PER_BUCKET = 1 << 24
"""Maximum item count of a bucket that is sorted at once. The store's limits set the maximum row count."""
ROWS_IN_CACHE = 1 << 16
"""Approximate number of rows that fit into the CPU cache: such buckets are sorted and copied faster."""
MOST_BUCKETS = 256
"""Maximum number of buckets."""
SAMPLE, SAMPLED_PER_BUCKET = 1 << 16, 32
"""Minimum number of sampled rows, in total and per bucket."""
BYTES_OF_ROW = 400  # approximate memory per row of a sorted bucket
Place = tuple[int, int]  # row position, and position of the row's first item


@dataclass(frozen=True, eq=False)
class SortedRows:
    """Sorted rows with their record numbers."""

    indptr: Int64
    items: Codes
    columns: list[Int32]
    """Fixed codes, column by column."""
    record: Int64


def sort_rows(rows: UnsortedRows, *, largest: Sequence[int], store: Store = MEMORY, narrow: bool = False) -> SortedRows:
    """Sort rows by content.

    Cost: O(nnz + n log(n / rows per bucket)) and one more copy of the rows in the store. Memory: a few buckets.

    Parameters
    ----------
    largest
        Number of codes of each compared column, and of the items.
    store
        Store for arrays of row length.
    narrow
        Allow two-byte items in files.
    """
    size, n_codes = (rows.sets.n, len(rows.sets.codes)), largest[-1] if narrow else MOST_CODES + 1
    widths = np.array([max(1, int(codes).bit_length()) for codes in largest], np.int64)
    if store.workers.remote and size[0] > AT_ONCE and (done := _sorted_on_workers(rows, size, widths, n_codes, store)):
        return done
    out = _content(store, size, rows.n_columns, n_codes, placed=False)
    _RowSorter(widths, out, store.with_local_workers(), n_codes).sort(rows, size, 0, (0, 0))
    return SortedRows(out.indptr, _items(out), _columns(out.fixed, store), out.record)


def _sorted_on_workers(
    rows: UnsortedRows, size: tuple[int, int], widths: Int64, n_codes: int, store: Store
) -> SortedRows | None:
    """Sort rows on the workers of a cluster, or return None if too many rows share their first codes."""
    n, n_columns, end = size[0], rows.n_columns, 0
    narrow = are_narrow(store, n_codes)
    short = narrow and n <= np.iinfo(np.int32).max
    sorter = _RowSorter(widths, empty_rows((0, 0), n_columns), store, n_codes)
    with ExitStack() as stack:
        scratch = stack.enter_context(store.nested_on_disk())
        distribution = Distribution(rows, widths, sorter._splitters(rows, n, 0), n_codes, short, scratch)
        parts = sorted_ranges(
            distribution, size, most=store.limits.rows_per_bucket, sort=_sort_range, n_columns=n_columns
        )
        if parts is None:
            return None
        indptr = stack.enter_context(store.growing("indptr", np.int64))
        items = stack.enter_context(store.growing("items", np.uint16 if narrow else np.int32))
        fixed = stack.enter_context(store.growing("fixed", np.int32))
        record = stack.enter_context(store.growing("record", np.int32 if short else np.int64))
        indptr.append(np.zeros(1, np.int64))
        for lengths, *arrays in parts:
            ends = np.cumsum(lengths, dtype=np.int64)
            ends += end
            indptr.append(ends)
            end += len(arrays[0])
            for growing, array in zip((items, fixed, record), arrays, strict=True):
                growing.append(array)
        numbers = record.finished()
        columns = _columns(fixed.finished().reshape(n, n_columns), store)
        return SortedRows(
            indptr.finished(),
            as_codes(items.finished()),
            columns,
            cast("Int64", RowNumbers(numbers)) if short else numbers,
        )


def _sort_range(rows: "RowContent", widths: Int64, out: "RowContent", place: Place) -> None:
    """Sort rows in memory into a place of `out`."""
    source = UnsortedRows(SetColumn("rows", rows.indptr, rows.items, Vocabulary(())), rows.fixed, rows.record)
    _RowSorter(widths, out, MEMORY, MOST_CODES + 1).sort(source, (len(rows.record), len(rows.items)), 0, place)


def _put(rows: "RowContent", some: tuple[int, int], place: tuple[int, int], out: "RowContent") -> None:
    """Copy the rows first to end - 1 of `rows` to `place`, a row and item position of `out`."""
    (first, end), (row, item), begin = some, place, int(rows.indptr[some[0]])
    n_items = int(rows.indptr[end]) - begin
    out.indptr[row + 1 : row + 1 + end - first] = rows.indptr[first + 1 : end + 1] + (item - begin)
    out.items[item : item + n_items] = rows.items[begin : begin + n_items]
    out.fixed[row : row + end - first] = rows.fixed[first:end]
    out.record[row : row + end - first] = rows.record[first:end]


def _content(store: Store, size: tuple[int, int], n_columns: int, n_codes: int, *, placed: bool = True) -> "RowContent":
    """Allocate rows in the store for `size = (rows, items)`. Disk space is reserved now or when rows are written."""
    from anonset_kernels.row_order import RowContent

    (n, n_items), allocate = size, store.array if placed else store.unplaced
    narrow = are_narrow(store, n_codes)
    short = narrow and n <= np.iinfo(np.int32).max
    indptr, record = allocate("indptr", np.int64, n + 1), allocate("record", np.int32 if short else np.int64, n)
    indptr[0] = 0
    return RowContent(
        indptr,
        cast("Int32", as_codes(allocate("items", np.uint16 if narrow else np.int32, n_items))),
        allocate("fixed", np.int32, n * n_columns).reshape(n, n_columns),
        cast("Int64", RowNumbers(record)) if short else record,
    )


def _for_each(
    do: Callable[[NDArray[Any], int, int], None], out: "RowContent", size: tuple[int, int], start: Place, *, last: bool
) -> None:
    """Apply `do` to the slice of each array that contains `size` rows and items, starting at `start`.

    The end of the last row is also the start of the next row. `last` includes this element of `indptr`.
    """
    (n, n_items), (row, item), n_columns = size, start, out.fixed.shape[1]
    do(out.indptr, row + 1, row + n + last)
    do(stored_codes(out.items), item, item + n_items)
    do(out.fixed, row * n_columns, (row + n) * n_columns)
    do(stored_codes(out.record), row, row + n)


def _items(rows: "RowContent") -> Codes:
    """Return the items without the unused end of the array."""
    return as_codes(stored_codes(rows.items)[: int(rows.indptr[-1])])


def _columns(fixed: NDArray[np.int32], store: Store) -> list[Int32]:
    """Copy the columns of a matrix into separate arrays."""
    if fixed.shape[1] == 1:
        return [fixed.reshape(-1)]
    columns = [store.array("codes", np.int32, len(fixed)) for _ in range(fixed.shape[1])]
    for begin, end in spans(len(fixed)):
        for number, column in enumerate(columns):
            column[begin:end] = fixed[begin:end, number]
    return columns


@dataclass(frozen=True)
class _RowSorter:
    """Sorts rows into their final positions in `out`."""

    widths: Int64
    """int64 (f + 1,): bits per code of each compared column, and per item."""
    out: "RowContent"
    store: Store
    n_codes: int  # item codes; decides whether items are stored in two bytes

    def sort(self, source: UnsortedRows, size: tuple[int, int], position: int, place: tuple[int, int]) -> None:
        """Sort `size` rows and items into `place` of the output. The rows are equal in the codes before `position`."""
        from anonset_kernels.row_order import following

        if self._is_small(size):
            self._sort_at_once(source, size[0], position, place)
            return
        splitters = self._splitters(source, size[0], position)
        sizes = self._measured(source, size[0], position, splitters)
        while sizes.total[0].max() == size[0]:  # a single bucket: all rows have the same prefix
            next_position = following(self.widths, position)
            if sizes.total[2].max() + len(self.widths) - 1 <= next_position:
                self._copy(source, size[0], place)
                return
            position = next_position
            splitters = self._splitters(source, size[0], position)
            sizes = self._measured(source, size[0], position, splitters)
        with self.store.nested() as scratch:
            rows = _content(scratch, size, self.out.fixed.shape[1], self.n_codes)
            self._fill(source, size[0], position, splitters, sizes, rows)
            self._sort_buckets(rows, sizes.total, position, place)

    def _sort_buckets(self, rows: "RowContent", sizes: Int64, position: int, place: tuple[int, int]) -> None:
        """Sort each bucket and free its space. Small buckets are sorted in parallel, then large buckets one by one."""
        begin = np.cumsum(sizes[:2], axis=1) - sizes[:2]
        sets = SetColumn("rows", rows.indptr, _items(rows), Vocabulary(()))
        tasks: list[tuple[_Task, Place]] = []
        large: list[tuple[_Task, Place]] = []
        for b in np.flatnonzero(sizes[0]).tolist():
            first, size = (int(begin[0, b]), int(begin[1, b])), (int(sizes[0, b]), int(sizes[1, b]))
            source = UnsortedRows(sets, rows.fixed, rows.record, first[0])
            task: _Task = (source, size, position, (place[0] + first[0], place[1] + first[1]))
            (tasks if self._is_small(size) else large).append((task, first))

        def sort(bucket: "tuple[_Task, Place]") -> None:
            task, first = bucket
            self.sort(*task)
            _for_each(places.vacate, rows, task[1], first, last=False)

        for _ in self.store.map(sort, tasks):
            pass
        for bucket in large:
            sort(bucket)

    def _by(self, splitters: Int64 | None = None) -> "RowComparison":
        from anonset_kernels.row_order import RowComparison

        return RowComparison(self.widths, np.empty(0, np.int64) if splitters is None else splitters)

    def _is_small(self, size: tuple[int, int]) -> bool:
        return size[0] <= 1 or (size[0] <= self._rows_per_bucket and size[1] <= ITEMS_PER_BUCKET)

    @property
    def _rows_per_bucket(self) -> int:
        """Maximum number of rows of a bucket that is sorted at once. More memory permits fewer, larger buckets for
        very large tables.
        """
        limits = self.store.limits
        if limits.room is None:
            return limits.rows_per_bucket
        return max(
            limits.rows_per_bucket,
            limits.at_once_within(4 * limits.rows_per_bucket, BYTES_OF_ROW * self.store.workers.count),
        )

    def _sort_at_once(self, source: UnsortedRows, n: int, position: int, place: tuple[int, int]) -> None:
        from anonset_kernels.row_order import order_rows

        rows, order = source(0, n), np.arange(n, dtype=np.int64)
        order_rows(rows, self._by(), position, order)
        self._gather(rows, order, place)

    def _gather(self, rows: "RowContent", order: Int64, place: tuple[int, int]) -> None:
        """Copy rows in the given order to a place in the output."""
        from anonset_kernels.row_order import gather_rows

        if not self.store.in_files:
            gather_rows(rows, order, *place, self.out)
            return
        n_items = int(rows.indptr[-1] - rows.indptr[0])
        _for_each(places.place, self.out, (len(order), n_items), place, last=True)
        buffer = empty_rows((len(order), n_items), rows.fixed.shape[1])
        gather_rows(rows, order, 0, 0, buffer)
        _put(buffer, (0, len(order)), place, self.out)

    def _copy(self, source: UnsortedRows, n: int, place: tuple[int, int]) -> None:
        """Copy rows that are all equal into their places."""
        row, item = place
        for begin, end in spans(n):
            self._gather(source(begin, end), np.arange(end - begin), (row + begin, item))
            item = int(self.out.indptr[row + end])

    def _splitters(self, source: UnsortedRows, n: int, position: int) -> Int64:
        """Return the smallest key of each bucket but the first, int64 (b - 1,). At least one bucket contains a single
        key.
        """
        from anonset_kernels.row_order import pack_keys

        in_cache = max(ROWS_IN_CACHE, n // MOST_BUCKETS)
        n_spans = 2 * n // min(in_cache, self._rows_per_bucket) + 2
        sample = min(n, max(SAMPLE, SAMPLED_PER_BUCKET * n_spans))
        picks = np.unique(np.linspace(0, n - 1, sample).astype(np.int64))
        keys = np.empty(len(picks), np.int64)
        pack_keys(source.some(picks), self._by(), position, np.arange(len(picks)), keys)
        keys.sort()
        chosen = keys[np.arange(1, n_spans) * len(keys) // n_spans]
        values, counts = np.unique(keys, return_counts=True)
        heavy = np.append(values[counts * n_spans > len(keys)], keys[len(keys) // 2])
        return np.unique(np.concatenate([chosen, heavy, heavy + 1]))

    def _measured(self, source: UnsortedRows, n: int, position: int, splitters: Int64) -> "_BucketSizes":
        """Return the bucket sizes."""
        from anonset_kernels.row_order import measure_buckets

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
        """Distribute the rows into buckets: sort each block by bucket, then copy it into place."""
        from anonset_kernels.row_order import fill_buckets

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
    """Sizes of buckets."""

    total: Int64
    """int64 (3, b): rows, items, and items of the longest row per bucket."""
    of_spans: list[Int32]
    """int32 (2, b) for each block of rows: its rows and items per bucket."""
