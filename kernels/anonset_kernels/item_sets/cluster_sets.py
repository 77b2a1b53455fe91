"""Partition the items of many clusters of records by local search. Each cluster has a separate partition.

The search of each cluster is that of `PartitionSearch`. It starts from the better of the two cuts that apriori finds on
the halving trees of the cluster's items. `halved_losses` computes only the loss of the cut by frequency.
"""

import numpy as np

from anonset_kernels._arrays import Csr, Indptr, Int32Array, Int64Array, Items
from anonset_kernels._jit import kernel
from anonset_kernels.item_sets._halved import forget, items_by_frequency, search_halves
from anonset_kernels.item_sets._partitions import (
    CANDIDATES,
    CELLS,
    TOTAL,
    Partition,
    PartitionRecords,
    PartitionRule,
    Scratch,
    count,
    make_cheapest,
)
from anonset_kernels.item_sets._sweeps import merge_violated, sweep

_SWEEPS, _NEXT_TO_NOTHING, _CELLS_PER_CALL = 30, 14, 30_000_000
_FIRST, _AGAIN, _ROUNDS = np.array([4, 16, 64]), np.array([32, 64, 128, 16]), 40
_STEEPEST, _LARGEST_COST = 4096, 1 << 60
"""Limits of the penalty, as in `PartitionSearch`."""
_DESCEND, _ANNEAL, _REPAIR = 0, 1, 2
_FACTOR, _LOW_BITS = 1_000_003, (1 << 40) - 1
"""Factor and mask of hashes, which are below 2^40, so that no product overflows."""


@kernel(allocates=True)
def search_clusters(
    records: Csr,
    members: Int64Array,
    start: Int64Array,
    rule: tuple[int, int, int],
    n_items: int,
    limits: tuple[int, int],
    merged: tuple[Int64Array, Int32Array, Int32Array],
) -> None:
    """Find the groups of each cluster.

    Parameters
    ----------
    records
        (indptr, items) of the column.
    members, start
        int64 (r,) and (C + 1,): records, cluster by cluster, and first index of each cluster.
    rule
        (k, m, mu); k below 2^16.
    n_items
        Number of items in the column.
    limits
        Maximum number of cells read per cluster, and maximum number of cells in a table of node pairs.
    merged
        (end, item, smallest), filled here. `end`, int64 (C,), is the end of each cluster's entries (exclusive), or -1 -
        end if apriori needs larger tables. `item`, int32, contains the items in groups of several items, ascending for
        each cluster. `smallest`, int32, is the smallest item of each item's group.
    """
    place, filled = np.full(n_items, -1, np.int32), 0
    end, item, smallest = merged
    for c in range(len(start) - 1):
        rows = members[start[c] : start[c + 1]]
        ranked = items_by_frequency(records, rows, place)
        if len(ranked[0]) == 0:
            end[c] = filled
            continue
        status, groups = _start(records, rows, ranked, rule, place, limits[1])
        cluster_items = np.sort(ranked[0])
        if status == 0 and len(cluster_items) > 1 and rule[0] > 1:
            local = _local_records(records, rows, cluster_items, place)
            order = np.argsort(local.support, kind="mergesort").astype(np.int32)
            own_rule = PartitionRule(rule[0], min(rule[1], _longest(local.indptr)), rule[2], 0)
            if own_rule.m > 2:
                groups = _descents(local, order, own_rule, groups, limits[0])
            else:
                groups = _search(local, order, own_rule, groups, limits[0])
        forget(cluster_items, place)
        if status == 0:
            filled = _write(cluster_items, groups, item, smallest, filled)
        end[c] = filled if status == 0 else -1 - filled


@kernel(allocates=True)
def halved_losses(
    records: Csr,
    members: Int64Array,
    start: Int64Array,
    rule: tuple[int, int],
    n_items: int,
    most_cells: int,
    losses: Int64Array,
) -> None:
    """Compute the loss of each record set, the sum of occurrences times (items of the published node - 1).

    Parameters
    ----------
    records, members, start, n_items
        As in `search_clusters`, with record sets as clusters.
    rule
        (k, m), k below 2^16.
    most_cells
        Maximum number of cells in a table of pairs.
    losses
        int64 (C,): filled with the losses. -1 if tables would be larger, or if some, but fewer than k, records of the
        set have items.

    Cost per set: sorting its items, the squared number of nodes above the items of each record, and the squared number
    of nodes that remain after size 1.
    """
    place = np.full(n_items, -1, np.int32)
    for c in range(len(start) - 1):
        rows = members[start[c] : start[c + 1]]
        ranked = items_by_frequency(records, rows, place)
        status, loss, _ = search_halves(records, rows, ranked, (rule[0], rule[1], False), place, most_cells)
        forget(ranked[0], place)
        losses[c] = -1 if status < 0 else loss


