"""Apriori on a binary tree that is built by halving the items of a record set.

The items that occur are the leaves, in descending order of frequency. Each node is an interval of leaves. Supports of
node pairs are counted up to k in one pass over the records. The table of pairs contains the nodes that remain after the
rare single nodes are fixed, and stores 64 pairs per word (see `bit_planes`). Larger sets are counted in bitmaps of the
records, one per node.
"""

import numpy as np

from anonset_kernels._arrays import Csr, Int32Array, Int64Array, Itemset, Parent, TreeShape, UInt8Array
from anonset_kernels._bits import bit, trailing_zeros
from anonset_kernels._jit import kernel
from anonset_kernels.cuts._rare_fixes import Fixes, NodeStates, fix_sets
from anonset_kernels.rare_sets._candidates import generalize, holds, next_better
from anonset_kernels.rare_sets._planes import Planes, count_pairs, rare_of_cell, row_starts
from anonset_kernels.rare_sets._record_codes import ancestor_codes, room_for_record, take_record

MOST_BITS, LARGE = 1 << 27, 2000
"""Limits for sets of three and more nodes. MOST_BITS limits the total number of bits of all bitmaps. For m above 3, the
number of records must be below LARGE.
"""
_State = tuple[UInt8Array, UInt8Array, Int64Array, Int64Array]
"""State of the nodes, as arrays (dead, published, below, support)."""
_Pairs = tuple[Int32Array, Planes]
"""Rank of each node, int32 (V,), and supports of all pairs of ranks, up to k. The rank of a node that is not in the
table is -1.
"""


@kernel(allocates=True)
def search_halves(
    records: Csr,
    rows: Int64Array,
    ranked: tuple[Int32Array, Int64Array],
    rule: tuple[int, int, bool],
    place: Int32Array,
    most_cells: int,
) -> tuple[int, int, Int32Array]:
    """Find the cut of a record set's halving tree.

    Parameters
    ----------
    records, rows
        (indptr, items) of the column, and the records of the set.
    ranked
        Items by descending frequency, and their frequencies, from `items_by_frequency`.
    rule
        (k, m, by_number). If `by_number`, the tree halves the number of items, otherwise the number of item
        occurrences.
    place
        int32 (items of the column,): changed here for the items of the set.
    most_cells
        Maximum number of cells in the table of pairs.

    Returns
    -------
    (status, loss, node). The status is 0, or -1 without a result. There is no result if the table of pairs or the
    bitmaps would be too large, or if records have items, but fewer than k records. The loss is the sum, over all items,
    of occurrences times (items of the published node - 1). `node`, int32, is the published node of each ranked item.
    """
    k, m, by_number = rule
    order, count = ranked
    shape, leaf = _tree(count, by_number)
    n_nodes = len(shape.parent)
    if len(order) == 0 or k == 1:
        return 0, 0, leaf
    for j in range(len(order)):
        place[order[j]] = leaf[j]
    dead, published = np.zeros(n_nodes, np.uint8), np.zeros(n_nodes, np.uint8)
    state = (dead, published, np.zeros(n_nodes, np.int64), _supports(records, rows, place, shape.parent))
    if state[3][0] < k:
        return -1, 0, leaf
    by_support = np.argsort(-state[3][1:], kind="mergesort") + 1
    rank = np.full(n_nodes, -1, np.int32)
    _fix_singles(by_support, k, shape, state, (rank, _table(0, k)))
    if m > 1 and _longest(records, rows) > 1:
        live = by_support[dead[by_support] == 0]
        if len(live) * len(live) > most_cells:
            return -1, 0, leaf
        for r in range(len(live)):
            rank[live[r]] = r
        for j in range(len(order)):
            place[order[j]] = j
        table = _table(len(live), k)
        _count_pairs(records, rows, place, (leaf, shape.parent, rank), table)
        _fix_pairs(live, k, shape, state, (rank, table))
        longest = min(m, _longest(records, rows))
        if longest > 2:
            if len(rows) * n_nodes > MOST_BITS or (m > 3 and len(rows) >= LARGE):
                return -1, 0, leaf
            _fix_larger((records, rows, place, leaf), by_support, (k, longest), shape, state)
    loss, covering = 0, np.full(n_nodes, -1, np.int32)
    for v in range(n_nodes):
        if published[v] and not dead[v]:
            loss += shape.occurrences[v] * (shape.leaves[v] - 1)
            for u in range(v, shape.end[v]):
                covering[u] = v
    for j in range(len(order)):
        if covering[leaf[j]] >= 0:
            leaf[j] = covering[leaf[j]]
    return 0, loss, leaf


