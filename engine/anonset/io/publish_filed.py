"""Writing publications with columns whose labels lie in files: the bytes of those whose labels are held."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from anonset.data import CategoricalColumn, SetColumn
from anonset.data.filed import FiledLabels
from anonset.data.spans import spans
from anonset.generalization import Publication
from anonset.generalization.publication import written_columns
from anonset.io.files import reading, remove_on_failure, write_file
from anonset.io.lines import csv_bytes, lines, quoted, text_array
from anonset.io.publish import PARTS, ROWS_PER_GROUP, arrow_table, check_labels, part_names, separator_of

_BLOCK = 1 << 16
Columns = Sequence[SetColumn | CategoricalColumn]


def write_filed(
    publication: Publication,
    folder: str | Path,
    format: str,  # noqa: A002
    separator: str | None = None,
    part_rows: int | None = None,
) -> Path:
    """Write the published records as `write_published` does, as CSV or Parquet; return the path.

    Raises
    ------
    InputError
        If the format cannot carry the publication, a file cannot be written, or labels were damaged in their files.
    """
    columns, separator = written_columns(publication), separator_of(publication, separator)
    sets = [column for column in columns if isinstance(column, SetColumn)]
    check_labels((label for column in sets for label in column.vocabulary.labels), format, separator)
    if part_rows is None:
        return _write(columns, Path(folder) / f"published.{format}", format, separator)
    inner = Path(folder) / PARTS
    with reading(inner, "cannot be written"):
        inner.mkdir()
    bounds = list(spans(publication.n, part_rows))
    for name, rows in zip(part_names(len(bounds), format), bounds, strict=True):
        _write([column.part(*rows) for column in columns], Path(folder) / name, format, separator)
    return inner


def _write(columns: Columns, path: Path, format: str, separator: str) -> Path:  # noqa: A002
    """Write columns as one file, block by block."""
    return _write_parquet(columns, path) if format == "parquet" else write_file(path, _csv_parts(columns, separator))


def _write_parquet(columns: Columns, path: Path) -> Path:
    from pyarrow import parquet

    schema = _arrow(columns, 0, 0).schema
    with remove_on_failure(path), path.open("wb") as file, parquet.ParquetWriter(file, schema) as writer:
        for first, end in spans(columns[0].n, ROWS_PER_GROUP):
            writer.write_table(_arrow(columns, first, end), ROWS_PER_GROUP)
    return path


def _csv_parts(columns: Columns, separator: str) -> Iterator[Any]:
    top, _ = csv_bytes([column.name for column in columns], [text_array([])] * len(columns))
    yield top
    for first, end in spans(columns[0].n, _BLOCK):
        table = _arrow(columns, first, end)
        fields = [_field(table.column(column.name), separator) for column in columns]
        yield lines([quoted(field, alone=len(columns) == 1) for field in fields])


def _field(column: Any, separator: str) -> Any:
    """Return a column as text (``pyarrow.LargeStringArray``), the symbols of a set joined."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_list(column.type):
        column = pc.binary_join(column, pa.scalar(separator, pa.string()))
    return column.cast(pa.large_string()).combine_chunks()


def _arrow(columns: Columns, first: int, end: int) -> Any:
    """Return some rows as a ``pyarrow.Table``, as `arrow_table` does."""
    import pyarrow as pa

    arrays = {}
    for column in columns:
        part = column.part(first, end)
        if (labels := part.vocabulary.filed) is None or not isinstance(part, CategoricalColumn):
            arrays[column.name] = arrow_table([part]).column(0)
        else:
            arrays[column.name] = _texts(part, labels)
    return pa.table(arrays)


def _texts(column: CategoricalColumn, labels: FiledLabels) -> Any:
    """Return a column of text (``pyarrow.ChunkedArray``)."""
    import pyarrow as pa

    chunks = []
    for first, end in spans(column.n, _BLOCK):
        starts, text = labels.gathered(column.codes[first:end])
        array = pa.LargeStringArray.from_buffers(end - first, pa.py_buffer(starts), pa.py_buffer(text))
        chunks.append(array.cast(pa.string()))
    return pa.chunked_array(chunks, pa.string())