@kernel(allocates=True)
def _write(cluster_items: Int32Array, groups: Int32Array, item: Int32Array, smallest: Int32Array, filled: int) -> int:
    """Write the items in groups of several items, and the smallest item of each group. Return the next free index."""
    first, size = np.full(len(cluster_items) + 1, -1, np.int32), np.zeros(len(cluster_items) + 1, np.int32)
    numbers = _renumbered(groups)[0]
    for j in range(len(cluster_items)):
        if size[numbers[j]] == 0:
            first[numbers[j]] = cluster_items[j]
        size[numbers[j]] += 1
    for j in range(len(cluster_items)):
        if size[numbers[j]] > 1:
            item[filled], smallest[filled] = cluster_items[j], first[numbers[j]]
            filled += 1
    return filled


@kernel(allocates=True)
def _start(
    records: Csr,
    rows: Int64Array,
    ranked: tuple[Int32Array, Int64Array],
    rule: tuple[int, int, int],
    place: Int32Array,
    most_cells: int,
) -> tuple[int, Int32Array]:
    """Return the group of each item in the better of two cuts.

    The cuts are those of the tree halved by frequency and of the tree halved by number. The first is preferred if their
    losses are equal.
    """
    order = ranked[0]
    first = search_halves(records, rows, ranked, (rule[0], rule[1], False), place, most_cells)
    other = search_halves(records, rows, ranked, (rule[0], rule[1], True), place, most_cells)
    node = other[2] if _ncp(other[2], ranked[1]) < _ncp(first[2], ranked[1]) else first[2]
    by_item, groups = np.argsort(order, kind="mergesort"), np.empty(len(order), np.int32)
    for j in range(len(order)):
        groups[j] = node[by_item[j]]
    return min(first[0], other[0]), groups


@kernel(allocates=True)
def _ncp(node: Int32Array, occurrences: Int64Array) -> int:
    """Return the sum of occurrences times group size, over groups of several items."""
    size = np.zeros(2 * len(node), np.int64)
    for j in range(len(occurrences)):
        size[node[j]] += 1
    total = 0
    for j in range(len(occurrences)):
        if size[node[j]] > 1:
            total += occurrences[j] * size[node[j]]
    return total


@kernel(allocates=True)
def _local_records(records: Csr, rows: Int64Array, cluster_items: Int32Array, place: Int32Array) -> PartitionRecords:
    """Return the distinct non-empty records, with items as indices into `cluster_items`."""
    indptr, items = records
    for j in range(len(cluster_items)):
        place[cluster_items[j]] = j
    n_entries = 0
    for r in rows:
        n_entries += indptr[r + 1] - indptr[r]
    begins, indices = np.zeros(len(rows) + 1, np.int64), np.empty(n_entries, np.int32)
    weight = np.zeros(len(rows), np.int64)
    slots = 16
    while slots < 2 * len(rows):
        slots *= 2
    table = np.full(slots, -1, np.int64)
    n, filled = 0, 0
    for r in rows:
        length = indptr[r + 1] - indptr[r]
        if length == 0:
            continue
        key = np.int64(length)
        for j in range(length):
            indices[filled + j] = place[items[indptr[r] + j]]
            key = (key * _FACTOR + indices[filled + j]) & _LOW_BITS
        slot = (key ^ (key >> 20)) & (slots - 1)
        while table[slot] >= 0 and not _equal(indices, begins[table[slot]], begins[table[slot] + 1], filled, length):
            slot = (slot + 1) & (slots - 1)
        if table[slot] < 0:
            table[slot] = n
            n, filled = n + 1, filled + length
            begins[n] = filled
        weight[table[slot]] += 1
    return _with_postings(begins[: n + 1], indices[:filled], weight[:n], len(cluster_items))


