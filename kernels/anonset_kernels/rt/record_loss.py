"""Utility loss of published records (Poulis et al. 2013, section 5)."""

from math import expm1, ldexp, log

import numpy as np

from anonset_kernels._arrays import Csr, Float64Array, Indptr, Int32Array, Int64Array, LeafHi, LeafLo, LeafNode
from anonset_kernels._jit import kernel


@kernel()
def record_losses(
    indptr: Indptr, symbols: Int32Array, size: Int64Array, weight: Float64Array, out: Float64Array
) -> None:
    """Fill ``out[r]`` with the utility loss UL of each record. O(nnz).

    UL is the sum of ``w (2^s - 1) / (2^sigma - 1)`` over the symbols of a record, with their weights w, their sizes s,
    and the sum of the sizes sigma. Negative powers of two are used, because they neither overflow nor lose precision.
    `symbols`, int32 (nnz,), contains the symbols of each record. `size`, int64 (S,), and `weight`, float64 (S,),
    describe each symbol. `out` is float64 (n,).
    """
    ln2 = log(2.0)
    for r in range(len(indptr) - 1):
        sigma = np.int64(0)
        for entry in range(indptr[r], indptr[r + 1]):
            sigma += size[symbols[entry]]
        total = 0.0
        for entry in range(indptr[r], indptr[r + 1]):
            s, w = size[symbols[entry]], weight[symbols[entry]]
            if w > 0.0:
                total += w * ldexp(expm1(-s * ln2) / expm1(-sigma * ln2), int(s - sigma))
        out[r] = total


@kernel(allocates=True)
def published_rows(
    records: Csr,
    members: Int64Array,
    start: Int64Array,
    tree: tuple[LeafNode, LeafLo, LeafHi],
    node_start: Int64Array,
    nodes: Int32Array,
) -> Csr:
    """Replace the items of each cluster's records by published nodes.

    Parameters
    ----------
    records
        (indptr, items) of the column, with items as leaf positions.
    members, start
        int64 (r,) and (C + 1,): records, cluster by cluster, and first index of each cluster.
    tree
        (leaf_node, leaf_lo, leaf_hi) of the hierarchy.
    node_start, nodes
        int64 (C + 1,) and int32: inner nodes that each cluster publishes. No two nodes of a cluster are related.

    Returns
    -------
    Start of each record, int64 (records + 1,), in the order of `members`, and its distinct nodes in ascending order,
    int32. O(nnz), plus the leaves below the nodes.
    """
    indptr, items = records
    leaf_node, leaf_lo, leaf_hi = tree
    image = leaf_node.copy()
    total = 0
    for r in members:
        total += indptr[r + 1] - indptr[r]
    out_ptr, out = np.zeros(len(members) + 1, np.int64), np.empty(total, np.int32)
    filled = 0
    for c in range(len(start) - 1):
        for node in nodes[node_start[c] : node_start[c + 1]]:
            image[leaf_lo[node] : leaf_hi[node]] = node
        for i in range(start[c], start[c + 1]):
            first = filled
            for entry in range(indptr[members[i]], indptr[members[i] + 1]):
                symbol = image[items[entry]]
                if filled == first or out[filled - 1] != symbol:  # the leaves of a node are adjacent
                    out[filled] = symbol
                    filled += 1
            out_ptr[i + 1] = filled
        for node in nodes[node_start[c] : node_start[c + 1]]:
            for leaf in range(leaf_lo[node], leaf_hi[node]):
                image[leaf] = leaf_node[leaf]
    return out_ptr, out[:filled].copy()
