"""Write records in a single file or in parts."""

import os
import secrets
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from anonset import arrow
from anonset.data import CategoricalColumn, SetColumn, Vocabulary
from anonset.data.array_types import Int32, Int64, UInt8
from anonset.data.resumption.ledger import Ledger
from anonset.data.spans import begins_of, spans
from anonset.data.storage.store import backing, damage_error
from anonset.errors import InputError, datum, require_known
from anonset.lazy_arrow import pa
from anonset.publications import Records
from anonset.publications.records import written_columns
from anonset.reading.publications.records import PARTS, part_names
from anonset.reading.sources.files import reading, write_file
from anonset.spelling import setting
from anonset.writing.csv_lines import csv_lines, lines, texts_of
from anonset.writing.table_files import ROWS_PER_GROUP, write_parquet_tables

_FORMATS = ("csv", "parquet", "dat")
_SEPARATORS = (" ", ";", "|", "\t")
_BLOCK = 1 << 16
_BYTES = 1 << 24
"""Approximate maximum size of a block in bytes."""
BYTES_PER_GROUP = 1 << 26
"""Maximum number of bytes of a row group. Arrow stores a complete row group in memory."""
_NO_LEDGER = Ledger(None)
_OFFSET = 4
"""Number of bytes that Arrow needs for each text or list, in addition to the content."""
_ROWS_AT_ONCE = 1 << 14
_Write = Callable[[Path, tuple[int, int]], Path]
"""Function that writes a range of rows to a file and returns its path."""


def separator_for(labels: Iterable[str], separator: str | None = None) -> str:
    """Return `separator`. If it is None, return the first of blank, ``;``, ``|`` and tab that no label contains.

    >>> separator_for(["E10", "I10"]), separator_for(["type 2 diabetes", "asthma"])
    (' ', ';')
    """
    if separator is not None:
        return separator
    listed = list(labels)
    return next((mark for mark in _SEPARATORS if not any(mark in label for label in listed)), _SEPARATORS[0])


def check_labels(labels: Iterable[str], format: str, separator: str | None = None) -> None:  # noqa: A002
    """Reject labels of set members that a format cannot represent.

    A CSV cell cannot contain the empty label, the separator or a line end. A FIMI line also cannot contain a blank, or
    a byte order mark at the start of a label. Parquet represents every label.

    Raises
    ------
    InputError
        The message names the label and the remedies.
    """
    labels = list(labels)
    separator = separator_for(labels, separator)
    _require_format(format, separator)
    if format == "parquet":
        return
    marks = {"line feed": "\n", "carriage return": "\r"}
    marks |= {"separator": separator} if format == "csv" else {"blank": " ", "tab": "\t"}
    for label in labels:
        name, mark = next(((name, mark) for name, mark in marks.items() if mark in label), ("", ""))
        fault = f"contains the {name} {mark!r}" if name else ""
        if not label:
            fault = "is empty"
        elif format == "dat" and label.startswith("\ufeff"):
            fault = "starts with a byte order mark"
        if fault:
            ways = "choose another separator, or" if name == "separator" else "choose"
            msg = f"item {datum(label)} {fault}, which the format {format} does not support; {ways} the format parquet"
            raise InputError(msg)


def require_single_set(sets: Sequence[str], others: Sequence[str]) -> None:
    """Reject columns that the format dat (FIMI) does not support.

    Parameters
    ----------
    sets, others
        Names of the set-valued columns and of all other columns.

    Raises
    ------
    InputError
        If there is not exactly one set-valued column, or any other column.
    """
    if len(sets) != 1 or others:
        names = ", ".join(map(repr, (*sets, *others))) or "none"
        raise InputError(f"the format dat supports a single set-valued column only, got {names}; choose csv or parquet")


