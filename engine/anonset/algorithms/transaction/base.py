"""What the algorithms for a set-valued column share: their parameters, and the steps before and within their search."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import ClassVar

from anonset.algorithms.base import Progress, Result
from anonset.algorithms.transaction.count_tree import CutSearch, require_feasible
from anonset.data import Hierarchy, SetColumn, Table
from anonset.data.discreet import Discreet
from anonset.errors import InputError
from anonset.generalization import Cut
from anonset.privacy import KmAnonymity, PartitionKmAnonymity, require_at_least


def bound_column(table: Table, hierarchies: Mapping[str, Hierarchy]) -> tuple[SetColumn, Hierarchy]:
    """Return the table's set-valued column with item codes as leaf positions, and its hierarchy.

    Raises
    ------
    InputError
        If there is no set-valued column, or no hierarchy for it, or an item that is no leaf.
    """
    column = table.transactions
    if column is None:
        msg = "the table must have a set-valued column, got none"
        raise InputError(msg)
    if column.name not in hierarchies:
        msg = f"column {column.name!r} must have a hierarchy (a file, or balanced:5), got none"
        raise InputError(msg)
    hierarchy = hierarchies[column.name]
    return hierarchy.bind(column), hierarchy


@dataclass(frozen=True, kw_only=True)
class Generalization(Discreet, ABC):
    """An algorithm that reaches k^m-anonymity by cuts of a hierarchy alone, without suppressing an item."""

    name: ClassVar[str]
    """Name on the command line."""

    k: int
    """Smallest support of any itemset that occurs (>= 1)."""
    m: int
    """Largest number of items the attacker knows (>= 1)."""

    def __post_init__(self) -> None:
        _ = self.model

    @property
    def model(self) -> KmAnonymity | PartitionKmAnonymity:
        """k^m-anonymity."""
        return KmAnonymity(self.k, self.m)

    @abstractmethod
    def generalize(
        self, column: SetColumn, hierarchy: Hierarchy, *, executor: Executor | None, progress: Progress | None
    ) -> Result:
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
        executor: Executor | None = None,
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
        column, hierarchy = bound_column(table, hierarchies)
        require_feasible(self.name, column, self.k)
        return self.generalize(column, hierarchy, executor=executor, progress=progress)


@dataclass(frozen=True, kw_only=True)
class Levelwise(Generalization):
    """A generalization that goes through the sizes of the itemsets, 1 to m, as the apriori anonymization does."""

    max_increments: int = 500_000_000_000
    """Refuse an itemset size whose counting would take more increments (about 2 * 10^8 a second and core)."""

    def __post_init__(self) -> None:
        require_at_least("max_increments", self.max_increments, 1)
        super().__post_init__()

    def searched(
        self,
        column: SetColumn,
        hierarchy: Hierarchy,
        *,
        start: Cut | None = None,
        executor: Executor | None = None,
        progress: Progress | None = None,
    ) -> CutSearch:
        """Return the search for a cut, finished: no set of up to m nodes of its cut is rare.

        Raises
        ------
        InputError
            If counting the sets of some size would take more than `max_increments`.
        """
        limit = float(self.max_increments)
        search = CutSearch(
            column, hierarchy, self.k, start=start, max_increments=limit, executor=executor, progress=progress
        )
        for size in range(1, min(self.m, search.longest) + 1):
            search.fix_size(size)
        return search
