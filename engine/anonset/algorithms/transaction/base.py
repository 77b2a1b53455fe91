"""What the algorithms for a set-valued column share before their search begins."""

from collections.abc import Mapping

from anonset.data import Hierarchy, SetColumn, Table
from anonset.errors import InputError


def bound_column(table: Table, hierarchies: Mapping[str, Hierarchy]) -> tuple[SetColumn, Hierarchy]:
    """Return the table's set-valued column with item codes as leaf positions, and its hierarchy.

    Raises
    ------
    InputError
        If there is no set-valued column, or no hierarchy for it, or an item that is no leaf.
    """
    column = table.transactions
    if column is None:
        msg = "the table must have a set-valued column, got none"
        raise InputError(msg)
    if column.name not in hierarchies:
        msg = f"column {column.name!r} must have a hierarchy (a file, or balanced:5), got none"
        raise InputError(msg)
    hierarchy = hierarchies[column.name]
    return hierarchy.bind(column), hierarchy
