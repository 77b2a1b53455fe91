"""CSV and TSV text as columns of text: types are never inferred, and a blank line is a row of one column alone."""

import csv
import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from anonset.errors import InputError
from anonset.io.files import read_bytes, reading

_BLOCK = 1 << 24
_LARGEST_BLOCK = (1 << 31) - 1
_BYTES_AT_ONCE = 1 << 22


class DelimitedText:
    """A CSV or TSV file: the names of its columns, and its columns on request.

    Arrow parses; Python's slow reader looks at the header, and finds the line of an error that Arrow met.
    """

    def __init__(self, path: Path, delimiter: str) -> None:
        self.path = path
        self.delimiter = delimiter
        self.data = read_bytes(path)
        rows = self._rows()
        header = next(rows, None)
        if header is None:
            msg = f"{path}: the file is empty; a header line is required"
            raise InputError(msg)
        self._header_lines = header[1]
        self.names = tuple(header[2]) or ("",)
        self._has_rows = next(rows, None) is not None

    def load(self, names: Sequence[str]) -> dict[str, Any]:
        """Return the named columns as arrays of text (``pyarrow.ChunkedArray``).

        Raises
        ------
        InputError
            If a row has another number of fields than the header, as a blank line has in a file of several columns,
            a quoted field is never closed, or a field is not valid UTF-8; with the line.
        """
        import pyarrow as pa

        if self.data.count(b'"') % 2:  # Arrow would take all that follows an open quote for one value
            self._explain(strict=True)
        if not self._has_rows:
            return {name: pa.chunked_array([], pa.string()) for name in names}
        block, table = _BLOCK, None
        with suppress(pa.ArrowException):  # which shows the line, and must not stand in the chain behind ours
            table = self._parse(names, block)
        if table is None:
            self._explain()
            block = min(len(self.data) + 1, _LARGEST_BLOCK)
            with reading(self.path, values=True):  # a row longer than a block, perhaps
                table = self._parse(names, block)
        self._refuse_blank_lines(table.num_rows, block)
        return {name: table.column(name) for name in names}

    def _refuse_blank_lines(self, n_rows: int, block: int) -> None:
        """Refuse blank lines among several columns, which Arrow takes for a row of empty fields or leaves out.

        Two line ends in a row may stand within quotes too: whether a line is blank, Arrow's count of rows says.
        """
        if len(self.names) == 1 or not _has_adjacent_line_ends(self.data):
            return
        if self._parse(self.names[:1], block, blank_lines=False).num_rows < n_rows:
            self._explain()
            msg = f"{self.path}: a line is blank; {len(self.names)} fields are required as in the header"
            raise InputError(msg)

    def _parse(self, names: Sequence[str], block: int, *, blank_lines: bool = True) -> Any:
        import pyarrow as pa
        from pyarrow import csv as arrow_csv

        return arrow_csv.read_csv(
            pa.BufferReader(self.data),
            arrow_csv.ReadOptions(column_names=list(self.names), skip_rows=self._header_lines, block_size=block),
            arrow_csv.ParseOptions(
                delimiter=self.delimiter, newlines_in_values=True, ignore_empty_lines=not blank_lines
            ),
            arrow_csv.ConvertOptions(
                column_types={name: pa.string() for name in self.names},
                include_columns=list(names),
                null_values=[],
                strings_can_be_null=False,
            ),
        )

    def _rows(self, *, strict: bool = False) -> Iterator[tuple[int, int, list[str]]]:
        """Yield each row's first line (1-based), last line and fields."""
        text = io.TextIOWrapper(io.BytesIO(self.data), "utf-8-sig", newline="")
        rows = csv.reader(text, delimiter=self.delimiter, strict=strict)
        while True:
            first_line, problem = rows.line_num + 1, ""
            row: list[str] = []
            try:
                with any_field_size():
                    row = next(rows)
            except StopIteration:
                return
            except UnicodeDecodeError:
                problem = self._invalid_utf8()
            except csv.Error as error:
                reason = str(error).replace("unexpected end of data", "a quoted field is never closed")
                problem = f"{self.path}: line {first_line}: {reason}"
            if problem:  # raised here, without the error of decoding, which holds the bytes
                raise InputError(problem)
            yield first_line, rows.line_num, row

    def _explain(self, *, strict: bool = False) -> None:
        """Raise the error that names the first bad line, if there is one."""
        for line, _, row in self._rows(strict=strict):
            if len(row) != len(self.names) and (row or len(self.names) > 1):
                got = f"got {len(row)}" if row else "got none: it is blank"
                msg = f"{self.path}: line {line}: {len(self.names)} field(s) required as in the header, {got}"
                raise InputError(msg)

    def _invalid_utf8(self) -> str:
        try:
            self.data.decode("utf-8")
        except UnicodeDecodeError as error:
            line = self.data.count(b"\n", 0, error.start) + 1
            column = error.start - self.data.rfind(b"\n", 0, error.start)
            return f"{self.path}: line {line}, column {column} (in bytes): the text is not valid UTF-8"
        return f"{self.path}: the text is not valid UTF-8"


def _has_adjacent_line_ends(data: bytes) -> bool:
    """Tell whether two line ends follow each other, a carriage return with its line feed being one; 0.2 s a GB."""
    text = np.frombuffer(data, np.uint8)
    for first in range(0, len(text), _BYTES_AT_ONCE):
        part = text[first : first + _BYTES_AT_ONCE + 1]
        feed, back = part == 10, part == 13
        if (feed[:-1] & feed[1:]).any() or (back.any() and ((feed | back)[:-1] & back[1:]).any()):
            return True
    return False


@contextmanager
def any_field_size() -> Iterator[None]:
    """Let Python's reader of CSV take fields of any size within the block; left to itself it stops at 131,072."""
    before = csv.field_size_limit((1 << 31) - 1)
    try:
        yield
    finally:
        csv.field_size_limit(before)
