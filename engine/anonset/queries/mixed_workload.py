"""Workloads of COUNT queries for relational values, items, or both.

References: Poulis et al. (2013), section 6 (random values and sets of items); Loukides et al. (2010), section 6.1.

Deviation: SplitMix64 generates the random numbers, so a seed gives the same workload on every platform.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from anonset.data import Hierarchy, SetColumn, Table
from anonset.data.distinct import distinct
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.split_mix import SplitMix
from anonset.errors import InputError
from anonset.publications import Records
from anonset.queries.conditions import Among, Between, Condition
from anonset.queries.relational import PublishedValues, ValueDomain, domains_of
from anonset.queries.workload import Query, Workload, require_queries
from anonset.spelling import counted


@dataclass(frozen=True, kw_only=True)
class QueryShape:
    """Number of conditions and items in each query of a workload.

    >>> QueryShape(n_values=1, n_items=2)
    QueryShape(n_values=1, n_items=2, width=0.0)
    """

    n_values: int
    """Number of relational columns with a condition (>= 0). The columns are drawn for each query."""
    n_items: int
    """Number of items (>= 0)."""
    width: float = 0.0
    """Half the width of a numeric condition, as a share of the range of the column, in [0, 1]."""

    def __post_init__(self) -> None:
        for name, value in (("n_values", self.n_values), ("n_items", self.n_items)):
            if isinstance(value, bool) or not isinstance(value, int) or value < 0:
                raise InputError(f"{name} must be an integer of at least 0, got {value!r}")
        if not self.n_values + self.n_items:
            raise InputError("a query needs n_values or n_items of at least 1, got 0 and 0")
        if isinstance(self.width, bool) or not isinstance(self.width, int | float) or not 0.0 <= self.width <= 1.0:
            raise InputError(f"width must be a number in [0, 1], got {self.width!r}")


def mixed_record_workload(table: Table, n_queries: int, shape: QueryShape, seed: int = 0) -> Workload:
    """Draw queries from random records.

    A query contains some items and relational values of a record, so its answer is at least 1.

    Raises
    ------
    InputError
        If a number is out of range, or no record has enough items.

    Examples
    --------
    >>> table = Table.from_columns({"items": [{"a"}, {"b"}]}, sex=["f", "m"])
    >>> query = mixed_record_workload(table, 1, QueryShape(n_values=1, n_items=1)).queries[0]
    >>> query.items, query.where[0].values
    (('b',), ('m',))
    """
    draw = _QueryGenerator.of(table, {}, n_queries, shape, seed)
    column = table.transactions
    records = np.arange(table.n)
    if column is not None and shape.n_items:
        records = np.flatnonzero(column.lengths >= shape.n_items)
    if not len(records):
        raise InputError(
            f"a workload from records needs a record with {counted(shape.n_items, 'item')}; none of the {table.n} has "
            "so many"
        )
    queries = []
    for _ in range(n_queries):
        record = int(records[draw.random.below(len(records))])
        items: list[int] = []
        if column is not None and shape.n_items:
            row = column.held_by(record)
            items = [int(row[j]) for j in draw.random.distinct(len(row), shape.n_items)]
        where = [draw.around(domain, _value_of(domain, record)) for domain in draw.columns()]
        queries.append(_query(column, items, where))
    return Workload(tuple(queries), "record", seed)


def mixed_domain_workload(
    table: Table,
    n_queries: int,
    shape: QueryShape,
    seed: int,
    hierarchies: Mapping[str, Hierarchy] | None = None,
) -> Workload:
    """Draw items and values uniformly from their domains. Many queries have the answer 0.

    Parameters
    ----------
    hierarchies
        Hierarchies of relational columns, by name. The domain of a column consists of the leaves of its hierarchy. If
        the column has no hierarchy, the domain consists of the values in the data.

    Raises
    ------
    InputError
        If a number is out of range, or the domain is too small.
    """
    draw = _QueryGenerator.of(table, hierarchies, n_queries, shape, seed)
    column, queries = table.transactions, []
    n = 0 if column is None else len(column.vocabulary)
    _require_enough("n_items", shape.n_items, n, "items")
    for _ in range(n_queries):
        items = draw.random.distinct(n, shape.n_items)
        where = [draw.around(domain, draw.one_of(_values(domain))) for domain in draw.columns()]
        queries.append(_query(column, items, where))
    return Workload(tuple(queries), "domain", seed)


def mixed_published_workload(
    table: Table,
    publication: Records,
    n_queries: int,
    shape: QueryShape,
    seed: int = 0,
    hierarchies: Mapping[str, Hierarchy] | None = None,
) -> Workload:
    """Draw queries from distinct published symbols and values.

    For each drawn symbol or value, a query contains an item or value that it covers. Columns are drawn independently of
    each other and of the items.

    Raises
    ------
    InputError
        If a number is out of range, or too few symbols or values are published.
    """
    draw = _QueryGenerator.of(table, hierarchies, n_queries, shape, seed)
    published = {c.name: PublishedValues(draw.domains[c.name], c) for c in publication.relational}
    if missing := sorted(draw.domains.keys() - published.keys()):
        raise InputError(f"the publication has no relational column {missing[0]!r}")
    occurring = {name: distinct(values.column.codes) for name, values in published.items()}
    column, symbols = table.transactions, publication.transactions
    present = np.empty(0, np.int64) if symbols is None else np.flatnonzero(symbols.occurrences)
    _require_enough("n_items", shape.n_items, len(present), "published symbols")
    queries = []
    for _ in range(n_queries):
        chosen = [publication.symbols[present[j]].members for j in draw.random.distinct(len(present), shape.n_items)]
        labels = dict.fromkeys(draw.one_of(members) for members in chosen)
        items = [] if column is None else [column.vocabulary.index[label] for label in labels]
        where = []
        for domain in draw.columns():
            values = published[domain.column.name]
            code = int(draw.one_of(occurring[domain.column.name]))
            where.append(draw.around(domain, draw.one_of(_covered(values, code))))
        queries.append(_query(column, items, where))
    return Workload(tuple(queries), "published", seed)


@dataclass(frozen=True, eq=False)
class _QueryGenerator(RedactedRepr):
    random: SplitMix
    domains: dict[str, ValueDomain]
    shape: QueryShape

    @classmethod
    def of(
        cls, table: Table, hierarchies: Mapping[str, Hierarchy] | None, n_queries: int, shape: QueryShape, seed: int
    ) -> "_QueryGenerator":
        require_queries(n_queries)
        random = SplitMix(seed)
        if not table.n:
            raise InputError("a workload needs a table with records, got none")
        if shape.n_items and table.transactions is None:
            raise InputError(f"n_items must be 0 because the table has no set-valued column, got {shape.n_items}")
        _require_enough("n_values", shape.n_values, len(table.relational), "relational columns")
        return cls(random, domains_of(table, hierarchies), shape)

    def columns(self) -> list[ValueDomain]:
        domains = list(self.domains.values())
        return [domains[j] for j in sorted(self.random.distinct(len(domains), self.shape.n_values))]

    def one_of(self, values: Sequence[Any] | NDArray[np.integer]) -> Any:
        return values[self.random.below(len(values))]

    def around(self, domain: ValueDomain, value: Any) -> Condition:
        """Return a condition that a value satisfies: equality for a category, or a range around a number within the
        domain.
        """
        name = domain.column.name
        if domain.vocabulary is not None:
            return Among(name, (value,))
        low, high = float(domain.numbers[0]), float(domain.numbers[-1])
        reach = self.shape.width * (high - low)
        first, last = max(low, float(value) - reach), min(high, float(value) + reach)
        if domain.whole:
            first, last = float(np.ceil(first)), float(np.floor(last))
        return Between(name, first, last)


def _value_of(domain: ValueDomain, record: int) -> Any:
    if domain.vocabulary is None:
        return domain.column.values[record]  # type: ignore[union-attr]
    return domain.column.vocabulary.labels[int(domain.column.codes[record])]  # type: ignore[union-attr]


def _values(domain: ValueDomain) -> Sequence[Any]:
    return domain.numbers.tolist() if domain.vocabulary is None else domain.labels


def _covered(values: PublishedValues, code: int) -> Sequence[Any]:
    """Return the values that a published value covers. They are labels, or the original numbers within a range."""
    numbers = values.domain.numbers
    if values.domain.vocabulary is not None:
        return values.members[code]
    first, last = (
        np.searchsorted(numbers, values.low[code], "left"),
        np.searchsorted(numbers, values.high[code], "right"),
    )
    covered: list[float] = numbers[first:last].tolist()
    return covered or [float(values.low[code])]


def _query(column: SetColumn | None, codes: Sequence[int], where: Sequence[Condition]) -> Query:
    labels = () if column is None else tuple(column.vocabulary.labels[code] for code in sorted(codes))
    return Query(labels, tuple(where))


def _require_enough(name: str, value: int, n: int, noun: str) -> None:
    if value > n:
        raise InputError(f"{name} must be at most {n}, the number of {noun}, got {value}")
