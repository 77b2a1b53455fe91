"""Read CSV and TSV text as text columns.

Types are never inferred. A blank line is a row if there is only one column.
"""

import copy
import csv
import io
import re
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np

from anonset import arrow
from anonset.arrow import ArrowColumns
from anonset.columns.kinds import recognised_decimal
from anonset.errors import Fix, InputError, MisreadError, Problem
from anonset.lazy_arrow import pa
from anonset.reading.formats.footers import end_of_rows, footer_of, has_keys, is_figure
from anonset.reading.sources.dialect import (
    DELIMITERS,
    LINE_END,
    NAMES_OF_LOG,
    Dialect,
    Missing,
    any_field_size,
    delimiter_of,
    header_fields,
    invalid_utf8,
    lines_above,
    numbered,
    other_delimiter,
)
from anonset.reading.sources.files import reading
from anonset.reading.sources.ragged_lines import are_baskets, are_records, unusual_delimiter
from anonset.spelling import counted

_BLOCK = 1 << 24
_LARGEST_BLOCK = (1 << 31) - 1
_BYTES_AT_ONCE = 1 << 22
_LONGEST_HEADER = 1 << 20
_LINES_ABOVE = 30
_LINES_OF_BASKETS = 1_000
_LINES_OF_A_NAME = 4
_LOOKED_AT = 1 << 18
_ENOUGH = 3  # number of consecutive rows with one field count that suffice
_OTHER_NUMBERS = re.compile("[$£€¥’\u00a0\u202f']|[0-9] [0-9]|EUR|USD|GBP|CHF".encode())
_END_OF_FILE = b"\x1a"  # end-of-file character of DOS
_TOLD = re.compile(rb'"?sep=([,;\t|])"?(\r\n|\n|\r)')  # line by which spreadsheets declare the delimiter


def _is_number(field: str) -> bool:
    return not field or is_figure(field)


