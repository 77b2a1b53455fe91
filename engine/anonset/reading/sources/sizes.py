"""Estimate sizes of data sets from the sizes and first bytes of their files."""

from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from anonset import arrow
from anonset.lazy_arrow import pa
from anonset.reading.sources.files import (
    LEAST_READ,
    STATISTICS,
    compression_of,
    open_parquet,
    open_workbook_parts,
    reading,
)

_GUESSED_RATIO = 6
_TEXT_OF_VALUE = 4  # bytes of a short code and the separator after it
_LARGEST_DEFLATE_RATIO = 1032
_HEAD, _ROWS_OF_HEAD = 1 << 16, 1000
_BETWEEN_VALUES = (b" ", b",", b";", b"|", b"\t")
_BYTES_OF_A_CELL, _CELLS_OF_A_ROW = 30, 8


@dataclass(frozen=True)
class DataSize:
    """Estimated size of a data set. Sizes can be added.

    >>> DataSize(1, 3, 12) + DataSize(2, 4, 15)
    DataSize(records=3, values=7, text=27)
    """

    records: int = 0
    values: int = 0
    """Number of items, numbers and labels."""
    text: int = 0
    """Bytes of all records as plain text."""

    def __add__(self, other: "DataSize") -> "DataSize":
        return DataSize(self.records + other.records, self.values + other.values, self.text + other.text)


def size_in(name: str, file: Any, size: int) -> DataSize:
    """Estimate the content of an open file, given the name and the size in bytes. The result is not a bound.

    The byte count is exact for plain text. For gzip it is the size in the trailer (modulo 2^32, of the last member
    only) if that is plausible. For other gzip files, and for zstd, it is six times the file size. Record and value
    counts are extrapolated from the first bytes. Parquet files store the record and value counts. The length of their
    texts is extrapolated from the first texts.

    Raises
    ------
    InputError
        If the file cannot be read.
    """
    if PurePosixPath(name).suffix.lower() == ".parquet":
        with reading(name, "not valid Parquet"):
            return _parquet_size(file)
    if PurePosixPath(name).suffix.lower() == ".xlsx":
        return _workbook_size(name, file)
    if PurePosixPath(name).suffix.lower().removeprefix(".") in STATISTICS:
        return _statistics_size(name, file)
    text, head = _unpacked_bytes(name, file, size), _head(name, file)
    if not head:
        return DataSize(0, 0, text)
    rows = head.count(b"\n") or 1
    values = rows + sum(map(head.count, _BETWEEN_VALUES))
    return DataSize(round(rows * text / len(head)), round(values * text / len(head)), text)


def _unpacked_bytes(name: str, file: Any, size: int) -> int:
    packing = compression_of(name)
    if packing == "gzip" and size >= 18:
        file.seek(max(size - LEAST_READ, 0))
        stated = int.from_bytes(file.read(LEAST_READ)[-4:], "little")
        if size // 2 <= stated + 64 and stated <= size * _LARGEST_DEFLATE_RATIO:
            return stated
    return size if packing is None else _GUESSED_RATIO * size


def _head(name: str, file: Any) -> bytes:
    """Return the first bytes of a text. Empty if decompression fails, because the reader of the file reports the
    failure.
    """
    file.seek(0)
    packing = compression_of(name)
    if packing is None:
        return bytes(file.read(_HEAD))
    try:
        return bytes(pa.CompressedInputStream(pa.PythonFile(file, "r"), packing).read(_HEAD))
    except (OSError, pa.ArrowException):
        return b""


def _parquet_size(file: Any) -> DataSize:
    opened = open_parquet(file)
    metadata = opened.metadata
    groups = [metadata.row_group(n) for n in range(metadata.num_row_groups)]
    values = sum(group.column(n).num_values for group in groups for n in range(group.num_columns))
    first = next(opened.iter_batches(_ROWS_OF_HEAD), None)
    text = 0 if first is None or not first.num_rows else sum(map(_text_bytes, first.columns)) / first.num_rows
    return DataSize(metadata.num_rows, values, round(text * metadata.num_rows))


def _workbook_size(name: str, file: Any) -> DataSize:
    with open_workbook_parts(name, file) as opened:
        sheets = sum(entry.file_size for entry in opened.infolist() if entry.filename.startswith("xl/worksheets/"))
    cells = sheets // _BYTES_OF_A_CELL
    return DataSize(cells // _CELLS_OF_A_ROW, cells, sheets)


def _statistics_size(name: str, file: Any) -> DataSize:
    try:
        import pyreadstat
    except ImportError:  # the reader reports it
        return DataSize()
    read = getattr(pyreadstat, STATISTICS[PurePosixPath(name).suffix.lower().removeprefix(".")])
    with reading(name, values=True):
        _, found = read(file, metadataonly=True, output_format="dict")
        rows = found.number_rows
        if rows is None:  # the format does not state the number
            first, _ = read(file, usecols=found.column_names[:1], output_format="dict")
            rows = max(map(len, first.values()), default=0)
    values = rows * found.number_columns
    return DataSize(rows, values, values * _TEXT_OF_VALUE)


def _text_bytes(column: Any) -> int:
    """Return the size of a column as text in bytes. The size is approximate for numbers, and includes separators for
    texts.
    """
    while hasattr(column, "flatten") and hasattr(column.type, "value_type"):
        column = column.flatten() if not hasattr(column, "dictionary_decode") else column.dictionary_decode()
    if column.type in _texts():
        return (arrow.sum(arrow.binary_length(column)).as_py() or 0) + len(column)
    return _TEXT_OF_VALUE * len(column)


def _texts() -> tuple[Any, ...]:
    return pa.string(), pa.large_string()
