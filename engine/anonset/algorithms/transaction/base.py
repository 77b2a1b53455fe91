"""The shared parameters and steps of the algorithms for a set-valued column."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anonset.algorithms.base import Progress, Result
from anonset.data import Hierarchy, SetColumn, Table
from anonset.data.blocks import Blocks
from anonset.data.redacted_repr import Discreet
from anonset.data.store import Store
from anonset.errors import InfeasibleError, InputError
from anonset.generalization import Cut, ItemGroups
from anonset.generalization.recoding import SUPPRESSED
from anonset.privacy import KmAnonymity
from anonset.spelling import hierarchy_of


def bind_items(table: Table, hierarchies: Mapping[str, Hierarchy]) -> tuple[SetColumn, Hierarchy | None]:
    """Return the table's set-valued column, with item codes as leaf positions if it has a hierarchy, and that.

    Raises
    ------
    InputError
        If there is no set-valued column, or an item that is no leaf of the hierarchy.
    """
    column = table.transactions
    if column is None:
        msg = "the table must have a set-valued column, got none"
        raise InputError(msg)
    hierarchy = hierarchies.get(column.name)
    return (column, None) if hierarchy is None else (hierarchy.bind(column, table.store), hierarchy)


def without_items(column: SetColumn, hierarchy: Hierarchy | None, suppressed: list[int]) -> Cut | ItemGroups:
    """Return the recoding without some items: a cut where there is a hierarchy, else groups of one item each."""
    if hierarchy is not None:
        image = hierarchy.leaf_node.copy()
        image[suppressed] = SUPPRESSED
        return Cut(hierarchy, image)
    group = np.arange(len(column.vocabulary), dtype=np.int32)
    group[suppressed] = SUPPRESSED
    return ItemGroups(column.vocabulary, group)


def bind_to_hierarchy(table: Table, hierarchies: Mapping[str, Hierarchy]) -> tuple[SetColumn, Hierarchy]:
    """Return the table's set-valued column with item codes as leaf positions, and its hierarchy.

    Raises
    ------
    InputError
        If there is no set-valued column, or no hierarchy for it, or an item that is no leaf.
    """
    column, hierarchy = bind_items(table, hierarchies)
    if hierarchy is None:
        way = hierarchy_of(column.name, "halves:frequency")
        msg = f"column {column.name!r} must have a hierarchy, got none; give a file, or {way}"
        raise InputError(msg)
    return column, hierarchy


@dataclass(frozen=True, kw_only=True)
class KmAlgorithm(Discreet):
    """An algorithm that reaches k^m-anonymity."""

    name: ClassVar[str]
    """Name on the command line."""

    k: int
    """Smallest support of any itemset that occurs (>= 1)."""
    m: int
    """Largest number of items the attacker knows (>= 1)."""

    def __post_init__(self) -> None:
        _ = self.model

    @property
    def model(self) -> KmAnonymity:
        """k^m-anonymity."""
        return KmAnonymity(self.k, self.m)


@dataclass(frozen=True, kw_only=True)
class Generalization(KmAlgorithm, ABC):
    """An algorithm that reaches k^m-anonymity by cuts of a hierarchy alone, without suppressing an item."""

    @abstractmethod
    def generalize(self, column: SetColumn, hierarchy: Hierarchy, *, store: Store, progress: Progress | None) -> Result:
        """Find a recoding of the items, whose codes are leaf positions; at least k records, or none, have some.

        Raises
        ------
        InputError
            If the search would take more than the algorithm's limit.
        """

    def recode(
        self,
        table: Table,
        hierarchies: Mapping[str, Hierarchy],
        *,
        progress: Progress | None = None,
    ) -> Result:
        """Find a recoding of the set-valued column; what the trace lists, `generalize` says.

        Raises
        ------
        InfeasibleError
            If some, but fewer than k, records are non-empty.
        InputError
            If the column or its hierarchy is missing, or the search would take more than the algorithm's limit.
        """
        column, hierarchy = bind_to_hierarchy(table, hierarchies)
        require_feasible(self.name, column, self.k)
        return self.generalize(column, hierarchy, store=table.store, progress=progress)


def require_feasible(algorithm: str, column: SetColumn | Blocks, k: int) -> None:
    """Refuse data with some, but fewer than k, non-empty records: no generalisation makes them k.

    Raises
    ------
    InfeasibleError
        If 0 < n⁺ < k.
    """
    if 0 < column.n_nonempty < k:
        reason = f"there are {column.n_nonempty} non-empty records, at least k={k} are required"
        raise InfeasibleError(algorithm, reason, achieved=float(column.n_nonempty), bound=float(k))
