"""Sets of nodes whose cohort is too small or too alike, and the cheapest generalisation of one (l^m-diversity).

The cohort of a set of nodes are the records with an item below each of them. It is good if it has at least k
records, and each sensitive item in at most one of l of them; an empty one is good as well.
"""

import numpy as np

from anonset_kernels._arrays import (
    Codes,
    Count,
    Csr,
    IndexArray,
    Indptr,
    Int32Array,
    Int64Array,
    Intervals,
    ItemRecords,
    Items,
    Itemset,
    ItemStart,
    Position,
    Prefix,
    Tally,
    Tree,
    UInt8Array,
    UInt64Array,
)
from anonset_kernels._bits import trailing_zeros
from anonset_kernels._candidates import comes_before, first_at_least, holds, maximal_nodes, next_candidate
from anonset_kernels._jit import kernel
from anonset_kernels._prefix import count_extensions, project, with_room
from anonset_kernels._tree import is_below

_Data = tuple[Indptr, Items, ItemStart, ItemRecords, Int64Array, Int32Array, Int64Array]


@kernel()
def find_violation(
    records: tuple[Codes, Int64Array, Position, Int32Array],
    sensitive: Csr,
    on_cut: UInt8Array,
    intervals: Intervals,
    rule: tuple[int, int],
    tally: Tally,
    itemset: Itemset,
) -> bool:
    """Find the next set of nodes of the cut with a bad cohort, in lexicographic order of the codes.

    Parameters
    ----------
    records
        (codes, start, position, record): those of `count_tree.expand`, and the record of each index in `codes`.
    sensitive
        (start, items): the sensitive items of each record, numbered from 0.
    on_cut
        uint8 (C,): codes of the cut's nodes.
    intervals
        (leaf_lo, leaf_hi): int32 (C,) leaf intervals by code.
    rule
        (k, l).
    tally
        int64, one for each sensitive item; zero between calls.
    itemset
        int32 (size,): the set after which to begin (-1: before all); the set that was found.

    Cost: one increment for each set in each record, and one for each sensitive item of these records.
    """
    codes, start, position, record = records
    size, n_codes = len(itemset), len(start) - 1
    count, words = np.zeros(n_codes, np.int32), np.zeros((size + 1, (n_codes + 63) // 64), np.uint64)
    place, support = np.full((size, n_codes), -1, np.int64), np.zeros((size, n_codes), np.int32)
    begin, end, top = np.zeros(size + 1, np.int64), np.zeros(size + 1, np.int64), np.zeros(size + 2, np.int64)
    stack, prefix, after = np.empty(1024, position.dtype), np.full(size, -1, np.int32), itemset.copy()
    opened = np.zeros(size + 1, np.uint8)
    for first in range(max(np.int64(0), np.int64(after[0])), n_codes):
        if not on_cut[first]:
            continue
        held = start[first + 1] - start[first]
        stack = with_room(stack, 0, held)
        stack[:held] = position[start[first] : start[first + 1]]
        prefix[0] = first
        depth, begin[1], end[1], top[1], opened[1] = 1, 0, held, held, 0
        while depth >= 1:
            if depth == size:
                cohort = stack[begin[size] : end[size]]
                if _follows(prefix, after) and not _is_good(cohort, record, sensitive, rule, tally):
                    itemset[:] = prefix
                    return True
                depth -= 1
                continue
            row = words[depth]
            if not opened[depth]:
                count_extensions(codes, stack[begin[depth] : end[depth]], count, row)
                least = after[depth] if _equal(prefix[:depth], after) else 0
                layout = (place[depth], support[depth])
                top[depth + 1] = _keep(prefix[:depth], row, count, on_cut, intervals, least, layout, top[depth])
                stack = with_room(stack, top[depth], top[depth + 1])
                project(codes, stack, begin[depth], end[depth], place[depth])
                opened[depth] = 1
            w = 0
            while w < len(row) and row[w] == 0:
                w += 1
            if w == len(row):
                depth -= 1
                continue
            c = w * 64 + trailing_zeros(row[w])
            row[w] &= row[w] - np.uint64(1)
            begin[depth + 1], end[depth + 1] = place[depth, c] - support[depth, c], place[depth, c]
            prefix[depth], place[depth, c] = c, -1
            depth += 1
            opened[min(depth, size)] = 0
    return False


@kernel()
def _equal(prefix: Prefix, after: Int32Array) -> bool:
    for j in range(len(prefix)):
        if prefix[j] != after[j]:
            return False
    return True


@kernel()
def _follows(prefix: Prefix, after: Int32Array) -> bool:
    for j in range(len(prefix)):
        if prefix[j] != after[j]:
            return bool(prefix[j] > after[j])
    return False


@kernel()
def _is_good(cohort: IndexArray, record: IndexArray, sensitive: Csr, rule: tuple[int, int], tally: Tally) -> bool:
    k, diversity = rule
    if len(cohort) < k:
        return False
    worst = np.int64(0)
    for clear in range(2):
        for at in cohort:
            r = record[at]
            for s in range(sensitive[0][r], sensitive[0][r + 1]):
                e = sensitive[1][s]
                tally[e] = 0 if clear else tally[e] + 1
                worst = max(worst, tally[e])
    return bool(worst * diversity <= len(cohort))


@kernel()
def _keep(
    prefix: Prefix,
    words: UInt64Array,
    count: Count,
    on_cut: UInt8Array,
    intervals: Intervals,
    least: int,
    layout: tuple[Int64Array, Int32Array],
    top: int,
) -> int:
    """Keep the extensions from `least` on that are on the cut and apart from the prefix; clear the counts.

    Their projections are laid out from `top` on; returns where they end.
    """
    place, support = layout
    for w in range(len(words)):
        word = words[w]
        while word != 0:
            low = word & (~word + np.uint64(1))
            c = w * 64 + trailing_zeros(word)
            word ^= low
            apart = on_cut[c] != 0 and c >= least
            for member in prefix:
                apart = apart and not is_below(intervals[0], intervals[1], c, member)
            if apart:
                place[c], support[c] = top, count[c]
                top += count[c]
            else:
                words[w] ^= low
            count[c] = 0
    return top


@kernel()
def choose_rules(
    itemset: Itemset,
    tree: Tree,
    data: _Data,
    losses: tuple[Int64Array, Int64Array],
    rule: tuple[int, int],
    tally: Tally,
    best: Int32Array,
) -> int:
    """Find the generalisation of a set with the smallest (NCP, leaves moved, nodes in preorder) whose cohort is good.

    Parameters
    ----------
    itemset
        int32 (size,): the set, as nodes of the cut.
    tree
        (parent, leaf_lo, leaf_hi, subtree_end) of the hierarchy.
    data
        (indptr, items, item_start, item_records, sensitive_start, sensitive_items, own): the records, those of each
        item, the sensitive items of each record, and int64 (n,) 0 to n - 1.
    losses
        (occurrences, below): int64 (M + 1,) running sum of the items' occurrences; int64 (V,) NCP numerator of the
        leaves below each node.
    rule
        (k, l).
    best
        int32 (size,): filled with the nodes of the generalised set, in preorder.

    Returns
    -------
    Their number, 0 if there is no candidate. O((h + 1)^size) candidates, each with the records of its rarest node.
    """
    parent, leaf_lo, leaf_hi, subtree_end = tree
    size = len(itemset)
    raised, chosen = itemset.copy(), np.empty(size, np.int32)
    n_best, best_cost, best_moved = 0, np.int64(0), np.int64(0)
    while next_candidate(itemset, raised, parent):
        n_chosen = maximal_nodes(raised, subtree_end, chosen)
        cost, moved = np.int64(0), np.int64(0)
        for node in chosen[:n_chosen]:
            if not holds(itemset, node):
                leaves = np.int64(leaf_hi[node] - leaf_lo[node])
                cost += (losses[0][leaf_hi[node]] - losses[0][leaf_lo[node]]) * leaves - losses[1][node]
                moved += leaves
        if moved == 0:
            continue
        better = n_best == 0 or cost < best_cost or (cost == best_cost and moved < best_moved)
        if not better and cost == best_cost and moved == best_moved:
            better = comes_before(chosen[:n_chosen], best[:n_best])
        if better and has_good_cohort(chosen[:n_chosen], tree, data, rule, tally):
            n_best, best_cost, best_moved = n_chosen, cost, moved
            best[:n_chosen] = chosen[:n_chosen]
    return n_best


@kernel()
def has_good_cohort(nodes: Int32Array, tree: Tree, data: _Data, rule: tuple[int, int], tally: Tally) -> bool:
    """Tell whether the cohort of a set of nodes, none above another, is good or empty; `tally` is left zero.

    `nodes` is int32 (few,); `data` and `rule` are as for `choose_rules`. Cost: the records of the rarest node.
    """
    _, leaf_lo, leaf_hi, _ = tree
    indptr, items, item_start, item_records, sensitive_start, sensitive_items, own = data
    rarest = nodes[0]
    for node in nodes:
        low, high = item_start[leaf_lo[node]], item_start[leaf_hi[node]]
        if high - low < item_start[leaf_hi[rarest]] - item_start[leaf_lo[rarest]]:
            rarest = node
    cohort = np.empty(item_start[leaf_hi[rarest]] - item_start[leaf_lo[rarest]], np.int64)
    n_found = 0
    for leaf in range(leaf_lo[rarest], leaf_hi[rarest]):
        for at in range(item_start[leaf], item_start[leaf + 1]):
            record = item_records[at]
            begin, end = indptr[record], indptr[record + 1]
            matches = items[first_at_least(items, begin, end, leaf_lo[rarest])] == leaf  # once: by its first leaf here
            for node in nodes:
                there = first_at_least(items, begin, end, leaf_lo[node]) if matches else end
                matches = there < end and items[there] < leaf_hi[node]
            if matches:
                cohort[n_found] = record
                n_found += 1
    return n_found == 0 or _is_good(cohort[:n_found], own, (sensitive_start, sensitive_items), rule, tally)
