"""The exact k^m cut as a covering problem.

The problem is to find a cut of minimum NCP on which no set of at most m nodes is rare, that is, has a support between
1 and k - 1. With suppression, the candidates are the antichains of the hierarchy's nodes, and a leaf that is below no
node of the antichain is suppressed. An inner node is *closed* if every leaf below it is published at this node or
higher, else open. Closedness z_w in {0, 1} never decreases from a node to its children. The NCP is linear in z and in
s_a in {0, 1}, where s_a = 1 if leaf a is suppressed.

**The clause of a rare set** u_1 .. u_j of unrelated nodes, from left to right. Let p_i be the parent of u_i and w_i
the lowest common ancestor of u_i and u_(i+1), and let a record contain leaves a_1 .. a_j below the nodes. Then

    s_a1 + .. + s_aj + z_p1 + .. + z_pj - z_w1 - .. - z_w(j-1) >= 1.

Proof: let t_i = 1 - s_ai - z_pi, which is 1 if a_i is published at u_i or below it. If all t_i were 1, the nodes at
which the leaves are published would be in this record, and only in records that contain u_1 .. u_j: a rare set. So
some t_i is 0, and each run of neighbours with t_i = 1 has a neighbour with t_i = 0. The run therefore has at least as
many w_i next to its members as it has members. No two runs share a w_i, and all these w_i are open, because each is at
or above the open parent of a member. So the sum of the t_i is at most the sum of the 1 - z_wi, which is the clause.
Conversely, if all clauses are satisfied, no set of published nodes is rare: otherwise the clause of these nodes, with
the leaves of a record that contains them, is violated.

If the nodes are siblings, or a parent is above another parent, terms cancel. A clause without suppression therefore
often forces a node to be closed. A clause implies the clauses of the sets below it, so maximal sets are sufficient.

References: the method is unpublished. The weaker clauses without lowest common ancestors, in which the sum of s and z
is at least 1, had a gap of 7 % on BMS-WebView-2 (k=5, m=3, with suppression). There, the relaxation with the clauses
above is integral.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from anonset.algorithms.transaction.rare_sets.expanded_blocks import BlockTask
from anonset.algorithms.transaction.rare_sets.supported_nodes import NodeSupports
from anonset.data import Hierarchy
from anonset.data.array_types import Bools, Int32, Int64
from anonset.data.blocks import Blocks, Rows, StoredRows
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.spans import begins_of, gathered
from anonset.data.storage.store import Store
from anonset.generalization import Cut
from anonset.generalization.recoding import SUPPRESSED
from anonset.measures.losses.ncp import ncp_numerator

Nodes = Bools
"""Set of nodes, bool (V,)."""
Tree = tuple[Int32, Int32, Int32]
"""Parent, first leaf and end of the leaves of each node, int32 (V,) each."""


@dataclass(frozen=True, eq=False)
class CutProblem(RedactedRepr):
    """Input of the search for an exact cut. The hierarchy must have more than one leaf."""

    blocks: Blocks
    """Records, bound to the hierarchy (item codes are leaf positions)."""
    hierarchy: Hierarchy
    k: int
    m: int
    suppress: bool
    """True if leaves may be suppressed."""
    start: Cut | None = None
    """Finest cut to consider, without suppression. None if each leaf may be published."""

    @property
    def finest(self) -> Int32:
        """Node of each leaf in the finest cut, int32 (M,)."""
        return self.hierarchy.leaf_node if self.start is None else self.start.image

    @property
    def begun(self) -> Nodes:
        """True for inner nodes that are closed in the finest cut, bool (V,)."""
        on_it = np.zeros(self.hierarchy.n_nodes, np.bool_)
        on_it[self.finest] = True
        inner: Nodes = (on_it | below_closed(self.hierarchy, on_it)) & ~self.hierarchy.is_leaf
        return inner

    @cached_property
    def tree(self) -> Tree:
        """Hierarchy in the form that kernels expect."""
        return self.hierarchy.parent, self.hierarchy.leaf_lo, self.hierarchy.leaf_hi

    @cached_property
    def support(self) -> Int64:
        """Number of records with an item below each node, int64 (V,)."""
        return supports(self.hierarchy, self.blocks.rows, self.blocks.store)

    @property
    def size(self) -> int:
        """Maximum size of rare sets. It is m, or the length of the longest record if this is smaller."""
        return min(self.m, self.blocks.longest)

    @property
    def rare_nodes(self) -> Int32:
        """Nodes that are rare by themselves, int32, in preorder."""
        return np.flatnonzero((self.support > 0) & (self.support < self.k)).astype(np.int32)

    @cached_property
    def occurring(self) -> Nodes:
        """True for inner nodes above an item that occurs, bool (V,). Closing any other node has no cost."""
        inner: Nodes = ~self.hierarchy.is_leaf & (self.support > 0)
        return inner

    @cached_property
    def weights(self) -> Int64:
        """Cost of closing each inner node if all nodes below it are closed, int64 (V,)."""
        below = begins_of(self.blocks.occurrences)
        occurrences = below[self.hierarchy.leaf_hi] - below[self.hierarchy.leaf_lo]
        leaves = self.hierarchy.n_leaves_below.astype(np.int64)
        cost = np.where(leaves > 1, occurrences * leaves, 0).astype(np.int64)
        weights = cost.copy()
        np.subtract.at(weights, self.hierarchy.parent[1:], cost[1:])
        return weights

    @property
    def suppression_costs(self) -> Int64:
        """Cost of suppressing each leaf, int64 (M,)."""
        costs: Int64 = self.blocks.occurrences * self.hierarchy.n_leaves
        return costs

    @property
    def total(self) -> int:
        """Cost of suppressing all items, which is the denominator of the NCP."""
        return max(1, self.hierarchy.n_leaves * int(self.blocks.occurrences.sum()))

    def frequent(self, closed: Nodes, support: Int64) -> Int32:
        """Return the nodes on or above closed nodes that are not rare by themselves, int32, by descending `support`,
        then in preorder. The root, and nodes with the support 0, int64 (V,), are excluded.
        """
        mask = ~below_closed(self.hierarchy, closed) & (support > 0) & (self.support >= self.k)
        mask[0] = False
        nodes = np.flatnonzero(mask).astype(np.int32)
        return nodes[np.lexsort((nodes, -support[nodes]))]

    def cost(self, cut: Cut) -> int:
        """Return the NCP numerator of a cut."""
        return ncp_numerator(self.blocks, cut)

    def rank(self, cut: Cut) -> tuple[int, int]:
        """Return the cost and the number of suppressed occurrences of a cut. Smaller values are better."""
        return self.cost(cut), int(self.blocks.occurrences[cut.image == SUPPRESSED].sum())

    def without_needless_nodes(self, cut: Cut) -> Cut:
        """Replace nodes that no record contains, and suppressed items that never occur, by nodes of the finest cut."""
        idle = np.where(cut.image == SUPPRESSED, self.blocks.occurrences == 0, self.support[cut.image] == 0)
        return Cut(self.hierarchy, np.where(idle, self.finest, cut.image).astype(np.int32))

    def cut(self, closed: Nodes, suppressed: Bools) -> Cut:
        """Return the cut of closed nodes and suppressed leaves. Leaves below a closed node are not suppressed."""
        image = entries(self.hierarchy, closed)
        is_suppressed = suppressed & (image == self.hierarchy.leaf_node) & (self.blocks.occurrences > 0)
        return Cut(self.hierarchy, np.where(is_suppressed, SUPPRESSED, image).astype(np.int32))


def supports(
    hierarchy: Hierarchy,
    parts: Sequence[StoredRows],
    store: Store,
    shown: Callable[[StoredRows], Rows] | None = None,
) -> Int64:
    """Count the records with an item below each node, int64 (V,). `shown` converts the rows before they are counted."""
    count = BlockTask(NodeSupports(hierarchy.leaf_node, hierarchy.parent), shown)
    return sum(store.map(count, store.workers.divided(parts)), np.zeros(hierarchy.n_nodes, np.int64))


def below_closed(hierarchy: Hierarchy, closed: Nodes) -> Nodes:
    """Return True for each node strictly below a closed node, bool (V,)."""
    depth = np.zeros(hierarchy.n_nodes + 1, np.int64)
    nodes = np.flatnonzero(closed)
    np.add.at(depth, nodes + 1, 1)
    np.add.at(depth, hierarchy.subtree_end[nodes], -1)
    below: Nodes = np.cumsum(depth[:-1]) > 0
    return below


def entries(hierarchy: Hierarchy, closed: Nodes) -> Int32:
    """Return the highest closed node above each leaf, int32 (M,). If there is none, return the leaf."""
    top = np.flatnonzero(closed & ~below_closed(hierarchy, closed) & ~hierarchy.is_leaf)
    lengths = hierarchy.n_leaves_below[top].astype(np.int64)
    _, leaves = gathered(hierarchy.leaf_lo[top], lengths)
    entry = hierarchy.leaf_node.copy()
    entry[leaves] = np.repeat(top, lengths)
    return entry