class DelimitedText:
    """CSV or TSV text with a header. Provides the column names, and loads columns on request.

    The arguments are the name for messages, the text in UTF-8, and the number of lines of the file before the text.

    Arrow parses the rows. Python's slower reader parses the header, and finds the line of an error that Arrow reports.
    Blanks around names and fields are stripped, unless the dialect is exact.
    """

    def __init__(
        self,
        path: object,
        data: bytes,
        usual: str,
        dialect: Dialect,
        absent: Missing = lambda _: (),
        *,
        separator: str | None = None,
        before: int = 0,
        is_complete: bool = True,
    ) -> None:
        self.path, self.is_complete, self._is_separated = path, is_complete, separator is not None
        self.exact, self._named, self._skips_footer = dialect.exact, not dialect.no_header, dialect.skip_footer
        self._ends_with_records = dialect.ends_with_records
        lacking: Missing = absent if self._named else lambda fields: absent(numbered(fields))
        self.data, told = self._from_header(data, dialect.header_line)
        self._skipped += before
        header = _first_row(self.data)
        self.delimiter = dialect.delimiter or told or delimiter_of(header, usual, lacking, separator, self.data)
        self._detects = not (dialect.delimiter or told)
        if not self.exact:
            _require_text(str(path), header)
        rows = self._rows()
        self._name_columns(next(rows, None))
        self.remedies = (other_delimiter(header, lacking) or self._header_below(lacking)) if absent(self.names) else []
        self._first_lines = self.data[:_LOOKED_AT].decode("utf-8", "replace").splitlines()[:_LINES_OF_BASKETS]
        start = len(self.header)
        self._keyed = not self.exact and has_keys(self.data, start, self.delimiter, self.n_fields)
        if is_complete and (end := self.end_of(self.data, start)) < len(self.data):
            self.footer(self.data[end:])
            self.data = self.data[:end]
        self._has_rows = len(self.data) > start and (not self._named or next(rows, None) is not None)

    def _from_header(self, data: bytes, header_line: int) -> tuple[bytes, str]:
        """Return the text without the lines above the header, and the delimiter that the first line declares. Empty if
        it declares none.
        """
        told = None
        if not self.exact:
            data = data.rstrip(_END_OF_FILE)
            told = _TOLD.match(data)
        self._above, self._skipped = lines_above(str(self.path), data, header_line, 0 if told is None else told.end())
        return data[self._above :] if self._above else data, "" if told is None else told[1].decode()

    def _name_columns(self, first: tuple[int, int, list[str]] | None) -> None:
        """Name the columns by the first row, or number them."""
        if first is None:
            raise InputError(f"{self.path}: the file is empty; a {'header ' if self._named else ''}line is required")
        _, last_line, fields = first
        self.header_lines = last_line if self._named else 0
        if not self._named:
            fields = numbered(fields or [""])
        elif not self.exact:
            self._require_names(fields)
        names = tuple(fields if self.exact else [name.strip() for name in fields]) or ("",)
        named = len(names) if self.exact else max((n for n, name in enumerate(names, 1) if name), default=len(names))
        doubled = not self.exact and named > 2 and all(names[:named:2]) and not any(names[1:named:2])
        self.n_fields = len(names)
        if named < len(names):  # spreadsheets write trailing columns without names, sometimes in the header only
            row = next(islice(self._rows(), 1, None), (0, 0, names))[2]
            self.n_fields = len(row) if named <= len(row) < len(names) else len(names)
        unnamed = {*range(named, self.n_fields), *(range(1, named, 2) if doubled else ())}  # such as between a::b
        self.fields = tuple(f"\0{n}" if n in unnamed else names[n] for n in range(self.n_fields))
        self.names = tuple(name for name in self.fields if not name.startswith("\0"))
        self._unnamed, self._is_doubled = sorted(unnamed), doubled

    def _require_names(self, names: Sequence[str]) -> None:
        """Reject column names that span several lines. The header then contains a quote that is not closed, or is
        closed only far below.
        """
        for name in names:
            others = name.splitlines()[1:]
            if len(others) >= _LINES_OF_A_NAME or any(self.delimiter in line for line in others):
                where = f"{self.path}: line {1 + self._skipped}: a name in the header"
                raise InputError(f"{where} extends over {len(others) + 1:,} lines; close its quote on the same line")

    @cached_property
    def baskets(self) -> str:
        """Delimiter of the first lines if they are baskets, and otherwise an empty text."""
        every = [self.delimiter] if self.n_fields > 1 else [*dict.fromkeys([self.delimiter, *DELIMITERS])]
        marks = [mark for mark in every if any(mark in line for line in self._first_lines)]
        named = self._named and not self.exact
        return next((mark for mark in marks if are_baskets(self._first_rows(mark))), "") if named else ""

    @cached_property
    def misread(self) -> Problem | None:
        """Problem of first lines that contradict the settings, with the settings that they suggest, or None."""
        if self._unusual:
            fix = Fix({"delimiter": self._unusual}, "if it does")
            return Problem(f"{self._unusual!r} separates the fields of most lines", [fix])
        if self.baskets:
            return Problem("the lines look like sets of items without a header", [Fix(self.of_baskets, "if they are")])
        if not self.below:
            return None
        names = counted(len(self.names), "column name")
        problem = f"the first line has {names}, the other lines have another number of fields"
        return Problem(problem, self._fix_below())

    @cached_property
    def _unusual(self) -> str:
        """Delimiter of the first lines if it is none that is detected while reading, and otherwise an empty text."""
        usual = sum(self.delimiter in line for line in self._first_lines)
        unsplit = self._detects and not self.exact and 2 * usual < len(self._first_lines)
        return unusual_delimiter(self._first_lines) if unsplit else ""

    @cached_property
    def below(self) -> int:
        """Line number of the header if other lines precede it, and otherwise 0."""
        return 0 if self.exact or not self._named or self.baskets else self._names_below()

    @property
    def of_baskets(self) -> dict[str, str]:
        """Settings that read the text as baskets."""
        others = any(mark.encode() in self.data for mark in DELIMITERS if mark != self.baskets)
        return {"input_format": "baskets", **({"separator": self.baskets} if self.baskets and others else {})}

    @property
    def header(self) -> bytes:
        """The unparsed header lines."""
        if not self._named:
            return b""
        ends = (line_end.end() for line_end in LINE_END.finditer(self.data))
        return self.data[: next(islice(ends, self.header_lines - 1, None), len(self.data))]

    @property
    def lines(self) -> int:
        """Number of lines before the first record."""
        return self.header_lines + self._skipped

    @property
    def size(self) -> int:
        """Number of bytes before the first record."""
        return self._above + len(self.header)

    def end_of(self, data: bytes, start: int = 0) -> int:
        """Return the end of the rows, excluding trailing rows of separators and a footer."""
        return len(data) if self.exact else self._footer_of(data, start)[0]

    def _footer_of(self, data: bytes, start: int) -> tuple[int, int]:
        if self.baskets:
            return len(data), 0
        if self._ends_with_records:
            return end_of_rows(data, start, self.delimiter, self.n_fields), 0
        return footer_of(data, start, self.delimiter, self.n_fields, keyed=self._keyed)

    def certain_rows(self, data: bytes) -> int:
        """Return the end of the lines that are certainly rows. Trailing blank lines, rows of separators and footers may
        follow them.
        """
        end = self.end_of(data)
        if self.exact or self.n_fields == 1 or data[end - 1 : end] not in (b"\n", b"\r"):
            return end
        stop = end
        while stop and data[stop - 1] in b"\r\n":
            stop -= 1
        return min(end, stop + (2 if data[stop : stop + 2] == b"\r\n" else 1)) if stop else 0

    def is_row(self, line: bytes) -> bool:
        """Return True if a line is certainly a row. It is then not blank, a row of separators, or part of a footer."""
        if self.exact or self.n_fields == 1:
            return True
        fields = header_fields(line.decode("utf-8", "replace"), self.delimiter)
        return any(fields) and self.certain_rows(line) == len(line)

    def footer(self, tail: bytes) -> int:
        """Return the number of footer lines after the last record.

        Raises
        ------
        MisreadError
            If there are footer lines, and they are not skipped.
        """
        lines = self._footer_of(tail, 0)[1]
        if lines and not self._skips_footer:
            problem = f"the file ends with a footer, such as totals or notes ({counted(lines, 'line')})"
            msg = f"{self.path}: {problem}"
            raise MisreadError(msg, fixes=[Fix({"skip_rows": ["footer"]}, "to remove it, if it contains no person")])
        return lines

    def decimal(self, names: Sequence[str], null: Sequence[str], labels: Collection[int] = ()) -> str:
        """Return the decimal sign of numeric columns, detected from the first rows. Empty if numbers are in the
        notation of programs, or if the sign is ambiguous.

        Texts in `null`, and rows at the positions `labels`, are ignored.
        """
        first = self.data[:_LOOKED_AT]
        positions = [n for n, name in enumerate(self.fields) if name in names]
        marked = b"," in first and (self.delimiter != "," or b'"' in first)
        if not positions or not (marked or _OTHER_NUMBERS.search(first)):
            return ""
        end = max(first.rfind(b"\n"), first.rfind(b"\r")) + 1 or len(first)
        lines = first[:end].decode("utf-8", "replace")
        with any_field_size():
            rows = list(csv.reader(io.StringIO(lines, newline=""), delimiter=self.delimiter, skipinitialspace=True))
        rows = [row for number, row in enumerate(rows[int(self._named) :]) if number not in labels]
        fields = [row[n].strip() for row in rows if len(row) == self.n_fields for n in positions]
        return recognised_decimal([field for field in fields if field not in null])

    def _header_below(self, absent: Missing) -> list[Fix]:
        """Return the remedy for a header below other lines. Empty if no line below looks like a header."""
        lines = self.data[:_LONGEST_HEADER].decode("utf-8", "replace").splitlines()[1:_LINES_ABOVE]
        for number, line in enumerate(lines, 2 + self._skipped):
            for mark in DELIMITERS:
                names = header_fields(line, mark)
                if self._named and len(names) > 1 and not absent(names):
                    return [Fix({"header_line": number}, f"if line {number} is the header")]
        return []

    def _fix_below(self) -> list[Fix]:
        return [Fix({"header_line": self.below}, f"if line {self.below} is the header")] if self.below else []

    def _names_below(self) -> int:
        """Return the line number of the header if other lines precede it, and otherwise 0. The rows after the header
        have as many fields as the header.
        """
        names = (n for n, line in enumerate(self._first_lines, 1) if line.startswith(NAMES_OF_LOG))
        if self._first_lines[0].startswith("#") and (at := next(names, 0)):
            return at + self._skipped
        comments = sum(line.startswith("##") for line in self._first_lines)
        lines = self._first_lines[: comments + _LINES_ABOVE]
        titled = any(len(header_fields(line, self.delimiter)) != self.n_fields for line in lines)
        whole = self.n_fields - 1 not in self._unnamed
        repeat = self._is_doubled or self.names.count("") > 1 or len({*self.names}) < len(self.names)
        groups = whole and repeat and not titled  # the first line names groups of columns
        if self.n_fields > 1 and whole and not (titled or groups):
            return 0
        fewest = self.n_fields if whole and not groups else 2
        line_of = {0: 0}  # line by column count; the delimiter with the most columns is chosen
        for mark in dict.fromkeys([self.delimiter, *DELIMITERS]):
            rows = [header_fields(line, mark) for line in lines]
            number = next((n for n, row in enumerate(rows) if n and len(row) > max(2, fewest) and all(row)), len(rows))
            below = rows[number:]
            even = len(below) > _ENOUGH and len(set(map(len, below))) == 1
            figures = any(any(column) and all(map(_is_number, column)) for column in zip(*below[1:], strict=False))
            if groups and not figures:
                continue
            if even and (comments or len(set(below[0])) == len(below[0])) and not any(map(is_figure, below[0])):
                all_below = self._first_rows(mark)[number + 1 :]
                above = [
                    [*dict.fromkeys(row)] if groups else row for row in rows[:number]
                ]  # a group has several columns
                if not are_records(above, below[0], all_below):
                    line_of.setdefault(len(below[0]), number + 1 + self._skipped)
        return line_of[max(line_of)]

    def _first_rows(self, delimiter: str) -> list[list[str]]:
        return [header_fields(line, delimiter) for line in self._first_lines]

    def load(self, names: Sequence[str]) -> ArrowColumns:
        """Return the named columns as text (``pyarrow.ChunkedArray``).

        Raises
        ------
        InputError
            If the field count of a row differs from the header (as for a blank line in a file with several columns), a
            quoted field is never closed, or a field is not valid UTF-8. The message contains the line number.
        """
        quotes = self.data.count(b'"')
        if quotes % 2:  # Arrow would read everything after an open quote as one value
            self._raise_first_error(strict=True)
        if not self._has_rows:
            return {name: pa.chunked_array([], pa.string()) for name in names}
        if self.exact:
            return self._loaded(names)
        if self._unnamed:
            self._refuse_unnamed()
        after_blank = quotes and any(mark in self.data for mark in (f'{self.delimiter} "'.encode(), b'\n "', b'\r "'))
        loaded = dict(self._loaded_by_python(names) if after_blank else self._loaded(names))
        return {name: arrow.utf8_trim_whitespace(loaded.pop(name)) for name in names}  # frees each copied column

    def head(self, names: Sequence[str], size: int) -> ArrowColumns:
        """Return the named columns of the first rows, from about `size` bytes. Invalid UTF-8 is replaced."""
        all_rows = len(self.data) <= size or self.data.find(b"\n", 0, size) < 0
        end = len(self.data) if all_rows else self.data.rfind(b"\n", 0, size) + 1
        while self.data.count(b'"', 0, end) % 2:  # line end within quotes
            end = self.data.rfind(b"\n", 0, end - 1) + 1
        if end <= len(self.header):
            return {name: pa.chunked_array([], pa.string()) for name in names}
        first = copy.copy(self)
        first.data = self.data[:end].decode("utf-8", "replace").encode()
        return first.load(names)

    def _loaded(self, names: Sequence[str]) -> ArrowColumns:
        block, table = _BLOCK, None
        with suppress(pa.ArrowException):  # the error is not chained, because its message shows the line
            table = self._parse(names, block)
        if table is None:
            self._raise_first_error()
            block = min(len(self.data) + 1, _LARGEST_BLOCK)
            with reading(self.path, values=True):  # a row may be longer than a block
                table = self._parse(names, block)
        self._refuse_blank_lines(table.num_rows, block)
        return {name: table.column(name) for name in names}

    def _refuse_unnamed(self) -> None:
        for line, _, row in self._rows():
            number = next((n + 1 for n in self._unnamed if n < len(row) and row[n].strip()), 0)
            if number and len(row) == self.n_fields:
                where = f"{self.path}: line {line + self._skipped}"
                msg = f"{where}: column {number} contains a value but has no name; name it in the first line"
                raise InputError(msg, fixes=self._fix_of_baskets(0) or self._fix_below())

    def _loaded_by_python(self, names: Sequence[str]) -> ArrowColumns:
        """Read a text in which quotes follow blanks. Arrow would read these quotes as text."""
        self._raise_first_error()
        rows = [row or [""] for _, _, row in self._rows()][int(self._named) :]
        position_of = {name: self.fields.index(name) for name in names}
        texts = {name: arrow.text_array([row[n] for row in rows]) for name, n in position_of.items()}
        return {name: pa.chunked_array([arrow.cast(text, pa.string())]) for name, text in texts.items()}

    def _refuse_blank_lines(self, n_rows: int, block: int) -> None:
        """Reject blank lines in a file with several columns. Arrow reads blank lines as rows of empty fields, or skips
        them.

        Two adjacent line ends may be within quotes, so Arrow's row count decides whether there is a blank line.
        """
        if self.n_fields == 1 or not _has_adjacent_line_ends(self.data):
            return
        if self._parse(self.names[:1], block, blank_lines=False).num_rows < n_rows:
            self._raise_first_error()
            raise InputError(f"{self.path}: blank line; {counted(self.n_fields, 'field')} required")

    def _parse(self, names: Sequence[str], block: int, *, blank_lines: bool = True) -> Any:
        from pyarrow import csv as arrow_csv

        return arrow_csv.read_csv(
            pa.BufferReader(self.data),
            arrow_csv.ReadOptions(column_names=self.fields, skip_rows=self.header_lines, block_size=block),
            arrow_csv.ParseOptions(
                delimiter=self.delimiter, newlines_in_values=True, ignore_empty_lines=not blank_lines
            ),
            arrow_csv.ConvertOptions(
                column_types={name: pa.string() for name in self.fields},
                include_columns=list(names),
                null_values=[],
                strings_can_be_null=False,
            ),
        )

    def _rows(self, *, strict: bool = False) -> Iterator[tuple[int, int, list[str]]]:
        """Yield each row's first line (1-based), last line and fields."""
        text = io.TextIOWrapper(io.BytesIO(self.data), "utf-8", newline="")
        rows = csv.reader(text, delimiter=self.delimiter, strict=strict, skipinitialspace=not self.exact)
        while True:
            first_line, problem = rows.line_num + 1, Problem("")
            row = list[str]()
            try:
                with any_field_size():
                    row = next(rows)
            except StopIteration:
                return
            except UnicodeDecodeError:
                problem = invalid_utf8(self.path, self.data, self._skipped)
            except csv.Error as error:
                reason = str(error).replace("unexpected end of data", "a quoted field is never closed")
                problem = Problem(f"{self.path}: line {first_line + self._skipped}: {reason}")
            # raised outside the except block, because a chained decoding error would contain the bytes
            if problem.sentence:
                raise MisreadError(problem) if problem.fixes else InputError(problem)
            yield first_line, rows.line_num, row

    def _raise_first_error(self, *, strict: bool = False) -> None:
        for line, _, row in self._rows(strict=strict):
            if len(row) != self.n_fields and (row or self.n_fields > 1):
                got = f"got {len(row)}" if row else "got a blank line; delete it"
                hint, fixes = "", self._fix_of_baskets(line) or self._fix_below()
                if self.n_fields == 1:
                    fixes = [*self.misread.fixes] if self.misread else []
                    if not (fixes or self._is_separated):
                        fixes = [Fix({"separator": self.delimiter.replace("\t", r"\t")}, "if it separates items")]
                elif self.n_fields == len(row) - 1 and line == self.header_lines + 1 and self._named:
                    hint, fixes = "; a column name is missing in the first line (R omits the name of the row names)", []
                where = f"{self.path}: line {line + self._skipped}"
                like = "the header" if self._named else "the first line"
                msg = f"{where}: {counted(self.n_fields, 'field')} required as in {like}, {got}"
                msg += f" (between {self.delimiter!r}){hint}" if hint or fixes else ""
                raise InputError(msg, fixes=fixes, line=line + self._skipped)

    def _fix_of_baskets(self, line: int) -> list[Fix]:
        """Return the remedy if the file looks like baskets, because the lines after the first have different numbers of
        fields. Empty for other files.
        """
        uneven = line + self._skipped == 2 and str(self.path).lower().endswith(".txt")
        return [Fix(self.of_baskets, "if each line is a set of items")] if uneven or self.baskets else []


