"""Read linked tables as one source (see `anonset.reading.linked`)."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Self

import numpy as np

from anonset import arrow
from anonset.data.joining import require_joinable
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.storage.workers import Workers
from anonset.errors import InputError
from anonset.reading.batches import Batch, FileProperties, OpenedSource, SourcePart, open_source
from anonset.reading.linked import LinkedTable, LinkedTables, column_of
from anonset.reading.sources.source import Source
from anonset.spelling import counted

_BETWEEN = "\x1f"
"""Text between the columns of a key."""


@dataclass(frozen=True, eq=False)
class _Parent(RedactedRepr):
    """Rows of a table by their key, with the person of each row."""

    name: str
    keys: Any
    """Folded and joined keys, each once (``pyarrow.LargeStringArray``)."""
    persons: Mapping[str, Any]
    """Columns of the unit, in the order of `keys`."""

    @classmethod
    def of(cls, name: str, table: OpenedSource, key: Sequence[str], unit: Mapping[str, str]) -> Self:
        """Read the key and the person of each row.

        Parameters
        ----------
        unit
            Column of the table for each column of the unit.

        Raises
        ------
        InputError
            If the table lacks a key column, or a key belongs to two persons.
        """
        import pyarrow as pa

        if lacking := [column for column in key if column not in table.names]:
            msg = f"{table.where}: no column {lacking[0]!r}, the key of another table"
            raise InputError(msg)
        parts: dict[str, list[Any]] = {column: [] for column in [*key, *unit.values()]}
        for batch in table.batches(list(parts)):
            for column, texts in parts.items():
                texts.append(_as_text(batch.columns[column]))
        columns = {column: pa.concat_arrays(texts) for column, texts in parts.items()}
        keys, persons = _joined([columns[column] for column in key]), _joined([columns[name] for name in unit.values()])
        codes, person = (arrow.to_numpy(arrow.dictionary_encode(x).indices) for x in (keys, persons))
        first = np.unique(codes, return_index=True)[1]
        if (person != person[first][codes]).any():
            msg = f"{table.where}: rows with the same key ({', '.join(map(repr, key))}) belong to different persons"
            raise InputError(msg)
        of_unit = {column: arrow.chosen(columns[own], first) for column, own in unit.items()}
        return cls(name, arrow.chosen(keys, first), of_unit)

    def persons_of(self, where: str, key: Sequence[Any]) -> dict[str, Any]:
        """Return the columns of the unit for rows with the given key columns.

        Raises
        ------
        InputError
            If a key does not occur in this table.
        """
        places = arrow.places_in(_joined([_as_text(column) for column in key]), self.keys)
        if places.null_count:
            rows = counted(places.null_count, "row")
            msg = f"{where}: the key of {rows} does not occur in the table {self.name!r}; correct the data"
            raise InputError(msg)
        return {name: arrow.chosen(column, arrow.to_numpy(places)) for name, column in self.persons.items()}


def _as_text(column: Any) -> Any:
    """Return a column as a ``pyarrow.LargeStringArray``. Null is the empty text."""
    import pyarrow as pa

    text = arrow.fill_null(arrow.cast(column, pa.large_string()), "")
    return text.combine_chunks() if isinstance(text, pa.ChunkedArray) else text


def _joined(columns: Sequence[Any]) -> Any:
    """Return folded keys as one text per row."""
    folded = [arrow.folded(column) for column in columns]
    return folded[0] if len(folded) == 1 else arrow.binary_join_element_wise(*folded, arrow.text_scalar(_BETWEEN))


@dataclass(frozen=True)
class _Renamed(RedactedRepr):
    """Batches of a table under the names of the linked source."""

    batches: Callable[[Sequence[str]], Iterator[Batch]]
    own: Mapping[str, str]
    """Name in the table of each column of the source that the table has."""
    describes: bool
    number: int
    """Number of the table."""
    key: tuple[str, ...] = ()
    """Key of the rows in `parent`."""
    parent: _Parent | None = None
    """Table with the person of each key. None if the table has the columns of the unit."""
    skip_without_id: bool = False
    """True if rows are skipped whose key belongs to no person."""

    def __call__(self, names: Sequence[str]) -> Iterator[Batch]:
        """Yield the batches with those columns among `names` that the table has."""
        wanted = {name: self.own[name] for name in names if name in self.own}
        for batch in self.batches(list(dict.fromkeys([*self.key, *wanted.values()]))):
            columns = {name: batch.columns[own] for name, own in wanted.items()}
            if self.parent is not None:
                key = [batch.columns[name] for name in self.key]
                persons = self.parent.persons_of(batch.where, key)
                columns |= {name: persons[name] for name in names if name in persons}
                if self.skip_without_id:
                    has_id = np.logical_and.reduce([arrow.are_given(person) for person in persons.values()])
                    columns = {name: arrow.chosen(one, np.flatnonzero(has_id)) for name, one in columns.items()}
                    batch = replace(batch, without_id=batch.without_id + int((~has_id).sum()))
            yield replace(batch, columns=columns, describes=self.describes, facts=(self.number, batch.facts))


@dataclass(frozen=True)
class _WithoutPrefix(RedactedRepr):
    """Batches of a table whose keys have no prefix."""

    batches: Callable[[Sequence[str]], Iterator[Batch]]
    key: tuple[str, ...]
    prefix: str

    def __call__(self, names: Sequence[str]) -> Iterator[Batch]:
        return (replace(batch, columns=self.cut(batch.columns)) for batch in self.batches(names))

    def cut(self, columns: Mapping[str, Any]) -> dict[str, Any]:
        """Return columns in which the key begins after the prefix."""
        import pyarrow as pa

        cut = {name: pa.chunked_array([_as_text(columns[name])]) for name in self.key if name in columns}
        return {**columns, **{name: arrow.without(one, f"^{re.escape(self.prefix)}") for name, one in cut.items()}}


def _open_table(table: LinkedTable, properties: FileProperties) -> OpenedSource:
    opened = open_source(table.source, properties)
    if not table.key_prefix:
        return opened
    own = _WithoutPrefix(opened.batches, table.key, table.key_prefix)

    def parts(workers: Workers) -> Sequence[SourcePart]:
        return [replace(part, batches=replace(own, batches=part.batches)) for part in opened.parts(workers)]

    return replace(opened, batches=own, parts=parts, head=lambda names: own.cut(opened.head(names)))


def open_tables(source: Source, properties: FileProperties) -> OpenedSource:
    """Open linked tables as one source.

    Raises
    ------
    InputError
        If a table cannot be read, or lacks a named column.
    """
    linked: LinkedTables = source.given
    every = (*linked.tables, *linked.lookups)
    opened_of = {table.name: _open_table(table, table.properties(properties, linked.unit)) for table in every}
    for table in every:
        _require_columns(table, opened_of[table.name])
    renamed, left_out = list[_Renamed](), list[str]()
    for number, table in enumerate(linked.tables):
        one, key, parent = opened_of[table.name], tuple[str, ...](), None
        others = [name for name in one.names if name not in table.key]
        if table.items:
            left_out += (column_of(table.name, name) for name in others if name != table.items)
            others = [table.items]
        own = {} if table.parent else dict(zip(linked.unit, table.key, strict=True))
        own |= {column_of(table.name, name): name for name in others}
        if table.parent:
            above = next(other for other in every if other.name == table.parent)
            of_unit, key = dict(zip(linked.unit, above.key, strict=True)), table.key
            every_row = replace(above.properties(properties, linked.unit), skip_without_id=False)
            parent = _Parent.of(above.name, _open_table(above, every_row), table.parent_key, of_unit)
        skips = properties.skip_without_id
        renamed.append(_Renamed(one.batches, own, not table.items, number, key, parent, skips))
    opened = [opened_of[table.name] for table in linked.tables]

    def batches(names: Sequence[str]) -> Iterator[Batch]:
        for table in renamed:
            yield from table(names)

    def parts(workers: Workers) -> Sequence[SourcePart]:
        of_tables = [one.parts(workers) for one in opened]
        if not all(of_tables) or any(table.parent is not None for table in renamed):
            return ()
        return [
            replace(part, batches=replace(table, batches=part.batches), row=None)
            for table, of_table in zip(renamed, of_tables, strict=True)
            for part in of_table
        ]

    def judge() -> None:
        for one in opened_of.values():
            one.judge()

    def merge(facts: tuple[int, Any]) -> None:
        number, of_table = facts
        opened[number].merge(of_table)

    def head(names: Sequence[str]) -> Mapping[str, Any]:
        if linked.unit == tuple(names):  # a value that means "no id" may occur in any table
            return _ids_of(renamed, opened, names)
        shown = dict[str, Any]()
        for number, one in enumerate(renamed):
            asked = {name: one.own[name] for name in names if name in one.own and name not in shown}
            first = opened[number].head(list(asked.values())) if asked else {}
            shown |= {name: first[x] for name, x in asked.items() if x in first}
            if number == 0 and shown:  # rows of several tables do not belong together
                break
        return shown

    names = dict.fromkeys(chain(linked.unit, *(table.own for table in renamed)))
    require_joinable(linked.roles["items"])
    return OpenedSource(
        source.where,
        tuple(names),
        batches,
        parts=parts,
        judge=judge,
        merge=merge,
        head=head,
        from_files=all(one.from_files for one in opened),
        tables=linked.names,
        left_out=tuple(left_out),
        described=linked.described,
        decimal=opened[0].decimal,
    )


def _ids_of(tables: Sequence[_Renamed], opened: Sequence[OpenedSource], unit: Sequence[str]) -> Mapping[str, Any]:
    """Return the ids in the first rows of all tables that contain ids."""
    import pyarrow as pa

    parts: dict[str, list[Any]] = {name: [] for name in unit}
    for table, one in zip(tables, opened, strict=True):
        own = [table.own[name] for name in unit if name in table.own]
        first = one.head(own) if own else {}
        if own and first.keys() >= {*own}:
            for name in unit:
                parts[name].append(_as_text(first[table.own[name]]))
    return {name: pa.chunked_array(texts) for name, texts in parts.items() if texts}


def _require_columns(table: LinkedTable, opened: OpenedSource) -> None:
    if missing := [name for name in table.named if name not in opened.names]:
        columns = ", ".join(map(repr, opened.names[:20]))
        msg = f"{opened.where}: no column {missing[0]!r} (table {table.name!r}); columns: {columns}"
        raise InputError(msg)
