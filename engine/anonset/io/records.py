"""The private file ``records.csv``: the way back from published rows to input records."""

from pathlib import Path

import numpy as np

from anonset.data.table import Int32, Int64
from anonset.errors import InputError
from anonset.generalization import Publication
from anonset.io.files import write_file
from anonset.io.lines import csv_bytes, text_array
from anonset.io.rows import rows_of

HEADER = ("published_row", "input_record", "cluster")


def write_records(publication: Publication, path: str | Path) -> Path:
    """Write the way back: ``published_row,input_record,cluster``, 0-based, no cluster for global recodings.

    Raises
    ------
    InputError
        If the file cannot be written.
    """
    import pyarrow as pa

    n, text = publication.n, pa.large_string()
    cluster = text_array([""] * n) if publication.cluster is None else pa.array(publication.cluster).cast(text)
    columns = [pa.array(np.arange(n)).cast(text), pa.array(publication.record).cast(text), cluster]
    return write_file(Path(path), csv_bytes(HEADER, columns))


def read_records(path: Path) -> tuple[Int64, Int32 | None]:
    """Return the input record of each published row, and its cluster where all rows have one, from ``records.csv``.

    Raises
    ------
    InputError
        If the rows are not numbered 0, 1, 2, ...
    """
    rows = list(rows_of(path, HEADER))
    try:
        numbers = [int(row["published_row"]) for row in rows]
        record = np.array([int(row["input_record"]) for row in rows], np.int64)
        local = all(row["cluster"] for row in rows)
        cluster = np.array([int(row["cluster"]) for row in rows], np.int32) if local else None
    except (ValueError, OverflowError):  # whose texts show the values
        numbers = []
    if len(numbers) < len(rows):
        msg = f"{str(path)!r} must hold whole numbers of at most 64 bits, and clusters of 32"
        raise InputError(msg)
    if numbers != list(range(len(rows))):
        msg = f"{str(path)!r} must number the published rows 0, 1, 2, ... in their order"
        raise InputError(msg)
    return record, cluster
