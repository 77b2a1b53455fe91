"""First fit: assign each item to the first chunk that remains k^m-anonymous.

The posting of an item is the ascending list of the records that contain it.
"""

from typing import NamedTuple

import numpy as np

from anonset_kernels._arrays import BoolArray, Int32Array, Int64Array, UInt64Matrix
from anonset_kernels._bits import bit, bit_count
from anonset_kernels._jit import kernel


class ChunkRule(NamedTuple):
    """Conditions that chunks must satisfy."""

    k: int
    m: int
    numerator: int
    denominator: int
    """Denominator of the maximum share of a chunk's records that an item in `alone` may have."""
    alone: BoolArray
    """Items that must not share a chunk, bool (M,)."""


@kernel(allocates=True)
def first_fit(
    starts: Int64Array, ends: Int64Array, records: Int32Array, rule: ChunkRule, head: Int32Array
) -> Int32Array:
    """Return a chunk for each item, int32 (items,): the first chunk that remains k^m-anonymous, or a new chunk.

    Cost: for each occurrence of an item, the items of the record that already have a chunk. For m >= 3, in addition the
    sets of fewer than m items of a chunk that occur together with the item.

    Parameters
    ----------
    starts, ends, records
        int64 (items,), int64 (items,) and int32: posting of each item, in assignment order. Each posting has at least k
        records.
    head
        int32 (at least the largest record + 1,): -1 before and after the call.
    """
    n_items, n_chunks, used = len(starts), 0, 0
    chunk_of = np.zeros(n_items, np.int32)
    size = 0
    for item in range(n_items):
        size += ends[item] - starts[item]
    before, owner = np.empty(size, np.int32), np.empty(size, np.int32)
    slot, near = np.full(n_items, -1, np.int32), np.empty(n_items, np.int32)
    together, unfit = np.empty(n_items, np.int64), np.full(n_items, -1, np.int32)
    for item in range(n_items):
        n_near = 0
        if rule.m > 1:
            for entry in range(starts[item], ends[item]):
                other = head[records[entry]]
                while other >= 0:
                    chunk_near = owner[other]
                    if slot[chunk_near] < 0:
                        slot[chunk_near], near[n_near], together[n_near] = n_near, chunk_near, 0
                        n_near += 1
                    together[slot[chunk_near]] += 1
                    other = before[other]
        for number in range(n_near):
            if together[number] < rule.k:
                unfit[chunk_of[near[number]]] = item
        chunk = 0
        if rule.m > 2 and n_near > 1:
            bits = _bits_of(records[starts[item] : ends[item]], head, before, owner, slot, n_near)
            while chunk < n_chunks and (
                unfit[chunk] == item or not _larger_sets_fit(bits, near[:n_near], chunk_of, chunk, rule)
            ):
                chunk += 1
        else:
            while chunk < n_chunks and unfit[chunk] == item:
                chunk += 1
        for number in range(n_near):
            slot[near[number]] = -1
        chunk_of[item] = chunk
        n_chunks = max(n_chunks, chunk + 1)
        for entry in range(starts[item], ends[item]):
            before[used], owner[used] = head[records[entry]], item
            head[records[entry]] = used
            used += 1
    for item in range(n_items):
        for entry in range(starts[item], ends[item]):
            head[records[entry]] = -1
    return chunk_of


@kernel(allocates=True)
def _bits_of(
    records: Int32Array, head: Int32Array, before: Int32Array, owner: Int32Array, slot: Int32Array, n_near: int
) -> UInt64Matrix:
    """Return a bitmap of the given records for each item that occurs in them and already has a chunk."""
    bits = np.zeros((n_near, (len(records) + 63) // 64), np.uint64)
    for i in range(len(records)):
        other = head[records[i]]
        while other >= 0:
            bits[slot[owner[other]], i >> 6] |= bit(i & 63)
            other = before[other]
    return bits


@kernel(allocates=True)
def _larger_sets_fit(bits: UInt64Matrix, near: Int32Array, chunk_of: Int32Array, chunk: int, rule: ChunkRule) -> bool:
    """Return True if each set of 2 to m - 1 items of a chunk occurs in at least k records of `bits`, or in none."""
    members = np.empty(len(near), np.int64)
    n = 0
    for number in range(len(near)):
        if chunk_of[near[number]] == chunk:
            members[n] = number
            n += 1
    most, width = min(rule.m - 1, n), bits.shape[1]
    part, place = np.empty((most + 1, width), np.uint64), np.empty(most + 1, np.int64)
    for first in range(n - 1):
        for word in range(width):
            part[0, word] = bits[members[first], word]
        place[0] = first
        depth, following = 0, first + 1
        while True:
            if following < n and depth + 1 < most:
                count = 0
                for word in range(width):
                    common = part[depth, word] & bits[members[following], word]
                    part[depth + 1, word] = common
                    count += bit_count(common)
                if 0 < count < rule.k:
                    return False
                if count:
                    depth += 1
                    place[depth] = following
                following += 1
            elif depth == 0:
                break
            else:
                following = place[depth] + 1
                depth -= 1
    return True
