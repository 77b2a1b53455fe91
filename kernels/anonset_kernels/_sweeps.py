"""Local search for a partition of the items: move items between groups, merge violated groups, penalize violations.

The cost of a group is occurrences times size, plus a variance term of the items' supports: see `group_cost`.
The search stores the supports of all pairs of groups. A move changes two of their rows, according to the records of the
item.
"""

import numpy as np

from anonset_kernels._arrays import Integer, Items
from anonset_kernels._jit import kernel
from anonset_kernels._larger_sets import keeps_sets
from anonset_kernels._partitions import (
    CANDIDATES,
    CELLS,
    STAMP,
    Partition,
    PartitionRecords,
    PartitionRule,
    Scratch,
    change,
    group_cost,
    groups_of,
    put,
    violation,
)


@kernel()
def sweep(
    records: PartitionRecords,
    groups: Partition,
    scratch: Scratch,
    rule: PartitionRule,
    order: Items,
    first: int,
    most: int,
) -> tuple[int, int]:
    """Move each item of an order, from index `first` on, to the group with the lowest cost.

    Parameters
    ----------
    order
        int32: items.
    most
        Maximum number of cells to read.

    Returns
    -------
    (next, moves): index to resume from, which is the end unless `most` is reached or no empty group is left; number of
    moved items.
    """
    moves, empty, limit = 0, 0, groups.state[CELLS] + most
    for i in range(first, len(order)):
        while empty < len(groups.size) and groups.size[empty] > 0:
            empty += 1
        if groups.state[CELLS] > limit or empty == len(groups.size):
            return i, moves
        item = order[i]
        g = groups.of[item]
        if rule.penalty == 0 and groups.size[g] == 1:  # a single item has no cost
            continue
        n = _choose(records, groups, scratch, rule, item, empty)
        groups.state[CELLS] += len(groups.size)
        if n > 0:
            n_touched, lost = _look(records, groups, scratch, item)
            best = _best(records, groups, scratch, rule, item, n, n_touched, lost)
            if best >= 0:
                _move(records, groups, scratch, rule, item, best, n_touched, lost)
                moves += 1
                empty = 0
            _clear(scratch, n, n_touched)
            groups.state[CELLS] += n * n_touched
    return len(order), moves


@kernel()
def _saved(records: PartitionRecords, groups: Partition, item: Integer, mu: int) -> int:
    """Return the cost that an item's group saves without it."""
    g, level = groups.of[item], records.level[item]
    cost_without = group_cost(
        groups.size[g] - 1,
        groups.occurrences[g] - records.support[item],
        groups.levels[g] - level,
        groups.squares[g] - level * level,
        mu,
    )
    return groups.cost[g] - cost_without


@kernel()
def _choose(
    records: PartitionRecords, groups: Partition, scratch: Scratch, rule: PartitionRule, item: Integer, empty: Integer
) -> int:
    """List the groups to which the item adds the least cost (ties: smallest); return their number.

    An empty group adds no cost.

    Excludes groups that are too expensive even if both groups' pairs had no violation after the move.
    """
    g, support, level = groups.of[item], records.support[item], records.level[item]
    saved, worst = _saved(records, groups, item, rule.mu), 0
    if rule.penalty > 0:
        for h in range(len(groups.size)):
            worst = max(worst, groups.violation[h])
    limit = saved + rule.penalty * (groups.violation[g] + worst)
    n = 0
    if groups.size[g] > 1:
        n = _insert(scratch, n, empty, 0)
    for h in range(len(groups.size)):
        size, occurrences = groups.size[h], groups.occurrences[h]
        if size == 0 or h == g or occurrences + support * (size + 1) >= limit:  # least possible cost increase
            continue
        added = (
            group_cost(
                size + 1, occurrences + support, groups.levels[h] + level, groups.squares[h] + level * level, rule.mu
            )
            - groups.cost[h]
        )
        if added < limit:
            n = _insert(scratch, n, h, added)
            if n == CANDIDATES:
                limit = min(limit, scratch.added[n - 1])
    n_kept = 0
    for i in range(n):
        h = scratch.candidate[i]
        if scratch.added[i] < saved + rule.penalty * (groups.violation[g] + groups.violation[h]):
            scratch.candidate[n_kept], scratch.added[n_kept] = h, scratch.added[i]
            scratch.place[h] = n_kept
            n_kept += 1
    return n_kept


@kernel()
def _insert(scratch: Scratch, n: int, h: Integer, added: Integer) -> int:
    """Insert a candidate among the best, in sorted order; return the number of candidates."""
    i = min(n, CANDIDATES - 1)
    while i > 0 and scratch.added[i - 1] > added:
        scratch.candidate[i], scratch.added[i] = scratch.candidate[i - 1], scratch.added[i - 1]
        i -= 1
    scratch.candidate[i], scratch.added[i] = h, added
    return min(n + 1, CANDIDATES)


