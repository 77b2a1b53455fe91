"""Exact and expected answers to COUNT queries with conditions on relational columns.

A published relational value covers several original values, each with equal probability. The original value is assumed
to be independent of the other columns and of the items (Poulis et al. 2013, section 6; LeFevre et al. 2006). A range
covers all integers in the range. If the column contains real numbers, it covers all real numbers in the range. A node
covers its leaves, and a set covers its members.
"""

from collections.abc import Collection, Mapping
from math import fsum
from typing import TypeVar

import numpy as np

from anonset.data import CategoricalColumn, Hierarchy, NumericColumn, Table
from anonset.data.array_types import Bools, Float64
from anonset.data.decimals import LARGEST_NUMBER
from anonset.data.distinct import distinct
from anonset.data.domains import domain_of
from anonset.data.table import Column
from anonset.errors import InputError, datum
from anonset.publications import Records
from anonset.publications.symbols import members_of, range_ends
from anonset.queries.conditions import Among, Between, Condition
from anonset.queries.estimate import ONE_MEMBER, ExpectedCounts, Reading, TrueCounts
from anonset.queries.workload import Query

_T = TypeVar("_T")


class ValueDomain:
    """Values that a relational column may have before generalization.

    Parameters
    ----------
    column
        The original column.
    hierarchy
        Hierarchy of a categorical column, or None. The leaves of the hierarchy are the domain.

    Raises
    ------
    InputError
        If a numeric column has a hierarchy.
    """

    def __init__(self, column: Column, hierarchy: Hierarchy | None = None) -> None:
        if isinstance(column, NumericColumn) and hierarchy is not None:
            raise InputError(f"column {column.name!r} is numeric and must not have a hierarchy")
        self.column, self.hierarchy = column, hierarchy
        self.numbers: Float64 = np.empty(0)
        self.whole = False
        if isinstance(column, NumericColumn):
            domain_of(column)  # raises InputError for unsupported numbers
            self.numbers = distinct(column.values.astype(np.float64))
            self.whole = bool(np.all(self.numbers == np.floor(self.numbers)))
            self.vocabulary = None
        else:
            self.vocabulary = column.vocabulary if hierarchy is None else hierarchy.leaves

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels of a categorical column, in canonical order. Empty for a numeric column."""
        return () if self.vocabulary is None else tuple(self.vocabulary.labels)

    def allowed(self, condition: Condition) -> frozenset[str]:
        """Return the labels that a condition allows.

        Raises
        ------
        InputError
            If the column or the condition is numeric, or a value of the condition is not in the domain.
        """
        name = self.column.name
        if self.vocabulary is None or not isinstance(condition, Among):
            kind, needed = ("numeric", "Between") if self.vocabulary is None else ("categorical", "Among")
            raise InputError(f"column {name!r} is {kind}, a condition on it must be {needed}, got {datum(condition)}")
        for value in condition.values:
            if value not in self.vocabulary.index:
                expected = f"among the {len(self.vocabulary)} values of the column"
                raise InputError(f"condition on {name!r}: value {datum(value)} must be {expected}")
        return frozenset(condition.values)

    def bounds(self, condition: Condition) -> tuple[float, float]:
        """Return the bounds of a numeric condition. If the column contains only integers, they are rounded inward.

        Raises
        ------
        InputError
            If the column or the condition is categorical.
        """
        if self.vocabulary is not None or not isinstance(condition, Between):
            self.allowed(condition)
            raise InputError(f"column {self.column.name!r} must be numeric for {datum(condition)}")
        if self.whole:
            return float(np.ceil(condition.low)), float(np.floor(condition.high))
        return condition.low, condition.high


def domains_of(table: Table, hierarchies: Mapping[str, Hierarchy] | None) -> dict[str, ValueDomain]:
    """Return the domain of each relational column, by name.

    Raises
    ------
    InputError
        If a numeric column has a hierarchy.
    """
    trees = hierarchies or {}
    return {column.name: ValueDomain(column, trees.get(column.name)) for column in table.relational}


class TrueAnswers:
    """Exact answers to queries for items, relational values, or both, from original records.

    >>> table = Table.from_columns({"items": [{"a"}, {"a", "b"}]}, sex=["f", "m"])
    >>> TrueAnswers(table).count(Query(("a",), (Among("sex", ("m",)),)))
    1

    Raises
    ------
    InputError
        If a numeric column has a hierarchy.
    """

    def __init__(self, table: Table, hierarchies: Mapping[str, Hierarchy] | None = None) -> None:
        self.n, self.domains = table.n, domains_of(table, hierarchies)
        self.items = None if table.transactions is None else TrueCounts(table.transactions)

    def count(self, query: Query) -> int:
        """Return the number of records that contain all items of a query and satisfy all its conditions.

        Raises
        ------
        InputError
            If an item, a column or a value is unknown, or a condition does not fit its column.
        """
        if not query.where:
            return _require_items(self.items).count(query) if query.items else self.n
        chosen = np.ones(self.n, np.bool_)
        for condition in query.where:
            chosen &= self._satisfied(_domain(self.domains, condition), condition)
        if query.items:
            chosen = chosen[_require_items(self.items).records(query)]
        return int(np.count_nonzero(chosen))

    def _satisfied(self, domain: ValueDomain, condition: Condition) -> Bools:
        column = domain.column
        if isinstance(column, NumericColumn):
            low, high = domain.bounds(condition)
            within: Bools = (column.values >= low) & (column.values <= high)
            return within
        allowed = domain.allowed(condition)
        is_allowed = np.array([label in allowed for label in column.vocabulary.labels], np.bool_)
        return is_allowed[column.codes]


class PublishedValues:
    """Published values of a relational column, and the original values that each published value covers.

    Parameters
    ----------
    domain
        The domain of the original column.
    column
        The published column. It contains ranges ``[low:high]``, nodes, sets ``(a,b,c)`` or unchanged values.

    Raises
    ------
    InputError
        If a published value covers no value of the domain.
    """

    def __init__(self, domain: ValueDomain, column: CategoricalColumn) -> None:
        self.domain, self.column = domain, column
        labels = column.vocabulary.labels
        if domain.vocabulary is None:
            bounds = np.array([self._range(label) for label in labels], np.float64).reshape(-1, 2)
            self.low, self.high = bounds[:, 0], bounds[:, 1]
        else:
            self.members = [self._members(label) for label in labels]

    def probabilities(self, condition: Condition) -> Float64:
        """Return the probability that each published value satisfies a condition, float64 (V,).

        Raises
        ------
        InputError
            If the condition does not fit the column, or names an unknown value.
        """
        if self.domain.vocabulary is None:
            return self._of_ranges(*self.domain.bounds(condition))
        allowed = self.domain.allowed(condition)
        return np.array([sum(x in allowed for x in members) / len(members) for members in self.members])

    def _of_ranges(self, low: float, high: float) -> Float64:
        first, last = np.maximum(self.low, low), np.minimum(self.high, high)
        overlaps = first <= last
        overlap: Float64 = np.maximum(last - first, 0.0)
        all_of: Float64 = self.high - self.low
        if self.domain.whole:
            overlap, all_of = np.where(overlaps, last - first + 1.0, 0.0), all_of + 1.0
        elif low == high:
            numbers = self.domain.numbers
            inside = np.searchsorted(numbers, self.high, "right") - np.searchsorted(numbers, self.low, "left")
            overlap, all_of = np.where(overlaps & (low in numbers), 1.0, 0.0), np.maximum(inside, 1).astype(np.float64)
        point = all_of == 0
        share: Float64 = np.where(point, overlaps, overlap) / np.where(point, 1.0, all_of)
        return share

    def _range(self, label: str) -> tuple[float, float]:
        low, high = range_ends(label)
        try:
            ends = float(low), float(high)
        except ValueError:
            ends = 1.0, 0.0
        if not -LARGEST_NUMBER <= ends[0] <= ends[1] <= LARGEST_NUMBER:
            self._refuse(label)
        return ends

    def _members(self, label: str) -> tuple[str, ...]:
        hierarchy, vocabulary = self.domain.hierarchy, self.domain.vocabulary
        if hierarchy is not None:
            if (node := hierarchy.node_of.get(label)) is not None:
                return tuple(hierarchy.leaves.labels[hierarchy.leaf_lo[node] : hierarchy.leaf_hi[node]])
            members = members_of(label)
            if len(members) > 1 and all(member in hierarchy.leaves.index for member in members):
                return members
        elif vocabulary is not None:
            if label in vocabulary.index:
                return (label,)
            members = members_of(label)
            if all(member in vocabulary.index for member in members):
                return members
        return self._refuse(label)

    def _refuse(self, label: str) -> tuple[str, ...]:
        msg = f"column {self.column.name!r}: published value {datum(label)} covers no values of the original column"
        raise InputError(msg)


class ExpectedAnswers:
    """Expected answers to queries for items, relational values, or both, from published records.

    The probability that a record matches is the product of the probabilities for its columns and for its items.

    Parameters
    ----------
    table
        The original records, which define the domains of the columns.
    publication
        The published records, with their codebook.
    hierarchies
        Hierarchies of relational columns, by name.
    reading
        See `anonset.queries.ExpectedCounts`.

    Raises
    ------
    InputError
        If a published relational value covers no value of its domain.

    Examples
    --------
    >>> table = Table.from_columns(sex=["f", "m"])
    >>> said = CategoricalColumn.of("sex", ["(f,m)", "(f,m)"])
    >>> published = Records(None, (), (said,), (), np.arange(2))
    >>> ExpectedAnswers(table, published).count(Query((), (Among("sex", ("m",)),)))
    1.0
    """

    def __init__(
        self,
        table: Table,
        publication: Records,
        hierarchies: Mapping[str, Hierarchy] | None = None,
        *,
        reading: Reading = ONE_MEMBER,
    ) -> None:
        domains = domains_of(table, hierarchies)
        self.n = publication.n
        self.values = {c.name: PublishedValues(domains[c.name], c) for c in publication.relational if c.name in domains}
        self.items = None if publication.transactions is None else ExpectedCounts(publication, reading=reading)

    def count(self, query: Query) -> float:
        """Return the expected number of records that contain all items of a query and satisfy all its conditions.

        Raises
        ------
        InputError
            If a column is not published, a value is unknown, or a condition does not fit its column.
        """
        probability = _require_items(self.items).probabilities(query.items) if query.items else np.ones(self.n)
        for condition in query.where:
            published = _domain(self.values, condition)
            probability *= published.probabilities(condition)[published.column.codes]
        return fsum(probability[probability > 0].tolist())


def _domain(domains: Mapping[str, _T], condition: Condition) -> _T:
    if condition.column not in domains:
        raise InputError(f"a condition's column must be among {_listed(domains)}, got {condition.column!r}")
    return domains[condition.column]


def _listed(names: Collection[str]) -> str:
    return ", ".join(map(repr, names)) or "none"


def _require_items(items: _T | None) -> _T:
    if items is None:
        raise InputError("the query asks for items, but the data have no set-valued column")
    return items
