"""Read data of any size into a table stored in files."""

import weakref
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Unpack

from anonset.data import Table
from anonset.data.storage.store import Files
from anonset.reading.options import ReadKeywords, ReadOptions, require_options
from anonset.reading.table_builder import gather_files


def scan(
    source: str | PathLike[str],
    *,
    work_dir: str | PathLike[str] | None = None,
    **options: Unpack[ReadKeywords],
) -> Table:
    """Read files block by block into a table on disk, which may be larger than memory.

    The table equals the result of `read` on the same records. Further processing also reads the records block by block.
    Memory contains one block and the distinct labels. Labels of published ids, and of kept columns with many labels,
    are stored in files.

    Parameters
    ----------
    source
        A file, a folder, a glob (``visits/*.parquet``), or an address (``s3://bucket/visits``) that Arrow or the
        package fsspec supports. The keys of folders named ``key=value`` are columns. All files must have the same
        format and columns. They are read in the order of their paths. CSV, TSV, FIMI, baskets and Parquet are
        supported.
    work_dir
        A new or empty directory for the arrays, which remain after a successful run. Default: a directory below the
        system's temporary directory, which is removed when the table is no longer used. The directory contains raw data
        and is created with mode 0700.
    options
        Options of `read`: see `anonset.ReadOptions` and `anonset.FileOptions`.

    Raises
    ------
    InputError
        If the data cannot be read or contradict the arguments, or if the disk is full. The message is one line.

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
    require_options("scan", options)
    read_options = ReadOptions(**options)
    if work_dir is not None:
        named = Files.create(Path(work_dir))
        try:
            return gather_files(fspath(source), read_options, named)
        except BaseException:
            named.remove()
            raise
    return in_temporary_files(fspath(source), read_options)


def in_temporary_files(source: Any, options: ReadOptions) -> Table:
    """Read any input that `source_of` accepts into a temporary directory, which is removed with the table."""
    store = Files.temporary()
    weakref.finalize(store.token, Files(store.path).remove)
    return gather_files(source, options, store)
