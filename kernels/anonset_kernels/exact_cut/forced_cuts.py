"""Prove that the cuts of clusters have minimal loss, because every finer cut would publish a rare set."""

import numpy as np

from anonset_kernels._arrays import (
    BoolArray,
    Csr,
    Int32Array,
    Int32Matrix,
    Int64Array,
    TreeShape,
    UInt64Matrix,
)
from anonset_kernels._bits import bit_count
from anonset_kernels._jit import kernel
from anonset_kernels.cuts._cluster_nodes import Tree, local_nodes, postings


@kernel(allocates=True)
def mark_forced(
    records: Csr,
    clusters: tuple[Int64Array, Int64Array],
    tree: Tree,
    rule: tuple[int, int],
    cuts: tuple[Int64Array, Int32Array],
    scratch: Int32Matrix,
    forced: BoolArray,
) -> None:
    """Mark the clusters whose cut is proven to have minimal loss, because each node of the cut is forced.

    The surroundings of a node are the children of the node and of all ancestors, without the node and the ancestors.
    Suppose at most m nodes of the surroundings, at least one a child of the node, form a rare set. Every cut that
    publishes a descendant of the node publishes each of these nodes or a descendant, and therefore a rare set. So the
    node or an ancestor must be published.

    Parameters
    ----------
    records, tree, rule, scratch
        As in `cluster_cuts.anonymize_clusters`.
    clusters
        (members, start): records, cluster by cluster, and first index of each cluster.
    cuts
        (node_start, nodes): inner nodes above items that each cluster publishes, ascending. Under these cuts, no set of
        at most m nodes is rare.
    forced
        bool (C,): filled with True for each marked cluster.

    Cost per node of a cut: intersections of the bitmaps of at most m nodes of its surroundings, up to the first rare
    set.
    """
    members, start = clusters
    node_start, nodes = cuts
    scratch[0] = -1
    for c in range(len(start) - 1):
        rows = members[start[c] : start[c + 1]]
        local, shape = local_nodes(records, rows, tree, scratch)
        posting, _, _, longest = postings(records, rows, tree, scratch, local, shape)
        forced[c], position = True, 0
        for node in nodes[node_start[c] : node_start[c + 1]]:
            while local[position] < node:
                position += 1
            around, n_children = _surroundings(position, shape)
            if not _has_rare_set(around, n_children, posting, rule[0], min(rule[1], longest)):
                forced[c] = False
                break


@kernel(allocates=True)
def _surroundings(node: int, shape: TreeShape) -> tuple[Int64Array, int]:
    """Return the surroundings of a node and its number of children.

    The children come first, then the siblings of the node and of its ancestors.
    """
    around = np.empty(len(shape.end), np.int64)
    n, n_children, below = 0, 0, -1
    while node >= 0:
        child = node + 1
        while child < shape.end[node]:
            if child != below:
                around[n] = child
                n += 1
            child = shape.end[child]
        if below < 0:
            n_children = n
        node, below = shape.parent[node], node
    return around[:n], n_children


@kernel(allocates=True)
def _has_rare_set(around: Int64Array, n_children: int, posting: UInt64Matrix, k: int, m: int) -> bool:
    """Return True if at most m nodes of `around` form a rare set. At least one must be among the first `n_children`."""
    tidsets, cursor = np.empty((m, posting.shape[1]), np.uint64), np.zeros(m, np.int64)
    depth = 0
    while depth >= 0:
        i = cursor[depth]
        if i >= (n_children if depth == 0 else len(around)):
            depth -= 1
            continue
        cursor[depth] += 1
        support = 0
        for w in range(posting.shape[1]):
            word = posting[around[i], w]
            if depth > 0:
                word &= tidsets[depth - 1, w]
            tidsets[depth, w] = word
            support += bit_count(word)
        if 0 < support < k:
            return True
        if support > 0 and depth + 1 < m:
            depth += 1
            cursor[depth] = i + 1
    return False
