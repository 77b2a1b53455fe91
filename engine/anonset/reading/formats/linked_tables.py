"""Read linked tables as one source (see `anonset.reading.linked`)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from typing import Any, Self

import numpy as np

from anonset import arrow
from anonset.arrow import ArrowColumns
from anonset.columns.identity import are_given, folded, without_prefix
from anonset.columns.ids import texts_of
from anonset.data.array_types import Bools
from anonset.data.joining import require_joinable
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.storage.workers import Workers
from anonset.errors import InputError
from anonset.lazy_arrow import pa
from anonset.reading.batches import FIRST_ROWS, Batch, OpenedSource, SourcePart, Transform, open_source
from anonset.reading.cells.input_checks import require_exact_ids
from anonset.reading.linked import LinkedTable, LinkedTables, column_of
from anonset.reading.options import ReadOptions
from anonset.reading.sources.files import reading
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
    persons: ArrowColumns
    """Columns of the unit, in the order of `keys`."""

    @classmethod
    def of(cls, table: LinkedTable, opened: OpenedSource, key: Sequence[str], unit: Sequence[str], above: Any) -> Self:
        """Read the key and the person of each row.

        Parameters
        ----------
        key
            Columns of the opened table that other tables refer to.
        above
            The `_Parent` of the table, if its own key refers to another table, else None.

        Raises
        ------
        InputError
            If the table lacks a key column, or a key belongs to two persons.
        """
        if lacking := [column for column in key if column not in opened.names]:
            raise InputError(f"{opened.where}: no column {lacking[0]!r}, the key of another table")
        parts = list[list[Any]]()
        for batch in opened.batches(list(dict.fromkeys([*key, *table.key]))):
            own = {column: batch.columns[column] for column in table.key}
            persons = above.persons_of(batch.where, own) if above else _id_columns(batch.where, own)
            parts.append([*_id_columns(batch.where, {column: batch.columns[column] for column in key}), *persons])
        columns = [pa.concat_arrays(texts) for texts in zip(*parts, strict=True)]
        given = np.flatnonzero(np.logical_and.reduce([are_given(column) for column in columns[: len(key)]]))
        columns = [arrow.chosen(texts, given) for texts in columns]
        keys, persons = _joined(columns[: len(key)]), columns[len(key) :]
        codes, person = (arrow.to_numpy(arrow.dictionary_encode(x).indices) for x in (keys, _joined(persons)))
        first = np.unique(codes, return_index=True)[1]
        if (person != person[first][codes]).any():
            msg = f"{opened.where}: rows with the same key ({', '.join(map(repr, key))}) belong to different persons"
            raise InputError(msg)
        of_unit = {name: arrow.chosen(column, first) for name, column in zip(unit, persons, strict=True)}
        return cls(table.name, arrow.chosen(keys, first), of_unit)

    def persons_of(self, where: str, key: ArrowColumns) -> list[Any]:
        """Return the columns of the unit for rows with the given key columns. A row without a key has no person.

        Raises
        ------
        InputError
            If a key does not occur in this table.
        """
        texts = _id_columns(where, key)
        places = self._places_of(_joined(texts))
        given = np.logical_and.reduce([are_given(text) for text in texts])
        if unknown := int((given & arrow.to_numpy(arrow.is_null(places))).sum()):
            rows = counted(unknown, "row")
            raise InputError(f"{where}: the key of {rows} does not occur in the table {self.name!r}; correct the data")
        places = arrow.if_else(_bools(given), places, arrow.null(places.type))
        return [arrow.fill_null(arrow.take(column, places), "") for column in self.persons.values()]

    def _places_of(self, texts: Any) -> Any:
        """Return the position of each text among the keys, or null (``pyarrow.Int64Array``).

        The few texts of a batch are hashed, and each key is looked up there: hashing all keys takes much longer.
        """
        encoded = arrow.dictionary_encode(texts)
        found = arrow.places_in(self.keys, encoded.dictionary)
        places = np.full(len(encoded.dictionary), -1)
        hit = np.flatnonzero(~arrow.to_numpy(arrow.is_null(found)))
        places[arrow.to_numpy(arrow.chosen(found, hit))] = hit
        of_texts = places[arrow.to_numpy(encoded.indices)]
        return pa.array(of_texts, mask=of_texts < 0)


def id_texts(where: str, name: str, column: Any) -> Any:
    """Return an id column as a ``pyarrow.LargeStringArray``. Null and NaN are the empty text, and 1e7 is 10000000.

    Raises
    ------
    InputError
        If the column contains lists, objects or bytes, or floats so large that different ids would be equal.
    """
    whole = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    plain = arrow.cast(whole, whole.type.value_type) if pa.types.is_dictionary(whole.type) else whole
    if pa.types.is_nested(plain.type) or pa.types.is_binary(plain.type):
        raise InputError(f"{where}: column {name!r} must be text or a plain value, got {plain.type}", column=name)
    with reading(where, f"column {name!r} of type {plain.type} cannot be read as text", values=True):
        text = arrow.fill_null(texts_of(plain), "")
    if not pa.types.is_floating(plain.type):
        return text
    values = arrow.to_numpy(arrow.fill_null(arrow.cast(plain, pa.float64()), "nan"))
    require_exact_ids(where, name, values, str(plain.type))
    return arrow.if_else(_bools(np.isnan(values)), arrow.text_scalar(""), text)


def _id_columns(where: str, columns: ArrowColumns) -> list[Any]:
    return [id_texts(where, name, column) for name, column in columns.items()]


def _bools(values: Bools) -> Any:
    return pa.array(values)


def _joined(columns: Sequence[Any]) -> Any:
    """Return folded keys as one text per row."""
    texts = list(map(folded, columns))
    return texts[0] if len(texts) == 1 else arrow.binary_join_element_wise(*texts, arrow.text_scalar(_BETWEEN))


@dataclass(frozen=True)
class _Renamed(RedactedRepr):
    """Columns of a table under the names of the linked source."""

    own: Mapping[str, str]
    """Name in the table of each column of the source that the table has."""
    key: tuple[str, ...] = ()
    """Key of the rows in `parent`."""
    parent: _Parent | None = None
    """Table with the person of each key. None if the table has the columns of the unit."""
    unit: Sequence[str] = ()
    """Columns of the unit."""
    left_out: Mapping[str, str] = field(default_factory=dict)
    """Name in the table of each column that the source has not."""

    def needed(self, names: Sequence[str]) -> list[str]:
        """Return the columns of the table that contain the named columns."""
        return list(dict.fromkeys([*self.key, *(self.own[name] for name in names if name in self.own)]))

    def columns(self, where: str, names: Sequence[str], columns: ArrowColumns) -> ArrowColumns:
        """Return those columns among `names` that the table has."""
        renamed = {name: columns[self.own[name]] for name in names if name in self.own}
        persons = {name: id_texts(where, self.own[name], renamed[name]) for name in self.unit if name in renamed}
        if self.parent is not None:
            found = self.parent.persons_of(where, {name: columns[name] for name in self.key})
            persons = {name: x for name, x in zip(self.unit, found, strict=True) if name in names}
        return {**renamed, **{name: pa.chunked_array([x]) for name, x in persons.items()}}


def _without_prefix(table: LinkedTable, where: str, _: Sequence[str], columns: ArrowColumns) -> ArrowColumns:
    """Return the columns of a table in which the key begins after the prefix.

    Raises
    ------
    InputError
        If a key begins with another text than the prefix.
    """
    cut = dict[str, pa.ChunkedArray]()
    for name in table.key:
        if name in columns:
            texts, others = without_prefix(id_texts(where, name, columns[name]), table.key_prefix)
            if others:
                keys = f"{counted(others, 'key')} of {len(texts):,} have another prefix than {table.key_prefix!r}"
                raise InputError(f"{where}: column {name!r}: {keys} (key_prefix); correct the data", column=name)
            cut[name] = pa.chunked_array([texts])
    return {**columns, **cut}


def _open_table(table: LinkedTable, options: ReadOptions) -> OpenedSource:
    opened = open_source(table.source, options)
    return opened.changed(Transform(partial(_without_prefix, table))) if table.key_prefix else opened


def open_tables(source: Source, options: ReadOptions) -> OpenedSource:
    """Open linked tables as one source.

    Raises
    ------
    InputError
        If a table cannot be read, or lacks a named column.
    """
    linked: LinkedTables = source.given
    every = (*linked.tables, *linked.lookups)
    opened_of = {table.name: _open_table(table, table.reading(options)) for table in every}
    for table in every:
        _require_columns(table, opened_of[table.name])
    opened = [opened_of[table.name] for table in linked.tables]
    parents = dict[tuple[str, ...], _Parent]()
    renamed = [_renamed(linked, number, one, options, parents) for number, one in enumerate(opened)]
    tables = _Tables(linked.unit, renamed, options.skip_without_id, opened, list(opened_of.values()))
    require_joinable(linked.roles["items"])
    return OpenedSource(
        source.where,
        tuple(dict.fromkeys(chain(linked.unit, *(table.own for table in renamed)))),
        tables.batches,
        parts=tables.parts,
        judge=tables.judge,
        merge=tables.merge,
        head=tables.head,
        from_files=all(one.from_files for one in opened),
        tables=linked.names,
        left_out=tuple(chain.from_iterable(one.left_out for one in renamed)),
        described=linked.described,
        decimal=opened[0].decimal,
    )


def _renamed(
    linked: LinkedTables,
    number: int,
    opened: OpenedSource,
    options: ReadOptions,
    parents: dict[tuple[str, ...], _Parent],
) -> _Renamed:
    """Return the columns of a table under the names of the linked source, with the table that its key refers to."""
    table, unit = linked.tables[number], linked.unit
    others = [table.items] if table.items else [name for name in opened.names if name not in table.key]
    own, key = {column_of(table.name, name): name for name in others}, table.key if table.parent else ()
    if not table.parent:
        own = {**dict(zip(unit, table.key, strict=True)), **own}
    parent = _parent_of(linked, table, options, parents)
    unused = opened.names if table.items else ()
    left_out = {column_of(table.name, name): name for name in unused if name not in (*table.key, table.items)}
    return _Renamed(own, key, parent, unit, left_out)


def _parent_of(
    linked: LinkedTables, table: LinkedTable, options: ReadOptions, parents: dict[tuple[str, ...], _Parent]
) -> _Parent | None:
    """Return the person of each row that the key of a table may refer to. `parents` are read only once."""
    if not table.parent:
        return None
    referred = (table.parent, *table.parent_key)
    if referred not in parents:
        above = next(other for other in (*linked.tables, *linked.lookups) if other.name == table.parent)
        whole = above.reading(options)
        others = [kind for kind in whole.skip_rows if kind != "no-id"]
        whole = replace(whole, skip_rows=others, key=(*whole.key, *table.parent_key))
        higher = _parent_of(linked, above, options, parents)
        opened = _open_table(above, whole)
        parents[referred] = _Parent.of(above, opened, table.parent_key, linked.unit, higher)
    return parents[referred]


@dataclass(frozen=True)
class _Tables(RedactedRepr):
    """Opened tables, read one after the other."""

    unit: Sequence[str]
    renamed: Sequence[_Renamed]
    skips: bool
    """True if rows without a person are skipped."""
    opened: Sequence[OpenedSource]
    """Published tables, in the order of `renamed`."""
    every: Sequence[OpenedSource]
    """All tables, with those that only say to which person a key belongs."""

    def batches(self, names: Sequence[str]) -> Iterator[Batch]:
        """Yield the batches of all tables."""
        for transform, one in zip(self.transforms, self.opened, strict=True):
            yield from transform.batches(one.batches, names)

    @property
    def transforms(self) -> list[Transform]:
        """The change of the columns of each table."""
        return [
            Transform(one.columns, one.needed, one.unit if self.skips and one.parent is not None else (), number)
            for number, one in enumerate(self.renamed)
        ]

    def parts(self, workers: Workers) -> Sequence[SourcePart]:
        """Return the parts of all tables. Empty if a table has no parts, or a key refers to another table."""
        of_tables = [one.parts(workers) for one in self.opened]
        if not all(of_tables) or any(table.parent is not None for table in self.renamed):
            return ()
        return [
            replace(transform.part(part), row=None)
            for transform, of_table in zip(self.transforms, of_tables, strict=True)
            for part in of_table
        ]

    def judge(self) -> None:
        """Reject tables with faults that no single batch shows."""
        for one in self.every:
            one.judge()

    def merge(self, facts: Any, table: int) -> None:
        """Add facts from a part of the table with the number."""
        self.opened[table].merge(facts, 0)

    def head(self, names: Sequence[str]) -> ArrowColumns:
        """Return the first rows of columns, of the first table alone if it has one of them."""
        if self.unit == tuple(names):  # a value that means "no id" may occur in any table
            return self._ids()
        shown: ArrowColumns = {}
        for number, one in enumerate(self.renamed):
            own = {**one.own, **one.left_out}
            asked = {name: own[name] for name in names if name in own and name not in shown}
            first = self.opened[number].head(list(asked.values())) if asked else {}
            shown = {**shown, **{name: first[x] for name, x in asked.items() if x in first}}
            if number == 0 and shown:  # rows of several tables do not belong together
                break
        return shown

    def _ids(self) -> ArrowColumns:
        """Return the ids in the first rows of all tables that contain ids, and of the tables that `in` names."""
        parts: dict[str, list[Any]] = {name: [] for name in self.unit}
        parents = {table.parent.name: table.parent for table in self.renamed if table.parent is not None}
        for table, one in zip(self.renamed, self.opened, strict=True):
            own = [table.own[name] for name in self.unit if name in table.own]
            first = one.head(own) if own else {}
            if own and first.keys() >= {*own}:
                for name in self.unit:
                    parts[name].append(id_texts(one.where, name, first[table.own[name]]))
        for parent in parents.values():
            for name in self.unit:
                parts[name].append(parent.persons[name].slice(0, FIRST_ROWS))
        return {name: pa.chunked_array(texts) for name, texts in parts.items() if texts}


def _require_columns(table: LinkedTable, opened: OpenedSource) -> None:
    if missing := [name for name in table.named if name not in opened.names]:
        columns = ", ".join(map(repr, opened.names[:20]))
        raise InputError(f"{opened.where}: no column {missing[0]!r} (table {table.name!r}); columns: {columns}")
