"""Merge clusters of relational tuples, and compute the loss of a merge.

A *state* is a `ClusterStates` with a column per cluster. Hierarchies are numbered in preorder. For a node and one of
its ancestors, all nodes that have this ancestor as lowest common ancestor with the node are therefore in two intervals.
"""

import numpy as np

from anonset_kernels._arrays import (
    AttributeSpace,
    ClusterStates,
    Float64Array,
    Int8Array,
    Int64Array,
    Parent,
    SubtreeEnd,
    Tuples,
    UInt8Array,
)
from anonset_kernels._bits import bit, bit_count
from anonset_kernels._jit import kernel
from anonset_kernels.relational._kinds import NODE, NOISE, RANGE

_BLOCK = 512


@kernel()
def put_tuples(space: AttributeSpace, tuples: Tuples, state: ClusterStates) -> None:
    """Fill a state with a cluster per tuple. The bits of the state must be zero. O(T v)."""
    kind, slot, word_at = space.kind, space.slot, space.word_at
    numbers, codes = tuples
    low, high, code, bits = state
    for a in range(len(kind)):
        s = slot[a]
        if kind[a] == RANGE:
            for t in range(numbers.shape[1]):
                low[s, t] = high[s, t] = numbers[s, t]
        elif kind[a] == NODE:
            for t in range(codes.shape[1]):
                code[s, t] = codes[s, t]
        else:
            for t in range(codes.shape[1]):
                code[s, t] = 1
                bits[word_at[a] + (codes[s, t] >> 6), t] = bit(codes[s, t] & 63)


@kernel(allocates=True)
def group_tuples(
    space: AttributeSpace, tuples: Tuples, cluster: Int64Array, state: ClusterStates, is_started: UInt8Array
) -> None:
    """Merge each tuple `t` into cluster ``cluster[t]`` of a state. The bits of the state must be zero.

    `cluster` is int64 (T,). `is_started` is uint8 (C,) and must be zero.

    Blocks of tuples are converted to clusters of a single tuple. This takes less than half the time of converting each
    tuple separately.
    """
    size = min(_BLOCK, len(cluster))
    singles = ClusterStates(
        np.empty((len(tuples.numbers), size), np.float64),
        np.empty((len(tuples.numbers), size), np.float64),
        np.empty((len(tuples.codes), size), np.int32),
        np.empty((len(state.bits), size), np.uint64),
    )
    for begin in range(0, len(cluster), _BLOCK):
        end = min(begin + _BLOCK, len(cluster))
        some = ClusterStates(
            singles.low[:, : end - begin],
            singles.high[:, : end - begin],
            singles.code[:, : end - begin],
            singles.bits[:, : end - begin],
        )
        some.bits[:] = 0
        put_tuples(space, Tuples(tuples.numbers[:, begin:end], tuples.codes[:, begin:end]), some)
        for t in range(end - begin):
            c = cluster[begin + t]
            if is_started[c]:
                merge_into(space, state, c, some, t)
            else:
                is_started[c] = 1
                copy_cluster(state, c, some, t)


@kernel()
def copy_cluster(state: ClusterStates, c: int, others: ClusterStates, x: int) -> None:
    """Copy cluster `x` of the state `others` into cluster `c` of `state`."""
    for i in range(len(state.low)):
        state.low[i, c], state.high[i, c] = others.low[i, x], others.high[i, x]
    for j in range(len(state.code)):
        state.code[j, c] = others.code[j, x]
    for w in range(len(state.bits)):
        state.bits[w, c] = others.bits[w, x]


@kernel()
def merge_into(space: AttributeSpace, state: ClusterStates, c: int, others: ClusterStates, x: int) -> None:
    """Merge cluster `x` of the state `others` into cluster `c` of `state`. O(v + words + depth)."""
    kind, slot, word_at, _, _, cost_at, _, parent, subtree_end = space
    for a in range(len(kind)):
        s = slot[a]
        if kind[a] == RANGE:
            state.low[s, c] = min(state.low[s, c], others.low[s, x])
            state.high[s, c] = max(state.high[s, c], others.high[s, x])
        elif kind[a] == NODE:
            node, other = state.code[s, c], others.code[s, x]
            while not (node <= other < subtree_end[cost_at[a] + node]):
                node = parent[cost_at[a] + node]
            state.code[s, c] = node
        else:
            size = 0
            for w in range(word_at[a], word_at[a + 1]):
                state.bits[w, c] |= others.bits[w, x]
                size += bit_count(state.bits[w, c])
            state.code[s, c] = size


