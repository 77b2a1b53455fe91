"""Files of any size as batches of rows, format by format."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from anonset.data import spans
from anonset.data.spans import NO_LIMITS, Limits
from anonset.errors import InputError
from anonset.io import arrow, fimi
from anonset.io.baskets import basket_rows, marks_in, separator_among
from anonset.io.columns import with_nulls
from anonset.io.delimited import DelimitedText
from anonset.io.dialect import DELIMITERS
from anonset.io.files import open_parquet, reading
from anonset.io.objects import columns_of
from anonset.io.opened_source import AS_RECOGNISED, HEAD, Batch, OpenedSource, Reading
from anonset.io.source import OBJECT, DataFile, Source, source_of
from anonset.io.text_chunks import head_of, pieces
from anonset.spelling import setting

_BYTES_AT_ONCE = 1 << 24
"""Encoded bytes of the rows of a batch from Parquet, at most, about."""
_LONG, _SMALL = 64, 1 << 20
"""Bytes, as they are encoded, of a value that is long, and of a column in a row group that is small."""
_CODE, _LARGE = 4, 1 << 23
"""Bytes above which a value is no code, as a rule, and above which a column in a row group is large."""
_T = TypeVar("_T")


def open_source(given: Any, how: Reading = AS_RECOGNISED) -> OpenedSource:
    """Open what `source_of` takes; the columns of many files must agree.

    Raises
    ------
    InputError
        If it is none of these, or cannot be read, or a file has other columns than the first.
    """
    opening: Mapping[str, Callable[[Source, Reading], OpenedSource]] = {
        OBJECT: _object,
        "parquet": _parquet,
        "csv": _delimited,
        "tsv": _delimited,
        "dat": _fimi,
        "baskets": _baskets,
        "spmf": _spmf,
    }
    source = source_of(given, how.format, no_header=how.dialect.no_header)
    _require_lines(source.where, source.format, how)
    opened = _with_nulls(opening[source.format](source, how), how.null)
    if both := [name for name in source.keys if name in opened.names]:
        msg = f"{source.where}: column {both[0]!r} stands in the files, and in the names of their folders; one must go"
        raise InputError(msg)
    if not source.keys:
        return opened
    return replace(opened, names=(*opened.names, *source.keys), sets_only=False)


def _object(source: Source, how: Reading) -> OpenedSource:
    columns = columns_of(source.where, source.given, how.labels)
    return OpenedSource(source.where, columns.names, sets_only=columns.sets_only).held(columns.columns)


def _with_nulls(opened: OpenedSource, words: tuple[str, ...]) -> OpenedSource:
    """Return a source in which some words are null."""
    if not words:
        return opened

    def batches(names: Sequence[str]) -> Iterator[Batch]:
        return (replace(batch, columns=with_nulls(batch.columns, words)) for batch in opened.batches(names))

    return replace(opened, batches=batches, head=lambda names: with_nulls(opened.head(names), words))


def ahead(items: Iterator[_T], limits: Limits = NO_LIMITS) -> Iterator[_T]:
    """Yield the same elements, the next one of which another thread makes meanwhile, if there may be one.

    >>> list(ahead(iter("abc")))
    ['a', 'b', 'c']
    """
    end = object()
    with limits.pool("read") as executor:
        if executor is None:
            yield from items
            return
        coming = executor.submit(next, items, end)
        while (item := coming.result()) is not end:
            coming = executor.submit(next, items, end)
            yield item  # type: ignore[misc]


def _with_keys(file: DataFile, before: int, n: int, columns: Mapping[str, Any], names: Sequence[str]) -> Batch:
    """Return rows of a file with the columns that the names of its folders hold."""
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
    if (dialect.no_header or dialect.header_line > 1) and kind not in ("csv", "tsv"):
        name = setting("no_header", True) if dialect.no_header else setting("header_line")
        what = f"{name} is about CSV and TSV, whose first line names the columns"
    elif how.null and kind not in ("csv", "tsv", "parquet"):
        what = f"{setting('null')} is about tables, whose fields may be null"
    if what:
        msg = f"{where}: {what}; got {kind}"
        raise InputError(msg)


def _parquet(source: Source, how: Reading) -> OpenedSource:
    """Open Parquet files, which must agree in schema."""
    from pyarrow import parquet

    schemas = []
    for file in source.files:
        with file.opened() as opened, reading(file.where, "not valid Parquet"):
            schemas.append(parquet.read_schema(opened).remove_metadata())
    for file, schema in zip(source.files, schemas, strict=True):
        if not schema.equals(schemas[0]):
            odd = _difference(schemas[0], schema)
            msg = f"{file.where}: the columns and their types must be those of {source.files[0].where}; {odd}"
            raise InputError(msg)
    own = tuple(schemas[0].names)
    known = frozenset(own)

    def batches(names: Sequence[str]) -> Iterator[Batch]:
        wanted = [name for name in names if name in known]
        for file in source.files:
            yield from _row_groups(file, wanted, names, how.ids)

    def head(names: Sequence[str]) -> Mapping[str, Any]:
        wanted = [name for name in names if name in known]
        return next(_row_groups(source.files[0], wanted, wanted)).columns if wanted else {}

    return OpenedSource(source.where, own, batches, head=head)


def _row_groups(file: DataFile, wanted: list[str], names: Sequence[str], ids: Sequence[str] = ()) -> Iterator[Batch]:
    """Yield the rows of a Parquet file; text comes as codes of a row group's dictionary, where there is one.

    Ids come as text: nearly all of them are different. So do other values of which most must be: of a dictionary Arrow
    holds a row group's.
    """
    import pyarrow as pa
    from pyarrow import parquet

    with file.opened() as opened:
        with reading(file.where, "not valid Parquet"):
            metadata = parquet.read_metadata(opened)
            columns = [metadata.schema.column(n) for n in range(metadata.num_columns)]
            plainly = {*ids, *_without_codes(metadata)}
            text = [
                column.path for column in columns if column.logical_type.type == "STRING" and column.path not in plainly
            ]
            far = file.system is not None
            coded = open_parquet(opened, far=far, metadata=metadata, read_dictionary=text)
            plain = open_parquet(opened, far=far, metadata=metadata)
            sizes = [_rows_at_once(metadata.row_group(group)) for group in range(metadata.num_row_groups)]
        before = 0
        for group, size in enumerate(sizes):
            for batch in _of_group(file, coded, plain, group, wanted, size):
                with reading(file.where, "not valid Parquet"):
                    part = {name: pa.chunked_array([batch.column(name)]) for name in wanted}
                yield _with_keys(file, before, batch.num_rows, part, names)
                before += batch.num_rows
        if not before:
            with reading(file.where, "not valid Parquet"):
                empty = {name: pa.chunked_array([], plain.schema_arrow.field(name).type) for name in wanted}
            yield _with_keys(file, 0, 0, empty, names)


def _without_codes(metadata: Any) -> set[str]:
    """Return the columns, not small, with so many bytes a value that most must differ (``pyarrow.FileMetaData``).

    Where they are large, few bytes tell that: those of a dictionary do not count.
    """

    def most_differ(size: int, n: int) -> bool:
        return size > max(_LONG * n, _SMALL) or size > max(_CODE * n, _LARGE)

    groups = [metadata.row_group(n) for n in range(metadata.num_row_groups)]
    chunks = [group.column(n) for group in groups for n in range(group.num_columns)]
    return {chunk.path_in_schema for chunk in chunks if most_differ(chunk.total_uncompressed_size, chunk.num_values)}


def _rows_at_once(group: Any) -> int:
    """Return how many rows of a row group to read at once: fewer where they are long (``pyarrow.RowGroupMetaData``)."""
    rows, size = int(group.num_rows), int(group.total_byte_size)
    return max(1, min(spans.AT_ONCE, _BYTES_AT_ONCE * rows // max(1, size)))


def _of_group(file: DataFile, coded: Any, plain: Any, group: int, wanted: list[str], size: int) -> Iterator[Any]:
    """Yield the rows of a row group, `size` at a time.

    Arrow cannot return lists of codes where the dictionary grew too large.
    """
    import pyarrow as pa

    done = 0
    for table in (coded, plain):
        with reading(file.where, "not valid Parquet"):
            batches, left = table.iter_batches(size, row_groups=[group], columns=wanted), done
        while True:
            try:
                with reading(file.where, "not valid Parquet"):
                    batch = next(batches, None)
                    if batch is not None:
                        batch.validate(full=True)  # refuses text that is not UTF-8, and bad offsets
            except InputError as error:
                if table is coded and isinstance(error.__cause__, pa.ArrowNotImplementedError):
                    break
                raise
            if batch is None:
                return
            if left:
                left -= batch.num_rows
                continue
            yield batch
            done += batch.num_rows


def _delimited(source: Source, how: Reading) -> OpenedSource:
    """Open CSV or TSV files, whose headers must agree."""
    usual = "\t" if source.format == "tsv" else ","
    heads = []
    for file in source.files:
        data = head_of(file, how.dialect, HEAD)
        whole = data if len(data) < HEAD else data[: data.rfind(b"\n") + 1] or data
        heads.append(
            DelimitedText(file.where, whole, usual, how.dialect, how.absent, separator=how.separator, whole=False)
        )
        if heads[-1].names != heads[0].names:
            msg = f"{file.where}: the columns must be those of {source.files[0].where}, in the same order"
            raise InputError(msg)

    def batches(names: Sequence[str]) -> Iterator[Batch]:
        for file, head in zip(source.files, heads, strict=True):
            yield from _delimited_rows(file, head, usual, how, names)

    def head(names: Sequence[str]) -> Mapping[str, Any]:
        known = frozenset(heads[0].names)
        first, own = heads[0], [name for name in names if name in known]
        return first.head(own, HEAD) if own else {}

    named = not how.dialect.no_header
    decimal = max(head.decimal(how.numeric, how.null) for head in heads)
    described: dict[str, Any] = {"hint": heads[0].hint, "decimal": decimal, "below": heads[0].below, "head": head}
    return OpenedSource(source.where, heads[0].names, batches, first_line=named, **described)


def _delimited_rows(
    file: DataFile, head: DelimitedText, usual: str, how: Reading, names: Sequence[str]
) -> Iterator[Batch]:
    header, known = (
        head.header,
        replace(how.dialect, delimiter=head.delimiter, encoding=None, no_header=False, header_line=1),
    )
    if how.dialect.no_header:
        header = f"{head.delimiter.join(head.names)}\n".encode()
    above = 1 if how.dialect.no_header else head.header_lines
    own = frozenset(head.names)
    wanted, before, held = [name for name in names if name in own], 0, b""
    with_quotes = {"delimiter": ord(head.delimiter), "skip": head.size, "lines": head.lines}
    yielded, last = False, b""
    for piece in pieces(file, how.dialect, **with_quotes):
        first = piece.lines - above - held.count(b"\n")
        data = held + piece.data
        body = data[: head.end_of(data)]
        held = data[len(body) :]  # separators alone: rows only if others follow
        if not body and yielded:
            continue
        part = DelimitedText(
            file.where, header + body, usual, known, how.absent, separator=how.separator, before=first, whole=False
        )
        columns = part.load(wanted)
        n = len(columns[wanted[0]]) if wanted else len(part.load(head.names[:1])[head.names[0]])
        yield _with_keys(file, before, n, columns, names)
        before, yielded, last = before + n, True, body or last
    head.refuse_sum(last)


def _fimi(source: Source, how: Reading) -> OpenedSource:
    return _of_lines(source, how, fimi.FimiLines(source.where, how.dialect, how.separator))


def _spmf(source: Source, how: Reading) -> OpenedSource:
    return _of_lines(source, how, fimi.SpmfLines(source.where))


def _of_lines(source: Source, how: Reading, lines: fimi.FimiLines | fimi.SpmfLines) -> OpenedSource:
    """Open files in which each line is a transaction."""

    def batches(names: Sequence[str]) -> Iterator[Batch]:
        for file in source.files:
            before = 0
            for piece in pieces(file, how.dialect):
                lines.where = file.where
                column = lines.encoded(piece.data, piece.lines)
                yield _with_keys(file, before, column.n, {fimi.COLUMN: column}, names)
                before += column.n
        lines.where = source.where

    return OpenedSource(source.where, (fimi.COLUMN,), batches, sets_only=True, printed=True, judge=lines.judge)


def _baskets(source: Source, how: Reading) -> OpenedSource:
    def mark() -> str:
        if how.separator is not None:
            return how.separator
        parts = (piece.data for file in source.files for piece in pieces(file, how.dialect))
        marks = dict.fromkeys(one for data in parts for one in marks_in(data))
        return separator_among(source.where, sorted(marks, key=DELIMITERS.index))

    def batches(names: Sequence[str]) -> Iterator[Batch]:
        separator = mark()
        quoted = ord(separator) if len(separator) == 1 and separator.isascii() else -1
        for file in source.files:
            before = 0
            for piece in pieces(file, how.dialect, delimiter=quoted):
                column = basket_rows(file.where, piece.data, separator, piece.lines)
                yield _with_keys(file, before, len(column), {fimi.COLUMN: column}, names)
                before += len(column)

    return OpenedSource(source.where, (fimi.COLUMN,), batches, sets_only=True, printed=True)


def _difference(first: Any, other: Any) -> str:
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
