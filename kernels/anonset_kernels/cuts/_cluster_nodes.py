"""Hierarchy nodes above the items of a cluster of records, and bitmaps of the records below each node.

These *local* nodes are numbered in preorder.
"""

import numpy as np

from anonset_kernels._arrays import (
    Csr,
    Int32Array,
    Int32Matrix,
    Int64Array,
    LeafHi,
    LeafLo,
    LeafNode,
    Parent,
    TreeShape,
    UInt64Matrix,
)
from anonset_kernels._bits import bit
from anonset_kernels._jit import kernel

Tree = tuple[LeafNode, Parent, LeafLo, LeafHi]


@kernel(allocates=True)
def local_nodes(records: Csr, rows: Int64Array, tree: Tree, scratch: Int32Matrix) -> tuple[Int32Array, TreeShape]:
    """Return the nodes above the items of some rows in preorder, and the shape of their tree. O(items * height).

    Parameters
    ----------
    records
        (indptr, items) of the column, with items as leaf positions.
    rows
        int64: records of the cluster.
    tree
        (leaf_node, parent, leaf_lo, leaf_hi) of the hierarchy.
    scratch
        int32 (2, V): buffer. Row 0 is -1 before and after the call. Row 1 may contain any values.
    """
    indptr, items = records
    leaf_node, parent, leaf_lo, leaf_hi = tree
    place, unsorted = scratch[0], scratch[1]
    n = 0
    for r in rows:
        for entry in range(indptr[r], indptr[r + 1]):
            node = leaf_node[items[entry]]
            while node >= 0 and place[node] < 0:
                place[node] = 0
                unsorted[n] = node
                n += 1
                node = parent[node]
    local = np.sort(unsorted[:n])
    above, end, occurrences, leaves = (
        np.full(n, -1, np.int32),
        np.arange(1, n + 1).astype(np.int32),
        np.zeros(n, np.int64),
        np.empty(n, np.int64),
    )
    for v in range(n):
        node = local[v]
        place[node] = v
        leaves[v] = leaf_hi[node] - leaf_lo[node]
        if parent[node] >= 0:
            above[v] = place[parent[node]]
    for r in rows:
        for entry in range(indptr[r], indptr[r + 1]):
            occurrences[place[leaf_node[items[entry]]]] += 1
    for v in range(n - 1, 0, -1):
        end[above[v]] = max(end[above[v]], end[v])
        occurrences[above[v]] += occurrences[v]
    for node in local:
        place[node] = -1
    return local, TreeShape(above, end, occurrences, leaves)


@kernel(allocates=True)
def postings(
    records: Csr, rows: Int64Array, tree: Tree, scratch: Int32Matrix, local: Int32Array, shape: TreeShape
) -> tuple[UInt64Matrix, Int64Array, Int64Array, int]:
    """Find the rows that contain an item below each local node.

    Parameters
    ----------
    records, rows, tree, scratch
        As in `local_nodes`.
    local, shape
        Result of `local_nodes`.

    Returns
    -------
    Bitmap of the rows of each node, uint64 (L, words); number of rows of each node, int64 (L,); nodes except the root
    by descending number of rows, int64 (L - 1,); number of items in the longest row
    """
    indptr, items = records
    leaf_node, _, _, _ = tree
    above, place, n = shape.parent, scratch[0], len(local)
    for v in range(n):
        place[local[v]] = v
    posting = np.zeros((n, (len(rows) + 63) // 64), np.uint64)
    support = np.zeros(n, np.int64)
    longest = 0
    for i in range(len(rows)):
        word, mask = i >> 6, bit(i & 63)
        longest = max(longest, indptr[rows[i] + 1] - indptr[rows[i]])
        for entry in range(indptr[rows[i]], indptr[rows[i] + 1]):
            v = place[leaf_node[items[entry]]]
            while v >= 0 and posting[v, word] & mask == np.uint64(0):
                posting[v, word] |= mask
                support[v] += 1
                v = above[v]
    for node in local:
        place[node] = -1
    return posting, support, np.argsort(-support[1:], kind="mergesort") + 1, longest
