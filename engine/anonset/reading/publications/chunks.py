"""Read the tables of a disassociated publication in batches of rows."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from anonset import arrow
from anonset.data import SetColumn, Vocabulary
from anonset.data import spans as limits
from anonset.data.array_types import Bools, Int32, Int64
from anonset.data.blocks import SetColumnBuilder
from anonset.data.labels.vocabulary import LabelCollector
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.spans import begins_of, spans
from anonset.data.storage.store import MEMORY, Store
from anonset.errors import InputError, datum
from anonset.generalization.chunk_order import contents_of
from anonset.lazy_arrow import pa
from anonset.publications import Chunks
from anonset.publications.chunk_columns import ChunkRows, ClusterColumns, SharedChunks
from anonset.reading.batches import open_source
from anonset.reading.options import ReadOptions
from anonset.reading.publications.records import part_names
from anonset.reading.sources.files import reading
from anonset.reading.sources.source import of_files

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "clusters": ("cluster", "n", "terms"),
    "chunks": ("cluster", "chunk", "items", "count"),
    "shared": ("first", "last", "chunk", "items", "count"),
    "counts": ("item", "total"),
}
"""Tables and their columns. ``counts`` exists only if item totals are published."""
OF_ITEMS = ("terms", "items", "item")
"""Columns of items."""


def file_names(form: str, parts: Mapping[str, int] | None, *, counts: bool) -> dict[str, tuple[str, ...]]:
    """Return the file names of each table.

    >>> file_names("csv", {"clusters": 1, "chunks": 2, "shared": 1}, counts=False)["chunks"]
    ('chunks/part-00000.csv', 'chunks/part-00001.csv')
    """
    tables = [table for table in COLUMNS if counts or table != "counts"]
    if parts is None:
        return {table: (f"{table}.{form}",) for table in tables}
    return {table: part_names(parts[table], form, table) for table in tables}


def require_plain(labels: Iterable[str]) -> None:
    """Reject items that contain blanks, because blanks separate items.

    Raises
    ------
    InputError
        The message names the item, and the remedy.
    """
    for label in labels:
        if label.split() != [label]:
            fault = "contains a blank" if label.strip() else "is empty"
            way = "rename it, for example with _ for blanks"
            msg = f"item {datum(label)} {fault}, but blanks separate items in a disassociated publication; {way}"
            raise InputError(msg)


_AT_LEAST_1 = ("n", "count", "total")
_NUMBER = "^(0|[1-9][0-9]{0,17})$"


def read_chunks(
    folder: Path, name: str, files: Mapping[str, Sequence[str]] | None = None, store: Store = MEMORY
) -> Chunks:
    """Read the tables of a folder.

    Parameters
    ----------
    name
        Name of the set-valued column.
    files
        File names of each table. If None, all existing files are read.
    store
        Storage for the columns.

    Raises
    ------
    InputError
        If a file cannot be read, numbers are not consecutive, or rows or items are not sorted by content.
    """
    files = _files_in(folder) if files is None else files
    labels = LabelCollector()
    with store.nested() as scratch:
        tables = {
            table: _Rows.read([folder / part for part in parts], table, labels, store, scratch)
            for table, parts in files.items()
        }
        vocabulary, image, _ = labels.final()
        require_plain(vocabulary.labels)
        tables = {table: rows.recoded(image, vocabulary, store) for table, rows in tables.items()}
        clusters = _clusters(tables["clusters"], tables["chunks"], store)
        (first, last), rows = tables["shared"].chunks(("first", "last"), store)
        falls = next(_unsorted_chunks(rows, [first, last]), None) is not None
        tables["shared"].require(not falls, "shared chunks must be sorted")
        totals = _totals(tables["counts"]) if "counts" in tables else None
    return Chunks(name, vocabulary, clusters, SharedChunks(first, last, rows), totals=totals)


def _clusters(of_clusters: "_Rows", of_chunks: "_Rows", store: Store) -> ClusterColumns:
    number, n = of_clusters.numbers["cluster"], of_clusters.numbers["n"]
    for a, b in spans(len(number)):
        counted = np.array_equal(number[a:b], np.arange(a, b))
        of_clusters.require(counted, "clusters must be numbered 0, 1, 2, ...")
    (cluster,), rows = of_chunks.chunks(("cluster",), store)
    of_chunks.require(not len(cluster) or cluster[-1] < len(n), "every chunk must belong to a published cluster")
    for chunk in _unsorted_chunks(rows, [cluster]):
        of_chunks.require(holds=False, requirement=f"the chunks of cluster {cluster[chunk]} must be sorted")
    begins = np.searchsorted(cluster, np.arange(len(n) + 1))
    return ClusterColumns(n, of_clusters.sets.indptr, of_clusters.sets.items, begins, rows)


def _unsorted_chunks(rows: ChunkRows, keys: Sequence[Int64]) -> Iterator[int]:
    """Yield each chunk that sorts before the previous chunk, if all keys of both chunks are equal."""
    for a, b in spans(len(rows) - 1):
        contents = contents_of(rows.slice(a, b + 1))
        falls = np.fromiter((after < before for before, after in pairwise(contents)), np.bool_, b - a)
        for key in keys:
            falls &= key[a + 1 : b + 1] == key[a:b]
        yield from (a + 1 + np.flatnonzero(falls)).tolist()


def _totals(rows: "_Rows") -> tuple[tuple[int, int], ...]:
    item = rows.sets.items
    rows.require(np.all(np.diff(rows.sets.indptr) == 1), "each total must have exactly one item")
    rows.require(np.all(np.diff(item) > 0), "rows must be sorted by item, without duplicates")
    return tuple(zip(item.tolist(), rows.numbers["total"].tolist(), strict=True))


def _files_in(folder: Path) -> dict[str, tuple[str, ...]]:
    """Return the file names of each table in a folder. Another program may have written the files."""
    form = "parquet" if any(folder.glob("clusters*.parquet")) or any(folder.glob("clusters/*.parquet")) else "csv"
    parts = None
    if (folder / "clusters").is_dir():
        parts = {table: len(list((folder / table).glob(f"*.{form}"))) for table in COLUMNS}
    counts = (folder / "counts").is_dir() or (folder / f"counts.{form}").exists()
    return file_names(form, parts, counts=counts)


def _batches(paths: Sequence[Path], table: str) -> Iterator[list[Any]]:
    """Yield the columns of a table in batches of texts (``pyarrow.LargeStringArray``), with items separated by
    blanks.
    """
    if paths[0].suffix != ".csv":
        for path in paths:
            yield from _batches_of_parquet(path, table)
        return
    opened = open_source(of_files(paths), ReadOptions(exact=True))
    _require_columns(paths[0], table, opened.names)
    for batch in opened.batches(opened.names):
        yield [arrow.cast(batch.columns[name], pa.large_string()).combine_chunks() for name in COLUMNS[table]]
    opened.judge()


def _require_columns(path: Path, table: str, names: Sequence[str]) -> None:
    listed = ", ".join(COLUMNS[table])
    _require(
        tuple(names) == COLUMNS[table],
        path,
        f"must have the columns {listed}; its {len(names)} columns have other names",
    )


def _batches_of_parquet(path: Path, table: str) -> Iterator[list[Any]]:
    from pyarrow import parquet

    with reading(path, "not valid Parquet", values=True):
        opened = parquet.ParquetFile(path)
        schema = opened.schema_arrow
    with opened:
        _require_columns(path, table, schema.names)
        for name in COLUMNS[table]:
            kind = schema.field(name).type
            is_list = pa.types.is_list(kind) or pa.types.is_large_list(kind)
            inner = kind.value_type if is_list else kind
            text = pa.types.is_string(inner) or pa.types.is_large_string(inner)
            fits = text and is_list == (name != "item") if name in OF_ITEMS else pa.types.is_integer(kind)
            _require(fits, path, f"column {name!r} must contain {'text' if name in OF_ITEMS else 'integers'}")
        batches = opened.iter_batches(limits.AT_ONCE)
        while True:
            with reading(path, "not valid Parquet", values=True):
                if (batch := next(batches, None)) is None:
                    return
            yield [_texts_of_parquet(path, name, batch.column(name)) for name in COLUMNS[table]]


def _texts_of_parquet(path: Path, name: str, column: Any) -> Any:
    null = bool(column.null_count)
    if pa.types.is_list(column.type) or pa.types.is_large_list(column.type):
        items = arrow.list_flatten(column)
        null |= bool(items.null_count)
        if not null:
            require_plain(arrow.unique(items).to_pylist())
            column = arrow.binary_join(column, arrow.cast(arrow.text_array([" "]), items.type)[0])
    _require(not null, path, f"column {name!r} must not contain null")
    return arrow.cast(column, pa.large_string())


@dataclass(frozen=True, eq=False)
class _Rows(RedactedRepr):
    path: Path
    numbers: dict[str, Int64]
    """Integer columns by name, int64 (rows,) each."""
    sets: SetColumn

    @classmethod
    def read(cls, paths: Sequence[Path], table: str, labels: LabelCollector, store: Store, scratch: Store) -> "_Rows":
        """Read a table. Items are encoded with `labels`, and new items are added to `labels`."""
        before, of_items = 0, next(name for name in COLUMNS[table] if name in OF_ITEMS)
        with ExitStack() as stack:
            numbers = {
                name: stack.enter_context((store if name in _AT_LEAST_1 else scratch).growing(name, np.int64))
                for name in COLUMNS[table]
                if name != of_items
            }
            sets = stack.enter_context(SetColumnBuilder(of_items, store))
            for columns in _batches(paths, table):
                rows = _Batch(paths[0], before)
                for name, texts in zip(COLUMNS[table], columns, strict=True):
                    if name == of_items:
                        sets.append(rows.items(name, texts, labels))
                    else:
                        numbers[name].append(rows.numbers(name, texts))
                before += len(columns[0])
            by_name = {name: column.finished() for name, column in numbers.items()}
            return cls(paths[0], by_name, sets.finished(Vocabulary(())))

    def recoded(self, image: Int32, vocabulary: Vocabulary, store: Store) -> "_Rows":
        """Return the table with final codes. In each row, items must be sorted by final code."""
        from anonset_kernels.records.rows import unsorted_or_repeated

        sets, items = self.sets, store.array("items", np.int32, len(self.sets.codes))
        for a, b in spans(sets.n):
            block = sets.slice(a, b)
            codes = image[block.items]
            row = int(unsorted_or_repeated(block.indptr, codes))
            self.require(row < 0, f"row {a + row}: items must be sorted, without duplicates")
            items[sets.indptr[a] : sets.indptr[b]] = codes
        return replace(self, sets=SetColumn(sets.name, sets.indptr, items, vocabulary))

    def require(self, holds: bool | np.bool_, requirement: str) -> None:
        _require(bool(holds), self.path, requirement)

    def chunks(self, keys: tuple[str, ...], store: Store) -> tuple[list[Int64], ChunkRows]:
        """Return the keys and the rows of each chunk. Chunks that agree in the other keys are numbered 0, 1, 2, ..."""
        n, sets = self.sets.n, self.sets
        where = [self.numbers[name] for name in (*keys, "chunk")]
        with ExitStack() as stack:
            begins, *builders = (stack.enter_context(store.growing(name, np.int64)) for name in ("begins", *keys))
            for a, b in spans(n):
                first = max(a - 1, 0)
                parts = [column[first:b] for column in where]
                equal, grown = np.ones(b - first - 1, np.bool_), np.zeros(b - first - 1, np.bool_)
                new = np.ones(
                    (2, b - first), np.bool_
                )  # at the first row of a chunk, the keys differ from the row before
                for part in parts:
                    grown |= equal & (part[1:] > part[:-1])
                    equal &= part[1:] == part[:-1]
                    new[int(part is parts[-1]), 1:] = ~equal
                grown |= equal & _grows(sets.slice(first, b))
                self.require(np.all(grown), "rows must be sorted, without duplicates")
                chunk = parts[-1]
                expected = np.where(new[0, 1:], 0, chunk[:-1] + new[1, 1:])
                numbered = np.array_equal(chunk[1:], expected) and (a > 0 or chunk[0] == 0)
                self.require(numbered, "chunks must be numbered 0, 1, 2, ...")
                starts = np.flatnonzero(new[1, a - first :])
                begins.append(a + starts)
                for target, part in zip(builders, parts, strict=False):
                    target.append(part[a - first :][starts])
            begins.append(np.array([n]))
            rows = ChunkRows(begins.finished(), sets.indptr, sets.items, self.numbers["count"])
            return [column.finished() for column in builders], rows


def _grows(rows: SetColumn) -> Bools:
    """Return a mask of the rows that sort after the previous row, bool (n - 1,). The first row is omitted."""
    grows = np.zeros(max(0, rows.n - 1), np.bool_)
    undecided, position, lengths = np.arange(len(grows)), 0, rows.lengths
    while len(undecided):
        ends, goes_on = lengths[undecided] == position, lengths[undecided + 1] > position
        grows[undecided[ends & goes_on]] = True
        undecided = undecided[~ends & goes_on]
        before, after = (rows.items[rows.indptr[undecided + next_one] + position] for next_one in (0, 1))
        grows[undecided[before < after]] = True
        undecided, position = undecided[before == after], position + 1
    return grows


@dataclass(frozen=True)
class _Batch(RedactedRepr):
    path: Path
    before: int

    def numbers(self, name: str, texts: Any) -> Int64:
        are_integers = arrow.to_numpy(arrow.matches(texts, _NUMBER))
        self._require_all(are_integers, "numbers must be integers without sign or leading zeros")
        numbers: Int64 = arrow.to_numpy(arrow.cast(texts, pa.int64()))
        self._require_all(numbers >= int(name in _AT_LEAST_1), "counts must be at least 1")
        return numbers

    def items(self, name: str, texts: Any, labels: LabelCollector) -> SetColumn:
        lists = arrow.split(texts, " ")
        lengths, tokens = arrow.to_numpy(arrow.list_value_length(lists)).astype(np.int64), arrow.list_flatten(lists)
        empty = arrow.to_numpy(arrow.equal(texts, arrow.text_scalar("")))
        if empty.any():
            self._require_all(~empty | (name == "terms"), "a sub-record must contain items")
            tokens = arrow.chosen(tokens, np.flatnonzero(np.repeat(~empty, lengths)))
            lengths[empty] = 0
        coded = arrow.dictionary_encode(tokens)
        codes = labels.codes_of(name, Vocabulary(tuple(coded.dictionary.to_pylist())))
        return SetColumn(name, begins_of(lengths), codes[arrow.to_numpy(coded.indices)], Vocabulary(()))

    def _require_all(self, holds: Bools, requirement: str) -> None:
        if not holds.all():
            _require(False, self.path, f"row {self.before + int(np.argmin(holds))}: {requirement}")


def _require(holds: bool, path: Path, requirement: str) -> None:
    if not holds:
        raise InputError(f"{str(path)!r}: {requirement}")