@kernel(allocates=True)
def items_by_frequency(records: Csr, rows: Int64Array, place: Int32Array) -> tuple[Int32Array, Int64Array]:
    """Return the items in `rows`, int64 (r,), and their frequencies.

    Items are sorted by descending frequency, then by code.

    `place`, int32 (items of the column,), must be -1 before the call. `forget` resets it. Cost: O(occurrences), and
    sorting the items.
    """
    indptr, items = records
    n_entries = 0
    for r in rows:
        n_entries += indptr[r + 1] - indptr[r]
    distinct = np.empty(min(n_entries, len(place)), np.int32)
    n = 0
    for r in rows:
        for entry in range(indptr[r], indptr[r + 1]):
            if place[items[entry]] < 0:
                place[items[entry]] = 0
                distinct[n] = items[entry]
                n += 1
            place[items[entry]] += 1
    distinct = np.sort(distinct[:n])
    count = np.empty(n, np.int64)
    for j in range(n):
        count[j] = place[distinct[j]]
    order = np.argsort(-count, kind="mergesort")
    return distinct[order], count[order]


@kernel()
def forget(order: Int32Array, place: Int32Array) -> None:
    """Reset `place`, int32 (items of the column,), to -1 at the items of `order`, int32 (items,)."""
    for item in order:
        place[item] = -1


@kernel(allocates=True)
def _tree(frequency: Int64Array, by_number: bool) -> tuple[TreeShape, Int32Array]:
    """Return the halving tree's nodes in preorder and the node of each leaf. `frequency` is descending and positive."""
    n = max(1, len(frequency))
    before = np.zeros(n + 1, np.int64)
    for j in range(len(frequency)):
        before[j + 1] = before[j] + frequency[j]
    parent, end = np.full(2 * n - 1, -1, np.int32), np.empty(2 * n - 1, np.int32)
    occurrences, leaves = np.empty(2 * n - 1, np.int64), np.empty(2 * n - 1, np.int64)
    leaf = np.empty(n, np.int32)
    stack = np.empty((n + 1, 3), np.int64)
    stack[0, 0], stack[0, 1], stack[0, 2] = 0, n, -1
    waiting, v = 1, 0
    while waiting > 0:
        waiting -= 1
        low, high = stack[waiting, 0], stack[waiting, 1]
        parent[v] = stack[waiting, 2]
        occurrences[v], leaves[v] = before[high] - before[low], high - low
        end[v] = v + 2 * (high - low) - 1
        if high - low == 1:
            leaf[low] = v
        else:
            middle = low + (high - low + 1) // 2 if by_number else _middle(before, low, high)
            stack[waiting, 0], stack[waiting, 1], stack[waiting, 2] = middle, high, v
            stack[waiting + 1, 0], stack[waiting + 1, 1], stack[waiting + 1, 2] = low, middle, v
            waiting += 2
        v += 1
    return TreeShape(parent, end, occurrences, leaves), leaf


@kernel()
def _middle(before: Int64Array, low: int, high: int) -> int:
    """Return the start of an interval's second half.

    The first half has less than half of the occurrences if possible.
    """
    total = before[low] + before[high]
    begin, last = low + 1, high
    while begin < last:
        middle = (begin + last) >> 1
        if 2 * before[middle] < total:
            begin = middle + 1
        else:
            last = middle
    return max(low + 1, min(high - 1, begin - 1))


