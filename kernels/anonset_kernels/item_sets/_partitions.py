"""Partition of the items into groups, with the cost of each group and the supports of all pairs of groups."""

from typing import NamedTuple

import numpy as np

from anonset_kernels._arrays import (
    Indptr,
    Int32Array,
    Int32Matrix,
    Int64Array,
    Integer,
    ItemRecords,
    Items,
    ItemStart,
    UInt64Matrix,
)
from anonset_kernels._bits import bit
from anonset_kernels._jit import kernel

CANDIDATES = 64
"""Maximum number of candidate groups for a move of an item."""
TOTAL, STAMP, CELLS = 0, 1, 2
LISTED, SUPPORT, BELOW = 0, 1, 2


class PartitionRecords(NamedTuple):
    """Distinct records, and the list of records that contain each item."""

    indptr: Indptr
    items: Items
    weight: Int64Array
    """Multiplicity of each distinct record, int64 (n,)."""
    start: ItemStart
    records: ItemRecords
    support: Int64Array
    """Number of records that contain each item, int64 (M,)."""
    level: Int64Array
    """Level of each item, int64 (M,). The level is twice the binary logarithm of the support, rounded down."""


class Partition(NamedTuple):
    """Partition into G groups, and the supports of group pairs. Groups may be empty."""

    of: Int32Array
    """Group of each item, int32 (M,). -1 for items that never occur."""
    size: Int64Array
    """Number of items in each group, int64 (G,)."""
    occurrences: Int64Array
    """Number of occurrences of each group's items, int64 (G,)."""
    levels: Int64Array
    """Sum of the item levels of each group, int64 (G,)."""
    squares: Int64Array
    """Sum of the squared item levels of each group, int64 (G,)."""
    cost: Int64Array
    """Cost of each group, as computed by `group_cost`, int64 (G,)."""
    pairs: Int32Matrix
    """Number of records that contain both groups of a pair, int32 (G, G). The diagonal contains the support of each
    group.
    """
    violation: Int64Array
    """Total violation of the pairs of each group with all groups, including itself, int64 (G,)."""
    state: Int64Array
    """Violation of all pairs, last record stamp, and number of cells read, int64 (3,)."""
    words: UInt64Matrix
    """Bitmap of each group's records, uint64 (G, ceil(records / 64)). (0, 0) for m < 3."""


class PartitionRule(NamedTuple):
    k: int
    m: int
    """Size of the largest sets of groups that must occur in at least k records or in none."""
    mu: int
    """Weight of the variance of the supports in a group."""
    penalty: int
    """Cost per unit of violation. 0 means that no violation is allowed."""


class Cheapest(NamedTuple):
    """Groups to which an item of a given support adds the least cost. Items of equal support share this list."""

    group: Int32Array
    """Groups by added cost, then by number, int32 (CANDIDATES + 1,). The group of the item itself is included."""
    added: Int64Array
    """Added cost of each listed group, int64 (CANDIDATES + 1,)."""
    state: Int64Array
    """Number of listed groups, support of the item, and cost below which the list is complete, int64 (3,). The cost is
    -1 if no list exists.
    """


class Scratch(NamedTuple):
    """Buffers for the records of an item. Between items, all counts are zero and all indices are -1."""

    here: Int32Array
    """Number of the item's records that contain another member of each group, int32 (G,)."""
    gone: Int32Array
    """Number of the item's records that contain each group but no other member of the item's group, int32 (G,)."""
    both: Int32Matrix
    """Number of the item's records that contain each group and a member of the candidate, int32 (CANDIDATES, G)."""
    touched: Int32Array
    """Groups with a non-zero count, int32 (G,)."""
    held: Int32Array
    """Groups in the current record, int32 (G,)."""
    seen: Int64Array
    """Stamp of the last record that contains each group, int64 (G,)."""
    place: Int32Array
    """Index of each group in `candidate`, int32 (G,). -1 if the group is no candidate."""
    candidate: Int32Array
    """Candidate groups, by the cost that the item adds, int32 (CANDIDATES,)."""
    added: Int64Array
    """Cost that the item adds to each candidate, int64 (CANDIDATES,)."""
    cheapest: Cheapest


