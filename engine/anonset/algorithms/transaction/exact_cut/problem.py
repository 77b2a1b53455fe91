"""The exact k^m cut as a covering problem.

Of the cuts of a hierarchy (with suppression: of the antichains of its nodes, where a leaf that lies below none is
suppressed) one of least NCP is wanted under which no set of at most m nodes is rare: held by some, but fewer than k,
records. An inner node is *closed* if every leaf below it is published at it or above, else open. Closedness z_w in
{0, 1} never falls on the way down; the NCP is linear in z and in s_a in {0, 1}, which says that leaf a is suppressed.

**The clause of a rare set** u_1 .. u_j of unrelated nodes, from left to right. Let p_i be the parent of u_i and w_i
the lowest common ancestor of u_i and u_(i+1), and let some record hold leaves a_1 .. a_j below the nodes. Then

    s_a1 + .. + s_aj + z_p1 + .. + z_pj - z_w1 - .. - z_w(j-1) >= 1.

Why: let t_i = 1 - s_ai - z_pi tell whether a_i is published at u_i or below it. If all t_i were 1, the nodes at which
the leaves are published would be held by that record, and by none that does not hold u_1 .. u_j: a rare set. So some
t_i is 0, and each run of neighbours with t_i = 1 has a neighbour without. It has, then, at least as many w_i next to
its members as it has members, no two runs share one, and all are open, for they lie above a node whose parent is. So
the sum of the t_i is at most that of the 1 - z_wi, which is the clause. Conversely, if all clauses hold, no set of
published nodes is rare: else take the clause of these nodes with the leaves of a record that holds them.

Where the nodes are siblings, or one's parent is above another's, terms cancel; so a clause without suppression often
says that some node is closed. A clause implies those of the sets below it, so maximal sets suffice.

References: our own; measured against its weaker form without the meeting nodes (the sum of s and z at least 1), whose
relaxation left 7 % open where this one is integral (BMS-WebView-2, k=5, m=3, with suppression).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from anonset.algorithms.transaction.expanded_blocks import Over
from anonset.algorithms.transaction.supported_nodes import NodeSupports
from anonset.data import Hierarchy
from anonset.data.blocks import Blocks, Rows, StoredRows
from anonset.data.redacted_repr import Discreet
from anonset.data.spans import begins_of, gathered
from anonset.data.store import Store
from anonset.data.table import Int32, Int64
from anonset.generalization import Cut
from anonset.generalization.recoding import SUPPRESSED
from anonset.measures.ncp import ncp_numerator

Nodes = NDArray[np.bool_]
"""bool (V,): a set of nodes."""
Float64 = NDArray[np.float64]
Tree = tuple[Int32, Int32, Int32]
"""(parent, leaf_lo, leaf_hi): int32 (V,)."""


@dataclass(frozen=True, eq=False)
class CutProblem(Discreet):
    """What is asked for. The hierarchy has more than one leaf."""

    blocks: Blocks
    """The records, bound to the hierarchy (item codes are leaf positions)."""
    hierarchy: Hierarchy
    k: int
    m: int
    suppress: bool
    """Whether leaves may be suppressed."""
    start: Cut | None = None
    """The finest cut to consider; None: every leaf as it is. It suppresses nothing."""

    @property
    def finest(self) -> Int32:
        """int32 (M,): the node of each leaf in the finest cut."""
        return self.hierarchy.leaf_node if self.start is None else self.start.image

    @property
    def begun(self) -> Nodes:
        """Bool (V,): the inner nodes that the finest cut closes."""
        on_it = np.zeros(self.hierarchy.n_nodes, np.bool_)
        on_it[self.finest] = True
        inner: Nodes = (on_it | buried(self.hierarchy, on_it)) & ~self.hierarchy.is_leaf
        return inner

    @cached_property
    def tree(self) -> Tree:
        """The hierarchy as the kernels take it."""
        return self.hierarchy.parent, self.hierarchy.leaf_lo, self.hierarchy.leaf_hi

    @cached_property
    def support(self) -> Int64:
        """int64 (V,): number of records that hold an item below each node."""
        return supports(self.hierarchy, self.blocks.rows, self.blocks.store)

    @property
    def size(self) -> int:
        """Size of the largest sets that may be rare: m, or the length of the longest record."""
        return min(self.m, self.blocks.longest)

    @property
    def rare_nodes(self) -> Int32:
        """int32: nodes that are rare by themselves, in preorder."""
        return np.flatnonzero((self.support > 0) & (self.support < self.k)).astype(np.int32)

    @cached_property
    def occurring(self) -> Nodes:
        """Bool (V,): the inner nodes below which something occurs; the closedness of the others costs nothing."""
        inner: Nodes = ~self.hierarchy.is_leaf & (self.support > 0)
        return inner

    @cached_property
    def weights(self) -> Int64:
        """int64 (V,): what closing each inner node costs, given that all below it are closed."""
        below = begins_of(self.blocks.occurrences)
        occurrences = below[self.hierarchy.leaf_hi] - below[self.hierarchy.leaf_lo]
        leaves = self.hierarchy.n_leaves_below.astype(np.int64)
        cost = np.where(leaves > 1, occurrences * leaves, 0).astype(np.int64)
        weights = cost.copy()
        np.subtract.at(weights, self.hierarchy.parent[1:], cost[1:])
        return weights

    @property
    def suppression_costs(self) -> Int64:
        """int64 (M,): what suppressing each leaf costs."""
        costs: Int64 = self.blocks.occurrences * self.hierarchy.n_leaves
        return costs

    @property
    def total(self) -> int:
        """The cost of suppressing everything: the denominator of the NCP."""
        return max(1, self.hierarchy.n_leaves * int(self.blocks.occurrences.sum()))

    def cost(self, cut: Cut) -> int:
        """Return the numerator of a cut's NCP."""
        return ncp_numerator(self.blocks, cut)

    def rank(self, cut: Cut) -> tuple[int, int]:
        """Return what cuts are compared by: the cost, then how many occurrences are suppressed; less is better."""
        return self.cost(cut), int(self.blocks.occurrences[cut.image == SUPPRESSED].sum())

    def spared(self, cut: Cut) -> Cut:
        """Return a cut that leaves alone the items around which nothing occurs."""
        idle = np.where(cut.image == SUPPRESSED, self.blocks.occurrences == 0, self.support[cut.image] == 0)
        return Cut(self.hierarchy, np.where(idle, self.finest, cut.image).astype(np.int32))

    def cut(self, closed: Nodes, suppressed: NDArray[np.bool_]) -> Cut:
        """Return the cut with these nodes closed and these leaves suppressed, unless they lie below a closed node."""
        image = entries(self.hierarchy, closed)
        gone = suppressed & (image == self.hierarchy.leaf_node) & (self.blocks.occurrences > 0)
        return Cut(self.hierarchy, np.where(gone, SUPPRESSED, image).astype(np.int32))


