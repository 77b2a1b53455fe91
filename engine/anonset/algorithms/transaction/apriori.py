"""Apriori anonymization (AA) of Terrovitis, Mamoulis, Kalnis, VLDB 2008, section 4.4."""

from concurrent.futures import Executor
from dataclasses import dataclass
from typing import ClassVar

from anonset.algorithms.base import Progress, Result
from anonset.algorithms.transaction.base import Levelwise
from anonset.data import Hierarchy, SetColumn


@dataclass(frozen=True, kw_only=True)
class Apriori(Levelwise):
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
    >>> Apriori(k=2, m=2).recode(table, {"items": hierarchy}).recoding.labels
    ['A', 'b1', 'b2']
    """

    name: ClassVar[str] = "apriori"

    def generalize(
        self, column: SetColumn, hierarchy: Hierarchy, *, executor: Executor | None, progress: Progress | None
    ) -> Result:
        """Find the cut; the trace lists the fixes in order.

        Raises
        ------
        InputError
            If counting the sets of some size would take more than `max_increments`.
        """
        search = self.searched(column, hierarchy, executor=executor, progress=progress)
        return Result(search.cut, tuple(search.fixes), {"increments": search.increments})