@kernel(allocates=True)
def merged_loss(space: AttributeSpace, state: ClusterStates, c: int, others: ClusterStates, out: Float64Array) -> None:
    """Fill ``out[x]`` with the loss of the union of cluster `c` of `state` with each cluster `x` of `others`.

    `out` is float64 (C,). The terms are always added in column order. Cost: O(C v), plus C times the words of the value
    sets.
    """
    kind, slot, word_at, weight, width, cost_at, cost, parent, subtree_end = space
    n = len(out)
    out[:] = 0.0
    size = np.empty(n, np.int32)
    for a in range(len(kind)):
        s = slot[a]
        if kind[a] == RANGE:
            if width[a] > 0.0:
                low, high, w, span = state.low[s, c], state.high[s, c], weight[a], width[a]
                lows, highs = others.low[s], others.high[s]
                for x in range(n):
                    out[x] += w * ((max(high, highs[x]) - min(low, lows[x])) / span)
        elif kind[a] == NODE:
            first = cost_at[a]
            row = _common_loss(cost[first : cost_at[a + 1]], parent[first:], subtree_end[first:], state.code[s, c])
            nodes = others.code[s]
            for x in range(n):
                out[x] += row[nodes[x]]
        else:
            size[:] = 0
            for w in range(word_at[a], word_at[a + 1]):
                cluster_word, words = state.bits[w, c], others.bits[w]
                for x in range(n):
                    size[x] += bit_count(cluster_word | words[x])
            for x in range(n):
                out[x] += cost[cost_at[a] + size[x]]


@kernel(allocates=True)
def _common_loss(cost: Float64Array, parent: Parent, subtree_end: SubtreeEnd, node: int) -> Float64Array:
    """Return the loss of the lowest common ancestor of `node` and each node, float64 (V,)."""
    row = np.empty(len(cost), np.float64)
    row[node : subtree_end[node]] = cost[node]
    below = node
    while parent[below] >= 0:
        above = parent[below]
        row[above:below] = cost[above]
        row[subtree_end[below] : subtree_end[above]] = cost[above]
        below = above
    return row


@kernel()
def losses(space: AttributeSpace, state: ClusterStates, out: Float64Array) -> None:
    """Fill ``out[c]``, float64 (C,), with the loss of each cluster. O(C v)."""
    kind, slot, _, weight, width, cost_at, cost, _, _ = space
    out[:] = 0.0
    for a in range(len(kind)):
        s = slot[a]
        for c in range(len(out)):
            if kind[a] != RANGE:
                out[c] += cost[cost_at[a] + state.code[s, c]]
            elif width[a] > 0.0:
                out[c] += weight[a] * ((state.high[s, c] - state.low[s, c]) / width[a])


@kernel()
def nearest(loss: Float64Array, factor: float, offset: float, alive: Int64Array, head: Int64Array) -> int:
    """Return the remaining tuple with the smallest ``factor * loss - offset``, or -1. O(T).

    Ties are resolved by the smallest record. `loss` is float64 (T,). `alive`, int64 (T,), is the number of remaining
    records of each tuple. `head`, int64 (T,), is the first of these records.
    """
    best, least = -1, 0.0
    for t in range(len(loss)):
        if alive[t] > 0:
            value = factor * loss[t] - offset
            if best < 0 or value < least - NOISE or (value <= least + NOISE and head[t] < head[best]):
                best, least = t, value
    return best


@kernel()
def furthest(loss: Float64Array, alive: Int64Array, head: Int64Array) -> int:
    """Return the remaining tuple with the largest loss, or -1. O(T).

    Ties are resolved by the smallest record. See `nearest` for `loss`, `alive` and `head`.
    """
    best, most = -1, 0.0
    for t in range(len(loss)):
        if alive[t] > 0:
            value = loss[t]
            if best < 0 or value > most + NOISE or (value >= most - NOISE and head[t] < head[best]):
                best, most = t, value
    return best


@kernel(allocates=True)
def grow_two(
    space: AttributeSpace, state: ClusterStates, singles: ClusterStates, seeds: Int64Array, side: Int8Array
) -> None:
    """Assign each tuple, in order, to the cluster (0 or 1) whose loss increases less. Update both clusters.

    Cluster 0 is used if both losses increase equally. `seeds`, int64 (2,), is the initial tuple of each cluster.
    `side`, int8 (T,), is filled with the cluster of each tuple. O(T v).
    """
    for c in range(2):
        copy_cluster(state, c, singles, seeds[c])
        side[seeds[c]] = c
    trial_loss, grown = np.empty(1, np.float64), np.empty(2, np.float64)
    single = ClusterStates(
        singles.low[:, :1].copy(), singles.high[:, :1].copy(), singles.code[:, :1].copy(), singles.bits[:, :1].copy()
    )
    for x in range(len(side)):
        if x == seeds[0] or x == seeds[1]:
            continue
        copy_cluster(single, 0, singles, x)
        for c in range(2):
            trial = ClusterStates(
                state.low[:, c : c + 1].copy(),
                state.high[:, c : c + 1].copy(),
                state.code[:, c : c + 1].copy(),
                state.bits[:, c : c + 1].copy(),
            )
            merge_into(space, trial, 0, single, 0)
            losses(space, trial, trial_loss)
            grown[c] = trial_loss[0]
        side[x] = 1 if grown[1] < grown[0] - NOISE else 0
        merge_into(space, state, side[x], single, 0)
