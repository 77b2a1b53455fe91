"""Form new clusters from a pool of relational tuples, taken from dissolved clusters.

Losses are rounded to twelve decimals before they are compared. Ties are resolved by position.
"""

from typing import NamedTuple

import numpy as np

from anonset_kernels._arrays import (
    AttributeSpace,
    ClusterStates,
    Float64Array,
    Float64Matrix,
    Int32Matrix,
    Int64Array,
    Integer,
    Tuples,
)
from anonset_kernels._bits import bit
from anonset_kernels._jit import kernel
from anonset_kernels.relational._kinds import NODE, RANGE, SET

EVALUATIONS = 1
"""Index of the number of computed losses in `run`."""
GAIN = 1e-9
"""Smallest loss difference that counts as an improvement."""


class PairLosses(NamedTuple):
    """Loss of the lowest common ancestor of each pair of nodes, for attributes with few nodes."""

    at: Int64Array
    """Index in `loss` of each attribute's table, int64 (v + 1,). Attributes with many nodes have no table."""
    loss: Float64Array
    """Tables of all attributes in sequence, float64. A table has a row of losses for each node."""
    attribute: Int64Array
    """Attributes with a table, int64."""


class Pool(NamedTuple):
    """Tuples to be assigned to new clusters."""

    numbers: Float64Matrix
    """Values of the numeric attributes, float64 (ranges, capacity)."""
    codes: Int32Matrix
    """Nodes or value codes, int32 (other attributes, capacity)."""
    tuple_of: Int64Array
    """Number of each tuple, int64 (capacity,)."""
    count: Int64Array  # type: ignore[assignment]  # the method of this name is not used
    """Number of records of each tuple, int64 (capacity,)."""
    left: Int64Array
    """Number of unassigned records of each tuple, int64 (capacity,)."""
    order: Int64Array
    """Buffer, int64 (2 * capacity,)."""
    loss: Float64Array
    """Losses that were computed last, float64 (capacity,)."""


class NewClusters(NamedTuple):
    """New clusters and their pieces. The records of a cluster with the same tuple are a *piece*."""

    state: ClusterStates
    """Generalized tuple of each cluster."""
    size: Int64Array
    """Number of records of each cluster, int64."""
    loss: Float64Array
    """Loss of each cluster, float64."""
    place: Int64Array
    """Pool position of each piece's tuple, int64."""
    count: Int64Array  # type: ignore[assignment]  # the method of this name is not used
    """Number of records of each piece, int64."""
    cluster: Int64Array
    """Cluster of each piece, int64."""


@kernel(allocates=True)
def make_pool(tuples: Tuples, capacity: int) -> Pool:
    return Pool(
        np.empty((len(tuples.numbers), capacity), np.float64),
        np.empty((len(tuples.codes), capacity), np.int32),
        np.empty(capacity, np.int64),
        np.empty(capacity, np.int64),
        np.empty(capacity, np.int64),
        np.empty(2 * capacity, np.int64),
        np.empty(capacity, np.float64),
    )


@kernel(allocates=True)
def make_formed(state: ClusterStates, capacity: int) -> NewClusters:
    low, high, code, bits = state
    made = ClusterStates(
        np.empty((len(low), 2 * capacity), np.float64),
        np.empty((len(high), 2 * capacity), np.float64),
        np.empty((len(code), 2 * capacity), np.int32),
        np.zeros((len(bits), 2 * capacity), np.uint64),
    )
    counts = np.empty(2 * capacity, np.int64), np.empty(2 * capacity, np.float64)
    return NewClusters(
        made,
        *counts,
        np.empty(5 * capacity, np.int64),
        np.empty(5 * capacity, np.int64),
        np.empty(5 * capacity, np.int64),
    )


@kernel()
def common_losses(space: AttributeSpace, a: Integer, node: Integer, row: Float64Array) -> None:
    """Fill `row`, float64 (V or more,), with the loss of the lowest common ancestor of `node` and each other node."""
    cost, parent, subtree_end = space.cost, space.parent, space.subtree_end
    first_node, below = space.cost_at[a], node
    row[node : subtree_end[first_node + node]] = cost[first_node + node]
    while parent[first_node + below] >= 0:
        above = parent[first_node + below]
        row[above:below] = cost[first_node + above]
        row[subtree_end[first_node + below] : subtree_end[first_node + above]] = cost[first_node + above]
        below = above


