"""CLUSTER (Poulis et al. 2013, section 5): group each seed with the k - 1 records of lowest loss.

Tuples are sorted so that neighbors are similar (see `spatial_order`), and divided into blocks with bounds on their
values. The lower bound of a block is the loss with the nearest corner of these bounds. It is computed with the same
order of operations as the loss of a tuple, so it never exceeds the loss of a tuple in the block, even after rounding.
Skipping a block therefore does not change results.
"""

from typing import NamedTuple

import numpy as np

from anonset_kernels._arrays import (
    AttributeSpace,
    Float64Array,
    Float64Matrix,
    Int32Array,
    Int32Matrix,
    Int64Array,
    Integer,
    TupleOf,
    Tuples,
)
from anonset_kernels._jit import kernel
from anonset_kernels.relational._kinds import NOISE, RANGE, SET

BLOCK = 64
CHUNK = 512
"""Number of tuples per block, and number of records per chunk. Chunks are used to find the r-th remaining record."""


class Bounds(NamedTuple):
    """Smallest and largest values of the tuples in each block."""

    low: Float64Matrix
    """Smallest number, float64 (ranges, blocks)."""
    high: Float64Matrix
    """Largest number, float64 (ranges, blocks)."""
    first: Int32Matrix
    """Smallest code, int32 (other attributes, blocks)."""
    last: Int32Matrix
    """Largest code, int32 (other attributes, blocks)."""


class TupleRecords(NamedTuple):
    """Records of each tuple."""

    start: Int64Array
    """First index of each tuple in `record`, int64 (T + 1,)."""
    record: Int32Array
    """Records of each tuple in ascending order, tuple by tuple, int32 (R,)."""
    tuple_of: TupleOf
    """Tuple of each record, int32 (n,)."""


class RemainingRecords(NamedTuple):
    """Counts of the records without a cluster. Each array is int64."""

    in_tuple: Int64Array
    """Number of records without a cluster of each tuple, (T,)."""
    in_block: Int64Array
    """Number of records without a cluster in each block of tuples, (blocks,)."""
    in_chunk: Int64Array
    """Number of records without a cluster in each chunk of records, (chunks,)."""
    head: Int64Array
    """Index in `TupleRecords.record` from which the next record of each tuple is searched, (T,)."""


