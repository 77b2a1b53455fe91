"""Optimal anonymization (OA), Algorithm 2 of Terrovitis, Mamoulis, Kalnis, VLDB 2008, section 4.2."""

from collections import deque
from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from anonset.algorithms.base import Result, Traits
from anonset.algorithms.parameters import Count
from anonset.algorithms.transaction.base import Generalization
from anonset.algorithms.transaction.rare_sets.supported_nodes import SupportedNodes
from anonset.data import Hierarchy, SetColumn
from anonset.data.array_types import Int32
from anonset.data.blocks import Blocks
from anonset.data.progress import Progress, report_progress
from anonset.data.spans import begins_of
from anonset.data.storage.store import Store
from anonset.errors import InputError
from anonset.generalization import Cut
from anonset.spelling import setting


@dataclass(frozen=True, kw_only=True)
class Optimal(Generalization):
    """Optimal anonymization (OA): find the k^m-anonymous hierarchy cut with the smallest NCP.

    Guarantees k^m-anonymity and minimum NCP over all cuts.
    Cost: exponential in the number of items. A balanced hierarchy of fan-out f has T(N) = 1 + T(N / f)^f cuts. The
    search therefore fails after `max_cuts` cuts, and recommends `Exact`, which finds a cut of the same loss for
    thousands of items.

    References: Terrovitis, Mamoulis, Kalnis, VLDB 2008, Algorithm 2.
    Deviations: a cut is queued only once. The rare sets of a cut are stored. A later cut that contains a stored set
    fails without counting.

    >>> from anonset.data import Hierarchy, Table
    >>> hierarchy = Hierarchy.from_tree(("ALL", [("A", ["a1", "a2"]), ("B", ["b1", "b2"])]))
    >>> table = Table.from_sets([["a1", "b1", "b2"], ["a2", "b1"], ["a2", "b1", "b2"], ["a1", "a2", "b2"]])
    >>> result = Optimal(k=2, m=2).recode(table, {"items": hierarchy})
    >>> result.recoding.labels, result.figures
    (['A', 'b1', 'b2'], {'cuts': 3})
    """

    name: ClassVar[str] = "optimal"
    traits: ClassVar[Traits] = Traits(
        memory_factor=2.8,
        coarsens=True,
        answers=("km",),
        not_tried="exact finds the same cut in less time",
    )

    max_cuts: Annotated[Count, "Maximum number of cuts to examine."] = 1_000_000

    def generalize(self, column: SetColumn, hierarchy: Hierarchy, *, store: Store, progress: Progress | None) -> Result:
        """Find the cut. `Result.trace` contains the successive best k^m-anonymous cuts, as node labels.

        Raises
        ------
        InputError
            If the search would examine more cuts than `max_cuts`.
        """
        nodes, lattice = SupportedNodes(Blocks.of(column, store), hierarchy, self.k), _Cuts(column, hierarchy)
        leaf_cut = sum(1 << int(v) for v in hierarchy.leaf_node)
        rare_sets: list[int] = []
        best, best_cost, improved = leaf_cut, -1, []  # line 1
        queue, queued, not_minimal = deque([(leaf_cut, 0)]), {leaf_cut}, set[int]()  # line 2; H of the paper
        examined = 0
        while queue:  # line 3
            cut, cost = queue.popleft()  # line 4
            if cut in not_minimal:  # lines 12 and 13
                continue
            examined += 1
            if self._is_km(nodes, lattice, cut, rare_sets):  # line 9
                not_minimal.update(coarser for coarser, _ in lattice.coarser(cut, cost))  # lines 10 and 11
                if best_cost < 0 or cost < best_cost:  # line 14
                    best, best_cost = cut, cost  # line 15
                    improved.append(tuple(hierarchy.labels[v] for v in lattice.nodes(cut)))
                continue
            for coarser, coarser_cost in lattice.coarser(cut, cost):  # lines 5 and 6
                if coarser not in not_minimal and coarser not in queued:  # line 7
                    queued.add(coarser)
                    queue.append((coarser, coarser_cost))  # line 8
            if len(queued) > self.max_cuts:
                more = setting("max_cuts", option="max_work")
                problem = f"more than {self.max_cuts:,} cuts to examine"
                raise InputError(f"optimal: {problem}; use exact, which finds an equally good cut, or a larger {more}")
            report_progress(progress, "cuts", examined, len(queued))
        return Result(lattice.cut(best), tuple(improved), {"cuts": examined})  # line 16

    def _is_km(self, nodes: SupportedNodes, lattice: "_Cuts", cut: int, rare_sets: list[int]) -> bool:
        """Return True if no set of up to m nodes of a cut is rare. A rare set is added to `rare_sets`."""
        if any(rare & cut == rare for rare in rare_sets):
            return False
        if (rare_set := nodes.rare_set(lattice.cut(cut), self.m)) is None:
            return True
        rare_sets.append(sum(1 << v for v in rare_set))
        return False


class _Cuts:
    """The lattice of cuts. A cut is represented by an integer. Bit v is 1 if node v is in the cut."""

    def __init__(self, column: SetColumn, hierarchy: Hierarchy) -> None:
        self.hierarchy = hierarchy
        running = begins_of(column.occurrences)
        occurrences = running[hierarchy.leaf_hi] - running[hierarchy.leaf_lo]
        leaves = hierarchy.n_leaves_below.tolist()
        cost = [c * n if n > 1 else 0 for c, n in zip(occurrences.tolist(), leaves, strict=True)]
        self.steps = []  # children, parent and change of the NCP numerator of each inner node, in preorder
        for node in np.flatnonzero(~hierarchy.is_leaf).tolist():
            children = hierarchy.children(node)
            self.steps.append((sum(1 << c for c in children), 1 << node, cost[node] - sum(cost[c] for c in children)))

    def coarser(self, cut: int, cost: int) -> list[tuple[int, int]]:
        """Return the immediate ancestors of a cut, with their costs."""
        return [(cut ^ below | node, cost + change) for below, node, change in self.steps if cut & below == below]

    def nodes(self, cut: int) -> Int32:
        return np.array([v for v in range(self.hierarchy.n_nodes) if cut >> v & 1], np.int32)

    def cut(self, cut: int) -> Cut:
        return Cut.of(self.hierarchy, self.nodes(cut))