@kernel()
def _equal(indices: Int32Array, begin: int, end: int, other: int, length: int) -> bool:
    if end - begin != length:
        return False
    for j in range(length):
        if indices[begin + j] != indices[other + j]:
            return False
    return True


@kernel(allocates=True)
def _with_postings(indptr: Indptr, items: Items, weight: Int64Array, n_items: int) -> PartitionRecords:
    """Add the record list, the support and the level of each item to distinct records."""
    start, support = np.zeros(n_items + 1, np.int64), np.zeros(n_items, np.int64)
    for x in items:
        start[x + 1] += 1
    for item in range(n_items):
        start[item + 1] += start[item]
    fill, postings = start[:-1].copy(), np.empty(len(items), np.int32)
    for record in range(len(weight)):
        for x in items[indptr[record] : indptr[record + 1]]:
            postings[fill[x]] = record
            fill[x] += 1
            support[x] += weight[record]
    level = np.zeros(n_items, np.int64)
    for item in range(n_items):
        square = support[item] * support[item]
        while square > 1:
            square >>= 1
            level[item] += 1
    return PartitionRecords(indptr, items, weight, start, postings, support, level)


@kernel(allocates=True)
def _search(
    records: PartitionRecords, order: Int32Array, rule: PartitionRule, start: Int32Array, limit: int
) -> Int32Array:
    """Return the best partition of a search from a start without violations, as `PartitionSearch.run` for m up to 2.

    The loop calls `sweep` in a single place, because the compiler compiles it again for every call.
    """
    groups, scratch = _counted(records, start, rule, True)
    best, cost = groups.of.copy(), _sum(groups.cost)
    phase, sweeps, number, failed = _DESCEND, 0, -1, 0
    cells = np.int64(0)
    unit, steepest, penalty, moves = 1, 0, 0, 1
    while True:
        if phase == _ANNEAL:
            if penalty > steepest or moves == 0 or (groups.state[TOTAL] == 0 and penalty >= 4 * unit):
                phase = _REPAIR
        if phase == _REPAIR and groups.state[TOTAL] == 0:
            phase, sweeps, penalty = _DESCEND, 0, 0
        ended, before = False, _sum(groups.cost)
        if phase == _REPAIR:
            merge_violated(records, groups, scratch, rule)
            cells += groups.state[CELLS]
            groups.state[CELLS] = 0
        else:
            place, moves = 0, 0
            while place < len(order) and cells <= limit:
                priced = PartitionRule(rule.k, rule.m, rule.mu, penalty)
                place, moved = sweep(records, groups, scratch, priced, order, place, _CELLS_PER_CALL)
                moves += moved
                cells += groups.state[CELLS]
                groups.state[CELLS] = 0
                if place < len(order) and cells <= limit and _positive(groups.size) == len(groups.size):
                    groups, scratch = _counted(records, groups.of, rule, False)
            sweeps += 1
            if phase == _DESCEND:
                ended = before - _sum(groups.cost) <= before >> _NEXT_TO_NOTHING or sweeps == _SWEEPS
            else:
                lacking = 2 * groups.state[TOTAL] > _positive(groups.size)
                ended = 2 * _sum(groups.cost) > 3 * cost or (penalty >= 4 * unit and lacking)
                penalty *= 2
        if not ended and cells <= limit:
            continue
        failed += number >= 0
        if groups.state[TOTAL] == 0 and _sum(groups.cost) < cost:
            best, cost, failed = groups.of.copy(), _sum(groups.cost), 0
        number += 1
        if cells > limit or number == _ROUNDS or (failed >= len(_AGAIN) and number >= len(_FIRST) + len(_AGAIN)):
            return best
        share = _FIRST[number] if number < len(_FIRST) else _AGAIN[(number - len(_FIRST)) % len(_AGAIN)]
        groups, scratch = _counted(records, best, rule, True)
        unit = max(1, cost // len(best))
        steepest = min(_STEEPEST * unit, _LARGEST_COST // (rule.k * len(groups.size)))
        phase, penalty, moves = _ANNEAL, max(1, unit * share // 64), 1


@kernel(allocates=True)
def _descents(
    records: PartitionRecords, order: Int32Array, rule: PartitionRule, start: Int32Array, limit: int
) -> Int32Array:
    """Search from the given partition and from one group of all records, and return the better of both partitions.

    The result equals that of `PartitionSearch.run` for m above 2.
    """
    groups, scratch = _counted(records, start, rule, True)
    best, cost, cells = groups.of.copy(), _sum(groups.cost), np.int64(0)
    for way in range(2):
        of, turn = (best.copy(), order[::-1].copy()) if way == 0 else (np.zeros(len(best), np.int32), order.copy())
        most, last = limit // 2 if way == 0 else limit, -1
        for shift in (62 if way == 1 else 2, 2, 1, 0):
            weight = rule.mu >> shift
            if weight == last or cells > most:
                continue
            priced, last = PartitionRule(rule.k, rule.m, weight, 0), weight
            groups, scratch = _counted(records, of, priced, True)
            for _ in range(_SWEEPS):
                before, place = _sum(groups.cost), 0
                while place < len(turn) and cells <= most:
                    place, _ = sweep(records, groups, scratch, priced, turn, place, _CELLS_PER_CALL)
                    cells += groups.state[CELLS]
                    groups.state[CELLS] = 0
                    if place < len(turn) and cells <= most and _positive(groups.size) == len(groups.size):
                        groups, scratch = _counted(records, groups.of, priced, False)
                if cells > most or before - _sum(groups.cost) <= before >> _NEXT_TO_NOTHING:
                    break
            of = groups.of
        groups, scratch = _counted(records, of, rule, True)
        if groups.state[TOTAL] == 0 and _sum(groups.cost) < cost:
            best, cost = groups.of.copy(), _sum(groups.cost)
    return best


@kernel()
def _longest(indptr: Indptr) -> int:
    longest = 0
    for record in range(len(indptr) - 1):
        longest = max(longest, indptr[record + 1] - indptr[record])
    return longest


@kernel()
def _sum(numbers: Int64Array) -> int:
    total = 0
    for number in numbers:
        total += int(number)
    return total


@kernel()
def _positive(sizes: Int64Array) -> int:
    n = 0
    for size in sizes:
        if size > 0:
            n += 1
    return n


@kernel()
def _largest(of: Int32Array) -> int:
    largest = 0
    for group in of:
        if group > largest:
            largest = int(group)
    return largest


@kernel(allocates=True)
def _renumbered(of: Int32Array) -> tuple[Int32Array, int]:
    """Renumber the groups by their smallest items. Return the group of each item, and the number of groups."""
    number, n = np.full(_largest(of) + 1, -1, np.int32), 0
    group = np.empty(len(of), np.int32)
    for x in range(len(of)):
        if number[of[x]] < 0:
            number[of[x]] = n
            n += 1
        group[x] = number[of[x]]
    return group, n


@kernel(allocates=True)
def _counted(
    records: PartitionRecords, old: Int32Array, rule: PartitionRule, renumber: bool
) -> tuple[Partition, Scratch]:
    """Count the supports of a partition, with space for 50 % more groups. `renumber` sorts groups by smallest item."""
    of, n_groups = old, _largest(old) + 1
    if renumber:
        of, n_groups = _renumbered(old)
    capacity = n_groups + n_groups // 2 + 16
    sums = np.zeros((5, capacity), np.int64)
    groups = Partition(
        of,
        sums[0],
        sums[1],
        sums[2],
        sums[3],
        sums[4],
        np.zeros((capacity, capacity), np.int32),
        np.zeros(capacity, np.int64),
        np.zeros(3, np.int64),
        np.zeros((capacity if rule.m > 2 else 0, len(records.weight) // 64 + 1), np.uint64),
    )
    scratch = Scratch(
        np.zeros(capacity, np.int32),
        np.zeros(capacity, np.int32),
        np.zeros((CANDIDATES, capacity), np.int32),
        np.zeros(capacity, np.int32),
        np.zeros(capacity, np.int32),
        np.zeros(capacity, np.int64),
        np.full(capacity, -1, np.int32),
        np.empty(CANDIDATES, np.int32),
        np.empty(CANDIDATES, np.int64),
        make_cheapest(),
    )
    count(records, groups, scratch, rule)
    return groups, scratch