def write_published(
    publication: Records,
    folder: str | Path,
    format: str,  # noqa: A002
    separator: str | None = None,
    part_rows: int | None = None,
    ledger: Ledger = _NO_LEDGER,
) -> Path:
    """Write the published records to ``published.csv``, ``.parquet`` or ``.dat``, and return the path.

    If set-valued columns were joined, the file contains the separate columns. The symbols of a record are in canonical
    order, joined by the separator (a blank in FIMI). In Parquet they are ``list<string>``, and a row group has at most
    `ROWS_PER_GROUP` rows and `BYTES_PER_GROUP` bytes. All other columns are text. The bytes depend only on the
    published content and `part_rows`, and not on whether data are in memory or in files.

    Parameters
    ----------
    part_rows
        Number of rows of each file ``part-00000.csv``, ... in the folder ``published``. If None, one file is written.
    ledger
        Ledger of the run. Finished parts are kept in its work directory. A part that an interrupted run has finished is
        not written again.

    Raises
    ------
    InputError
        If the format cannot represent the publication, a file cannot be written, or a finished part has changed.
    """
    columns = written_columns(publication)
    sets = [column for column in columns if isinstance(column, SetColumn)]
    separator = separator_of(publication, separator)
    check_labels((label for column in sets for label in column.vocabulary.labels), format, separator)
    if not columns:
        raise InputError("no column to publish; declare at least one as set-valued, relational or kept")
    if format == "dat":
        require_single_set([c.name for c in sets], [c.name for c in columns if not isinstance(c, SetColumn)])
    write = partial(_write, columns, format, separator)
    if part_rows is None:
        return write(Path(folder) / f"published.{format}", (0, publication.n))
    return _write_parts(write, publication, Path(folder), format, part_rows, ledger)


def _write_parts(
    write: _Write,
    publication: Records,
    folder: Path,
    format: str,  # noqa: A002
    part_rows: int,
    ledger: Ledger,
) -> Path:
    """Write the records as parts in the folder ``published``, and return its path."""
    inner = folder / PARTS
    with reading(inner, "cannot be written"):
        inner.mkdir()
    bounds = list(spans(publication.n, part_rows)) or [(0, 0)]
    paths = (folder / name for name in part_names(len(bounds), format))
    store, kept = publication.store, ledger.store
    if kept is not None and not store.workers.remote and kept.path.stat().st_dev != inner.stat().st_dev:
        kept = None  # each part would be written twice
    work = inner if kept is None else kept.path
    if kept is None and store.workers.remote and store.path is not None:
        work = store.path
    parts = [(path, rows) for path, rows in zip(paths, bounds, strict=True) if kept is None or not _put(ledger, path)]
    task = partial(_write_part, write, work, format)
    for (path, _), written in zip(parts, store.map(task, [rows for _, rows in parts]), strict=True):
        if kept is not None:
            ledger.finish(_step(path), kept.mapped(written.name, np.uint8))
            _put(ledger, path)
        else:
            with reading(inner, "cannot be written"):
                shutil.move(written, path)
    with reading(inner, "cannot be written"):
        for path in inner.iterdir():  # a part from another machine was readable by its owner only
            path.chmod(inner.stat().st_mode & 0o666)
    return inner


def _step(path: Path) -> str:
    """Return the name of a part as a step of a run."""
    return f"written-{path.stem}"


def _put(ledger: Ledger, path: Path) -> bool:
    """Put a finished part into the publication, as a hard link if possible. Return False if it is not finished."""
    part: UInt8 | None = ledger.finished(_step(path))
    if part is None:
        return False
    with reading(path, "cannot be written"):
        if (file := backing(part)) is None:
            part.tofile(path)
            return True
        try:
            os.link(str(file.filename), path)
        except OSError:  # another file system
            shutil.copyfile(str(file.filename), path)
    return True


def _write_part(write: _Write, folder: Path, format: str, rows: tuple[int, int]) -> Path:  # noqa: A002
    return write(folder / f"part-{secrets.token_hex(8)}.{format}", rows)


