"""Rows with the same id as one record, block by block: the rows of each person are gathered in files and read again."""

from dataclasses import replace

import numpy as np

from anonset.data import CategoricalColumn, Column, NumericColumn, SetColumn, Table
from anonset.data.blocks import GrowingSets
from anonset.data.spans import spans
from anonset.data.store import Store
from anonset.data.table import Int32, Int64
from anonset.errors import InputError
from anonset.io.grouping import differing
from anonset.io.sets import tidy_rows


def unite_by_blocks(where: str, table: Table, store: Store) -> Table:
    """Make one record of the rows with the same id, as `grouping.unite` does, of a table with one column of ids.

    No array as long as the rows is held; memory: 12 bytes a person. Cost: three passes over the rows.

    Raises
    ------
    InputError
        If two rows of an id disagree, with the rows and the column.
    """
    (ids,) = table.ids
    person, first = _persons(ids, store)
    if len(first) == table.n:
        return table
    for column in table.columns:
        if not isinstance(column, SetColumn) and column is not ids:
            _refuse_disagreement(where, table, column, first, person)
    sets = table.transactions
    return replace(
        table,
        transactions=None if sets is None else _united(sets, person, len(first), store),
        relational=tuple(_taken(column, first, store) for column in table.relational),
        ids=(_categories(ids, first, store),),
        kept=tuple(_categories(column, first, store) for column in table.kept),
    )


def _persons(ids: CategoricalColumn, store: Store) -> tuple[Int32, Int64]:
    """Return the person of each row, int32 (n,), counted by their first rows, and these rows."""
    number = np.full(len(ids.vocabulary), -1, np.int32)
    person = store.array("person", np.int32, ids.n)
    with store.growing("first", np.int64) as first:
        count = 0
        for begin, end in spans(ids.n):
            codes = ids.codes[begin:end]
            places = np.flatnonzero(number[codes] < 0)
            first_places = places[np.sort(np.unique(codes[places], return_index=True)[1])]
            number[codes[first_places]] = np.arange(count, count + len(first_places), dtype=np.int32)
            count += len(first_places)
            first.append(begin + first_places)
            person[begin:end] = number[codes]
        return person, first.finished()


def _refuse_disagreement(where: str, table: Table, column: Column, first: Int64, person: Int32) -> None:
    values = column.codes if isinstance(column, CategoricalColumn) else column.values
    for begin, end in spans(table.n):
        rows = first[person[begin:end]]
        wrong = np.flatnonzero(values[rows] != values[begin:end])
        if len(wrong):
            raise InputError(differing(where, table, column.name, (int(rows[wrong[0]]), begin + int(wrong[0]))))


def _united(sets: SetColumn, person: Int32, persons: int, store: Store) -> SetColumn:
    """Return the union of the sets of each person's rows."""
    row, start = _rows(person, persons, store)
    with GrowingSets(sets.name, store) as united:
        for begin, end in spans(persons):
            ends = start[begin : end + 1]
            taken = sets.take(np.asarray(row[ends[0] : ends[-1]]))
            united.append(tidy_rows(sets.name, taken.indptr[ends - ends[0]], taken.items, taken.vocabulary))
    return united.finished(sets.vocabulary)


def _rows(person: Int32, persons: int, store: Store) -> tuple[Int64, Int64]:
    """Return the rows person by person, ascending in each, and where each person's begin."""
    start = np.zeros(persons + 1, np.int64)
    for begin, end in spans(len(person)):
        present, counts = np.unique(person[begin:end], return_counts=True)
        start[present + 1] += counts
    np.cumsum(start, out=start)
    row, to = store.array("row", np.int64, len(person)), start[:-1].copy()
    for begin, end in spans(len(person)):
        of = person[begin:end]
        order = np.argsort(of, kind="stable")
        present, first_places, counts = np.unique(of[order], return_index=True, return_counts=True)
        row[np.repeat(to[present] - first_places, counts) + np.arange(len(order))] = begin + order
        to[present] += counts
    return row, start


def _taken(column: Column, rows: Int64, store: Store) -> Column:
    """Return a column of some rows, in files."""
    if isinstance(column, CategoricalColumn):
        return _categories(column, rows, store)
    values = store.array("values", column.values.dtype, len(rows))
    for begin, end in spans(len(rows)):
        values[begin:end] = column.values[rows[begin:end]]
    return NumericColumn(column.name, values, column.range)


def _categories(column: CategoricalColumn, rows: Int64, store: Store) -> CategoricalColumn:
    codes = store.array("codes", np.int32, len(rows))
    for begin, end in spans(len(rows)):
        codes[begin:end] = column.codes[rows[begin:end]]
    return CategoricalColumn(column.name, codes, column.vocabulary)
