"""The private file that says from which input record each published row is made.

It is ``records.csv`` or, for more than `MOST_AS_TEXT` rows, ``records.parquet`` with the same columns.
"""

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from anonset.data.spans import spans
from anonset.data.store import MEMORY, Store
from anonset.data.table import Int32, Int64
from anonset.errors import InputError
from anonset.generalization import Publication
from anonset.io import arrow
from anonset.io.batches import open_source
from anonset.io.dialect import EXACT
from anonset.io.files import remove_on_failure, write_file
from anonset.io.lines import csv_bytes
from anonset.io.opened_source import Reading
from anonset.io.source import source_of

MOST_AS_TEXT = 1_000_000
"""Largest number of rows that are written as text."""
_RECORDS = ("published_row", "input_record", "cluster")
_ROWS_PER_GROUP = 1 << 20


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
    yield csv_bytes(_RECORDS, [arrow.text_array([])] * 3)[0]
    for first, end in spans(publication.n):
        block = publication.slice(first, end)
        cluster = arrow.text_array([""] * block.n) if block.cluster is None else arrow.digits(block.cluster)
        columns = [arrow.digits(np.arange(first, end)), arrow.digits(block.record), cluster]
        yield csv_bytes(_RECORDS, columns)[1]


def _write_parquet(publication: Publication, path: Path) -> Path:
    import pyarrow as pa
    from pyarrow import parquet

    encodings = dict.fromkeys(_RECORDS, "DELTA_BINARY_PACKED")
    with remove_on_failure(path), path.open("wb") as file:
        options: dict[str, Any] = {"use_dictionary": False, "column_encoding": encodings}
        with parquet.ParquetWriter(file, pa.schema(_kinds().items()), **options) as writer:
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
        If it cannot be read, or the rows are not numbered 0, 1, 2, ...
    """
    opened = open_source(source_of(path, "parquet" if path.suffix == ".parquet" else "csv"), Reading(dialect=EXACT))
    if opened.names != _RECORDS:
        msg = f"{str(path)!r} must have the columns {', '.join(_RECORDS)}, got {len(opened.names)} of other names"
        raise InputError(msg)
    n, local = 0, True
    with store.growing("record", np.int64) as record, store.growing("cluster", np.int32) as cluster:
        for batch in opened.batches(_RECORDS):
            numbers, records, clusters = (_whole(path, batch.columns[name], kind) for name, kind in _kinds().items())
            if numbers.null_count or not np.array_equal(arrow.to_numpy(numbers), np.arange(n, n + len(numbers))):
                msg = f"{str(path)!r} must number the published rows 0, 1, 2, ... in their order"
                raise InputError(msg)
            if records.null_count:
                raise InputError(_otherwise(path))
            n, local = n + len(numbers), local and not clusters.null_count
            record.append(arrow.to_numpy(records))
            cluster.append(arrow.to_numpy(clusters) if local else np.empty(0, np.int32))
    return record.finished(), cluster.finished() if local else None


def _kinds() -> dict[str, Any]:
    """Return the type of each column."""
    import pyarrow as pa

    return dict(zip(_RECORDS, (pa.int64(), pa.int64(), pa.int32()), strict=True))


def _whole(path: Path, column: Any, kind: Any) -> Any:
    """Return the whole numbers of a column, null where it is empty (``pyarrow.ChunkedArray``)."""
    import pyarrow as pa

    given, numbers = column, None
    if not pa.types.is_integer(column.type):
        text = arrow.cast(column, pa.large_string())
        given = arrow.if_else(arrow.equal(text, arrow.text_scalar("")), arrow.null(text.type), text)
    with suppress(pa.ArrowInvalid):  # which shows the values
        numbers = arrow.cast(given, kind)
    if numbers is None:
        raise InputError(_otherwise(path))
    return numbers


def _otherwise(path: Path) -> str:
    return f"{str(path)!r} must hold whole numbers of at most 64 bits, and clusters of 32"
