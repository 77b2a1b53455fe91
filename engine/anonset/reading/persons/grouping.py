"""Merge rows with the same id into one record, block by block, so that the privacy unit is the person."""

from dataclasses import replace

import numpy as np

from anonset.data import CategoricalColumn, Column, NumericColumn, SetColumn, Table
from anonset.data.blocks import SetColumnBuilder, tidy_rows
from anonset.data.spans import spans
from anonset.data.store import MEMORY, Store
from anonset.data.table import Int32, Int64
from anonset.data.table_facts import FIRST_VALUE, Change
from anonset.errors import InputError
from anonset.reading.kinds import MOST_LOOKED_AT, look_at
from anonset.reading.persons.header_topics import is_sensitive, names_a_product
from anonset.spelling import counted, setting


def refuse_repeated(where: str, table: Table) -> None:
    """Reject a table in which two records have the same id.

    Raises
    ------
    InputError
        The message contains the rows, but not the id, which identifies a person.
    """
    person, first = _persons(table, MEMORY)
    if len(first) < table.n:
        row = int(np.flatnonzero(first[person] != np.arange(table.n))[0])
        rows = int(first[person[row]]), row
        raise InputError(repeated_ids(where, _named(table), rows, table.n - len(first)))


def repeated_ids(where: str, names: str, rows: tuple[int, int], n_repeats: int) -> str:
    """Return the message that two rows have the same id. It contains the number of rows that repeat an id. Rows are
    counted from 0.
    """
    twice = f"rows {rows[0] + 1} and {rows[1] + 1} have the same id ({names})"
    others = f"; {n_repeats} rows repeat an earlier id" if n_repeats > 1 else ""
    return f"{where}: {twice}{others}; if an id has several rows, merge them with {setting('group', True)}"


def why_in_memory(n_ids: int, *, sensitive: bool) -> str:
    """Return the setting whose merging of rows needs all rows in memory. Empty if merging runs out of core.

    >>> why_in_memory(1, sensitive=False), why_in_memory(2, sensitive=False)
    ('', 'group=True with ids of several columns')
    """
    if n_ids < 2 and not sensitive:
        return ""
    return f"{setting('group', True)} {'with a sensitive column' if sensitive else 'with ids of several columns'}"


def unite(where: str, table: Table, store: Store, *, first_value: bool = False) -> Table:
    """Merge the rows with the same id into one record with the union of their sets. All other values must agree.

    Records are in the order of first appearance. With one id column, no array of row length is in memory. Memory: 12
    bytes per person. Cost: three passes over the rows.

    Parameters
    ----------
    first_value
        Whether the value of a person's first row is used if the rows disagree. These persons are counted.

    Raises
    ------
    InputError
        If rows of an id disagree. The message contains all columns in which rows disagree, and two rows for each
        column.
    """
    person, first = _persons(table, store)
    if len(first) == table.n:
        return table
    differ = {
        column.name: rows
        for column in table.columns
        if not isinstance(column, SetColumn) and column not in table.ids
        if (rows := _disagreement(column, first, person)) is not None
    }
    if differ and not first_value:
        raise InputError(_differing(where, table, differ))
    sets, sensitive = table.transactions, table.sensitive
    return replace(
        table,
        changes=(*table.changes, *(Change(name, FIRST_VALUE, 0, n) for name, (*_, n) in differ.items())),
        transactions=None if sets is None else _united(sets, person, len(first), store),
        relational=tuple(_take_rows(column, first, store) for column in table.relational),
        sensitive=None if sensitive is None else _categories(sensitive, first, store),
        ids=tuple(_categories(column, first, store) for column in table.ids),
        kept=tuple(_categories(column, first, store) for column in table.kept),
    )


