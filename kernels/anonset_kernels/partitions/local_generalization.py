"""Top-down local generalization of set-valued data (He and Naughton, VLDB 2009, section 4).

Partitions are processed from a stack. A partition is a slice of the records, together with the nodes that are published
for each of these records. A partition has at most as many nodes as its shortest record has items. All partitions on the
stack together have at most as many nodes as the data have item occurrences, so the stack never grows.
"""

from typing import NamedTuple

import numpy as np

from anonset_kernels._arrays import (
    Indptr,
    Int16Array,
    Int32Array,
    Int32Matrix,
    Int64Array,
    Int64Matrix,
    Items,
    UInt8Array,
)
from anonset_kernels._jit import kernel

_Frame = tuple[int, int, int, int]
"""Frame (LOW, HIGH, FIRST, LENGTH) of a partition: its slice of `PartitionStack.ids`, and start and number of its nodes
in the pool.
"""

FRAMES, EMITTED, WORK = 0, 1, 2
LOW, HIGH, FIRST, LENGTH = 0, 1, 2, 3


class HierarchyRecords(NamedTuple):
    """Records, and the hierarchy above their items."""

    indptr: Indptr
    """Start of each record in `items`, int64 (n + 1,)."""
    items: Items
    """Items of the records, ascending in each record, int32 (nnz,)."""
    path: Int32Matrix
    """Nodes on the path from the root to each item, int32 (M, D). Column 0 is the root. The path is padded with -1."""
    leaves: Int64Array
    """Cost of publishing each node, int64 (V,). The cost is the number of leaves below the node, or 0 for a leaf."""


class PartitionStack(NamedTuple):
    """Partitions on the stack, and completed partitions."""

    ids: Int32Array
    """Non-empty records, int32 (n+,). Each partition is a slice of this array, in ascending order."""
    level: Int16Array
    """Depth of each item's published node, int16 (nnz,)."""
    frames: Int64Matrix
    """Frame of each partition on the stack, int64 (n+ + 1, 4). LOW and HIGH refer to `ids`, FIRST and LENGTH to `pool`.
    """
    pool: Int32Array
    """Nodes of the partitions on the stack, int32 (nnz + 1,)."""
    failed: UInt8Array
    """1 for each node in `pool` that could not be divided, uint8 (nnz + 1,)."""
    cluster: Int32Array
    """Partition of each completed record, int32 (n,)."""
    cut_start: Int64Array
    """First node of each partition in `cut_nodes`, int64 (n+ + 1,)."""
    cut_nodes: Int32Array
    """Nodes of the completed partitions, int32 (nnz + 1,)."""
    cursor: Int64Array
    """Number of frames on the stack, of completed partitions, and of processed item occurrences, int64 (3,). Indexed by
    FRAMES, EMITTED and WORK.
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
    order = _sorted(key_start, keys)
    bucket, n_buckets = np.empty(n, np.int32), 0
    for i in range(n):
        if i == 0 or _compare(key_start, keys, order[i - 1], order[i]) != 0:
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


@kernel()
def _compare(key_start: Int64Array, keys: Int32Array, a: int, b: int) -> int:
    """Compare two keys lexicographically. Return a negative number, zero or a positive number."""
    i, j = key_start[a], key_start[b]
    while i < key_start[a + 1] and j < key_start[b + 1]:
        if keys[i] != keys[j]:
            return int(np.int64(keys[i]) - np.int64(keys[j]))
        i += 1
        j += 1
    return (key_start[a + 1] - i) - (key_start[b + 1] - j)


@kernel(allocates=True)
def _sorted(key_start: Int64Array, keys: Int32Array) -> Int32Array:
    """Return the records sorted by key, int32 (n,). A stable merge sort."""
    n = len(key_start) - 1
    order, other, width = np.arange(n).astype(np.int32), np.empty(n, np.int32), 1
    while width < n:
        for begin in range(0, n, 2 * width):
            middle, end = min(begin + width, n), min(begin + 2 * width, n)
            a, b = begin, middle
            for place in range(begin, end):
                if b == end or (a < middle and _compare(key_start, keys, order[a], order[b]) <= 0):
                    other[place] = order[a]
                    a += 1
                else:
                    other[place] = order[b]
                    b += 1
        order, other = other, order
        width *= 2
    return order


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
