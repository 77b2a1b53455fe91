"""Apriori anonymization (AA) of Terrovitis, Mamoulis, Kalnis, VLDB 2008, section 4.4.

Lines of Algorithm 4 and their implementation::

    1       c_out := all items unchanged                         CutSearch
    2       for i = 1 .. m                                       AprioriBased.run_apriori
    3 to 6      count-tree of the i-sets of the records,         CutSearch.rare_sets;
                extended by nodes on or above the cut            kernels bit_planes.count_sets (i > 5: walk)
    7           run DA over this tree, which updates c_out       CutSearch.fix; kernel fix.fix_threats
"""

from dataclasses import dataclass, replace
from typing import ClassVar

from anonset.algorithms.base import Result, Traits
from anonset.algorithms.transaction.base import MOST_INCREMENTS, Generalization, MaxIncrements, require_feasible
from anonset.algorithms.transaction.cluster_mappings import ClusterSearch, SearchEach
from anonset.algorithms.transaction.cuts.apriori_on_clusters import AprioriOnClusters
from anonset.algorithms.transaction.cuts.checkpoints import Checkpoints
from anonset.algorithms.transaction.cuts.cut_search import CutSearch
from anonset.algorithms.transaction.rare_sets.rare_tables import ADDITIONAL_BYTES, LARGE
from anonset.data import Hierarchy, SetColumn
from anonset.data.blocks import Blocks
from anonset.data.progress import Progress
from anonset.data.resumption.ledger import Ledger
from anonset.data.storage.store import MEMORY, Store
from anonset.generalization import Cut


@dataclass(frozen=True, kw_only=True)
class AprioriBased(Generalization):
    """Base class of apriori anonymization, and of algorithms that run apriori anonymization on subsets of the data."""

    traits: ClassVar[Traits]
    max_increments: MaxIncrements = MOST_INCREMENTS

    @property
    def own_traits(self) -> Traits:
        """Traits that include the memory of tables of large node sets."""
        return replace(self.traits, memory_beside=ADDITIONAL_BYTES) if self.m >= LARGE else self.traits

    def run_apriori(
        self,
        blocks: Blocks,
        hierarchy: Hierarchy,
        *,
        start: Cut | None = None,
        resumable: bool = False,
        progress: Progress | None = None,
    ) -> CutSearch:
        """Find a cut at or above `start` on which all sets of up to m nodes are frequent (Algorithm 4).

        The number of non-empty records is 0, or at least k.

        Parameters
        ----------
        resumable
            True to skip the itemset sizes that an interrupted search finished. The records must then be in the work
            directory of a run that can be resumed.

        Raises
        ------
        InputError
            If counting the sets of some size would take more than `max_increments`.
        """
        limit = float(self.max_increments)
        search = CutSearch(  # line 1
            blocks, hierarchy, self.k, start=start, max_increments=limit, progress=progress
        )
        work = blocks.store.of_run if resumable else None
        rounds = None if work is None else Checkpoints(search, Ledger(work))
        before = 0 if rounds is None else rounds.restored()
        for i in range(before + 1, min(self.m, search.longest) + 1):  # line 2
            for rare_sets in search.rare_sets(i):  # lines 3 to 6
                search.fix(rare_sets, looked_up=False)  # line 7
            if rounds is not None:
                rounds.finished(i)
        return search


@dataclass(frozen=True, kw_only=True)
class Apriori(AprioriBased):
    """Apriori anonymization (AA): find a k^m-anonymous hierarchy cut by fixing rare itemsets in increasing order of
    size.

    Guarantees k^m-anonymity. After iteration i, each set of i nodes that occurs has a support of at least k. Further
    generalization preserves this. Cost: a counting step for each record and each set of up to m nodes that the record
    contains. A record contains the nodes of its items and all ancestors of these nodes. Memory contains the nodes of
    all records. Sets are not stored.

    References: Terrovitis, Mamoulis, Kalnis, VLDB 2008, Algorithm 4.
    Deviations: the supports of rules are not looked up in the tree. Rare sets are fixed by size and in count-tree
    order, so each rule is frequent (see `CutSearch.fix`). From i = 3 on, the sets of nodes on the cut are counted
    first. Then only sets above a rare set of the cut are counted. This does not change the result.

    >>> from anonset.data import Hierarchy, Table
    >>> hierarchy = Hierarchy.from_tree(("ALL", [("A", ["a1", "a2"]), ("B", ["b1", "b2"])]))
    >>> table = Table.from_sets([["a1", "b1", "b2"], ["a2", "b1"], ["a2", "b1", "b2"], ["a1", "a2", "b2"]])
    >>> Apriori(k=2, m=2).recode(table, {"items": hierarchy}).recoding.labels
    ['A', 'b1', 'b2']
    """

    name: ClassVar[str] = "apriori"
    traits: ClassVar[Traits] = Traits(
        memory_factor=1.0,
        by_blocks=True,
        on_workers=True,
        coarsens=True,
        answers=("km",),
    )

    def generalize(self, column: SetColumn, hierarchy: Hierarchy, *, store: Store, progress: Progress | None) -> Result:
        """Find the cut. `Result.trace` contains the fixes in order.

        Raises
        ------
        InputError
            If counting the sets of some size would take more than `max_increments`.
        """
        search = self.run_apriori(Blocks.of(column, store), hierarchy, resumable=True, progress=progress)
        return Result(search.cut, tuple(search.fixes), {"increments": search.increments})

    def coarsen(self, column: SetColumn, start: Cut, *, store: Store, progress: Progress | None = None) -> Result:
        """Find a cut at or above `start`, as `generalize` does.

        Raises
        ------
        InfeasibleError
            If the number of non-empty records is between 1 and k - 1.
        InputError
            If counting the sets of some size would take more than `max_increments`.
        """
        require_feasible(self.name, column, self.k)
        search = self.run_apriori(Blocks.of(column, store), start.hierarchy, start=start, progress=progress)
        return Result(search.cut, tuple(search.fixes), {"increments": search.increments})

    def on_clusters(
        self, column: SetColumn, hierarchy: Hierarchy | None = None, store: Store = MEMORY
    ) -> ClusterSearch:
        """Return a search that anonymizes each cluster of a column's records separately.

        If `max_increments` is not the default, a full search runs on each cluster, because the kernel for many clusters
        does not count its steps.
        """
        full = SearchEach(self, column, hierarchy)
        if hierarchy is None or self.max_increments != Apriori.max_increments:
            return full
        return AprioriOnClusters(self.k, self.m, column, hierarchy, full, store)
