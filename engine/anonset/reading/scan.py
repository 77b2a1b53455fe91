"""Reading data of any size into a table whose arrays lie in files."""

import weakref
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Unpack

from anonset.data import Table
from anonset.data.store import Files
from anonset.reading.options import ReadKeywords, ReadOptions
from anonset.reading.table_builder import gather_files


def scan(
    source: str | PathLike[str],
    *,
    work_dir: str | PathLike[str] | None = None,
    **options: Unpack[ReadKeywords],
) -> Table:
    """Read files block by block into a table that lies on disk: it may be larger than memory.

    The table is the one that `read` makes of the same records. What goes through its records takes them block by
    block. Memory holds a block and the distinct labels, but not those of published ids, nor of kept columns that have
    many: these lie in files.

    Parameters
    ----------
    source
        A file or a folder; a glob (``visits/*.parquet``); a tree of folders named ``key=value``, whose keys are
        columns; or an address (``s3://bucket/visits``) that Arrow, or the package fsspec, knows. Files of a data set
        have one format and the same columns. Their order is that of their paths. CSV, TSV, FIMI, baskets and
        Parquet are read.
    work_dir
        A new or empty directory for the arrays, which stay once all are there. By default one below the system's
        directory for temporary files, which is removed when the table is no longer used. What is made holds raw data;
        its mode is 0700.
    options
        Those of `read`: see `anonset.ReadOptions` and `anonset.FileOptions`.

    Raises
    ------
    InputError
        If the data cannot be read, or are not what the arguments say, in one line; or the disk is full.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name, text in ("a", "bread milk"), ("b", "milk"):
    ...         _ = (Path(folder) / f"{name}.dat").write_text(text)
    ...     table = scan(f"{folder}/*.dat")
    >>> table.n, table.transactions.vocabulary.labels
    (2, ('bread', 'milk'))
    """
    read_options = ReadOptions(**options)
    if work_dir is not None:
        named = Files.at(Path(work_dir))
        try:
            return gather_files(fspath(source), read_options, named)
        except BaseException:
            named.remove()
            raise
    return in_temporary_files(fspath(source), read_options)


def in_temporary_files(source: Any, options: ReadOptions) -> Table:
    """Read what `source_of` takes into a temporary directory, which is removed when the table is no longer used."""
    store = Files.temporary()
    weakref.finalize(store.token, Files(store.path).remove)
    return gather_files(source, options, store)
