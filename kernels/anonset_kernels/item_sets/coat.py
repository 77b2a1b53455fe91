"""COAT and PCTA for all itemsets of m items (k^m-anonymity), without a list of the constraints.

A rare set is a set of at most m groups that occurs in fewer than k records. The root of a set is the smallest group.
For each root, the search stores the most frequent rare set, or an upper bound of its support. A merge only changes the
sets that contain the merged group, and only these sets are counted again. If the set of a root is no longer valid, the
root is searched again when its bound is the highest. No step is quadratic in the number of items.
"""

from typing import NamedTuple

import numpy as np

from anonset_kernels._arrays import Indptr, Int32Array, Int32Matrix, Int64Array, Int64Matrix, Items, Itemset, UInt8Array
from anonset_kernels._jit import kernel
from anonset_kernels._sorted import comes_before, insert
from anonset_kernels.item_sets._groups import N_SUPPRESSED, Groups, make_groups, n_items_within
from anonset_kernels.item_sets._repair import RepairRule, Weights, satisfy
from anonset_kernels.item_sets._smallest_itemsets import smallest_around, smallest_of

DONE, INFEASIBLE, UNFINISHED = 0, 1, 2
"""Results of a search."""
_SEEN_SUPPRESSED, _SHORT = 0, 1


class Roots(NamedTuple):
    """Rare sets by root. Only images of m-itemsets are considered."""

    bound: Int64Array
    """Support of the most frequent rare set of each root, or an upper bound, int64 (V,). 0 if the root has no rare set.
    """
    known: UInt8Array
    """1 for each root whose most frequent rare set is in `best`, uint8 (V,)."""
    best: Int32Matrix
    """Groups of the most frequent rare set of each root in ascending order, padded with -1, int32 (V, m)."""
    sets: Int32Matrix
    """Buffers for the current set, for two m-itemsets to compare, and for the sorted set, int32 (4, m)."""
    positions: Int32Array
    """Buffer for the cells at which a walk starts, int32 (n,)."""
    arena: Int32Matrix
    """Cells of the candidate groups at each level of a walk except the last, int32 (levels - 1, cells)."""
    symbols: Int32Matrix
    """Candidate groups of each level, int32 (levels, V)."""
    offset: Int64Matrix
    """First cell of each candidate group, int64 (levels, V + 1)."""
    cursor: Int64Matrix
    """Index of the next candidate group and number of candidates at each level, int64 (levels, 2)."""
    state: Int64Array
    """State of the search, int64 (2,). The first element is the number of suppressed items at the last update. The
    second is 1 while the search includes sets that are too short for an m-itemset.
    """


@kernel()
def n_levels(longest: int, rule: RepairRule) -> int:
    """Return the depth of a walk below a root if the longest record has `longest` items."""
    return max(0, min(max(1, rule.m), longest) - 1)


@kernel(allocates=True)
def make_roots(groups: Groups, rule: RepairRule) -> Roots:
    """Allocate the `Roots` of a new search, which has not yet searched any root."""
    longest = 0
    for record in range(len(groups.row) - 1):
        longest = max(longest, groups.row[record + 1] - groups.row[record] - 1)
    levels = n_levels(longest, rule)
    arena = np.empty((max(0, levels - 1), len(groups.cells)), np.int32)
    return open_roots(groups, rule, levels, np.empty(len(groups.row) - 1, np.int32), arena)


@kernel(allocates=True)
def open_roots(groups: Groups, rule: RepairRule, levels: int, positions: Int32Array, arena: Int32Matrix) -> Roots:
    """Create the `Roots` of a new search in the arrays `positions` and `arena` of the caller. O(V)."""
    n_items, m = len(groups.rep), max(1, rule.m)
    return Roots(
        np.full(n_items, rule.k - 1, np.int64),
        np.zeros(n_items, np.uint8),
        np.full((n_items, m), -1, np.int32),
        np.empty((4, m), np.int32),
        positions,
        arena,
        np.empty((levels, n_items), np.int32),
        np.empty((levels, n_items + 1), np.int64),
        np.empty((levels, 2), np.int64),
        np.zeros(2, np.int64),
    )


