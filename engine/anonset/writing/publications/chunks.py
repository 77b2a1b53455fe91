"""Write a disassociated publication as the tables clusters, chunks, shared and counts, in batches of rows."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from anonset import arrow
from anonset.data.array_types import Int32, Int64
from anonset.data.spans import spans
from anonset.lazy_arrow import pa
from anonset.publications import Chunks
from anonset.publications.chunk_columns import ChunkRows, runs_of
from anonset.reading.publications.chunks import COLUMNS, file_names, require_plain
from anonset.reading.sources.files import reading, write_file
from anonset.writing.csv_lines import csv_lines
from anonset.writing.table_files import ROWS_PER_GROUP, write_parquet_tables


class ChunkTables(NamedTuple):
    """Disassociated publication as ``pyarrow.Table``. Items are lists of texts, and all other columns are numbers."""

    clusters: Any
    """A row for each cluster. The columns are the number of the cluster, its number of records, and its terms."""
    chunks: Any
    """A row for each sub-record of a chunk. The columns are the cluster, the chunk, the items of the sub-record, and
    the frequency of the sub-record in the chunk.
    """
    shared: Any
    """A row for each sub-record of a shared chunk. The columns are the first and the last cluster that share the chunk,
    the chunk, the items of the sub-record, and the frequency of the sub-record in the chunk.
    """
    counts: Any = None
    """A row for each item with a total. The columns are the item (as text), and the number of records that contain the
    item as a term. The table is None if totals are not published.
    """


def chunks_to_arrow(publication: Chunks) -> ChunkTables:
    """Return the tables that `write_chunks` writes."""
    tables = _Tables(publication)
    return ChunkTables(*(tables.rows(table, 0, size) for table, size in _sizes(publication).items()))


def _sizes(publication: Chunks) -> dict[str, int]:
    clusters, shared = publication.columns
    sizes = {"clusters": len(clusters), "chunks": len(clusters.rows.count), "shared": len(shared.rows.count)}
    return sizes if publication.totals is None else {**sizes, "counts": len(publication.totals)}


class _Tables:
    def __init__(self, publication: Chunks) -> None:
        self._labels = arrow.cast(arrow.text_array(publication.vocabulary.labels), pa.string())
        self._totals = publication.totals or ()
        self._clusters, self._shared = publication.columns

    def rows(self, table: str, first: int, end: int) -> Any:
        """Return the rows first .. end - 1 of a table (``pyarrow.Table``)."""
        columns = getattr(self, f"_{table}_rows")(first, end)
        cells = [arrow.number_array(column) if isinstance(column, np.ndarray) else column for column in columns]
        return pa.table(dict(zip(COLUMNS[table], cells, strict=True)))

    def _lists(self, begins: Int64, items: Int32) -> Any:
        lists, listed = begins - begins[0], items[begins[0] : begins[-1]]
        return pa.ListArray.from_arrays(arrow.number_array(lists.astype(np.int32)), arrow.chosen(self._labels, listed))

    def _clusters_rows(self, first: int, end: int) -> tuple[Any, ...]:
        clusters = self._clusters
        return (
            np.arange(first, end),
            clusters.n[first:end],
            self._lists(clusters.term_begins[first : end + 1], clusters.terms),
        )

    def _chunks_rows(self, first: int, end: int) -> tuple[Any, ...]:
        chunks, begins = self._clusters.rows, self._clusters.chunk_begins
        chunk = runs_of(chunks.begins, first, end)
        low, high = (int(chunk[0]), int(chunk[-1]) + 1) if len(chunk) else (0, 0)
        cluster = runs_of(begins, low, high)
        number = np.arange(low, high) - begins[cluster]
        return cluster[chunk - low], number[chunk - low], *self._sub_records(chunks, first, end)

    def _shared_rows(self, first: int, end: int) -> tuple[Any, ...]:
        chunks, a, b = self._shared.rows, self._shared.first, self._shared.last
        chunk = runs_of(chunks.begins, first, end)
        low, high = (int(chunk[0]), int(chunk[-1]) + 1) if len(chunk) else (0, 0)
        before = low
        while before and a[before - 1] == a[low] and b[before - 1] == b[low]:
            before -= 1
        new = np.append(True, (np.diff(a[before:high]) != 0) | (np.diff(b[before:high]) != 0))[: high - before]
        begins = np.flatnonzero(new)
        number = np.arange(high - before) - np.repeat(begins, np.diff(np.append(begins, high - before)))
        return a[chunk], b[chunk], number[chunk - before], *self._sub_records(chunks, first, end)

    def _counts_rows(self, first: int, end: int) -> tuple[Any, ...]:
        items, totals = (np.array([pair[part] for pair in self._totals[first:end]], np.int64) for part in (0, 1))
        return arrow.chosen(self._labels, items), totals

    def _sub_records(self, rows: ChunkRows, first: int, end: int) -> tuple[Any, Int64]:
        return self._lists(rows.indptr[first : end + 1], rows.items), rows.count[first:end]


def write_chunks(publication: Chunks, folder: Path, form: str, part_rows: int | None) -> dict[str, int] | None:
    """Write the tables into a folder, and return the number of files of each table. None if each table is one file.

    Parameters
    ----------
    form
        ``csv`` (items separated by blanks) or ``parquet`` (items as ``list<string>``).
    part_rows
        Number of rows of each file ``part-00000.csv``, ... in folders named as the tables.
        If None, each table is one file.

    Raises
    ------
    InputError
        If a file cannot be written.
    """
    require_plain(publication.vocabulary.labels)
    tables = _Tables(publication)
    bounds = {
        name: [(0, size)] if part_rows is None else list(spans(size, part_rows)) or [(0, 0)]
        for name, size in _sizes(publication).items()
    }
    parts = None if part_rows is None else {name: len(part_bounds) for name, part_bounds in bounds.items()}
    for table, names in file_names(form, parts, counts=publication.totals is not None).items():
        if parts is not None:
            with reading(folder / table, "cannot be written"):
                (folder / table).mkdir()
        for name, (first, end) in zip(names, bounds[table], strict=True):
            if form == "parquet":
                groups = list(spans(end - first, ROWS_PER_GROUP)) or [(0, 0)]
                rows = (tables.rows(table, first + a, first + b) for a, b in groups)
                write_parquet_tables(folder / name, tables.rows(table, first, first).schema, rows)
            else:
                blocks = (tables.rows(table, first + a, first + b).columns for a, b in spans(end - first))
                write_file(folder / name, csv_lines(COLUMNS[table], (list(map(_text, block)) for block in blocks)))
    return parts


def _text(column: Any) -> Any:
    cells = column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
    if pa.types.is_list(cells.type):
        cells = arrow.binary_join(cells, arrow.cast(arrow.text_array([" "]), pa.string())[0])
    return arrow.cast(cells, pa.large_string())