@kernel(allocates=True)
def _supports(records: Csr, rows: Int64Array, place: Int32Array, parent: Parent) -> Int64Array:
    """Count the rows with an item below each node."""
    indptr, items = records
    support, last = np.zeros(len(parent), np.int64), np.full(len(parent), -1, np.int64)
    for i in range(len(rows)):
        for entry in range(indptr[rows[i]], indptr[rows[i] + 1]):
            v = place[items[entry]]
            while v >= 0 and last[v] != i:
                last[v] = i
                support[v] += 1
                v = parent[v]
    return support


@kernel()
def _longest(records: Csr, rows: Int64Array) -> int:
    longest = 0
    for r in rows:
        longest = max(longest, records[0][r + 1] - records[0][r])
    return longest


@kernel(allocates=True)
def _table(n_codes: int, k: int) -> Planes:
    n_planes = 0
    while k >> n_planes > 0:
        n_planes += 1
    flip = np.zeros(n_planes, np.uint64)
    for p in range(n_planes):
        if k >> p & 1 == 0:
            flip[p] = ~flip[p]
    n_words = (n_codes + 63) >> 6
    start = row_starts(n_codes, 2, n_words)
    cells = start[n_codes]
    return Planes(n_words, start, flip, np.zeros(cells, np.uint64), np.zeros(cells * n_planes, np.uint64))


@kernel(allocates=True)
def _count_pairs(
    records: Csr, rows: Int64Array, place: Int32Array, tree: tuple[Int32Array, Parent, Int32Array], table: Planes
) -> None:
    """Count, up to k, the rows that contain each pair of nodes of the table.

    Parameters
    ----------
    place
        int32 (items of the column,): leaf position of each item.
    tree
        (leaf, parent, rank): node of each leaf; parent of each node; rank of each node in the table, or -1.
    """
    indptr, items = records
    leaf, parent, rank = tree
    ancestors = ancestor_codes(leaf, parent, rank, _height(parent))
    record, leaf_places = room_for_record(len(table.start) - 1), np.empty(_longest(records, rows), np.int32)
    for r in rows:
        n_items = indptr[r + 1] - indptr[r]
        if n_items < 2:
            continue
        for j in range(n_items):
            leaf_places[j] = place[items[indptr[r] + j]]
        n, n_words = take_record(leaf_places[:n_items], ancestors, record)
        count_pairs(record, n, n_words, table)
        for i in range(n_words):
            record.words[record.place[i]] = np.uint64(0)


@kernel(allocates=True)
def _height(parent: Parent) -> int:
    """Return the number of nodes on the longest path from the root. Parents must precede their children."""
    depth, height = np.ones(len(parent), np.int64), 1
    for v in range(1, len(parent)):
        depth[v] = depth[parent[v]] + 1
        height = max(height, depth[v])
    return height


@kernel(allocates=True)
def _fix_singles(ranked: Int64Array, k: int, shape: TreeShape, state: _State, pairs: _Pairs) -> None:
    itemset = np.empty(1, np.int32)
    for v in ranked:
        if state[3][v] < k and not state[0][v]:
            itemset[0] = v
            _fix(itemset, k, shape, state, pairs)


@kernel(allocates=True)
def _fix_pairs(live: Int64Array, k: int, shape: TreeShape, state: _State, pairs: _Pairs) -> None:
    """Fix the rare pairs, in the order of the count-tree."""
    dead, end = state[0], shape.end
    start, second = _rare_pairs(pairs[1])
    itemset = np.empty(2, np.int32)
    for first in range(len(live)):
        u = live[first]
        for code in second[start[first] : start[first + 1]]:
            v = live[code]
            if dead[u]:
                break
            if dead[v] or u <= v < end[u] or v <= u < end[v]:
                continue
            itemset[0], itemset[1] = u, v
            _fix(itemset, k, shape, state, pairs)