@kernel()
def _look(records: PartitionRecords, groups: Partition, scratch: Scratch, item: Integer) -> tuple[int, int]:
    """Count the groups in an item's records; return the number of groups, and of records that leave its group."""
    g, n_touched, lost = groups.of[item], 0, 0
    for record in records.records[records.start[item] : records.start[item + 1]]:
        n, weight = groups_of(records, groups, scratch, record, item), records.weight[record]
        leaves = scratch.seen[g] != groups.state[STAMP]
        if leaves:
            lost += weight
        for i in range(n):
            h = scratch.held[i]
            if scratch.here[h] == 0:
                scratch.touched[n_touched] = h
                n_touched += 1
            scratch.here[h] += weight
            if leaves:
                scratch.gone[h] += weight
            if scratch.place[h] >= 0:
                shared_weight = scratch.both[scratch.place[h]]
                for j in range(n):
                    shared_weight[scratch.held[j]] += weight
                groups.state[CELLS] += n
    return n_touched, lost


@kernel()
def _best(
    records: PartitionRecords,
    groups: Partition,
    scratch: Scratch,
    rule: PartitionRule,
    item: Integer,
    n: int,
    n_touched: int,
    lost: int,
) -> int:
    """Return the candidate whose move reduces the cost most (ties: the first); -1 if no move does."""
    g, support, saved = groups.of[item], records.support[item], _saved(records, groups, item, rule.mu)
    row, k = groups.pairs[g], rule.k
    leaving = violation(row[g] - lost, k) - violation(row[g], k)
    for i in range(n_touched if rule.m > 1 else 0):
        h = scratch.touched[i]
        if h != g:
            leaving += violation(row[h] - scratch.gone[h], k) - violation(row[h], k)
    best, least = -1, 0
    for i in range(n):
        h, cost = scratch.candidate[i], scratch.added[i] - saved
        if cost - rule.penalty * (groups.violation[g] + groups.violation[h]) >= least:
            continue
        limit = (least - cost - 1) // rule.penalty if rule.penalty > 0 else 0  # largest allowed violation increase
        change = leaving + violation(groups.pairs[h, h] + support - scratch.here[h], k)
        change -= violation(groups.pairs[h, h], k)
        if rule.m > 1:
            support_without = row[h] - scratch.gone[h]
            change += violation(support_without + scratch.here[g] - scratch.both[i, g], k) - violation(
                support_without, k
            )
            change += _joining(groups, scratch, k, g, i, n_touched, limit - change)
        if change > limit:
            continue
        if rule.penalty > 0:
            best, least = i, cost + rule.penalty * change
        elif rule.m < 3 or keeps_sets(records, groups, scratch, rule, item, h):
            return i
    return best


@kernel()
def _joining(
    groups: Partition, scratch: Scratch, k: int, g: Integer, i: int, n_touched: int, limit: Integer
) -> Integer:
    """Return the violation increase of a candidate's pairs, except the pair with `g`, when the item joins.

    Stops with a number above `limit` as soon as the limit is certainly exceeded: the violation counted so far is
    greater than the candidate's present violation plus the allowed increase.
    """
    h, shared_weight, weight_with = scratch.candidate[i], scratch.both[i], scratch.here
    row, most = groups.pairs[h], limit + groups.violation[h]
    before, after = np.int64(0), np.int64(0)
    for side in range(2):  # the pairs with these two groups are counted elsewhere
        other = np.int64(g) if side == 0 else np.int64(h)
        if weight_with[other] > 0:
            before -= violation(row[other], k)
            after -= violation(row[other] + weight_with[other] - shared_weight[other], k)
    for j in range(n_touched):
        if after > most:
            return limit + 1
        other = scratch.touched[j]
        before += violation(row[other], k)
        after += violation(row[other] + weight_with[other] - shared_weight[other], k)
    return after - before


@kernel()
def _move(
    records: PartitionRecords,
    groups: Partition,
    scratch: Scratch,
    rule: PartitionRule,
    item: Integer,
    i: int,
    n_touched: int,
    lost: int,
) -> None:
    """Move an item to a candidate group."""
    g, h = groups.of[item], scratch.candidate[i]
    change(groups, rule, g, g, -lost)
    change(groups, rule, h, h, records.support[item] - scratch.here[h])
    for j in range(n_touched):
        other = scratch.touched[j]
        more = scratch.here[other] - scratch.both[i, other]
        if other != g:
            change(groups, rule, g, other, -scratch.gone[other])
        if other != h:
            change(groups, rule, h, other, more)
    put(records, groups, item, g, -1, rule.mu)
    put(records, groups, item, h, 1, rule.mu)
    groups.of[item] = h


