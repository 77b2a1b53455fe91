"""Refine clusters of relational tuples by dissolving similar clusters and forming new clusters with a lower loss.

The records of a cluster with the same tuple are a *piece*. The pieces of a cluster are a linked list. Clusters are
stored in slots, with similar clusters in nearby slots. Slots can be empty. A step of the refinement does the following:

1. Draw two clusters, and a piece of the cluster with the higher loss. In the surrounding slots, find the one to three
   clusters whose loss the tuple of this piece would increase least. Dissolve them together with the drawn cluster:
   their tuples are the pool.
2. Grow clusters of at least k records from the pool. A cluster grows by the tuple with the lowest resulting loss. In
   three of four steps, each cluster also includes all records that it covers. Each remaining tuple joins the cluster
   whose loss increases least.
3. Accept the new clusters if each satisfies the additional condition, and if their loss is below the previous loss plus
   the tolerance. Otherwise repeat 2 up to twice with other clusters among the nearest.

A step can split or merge clusters, and move or swap records. Without tolerance the loss never increases. The search is
fastest if a step dissolves few clusters and makes several attempts at the same place. After 300,000,000 computed
losses, the loss on Adult is 0.0855, and 0.0879 if up to nine clusters are dissolved at once. Losses are rounded to
twelve decimals before they are compared. Ties are resolved by slot or by pool position. Sums of SplitMix64 wrap around
(``np.errstate(over="ignore")``).
"""

from typing import NamedTuple

import numpy as np

from anonset_kernels._arrays import (
    AttributeSpace,
    ClusterStates,
    Float64Array,
    Int64Array,
    Integer,
    PackedRule,
    Tuples,
    UInt64Array,
)
from anonset_kernels._bits import bit
from anonset_kernels._jit import kernel
from anonset_kernels.relational._class_rules import KIND, NONE, break_rule
from anonset_kernels.relational._kinds import NODE, RANGE
from anonset_kernels.relational._pools import (
    EVALUATIONS,
    GAIN,
    NewClusters,
    PairLosses,
    Pool,
    add_tuple,
    common_losses,
    form_from_pool,
    make_formed,
    make_pool,
    pair_loss_sums,
)
from anonset_kernels.relational._split_mix import next_number

MOST_NEAR = 4
"""Maximum number of clusters dissolved at once."""
TRIES = 3
"""Maximum number of attempts with the nearest clusters of a tuple."""
WIDEST_TABLE = 256
"""Maximum number of nodes of an attribute for which the losses of all node pairs are stored."""
FREE, STEPS, GAINS, IDLE = 0, 2, 3, 4
"""Indices of counters in `run`. The counters are the numbers of free pieces, of steps, of successful steps, and of
steps since the last success.
"""


class Pieces(NamedTuple):
    """Pieces of clusters. The records of a piece have the same tuple. Each array is int64 (P,)."""

    tuple_of: Int64Array
    count: Int64Array  # type: ignore[assignment]  # the method of this name is not used
    """Number of records of each piece."""
    following: Int64Array
    """Next piece of the same cluster. -1 for the last piece."""
    free: Int64Array
    """Unused pieces."""


class ClusterSlots(NamedTuple):
    """Clusters, indexed by slot."""

    state: ClusterStates
    """Generalized tuple of each cluster."""
    size: Int64Array
    """Number of records of each cluster, int64 (slots,). 0 if the slot is empty."""
    loss: Float64Array
    """Loss of each cluster, float64 (slots,)."""
    head: Int64Array
    """First piece of each cluster, int64 (slots,). -1 if the slot is empty."""
    pieces: Pieces


class _Scan(NamedTuple):
    """Buffers of `_nearest`."""

    near: Int64Array
    """Nearest clusters, int64 (MOST_NEAR,)."""
    keys: Float64Array
    """Rounded loss increase of each nearest cluster, float64 (MOST_NEAR,)."""
    sums: Float64Array
    """Losses of the clusters around a seed, float64 (window,)."""
    row: Float64Array
    """Losses of an attribute's nodes, float64 (len(cost),)."""


