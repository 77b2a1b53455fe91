"""COUNT queries on bucketized data, with exact counts and estimates.

A query counts the tuples with allowed values in id, kept and sensitive columns. A publication shows the share of each
sensitive value in a group, but not the value of a tuple. The estimate therefore uses this share as the probability that
a tuple of the group has the value.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np

from anonset.data import CategoricalColumn, Table
from anonset.data.array_types import Bools
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.split_mix import SplitMix
from anonset.errors import InputError
from anonset.publications import Buckets
from anonset.publications.buckets import STAR
from anonset.queries.workload import require_queries


@dataclass(frozen=True)
class BucketQuery(RedactedRepr):
    """Query for the number of tuples whose values are allowed in all columns."""

    columns: Mapping[str, Collection[str]] = field(default_factory=lambda: MappingProxyType({}))
    """Allowed labels of id and kept columns, by column name. Columns without an entry allow any label."""
    sensitive: Collection[str] | None = None
    """Allowed sensitive values. None if any value is allowed."""


def true_count(table: Table, query: BucketQuery) -> int:
    """Count the tuples of the original table that match a query.

    Raises
    ------
    InputError
        If the query names a column that is not in the table.
    """
    chosen = _rows((*table.ids, *table.kept), query, table.n)
    if query.sensitive is not None:
        if table.sensitive is None:
            raise InputError("the query asks for sensitive values, but the table has no sensitive column")
        chosen &= _allowed(table.sensitive, query.sensitive)[table.sensitive.codes]
    return int(np.count_nonzero(chosen))


def estimate(publication: Buckets, query: BucketQuery) -> float:
    """Estimate the answer to a query from the publication.

    The estimate is a sum over the groups. Each group adds the number of its matching QIT rows, times the share of its
    tuples with an allowed sensitive value. A row with a hidden identity satisfies no condition on an id column.

    >>> from anonset.data import Table
    >>> from anonset.generalization import Bucketized
    >>> from anonset.generalization.bucketizing import bucketize
    >>> sex = CategoricalColumn.of("sex", ["F", "F", "M"])
    >>> table = Table(sensitive=CategoricalColumn.of("drug", ["a", "b", "a"]), kept=(sex,))
    >>> publication = bucketize(table, Bucketized(np.zeros(3, np.int32), np.zeros(3, bool)))
    >>> query = BucketQuery({"sex": {"F"}}, {"a"})
    >>> true_count(table, query), round(estimate(publication, query), 6)
    (1, 1.333333)

    Raises
    ------
    InputError
        If the query names a column that was not published.
    """
    conditions = {name: set(labels) for name, labels in query.columns.items()}
    for column in publication.ids:
        conditions.get(column.name, set()).discard(STAR)
    chosen = _rows((*publication.ids, *publication.kept), BucketQuery(conditions), publication.n)
    rows = np.bincount(publication.group.codes[chosen], minlength=publication.n_groups)
    if query.sensitive is None:
        return float(rows.sum())
    allowed = _allowed(publication.snt_value, query.sensitive)[publication.snt_value.codes]
    matching = np.bincount(publication.snt_group[allowed], publication.snt_count[allowed], publication.n_groups)
    return float(np.sum(rows * matching / np.maximum(publication.sizes, 1)))


def record_workload(table: Table, columns: Sequence[str], *, queries: int = 100, seed: int = 0) -> list[BucketQuery]:
    """Create queries from random records. Each query requires the record's values in `columns` and its sensitive value.

    The exact count of each query is at least 1. SplitMix64 draws the records.

    Raises
    ------
    InputError
        If a column or the sensitive column is missing, the table has no records, or a number is out of range.
    """
    by_name = {column.name: column for column in (*table.ids, *table.kept)}
    chosen = [_named(by_name, name) for name in columns]
    sensitive = table.sensitive
    if sensitive is None or table.n == 0:
        raise InputError("a workload from records needs a table with a sensitive column and a record")
    require_queries(queries)
    random = SplitMix(seed)
    rows = [random.below(table.n) for _ in range(queries)]
    return [
        BucketQuery(
            MappingProxyType({column.name: frozenset((_label(column, row),)) for column in chosen}),
            frozenset((_label(sensitive, row),)),
        )
        for row in rows
    ]


def _rows(columns: Sequence[CategoricalColumn], query: BucketQuery, n: int) -> Bools:
    by_name = {column.name: column for column in columns}
    chosen = np.ones(n, np.bool_)
    for name, labels in query.columns.items():
        column = _named(by_name, name)
        chosen &= _allowed(column, labels)[column.codes]
    return chosen


def _named(by_name: Mapping[str, CategoricalColumn], name: str) -> CategoricalColumn:
    if name not in by_name:
        raise InputError(f"query columns must be among {', '.join(map(repr, by_name)) or 'none'}, got {name!r}")
    return by_name[name]


def _allowed(column: CategoricalColumn, labels: Collection[str]) -> Bools:
    allowed = np.zeros(len(column.vocabulary), np.bool_)
    allowed[[column.vocabulary.index[label] for label in labels if label in column.vocabulary.index]] = True
    return allowed


def _label(column: CategoricalColumn, row: int) -> str:
    return column.vocabulary.labels[int(column.codes[row])]
