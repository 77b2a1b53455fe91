"""Data of any size as batches of rows: what is opened, and how it is read; each format has a module of its own."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import repeat
from pkgutil import resolve_name
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np

from anonset.data.redacted_repr import Discreet
from anonset.data.store import MEMORY, Store
from anonset.errors import InputError
from anonset.reading import arrow
from anonset.reading.columns import with_nulls
from anonset.reading.dialect import RECOGNISED, Dialect, Missing
from anonset.reading.source import OBJECT, DataFile, Source, source_of
from anonset.spelling import setting

HEAD = 1 << 20
"""Bytes of a text that hold its first rows."""


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
class Batch(Discreet):
    """Rows of one file."""

    where: str
    """The file, for messages."""
    before: int
    """Rows of the file before these."""
    columns: Mapping[str, Any] = field(repr=False)
    """Each a ``SetColumn`` or a ``pyarrow.ChunkedArray``."""
    without_id: int = 0
    """Number of rows that were skipped since they have no id."""
    footer: int = 0
    """Number of footer lines that were skipped."""


@dataclass(frozen=True)
class OpenedSource(Described):
    """Named columns that come batch by batch, as often as they are asked for."""

    batches: Callable[[Sequence[str]], Iterator[Batch]] = lambda _: iter(())
    """Yield the named columns; at least one batch, which may have no rows."""
    judge: Callable[[], None] = field(default=lambda: None, kw_only=True)
    """Refuses what shows only when all batches have come."""
    head: Callable[[Sequence[str]], Mapping[str, Any]] = field(default=lambda _: {}, kw_only=True)
    """Return those of the named columns of which it is little work, of the first rows alone."""

    def held(self, columns: Mapping[str, Any]) -> "OpenedSource":
        """Return this source with its columns, of which all are given, in memory: one batch."""

        def chosen(names: Sequence[str]) -> Mapping[str, Any]:
            return {name: columns[name] for name in names}

        def batches(names: Sequence[str]) -> Iterator[Batch]:
            yield Batch(self.where, 0, chosen(names))

        return replace(self, batches=batches, head=chosen, judge=lambda: None)


@dataclass(frozen=True)
class Reading:
    """How a file is to be read, as far as it is declared."""

    format: str | None = None
    """One of `anonset.reading.files.INPUT_FORMATS`; None: as its name says."""
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
    skip_without_id: bool = False
    """Whether rows without an id are skipped."""
    null: tuple[str, ...] = ()
    """Texts that are null."""
    numeric: tuple[str, ...] = ()
    """Columns of numbers, by which their decimal sign is recognised."""


AS_RECOGNISED = Reading()
"""Nothing was said."""
_T = TypeVar("_T")

_OPENING: Mapping[str, str] = MappingProxyType(
    {
        OBJECT: "anonset.reading.formats.objects:open_object",
        "parquet": "anonset.reading.formats.parquet:open_parquet_files",
        "csv": "anonset.reading.formats.delimited_files:open_delimited",
        "tsv": "anonset.reading.formats.delimited_files:open_delimited",
        "dat": "anonset.reading.formats.fimi:open_fimi",
        "baskets": "anonset.reading.formats.baskets:open_baskets",
        "spmf": "anonset.reading.formats.fimi:open_spmf",
        "jsonl": "anonset.reading.formats.json_lines:open_json_lines",
        "xlsx": "anonset.reading.formats.workbooks:open_workbooks",
    }
)
"""By format what opens it, which is imported for data of that format alone."""


_WITH_HEADER = ("csv", "tsv", "xlsx")
"""Formats in which a line names the columns."""


def open_source(given: Any, how: Reading = AS_RECOGNISED) -> OpenedSource:
    """Open what `source_of` takes; the columns of many files must agree.

    Raises
    ------
    InputError
        If it is none of these, or cannot be read, or a file has other columns than the first.
    """
    source = source_of(given, how.format, no_header=how.dialect.no_header)
    _require_lines(source.where, source.format, how)
    opens: Callable[[Source, Reading], OpenedSource] = resolve_name(_OPENING[source.format])
    opened = _with_nulls(opens(source, how), how.null)
    if how.skip_without_id:
        opened = without_missing_ids(opened, how.ids)
    if both := [name for name in source.keys if name in opened.names]:
        msg = f"{source.where}: column {both[0]!r} stands in the files, and in the names of their folders; one must go"
        raise InputError(msg)
    if not source.keys:
        return opened
    return replace(opened, names=(*opened.names, *source.keys), sets_only=False)


def _with_nulls(opened: OpenedSource, words: tuple[str, ...]) -> OpenedSource:
    """Return a source in which some words are null."""
    if not words:
        return opened

    def batches(names: Sequence[str]) -> Iterator[Batch]:
        return (replace(batch, columns=with_nulls(batch.columns, words)) for batch in opened.batches(names))

    return replace(opened, batches=batches, head=lambda names: with_nulls(opened.head(names), words))


def without_missing_ids(opened: OpenedSource, ids: Sequence[str]) -> OpenedSource:
    """Return a source without the rows in which an id is empty or null."""
    import pyarrow as pa

    def batches(names: Sequence[str]) -> Iterator[Batch]:
        for batch in opened.batches([*names, *(name for name in ids if name not in names)]):
            given = np.logical_and.reduce([arrow.are_given(batch.columns[name]) for name in ids])
            columns = {name: batch.columns[name] for name in names}
            if not given.all():
                columns = {name: column.filter(pa.array(given)) for name, column in columns.items()}
            yield replace(batch, columns=columns, without_id=int((~given).sum()))

    return replace(opened, batches=batches)


def ahead(items: Iterator[_T], store: Store = MEMORY) -> Iterator[_T]:
    """Yield the same elements, of which a worker of the store makes the next one meanwhile.

    >>> list(ahead(iter("abc")))
    ['a', 'b', 'c']
    """
    end = object()
    for item in store.map(lambda _: next(items, end), repeat(None), ahead=1):
        if item is end:
            return
        yield item  # type: ignore[misc]


def _require_lines(where: object, kind: str, how: Reading) -> None:
    """Refuse options on a line of names for formats without one, and on null for formats of items alone.

    Raises
    ------
    InputError
        If the format is not such a one.
    """
    dialect, what = how.dialect, ""
    if kind == OBJECT:
        return
    if (dialect.no_header or dialect.header_line > 1) and kind not in _WITH_HEADER:
        name = setting("no_header", True) if dialect.no_header else setting("header_line")
        what = f"{name} is about CSV and TSV, whose first line names the columns"
    elif dialect.skip_footer and kind not in _WITH_HEADER:
        what = f"{setting('skip_rows', 'footer')} is about CSV and TSV, which may end with sums and notes"
    elif how.null and kind not in (*_WITH_HEADER, "jsonl", "parquet"):
        what = f"{setting('null')} is about tables, whose fields may be null"
    if what:
        msg = f"{where}: {what}; got {kind}"
        raise InputError(msg)


def with_keys(file: DataFile, before: int, n: int, columns: Mapping[str, Any], names: Sequence[str]) -> Batch:
    """Return rows of a file, after some, with the columns that the names of its folders hold."""
    import pyarrow as pa

    def constant(value: str | None) -> Any:
        if value is None:
            return pa.chunked_array([pa.nulls(n, pa.string())])
        codes = arrow.number_array(np.zeros(n, np.int32))
        return pa.chunked_array(
            [pa.DictionaryArray.from_arrays(codes, arrow.cast(arrow.text_array([value]), pa.string()))]
        )

    keys = {name: constant(value) for name, value in file.keys if name in names}
    return Batch(file.where, before, {**columns, **keys})