@kernel(inlined=True)
def pair_loss_sums(
    space: AttributeSpace,
    table: PairLosses,
    code: Int32Matrix,
    c: Integer,
    others: Int32Matrix,
    begin: Integer,
    out: Float64Array,
) -> None:
    """Compute the loss of column `c` of `code` together with each column of `others` from column `begin` on.

    Only attributes with a table count. A pass adds four attributes.
    """
    slot, loss, n, j = space.slot, table.loss, len(out), 0
    out[:] = 0.0
    while j < len(table.attribute):
        a = table.attribute[j]
        nodes, row = others[slot[a], begin:], loss[_row_begin(space, table, a, code[slot[a], c]) :]
        if j + 4 <= len(table.attribute):
            a_1, a_2, a_3 = table.attribute[j + 1], table.attribute[j + 2], table.attribute[j + 3]
            nodes_1, row_1 = others[slot[a_1], begin:], loss[_row_begin(space, table, a_1, code[slot[a_1], c]) :]
            nodes_2, row_2 = others[slot[a_2], begin:], loss[_row_begin(space, table, a_2, code[slot[a_2], c]) :]
            nodes_3, row_3 = others[slot[a_3], begin:], loss[_row_begin(space, table, a_3, code[slot[a_3], c]) :]
            for i in range(n):
                two = out[i] + row[np.uint32(nodes[i])] + row_1[np.uint32(nodes_1[i])]
                out[i] = two + row_2[np.uint32(nodes_2[i])] + row_3[np.uint32(nodes_3[i])]
            j += 4
        else:
            for i in range(n):
                out[i] += row[np.uint32(nodes[i])]
            j += 1


@kernel(inlined=True)
def _row_begin(space: AttributeSpace, table: PairLosses, a: Integer, node: Integer) -> int:
    """Return the index of the first loss of a node in the table of an attribute."""
    return table.at[a] + node * (space.cost_at[a + 1] - space.cost_at[a])


@kernel(inlined=True)
def _losses_with(
    space: AttributeSpace, table: PairLosses, state: ClusterStates, c: Integer, pool: Pool, n: Integer
) -> None:
    """Compute the loss of a cluster after adding each of the first `n` tuples of the pool."""
    kind, slot, word_at, weight, width, cost_at, cost, parent, subtree_end = space
    numbers, codes, out = pool.numbers, pool.codes, pool.loss
    low, high, code, bits = state
    pair_loss_sums(space, table, code, c, codes, 0, out[:n])
    for a in range(len(kind)):
        s, first_node = slot[a], cost_at[a]
        if kind[a] == RANGE:
            if width[a] > 0.0:
                lowest, highest, w, span = low[s, c], high[s, c], weight[a], width[a]
                for i in range(n):
                    out[i] += w * ((max(highest, numbers[s, i]) - min(lowest, numbers[s, i])) / span)
        elif kind[a] == SET:
            for i in range(n):
                v = codes[s, i]
                contained = 1 if bits[word_at[a] + (v >> 6), c] & bit(v & 63) else 0
                out[i] += cost[first_node + code[s, c] + 1 - contained]
        elif table.at[a + 1] == table.at[a]:
            for i in range(n):
                node = code[s, c]
                while not (node <= codes[s, i] < subtree_end[first_node + node]):
                    node = parent[first_node + node]
                out[i] += cost[first_node + node]


@kernel(inlined=True)
def add_tuple(
    space: AttributeSpace, state: ClusterStates, c: Integer, tuples: Tuples, t: Integer, first: bool
) -> float:
    """Add a tuple to a cluster, and return the new loss. If `first`, the tuple replaces the cluster."""
    kind, slot, word_at, weight, width, cost_at, cost, parent, subtree_end = space
    low, high, code, bits = state
    total = 0.0
    for a in range(len(kind)):
        s, first_node = slot[a], cost_at[a]
        if kind[a] == RANGE:
            x = tuples.numbers[s, t]
            low[s, c], high[s, c] = (x, x) if first else (min(low[s, c], x), max(high[s, c], x))
            if width[a] > 0.0:
                total += weight[a] * ((high[s, c] - low[s, c]) / width[a])
            continue
        v = tuples.codes[s, t]
        if kind[a] == NODE:
            node = v if first else code[s, c]
            while not (node <= v < subtree_end[first_node + node]):
                node = parent[first_node + node]
            code[s, c] = node
        else:
            if first:
                bits[word_at[a] : word_at[a + 1], c] = 0
                code[s, c] = 0
            word = word_at[a] + (v >> 6)
            if not bits[word, c] & bit(v & 63):
                bits[word, c] |= bit(v & 63)
                code[s, c] += 1
        total += cost[first_node + code[s, c]]
    return total


