"""Cuts of clusters that are of least loss because every finer cut publishes a rare set."""

import numpy as np

from anonset_kernels._arrays import (
    BoolArray,
    Csr,
    Int32Array,
    Int32Matrix,
    Int64Array,
    UInt64Matrix,
)
from anonset_kernels._bits import bit_count
from anonset_kernels._candidates import Shape
from anonset_kernels._cluster_nodes import Tree, local_nodes, postings
from anonset_kernels._jit import kernel


@kernel()
def mark_forced(
    records: Csr,
    clusters: tuple[Int64Array, Int64Array],
    tree: Tree,
    rule: tuple[int, int],
    cuts: tuple[Int64Array, Int32Array],
    scratch: Int32Matrix,
    forced: BoolArray,
) -> None:
    """Mark the clusters whose cut is proven to be of least loss, because each of its nodes is forced.

    Call the children of a node and of the nodes above it, without these nodes themselves, its surroundings. If at most
    m nodes of its surroundings form a rare set, every cut that publishes something below the node publishes a rare set
    too: in it, each of these nodes is published, or something below it. So the node is published, or one above it.

    Parameters
    ----------
    records, tree, rule, scratch
        As in `cluster_cuts.anonymize_clusters`.
    clusters
        (members, start): the records cluster by cluster, and where each cluster begins.
    cuts
        (node_start, nodes): the inner nodes above items that each cluster publishes, ascending; with them no set of at
        most m nodes is rare.
    forced
        bool (C,), filled here.

    Cost: for each node of a cut, the bitmaps of the sets of at most m nodes of its surroundings, until a rare one.
    """
    members, start = clusters
    node_start, nodes = cuts
    scratch[0] = -1
    for c in range(len(start) - 1):
        rows = members[start[c] : start[c + 1]]
        local, shape = local_nodes(records, rows, tree, scratch)
        posting, _, _, longest = postings(records, rows, tree, scratch, local, shape)
        forced[c] = True
        for node in nodes[node_start[c] : node_start[c + 1]]:
            around, n_children = _surroundings(int(np.searchsorted(local, node)), shape)
            if not _has_rare_set(around, n_children, posting, rule[0], min(rule[1], longest)):
                forced[c] = False
                break


@kernel()
def _surroundings(node: int, shape: Shape) -> tuple[Int64Array, int]:
    """Return the children of a node, and of all nodes above it those beside the way to it; and how many are its own."""
    found = np.empty(len(shape.end), np.int64)
    n, n_children, below = 0, 0, -1
    while node >= 0:
        child = node + 1
        while child < shape.end[node]:
            if child != below:
                found[n] = child
                n += 1
            child = shape.end[child]
        if below < 0:
            n_children = n
        node, below = shape.parent[node], node
    return found[:n], n_children


@kernel()
def _has_rare_set(around: Int64Array, n_children: int, posting: UInt64Matrix, k: int, m: int) -> bool:
    """Tell whether at most m of some nodes, one of the first `n_children` among them, form a rare set."""
    held, cursor = np.empty((m, posting.shape[1]), np.uint64), np.zeros(m, np.int64)
    depth = 0
    while depth >= 0:
        at = cursor[depth]
        if at >= (n_children if depth == 0 else len(around)):
            depth -= 1
            continue
        cursor[depth] += 1
        found = 0
        for w in range(posting.shape[1]):
            word = posting[around[at], w]
            if depth > 0:
                word &= held[depth - 1, w]
            held[depth, w] = word
            found += bit_count(word)
        if 0 < found < k:
            return True
        if found > 0 and depth + 1 < m:
            depth += 1
            cursor[depth] = at + 1
    return False
