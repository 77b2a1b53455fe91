"""Items of a data set, for the commands `hierarchy` and `policy`."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from rich.table import Table as RichTable

from anonset.cli.flags import flags_of, given_flags
from anonset.data import CategoricalColumn, SetColumn, Table, Vocabulary
from anonset.data.array_types import Int64
from anonset.data.table_facts import CodeRules
from anonset.errors import InputError
from anonset.jobs.runs.persons import require_unit
from anonset.reading.read import read_by
from anonset.report.sections import facts_table
from anonset.settings.job_files import settings_at
from anonset.settings.settings import RoleSettings, validate
from anonset.spelling import printable

Flags: Any = flags_of(RoleSettings)


def items_of(source: str, roles: RoleSettings, *, by_person: bool = False) -> SetColumn:
    """Read a data set and return the set-valued column.

    Parameters
    ----------
    by_person
        Whether each record must be a person, so that the owner must declare the unit of privacy.

    Raises
    ------
    InputError
        If the data cannot be read, have no set-valued column, or the required declaration is missing.
    """
    table = _table(source, roles)
    if by_person:
        require_unit(table)
    column = table.transactions
    if column is None:
        raise InputError(f"{source!r} has no set-valued column; name it with --items")
    return column


def _table(source: str, roles: RoleSettings) -> Table:
    return read_by(source, roles.read_options())


def _path_and_roles(source: str, flags: Any) -> tuple[str, RoleSettings]:
    """Return the path of the data and the column roles. If `source` is a job file, both come from the job."""
    return settings_at(source, "input", given_flags(flags), RoleSettings)


class ColumnLabels(NamedTuple):
    """Labels of a column and their frequencies."""

    name: str
    vocabulary: Vocabulary
    occurrences: Int64
    """Number of records that contain each label, int64 (M,)."""


def labels_of(source: str, name: str | None, flags: Any) -> ColumnLabels:
    """Read a data set and return the labels of a column. If `name` is None, it is the set-valued column.

    Raises
    ------
    InputError
        If the data cannot be read, or the column is missing or numeric.
    """
    source, roles = _path_and_roles(source, flags)
    if name is None:
        column = items_of(source, roles)
        return ColumnLabels(column.name, column.vocabulary, column.occurrences)
    table = _table(source, roles)
    if table.transactions is not None and table.transactions.name == name:
        return ColumnLabels(name, table.transactions.vocabulary, table.transactions.occurrences)
    relational = next((c for c in table.relational if c.name == name), None)
    if not isinstance(relational, CategoricalColumn):
        raise InputError(f"--column {name} must be a column of --items, or a text column of --relational")
    occurrences = np.bincount(relational.codes, minlength=len(relational.vocabulary)).astype(np.int64)
    return ColumnLabels(name, relational.vocabulary, occurrences)


def items_of_input(source: str | None, flags: Any) -> SetColumn | None:
    """Return the set-valued column of a data set, or None if `source` is None.

    Raises
    ------
    InputError
        If flags declare roles but there is no data set, or if the data have no set-valued column.
    """
    if source is not None:
        return items_of(*_path_and_roles(source, flags))
    if given_flags(flags):
        raise InputError("options for column roles require a data set: add --input")
    return None


def code_rules(flags: Any) -> CodeRules:
    """Return the rules for codes that are not in the hierarchy."""
    roles = validate(RoleSettings, given_flags(flags))
    return CodeRules(roles.file.unknown, roles.file.inner_items)


def misfits_table(misfits: Sequence[Mapping[str, str | int]]) -> RichTable:
    """Return a table of the items that are not leaves, with frequency, kind and most similar node."""
    table = RichTable("item", "occurrences", "is", "nearest node")
    for misfit in misfits:
        table.add_row(*(printable(f"{x:,}" if isinstance(x, int) else x) for x in misfit.values()))
    return table


def figures_table(figures: Mapping[str, int]) -> RichTable:
    """Return a table of figures by name."""
    return facts_table({name: f"{value:,}" for name, value in figures.items()})
