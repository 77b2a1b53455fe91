"""Read ``codebook.csv``, and the private files ``mapping.csv`` and ``records.csv``."""

import csv
import io
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from anonset import arrow
from anonset.data.array_types import Int32, Int64
from anonset.data.storage.store import MEMORY, Store
from anonset.errors import InputError, datum, foreign
from anonset.lazy_arrow import pa
from anonset.publications import Symbol
from anonset.reading.batches import open_source
from anonset.reading.options import ReadOptions
from anonset.reading.sources.csv_rows import header_of, rows_of
from anonset.reading.sources.dialect import any_field_size
from anonset.reading.sources.source import source_of

SYMBOL_COLUMNS = ("symbol", "kind", "members")
MOST_AS_TEXT = 1_000_000
"""Maximum number of rows that are written as text."""
ROWS_PER_RECORDS_FILE = 1 << 22
"""Maximum number of rows of a Parquet file. More rows are written to several files in the folder ``records``."""
RECORD_COLUMNS = ("published_row", "input_record", "cluster")


def read_codebook(path: Path) -> tuple[Symbol, ...]:
    """Return the meaning of each published symbol, from ``codebook.csv``.

    Raises
    ------
    InputError
        If the file explains a symbol twice.
    """
    symbol_of: dict[tuple[str, bool], Symbol] = {}
    for row in rows_of(path, SYMBOL_COLUMNS):
        symbol = Symbol(row["symbol"], row["kind"], _members_read(path, row["members"]))
        if symbol_of.setdefault((symbol.label, symbol.kind == "values"), symbol) is not symbol:
            raise InputError(f"{str(path)!r} explains symbol {datum(symbol.label)} twice; each symbol must occur once")
    return tuple(symbol_of.values())


def _members_read(path: Path, text: str) -> tuple[str, ...]:
    try:
        with any_field_size():
            return tuple(next(csv.reader(io.StringIO(text, newline=""), delimiter=" ", strict=True), []))
    except csv.Error as error:
        msg = f"{str(path)!r}: members must be separated by blanks and quoted as in CSV: {foreign(error)}"
        raise InputError(msg) from None


GLOBAL, LOCAL = ("item", "published"), ("cluster", "item", "published")
"""Headers of global and local recodings."""


def read_mapping(path: Path) -> dict[str, str]:
    """Return the published symbol of each item of the universe, from ``mapping.csv``. The symbol of a suppressed item
    is the empty text.

    Raises
    ------
    InputError
        If the file belongs to a local recoding.
    """
    if header_of(path) == LOCAL:
        raise InputError(
            f"{str(path)!r} contains a mapping for each cluster (local recoding); a single mapping of all items is "
            "required"
        )
    return {row["item"]: row["published"] for row in rows_of(path, GLOBAL)}


def records_file(folder: Path) -> Path | None:
    """Return the records file of a private directory, or the folder of its parts. None if there is no records file."""
    names = ("records.csv", "records.parquet", "records")
    return next((path for name in names if (path := folder / name).exists()), None)


def read_records(path: Path, store: Store = MEMORY) -> tuple[Int64, Int32 | None]:
    """Return the input record of each published row, and the cluster if all rows have a cluster.

    Parameters
    ----------
    path
        ``records.csv``, ``records.parquet`` or the folder ``records`` with part files.
    store
        Storage for the records.

    Raises
    ------
    InputError
        If the file cannot be read, or the rows are not numbered 0, 1, 2, ...
    """
    opened = open_source(
        source_of(path, "parquet" if path.suffix == ".parquet" or path.is_dir() else "csv"),
        ReadOptions(exact=True),
    )
    if opened.names != RECORD_COLUMNS:
        raise InputError(
            f"{str(path)!r} must have the columns {', '.join(RECORD_COLUMNS)}; its {len(opened.names)} columns have "
            "other names"
        )
    n, local = 0, True
    with store.growing("record", np.int64) as record, store.growing("cluster", np.int32) as cluster:
        for batch in opened.batches(RECORD_COLUMNS):
            numbers, records, clusters = (
                _integers(path, batch.columns[name], kind) for name, kind in record_types().items()
            )
            if numbers.null_count or not np.array_equal(arrow.to_numpy(numbers), np.arange(n, n + len(numbers))):
                raise InputError(f"{str(path)!r} must number the published rows 0, 1, 2, ... in their order")
            if records.null_count:
                raise InputError(_no_records(path))
            n, local = n + len(numbers), local and not clusters.null_count
            record.append(arrow.to_numpy(records))
            cluster.append(arrow.to_numpy(clusters) if local else np.empty(0, np.int32))
    return record.finished(), cluster.finished() if local else None


def record_types() -> dict[str, Any]:
    """Return the type of each column."""
    return dict(zip(RECORD_COLUMNS, (pa.int64(), pa.int64(), pa.int32()), strict=True))


def _integers(path: Path, column: Any, kind: Any) -> Any:
    """Return the integers of a column (``pyarrow.ChunkedArray``). Empty fields become null."""
    fields, numbers = column, None
    if not pa.types.is_integer(column.type):
        text = arrow.cast(column, pa.large_string())
        fields = arrow.if_else(arrow.equal(text, arrow.text_scalar("")), arrow.null(text.type), text)
    with suppress(pa.ArrowInvalid):  # its message shows the values
        numbers = arrow.cast(fields, kind)
    if numbers is None:
        raise InputError(_no_records(path))
    return numbers


def _no_records(path: Path) -> str:
    return f"{str(path)!r}: row and record numbers must be 64-bit integers, and cluster numbers 32-bit integers"
