"""The records as they look where some nodes are closed."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from anonset.algorithms.transaction.exact_cut.problem import CutProblem, Float64, Nodes, buried, entries
from anonset.data.discreet import Discreet
from anonset.data.table import Int32, Int64

if TYPE_CHECKING:
    from anonset_kernels._arrays import Expanded, IndexArray

Rows = tuple[Int64, Int32]
"""(indptr, items): records as ascending leaf codes."""
OPEN = 1e-6
"""What a node's closedness is below 1 by, at least, where it is not taken for closed."""


@dataclass(frozen=True, eq=False)
class Point(Discreet):
    """A solution of a relaxation, or of the problem itself."""

    closed: Float64
    """float64 (V,): how far each node is closed, 0 to 1; 0 for leaves."""
    suppressed: Float64
    """float64 (M,): how far each leaf is suppressed."""

    @property
    def is_integral(self) -> bool:
        """Whether all is zero or one."""
        values = np.concatenate([self.closed, self.suppressed])
        return bool((np.abs(values - np.round(values)) <= OPEN).all())

    def out_of_reach(self, problem: CutProblem) -> Float64:
        """Return how far each node is neither published nor above what is: float64 (V,)."""
        parent = problem.hierarchy.parent
        weight = np.where(parent >= 0, self.closed[parent], 0.0)
        weight[problem.hierarchy.leaf_node] += self.suppressed
        return weight


@dataclass(frozen=True, eq=False)
class View(Discreet):
    """The records that show at least some symbols where the nodes are closed that a point closes that far.

    Without suppression a record holds one leaf for each node at which some of its leaves enter: all that a search above
    the closed nodes can tell apart. With it the records stay as they are, for leaves are what is suppressed.
    """

    problem: CutProblem
    point: Point
    threshold: float
    """Nodes that are at least so far closed are closed; leaves that are at least so far out of reach are not shown."""
    least: int
    """Records with fewer symbols are left out: they hold no set of that many nodes."""

    @cached_property
    def closed(self) -> Nodes:
        """Bool (V,): the nodes that are closed."""
        found: Nodes = self.point.closed >= self.threshold
        return found

    @cached_property
    def entry(self) -> Int32:
        """int32 (M,): the node at which each leaf enters."""
        return entries(self.problem.hierarchy, self.closed)

    @cached_property
    def rows(self) -> Rows:
        """The records; without suppression, each node at which leaves enter is there as its first leaf."""
        from anonset_kernels.rows import map_rows

        column, hierarchy = self.problem.column, self.problem.hierarchy
        first = hierarchy.leaf_lo[self.entry]
        indptr, items = map_rows(column.indptr, column.items, first, hierarchy.n_leaves)
        lengths = np.diff(indptr)
        long = lengths >= self.least
        if self.problem.suppress:
            kept = column if bool(long.all()) else column.take(np.flatnonzero(long))
            return kept.indptr, kept.items
        return np.concatenate([[0], np.cumsum(lengths[long])]).astype(np.int64), items[np.repeat(long, lengths)]

    @cached_property
    def support(self) -> Int64:
        """int64 (V,): number of these records that hold each node."""
        from anonset_kernels.count_tree import node_supports

        hierarchy = self.problem.hierarchy
        supports: Int64 = node_supports(*self.rows, hierarchy.leaf_node, hierarchy.parent)
        return supports

    @cached_property
    def nodes(self) -> Int32:
        """int32: the nodes that may be published above the closed ones, by falling support, then in preorder.

        Left out are the root, which is related to all others, and nodes that are rare by themselves: their own
        clauses say more than those of sets that hold them.
        """
        problem = self.problem
        found: Nodes = ~buried(problem.hierarchy, self.closed) & (self.support > 0) & (problem.support >= problem.k)
        found[0] = False
        nodes = np.flatnonzero(found).astype(np.int32)
        return nodes[np.lexsort((nodes, -self.support[nodes]))]

    @cached_property
    def cut(self) -> Int32:
        """int32: the nodes at which shown leaves enter, in the order of `nodes`."""
        hierarchy = self.problem.hierarchy
        far = self.point.out_of_reach(self.problem)[hierarchy.leaf_node] >= self.threshold
        shown = np.zeros(hierarchy.n_nodes, np.bool_)
        shown[self.entry[(self.entry != hierarchy.leaf_node) | ~far]] = True
        return self.nodes[shown[self.nodes]]

    def codes_of(self, nodes: Int32) -> Int32:
        """Return int32 (V,): the position of each node in `nodes`; -1 for others."""
        code = np.full(self.problem.hierarchy.n_nodes, -1, np.int32)
        code[nodes] = np.arange(len(nodes), dtype=np.int32)
        return code

    def expanded(self, nodes: Int32, *, placed: bool) -> "Expanded":
        """Store the records as ascending positions in `nodes`, as `count_tree.expand` does; if `placed`, with where."""
        from anonset_kernels.count_tree import expand

        start = np.concatenate([[0], np.cumsum(self.support[nodes])]).astype(np.int64)
        wide = start[-1] + len(self.rows[0]) > np.iinfo(np.int32).max
        room = int(start[-1]) if placed else 0
        position: IndexArray = np.empty(room, np.int64) if wide else np.empty(room, np.int32)
        parent = self.problem.hierarchy.parent
        codes = expand(*self.rows, self.entry, parent, self.codes_of(nodes), start, position)
        return codes, start, position

    @cached_property
    def postings(self) -> tuple[Int64, Int32]:
        """The records that hold each of the `nodes`: int64 (V + 1,) where they begin, and int32 records."""
        from anonset_kernels.rare_sets import node_postings

        hierarchy = self.problem.hierarchy
        support = np.zeros(hierarchy.n_nodes, np.int64)
        support[self.nodes] = self.support[self.nodes]
        start = np.concatenate([[0], np.cumsum(support)]).astype(np.int64)
        return start, node_postings(*self.rows, self.entry, hierarchy.parent, start)