def _first_row(data: bytes) -> str:
    """Return the first row of a text, including line ends within quotes."""
    row_end = quotes = 0
    for line_end in LINE_END.finditer(data, 0, _LONGEST_HEADER):
        quotes += data.count(b'"', row_end, line_end.end())
        row_end = line_end.end()
        if quotes % 2 == 0:
            return data[:row_end].decode("utf-8", "replace")
    return data[:_LONGEST_HEADER].decode("utf-8", "replace")


def _require_text(path: str, header: str) -> None:
    problem, fixes = "", list[Fix]()
    if header.startswith("PK\x03\x04"):
        problem, fixes = "this is a workbook or an archive, not CSV", [Fix({"input_format": "xlsx"}, "for a workbook")]
    elif header.startswith("PAR1"):
        problem, fixes = "this is a Parquet file", [Fix({"input_format": "parquet"})]
    elif "\0" in header:
        wide = "utf-16-be" if header.startswith("\0") else "utf-16-le"
        problem, fixes = "the first line contains NUL bytes", [Fix({"encoding": wide}, "if the text is UTF-16")]
    elif header.lstrip()[:15].lower().startswith(("<html", "<!doctype html", "<table")):
        problem = "this is an HTML page; save the table as CSV"
    elif header.startswith("MSH|"):
        problem = "these are HL7 messages; write them to a table with the id of the patient in each row"
    elif header.lower().startswith("@relation"):
        problem = "ARFF is not supported; save the table as CSV"
    elif header.lstrip().startswith(('{"', '[{"')):
        problem = "this is JSON, not CSV"
        fixes = [Fix({"input_format": "jsonl"}, "if it has an object per line")]
    if problem:
        raise InputError(f"{path}: {problem}", fixes=fixes)


def _has_adjacent_line_ends(data: bytes) -> bool:
    """Return True if two line ends are adjacent. CR LF counts as one. The cost is 0.2 s per GB."""
    text = np.frombuffer(data, np.uint8)
    for first in range(0, len(text), _BYTES_AT_ONCE):
        part = text[first : first + _BYTES_AT_ONCE + 1]
        feed, back = part == 10, part == 13
        if (feed[:-1] & feed[1:]).any() or (back.any() and ((feed | back)[:-1] & back[1:]).any()):
            return True
    return False
