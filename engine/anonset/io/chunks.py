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
from anonset.generalization.chunk_cutting import contents_of
from anonset.generalization.chunks import ChunkPublication
from anonset.io import arrow
from anonset.io.files import reading, remove_on_failure, write_file
from anonset.io.lines import csv_bytes, rows_of
from anonset.io.publish import ROWS_PER_GROUP, part_names

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
    texts = {
        table: _Texts(folder / names[0], table, list(chain(*(_texts(folder / name, table) for name in names))))
        for table, names in files.items()
    }
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


def _texts(path: Path, table: str) -> Iterator[tuple[str, ...]]:
    """Yield the rows of a file of a table as texts, items with blanks between."""
    if path.suffix == ".csv":
        yield from (tuple(row.values()) for row in rows_of(path, COLUMNS[table]))
        return
    import pyarrow as pa
    from pyarrow import parquet

    with reading(path, "not valid parquet", values=True):
        found = parquet.read_table(path)
    _require(tuple(found.column_names) == COLUMNS[table], path, f"must have the columns {', '.join(COLUMNS[table])}")
    for column in COLUMNS[table]:
        kind = found.schema.field(column).type
        is_list = pa.types.is_list(kind) or pa.types.is_large_list(kind)
        inner = kind.value_type if is_list else kind
        text = pa.types.is_string(inner) or pa.types.is_large_string(inner)
        fits = text and is_list == (column != "item") if column in _OF_ITEMS else pa.types.is_integer(kind)
        _require(fits, path, f"column {column!r} must hold {'texts' if column in _OF_ITEMS else 'whole numbers'}")
        _require(not found[column].null_count, path, f"column {column!r} must hold no null")
    for batch in found.to_batches():
        for row in batch.to_pylist():
            for cell in row.values():
                require_plain(map(str, cell if isinstance(cell, list) else ()))
            yield tuple(" ".join(cell) if isinstance(cell, list) else str(cell) for cell in row.values())


class _Texts:
    """The rows of a table as texts."""

    def __init__(self, path: Path, table: str, rows: Sequence[tuple[str, ...]]) -> None:
        self._path, self._n = path, len(rows)
        self._columns = dict(zip(COLUMNS[table], zip(*rows, strict=True) if rows else [()] * 5, strict=False))

    def require(self, holds: bool | np.bool_, what: str) -> None:
        """Refuse the table unless something holds."""
        _require(bool(holds), self._path, what)

    @property
    def labels(self) -> Iterator[str]:
        """The items that occur."""
        for column in _OF_ITEMS:
            for text in set(self._columns.get(column, ())):
                yield from text.split(" ") if text else ()

    def _require_each(self, column: str, wrong: set[str], what: str) -> None:
        """Refuse a column that holds one of some texts, naming its first row."""
        if wrong:
            row = next(number for number, text in enumerate(self._columns[column]) if text in wrong)
            self.require(holds=False, what=f"row {row}: {what}")

    def numbers(self, column: str) -> Int64:
        """Return a column of whole numbers, int64 (rows,)."""
        cells = self._columns[column]
        distinct = set(cells)
        wrong = {text for text in distinct if _NUMBER.fullmatch(text) is None}
        self._require_each(column, wrong, "numbers must be whole, without sign or leading zeros")
        value = {text: int(text) for text in distinct}
        wrong = {text for text in distinct if value[text] < (column in _AT_LEAST_1)}
        self._require_each(column, wrong, "counts must be at least 1")
        return np.fromiter((value[text] for text in cells), np.int64, self._n)

    def items(self, column: str, vocabulary: Vocabulary) -> tuple[Int64, Int32, Int64]:
        """Return where the items of each row begin, int64 (rows + 1,), the items, and the rank of each row by them."""
        cells, index = self._columns[column], vocabulary.index
        code = {text: [index[label] for label in text.split(" ")] if text else [] for text in set(cells)}
        unordered = {text for text, items in code.items() if any(a >= b for a, b in pairwise(items))}
        self._require_each(column, unordered, "items must be in order, each once")
        empty = {text for text, items in code.items() if not items and column != "terms"}
        self._require_each(column, empty, "a sub-record must have items")
        distinct = sorted(code, key=code.__getitem__)
        place = {text: number for number, text in enumerate(distinct)}
        rank = np.fromiter((place[text] for text in cells), np.int64, self._n)
        begins = begins_of(len(code[text]) for text in distinct)
        flat = np.array([item for text in distinct for item in code[text]], np.int32)
        return begins_of(np.diff(begins)[rank]), flat[gathered(begins, rank)], rank

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
