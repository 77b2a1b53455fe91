"""Sources of data: files by format, and objects in memory."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from anonset.errors import InputError
from anonset.io import fimi
from anonset.io.baskets import read_baskets
from anonset.io.columns import with_nulls
from anonset.io.delimited import DelimitedText
from anonset.io.dialect import RECOGNISED, Dialect, Missing, in_utf8
from anonset.io.files import format_of, read_bytes, reading, require_file, require_there
from anonset.io.folders import parquet_files
from anonset.io.objects import columns_of
from anonset.spelling import setting

HEAD = 1 << 20
"""Bytes of a text that hold its first rows."""
_FIRST_ROWS = 1 << 15


@dataclass(frozen=True)
class Described:
    """Named columns, with a name of the source for messages."""

    where: str
    """Name of the source, for messages."""
    names: tuple[str, ...]
    """Names of its columns."""
    sets_only: bool = field(default=False, kw_only=True)
    """Whether its single column is one of sets."""
    first_line: bool = field(default=False, kw_only=True)
    """Whether the names are the first line of a text."""
    hint: str = field(default="", kw_only=True)
    """What may help where a declared column is missing."""
    printed: bool = field(default=False, kw_only=True)
    """Whether its lists come from a text."""
    decimal: str = field(default="", kw_only=True)
    """The decimal sign of its numbers, if it is recognised."""
    below: int = field(default=0, kw_only=True)
    """The line in which its names seem to stand, below other lines; 0 for none."""


@dataclass(frozen=True)
class Source(Described):
    """Named columns that are loaded on request."""

    load: Callable[[Sequence[str]], Mapping[str, Any]]
    """Return the named columns, each a ``SetColumn`` or a ``pyarrow.ChunkedArray``."""
    head: Callable[[Sequence[str]], Mapping[str, Any]] | None = field(default=None, kw_only=True)
    """Return the same of only the first rows, if that is less work."""


@dataclass(frozen=True)
class Reading:
    """How a file is to be read, as far as it is declared."""

    format: str | None = None
    """One of `anonset.io.files.INPUT_FORMATS`; None: as its name says."""
    dialect: Dialect = RECOGNISED
    """The dialect of a text."""
    separator: str | None = None
    """What separates items; None: not declared."""
    absent: Missing = lambda _: []
    """Tells which declared columns names lack."""
    labels: Sequence[str] | None = None
    """The items that the columns of a matrix stand for."""
    ids: tuple[str, ...] = ()
    """Columns whose values are nearly all different, which are best read as plain text."""
    null: tuple[str, ...] = ()
    """Texts that are null."""
    numeric: tuple[str, ...] = ()
    """Columns of numbers, by which their decimal sign is recognised."""


def open_source(source: Any, how: Reading = Reading()) -> Source:
    """Open a path, or an object in memory.

    Raises
    ------
    InputError
        If it is none of these, or cannot be read.
    """
    opened = _open(source, how)
    if not how.null:
        return opened
    load, head = opened.load, opened.head or opened.load
    return replace(
        opened,
        load=lambda names: with_nulls(load(names), how.null),
        head=lambda names: with_nulls(head(names), how.null),
    )


def _open(source: Any, how: Reading) -> Source:
    if isinstance(source, (str, os.PathLike)):
        return _open_path(Path(source), how)
    where = f"the given {type(source).__name__}"
    given = columns_of(where, source, how.labels)

    def load(names: Sequence[str]) -> Mapping[str, Any]:
        return {name: given.columns[name] for name in names}

    return Source(where, given.names, load, sets_only=given.sets_only)


def _open_path(path: Path, how: Reading) -> Source:
    require_there(path)
    kind = format_of(path, how.format, no_header=how.dialect.no_header)
    require_lines(path, kind, how)
    if not path.is_dir():
        require_file(path)
    if kind == "parquet":
        return _open_parquet(path)
    if kind in ("csv", "tsv"):
        usual = "\t" if kind == "tsv" else ","
        data = in_utf8(path, read_bytes(path), how.dialect)
        text = DelimitedText(path, data, usual, how.dialect, how.absent, separator=how.separator)
        described: dict[str, Any] = {
            "hint": text.hint,
            "decimal": text.decimal(how.numeric, how.null),
            "below": text.below,
            "head": partial(text.head, size=HEAD),
        }
        return Source(str(path), text.names, text.load, first_line=not how.dialect.no_header, **described)
    readers: dict[str, Callable[[], Any]] = {
        "dat": lambda: fimi.read_fimi(path, how.dialect, separator=how.separator),
        "spmf": lambda: fimi.read_spmf(path, how.dialect),
        "baskets": lambda: read_baskets(path, how.dialect, how.separator),
    }
    return Source(str(path), (fimi.COLUMN,), lambda _: {fimi.COLUMN: readers[kind]()}, sets_only=True, printed=True)


def require_lines(where: object, kind: str, how: Reading) -> None:
    """Refuse options on a line of names for formats without one, and on null for formats of items alone.

    Raises
    ------
    InputError
        If the format is not such a one.
    """
    dialect, what = how.dialect, ""
    if (dialect.no_header or dialect.header_line > 1) and kind not in ("csv", "tsv"):
        name = setting("no_header", True) if dialect.no_header else setting("header_line")
        what = f"{name} is about CSV and TSV, whose first line names the columns"
    elif how.null and kind not in ("csv", "tsv", "parquet"):
        what = f"{setting('null')} is about tables, whose fields may be null"
    if what:
        msg = f"{where}: {what}; got {kind}"
        raise InputError(msg)


def _open_parquet(path: Path) -> Source:
    """Open a Parquet file, or the files of a directory in the order of their names, which must agree in schema."""
    import pyarrow as pa
    from pyarrow import parquet

    files = parquet_files(path) if path.is_dir() else [path]
    schemas = []
    for file in files:
        require_file(file)
        with reading(file, "not valid Parquet"), file.open("rb") as opened:
            schemas.append(parquet.read_schema(opened).remove_metadata())
    if odd := next((i for i, schema in enumerate(schemas) if not schema.equals(schemas[0])), None):
        what = difference(schemas[0], schemas[odd])
        msg = f"{files[odd]}: the columns and their types must be those of {files[0].name}; {what}"
        raise InputError(msg)

    def load(names: Sequence[str]) -> Mapping[str, Any]:
        tables = []
        for file in files:
            with reading(file, "not valid Parquet"):
                tables.append(_whole(parquet.ParquetFile(file), list(names)).replace_schema_metadata(None))
                tables[-1].validate(full=True)  # refuses text that is not UTF-8, and bad offsets
        return _columns(pa.concat_tables(tables), names)

    def head(names: Sequence[str]) -> Mapping[str, Any]:
        with reading(files[0], "not valid Parquet"), parquet.ParquetFile(files[0]) as opened:
            batches = list(islice(opened.iter_batches(_FIRST_ROWS, columns=list(names)), 1))
            table = pa.Table.from_batches(batches, None if batches else schemas[0])
            table.validate(full=True)
            return _columns(table, names)

    return Source(str(path), tuple(schemas[0].names), load, head=head)


def difference(first: Any, other: Any) -> str:
    """Say in which column two Arrow schemas differ."""
    for column in first:
        position = other.get_field_index(column.name)
        if position < 0:
            return f"there is no column {column.name!r}"
        if other.field(position).type != column.type:
            return f"column {column.name!r} must be {column.type}, got {other.field(position).type}"
    if more := [name for name in other.names if name not in first.names]:
        return f"there is a column {more[0]!r} more"
    return "they stand in another order, or another column may hold nulls"


def _whole(file: Any, names: list[str]) -> Any:
    """Return all rows of a Parquet file; Arrow returns lists of codes only row group by row group."""
    import pyarrow as pa

    try:
        return file.read(columns=names)
    except pa.ArrowNotImplementedError:
        return pa.concat_tables(file.read_row_group(n, columns=names) for n in range(file.num_row_groups))


def _columns(table: Any, names: Sequence[str]) -> Mapping[str, Any]:
    return {name: table.column(name) for name in names}
