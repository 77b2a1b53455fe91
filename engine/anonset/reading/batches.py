"""Sources of any size, read as batches of rows. Each format has a separate module."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import repeat
from pathlib import Path
from pkgutil import resolve_name
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np

from anonset import arrow
from anonset.arrow import ArrowColumns
from anonset.columns.identity import FILL_DOWN, are_given, national_lengths, with_country_code
from anonset.columns.ids import are_values, holds_sets, texts_of
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.storage.store import MEMORY, Store
from anonset.data.storage.workers import Workers
from anonset.data.table_facts import CONTINUED, WITHOUT_ID
from anonset.errors import Fix, InputError, Problem
from anonset.lazy_arrow import pa
from anonset.reading.cells.columns import with_nulls
from anonset.reading.name_lists import names_in, rules_in
from anonset.reading.options import ReadOptions
from anonset.reading.roles import expanded
from anonset.reading.sources.files import STATISTICS, reading
from anonset.reading.sources.source import OBJECT, TABLES, DataFile, Source, source_of
from anonset.spelling import as_typed, listed, setting

HEAD = 1 << 20
"""Number of bytes read from the beginning of a text to inspect its first rows."""
FIRST_ROWS = 1 << 14
"""Number of rows to inspect, if files or row groups have fewer rows each."""


@dataclass(frozen=True)
class NamedColumns:
    """Named columns, and a source name for messages."""

    where: str
    """Name of the source, for messages."""
    names: tuple[str, ...]
    """Column names."""
    sets_only: bool = field(default=False, kw_only=True)
    """True if the only column is set-valued."""
    first_line: bool = field(default=False, kw_only=True)
    """True if the names were read from the first line of a text."""
    remedies: Sequence[Fix] = field(default=(), kw_only=True)
    """Advice that is added to the message about a missing column."""
    printed: bool = field(default=False, kw_only=True)
    """True if the cells contain printed lists, such as ``['a', 'b']``, that were parsed as lists."""
    decimal: str = field(default="", kw_only=True)
    """Detected decimal sign of the numbers. Empty if unknown."""
    misread: Problem | None = field(default=None, kw_only=True)
    """Problem of first lines that contradict the settings, with the settings that they suggest, or None."""

    def named(self, value: str | Sequence[str]) -> tuple[str, ...]:
        """Return the columns that a setting names. Names may contain commas."""
        return names_in(self.names, value)


@dataclass(frozen=True)
class Batch(RedactedRepr):
    """Rows of a file."""

    where: str
    """Name of the file, for messages."""
    before: int
    """Number of rows of the file before this batch."""
    columns: ArrowColumns = field(repr=False)
    """Columns by name. Each column is a ``SetColumn`` or a ``pyarrow.ChunkedArray``."""
    changed_rows: Mapping[str, int] = field(default_factory=dict)
    """Numbers of skipped rows and of rows with the id of a row above, by rule (`anonset.data.table_facts`)."""
    table: int = 0
    """Number of the linked table of the rows."""
    facts: Any = field(default=None, repr=False)
    """Facts about the text up to this batch, for `OpenedSource.merge`. None if no fact must be judged at the end."""


def _unchanged(_: str, __: Sequence[str], columns: ArrowColumns) -> ArrowColumns:
    return columns


@dataclass(frozen=True)
class Transform(RedactedRepr):
    """Change of the columns of a source, batch by batch, and rows that are left out."""

    columns: Callable[[str, Sequence[str], ArrowColumns], ArrowColumns] = _unchanged
    """Function that returns columns, given the file name for messages, the wanted columns and the columns read."""
    needed: Callable[[Sequence[str]], Sequence[str]] = list
    """Function that returns the columns to read for the wanted columns."""
    ids: Sequence[str] = ()
    """Rows are left out if one of these columns is empty or null."""
    table: int = 0
    """Number of the linked table of the rows."""

    def batches(self, read: Callable[[Sequence[str]], Iterator[Batch]], names: Sequence[str]) -> Iterator[Batch]:
        """Yield the changed batches."""
        wanted = [*dict.fromkeys([*names, *self.ids])]
        for batch in read(self.needed(wanted)):
            columns, changed = self.columns(batch.where, wanted, batch.columns), batch.changed_rows
            if self.ids:
                problem = f"id columns {listed([*map(repr, self.ids)])} cannot be read as text"
                with reading(batch.where, problem, values=True):
                    has_ids = np.logical_and.reduce([are_given(columns[name]) for name in self.ids])
                columns = {name: columns[name] for name in names if name in columns}
                if without_id := int((~has_ids).sum()):
                    rows = np.flatnonzero(has_ids)
                    columns = {name: arrow.chosen(column, rows) for name, column in columns.items()}
                    changed = {**changed, WITHOUT_ID: changed.get(WITHOUT_ID, 0) + without_id}
            yield replace(batch, columns=columns, changed_rows=changed, table=self.table or batch.table)

    def part(self, part: "SourcePart") -> "SourcePart":
        """Return a changed part. The number of earlier rows is unknown if rows are left out."""
        return replace(part, batches=partial(self.batches, part.batches), row=None if self.ids else part.row)


@dataclass(frozen=True)
class SourcePart(RedactedRepr):
    """Consecutive rows of a file, which are read independently of the other rows of the source."""

    path: str
    """Path of the file."""
    row: int | None
    """Number of earlier rows of the source. None if it is unknown."""
    batches: Callable[[Sequence[str]], Iterator[Batch]]
    """Function that yields at least one batch of the named columns."""
    before: int | None = 0
    """Number of rows of the file before the part. The batches do not count them. None if it is unknown."""
    size: int = 0
    """Approximate size of the uncompressed rows in bytes."""


@dataclass(frozen=True)
class OpenedSource(NamedColumns):
    """Named columns that can be read batch by batch, any number of times."""

    batches: Callable[[Sequence[str]], Iterator[Batch]] = lambda _: iter(())
    """Function that yields at least one batch of the named columns. A batch may have no rows."""
    parts: Callable[[Workers], Sequence[SourcePart]] = field(default=lambda _: (), kw_only=True)
    """Function that returns the parts of the source for the tasks of workers. There are no parts if workers cannot
    access the files, or if the source can only be read from the beginning.
    """
    judge: Callable[[], None] = field(default=lambda: None, kw_only=True)
    """Function that is called after the last batch. It rejects files with faults that no single batch shows."""
    merge: Callable[[Any, int], None] = field(default=lambda _, __: None, kw_only=True)
    """Function that adds the `Batch.facts` of a part that a task read, and the number of the linked table, before
    `judge` is called.
    """
    from_files: bool = field(default=True, kw_only=True)
    """True if the columns are read from files. False if they are from an object in memory."""
    head: Callable[[Sequence[str]], ArrowColumns] = field(default=lambda _: {}, kw_only=True)
    """Function that returns the first rows of the named columns, except columns that are slow to read."""
    tables: tuple[str, ...] = field(default=(), kw_only=True)
    """Names of the published tables, if the source is linked tables. The first has a row per record."""
    left_out: tuple[str, ...] = field(default=(), kw_only=True)
    """Columns of linked tables that have no role, because their table has items."""
    described: bool = field(default=False, kw_only=True)
    """True if the rows of the first table describe the persons, whose items the rows of other tables contain."""

    def changed(self, transform: Transform) -> "OpenedSource":
        """Return this source with changed columns. The first rows are changed, too, but none of them is left out."""

        def head(names: Sequence[str]) -> ArrowColumns:
            return transform.columns(self.where, names, self.head(transform.needed(names)))

        def parts(workers: Workers) -> Sequence[SourcePart]:
            return [transform.part(part) for part in self.parts(workers)]

        return replace(self, batches=partial(transform.batches, self.batches), parts=parts, head=head)

    def with_columns(self, columns: ArrowColumns) -> "OpenedSource":
        """Return this source with all columns in memory, as a single batch."""

        def chosen(names: Sequence[str]) -> ArrowColumns:
            return {name: columns[name] for name in names}

        def batches(names: Sequence[str]) -> Iterator[Batch]:
            yield Batch(self.where, 0, chosen(names))

        return replace(self, batches=batches, parts=lambda _: (), head=chosen, judge=lambda: None)


def first_rows(pieces: Iterable[ArrowColumns]) -> ArrowColumns:
    """Return the first rows of a source as columns (``pyarrow.ChunkedArray``), given its consecutive pieces.

    Files and row groups may have few rows, so pieces are joined until there are enough rows. A column whose type
    differs between pieces becomes text.

    >>> import pyarrow as pa
    >>> first_rows({"id": pa.chunked_array([[n]])} for n in (7, "x"))["id"].to_pylist()
    ['7', 'x']
    """
    joined: dict[str, list[Any]] = {}
    rows = 0
    for piece in pieces:
        for name, column in piece.items():
            joined.setdefault(name, []).append(column)
        rows += max(map(len, piece.values()), default=0)
        if rows >= FIRST_ROWS:
            break

    first = dict[str, pa.ChunkedArray]()
    for name, columns in joined.items():
        if len({column.type for column in columns}) > 1:
            columns = [column if holds_sets(column) else arrow.cast(column, pa.string()) for column in columns]
            columns = [column for column in columns if column.type == columns[0].type]
        first[name] = pa.chunked_array([chunk for column in columns for chunk in column.chunks], columns[0].type)
    return first


AS_RECOGNISED = ReadOptions()
"""No declared options."""
_T = TypeVar("_T")

_OPENING: Mapping[str, str] = MappingProxyType(
    {
        OBJECT: "anonset.reading.formats.objects:open_object",
        TABLES: "anonset.reading.formats.linked_tables:open_tables",
        "parquet": "anonset.reading.formats.parquet:open_parquet_files",
        "csv": "anonset.reading.formats.delimited_files:open_delimited",
        "tsv": "anonset.reading.formats.delimited_files:open_delimited",
        "dat": "anonset.reading.formats.fimi:open_fimi",
        "baskets": "anonset.reading.formats.baskets:open_baskets",
        "spmf": "anonset.reading.formats.fimi:open_spmf",
        "jsonl": "anonset.reading.formats.json_lines:open_json_lines",
        "xlsx": "anonset.reading.formats.workbooks:open_workbooks",
        **dict.fromkeys(STATISTICS, "anonset.reading.formats.statistics:open_statistics"),
    }
)
"""Import path of the function that opens each format. Formats are imported only when needed."""


_WITH_HEADER = ("csv", "tsv", "xlsx")


def open_source(data: Any, options: ReadOptions = AS_RECOGNISED, labels: Sequence[str] | None = None) -> OpenedSource:
    """Open any input that `source_of` accepts. All files of a source must have the same columns.

    `labels` are the items of the columns of a matrix.

    Raises
    ------
    InputError
        If the input is of another kind or cannot be read, or if a file has other columns than the first file.
    """
    options.require_ids()
    source = source_of(data, options.input_format, no_header=options.no_header)
    opens: Callable[[Source, ReadOptions], OpenedSource] = resolve_name(_OPENING[source.format])
    if source.format == TABLES:
        return _with_rules_of_ids(opens(source, options), options)
    _require_lines(source.where, source.format, options)
    opened = opens(source if labels is None else replace(source, labels=labels), options)
    never = expanded(opened.names, opened.named(options.never_null))
    opened = with_null_words(opened, rules_in(opened.names, options.null), never)
    opened = _with_rules_of_ids(opened, options)
    if options.skip_without_id:
        opened = opened.changed(Transform(ids=opened.named(options.ids)))
    if twice := [name for name in source.keys if name in opened.names]:
        raise InputError(
            f"{source.where}: column {twice[0]!r} occurs in the files and in the folder names; remove or rename it in "
            "either"
        )
    if not source.keys:
        return opened
    return replace(opened, names=(*opened.names, *source.keys), sets_only=False)


def way_to_link(source: Source, names: Sequence[str], first: Sequence[str]) -> list[Fix]:
    """Return the command for a folder of several tables. Empty unless the files have columns of different names."""
    if set(names) == set(first) or not Path(source.where).is_dir():
        return []
    return [Fix({}, f"if the files are different tables: {as_typed('inspect', source.where)}")]


def with_null_words(opened: OpenedSource, words: Sequence[str], never: Sequence[str] = ()) -> OpenedSource:
    """Return a source in which some texts are null, except in the columns `never`."""
    return opened.changed(Transform(partial(_null_words, words, never))) if words else opened


def _with_rules_of_ids(opened: OpenedSource, options: ReadOptions) -> OpenedSource:
    """Return a source in which ids are repaired: national telephone numbers have a country code, and rows that continue
    the row above have its ids.
    """
    repairs = options.resolved(opened.names).repairs_of_ids
    codes = {name: rule for name in opened.names for rule in repairs.get(name, ()) if rule != FILL_DOWN}
    if codes:
        lengths: dict[str, set[int]] = {name: set() for name in codes}
        for batch in opened.batches([*codes]):  # the same lengths in all rows, wherever the first number has a code
            for name in [name for name in codes if name in batch.columns and are_values(batch.columns[name])]:
                lengths[name] |= national_lengths(texts_of(batch.columns[name]), codes[name])
        opened = opened.changed(Transform(partial(_international, codes, lengths)))
    continued = [name for name in opened.names if FILL_DOWN in repairs.get(name, ())]
    return filled_down(opened, continued) if continued else opened


def filled_down(opened: OpenedSource, ids: Sequence[str]) -> OpenedSource:
    """Return a source in which rows without a value in all columns `ids` have those of the nearest row above in the
    same file. It is read from the beginning.
    """

    def batches(names: Sequence[str]) -> Iterator[Batch]:
        above = dict[str, Any]()
        for batch in opened.batches([*dict.fromkeys([*names, *ids])]):
            above, columns = above if batch.before else {}, dict(batch.columns)
            texts = {name: texts_of(columns[name]) for name in ids}
            is_given = np.logical_or.reduce([are_given(text) for text in texts.values()])
            rows = np.maximum.accumulate(np.where(is_given, np.arange(1, len(is_given) + 1), 0))
            for name, text in texts.items():
                with_above = pa.concat_arrays([above.get(name, arrow.text_array([""])), text])
                columns[name] = pa.chunked_array([arrow.chosen(with_above, rows)])
            n_continued = int((~is_given & ((rows > 0) | bool(above))).sum())
            above |= {name: columns[name].chunk(0)[-1:] for name in ids if rows.max(initial=0)}
            changed = {**batch.changed_rows, CONTINUED: n_continued}
            columns = {name: columns[name] for name in names if name in columns}
            yield replace(batch, columns=columns, changed_rows=changed)

    def head(names: Sequence[str]) -> ArrowColumns:
        columns = opened.head([*dict.fromkeys([*names, *ids])])
        if not columns.keys() >= {*ids}:
            return columns
        one = next(filled_down(opened.with_columns(columns), ids).batches([*columns]))
        return {name: one.columns[name] for name in names if name in columns}

    return replace(opened, batches=batches, parts=lambda _: (), head=head)


def _international(
    codes: Mapping[str, str], lengths: Mapping[str, Collection[int]], _: str, __: Sequence[str], columns: ArrowColumns
) -> ArrowColumns:
    changed = dict[str, Any]()
    for name in [name for name in codes.keys() & columns.keys() if are_values(columns[name])]:
        numbers = with_country_code(texts_of(columns[name]), codes[name], lengths[name])
        changed[name] = pa.chunked_array([numbers])
    return {**columns, **changed}


def _null_words(
    words: Sequence[str], never: Sequence[str], _: str, __: Sequence[str], columns: ArrowColumns
) -> ArrowColumns:
    return with_nulls(columns, words, never)


def ahead(items: Iterator[_T], store: Store = MEMORY) -> Iterator[_T]:
    """Yield the elements of `items`, while a worker of the store computes the next one.

    >>> list(ahead(iter("abc")))
    ['a', 'b', 'c']
    """
    end = object()
    for item in store.with_local_workers().map(lambda _: next(items, end), repeat(None), ahead=1):
        if item is end:
            return
        yield item  # type: ignore[misc]


def with_more(batches: Iterator[_T]) -> Iterator[tuple[_T, bool]]:
    """Yield each element, and True if another element follows."""
    waiting = list[_T]()
    for batch in batches:
        if waiting:
            yield waiting.pop(), True
        waiting.append(batch)
    for batch in waiting:
        yield batch, False


def _require_lines(where: object, kind: str, options: ReadOptions) -> None:
    dialect, problem = options.dialect, ""
    if kind == OBJECT:
        return
    if (dialect.no_header or dialect.header_line > 1) and kind not in _WITH_HEADER:
        name = setting("no_header", True) if dialect.no_header else setting("header_line")
        problem = f"{name} applies to CSV, TSV and XLSX files only"
    elif (lines := {"footer", "labels", "no-other"}.intersection(options.skip_rows)) and kind not in _WITH_HEADER:
        problem = f"{setting('skip_rows', min(lines))} applies to CSV, TSV and XLSX files only"
    elif options.null and kind not in (*_WITH_HEADER, *STATISTICS, "jsonl", "parquet"):
        problem = f"{setting('null')} applies to tables only, because their fields may be null"
    elif options.value_codes and kind not in STATISTICS:
        problem = f"{setting('value_codes', True)} applies to files of statistics programs only"
    if problem:
        raise InputError(f"{where}: {problem}; got {kind}")


def with_keys(file: DataFile, before: int, n: int, columns: ArrowColumns, names: Sequence[str]) -> Batch:
    """Add the columns that the folder names encode to a batch of a file."""

    def constant(value: str | None) -> Any:
        if value is None:
            return pa.chunked_array([pa.nulls(n, pa.string())])
        codes = arrow.number_array(np.zeros(n, np.int32))
        return pa.chunked_array(
            [pa.DictionaryArray.from_arrays(codes, arrow.cast(arrow.text_array([value]), pa.string()))]
        )

    keys = {name: constant(value) for name, value in file.keys if name in names}
    return Batch(file.where, before, {**columns, **keys})
