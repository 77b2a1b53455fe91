"""Values of columns that the local page of the owner may show. Values that identify a person are masked."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from anonset.columns.rules import are_personal
from anonset.data import CategoricalColumn, Column, SetColumn
from anonset.data.array_types import Int64
from anonset.data.joining import headers_of, parts_of
from anonset.data.redacted_repr import RedactedRepr


@dataclass(frozen=True)
class Values(RedactedRepr):
    """Distinct values of a column."""

    labels: Sequence[str] = field(repr=False)
    counts: Int64 = field(repr=False)
    """Number of records with each value, int64 (labels,)."""
    are_personal: bool
    """Whether the values are contact data, names, ids, free text, or values of which each record has its own."""


def values_by_column(column: SetColumn | Column, joined: Sequence[str]) -> dict[str, Values]:
    """Return the values of a column, by its name.

    Parameters
    ----------
    joined
        Names of the columns that are joined into a column of sets, if any. Their values are returned by these names,
        without prefixes, because contact data are not recognized behind a prefix.
    """
    if not isinstance(column, SetColumn | CategoricalColumn):
        numbers, counts = np.unique(column.values, return_counts=True)
        return {column.name: Values([f"{number:.15g}" for number in numbers.tolist()], counts, are_personal=False)}
    labels, counts = column.vocabulary.labels, np.asarray(column.occurrences)
    parts, is_set = dict[str, Values](), isinstance(column, SetColumn)
    for name, start, codes in parts_of(joined or (column.name,), labels, headers_of(labels) if is_set else ()):
        own = [labels[code].removeprefix(start) for code in codes]
        personal = are_personal(name, own, counts[codes], is_set=is_set)
        if joined:
            parts[name] = Values(own, counts[codes], personal)
        else:  # a header of items ``header=value`` is no column
            parts[name] = Values(labels, counts, personal or (name in parts and parts[name].are_personal))
    return parts


def texts_of(column: SetColumn | Column) -> Iterable[tuple[str, ...]]:
    """Return the values of each record. A set has several values."""
    if isinstance(column, SetColumn):
        return [tuple(row) for row in column.rows()]
    if isinstance(column, CategoricalColumn):
        return [(label,) for label in column.labels()]
    return [(f"{value:.15g}",) for value in column.values.tolist()]