@kernel(allocates=True)
def spatial_order(scaled: Float64Matrix) -> Int64Array:
    """Sort points so that neighbors are similar, by halving along the widest axis down to blocks. O(T log^2 T).

    `scaled`, float64 (v, T), contains the coordinates. They must be comparable between axes. Returns the order of the
    points, int64 (T,).
    """
    n_axes, n = scaled.shape
    order = np.arange(n)
    stack = np.empty((128, 2), np.int64)
    stack[0, 0], stack[0, 1] = 0, n
    top = 1
    while top:
        top -= 1
        first, last = stack[top, 0], stack[top, 1]
        blocks = (last - first + BLOCK - 1) // BLOCK
        if blocks < 2:
            continue
        part = order[first:last].copy()
        widest, axis = -1.0, 0
        for a in range(n_axes):
            low, high = scaled[a, part[0]], scaled[a, part[0]]
            for t in part:
                low, high = min(low, scaled[a, t]), max(high, scaled[a, t])
            if high - low > widest:
                widest, axis = high - low, a
        if widest == 0.0:
            continue
        for i, place in enumerate(np.argsort(scaled[axis][part], kind="mergesort")):
            order[first + i] = part[place]
        middle = first + (blocks // 2) * BLOCK
        stack[top, 0], stack[top, 1] = middle, last
        stack[top + 1, 0], stack[top + 1, 1] = first, middle
        top += 2
    return order


@kernel(allocates=True)
def block_bounds(tuples: Tuples) -> Bounds:
    """Return the smallest and largest number and code in each block of tuples. O(T v)."""
    numbers, codes = tuples
    n = max(numbers.shape[1], codes.shape[1])
    n_blocks = (n + BLOCK - 1) // BLOCK
    low, high = np.empty((len(numbers), n_blocks), np.float64), np.empty((len(numbers), n_blocks), np.float64)
    first, last = np.empty((len(codes), n_blocks), np.int32), np.empty((len(codes), n_blocks), np.int32)
    for b in range(n_blocks):
        begin, end = b * BLOCK, min((b + 1) * BLOCK, n)
        for s in range(len(numbers)):
            low[s, b], high[s, b] = numbers[s, begin], numbers[s, begin]
            for value in numbers[s, begin:end]:
                low[s, b], high[s, b] = min(low[s, b], value), max(high[s, b], value)
        for s in range(len(codes)):
            first[s, b], last[s, b] = codes[s, begin], codes[s, begin]
            for code in codes[s, begin:end]:
                first[s, b], last[s, b] = min(first[s, b], code), max(last[s, b], code)
    return Bounds(low, high, first, last)


@kernel(allocates=True)
def form_clusters(
    space: AttributeSpace,
    tuples: Tuples,
    bounds: Bounds,
    records: TupleRecords,
    remaining: RemainingRecords,
    cluster: Int32Array,
    picks: Int64Array,
    made: Int64Array,
) -> int:
    """Form a cluster of k records around each of the next seeds.

    Parameters
    ----------
    tuples, bounds
        Tuples in spatial order, and their `block_bounds`.
    records
        Records of each tuple.
    remaining
        Records without a cluster. Updated.
    cluster
        int32 (n,): cluster of each record, or -1. Updated.
    picks
        int64 (clusters,): rank of each seed, by record number, among the records that remain when its cluster is
        formed.
    made
        int64 (2,): k, and the number of clusters formed so far. Updated.

    Returns
    -------
    Number of clusters formed by this call, len(picks).

    Cost per seed: a bound for each block, and the loss of the tuples in blocks that may contribute.
    """
    in_tuple, in_block, in_chunk, _ = remaining
    k = made[0]
    n_blocks = len(in_block)
    row = space.cost.copy()
    bound, loss = np.empty(n_blocks, np.float64), np.empty(BLOCK, np.float64)
    keys, chosen = np.empty(k, np.float64), np.empty(k, np.int32)
    for pick in picks:
        seed = _ranked(pick, in_chunk, cluster)
        t = records.tuple_of[seed]
        cluster[seed] = made[1]
        in_tuple[t] -= 1
        in_block[t // BLOCK] -= 1
        in_chunk[seed // CHUNK] -= 1
        _rows_of(space, tuples, t, row)
        _bounds_of(space, tuples, t, bounds, row, bound)
        size, own_block = 0, t // BLOCK
        for step in range(max(own_block, n_blocks - 1 - own_block) + 1):
            for b in (own_block - step, own_block + step):
                if b < 0 or b >= n_blocks or (step == 0 and b != own_block) or in_block[b] == 0:
                    continue
                if size == k - 1 and (size == 0 or bound[b] > keys[0] + NOISE):
                    continue
                _losses_of(space, tuples, t, b, row, loss)
                size = _offer(b, loss, records, remaining, cluster, (keys, chosen), k - 1, size)
                if step == 0:
                    break
        for j in range(size):
            r = chosen[j]
            u = records.tuple_of[r]
            cluster[r] = made[1]
            in_tuple[u] -= 1
            in_block[u // BLOCK] -= 1
            in_chunk[r // CHUNK] -= 1
        made[1] += 1
    return len(picks)


@kernel()
def _ranked(rank: Integer, in_chunk: Int64Array, cluster: Int32Array) -> int:
    """Return the record with rank `rank` among the records without a cluster."""
    chunk = 0
    while in_chunk[chunk] <= rank:
        rank -= in_chunk[chunk]
        chunk += 1
    r = chunk * CHUNK
    while True:
        if cluster[r] < 0:
            if rank == 0:
                return r
            rank -= 1
        r += 1


@kernel()
def _rows_of(space: AttributeSpace, tuples: Tuples, t: int, row: Float64Array) -> None:
    """Compute the loss of a tuple's code combined with each other code, by node or by value code."""
    kind, slot, _, _, _, cost_at, cost, parent, subtree_end = space
    codes = tuples.codes
    for a in range(len(kind)):
        if kind[a] == RANGE:
            continue
        first_node, code = cost_at[a], codes[slot[a], t]
        if kind[a] == SET:
            row[first_node : cost_at[a + 1]] = cost[first_node + 2] if cost_at[a + 1] > first_node + 2 else 0.0
            row[first_node + code] = 0.0
            continue
        row[first_node + code] = 0.0
        below = code
        while parent[first_node + below] >= 0:
            above = parent[first_node + below]
            row[first_node + above : first_node + below] = cost[first_node + above]
            row[first_node + subtree_end[first_node + below] : first_node + subtree_end[first_node + above]] = cost[
                first_node + above
            ]
            below = above


@kernel()
def _bounds_of(
    space: AttributeSpace, tuples: Tuples, t: int, bounds: Bounds, row: Float64Array, bound: Float64Array
) -> None:
    """Compute, for each block, a lower bound on the loss of tuple `t` with a tuple of the block.

    In each attribute the loss grows with the distance of the codes. The bound is therefore computed at the code of
    the block that is nearest to the code of `t`.
    """
    kind, slot, _, weight, width, cost_at, _, _, _ = space
    numbers, codes = tuples
    low, high, first, last = bounds
    bound[:] = 0.0
    for a in range(len(kind)):
        s, first_node = slot[a], cost_at[a]
        if kind[a] == RANGE:
            if width[a] > 0.0:
                x, w, span = numbers[s, t], weight[a], width[a]
                for b in range(len(bound)):
                    bound[b] += w * (max(max(low[s, b] - x, x - high[s, b]), 0.0) / span)
        else:
            node = codes[s, t]
            for b in range(len(bound)):
                if node < first[s, b]:
                    bound[b] += row[first_node + first[s, b]]
                elif node > last[s, b]:
                    bound[b] += row[first_node + last[s, b]]


@kernel()
def _losses_of(
    space: AttributeSpace, tuples: Tuples, t: int, block: int, row: Float64Array, loss: Float64Array
) -> None:
    kind, slot, _, weight, width, cost_at, _, _, _ = space
    numbers, codes = tuples
    begin = block * BLOCK
    n = min(BLOCK, max(numbers.shape[1], codes.shape[1]) - begin)
    loss[:n] = 0.0
    for a in range(len(kind)):
        s = slot[a]
        if kind[a] == RANGE:
            if width[a] > 0.0:
                x, w, span = numbers[s, t], weight[a], width[a]
                for j in range(n):
                    y = numbers[s, begin + j]
                    loss[j] += w * ((max(x, y) - min(x, y)) / span)
        else:
            for j in range(n):
                loss[j] += row[cost_at[a] + codes[s, begin + j]]


@kernel()
def _offer(
    block: int,
    loss: Float64Array,
    records: TupleRecords,
    remaining: RemainingRecords,
    cluster: Int32Array,
    heap: tuple[Float64Array, Int32Array],
    most: int,
    size: int,
) -> int:
    """Add the records of a block to the heap if they are among the `most` best. Return the heap size.

    The heap contains pairs (key, record), with the largest pair on top.
    """
    keys, chosen = heap
    start, record, _ = records
    in_tuple, _, _, head = remaining
    for t in range(block * BLOCK, min((block + 1) * BLOCK, len(in_tuple))):
        if in_tuple[t] == 0:
            continue
        key = loss[t - block * BLOCK]
        if size == most and (size == 0 or key > keys[0] + NOISE):
            continue
        while cluster[record[head[t]]] >= 0:
            head[t] += 1
        for i in range(head[t], start[t + 1]):
            r = record[i]
            if cluster[r] >= 0:
                continue
            if size < most:
                place = size
                size += 1
                while place > 0 and _after(key, r, keys[(place - 1) // 2], chosen[(place - 1) // 2]):
                    keys[place], chosen[place] = keys[(place - 1) // 2], chosen[(place - 1) // 2]
                    place = (place - 1) // 2
                keys[place], chosen[place] = key, r
            elif _after(keys[0], chosen[0], key, r):
                _replace_largest(keys, chosen, size, key, r)
            else:
                break
    return size


@kernel()
def _after(key: float, r: int, other_key: float, other: int) -> bool:
    return key > other_key + NOISE or (key >= other_key - NOISE and r > other)


@kernel()
def _replace_largest(keys: Float64Array, chosen: Int32Array, size: int, key: float, r: int) -> None:
    place = 0
    while True:
        child = 2 * place + 1
        if child >= size:
            break
        if child + 1 < size and _after(keys[child + 1], chosen[child + 1], keys[child], chosen[child]):
            child += 1
        if not _after(keys[child], chosen[child], key, r):
            break
        keys[place], chosen[place] = keys[child], chosen[child]
        place = child
    keys[place], chosen[place] = key, r
