"""The unit of privacy is the person: rows with the same id become one record."""

import numpy as np

from anonset.data import CategoricalColumn, Column, NumericColumn, SetColumn, Table
from anonset.data.table import Int64
from anonset.errors import InputError
from anonset.io.sets import offsets, tidy_rows


def refuse_repeated(where: str, table: Table) -> None:
    """Refuse a table in which two records have the same id.

    Raises
    ------
    InputError
        With the id and the rows.
    """
    first, person = _persons(table)
    if len(first) < table.n:
        again = int(np.flatnonzero(first[person] != np.arange(table.n))[0])
        twice = f"id {_id_label(table, again)} stands in rows {first[person[again]] + 1} and {again + 1}"
        msg = f"{where}: {twice}; ids must be distinct, or group=True unites their rows"
        raise InputError(msg)


def refuse_empty(where: str, table: Table) -> None:
    """Refuse an empty id: its rows may be those of many people, and would become one record.

    Raises
    ------
    InputError
        With the column and the row.
    """
    for column in table.ids:
        rows = np.flatnonzero(column.codes == column.vocabulary.index.get("", -1))
        if len(rows):
            reason = "its rows need not be those of one person; leave them out, or take them so by missing='value'"
            msg = f"{where}: id column {column.name!r}: row {rows[0] + 1} is empty; {reason}"
            raise InputError(msg)


def unite(where: str, table: Table) -> Table:
    """Make one record of the rows with the same id: sets are united, all other values must agree.

    Records stand in the order of first appearance.

    Raises
    ------
    InputError
        If two rows of an id disagree, with both values.
    """
    first, person = _persons(table)
    if len(first) == table.n:
        return table
    for column in table.columns:
        if not isinstance(column, SetColumn):
            _refuse_disagreement(where, table, column, first[person])

    sets = table.transactions
    if sets is not None:
        taken = sets.take(np.argsort(person, kind="stable"))
        rows = offsets(np.bincount(person, minlength=len(first)))
        sets = tidy_rows(sets.name, taken.indptr[rows], taken.items, taken.vocabulary)
    return Table(
        sets,
        tuple(column.take(first) for column in table.relational),
        None if table.sensitive is None else table.sensitive.take(first),
        tuple(column.take(first) for column in table.ids),
        tuple(column.take(first) for column in table.kept),
        table.order,
        table.joined,
    )


def _persons(table: Table) -> tuple[Int64, Int64]:
    """Return the first row of each person, ascending, and the person of each row."""
    key = np.zeros(table.n, np.int64)
    for column in table.ids:
        key = np.unique(key * len(column.vocabulary) + column.codes, return_inverse=True)[1].astype(np.int64)
    _, first, person = np.unique(key, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return first[order].astype(np.int64), rank[person]


def _refuse_disagreement(where: str, table: Table, column: Column, first: Int64) -> None:
    values = column.codes if isinstance(column, CategoricalColumn) else column.values
    wrong = np.flatnonzero(values[first] != values)
    if len(wrong):
        row, earlier = int(wrong[0]), int(first[wrong[0]])
        shown = f"{_value(column, earlier)} and {_value(column, row)} in rows {earlier + 1} and {row + 1}"
        msg = f"{where}: id {_id_label(table, row)} has two values of {column.name!r}: {shown}; they must agree"
        raise InputError(msg)


def _value(column: Column, row: int) -> str:
    if isinstance(column, NumericColumn):
        return str(column.values[row])
    return repr(column.vocabulary.labels[column.codes[row]])


def _id_label(table: Table, row: int) -> str:
    return ", ".join(_value(column, row) for column in table.ids)
