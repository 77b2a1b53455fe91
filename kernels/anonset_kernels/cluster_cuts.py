"""Apriori anonymization of many small clusters of records, each with a hierarchy cut of its own.

The count-tree of a cluster holds only nodes above its items, so all work is over these *local* nodes; the losses are
those of the whole hierarchy. Local nodes are numbered in preorder, codes are ranks by descending support, as in the
count-tree. Sets are counted in bitmaps of the cluster's records, one for each local node: 64 records at a time, and
no further than to k.
"""

from typing import NamedTuple

import numpy as np

from anonset_kernels._arrays import (
    Csr,
    Dead,
    Int32Array,
    Int32Matrix,
    Int64Array,
    Int64Matrix,
    Itemset,
    Prefix,
    UInt8Array,
    UInt64Matrix,
)
from anonset_kernels._bits import bit_count, trailing_zeros
from anonset_kernels._candidates import Shape, generalize, holds, next_better
from anonset_kernels._cluster_nodes import Tree, local_nodes, postings
from anonset_kernels._jit import kernel


class _State(NamedTuple):
    """State of the L local nodes."""

    dead: Dead
    """uint8 (L,): generalized nodes."""
    published: UInt8Array
    """uint8 (L,): inner nodes of the cut."""
    below: Int64Array
    """int64 (L,): NCP numerator of the leaves below."""
    support: Int64Array
    """int64 (L,): number of records below."""
    posting: UInt64Matrix
    """uint64 (L, words): records below, one bit for each."""


class _Fixes(NamedTuple):
    """The fixes in order; local nodes, filled up with -1."""

    number: Int64Array
    """int64 (1,): number of fixes."""
    sets: Int32Matrix
    """int32 (L, m): the rare sets."""
    supports: Int32Array
    """int32 (L,): their supports."""
    rules: Int32Matrix
    """int32 (L, m): the nodes that they are generalized to."""


@kernel()
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
    """Find the cut of each cluster; return the number of clusters done (fewer where `nodes` is full).

    Parameters
    ----------
    records
        (indptr, items) of the column, items as leaf positions.
    members, start
        int64 (r,) and (C + 1,): the records cluster by cluster, and where each cluster begins.
    tree
        (leaf_node, parent, leaf_lo, leaf_hi) of the hierarchy.
    rule
        (k, m).
    node_start, nodes
        int64 (C + 1,) and int32, filled here: the inner nodes that each cluster publishes.
    scratch
        int32 (2, V): any values; row 0 is set to -1 here.

    Cost: for each cluster, the words of the bitmaps, and for each set of fewer than m nodes that records hold, as many
    words for each node behind it as hold k records, or all.
    """
    scratch[0] = -1
    node_start[0] = 0
    lengths = np.zeros((0, 0), np.int64)
    for c in range(len(start) - 1):
        local, state, _ = _anonymized(records, members[start[c] : start[c + 1]], tree, rule, scratch, lengths, 0)
        at = node_start[c]
        for v in range(len(local)):
            if state.published[v] and not state.dead[v]:
                if at == len(nodes):
                    return c
                nodes[at] = local[v]
                at += 1
        node_start[c + 1] = at
    return len(start) - 1


