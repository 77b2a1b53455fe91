"""Apriori anonymization of many small clusters of records, each with a hierarchy cut of its own.

The count-tree of a cluster holds only nodes above its items, so all work is over these *local* nodes; the losses are
those of the whole hierarchy. Supports are looked up in bitmaps of the cluster's records, one for each local node.
Local nodes are numbered in preorder, codes are ranks by descending support, as in the count-tree.
"""

import numpy as np

from anonset_kernels._arrays import (
    Codes,
    Count,
    Csr,
    Dead,
    Int32Array,
    Int32Matrix,
    Int64Array,
    Itemset,
    LeafHi,
    LeafLo,
    LeafNode,
    Parent,
    Prefix,
    UInt8Array,
    UInt64Matrix,
)
from anonset_kernels._bits import bit, bit_count
from anonset_kernels._candidates import comes_before, holds, maximal_nodes, next_candidate
from anonset_kernels._jit import kernel

_Tree = tuple[LeafNode, Parent, LeafLo, LeafHi]
_Shape = tuple[Int32Array, Int32Array, Int64Array, Int64Array]
"""(parent, end, occurrences, leaves) of the local nodes: see `_local_nodes`."""
_State = tuple[Dead, UInt8Array, Int64Array, Int64Array, UInt64Matrix]
"""(dead, published, below, support, posting) of the local nodes."""


