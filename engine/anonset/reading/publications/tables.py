"""Read published linked tables, and name their files."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from anonset import arrow
from anonset.data import Table
from anonset.data.storage.store import MEMORY, Store
from anonset.errors import InputError
from anonset.reading.batches import OpenedSource, open_source
from anonset.reading.formats.linked_tables import id_texts
from anonset.reading.linked import LinkedTable, LinkedTables, column_of
from anonset.reading.options import ReadOptions
from anonset.reading.publications.records import part_names
from anonset.reading.sources.source import of_files
from anonset.reading.table_builder import gather

FOLDER = "tables"
"""Name of the folder of the tables."""
RECORD = "record"
"""Column with the number of the record, in all tables."""
_NUMBER = "^[1-9][0-9]*$"


def files_of_table(table: str, format: str, parts: int | None) -> tuple[str, ...]:  # noqa: A002
    """Return the names of the files of a table.

    >>> files_of_table("drug", "csv", None), files_of_table("drug", "csv", 1)
    (('tables/drug.csv',), ('tables/drug/part-00000.csv',))
    """
    if parts is None:
        return (f"{FOLDER}/{table}.{format}",)
    return part_names(parts, format, f"{FOLDER}/{table}")


def read_tables(
    folder: Path,
    tables: Sequence[str],
    format: str,  # noqa: A002
    parts: int | None,
    *,
    items: Sequence[str],
    relational: Sequence[str],
    keep: Sequence[str],
    store: Store = MEMORY,
) -> Table:
    """Read the tables that anonset wrote, and join their rows by the number of the record.

    Parameters
    ----------
    tables
        Names of the tables. The first has a row per record.
    items, relational, keep
        Columns as ``table.column``.

    Raises
    ------
    InputError
        If a file cannot be read, its columns differ from the named columns, a record has no row in the first table or
        another number than its position there, or a row occurs twice.
    """
    item_of = {name.partition(".")[0]: name.partition(".")[2] for name in items}
    made = list[LinkedTable]()
    for name in tables:
        source = of_files([folder / file for file in files_of_table(name, format, parts)])
        attributes = {
            role: tuple(x.removeprefix(column_of(name, "")) for x in columns if x.startswith(column_of(name, "")))
            for role, columns in (("relational", relational), ("keep", keep))
        }
        of_items = item_of.get(name, "")
        made.append(LinkedTable(name, source, (RECORD,), of_items, {} if of_items else attributes))
    linked = LinkedTables((RECORD,), tuple(made))
    options = ReadOptions(items=list(items), relational=relational, keep=keep, unit=RECORD, exact=True)
    opened = open_source(linked.source, options)
    if opened.left_out:
        column = opened.left_out[0]
        raise InputError(f"{opened.where}: column {column!r} is not attested")
    for number, one in enumerate(made):
        _require_numbers(open_source(one.source, one.reading(options)), first=number == 0)
    table = gather(opened, options, store)
    n_symbols = 0 if table.transactions is None else len(table.transactions.items)
    if table.source_rows != table.n + n_symbols:
        raise InputError(f"{opened.where}: each record and symbol must have one row, and no field may be empty")
    return table


def _require_numbers(table: OpenedSource, *, first: bool) -> None:
    """Reject a table whose records are not numbers. In the first table, they must be the positions of the rows."""
    n = 0
    for batch in table.batches([RECORD]):
        texts = id_texts(batch.where, RECORD, batch.columns[RECORD])
        end = n + len(texts)
        right = arrow.equal(texts, arrow.digits(np.arange(n + 1, end + 1))) if first else arrow.matches(texts, _NUMBER)
        if not arrow.to_numpy(right).all():
            form = "the numbers of the rows, from 1" if first else "numbers without signs and leading zeros"
            raise InputError(f"{batch.where}: column {RECORD!r} must contain {form}")
        n = end
