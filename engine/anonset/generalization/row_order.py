"""Sort rows by content, in memory or in files.

Rows are compared by the codes of their columns (fixed codes), then by their items. The sort is stable. Rows in memory
are sorted by `RowSorter`. Rows in files are sorted in two passes of tasks, on threads or on the workers of a cluster:

1. A task reads a block of rows, and writes the rows to a new file, sorted by range of keys. A key is the first 62 bits
   of the codes of a row.
2. A task reads consecutive ranges from all files, in block order, and sorts the rows. Equal rows remain in input order.

A range with too many rows is distributed again. If all its rows have the same key, the following codes are the keys.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from anonset.data.array_types import Int32, Int64
from anonset.data.codes import MOST_CODES, Codes, RowNumbers, are_narrow, as_codes, code_counts
from anonset.data.labels.vocabulary import Vocabulary
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.spans import AT_ONCE, ITEMS_PER_TASK, begins_of, joined_ranges, spans
from anonset.data.storage.store import MEMORY, Files, Store, damage_error
from anonset.data.stored_arrays import StoredArrays
from anonset.data.table import SetColumn
from anonset.generalization.row_sorter import BYTES_OF_ROW, RowSorter, empty_rows, rows_per_bucket, splitters_of
from anonset.generalization.unsorted_rows import UnsortedRows

if TYPE_CHECKING:
    from anonset_kernels.records.row_order import RowContent


@dataclass(frozen=True, eq=False)
class SortedRows:
    """Sorted rows with their record numbers."""

    indptr: Int64
    items: Codes
    columns: list[Int32]
    """Codes of each column."""
    record: Int64
    occurrences: Int64 | None = None
    """Number of rows that contain each item, int64 (65536,). None if items are not stored in two bytes."""


def sort_rows(rows: UnsortedRows, *, largest: Sequence[int], store: Store = MEMORY, narrow: bool = False) -> SortedRows:
    """Sort rows by content.

    Cost: O(nnz + n log(n / rows per bucket)). Memory contains a few buckets. During the sort, the store contains two
    copies of the rows.

    Parameters
    ----------
    largest
        Number of codes of each compared column, then the number of item codes.
    store
        Store for arrays of row length.
    narrow
        True to allow two-byte items in files.
    """
    size = rows.sets.n, len(rows.sets.codes)
    widths = np.array([max(1, int(codes).bit_length()) for codes in largest], np.int64)
    if store.in_files:
        narrow = narrow and are_narrow(store, largest[-1])
        form = RowForm(rows.n_columns, narrow, narrow and size[0] <= np.iinfo(np.int32).max)
        return _stored(_Shuffle(widths, form, store).sorted(rows, size, 0), form, store)
    out = empty_rows(size, rows.n_columns)
    RowSorter(widths, out, store).sort(rows, size, 0, (0, 0))
    columns = [np.ascontiguousarray(out.fixed[:, number]) for number in range(rows.n_columns)]
    return SortedRows(out.indptr, out.items[: int(out.indptr[-1])], columns, out.record)


class StoredRows(NamedTuple):
    """Rows in the form in which they are stored in a file."""

    lengths: NDArray[Any]
    """Number of items of each row, (rows,), in the narrowest type."""
    fixed: Int32
    """Codes of the columns, int32 (rows, columns)."""
    record: NDArray[Any]
    items: NDArray[Any]


@dataclass(frozen=True)
class RowForm(RedactedRepr):
    """Element sizes of stored rows."""

    n_columns: int
    narrow: bool
    """True to store items in two bytes."""
    short: bool
    """True to store record numbers in four bytes."""

    def stored(self, rows: "RowContent") -> StoredRows:
        """Return rows in their stored form. The item array of `rows` may contain unused elements at the end."""
        items, lengths = rows.items[: int(rows.indptr[-1])], np.diff(rows.indptr)
        return StoredRows(
            lengths.astype(np.min_scalar_type(int(lengths.max(initial=0)))),
            rows.fixed,
            rows.record.astype(np.int32) if self.short else rows.record,
            items.astype(np.uint16) if self.narrow else items,
        )

    def joined(self, parts: Iterable[StoredRows]) -> "RowContent":
        """Return the rows of all parts in the form that kernels expect.

        Raises
        ------
        InputError
            If a row length in a file is invalid.
        """
        from anonset_kernels.records.row_order import RowContent

        lengths, fixed, record, items = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
        items, record = items.astype(np.int32, copy=False), record.astype(np.int64, copy=False)
        indptr = begins_of(lengths)
        if lengths.min(initial=0) < 0 or indptr[-1] != len(items):
            raise damage_error()
        return RowContent(indptr, items, fixed, record)


def _rows_between(run: StoredArrays, first: int, end: int) -> tuple[Int64, StoredRows]:
    """Read consecutive ranges of a file that is sorted by range of keys. Return the first row and item of each range,
    int64 (end - first + 1, 2), relative to the first range, and the rows.
    """
    (starts,) = run.between((first, end + 1))
    (row, item), (last, last_item) = starts[0].tolist(), starts[-1].tolist()
    _, *rows = run.between((0, 0), *[(row, last)] * 3, (item, last_item))
    return starts - starts[0], StoredRows(*rows)


def _of_range(starts: Int64, rows: StoredRows, number: int) -> StoredRows:
    (row, item), (last, last_item) = starts[number : number + 2].tolist()
    return StoredRows(rows.lengths[row:last], rows.fixed[row:last], rows.record[row:last], rows.items[item:last_item])


@dataclass(frozen=True, eq=False)
class Distribution(RedactedRepr):
    """Task that sorts the rows of a block by range of keys."""

    source: UnsortedRows
    widths: Int64
    splitters: Int64
    position: int
    form: RowForm
    store: Files

    def __call__(self, span: tuple[int, int]) -> tuple[StoredArrays, Int32]:
        """Return the sorted rows of a block, and an array, int32 (3, ranges).

        For each range, the array contains the number of rows, the number of items, and the largest item count of a row.
        """
        from anonset_kernels.records.row_order import RowComparison, fill_buckets, measure_buckets

        by, sizes = RowComparison(self.widths, self.splitters), np.zeros((3, len(self.splitters) + 1), np.int64)
        rows = self.source(*span)
        measure_buckets(rows, by, self.position, sizes)
        out = empty_rows((len(rows.record), int(sizes[1].sum())), self.form.n_columns)
        starts = np.zeros((len(self.splitters) + 2, 2), np.int64)
        np.cumsum(sizes[:2].T, axis=0, out=starts[1:])
        fill_buckets(rows, by, self.position, np.ascontiguousarray(starts[:-1].T), out)
        return StoredArrays.written("runs", [starts, *self.form.stored(out)], self.store), sizes.astype(np.int32)


@dataclass(frozen=True, eq=False)
class RangeSort(RedactedRepr):
    """Task that sorts the rows of consecutive ranges."""

    runs: Sequence[StoredArrays]
    widths: Int64
    position: int
    form: RowForm

    def __call__(self, ranges: tuple[int, int]) -> StoredRows:
        """Return the sorted rows."""
        blocks = [_rows_between(run, *ranges) for run in self.runs]
        size = sum((starts[-1] for starts, _ in blocks), np.zeros(2, np.int64)).tolist()
        out, place = empty_rows((size[0], size[1]), self.form.n_columns), (0, 0)
        for number in range(ranges[1] - ranges[0]):
            rows = self.form.joined(_of_range(*block, number) for block in blocks)
            self._sort(rows, out, place)
            place = place[0] + len(rows.record), place[1] + len(rows.items)
        return self.form.stored(out)

    def _sort(self, rows: "RowContent", out: "RowContent", place: tuple[int, int]) -> None:
        sets = SetColumn("rows", rows.indptr, rows.items, Vocabulary(()))
        source, size = UnsortedRows(sets, rows.fixed, rows.record), (len(rows.record), len(rows.items))
        RowSorter(self.widths, out, MEMORY).sort(source, size, self.position, place)


@dataclass(frozen=True, eq=False)
class _Shuffle(RedactedRepr):
    widths: Int64
    form: RowForm
    store: Store

    def sorted(self, source: UnsortedRows, size: tuple[int, int], position: int) -> Iterator[StoredRows]:
        """Yield the sorted rows part by part. `size` is the number of rows and of items.

        All rows have the same codes before `position`.
        """
        most = min(AT_ONCE, self._rows_per_range)
        if size[0] <= 1 or (size[0] <= most and size[1] <= ITEMS_PER_TASK):
            out = empty_rows(size, self.form.n_columns)
            RowSorter(self.widths, out, MEMORY).sort(source, size, position, (0, 0))
            yield self.form.stored(out)
            return
        with self.store.nested_on_disk() as scratch:
            splitters = splitters_of(source, size[0], self.widths, position, self._rows_per_range)
            distribution = Distribution(source, self.widths, splitters, position, self.form, scratch)
            yield from self._by_ranges(distribution, size)

    def _by_ranges(self, distribution: Distribution, size: tuple[int, int]) -> Iterator[StoredRows]:
        workers, at_once = self.store.workers, self.store.rows_per_task(size, BYTES_OF_ROW)
        runs, sizes = list[StoredArrays](), np.zeros((3, len(distribution.splitters) + 1), np.int64)
        for run, of_run in self.store.map(distribution, spans(size[0], at_once)):
            runs.append(run)
            sizes[:2] += of_run[:2]
            sizes[2] = np.maximum(sizes[2], of_run[2])
        sort = RangeSort(runs, self.widths, distribution.position, self.form)
        ahead = None if workers.remote else 2 * workers.count  # results of threads are in memory
        is_large = (sizes[0] > max(self._rows_per_range, at_once)) | (sizes[1] > ITEMS_PER_TASK)
        for large, tasks in groupby(
            joined_ranges(sizes, at_once, ITEMS_PER_TASK), lambda ranges: bool(is_large[ranges[0]])
        ):
            if not large:
                yield from self.store.map(sort, list(tasks), ahead)
                continue
            for b, _ in tasks:
                yield from self._of_large_range(sort, b, sizes[:, b].tolist(), _is_key(distribution.splitters, b))

    def _of_large_range(self, sort: RangeSort, b: int, size: Sequence[int], is_key: bool) -> Iterator[StoredRows]:
        """Yield the sorted rows of a range with too many rows. `is_key` is True if all rows have the same key."""
        from anonset_kernels.records.row_order import following

        (n, n_items, longest), position = size, sort.position
        parts = (_rows_between(run, b, b + 1)[1] for run in sort.runs)
        if is_key:
            position = following(self.widths, position)
            if longest + len(self.widths) - 1 <= position:  # all rows are equal
                yield from parts
                return
        with self.store.nested_on_disk() as scratch:
            rows = _stored(parts, self.form, scratch)
            sets = SetColumn("rows", rows.indptr, rows.items, Vocabulary(()))
            yield from self.sorted(UnsortedRows(sets, rows.columns, rows.record), (n, n_items), position)

    @property
    def _rows_per_range(self) -> int:
        return rows_per_bucket(self.store.limits, self.store.workers.count)


def _is_key(splitters: Int64, b: int) -> bool:
    """Return True if all rows of a range have the same key."""
    return 0 < b < len(splitters) and int(splitters[b] - splitters[b - 1]) == 1


def _stored(parts: Iterable[StoredRows], form: RowForm, store: Store) -> SortedRows:
    with ExitStack() as stack:
        indptr = stack.enter_context(store.growing("indptr", np.int64))
        items = stack.enter_context(store.growing("items", np.uint16 if form.narrow else np.int32))
        columns = [stack.enter_context(store.growing("codes", np.int32)) for _ in range(form.n_columns)]
        record = stack.enter_context(store.growing("record", np.int32 if form.short else np.int64))
        indptr.append(np.zeros(1, np.int64))
        occurrences = np.zeros(MOST_CODES, np.int64) if form.narrow else None
        for part in parts:
            if occurrences is not None:
                occurrences += code_counts(as_codes(part.items), MOST_CODES)
            ends = np.cumsum(part.lengths, dtype=np.int64)
            ends += items.length
            indptr.append(ends)
            items.append(part.items)
            record.append(part.record)
            for number, column in enumerate(columns):
                column.append(part.fixed[:, number])
        numbers = record.finished()
        return SortedRows(
            indptr.finished(),
            as_codes(items.finished()),
            [column.finished() for column in columns],
            cast("Int64", RowNumbers(numbers)) if form.short else numbers,
            occurrences,
        )
