"""Find node sets whose cohort violates l^m-diversity, and the cheapest generalization of each set.

The cohort of a set of nodes consists of the records that contain an item below each node. A cohort is valid if it is
empty, or if it has at least k records and each sensitive item occurs in at most 1/l of the records. A record is stored
as the codes of its items and of all nodes above them. Sensitive items have the largest codes, so a walk reaches them at
the end of each suffix.
"""

import numpy as np

from anonset_kernels._arrays import (
    Codes,
    Count,
    Dead,
    ExpandedCodes,
    IndexArray,
    Indptr,
    Int32Array,
    Int64Array,
    Integer,
    Intervals,
    ItemRecords,
    Items,
    Itemset,
    ItemStart,
    Prefix,
    Stack,
    Tally,
    Tree,
    UInt8Array,
    UInt64Array,
)
from anonset_kernels._bits import bit, trailing_zeros
from anonset_kernels._jit import kernel
from anonset_kernels._sorted import comes_before, first_at_least
from anonset_kernels.rare_sets._candidates import generalize, holds, next_better
from anonset_kernels.rare_sets._prefix import with_room
from anonset_kernels.rare_sets._tree import is_below

_Data = tuple[Indptr, Items, ItemStart, ItemRecords]


@kernel(allocates=True)
def find_violation(
    records: ExpandedCodes,
    on_cut: UInt8Array,
    intervals: Intervals,
    window: tuple[int, int],
    rule: tuple[int, int],
    tally: Tally,
    stack: Stack,
    itemset: Itemset,
) -> int:
    """Find the next set of nodes of the cut whose cohort violates the rule. Sets are in lexicographic order of codes.

    Parameters
    ----------
    records
        Records of `count_tree.expand`, or the suffixes after the codes of the window (`suffixes.gather_suffixes`).
        Codes from C on are the sensitive items.
    on_cut
        uint8 (C,): 1 for the codes of the nodes of the cut.
    intervals
        (leaf_lo, leaf_hi): int32 (C,) leaf intervals by code.
    window
        Range of first codes, (from, to).
    rule
        (k, l).
    stack
        Initial space.
    itemset
        int32 (size,): set after which the search starts, or -1 to start with the first set. Overwritten by the next
        violating set.

    Returns
    -------
    Size of the cohort, or 0 if no further set violates the rule. Cost: for each set and record, an increment for the
    set and for each sensitive item of the record.
    """
    codes, start, position = records
    size, n_codes = len(itemset), len(on_cut)
    count, sensitive_count, support = (
        np.zeros(n_codes, np.int32),
        np.zeros(n_codes, np.int32),
        np.zeros(n_codes, np.int32),
    )
    words = np.zeros((size + 1, (n_codes + 63) // 64), np.uint64)
    place, length = np.full((size, n_codes), -1, np.int64), np.zeros((size, n_codes), np.int32)
    begin, end, top = np.zeros(size + 1, np.int64), np.zeros(size + 1, np.int64), np.zeros(size + 2, np.int64)
    prefix, after, opened = np.full(size, -1, np.int32), itemset.copy(), np.zeros(size + 1, np.uint8)
    for first in range(max(np.int64(window[0]), np.int64(after[0])), window[1]):
        if not on_cut[first]:
            continue
        n_records = start[first + 1] - start[first]
        stack = with_room(stack, 0, n_records)
        for p in range(n_records):
            stack[p] = position[start[first] + p]
        prefix[0] = first
        depth, begin[1], end[1], top[1], opened[1] = 1, 0, n_records, n_records, 0
        while depth >= 1:
            if depth == size:
                support_here = n_records if size == 1 else np.int64(support[prefix[size - 1]])
                if comes_before(after, prefix) and not _is_good(
                    codes, stack[begin[size] : end[size]], n_codes, support_here, rule, tally
                ):
                    for j in range(size):
                        itemset[j] = prefix[j]
                    return int(support_here)
                depth -= 1
                continue
            row = words[depth]
            if not opened[depth]:
                last = depth == size - 1
                n_kept = _count(codes, stack[begin[depth] : end[depth]], last, count, sensitive_count, row)
                end[depth] = begin[depth] + n_kept
                least = 0 if comes_before(after[:depth], prefix[:depth]) else after[depth]
                layout = (place[depth], length[depth], support)
                counts = (count, sensitive_count if last else count)
                top[depth + 1] = _keep(prefix[:depth], row, counts, on_cut, intervals, least, layout, top[depth])
                stack = with_room(stack, top[depth], top[depth + 1])
                _project(codes, stack, begin[depth], end[depth], place[depth])
                opened[depth] = 1
            w = 0
            while w < len(row) and row[w] == 0:
                w += 1
            if w == len(row):
                depth -= 1
                continue
            c = w * 64 + trailing_zeros(row[w])
            row[w] &= row[w] - np.uint64(1)
            begin[depth + 1], end[depth + 1] = place[depth, c] - length[depth, c], place[depth, c]
            prefix[depth], place[depth, c] = c, -1
            depth += 1
            opened[min(depth, size)] = 0
    return 0


@kernel()
def _count(
    codes: Codes, starts: IndexArray, last: bool, count: Count, sensitive_count: Int32Array, words: UInt64Array
) -> int:
    """Count the codes below C that follow a prefix at the positions `starts`, int32 or int64 (r,).

    The counted codes are marked in `words`. For the `last` member of a set, `sensitive_count`, int32 (C,), also counts
    the codes in records with sensitive items, and the positions of these records are moved to the front of `starts`.
    Returns the number of positions that the walk still needs.
    """
    n_codes, n_sensitive = len(count), 0
    for p in starts:
        position = p + 1
        c = codes[position]
        while c >= 0 and c < n_codes:
            if count[c] == 0:
                words[c >> 6] |= bit(c & 63)
            count[c] += 1
            position += 1
            c = codes[position]
        if last and c >= 0:
            starts[n_sensitive] = p
            n_sensitive += 1
    if not last:
        return len(starts)
    for p in starts[:n_sensitive]:
        position = p + 1
        while codes[position] < n_codes:
            sensitive_count[codes[position]] += 1
            position += 1
    return n_sensitive


@kernel()
def _project(codes: Codes, stack: Stack, begin: int, end: int, place: Int64Array) -> None:
    """Project like `_prefix.project`, but ignore codes from C on. C is the length of `place`."""
    n_codes = len(place)
    for p in range(begin, end):
        position = stack[p] + 1
        c = codes[position]
        while c >= 0 and c < n_codes:
            if place[c] >= 0:
                stack[place[c]] = position
                place[c] += 1
            position += 1
            c = codes[position]


@kernel()
def _is_good(
    codes: Codes, cohort: IndexArray, n_codes: int, support: Integer, rule: tuple[int, int], tally: Tally
) -> bool:
    """Return True if a cohort of `support` records is valid.

    `cohort` contains positions in the records with sensitive items, and may contain positions in other records.
    """
    k, diversity = rule
    if support < k:
        return False
    worst = np.int64(0)
    for clear in range(2):
        for p in cohort:
            position = p + 1
            while 0 <= codes[position] < n_codes:
                position += 1
            while codes[position] >= 0:
                e = codes[position] - n_codes
                tally[e] = 0 if clear else tally[e] + 1
                worst = max(worst, tally[e])
                position += 1
    return bool(worst * diversity <= support)


@kernel()
def _keep(
    prefix: Prefix,
    words: UInt64Array,
    counts: tuple[Count, Int32Array],
    on_cut: UInt8Array,
    intervals: Intervals,
    least: int,
    layout: tuple[Int64Array, Int32Array, Int32Array],
    top: int,
) -> int:
    """Select the extensions from `least` on that are on the cut and unrelated to the prefix. Clear the counts.

    The projections of the extensions are allocated in the stack from `top` on, with the lengths in the second array of
    `counts`. Returns the end of the allocated part.
    """
    place, length, support = layout
    count, n_positions = counts
    for w in range(len(words)):
        word = words[w]
        while word != 0:
            low = word & (~word + np.uint64(1))
            c = w * 64 + trailing_zeros(word)
            word ^= low
            apart = on_cut[c] != 0 and c >= least
            for member in prefix:
                apart = apart and not is_below(intervals.leaf_lo, intervals.leaf_hi, c, member)
            if apart:
                place[c], length[c], support[c] = top, n_positions[c], count[c]
                top += n_positions[c]
            else:
                words[w] ^= low
            n_positions[c] = count[c] = 0
    return top


@kernel(allocates=True)
def fix_set(
    itemset: Itemset,
    tree: Tree,
    data: _Data,
    state: tuple[Dead, Int64Array],
    rule: tuple[int, int],
    tally: Tally,
) -> Int32Array:
    """Generalize a set to the best candidate with a valid cohort. See `next_better`.

    Parameters
    ----------
    itemset
        int32 (size,): the set, as nodes of the cut.
    tree
        Shape of the hierarchy, and leaf interval of each node.
    data
        (indptr, items, item_start, item_records): records, and the records of each non-sensitive item.
    state
        (dead, below): 1 for each generalized node, uint8 (V,), and NCP numerator of the leaves below each node, int64
        (V,). Updated.
    rule
        (k, l).

    Returns
    -------
    Nodes that replace nodes of the set, int32 (few,), or none if there is no candidate. Cost: O((h + 1)^size)
    candidates, and for each the records of its rarest node.
    """
    shape, intervals = tree
    dead, below = state
    size = len(itemset)
    raised, chosen, best = itemset.copy(), np.empty(size, np.int32), np.empty(size, np.int32)
    n_best, least = 0, (0, 0)
    while True:
        n_chosen, loss, moved = next_better(itemset, raised, shape, below, chosen, best[:n_best], least)
        if n_chosen == 0:
            break
        if has_good_cohort(chosen[:n_chosen], intervals, data, rule, tally):
            n_best, least = n_chosen, (loss, moved)
            best, chosen = chosen, best
    n_rules = 0
    for node in best[:n_best]:
        if not holds(itemset, node):
            generalize(node, shape, dead, below)
            best[n_rules] = node
            n_rules += 1
    return best[:n_rules]


@kernel()
def has_good_cohort(nodes: Int32Array, intervals: Intervals, data: _Data, rule: tuple[int, int], tally: Tally) -> bool:
    """Return True if the cohort of a set of unrelated nodes is valid or empty.

    `nodes` is int32 (few,). See `fix_set` for `data` and `rule`. `tally` is zero before and after the call. Cost:
    the records of the rarest node.
    """
    leaf_lo, leaf_hi = intervals
    indptr, items, item_start, item_records = data
    k, diversity = rule
    n_items = len(item_start) - 1
    rarest = nodes[0]
    for node in nodes:
        low, high = item_start[leaf_lo[node]], item_start[leaf_hi[node]]
        if high - low < item_start[leaf_hi[rarest]] - item_start[leaf_lo[rarest]]:
            rarest = node
    n_found, worst = 0, np.int64(0)
    for leaf in range(leaf_lo[rarest], leaf_hi[rarest]):
        for entry in range(item_start[leaf], item_start[leaf + 1]):
            record = item_records[entry]
            begin, end = indptr[record], indptr[record + 1]
            matches = items[first_at_least(items, begin, end, leaf_lo[rarest])] == leaf  # counts each record once
            for node in nodes:
                match = first_at_least(items, begin, end, leaf_lo[node]) if matches else end
                matches = match < end and items[match] < leaf_hi[node]
            if matches:
                n_found += 1
                while end > begin and items[end - 1] >= n_items:
                    end -= 1
                    tally[items[end] - n_items] += 1
                    worst = max(worst, tally[items[end] - n_items])
    tally[:] = 0
    return n_found == 0 or bool(n_found >= k and worst * diversity <= n_found)


@kernel()
def add_records(indptr: Indptr, items: Items, first: int, fill: Int64Array, item_records: ItemRecords) -> None:
    """Add records, numbered from `first` on, to the record lists of their non-sensitive items, as in `rows.transpose`.

    `fill`, int64 (M,), is the next free index in the list of each of the M non-sensitive items; updated. O(nnz).
    """
    for row in range(len(indptr) - 1):
        for entry in range(indptr[row], indptr[row + 1]):
            item = items[entry]
            if item < len(fill):
                item_records[fill[item]] = first + row
                fill[item] += 1
