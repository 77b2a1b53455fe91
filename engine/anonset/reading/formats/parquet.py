"""Read Parquet files as batches of rows.

Text is dictionary-encoded if that saves memory. Batches of long rows contain fewer rows.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from anonset.arrow import ArrowColumns, without_views
from anonset.data import spans
from anonset.data.storage.workers import Workers
from anonset.errors import InputError
from anonset.lazy_arrow import pa
from anonset.reading.batches import Batch, OpenedSource, SourcePart, first_rows, way_to_link, with_keys
from anonset.reading.name_lists import names_in
from anonset.reading.nested_paths import with_nested
from anonset.reading.options import ReadOptions
from anonset.reading.sources.files import open_parquet, reading
from anonset.reading.sources.source import DataFile, Source, can_access

_BYTES_AT_ONCE = 1 << 24
"""Approximate maximum of encoded bytes in a batch of rows."""
_ROWS_OF_PART = 1 << 20
"""Minimum number of rows of a part, except the last part."""
_LONG, _SMALL = 64, 1 << 20
"""A column of a row group has mostly distinct values if it has more than `_SMALL` bytes in total and more than `_LONG`
bytes per value.
"""
_CODE, _LARGE = 4, 1 << 23
"""A column of a row group with more than `_LARGE` bytes has mostly distinct values if it has more than `_CODE` bytes
per value.
"""


def open_parquet_files(source: Source, options: ReadOptions) -> OpenedSource:
    """Open Parquet files with equal schemas. Declared paths such as ``code.coding[].code`` become columns.

    Raises
    ------
    InputError
        If a file is not Parquet, or its columns differ from the columns of the first file.
    """
    from pyarrow import parquet

    schemas = []
    for file in source.files:
        with file.opened() as opened, reading(file.where, "not valid Parquet"):
            schemas.append(parquet.read_schema(opened).remove_metadata())
    for file, schema in zip(source.files, schemas, strict=True):
        if not schema.equals(schemas[0]):
            difference = _difference(schemas[0], schema)
            msg = f"{file.where}: must have the same columns and types as {source.files[0].where}; {difference}"
            raise InputError(msg, fixes=way_to_link(source, schema.names, schemas[0].names))
    columns = tuple(schemas[0].names)
    column_set, ids = frozenset(columns), names_in(columns, options.ids)

    def batches(names: Sequence[str]) -> Iterator[Batch]:
        present = [name for name in names if name in column_set]
        for file in source.files:
            yield from _row_groups(file, present, names, ids)

    def head(names: Sequence[str]) -> ArrowColumns:
        return first_rows(batch.columns for batch in batches([name for name in names if name in column_set]))

    def parts(workers: Workers) -> list[SourcePart]:
        if not can_access(source.files, workers):
            return []
        found, row = list[SourcePart](), 0
        for file in source.files:
            for groups, rows, size in _parts_of(file):
                found.append(SourcePart(file.path, row, _PartBatches(file, column_set, ids, groups), size=size))
                row += rows
        return found

    return with_nested(OpenedSource(source.where, columns, batches, parts=parts, head=head), options)


@dataclass(frozen=True)
class _PartBatches:
    file: DataFile
    columns: frozenset[str]
    ids: Sequence[str]
    groups: range

    def __call__(self, names: Sequence[str]) -> Iterator[Batch]:
        present = [name for name in names if name in self.columns]
        return _row_groups(self.file, present, names, self.ids, self.groups)


def _parts_of(file: DataFile) -> Iterator[tuple[range, int, int]]:
    """Yield ranges of row groups with their row count and size in bytes. All ranges except the last have at least
    `_ROWS_OF_PART` rows.
    """
    from pyarrow import parquet

    with file.opened() as opened, reading(file.where, "not valid Parquet"):
        metadata = parquet.read_metadata(opened)
        groups = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
        sizes = [(int(group.num_rows), int(group.total_byte_size)) for group in groups]
    first = rows = size = 0
    for group, (more_rows, more) in enumerate(sizes):
        rows, size = rows + more_rows, size + more
        if rows >= _ROWS_OF_PART or (group + 1 == len(sizes) and (rows or not first)):
            yield range(first, group + 1), rows, size
            first, rows, size = group + 1, 0, 0
    if not sizes:
        yield range(0), 0, 0


def _row_groups(
    file: DataFile, present: list[str], names: Sequence[str], ids: Sequence[str] = (), groups: range | None = None
) -> Iterator[Batch]:
    """Yield the rows of a Parquet file. Text is read as dictionary codes if the row group has a dictionary.

    `groups` are the row groups to read, by default all. Ids, and other columns with mostly distinct values, are read as
    plain text, because Arrow keeps the dictionary of a row group in memory.
    """
    from pyarrow import parquet

    with file.opened() as opened:
        with reading(file.where, "not valid Parquet"):
            metadata = parquet.read_metadata(opened)
            columns = [metadata.schema.column(n) for n in range(metadata.num_columns)]
            plainly = {*ids, *_without_codes(metadata)}
            text = [
                column.path for column in columns if column.logical_type.type == "STRING" and column.path not in plainly
            ]
            far = file.place is not None
            coded = open_parquet(opened, far=far, metadata=metadata, read_dictionary=text)
            plain = open_parquet(opened, far=far, metadata=metadata)
            sizes = [_rows_at_once(metadata.row_group(group)) for group in range(metadata.num_row_groups)]
        chosen = range(len(sizes)) if groups is None else groups
        before = sum(metadata.row_group(group).num_rows for group in range(chosen.start))
        for group in chosen:
            for batch in _of_group(file, coded, plain, group, present, sizes[group]):
                with reading(file.where, "not valid Parquet"):
                    part = {name: without_views(pa.chunked_array([batch.column(name)])) for name in present}
                yield with_keys(file, before, batch.num_rows, part, names)
                before += batch.num_rows
        if not before:
            with reading(file.where, "not valid Parquet"):
                empty = {
                    name: without_views(pa.chunked_array([], plain.schema_arrow.field(name).type)) for name in present
                }
            yield with_keys(file, 0, 0, empty, names)


def _without_codes(metadata: Any) -> set[str]:
    """Return the columns in which most values are probably distinct, given the bytes per value in `metadata`
    (``pyarrow.FileMetaData``).

    In the largest columns, fewer bytes per value suffice, because the size of a dictionary is negligible.
    """

    def most_differ(size: int, n: int) -> bool:
        return size > max(_LONG * n, _SMALL) or size > max(_CODE * n, _LARGE)

    groups = [metadata.row_group(n) for n in range(metadata.num_row_groups)]
    chunks = [group.column(n) for group in groups for n in range(group.num_columns)]
    return {chunk.path_in_schema for chunk in chunks if most_differ(chunk.total_uncompressed_size, chunk.num_values)}


def _rows_at_once(group: Any) -> int:
    """Return the number of rows to read at once, which is smaller for long rows. `group` is a
    ``pyarrow.RowGroupMetaData``.
    """
    rows, size = int(group.num_rows), int(group.total_byte_size)
    return max(1, min(spans.AT_ONCE, _BYTES_AT_ONCE * rows // max(1, size)))


def _of_group(file: DataFile, coded: Any, plain: Any, group: int, columns: list[str], size: int) -> Iterator[Any]:
    """Yield the rows of a row group, `size` at a time. Read plain text instead of codes after the dictionary has grown
    too large for Arrow.
    """
    done = 0
    for table in (coded, plain):
        with reading(file.where, "not valid Parquet"):
            batches, to_skip = table.iter_batches(size, row_groups=[group], columns=columns), done
        while True:
            try:
                with reading(file.where, "not valid Parquet"):
                    batch = next(batches, None)
                    if batch is not None:
                        batch.validate(full=True)  # rejects text that is not UTF-8, and bad offsets
            except InputError as error:
                if table is coded and isinstance(error.__cause__, pa.ArrowNotImplementedError):
                    break
                raise
            if batch is None:
                return
            if to_skip:
                to_skip -= batch.num_rows
                continue
            yield batch
            done += batch.num_rows


def _difference(first: Any, other: Any) -> str:
    for column in first:
        position = other.get_field_index(column.name)
        if position < 0:
            return f"column {column.name!r} is missing"
        if other.field(position).type != column.type:
            return f"column {column.name!r} must be {column.type}, got {other.field(position).type}"
    if more := [name for name in other.names if name not in first.names]:
        return f"column {more[0]!r} is additional"
    return "their order differs, or which columns may contain nulls"