@kernel(allocates=True)
def search(groups: Groups, weights: Weights, roots: Roots, rule: RepairRule, max_constraints: int) -> int:
    """Satisfy violated constraints in turn.

    Return DONE, INFEASIBLE, or UNFINISHED after `max_constraints` constraints.
    """
    itemset = np.empty(max(1, rule.m), np.int32)
    for _ in range(max_constraints):
        n = _next_constraint(groups, roots, rule, itemset)
        if n == 0:
            return DONE
        if not satisfy(groups, weights, itemset[:n], rule):
            return INFEASIBLE
    return UNFINISHED


@kernel(allocates=True)
def search_rows(
    indptr: Indptr, items: Items, records: Int64Array, utility: Int32Array, weights: Weights, rule: RepairRule
) -> tuple[int, Int32Array, Int32Array]:
    """Run a complete search on some records of a larger table. Use this for many small tables.

    Parameters
    ----------
    indptr, items
        int64 (n + 1,), int32 (nnz,): all records.
    records
        int64 (r,): records of the small table.
    utility
        int32 (M,): utility constraint of each item of the universe.

    Returns
    -------
    (outcome, codes, representatives). `codes`, int32, contains the items that occur, in ascending order.
    `representatives`, int32, contains the smallest item of each item's group, or -1 if the item is suppressed.
    """
    n_cells = 0
    for record in records:
        n_cells += indptr[record + 1] - indptr[record]
    cells, start = np.empty(n_cells, np.int32), np.zeros(len(records) + 1, np.int64)
    for i in range(len(records)):
        first, length = indptr[records[i]], indptr[records[i] + 1] - indptr[records[i]]
        start[i + 1] = start[i] + length
        for j in range(length):
            cells[start[i] + j] = items[first + j]
    codes = np.unique(cells)
    place, representatives = np.empty(len(utility), np.int32), np.full(len(codes), -1, np.int32)
    for i in range(len(codes)):
        place[codes[i]] = i
    cells = place[cells]
    groups = make_groups(start, cells, len(codes), utility[codes])
    if weights.kind > 0:
        kind, total, leaf, parent, leaf_lo, leaf_hi, leaf_node, listed, value = weights
        weights = Weights(kind, total, leaf[codes], parent, leaf_lo, leaf_hi, leaf_node, listed[codes], value)
    rule = RepairRule(rule.k, min(rule.m, len(codes)), rule.algorithm, rule.suppress_single, rule.limit)
    outcome = search(groups, weights, make_roots(groups, rule), rule, len(codes) + 1)
    for i in range(len(codes)):
        if groups.rep[i] >= 0:
            representatives[i] = codes[groups.rep[i]]
    return outcome, codes, representatives


@kernel(allocates=True)
def _next_constraint(groups: Groups, roots: Roots, rule: RepairRule, itemset: Itemset) -> int:
    """Store the groups of the most frequent rare set in `itemset`. Return their number.

    Ties are resolved by the smallest m-itemset.

    If every rare set is too short to be the image of an m-itemset, the smallest m-itemset that contains a rare set is
    stored instead.
    """
    _refresh(groups, roots, rule)
    while True:
        top = np.int64(0)
        for root in range(len(groups.rep)):
            if groups.rep[root] == root:
                top = max(top, roots.bound[root])
        if top == 0:
            return _around_short_set(groups, roots, rule, itemset)
        chosen = -1
        for root in range(len(groups.rep)):
            if groups.rep[root] == root and roots.bound[root] == top:
                if not roots.known[root]:
                    _look_at(groups, roots, rule, root)
                if roots.bound[root] == top:
                    if chosen < 0 or _precedes(groups, roots, roots.best[root], roots.best[chosen]):
                        chosen = root
                    if groups.state[N_SUPPRESSED] == 0:  # without suppressed items, an itemset begins with the root
                        break
        if chosen >= 0:
            n = 0
            while n < rule.m and roots.best[chosen, n] >= 0:
                itemset[n] = roots.best[chosen, n]
                n += 1
            return n


