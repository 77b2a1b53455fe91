"""Sets of items by local search on many clusters of records, each by itself, for m up to 2.

The search of each cluster is that of `PartitionSearch`, from the better of the cuts that apriori finds on the two trees
of halves of the cluster's own items.
"""

import numpy as np

from anonset_kernels._arrays import Csr, Int32Array, Int64Array
from anonset_kernels._halved import forget, items_by_frequency, search_halves
from anonset_kernels._jit import kernel
from anonset_kernels._merging import merge_violated
from anonset_kernels._partitions import CANDIDATES, CELLS, TOTAL, Partition, Records, Rule, Scratch, count
from anonset_kernels._sweeps import sweep

_State = tuple[Partition, Scratch]
_SWEEPS, _NEXT_TO_NOTHING, _CELLS_PER_CALL = 30, 14, 30_000_000
_FIRST, _AGAIN, _ROUNDS = np.array([4, 16, 64]), np.array([32, 64, 128, 16]), 40
_STEEPEST, _LARGEST_COST = 4096, 1 << 60
"""As in `PartitionSearch`."""


@kernel()
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
        int64 (r,) and (C + 1,): the records cluster by cluster, and where each cluster begins.
    rule
        (k, m, mu); m at most 2, k below 2^16.
    n_items
        Items of the column.
    limits
        Most cells that the search of a cluster may look at, and most cells of a table of pairs of nodes.
    merged
        (end, item, smallest), filled here: int64 (C,), one past the last entry of each cluster, -1 - end if apriori
        needs a larger table; int32: the items that share a group, ascending in a cluster, and the smallest item of
        each one's group.
    """
    place, at = np.full(n_items, -1, np.int32), 0
    end, item, smallest = merged
    for c in range(len(start) - 1):
        rows = members[start[c] : start[c + 1]]
        ranked = items_by_frequency(records, rows, place)
        status, groups = _start(records, rows, ranked, rule, place, limits[1])
        own = np.sort(ranked[0])
        if status == 0 and len(own) > 1 and rule[0] > 1:
            local = _local_records(records, rows, own, place)
            order = np.argsort(local.support, kind="mergesort").astype(np.int32)
            groups = _search(local, order, Rule(rule[0], rule[1], rule[2], 0), groups, limits[0])
        forget(own, place)
        if status == 0:
            at = _write(own, groups, item, smallest, at)
        end[c] = at if status == 0 else -1 - at


@kernel()
def _write(own: Int32Array, groups: Int32Array, item: Int32Array, smallest: Int32Array, at: int) -> int:
    """Write the items that share a group, and the smallest of each group; return where to go on."""
    first, size = np.full(len(own) + 1, -1, np.int32), np.zeros(len(own) + 1, np.int32)
    numbers = _renumbered(groups)[0]
    for j in range(len(own)):
        if size[numbers[j]] == 0:
            first[numbers[j]] = own[j]
        size[numbers[j]] += 1
    for j in range(len(own)):
        if size[numbers[j]] > 1:
            item[at], smallest[at] = own[j], first[numbers[j]]
            at += 1
    return at


@kernel()
def _start(
    records: Csr,
    rows: Int64Array,
    ranked: tuple[Int32Array, Int64Array],
    rule: tuple[int, int, int],
    place: Int32Array,
    most_cells: int,
) -> tuple[int, Int32Array]:
    """Return the group of each item, ascending, in the cut of less loss: of halves by frequency, else by number."""
    order = ranked[0]
    first = search_halves(records, rows, ranked, (rule[0], rule[1], False), place, most_cells)
    other = search_halves(records, rows, ranked, (rule[0], rule[1], True), place, most_cells)
    node = other[2] if _ncp(other[2], ranked[1]) < _ncp(first[2], ranked[1]) else first[2]
    groups = np.empty(len(order), np.int32)
    groups[np.argsort(np.argsort(order))] = node[: len(order)]
    return min(first[0], other[0]), groups


@kernel()
def _ncp(node: Int32Array, occurrences: Int64Array) -> int:
    """Return the occurrences times the sizes of their groups, of groups of several items."""
    size = np.zeros(2 * len(node), np.int64)
    for j in range(len(occurrences)):
        size[node[j]] += 1
    total = 0
    for j in range(len(occurrences)):
        if size[node[j]] > 1:
            total += occurrences[j] * size[node[j]]
    return total


@kernel()
def _local_records(records: Csr, rows: Int64Array, own: Int32Array, place: Int32Array) -> Records:
    """Return the distinct records with items, their items as places in `own`."""
    indptr, items = records
    for j in range(len(own)):
        place[own[j]] = j
    room = 0
    for r in rows:
        room += indptr[r + 1] - indptr[r]
    begins, held = np.zeros(len(rows) + 1, np.int64), np.empty(room, np.int32)
    weight = np.zeros(len(rows), np.int64)
    slots = 16
    while slots < 2 * len(rows):
        slots *= 2
    table = np.full(slots, -1, np.int64)
    n, at = 0, 0
    for r in rows:
        length = indptr[r + 1] - indptr[r]
        if length == 0:
            continue
        key = np.uint64(length)
        for j in range(length):
            held[at + j] = place[items[indptr[r] + j]]
            key = (key ^ np.uint64(held[at + j])) * np.uint64(0x9E3779B97F4A7C15)
        slot = np.int64((key >> np.uint64(20)) & np.uint64(slots - 1))
        while table[slot] >= 0 and not _equal(held, begins[table[slot]], begins[table[slot] + 1], at, length):
            slot = (slot + 1) & (slots - 1)
        if table[slot] < 0:
            table[slot] = n
            n, at = n + 1, at + length
            begins[n] = at
        weight[table[slot]] += 1
    return _with_postings(begins[: n + 1], held[:at], weight[:n], len(own))


@kernel()
def _equal(held: Int32Array, begin: int, end: int, other: int, length: int) -> bool:
    if end - begin != length:
        return False
    for j in range(length):
        if held[begin + j] != held[other + j]:
            return False
    return True


@kernel()
def _with_postings(indptr: Int64Array, items: Int32Array, weight: Int64Array, n_items: int) -> Records:
    """Return distinct records with the records, the support and the level of each item."""
    start, support = np.zeros(n_items + 1, np.int64), np.zeros(n_items, np.int64)
    for x in items:
        start[x + 1] += 1
    for x in range(n_items):
        start[x + 1] += start[x]
    fill, postings = start[:-1].copy(), np.empty(len(items), np.int32)
    for record in range(len(weight)):
        for x in items[indptr[record] : indptr[record + 1]]:
            postings[fill[x]] = record
            fill[x] += 1
            support[x] += weight[record]
    level = np.zeros(n_items, np.int64)
    for x in range(n_items):
        square = support[x] * support[x]
        while square > 1:
            square >>= 1
            level[x] += 1
    return Records(indptr, items, weight, start, postings, support, level)


@kernel()
def _search(records: Records, order: Int32Array, rule: Rule, start: Int32Array, limit: int) -> Int32Array:
    """Return the best partition of a search from one that violates nothing: `PartitionSearch.run` for m up to 2."""
    state, cells = _opened(records, start, rule), np.zeros(1, np.int64)
    best, cost = state[0].of.copy(), state[0].cost.sum()
    state, is_out = _descended(records, order, rule, state, cells, limit)
    if _is_better(state, cost):
        best, cost = state[0].of.copy(), state[0].cost.sum()
    failed = 0
    for number in range(_ROUNDS):
        if is_out or (failed >= len(_AGAIN) and number >= len(_FIRST) + len(_AGAIN)):
            break
        share = _FIRST[number] if number < len(_FIRST) else _AGAIN[(number - len(_FIRST)) % len(_AGAIN)]
        state = _opened(records, best, rule)
        state, is_out, is_near = _annealed(records, order, rule, state, cells, limit, share, cost)
        if is_near and not is_out:
            is_out = _repaired(records, rule, state, cells, limit)
            if not is_out:
                state, is_out = _descended(records, order, rule, state, cells, limit)
        failed += 1
        if _is_better(state, cost):
            best, cost, failed = state[0].of.copy(), state[0].cost.sum(), 0
    return best


@kernel()
def _is_better(state: _State, cost: int) -> bool:
    return bool(state[0].state[TOTAL] == 0 and state[0].cost.sum() < cost)


@kernel()
def _renumbered(of: Int32Array) -> tuple[Int32Array, int]:
    """Return the groups numbered by their smallest item, and how many there are."""
    number, n = np.full(of.max() + 1, -1, np.int32), 0
    group = np.empty(len(of), np.int32)
    for x in range(len(of)):
        if number[of[x]] < 0:
            number[of[x]] = n
            n += 1
        group[x] = number[of[x]]
    return group, n


@kernel()
def _opened(records: Records, of: Int32Array, rule: Rule) -> _State:
    """Begin with a partition, whose groups are numbered by their smallest item."""
    group, n = _renumbered(of)
    return _counted(records, group, n, rule)


@kernel()
def _counted(records: Records, of: Int32Array, n_groups: int, rule: Rule) -> _State:
    """Count what a partition holds, with room for half as many groups more."""
    room = n_groups + n_groups // 2 + 16
    sums = np.zeros((5, room), np.int64)
    groups = Partition(
        of,
        sums[0],
        sums[1],
        sums[2],
        sums[3],
        sums[4],
        np.zeros((room, room), np.int32),
        np.zeros(room, np.int64),
        np.zeros(3, np.int64),
        np.zeros((0, 0), np.uint64),
    )
    scratch = Scratch(
        np.zeros(room, np.int32),
        np.zeros(room, np.int32),
        np.zeros((CANDIDATES, room), np.int32),
        np.zeros(room, np.int32),
        np.zeros(room, np.int32),
        np.zeros(room, np.int64),
        np.full(room, -1, np.int32),
        np.empty(CANDIDATES, np.int32),
        np.empty(CANDIDATES, np.int64),
    )
    count(records, groups, scratch, rule)
    return groups, scratch


@kernel()
def _stepped(groups: Partition, cells: Int64Array, limit: int) -> bool:
    """Count the cells that were looked at; return whether they are more than allowed."""
    cells[0] += groups.state[CELLS]
    groups.state[CELLS] = 0
    return bool(cells[0] > limit)


@kernel()
def _swept(
    records: Records, order: Int32Array, rule: Rule, state: _State, cells: Int64Array, limit: int
) -> tuple[_State, int, bool]:
    """Move each item to where it costs least; return how many moved, and whether no step is left."""
    place, moves = 0, 0
    while place < len(order):
        place, moved = sweep(records, state[0], state[1], rule, order, place, _CELLS_PER_CALL)
        moves += moved
        if _stepped(state[0], cells, limit):
            return state, moves, True
        if place < len(order) and np.all(state[0].size > 0):
            state = _counted(records, state[0].of, len(state[0].size), rule)
    return state, moves, False


@kernel()
def _descended(
    records: Records, order: Int32Array, rule: Rule, state: _State, cells: Int64Array, limit: int
) -> tuple[_State, bool]:
    """Move items as long as that costs less, by more than next to nothing, and violates nothing."""
    for _ in range(_SWEEPS):
        before = state[0].cost.sum()
        state, _, is_out = _swept(records, order, rule, state, cells, limit)
        if is_out:
            return state, True
        if before - state[0].cost.sum() <= before >> _NEXT_TO_NOTHING:
            break
    return state, False


@kernel()
def _annealed(
    records: Records, order: Int32Array, rule: Rule, state: _State, cells: Int64Array, limit: int, share: int, cost: int
) -> tuple[_State, bool, bool]:
    """Move items at a penalty that doubles; return whether no step is left, and whether a repair is worthwhile."""
    unit = max(1, cost // len(state[0].of))
    steepest = min(_STEEPEST * unit, _LARGEST_COST // (rule.k * len(state[0].size)))
    penalty, moves = max(1, unit * share // 64), 1
    while penalty <= steepest and moves > 0 and (state[0].state[TOTAL] > 0 or penalty < 4 * unit):
        priced = Rule(rule.k, rule.m, rule.mu, penalty)
        state, moves, is_out = _swept(records, order, priced, state, cells, limit)
        if is_out:
            return state, True, False
        if 2 * state[0].cost.sum() > 3 * cost:
            return state, False, False
        if penalty >= 4 * unit and 2 * state[0].state[TOTAL] > np.count_nonzero(state[0].size):
            return state, False, False
        penalty *= 2
    return state, False, True


@kernel()
def _repaired(records: Records, rule: Rule, state: _State, cells: Int64Array, limit: int) -> bool:
    """Merge groups until nothing is violated; return whether no step is left."""
    while state[0].state[TOTAL] > 0:
        merge_violated(records, state[0], state[1], rule)
        if _stepped(state[0], cells, limit):
            return True
    return False