def _write(
    columns: Sequence[SetColumn | CategoricalColumn],
    format: str,  # noqa: A002
    separator: str,
    path: Path,
    rows: tuple[int, int],
) -> Path:
    """Write the given range of rows. Only some of them are in memory at once."""
    if format == "parquet":
        return _write_parquet(columns, path, rows)
    if format == "dat" and isinstance(columns[0], SetColumn):
        return write_file(path, map(lines, _blocks(columns, " ", rows)))
    return write_file(path, csv_lines([column.name for column in columns], _blocks(columns, separator, rows)))


def write_sets(column: SetColumn, path: Path) -> Path:
    """Write a set-valued column as a separate file, in the format of its name, with items separated by blanks.

    Raises
    ------
    InputError
        If the name has no known suffix (.csv or .dat, optionally compressed, or .parquet), or the format cannot
        represent a label.
    """
    form = path.name.lower().removesuffix(".gz").rpartition(".")[2]
    if form not in ("csv", "dat", "parquet"):
        raise InputError(f"{str(path)!r} must end in .csv, .dat or .parquet")
    check_labels(column.vocabulary.labels, form, " ")
    return _write((column,), form, " ", path, (0, column.n))


def _write_parquet(columns: Sequence[SetColumn | CategoricalColumn], path: Path, rows: tuple[int, int]) -> Path:
    blocks = spans_within(columns, rows, ROWS_PER_GROUP, BYTES_PER_GROUP) if rows[0] < rows[1] else [rows]
    tables = (arrow_table([column.slice(first, end) for column in columns]) for first, end in blocks)
    return write_parquet_tables(path, arrow_table([column.slice(0, 0) for column in columns]).schema, tables)


def separator_of(publication: Records, separator: str | None = None) -> str:
    """Return the separator of a publication's symbols within a field (see `separator_for`)."""
    shown = written_columns(publication.slice(0, 0))
    sets = (column for column in shown if isinstance(column, SetColumn))
    return separator_for((label for column in sets for label in column.vocabulary.labels), separator)


def _blocks(
    columns: Sequence[SetColumn | CategoricalColumn], separator: str, rows: tuple[int, int]
) -> Iterator[list[Any]]:
    """Yield the cells of the given rows as text (``pyarrow.LargeStringArray``), one block of rows at a time."""
    cells = [_cells(c, separator) if isinstance(c, SetColumn) else _categories(c) for c in columns]
    for first, end in spans_within(columns, rows, _BLOCK, _BYTES):
        yield [of(first, end) for of in cells]


def _cells(column: SetColumn, separator: str) -> Callable[[int, int], Any]:
    labels = arrow.text_array(column.vocabulary.labels)
    mark = arrow.text_scalar(separator)
    return lambda first, end: arrow.binary_join(_lists(column, labels, first, end, pa.LargeListArray), mark)


def _categories(column: CategoricalColumn) -> Callable[[int, int], Any]:
    texts = texts_of(column.vocabulary)
    return lambda first, end: texts(column.codes[first:end])


def _lists(column: SetColumn, labels: Any, first: int, end: int, kind: Any) -> Any:
    ends = column.indptr[first : end + 1]
    symbols = arrow.chosen(labels, column.codes[ends[0] : ends[-1]])
    if len(symbols) != ends[-1] - ends[0] or bool(np.any(ends[1:] < ends[:-1])):
        place = f"column {column.name!r}"
        raise damage_error(place)  # pyarrow does not check the offsets
    offset = np.int64 if kind is pa.LargeListArray else np.int32
    return kind.from_arrays(arrow.number_array((ends - ends[0]).astype(offset)), symbols)


def to_arrow(publication: Records) -> Any:
    """Return the published records as a ``pyarrow.Table``: sets as ``list<string>``, all other columns as text.

    Joined set-valued columns are separate columns again.
    """
    return arrow_table(written_columns(publication))