@kernel()
def _refresh(groups: Groups, roots: Roots, rule: RepairRule) -> None:
    """Update `roots` after groups were merged or items suppressed.

    A root is searched again when its bound is the highest and its ``known`` is 0. Therefore:

    - After a suppression, ``known`` becomes 0 for all roots. If fewer than m - 1 items were suppressed before, all
      bounds are reset, because suppressed items may complete a set that was too short for an m-itemset.
    - A stored set that contains a changed group is discarded. The bound of its root remains an upper bound.
    - A changed group is reset as a root. Its new rare sets are counted, which may raise the bounds of smaller roots.
    """
    n_items, n_suppressed = len(groups.rep), groups.state[N_SUPPRESSED]
    if n_suppressed != roots.state[_SEEN_SUPPRESSED]:
        roots.known[:] = 0
        if roots.state[_SEEN_SUPPRESSED] < rule.m - 1:
            roots.bound[:] = rule.k - 1
        roots.state[_SEEN_SUPPRESSED] = n_suppressed
    for root in range(n_items):
        if roots.known[root]:
            for g in roots.best[root]:
                if g >= 0 and groups.changed[g]:
                    roots.known[root] = 0
    for g in range(n_items):
        if groups.changed[g] and groups.rep[g] == g:
            roots.bound[g] = rule.k - 1
            roots.known[g] = 0
            if len(roots.symbols) > 0:
                _look_for(groups, roots, rule, g)
    groups.changed[:] = 0


@kernel()
def _look_at(groups: Groups, roots: Roots, rule: RepairRule, root: int) -> None:
    """Find the most frequent rare set with a given root."""
    roots.bound[root] = rule.k if roots.state[_SHORT] else 0
    roots.known[root] = 1
    roots.best[root, :] = -1
    roots.sets[0, 0] = root
    if groups.support[root] < rule.k:
        _consider(groups, roots, rule, 1, groups.support[root])
    if len(roots.symbols) == 0 or groups.support[root] < roots.bound[root]:
        return
    n, item = 0, root
    while item >= 0:
        for entry in range(groups.begin[item], groups.begin[item] + groups.length[item]):
            place = groups.row[groups.records[entry]]
            while groups.cells[place] != root:
                place += 1
            roots.positions[n] = place
            n += 1
        item = groups.following[item]
    _explore(groups, roots, rule, 0, roots.positions[:n], 1, -1)


@kernel()
def _look_for(groups: Groups, roots: Roots, rule: RepairRule, g: int) -> None:
    """Update the roots smaller than the changed group `g` by their rare sets that contain `g`."""
    n, item = 0, g
    while item >= 0:
        for entry in range(groups.begin[item], groups.begin[item] + groups.length[item]):
            roots.positions[n] = groups.row[groups.records[entry]] - 1
            n += 1
        item = groups.following[item]
    _extend(groups, roots, 0, roots.positions[:n], g, rule.m > 2)
    for s in range(roots.cursor[0, 1]):
        root = roots.symbols[0, s]
        begin, end = roots.offset[0, s], roots.offset[0, s + 1]
        roots.sets[0, 0], roots.sets[0, 1] = root, g
        if roots.bound[root] <= end - begin < rule.k:
            _consider(groups, roots, rule, 2, end - begin)
        if end - begin >= roots.bound[root] and rule.m > 2 and len(roots.symbols) > 1:
            _explore(groups, roots, rule, 1, roots.arena[0, begin:end], 2, g)


@kernel()
def _explore(
    groups: Groups, roots: Roots, rule: RepairRule, base: int, source: Int32Array, n: int, excluded: int
) -> None:
    """Visit every set that extends the first `n` groups of `roots.sets[0]`.

    `source` contains the cell of the last of these groups in each record.

    Sets with a support below the root's bound are skipped: they cannot improve it. `excluded` (or -1) is a group that
    is already in the set.
    """
    cursor, offset, symbols, bound, m = roots.cursor, roots.offset, roots.symbols, roots.bound, rule.m
    members, short = roots.sets[0], roots.state[_SHORT] > 0
    root, level = members[0], base
    best = roots.best[root]
    _extend(groups, roots, level, source, len(groups.rep), n + 1 < m)
    while level >= base:
        s = cursor[level, 0]
        if s == cursor[level, 1]:
            level -= 1
            continue
        cursor[level, 0] += 1
        begin, end = offset[level, s], offset[level, s + 1]
        if (end - begin < bound[root] and not short) or symbols[level, s] == excluded:
            continue
        size = n + level - base + 1
        members[size - 1] = symbols[level, s]
        if end - begin < rule.k:
            tie = excluded < 0 and size == m and end - begin == bound[root] and best[m - 1] >= 0
            if not tie or comes_before(members, best):  # most sets are ties: the check is cheaper than the call
                _consider(groups, roots, rule, size, end - begin)
        if size < m and level + 1 < len(symbols) and end - begin >= bound[root]:
            if not short or n_items_within(groups, members[:size]) < m:
                level += 1
                _extend(groups, roots, level, roots.arena[level - 1, begin:end], len(groups.rep), size + 1 < m)


