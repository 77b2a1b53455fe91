"""Searching a hierarchy cut by fixing the rare sets of the count-tree one after the other.

The shared ground of the direct and the apriori anonymization (Terrovitis, Mamoulis, Kalnis, VLDB 2008, sections 4.3
and 4.4) and of what is built on them. Rare sets come in the order of the count-tree, and those that hold a node which
was generalised meanwhile are passed over.
"""

from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np

from anonset.algorithms.base import Progress
from anonset.algorithms.transaction.count_tree import CountTree, Nodes, Pairs, RareSets, SupportedNodes
from anonset.data import Hierarchy, SetColumn
from anonset.data.discreet import Discreet
from anonset.data.table import Int64
from anonset.errors import InputError
from anonset.generalization import Cut
from anonset.spelling import setting

TOGETHER_CELLS = 1 << 28


@dataclass(frozen=True)
class Fix(Discreet):
    """One decision: a rare set and the nodes it made the search generalise to."""

    itemset: tuple[str, ...]
    """The rare set, in the order of the count-tree (descending support)."""
    support: int
    """Its support, below k."""
    rules: tuple[str, ...]
    """The nodes to which everything below them is generalised, in preorder."""


class CutSearch:
    """A hierarchy cut under construction (c_out of the paper), and the rare sets that are still in its way.

    Parameters
    ----------
    column
        The records, bound to the hierarchy (item codes are leaf positions).
    k
        Smallest support that is not rare.
    start
        The cut to begin with; every leaf as it is by default.
    max_increments
        Refuse to count the sets of a size if it would take more.
    """

    def __init__(
        self,
        column: SetColumn,
        hierarchy: Hierarchy,
        k: int,
        *,
        start: Cut | None = None,
        max_increments: float = float("inf"),
        executor: Executor | None = None,
        progress: Progress | None = None,
    ) -> None:
        from anonset_kernels.rows import transpose

        self.column, self.hierarchy, self.k, self.max_increments = column, hierarchy, k, max_increments
        self.nodes = SupportedNodes(column, hierarchy, k, executor=executor, progress=progress)
        self.tree = (hierarchy.parent, hierarchy.leaf_lo, hierarchy.leaf_hi, hierarchy.subtree_end)
        self.data = (column.indptr, column.items, *transpose(column.indptr, column.items, hierarchy.n_leaves))
        self.occurrences = np.concatenate([[0], np.cumsum(column.occurrences)])
        """int64 (M + 1,): running sum of the items' occurrences."""
        self.image = hierarchy.leaf_node.copy() if start is None else start.image.copy()
        """int32 (M,): the node that replaces each leaf."""
        self.generalized = np.zeros(hierarchy.n_nodes, np.uint8)
        """uint8 (V,): 1 for the nodes below the cut."""
        for node in np.unique(self.image):
            self.generalized[node + 1 : hierarchy.subtree_end[node]] = 1
        self.loss = self._losses()
        """int64 (V,): NCP numerator of the leaves below each node."""
        self.fixes: list[Fix] = []
        self.increments = 0.0

    def _losses(self) -> Int64:
        leaves = self.hierarchy.n_leaves_below[self.image].astype(np.int64)
        running = np.concatenate([[0], np.cumsum(np.where(leaves > 1, leaves * self.column.occurrences, 0))])
        numerators: Int64 = running[self.hierarchy.leaf_hi] - running[self.hierarchy.leaf_lo]
        return numerators

    @property
    def cut(self) -> Cut:
        """The cut as it stands."""
        return Cut(self.hierarchy, self.image.copy())

    @property
    def longest(self) -> int:
        """Length of the longest record: no larger set of nodes of a cut is supported."""
        return self.nodes.longest

    @property
    def _on_or_above(self) -> Nodes:
        """Bool (V,): the nodes on the cut and above it."""
        kept: Nodes = self.generalized == 0
        return kept

    def rare_sets(self, size: int) -> Iterator[RareSets]:
        """Yield the rare sets of exactly `size` nodes of the cut or above it, in the order of the count-tree.

        Raises
        ------
        InputError
            If counting these sets would take more than `max_increments` increments.
        """
        if size == 1:
            yield self.nodes.rare(self._on_or_above)
        elif size == 2:
            yield from self._rare_pairs()
        else:
            taking_part, together = self._rare_together(size)
            if not taking_part.any():
                return
            tree = self.nodes.count_tree(taking_part, self.image, size)
            if len(together):  # an upper bound: which pairs to leave out is known, how many sets that saves is not
                self.increments += tree.total
            else:
                self._account(tree)
            yield from tree.rare_sets(self.generalized, together)

    def rare_leaves(self, m: int) -> Iterator[RareSets]:
        """Yield the rare leaves of the count-tree of sets of up to `m` nodes, at any depth, in preorder."""
        if m == 1:
            yield self.nodes.rare(self._on_or_above)
        elif m > 1:
            tree = self.nodes.count_tree(self._on_or_above, self.image, m)
            self._account(tree)
            yield from tree.rare_leaves(self.generalized)

    def tree_size(self, m: int) -> float:
        """Count the nodes of the count-tree of sets of up to `m` nodes, once for each record that holds them."""
        tree = self.nodes.count_tree(self._on_or_above, self.image, 1, placed=False)
        return sum(float(tree.increments(size).sum()) for size in range(1, m + 1))

    def fix(self, rare: RareSets) -> None:
        """Make each rare set frequent in turn, unless a fix before did: generalise by the rules that cost least."""
        from anonset_kernels.fix import fix_threats

        if not len(rare.codes):
            return
        fixed, rules = np.empty(len(rare.codes), np.int32), np.empty_like(rare.codes)
        state = (self.occurrences, self.loss, self.image, self.generalized, self.nodes.support)
        n_fixed = fix_threats(rare.codes, rare.node_of_code, self.tree, self.data, state, self.k, fixed, rules)
        labels = self.hierarchy.labels
        for at, chosen in zip(fixed[:n_fixed].tolist(), rules[:n_fixed].tolist(), strict=True):
            members = tuple(labels[rare.node_of_code[c]] for c in rare.codes[at].tolist() if c >= 0)
            self.fixes.append(Fix(members, int(rare.support[at]), tuple(labels[v] for v in chosen if v >= 0)))

    def _rare_pairs(self) -> Iterator[RareSets]:
        tree = self.nodes.count_tree(self._on_or_above, self.image, 2, placed=False)
        self._account(tree)
        if tree.suits_pairs:
            yield from tree.rare_pairs(self.generalized)
            return
        del tree
        yield from self.nodes.count_tree(self._on_or_above, self.image, 2).rare_sets(self.generalized)

    def _account(self, tree: CountTree) -> None:
        self.increments += tree.total
        if tree.total > self.max_increments:
            size, limit = tree.size, setting("max_increments", self.max_increments)
            took = f"counting sets of {size} would take {tree.total:.3g} increments"
            msg = f"m must be below {size}: {took}, above {limit}"
            raise InputError(msg)

    def _rare_together(self, size: int) -> tuple[Nodes, Pairs]:
        """Tell which nodes can be in a rare set of `size`, and which of them together.

        A rare set holds, record by record, a set of the cut below it, which is supported and no more frequent. So
        the rare sets of the cut, a much smaller walk, tell which nodes above can be rare together.

        Returns
        -------
        bool (V,); uint8 (R, R)
            The nodes, and for each pair of them by descending support whether it can be in a rare set; no pairs where
            there are too many nodes to tell.
        """
        n_nodes, by_support = self.hierarchy.n_nodes, self.nodes.by_support
        tree = self.nodes.count_tree(np.isin(np.arange(n_nodes), self.image), self.image, size)
        self._account(tree)
        kept = np.flatnonzero(self._on_or_above)
        if len(kept) ** 2 > TOGETHER_CELLS:
            return self._on_or_above, np.empty((0, 0), np.uint8)
        place = np.full(n_nodes, -1)
        place[kept] = np.arange(len(kept))
        pairs = np.zeros((len(kept), len(kept)), np.uint8)
        codes = place[tree.node_of_code]
        pairs[np.ix_(codes, codes)] = tree.pairs_in_rare_sets()
        above = place[self.hierarchy.parent[kept]]
        for _ in range(2):  # what is marked for a node is marked for all above it: rows first, columns then
            for node in range(len(kept) - 1, 0, -1):
                pairs[above[node]] |= pairs[node]
            pairs = np.ascontiguousarray(pairs.T)
        taking_part = np.zeros(n_nodes, bool)
        taking_part[kept] = pairs.any(axis=1)
        in_order = place[by_support[taking_part[by_support]]]
        return taking_part, pairs[np.ix_(in_order, in_order)]
