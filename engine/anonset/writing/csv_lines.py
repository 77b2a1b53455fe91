"""Format text columns as CSV lines. The bytes are the same with every version of Arrow."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any

import numpy as np

from anonset import arrow
from anonset.data import Vocabulary
from anonset.lazy_arrow import pa
from anonset.reading.sources.csv_rows import BYTES_AT_ONCE

_MARKS = '",\r\n\ufeff'
_NEEDS_QUOTES = f"[{_MARKS}]"


def quoted(column: Any, *, fills_line: bool = False) -> Any:
    """Quote the fields of a column that need quotes.

    Parameters
    ----------
    fills_line
        True if the file has no other column. Empty fields are then quoted, because some readers skip blank lines.
    """
    if not (fills_line or _may_need_quotes(column)):
        return column
    needy = arrow.matches(column, _NEEDS_QUOTES)
    if fills_line:
        needy = arrow.or_(needy, arrow.equal(column, arrow.text_scalar("")))
    if not arrow.any(needy).as_py():
        return column
    empty, mark = arrow.text_scalar(""), arrow.text_scalar('"')
    doubled = arrow.replaced(column, '"', '""')
    return arrow.if_else(needy, arrow.binary_join_element_wise(mark, doubled, mark, empty), column)


def _may_need_quotes(column: Any) -> bool:
    """Return True if the bytes of a column contain characters that need quotes.

    Testing all bytes at once is 20 times as fast as testing each field.
    """
    _, offsets, data = column.buffers()
    if data is None or not len(column):
        return False
    ends = np.frombuffer(offsets, np.int64)
    begin, end = int(ends[column.offset]), int(ends[column.offset + len(column)])
    marks = [mark.encode() for mark in _MARKS]
    longest = max(map(len, marks))
    for start in range(begin, end, BYTES_AT_ONCE):
        block = data.slice(start, min(end - start, BYTES_AT_ONCE + longest - 1)).to_pybytes()
        if any(mark in block for mark in marks):
            return True
    return False


def texts_of(vocabulary: Vocabulary) -> Callable[[Any], Any]:
    """Return a function that maps codes, int32 (n,), to their labels (``pyarrow.LargeStringArray``)."""
    if (filed := vocabulary.filed) is not None:
        return lambda codes: arrow.of_text(*filed.gathered(codes))
    labels = arrow.text_array(vocabulary.labels)
    return lambda codes: arrow.chosen(labels, codes)


def lines(columns: Sequence[Any], separator: str = ",") -> Any:
    """Join fields to lines, and return the bytes of the lines (``pyarrow.Buffer``).

    Parameters
    ----------
    columns
        Quoted fields of each column (``pyarrow.LargeStringArray``). All columns have the same length.
    """
    if not len(columns[0]):
        return pa.py_buffer(b"")
    last = arrow.binary_join_element_wise(columns[-1], arrow.text_scalar(""), arrow.text_scalar("\n"))
    rows = (
        arrow.binary_join_element_wise(*columns[:-1], last, arrow.text_scalar(separator)) if len(columns) > 1 else last
    )
    ends = np.frombuffer(rows.buffers()[1], np.int64)[rows.offset : rows.offset + len(rows) + 1]
    return rows.buffers()[2].slice(int(ends[0]), int(ends[-1] - ends[0]))


def csv_lines(header: Sequence[str], blocks: Iterable[Sequence[Any]]) -> Iterator[Any]:
    """Yield the header line of a CSV file, and the lines of each block of columns. Fields are quoted if necessary."""
    for columns in chain([[arrow.text_array([name]) for name in header]], blocks):
        yield lines([quoted(column, fills_line=len(header) == 1) for column in columns])
