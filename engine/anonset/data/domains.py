"""Domains of relational columns. A domain defines how values are generalized: to hierarchy nodes, sets or ranges."""

from dataclasses import dataclass, field, replace

from anonset.data.array_types import Int64
from anonset.data.decimals import unfit
from anonset.data.grids import Grid, grid_of
from anonset.data.hierarchies.hierarchy import Hierarchy
from anonset.data.labels.vocabulary import Vocabulary
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.spans import spans
from anonset.data.table import CategoricalColumn, Column
from anonset.errors import InputError

LISTED = 0.1
"""Maximum share of persons with rare values. If more persons have rare values, published sets of values identify
persons.
"""
FEWEST_LISTED = 10
"""Minimum number of rare values. If there are fewer, published sets of values do not identify persons."""


@dataclass(frozen=True)
class ValueSet(RedactedRepr):
    """Domain of a categorical column without a hierarchy. Values are generalized to sets."""

    vocabulary: Vocabulary
    """All values of the column."""


@dataclass(frozen=True)
class Range(RedactedRepr):
    """Domain of a numeric column. Values are generalized to the smallest range that contains them."""

    low: float = field(repr=False)
    """Smallest value of the domain."""
    high: float = field(repr=False)
    """Largest value of the domain."""
    grid: Grid | None = field(default=None, repr=False, compare=False)
    """Numbers at which published ranges may end. None if ranges may end at any number."""


Domain = Hierarchy | ValueSet | Range


def lists_persons(counts: Int64, threshold: int, n: int) -> bool:
    """Return True if sets of values identify persons because more than the share `LISTED` of the n persons has a rare
    value.

    Parameters
    ----------
    counts
        Number of persons with each value of the sets, int64 (values,).
    threshold
        A value is rare if fewer persons have it.

    >>> import numpy as np
    >>> lists_persons(np.array([1] * 10 + [90]), 5, 100), lists_persons(np.array([1] * 11 + [89]), 5, 100)
    (False, True)
    """
    of_few = counts[(counts > 0) & (counts < threshold)]
    return len(of_few) >= FEWEST_LISTED and bool(of_few.sum() > LISTED * n)


def domain_of(column: Column, hierarchy: Hierarchy | None = None) -> Domain:
    """Return the domain of a relational column. The domain is the hierarchy, the set of all values, or the range of all
    values.

    >>> import numpy as np
    >>> from anonset.data import NumericColumn
    >>> domain_of(NumericColumn("age", np.array([19, 70, 22]))) == Range(19.0, 70.0)
    True

    Raises
    ------
    InputError
        If a numeric column has a hierarchy or an unusable value.
    """
    if isinstance(column, CategoricalColumn):
        return ValueSet(column.vocabulary) if hierarchy is None else hierarchy
    if hierarchy is not None:
        msg = f"column {column.name!r} is numeric and published as ranges; remove the hierarchy or read it as text"
        raise InputError(msg)
    rows, required = unfit(column.values)
    if len(rows):
        raise InputError(f"column {column.name!r}: record {rows[0]}: must be {required}")
    if column.range is not None:
        return Range(*column.range, column.grid)
    if not len(column.values):
        return Range(0.0, 0.0)
    return Range(float(column.values.min()), float(column.values.max()), column.grid)


def with_range(column: Column) -> Column:
    """Return the column with the range of its values. Parts of the returned column have the same domain as the complete
    column.

    Raises
    ------
    InputError
        If it contains an unusable value.
    """
    if isinstance(column, CategoricalColumn) or not column.n:
        return column
    lows, highs = [], []
    for first, end in spans(column.n):
        values = column.values[first:end]
        rows, required = unfit(values)
        if len(rows):
            raise InputError(f"column {column.name!r}: record {first + rows[0]}: must be {required}")
        lows.append(float(values.min()))
        highs.append(float(values.max()))
    return replace(column, range=(min(lows), max(highs)))


def with_grid(column: Column, k: int) -> Column:
    """Return a numeric column with a grid. Parts of the returned column have the same grid. Other columns are returned
    unchanged.

    Raises
    ------
    InputError
        If it contains an unusable value.
    """
    column = with_range(column)
    return column if isinstance(column, CategoricalColumn) else replace(column, grid=grid_of(column.values, k))


def bind_category(column: CategoricalColumn, hierarchy: Hierarchy) -> CategoricalColumn:
    """Recode a categorical column so that its codes are leaf positions of the hierarchy.

    Raises
    ------
    HierarchyError
        If a value of the column is no leaf.
    """
    if column.vocabulary == hierarchy.leaves:
        return column
    codes = hierarchy.codes_of(column.vocabulary, column.name)
    return column.recode(codes, hierarchy.leaves)
