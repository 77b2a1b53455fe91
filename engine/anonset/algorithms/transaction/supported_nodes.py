"""The nodes above the items of some records, with their supports: where count-trees begin."""

from collections.abc import Iterable
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from anonset.algorithms.base import Progress, run_tasks
from anonset.algorithms.transaction.expanded_blocks import ExpandedBlocks, Expansion
from anonset.algorithms.transaction.rare_sets import Found, Nodes, RareSets
from anonset.algorithms.transaction.rare_tables import RareTables
from anonset.data import Hierarchy, SetColumn
from anonset.data.blocks import Blocks, Rows, require_sound
from anonset.data.spans import at_a_time, divided
from anonset.data.table import Int32, Int64
from anonset.generalization import Cut

if TYPE_CHECKING:  # what tables leave: sets of more nodes, and few of them
    from anonset.algorithms.transaction.count_tree import CountTree

SETS_AT_ONCE, BYTES_AT_ONCE = 1 << 22, 1 << 28
"""Sets of which a member is raised at once, and what counting sets may take in a task, memory permitting.

With 1 GiB instead of 256 MiB a task made more misses of the cache than a pass over the records costs.
"""
_TASKS = 4
_BYTES_OF_RAISED = 80  # a set, its key, and how these are sorted


class SupportedNodes:
    """The nodes above the items of some records, and count-trees of them.

    Parameters
    ----------
    records
        The records, bound to the hierarchy (item codes are leaf positions).
    k
        Smallest support that is not rare.
    """

    def __init__(
        self,
        records: SetColumn | Blocks,
        hierarchy: Hierarchy,
        k: int,
        *,
        executor: Executor | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.blocks = records if isinstance(records, Blocks) else Blocks.of(records)
        self.hierarchy, self.k, self.executor, self.progress = hierarchy, k, executor, progress

        supports = Supports(hierarchy.leaf_node, hierarchy.parent)
        groups = divided(self.blocks.rows, executor)
        self.support: Int64 = sum(run_tasks(executor, supports, groups), np.zeros(hierarchy.n_nodes, np.int64))
        order = np.lexsort((np.arange(hierarchy.n_nodes), -self.support)).astype(np.int32)
        self.by_support: Int32 = order[(order != 0) & (self.support[order] > 0)]
        """int32: the nodes without the root, by descending support, then in preorder: ancestors come first."""

    @property
    def longest(self) -> int:
        """Length of the longest record: no record supports a larger set of nodes, none of which is above another."""
        return self.blocks.longest

    def rare(self, taking_part: Nodes) -> RareSets:
        """Return the nodes that are rare by themselves, of those that take part."""
        nodes = self.by_support
        nodes = nodes[(self.support[nodes] < self.k) & taking_part[nodes]]
        return RareSets(np.arange(len(nodes), dtype=np.int32)[:, None], self.support[nodes].astype(np.int32), nodes)

    def count_tree(self, taking_part: Nodes, image: Int32, size: int) -> "CountTree":
        """Return the count-tree of the sets of `size` nodes that take part (lines 1 to 3 of Algorithm 1).

        Parameters
        ----------
        taking_part
            bool (V,).
        image
            int32 (M,): the node that each leaf begins with; it and what is above it is what a record expands to.
        """
        from anonset.algorithms.transaction.count_tree import CountTree

        tree, nodes = self.hierarchy, self.by_support[taking_part[self.by_support]]
        code = self._place(nodes)
        return CountTree(
            node_of_code=nodes,
            records=self._expanded(image, code, len(nodes)),
            intervals=(tree.leaf_lo[nodes], tree.leaf_hi[nodes]),
            size=size,
            k=self.k,
            executor=self.executor,
            progress=self.progress,
        )

    def rare_tables(
        self, taking_part: Nodes, image: Int32, size: int, max_increments: float = float("inf")
    ) -> RareTables:
        """Return the tables of the sets of `size` nodes that take part; see `count_tree` for the parameters."""
        return RareTables(
            rows=self.blocks.rows,
            limits=self.blocks.store.limits,
            hierarchy=self.hierarchy,
            image=image,
            nodes=self.by_support[taking_part[self.by_support]],
            size=size,
            k=self.k,
            max_increments=max_increments,
            executor=self.executor,
            progress=self.progress,
        )

    def _expanded(self, image: Int32, code: Int32, n_codes: int) -> ExpandedBlocks:
        """Return the records as codes, from the node that each leaf begins with on upward."""
        return ExpandedBlocks(self.blocks, Expansion.of(self.hierarchy, image, code, n_codes), self.executor)

    def rare_above(self, sets: Int32, image: Int32) -> RareSets:
        """Return what is rare of some sets of nodes and of all sets above them, in the order of the count-tree.

        Parameters
        ----------
        sets
            int32 (T, size): sets of nodes, none of which is above another.
        image
            int32 (M,): the node that each leaf begins with.
        """
        from anonset.algorithms.transaction.sets_above import sets_above

        raised = int(self.hierarchy.depth.max(initial=0)) + 1
        at_once = self.blocks.store.limits.held(SETS_AT_ONCE, _BYTES_OF_RAISED * raised)
        parts = (self._rare_of(part, image) for part in sets_above(self.hierarchy, sets, at_once))
        nodes, support = (np.concatenate(found) for found in zip(*parts, strict=True))
        codes = self._place(self.by_support)[nodes]
        del nodes
        order = np.lexsort(codes.T[::-1])
        return RareSets(codes[order], support[order], self.by_support)

    def _rare_of(self, sets: Int32, image: Int32) -> Found:
        """Return those of some sets that are rare, as nodes by descending support; see `rare_above`."""
        from anonset.algorithms.transaction.wanted_sets import WantedSets, in_ranges

        taking_part = np.zeros(self.hierarchy.n_nodes, np.bool_)
        taking_part[sets.ravel()] = True
        nodes = self.by_support[taking_part[self.by_support]]
        code = self._place(nodes)
        most = self.blocks.store.limits.held(BYTES_AT_ONCE, at_a_time(self.executor, _TASKS))
        ranges = list(in_ranges(np.sort(code[sets], axis=1), len(nodes), most))
        found = [(sets[:0], np.empty(0, np.int32))]
        if not ranges:
            return found[0]
        records = self._expanded(image, code, len(nodes))
        if len(ranges) > 1:
            records.stored()
        for part in ranges:
            wanted = WantedSets(part, len(nodes), self.k)
            for met in records.over(wanted.count, _TASKS):
                wanted.add(met)
            rare, support = wanted.rare()
            found.append((nodes[rare], support))
        return np.concatenate([rare for rare, _ in found]), np.concatenate([support for _, support in found])

    def _place(self, nodes: Int32) -> Int32:
        """Return where each node of the hierarchy stands among some, int32 (V,); -1 where it is none of them."""
        place = np.full(self.hierarchy.n_nodes, -1, np.int32)
        place[nodes] = np.arange(len(nodes), dtype=np.int32)
        return place

    def rare_set(self, cut: Cut, m: int) -> tuple[int, ...] | None:
        """Find a rare set of at most `m` nodes of a cut, if there is one."""
        on_cut = np.isin(np.arange(self.hierarchy.n_nodes), cut.image)
        rare = np.flatnonzero(on_cut & (self.support > 0) & (self.support < self.k))
        if len(rare):
            return (int(rare[0]),)
        sizes = range(2, min(m, self.longest) + 1)
        found = (self.count_tree(on_cut, cut.image, size).first_rare_set() for size in sizes)
        return next((rare_set for rare_set in found if rare_set is not None), None)


@dataclass(frozen=True, eq=False)
class Supports:
    """Counts the records of some blocks that hold an item below each node."""

    leaf_node: Int32
    parent: Int32

    def __call__(self, group: Iterable[Rows]) -> Int64:
        """Return int64 (V,)."""
        from anonset_kernels.count_tree import node_supports

        found = np.zeros(len(self.parent), np.int64)
        for rows in group:
            require_sound(*rows, len(self.leaf_node))
            found += node_supports(*rows, self.leaf_node, self.parent)
        return found
