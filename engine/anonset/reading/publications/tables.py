"""Read published linked tables, and name their files."""

from collections.abc import Sequence
from pathlib import Path

from anonset.data import Table
from anonset.data.storage.store import MEMORY, Store
from anonset.reading.batches import open_source
from anonset.reading.linked import LinkedTable, LinkedTables, column_of
from anonset.reading.options import ReadOptions
from anonset.reading.publications.records import part_names
from anonset.reading.sources.source import of_files
from anonset.reading.table_builder import gather

FOLDER = "tables"
"""Name of the folder of the tables."""
RECORD = "record"
"""Column with the number of the record, in all tables."""


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
        If a file cannot be read, its columns differ from the named columns, or a record has no row in the first table.
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
    return gather(open_source(linked.source, options.reading()), options, store)
