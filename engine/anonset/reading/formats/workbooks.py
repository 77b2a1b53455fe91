"""Read workbooks (.xlsx). The only sheet with a table is read as the text that a spreadsheet program would export."""

import csv
import io
import re
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time
from typing import Any

from anonset.errors import InputError
from anonset.lazy_arrow import pa
from anonset.reading.batches import OpenedSource
from anonset.reading.formats.delimited_files import open_delimited
from anonset.reading.options import ReadOptions
from anonset.reading.sources.files import open_workbook_parts, reading
from anonset.reading.sources.source import DataFile, Source
from anonset.spelling import counted

_LARGEST = 1 << 28
"""Maximum uncompressed size of a workbook in bytes. A cell needs about 30 bytes."""
_MERGED = re.compile(rb"<(?:\w+:)?mergeCell\b[^>]*\bref=\"([A-Z]+)(\d+):[A-Z]+(\d+)\"")
_WITHOUT_VALUE = re.compile(rb"<(?:\w+:)?f\b[^>]*(?:/>|>[^<]*</(?:\w+:)?f>)\s*(?:<(?:\w+:)?v\s*/>)?\s*</(?:\w+:)?c>")
_ZEROS = re.compile(r"0[0 /-]*0").fullmatch
_EXACT = 10**15
_AS_CSV = "save its sheet as CSV (UTF-8)"


def open_workbooks(source: Source, options: ReadOptions) -> OpenedSource:
    """Open workbooks. Sheets are read as CSV: ISO dates, numbers with a decimal point, text unchanged.

    Raises
    ------
    InputError
        If openpyxl is not installed, or a workbook has several sheets with data, or none.
    """
    sheets = tuple(_sheet_of(file) for file in source.files)
    first = max(options.dialect.header_line, *(sheet.first_line for sheet in sheets))
    as_csv = replace(options, delimiter=",", encoding=None, header_line=first)
    return open_delimited(replace(source, format="csv", files=sheets), as_csv)


@dataclass(frozen=True)
class _SheetFile(DataFile):
    text: bytes = field(default=b"", repr=False)
    first_line: int = 1
    """Line number of the first non-empty row."""

    @contextmanager
    def opened(self) -> Iterator[Any]:
        yield pa.BufferReader(self.text)

    @property
    def size(self) -> int:
        return len(self.text)


def _sheet_of(file: DataFile) -> _SheetFile:
    with file.opened() as opened, reading(file.where):
        data = bytes(opened.read())
    filled = [rows for rows in _sheets(file.where, data) if rows]
    filled = [rows for rows in filled if _is_table(rows)] or filled
    if len(filled) != 1:
        problem = f"{len(filled)} sheets contain data; save the sheet to read as its own workbook, or as CSV (UTF-8)"
        raise InputError(f"{file.where}: {problem if filled else 'no sheet contains data'}")
    text = io.StringIO(newline="")
    rows, width = filled[0], max(map(len, filled[0]))
    writer = csv.writer(text, lineterminator="\n")
    for row in rows:
        writer.writerow([*row, *[""] * (width - len(row))] if any(row) or width == 1 else [])
    first = next(number for number, row in enumerate(rows, 1) if any(row))
    origin = (file.where, file.name, file.place, file.path, file.keys)
    return _SheetFile(*origin, text=text.getvalue().encode(), first_line=first)


def _is_table(rows: Sequence[Sequence[str]]) -> bool:
    """Return True if a sheet has two rows with several cells each. Other sheets contain notes."""
    return sum(sum(map(bool, row)) > 1 for row in rows) > 1


def _sheets(where: str, data: bytes) -> Iterator[list[list[str]]]:
    try:
        from openpyxl import load_workbook
    except ImportError:
        raise InputError(f"{where}: workbooks need openpyxl: pip install 'anonset[xlsx]', or {_AS_CSV}") from None
    with open_workbook_parts(where, io.BytesIO(data)) as archive:
        if sum(member.file_size for member in archive.infolist()) > _LARGEST:
            raise InputError(f"{where}: the workbook exceeds {_LARGEST >> 20} MiB unpacked; {_AS_CSV}")
        with reading(where, "not a valid workbook", values=True), warnings.catch_warnings(action="ignore"):
            book = load_workbook(io.BytesIO(data), read_only=True, data_only=True)
        for sheet in book.worksheets:
            with reading(where, "not a valid workbook", values=True):
                sheet.reset_dimensions()  # some programs write wrong dimensions
                rows = _texts([list(row) for row in sheet.iter_rows()])
                xml = archive.read(sheet._worksheet_path)
            if empty := len(_WITHOUT_VALUE.findall(xml)):
                problem = f"{counted(empty, 'formula')} without a computed value"
                raise InputError(f"{where}: {problem}; open the workbook in a spreadsheet program and save it again")
            _fill_merged(rows, xml)
            yield rows


def _texts(rows: Sequence[Sequence[Any]]) -> list[list[str]]:
    """Return cells as texts. The dates of a column include times if at least one date of the column includes a time."""
    timed = {
        n
        for row in rows
        for n, cell in enumerate(row)
        if isinstance(cell.value, datetime) and cell.value.time() != time()
    }
    texts = [[_text(cell, timed=n in timed) for n, cell in enumerate(row)] for row in rows]
    for row in texts:
        while row and not row[-1]:
            row.pop()
    while texts and not texts[-1]:
        texts.pop()
    return texts


def _text(cell: Any, *, timed: bool) -> str:
    value = cell.value
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, int | float):
        return _number(value, str(cell.number_format))
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M:%S}" if timed else f"{value:%Y-%m-%d}"
    if isinstance(value, date):
        return value.isoformat()
    return "" if value is None else str(value).strip()


def _number(value: float, form: str) -> str:
    """Return a number as text with 15 digits, and with leading zeros if the cell format has them.

    >>> _number(1067.0, "00000"), _number(0.1 + 0.2, "General"), _number(12.0, "0.00")
    ('01067', '0.3', '12')
    """
    if abs(value) >= _EXACT or value != int(value):
        return f"{value:.15g}"
    plain = form.replace("\\", "").replace('"', "")
    if value >= 0 and _ZEROS(plain):
        digits = list(f"{int(value):0{plain.count('0')}d}")
        tail = "".join(digits.pop() if mark == "0" else mark for mark in reversed(plain))
        return "".join(digits) + tail[::-1]
    return str(int(value))


def _fill_merged(rows: list[list[str]], xml: bytes) -> None:
    for letters, top, bottom in _MERGED.findall(xml):
        column = 0
        for letter in letters:
            column = 26 * column + letter - ord("A") + 1
        first, last = int(top) - 1, min(int(bottom), len(rows))
        if first < len(rows) and column <= len(rows[first]):
            for row in rows[first + 1 : last]:
                row += [""] * (column - len(row))
                row[column - 1] = row[column - 1] or rows[first][column - 1]