@kernel()
def anonymize_cluster(
    records: Csr, tree: Tree, rule: tuple[int, int], scratch: Int32Matrix, lengths: Int64Matrix, most: int
) -> tuple[Int32Array, Int32Matrix, Int32Array, Int32Matrix]:
    """Find the cut of one cluster, and how: return the inner nodes that it publishes, and its fixes in order.

    Parameters
    ----------
    records, tree, rule, scratch
        As in `anonymize_clusters`; all records are the cluster's.
    lengths
        int64 (m + 1, N + 1), all 0; filled here by size: how many records hold so many nodes, N at most, on or above
        the cut as it is when that size begins; from sets of 3 on of those on the cut, unless it has over `most` nodes.

    Returns
    -------
    int32 (inner nodes,); for each fix int32 (F, m) its set, in the order of the count-tree, int32 (F,) its support, and
    int32 (F, m) the nodes that are generalised to, in preorder; filled up with -1
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


@kernel()
def _anonymized(
    records: Csr,
    rows: Int64Array,
    tree: Tree,
    rule: tuple[int, int],
    scratch: Int32Matrix,
    lengths: Int64Matrix,
    most: int,
) -> tuple[Int32Array, _State, _Fixes]:
    """Find the cut of a cluster: return its local nodes, their state, and the fixes; `lengths` may be empty."""
    k, m = rule
    local, shape = local_nodes(records, rows, tree, scratch)
    posting, support, ranked, longest = postings(records, rows, tree, scratch, local, shape)
    dead, published = np.zeros(len(local), np.uint8), np.zeros(len(local), np.uint8)
    state = _State(dead, published, shape.occurrences * 0, support, posting)
    sets, rules = np.full((len(local), m), -1, np.int32), np.full((len(local), m), -1, np.int32)
    fixes = _Fixes(np.zeros(1, np.int64), sets, np.empty(len(local), np.int32), rules)
    for size in range(1, min(m, longest) + 1):
        if size == 1:
            _fix_single(ranked, k, shape, state, fixes)
            continue
        if len(lengths):
            _count_lengths(
                size > 2 and _nodes_of_cut(tree, shape, state) <= most, len(rows), shape, state, lengths[size]
            )
        _fix_sets(size, k, ranked, shape, state, fixes)
    return local, state, fixes


@kernel()
def _nodes_of_cut(tree: Tree, shape: Shape, state: _State) -> int:
    """Return the number of nodes of the cut of the whole hierarchy."""
    _, _, _, leaf_hi = tree
    n = leaf_hi[0]
    for v in range(len(state.dead)):
        if state.published[v] and not state.dead[v]:
            n -= shape.leaves[v] - 1
    return int(n)


@kernel()
def _count_lengths(on_cut: bool, n_rows: int, shape: Shape, state: _State, lengths: Int64Array) -> None:
    """Count the rows by how many nodes on or above the cut they hold, the root left out; or by those on the cut."""
    dead, published, _, _, posting = state
    held = np.zeros(n_rows, np.int64)
    for v in range(1, len(dead)):
        if dead[v] or (on_cut and not published[v] and shape.end[v] > v + 1):
            continue
        for w in range(posting.shape[1]):
            word = posting[v, w]
            while word != 0:
                held[w * 64 + trailing_zeros(word)] += 1
                word &= word - np.uint64(1)
    for n in held:
        lengths[n] += 1


@kernel()
def _fix_single(ranked: Int64Array, k: int, shape: Shape, state: _State, fixes: _Fixes) -> None:
    itemset = np.empty(1, np.int32)
    for v in ranked:
        if state.support[v] < k and not state.dead[v]:
            itemset[0] = v
            _fix(itemset, int(state.support[v]), k, shape, state, fixes)


@kernel()
def _fix_sets(size: int, k: int, ranked: Int64Array, shape: Shape, state: _State, fixes: _Fixes) -> None:
    """Walk the count-tree of the cluster over sets of `size` >= 2 and fix the rare ones, in lexicographic order."""
    dead, posting = state.dead, state.posting
    live, n_words = ranked[dead[ranked] == 0], posting.shape[1]
    held, cursor = np.empty((size - 1, n_words), np.uint64), np.zeros(size, np.int64)
    prefix, itemset = np.empty(size, np.int32), np.empty(size, np.int32)
    for first in range(len(live)):
        if dead[live[first]]:
            continue
        prefix[0], cursor[0], depth = first, first + 1, 0
        for w in range(n_words):
            held[0, w] = posting[live[first], w]
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
                        held[depth + 1, w] = held[depth, w] & posting[v, w]
                        some |= held[depth + 1, w]
                    if some != 0:
                        depth += 1
                        prefix[depth], cursor[depth] = code, code + 1
                continue
            found = 0
            for w in range(n_words):
                found += bit_count(held[depth, w] & posting[v, w])
                if found >= k:
                    break
            if 0 < found < k and not _related(prefix[: depth + 1], live, code, shape.end):
                prefix[depth + 1] = code
                for j in range(size):
                    itemset[j] = live[prefix[j]]
                _fix(itemset, found, k, shape, state, fixes)


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


@kernel()
def _fix(itemset: Itemset, found: int, k: int, shape: Shape, state: _State, fixes: _Fixes) -> None:
    """Generalize to the candidate with the smallest (loss, leaves moved, nodes in preorder) and support >= k.

    `found` is the support of the set. There is no such candidate only where fewer than k records hold any item.
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
    supports[number[0]] = found
    for v in best[:n_best]:
        if not holds(itemset, v):
            rules[number[0], n_rules] = v
            n_rules += 1
            generalize(v, shape, dead, published, below)
    number[0] += 1


@kernel()
def _support(posting: UInt64Matrix, nodes: Int32Array) -> int:
    found = 0
    for w in range(posting.shape[1]):
        word = posting[nodes[0], w]
        for v in nodes[1:]:
            word &= posting[v, w]
        found += bit_count(word)
    return found
