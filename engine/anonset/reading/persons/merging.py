"""Merge the rows with the same id into one record, so that the privacy unit is the person.

Tasks run on threads, or on the workers of a cluster:

1. A task sorts each batch of rows by the hashes of the ids, and keeps it in a file, or in memory if the store is.
2. A task reads a range of hashes from the files of all batches, merges the rows of each person into a record, and
   writes the records to a file, sorted by the first row of the person.
3. A task reads the records whose first rows are in a span of the source from these files, and sorts them.

The records are therefore in the order of first appearance, for any number of tasks and any hash key. Ids are only
stored as hashes of 128 bits. Two different ids have the same hash with negligible probability. Nobody can construct
such ids without the key, which is drawn at random for each reading of the data.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from anonset import arrow
from anonset.columns.identity import same_values
from anonset.data import spans
from anonset.data.array_types import Bools, Int32, Int64, UInt64
from anonset.data.blocks import tidy_rows
from anonset.data.labels.vocabulary import Vocabulary
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.spans import begins_of, gathered
from anonset.data.storage.store import MOST_CODES, Files, Store
from anonset.data.stored_arrays import StoredArrays
from anonset.reading.persons.id_hashes import new_key

_BITS = 12
_RANGES = 1 << _BITS
"""Number of ranges of hashes. A task merges consecutive ranges."""
_BYTES_OF_ROW = 400
"""Approximate memory per row in a task."""
_HASHES = 2
"""Number of columns with the hash of the id of a row. The first column sorts the rows of a file. The next column is the
hash of the spelling.
"""


class Rows(NamedTuple):
    """Rows of a source, or records of persons."""

    columns: list[NDArray[Any]]
    """Arrays with a number per row, (n,)."""
    lists: list[tuple[Int64, NDArray[Any]]]
    """Lists of numbers per row: the start of each row, int64 (n + 1,), and the numbers of all rows."""

    def take(self, rows: Int64) -> "Rows":
        """Return the given rows, in the given order."""
        lists = list[tuple[Int64, NDArray[Any]]]()
        for indptr, values in self.lists:
            first = indptr[rows]
            begins, places = gathered(first, indptr[rows + 1] - first)
            lists.append((begins, values[places]))
        return Rows([column[rows] for column in self.columns], lists)

    def slice(self, first: int, end: int) -> "Rows":
        """Return the rows from `first` to `end` - 1. Numbers are not copied."""
        lists = list[tuple[Int64, NDArray[Any]]]()
        for indptr, values in self.lists:
            begins = np.asarray(indptr[first : end + 1])
            lists.append((begins - begins[0], values[begins[0] : begins[-1]]))
        return Rows([column[first:end] for column in self.columns], lists)

    @classmethod
    def joined(cls, parts: Iterable["Rows"]) -> "Rows":
        """Concatenate rows."""
        columns, lists = zip(*parts, strict=True)
        joined = list[tuple[Int64, NDArray[Any]]]()
        for of_parts in zip(*lists, strict=True):
            lengths = np.concatenate([np.diff(indptr) for indptr, _ in of_parts])
            joined.append((begins_of(lengths), np.concatenate([values for _, values in of_parts])))
        return cls([np.concatenate(arrays) for arrays in zip(*columns, strict=True)], joined)


@dataclass(frozen=True, eq=False)
class _RowFile(RedactedRepr):
    """Rows in a file or in memory, in ascending order of the first column."""

    arrays: StoredArrays | Sequence[NDArray[Any]]
    n_columns: int

    @classmethod
    def written(cls, rows: Rows, store: Store) -> "_RowFile":
        arrays = [*rows.columns, *chain.from_iterable(rows.lists)]
        stored = StoredArrays.written("rows", arrays, store) if isinstance(store, Files) else arrays
        return cls(stored, len(rows.columns))

    def between(self, low: int | np.uint64, end: int | np.uint64 | None) -> Rows:
        """Return the rows from `low` to below `end` in the first column. If `end` is None, return all rows from
        `low` on.
        """
        arrays = self.arrays.read() if isinstance(self.arrays, StoredArrays) else self.arrays
        lists, order = arrays[self.n_columns :], arrays[0]
        first = int(np.searchsorted(order, order.dtype.type(low)))
        stop = len(order) if end is None else int(np.searchsorted(order, order.dtype.type(end)))
        return Rows([*arrays[: self.n_columns]], list(zip(lists[::2], lists[1::2], strict=True))).slice(first, stop)


@dataclass(frozen=True)
class RowLayout(RedactedRepr):
    """Columns of the rows."""

    numbers: tuple[str, ...]
    categories: tuple[str, ...]
    sets: bool
    """True if the first list contains item codes. The other lists contain texts."""
    texts: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Merging(RedactedRepr):
    """Place of the rows that a `PersonMerge` merges, for the tasks that write them."""

    layout: RowLayout
    store: Store
    key: UInt64
    """Key of the hashes of the ids, uint64 (2,), in a file. Tasks on a cluster therefore get only its name."""


@dataclass(frozen=True, eq=False)
class SortedRun(RedactedRepr):
    """Rows of a batch in a file, sorted by the first word of the hashes of their ids."""

    file: _RowFile
    n: int
    sizes: Int32
    """Number of rows and of items in each range of hashes, int32 (2, ranges)."""


def write_run(hashes: UInt64, rows: Rows, layout: RowLayout, store: Store) -> SortedRun:
    """Sort the rows of a batch, and write them to a file if the store is in files.

    Parameters
    ----------
    hashes
        Hashes of the ids and of their spelling, uint64 (n, 3).
    rows
        Numbers and codes of the columns in `layout`, then the items and the texts as lists.
    """
    n, order = len(hashes), np.argsort(hashes[:, 0], kind="stable")
    ordered = Rows([*hashes.T, np.arange(n), *rows.columns], rows.lists).take(order)
    bounds = np.arange(1, _RANGES, dtype=np.uint64) << np.uint64(64 - _BITS)
    first_rows = np.concatenate([[0], np.searchsorted(ordered.columns[0], bounds), [n]])
    first_items = ordered.lists[0][0][first_rows] if layout.sets else np.zeros_like(first_rows)
    sizes = np.stack([np.diff(first_rows), np.diff(first_items)]).astype(np.int32)
    return SortedRun(_RowFile.written(ordered, store), n, sizes)


class Difference(NamedTuple):
    """Rows of the same person with different values in a column."""

    first: int
    row: int
    """First row of a person, and the first row in the source that differs from the first row of its person."""
    persons: int
    """Number of persons with such rows."""


class Skipped(NamedTuple):
    """Numbers of persons without a record, and of their rows."""

    persons: int
    rows: int


class PersonMerge(ExitStack):
    """Merges the rows of a source.

    Parameters
    ----------
    store
        Store with the workers that run the tasks.
    layout
        Columns of the rows.
    described
        True if persons are described by rows that come first, and their other rows contain items only. A person whom no
        row describes gets no record.
    """

    def __init__(self, store: Store, layout: RowLayout, *, described: bool = False) -> None:
        super().__init__()
        self.layout, self._store = layout, store
        self._scratch = self.enter_context(store.nested())
        self.merging = Merging(layout, self._scratch, self._scratch.keep("key", new_key()))
        """Files of the rows."""
        self._files, self._begins, self._codes = list[_RowFile](), [0], list[list[Int32]]()
        self._sizes = np.zeros((2, _RANGES), np.int64)
        self.differences: dict[str, Difference] = {}
        """Columns in which rows of a person differ. Complete after `records`."""
        self.filled = Counter[str]()
        """Number of persons with a value in some rows and none in others, by column. Complete after `records`."""
        self.not_described = Skipped(0, 0)
        """Persons whom no row describes. Complete after `records`."""
        self.respelled = 0
        """Number of persons whose id has several spellings in a table. Complete after `records`."""
        self._tables = list[int]()
        self._described: int | None = 0 if described else None

    def add(self, run: SortedRun, codes: Sequence[Int32], table: int = 0) -> None:
        """Add the rows of the next batch.

        Parameters
        ----------
        codes
            For each column of categories, then for the items: the code in the table of each code of the batch.
        table
            Number of the table of the rows. Table 0 describes the persons, if a table does.
        """
        if self._described is not None and table == 0:
            self._described += run.n
        self._tables.append(table)
        self._files.append(run.file)
        self._begins.append(self._begins[-1] + run.n)
        self._codes.append(list(codes))
        self._sizes += run.sizes

    def records(self, n_items: int, blanks: Sequence[Sequence[int]], values: Sequence[Int64 | None]) -> Iterator[Rows]:
        """Yield the records in the order of the first rows of the persons.

        A record has the first known value of the person in each column.

        Parameters
        ----------
        n_items
            Number of item codes.
        blanks
            For each column of categories: codes of the labels that mean no value. Empty texts mean no value.
        values
            For each column of categories: the value of each label, or None if all labels are different values.

        The first column contains the number of the first row in the source. The other columns and lists are those of
        `layout`. Item codes have two bytes if all codes fit.
        """
        n, begins = self._begins[-1], np.array(self._begins)
        codes, of_batches = self._codes_in_file()
        merge = _Merge(
            tuple(self._files),
            begins,
            self._tables,
            codes,
            of_batches,
            self.layout,
            n_items,
            blanks,
            values,
            spans.AT_ONCE,
            self._scratch,
            n if self._described is None else self._described,
        )
        merged, sizes = list[_RowFile](), np.zeros((2, -(-n // spans.AT_ONCE)), np.int64)
        at_once = self._store.rows_per_task((n, int(self._sizes[1].sum())), _BYTES_OF_ROW)
        ranges = list(spans.joined_ranges(self._sizes, at_once, spans.ITEMS_PER_TASK))
        for file, of_file, differing, filled, not_described, respelled in self._store.map(merge, ranges):
            merged.append(file)
            sizes += of_file
            self.filled.update(filled)
            self.not_described = Skipped(*map(sum, zip(self.not_described, not_described, strict=True)))
            self.respelled += respelled
            for name, difference in differing.items():
                self.differences[name] = _earliest(self.differences.get(name), difference)
        self._scratch.drop(*(file.arrays.name for file in self._files if isinstance(file.arrays, StoredArrays)))
        self._files.clear()
        order = _Order(merged, spans.AT_ONCE)
        of_spans = list(spans.joined_ranges(sizes, at_once, spans.ITEMS_PER_TASK))
        yield from self._store.map(order, of_spans, 2 * self._store.workers.count)

    def _codes_in_file(self) -> tuple[Int32, list[list[int]]]:
        """Return the codes of all batches as a single array in a file, int32, and the position of each array. Equal
        arrays are stored once.
        """
        positions = dict[int, int]()
        with self._scratch.growing("codes", np.int32) as growing:
            for codes in (codes for of_batch in self._codes for codes in of_batch):
                if id(codes) not in positions:
                    positions[id(codes)] = growing.length
                    growing.append(codes)
        return growing.finished(), [[positions[id(codes)] for codes in of_batch] for of_batch in self._codes]


def count_respelled(person: Int32 | Int64, *spellings: NDArray[Any], table: int | Int64 = 0) -> int:
    """Return the number of persons whose rows in a table have several spellings of the id.

    Parameters
    ----------
    person
        Person of each row, (n,).
    spellings
        Code of the spelling of each row, (n,), for each id column.
    table
        Number of the table of each row, (n,), or of all rows.
    """
    person_in_table = person.astype(np.int64) + table * (int(person.max(initial=0)) + 1)
    _, first, place = np.unique(person_in_table, return_index=True, return_inverse=True)
    differs = np.zeros(len(person), np.bool_)
    for codes in spellings:
        differs |= codes != codes[first][place]
    return len(np.unique(person[differs]))


def _earliest(known: Difference | None, other: Difference) -> Difference:
    if known is None:
        return other
    earliest = min(known, other, key=lambda difference: difference.row)
    return earliest._replace(persons=known.persons + other.persons)


@dataclass(frozen=True, eq=False)
class _Merge(RedactedRepr):
    """Task that merges the rows in consecutive ranges of hashes."""

    files: Sequence[_RowFile]
    begins: Int64
    """Number of rows before each batch."""
    tables: Sequence[int]
    """Number of the table of each batch."""
    codes: Int32
    of_batches: Sequence[Sequence[int]]
    """Position in `codes` of the codes of each batch, for each column of categories, then for the items."""
    layout: RowLayout
    n_items: int
    blanks: Sequence[Sequence[int]]
    values: Sequence[Int64 | None]
    rows_per_span: int
    store: Store
    described: int
    """Number of the first rows of the source that have all columns."""

    def __call__(
        self, ranges: tuple[int, int]
    ) -> tuple[_RowFile, Int64, Mapping[str, Difference], Mapping[str, int], Skipped, int]:
        """Return the records, the number of records and of items by span of the first row, int64 (2, spans), the
        columns in which rows of a person differ, the number of persons with a blank and a value in a column, the
        persons whom no row describes, and the number of persons whose id has several spellings in a table.
        """
        low, end = (np.uint64(bound % _RANGES) << np.uint64(64 - _BITS) for bound in ranges)
        parts = [file.between(low, None if ranges[1] == _RANGES else end) for file in self.files]
        table = np.repeat(np.array(self.tables, np.int64), [len(part.columns[0]) for part in parts])
        rows = Rows.joined(self._with_codes_of_table(number, part) for number, part in enumerate(parts))
        hashes = rows.columns[:_HASHES]
        order = _order_by(hashes)
        spelling = rows.columns[_HASHES][order]
        rows = Rows(rows.columns[_HASHES + 1 :], rows.lists).take(order)
        is_first = np.ones(len(order), np.bool_)
        is_first[1:] = np.any([hashed[order[1:]] != hashed[order[:-1]] for hashed in hashes], axis=0)
        respelled = count_respelled(np.cumsum(is_first, dtype=np.int64), spelling, table=table[order])
        rows, differences, filled = self._with_known_values(rows, is_first)
        first = np.flatnonzero(is_first)
        records = self._merged(rows, first)
        records = records.slice(0, int(np.searchsorted(records.columns[0], self.described)))
        lacking = np.diff(first, append=len(order))[rows.columns[0][first] >= self.described]
        not_described = Skipped(len(lacking), int(lacking.sum()))
        span = records.columns[0] // self.rows_per_span
        sizes = np.zeros((2, -(-int(self.begins[-1]) // self.rows_per_span)), np.int64)
        sizes[0] = np.bincount(span, minlength=sizes.shape[1])
        if self.layout.sets:
            sizes[1] = np.bincount(span, np.diff(records.lists[0][0]), sizes.shape[1])
        return _RowFile.written(records, self.store), sizes, differences, filled, not_described, respelled

    def _with_codes_of_table(self, batch: int, rows: Rows) -> Rows:
        """Replace row numbers of the batch by row numbers of the source, and codes of the batch by codes of the
        table.
        """
        columns, lists, of_batch = rows.columns.copy(), rows.lists.copy(), self.of_batches[batch]
        columns[_HASHES + 1] = columns[_HASHES + 1] + self.begins[batch]
        first = len(columns) - len(self.layout.categories)
        for number, position in enumerate(of_batch[: len(self.layout.categories)], first):
            columns[number] = self.codes[position + columns[number].astype(np.int64)]
        if self.layout.sets:
            indptr, items = lists[0]
            lists[0] = indptr, self.codes[of_batch[-1] + items.astype(np.int64)]
        return Rows(columns, lists)

    def _merged(self, rows: Rows, first: Int64) -> Rows:
        """Return the records of persons, sorted by first row, given the position of the first row of each person."""
        ordered = first[np.argsort(rows.columns[0][first])]
        if not self.layout.sets:
            return rows.take(ordered)
        indptr, items = rows.lists[0]
        starts = np.append(indptr[first], indptr[-1])
        sets = tidy_rows("items", starts, items, Vocabulary.numbered(self.n_items))
        codes = sets.items.astype(np.uint16 if self.n_items <= MOST_CODES else np.int32)
        united = Rows([], [(sets.indptr, codes)]).take(np.argsort(rows.columns[0][first]))
        texts = Rows(rows.columns, rows.lists[1:]).take(ordered)
        return Rows(texts.columns, [*united.lists, *texts.lists])

    def _with_known_values(
        self, rows: Rows, is_first: Bools
    ) -> tuple[Rows, Mapping[str, Difference], Mapping[str, int]]:
        """Return rows in which the first row of each person has the first known values of the person, the columns in
        which known values differ, and the number of persons with a blank and a value, by column.
        """
        layout, person, first = self.layout, np.cumsum(is_first) - 1, np.flatnonzero(is_first)
        number, texts = rows.columns[0], rows.lists[self.layout.sets :]
        is_described = number < self.described
        n_numbers = len(layout.numbers)
        categories = rows.columns[1 + n_numbers :]
        compared = [
            *rows.columns[1 : 1 + n_numbers],
            *(x if same is None else same[x] for x, same in zip(categories, self.values, strict=True)),
            *(same_values(arrow.of_text(*text)) for text in texts),
        ]
        parts = [*(Rows([column], []) for column in rows.columns[1:]), *(Rows([], [text]) for text in texts)]
        blanks = [
            *(np.zeros(len(number), np.bool_) for _ in layout.numbers),
            *map(np.isin, categories, self.blanks),
            *(np.diff(bounds) == 0 for bounds, _ in texts),
        ]
        differences, filled = dict[str, Difference](), dict[str, int]()
        names = (*layout.numbers, *layout.categories, *layout.texts)
        for at, (name, column, blank) in enumerate(zip(names, compared, blanks, strict=True)):
            known, source = is_described & ~blank, first
            if not known.all():
                source = np.minimum.reduceat(np.where(known, np.arange(len(number)), len(number)), first)
                source = np.where(source < len(number), source, first)
            wrong = np.flatnonzero(known & (column != column[source[person]]))
            if len(wrong):
                row = wrong[np.argmin(number[wrong])]
                persons = len(np.unique(person[wrong]))
                differences[name] = Difference(int(number[source[person[row]]]), int(number[row]), persons)
            lacking = np.unique(person[is_described & blank])
            if persons := int(known[source[lacking]].sum()):
                filled[name], order = persons, np.arange(len(number))
                order[first] = source
                parts[at] = parts[at].take(order)
        columns = [number, *(column for part in parts for column in part.columns)]
        lists = [*rows.lists[: layout.sets], *(text for part in parts for text in part.lists)]
        return Rows(columns, lists), differences, filled


def _order_by(hashes: Sequence[UInt64]) -> Int64:
    """Return the positions of rows in ascending order of their hashes. Rows with the same hash keep their order.

    The rows of each file are sorted by the first word, so a sort that merges runs is fast. Different hashes with the
    same first word are very rare; only then the second word is compared.
    """
    first, second = hashes
    order = np.argsort(first, kind="stable")
    same = first[order[1:]] == first[order[:-1]]
    if (second[order[1:]][same] != second[order[:-1]][same]).any():
        return np.lexsort((second, first))
    return order


@dataclass(frozen=True, eq=False)
class _Order(RedactedRepr):
    """Task that sorts the records whose first rows are in consecutive spans of the source."""

    files: Sequence[_RowFile]
    rows_per_span: int

    def __call__(self, of_spans: tuple[int, int]) -> Rows:
        first, end = (span * self.rows_per_span for span in of_spans)
        records = Rows.joined(file.between(first, end) for file in self.files)
        return records.take(np.argsort(records.columns[0]))
