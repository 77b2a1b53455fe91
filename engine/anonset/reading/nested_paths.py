"""Paths into nested columns, such as ``code.coding[].code`` and ``event_params[key=page].value``.

A step is a member of an object, ``[]`` for all elements of a list, or ``[member=text]`` for the elements of a list in
which a member has this value.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, TypeVar

import numpy as np

from anonset import arrow
from anonset.arrow import ArrowColumns
from anonset.data.array_types import Int64
from anonset.data.redacted_repr import RedactedRepr
from anonset.errors import InputError
from anonset.lazy_arrow import pa
from anonset.reading.batches import Batch, OpenedSource, Transform
from anonset.reading.options import ReadOptions
from anonset.spelling import similar_name

_Part = TypeVar("_Part")
_FIRST = 1000
"""Number of records whose members are compared with a path that no record has."""
_STEP = re.compile(r"\[(?:(?P<member>[^\]=\[]+)=(?P<value>[^\]]*))?\]|\.?(?P<name>[^.\[\]]+)")


@dataclass(frozen=True)
class NestedPath:
    """Path of values in a nested column."""

    text: str
    """The path as written. It is the name of the column."""
    steps: tuple[tuple[str, str | None], ...]
    """Steps: (member, None), ("", None) for all elements, or (member, text) for elements in which a member has a
    value.
    """

    @classmethod
    def of(cls, text: str) -> "NestedPath | None":
        """Return a path, or None if the text contains no list.

        >>> NestedPath.of("code.coding[].code").steps, NestedPath.of("a[k=x].v").steps, NestedPath.of("a.b")
        ((('code', None), ('coding', None), ('', None), ('code', None)), (('a', None), ('k', 'x'), ('v', None)), None)

        Raises
        ------
        InputError
            If a bracket is wrong.
        """
        if "[" not in text:
            return None
        steps, at = list[tuple[str, str | None]](), 0
        while at < len(text):
            step = _STEP.match(text, at)
            if step is None or (at == 0 and step["name"] is None):
                raise InputError(f"column {text!r} is no path; write NAME[].MEMBER or NAME[MEMBER=TEXT].MEMBER")
            steps.append((step["name"], None) if step["name"] else (step["member"] or "", step["value"]))
            at = step.end()
        return cls(text, tuple(steps))

    @classmethod
    def of_members(cls, text: str) -> "NestedPath":
        """Return a path through members only, such as ``subject.reference``. Readers of JSON Lines need none."""
        return cls(text, tuple((name, None) for name in text.split(".")))

    @property
    def column(self) -> str:
        """Column of the file into which the path leads, or its first part."""
        return self.steps[0][0]

    @property
    def single(self) -> bool:
        """True if the path selects elements by a value, so that a record may have one value instead of a list."""
        return all(name for name, _ in self.steps)

    def is_below(self, column: str) -> bool:
        """Return True if the path leads into a column such as ``code.coding``."""
        names = column.split(".")
        return [name for name, value in self.steps[: len(names)] if value is None] == names

    def values(self, record: Any) -> list[str]:
        """Return the values of a record, in order. Null and missing members have none.

        Raises
        ------
        InputError
            If a value is an object or a list.
        """
        return [_as_text(self.text, value) for value in self.reached(record)]

    def reached(self, record: Any) -> list[Any]:
        """Return the values of a record, which may be objects and lists."""
        return [value for value in _reached(record, self.steps) if value is not None]

    def read(self, records: Iterable[Any], *, single: bool) -> Any:
        """Return the values of records as a column (``pyarrow.ChunkedArray``): of texts if `single`, else of lists.

        Records of JSON Lines are Python objects, in which a member may be an object in some records and a list in
        others. No Arrow type contains both. Parquet is read by `column_in`, because Python objects take at least 40
        times as long (100,000 records of 8 elements).

        Raises
        ------
        InputError
            If a value is an object or a list.
        """
        rows = map(self.values, records)
        if single:
            return pa.chunked_array([pa.array([row[0] if row else None for row in rows], pa.string())])
        return pa.chunked_array([pa.array(list(rows), pa.list_(pa.string()))])

    def reached_in(self, column: Any) -> tuple[Int64, Any]:
        """Return the record of each value, int64, and the values (``pyarrow.Array``), in order. Values may be objects
        and lists.

        `column`, a ``pyarrow.ChunkedArray``, is the column into which the path leads. Numbers of records begin at 0.
        """
        values, record = column.combine_chunks(), np.arange(len(column))
        for name, wanted in self.steps[1:]:
            if (not name or wanted is not None) and arrow.is_list(values.type):
                values, record = _without_null(values, record)
                record = np.repeat(record, arrow.to_numpy(arrow.list_value_length(values)))
                values = arrow.list_flatten(values)
            if name:
                members = _members(values, name)
                if wanted is None:
                    values = members
                    continue
                are_wanted = _places_of(wanted, members)
                values, record = arrow.chosen(values, are_wanted), record[are_wanted]
        values, record = _without_null(values, record)
        return record, values

    def column_in(self, column: Any, *, single: bool) -> Any:
        """Return the values of a Parquet column as a column (``pyarrow.ChunkedArray``), like `read`.

        Raises
        ------
        InputError
            If a value is an object or a list.
        """
        record, values = self.reached_in(column)
        if _has_parts(values.type) and len(values):
            raise _has_no_text(self.text)
        ends = np.cumsum(np.bincount(record, minlength=len(column)))
        begins = np.append(0, ends)
        texts = _texts(values)
        if single:
            return pa.chunked_array([arrow.take(texts, pa.array(begins[:-1], pa.int64(), mask=begins[:-1] == ends))])
        return pa.chunked_array([pa.ListArray.from_arrays(pa.array(begins, pa.int32()), texts)])

    def may_exist_in(self, schema: Any) -> bool:
        """Return False if a ``pyarrow.Schema`` shows that no column has a value at this path."""
        kind = pa.struct(list(schema))
        for name, value in self.steps:
            if not name or value is not None:
                kind = kind.value_type if arrow.is_list(kind) else kind
            if name and pa.types.is_struct(kind):
                if (place := kind.get_field_index(name)) < 0:
                    return False
                kind = kind.field(place).type if value is None else kind
        return True


def _members(objects: Any, name: str) -> Any:
    """Return a member of each object (``pyarrow.Array``), or null if there is none."""
    place = objects.type.get_field_index(name) if pa.types.is_struct(objects.type) else -1
    return objects.flatten()[place] if place >= 0 else pa.nulls(len(objects))


def _without_null(values: Any, record: Int64) -> tuple[Any, Int64]:
    given = np.flatnonzero(arrow.to_numpy(arrow.is_valid(values)))
    return (values, record) if len(given) == len(values) else (arrow.chosen(values, given), record[given])


def _places_of(text: str, values: Any) -> Int64:
    if _has_parts(values.type):
        return np.empty(0, np.int64)
    return np.flatnonzero(arrow.to_numpy(arrow.is_in(_texts(values), [text])))


def _has_parts(kind: Any) -> bool:
    return bool(pa.types.is_nested(kind))


def _texts(values: Any) -> Any:
    """Return the values of an array as texts."""
    if pa.types.is_string(values.type):
        return values
    if not len(values):
        return pa.array([], pa.string())
    if pa.types.is_floating(values.type):
        return pa.array(map(_plain, values.to_pylist()), pa.string())
    coded = arrow.dictionary_encode(values)
    return arrow.take(pa.array(map(_plain, coded.dictionary.to_pylist()), pa.string()), coded.indices)


def _reached(value: Any, steps: Sequence[tuple[str, str | None]]) -> Iterator[Any]:
    if value is None:
        return
    if not steps:
        yield value
        return
    (name, wanted), rest = steps[0], steps[1:]
    if name and wanted is None:
        if isinstance(value, dict):
            yield from _reached(value.get(name), rest)
        return
    for element in value if isinstance(value, list) else [value]:
        if wanted is None or (isinstance(element, dict) and _plain(element.get(name)) == wanted):
            yield from _reached(element, rest)


def _plain(value: Any) -> Any:
    return str(value).lower() if isinstance(value, bool) else None if value is None else str(value)


def _as_text(path: str, value: Any) -> str:
    if isinstance(value, (dict, list)):
        raise _has_no_text(path)
    return str(_plain(value))


def _has_no_text(path: str) -> InputError:
    return InputError(f"column {path!r} contains objects or lists; name a member, or append []")


def paths_in(declared: Collection[str]) -> tuple[NestedPath, ...]:
    """Return the paths among the declared columns that a file does not have."""
    return tuple(path for name in declared if (path := NestedPath.of(name)) is not None)


def most_values(
    paths: Collection[NestedPath], parts: Iterable[_Part], most_in: Callable[[NestedPath, _Part], int]
) -> dict[NestedPath, int]:
    """Return the maximum number of values of each path in a record, or a number from which it is a list. Read no more
    parts of the data than necessary.
    """
    most, undecided = dict.fromkeys(paths, 0), list(paths)
    for part in parts if paths else ():
        most |= {path: max(most[path], most_in(path, part)) for path in undecided}
        undecided = [path for path in undecided if most[path] <= (1 if path.single else 0)]
        if not undecided:
            break
    return most


def single_paths(
    where: str, most: Mapping[NestedPath, int], records: Callable[[], Iterable[ArrowColumns]]
) -> frozenset[str]:
    """Return the paths with at most one value in each record, given the maximum number of values.

    Raises
    ------
    InputError
        If there are records, and none has a value at a path.
    """
    if unreached := [path for path in most if not most[path]]:
        first = [*islice(records(), _FIRST)]
        if first:
            raise without_values(where, unreached[0], first)
    return frozenset(path.text for path in most if path.single and most[path] <= 1)


def without_values(where: str, path: NestedPath, records: Sequence[ArrowColumns]) -> InputError:
    """Return the error that no record has a value at a path, with members of some records that have similar names."""
    name, near = path.text, None
    for place, (member, value) in enumerate(path.steps):
        objects = [one for record in records for one in _reached(record, path.steps[:place])]
        members = {x for one in objects if isinstance(one, dict) for x in one}
        if members and member and value is None and member not in members:
            near = similar_name(member, sorted(members))
            break
    way = "check its members and values" if near is None else f"did you mean the member {near}?"
    return InputError(f"{where}: column {name!r}: no record has a value at this path; {way}")


def without_entered(columns: Sequence[str], paths: Sequence[NestedPath]) -> list[str]:
    """Return the columns into which no path leads."""
    return [name for name in columns if not any(path.is_below(name) for path in paths)]


@dataclass(frozen=True)
class _Paths(RedactedRepr):
    """Columns of paths, made from the columns of the file."""

    paths: Mapping[str, NestedPath]
    texts: frozenset[str] = frozenset()
    """Paths with at most one value in each record."""

    def entered(self, names: Sequence[str]) -> list[str]:
        """Return the columns of the file that contain the named columns."""
        return list(dict.fromkeys(map(self._entered, names)))

    def _entered(self, name: str) -> str:
        return self.paths[name].column if name in self.paths else name

    def columns(self, _: str, names: Sequence[str], columns: ArrowColumns) -> ArrowColumns:
        """Return the named columns, given the columns of the file."""
        found = {name: columns[own] for name in names if (own := self._entered(name)) in columns}
        return {
            name: column
            if (path := self.paths.get(name)) is None
            else path.column_in(column, single=name in self.texts)
            for name, column in found.items()
        }


def _most_in_batch(path: NestedPath, batch: Batch) -> int:
    return int(np.bincount(path.reached_in(batch.columns[path.column])[0], minlength=1).max())


def _rows(columns: ArrowColumns) -> Iterator[ArrowColumns]:
    for values in zip(*columns.values(), strict=True):
        yield {name: value.as_py() for name, value in zip(columns, values, strict=True)}


def with_nested(opened: OpenedSource, options: ReadOptions) -> OpenedSource:
    """Return a source with the declared paths as columns. A column into which a path leads is not a column any more.

    Raises
    ------
    InputError
        If a path is wrong, leads to an object or a list, or has no values.
    """
    absent = options.absent(opened.names)
    of_members = [NestedPath.of_members(name) for name in absent if "." in name and "[" not in name]
    found = [path for path in (*paths_in(absent), *of_members) if path.column in opened.names]
    first = opened.head(list(dict.fromkeys(path.column for path in found)))
    schema = pa.schema({name: column.type for name, column in first.items()})
    objects = {field.name for field in schema if pa.types.is_struct(field.type)}
    paths = {path.text: path for path in found if path not in of_members or path.column in objects}
    if not paths:
        return opened
    made = _Paths(paths)
    for path in paths.values():
        if not path.may_exist_in(schema):
            raise without_values(opened.where, path, [*islice(_rows(first), _FIRST)])
    most = dict[NestedPath, int]()
    for several in (True, False):  # a value of each path with [] is probably in the first rows
        chosen = [path for path in paths.values() if path.single is not several]
        most |= most_values(chosen, opened.batches(made.entered([path.text for path in chosen])), _most_in_batch)
    made = replace(made, texts=single_paths(opened.where, most, lambda: _rows(first)))
    names = (*without_entered(opened.names, tuple(paths.values())), *paths)
    return replace(opened, names=names).changed(Transform(made.columns, made.entered))
