"""Errors of query answers, for each interpretation of the paper's workload.

True answers are cached for the next case. The paper's queries are of "items selected randomly from the generalized
items". This has three interpretations. *Own
published items*: one item from each of q different symbols of the algorithm's publication. *Records*: q items of a
random record. *Domain*: an item drawn uniformly from all items.
"""

from functools import lru_cache
from typing import TYPE_CHECKING

from benchmarks.experiments.cases import Parameters
from benchmarks.experiments.factors import number_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anonset import SetColumn
    from anonset.publications import Records
    from anonset.queries import TrueCounts, Workload

QUERIES = 1000
ITEMS_OF_QUERY = (1, 2, 3)
FREQUENT = 0.1
"""Smallest share of records that contain a combination of the workload W1."""
LARGEST_FREQUENT = 3
"""Largest size of a combination of the workload W1."""


def errors(parameters: Parameters, column: "SetColumn", publication: "Records") -> dict[str, float]:
    """Return the average relative error of each workload, and the number of queries with an answer.

    Parameters
    ----------
    parameters
        ``workload``: number of the workload; ``frequent``: True to include W1.
    column
        Records in the original item order, so that queries do not depend on the leaf order.
    """
    from anonset import Table
    from anonset.queries import ExpectedCounts
    from anonset.queries.mixed_workload import QueryShape, mixed_published_workload

    expected, number = ExpectedCounts(publication, reading="subsets"), number_of(parameters["workload"])
    true, found = _true_counts(column), dict[str, float]()

    def ask(name: str, workload: "Workload", answers: "Sequence[int]") -> None:
        from anonset.measures.query_error import relative_errors

        known = dict(zip(workload.queries, answers, strict=True))
        error = relative_errors(workload.queries, lambda query: (known[query], expected.count(query)))
        found[f"answered_{name}"] = error.answered
        if error.answered:
            found[f"are_{name}"] = error.average
        if error.answered and parameters.get("frequent"):
            null = relative_errors(
                workload.queries, lambda query: (known[query], _of_one_set(column, len(query.items)))
            )
            found[f"null_are_{name}"] = null.average

    n_symbols = int((publication.transactions.occurrences > 0).sum()) if publication.transactions is not None else 0
    for q in ITEMS_OF_QUERY:
        ask(f"record_q{q}", *_of_records(column, q, number))
        if n_symbols >= q:
            shape = QueryShape(n_values=0, n_items=q)
            own = mixed_published_workload(Table(column), publication, QUERIES, shape, number)
            ask(f"own_q{q}", own, [true.count(query) for query in own.queries])
    ask("domain_q1", *_of_domain(column, number))
    if parameters.get("frequent"):
        ask("frequent", *_frequent(column))
    return found


def _of_one_set(column: "SetColumn", size: int) -> float:
    """Return the expected number of records with `size` items if all items are published as a single set."""
    return float(column.n_nonempty * 2.0**-size / (1 - 2.0 ** -len(column.vocabulary)))


@lru_cache(maxsize=4)
def _true_counts(column: "SetColumn") -> "TrueCounts":
    from anonset.queries import TrueCounts

    return TrueCounts(column)


def _answered(column: "SetColumn", workload: "Workload") -> "tuple[Workload, tuple[int, ...]]":
    true = _true_counts(column)
    return workload, tuple(true.count(query) for query in workload.queries)


@lru_cache(maxsize=100)
def _of_records(column: "SetColumn", q: int, number: int) -> "tuple[Workload, tuple[int, ...]]":
    from anonset import Table
    from anonset.queries.mixed_workload import QueryShape, mixed_record_workload

    shape = QueryShape(n_values=0, n_items=q)
    return _answered(column, mixed_record_workload(Table(column), QUERIES, shape, number))


@lru_cache(maxsize=50)
def _of_domain(column: "SetColumn", number: int) -> "tuple[Workload, tuple[int, ...]]":
    from anonset import Table
    from anonset.queries.mixed_workload import QueryShape, mixed_domain_workload

    shape = QueryShape(n_values=0, n_items=1)
    return _answered(column, mixed_domain_workload(Table(column), QUERIES, shape, number))


@lru_cache(maxsize=4)
def _frequent(column: "SetColumn") -> "tuple[Workload, tuple[int, ...]]":
    """Return a query for each combination of up to three items that occurs in a tenth of the records."""
    from itertools import combinations

    from anonset.queries import Workload

    index, least, labels = _true_counts(column).index, FREQUENT * column.n, column.vocabulary.labels
    often = [code for code in range(len(labels)) if column.occurrences[code] >= least]
    sizes = range(1, LARGEST_FREQUENT + 1)
    sets = [codes for size in sizes for codes in combinations(often, size) if index.support(list(codes)) >= least]
    return _answered(column, Workload.of([[labels[code] for code in codes] for codes in sets]))
