"""Nodes above the items of records, with their supports, as the start of count-trees."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from anonset.algorithms.transaction.rare_sets.count_tree import CountTree
from anonset.algorithms.transaction.rare_sets.expanded_blocks import BlockExpansion, ExpandedBlocks
from anonset.algorithms.transaction.rare_sets.rare_tables import RareTables
from anonset.algorithms.transaction.rare_sets.sets import Nodes, RareSets
from anonset.data import Hierarchy
from anonset.data.array_types import Int32, Int64
from anonset.data.blocks import Blocks, StoredRows, checked_rows
from anonset.data.distinct import positions
from anonset.data.progress import Progress
from anonset.generalization import Cut
from anonset_kernels._arrays import Intervals


class SupportedNodes:
    """Nodes above the items of records, and count-trees of these nodes.

    Parameters
    ----------
    blocks
        Records, bound to the hierarchy (item codes are leaf positions).
    k
        Smallest support of a set that is not rare.
    """

    def __init__(self, blocks: Blocks, hierarchy: Hierarchy, k: int, *, progress: Progress | None = None) -> None:
        self.blocks = blocks
        self.hierarchy, self.k, self.progress = hierarchy, k, progress

        supports = NodeSupports(hierarchy.leaf_node, hierarchy.parent)
        store = blocks.store
        partial_supports = store.map(supports, store.workers.divided(blocks.rows))
        self.support: Int64 = sum(partial_supports, np.zeros(hierarchy.n_nodes, np.int64))
        order = np.lexsort((np.arange(hierarchy.n_nodes), -self.support)).astype(np.int32)
        self.by_support: Int32 = order[(order != 0) & (self.support[order] > 0)]
        """Nodes except the root by descending support, then in preorder, so that ancestors are first, int32."""

    @property
    def longest(self) -> int:
        """Length of the longest record. No larger set of unrelated nodes occurs."""
        return self.blocks.longest

    def rare(self, taking_part: Nodes) -> RareSets:
        """Return the nodes in `taking_part` that are rare by themselves."""
        nodes = self.by_support
        nodes = nodes[(self.support[nodes] < self.k) & taking_part[nodes]]
        return RareSets(np.arange(len(nodes), dtype=np.int32)[:, None], self.support[nodes].astype(np.int32), nodes)

    def count_tree(self, taking_part: Nodes, image: Int32, size: int) -> CountTree:
        """Return the count-tree of sets of `size` nodes (lines 1 to 3 of Algorithm 1).

        Parameters
        ----------
        taking_part
            True for nodes that may be members of sets, bool (V,).
        image
            Initial node of each leaf, int32 (M,). A record expands to these nodes and their ancestors.
        """
        tree, nodes = self.hierarchy, self.by_support[taking_part[self.by_support]]
        code = positions(nodes, tree.n_nodes)
        return CountTree(
            node_of_code=nodes,
            records=ExpandedBlocks(self.blocks, BlockExpansion.of(tree, image, code, len(nodes))),
            intervals=Intervals(tree.leaf_lo[nodes], tree.leaf_hi[nodes]),
            size=size,
            k=self.k,
            progress=self.progress,
        )

    def rare_tables(
        self, taking_part: Nodes, image: Int32, size: int, max_increments: float = float("inf")
    ) -> RareTables:
        """Return the tables of sets of `size` nodes. `count_tree` documents the parameters."""
        return RareTables(
            rows=self.blocks.rows,
            store=self.blocks.store,
            hierarchy=self.hierarchy,
            image=image,
            nodes=self.by_support[taking_part[self.by_support]],
            size=size,
            k=self.k,
            max_increments=max_increments,
            progress=self.progress,
        )

    def rare_set(self, cut: Cut, m: int) -> tuple[int, ...] | None:
        """Return a rare set of at most `m` nodes of a cut, or None."""
        on_cut = np.isin(np.arange(self.hierarchy.n_nodes), cut.image)
        rare = np.flatnonzero(on_cut & (self.support > 0) & (self.support < self.k))
        if len(rare):
            return (int(rare[0]),)
        sizes = range(2, min(m, self.longest) + 1)
        rare_sets = (self.count_tree(on_cut, cut.image, size).first_rare_set() for size in sizes)
        return next((rare_set for rare_set in rare_sets if rare_set is not None), None)


@dataclass(frozen=True, eq=False)
class NodeSupports:
    """Counts the records of some blocks that contain an item below each node."""

    leaf_node: Int32
    parent: Int32

    def __call__(self, group: Iterable[StoredRows]) -> Int64:
        """Return the counts, int64 (V,)."""
        from anonset_kernels.rare_sets.count_tree import node_supports

        supports = np.zeros(len(self.parent), np.int64)
        for rows in group:
            supports += node_supports(*checked_rows(rows, len(self.leaf_node)), self.leaf_node, self.parent)
        return supports
