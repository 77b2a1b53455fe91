"""Apriori on a tree of halves of the items of a record set itself, for m up to 2.

The tree has a leaf for each item that occurs, by falling frequency; every node is a band of neighbours in this order.
Supports of pairs are counted in one pass over the records, up to k, in a table over the nodes that are left after
size 1: a record adds 1 for each pair of nodes above its items.
"""

import numpy as np

from anonset_kernels._arrays import Csr, Int32Array, Int64Array, Itemset, Parent, UInt8Array, UInt16Array
from anonset_kernels._candidates import Shape, generalize, holds, next_better
from anonset_kernels._jit import kernel

_State = tuple[UInt8Array, UInt8Array, Int64Array, Int64Array]
"""(dead, published, below, support) of the nodes."""
_Pairs = tuple[Int32Array, UInt16Array, int]
"""(rank, count, n_live): the rank of each node among the live ones, int32 (V,), or -1; the support of each pair of
ranks i < j up to k at ``i * n_live + j``."""


@kernel()
def search_halves(
    records: Csr,
    rows: Int64Array,
    ranked: tuple[Int32Array, Int64Array],
    rule: tuple[int, int, bool],
    place: Int32Array,
    most_cells: int,
) -> tuple[int, int, Int32Array]:
    """Find the cut of the tree of halves of a record set.

    Parameters
    ----------
    records, rows
        (indptr, items) of the column, and the records of the set.
    ranked
        The items by falling frequency, and how often each occurs, from `items_by_frequency`.
    rule
        (k, m, by_number): m at most 2, k below 2^16; whether each node halves the number of items, not occurrences.
    place
        int32 (items of the column,): changed here at the items of the set.
    most_cells
        Most cells of the table of pairs.

    Returns
    -------
    (status, loss, node): 0, or -1 if the table of pairs would be larger or some, but fewer than k, records have items;
    occurrences times (items of the published node - 1), summed; int32, the published node of each ranked item.
    """
    k, m, by_number = rule
    order, count = ranked
    shape, leaf = _tree(count, by_number)
    n_nodes = len(shape[0])
    if len(order) == 0 or k == 1:
        return 0, 0, leaf
    for j in range(len(order)):
        place[order[j]] = leaf[j]
    dead, published = np.zeros(n_nodes, np.uint8), np.zeros(n_nodes, np.uint8)
    state = (dead, published, np.zeros(n_nodes, np.int64), _supports(records, rows, place, shape[0]))
    if state[3][0] < k:
        return -1, 0, leaf
    by_support = np.argsort(-state[3][1:], kind="mergesort") + 1
    rank = np.full(n_nodes, -1, np.int32)
    _fix_singles(by_support, k, shape, state, (rank, np.zeros(0, np.uint16), 0))
    if m > 1 and _longest(records, rows) > 1:
        live = by_support[dead[by_support] == 0]
        if len(live) * len(live) > most_cells:
            return -1, 0, leaf
        for r in range(len(live)):
            rank[live[r]] = r
        pairs = (rank, np.zeros(len(live) * len(live), np.uint16), len(live))
        _count_pairs(records, rows, place, shape[0], k, pairs)
        _fix_pairs(live, k, shape, state, pairs)
    loss = 0
    for v in range(n_nodes):
        if published[v] and not dead[v]:
            loss += shape[2][v] * (shape[3][v] - 1)
            for j in range(len(order)):
                if v <= leaf[j] < shape[1][v]:
                    leaf[j] = v
    return 0, loss, leaf


@kernel()
def items_by_frequency(records: Csr, rows: Int64Array, place: Int32Array) -> tuple[Int32Array, Int64Array]:
    """Return the items that occur in `rows`, int64 (r,), by falling frequency (ties ascending), and their frequencies.

    `place`, int32 (items of the column,), is -1 before; `forget` makes it so again. O(occurrences, and items sorted).
    """
    indptr, items = records
    room = 0
    for r in rows:
        room += indptr[r + 1] - indptr[r]
    found = np.empty(min(room, len(place)), np.int32)
    n = 0
    for r in rows:
        for at in range(indptr[r], indptr[r + 1]):
            if place[items[at]] < 0:
                place[items[at]] = 0
                found[n] = items[at]
                n += 1
            place[items[at]] += 1
    found = np.sort(found[:n])
    count = np.empty(n, np.int64)
    for j in range(n):
        count[j] = place[found[j]]
    order = np.argsort(-count, kind="mergesort")
    return found[order], count[order]


@kernel()
def forget(order: Int32Array, place: Int32Array) -> None:
    """Set `place`, int32 (items of the column,), to -1 at the items of `order`, int32 (items,)."""
    for item in order:
        place[item] = -1


