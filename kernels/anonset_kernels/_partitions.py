"""Partition of the items into groups: cost, and supports of all pairs of groups."""

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
    """Distinct records, and the records of each item."""

    indptr: Indptr
    items: Items
    weight: Int64Array
    """int64 (n,): multiplicity of each distinct record."""
    start: ItemStart
    records: ItemRecords
    support: Int64Array
    """int64 (M,): number of records that contain each item."""
    level: Int64Array
    """int64 (M,): level of each item, twice the binary logarithm of the support, rounded down."""


class Partition(NamedTuple):
    """Partition into G groups, some of them empty, and the supports of group pairs."""

    of: Int32Array
    """int32 (M,): group of each item; -1 for items that never occur."""
    size: Int64Array
    """int64 (G,): number of items in each group."""
    occurrences: Int64Array
    """int64 (G,): occurrences of the group's items."""
    levels: Int64Array
    """int64 (G,): sum of the items' levels."""
    squares: Int64Array
    """int64 (G,): sum of the items' squared levels."""
    cost: Int64Array
    """int64 (G,): result of `group_cost`."""
    pairs: Int32Matrix
    """int32 (G, G): records that contain a member of both groups; on the diagonal, a member of the group."""
    violation: Int64Array
    """int64 (G,): total violation of the pairs of each group with all groups, including the pair with itself."""
    state: Int64Array
    """int64 (3,): violation of all pairs; last record stamp; number of cells read."""
    words: UInt64Matrix
    """uint64 (G, records / 64), or (0, 0) for m < 3: bitmap of each group's records."""


class PartitionRule(NamedTuple):
    """Search parameters."""

    k: int
    m: int
    """Size of the largest sets of groups that must occur in at least k records or in none."""
    mu: int
    """Weight of the variance of the supports in a group."""
    penalty: int
    """Cost per unit of violation; 0: no violation allowed."""


class Cheapest(NamedTuple):
    """Groups to which an item of some support adds the least cost. Items of the same support share the list."""

    group: Int32Array
    """int32 (CANDIDATES + 1,): groups by added cost (ties: smallest), including the item's own group."""
    added: Int64Array
    """int64 (CANDIDATES + 1,): this cost."""
    state: Int64Array
    """int64 (3,): number of listed groups; support of the item; cost below which the list is complete, or -1."""


class Scratch(NamedTuple):
    """Buffers for the records of an item. Counts are zero, and indices -1, when the next item begins."""

    here: Int32Array
    """int32 (G,): number of the item's records that contain another member of each group."""
    gone: Int32Array
    """int32 (G,): number of these records in which the item is the only member of its group."""
    both: Int32Matrix
    """int32 (CANDIDATES, G): number of these records that also contain another member of each candidate."""
    touched: Int32Array
    """int32 (G,): groups with a non-zero count."""
    held: Int32Array
    """int32 (G,): groups of a record."""
    seen: Int64Array
    """int64 (G,): stamp of the last record that contains each group."""
    place: Int32Array
    """int32 (G,): index of each group among the candidates, or -1."""
    candidate: Int32Array
    """int32 (CANDIDATES,): candidates, by the cost that the item adds."""
    added: Int64Array
    """int64 (CANDIDATES,): this cost."""
    cheapest: Cheapest


def make_partition(of: Int32Array, n_groups: int, n_records: int, m: int) -> Partition:
    """Allocate a partition. All counts are zero; `count` computes them."""
    size, occurrences, levels, squares = np.zeros((4, n_groups), np.int64)
    cost, violated = np.zeros((2, n_groups), np.int64)
    pairs = np.zeros((n_groups, n_groups), np.int32)
    words = np.zeros((n_groups, n_records // 64 + 1) if m > 2 else (0, 0), np.uint64)
    state = np.zeros(3, np.int64)
    return Partition(of, size, occurrences, levels, squares, cost, pairs, violated, state, words)


def make_scratch(n_groups: int) -> Scratch:
    """Allocate the buffers for a sweep over `n_groups` groups."""
    here, gone, touched, held = (np.zeros(n_groups, np.int32) for _ in range(4))
    both, seen = np.zeros((CANDIDATES, n_groups), np.int32), np.zeros(n_groups, np.int64)
    place, candidate = np.full(n_groups, -1, np.int32), np.empty(CANDIDATES, np.int32)
    added = np.empty(CANDIDATES, np.int64)
    return Scratch(here, gone, both, touched, held, seen, place, candidate, added, make_cheapest())


@kernel()
def make_cheapest() -> Cheapest:
    """Allocate an empty list."""
    return Cheapest(np.empty(CANDIDATES + 1, np.int32), np.empty(CANDIDATES + 1, np.int64), np.full(3, -1, np.int64))


@kernel(allocates=False)
def group_cost(size: Integer, occurrences: Integer, levels: Integer, squares: Integer, mu: int) -> Integer:
    """Return the cost of a group: 0 for a single item, else occurrences times size plus `mu` variances of the levels.

    ``occurrences * size + floor(mu * occurrences * (size * squares - levels^2) / (4 * size))``: the variance is divided
    by four, because levels are twice the logarithms, and counts once per item. The quotient is computed first to avoid
    overflow.
    """
    if size <= 1:
        return 0
    spread = size * squares - levels * levels
    quotient, remainder = spread // (4 * size), spread % (4 * size)
    return occurrences * size + mu * occurrences * quotient + mu * occurrences * remainder // (4 * size)


@kernel(allocates=False)
def violation(count: Integer, k: int) -> Integer:
    """Return the distance of a support to the nearer of 0 and k; 0 from k on."""
    return max(0, min(count, k - count))


@kernel(allocates=False)
def count(records: PartitionRecords, groups: Partition, scratch: Scratch, rule: PartitionRule) -> None:
    """Count the supports and costs of a partition. O(items + sum of squared groups of the records + G^2)."""
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


@kernel(allocates=False)
def put(records: PartitionRecords, groups: Partition, item: Integer, g: Integer, sign: int, mu: int) -> None:
    """Add an item to a group's counts (sign 1) or subtract it (sign -1)."""
    level = records.level[item]
    groups.size[g] += sign
    groups.occurrences[g] += sign * records.support[item]
    groups.levels[g] += sign * level
    groups.squares[g] += sign * level * level
    groups.cost[g] = group_cost(groups.size[g], groups.occurrences[g], groups.levels[g], groups.squares[g], mu)


@kernel(allocates=False)
def groups_of(records: PartitionRecords, groups: Partition, scratch: Scratch, record: Integer, item: Integer) -> int:
    """List the groups of a record without an item, and stamp them."""
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


@kernel(allocates=False)
def change(groups: Partition, rule: PartitionRule, g: Integer, h: Integer, by: Integer) -> None:
    """Change the support of a pair of groups or of a single group."""
    before = groups.pairs[g, h]
    groups.pairs[g, h] = before + by
    groups.pairs[h, g] = before + by
    if g == h or rule.m > 1:
        more = violation(before + by, rule.k) - violation(before, rule.k)
        groups.violation[g] += more
        groups.state[TOTAL] += more
        if g != h:
            groups.violation[h] += more