@kernel()
def anonymize_clusters(
    records: Csr,
    members: Int64Array,
    start: Int64Array,
    tree: _Tree,
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

    Cost: for each cluster, one increment for each set of i <= m nodes in each record, expanded by the ancestors.
    """
    scratch[0] = -1
    node_start[0] = 0
    for c in range(len(start) - 1):
        rows = members[start[c] : start[c + 1]]
        local, shape = _local_nodes(records, rows, tree, scratch)
        if len(local) == 0:
            node_start[c + 1] = node_start[c]
            continue
        posting, support, ranked, codes, longest = _postings(records, rows, tree, scratch, local, shape)
        dead, published, below = np.zeros(len(local), np.uint8), np.zeros(len(local), np.uint8), shape[2] * 0
        state = (dead, published, below, support, posting)
        for size in range(1, min(rule[1], longest) + 1):
            if size == 1:
                _fix_single(ranked, rule[0], shape, state)
            else:
                _fix_sets(size, rule[0], codes, ranked, len(rows), shape, state)
        at = node_start[c]
        for v in range(len(local)):
            if published[v] and not dead[v]:
                if at == len(nodes):
                    return c
                nodes[at] = local[v]
                at += 1
        node_start[c + 1] = at
    return len(start) - 1


@kernel()
def _local_nodes(records: Csr, rows: Int64Array, tree: _Tree, scratch: Int32Matrix) -> tuple[Int32Array, _Shape]:
    """Return the nodes above the items of the rows in preorder, and their shape.

    The shape is (parent, end, occurrences, leaves): local parent, one past the last local node below, occurrences of
    the items below in the rows, leaves below in the whole hierarchy.
    """
    indptr, items = records
    leaf_node, parent, leaf_lo, leaf_hi = tree
    place, found = scratch[0], scratch[1]
    n = 0
    for r in rows:
        for at in range(indptr[r], indptr[r + 1]):
            node = leaf_node[items[at]]
            while node >= 0 and place[node] < 0:
                place[node] = 0
                found[n] = node
                n += 1
                node = parent[node]
    local = np.sort(found[:n])
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
        for at in range(indptr[r], indptr[r + 1]):
            occurrences[place[leaf_node[items[at]]]] += 1
    for v in range(n - 1, 0, -1):
        end[above[v]] = max(end[above[v]], end[v])
        occurrences[above[v]] += occurrences[v]
    for node in local:
        place[node] = -1
    return local, (above, end, occurrences, leaves)


@kernel()
def _postings(
    records: Csr, rows: Int64Array, tree: _Tree, scratch: Int32Matrix, local: Int32Array, shape: _Shape
) -> tuple[UInt64Matrix, Int64Array, Int64Array, Codes, int]:
    """Return bitmaps, supports, local nodes by rank, the rows as ascending codes closed by -1, and their longest."""
    indptr, items = records
    leaf_node, above = tree[0], shape[0]
    place, n = scratch[0], len(local)
    for v in range(n):
        place[local[v]] = v
    posting = np.zeros((n, (len(rows) + 63) // 64), np.uint64)
    support = np.zeros(n, np.int64)
    longest = 0
    for i in range(len(rows)):
        word, mask = i >> 6, bit(i & 63)
        longest = max(longest, indptr[rows[i] + 1] - indptr[rows[i]])
        for at in range(indptr[rows[i]], indptr[rows[i] + 1]):
            v = place[leaf_node[items[at]]]
            while v >= 0 and posting[v, word] & mask == np.uint64(0):
                posting[v, word] |= mask
                support[v] += 1
                v = above[v]
    for node in local:
        place[node] = -1
    ranked = np.argsort(-support[1:], kind="mergesort") + 1
    n_codes = len(rows)
    for v in range(1, n):
        n_codes += support[v]
    codes = np.empty(n_codes, np.int32)
    at = 0
    for i in range(len(rows)):
        if indptr[rows[i]] < indptr[rows[i] + 1]:
            word, mask = i >> 6, bit(i & 63)
            for code in range(len(ranked)):
                if posting[ranked[code], word] & mask != np.uint64(0):
                    codes[at] = code
                    at += 1
        codes[at] = -1
        at += 1
    return posting, support, ranked, codes, longest


@kernel()
def _fix_single(ranked: Int64Array, k: int, shape: _Shape, state: _State) -> None:
    itemset = np.empty(1, np.int32)
    for v in ranked:
        if state[3][v] < k and not state[0][v]:
            itemset[0] = v
            _fix(itemset, k, shape, state)


@kernel()
def _fix_sets(size: int, k: int, codes: Codes, ranked: Int64Array, n_rows: int, shape: _Shape, state: _State) -> None:
    """Walk the count-tree of the cluster over sets of `size` >= 2 and fix the rare ones, in lexicographic order."""
    dead, support = state[0], state[3]
    n = len(ranked)
    first = np.zeros(n + 1, np.int64)
    for code in range(n):
        first[code + 1] = first[code] + support[ranked[code]]
    fill, occurs = first[:-1].copy(), np.empty(first[n], np.int64)
    for at in range(len(codes)):
        if codes[at] >= 0:
            occurs[fill[codes[at]]] = at
            fill[codes[at]] += 1
    where, n_where = np.empty((size, n_rows), np.int64), np.zeros(size, np.int64)
    counts, cursor = np.zeros((size, n), np.int32), np.zeros(size, np.int64)
    prefix, itemset = np.empty(size, np.int32), np.empty(size, np.int32)
    for start in range(n):
        if dead[ranked[start]]:
            continue
        prefix[0], n_where[0] = start, support[ranked[start]]
        for i in range(n_where[0]):
            where[0, i] = occurs[first[start] + i]
        depth = 0
        cursor[0] = _count(codes, where[0, : n_where[0]], counts[0], start)
        while depth >= 0:
            code = cursor[depth]
            if code >= n or _any_dead(prefix[: depth + 1], ranked, dead):
                depth -= 1
                continue
            cursor[depth] += 1
            found = counts[depth, code]
            if found == 0 or dead[ranked[code]] or _related(prefix[: depth + 1], ranked, code, shape[1]):
                continue
            prefix[depth + 1] = code
            if depth + 2 == size:
                if found < k:
                    for j in range(size):
                        itemset[j] = ranked[prefix[j]]
                    _fix(itemset, k, shape, state)
                continue
            depth += 1
            n_where[depth] = _narrow(codes, where[depth - 1, : n_where[depth - 1]], code, where[depth])
            cursor[depth] = _count(codes, where[depth, : n_where[depth]], counts[depth], code)


@kernel()
def _count(codes: Codes, where: Int64Array, count: Count, code: int) -> int:
    """Count what follows the places of a prefix that ends in `code`; return the first code that may follow."""
    count[:] = 0
    for at in where:
        j = at + 1
        while codes[j] >= 0:
            count[codes[j]] += 1
            j += 1
    return code + 1


@kernel()
def _narrow(codes: Codes, where: Int64Array, code: int, narrowed: Int64Array) -> int:
    """Find the places of `code` behind those of a prefix; return their number."""
    n = 0
    for at in where:
        j = at + 1
        while 0 <= codes[j] < code:
            j += 1
        if codes[j] == code:
            narrowed[n] = j
            n += 1
    return n


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
def _fix(itemset: Itemset, k: int, shape: _Shape, state: _State) -> None:
    """Generalize to the candidate with the smallest (loss, leaves moved, nodes in preorder) and support >= k."""
    above, end, occurrences, leaves = shape
    dead, published, below, _, posting = state
    size = len(itemset)
    raised, chosen, best = itemset.copy(), np.empty(size, np.int32), np.empty(size, np.int32)
    n_best, best_cost, best_moved = 0, np.int64(0), np.int64(0)
    while next_candidate(itemset, raised, above):
        n_chosen = maximal_nodes(raised, end, chosen)
        cost, moved = np.int64(0), np.int64(0)
        for v in chosen[:n_chosen]:
            if not holds(itemset, v):
                cost += occurrences[v] * leaves[v] - below[v]
                moved += leaves[v]
        if moved == 0:
            continue
        if n_best > 0:
            if cost > best_cost or (cost == best_cost and moved > best_moved):
                continue
            if cost == best_cost and moved == best_moved and not comes_before(chosen[:n_chosen], best[:n_best]):
                continue
        if _support(posting, chosen[:n_chosen]) >= k:
            n_best, best_cost, best_moved = n_chosen, cost, moved
            for j in range(n_chosen):
                best[j] = chosen[j]
    for v in best[:n_best]:
        if not holds(itemset, v):
            change = occurrences[v] * leaves[v] - below[v]
            published[v] = 1
            dead[v + 1 : end[v]] = 1
            while v >= 0:
                below[v] += change
                v = above[v]


@kernel()
def _support(posting: UInt64Matrix, nodes: Int32Array) -> int:
    found = 0
    for w in range(posting.shape[1]):
        word = posting[nodes[0], w]
        for v in nodes[1:]:
            word &= posting[v, w]
        found += bit_count(word)
    return found
