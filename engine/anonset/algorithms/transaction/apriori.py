"""Apriori anonymization (AA) of Terrovitis, Mamoulis, Kalnis, VLDB 2008, section 4.4."""

from collections.abc import Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import ClassVar

from anonset.algorithms.base import Progress, Result
from anonset.algorithms.transaction.base import bound_column
from anonset.algorithms.transaction.count_tree import CutSearch, require_feasible
from anonset.data import Hierarchy, Table
from anonset.privacy import KmAnonymity, require_at_least


@dataclass(frozen=True, kw_only=True)
class Apriori:
    """Apriori anonymization (AA): k^m-anonymity by a hierarchy cut, one itemset size at a time.

    Guarantees k^m-anonymity: after iteration i no supported set of i nodes has a support below k, and
    generalising further never breaks that. Cost: one increment for each supported set of i nodes in each record,
    summed over i = 1..m, over the records expanded by the ancestors of their items; memory for the expanded
    records, none for the sets.

    References: Terrovitis, Mamoulis, Kalnis, VLDB 2008, Algorithm 4.
    Deviations: the supports of sets that a fix shrinks below i items are looked up in the records (the paper's
    tree holds i-sets alone); from i = 3 on the cut is walked first, and only nodes at or above a rare set of the
    cut take part in the full walk, which changes no result.

    >>> from anonset.data import Hierarchy, Table
    >>> hierarchy = Hierarchy.from_tree(("ALL", [("A", ["a1", "a2"]), ("B", ["b1", "b2"])]))
    >>> table = Table.from_sets([["a1", "b1", "b2"], ["a2", "b1"], ["a2", "b1", "b2"], ["a1", "a2", "b2"]])
    >>> Apriori(k=2, m=2).anonymize(table, {"items": hierarchy}).recoding.labels
    ['A', 'b1', 'b2']
    """

    name: ClassVar[str] = "apriori"

    k: int
    """Smallest support of any itemset that occurs (>= 1)."""
    m: int
    """Largest number of items the attacker knows (>= 1)."""
    max_increments: int = 500_000_000_000
    """Refuse an itemset size whose counting would take more increments (about 2 * 10^8 a second and core)."""

    def __post_init__(self) -> None:
        require_at_least("max_increments", self.max_increments, 1)
        _ = self.model

    @property
    def model(self) -> KmAnonymity:
        """k^m-anonymity."""
        return KmAnonymity(self.k, self.m)

    def anonymize(
        self,
        table: Table,
        hierarchies: Mapping[str, Hierarchy],
        *,
        executor: Executor | None = None,
        progress: Progress | None = None,
    ) -> Result:
        """Find the cut; the trace lists the fixes in order.

        Raises
        ------
        InfeasibleError
            If some, but fewer than k, records are non-empty.
        InputError
            If counting the sets of some size would take more than `max_increments`.
        """
        column, hierarchy = bound_column(table, hierarchies)
        require_feasible("apriori", column, self.k)
        limit = float(self.max_increments)
        search = CutSearch(column, hierarchy, self.k, max_increments=limit, executor=executor, progress=progress)
        for size in range(1, min(self.m, search.longest) + 1):
            search.fix_size(size)
        return Result(search.cut, tuple(search.fixes), {"increments": search.increments})
