"""Truthfulness of relational values: each published value covers the original one."""

from collections.abc import Callable, Mapping

import numpy as np

from anonset.data import CategoricalColumn, Hierarchy, NumericColumn, Table
from anonset.data.exact import exact
from anonset.data.table import Column
from anonset.errors import InputError
from anonset.generalization import Publication
from anonset.privacy import Witness


def check_relational_truth(
    original: Table, publication: Publication, hierarchies: Mapping[str, Hierarchy]
) -> Witness | None:
    """Find a published relational value that does not cover the value of the record it was made from.

    ``[low:high]`` covers the numbers between, a node of the column's hierarchy the leaves below it, ``(a,b,c)`` its
    members, anything else itself. Only distinct pairs of values are looked at: cost O(n log n) for each column.

    Returns
    -------
    The first violation, by column, then by row, or None.

    Raises
    ------
    InputError
        If the publication lacks a relational column of the table.

    Examples
    --------
    >>> table = Table.from_columns(sex=["f", "m"])
    >>> said = CategoricalColumn.of("sex", ["(f,m)", "f"])
    >>> str(check_relational_truth(table, Publication(None, (), (said,), (), np.arange(2)), {}))
    "{f} matches 0 records, 1 required; published row 1 shows it; column 'sex': the original value is another"
    """
    published = {column.name: column for column in publication.relational}
    for column in original.relational:
        if column.name not in published:
            msg = f"the publication must have the relational column {column.name!r}, but has not"
            raise InputError(msg)
        found = _first_untrue(column.take(publication.record), published[column.name], hierarchies.get(column.name))
        if found is not None:
            return found
    return None


def _first_untrue(before: Column, after: CategoricalColumn, hierarchy: Hierarchy | None) -> Witness | None:
    values = before.codes if isinstance(before, CategoricalColumn) else before.values
    distinct, rank = np.unique(values, return_inverse=True)
    pairs, first = np.unique(rank.reshape(-1) * max(1, len(after.vocabulary)) + after.codes, return_index=True)
    rules: dict[int, Callable[[str], bool]] = {}
    worst: Witness | None = None
    for pair, row in zip(pairs.tolist(), first.tolist(), strict=True):
        value = distinct[pair // len(after.vocabulary)]
        text = before.vocabulary.labels[value] if isinstance(before, CategoricalColumn) else str(value)
        code = pair % len(after.vocabulary)
        if code not in rules:
            rules[code] = covers(after.vocabulary.labels[code], isinstance(before, NumericColumn), hierarchy)
        if not rules[code](text) and (worst is None or row < worst.record):
            detail = f"column {after.name!r}: the original value is another"
            worst = Witness((after.vocabulary.labels[code],), 0, 1, row, detail)
    return worst


def covers(label: str, numeric: bool, hierarchy: Hierarchy | None) -> Callable[[str], bool]:
    """Return the test whether a published label covers an original value, given as text."""
    if numeric:
        low, _, high = label[1:-1].partition(":") if label.startswith("[") else (label, ":", label)
        try:
            bounds = exact(low), exact(high)
        except ValueError:
            return lambda _: False
        return lambda text: bounds[0] <= exact(text) <= bounds[1]
    if hierarchy is not None:
        node = hierarchy.node_of.get(label)
        members = set() if node is None else set(_leaves(hierarchy, node))
        return members.__contains__
    listed = {label} | (set(label[1:-1].split(",")) if label.startswith("(") and label.endswith(")") else set())
    return listed.__contains__


def _leaves(hierarchy: Hierarchy, node: int) -> tuple[str, ...]:
    return hierarchy.leaves.labels[hierarchy.leaf_lo[node] : hierarchy.leaf_hi[node]]
