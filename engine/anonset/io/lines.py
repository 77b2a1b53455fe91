"""Columns of text as lines of CSV, whole columns at a time, the same bytes with any version of Arrow."""

from collections.abc import Sequence
from typing import Any

_NEEDS_QUOTES = '[",\r\n\ufeff]'


def quoted(column: Any, *, alone: bool = False) -> Any:
    """Quote the fields of a column that need it; an empty one too where it stands `alone` in its line.

    An empty line would be lost on readers that skip blank lines.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    needy = pc.match_substring_regex(column, _NEEDS_QUOTES)
    if alone:
        needy = pc.or_(needy, pc.equal(column, pa.scalar("", column.type)))
    if not pc.any(needy).as_py():
        return column
    empty, mark = pa.scalar("", column.type), pa.scalar('"', column.type)
    doubled = pc.replace_substring(column, '"', '""')
    return pc.if_else(needy, pc.binary_join_element_wise(mark, doubled, mark, empty), column)


def text_array(labels: Sequence[str]) -> Any:
    """Return labels as an Arrow array."""
    import pyarrow as pa

    return pa.array(labels, pa.large_string())


def lines(columns: Sequence[Any], separator: str = ",") -> Any:
    """Return lines of quoted fields as bytes, one line per row (``pyarrow.Buffer``).

    Parameters
    ----------
    columns
        ``pyarrow.LargeStringArray`` each, of the same length.
    """
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    if not len(columns[0]):
        return pa.py_buffer(b"")
    kind = pa.large_string()
    last = pc.binary_join_element_wise(columns[-1], pa.scalar("", kind), pa.scalar("\n", kind))
    rows = pc.binary_join_element_wise(*columns[:-1], last, pa.scalar(separator, kind)) if len(columns) > 1 else last
    ends = np.frombuffer(rows.buffers()[1], np.int64)[rows.offset : rows.offset + len(rows) + 1]
    return rows.buffers()[2].slice(int(ends[0]), int(ends[-1] - ends[0]))


def csv_bytes(header: Sequence[str], columns: Sequence[Any]) -> list[Any]:
    """Return the parts of a CSV file: the header line, and the lines of the columns, quoted where needed."""
    alone = len(columns) == 1
    top = lines([quoted(text_array([name]), alone=alone) for name in header])
    return [top, lines([quoted(column, alone=alone) for column in columns])]
