"""Baskets: a record a line, its items between a separator, no header."""

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from anonset.errors import InputError
from anonset.io.dialect import DELIMITERS, Dialect, any_field_size, in_utf8, invalid_utf8
from anonset.io.files import read_bytes, reading
from anonset.spelling import setting

_UNUSED = "\x1f\x1e\x1d\x1c\x01\x02"
_LARGEST_BLOCK = (1 << 31) - 1


def read_baskets(path: Path, dialect: Dialect, separator: str | None) -> Any:
    """Read the items of each line as a column of lists of text (``pyarrow.ChunkedArray``).

    Parameters
    ----------
    separator
        What separates the items; None: the one of ``,`` ``;`` tab and ``|`` that occurs.

    Raises
    ------
    InputError
        If the file cannot be read, or it cannot be told what separates the items.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    data = in_utf8(path, read_bytes(path), dialect)
    mark = _separator(path, data) if separator is None else separator
    if b'"' in data and len(mark) == 1:
        return pa.chunked_array([_quoted_rows(path, data, mark)], pa.list_(pa.string()))
    lines = _lines(path, data)
    return pc.split_pattern(pc.utf8_trim_whitespace(lines), mark)


def _separator(path: Path, data: bytes) -> str:
    found = [mark for mark in DELIMITERS if mark.encode() in data]
    if len(found) == 1:
        return found[0]
    names = ", ".join(map(repr, found or DELIMITERS))
    what = f"all of {names} occur" if found else f"none of {names} occurs"
    msg = f"{path}: what separates the items? {what}; say it by {setting('separator')}"
    raise InputError(msg)


def _lines(path: Path, data: bytes) -> Any:
    """Return the lines as a column of text, an empty one where nothing stands in it."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    free = next((mark for mark in _UNUSED if mark.encode() not in data), None)
    if free is None:
        msg = f"{path}: this is no text: it holds control characters"
        raise InputError(msg)
    if not data:
        return pa.chunked_array([], pa.string())
    try:
        data.decode()
    except UnicodeDecodeError:
        bad = True
    else:
        bad = False
    if bad:
        raise InputError(invalid_utf8(path, data))
    with reading(path, values=True):
        table = arrow_csv.read_csv(
            pa.BufferReader(data),
            arrow_csv.ReadOptions(column_names=["line"], block_size=min(len(data) + 1, _LARGEST_BLOCK)),
            arrow_csv.ParseOptions(delimiter=free, quote_char=False, ignore_empty_lines=False),
            arrow_csv.ConvertOptions(column_types={"line": pa.string()}, null_values=[], strings_can_be_null=False),
        )
    return table.column("line")


def _quoted_rows(path: Path, data: bytes, mark: str) -> Sequence[Sequence[str]]:
    """Read lines in which items may stand in quotes."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = None
    if text is None:
        raise InputError(invalid_utf8(path, data))
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=mark, skipinitialspace=True, strict=True)
    rows, problem = [], ""
    with any_field_size():
        try:
            rows = list(reader)
        except csv.Error as error:
            problem = f"{path}: line {reader.line_num}: {error}"
    if problem:
        raise InputError(problem)
    return rows