def arrow_table(published: Iterable[SetColumn | CategoricalColumn]) -> Any:
    """Return columns as a ``pyarrow.Table``: sets as ``list<string>``, all other columns as text."""
    columns, text = {}, pa.string()
    for column in published:
        if isinstance(column, SetColumn):
            labels = arrow.cast(arrow.text_array(column.vocabulary.labels), text)
            lists = [_lists(column, labels, *block, pa.ListArray) for block in spans(column.n, _BLOCK)]
            columns[column.name] = pa.chunked_array(lists, pa.list_(text))
        else:
            labels_of = _categories(column)
            parts = [arrow.cast(labels_of(*block), text) for block in spans(column.n, _BLOCK)]
            columns[column.name] = pa.chunked_array(parts, text)
    return pa.table(columns)


def _require_format(format: str, separator: str) -> None:  # noqa: A002
    require_known(setting("format"), format, _FORMATS)
    if not separator or any(mark in separator for mark in "\r\n"):
        raise InputError(f"separator must be text without line ends, got {separator!r}")


def spans_within(
    columns: Sequence[SetColumn | CategoricalColumn], rows: tuple[int, int], most_rows: int, most_bytes: int
) -> Iterator[tuple[int, int]]:
    """Yield the start and end of consecutive spans in a range of rows. Each span is as long as `most_rows` and
    `most_bytes` allow.

    A span has at least one row, even if the row is larger than `most_bytes`.

    The spans depend on the content of the columns, not on their storage. The byte count includes the texts, and
    `_OFFSET` for each text and each list.

    >>> column = CategoricalColumn.of("note", ["a", "bb", "x" * 50, "c", "d"])
    >>> list(spans_within([column], (0, 5), 2, 100)), list(spans_within([column], (0, 5), 4, 16))
    ([(0, 2), (2, 4), (4, 5)], [(0, 2), (2, 3), (3, 5)])
    """
    sizes, (first, last) = [_Sizes(column) for column in columns], rows
    while first < last:
        end = min(first + most_rows, last)
        if any(size.filed for size in sizes) or sum(size.at_most(first, end) for size in sizes) > most_bytes:
            end = _end(sizes, first, end, most_bytes)
        yield first, end
        first = end


def _end(sizes: "Sequence[_Sizes]", first: int, end: int, most: int) -> int:
    """Return the end of the longest span from `first` with at most `most` bytes. The span has at least one row."""
    before = 0
    for a, b in spans(end - first, _ROWS_AT_ONCE):
        row_sizes = sum(size.of(first + a, first + b) for size in sizes)
        done = np.cumsum(row_sizes) + before
        if done[-1] > most:
            return first + max(1, a + int(np.searchsorted(done, most, side="right")))
        before = int(done[-1])
    return end


class _Sizes:
    """Sizes of the rows of a column, in bytes."""

    def __init__(self, column: SetColumn | CategoricalColumn) -> None:
        self._column = column
        self.filed = column.vocabulary.filed is not None
        """True if the labels are stored in files. The length of the longest label is then unknown."""
        self._each = np.empty(0, np.int64) if self.filed else _label_bytes(column.vocabulary)
        self._longest = int(self._each.max(initial=_OFFSET))

    def at_most(self, first: int, end: int) -> int:
        """Return an upper bound on the bytes of a span, if all labels are in memory."""
        column = self._column
        if isinstance(column, SetColumn):
            return int(column.indptr[end] - column.indptr[first]) * self._longest + (end - first) * _OFFSET
        return (end - first) * self._longest

    def of(self, first: int, end: int) -> Int64:
        column = self._column
        if isinstance(column, CategoricalColumn):
            return self._of_codes(column.codes[first:end])
        ends = column.indptr[first : end + 1]
        done = begins_of(self._of_codes(column.codes[ends[0] : ends[-1]]))
        sizes: Int64 = np.diff(done[ends - ends[0]]) + _OFFSET
        return sizes

    def _of_codes(self, codes: Int32) -> Int64:
        filed = self._column.vocabulary.filed
        if filed is None:
            return self._each[codes]
        lengths: Int64 = filed.lengths(codes) + _OFFSET
        return lengths


def _label_bytes(vocabulary: Vocabulary) -> Int64:
    lengths = (len(label.encode()) + _OFFSET for label in vocabulary.labels)
    return np.fromiter(lengths, np.int64, len(vocabulary))
