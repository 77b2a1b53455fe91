"""Workloads of COUNT queries. A query asks for the number of records that contain given items."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from anonset.data.redacted_repr import RedactedRepr
from anonset.errors import InputError

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
    """Queries, and the source from which the queries were drawn."""

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


def require_queries(n_queries: int) -> None:
    """Validate a number of queries. It must be an integer from 1 to `LARGEST_WORKLOAD`.

    Raises
    ------
    InputError
        If the number is invalid. The message contains the value and the requirement.
    """
    if isinstance(n_queries, bool) or not isinstance(n_queries, int) or n_queries < 1:
        raise InputError(f"n_queries must be an integer of at least 1, got {n_queries!r}")
    if n_queries > LARGEST_WORKLOAD:
        raise InputError(f"n_queries must be at most {LARGEST_WORKLOAD}, got {n_queries}")
