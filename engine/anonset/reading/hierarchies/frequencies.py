"""Read label frequencies from another file, to build a hierarchy."""

from pathlib import Path

from anonset.errors import HierarchyError
from anonset.reading.batches import open_source
from anonset.reading.options import ReadOptions
from anonset.reading.sources.csv_rows import header_of, rows_of
from anonset.reading.table_builder import gather

COUNTS = ("item", "count")
"""Header of a CSV file of frequencies."""
_MOST_DIGITS = 12


def read_frequencies(path: str | Path, name: str) -> dict[str, int]:
    """Return the frequency of each label in a file.

    Parameters
    ----------
    path
        A CSV file with the header ``item,count``, a FIMI file, or a CSV, TSV or Parquet file with a column of the name
        `name`.
    name
        Name of the column. Cells are sets of items, separated by blanks in text.

    Raises
    ------
    InputError
        If the file cannot be read; `HierarchyError` if it has no such column, lists an item twice, or contains an
        invalid count.
    """
    where = Path(path)
    if where.suffix == ".csv" and where.is_file() and header_of(where) == COUNTS:
        return _listed(where)
    opened = open_source(where, ReadOptions(items=name))
    column = opened.names[0] if opened.sets_only else name
    if column not in opened.names:
        raise HierarchyError(f"{where}: a column {name!r} or the header item,count is required")
    drop = [other for other in opened.names if other != column]
    items = gather(opened, ReadOptions(items=column, drop=drop, missing="empty,value")).transactions
    return {} if items is None else dict(zip(items.vocabulary.labels, items.occurrences.tolist(), strict=True))


def _listed(where: Path) -> dict[str, int]:
    count_of: dict[str, int] = {}
    for row in rows_of(where, COUNTS):
        item, count = row["item"], row["count"]
        if not (count.isascii() and count.isdecimal() and len(count) <= _MOST_DIGITS):
            msg = f"{where}: row {len(count_of) + 1}: count must be an integer of at most {_MOST_DIGITS} digits"
            raise HierarchyError(msg)
        if item in count_of:
            msg = f"{where}: row {len(count_of) + 1}: the item occurs in an earlier row; each item must occur once"
            raise HierarchyError(msg)
        count_of[item] = int(count)
    return count_of
