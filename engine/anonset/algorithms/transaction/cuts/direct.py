"""Direct anonymization (DA) of Terrovitis, Mamoulis, Kalnis, VLDB 2008, section 4.3.

Lines of Algorithm 3 and their implementation::

    1       build the count-tree of sets of up to m nodes        CutSearch.rare_leaves; kernel count_tree.expand
    2       c_out := all items unchanged                         CutSearch
    3 to 5  for each node of the tree in preorder without an     kernel count_tree.walk, which may be ahead,
            item generalized in c_out                            and fix.fix_threats, which checks again
    6, 7        if it is a leaf with a count below k:            kernel count_tree.walk
                J := items on its path
    8               the cheapest rules that make J frequent      kernel fix.fix_threats
    9, 10           add them to c_out; skip other sets with an   CutSearch.fix
                    item that they generalize
    11      return c_out                                         CutSearch.cut
"""

from dataclasses import dataclass
from typing import Annotated, ClassVar

from anonset.algorithms.base import Result, Traits
from anonset.algorithms.parameters import Count
from anonset.algorithms.transaction.base import Generalization, require_feasible
from anonset.algorithms.transaction.cuts.cut_search import CutSearch
from anonset.data import Hierarchy, SetColumn
from anonset.data.blocks import Blocks
from anonset.data.progress import Progress
from anonset.data.storage.store import Store
from anonset.errors import InputError
from anonset.generalization import Cut
from anonset.spelling import setting


@dataclass(frozen=True, kw_only=True)
class Direct(Generalization):
    """Direct anonymization (DA): find a k^m-anonymous cut in a single traversal of the complete count-tree.

    Guarantees k^m-anonymity.
    Cost: a counting step for each record and each set of up to m nodes that the record contains. A record contains the
    nodes of its items and all ancestors of these nodes. Unlike apriori anonymization, DA also counts sets that contain
    a rare set. It therefore rejects large count-trees and recommends apriori anonymization.

    References: Terrovitis, Mamoulis, Kalnis, VLDB 2008, Algorithm 3.
    Deviations: leaves of the count-tree are examined at any depth, not only at depth m, because the paper's rule misses
    the rare sets of records with fewer than m symbols. The count-tree is traversed, not stored.

    >>> from anonset.data import Hierarchy, Table
    >>> hierarchy = Hierarchy.from_tree(("ALL", [("A", ["a1", "a2"]), ("B", ["b1", "b2"])]))
    >>> table = Table.from_sets([["a1", "b1", "b2"], ["a2", "b1"], ["a2", "b1", "b2"], ["a1", "a2", "b2"]])
    >>> [(fix.itemset, fix.rules) for fix in Direct(k=2, m=2).recode(table, {"items": hierarchy}).trace]
    [(('a2', 'a1'), ('A',))]
    """

    name: ClassVar[str] = "direct"
    traits: ClassVar[Traits] = Traits(
        memory_factor=1.5,
        coarsens=True,
        answers=("km",),
        not_tried="exact finds the best cut of the hierarchy, direct only a feasible cut",
    )

    max_tree: Annotated[
        Count, "Maximum number of pairs of a record and a set of up to m nodes that the record contains."
    ] = 50_000_000_000

    def generalize(self, column: SetColumn, hierarchy: Hierarchy, *, store: Store, progress: Progress | None) -> Result:
        """Find the cut. `Result.trace` contains the fixes in order.

        Raises
        ------
        InputError
            If the count-tree would be larger than `max_tree`.
        """
        return self.coarsen(column, Cut.identity(hierarchy), store=store, progress=progress)

    def coarsen(self, column: SetColumn, start: Cut, *, store: Store, progress: Progress | None = None) -> Result:
        """Find a cut at or above `start`, as `generalize` does.

        Raises
        ------
        InfeasibleError
            If the number of non-empty records is between 1 and k - 1.
        InputError
            If the count-tree would be larger than `max_tree`.
        """
        require_feasible(self.name, column, self.k)
        search = CutSearch(Blocks.of(column, store), start.hierarchy, self.k, start=start, progress=progress)  # line 2
        largest = min(self.m, search.longest)
        size = search.tree_size(largest)
        if size > self.max_tree:
            more = setting("max_tree", option="max_work")
            problem = f"the count-tree must have at most {self.max_tree:,} sets, has {size:,.0f}"
            raise InputError(f"direct: {problem}; use apriori, or a larger {more}")
        for rare_leaves in search.rare_leaves(largest):  # lines 1 and 3 to 7
            search.fix(rare_leaves)  # lines 8 to 10
        return Result(search.cut, tuple(search.fixes), {"increments": search.increments, "count_tree": size})
