"""Arrow arrays and functions without slow imports.

Arrow converts Python objects through pandas if it is installed. `pyarrow.compute` wraps all functions with their
documentation on import. This module avoids pandas and `pyarrow.compute`. It builds arrays from buffers and calls
functions by name.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from anonset.data.array_types import Int64, UInt8
from anonset.data.spans import begins_of
from anonset.lazy_arrow import pa

ArrowColumns: TypeAlias = Mapping[str, Any]
"""Columns (``pyarrow.ChunkedArray``) by name. A column of sets in memory is an `anonset.data.SetColumn` instead."""


def text_array(labels: Sequence[str]) -> Any:
    """Return labels as an Arrow array (``pyarrow.LargeStringArray``).

    >>> text_array(["a", "", "bc"]).to_pylist()
    ['a', '', 'bc']
    """
    joined = "".join(labels)
    text = joined.encode()
    sizes = map(len, labels) if len(text) == len(joined) else (len(label.encode()) for label in labels)
    ends = begins_of(sizes)
    return pa.LargeStringArray.from_buffers(len(labels), pa.py_buffer(ends), pa.py_buffer(text))


def optional_texts(texts: Sequence[str | None]) -> Any:
    """Return texts and nulls as an Arrow array (``pyarrow.LargeStringArray``).

    >>> optional_texts(["a", None, ""]).to_pylist()
    ['a', None, '']
    """
    array = text_array(["" if text is None else text for text in texts])
    _, ends, text = array.buffers()
    return pa.LargeStringArray.from_buffers(len(texts), ends, text, validity_of(texts))


def optional_text_lists(rows: Sequence[Sequence[str | None] | None]) -> Any:
    """Return lists of texts and nulls (``pyarrow.LargeListArray``).

    >>> optional_text_lists([["a", None], None, []]).to_pylist()
    [['a', None], None, []]
    """
    texts = optional_texts([text for row in rows for text in row or ()])
    ends = pa.py_buffer(begins_of([len(row or ()) for row in rows]))
    kind = pa.large_list(pa.large_string())
    return pa.LargeListArray.from_buffers(kind, len(rows), [validity_of(rows), ends], children=[texts])


def validity_of(values: Sequence[Any]) -> Any:
    """Return the Arrow buffer that marks the values other than None. None if there is no None."""
    given = np.array([value is not None for value in values], bool)
    return None if given.all() else pa.py_buffer(np.packbits(given, bitorder="little"))


def text_of(column: Any) -> tuple[Int64, UInt8]:
    """Return the offsets, int64 (n + 1,), and the bytes of a ``pyarrow.LargeStringArray``."""
    _, starts, text = column.buffers()
    n = len(column)
    bounds = np.frombuffer(starts, np.int64)[column.offset : column.offset + n + 1] if n else np.zeros(1, np.int64)
    return bounds, np.empty(0, np.uint8) if text is None else np.frombuffer(text, np.uint8)


def of_text(starts: Int64, text: UInt8) -> Any:
    """Return an Arrow array (``pyarrow.LargeStringArray``) of texts, given their offsets and concatenated bytes."""
    return pa.LargeStringArray.from_buffers(len(starts) - 1, pa.py_buffer(starts), pa.py_buffer(text))


def text_scalar(text: str) -> Any:
    """Return a text as an Arrow scalar."""
    return text_array([text])[0]


def number_array(values: Any) -> Any:
    """Return numbers as an Arrow array that shares their memory.

    >>> number_array(np.array([2, 0], np.int32)).to_pylist()
    [2, 0]
    """
    contiguous = np.ascontiguousarray(values)
    return pa.Array.from_buffers(
        pa.from_numpy_dtype(contiguous.dtype), len(contiguous), [None, pa.py_buffer(contiguous)]
    )


def text_lists(rows: Sequence[Sequence[str]]) -> Any:
    """Return lists of texts (``pyarrow.LargeListArray``)."""
    return pa.LargeListArray.from_arrays(
        number_array(begins_of(map(len, rows))), text_array([text for row in rows for text in row])
    )


def digits(numbers: Any) -> Any:
    """Return integers as texts (``pyarrow.LargeStringArray``)."""
    return cast(number_array(numbers), pa.large_string())


def chosen(values: Any, positions: Any) -> Any:
    """Return the values at the given positions."""
    return _call("take", values, number_array(positions))


def to_numpy(values: Any) -> NDArray[Any]:
    """Return numbers or booleans as a NumPy array. Shares memory, except for booleans and chunked arrays.

    >>> to_numpy(is_in(text_array(["a", "b"]), ["a"])).tolist()
    [True, False]

    Raises
    ------
    ValueError
        If a value is null.
    """
    if isinstance(values, pa.ChunkedArray):
        values = values.chunk(0) if values.num_chunks == 1 else values.combine_chunks()
    if values.null_count:
        raise ValueError(f"values of type {values.type} must not be null")
    if values.type == pa.bool_():
        return to_numpy(cast(values, pa.uint8())).view(np.bool_)
    kind = np.dtype(values.type.to_pandas_dtype())
    data = values.buffers()[1]
    return np.frombuffer(data, kind, len(values), values.offset * kind.itemsize) if len(values) else np.empty(0, kind)


def null(kind: Any) -> Any:
    """Return the null of a type as an Arrow scalar."""
    return pa.nulls(1, kind)[0]


def cast(values: Any, kind: Any) -> Any:
    """Convert values to another type.

    Raises
    ------
    pyarrow.ArrowInvalid
        If the type cannot represent a value exactly.
    """
    return _call("cast", values, options=lambda compute: compute.CastOptions(kind))


def dictionary_encode(values: Any, *, nulls: bool = False) -> Any:
    """Dictionary-encode values. Null gets a code only if `nulls` is True."""
    null_encoding = "encode" if nulls else "mask"
    return _call("dictionary_encode", values, options=lambda compute: compute.DictionaryEncodeOptions(null_encoding))


def without_views(column: Any) -> Any:
    """Return a column in which texts, coded texts and texts in lists are no views (``string_view``, as polars writes).

    Other columns, and lists of other values, are returned unchanged.
    """
    return pa.chunked_array([_without_views(chunk) for chunk in column.chunks]) if _has_views(column.type) else column


def _has_views(kind: Any) -> bool:
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return _has_views(kind.value_type)
    return bool(pa.types.is_string_view(kind.value_type if pa.types.is_dictionary(kind) else kind))


def _without_views(array: Any) -> Any:
    if pa.types.is_string_view(array.type):
        return cast(array, pa.large_string())
    if pa.types.is_dictionary(array.type):
        return pa.DictionaryArray.from_arrays(array.indices, cast(array.dictionary, pa.large_string()))
    mask = array.is_null()
    lengths = np.where(to_numpy(mask), 0, np.diff(to_numpy(array.offsets)))
    ends = number_array(begins_of(lengths))
    return pa.LargeListArray.from_arrays(ends, _without_views(array.flatten()), mask=mask)


def fill_null(values: Any, text: str) -> Any:
    """Replace null by a text."""
    return _call("coalesce", values, cast(text_array([text]), values.type)[0])


def is_in(values: Any, among: Sequence[str], *, nulls: bool = False) -> Any:
    """Return True for each text that is in `among`. For null, return `nulls`."""
    words = cast(text_array(among), values.type)
    words = pa.concat_arrays([words, pa.nulls(1, words.type)]) if nulls else words
    return _call("is_in", values, options=lambda compute: compute.SetLookupOptions(words))


def matches(texts: Any, pattern: str) -> Any:
    """Return True for each text that contains a match of a regular expression."""
    return _call("match_substring_regex", texts, options=lambda compute: compute.MatchSubstringOptions(pattern))


def replaced(texts: Any, part: str, other: str) -> Any:
    """Replace every occurrence of `part` by `other`."""
    return _call("replace_substring", texts, options=lambda compute: compute.ReplaceSubstringOptions(part, other))


def without(texts: Any, pattern: str) -> Any:
    """Delete all matches of a regular expression from texts."""
    return substituted(texts, pattern, "")


def substituted(texts: Any, pattern: str, other: str) -> Any:
    """Replace all matches of a regular expression. `other` may refer to its groups."""
    return _call(
        "replace_substring_regex", texts, options=lambda compute: compute.ReplaceSubstringOptions(pattern, other)
    )


def joined(columns: Sequence[Any], mark: str) -> Any:
    """Return the texts of each row, joined by a mark."""
    return _call("binary_join_element_wise", *columns, text_scalar(mark))


def split(texts: Any, mark: str) -> Any:
    """Split each text at a separator into a list."""
    return _call("split_pattern", texts, options=lambda compute: compute.SplitPatternOptions(mark))


def places_in(values: Any, among: Any) -> Any:
    """Return the position of each text in another array, or null if it does not occur there."""
    return _call("index_in", values, options=lambda compute: compute.SetLookupOptions(among))


def _call(name: str, *values: Any, options: Callable[[Any], Any] | None = None) -> Any:
    compute = _compute_module()
    return compute.call_function(name, list(values), None if options is None else options(compute))


def _compute_module() -> Any:
    """Return `pyarrow._compute`, which imports ten times as fast as `pyarrow.compute`. Return `pyarrow.compute` if it
    is missing.
    """
    try:
        from pyarrow import _compute
    except ImportError:
        import pyarrow.compute as _compute
    return _compute


@cache
def _functions() -> frozenset[str]:
    return frozenset(_compute_module().function_registry().list_functions())


def __getattr__(name: str) -> Any:
    """Return the Arrow function of that name (``or_`` for `or`). It accepts arrays and scalars, and no options."""
    if name.startswith("_") or name.rstrip("_") not in _functions():
        raise AttributeError(name)
    return partial(_call, name.rstrip("_"))


@cache
def is_list(kind: Any) -> bool:
    """Return True if an Arrow type is a list type."""
    tests = ("is_list", "is_large_list", "is_fixed_size_list", "is_list_view", "is_large_list_view")
    return any(getattr(pa.types, test)(kind) for test in tests)


def leaf_paths(kind: Any) -> list[str]:
    """Return the paths of the plain values in a nested Arrow type.

    >>> import pyarrow as pa
    >>> leaf_paths(pa.list_(pa.struct({"day": pa.string(), "lines": pa.list_(pa.struct({"sku": pa.string()}))})))
    ['[].day', '[].lines[].sku']
    """
    if is_list(kind):
        return [f"[]{path}" for path in leaf_paths(kind.value_type)]
    if pa.types.is_struct(kind):
        return [f".{member.name}{path}" for member in kind for path in leaf_paths(member.type)]
    return [""]
