"""Count pairs of sibling nodes, and report the maximal rare pairs of nodes.

A pair of unrelated nodes is *rare* if some, but fewer than k, records contain an item below each node. It is *maximal*
if no node can be replaced by the parent so that the pair remains rare and unrelated. The exact search
(`exact_cut.problem`) defines the clause of a rare pair, and when a node is closed.
"""

import numpy as np

from anonset_kernels._arrays import (
    Ancestry,
    CountArray,
    Float64Array,
    Found,
    Indptr,
    Int32Array,
    Int64Array,
    Items,
    Parent,
    UInt64Matrix,
)
from anonset_kernels._bits import bit, trailing_zeros
from anonset_kernels._jit import kernel
from anonset_kernels.rare_sets._tree import is_below, lowest_common_ancestor

TOLERANCE = 1e-6
"""Smallest violation of a clause that is reported."""


@kernel(allocates=True)
def count_siblings(
    indptr: Indptr,
    items: Items,
    entry: Int32Array,
    siblings: tuple[Parent, Int32Array],
    place: Int64Array,
    k: int,
    cells: CountArray,
) -> None:
    """Count, up to `k`, the records that contain each pair of siblings.

    Parameters
    ----------
    entry
        int32 (M,): lowest published node of each leaf.
    siblings
        (parent, index): int32 (V,) parent of each node, and index of each node among the siblings.
    place
        int64 (V,): start of each node's row in `cells`. A row has a cell per sibling. -1 skips the pairs with later
        siblings.
    cells
        Counters, initially zero.

    O(nnz times the depth + pairs of siblings in the records).
    """
    parent, index = siblings
    stamp, last = np.full(len(parent), -1, np.int32), np.full(len(parent), -1, np.int32)
    before, touched = np.empty(len(parent), np.int32), np.empty(len(parent), np.int32)
    for record in range(len(indptr) - 1):
        n_touched = 0
        for i in range(indptr[record], indptr[record + 1]):
            node = entry[items[i]]
            while node > 0 and stamp[node] != record:
                stamp[node] = record
                above = parent[node]
                sibling = last[above]
                if sibling < 0:
                    touched[n_touched] = above
                    n_touched += 1
                before[node], last[above] = sibling, node
                while sibling >= 0:  # only earlier siblings, because items and the children of a node are ascending
                    if place[sibling] >= 0:
                        cell = place[sibling] + index[node]
                        if cells[cell] < k:
                            cells[cell] += 1
                    sibling = before[sibling]
                node = above
        for above in touched[:n_touched]:
            last[above] = -1


@kernel()
def _is_rare(rare: UInt64Matrix, a: int, b: int) -> bool:
    if a > b:
        a, b = b, a
    return rare[a, b >> 6] & bit(b & 63) != 0


@kernel()
def maximal_pairs(
    rare: UInt64Matrix,
    nodes: Int32Array,
    code: Int32Array,
    tree: Ancestry,
    closed: Float64Array,
    first: int,
    pairs: Found,
) -> tuple[int, int]:
    """Report the maximal rare pairs whose clause is violated, from the code `first` on.

    Parameters
    ----------
    rare
        uint64 (C, W): bitmaps of `rare_in_planes.mark_rare_pairs`.
    nodes, code
        int32 (C,) node of each code, by descending support, and int32 (V,) code of each node.
    tree
        (parent, leaf_lo, leaf_hi): int32 (V,).
    closed
        float64 (V,): degree to which each node is closed, from 0 to 1.
    pairs
        int32 (F, 2): filled with the pairs of nodes whose clause is violated if no item is suppressed. The left node is
        first. F must be at least C.

    Returns
    -------
    (number of pairs, next code)

    O(words + rare pairs times the depth).
    """
    parent, leaf_lo, leaf_hi = tree
    n_found = 0
    for a in range(first, len(nodes)):
        if n_found + len(nodes) > len(pairs):
            return n_found, a
        u = nodes[a]
        p = parent[u]
        for w in range(rare.shape[1]):
            word = rare[a, w]
            while word != 0:
                b = w * 64 + trailing_zeros(word)
                word &= word - np.uint64(1)
                v = nodes[b]
                q = parent[v]
                if is_below(leaf_lo, leaf_hi, v, u):
                    continue
                if not is_below(leaf_lo, leaf_hi, v, p) and _is_rare(rare, int(code[p]), b):
                    continue
                if not is_below(leaf_lo, leaf_hi, u, q) and _is_rare(rare, a, int(code[q])):
                    continue
                meeting = lowest_common_ancestor(parent, leaf_lo, leaf_hi, u, v)
                if 1.0 - closed[p] - closed[q] + closed[meeting] > TOLERANCE:
                    pairs[n_found, 0], pairs[n_found, 1] = min(u, v), max(u, v)
                    n_found += 1
    return n_found, len(nodes)
