"""Workloads of COUNT queries. A query asks for the number of records that contain given items.

References: Loukides, Gkoulalas-Divanis, Malin (2010), section 6.1; Poulis et al. (2013), section 6.

Deviation: SplitMix64 generates the random numbers, so a seed gives the same workload on every platform.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from anonset.data import SetColumn
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.split_mix import SplitMix
from anonset.errors import InputError
from anonset.publications import Records

LARGEST_WORKLOAD = 1_000_000
"""Maximum number of queries in a random workload. The papers use 1,000."""


@dataclass(frozen=True)
class Query(RedactedRepr):
    """Query for the number of records that contain all `items` and satisfy every condition on relational columns."""

    items: tuple[str, ...]
    """Distinct items in canonical order."""
    where: tuple[Any, ...] = ()
    """Conditions on relational columns."""


@dataclass(frozen=True)
class Workload(RedactedRepr):
    """Queries, and the source from which they were drawn."""

    queries: tuple[Query, ...]
    source: str = "given"
    """Source of the queries: ``record``, ``domain``, ``published`` or ``given``."""
    seed: int | None = None
    """Seed of the random generator. None if the queries were given."""

    def __len__(self) -> int:
        return len(self.queries)

    @classmethod
    def of(cls, itemsets: Iterable[Iterable[str]]) -> "Workload":
        """Create a workload from itemsets.

        >>> Workload.of(["ab"]).queries[0].items
        ('a', 'b')
        """
        return cls(tuple(Query(tuple(dict.fromkeys(itemset))) for itemset in itemsets))


def record_workload(column: SetColumn, n_queries: int, n_items: int, seed: int = 0) -> Workload:
    """Draw queries from random records with at least `n_items` items. A query contains distinct items of a record, so
    its answer is at least 1.

    Raises
    ------
    InputError
        If a number is out of range, or no record has `n_items` items.
    """
    random = _random(n_queries, n_items, seed)
    records = np.flatnonzero(column.lengths >= n_items)
    if not len(records):
        longest = int(column.lengths.max(initial=0))
        msg = f"n_items must be at most {longest}, the size of the longest record, got {n_items}"
        raise InputError(msg)
    queries = []
    for _ in range(n_queries):
        record = int(records[random.below(len(records))])
        row = column.held_by(record)
        queries.append(_query(column, [int(row[j]) for j in random.distinct(len(row), n_items)]))
    return Workload(tuple(queries), "record", seed)


def domain_workload(column: SetColumn, n_queries: int, n_items: int, seed: int = 0) -> Workload:
    """Draw distinct items uniformly from the domain for each query. Many queries have the answer 0.

    Raises
    ------
    InputError
        If a number is out of range.
    """
    random = _random(n_queries, n_items, seed)
    _require_enough(n_items, len(column.vocabulary), "items")
    n = len(column.vocabulary)
    queries = [_query(column, random.distinct(n, n_items)) for _ in range(n_queries)]
    return Workload(tuple(queries), "domain", seed)


def published_workload(
    column: SetColumn, publication: Records, n_queries: int, n_items: int, seed: int = 0
) -> Workload:
    """Draw queries as in the paper: distinct symbols that occur in the publication, and one item of each symbol.

    Parameters
    ----------
    column
        The original column.

    Raises
    ------
    InputError
        If a number is out of range, or the publication has no set-valued column.
    """
    random = _random(n_queries, n_items, seed)
    if publication.transactions is None:
        msg = "a workload from published items needs a set-valued column; the publication has none"
        raise InputError(msg)
    present = np.flatnonzero(publication.transactions.occurrences).tolist()
    _require_enough(n_items, len(present), "published symbols")
    index, queries = column.vocabulary.index, []
    for _ in range(n_queries):
        chosen = [publication.symbols[present[j]].members for j in random.distinct(len(present), n_items)]
        items = [members[random.below(len(members))] for members in chosen]
        queries.append(_query(column, [index[item] for item in dict.fromkeys(items)]))
    return Workload(tuple(queries), "published", seed)


def _query(column: SetColumn, codes: Sequence[int]) -> Query:
    return Query(tuple(column.vocabulary.labels[code] for code in sorted(codes)))


def _random(n_queries: int, n_items: int, seed: int) -> SplitMix:
    require_queries(n_queries)
    if isinstance(n_items, bool) or not isinstance(n_items, int) or n_items < 1:
        msg = f"n_items must be an integer of at least 1, got {n_items!r}"
        raise InputError(msg)
    return SplitMix(seed)


def require_queries(n_queries: int) -> None:
    """Validate a number of queries. It must be an integer from 1 to `LARGEST_WORKLOAD`.

    Raises
    ------
    InputError
        If the number is invalid. The message contains the value and the requirement.
    """
    if isinstance(n_queries, bool) or not isinstance(n_queries, int) or n_queries < 1:
        msg = f"n_queries must be an integer of at least 1, got {n_queries!r}"
        raise InputError(msg)
    if n_queries > LARGEST_WORKLOAD:
        msg = f"n_queries must be at most {LARGEST_WORKLOAD}, got {n_queries}"
        raise InputError(msg)


def _require_enough(n_items: int, n: int, noun: str) -> None:
    if n_items > n:
        msg = f"n_items must be at most {n}, the number of {noun}, got {n_items}"
        raise InputError(msg)
