"""Tree primitives over a hierarchy in preorder, whose nodes are intervals of leaves."""

from anonset_kernels._arrays import Integer, LeafHi, LeafLo, Parent
from anonset_kernels._jit import kernel


@kernel()
def is_below(leaf_lo: LeafLo, leaf_hi: LeafHi, node: Integer, above: Integer) -> bool:
    """Tell whether `node` equals `above` or lies below it: its leaf interval is contained. O(1)."""
    return leaf_lo[above] <= leaf_lo[node] and leaf_hi[node] <= leaf_hi[above]


@kernel()
def lowest_common_ancestor(parent: Parent, leaf_lo: LeafLo, leaf_hi: LeafHi, node: Integer, other: Integer) -> Integer:
    """Return the lowest node at or above both. O(depth)."""
    while not is_below(leaf_lo, leaf_hi, other, node):
        node = parent[node]
    return node