@kernel()
def _tree(frequency: Int64Array, by_number: bool) -> tuple[Shape, Int32Array]:
    """Return the nodes of the tree of halves in preorder, and the node of each leaf; `frequency` falls, all above 0."""
    n = max(1, len(frequency))
    before = np.zeros(n + 1, np.int64)
    for j in range(len(frequency)):
        before[j + 1] = before[j] + frequency[j]
    parent, end = np.full(2 * n - 1, -1, np.int32), np.empty(2 * n - 1, np.int32)
    occurrences, leaves = np.empty(2 * n - 1, np.int64), np.empty(2 * n - 1, np.int64)
    leaf = np.empty(n, np.int32)
    stack = np.empty((n + 1, 3), np.int64)
    stack[0, 0], stack[0, 1], stack[0, 2] = 0, n, -1
    waiting, at = 1, 0
    while waiting > 0:
        waiting -= 1
        low, high = stack[waiting, 0], stack[waiting, 1]
        parent[at] = stack[waiting, 2]
        occurrences[at], leaves[at] = before[high] - before[low], high - low
        end[at] = at + 2 * (high - low) - 1
        if high - low == 1:
            leaf[low] = at
        else:
            middle = low + (high - low + 1) // 2 if by_number else _middle(before, low, high)
            stack[waiting, 0], stack[waiting, 1], stack[waiting, 2] = middle, high, at
            stack[waiting + 1, 0], stack[waiting + 1, 1], stack[waiting + 1, 2] = low, middle, at
            waiting += 2
        at += 1
    return (parent, end, occurrences, leaves), leaf


@kernel()
def _middle(before: Int64Array, low: int, high: int) -> int:
    """Return where the second half of a band begins: behind the items whose sum is below half of the whole."""
    whole = before[low] + before[high]
    begin, last = low + 1, high
    while begin < last:
        middle = (begin + last) >> 1
        if 2 * before[middle] < whole:
            begin = middle + 1
        else:
            last = middle
    return max(low + 1, min(high - 1, begin - 1))


@kernel()
def _supports(records: Csr, rows: Int64Array, place: Int32Array, parent: Parent) -> Int64Array:
    """Return how many rows have an item below each node."""
    indptr, items = records
    support, last = np.zeros(len(parent), np.int64), np.full(len(parent), -1, np.int64)
    for i in range(len(rows)):
        for at in range(indptr[rows[i]], indptr[rows[i] + 1]):
            v = place[items[at]]
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


@kernel()
def _count_pairs(records: Csr, rows: Int64Array, place: Int32Array, parent: Parent, k: int, pairs: _Pairs) -> None:
    """Count the rows that have each pair of live nodes, up to k."""
    indptr, items = records
    rank, count, n_live = pairs
    last, held = np.full(n_live, -1, np.int64), np.empty(n_live, np.int32)
    for i in range(len(rows)):
        begin, stop = indptr[rows[i]], indptr[rows[i] + 1]
        if stop - begin < 2:
            continue
        n = 0
        for at in range(begin, stop):
            v = place[items[at]]
            while rank[v] < 0 and parent[v] >= 0:  # generalised at size 1
                v = parent[v]
            while rank[v] >= 0 and last[rank[v]] != i:
                last[rank[v]] = i
                j = n
                while j > 0 and held[j - 1] > rank[v]:
                    held[j] = held[j - 1]
                    j -= 1
                held[j] = rank[v]
                n += 1
                v = parent[v]
        for a in range(n):
            row = held[a] * n_live
            for b in range(a + 1, n):
                cell = row + held[b]
                if count[cell] < k:
                    count[cell] += 1


@kernel()
def _fix_singles(ranked: Int64Array, k: int, shape: Shape, state: _State, pairs: _Pairs) -> None:
    itemset = np.empty(1, np.int32)
    for v in ranked:
        if state[3][v] < k and not state[0][v]:
            itemset[0] = v
            _fix(itemset, k, shape, state, pairs)


@kernel()
def _fix_pairs(live: Int64Array, k: int, shape: Shape, state: _State, pairs: _Pairs) -> None:
    """Fix the rare pairs in the order of the count-tree."""
    dead, end, (_, count, n_live) = state[0], shape[1], pairs
    itemset = np.empty(2, np.int32)
    for first in range(n_live):
        u = live[first]
        if dead[u]:
            continue
        for code in range(first + 1, n_live):
            found = count[first * n_live + code]
            if found == 0 or found >= k:
                continue
            v = live[code]
            if dead[v] or u <= v < end[u] or v <= u < end[v]:
                continue
            itemset[0], itemset[1] = u, v
            _fix(itemset, k, shape, state, pairs)
            if dead[u]:
                break


@kernel()
def _fix(itemset: Itemset, k: int, shape: Shape, state: _State, pairs: _Pairs) -> None:
    """Generalize to the candidate with the smallest (loss, leaves moved, nodes in preorder) and support >= k."""
    dead, published, below, _ = state
    size = len(itemset)
    raised, chosen, best = itemset.copy(), np.empty(size, np.int32), np.empty(size, np.int32)
    n_best, least = 0, (np.int64(0), np.int64(0))
    while True:
        n_chosen, loss, moved = next_better(itemset, raised, shape, below, chosen, best[:n_best], least)
        if n_chosen == 0:
            break
        if _is_frequent(chosen[:n_chosen], k, state, pairs):
            n_best, least = n_chosen, (loss, moved)
            best[:n_best] = chosen[:n_best]
    for v in best[:n_best]:
        if not holds(itemset, v):
            generalize(v, shape, dead, published, below)


@kernel()
def _is_frequent(nodes: Int32Array, k: int, state: _State, pairs: _Pairs) -> bool:
    """Return True if at least k records have all nodes, of which there are one or two."""
    if len(nodes) == 1:
        return bool(state[3][nodes[0]] >= k)
    rank, count, n_live = pairs
    first, second = rank[nodes[0]], rank[nodes[1]]
    return bool(count[min(first, second) * n_live + max(first, second)] >= k)