def _persons(table: Table, store: Store) -> tuple[Int32, Int64]:
    """Return the person of each row, int32 (n,), and the first row of each person. Persons are numbered by
    first row.
    """
    ids, *others = table.ids
    key, keys = ids.codes, len(ids.vocabulary)
    for column in others:
        pairs = key.astype(np.int64) * len(column.vocabulary) + column.codes
        key = np.unique(pairs, return_inverse=True)[1].astype(np.int32)
        keys = int(key.max(initial=-1)) + 1
    number = np.full(keys, -1, np.int32)
    person = store.array("person", np.int32, table.n)
    with store.growing("first", np.int64) as first:
        count = 0
        for begin, end in spans(table.n):
            codes = key[begin:end]
            places = np.flatnonzero(number[codes] < 0)
            first_places = places[np.sort(np.unique(codes[places], return_index=True)[1])]
            number[codes[first_places]] = np.arange(count, count + len(first_places), dtype=np.int32)
            count += len(first_places)
            first.append(begin + first_places)
            person[begin:end] = number[codes]
        return person, first.finished()


def _disagreement(column: Column, first: Int64, person: Int32) -> tuple[int, int, int] | None:
    """Return two rows (from 0) of a person that differ in a column, and the number of persons with such rows. None if
    the rows of each person agree.
    """
    values = column.codes if isinstance(column, CategoricalColumn) else column.values
    example, differing = None, np.zeros(len(first), np.bool_)
    for begin, end in spans(len(person)):
        rows = first[person[begin:end]]
        wrong = np.flatnonzero(values[rows] != values[begin:end])
        differing[person[begin + wrong]] = True
        if len(wrong) and example is None:
            example = int(rows[wrong[0]]), begin + int(wrong[0])
    return None if example is None else (*example, int(np.count_nonzero(differing)))


def _united(sets: SetColumn, person: Int32, persons: int, store: Store) -> SetColumn:
    row, start = _rows(person, persons, store)
    with SetColumnBuilder(sets.name, store, narrow=True) as united:
        for begin, end in spans(persons):
            ends = start[begin : end + 1]
            rows = sets.take(np.asarray(row[ends[0] : ends[-1]]))
            united.append(tidy_rows(sets.name, rows.indptr[ends - ends[0]], rows.items, rows.vocabulary))
    return united.finished(sets.vocabulary)


def _rows(person: Int32, persons: int, store: Store) -> tuple[Int64, Int64]:
    """Return the rows grouped by person, and the start of each group. Rows are ascending within a group."""
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


def _take_rows(column: Column, rows: Int64, store: Store) -> Column:
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


def _differing(where: str, table: Table, differ: dict[str, tuple[int, int, int]]) -> str:
    """Return the message that rows of the same person have different values. The message contains two rows and the
    number of persons for each column.
    """
    first = f"publish the values of each person's first row: {setting('differing', 'first')}"
    columns = f"column{'s' if len(differ) > 1 else ''}"
    ways = f"{first}; correct the data, or drop the {columns}: {setting('drop', ','.join(differ))}"
    if sets := ",".join(column.name for column in table.relational if column.name in differ and _is_coded(column)):
        ways += f", or publish the set of a person's values: {setting('items', sets)}"
    same = f"have the same id ({_named(table)}) but differ in"
    rows = {name: f"rows {first + 1} and {other + 1}" for name, (first, other, _) in differ.items()}
    persons = {name: f"{counted(persons, 'person')} in all" for name, (*_, persons) in differ.items()}
    if len(differ) == 1:
        name = next(iter(differ))
        return f"{where}: {rows[name]} {same} {name!r} ({persons[name]}); {ways}"
    return f"{where}: rows {same} {', '.join(f'{name!r} ({rows[name]}; {persons[name]})' for name in differ)}; {ways}"


def _is_coded(column: Column) -> bool:
    """Return True if the values of a column may be items. Items are words or codes, but not numbers, dates or sensitive
    facts.
    """
    if not isinstance(column, CategoricalColumn):
        return False
    kind = look_at(column.name, column.vocabulary.labels[:MOST_LOOKED_AT]).kind
    if kind.endswith("codes"):
        return kind not in ("postal codes", "zip codes")
    return kind == "text" and (names_a_product(column.name) or not is_sensitive(column.name))


def _named(table: Table) -> str:
    return ", ".join(repr(column.name) for column in table.ids)