class RefinementLimits(NamedTuple):
    """Stopping criteria and step parameters of `refine`."""

    k: int
    most: int
    """Maximum number of losses to compute."""
    patience: int
    """Maximum number of steps without success."""
    window: int
    """Number of slots around a cluster to search."""
    tolerance: float
    """Allowed loss increase of a step."""


@kernel(allocates=True)
def refine(
    space: AttributeSpace,
    table: PairLosses,
    tuples: Tuples,
    clusters: ClusterSlots,
    run: Int64Array,
    random: UInt64Array,
    condition: PackedRule,
    limits: RefinementLimits,
) -> None:
    """Refine clusters until a limit on computed losses or on unsuccessful steps is reached.

    Parameters
    ----------
    table
        Result of `pair_losses`.
    clusters
        Updated.
    run
        int64 (5,): counters, indexed by `FREE`, `EVALUATIONS`, `STEPS`, `GAINS` and `IDLE`.
    random
        uint64 (1,): state of SplitMix64.
    condition
        Condition that every cluster must satisfy, with the value of each tuple. If all clusters satisfy the condition,
        they also do so after each step.
    limits
        Stopping criteria.

    Cost per step: a loss for each surrounding slot, and for each placed tuple a loss per tuple of the pool.
    """
    k, most, patience, window, tolerance = limits
    state, size, loss, head, pieces = clusters
    capacity = _pool_capacity(size, head, pieces)
    pool, formed = make_pool(tuples, capacity), make_formed(state, capacity)
    scan = _Scan(np.empty(MOST_NEAR, np.int64), np.empty(MOST_NEAR), np.empty(window), np.empty(len(space.cost)))
    place = np.full(max(tuples.numbers.shape[1], tuples.codes.shape[1]), -1, np.int64)
    while run[EVALUATIONS] < most and run[IDLE] < patience:
        run[STEPS] += 1
        run[IDLE] += 1
        c = np.int64(next_number(random) % np.uint64(len(size)))
        while size[c] == 0:
            c = (c + 1) % len(size)
        d = np.int64(next_number(random) % np.uint64(len(size)))
        if np.rint(size[d] * loss[d] * 1e12) > np.rint(size[c] * loss[c] * 1e12):
            c = d
        t = pieces.tuple_of[_drawn_piece(head[c], pieces.following, next_number(random))]
        n_found = _nearest(space, table, tuples, clusters, (t, c), MOST_NEAR - 1, scan)
        run[EVALUATIONS] += min(window, len(size))
        for _ in range(TRIES):
            n_near = min(int(2 + np.int64(next_number(random) % np.uint64(MOST_NEAR - 1))), n_found)
            way, first = np.int64(next_number(random) % np.uint64(16)), next_number(random)
            n_near, n_pool = _fill_pool(tuples, clusters, scan.near, n_near, pool, place)
            old = 0.0
            for i in range(n_near):
                old += size[scan.near[i]] * loss[scan.near[i]]
            if n_near == 0 or old < GAIN:
                continue
            start, below = np.int64(first % np.uint64(n_pool)), old - GAIN + tolerance
            n_formed, n_made, new = form_from_pool(space, table, pool, n_pool, formed, run, (k, way, start, below))
            if new < below and not _breaks(condition, pool, formed, n_formed, n_made):
                if new < old - GAIN:
                    run[GAINS] += 1
                    run[IDLE] = 0
                _exchange(clusters, scan.near[:n_near], pool, formed, (n_formed, n_made), c, run)
                break


@kernel(allocates=True)
def _breaks(
    condition: PackedRule,
    pool: Pool,
    formed: NewClusters,
    n_formed: Integer,
    n_made: Integer,
) -> bool:
    if condition.terms[KIND] == NONE:
        return False
    cluster, value = np.empty(n_made, np.int32), np.empty(n_made, np.int32)
    for made in range(n_made):
        cluster[made], value[made] = formed.cluster[made], condition.value[pool.tuple_of[formed.place[made]]]
    broken = np.zeros(n_formed, np.uint8)
    return bool(
        break_rule(condition.terms, condition.overall, condition.ways, cluster, value, formed.count[:n_made], broken)
        > 0
    )


