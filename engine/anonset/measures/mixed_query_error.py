"""ARE of workloads that ask for relational values, items, or both.

References: Poulis et al. (2013), section 6.
"""

from collections.abc import Mapping

from anonset.data import Hierarchy, Table
from anonset.generalization import Publication
from anonset.measures.query_error import AverageError, relative_errors
from anonset.queries.estimate import ONE_MEMBER, Reading
from anonset.queries.relational import ExpectedAnswers, TrueAnswers
from anonset.queries.workload import Workload


def mixed_relative_error(
    table: Table,
    publication: Publication,
    workload: Workload,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    *,
    reading: Reading = ONE_MEMBER,
    floor: float | None = None,
) -> AverageError:
    """Return the average of |true - expected| / true over a workload.

    Parameters
    ----------
    table
        The original records.
    hierarchies
        Those of relational columns.
    reading
        See `anonset.queries.ExpectedCounts`.
    floor
        Divide by this where the true answer is smaller; without it, queries with the answer 0 are skipped.

    Raises
    ------
    InputError
        If a query speaks of an unknown column, value or item, or the floor is not positive.

    Examples
    --------
    >>> import numpy as np
    >>> from anonset.data import CategoricalColumn
    >>> from anonset.queries import Query
    >>> from anonset.queries.conditions import Among
    >>> table = Table.from_columns(sex=["f", "m", "m"])
    >>> said = CategoricalColumn.of("sex", ["(f,m)", "(f,m)", "m"])
    >>> published = Publication(None, (), (said,), (), np.arange(3))
    >>> mixed_relative_error(table, published, Workload((Query((), (Among("sex", ("f",)),)),))).average
    0.0
    """
    true = TrueAnswers(table, hierarchies)
    expected = ExpectedAnswers(table, publication, hierarchies, reading=reading)
    return relative_errors(workload.queries, lambda query: (true.count(query), expected.count(query)), floor=floor)
