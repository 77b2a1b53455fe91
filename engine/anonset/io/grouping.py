"""The unit of privacy is the person: rows with the same id become one record."""

import numpy as np

from anonset.data import CategoricalColumn, Column, SetColumn, Table
from anonset.data.table import Int64
from anonset.errors import InputError
from anonset.io.columns import empty_id
from anonset.io.numbers import others
from anonset.io.sets import offsets, tidy_rows
from anonset.spelling import setting


def refuse_repeated(where: str, table: Table) -> None:
    """Refuse a table in which two records have the same id.

    Raises
    ------
    InputError
        With the rows, never the id: it names a person.
    """
    first, person = _persons(table)
    if len(first) < table.n:
        again = int(np.flatnonzero(first[person] != np.arange(table.n))[0])
        rows = int(first[person[again]]), again
        raise InputError(repeated_ids(where, _named(table), rows, table.n - len(first)))


def repeated_ids(where: str, names: str, rows: tuple[int, int], again: int) -> str:
    """Return the message that two rows (from 0) have the same id, with the number of rows that repeat one."""
    twice = f"rows {rows[0] + 1} and {rows[1] + 1} have the same id ({names})"
    others = f", as have {again} rows that of an earlier one" if again > 1 else ""
    return f"{where}: {twice}{others}; ids must be distinct, or {setting('group', True)} unites the rows of each"


def refuse_empty(where: str, table: Table) -> None:
    """Refuse an empty id, or one of blanks: its rows may be those of many people, and would count as one person.

    Raises
    ------
    InputError
        With the column and the row.
    """
    for column in table.ids:
        empty = [code for code, label in enumerate(column.vocabulary.labels) if not label or label.isspace()]
        rows = np.flatnonzero(np.isin(column.codes, empty))
        if len(rows):
            raise InputError(empty_id(where, column.name, int(rows[0]), others(len(rows))))


def unite(where: str, table: Table) -> Table:
    """Make one record of the rows with the same id: sets are united, all other values must agree.

    Records stand in the order of first appearance.

    Raises
    ------
    InputError
        If two rows of an id disagree, with the rows and the column.
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
        table.rules,
        table.changes,
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
        raise InputError(differing(where, table, column.name, (int(first[wrong[0]]), int(wrong[0]))))


def differing(where: str, table: Table, name: str, rows: tuple[int, int]) -> str:
    """Return the message that two rows (from 0) of a person differ in a column."""
    which = f"rows {rows[0] + 1} and {rows[1] + 1}"
    ways = f"they must agree, or {setting('drop', name)} leaves it out"
    return f"{where}: {which} have the same id ({_named(table)}), but differ in {name!r}; {ways}"


def _named(table: Table) -> str:
    """Return the names of the id columns."""
    return ", ".join(repr(column.name) for column in table.ids)
