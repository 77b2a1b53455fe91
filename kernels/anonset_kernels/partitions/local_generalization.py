"""Top-down local generalization of set-valued data (He and Naughton, VLDB 2009, section 4).

Partitions are processed from a stack. A partition is a slice of the records, together with the nodes that are published
for each of these records. A partition has at most as many nodes as its shortest record has items. All partitions on the
stack together have at most as many nodes as the data have item occurrences, so the stack never grows.
"""

import numpy as np

from anonset_kernels._arrays import Int32Array, Int64Array, UInt8Array
from anonset_kernels._jit import kernel
from anonset_kernels.partitions._keys import compare_keys, sort_keys
from anonset_kernels.partitions._partition_stack import (
    EMITTED,
    FIRST,
    FRAMES,
    HIGH,
    LENGTH,
    LOW,
    WORK,
    HierarchyRecords,
    PartitionStack,
)

_Frame = tuple[int, int, int, int]
"""Frame (LOW, HIGH, FIRST, LENGTH) of a partition: its slice of `PartitionStack.ids`, and start and number of its nodes
in the pool.
"""


@kernel(allocates=True)
def advance(records: HierarchyRecords, state: PartitionStack, k: int, limit: int) -> bool:
    """Divide partitions until about `limit` item occurrences are processed. Return True if the stack is empty.

    Cost per partition: its item occurrences, and r log r for each division of r records.
    """
    cursor = state.cursor
    done = cursor[WORK] + limit
    gain = np.zeros(len(records.leaves), np.int64)
    nodes, failed = np.empty(records.path.shape[0], np.int32), np.empty(records.path.shape[0], np.uint8)
    while cursor[FRAMES] > 0 and cursor[WORK] < done:
        cursor[FRAMES] -= 1
        low, high, first, length = state.frames[cursor[FRAMES]]
        for j in range(length):
            nodes[j], failed[j] = state.pool[first + j], state.failed[first + j]
        _add_gains(records, state, low, high, gain)
        divided = False
        while not divided:
            best = -1
            for j in range(length):
                v = nodes[j]
                if not failed[j] and records.leaves[v] > 0:
                    if best < 0 or gain[v] > gain[nodes[best]] or (gain[v] == gain[nodes[best]] and v < nodes[best]):
                        best = j
            if best < 0:
                break
            failed[best] = 1
            divided = _divide(records, state, (low, high, first, length), nodes, failed, best, k)
        for j in range(length):
            gain[nodes[j]] = 0
        if not divided:
            for r in range(low, high):
                state.cluster[state.ids[r]] = cursor[EMITTED]
            cut_begin = state.cut_start[cursor[EMITTED]]
            for j in range(length):
                state.cut_nodes[cut_begin + j] = nodes[j]
            cursor[EMITTED] += 1
            state.cut_start[cursor[EMITTED]] = cut_begin + length
    return cursor[FRAMES] == 0


@kernel()
def _add_gains(records: HierarchyRecords, state: PartitionStack, low: int, high: int, gain: Int64Array) -> None:
    for r in range(low, high):
        record = state.ids[r]
        for entry in range(records.indptr[record], records.indptr[record + 1]):
            path, level = records.path[records.items[entry]], state.level[entry]
            if records.leaves[path[level]] > 0:
                gain[path[level]] += records.leaves[path[level]] - records.leaves[path[level + 1]]
        state.cursor[WORK] += records.indptr[record + 1] - records.indptr[record]


@kernel(allocates=True)
def _divide(
    records: HierarchyRecords,
    state: PartitionStack,
    frame: _Frame,
    nodes: Int32Array,
    failed: UInt8Array,
    best: int,
    k: int,
) -> bool:
    """Divide a partition by the children of a node. Return False and change nothing if every bucket is too small."""
    low, high = frame[:2]
    n, node = high - low, nodes[best]
    key_start, keys, gains = _keys(records, state, low, high, node)
    order = sort_keys(key_start, keys)
    bucket, n_buckets = np.empty(n, np.int32), 0
    for i in range(n):
        if i == 0 or compare_keys(key_start, keys, order[i - 1], order[i]) != 0:
            n_buckets += 1
        bucket[order[i]] = n_buckets - 1
    size = np.zeros(n_buckets, np.int64)
    for r in range(n):
        size[bucket[r]] += 1
    n_left = 0
    for b in range(n_buckets):
        if size[b] < k:
            n_left += size[b]
    if n_left == n:
        return False
    _fill_left(bucket, size, gains, n_left, k)
    _push(records, state, frame, nodes, failed, best, (key_start, keys, bucket, size, k))
    return True


