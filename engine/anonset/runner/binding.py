"""Hierarchies by column: reading them, and binding columns to them."""

import os
from collections.abc import Iterable, Mapping

from anonset.data import CategoricalColumn, Hierarchy, NumericColumn, SetColumn, Table, Vocabulary
from anonset.errors import InputError
from anonset.generalization.sensitive import attach_sensitive, is_attached
from anonset.privacy import PrivacyModel
from anonset.runner.models import entry_of

HierarchySpec = Hierarchy | str | os.PathLike[str]

RANGE, VALUES = "range", "values"
"""Instead of a hierarchy: numbers, which generalize to ranges, and categories, which generalize to sets of values."""


def numeric_columns(hierarchies: Mapping[str, str]) -> list[str]:
    """Return the columns that are to be read as numbers, since they generalize to ranges.

    >>> numeric_columns({"age": "range", "sex": "values"})
    ['age']
    """
    return [name for name, spec in hierarchies.items() if spec == RANGE]


def bind(
    table: Table, hierarchies: Mapping[str, HierarchySpec], model: PrivacyModel
) -> tuple[Table, dict[str, Hierarchy]]:
    """Read the hierarchies, and re-encode the set-valued column by its own.

    Under a model whose sensitive items stand beside the hierarchy, the hierarchy is one of all other items.

    Raises
    ------
    InputError
        If a hierarchy is given for a column that takes none, or is no tree over the column's values.
    """
    beside: Iterable[str] = getattr(model, "sensitive_items", ()) if entry_of(model).beside else ()
    return bind_columns(table, hierarchies, tuple(beside))


def bind_columns(
    table: Table, hierarchies: Mapping[str, HierarchySpec], beside: tuple[str, ...] = ()
) -> tuple[Table, dict[str, Hierarchy]]:
    """Read the hierarchies, and re-encode the set-valued column by its own; the items `beside` it are left out of it.

    Raises
    ------
    InputError
        If a hierarchy is given for a column that takes none, or is no tree over the column's values.
    """
    column = table.transactions
    known = {c.name: c for c in (*table.relational, *(() if column is None else (column,)))}
    if unknown := sorted(set(hierarchies) - set(known)):
        msg = f"--hierarchy names column {unknown[0]!r}; the columns that take one are: {', '.join(known) or 'none'}"
        raise InputError(msg)
    found: dict[str, Hierarchy] = {}
    for name, given in hierarchies.items():
        spec = given if isinstance(given, Hierarchy) else os.fspath(given)
        target = known[name]
        if isinstance(target, SetColumn):
            found[name] = _items_hierarchy(spec, target, beside)
            table = table.with_transactions(found[name].bind(target))
        elif (bound := _relational_hierarchy(spec, target)) is not None:
            found[name] = bound
    return table, found


def _items_hierarchy(spec: Hierarchy | str, column: SetColumn, beside: tuple[str, ...]) -> Hierarchy:
    from anonset.io.hierarchies import hierarchy_for

    if spec in (RANGE, VALUES):
        msg = f"--hierarchy {column.name}={spec}: the column is set-valued; give a file, balanced:F, or no hierarchy"
        raise InputError(msg)
    if isinstance(spec, Hierarchy) and is_attached(spec, beside):
        return spec
    private = set(beside)
    others = Vocabulary(tuple(label for label in column.vocabulary.labels if label not in private))
    return attach_sensitive(hierarchy_for(spec, others, column.name), beside)


def _relational_hierarchy(spec: Hierarchy | str, column: CategoricalColumn | NumericColumn) -> Hierarchy | None:
    from anonset.io.hierarchies import hierarchy_for

    numeric = isinstance(column, NumericColumn)
    if spec in (RANGE, VALUES):
        if numeric != (spec == RANGE):
            kind = "holds numbers: its domain must be range" if numeric else "is text: read it as numeric for range"
            msg = f"--hierarchy {column.name}={spec}: the column {kind}"
            raise InputError(msg)
        return None
    if isinstance(column, NumericColumn):
        msg = f"--hierarchy {column.name}: the column holds numbers, which generalize to ranges; read it as text"
        raise InputError(msg)
    return hierarchy_for(spec, column.vocabulary, column.name)