@kernel(allocates=True)
def pair_losses(space: AttributeSpace) -> PairLosses:
    """Compute the loss of the lowest common ancestor of any two nodes of an attribute.

    Attributes without a hierarchy, or with more than `WIDEST_TABLE` nodes, get no table. O(V^2).
    """
    kind, cost_at = space.kind, space.cost_at
    table_begins = np.zeros(len(kind) + 1, np.int64)
    for a in range(len(kind)):
        n = cost_at[a + 1] - cost_at[a]
        table_begins[a + 1] = table_begins[a] + (n * n if kind[a] == NODE and n <= WIDEST_TABLE else 0)
    table = np.empty(table_begins[-1], np.float64)
    attribute, n_tables = np.empty(len(kind), np.int64), 0
    row = np.empty(len(space.cost), np.float64)
    for a in range(len(kind)):
        n = cost_at[a + 1] - cost_at[a]
        if table_begins[a + 1] == table_begins[a]:
            continue
        attribute[n_tables], n_tables = a, n_tables + 1
        for node in range(n):
            common_losses(space, a, node, row)
            for other in range(n):
                table[table_begins[a] + node * n + other] = row[other]
    return PairLosses(table_begins, table, attribute[:n_tables])


@kernel()
def put_pieces(space: AttributeSpace, tuples: Tuples, clusters: ClusterSlots) -> None:
    """Compute the states, sizes and losses of clusters from their lists of pieces.

    See `refine` for `clusters`. The bits of the states must be zero. O(P v).
    """
    state, size, loss, head, pieces = clusters
    for c in range(len(size)):
        size[c], loss[c], p = 0, 0.0, head[c]
        while p >= 0:
            loss[c] = add_tuple(space, state, c, tuples, pieces.tuple_of[p], size[c] == 0)
            size[c] += pieces.count[p]
            p = pieces.following[p]


@kernel()
def _pool_capacity(size: Int64Array, head: Int64Array, pieces: Pieces) -> int:
    """Return the capacity of the pool, in pieces.

    The pool has space for the four largest clusters, but for at most 16384 and at least 512 pieces.
    """
    most = 0
    for c in range(len(size)):
        n, p = 0, head[c]
        while p >= 0:
            n += 1
            p = pieces.following[p]
        most = max(most, n)
    return min(max(4 * most, 512), 16384)


@kernel()
def _drawn_piece(p: int, following: Int64Array, drawn: np.uint64) -> int:
    """Return the piece at index `drawn` of a list, modulo the length of the list."""
    n, q = 0, p
    while q >= 0:
        n += 1
        q = following[q]
    for _ in range(np.int64(drawn % np.uint64(n))):
        p = following[p]
    return p


