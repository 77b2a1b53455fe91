"""Shared parameters and steps of the algorithms for a set-valued column."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from anonset.algorithms.base import Result
from anonset.algorithms.parameters import Count, Parameters
from anonset.data import Hierarchy, SetColumn, Table
from anonset.data.blocks import Blocks
from anonset.data.progress import Progress
from anonset.data.storage.store import Store
from anonset.errors import Fix, InfeasibleError, InputError
from anonset.generalization import Cut, ItemGroups
from anonset.generalization.recoding import SUPPRESSED
from anonset.privacy import KmAnonymity

MaxIncrements = Annotated[
    Count, "Maximum number of counting steps per itemset size (about 2 * 10^8 per second and core)."
]
MOST_INCREMENTS = 500_000_000_000
"""Default of `max_increments`."""


def bind_items(table: Table, hierarchies: Mapping[str, Hierarchy]) -> tuple[SetColumn, Hierarchy | None]:
    """Return the table's set-valued column and its hierarchy, or None if there is no hierarchy.

    If there is a hierarchy, item codes are leaf positions.

    Raises
    ------
    InputError
        If there is no set-valued column, or an item is not a leaf of the hierarchy.
    """
    column = table.transactions
    if column is None:
        raise InputError("the table must have a set-valued column, got none")
    hierarchy = hierarchies.get(column.name)
    return (column, None) if hierarchy is None else (hierarchy.bind(column, table.store), hierarchy)


def without_items(column: SetColumn, hierarchy: Hierarchy | None, suppressed: list[int]) -> Cut | ItemGroups:
    """Return a recoding that suppresses some items and publishes all other items unchanged.

    It is a cut if there is a hierarchy, otherwise single-item groups.
    """
    if hierarchy is not None:
        image = hierarchy.leaf_node.copy()
        image[suppressed] = SUPPRESSED
        return Cut(hierarchy, image)
    group = np.arange(len(column.vocabulary), dtype=np.int32)
    group[suppressed] = SUPPRESSED
    return ItemGroups(column.vocabulary, group)


def bind_to_hierarchy(table: Table, hierarchies: Mapping[str, Hierarchy]) -> tuple[SetColumn, Hierarchy]:
    """Return the table's set-valued column, with leaf positions as item codes, and the hierarchy.

    Raises
    ------
    InputError
        If the set-valued column or the hierarchy is missing, or an item is not a leaf.
    """
    column, hierarchy = bind_items(table, hierarchies)
    if hierarchy is None:
        msg = f"column {column.name!r} must have a hierarchy, got none; pass a file"
        raise InputError(
            msg, fixes=[Fix({"hierarchy": {column.name: "halves:frequency"}}, "for sets of frequent items")]
        )
    return column, hierarchy


@dataclass(frozen=True, kw_only=True)
class KmAlgorithm(Parameters):
    """Base class of algorithms that reach k^m-anonymity."""

    name: ClassVar[str]

    k: Annotated[int, "Minimum support of each itemset that occurs in a record (>= 1)."]
    m: Annotated[int, "Maximum number of items that the attacker knows (>= 1)."]

    @property
    def model(self) -> KmAnonymity:
        """The k^m-anonymity model."""
        return KmAnonymity(self.k, self.m)


@dataclass(frozen=True, kw_only=True)
class Generalization(KmAlgorithm, ABC):
    """Base class of algorithms that reach k^m-anonymity by hierarchy cuts only, without suppression."""

    @abstractmethod
    def generalize(self, column: SetColumn, hierarchy: Hierarchy, *, store: Store, progress: Progress | None) -> Result:
        """Find a recoding of the items.

        Item codes are leaf positions. The number of non-empty records is 0, or at least k.

        Raises
        ------
        InputError
            If the search would exceed the algorithm's limit.
        """

    def recode(self, table: Table, hierarchies: Mapping[str, Hierarchy], *, progress: Progress | None = None) -> Result:
        """Find a recoding of the set-valued column. `generalize` documents the entries of `Result.trace`.

        Raises
        ------
        InfeasibleError
            If the number of non-empty records is between 1 and k - 1.
        InputError
            If the column or the hierarchy is missing, or the search would exceed the algorithm's limit.
        """
        column, hierarchy = bind_to_hierarchy(table, hierarchies)
        require_feasible(self.name, column, self.k)
        return self.generalize(column, hierarchy, store=table.store, progress=progress)


def require_feasible(algorithm: str, column: SetColumn | Blocks, k: int) -> None:
    """Reject data with 1 to k - 1 non-empty records, which generalization cannot make anonymous.

    Raises
    ------
    InfeasibleError
        If the number of non-empty records is between 1 and k - 1.
    """
    if 0 < column.n_nonempty < k:
        reason = f"there are {column.n_nonempty} non-empty records, at least k={k} are required"
        raise InfeasibleError(algorithm, reason, achieved=float(column.n_nonempty), bound=float(k))
