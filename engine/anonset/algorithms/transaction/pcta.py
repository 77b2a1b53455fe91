"""PCTA (privacy-constrained clustering-based transaction anonymization) of Gkoulalas-Divanis and Loukides, 2011."""

from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import ClassVar

from anonset.algorithms.base import Progress, Result
from anonset.algorithms.transaction.constraint_search import (
    ClusterSearch,
    ConstraintSearch,
    Settings,
    constraint_set,
    require_weights,
    set_column,
)
from anonset.data import Hierarchy, SetColumn, Table
from anonset.data.discreet import Discreet
from anonset.measures.item_weights import ItemWeights
from anonset.privacy.constraints import ConstraintSet
from anonset.privacy.policies import PrivacyPolicy, UtilityPolicy


@dataclass(frozen=True, kw_only=True)
class Pcta(Discreet):
    """PCTA: protect given itemsets by the cheapest merge of any of their items, one after the other.

    Guarantees that every privacy constraint is satisfied and, where utility constraints are given, that every group
    lies inside one of them. Nothing is suppressed. Unlike COAT, which merges the rarest item of a constraint, every
    item of the constraint is tried with every partner, and the merge with the smallest utility loss is done.

    Cost: as COAT, times the items of a constraint.

    References: Gkoulalas-Divanis, Loukides, "PCTA: privacy-constrained clustering-based transaction data
    anonymization", 2011.
    Deviations: a constraint is satisfied as COAT's paper defines it, so one that nobody supports need not reach k,
    and constraints that a merge has broken are satisfied again.

    >>> from anonset.data import Table
    >>> table = Table.from_sets(["abc", "ab", "ac", "bd", "d"])
    >>> Pcta(k=2, m=2).recode(table, {}).recoding.labels
    [('a', 'c'), ('b', 'd')]
    """

    name: ClassVar[str] = "pcta"
    forms_sets: ClassVar[bool] = True

    k: int
    """Smallest number of records that show a part of a protected itemset, if any does (>= 1)."""
    m: int | None = None
    """Protect all itemsets of so many items (>= 1)."""
    constraints: PrivacyPolicy | None = None
    """Protect these itemsets instead."""
    utility: UtilityPolicy | None = None
    """Items that may be generalized together; by default all."""
    item_weights: str | ItemWeights | None = None
    """Weights of the utility loss: ``lca`` (default with a hierarchy), ``uniform`` (without), ``ones``, or own ones."""

    def __post_init__(self) -> None:
        _ = self.model
        require_weights(self.item_weights)

    @property
    def model(self) -> ConstraintSet:
        """The privacy constraints."""
        return constraint_set(self.k, self.m, self.constraints)

    def recode(
        self,
        table: Table,
        hierarchies: Mapping[str, Hierarchy],
        *,
        executor: Executor | None = None,
        progress: Progress | None = None,
    ) -> Result:
        """Find the item groups; the trace lists the merges in order.

        Raises
        ------
        InfeasibleError
            If an item of an unsatisfied constraint has nothing left to be merged with.
        InputError
            If a constraint speaks of unknown items, or the utility constraints are no partition of the items.
        """
        return ConstraintSearch(*set_column(table, hierarchies), self._settings).run(progress)

    def on_clusters(self, column: SetColumn, hierarchy: Hierarchy | None = None) -> ClusterSearch:
        """Return a function that searches on parts of a column, given by their records, each on its own."""
        return ClusterSearch(column, hierarchy, self._settings)

    @property
    def _settings(self) -> Settings:
        return Settings("pcta", self.model, self.utility, self.item_weights)
