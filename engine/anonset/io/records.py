"""The private file that says from which input record each published row is made.

It is ``records.csv`` or, for more than `MOST_AS_TEXT` rows, ``records.parquet`` with the same columns.
"""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from anonset.data.spans import spans
from anonset.data.store import MEMORY, Store
from anonset.data.table import Int32, Int64
from anonset.errors import InputError
from anonset.generalization import Publication
from anonset.io.files import open_parquet, reading, remove_on_failure, require_file, write_file
from anonset.io.lines import csv_bytes, index_array, rows_of, text_array

MOST_AS_TEXT = 1_000_000
"""Largest number of rows that are written as text."""
_RECORDS = ("published_row", "input_record", "cluster")
_ROWS_PER_GROUP = 1 << 20
_LINES = 1 << 16
_AT_ONCE = 1 << 26  # bytes of text, of more rows than are written as text
_WHOLE = "must hold whole numbers of at most 64 bits, and clusters of 32"


def write_records(publication: Publication, path: str | Path) -> Path:
    """Write ``published_row,input_record,cluster``, 0-based, without a cluster for global recodings.

    Parameters
    ----------
    path
        File, or the folder of ``records.csv`` or ``records.parquet``.

    Raises
    ------
    InputError
        If the file cannot be written.
    """
    where = Path(path)
    if where.is_dir():
        where = where / f"records.{'parquet' if publication.n > MOST_AS_TEXT else 'csv'}"
    if where.suffix == ".parquet":
        return _write_parquet(publication, where)
    return write_file(where, _lines(publication))


def _lines(publication: Publication) -> Iterator[Any]:
    import pyarrow as pa

    text = pa.large_string()
    yield csv_bytes(_RECORDS, [text_array([])] * 3)[0]
    for first, end in spans(publication.n):
        block = publication.slice(first, end)
        cluster = text_array([""] * block.n) if block.cluster is None else index_array(block.cluster).cast(text)
        columns = [index_array(np.arange(first, end)).cast(text), index_array(block.record).cast(text), cluster]
        yield csv_bytes(_RECORDS, columns)[1]


def _write_parquet(publication: Publication, path: Path) -> Path:
    import pyarrow as pa
    from pyarrow import parquet

    kinds = dict(zip(_RECORDS, (pa.int64(), pa.int64(), pa.int32()), strict=True))
    encodings = dict.fromkeys(_RECORDS, "DELTA_BINARY_PACKED")
    with remove_on_failure(path), path.open("wb") as file:
        options: dict[str, Any] = {"use_dictionary": False, "column_encoding": encodings}
        with parquet.ParquetWriter(file, pa.schema(kinds.items()), **options) as writer:
            for first, end in spans(publication.n, _ROWS_PER_GROUP):
                block = publication.slice(first, end)
                cluster = pa.nulls(block.n, pa.int32()) if block.cluster is None else pa.array(block.cluster)
                columns = [pa.array(np.arange(first, end)), pa.array(block.record), cluster]
                writer.write_table(pa.table(dict(zip(_RECORDS, columns, strict=True))), _ROWS_PER_GROUP)
    return path


def records_file(folder: Path) -> Path | None:
    """Return the file of records in a private directory; None if there is none."""
    return next((path for name in ("records.csv", "records.parquet") if (path := folder / name).is_file()), None)


def read_records(path: Path, store: Store = MEMORY) -> tuple[Int64, Int32 | None]:
    """Return the input record of each published row, and its cluster where all rows have one.

    Parameters
    ----------
    path
        ``records.csv`` or ``records.parquet``.
    store
        Where the records are to lie.

    Raises
    ------
    InputError
        If the rows are not numbered 0, 1, 2, ...
    """
    if path.suffix == ".parquet":
        return _read_parquet(path, store)
    plain = _read_digits(path, store)
    return _read_lines(path, store) if plain is None else plain


