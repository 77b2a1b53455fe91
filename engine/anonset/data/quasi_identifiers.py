"""Quasi-identifiers in the format of the kernels: distinct tuples of the relational columns, and generalization
costs.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import fsum

import numpy as np
from numpy.typing import NDArray

from anonset.data.array_types import Float64, Int32, Int64
from anonset.data.class_rules import ClassRule
from anonset.data.domains import Domain, Range, ValueSet, bind_category, domain_of
from anonset.data.equivalence_classes import keys_of
from anonset.data.hierarchies.hierarchy import Hierarchy
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.spans import begins_of
from anonset.data.table import CategoricalColumn, Column, NumericColumn
from anonset.errors import InputError
from anonset_kernels._arrays import AttributeSpace, Tuples
from anonset_kernels.relational._kinds import NODE, RANGE, SET

_FORBIDDEN_COST = 1e9


@dataclass(frozen=True, eq=False)
class QuasiIdentifiers(RedactedRepr):
    """Relational columns bound to their domains, with weights.

    Equal tuples have equal costs, so computations use distinct tuples.
    """

    columns: tuple[Column, ...]
    """The columns. Categorical columns with a hierarchy are bound to it."""
    domains: tuple[Domain, ...]
    """Domain of each column."""
    weights: tuple[float, ...]
    """Weight of each column in the loss."""
    forbids: bool = False
    """True if a hierarchy has ceilings. The cost of its root then exceeds every loss bound."""
    rule: ClassRule | None = None
    """Requirement that every class must satisfy in addition to its minimum size."""

    @classmethod
    def of(
        cls,
        columns: Sequence[Column],
        hierarchies: Mapping[str, Hierarchy],
        weights: Mapping[str, float] | None = None,
        *,
        bounded: bool = False,
    ) -> "QuasiIdentifiers":
        """Bind columns to their domains. Without `weights`, all columns have equal weight.

        >>> from anonset.data import Table
        >>> table = Table.from_columns(sex=["f", "m", "f"], race=["1", "2", "1"])
        >>> q = QuasiIdentifiers.of(table.relational, {})
        >>> q.n, q.n_tuples, q.weights
        (3, 2, (0.5, 0.5))

        Parameters
        ----------
        bounded
            Whether the loss is compared with a bound. The weights must then sum to at most 1.

        Raises
        ------
        InputError
            If there is no column, a hierarchy does not fit, or a weight is missing, unknown or outside [0, 1].
        """
        if not columns:
            raise InputError("the table needs a relational column (quasi-identifier), got none")
        bound, domains = [], []
        for column in columns:
            hierarchy = hierarchies.get(column.name)
            domains.append(domain_of(column, hierarchy))
            tied = isinstance(column, CategoricalColumn) and hierarchy is not None
            bound.append(bind_category(column, hierarchy) if tied else column)  # type: ignore[arg-type]
        chosen = _weights([column.name for column in columns], weights, bounded=bounded)
        return cls(tuple(bound), tuple(domains), chosen)

    @property
    def n(self) -> int:
        """Number of records."""
        return self.columns[0].n

    def take(self, records: NDArray[np.integer]) -> "QuasiIdentifiers":
        """Return the given records, with the domains and weights of all records."""
        rule = None if self.rule is None else self.rule.take(records)
        return replace(self, columns=tuple(column.take(records) for column in self.columns), rule=rule)

    @cached_property
    def kind(self) -> NDArray[np.int8]:
        """Generalization type of each column (`RANGE`, `NODE` or `SET`), int8 (v,)."""
        kinds = [RANGE if isinstance(d, Range) else SET if isinstance(d, ValueSet) else NODE for d in self.domains]
        return np.array(kinds, np.int8)

    @cached_property
    def slot(self) -> Int64:
        """Position of each column, int64 (v,). Columns that generalize to ranges and other columns are counted
        separately.
        """
        numeric = self.kind == RANGE
        return np.where(numeric, np.cumsum(numeric) - 1, np.cumsum(~numeric) - 1).astype(np.int64)

    @property
    def n_numbers(self) -> int:
        """Number of columns that generalize to ranges."""
        return int(np.count_nonzero(self.kind == RANGE))

    @cached_property
    def word_at(self) -> Int64:
        """Position of the first 64-bit word of each column's value set, int64 (v + 1,)."""
        words = [(len(d.vocabulary) + 63) // 64 if isinstance(d, ValueSet) else 0 for d in self.domains]
        return begins_of(words)

    @cached_property
    def space(self) -> AttributeSpace:
        """The columns in the format of the kernels."""
        costs, parents, ends = zip(*map(_tables, self.domains, self.weights), strict=True)
        for domain, cost in zip(self.domains, costs, strict=True):
            if self.forbids and isinstance(domain, Hierarchy) and domain.capped:
                cost[0] = _FORBIDDEN_COST
        cost_at = begins_of([len(c) for c in costs])
        width = np.array([d.high - d.low if isinstance(d, Range) else 0.0 for d in self.domains])
        weight = np.array(self.weights, np.float64)
        parent, subtree_end = np.concatenate(parents), np.concatenate(ends)
        cost = np.concatenate(costs)
        return AttributeSpace(self.kind, self.slot, self.word_at, weight, width, cost_at, cost, parent, subtree_end)

    @cached_property
    def _distinct(self) -> tuple[Int64, Int32]:
        """First record of each distinct tuple, and the tuple of each record."""
        _, first, tuple_of = np.unique(keys_of(self.columns, self.n), return_index=True, return_inverse=True)
        return first.astype(np.int64), tuple_of.astype(np.int32)

    @property
    def n_tuples(self) -> int:
        """Number of distinct tuples."""
        return len(self._distinct[0])

    @property
    def tuple_of(self) -> Int32:
        """Distinct tuple of each record, int32 (n,)."""
        return self._distinct[1]

    @cached_property
    def tuples(self) -> Tuples:
        """The distinct tuples."""
        first = self._distinct[0]
        numbers = np.empty((self.n_numbers, len(first)), np.float64)
        codes = np.empty((len(self.columns) - self.n_numbers, len(first)), np.int32)
        for column, domain, slot in zip(self.columns, self.domains, self.slot, strict=True):
            if isinstance(column, NumericColumn):
                numbers[slot] = column.values[first] + 0.0  # adding zero converts negative zero to zero
            else:
                own_codes = column.codes[first]
                codes[slot] = domain.leaf_node[own_codes] if isinstance(domain, Hierarchy) else own_codes
        return Tuples(numbers, codes)


def _tables(domain: Domain, weight: float) -> tuple[Float64, Int32, Int32]:
    """Return the weighted loss of each node of a domain, or of each set size. Also return the arrays `parent` and
    `subtree_end` of its hierarchy.
    """
    if isinstance(domain, Range):
        return np.zeros(0), np.zeros(0, np.int32), np.zeros(0, np.int32)
    if isinstance(domain, Hierarchy):
        below = domain.n_leaves_below.astype(np.float64)
        cost = np.where(below > 1, weight * (below / domain.n_leaves), 0.0)
        return cost, domain.parent, domain.subtree_end
    size = np.arange(len(domain.vocabulary) + 1, dtype=np.float64)
    cost = np.where(size > 1, weight * (size / max(1, len(domain.vocabulary))), 0.0)
    return cost, np.zeros(len(size), np.int32), np.zeros(len(size), np.int32)


def _weights(names: Sequence[str], weights: Mapping[str, float] | None, *, bounded: bool) -> tuple[float, ...]:
    if weights is None:
        return (1.0 / len(names),) * len(names)
    if set(weights) != set(names):
        differing = sorted(set(weights) ^ set(names))[0]
        msg = f"relational weights must name each relational column once ({', '.join(names)}); check {differing!r}"
        raise InputError(msg)
    require_weights(weights, bounded=bounded)
    return tuple(float(weights[name]) for name in names)


def require_weights(weights: Mapping[str, float] | None, *, bounded: bool) -> None:
    """Reject weights of columns outside [0, 1]. If `bounded`, also reject a sum above 1."""
    for name, weight in (weights or {}).items():
        if not 0.0 <= weight <= 1.0:
            raise InputError(f"relational weight of {name!r} must be in [0, 1], got {weight!r}")
    total = fsum((weights or {}).values())
    if bounded and total > 1.0 + 1e-9:
        raise InputError(f"with a bound, the sum of the relational weights must be at most 1, got {total!r}")
