"""A partition of the items into groups, what it costs, and the supports of all pairs of its groups."""

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
"""Groups to which an item may move."""
TOTAL, STAMP, CELLS = 0, 1, 2


class Records(NamedTuple):
    """Distinct records, and those of each item."""

    indptr: Indptr
    items: Items
    weight: Int64Array
    """int64 (n,): how many records each stands for."""
    start: ItemStart
    records: ItemRecords
    support: Int64Array
    """int64 (M,): records that hold each item."""
    level: Int64Array
    """int64 (M,): twice the binary logarithm of the support, rounded down."""


class Partition(NamedTuple):
    """The groups, G of them with empty ones, and the supports of their pairs."""

    of: Int32Array
    """int32 (M,): group of each item; -1 of those that never occur."""
    size: Int64Array
    """int64 (G,): items of each group."""
    occurrences: Int64Array
    """int64 (G,): occurrences of its items."""
    levels: Int64Array
    """int64 (G,): sum of their levels."""
    squares: Int64Array
    """int64 (G,): sum of the squares of their levels."""
    cost: Int64Array
    """int64 (G,): `group_cost`."""
    pairs: Int32Matrix
    """int32 (G, G): records that hold a member of both; on the diagonal, a member."""
    violation: Int64Array
    """int64 (G,): violation of the pairs of each group, with itself, too."""
    state: Int64Array
    """int64 (3,): violation of all pairs; the last stamp that was given; cells that were looked at."""
    words: UInt64Matrix
    """uint64 (G, records / 64), or (0, 0) where m < 3: bits of the records of each group."""


class Rule(NamedTuple):
    """What the search asks for."""

    k: int
    m: int
    """Size of the largest sets of groups that must be held by k records, or none."""
    mu: int
    """Weight of how unlike the supports in a group are."""
    penalty: int
    """Cost of a unit of violation; 0: nothing may be violated."""


class Scratch(NamedTuple):
    """What the records of one item tell; all zero, or -1, between two items."""

    here: Int32Array
    """int32 (G,): its records that hold another member of each group."""
    gone: Int32Array
    """int32 (G,): of those, the ones that leave the item's group with it."""
    both: Int32Matrix
    """int32 (CANDIDATES, G): of those, the ones that hold another member of each candidate, too."""
    touched: Int32Array
    """int32 (G,): the groups with such records."""
    held: Int32Array
    """int32 (G,): the groups of one record."""
    seen: Int64Array
    """int64 (G,): stamp of the last record that holds each group."""
    place: Int32Array
    """int32 (G,): place of each group among the candidates, or -1."""
    candidate: Int32Array
    """int32 (CANDIDATES,): the candidates, by what the item adds to their cost."""
    added: Int64Array
    """int64 (CANDIDATES,): what it adds."""


def make_partition(of: Int32Array, n_groups: int, n_records: int, m: int) -> Partition:
    """Return a partition without counts, for `count`."""
    size, occurrences, levels, squares = np.zeros((4, n_groups), np.int64)
    cost, violated = np.zeros((2, n_groups), np.int64)
    pairs = np.zeros((n_groups, n_groups), np.int32)
    words = np.zeros((n_groups, n_records // 64 + 1) if m > 2 else (0, 0), np.uint64)
    state = np.zeros(3, np.int64)
    return Partition(of, size, occurrences, levels, squares, cost, pairs, violated, state, words)


def make_scratch(n_groups: int) -> Scratch:
    """Return the room that a sweep over so many groups needs."""
    here, gone, touched, held = (np.zeros(n_groups, np.int32) for _ in range(4))
    both, seen = np.zeros((CANDIDATES, n_groups), np.int32), np.zeros(n_groups, np.int64)
    place, candidate = np.full(n_groups, -1, np.int32), np.empty(CANDIDATES, np.int32)
    return Scratch(here, gone, both, touched, held, seen, place, candidate, np.empty(CANDIDATES, np.int64))


@kernel()
def group_cost(size: Integer, occurrences: Integer, levels: Integer, squares: Integer, mu: int) -> Integer:
    """Return what a group costs: 0 of one item, else its occurrences times its size and `mu` variances of its levels.

    ``occurrences * size + floor(mu * occurrences * (size * squares - levels^2) / (4 * size))``: a variance counts a
    quarter, for levels are twice the logarithms, and once for each item. The quotient is taken first, so that nothing
    overflows that need not.
    """
    if size <= 1:
        return 0
    spread = size * squares - levels * levels
    whole, rest = spread // (4 * size), spread % (4 * size)
    return occurrences * size + mu * occurrences * whole + mu * occurrences * rest // (4 * size)


@kernel()
def violation(count: Integer, k: int) -> Integer:
    """Return how far a support is from being 0, or k, at least."""
    return max(0, min(count, k - count))


@kernel()
def count(records: Records, groups: Partition, scratch: Scratch, rule: Rule) -> None:
    """Count what a partition without counts holds: O(items + sum of squared groups of the records + G^2)."""
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
def put(records: Records, groups: Partition, item: Integer, g: Integer, sign: int, mu: int) -> None:
    """Count an item in (1) or out of (-1) a group."""
    level = records.level[item]
    groups.size[g] += sign
    groups.occurrences[g] += sign * records.support[item]
    groups.levels[g] += sign * level
    groups.squares[g] += sign * level * level
    groups.cost[g] = group_cost(groups.size[g], groups.occurrences[g], groups.levels[g], groups.squares[g], mu)


@kernel()
def groups_of(records: Records, groups: Partition, scratch: Scratch, record: Integer, item: Integer) -> int:
    """List the groups of a record without an item, and stamp them."""
    groups.state[STAMP] += 1
    groups.state[CELLS] += records.indptr[record + 1] - records.indptr[record]
    stamp, n = groups.state[STAMP], 0
    for other in records.items[records.indptr[record] : records.indptr[record + 1]]:
        g = groups.of[other]
        if other != item and scratch.seen[g] != stamp:
            scratch.seen[g] = stamp
            scratch.held[n] = g
            n += 1
    return n


@kernel()
def change(groups: Partition, rule: Rule, g: Integer, h: Integer, by: Integer) -> None:
    """Change the support of a pair, or of a group alone."""
    before = groups.pairs[g, h]
    groups.pairs[g, h] = before + by
    groups.pairs[h, g] = before + by
    if g == h or rule.m > 1:
        more = violation(before + by, rule.k) - violation(before, rule.k)
        groups.violation[g] += more
        groups.state[TOTAL] += more
        if g != h:
            groups.violation[h] += more
