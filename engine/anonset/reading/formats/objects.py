"""Convert data in memory (data frames, columns, records, sets, matrices) to Arrow columns or set-valued columns."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np

from anonset import arrow
from anonset.arrow import ArrowColumns
from anonset.data import SetColumn
from anonset.data.blocks import encode_sets
from anonset.errors import InputError, foreign
from anonset.lazy_arrow import pa
from anonset.reading.batches import OpenedSource
from anonset.reading.options import ReadOptions
from anonset.reading.sources.files import one_line, reading
from anonset.reading.sources.source import Source
from anonset.spelling import setting

_KINDS = "a path, a data frame, a mapping of columns, a list of sets or of records, or a SciPy matrix with labels"
_COLUMN = "items"


class Columns(NamedTuple):
    """Named Arrow columns, or a set-valued column."""

    names: tuple[str, ...]
    columns: ArrowColumns
    """Columns by name. Each column is a ``SetColumn`` or a ``pyarrow.ChunkedArray``."""
    sets_only: bool = False


def columns_of(where: str, source: Any, labels: Sequence[str] | None = None) -> Columns:
    """Return the columns of an object in memory.

    Parameters
    ----------
    where
        Name of the object, for messages.
    labels
        Items of the columns of a matrix.

    Raises
    ------
    InputError
        If the object contains no columns, records or sets.
    """
    if hasattr(source, "tocsr") and len(getattr(source, "shape", ())) == 2:
        return Columns((_COLUMN,), {_COLUMN: _of_matrix(where, source, labels)}, True)
    if labels is not None:
        raise InputError(f"{where}: {setting('labels')} applies to SciPy matrices only")
    if type(source).__name__ == "LazyFrame" and hasattr(source, "collect"):
        with reading(where, values=True):
            source = source.collect()
    if hasattr(source, "__arrow_c_stream__"):
        return _of_stream(where, source)
    if isinstance(source, Mapping):
        return _of_mapping(where, source)
    if isinstance(source, Iterable) and not isinstance(source, (str, bytes, bytearray)):
        if getattr(source, "ndim", 1) > 1:
            msg = f"{where}: convert the matrix with scipy.sparse.csr_array(matrix) and pass {setting('labels')}"
            raise InputError(msg)
        return _of_rows(where, _plain(source))
    raise InputError(f"source must be {_KINDS}, got {type(source).__name__}")


def _of_matrix(where: str, source: Any, labels: Sequence[str] | None) -> SetColumn:
    matrix = source.tocsr(copy=True)
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    if labels is None or isinstance(labels, str) or len(labels) != matrix.shape[1]:
        got = "none" if labels is None else f"{len(labels):,}"
        msg = f"{where}: {setting('labels')} must name the item of each of the {matrix.shape[1]:,} columns, got {got}"
        raise InputError(msg)
    named = _texts(f"{where}: {setting('labels')}", labels)
    if len(set(named)) < len(named):
        raise InputError(f"{where}: two columns have the same label; {setting('labels')} must be distinct")
    if len(matrix.data) and not bool(np.all(matrix.data == 1)):
        raise InputError(f"{where}: a matrix must contain 0 and 1 only; convert counts by matrix.astype(bool)")
    return encode_sets(_COLUMN, matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32), named)


def _texts(what: str, labels: Iterable[Any]) -> list[str]:
    texts = [str(label) if _is_integer(label) else label for label in labels]
    if invalid := next((label for label in texts if not isinstance(label, str)), None):
        raise InputError(f"{what} must be text or integers, got {type(invalid).__name__}")
    return texts


def _of_stream(where: str, source: Any) -> Columns:
    """Convert an object to an Arrow table. If Arrow does not know the types of its Python objects, convert each column
    separately.
    """
    source = _with_text_names(where, source)
    table, problem = None, None
    try:
        with reading(where, values=True):
            table = pa.table(source)
    except InputError as error:
        problem = error
    if table is not None:
        # An unnamed index is not a data column (pandas keeps one after filtering).
        names = tuple(name for name in table.column_names if not name.startswith("__index_level_"))
        _require_distinct(where, names)
        return Columns(names, {name: _plain_column(where, source, name, table.column(name)) for name in names})
    columns = getattr(source, "columns", None)
    if columns is not None and _is_frame(source, columns):
        return _of_mapping(where, {name: source[name].to_list() for name in columns})
    if columns is None and isinstance(source, Iterable):  # a single column
        return _of_rows(where, _plain(source))
    raise problem or InputError(where)


def _plain_column(where: str, source: Any, name: str, column: Any) -> Any:
    """Return a column of a data frame. Polars exports Python objects as memory addresses, so their column is built from
    the objects.
    """
    hidden = pa.types.is_fixed_size_binary(column.type) and _is_frame(source, [name])
    return _array(where, name, source[name].to_list()) if hidden else arrow.without_views(column)


def _with_text_names(where: str, source: Any) -> Any:
    """Return a data frame of pandas in which column names that are integers are text."""
    if not (hasattr(source, "set_axis") and hasattr(source, "columns")):
        return source
    names = list(source.columns)
    texts = [str(name) if _is_integer(name) else name for name in names]
    _require_distinct(where, texts)
    return source.set_axis(texts, axis=1) if any(map(_is_integer, names)) else source


def _require_distinct(where: str, names: Sequence[Any]) -> None:
    name = next((name for name, times in Counter(names).items() if times > 1), None)
    if name is not None:
        raise InputError(f"{where}: two columns have the name {name!r}; rename one of them")


def _is_frame(source: Any, names: Any) -> bool:
    try:
        distinct = len(set(names)) == len(names)
        return distinct and all(isinstance(x, str) and hasattr(source[x], "to_list") for x in names)
    except Exception:
        return False


def _plain(source: Iterable[Any]) -> Iterable[Any]:
    to_list = getattr(source, "to_pylist", None) or getattr(source, "tolist", None)
    return source if to_list is None else to_list()


def _of_mapping(where: str, source: Mapping[Any, Any]) -> Columns:
    texts = [str(name) if _is_integer(name) else name for name in source]
    if invalid := [type(name).__name__ for name in texts if not isinstance(name, str)]:
        raise InputError(f"{where}: column names must be text, got {invalid[0]}")
    _require_distinct(where, texts)
    columns: dict[str, list[Any]] = {}
    for name, values in zip(texts, source.values(), strict=True):
        if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Iterable):
            raise InputError(f"{where}: column {name!r} must be a list of values, got {type(values).__name__}")
        columns[name] = list(values)
    lengths = {name: len(values) for name, values in columns.items()}
    if len(set(lengths.values())) > 1:
        shown = ", ".join(f"{name!r}: {length:,}" for name, length in lengths.items())
        raise InputError(f"{where}: columns must have the same number of records, got {shown}")
    return Columns(tuple(columns), {name: _array(where, name, values) for name, values in columns.items()})


def _array(where: str, name: str, values: list[Any]) -> Any:
    if any(_is_set(value) for value in values):
        place = f"{where}: column {name!r}"
        rows = [None if _is_null_or_nan(value) else _labels(place, row, value) for row, value in enumerate(values, 1)]
        return pa.chunked_array([pa.array(rows, pa.list_(pa.string()))])
    problem = f"column {name!r} cannot be read; its values must have the same type"
    with reading(where, problem, values=True):
        return pa.chunked_array([pa.array(values, from_pandas=True)])


def _is_set(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, (str, bytes, Mapping))


def _is_null_or_nan(value: Any) -> bool:
    return (
        value is None or type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and value != value)
    )


def _is_integer(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def _of_rows(where: str, source: Iterable[Any]) -> Columns:
    try:
        rows = list(source)
    except TypeError as error:
        raise InputError(f"{where}: a list of sets is required: {foreign(one_line(error))}") from None
    if rows and isinstance(rows[0], Mapping):
        return _of_records(where, rows)
    sets = [_labels(where, number, row) for number, row in enumerate(rows, 1)]
    return Columns((_COLUMN,), {_COLUMN: SetColumn.of(sets)}, True)


def _of_records(where: str, rows: Sequence[Any]) -> Columns:
    if invalid := next((number for number, row in enumerate(rows, 1) if not isinstance(row, Mapping)), 0):
        msg = f"{where}: row {invalid} must be a mapping like the first row, got {type(rows[invalid - 1]).__name__}"
        raise InputError(msg)
    names = dict.fromkeys(name for row in rows for name in row)
    return _of_mapping(where, {name: [row.get(name) for row in rows] for name in names})


def _labels(where: str, number: int, row: Any) -> list[str]:
    if isinstance(row, (str, bytes, Mapping)) or not isinstance(row, Iterable):
        raise InputError(f"{where}: row {number} must be a set of items, got {type(row).__name__}")
    return _texts(f"{where}: row {number}: items", row)


def open_object(source: Source, _: ReadOptions) -> OpenedSource:
    """Open a Python object as a single batch."""
    columns = columns_of(source.where, source.given, source.labels)
    return OpenedSource(source.where, columns.names, sets_only=columns.sets_only, from_files=False).with_columns(
        columns.columns
    )