@kernel(inlined=True)
def _nearest(
    space: AttributeSpace,
    table: PairLosses,
    tuples: Tuples,
    clusters: ClusterSlots,
    seed: tuple[Integer, Integer],
    most: Integer,
    scan: _Scan,
) -> int:
    """List the cluster of the seed, and the clusters whose loss its tuple increases least. Return their number."""
    t, seed_cluster = seed
    (low, high, code, bits), size, loss, _, _ = clusters
    kind, slot, word_at, weight, width, cost_at, cost, _, _ = space
    near, keys, sums, row = scan
    begin = max(0, min(seed_cluster - len(sums) // 2, len(size) - len(sums)))
    n = min(len(size), begin + len(sums)) - begin
    pair_loss_sums(space, table, tuples.codes, t, code, begin, sums[:n])
    for a in range(len(kind)):
        s = slot[a]
        if kind[a] == RANGE:
            if width[a] > 0.0:
                x, w, span = tuples.numbers[s, t], weight[a], width[a]
                for i in range(n):
                    sums[i] += w * ((max(high[s, begin + i], x) - min(low[s, begin + i], x)) / span)
        elif kind[a] == NODE:
            if table.at[a + 1] == table.at[a]:
                common_losses(space, a, tuples.codes[s, t], row)
                for i in range(n):
                    sums[i] += row[code[s, begin + i]]
        else:
            v = tuples.codes[s, t]
            word, mask, index = word_at[a] + (v >> 6), bit(v & 63), cost_at[a]
            for i in range(n):
                contained = 1 if bits[word, begin + i] & mask else 0
                sums[i] += cost[index + code[s, begin + i] + 1 - contained]
    near[0] = seed_cluster
    n_near = 1
    for i in range(n):
        d = begin + i
        if size[d] == 0 or d == seed_cluster:
            continue
        key = np.rint(((size[d] + 1) * sums[i] - size[d] * loss[d]) * 1e12)
        if n_near <= most:
            n_near += 1
        elif key >= keys[n_near - 1]:
            continue
        index = n_near - 1
        while index > 1 and keys[index - 1] > key:
            keys[index], near[index] = keys[index - 1], near[index - 1]
            index -= 1
        keys[index], near[index] = key, d
    return n_near


@kernel()
def _fill_pool(
    tuples: Tuples,
    clusters: ClusterSlots,
    near: Int64Array,
    n_near: Integer,
    pool: Pool,
    place: Int64Array,
) -> tuple[int, int]:
    """Copy the tuples of clusters into the pool, and merge equal tuples.

    Returns the number of copied clusters and the number of tuples.
    """
    numbers, codes, of, count, remaining, _, _ = pool
    pieces = clusters.pieces
    m, n_clusters = 0, 0
    for i in range(n_near):
        n, p = 0, clusters.head[near[i]]
        while p >= 0:
            n += 1
            p = pieces.following[p]
        if m + n > len(of):
            break
        n_clusters += 1
        p = clusters.head[near[i]]
        while p >= 0:
            t = pieces.tuple_of[p]
            if place[t] < 0:
                place[t], of[m], count[m] = m, t, 0
                for a in range(len(numbers)):
                    numbers[a, m] = tuples.numbers[a, t]
                for a in range(len(codes)):
                    codes[a, m] = tuples.codes[a, t]
                m += 1
            count[place[t]] += pieces.count[p]
            p = pieces.following[p]
    for i in range(m):
        place[of[i]] = -1
        remaining[i] = count[i]
    return n_clusters, m


@kernel()
def _exchange(
    clusters: ClusterSlots,
    dissolved: Int64Array,
    pool: Pool,
    formed: NewClusters,
    made: tuple[Integer, Integer],
    drawn: Integer,
    run: Int64Array,
) -> None:
    """Replace the dissolved clusters by the new clusters, which are stored in the free slots from slot `drawn` on."""
    (low, high, code, bits), size, loss, head, pieces = clusters
    tuple_of, count, following, free = pieces
    state, new_size, new_loss, place, new_count, new_cluster = formed
    n_formed, n_made = made
    for d in dissolved:
        p = head[d]
        while p >= 0:
            free[run[FREE]] = p
            run[FREE] += 1
            p = following[p]
        size[d], loss[d], head[d] = 0, 0.0, -1
    slot_of, e = pool.order, drawn
    for c in range(n_formed):
        while size[e] > 0:
            e = (e + 1) % len(size)
        slot_of[c] = e
        size[e], loss[e], head[e] = new_size[c], new_loss[c], -1
        for a in range(len(low)):
            low[a, e], high[a, e] = state.low[a, c], state.high[a, c]
        for a in range(len(code)):
            code[a, e] = state.code[a, c]
        for w in range(len(bits)):
            bits[w, e] = state.bits[w, c]
    for i in range(n_made):
        e = slot_of[new_cluster[i]]
        run[FREE] -= 1
        p = free[run[FREE]]
        tuple_of[p], count[p] = pool.tuple_of[place[i]], new_count[i]
        following[p], head[e] = head[e], p
