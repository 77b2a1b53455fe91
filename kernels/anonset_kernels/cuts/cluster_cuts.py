"""Apriori anonymization of many small clusters of records, each with a separate hierarchy cut.

The count-tree of a cluster contains only *local* nodes, which are the nodes above the cluster's items. Local nodes are
numbered in preorder, and ranked by descending support as in the count-tree. Each local node has a bitmap of the
cluster's records. The support of a set is counted up to k by intersecting bitmaps. Losses are computed in the complete
hierarchy.
"""

import numpy as np

from anonset_kernels._arrays import (
    Csr,
    Int32Array,
    Int32Matrix,
    Int64Array,
    Int64Matrix,
    TreeShape,
)
from anonset_kernels._bits import trailing_zeros
from anonset_kernels._jit import kernel
from anonset_kernels.cuts._cluster_nodes import Tree, local_nodes, postings
from anonset_kernels.cuts._rare_fixes import Fixes, NodeStates, fix_set, fix_sets


@kernel(allocates=True)
def anonymize_clusters(
    records: Csr,
    members: Int64Array,
    start: Int64Array,
    tree: Tree,
    rule: tuple[int, int],
    node_start: Int64Array,
    nodes: Int32Array,
    scratch: Int32Matrix,
) -> int:
    """Find the cut of each cluster. Return the number of processed clusters, which stops growing if `nodes` is full.

    Parameters
    ----------
    records
        (indptr, items) of the column, with items as leaf positions.
    members, start
        int64 (r,) and (C + 1,): records, cluster by cluster, and first index of each cluster.
    tree
        (leaf_node, parent, leaf_lo, leaf_hi) of the hierarchy.
    rule
        (k, m).
    node_start, nodes
        int64 (C + 1,) and int32: filled with the inner nodes that each cluster publishes.
    scratch
        int32 (2, V): buffer with any values. Row 0 is set to -1.

    Cost per cluster: the size of the bitmaps, and an intersection for each set of fewer than m nodes that occurs and
    each later node. An intersection ends at the k-th common record.
    """
    scratch[0] = -1
    node_start[0] = 0
    lengths = np.zeros((0, 0), np.int64)
    for c in range(len(start) - 1):
        local, state, _ = _anonymized(records, members[start[c] : start[c + 1]], tree, rule, scratch, lengths, 0)
        filled = node_start[c]
        for v in range(len(local)):
            if state.published[v] and not state.dead[v]:
                if filled == len(nodes):
                    return c
                nodes[filled] = local[v]
                filled += 1
        node_start[c + 1] = filled
    return len(start) - 1


@kernel(allocates=True)
def anonymize_cluster(
    records: Csr, tree: Tree, rule: tuple[int, int], scratch: Int32Matrix, lengths: Int64Matrix, most: int
) -> tuple[Int32Array, Int32Matrix, Int32Array, Int32Matrix]:
    """Find the cut of a cluster. Return the inner nodes that the cluster publishes, and the fixes in order.

    Parameters
    ----------
    records, tree, rule, scratch
        As in `anonymize_clusters`; all records belong to the cluster.
    lengths
        int64 (m + 1, N + 1), zero before the call. Row s contains the number of records with each number of nodes, at
        most N, when sets of size s are counted. For sizes 1 and 2, or if the cut has more than `most` nodes, the nodes
        on and above the cut are counted. Otherwise only the nodes of the cut are counted.

    Returns
    -------
    Inner nodes, int32 (inner nodes,). For each of F fixes: the set in the order of the count-tree, int32 (F, m); its
    support, int32 (F,); and the generalized nodes in preorder, int32 (F, m). Sets and nodes are padded with -1.
    """
    scratch[0] = -1
    indptr, _ = records
    _, m = rule
    rows = np.arange(len(indptr) - 1)
    local, state, (number, sets, supports, rules) = _anonymized(records, rows, tree, rule, scratch, lengths, most)
    for nodes in (sets, rules):
        for t in range(number[0]):
            for j in range(m):
                if nodes[t, j] >= 0:
                    nodes[t, j] = local[nodes[t, j]]
    on_cut = (state.published != 0) & (state.dead == 0)
    return local[on_cut], sets[: number[0]], supports[: number[0]], rules[: number[0]]


@kernel(allocates=True)
def _anonymized(
    records: Csr,
    rows: Int64Array,
    tree: Tree,
    rule: tuple[int, int],
    scratch: Int32Matrix,
    lengths: Int64Matrix,
    most: int,
) -> tuple[Int32Array, NodeStates, Fixes]:
    """Find the cut of a cluster. Return the local nodes, their state, and the fixes. `lengths` may be empty."""
    k, m = rule
    local, shape = local_nodes(records, rows, tree, scratch)
    posting, support, ranked, longest = postings(records, rows, tree, scratch, local, shape)
    dead, published = np.zeros(len(local), np.uint8), np.zeros(len(local), np.uint8)
    state = NodeStates(dead, published, shape.occurrences * 0, support, posting)
    sets, rules = np.full((len(local), m), -1, np.int32), np.full((len(local), m), -1, np.int32)
    fixes = Fixes(np.zeros(1, np.int64), sets, np.empty(len(local), np.int32), rules)
    for size in range(1, min(m, longest) + 1):
        if size == 1:
            _fix_single(ranked, k, shape, state, fixes)
            continue
        if len(lengths):
            _count_lengths(
                size > 2 and _nodes_of_cut(tree, shape, state) <= most, len(rows), shape, state, lengths[size]
            )
        fix_sets(size, k, ranked, shape, state, fixes)
    return local, state, fixes


@kernel()
def _nodes_of_cut(tree: Tree, shape: TreeShape, state: NodeStates) -> int:
    """Return the number of nodes in the cut of the complete hierarchy."""
    _, _, _, leaf_hi = tree
    n = leaf_hi[0]
    for v in range(len(state.dead)):
        if state.published[v] and not state.dead[v]:
            n -= shape.leaves[v] - 1
    return int(n)


@kernel(allocates=True)
def _count_lengths(on_cut: bool, n_rows: int, shape: TreeShape, state: NodeStates, lengths: Int64Array) -> None:
    """Count the rows by their number of nodes on the cut if `on_cut`, else on or above the cut without the root."""
    dead, published, _, _, posting = state
    n_nodes = np.zeros(n_rows, np.int64)
    for v in range(1, len(dead)):
        if dead[v] or (on_cut and not published[v] and shape.end[v] > v + 1):
            continue
        for w in range(posting.shape[1]):
            word = posting[v, w]
            while word != 0:
                n_nodes[w * 64 + trailing_zeros(word)] += 1
                word &= word - np.uint64(1)
    for n in n_nodes:
        lengths[n] += 1


@kernel(allocates=True)
def _fix_single(ranked: Int64Array, k: int, shape: TreeShape, state: NodeStates, fixes: Fixes) -> None:
    itemset = np.empty(1, np.int32)
    for v in ranked:
        if state.support[v] < k and not state.dead[v]:
            itemset[0] = v
            fix_set(itemset, int(state.support[v]), k, shape, state, fixes)
