"""Tree operations on a hierarchy in preorder, in which each node is an interval of leaves."""

from anonset_kernels._arrays import Integer, LeafHi, LeafLo, Parent
from anonset_kernels._jit import kernel


@kernel()
def is_below(leaf_lo: LeafLo, leaf_hi: LeafHi, node: Integer, above: Integer) -> bool:
    """Return True if `node` equals `above` or is below it. O(1)."""
    return leaf_lo[above] <= leaf_lo[node] and leaf_hi[node] <= leaf_hi[above]


@kernel()
def lowest_common_ancestor(parent: Parent, leaf_lo: LeafLo, leaf_hi: LeafHi, node: Integer, other: Integer) -> Integer:
    """Return the lowest node that equals or is an ancestor of both nodes. O(depth)."""
    while not is_below(leaf_lo, leaf_hi, other, node):
        node = parent[node]
    return node
