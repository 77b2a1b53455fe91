"""Write a bucketized table as ``qit.csv`` and ``snt.csv``."""

import os
from pathlib import Path
from typing import Any, NamedTuple

from anonset.data import CategoricalColumn
from anonset.publications import Buckets
from anonset.publications.buckets import GROUP
from anonset.reading.publications.buckets import QIT, SNT
from anonset.reading.publications.records import part_names
from anonset.reading.sources.files import reading as reading_of
from anonset.reading.sources.files import write_file
from anonset.writing.publications.records import arrow_table
from anonset.writing.row_lines import RowLines


class BucketTables(NamedTuple):
    """Bucketized table as two ``pyarrow.Table`` with text columns."""

    qit: Any
    """Table of the ids, the columns that are published unchanged, and the group of each row."""
    snt: Any
    """Table of the groups and their sensitive values."""


def buckets_to_arrow(publication: Buckets) -> BucketTables:
    """Return the tables QIT and SNT with the rows and columns that `write_buckets` writes."""
    return BucketTables(arrow_table(publication.qit), arrow_table(publication.snt))


def write_buckets(
    publication: Buckets,
    folder: str | os.PathLike[str],
    *,
    part_rows: int | None = None,
) -> tuple[Path, Path]:
    """Write ``qit.csv`` (ids, kept columns, group) and ``snt.csv`` (group, value) into a folder, and return their
    paths.

    Rows are in the order of the publication, which discloses nothing about the original.

    Parameters
    ----------
    part_rows
        Number of rows of each file ``part-00000.csv``, ... in the folders ``qit`` and ``snt``.
        If None, each table is one file.

    Raises
    ------
    InputError
        If two columns would have the same name, or a file cannot be written.
    """
    group = CategoricalColumn(GROUP, publication.snt_group, publication.group.vocabulary)
    qit = RowLines(publication.qit, publication.store)
    snt = RowLines((group, publication.snt_value), publication.store, publication.snt_count)
    if part_rows is not None:
        return tuple(_write_parts(Path(folder), name, rows, part_rows) for name, rows in (("qit", qit), ("snt", snt)))  # type: ignore[return-value]
    write_file(Path(folder) / QIT, qit.all())
    try:
        write_file(Path(folder) / SNT, snt.all())
    except BaseException:
        (Path(folder) / QIT).unlink(missing_ok=True)
        raise
    return Path(folder) / QIT, Path(folder) / SNT


def _write_parts(folder: Path, name: str, rows: RowLines, part_rows: int) -> Path:
    """Write files of `part_rows` rows into a new folder `name`. If there are no rows, the folder contains one file."""
    with reading_of(folder / name, "cannot be written"):
        (folder / name).mkdir()
    parts = rows.parts(part_rows)
    for path, part in zip(part_names(max(1, -(-rows.n // part_rows)), "csv", name), parts, strict=True):
        write_file(folder / path, part)
    return folder / name