@kernel()
def _clear(scratch: Scratch, n: int, n_touched: int) -> None:
    """Clear the counts of an item."""
    for j in range(n_touched):
        other = scratch.touched[j]
        scratch.here[other], scratch.gone[other] = 0, 0
        for i in range(n):
            scratch.both[i, other] = 0
    for i in range(n):
        scratch.place[scratch.candidate[i]] = -1


@kernel()
def merge_violated(records: PartitionRecords, groups: Partition, scratch: Scratch, rule: PartitionRule) -> None:
    """Merge a violated group with another group: the pair with the best estimated violation reduction per cost.

    If no pair is estimated to reduce the violation, merge the violated group with the fewest occurrences with the group
    that adds the least cost. Cost: the pairs of the violated groups with all others, times their partners.
    """
    g, h = _most_gain(groups, scratch, rule)
    if g < 0:
        g, h = _least_violated(groups, rule)
    _merge(records, groups, scratch, rule, min(g, h), max(g, h))


@kernel()
def _added(groups: Partition, g: Integer, h: Integer, mu: int) -> int:
    """Return the cost increase when two groups are merged."""
    merged = group_cost(
        groups.size[g] + groups.size[h],
        groups.occurrences[g] + groups.occurrences[h],
        groups.levels[g] + groups.levels[h],
        groups.squares[g] + groups.squares[h],
        mu,
    )
    return merged - groups.cost[g] - groups.cost[h]


@kernel()
def _most_gain(groups: Partition, scratch: Scratch, rule: PartitionRule) -> tuple[int, int]:
    """Return the violated group and the partner with the largest gain per cost (ties: the first), or (-1, -1)."""
    best_pair, best = (-1, -1), 0.0
    for g in range(len(groups.size)):
        if groups.violation[g] == 0:
            continue
        n = 0
        for x in range(len(groups.size) if rule.m > 1 else 0):
            if groups.pairs[g, x] > 0 and x != g:
                scratch.held[n] = x
                n += 1
        for h in range(len(groups.size)):
            if groups.size[h] == 0 or h == g:
                continue
            cost = _added(groups, g, h, rule.mu) + 1
            if (groups.violation[g] + groups.violation[h]) / cost > best:  # upper bound of the gain of a merge
                groups.state[CELLS] += n
                worth = _gain(groups, scratch, rule, g, h, n) / cost
                if worth > best:
                    best_pair, best = (g, h), worth
    return best_pair


@kernel()
def _gain(groups: Partition, scratch: Scratch, rule: PartitionRule, g: Integer, h: Integer, n: int) -> Integer:
    """Estimate the violation reduction of a merge, assuming that no record contains both groups and a third group."""
    k, row, other = rule.k, groups.pairs[g], groups.pairs[h]
    gain = violation(row[g], k) + violation(other[h], k) - violation(row[g] + other[h] - row[h], k)
    if rule.m > 1:
        gain += violation(row[h], k)
    for i in range(n):
        x = scratch.held[i]
        if x != h:
            gain += violation(row[x], k) + violation(other[x], k) - violation(row[x] + other[x], k)
    return gain


@kernel()
def _least_violated(groups: Partition, rule: PartitionRule) -> tuple[int, int]:
    """Return the violated group with the fewest occurrences, and the group that adds the least cost to it."""
    g, h = -1, -1
    for i in range(len(groups.size)):
        if groups.violation[i] > 0 and (g < 0 or groups.occurrences[i] < groups.occurrences[g]):
            g = i
    for i in range(len(groups.size)):
        if groups.size[i] > 0 and i != g:
            if h < 0 or _added(groups, g, i, rule.mu) < _added(groups, g, h, rule.mu):
                h = i
    return g, h


@kernel()
def _merge(
    records: PartitionRecords, groups: Partition, scratch: Scratch, rule: PartitionRule, g: Integer, h: Integer
) -> None:
    """Move the items of a group to another group, and recount the pairs."""
    marked = np.zeros(len(records.weight), np.bool_)
    for x in range(len(groups.size)):
        change(groups, rule, h, x, -groups.pairs[h, x])
        change(groups, rule, g, x, -groups.pairs[g, x])
    for item in range(len(groups.of)):
        if groups.of[item] == h:
            put(records, groups, item, h, -1, rule.mu)
            put(records, groups, item, g, 1, rule.mu)
            groups.of[item] = g
    for item in range(len(groups.of)):
        if groups.of[item] == g:
            for record in records.records[records.start[item] : records.start[item + 1]]:
                if not marked[record]:
                    marked[record] = True
                    for x in scratch.held[: groups_of(records, groups, scratch, record, -1)]:
                        scratch.here[x] += records.weight[record]
    for x in range(len(groups.size)):
        change(groups, rule, g, x, scratch.here[x])
        scratch.here[x] = 0