def _read_digits(path: Path, store: Store) -> tuple[Int64, Int32 | None] | None:
    """Read a file of digits as we write it, all at once; None for any other, of which `_read_lines` says what is wrong.

    It takes a ninth of the time of reading line by line.
    """
    if not path.is_file() or path.stat().st_size > _AT_ONCE:
        return None
    with reading(path):
        header, end, text = path.read_bytes().partition(b"\n")
    ours = header.decode("latin-1") == ",".join(_RECORDS) and not text.translate(None, b"0123456789,\n")
    if not ours or not text.endswith(b"\n") or b"\n\n" in end + text:  # NumPy passes over blank lines
        return None
    lines = text.replace(b",\n", b",-1\n").decode().splitlines()  # -1: no cluster
    try:
        numbers, records, clusters = np.loadtxt(lines, np.int64, comments=None, delimiter=",", ndmin=2, unpack=True)
    except ValueError:
        return None
    if not np.array_equal(numbers, np.arange(len(numbers))) or clusters.max() > np.iinfo(np.int32).max:
        return None
    local = int(clusters.min()) >= 0
    with store.growing("record", np.int64) as record, store.growing("cluster", np.int32) as cluster:
        record.append(records)
        cluster.append(clusters if local else clusters[:0])
    return record.finished(), cluster.finished() if local else None


def _read_lines(path: Path, store: Store) -> tuple[Int64, Int32 | None]:
    rows, n, local = rows_of(path, _RECORDS), 0, True
    with store.growing("record", np.int64) as record, store.growing("cluster", np.int32) as cluster:
        while lines := list(islice(rows, _LINES)):
            numbers, records, clusters = _numbers_of(path, lines)
            if numbers != list(range(n, n + len(lines))):
                raise InputError(_misnumbered(path))
            n, local = n + len(lines), local and clusters is not None
            record.append(records)
            if clusters is not None:
                cluster.append(clusters)
    return record.finished(), cluster.finished() if local else None


def _numbers_of(path: Path, lines: list[dict[str, str]]) -> tuple[list[int], Int64, Int32 | None]:
    """Return the numbers in some lines; no clusters, if one has none."""
    columns = None
    try:
        numbers = [int(line["published_row"]) for line in lines]
        records = np.array([int(line["input_record"]) for line in lines], np.int64)
        local = all(line["cluster"] for line in lines)
        columns = numbers, records, np.array([int(line["cluster"]) for line in lines], np.int32) if local else None
    except (ValueError, OverflowError):  # their messages show the values
        pass
    if columns is None:
        msg = f"{str(path)!r} {_WHOLE}"
        raise InputError(msg)
    return columns


def _misnumbered(path: Path) -> str:
    return f"{str(path)!r} must number the published rows 0, 1, 2, ... in their order"


def _read_parquet(path: Path, store: Store) -> tuple[Int64, Int32 | None]:
    require_file(path)
    with store.growing("record", np.int64) as record, store.growing("cluster", np.int32) as cluster:
        n, with_cluster = 0, 0
        for numbers, records, clusters in _batches(path):
            if numbers.null_count or not np.array_equal(numbers.to_numpy(), np.arange(n, n + len(numbers))):
                raise InputError(_misnumbered(path))
            if records.null_count:
                msg = f"{str(path)!r} {_WHOLE}"
                raise InputError(msg)
            record.append(records.to_numpy())
            n, with_cluster = n + len(numbers), with_cluster + len(numbers) - clusters.null_count
            if with_cluster == n:
                cluster.append(clusters.to_numpy())
    return record.finished(), cluster.finished() if with_cluster == n and n else None


def _batches(path: Path) -> Iterator[Any]:
    """Yield the three columns of some rows at a time."""
    import pyarrow as pa

    kinds = dict(zip(_RECORDS, (pa.int64(), pa.int64(), pa.int32()), strict=True))
    with reading(path, "not valid Parquet"), open_parquet(path) as file:
        if {field.name: field.type for field in file.schema_arrow} != kinds:
            msg = f"{str(path)!r} {_WHOLE}, in the columns {', '.join(_RECORDS)}"
            raise InputError(msg)
        yield from (batch.columns for batch in file.iter_batches(_ROWS_PER_GROUP))