@kernel(allocates=True)
def _keys(
    records: HierarchyRecords, state: PartitionStack, low: int, high: int, node: int
) -> tuple[Int64Array, Int32Array, Int64Array]:
    """Return the children of `node` above the items of each record of a slice, and the gain of each record."""
    total = 0
    for r in range(low, high):
        total += records.indptr[state.ids[r] + 1] - records.indptr[state.ids[r]]
    key_start, keys, gains = (
        np.zeros(high - low + 1, np.int64),
        np.empty(total, np.int32),
        np.zeros(high - low, np.int64),
    )
    filled = 0
    for r in range(low, high):
        record, begin = state.ids[r], filled
        for entry in range(records.indptr[record], records.indptr[record + 1]):
            path, level = records.path[records.items[entry]], state.level[entry]
            if path[level] == node:
                child = path[level + 1]
                gains[r - low] += records.leaves[node] - records.leaves[child]
                if filled == begin or keys[filled - 1] != child:  # items ascend: leaves of a child are adjacent
                    keys[filled] = child
                    filled += 1
        key_start[r - low + 1] = filled
    state.cursor[WORK] += total
    return key_start, keys, gains


@kernel(allocates=True)
def _fill_left(bucket: Int32Array, size: Int64Array, gains: Int64Array, n_left: int, k: int) -> None:
    """Move records to the leftovers (bucket -1) until the leftovers are empty or have at least k records.

    Buckets of fewer than k records are moved completely. Then records are moved from buckets of more than k records, in
    order of increasing gain. If these buckets have too few records above k, the bucket with the smallest gain is moved
    completely.
    """
    n_buckets = len(size)
    excess = np.int64(0)
    for b in range(n_buckets):
        if size[b] >= k:
            excess += size[b] - k
    moved = -1
    if 0 < n_left < k and excess < k - n_left:
        total = np.zeros(n_buckets, np.int64)
        for r in range(len(bucket)):
            total[bucket[r]] += gains[r]
        for b in range(n_buckets):
            if size[b] >= k and (moved < 0 or total[b] < total[moved]):
                moved = b
    elif 0 < n_left < k:
        for r in np.argsort(gains, kind="mergesort"):
            if n_left < k and size[bucket[r]] > k:
                size[bucket[r]] -= 1
                bucket[r] = -1
                n_left += 1
    for r in range(len(bucket)):
        if bucket[r] >= 0 and (size[bucket[r]] < k or bucket[r] == moved):
            bucket[r] = -1
    for b in range(n_buckets):
        if size[b] < k or b == moved:
            size[b] = 0


@kernel(allocates=True)
def _push(
    records: HierarchyRecords,
    state: PartitionStack,
    frame: _Frame,
    nodes: Int32Array,
    failed: UInt8Array,
    best: int,
    buckets: tuple[Int64Array, Int32Array, Int32Array, Int64Array, int],
) -> None:
    """Push the buckets on the stack. The last bucket is pushed first, and the leftovers last.

    Records of the buckets move to the child nodes.
    """
    low, high, first, length = frame
    key_start, keys, bucket, size, _ = buckets
    ids, node = state.ids[low:high].copy(), nodes[best]
    n_buckets, one_of = len(size), np.empty(len(size), np.int64)
    place = np.zeros(n_buckets + 1, np.int64)
    place[0] = low
    for r in range(len(ids)):
        place[0] += bucket[r] < 0  # bucket -1, the leftovers, is sorted first
    n_left = place[0] - low
    for b in range(n_buckets):
        place[b + 1] = place[b] + size[b]
    n_low = low
    for r in range(len(ids)):
        if bucket[r] < 0:
            state.ids[n_low] = ids[r]
            n_low += 1
            continue
        state.ids[place[bucket[r]]] = ids[r]
        place[bucket[r]] += 1
        one_of[bucket[r]] = r
        for index in range(records.indptr[ids[r]], records.indptr[ids[r] + 1]):
            if records.path[records.items[index], state.level[index]] == node:
                state.level[index] += 1
    pool, top = state.pool, first
    for b in range(n_buckets - 1, -1, -1):
        if size[b] == 0:
            continue
        index = top
        for j in range(length):
            if j != best:
                pool[index] = nodes[j]
                index += 1
        for j in range(key_start[one_of[b]], key_start[one_of[b] + 1]):
            pool[index] = keys[j]
            index += 1
        state.failed[top:index] = 0
        _push_frame(state, place[b] - size[b], place[b], top, index - top)
        top = index
    if n_left > 0:
        for j in range(length):
            pool[top + j], state.failed[top + j] = nodes[j], failed[j]
        _push_frame(state, low, low + n_left, top, length)


@kernel()
def _push_frame(state: PartitionStack, low: int, high: int, first: int, length: int) -> None:
    frame = state.frames[state.cursor[FRAMES]]
    frame[LOW], frame[HIGH], frame[FIRST], frame[LENGTH] = low, high, first, length
    state.cursor[FRAMES] += 1
