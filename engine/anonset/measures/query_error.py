"""AvgRE (ARE): the average relative error of COUNT queries answered from published data.

References: Loukides, Gkoulalas-Divanis, Malin (2010), section 6.1; Poulis et al. (2013), section 6.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from math import fsum

from anonset.data import SetColumn
from anonset.data.redacted_repr import Discreet
from anonset.errors import InputError, foreign
from anonset.generalization import Publication
from anonset.queries import ExpectedCounts, Query, TrueCounts, Workload
from anonset.queries.estimate import ONE_MEMBER, Reading


@dataclass(frozen=True)
class QueryError(Discreet):
    """One query, its true and its expected answer, and the relative error (None: not defined, the answer is 0)."""

    query: Query
    true: float
    expected: float
    error: float | None


@dataclass(frozen=True)
class AverageError(Discreet):
    """The average relative error of a workload."""

    average: float
    """Mean over the queries that have an error; 0 if none has."""
    answered: int
    """Number of these queries."""
    skipped: int
    """Queries whose true answer is 0."""
    errors: tuple[QueryError, ...]
    """The queries one by one."""


def average_relative_error(
    column: SetColumn,
    publication: Publication,
    workload: Workload,
    *,
    reading: Reading = ONE_MEMBER,
    floor: float | None = None,
) -> AverageError:
    """Return the average of |true - expected| / true over a workload of queries for items.

    Parameters
    ----------
    column
        The original column.
    reading
        See `anonset.queries.ExpectedCounts`.
    floor
        Divide by this where the true answer is smaller; without it, queries with the answer 0 are skipped.

    Raises
    ------
    InputError
        If a query speaks of unknown items or has conditions, or the floor is not positive.
    """
    true, expected = TrueCounts(column), ExpectedCounts(publication, reading=reading)

    def answer(query: Query) -> tuple[float, float]:
        if query.where:
            msg = (
                f"query for {foreign(', '.join(query.items))}: conditions on relational columns need relational answers"
            )
            raise InputError(msg)
        return true.count(query), expected.count(query)

    return relative_errors(workload.queries, answer, floor=floor)


def relative_errors(
    queries: Iterable[Query], answer: Callable[[Query], tuple[float, float]], *, floor: float | None = None
) -> AverageError:
    """Average the relative errors of queries, given a function to the true and the expected answer of each.

    Raises
    ------
    InputError
        If the floor is not positive.
    """
    if floor is not None and not floor > 0:
        msg = f"floor must be above 0, got {floor}"
        raise InputError(msg)
    errors = []
    for query in queries:
        true, expected = answer(query)
        base = true if floor is None else max(true, floor)
        errors.append(QueryError(query, true, expected, abs(true - expected) / base if base else None))
    defined = [query_error.error for query_error in errors if query_error.error is not None]
    average = fsum(defined) / len(defined) if defined else 0.0
    return AverageError(average, len(defined), len(errors) - len(defined), tuple(errors))
