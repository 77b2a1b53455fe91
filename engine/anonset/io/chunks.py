"""Writing a disassociated publication as the tables clusters, chunks, shared and counts, and reading it back."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from anonset.data import Vocabulary
from anonset.data.spans import spans
from anonset.data.table import Int32, Int64
from anonset.errors import InputError, datum
from anonset.generalization.chunk_columns import ChunkRows, Clusters, SharedChunks, begins_of, gathered
from anonset.generalization.chunk_order import contents_of
from anonset.generalization.chunks import ChunkPublication
from anonset.io import arrow
from anonset.io.batches import Reading, open_source
from anonset.io.dialect import EXACT
from anonset.io.files import reading, remove_on_failure, write_file
from anonset.io.lines import csv_bytes
from anonset.io.publish import ROWS_PER_GROUP, part_names
from anonset.io.source import of_files
from anonset.io.table_builder import whole

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "clusters": ("cluster", "n", "terms"),
    "chunks": ("cluster", "chunk", "items", "count"),
    "shared": ("first", "last", "chunk", "items", "count"),
    "counts": ("item", "total"),
}
"""The tables and their columns; ``counts`` is there only where totals of terms are published."""
_OF_ITEMS = ("terms", "items", "item")
_AT_LEAST_1 = ("n", "count", "total")
_NUMBER = re.compile(r"0|[1-9][0-9]{0,17}")


class ChunkTables(NamedTuple):
    """A disassociated publication as ``pyarrow.Table``; items are lists of texts, all else numbers."""

    clusters: Any
    """Cluster, its number of records, its terms."""
    chunks: Any
    """Cluster, chunk, the items of a sub-record, how often it stands there."""
    shared: Any
    """First and last cluster, chunk, the items of a sub-record, how often it stands there."""
    counts: Any = None
    """An item, as text, and how many records hold it where it is a term; None where no totals are published."""


def file_names(form: str, parts: Mapping[str, int] | None, *, counts: bool) -> dict[str, tuple[str, ...]]:
    """Return the names of the files of each table.

    >>> file_names("csv", {"clusters": 1, "chunks": 2, "shared": 1}, counts=False)["chunks"]
    ('chunks/part-00000.csv', 'chunks/part-00001.csv')
    """
    tables = [table for table in COLUMNS if counts or table != "counts"]
    if parts is None:
        return {table: (f"{table}.{form}",) for table in tables}
    return {table: part_names(parts[table], form, table) for table in tables}


def require_plain(labels: Iterable[str]) -> None:
    """Refuse items that a list separated by blanks cannot hold.

    Raises
    ------
    InputError
        With the item, and the way out.
    """
    for label in labels:
        if label.split() != [label]:
            fault = "holds a blank" if label.strip() else "is empty"
            way = "rename it, as with _ for each blank"
            msg = f"item {datum(label)} {fault}, and blanks separate the items of a disassociated publication; {way}"
            raise InputError(msg)


def chunks_to_arrow(publication: ChunkPublication) -> ChunkTables:
    """Return what `write_chunks` writes as tables."""
    return ChunkTables(*_tables(publication).values())


def _tables(publication: ChunkPublication) -> dict[str, Any]:
    """Return each table as a ``pyarrow.Table``."""
    import pyarrow as pa

    labels = arrow.cast(arrow.text_array(publication.vocabulary.labels), pa.string())
    clusters, shared = publication.columns

    def lists(begins: Int64, items: Int32) -> Any:
        return pa.ListArray.from_arrays(arrow.number_array(begins.astype(np.int32)), arrow.chosen(labels, items))

    def table(name: str, *columns: Any) -> Any:
        cells = [arrow.number_array(column) if isinstance(column, np.ndarray) else column for column in columns]
        return pa.table(dict(zip(COLUMNS[name], cells, strict=True)))

    chunk, rows = clusters.rows.chunk, clusters.rows
    cluster = clusters.cluster_of_chunk
    number = np.arange(len(rows)) - clusters.chunk_begins[cluster]
    ranges = shared.first * (len(clusters) + 1) + shared.last
    begins = np.flatnonzero(np.append(True, ranges[1:] != ranges[:-1]))[: len(ranges)]
    of_range = np.arange(len(ranges)) - np.repeat(begins, np.diff(np.append(begins, len(ranges))))
    several, own = shared.rows.chunk, shared.rows
    tables = {
        "clusters": table(
            "clusters", np.arange(len(clusters)), clusters.n, lists(clusters.term_begins, clusters.terms)
        ),
        "chunks": table("chunks", cluster[chunk], number[chunk], lists(rows.indptr, rows.items), rows.count),
        "shared": table(
            "shared",
            *(shared.first[several], shared.last[several], of_range[several]),
            *(lists(own.indptr, own.items), own.count),
        ),
    }
    if publication.totals is not None:
        items, totals = (np.array([pair[part] for pair in publication.totals], np.int64) for part in (0, 1))
        tables["counts"] = table("counts", arrow.chosen(labels, items), totals)
    return tables


def write_chunks(
    publication: ChunkPublication, folder: Path, form: str = "csv", part_rows: int | None = None
) -> dict[str, int] | None:
    """Write the tables into a folder; return the number of files of each, None where each is one file.

    Parameters
    ----------
    form
        ``csv``, where blanks separate items, or ``parquet``, where they are ``list<string>``.
    part_rows
        Rows of each file ``part-00000.csv``, ... in folders of the names of the tables; None: one file each.

    Raises
    ------
    InputError
        If a file cannot be written.
    """
    require_plain(publication.vocabulary.labels)
    tables = _tables(publication)
    bounds = {
        name: [(0, len(table))] if part_rows is None else list(spans(len(table), part_rows)) or [(0, 0)]
        for name, table in tables.items()
    }
    parts = None if part_rows is None else {name: len(own) for name, own in bounds.items()}
    for table, names in file_names(form, parts, counts=publication.totals is not None).items():
        if parts is not None:
            with reading(folder / table, "cannot be written"):
                (folder / table).mkdir()
        for name, (first, end) in zip(names, bounds[table], strict=True):
            part = tables[table].slice(first, end - first).combine_chunks()
            if form == "parquet":
                _write_parquet(part, folder / name)
            else:
                write_file(folder / name, csv_bytes(COLUMNS[table], [_text(column) for column in part.columns]))
    return parts


def _text(column: Any) -> Any:
    """Return the cells of a column as texts, items with blanks between."""
    import pyarrow as pa

    cells = column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
    if pa.types.is_list(cells.type):
        cells = arrow.binary_join(cells, arrow.cast(arrow.text_array([" "]), pa.string())[0])
    return arrow.cast(cells, pa.large_string())


def _write_parquet(table: Any, path: Path) -> None:
    from pyarrow import parquet

    with remove_on_failure(path), path.open("wb") as file:
        parquet.write_table(table, file, row_group_size=ROWS_PER_GROUP)


def read_chunks(folder: Path, name: str, files: Mapping[str, Sequence[str]] | None = None) -> ChunkPublication:
    """Read the tables of a folder.

    Parameters
    ----------
    name
        Name of the set-valued column.
    files
        The names of the files of each table; None: those that are there.

    Raises
    ------
    InputError
        If a file cannot be read, numbers leave something out, or rows or items are not in the order of their content.
    """
    files = _files_in(folder) if files is None else files
    texts = {table: _Texts([folder / name for name in names], table) for table, names in files.items()}
    vocabulary = Vocabulary.of({label for own in texts.values() for label in own.labels})
    require_plain(vocabulary.labels)
    of_clusters, of_chunks, of_shared = (texts[table] for table in ("clusters", "chunks", "shared"))
    numbers, n = of_clusters.numbers("cluster"), of_clusters.numbers("n")
    term_begins, terms, _ = of_clusters.items("terms", vocabulary)
    of_clusters.require(np.array_equal(numbers, np.arange(len(numbers))), "clusters must be numbered 0, 1, 2, ...")
    (cluster,), rows = of_chunks.chunks(("cluster",), vocabulary)
    of_chunks.require(np.all(cluster < len(numbers)), "every chunk must be of a cluster that is published")
    for (before, a), (number, b) in pairwise(zip(cluster.tolist(), contents_of(rows), strict=True)):
        of_chunks.require(before < number or a <= b, f"the chunks of cluster {number} must be sorted")
    chunk_begins = begins_of(np.bincount(cluster, minlength=len(numbers)))
    clusters = Clusters(n, term_begins, terms, chunk_begins, rows)
    (first, last), rows = of_shared.chunks(("first", "last"), vocabulary)
    keys = list(zip(first.tolist(), last.tolist(), contents_of(rows), strict=True))
    of_shared.require(all(a <= b for a, b in pairwise(keys)), "shared chunks must be sorted")
    totals = None
    if "counts" in texts:
        begins, item, _ = texts["counts"].items("item", vocabulary)
        texts["counts"].require(np.all(np.diff(begins) == 1), "a total must be of one item")
        texts["counts"].require(np.all(np.diff(item) > 0), "rows must be sorted, an item each")
        totals = tuple(zip(item.tolist(), texts["counts"].numbers("total").tolist(), strict=True))
    return ChunkPublication(name, vocabulary, clusters, SharedChunks(first, last, rows), totals=totals)


def _files_in(folder: Path) -> dict[str, tuple[str, ...]]:
    """Return the files of each table of a folder, whoever made it."""
    form = "parquet" if any(folder.glob("clusters*.parquet")) or any(folder.glob("clusters/*.parquet")) else "csv"
    parts = None
    if (folder / "clusters").is_dir():
        parts = {table: len(list((folder / table).glob(f"*.{form}"))) for table in COLUMNS}
    counts = (folder / "counts").is_dir() or (folder / f"counts.{form}").exists()
    return file_names(form, parts, counts=counts)


def _columns(paths: Sequence[Path], table: str) -> dict[str, Any]:
    """Return the columns of a table as texts (``pyarrow.ChunkedArray``), items with blanks between."""
    if paths[0].suffix == ".csv":
        opened = open_source(of_files(paths), Reading(dialect=EXACT))
        _require_columns(paths[0], table, opened.names)
        return whole(opened, opened.names)
    import pyarrow as pa

    parts = [_columns_of_parquet(path, table) for path in paths]
    return {
        name: pa.chunked_array([chunk for part in parts for chunk in part[name].chunks], pa.string())
        for name in COLUMNS[table]
    }


def _require_columns(path: Path, table: str, names: Sequence[str]) -> None:
    listed = ", ".join(COLUMNS[table])
    _require(tuple(names) == COLUMNS[table], path, f"must have the columns {listed}, got {len(names)} of other names")


def _columns_of_parquet(path: Path, table: str) -> dict[str, Any]:
    import pyarrow as pa
    from pyarrow import parquet

    with reading(path, "not valid parquet", values=True):
        found = parquet.read_table(path)
    _require_columns(path, table, found.column_names)
    columns = {}
    for name in COLUMNS[table]:
        column, kind = found[name], found.schema.field(name).type
        is_list = pa.types.is_list(kind) or pa.types.is_large_list(kind)
        inner = kind.value_type if is_list else kind
        text = pa.types.is_string(inner) or pa.types.is_large_string(inner)
        fits = text and is_list == (name != "item") if name in _OF_ITEMS else pa.types.is_integer(kind)
        _require(fits, path, f"column {name!r} must hold {'texts' if name in _OF_ITEMS else 'whole numbers'}")
        _require(not column.null_count, path, f"column {name!r} must hold no null")
        if is_list:
            _require(not arrow.list_flatten(column).null_count, path, f"column {name!r} must hold no null")
            require_plain(arrow.unique(arrow.list_flatten(column)).to_pylist())
            column = arrow.binary_join(column, arrow.cast(arrow.text_array([" "]), inner)[0])
        columns[name] = arrow.cast(column, pa.string())
    return columns


class _Texts:
    """The rows of a table as texts."""

    def __init__(self, paths: Sequence[Path], table: str) -> None:
        import pyarrow as pa

        self._path = paths[0]
        self._texts: dict[str, list[str]] = {}
        self._codes: dict[str, Int64] = {}
        for name, column in _columns(paths, table).items():
            held = arrow.dictionary_encode(arrow.cast(column, pa.large_string()).combine_chunks())
            self._texts[name] = held.dictionary.to_pylist()
            self._codes[name] = arrow.to_numpy(held.indices).astype(np.int64)
        self._n = len(self._codes[COLUMNS[table][0]])

    def require(self, holds: bool | np.bool_, what: str) -> None:
        """Refuse the table unless something holds."""
        _require(bool(holds), self._path, what)

    @property
    def labels(self) -> Iterator[str]:
        """The items that occur."""
        for column in _OF_ITEMS:
            for text in self._texts.get(column, ()):
                yield from text.split(" ") if text else ()

    def _require_none(self, column: str, wrong: Iterable[bool], what: str) -> None:
        """Refuse a column that holds one of its texts that are wrong, naming its first row."""
        if (rows := np.flatnonzero(np.fromiter(wrong, np.bool_)[self._codes[column]])).size:
            self.require(holds=False, what=f"row {rows[0]}: {what}")

    def numbers(self, column: str) -> Int64:
        """Return a column of whole numbers, int64 (rows,)."""
        texts, least = self._texts[column], int(column in _AT_LEAST_1)
        wrong = (_NUMBER.fullmatch(text) is None for text in texts)
        self._require_none(column, wrong, "numbers must be whole, without sign or leading zeros")
        values = np.fromiter(map(int, texts), np.int64, len(texts))
        self._require_none(column, values < least, "counts must be at least 1")
        numbers: Int64 = values[self._codes[column]]
        return numbers

    def items(self, column: str, vocabulary: Vocabulary) -> tuple[Int64, Int32, Int64]:
        """Return where the items of each row begin, int64 (rows + 1,), the items, and the rank of each row by them."""
        index, texts = vocabulary.index, self._texts[column]
        code = [[index[label] for label in text.split(" ")] if text else [] for text in texts]
        unordered = (any(a >= b for a, b in pairwise(items)) for items in code)
        self._require_none(column, unordered, "items must be in order, each once")
        empty = (not items and column != "terms" for items in code)
        self._require_none(column, empty, "a sub-record must have items")
        rank = np.empty(len(code), np.int64)
        rank[sorted(range(len(code)), key=lambda text: code[text])] = np.arange(len(code))
        begins, rows = begins_of(map(len, code)), self._codes[column]
        flat = np.fromiter(chain.from_iterable(code), np.int32)
        return begins_of(np.diff(begins)[rows]), flat[gathered(begins, rows)], rank[rows]

    def chunks(self, keys: tuple[str, ...], vocabulary: Vocabulary) -> tuple[list[Int64], ChunkRows]:
        """Return the key of each chunk, numbered 0, 1, 2, ... for each of some others, and its rows."""
        indptr, items, rank = self.items("items", vocabulary)
        where = [self.numbers(key) for key in (*keys, "chunk")]
        grown, equal = np.zeros(max(0, self._n - 1), np.bool_), np.ones(max(0, self._n - 1), np.bool_)
        for column in (*where, rank):
            grown |= equal & (column[1:] > column[:-1])
            equal &= column[1:] == column[:-1]
        self.require(np.all(grown), "rows must be sorted, each once")
        changed = [np.append(True, column[1:] != column[:-1])[: self._n] for column in where]
        new = np.flatnonzero(np.any(changed, axis=0))
        elsewhere, chunk = np.any(changed[:-1], axis=0)[new], where[-1][new]
        before = np.append(-1, chunk[:-1])[: len(chunk)]
        self.require(np.all(chunk == np.where(elsewhere, 0, before + 1)), "chunks must be numbered 0, 1, 2, ...")
        rows = ChunkRows(np.append(new, self._n), indptr, items, self.numbers("count"))
        return [column[new] for column in where[:-1]], rows


def _require(holds: bool, path: Path, what: str) -> None:
    if not holds:
        msg = f"{str(path)!r}: {what}"
        raise InputError(msg)
