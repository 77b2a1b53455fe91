"""Read published records, and name part files."""

import os
from pathlib import Path

from anonset.data import SetColumn, Table
from anonset.errors import InputError
from anonset.reading.formats import fimi
from anonset.reading.options import ReadKeywords
from anonset.reading.read import read
from anonset.reading.roles import Names
from anonset.reading.sources.files import format_of
from anonset.reading.table_builder import read_exactly

PARTS = "published"
"""Name of the folder of a publication's part files."""


def part_names(n: int, format: str, folder: str = PARTS) -> tuple[str, ...]:  # noqa: A002
    """Return the names of a publication's part files.

    >>> part_names(2, "csv")
    ('published/part-00000.csv', 'published/part-00001.csv')
    """
    return tuple(f"{folder}/part-{number:05}.{format}" for number in range(n))


def read_published(
    path: str | os.PathLike[str],
    *,
    items: Names = (),
    relational: Names = (),
    keep: Names = (),
    reading: ReadKeywords | None = None,
) -> Table:
    """Read a publication. All values are text, so a published range or set is an ordinary symbol.

    The column of a FIMI file has no name and gets the name in `items`.

    Parameters
    ----------
    items, relational, keep
        As in `read`.
    reading
        Further arguments of `read` for a file of another program. None if anonset wrote the file.

    Raises
    ------
    InputError
        If the file cannot be read, or the columns differ from the named columns.
    """
    where = Path(path)
    names = (items,) if isinstance(items, str) else tuple(items)
    options = reading or {}
    declared, no_header = options.get("input_format"), bool(options.get("no_header"))
    nameless = where.exists() and format_of(where, declared, no_header=no_header) == "dat"
    roles: ReadKeywords = {"items": items, "relational": relational, "keep": keep}
    if not nameless or names in ((), (fimi.COLUMN,)) or relational or keep:
        if reading is not None:
            merged: ReadKeywords = {**roles, **reading}
            return read(where, **merged)
        return read_exactly(where, **roles)
    sets = (read_exactly(where) if reading is None else read(where, **reading)).transactions
    if sets is None or len(names) > 1:
        raise InputError(f"{where}: a FIMI file has a single column, got items {list(names)}")
    return Table(SetColumn(names[0], sets.indptr, sets.codes, sets.vocabulary), order=names)