@kernel(allocates=True)
def _fix_larger(
    placed: tuple[Csr, Int64Array, Int32Array, Int32Array],
    ranked: Int64Array,
    rule: tuple[int, int],
    shape: TreeShape,
    state: _State,
) -> None:
    """Fix the rare sets of 3 to m nodes.

    The first argument is (records, rows, place, leaf), with the leaf position of each item.
    """
    records, rows, place, leaf = placed
    k, m = rule
    dead, published, below, support = state
    n = len(dead)
    posting = np.zeros((n, (len(rows) + 63) >> 6), np.uint64)
    for i in range(len(rows)):
        for entry in range(records[0][rows[i]], records[0][rows[i] + 1]):
            v = leaf[place[records[1][entry]]]
            while v >= 0 and posting[v, i >> 6] & bit(i & 63) == np.uint64(0):
                posting[v, i >> 6] |= bit(i & 63)
                v = shape.parent[v]
    states = NodeStates(dead, published, below, support, posting)
    sets, rules = np.empty((n, m), np.int32), np.empty((n, m), np.int32)
    fixes = Fixes(np.zeros(1, np.int64), sets, np.empty(n, np.int32), rules)
    for size in range(3, m + 1):
        fix_sets(size, k, ranked, shape, states, fixes)


@kernel(allocates=True)
def _rare_pairs(table: Planes) -> tuple[Int64Array, Int32Array]:
    """Return the rare pairs of a table, by smaller code.

    Returns the larger codes of the pairs, ascending for each smaller code, and the first index of each smaller code.
    O(cells).
    """
    n_codes = len(table.start) - 1
    start = np.zeros(n_codes + 1, np.int64)
    for c in range(n_codes):
        for w in range(table.start[c + 1] - table.start[c]):
            rare = rare_of_cell(table, table.start[c] + w)
            while rare != 0:
                start[w * 64 + trailing_zeros(rare) + 1] += 1
                rare &= rare - np.uint64(1)
    for a in range(n_codes):
        start[a + 1] += start[a]
    fill, second = start[:-1].copy(), np.empty(start[n_codes], np.int32)
    for c in range(n_codes):
        for w in range(table.start[c + 1] - table.start[c]):
            rare = rare_of_cell(table, table.start[c] + w)
            while rare != 0:
                a = w * 64 + trailing_zeros(rare)
                second[fill[a]] = c
                fill[a] += 1
                rare &= rare - np.uint64(1)
    return start, second


@kernel(allocates=True)
def _fix(itemset: Itemset, k: int, shape: TreeShape, state: _State, pairs: _Pairs) -> None:
    """Generalize to the candidate with the smallest (loss, leaves moved, nodes in preorder) and support >= k."""
    dead, published, below, _ = state
    size = len(itemset)
    raised, chosen, best = itemset.copy(), np.empty(size, np.int32), np.empty(size, np.int32)
    n_best, least = 0, (0, 0)
    while True:
        n_chosen, loss, moved = next_better(itemset, raised, shape, below, chosen, best[:n_best], least)
        if n_chosen == 0:
            break
        if _is_frequent(chosen[:n_chosen], k, state, pairs):
            n_best, least = n_chosen, (loss, moved)
            best, chosen = chosen, best
    for v in best[:n_best]:
        if not holds(itemset, v):
            published[v] = 1
            generalize(v, shape, dead, below)


@kernel()
def _is_frequent(nodes: Int32Array, k: int, state: _State, pairs: _Pairs) -> bool:
    """Return True if at least k records contain all `nodes`. There are one or two nodes."""
    if len(nodes) == 1:
        return bool(state[3][nodes[0]] >= k)
    rank, table = pairs
    first, second = rank[nodes[0]], rank[nodes[1]]
    small, large = min(first, second), max(first, second)
    return bool(table.closed[table.start[large] + (small >> 6)] & bit(small & 63))
