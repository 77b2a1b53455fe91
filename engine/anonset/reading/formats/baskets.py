"""Read baskets. Each line is a record with items between separators, and there is no header."""

import csv
import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from anonset import arrow
from anonset.data.storage.workers import ONE_THREAD, Workers
from anonset.errors import InputError
from anonset.lazy_arrow import pa
from anonset.reading.batches import Batch, OpenedSource, SourcePart, with_keys
from anonset.reading.formats.fimi import COLUMN, require_no_utilities
from anonset.reading.formats.text_chunks import ALL_RECORDS, TextRange, pieces
from anonset.reading.formats.text_ranges import Text, ranges_of, text_parts
from anonset.reading.options import ReadOptions
from anonset.reading.sources.dialect import DELIMITERS, Dialect, any_field_size, utf8_text
from anonset.reading.sources.files import reading
from anonset.reading.sources.source import DataFile, Source, can_access
from anonset.spelling import setting

_UNUSED = "\x1f\x1e\x1d\x1c\x01\x02"
_LARGEST_BLOCK = (1 << 31) - 1


def basket_rows(where: object, data: bytes, mark: str, lines: int) -> Any:
    """Return the items of each line in a text or in a piece of it. `lines` is the number of lines before the piece.

    Raises
    ------
    InputError
        If the data are not text.
    """
    if b'"' in data and len(mark) == 1:
        return pa.chunked_array([_quoted_rows(where, data, mark, lines)])
    return arrow.split(arrow.utf8_trim_whitespace(_lines(where, data, lines)), mark)


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
    raise InputError(f"{where}: the item separator is unclear: {finding}; set it with {setting('separator')}")


def _lines(where: object, data: bytes, before: int) -> Any:
    from pyarrow import csv as arrow_csv

    free = next((mark for mark in _UNUSED if mark.encode() not in data), None)
    if free is None:
        raise InputError(f"{where}: not a text file: it contains control characters")
    if not data:
        return pa.chunked_array([], pa.string())
    utf8_text(where, data, before)
    with reading(where, values=True):
        table = arrow_csv.read_csv(
            pa.BufferReader(data),
            arrow_csv.ReadOptions(column_names=["line"], block_size=min(len(data) + 1, _LARGEST_BLOCK)),
            arrow_csv.ParseOptions(delimiter=free, quote_char=False, ignore_empty_lines=False),
            arrow_csv.ConvertOptions(column_types={"line": pa.string()}, null_values=[], strings_can_be_null=False),
        )
    return table.column("line")


def _quoted_rows(where: object, data: bytes, mark: str, before: int) -> Any:
    text = io.StringIO(utf8_text(where, data, before), newline="")
    reader = csv.reader(text, delimiter=mark, skipinitialspace=True, strict=True)
    rows, problem = [], ""
    with any_field_size():
        try:
            rows = list(reader)
        except csv.Error as error:
            problem = f"{where}: line {before + reader.line_num}: {error}"
    if problem:
        raise InputError(problem)
    return arrow.text_lists(rows)


def open_baskets(source: Source, options: ReadOptions) -> OpenedSource:
    """Open basket files with a declared or detected separator."""
    dialect = options.dialect

    def mark(ranges: Callable[[DataFile], Sequence[TextRange]], workers: Workers) -> str:
        if options.one_separator is not None:
            return options.one_separator
        tasks = [(file, span) for file in source.files for span in ranges(file)]
        marks = set[str]().union(*workers.map(partial(_marks_of, dialect), tasks))
        return separator_among(source.where, sorted(marks, key=DELIMITERS.index))

    def batches(names: Sequence[str]) -> Iterator[Batch]:
        separator = mark(lambda _: [ALL_RECORDS], ONE_THREAD)
        for file in source.files:
            yield from _RangeBatches(dialect, separator, file, ALL_RECORDS)(names)

    def parts(workers: Workers) -> list[SourcePart]:
        if not can_access(source.files, workers):
            return []
        separator = mark(lambda file: ranges_of(file, dialect, -1, ALL_RECORDS, workers), workers)
        texts = [Text(file, _quoted_between(separator)) for file in source.files]
        return text_parts(texts, dialect, workers, partial(_RangeBatches, dialect, separator))

    return OpenedSource(source.where, (COLUMN,), batches, parts=parts, sets_only=True, printed=True)


def _marks_of(dialect: Dialect, task: tuple[DataFile, TextRange]) -> set[str]:
    file, span = task
    marks = set[str]()
    for piece in pieces(file, dialect, span=span):
        require_no_utilities(file.where, piece.data)
        marks.update(mark for mark in DELIMITERS if mark.encode() in piece.data)
    return marks


def _quoted_between(separator: str) -> int:
    """Return the delimiter of items that may be quoted. -1 if items cannot be quoted."""
    return ord(separator) if len(separator) == 1 and separator.isascii() else -1


@dataclass(frozen=True)
class _RangeBatches:
    dialect: Dialect
    separator: str
    file: DataFile
    span: TextRange

    def __call__(self, names: Sequence[str]) -> Iterator[Batch]:
        before = 0
        for piece in pieces(self.file, self.dialect, delimiter=_quoted_between(self.separator), span=self.span):
            require_no_utilities(self.file.where, piece.data)
            column = basket_rows(self.file.where, piece.data, self.separator, piece.lines)
            yield with_keys(self.file, before, len(column), {COLUMN: column}, names)
            before += len(column)
