"""The items of a data set, and figures about them: what the commands for hierarchies and for policies share."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from anonset.cli.flags import flags_of, given_flags
from anonset.cli.output import show, show_json
from anonset.data import CategoricalColumn, SetColumn, Table, Vocabulary
from anonset.data.table import Int64
from anonset.data.table_facts import CodeRules
from anonset.errors import InputError
from anonset.reading.options import ReadOptions
from anonset.reading.read import read_by
from anonset.report.sections import facts_table
from anonset.settings.job_files import over_job
from anonset.settings.settings import RoleSettings, validate
from anonset.spelling import printable

Flags: Any = flags_of(RoleSettings)


def items_of(source: str, roles: RoleSettings) -> SetColumn:
    """Read a data set and return its set-valued column.

    Raises
    ------
    InputError
        If it cannot be read, or has no such column.
    """
    column = _table(source, roles).transactions
    if column is None:
        msg = f"{source!r} must have a set-valued column; name it with --items"
        raise InputError(msg)
    return column


def _table(source: str, roles: RoleSettings) -> Table:
    return read_by(source, ReadOptions(**roles.read_options()))


def _asked(source: str, flags: Any) -> tuple[str, RoleSettings]:
    """Return a data set, also that of a job file, and the roles of its columns."""
    source, given = over_job(source, "input", given_flags(flags), RoleSettings)
    return source, validate(RoleSettings, given)


class ColumnLabels(NamedTuple):
    """The labels of a column."""

    name: str
    """The column's name."""
    vocabulary: Vocabulary
    """Its labels."""
    occurrences: Int64
    """int64 (M,): records that hold each."""


def labels_of(source: str, name: str | None, flags: Any) -> ColumnLabels:
    """Read a data set and return the labels of a column, by default of the set-valued one.

    Raises
    ------
    InputError
        If it cannot be read, or has no such column of text.
    """
    source, roles = _asked(source, flags)
    if name is None:
        column = items_of(source, roles)
        return ColumnLabels(column.name, column.vocabulary, column.occurrences)
    table = _table(source, roles)
    if table.transactions is not None and table.transactions.name == name:
        return ColumnLabels(name, table.transactions.vocabulary, table.transactions.occurrences)
    found = next((c for c in table.relational if c.name == name), None)
    if not isinstance(found, CategoricalColumn):
        msg = f"--column {name}: a column of --items, or a text column of --relational, is required"
        raise InputError(msg)
    occurrences = np.bincount(found.codes, minlength=len(found.vocabulary)).astype(np.int64)
    return ColumnLabels(name, found.vocabulary, occurrences)


def items_of_input(source: str | None, flags: Any) -> SetColumn | None:
    """Return the set-valued column of a data set that need not be given; without it no roles may be.

    Raises
    ------
    InputError
        If roles are given for no data set, or it is not what it must be.
    """
    if source is not None:
        return items_of(*_asked(source, flags))
    if given_flags(flags):
        msg = "the roles of columns apply to --input, which is not given"
        raise InputError(msg)
    return None


def code_rules(flags: Any) -> CodeRules:
    """Return what is to be done to codes that the hierarchy does not know."""
    roles = validate(RoleSettings, given_flags(flags))
    return CodeRules(roles.file.unknown, roles.file.inner_items)


def misfits_table(left: Sequence[Mapping[str, Any]]) -> Any:
    """Return items that are no leaves as a table: how often each is, what it is, and the node most like it."""
    from rich.table import Table

    table = Table("item", "occurrences", "is", "nearest node")
    for one in left:
        table.add_row(*(printable(f"{x:,}" if isinstance(x, int) else x) for x in one.values()))
    return table


def show_figures(found: Mapping[str, int], *, json: bool) -> None:
    """Show figures by name, for people or as JSON."""
    if json:
        show_json(found)
    else:
        show(facts_table({name: f"{value:,}" for name, value in found.items()}))
