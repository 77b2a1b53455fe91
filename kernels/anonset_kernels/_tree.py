"""Tree primitives over a hierarchy in preorder, whose nodes are intervals of leaves."""

from anonset_kernels._arrays import Integer, LeafHi, LeafLo
from anonset_kernels._jit import kernel


@kernel()
def is_below(leaf_lo: LeafLo, leaf_hi: LeafHi, node: Integer, above: Integer) -> bool:
    """Tell whether `node` equals `above` or lies below it: its leaf interval is contained. O(1)."""
    return leaf_lo[above] <= leaf_lo[node] and leaf_hi[node] <= leaf_hi[above]
