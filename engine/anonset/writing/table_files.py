"""Write tables as Parquet files."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

from anonset.data import CategoricalColumn, SetColumn, Table
from anonset.lazy_arrow import pa
from anonset.reading.sources.files import remove_on_failure

ROWS_PER_GROUP = 1 << 20
"""Maximum number of rows in a Parquet row group."""


def write_parquet(table: Table, path: str | Path) -> Path:
    """Write all columns of a table to a new Parquet file. Sets become lists of text, and categories become text.

    >>> import tempfile
    >>> from anonset.reading.read import read
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = write_parquet(Table.from_sets([{"b", "a"}, set()]), f"{folder}/t.parquet")
    ...     list(read(path, items="items").transactions.rows())
    [['a', 'b'], []]

    Raises
    ------
    InputError
        If the file cannot be written.
    """
    from pyarrow import parquet

    target = Path(path)
    columns = {column.name: _arrow(column) for column in table.columns}
    with remove_on_failure(target):
        parquet.write_table(pa.table(columns), target, store_schema=False)
    return target


def write_parquet_tables(path: Path, schema: Any, tables: Iterable[Any], **options: Any) -> Path:
    """Write tables with the same columns (``pyarrow.Table``) to a Parquet file, and return its path. `options` are
    those of ``pyarrow.parquet.ParquetWriter``.
    """
    from pyarrow import parquet

    with remove_on_failure(path), path.open("wb") as file, parquet.ParquetWriter(file, schema, **options) as writer:
        for table in tables:
            writer.write_table(table, ROWS_PER_GROUP)
    return path


def _arrow(column: Any) -> Any:
    if isinstance(column, SetColumn):
        coded = _coded(column.items, column)
        kind = pa.LargeListArray if len(column.codes) > np.iinfo(np.int32).max else pa.ListArray
        offsets = column.indptr if kind is pa.LargeListArray else column.indptr.astype(np.int32)
        return kind.from_arrays(pa.array(offsets), coded)
    return _coded(column.codes, column) if isinstance(column, CategoricalColumn) else pa.array(column.values)


def _coded(codes: Any, column: SetColumn | CategoricalColumn) -> Any:
    return pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(column.vocabulary.labels, pa.string()))
