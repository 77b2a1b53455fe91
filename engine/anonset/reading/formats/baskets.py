"""Read baskets. Each line is a record with items between separators, and there is no header."""

import csv
import io
from collections.abc import Iterator, Sequence
from typing import Any

from anonset.errors import InputError
from anonset.reading import arrow
from anonset.reading.batches import Batch, FileProperties, OpenedSource, with_keys
from anonset.reading.dialect import DELIMITERS, any_field_size, invalid_utf8
from anonset.reading.files import reading
from anonset.reading.formats.fimi import COLUMN
from anonset.reading.formats.text_chunks import pieces
from anonset.reading.source import Source
from anonset.spelling import setting

_UNUSED = "\x1f\x1e\x1d\x1c\x01\x02"
_LARGEST_BLOCK = (1 << 31) - 1


def basket_rows(where: object, data: bytes, mark: str, lines: int) -> Any:
    """Return the items of each line of a text, or of a piece of a text. `lines` is the number of lines before the
    piece.

    Raises
    ------
    InputError
        If the data are not text.
    """
    import pyarrow as pa

    if b'"' in data and len(mark) == 1:
        return pa.chunked_array([_quoted_rows(where, data, mark, lines)])
    return arrow.split(arrow.utf8_trim_whitespace(_lines(where, data, lines)), mark)


def marks_in(data: bytes) -> list[str]:
    """Return the possible item separators that occur in the data."""
    return [mark for mark in DELIMITERS if mark.encode() in data]


def separator_among(where: object, marks: list[str]) -> str:
    """Return the item separator, given the possible separators that occur.

    Raises
    ------
    InputError
        If there is not exactly one.
    """
    if len(marks) == 1:
        return marks[0]
    names = ", ".join(map(repr, marks or DELIMITERS))
    finding = f"{names} all occur" if marks else f"none of {names} occurs"
    msg = f"{where}: the item separator is unclear: {finding}; set it with {setting('separator')}"
    raise InputError(msg)


def _lines(where: object, data: bytes, before: int) -> Any:
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    free = next((mark for mark in _UNUSED if mark.encode() not in data), None)
    if free is None:
        msg = f"{where}: not a text file: it contains control characters"
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
        raise InputError(invalid_utf8(where, data, before))
    with reading(where, values=True):
        table = arrow_csv.read_csv(
            pa.BufferReader(data),
            arrow_csv.ReadOptions(column_names=["line"], block_size=min(len(data) + 1, _LARGEST_BLOCK)),
            arrow_csv.ParseOptions(delimiter=free, quote_char=False, ignore_empty_lines=False),
            arrow_csv.ConvertOptions(column_types={"line": pa.string()}, null_values=[], strings_can_be_null=False),
        )
    return table.column("line")


def _quoted_rows(where: object, data: bytes, mark: str, before: int) -> Any:
    try:
        text = data.decode()
    except UnicodeDecodeError:
        text = None
    if text is None:
        raise InputError(invalid_utf8(where, data, before))
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=mark, skipinitialspace=True, strict=True)
    rows, problem = [], ""
    with any_field_size():
        try:
            rows = list(reader)
        except csv.Error as error:
            problem = f"{where}: line {before + reader.line_num}: {error}"
    if problem:
        raise InputError(problem)
    return arrow.text_lists(rows)


def open_baskets(source: Source, properties: FileProperties) -> OpenedSource:
    """Open basket files with a declared or detected separator."""

    def mark() -> str:
        if properties.separator is not None:
            return properties.separator
        parts = (piece.data for file in source.files for piece in pieces(file, properties.dialect))
        marks = dict.fromkeys(sign for data in parts for sign in marks_in(data))
        return separator_among(source.where, sorted(marks, key=DELIMITERS.index))

    def batches(names: Sequence[str]) -> Iterator[Batch]:
        separator = mark()
        quoted = ord(separator) if len(separator) == 1 and separator.isascii() else -1
        for file in source.files:
            before = 0
            for piece in pieces(file, properties.dialect, delimiter=quoted):
                column = basket_rows(file.where, piece.data, separator, piece.lines)
                yield with_keys(file, before, len(column), {COLUMN: column}, names)
                before += len(column)

    return OpenedSource(source.where, (COLUMN,), batches, sets_only=True, printed=True)