def supports(
    hierarchy: Hierarchy,
    parts: Sequence[StoredRows],
    store: Store,
    shown: Callable[[StoredRows], Rows] | None = None,
) -> Int64:
    """Count the records, part by part, that hold an item below each node, as they are `shown`: int64 (V,)."""
    count = Over(NodeSupports(hierarchy.leaf_node, hierarchy.parent), shown)
    return sum(store.map(count, store.workers.divided(parts)), np.zeros(hierarchy.n_nodes, np.int64))


def buried(hierarchy: Hierarchy, closed: Nodes) -> Nodes:
    """Return which nodes lie strictly below a closed one: bool (V,)."""
    depth = np.zeros(hierarchy.n_nodes + 1, np.int64)
    nodes = np.flatnonzero(closed)
    np.add.at(depth, nodes + 1, 1)
    np.add.at(depth, hierarchy.subtree_end[nodes], -1)
    below: Nodes = np.cumsum(depth[:-1]) > 0
    return below


def entries(hierarchy: Hierarchy, closed: Nodes) -> Int32:
    """Return the node at which each leaf enters, the highest closed one above it or itself: int32 (M,)."""
    top = np.flatnonzero(closed & ~buried(hierarchy, closed) & ~hierarchy.is_leaf)
    lengths = hierarchy.n_leaves_below[top].astype(np.int64)
    _, leaves = gathered(hierarchy.leaf_lo[top], lengths)
    entry = hierarchy.leaf_node.copy()
    entry[leaves] = np.repeat(top, lengths)
    return entry
