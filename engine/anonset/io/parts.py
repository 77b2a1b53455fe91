"""Reading our own publications back, block by block, as one table: in memory, or in a work directory."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from anonset.data import CategoricalColumn, Table
from anonset.data.store import MEMORY, Store
from anonset.io import fimi
from anonset.io.batches import open_batches
from anonset.io.data_files import files_at
from anonset.io.options import ReadOptions
from anonset.io.publish import read_published
from anonset.io.table_builder import gather


def read_parts(
    paths: Sequence[Path],
    *,
    items: Sequence[str],
    relational: Sequence[str],
    keep: Sequence[str],
    separator: str,
    store: Store = MEMORY,
    expected: Mapping[str, CategoricalColumn] = MappingProxyType({}),
) -> Table:
    """Read the files of a publication that we wrote ourselves, one after the other, as one table.

    All values are text: a published range or set is a symbol like any other. The column of a FIMI file has no name of
    its own: it is called as `items` says.

    Parameters
    ----------
    store
        Where the columns are to lie, which are read block by block then if it is in files.
    expected
        Kept columns, whose labels lie in files, that those read block by block must be.

    Raises
    ------
    InputError
        If a file cannot be read, or holds other columns than are named.
    """
    given: dict[str, Any] = {"items": items, "relational": relational, "keep": keep}
    if not store.in_files and len(paths) == 1:
        return replace(read_published(paths[0], **given, separator=separator), store=store)
    files = files_at(paths)
    nameless = files.format == "dat"
    options = ReadOptions.exactly({**given, "items": None} if nameless else given, " " if nameless else separator)
    table = gather(open_batches(files, options.reading()), options, store, expected=expected)
    sets, name = table.transactions, items[0] if items else fimi.COLUMN
    if not nameless or sets is None:
        return table
    return replace(table, transactions=replace(sets, name=name), order=(name,))
