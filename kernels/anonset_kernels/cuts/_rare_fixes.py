"""Fix the rare sets of a cluster's nodes. Supports are counted in a bitmap of the cluster's records per node.

The nodes form a tree in preorder. See `_arrays.TreeShape`.
"""

from typing import NamedTuple

import numpy as np

from anonset_kernels._arrays import (
    Dead,
    Int32Array,
    Int32Matrix,
    Int64Array,
    Itemset,
    Prefix,
    TreeShape,
    UInt8Array,
    UInt64Matrix,
)
from anonset_kernels._bits import bit_count
from anonset_kernels._jit import kernel
from anonset_kernels.rare_sets._candidates import generalize, holds, next_better


class NodeStates(NamedTuple):
    """State of the L local nodes of a cluster."""

    dead: Dead
    """Generalized nodes, uint8 (L,)."""
    published: UInt8Array
    """Inner nodes of the cut, uint8 (L,)."""
    below: Int64Array
    """NCP numerator of the leaves below each node, int64 (L,)."""
    support: Int64Array
    """Number of records below each node, int64 (L,)."""
    posting: UInt64Matrix
    """Bitmap of the records below each node, uint64 (L, words)."""


class Fixes(NamedTuple):
    """Rare sets of local nodes and the nodes that replace them, in the order of the replacements. Sets are padded with
    -1.
    """

    number: Int64Array
    """Number of fixes, int64 (1,)."""
    sets: Int32Matrix
    """Rare set of each fix, int32 (L, m)."""
    supports: Int32Array
    """Support of each rare set, int32 (L,)."""
    rules: Int32Matrix
    """Nodes that replace each rare set, int32 (L, m)."""


@kernel(allocates=True)
def fix_sets(size: int, k: int, ranked: Int64Array, shape: TreeShape, state: NodeStates, fixes: Fixes) -> None:
    """Walk the count-tree of the cluster over sets of `size` >= 2 and fix the rare sets, in lexicographic order.

    `ranked`, int64 (L - 1,), lists the nodes except the root by descending support.
    """
    dead, posting = state.dead, state.posting
    live, n_words = ranked[dead[ranked] == 0], posting.shape[1]
    tidsets, cursor = np.empty((size - 1, n_words), np.uint64), np.zeros(size, np.int64)
    prefix, itemset = np.empty(size, np.int32), np.empty(size, np.int32)
    for first in range(len(live)):
        if dead[live[first]]:
            continue
        prefix[0], cursor[0], depth = first, first + 1, 0
        for w in range(n_words):
            tidsets[0, w] = posting[live[first], w]
        while depth >= 0:
            code = cursor[depth]
            if code >= len(live) or _any_dead(prefix[: depth + 1], live, dead):
                depth -= 1
                continue
            cursor[depth] += 1
            v = live[code]
            if dead[v]:
                continue
            if depth + 2 < size:
                if not _related(prefix[: depth + 1], live, code, shape.end):
                    some = np.uint64(0)
                    for w in range(n_words):
                        tidsets[depth + 1, w] = tidsets[depth, w] & posting[v, w]
                        some |= tidsets[depth + 1, w]
                    if some != 0:
                        depth += 1
                        prefix[depth], cursor[depth] = code, code + 1
                continue
            support = 0
            for w in range(n_words):
                support += bit_count(tidsets[depth, w] & posting[v, w])
                if support >= k:
                    break
            if 0 < support < k and not _related(prefix[: depth + 1], live, code, shape.end):
                prefix[depth + 1] = code
                for j in range(size):
                    itemset[j] = live[prefix[j]]
                fix_set(itemset, support, k, shape, state, fixes)


@kernel()
def _any_dead(prefix: Prefix, ranked: Int64Array, dead: Dead) -> bool:
    for code in prefix:
        if dead[ranked[code]]:
            return True
    return False


@kernel()
def _related(prefix: Prefix, ranked: Int64Array, code: int, end: Int32Array) -> bool:
    v = ranked[code]
    for other in prefix:
        u = ranked[other]
        if u <= v < end[u] or v <= u < end[v]:
            return True
    return False


@kernel(allocates=True)
def fix_set(itemset: Itemset, support: int, k: int, shape: TreeShape, state: NodeStates, fixes: Fixes) -> None:
    """Generalize to the candidate with the smallest (loss, leaves moved, nodes in preorder) and support >= k.

    Candidates are generalizations of the set. There is no candidate only if fewer than k records contain items.
    `support` is the support of the set.
    """
    dead, published, below, _, posting = state
    size = len(itemset)
    raised, chosen, best = itemset.copy(), np.empty(size, np.int32), np.empty(size, np.int32)
    n_best, least = 0, (0, 0)
    while True:
        n_chosen, loss, moved = next_better(itemset, raised, shape, below, chosen, best[:n_best], least)
        if n_chosen == 0:
            break
        if _support(posting, chosen[:n_chosen]) >= k:
            n_best, least = n_chosen, (loss, moved)
            best, chosen = chosen, best
    if n_best == 0:
        return
    number, sets, supports, rules = fixes
    n_rules = 0
    for j in range(size):
        sets[number[0], j] = itemset[j]
    supports[number[0]] = support
    for v in best[:n_best]:
        if not holds(itemset, v):
            rules[number[0], n_rules] = v
            n_rules += 1
            published[v] = 1
            generalize(v, shape, dead, below)
    number[0] += 1


@kernel()
def _support(posting: UInt64Matrix, nodes: Int32Array) -> int:
    support = 0
    for w in range(posting.shape[1]):
        word = posting[nodes[0], w]
        for v in nodes[1:]:
            word &= posting[v, w]
        support += bit_count(word)
    return support
