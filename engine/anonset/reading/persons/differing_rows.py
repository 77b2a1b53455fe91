"""Report what differs between the rows of a person: values of a column, and spellings of an id."""

from collections.abc import Mapping, Sequence

from anonset.columns.headers import is_about, is_sensitive
from anonset.columns.kinds import MOST_LOOKED_AT, look_at
from anonset.data import CategoricalColumn, Column, Table
from anonset.data.table_facts import FIRST_VALUE, KNOWN_VALUE, SPELLINGS, Change
from anonset.errors import Fix, InputError, Problem
from anonset.reading.persons.merging import Difference
from anonset.spelling import counted


def changes_of_ids(ids: Sequence[str], persons: int) -> tuple[Change, ...]:
    """Return the change that `persons` persons have ids in several spellings. Empty if there are none."""
    return (Change(",".join(ids), SPELLINGS, 0, persons),) if persons else ()


def changes_by_first_values(
    where: str, table: Table, differ: Mapping[str, Difference], filled: Mapping[str, int], *, first_value: bool
) -> tuple[Change, ...]:
    """Return the changes of the columns in which rows of a person differ, or only some have a value.

    Parameters
    ----------
    filled
        Number of persons of whom only some rows have a value, by column.
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
    blank = [Change(x.name, KNOWN_VALUE, 0, filled[x.name]) for x in table.columns if x.name in filled]
    return (*(Change(name, FIRST_VALUE, 0, difference.persons) for name, difference in differ.items()), *blank)


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
    return kind == "text" and (is_about(column.name, "products") or not is_sensitive(column.name))


def _named(table: Table) -> str:
    return ", ".join(map(repr, table.persons or (column.name for column in table.ids)))
