"""Write published records as linked tables, which share the number of the record."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from anonset import arrow
from anonset.data import CategoricalColumn, SetColumn
from anonset.data.spans import spans
from anonset.errors import InputError
from anonset.lazy_arrow import pa
from anonset.publications import Records
from anonset.publications.records import written_columns
from anonset.reading.linked import column_of
from anonset.reading.publications.tables import FOLDER, RECORD, files_of_table
from anonset.reading.sources.files import reading, write_file
from anonset.writing.csv_lines import csv_lines, texts_of
from anonset.writing.publications.records import spans_within
from anonset.writing.table_files import write_parquet_tables

_BLOCK = 1 << 16
_BYTES = 1 << 24
"""Approximate maximum size of a block in bytes."""

Columns = Sequence[CategoricalColumn] | SetColumn


@dataclass(frozen=True, eq=False)
class _Table:
    """A published table. It has a row per record or, if its column is set-valued, a row per record and symbol."""

    columns: Columns

    @property
    def names(self) -> list[str]:
        columns = [self.columns] if isinstance(self.columns, SetColumn) else self.columns
        return [RECORD, *(column.name for column in columns)]

    def blocks(self, first: int, end: int) -> Iterator[list[Any]]:
        """Yield the columns of the rows of records `first` to `end` - 1. Records are numbered from 1."""
        columns = [self.columns] if isinstance(self.columns, SetColumn) else self.columns
        blocks: Iterable[tuple[int, int]] = ((first + a, first + b) for a, b in spans(end - first, _BLOCK))
        if columns:
            blocks = spans_within(columns, (first, end), _BLOCK, _BYTES)
        labels = [texts_of(column.vocabulary) for column in columns]
        for a, b in blocks:
            number = np.arange(a + 1, b + 1)
            if isinstance(self.columns, SetColumn):
                ends = self.columns.indptr[a : b + 1]
                number, codes = np.repeat(number, np.diff(ends)), [self.columns.codes[ends[0] : ends[-1]]]
            else:
                codes = [column.codes[a:b] for column in self.columns]
            yield [number, *(of(part) for of, part in zip(labels, codes, strict=True))]

    def write(self, format: str, task: tuple[Path, tuple[int, int]]) -> None:  # noqa: A002
        """Write the rows of a range of records to a file."""
        path, rows = task
        if format == "parquet":
            self._write_parquet(path, rows)
        else:
            blocks = ([arrow.digits(number), *texts] for number, *texts in self.blocks(*rows))
            write_file(path, csv_lines(self.names, blocks))

    def _write_parquet(self, path: Path, rows: tuple[int, int]) -> None:
        schema = pa.schema([(RECORD, pa.int64()), *((name, pa.string()) for name in self.names[1:])])
        cells = (
            [arrow.number_array(number), *(arrow.cast(text, pa.string()) for text in texts)]
            for number, *texts in self.blocks(*rows)
        )
        write_parquet_tables(path, schema, (pa.Table.from_arrays(block, schema=schema) for block in cells))


def write_tables(
    publication: Records,
    tables: Sequence[str],
    folder: Path,
    format: str,  # noqa: A002
    part_rows: int | None = None,
) -> Path:
    """Write the tables of a publication into the folder ``tables``, and return its path.

    The first table has a row for each record: its number, and the columns without items. Each other table has a row
    for each record and symbol. Numbers are the positions of the records in the publication, from 1.

    Parameters
    ----------
    part_rows
        Number of records of each file ``NAME/part-00000.csv``, ... The parts of all tables contain the same records.
        If None, each table is one file.

    Raises
    ------
    InputError
        If the format has one column, or a file cannot be written.
    """
    if format not in ("csv", "parquet"):
        raise InputError(f"linked tables are published as csv or parquet, got format {format}")
    inner = folder / FOLDER
    with reading(inner, "cannot be written"):
        inner.mkdir()
        for name in tables if part_rows is not None else ():
            (inner / name).mkdir()
    bounds = [(0, publication.n)] if part_rows is None else list(spans(publication.n, part_rows)) or [(0, 0)]
    parts = None if part_rows is None else len(bounds)
    for name, table in zip(tables, _tables(publication, tables), strict=True):
        paths = [folder / file for file in files_of_table(name, format, parts)]
        tasks = list(zip(paths, bounds, strict=True))
        list(publication.store.with_local_workers().map(partial(table.write, format), tasks))
    return inner


def _tables(publication: Records, tables: Sequence[str]) -> Iterator[_Table]:
    columns = {name: list[Any]() for name in tables}
    for column in written_columns(publication):
        name = next(name for name in tables if column.name.startswith(column_of(name, "")))
        columns[name].append(replace(column, name=column.name.removeprefix(column_of(name, ""))))
    for name in tables:
        sets = [column for column in columns[name] if isinstance(column, SetColumn)]
        yield _Table(sets[0] if sets else columns[name])
