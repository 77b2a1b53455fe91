"""A partition of the items into sets by local search, which begins with the best cut of a tree of halves."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from anonset.algorithms.base import Progress, Result, Traits
from anonset.algorithms.transaction.base import KmAlgorithm, bind_items, require_feasible
from anonset.algorithms.transaction.cluster_mappings import ClusterSearch, SearchEach
from anonset.algorithms.transaction.exact import Exact
from anonset.data import Hierarchy, SetColumn, Table
from anonset.data.halves import halves
from anonset.data.store import MEMORY, Store
from anonset.data.table import Int32
from anonset.errors import InputError
from anonset.generalization import Cut, ItemGroups
from anonset.privacy import require_at_least

_LARGEST_MU = 100


@dataclass(frozen=True, kw_only=True)
class SetSearch(KmAlgorithm):
    """Sets of items of little loss, without a hierarchy: single items move from set to set while that costs less.

    Guarantees k^m-anonymity, and a cost at or below that of the cut it begins with: `exact` on the trees of halves by
    frequency and by number. A set costs its occurrences times its items, and `mu` times as much again for each unit of
    variance of the binary logarithms of their supports: with 0, NCP alone counts, and frequent items are hidden behind
    rare ones. For m up to 2, pairs may be violated on the way, at a price that grows; beyond, each move is safe, `mu`
    rises to what is asked, and a second search begins with one set of all items.

    Cost: for each item of a set in each of some dozen sweeps, its records times their sets times those of up to 64 sets
    to which it could move; beyond m = 2, also the bits of the records of each set of m sets that an item's records
    hold. Memory: the distinct records, 4 bytes a pair of sets, and beyond m = 2 a bit for each record of a set.

    References: our own; `exact` tells how its cut is found.

    >>> from anonset.data import Table
    >>> table = Table.from_sets(["ab", "ab", "ac", "ac", "bd", "bd", "be", "ce"])
    >>> SetSearch(k=2, m=2).recode(table, {}).recoding.labels
    [('a', 'e'), ('b',), ('c',), ('d',)]
    """

    name: ClassVar[str] = "set-search"
    traits: ClassVar[Traits] = Traits(
        forms_sets=True,
        sets_from_data=True,
        answers=("km",),
    )

    mu: int = 4
    """Weight of how unlike the frequencies of a set's items are, from 0 to 100; 0: only their number counts."""
    max_steps: int = 60
    """Stop after so many steps: each is 10^8 places of records and sets looked at (some 0.5 s)."""

    def __post_init__(self) -> None:
        super().__post_init__()
        require_at_least("max_steps", self.max_steps, 1)
        if not 0 <= self.mu <= _LARGEST_MU:
            msg = f"mu must be from 0 to {_LARGEST_MU}, got {self.mu}"
            raise InputError(msg)

    @property
    def begins_with(self) -> Exact:
        """What finds the cut to begin with."""
        return Exact(k=self.k, m=self.m)

    def recode(
        self,
        table: Table,
        hierarchies: Mapping[str, Hierarchy],
        *,
        progress: Progress | None = None,
    ) -> Result:
        """Find the sets; of a hierarchy, the items alone are taken.

        Raises
        ------
        InfeasibleError
            If some, but fewer than k, records are non-empty.
        InputError
            If there is no set-valued column, or an item is no leaf of its hierarchy.
        """
        from anonset.algorithms.transaction.partition_search import PartitionSearch  # it imports numba
        from anonset_kernels._partitions import Rule

        column, _ = bind_items(table, hierarchies)
        require_feasible(self.name, column, self.k)
        if self.k == 1 or column.n_nonempty == 0:
            return Result(ItemGroups.identity(column.vocabulary))
        tree = halves(column.vocabulary.labels, column.occurrences)
        found = self.begins_with.recode(Table(column, store=table.store), {column.name: tree}, progress=progress)
        rule = Rule(self.k, self.m, self.mu, 0)
        search = PartitionSearch(column, rule, _groups(column, found), max_steps=self.max_steps, progress=progress)
        search.run()
        figures = {
            "ncp_of_halves": found.figures["ncp"],
            "sweeps": float(search.sweeps),
            "moves": float(search.moves),
        }
        notes = (_STOPPED,) if search.out_of_steps else ()
        return Result(ItemGroups(column.vocabulary, search.item_groups), (), figures, notes)

    def on_clusters(
        self, column: SetColumn, hierarchy: Hierarchy | None = None, store: Store = MEMORY
    ) -> ClusterSearch:
        """Return a search on clusters of a column's records, each by itself.

        One kernel searches many clusters. It begins with cuts of apriori instead of exact ones.
        """
        from anonset.algorithms.transaction.sets_on_clusters import LARGEST_K, SetsOnClusters

        each = SearchEach(self, column, hierarchy)
        if self.k > LARGEST_K:
            return each
        return SetsOnClusters((self.k, self.m, self.mu), self.max_steps, column, each, store)


_STOPPED = "set-search stopped, for all of its steps are taken: more max_steps may lose less"


def _groups(column: SetColumn, found: Result) -> Int32:
    """Return the node of each item in a cut of halves: int32 (M,); -1 of those that never occur."""
    cut = found.recoding
    if not isinstance(cut, Cut):
        msg = f"exact must find a cut, got {type(cut).__name__}"
        raise TypeError(msg)
    place = np.arange(len(column.vocabulary)) if cut.hierarchy.place is None else cut.hierarchy.place
    group = np.empty(len(place), np.int32)
    group[place] = cut.image
    group[column.occurrences == 0] = -1
    return group
