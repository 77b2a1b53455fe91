"""Where data come from: files by format, Arrow streams, and plain lists of sets."""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from anonset.data import SetColumn
from anonset.errors import InputError
from anonset.io import fimi
from anonset.io.baskets import read_baskets
from anonset.io.delimited import DelimitedText
from anonset.io.dialect import RECOGNISED, Dialect, Missing
from anonset.io.files import format_of, one_line, reading, require_file, require_there
from anonset.io.folders import parquet_files


@dataclass(frozen=True)
class Source:
    """Named columns that are loaded on request."""

    where: str
    """Name of the source, for messages."""
    names: tuple[str, ...]
    """Names of its columns."""
    load: Callable[[Sequence[str]], Mapping[str, Any]]
    """Return the named columns, each a ``SetColumn`` or a ``pyarrow.ChunkedArray``."""
    sets_only: bool = False
    """Whether its single column is one of sets."""
    first_line: bool = False
    """Whether the names are the first line of a text."""
    hint: str = ""
    """What may help where a declared column is missing."""
    printed: bool = False
    """Whether its lists come from a text."""


@dataclass(frozen=True)
class Reading:
    """How a file is to be read, as far as it was said."""

    format: str | None = None
    """One of `anonset.io.files.INPUT_FORMATS`; None: as its name says."""
    dialect: Dialect = RECOGNISED
    """The dialect of a text."""
    separator: str | None = None
    """What separates items; None: nothing was said."""
    absent: Missing = lambda _: []
    """Tells which declared columns names lack."""


def open_source(source: Any, how: Reading = Reading()) -> Source:
    """Open a path, anything with ``__arrow_c_stream__``, or an iterable of sets.

    Raises
    ------
    InputError
        If it is none of these, or cannot be read.
    """
    if isinstance(source, (str, os.PathLike)):
        return _open_path(Path(source), how)
    if hasattr(source, "__arrow_c_stream__"):
        return _open_arrow(source)
    if isinstance(source, Iterable) and not isinstance(source, (bytes, Mapping)):
        return _open_sets(source)
    msg = f"source must be a path, a table with __arrow_c_stream__ or a list of sets, got {type(source).__name__}"
    raise InputError(msg)


def _open_path(path: Path, how: Reading) -> Source:
    require_there(path)
    kind = format_of(path, how.format)
    if not path.is_dir():
        require_file(path)
    if kind == "parquet":
        return _open_parquet(path)
    if kind in ("csv", "tsv"):
        usual = "\t" if kind == "tsv" else ","
        text = DelimitedText(path, usual, how.dialect, how.absent, separator=how.separator)
        return Source(str(path), text.names, text.load, first_line=True, hint=text.hint)
    readers: dict[str, Callable[[], Any]] = {
        "dat": lambda: fimi.read_fimi(path, how.dialect, separator=how.separator),
        "spmf": lambda: fimi.read_spmf(path, how.dialect),
        "baskets": lambda: read_baskets(path, how.dialect, how.separator),
    }
    return Source(str(path), (fimi.COLUMN,), lambda _: {fimi.COLUMN: readers[kind]()}, True, printed=True)


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
        msg = f"{files[odd]}: the columns and their types must be those of {files[0].name}"
        raise InputError(msg)

    def load(names: Sequence[str]) -> Mapping[str, Any]:
        tables = []
        for file in files:
            with reading(file, "not valid Parquet"):
                tables.append(parquet.ParquetFile(file).read(columns=list(names)).replace_schema_metadata(None))
        return _columns(pa.concat_tables(tables), names)

    return Source(str(path), tuple(schemas[0].names), load)


def _open_arrow(source: Any) -> Source:
    import pyarrow as pa

    where = f"the given {type(source).__name__}"
    with reading(where, values=True):
        table = pa.table(source)
    # An index without a name is no column of the data (pandas keeps one after filtering).
    names = tuple(name for name in table.column_names if not name.startswith("__index_level_"))
    return Source(where, names, partial(_columns, table))


def _columns(table: Any, names: Sequence[str]) -> Mapping[str, Any]:
    return {name: table.column(name) for name in names}


def _open_sets(source: Iterable[Any]) -> Source:
    where = f"the given {type(source).__name__}"
    try:
        rows = [_labels(where, number, row) for number, row in enumerate(source, 1)]
    except TypeError as error:
        msg = f"{where}: a list of sets is required: {one_line(error)}"
        raise InputError(msg) from None
    return Source(where, (fimi.COLUMN,), lambda _: {fimi.COLUMN: SetColumn.of(rows)}, sets_only=True)


def _labels(where: str, number: int, row: Any) -> list[str]:
    if isinstance(row, (str, bytes, Mapping)):
        msg = f"{where}: row {number} must be a set of items, got {type(row).__name__}"
        raise InputError(msg)
    labels = [str(item) if isinstance(item, int) and not isinstance(item, bool) else item for item in row]
    if odd := next((item for item in labels if not isinstance(item, str)), None):
        msg = f"{where}: row {number}: items must be text or integers, got {type(odd).__name__}"
        raise InputError(msg)
    return labels
