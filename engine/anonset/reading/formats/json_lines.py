"""Read JSON Lines, one record per line, as columns of text and of lists. Types are never inferred."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from decimal import Decimal
from functools import cache
from typing import Any, NoReturn

import numpy as np

from anonset import arrow
from anonset.arrow import ArrowColumns
from anonset.errors import InputError, Problem
from anonset.lazy_arrow import pa
from anonset.reading.batches import Batch, OpenedSource, first_rows, with_keys
from anonset.reading.formats.text_chunks import TextPiece, pieces
from anonset.reading.name_lists import names_in
from anonset.reading.nested_paths import NestedPath, most_values, paths_in, single_paths, without_entered
from anonset.reading.options import ReadOptions
from anonset.reading.sources.dialect import invalid_utf8
from anonset.reading.sources.source import DataFile, Source

_LINES_OF_MEMBERS = 1_000
_TEXT, _LIST, _NESTED = range(3)
"""Kinds of columns. The kind of a column is the largest kind of its values."""
_SMALLEST, _LARGEST = 1e-40, 1e40
"""Ids that are numbers between these bounds are spelled without an exponent."""
MOST_CELLS, MOST_CELLS_PER_VALUE = 20_000_000, 1000
"""Limits of the cells, which are lines times different keys. A file above both limits is rejected, because a short file
whose lines all have other keys would need memory and time for an empty cell of each key in each line.
"""
_Record = dict[str, Any]


def open_json_lines(source: Source, options: ReadOptions) -> OpenedSource:
    """Open JSON Lines files. Members of objects become columns called ``object.member``, and declared paths such as
    ``code.coding[].code`` become columns of lists.

    The names and kinds of the columns, and the number of values of each path, are collected in a first pass through all
    files, because a record may lack some columns.

    Raises
    ------
    InputError
        If a line is not a JSON object, there is no line, almost all cells would be empty, or a declared path has no
        values.
    """
    kinds: dict[str, int] = {}
    members: dict[str, dict[str, None]] = {}  # paths in nested values, in order
    n_lines = n_values = 0

    def whole(*, strict: bool = False) -> Iterator[_Record]:
        for file in source.files:
            for piece in pieces(file, options.dialect):
                yield from _records(file, piece, strict=strict)

    def observed() -> Iterator[_Record]:
        nonlocal n_lines, n_values
        for record in whole(strict=True):
            flat = _flat(record)
            for name, value in flat.items():
                kind = _kind(value)
                kinds[name] = max(kinds.get(name, _TEXT), kind)
                if kind == _NESTED and n_lines < _LINES_OF_MEMBERS:
                    members.setdefault(name, {}).update(dict.fromkeys(_paths(value)))
            n_lines, n_values = n_lines + 1, n_values + len(flat)
            yield record

    records = observed()
    most = most_values(_possible_paths(options), records, lambda path, record: len(path.reached(record)))
    for _ in records:
        pass
    if not kinds:
        raise InputError(f"{source.where}: the file is empty; each line must be a JSON object")
    if n_lines * len(kinds) > max(MOST_CELLS, MOST_CELLS_PER_VALUE * n_values):
        keys = f"{n_lines:,} lines have {len(kinds):,} different keys, and only {n_values:,} values"
        msg = f"{source.where}: {keys}; if keys are items, write them as a list: jq -c '{{items: keys}}' FILE"
        raise InputError(msg)
    known = {name.partition(".")[0] for name in kinds}
    paths = {path.text: path for path in paths_in(options.absent(tuple(kinds))) if path.column in known}
    kinds = {name: kinds[name] for name in without_entered(tuple(kinds), tuple(paths.values()))}
    single = single_paths(source.where, {path: most[path] for path in paths.values()}, whole)
    kinds |= dict.fromkeys(paths, _LIST)
    ids = names_in(tuple(kinds), options.ids)

    def batches(names: Sequence[str]) -> Iterator[Batch]:
        kind_of = {name: kind for name, kind in kinds.items() if name in names}
        for file in source.files:
            before = 0
            for piece in pieces(file, options.dialect):
                records = list(_records(file, piece, strict=False))
                flat = [_flat(record) for record in records]
                columns = {
                    name: _column(
                        [_id(record.get(name)) if name in ids else record.get(name) for record in flat],
                        kind,
                        members.get(name, ()),
                    )
                    if (path := paths.get(name)) is None
                    else path.read(records, single=name in single)
                    for name, kind in kind_of.items()
                }
                yield with_keys(file, before, len(records), columns, names)
                before += len(records)

    @cache
    def first() -> ArrowColumns:
        return first_rows(batch.columns for batch in batches(tuple(kinds)))

    def head(names: Sequence[str]) -> ArrowColumns:
        return {name: first()[name] for name in names if name in kinds}

    return OpenedSource(source.where, tuple(kinds), batches, head=head)


def _possible_paths(options: ReadOptions) -> list[NestedPath]:
    """Return the declared paths. A name with brackets may also be the name of a column."""
    found = list[NestedPath]()
    for name in options.absent(()):
        with suppress(InputError):
            found += paths_in([name])
    return found


def _records(file: DataFile, piece: TextPiece, *, strict: bool) -> Iterator[_Record]:
    """Yield the records of a piece. If `strict`, reject objects in which a key occurs twice, also as ``a.b`` and as the
    member ``b`` of ``a``. This takes three times as long.
    """
    decoder = _STRICT_DECODER if strict else _DECODER
    for number, line in enumerate(piece.data.split(b"\n"), piece.lines + 1):
        if not line.strip():
            continue
        record, problem = None, Problem("invalid JSON")
        try:
            record = decoder.decode(line.decode())
            if strict and isinstance(record, dict):
                _flat(record)
            if _SURROGATE(line):
                json.dumps(record, ensure_ascii=False).encode()
        except UnicodeDecodeError:
            problem = invalid_utf8("", line, number - 1)
        except UnicodeEncodeError:
            record, problem = None, Problem("half of a pair of surrogates (\\ud800 to \\udfff), which is no character")
        except RecursionError:
            problem = Problem("too many nesting levels")
        except _RepeatedNameError:
            record, problem = None, Problem("a key occurs twice in an object")
        except ValueError:
            pass  # no details, because the error message may quote the line
        if isinstance(record, dict):
            yield record
            continue
        way = ""
        if line.lstrip().startswith(b"[") and number == 1:
            way = "; to convert a JSON array: jq -c '.[]' FILE.json > FILE.jsonl"
        problem = problem if record is None else Problem("another value")
        msg = f"{file.where}: line {number}: each line must be a JSON object, got {problem.sentence}{way}"
        raise InputError(msg, fixes=problem.fixes, line=number)


class _RepeatedNameError(ValueError):
    """Name that occurs twice in an object."""


def _members(pairs: list[tuple[str, Any]]) -> _Record:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise _RepeatedNameError
    return members


def _refuse_constant(_: str) -> NoReturn:
    raise ValueError


class _Float(str):
    """Number with a fraction or an exponent, in its written form."""

    __slots__ = ()


_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]").search
_NUMBERS: ArrowColumns = {"parse_int": str, "parse_float": _Float, "parse_constant": _refuse_constant}
_DECODER, _STRICT_DECODER = json.JSONDecoder(**_NUMBERS), json.JSONDecoder(**_NUMBERS, object_pairs_hook=_members)


def _flat(record: _Record) -> _Record:
    """Return a record with nested objects flattened.

    >>> _flat({"id": "1", "address": {"zip": "01067", "geo": {"lat": "5.0"}}})
    {'id': '1', 'address.zip': '01067', 'address.geo.lat': '5.0'}
    """
    if not any(isinstance(value, dict) for value in record.values()):
        return record
    flat: _Record = {}
    for name, value in record.items():
        inner = _flat(value) if isinstance(value, dict) else None
        for member, content in {name: value}.items() if inner is None else inner.items():
            path = member if inner is None else f"{name}.{member}"
            if path in flat:
                raise _RepeatedNameError
            flat[path] = content
    return flat


def _id(value: Any) -> Any:
    """Return a value of an id column. Equal numbers have the same spelling, as in other formats.

    >>> [_id(_Float(number)) for number in ("1e7", "1.50E1", "0.5", "1e999")], _id("1e7")
    (['10000000', '15', '0.5', '1e999'], '1e7')
    """
    if not isinstance(value, _Float) or not _SMALLEST < abs(float(value)) < _LARGEST:
        return value
    whole, _, fraction = f"{Decimal(value):f}".partition(".")
    return f"{whole}.{digits}" if (digits := fraction.rstrip("0")) else whole


def _kind(value: Any) -> int:
    if not isinstance(value, list):
        return _TEXT
    return _NESTED if any(isinstance(item, (list, dict)) for item in value) else _LIST


def _paths(value: Any) -> Iterator[str]:
    """Yield the paths of the plain values in nested values.

    >>> list(_paths([{"day": 1, "lines": [{"sku": 2}]}]))
    ['[].day', '[].lines[].sku']
    """
    steps = [("[]", item) for item in value] if isinstance(value, list) else []
    steps += [(f".{name}", item) for name, item in value.items()] if isinstance(value, dict) else []
    for step, item in steps:
        yield from (f"{step}{path}" for path in _paths(item))
    if not isinstance(value, (list, dict)):
        yield ""


def _column(values: list[Any], kind: int, members: Iterable[str] = ()) -> Any:
    """Return values as a column (``pyarrow.ChunkedArray``). Nested values have no content, but only null is null. Their
    type contains the paths `members`.
    """
    if kind == _NESTED:
        fields = [(path.removeprefix("[]."), pa.null()) for path in members if path.startswith("[].")]
        nested, starts = pa.list_(pa.struct(fields)), pa.py_buffer(np.zeros(len(values) + 1, np.int32))
        without_members = pa.nulls(0, nested.value_type)
        buffers = [arrow.validity_of(values), starts]
        return pa.chunked_array([pa.Array.from_buffers(nested, len(values), buffers, children=[without_members])])
    if kind == _TEXT:
        return pa.chunked_array([arrow.cast(arrow.optional_texts([_text(value) for value in values]), pa.string())])
    rows = [
        None if row is None else [_text(item) for item in (row if isinstance(row, list) else [row])] for row in values
    ]
    return pa.chunked_array([arrow.cast(arrow.optional_text_lists(rows), pa.list_(pa.string()))])


def _text(value: Any) -> str | None:
    return str(value).lower() if isinstance(value, bool) else value
