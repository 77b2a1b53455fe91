"""Writing a disassociated publication as the tables clusters, chunks, shared and counts, and reading it back."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, groupby, pairwise
from pathlib import Path
from typing import Any, NamedTuple

from anonset.data import Vocabulary
from anonset.data.spans import spans
from anonset.errors import InputError, datum
from anonset.generalization.chunks import ChunkPublication, Cluster, Items, Rows, SharedChunk, in_order
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
Row = tuple[Any, ...]
"""Cells of a table: numbers, and tuples of the codes of items."""


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
    return ChunkTables(*(_arrow_table(publication, name, rows) for name, rows in _rows(publication).items()))


def _arrow_table(publication: ChunkPublication, name: str, rows: Sequence[Row]) -> Any:
    import pyarrow as pa

    labels, columns = publication.vocabulary.labels, {}
    for column, cells in zip(COLUMNS[name], _columns(name, rows), strict=True):
        if column == "item":
            columns[column] = arrow.cast(arrow.text_array([labels[item] for (item,) in cells]), pa.string())
        elif column in _OF_ITEMS:
            lists = arrow.text_lists([[labels[item] for item in items] for items in cells])
            columns[column] = arrow.cast(lists, pa.list_(pa.string()))
        else:
            columns[column] = pa.array(cells, pa.int64())
    return pa.table(columns)


def _columns(name: str, rows: Sequence[Row]) -> list[tuple[Any, ...]]:
    return list(zip(*rows, strict=True)) or [()] * len(COLUMNS[name])


def _rows(publication: ChunkPublication) -> dict[str, list[Row]]:
    """Return the rows of each table."""
    shared: list[Row] = []
    for _, chunks in groupby(publication.shared, key=lambda chunk: (chunk.first, chunk.last)):
        for number, chunk in enumerate(chunks):
            shared += [(chunk.first, chunk.last, number, items, count) for items, count in chunk.rows]
    tables: dict[str, list[Row]] = {
        "clusters": [(number, own.n, own.terms) for number, own in enumerate(publication.clusters)],
        "chunks": [
            (number, chunk, items, count)
            for number, own in enumerate(publication.clusters)
            for chunk, rows in enumerate(own.chunks)
            for items, count in rows
        ],
        "shared": shared,
    }
    if publication.totals is not None:
        tables["counts"] = [((item,), total) for item, total in publication.totals]
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
    labels = publication.vocabulary.labels
    require_plain(labels)

    def text(cell: Any) -> str:
        return " ".join(labels[item] for item in cell) if isinstance(cell, tuple) else str(cell)

    tables = _rows(publication)
    bounds = {
        table: [(0, len(rows))] if part_rows is None else list(spans(len(rows), part_rows)) or [(0, 0)]
        for table, rows in tables.items()
    }
    parts = None if part_rows is None else {table: len(own) for table, own in bounds.items()}
    for table, names in file_names(form, parts, counts=publication.totals is not None).items():
        if parts is not None:
            with reading(folder / table, "cannot be written"):
                (folder / table).mkdir()
        for name, (first, end) in zip(names, bounds[table], strict=True):
            part = tables[table][first:end]
            if form == "parquet":
                _write_parquet(_arrow_table(publication, table, part), folder / name)
            else:
                columns = [arrow.text_array(list(map(text, column))) for column in _columns(table, part)]
                write_file(folder / name, csv_bytes(COLUMNS[table], columns))
    return parts


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
    texts = {table: list(chain(*(_texts(folder / name, table) for name in names))) for table, names in files.items()}
    where = {table: folder / names[0] for table, names in files.items()}
    of_items = {table: COLUMNS[table].index(next(c for c in COLUMNS[table] if c in _OF_ITEMS)) for table in texts}
    cells = {text for table, rows in texts.items() for text in {row[of_items[table]] for row in rows}}
    vocabulary = Vocabulary.of(label for text in cells if text for label in text.split(" "))
    index = vocabulary.index
    require_plain(vocabulary.labels)
    code = {text: tuple(index[label] for label in text.split(" ")) if text else () for text in cells}
    parsed = {
        table: [_parsed(where[table], table, number, row, code) for number, row in enumerate(rows)]
        for table, rows in texts.items()
    }
    chunks = _chunks(where["chunks"], parsed["chunks"], 1)
    clusters = []
    for number, (cluster, n, terms) in enumerate(parsed["clusters"]):
        _require(cluster == number, where["clusters"], "clusters must be numbered 0, 1, 2, ...")
        own = tuple(rows for _, rows in chunks.pop((number,), ()))
        _require(list(own) == sorted(own), where["chunks"], f"the chunks of cluster {number} must be sorted")
        clusters.append(Cluster(n, terms, own))
    _require(not chunks, where["chunks"], "every chunk must be of a cluster that is published")
    by_range = _chunks(where["shared"], parsed["shared"], 2)
    shared = [SharedChunk(first, last, rows) for (first, last), own in by_range.items() for _, rows in own]
    _require(shared == sorted(shared, key=in_order), where["shared"], "shared chunks must be sorted")
    totals = None
    if "counts" in parsed:
        totals = tuple((items[0], total) for items, total in parsed["counts"])
        ascending = all(a < b for (a, _), (b, _) in pairwise(totals))
        _require(ascending, where["counts"], "rows must be sorted, an item each")
    return ChunkPublication(name, vocabulary, tuple(clusters), tuple(shared), totals=totals)


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


def _parsed(path: Path, table: str, number: int, row: Sequence[str], code: dict[str, Items]) -> Row:
    """Return the cells of a row as numbers and codes of items."""
    cells: list[Any] = []
    for column, text in zip(COLUMNS[table], row, strict=True):
        if column in _OF_ITEMS:
            codes = code[text]
            in_row = f"row {number}: items must be in order, each once"
            _require(all(a < b for a, b in pairwise(codes)), path, in_row)
            _require(bool(codes) or column == "terms", path, f"row {number}: a sub-record must have items")
            _require(len(codes) == 1 or column != "item", path, f"row {number}: a total must be of one item")
            cells.append(codes)
            continue
        plain = _NUMBER.fullmatch(text) is not None
        _require(plain, path, f"row {number}: numbers must be whole, without sign or leading zeros")
        _require(int(text) >= (column in _AT_LEAST_1), path, f"row {number}: counts must be at least 1")
        cells.append(int(text))
    return tuple(cells)


def _chunks(path: Path, rows: list[tuple[Any, ...]], keys: int) -> dict[tuple[int, ...], list[tuple[int, Rows]]]:
    """Return the chunks of each cluster or range, in order, numbered 0, 1, 2, ..."""
    _require(all(a[: keys + 2] < b[: keys + 2] for a, b in pairwise(rows)), path, "rows must be sorted, each once")
    found: dict[tuple[int, ...], list[tuple[int, Rows]]] = {}
    key: Callable[[tuple[Any, ...]], tuple[int, ...]] = lambda row: row[: keys + 1]  # noqa: E731
    for (*where, chunk), own in groupby(rows, key=key):
        chunks = found.setdefault(tuple(where), [])
        _require(chunk == len(chunks), path, "chunks must be numbered 0, 1, 2, ...")
        chunks.append((chunk, tuple((row[-2], row[-1]) for row in own)))
    return found


def _require(holds: bool, path: Path, what: str) -> None:
    if not holds:
        msg = f"{str(path)!r}: {what}"
        raise InputError(msg)
