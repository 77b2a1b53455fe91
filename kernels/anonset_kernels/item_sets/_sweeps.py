"""Local search for a partition of the items. The search moves items between groups and merges violated groups.

The cost of a group is the number of occurrences times the size, plus a term for the variance of the supports of its
items (see `group_cost`). Violations of the supports are penalized. The search stores the supports of all pairs of
groups. A move changes two rows of this table, according to the records of the item.
"""

import numpy as np

from anonset_kernels._arrays import Integer, Items
from anonset_kernels._jit import kernel
from anonset_kernels.item_sets._larger_sets import keeps_sets
from anonset_kernels.item_sets._partitions import (
    BELOW,
    CANDIDATES,
    CELLS,
    LISTED,
    STAMP,
    SUPPORT,
    Cheapest,
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

_ANY = 1 << 62
"""Larger than the cost of any group."""
_ROUNDED_DOWN = 1 - 1e-9
"""Multiply a product of floats by this factor to make sure that it is not above the exact product."""


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
    """Move each item of `order`, from index `first` on, to the group in which the partition has the lowest cost.

    Parameters
    ----------
    order
        int32: items.
    most
        Maximum number of cells to read.

    Returns
    -------
    (next, moves). `next` is the index from which the next call continues. It is the end of `order`, unless `most` is
    reached or no group is empty. `moves` is the number of moved items.
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
    """Return the amount by which the cost of an item's group decreases if the item leaves the group."""
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
    """Store the groups to which the item adds the least cost as candidates. Return their number.

    An empty group adds no cost.

    Ties are resolved by group number. Groups are excluded if their cost is too high even if the move removed all
    violations of both groups.
    """
    g, saved, worst = groups.of[item], _saved(records, groups, item, rule.mu), 0
    if rule.penalty > 0:
        for h in range(len(groups.size)):
            worst = max(worst, groups.violation[h])
    saved += rule.penalty * groups.violation[g]
    limit, cheapest = saved + rule.penalty * worst, scratch.cheapest
    _list_cheapest(groups, cheapest, records.support[item], records.level[item], limit, rule.mu)
    n = n_kept = 0
    if groups.size[g] > 1:
        n += 1
        n_kept = _keep(scratch, n_kept, empty, 0, saved + rule.penalty * groups.violation[empty])
    for i in range(cheapest.state[LISTED]):
        h, added = cheapest.group[i], cheapest.added[i]
        if n == CANDIDATES or added >= limit:
            break
        if h != g:
            n += 1
            n_kept = _keep(scratch, n_kept, h, added, saved + rule.penalty * groups.violation[h])
    return n_kept


@kernel()
def _keep(scratch: Scratch, n_kept: int, h: Integer, added: Integer, limit: Integer) -> int:
    """Append a candidate if the item adds less cost to it than the limit. Return the number of candidates."""
    if added >= limit:
        return n_kept
    scratch.candidate[n_kept], scratch.added[n_kept], scratch.place[h] = h, added, n_kept
    return n_kept + 1


@kernel()
def _list_cheapest(
    groups: Partition, cheapest: Cheapest, support: Integer, level: Integer, limit: Integer, mu: int
) -> None:
    """List the groups to which an item adds less cost than the limit, at most CANDIDATES + 1 groups.

    Ties are resolved by group number. The list of the previous item is reused if both items have the same support and
    no item has moved.
    """
    state = cheapest.state
    if state[SUPPORT] == support:
        if limit <= state[BELOW]:
            return
        limit *= 2  # limits of later items may be larger
    n, below = 0, limit
    for h in range(len(groups.size)):
        size, occurrences = groups.size[h], groups.occurrences[h]
        if size == 0 or occurrences + support * (size + 1) >= below:  # least possible cost increase
            continue
        added = (
            group_cost(size + 1, occurrences + support, groups.levels[h] + level, groups.squares[h] + level * level, mu)
            - groups.cost[h]
        )
        if added < below:
            n = _insert(cheapest, n, h, added)
            if n == len(cheapest.added):
                below = min(below, cheapest.added[n - 1])
    full = n == len(cheapest.added)
    state[LISTED], state[SUPPORT], state[BELOW] = n, support, _ANY if full else limit


@kernel()
def _insert(cheapest: Cheapest, n: int, h: Integer, added: Integer) -> int:
    """Insert a group into the sorted list. A full list loses its last group. Return the number of groups."""
    at = min(n, len(cheapest.added) - 1)
    while at > 0 and cheapest.added[at - 1] > added:
        cheapest.group[at], cheapest.added[at] = cheapest.group[at - 1], cheapest.added[at - 1]
        at -= 1
    cheapest.group[at], cheapest.added[at] = h, added
    return min(n + 1, len(cheapest.added))


@kernel()
def _look(records: PartitionRecords, groups: Partition, scratch: Scratch, item: Integer) -> tuple[int, int]:
    """Count the groups in an item's records.

    Returns the number of groups, and the number of records that the item's group loses if the item leaves it.
    """
    g, n_touched, lost = groups.of[item], 0, 0
    for at in range(records.start[item], records.start[item + 1]):
        record = records.records[at]
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
            place = scratch.place[h]
            if place >= 0:
                for j in range(n):
                    scratch.both[place, scratch.held[j]] += weight
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
    """Return the first candidate for which a move reduces the cost most, or -1 if no move reduces it."""
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
    """Return the increase of the violation of a candidate's pairs, except the pair with `g`, if the item joins it.

    Returns a number above `limit` as soon as the limit is certainly exceeded.
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
    scratch.cheapest.state[BELOW] = -1


@kernel()
def _clear(scratch: Scratch, n: int, n_touched: int) -> None:
    for i in range(n):
        h = scratch.candidate[i]
        scratch.place[h] = -1
        if scratch.here[h] > 0:  # otherwise no record contains both
            for j in range(n_touched):
                scratch.both[i, scratch.touched[j]] = 0
    for j in range(n_touched):
        other = scratch.touched[j]
        scratch.here[other], scratch.gone[other] = 0, 0


@kernel()
def merge_violated(records: PartitionRecords, groups: Partition, scratch: Scratch, rule: PartitionRule) -> None:
    """Merge the pair of groups with the largest estimated reduction of the violation per cost.

    At least one of the two groups is violated. If no merge is estimated to reduce the violation, the violated group
    with the fewest occurrences is merged with the group that adds the least cost. Cost: the pairs of the violated
    groups with all others, times the number of groups that share records with them.
    """
    g, h = _most_gain(groups, scratch, rule)
    if g < 0:
        g, h = _least_violated(groups, rule)
    _merge(records, groups, scratch, rule, min(g, h), max(g, h))


@kernel()
def _added(groups: Partition, g: Integer, h: Integer, mu: int) -> int:
    """Return the cost increase of a merge of two groups."""
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
    """Return the first violated group and partner with the largest gain per cost, or (-1, -1)."""
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
            most = groups.violation[g] + groups.violation[h]  # upper bound of the gain of a merge
            least = groups.occurrences[g] * groups.size[h] + groups.occurrences[h] * groups.size[g]  # of its cost
            if most <= best * least * _ROUNDED_DOWN:
                continue
            cost = _added(groups, g, h, rule.mu) + 1
            if most / cost > best:
                groups.state[CELLS] += n
                worth = _gain(groups, scratch, rule, g, h, n) / cost
                if worth > best:
                    best_pair, best = (g, h), worth
    return best_pair


@kernel()
def _gain(groups: Partition, scratch: Scratch, rule: PartitionRule, g: Integer, h: Integer, n: int) -> Integer:
    """Estimate the violation reduction of a merge. Assumes that no record contains both groups and a third group."""
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


@kernel(allocates=True)
def _merge(
    records: PartitionRecords, groups: Partition, scratch: Scratch, rule: PartitionRule, g: Integer, h: Integer
) -> None:
    """Move all items of group `h` to group `g`, and recount the pairs."""
    marked = np.zeros(len(records.weight), np.bool_)
    scratch.cheapest.state[BELOW] = -1
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
