"""Merge rows with the same id into one record, in memory, so that the privacy unit is the person.

`anonset.reading.persons.merging` merges rows out of core.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from anonset.columns.header_topics import is_sensitive, names_a_product
from anonset.columns.kinds import MOST_LOOKED_AT, look_at
from anonset.data import CategoricalColumn, Column, SetColumn, Table
from anonset.data.array_types import Int32, Int64
from anonset.data.blocks import tidy_rows
from anonset.data.equivalence_classes import keys_of
from anonset.data.spans import begins_of
from anonset.data.table_facts import FIRST_VALUE, SPELLINGS, Change
from anonset.errors import Fix, InputError, Problem
from anonset.reading.persons.merging import Difference, count_respelled
from anonset.spelling import counted


def unite(where: str, table: Table, spellings: Sequence[Int32] = (), *, first_value: bool = False) -> Table:
    """Merge the rows with the same id into one record with the union of their sets. All other values must agree.

    Records are in the order of first appearance.

    Parameters
    ----------
    spellings
        Code of the spelling of each row, int32 (n,), for each id column with several spellings of an id.
    first_value
        Whether the value of a person's first row is used if the rows disagree. These persons are counted.

    Raises
    ------
    InputError
        If rows of an id disagree. The message contains all columns in which rows disagree, and two rows for each
        column.
    """
    person, first = _persons(table)
    if len(first) == table.n:
        return table
    differ = {
        column.name: difference
        for column in table.columns
        if not isinstance(column, SetColumn) and column not in table.ids
        if (difference := _difference(column, first, person)) is not None
    }
    changes = [
        *changes_by_first_values(where, table, differ, first_value=first_value),
        *changes_of_ids([column.name for column in table.ids], count_respelled(person, *spellings)),
    ]
    united = replace(table, transactions=None).take(first)
    sets = None if table.transactions is None else _united(table.transactions, person, len(first))
    kept = tuple(
        CategoricalColumn.of(kept.name, kept.labels()) if kept.name in differ else kept for kept in united.kept
    )
    return replace(united, transactions=sets, kept=kept, changes=(*table.changes, *changes))


def changes_of_ids(ids: Sequence[str], persons: int) -> tuple[Change, ...]:
    """Return the change that `persons` persons have ids in several spellings. Empty if there are none."""
    return (Change(",".join(ids), SPELLINGS, 0, persons),) if persons else ()


def changes_by_first_values(
    where: str, table: Table, differ: Mapping[str, Difference], *, first_value: bool
) -> tuple[Change, ...]:
    """Return the changes of the columns in which rows of a person differ.

    Parameters
    ----------
    first_value
        Whether the value of a person's first row is used if the rows disagree.

    Raises
    ------
    InputError
        If rows disagree, and `first_value` is False.
    """
    differ = {column.name: differ[column.name] for column in table.columns if column.name in differ}
    if differ and not first_value:
        raise InputError(_differing(where, table, differ))
    return tuple(Change(name, FIRST_VALUE, 0, difference.persons) for name, difference in differ.items())


def _persons(table: Table) -> tuple[Int64, Int64]:
    """Return the person of each row, int64 (n,), and the first row of each person. Persons are numbered by first
    row.
    """
    _, first, person = np.unique(keys_of(table.ids, table.n), return_index=True, return_inverse=True)
    order = np.argsort(first)
    number = np.empty(len(first), np.int64)
    number[order] = np.arange(len(first))
    return number[person], first[order]


def _difference(column: Column, first: Int64, person: Int64) -> Difference | None:
    """Return two rows (from 0) of a person that differ in a column, and the number of persons with such rows. None if
    the rows of each person agree.
    """
    values = column.codes if isinstance(column, CategoricalColumn) else column.values
    wrong = np.flatnonzero(values != values[first[person]])
    if not len(wrong):
        return None
    return Difference(int(first[person[wrong[0]]]), int(wrong[0]), len(np.unique(person[wrong])))


def _united(sets: SetColumn, person: Int64, persons: int) -> SetColumn:
    rows = sets.take(np.argsort(person, kind="stable"))
    ends = begins_of(np.bincount(person, minlength=persons))
    return tidy_rows(sets.name, rows.indptr[ends], rows.items, rows.vocabulary)


def _differing(where: str, table: Table, differ: Mapping[str, Difference]) -> Problem:
    """Return the problem that rows of the same person have different values. The message contains two rows and the
    number of persons for each column.
    """
    coded = [column.name for column in table.relational if column.name in differ and _is_coded(column)]
    sets = [] if table.tables else coded
    fixes = [
        Fix({"differing": "first"}, "to publish the values of each person's first row"),
        Fix({"drop": list(differ)}, f"to drop the column{'s' if len(differ) > 1 else ''}"),
        *([Fix({"items": sets}, "to publish the set of a person's values")] if sets else []),
    ]
    same = f"have the same id ({_named(table)}) but differ in"
    rows = {name: f"rows {difference.first + 1} and {difference.row + 1}" for name, difference in differ.items()}
    persons = {name: f"{counted(difference.persons, 'person')} in all" for name, difference in differ.items()}
    if len(differ) == 1:
        name = next(iter(differ))
        problem = f"{rows[name]} {same} {name!r} ({persons[name]})"
    else:
        problem = f"rows {same} {', '.join(f'{name!r} ({rows[name]}; {persons[name]})' for name in differ)}"
    return Problem(f"{where}: {problem}; correct the data", fixes)


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
    return ", ".join(map(repr, table.persons or (column.name for column in table.ids)))