@kernel()
def form_from_pool(
    space: AttributeSpace,
    table: PairLosses,
    pool: Pool,
    n: Integer,
    formed: NewClusters,
    run: Int64Array,
    parameters: tuple[Integer, Integer, Integer, float],
) -> tuple[int, int, float]:
    """Form clusters from the tuples of a pool. Return the number of clusters, the number of pieces, and the total loss.

    Parameters
    ----------
    table, pool, formed
        Loss table, pool and result. The first `n` tuples of the pool are assigned.
    run
        int64: the number of computed losses is added at `EVALUATIONS`.
    parameters
        (k, way, start, bound). Bit 0 of `way` selects whether a cluster starts near the previous cluster or at the
        tuple with the most records. Bits 2 and 3 select whether a cluster includes all tuples that it covers. The first
        cluster starts at position `start`. The search ends when the loss reaches `bound`. The returned loss is then
        incomplete.
    """
    k, way, start, bound = parameters
    state, size, loss = formed.state, formed.size, formed.loss
    remaining, out = pool.left, pool.loss
    n_remaining, c, made, total = 0, 0, 0, 0.0
    for i in range(n):
        n_remaining += pool.count[i]
    while n_remaining >= k:
        if c > 0:
            start = _heaviest(remaining, n)
            if way & 1:
                _losses_with(space, table, state, c - 1, pool, n)
                run[EVALUATIONS] += n
                start = _cheapest(remaining, out, n)
        x = start
        size[c] = 0
        while size[c] < k:
            if size[c] > 0:
                _losses_with(space, table, state, c, pool, n)
                run[EVALUATIONS] += n
                x = _cheapest(remaining, out, n)
            n_taken = min(remaining[x], k - size[c])
            if size[c] == 0 and remaining[x] >= 2 * k:
                n_taken = remaining[x] - k
            made = _take(space, pool, formed, (x, c), n_taken, made)
        if way & 12:
            _losses_with(space, table, state, c, pool, n)
            run[EVALUATIONS] += n
            for i in range(n):
                if remaining[i] > 0 and out[i] <= loss[c] + GAIN:
                    made = _take(space, pool, formed, (i, c), remaining[i], made)
        n_remaining -= size[c]
        total += size[c] * loss[c]
        c += 1
        if total >= bound:
            return c, made, total
    for i in range(n):
        if remaining[i] > 0:
            made = _take(space, pool, formed, (i, _host(space, pool, formed, c, i)), remaining[i], made)
            run[EVALUATIONS] += c
    total = 0.0
    for d in range(c):
        total += size[d] * loss[d]
    return c, made, total


@kernel(inlined=True)
def _take(
    space: AttributeSpace, pool: Pool, formed: NewClusters, pair: tuple[Integer, Integer], n_taken: Integer, made: int
) -> int:
    """Move records of a tuple from the pool to a new cluster. Return the new number of pieces."""
    x, c = pair
    state, size, loss, place, count, cluster = formed
    loss[c] = add_tuple(space, state, c, Tuples(pool.numbers, pool.codes), x, size[c] == 0)
    size[c] += n_taken
    pool.left[x] -= n_taken
    place[made], count[made], cluster[made] = x, n_taken, c
    return made + 1


@kernel()
def _heaviest(remaining: Int64Array, n: Integer) -> int:
    """Return the first tuple with the most remaining records."""
    best = 0
    for i in range(n):
        if remaining[i] > remaining[best]:
            best = i
    return best


@kernel()
def _cheapest(remaining: Int64Array, out: Float64Array, n: Integer) -> int:
    """Return the first remaining tuple with the smallest rounded loss."""
    best, best_key = -1, 0.0
    for i in range(n):
        if remaining[i] > 0:
            key = np.rint(out[i] * 1e12)
            if best < 0 or key < best_key:
                best, best_key = i, key
    return best


@kernel()
def _host(space: AttributeSpace, pool: Pool, formed: NewClusters, n_clusters: Integer, x: Integer) -> int:
    """Return the first new cluster whose loss increases least if a record of tuple `x` is added."""
    kind, slot, word_at, weight, width, cost_at, cost, parent, subtree_end = space
    (low, high, code, bits), size, loss = formed.state, formed.size, formed.loss
    best, best_key = -1, 0.0
    for c in range(n_clusters):
        total = 0.0
        for a in range(len(kind)):
            s, first_node = slot[a], cost_at[a]
            if kind[a] == RANGE:
                if width[a] > 0.0:
                    value = pool.numbers[s, x]
                    total += weight[a] * ((max(high[s, c], value) - min(low[s, c], value)) / width[a])
                continue
            v, node = pool.codes[s, x], code[s, c]
            if kind[a] == NODE:
                while not (node <= v < subtree_end[first_node + node]):
                    node = parent[first_node + node]
            elif not bits[word_at[a] + (v >> 6), c] & bit(v & 63):
                node += 1
            total += cost[first_node + node]
        key = np.rint(((size[c] + 1) * total - size[c] * loss[c]) * 1e12)
        if best < 0 or key < best_key:
            best, best_key = c, key
    return best
