"""Local search for a partition of the items into sets. It starts from the exact cut of a tree that halves the items."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from anonset.algorithms.base import Result, Traits
from anonset.algorithms.parameters import Count
from anonset.algorithms.transaction.base import KmAlgorithm, bind_items, require_feasible
from anonset.algorithms.transaction.cluster_mappings import ClusterSearch, SearchEach
from anonset.algorithms.transaction.exact_cut.exact import Exact
from anonset.data import Hierarchy, SetColumn, Table
from anonset.data.array_types import Int32
from anonset.data.hierarchies.halves import halves
from anonset.data.progress import Progress
from anonset.data.storage.store import MEMORY, Store
from anonset.errors import InputError
from anonset.generalization import Cut, ItemGroups
from anonset.spelling import setting

_LARGEST_MU = 100


@dataclass(frozen=True, kw_only=True)
class SetSearch(KmAlgorithm):
    """Form sets of items without a hierarchy. Single items are moved between sets while the cost decreases.

    Guarantees k^m-anonymity, and at most the cost of the initial cut. `exact` finds the initial cut on two trees, which
    halve the items by frequency and by number. The cost of a set is the product of its occurrence count and its item
    count, times 1 + `mu` V, where V is the variance of the binary logarithms of the item supports. With `mu=0`, the
    cost is only the NCP, and frequent items share sets with rare items. For m <= 2, pairs may be violated temporarily,
    at an increasing penalty. For m > 2, each move is safe, `mu` increases to the requested value, and a second search
    starts from a single set.

    Cost: some dozen sweeps over the items. A sweep considers up to 64 target sets for each item. For each record that
    contains the item, the number of steps is the number of sets in the record, times the number of targets among these
    sets. For m > 2, a sweep also reads a bitmap of the records for each combination of m sets in the records of an
    item. Memory contains the distinct records, and 4 bytes for each pair of sets. For m > 2, it also contains a bit for
    each record of a set.

    References: the method is unpublished. `exact` documents the search for the cut.

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

    mu: Annotated[
        int, "Weight of the frequency differences within a set, from 0 to 100. With 0, frequencies have no effect."
    ] = 4
    max_steps: Annotated[
        Count, "Maximum number of steps. A step examines 10^8 pairs of a record and a set (about 0.5 s)."
    ] = 60

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.mu <= _LARGEST_MU:
            raise InputError(f"mu must be from 0 to {_LARGEST_MU}, got {self.mu}")

    @property
    def begins_with(self) -> Exact:
        """Algorithm that finds the initial cut."""
        return Exact(k=self.k, m=self.m)

    def recode(self, table: Table, hierarchies: Mapping[str, Hierarchy], *, progress: Progress | None = None) -> Result:
        """Find the sets. A hierarchy only defines the items.

        Raises
        ------
        InfeasibleError
            If the number of non-empty records is between 1 and k - 1.
        InputError
            If there is no set-valued column, or an item is not a leaf of the hierarchy.
        """
        from anonset.algorithms.transaction.item_sets.partition_search import PartitionSearch  # imports numba
        from anonset_kernels.item_sets._partitions import PartitionRule

        column, _ = bind_items(table, hierarchies)
        require_feasible(self.name, column, self.k)
        if self.k == 1 or column.n_nonempty == 0:
            return Result(ItemGroups.identity(column.vocabulary))
        tree = halves(column.vocabulary.labels, column.occurrences)
        start = self.begins_with.recode(Table(column, store=table.store), {column.name: tree}, progress=progress)
        rule = PartitionRule(self.k, self.m, self.mu, 0)
        search = PartitionSearch(column, rule, _groups(column, start), max_steps=self.max_steps, progress=progress)
        search.run()
        figures = {
            "ncp_of_halves": start.figures["ncp"],
            "sweeps": float(search.sweeps),
            "moves": float(search.moves),
        }
        more = setting("max_steps", option="effort")
        stopped = f"set-search stopped at its step limit: a larger {more} may lose less"
        notes = (stopped,) if search.out_of_steps else ()
        return Result(ItemGroups(column.vocabulary, search.item_groups), (), figures, notes)

    def on_clusters(
        self, column: SetColumn, hierarchy: Hierarchy | None = None, store: Store = MEMORY
    ) -> ClusterSearch:
        """Return a search that anonymizes each cluster of a column's records separately.

        A single kernel searches many clusters. It starts from cuts of `apriori` instead of exact cuts.
        """
        from anonset.algorithms.transaction.item_sets.sets_on_clusters import LARGEST_K, SetsOnClusters

        single_search = SearchEach(self, column, hierarchy)
        if self.k > LARGEST_K:
            return single_search
        return SetsOnClusters((self.k, self.m, self.mu), self.max_steps, column, single_search, store)


def _groups(column: SetColumn, start: Result) -> Int32:
    """Return the node of each item in a cut, int32 (M,). -1 for items that never occur."""
    cut = start.recoding
    if not isinstance(cut, Cut):
        raise TypeError(f"exact must return a cut, got {type(cut).__name__}")
    place = np.arange(len(column.vocabulary)) if cut.hierarchy.place is None else cut.hierarchy.place
    group = np.empty(len(place), np.int32)
    group[place] = cut.image
    group[column.occurrences == 0] = -1
    return group
