"""The data that a command compares with others: a file, or many that are one data set, mapped where they are large."""

from collections.abc import Mapping
from os import fspath
from pathlib import Path
from typing import Any

from anonset.data import Table
from anonset.jobs.input import require_input
from anonset.release.costs import memory_for, memory_limit


def read_data(source: str, options: Mapping[str, Any], *, mapped: bool = True) -> Table:
    """Read a file, or the files of a folder, glob, tree or address.

    What would take more memory than is there is read into files, block by block, as by `anonset.scan`.

    Parameters
    ----------
    options
        Those of `anonset.read`.
    mapped
        Whether the table may lie in files.

    Raises
    ------
    InputError
        If there are no data, or they are not what the options say.
    """
    from anonset.io.data_files import data_files
    from anonset.io.options import ReadOptions
    from anonset.io.read import read
    from anonset.io.scan import gather_files, scan

    require_input(source)
    path = Path(source)
    files = data_files(source, options.get("input_format"), no_header=options.get("no_header", False))
    limit = memory_limit(None)
    by_blocks = not options.get("group") and files.format != "spmf"
    if mapped and by_blocks and limit is not None and memory_for(files.estimated) > limit:
        return scan(source, **options)
    if path.is_file() or (path.is_dir() and files.format == "parquet" and not files.keys):
        return read(path, **options)
    return gather_files(fspath(source), ReadOptions.of(**options), None)