def make_partition(of: Int32Array, n_groups: int, n_records: int, m: int) -> Partition:
    """Allocate a partition with all counts zero. Call `count` to compute the counts."""
    size, occurrences, levels, squares = np.zeros((4, n_groups), np.int64)
    cost, violated = np.zeros((2, n_groups), np.int64)
    pairs = np.zeros((n_groups, n_groups), np.int32)
    words = np.zeros((n_groups, n_records // 64 + 1) if m > 2 else (0, 0), np.uint64)
    state = np.zeros(3, np.int64)
    return Partition(of, size, occurrences, levels, squares, cost, pairs, violated, state, words)


def make_scratch(n_groups: int) -> Scratch:
    here, gone, touched, held = (np.zeros(n_groups, np.int32) for _ in range(4))
    both, seen = np.zeros((CANDIDATES, n_groups), np.int32), np.zeros(n_groups, np.int64)
    place, candidate = np.full(n_groups, -1, np.int32), np.empty(CANDIDATES, np.int32)
    added = np.empty(CANDIDATES, np.int64)
    return Scratch(here, gone, both, touched, held, seen, place, candidate, added, make_cheapest())


@kernel(allocates=True)
def make_cheapest() -> Cheapest:
    return Cheapest(np.empty(CANDIDATES + 1, np.int32), np.empty(CANDIDATES + 1, np.int64), np.full(3, -1, np.int64))


@kernel()
def group_cost(size: Integer, occurrences: Integer, levels: Integer, squares: Integer, mu: int) -> Integer:
    """Return the cost of a group. A single item has no cost.

    The cost is ``occurrences * size + floor(mu * occurrences * (size * squares - levels^2) / (4 * size))``. The second
    term contains the variance of the levels times the number of items. It is divided by four because levels are twice
    the logarithms. The quotient is computed first to avoid overflow.
    """
    if size <= 1:
        return 0
    spread = size * squares - levels * levels
    quotient, remainder = spread // (4 * size), spread % (4 * size)
    return occurrences * size + mu * occurrences * quotient + mu * occurrences * remainder // (4 * size)


@kernel()
def violation(count: Integer, k: int) -> Integer:
    """Return the distance of a support from the nearer of 0 and k. 0 if the support is at least k."""
    return max(0, min(count, k - count))


@kernel()
def count(records: PartitionRecords, groups: Partition, scratch: Scratch, rule: PartitionRule) -> None:
    """Compute the supports and costs of a partition.

    Cost: O(items + G^2), plus the squared number of groups of each record.
    """
    for item in range(len(groups.of)):
        if groups.of[item] >= 0:
            put(records, groups, item, groups.of[item], 1, rule.mu)
    for record in range(len(records.weight)):
        n = groups_of(records, groups, scratch, record, -1)
        for g in scratch.held[:n]:
            for h in scratch.held[:n]:
                groups.pairs[g, h] += records.weight[record]
            if rule.m > 2:
                groups.words[g, record >> 6] |= bit(record & 63)
    for g in range(len(groups.size)):
        for h in range(len(groups.size)) if rule.m > 1 else range(g, g + 1):
            lacking = violation(groups.pairs[g, h], rule.k)
            groups.violation[g] += lacking
            groups.state[TOTAL] += lacking if h <= g else 0


@kernel()
def put(records: PartitionRecords, groups: Partition, item: Integer, g: Integer, sign: int, mu: int) -> None:
    """Add an item to the counts of a group (sign 1), or subtract it (sign -1)."""
    level = records.level[item]
    groups.size[g] += sign
    groups.occurrences[g] += sign * records.support[item]
    groups.levels[g] += sign * level
    groups.squares[g] += sign * level * level
    groups.cost[g] = group_cost(groups.size[g], groups.occurrences[g], groups.levels[g], groups.squares[g], mu)


@kernel()
def groups_of(records: PartitionRecords, groups: Partition, scratch: Scratch, record: Integer, item: Integer) -> int:
    """Store the groups of a record's items except `item` in `scratch.held`, and stamp the groups."""
    groups.state[STAMP] += 1
    begin, end = records.indptr[record], records.indptr[record + 1]
    groups.state[CELLS] += end - begin
    stamp, n = groups.state[STAMP], 0
    for at in range(begin, end):  # a slice would cost two atomic operations
        other = records.items[at]
        g = groups.of[other]
        if other != item and scratch.seen[g] != stamp:
            scratch.seen[g] = stamp
            scratch.held[n] = g
            n += 1
    return n


@kernel()
def change(groups: Partition, rule: PartitionRule, g: Integer, h: Integer, by: Integer) -> None:
    """Add `by` to the support of the pair (g, h), or to the support of a group if `g` equals `h`."""
    before = groups.pairs[g, h]
    groups.pairs[g, h] = before + by
    groups.pairs[h, g] = before + by
    if g == h or rule.m > 1:
        more = violation(before + by, rule.k) - violation(before, rule.k)
        groups.violation[g] += more
        groups.state[TOTAL] += more
        if g != h:
            groups.violation[h] += more
