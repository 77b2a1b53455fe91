"""Values of columns that the local page of the owner may show. Values that identify a person are masked."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from anonset.columns.personal_values import is_free_text, personal_kind
from anonset.data import CategoricalColumn, Column, SetColumn
from anonset.data.array_types import Int64
from anonset.data.joining import codes_by_column, prefixed
from anonset.data.redacted_repr import RedactedRepr


@dataclass(frozen=True)
class Values(RedactedRepr):
    """Distinct values of a column."""

    labels: Sequence[str] = field(repr=False)
    counts: Int64 = field(repr=False)
    """Number of records with each value, int64 (labels,)."""
    are_personal: bool
    """Whether the values are contact data, names, ids, free text, or texts of which each record has its own."""


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
    if isinstance(column, CategoricalColumn) or not joined:
        is_set = isinstance(column, SetColumn)
        return {column.name: Values(labels, counts, _are_personal(labels, int(counts.sum()), is_set=is_set))}
    parts = dict[str, Values]()
    for name, codes in codes_by_column(joined, labels).items():
        own = [labels[code].removeprefix(prefixed(name, "")) for code in codes]
        parts[name] = Values(own, counts[codes], _are_personal(own, int(counts[codes].sum()), is_set=True))
    return parts


def texts_of(column: SetColumn | Column) -> Iterable[tuple[str, ...]]:
    """Return the values of each record. A set has several values."""
    if isinstance(column, SetColumn):
        return [tuple(row) for row in column.rows()]
    if isinstance(column, CategoricalColumn):
        return [(label,) for label in column.labels()]
    return [(f"{value:.15g}",) for value in column.values.tolist()]


def _are_personal(labels: Sequence[str], occurrences: int, *, is_set: bool) -> bool:
    return bool(
        (not is_set and occurrences <= len(labels))  # each record has a value of its own
        or personal_kind(labels)
        or is_free_text(labels, occurrences)
    )
