"""Average relative error (AvgRE, ARE) of COUNT queries that are answered from published data.

References: Loukides, Gkoulalas-Divanis, Malin (2010), section 6.1; Poulis et al. (2013), section 6.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import fsum
from typing import TypeVar

from anonset.data import Hierarchy, Table
from anonset.data.redacted_repr import RedactedRepr
from anonset.publications import Records
from anonset.queries import Workload
from anonset.queries.estimate import ONE_MEMBER, Reading
from anonset.queries.relational import ExpectedAnswers, TrueAnswers

_Q = TypeVar("_Q")


@dataclass(frozen=True)
class AverageError(RedactedRepr):
    """Average relative error of a workload."""

    average: float
    """Mean relative error of the queries whose exact answer is above 0. If there is none, it is 0."""
    answered: int
    """Number of queries whose exact answer is above 0."""
    skipped: int
    """Number of queries whose exact answer is 0."""
    errors: tuple[float | None, ...]
    """Error of each query. None if the exact answer is 0."""


def mixed_relative_error(
    table: Table,
    publication: Records,
    workload: Workload,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    *,
    reading: Reading = ONE_MEMBER,
) -> AverageError:
    """Return the mean of |true - expected| / true over a workload.

    The queries have conditions on relational values, items, or both.

    Parameters
    ----------
    table
        The original records.
    hierarchies
        Hierarchies of relational columns, by name.
    reading
        See `anonset.queries.ExpectedCounts`.

    Raises
    ------
    InputError
        If a query contains an unknown column, value or item.

    Examples
    --------
    >>> import numpy as np
    >>> from anonset.data import CategoricalColumn
    >>> from anonset.queries import Query
    >>> from anonset.queries.conditions import Among
    >>> table = Table.from_columns(sex=["f", "m", "m"])
    >>> said = CategoricalColumn.of("sex", ["(f,m)", "(f,m)", "m"])
    >>> published = Records(None, (), (said,), (), np.arange(3))
    >>> mixed_relative_error(table, published, Workload((Query((), (Among("sex", ("f",)),)),))).average
    0.0
    """
    true = TrueAnswers(table, hierarchies)
    expected = ExpectedAnswers(table, publication, hierarchies, reading=reading)
    return relative_errors(workload.queries, lambda query: (true.count(query), expected.count(query)))


def relative_errors(queries: Iterable[_Q], answer: Callable[[_Q], tuple[float, float]]) -> AverageError:
    """Average the relative errors of queries. `answer` returns the exact and the expected answer of a query.

    Queries whose exact answer is 0 have no error.
    """
    answers = map(answer, queries)
    errors = tuple(abs(true - expected) / true if true else None for true, expected in answers)
    defined = [error for error in errors if error is not None]
    average = fsum(defined) / len(defined) if defined else 0.0
    return AverageError(average, len(defined), len(errors) - len(defined), errors)
