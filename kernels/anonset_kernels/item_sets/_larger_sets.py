"""Check that all sets of 3 to m groups are safe after an item moves to another group.

A set is safe if it occurs in no record or in at least k records.
"""

import numpy as np

from anonset_kernels._arrays import Int32Array, Int64Array, Integer, UInt64Matrix
from anonset_kernels._bits import bit, trailing_zeros
from anonset_kernels._jit import kernel
from anonset_kernels.item_sets._partitions import (
    CELLS,
    STAMP,
    Partition,
    PartitionRecords,
    PartitionRule,
    Scratch,
    groups_of,
)

MOST_CELLS = 30_000_000
"""Maximum number of bitmap words read for one move."""


@kernel(allocates=True)
def keeps_sets(
    records: PartitionRecords, groups: Partition, scratch: Scratch, rule: PartitionRule, item: Integer, h: Integer
) -> bool:
    """Return True if all sets of 3 to m groups are safe after an item moves to `h`. The bitmaps are then updated.

    Only sets that a record of the item gains or loses can change. They contain `h` or the group that the item leaves,
    and other groups of the record. A move that would read more than `MOST_CELLS` words counts as unsafe.
    """
    g, limit = groups.of[item], groups.state[CELLS] + MOST_CELLS
    _draw(records, groups, scratch, item, g, h)
    chosen, place = np.empty(rule.m, np.int32), np.empty(rule.m, np.int64)
    for record in records.records[records.start[item] : records.start[item + 1]]:
        n = groups_of(records, groups, scratch, record, item)
        stamp, is_safe = groups.state[STAMP], True
        if scratch.seen[h] != stamp:
            is_safe = _are_safe(records.weight, groups, rule, h, scratch.held[:n], chosen, place)
            scratch.held[n] = h
            n += 1
        if is_safe and scratch.seen[g] != stamp:
            is_safe = _are_safe(records.weight, groups, rule, g, scratch.held[:n], chosen, place)
        if not is_safe or groups.state[CELLS] > limit:
            _draw(records, groups, scratch, item, h, g)
            return False
    return True


@kernel()
def _draw(
    records: PartitionRecords, groups: Partition, scratch: Scratch, item: Integer, g: Integer, h: Integer
) -> None:
    """Update the bitmaps of two groups for the move of an item from `g` to `h`."""
    for record in records.records[records.start[item] : records.start[item + 1]]:
        groups_of(records, groups, scratch, record, item)
        if scratch.seen[g] != groups.state[STAMP]:
            groups.words[g, record >> 6] &= ~bit(record & 63)
        groups.words[h, record >> 6] |= bit(record & 63)


@kernel()
def _are_safe(
    weight: Int64Array, groups: Partition, rule: PartitionRule, g: Integer, others: Int32Array, chosen: Int32Array,
    place: Int64Array,
) -> bool:  # fmt: skip
    """Return True if no set of `g` and 2 to m - 1 of the other groups occurs in some, but fewer than k, records."""
    chosen[0], place[0] = g, -1
    size, i = 1, 0
    while True:
        if i == len(others):
            size -= 1
            if size == 0:
                return True
            i = place[size] + 1
            continue
        chosen[size], place[size] = others[i], i
        support = rule.k
        if size > 1:
            support = _count(weight, groups, chosen[: size + 1], rule.k)
            if 0 < support < rule.k:
                return False
        if support > 0 and size + 1 < rule.m:
            size += 1
        i += 1


@kernel()
def _count(weight: Int64Array, groups: Partition, chosen: Int32Array, k: int) -> int:
    """Count the records that contain all chosen groups, up to `k`."""
    words: UInt64Matrix = groups.words
    count = 0
    for w in range(words.shape[1]):
        word = words[chosen[0], w]
        for j in range(1, len(chosen)):
            word &= words[chosen[j], w]
        while word != 0:
            count += weight[w * 64 + trailing_zeros(word)]
            if count >= k:
                groups.state[CELLS] += w
                return k
            word &= word - np.uint64(1)
    groups.state[CELLS] += words.shape[1]
    return count