@kernel()
def _extend(groups: Groups, roots: Roots, level: int, source: Int32Array, stop: int, gather: bool) -> None:
    """List the groups that follow `source` in the records, and count their records.

    Only groups below `stop` are listed. If `gather`, their cells are also stored.

    The last level does not gather cells, because no level follows.
    """
    n = 0
    symbols, offset, count, cells = roots.symbols[level], roots.offset[level], groups.count, groups.cells
    for cell in source:
        place = cell + 1
        while cells[place] < stop:
            g = cells[place]
            if count[g] == 0:
                symbols[n] = g
                n += 1
            count[g] += 1
            place += 1
    total = np.int64(0)
    for s in range(n):
        offset[s] = total
        total += count[symbols[s]]
        count[symbols[s]] = offset[s]
    offset[n] = total
    if gather and level < len(roots.arena):
        arena = roots.arena[level]
        for cell in source:
            place = cell + 1
            while cells[place] < stop:
                g = cells[place]
                arena[count[g]] = place
                count[g] += 1
                place += 1
    for g in symbols[:n]:
        count[g] = 0
    roots.cursor[level, 0], roots.cursor[level, 1] = 0, n


@kernel()
def _consider(groups: Groups, roots: Roots, rule: RepairRule, n: int, support: int) -> None:
    """Store the rare set `roots.sets[0, :n]` if it is the best rare set of its root."""
    members = roots.sets[0, :n]
    root = members[0]
    short = n < rule.m and n_items_within(groups, members) < rule.m
    if roots.state[_SHORT]:
        if short:
            smallest_around(groups, members, roots.sets[2])
            if comes_before(roots.sets[2], roots.sets[1]):
                for j in range(roots.sets.shape[1]):
                    roots.sets[1, j] = roots.sets[2, j]
        return
    if short or support < roots.bound[root]:
        return
    if support == roots.bound[root] and not roots.known[root]:
        return
    ordered, best = roots.sets[3], roots.best[root]
    for j in range(n):
        insert(ordered, 0, j, members[j])
    ordered[n:] = -1
    if support > roots.bound[root] or best[0] < 0 or _precedes(groups, roots, ordered, best):
        roots.bound[root], roots.known[root] = support, 1
        for j in range(len(ordered)):
            best[j] = ordered[j]


@kernel()
def _precedes(groups: Groups, roots: Roots, members: Int32Array, others: Int32Array) -> bool:
    """Return True if the smallest m-itemset with image `members` comes before the smallest with image `others`."""
    if members[-1] >= 0 and others[-1] >= 0:
        return comes_before(members, others)
    smallest_of(groups, members, roots.sets[1])
    smallest_of(groups, others, roots.sets[2])
    return comes_before(roots.sets[1], roots.sets[2])


@kernel()
def _around_short_set(groups: Groups, roots: Roots, rule: RepairRule, itemset: Itemset) -> int:
    """Find the smallest m-itemset that contains a rare set of fewer than m members. Return m, or 0 if there is none."""
    roots.state[_SHORT] = 1
    roots.sets[1, :] = len(groups.rep)
    for root in range(len(groups.rep)):
        roots.sets[0, 0] = root
        if groups.rep[root] == root and n_items_within(groups, roots.sets[0, :1]) < rule.m:
            _look_at(groups, roots, rule, root)  # only frequent sets are extended: rare sets lead to no smaller itemset
            roots.bound[root] = 0
    roots.state[_SHORT] = 0
    for j in range(len(itemset)):
        itemset[j] = roots.sets[1, j]
    return len(itemset) if itemset[0] < len(groups.rep) else 0
