"""Whether a move of an item to another group leaves all sets of up to m groups held by no record, or by k at least."""

import numpy as np

from anonset_kernels._arrays import Int32Array, Int64Array, Integer, UInt64Matrix
from anonset_kernels._bits import bit, trailing_zeros
from anonset_kernels._jit import kernel
from anonset_kernels._partitions import CELLS, STAMP, Partition, Records, Rule, Scratch, groups_of

MOST_CELLS = 30_000_000
"""Words of bits that may be looked at for one move."""


@kernel()
def keeps_sets(records: Records, groups: Partition, scratch: Scratch, rule: Rule, item: Integer, h: Integer) -> bool:
    """Tell whether all sets of 3 to m groups stay safe where an item moves to `h`; if so, bits are as after that.

    Only sets that some record of the item gains or loses can change: those of `h` and others of such a record, and
    those of the group that it leaves. A move that takes more than `MOST_CELLS` to tell is taken for an unsafe one.
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
def _draw(records: Records, groups: Partition, scratch: Scratch, item: Integer, g: Integer, h: Integer) -> None:
    """Set the bits of two groups as they are where an item moves from the one to the other."""
    for record in records.records[records.start[item] : records.start[item + 1]]:
        groups_of(records, groups, scratch, record, item)
        if scratch.seen[g] != groups.state[STAMP]:
            groups.words[g, record >> 6] &= ~bit(record & 63)
        groups.words[h, record >> 6] |= bit(record & 63)


@kernel()
def _are_safe(
    weight: Int64Array, groups: Partition, rule: Rule, g: Integer, others: Int32Array, chosen: Int32Array,
    place: Int64Array,
) -> bool:  # fmt: skip
    """Tell whether no set of a group and 2 to m - 1 others is held by some, but fewer than k, records."""
    chosen[0], place[0] = g, -1
    size, at = 1, 0
    while True:
        if at == len(others):
            size -= 1
            if size == 0:
                return True
            at = place[size] + 1
            continue
        chosen[size], place[size] = others[at], at
        held = rule.k
        if size > 1:
            held = _count(weight, groups, chosen[: size + 1], rule.k)
            if 0 < held < rule.k:
                return False
        if held > 0 and size + 1 < rule.m:
            size += 1
        at += 1


@kernel()
def _count(weight: Int64Array, groups: Partition, chosen: Int32Array, k: int) -> int:
    """Count the records that hold all the chosen groups, up to `k`."""
    words: UInt64Matrix = groups.words
    count = 0
    for at in range(words.shape[1]):
        word = words[chosen[0], at]
        for j in range(1, len(chosen)):
            word &= words[chosen[j], at]
        while word != 0:
            count += weight[at * 64 + trailing_zeros(word)]
            if count >= k:
                groups.state[CELLS] += at
                return k
            word &= word - np.uint64(1)
    groups.state[CELLS] += words.shape[1]
    return count
