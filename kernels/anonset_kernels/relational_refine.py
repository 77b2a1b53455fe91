"""Refining clusters of relational tuples: neighbours are dissolved and formed anew, if that costs less.

A *piece* is a distinct tuple with the number of its records in one cluster; the pieces of a cluster are a linked list.
Clusters stand in slots, near ones close together, some of them empty. One step:

1. two clusters are drawn, and of the one that costs more one of its pieces; one to three of the clusters that its tuple
   would cost least in, of those in the slots around, are dissolved with it: their tuples are the pool;
2. clusters of at least k records are grown over the pool, each by the tuple that costs least with it; in three steps of
   four each takes all records that it covers; what is left in the end goes where it costs least;
3. the new clusters stay if each holds what is asked beside k, and they cost less than the old ones, or more by less
   than the tolerance; else 2 is tried twice more, with other clusters out of the nearest.

So a step splits, merges, swaps and moves as it comes. Without tolerance the loss never rises. To dissolve few clusters
and to try several times where they have been found is what most is gained by for each loss computed: on Adult by
300,000,000 of them 0.0855, where up to nine of all were dissolved at once 0.0879. Losses are compared by keys
of twelve decimals, ties by slot or by place in the pool. Sums of SplitMix64 wrap around
(``np.errstate(over="ignore")``).
"""

from typing import NamedTuple

import numpy as np

from anonset_kernels._arrays import (
    ClusterStates,
    Float64Array,
    Int64Array,
    Integer,
    PackedRule,
    Space,
    Tuples,
    UInt64Array,
)
from anonset_kernels._bits import bit
from anonset_kernels._class_rules import KIND, NONE, break_rule
from anonset_kernels._jit import kernel
from anonset_kernels._pools import (
    EVALUATIONS,
    GAIN,
    Formed,
    PairLosses,
    Pool,
    add_tuple,
    common_losses,
    form_anew,
    make_formed,
    make_pool,
)
from anonset_kernels._split_mix import next_number

RANGE, NODE, SET = 0, 1, 2
MOST_NEAR = 4
"""Most clusters that are dissolved at once."""
TRIES = 3
"""Times that the nearest clusters of one tuple are dissolved, as long as nothing comes of it."""
WIDEST_TABLE = 256
"""Nodes up to which the losses of all pairs of an attribute's nodes are listed."""
FREE, STEPS, GAINS, IDLE = 0, 2, 3, 4
"""Places in `run`: free pieces; steps done; steps that gained; steps since the last that did (and `EVALUATIONS`)."""


class Clusters(NamedTuple):
    """Clusters by slot."""

    state: ClusterStates
    """Generalized tuple of each cluster."""
    size: Int64Array
    """int64 (slots,): number of records; 0 if the slot is empty."""
    loss: Float64Array
    """float64 (slots,): loss of each cluster."""
    head: Int64Array
    """int64 (slots,): first piece of each cluster; -1 if the slot is empty."""


class Pieces(NamedTuple):
    """Pieces of clusters: records of one tuple. Each array is int64 (P,)."""

    tuple_of: Int64Array
    """Tuple of each piece."""
    count: Int64Array  # type: ignore[assignment]  # the method of this name is not used
    """Number of records of each piece."""
    following: Int64Array
    """Next piece of the same cluster; -1 at the end."""
    free: Int64Array
    """Pieces of no cluster."""


class _Scan(NamedTuple):
    """Scratch of `_nearest`."""

    near: Int64Array
    """int64 (MOST_NEAR,): the nearest clusters."""
    keys: Float64Array
    """float64 (MOST_NEAR,): by how much each raises the loss, rounded."""
    sums: Float64Array
    """float64 (window,): losses of the clusters around a seed."""
    row: Float64Array
    """float64 (len(cost),): losses of the nodes of one attribute."""


class Limits(NamedTuple):
    """When `refine` stops, and which steps it takes."""

    k: int
    most: int
    """Number of losses to compute at most."""
    patience: int
    """Number of steps without gain at most."""
    window: int
    """Number of slots around a cluster to look at."""
    tolerance: float
    """By how much new clusters may cost more than old ones."""


@kernel()
def refine(
    space: Space,
    table: PairLosses,
    tuples: Tuples,
    clusters: Clusters,
    pieces: Pieces,
    run: Int64Array,
    random: UInt64Array,
    asked: PackedRule,
    limits: Limits,
) -> None:
    """Refine clusters until there were so many losses computed, or so many steps in vain.

    Parameters
    ----------
    table
        Of `pair_losses`.
    clusters
        Changed.
    pieces
        Changed.
    run
        int64 (5,): see `FREE` and the others.
    random
        uint64 (1,): state of SplitMix64.
    asked
        What every cluster must satisfy, with the value of each tuple. No step breaks it if all clusters satisfy it.
    limits
        When to stop.

    Cost: a step takes one loss for each slot around, and for each tuple that is placed one for each of the pool.
    """
    k, most, patience, window, tolerance = limits
    state, size, loss, head = clusters
    room = _room(size, head, pieces)
    pool, formed = make_pool(tuples, room), make_formed(state, room)
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
        n_found = _nearest(space, tuples, clusters, (t, c), MOST_NEAR - 1, scan)
        run[EVALUATIONS] += min(window, len(size))
        for _ in range(TRIES):
            n_near = min(int(2 + np.int64(next_number(random) % np.uint64(MOST_NEAR - 1))), n_found)
            way, first = np.int64(next_number(random) % np.uint64(16)), next_number(random)
            n_near, n_pool = _fill_pool(tuples, clusters, pieces, scan.near, n_near, pool, place)
            old = 0.0
            for i in range(n_near):
                old += size[scan.near[i]] * loss[scan.near[i]]
            if n_near == 0 or old < GAIN:
                continue
            start, below = np.int64(first % np.uint64(n_pool)), old - GAIN + tolerance
            n_formed, n_made, new = form_anew(space, table, pool, n_pool, formed, run, (k, way, start, below))
            if new < below and not _breaks(asked, pool, formed, n_formed, n_made):
                if new < old - GAIN:
                    run[GAINS] += 1
                    run[IDLE] = 0
                _exchange(clusters, pieces, scan.near[:n_near], pool, formed, (n_formed, n_made), c, run)
                break


@kernel()
def _breaks(
    asked: PackedRule,
    pool: Pool,
    formed: Formed,
    n_formed: Integer,
    n_made: Integer,
) -> bool:
    """Tell whether some of the new clusters breaks what is asked of all."""
    if asked.terms[KIND] == NONE:
        return False
    cluster, value = np.empty(n_made, np.int32), np.empty(n_made, np.int32)
    for made in range(n_made):
        cluster[made], value[made] = formed.cluster[made], asked.value[pool.tuple_of[formed.place[made]]]
    broken = np.zeros(n_formed, np.uint8)
    return bool(break_rule(asked.terms, asked.overall, asked.ways, cluster, value, formed.count[:n_made], broken) > 0)


@kernel()
def pair_losses(space: Space) -> PairLosses:
    """Return the loss of the lowest common node of any two nodes of an attribute.

    An attribute without hierarchy, or with more than `WIDEST_TABLE` nodes, is not listed. O(V^2).
    """
    kind, cost_at = space.kind, space.cost_at
    at = np.zeros(len(kind) + 1, np.int64)
    for a in range(len(kind)):
        n = cost_at[a + 1] - cost_at[a]
        at[a + 1] = at[a] + (n * n if kind[a] == NODE and n <= WIDEST_TABLE else 0)
    table = np.empty(at[-1], np.float64)
    row = np.empty(len(space.cost), np.float64)
    for a in range(len(kind)):
        n = cost_at[a + 1] - cost_at[a]
        for node in range(n if at[a + 1] > at[a] else 0):
            common_losses(space, a, node, row)
            for other in range(n):
                table[at[a] + node * n + other] = row[other]
    return PairLosses(at, table)


@kernel()
def put_pieces(space: Space, tuples: Tuples, clusters: Clusters, pieces: Pieces) -> None:
    """Fill the states (bits zeroed), sizes and losses of clusters whose lists of pieces are there.

    `clusters` and `pieces` are those of `refine`. O(P v).
    """
    state, size, loss, head = clusters
    for c in range(len(size)):
        size[c], loss[c], p = 0, 0.0, head[c]
        while p >= 0:
            loss[c] = add_tuple(space, state, c, tuples, pieces.tuple_of[p], size[c] == 0)
            size[c] += pieces.count[p]
            p = pieces.following[p]


@kernel()
def _room(size: Int64Array, head: Int64Array, pieces: Pieces) -> int:
    """Return how many pieces a pool may hold: those of four of the largest clusters, at most 16384, at least 512."""
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
    """Return a piece of a list: that at the drawn number, modulo their number."""
    n, q = 0, p
    while q >= 0:
        n += 1
        q = following[q]
    for _ in range(np.int64(drawn % np.uint64(n))):
        p = following[p]
    return p


@kernel()
def _nearest(
    space: Space, tuples: Tuples, clusters: Clusters, seed: tuple[Integer, Integer], wanted: Integer, scan: _Scan
) -> int:
    """List the cluster of the seed and those that its tuple would raise the loss of least; return how many."""
    t, own = seed
    (low, high, code, bits), size, loss, _ = clusters
    kind, slot, word_at, weight, width, cost_at, cost, _, _ = space
    near, keys, sums, row = scan
    begin = max(0, min(own - len(sums) // 2, len(size) - len(sums)))
    n = min(len(size), begin + len(sums)) - begin
    sums[:n] = 0.0
    for a in range(len(kind)):
        s = slot[a]
        if kind[a] == RANGE:
            if width[a] > 0.0:
                x, w, span = tuples.numbers[s, t], weight[a], width[a]
                for i in range(n):
                    sums[i] += w * ((max(high[s, begin + i], x) - min(low[s, begin + i], x)) / span)
        elif kind[a] == NODE:
            common_losses(space, a, tuples.codes[s, t], row)
            for i in range(n):
                sums[i] += row[code[s, begin + i]]
        else:
            v = tuples.codes[s, t]
            word, mask, at = word_at[a] + (v >> 6), bit(v & 63), cost_at[a]
            for i in range(n):
                held = 1 if bits[word, begin + i] & mask else 0
                sums[i] += cost[at + code[s, begin + i] + 1 - held]
    near[0] = own
    found = 1
    for i in range(n):
        d = begin + i
        if size[d] == 0 or d == own:
            continue
        key = np.rint(((size[d] + 1) * sums[i] - size[d] * loss[d]) * 1e12)
        if found <= wanted:
            found += 1
        elif key >= keys[found - 1]:
            continue
        at = found - 1
        while at > 1 and keys[at - 1] > key:
            keys[at], near[at] = keys[at - 1], near[at - 1]
            at -= 1
        keys[at], near[at] = key, d
    return found


@kernel()
def _fill_pool(
    tuples: Tuples,
    clusters: Clusters,
    pieces: Pieces,
    near: Int64Array,
    n_near: Integer,
    pool: Pool,
    place: Int64Array,
) -> tuple[int, int]:
    """Put the tuples of clusters into the pool, equal ones together; return how many clusters fit, and the tuples."""
    numbers, codes, of, count, left, _, _ = pool
    m, taken = 0, 0
    for i in range(n_near):
        n, p = 0, clusters.head[near[i]]
        while p >= 0:
            n += 1
            p = pieces.following[p]
        if m + n > len(of):
            break
        taken += 1
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
        left[i] = count[i]
    return taken, m


@kernel()
def _exchange(
    clusters: Clusters,
    pieces: Pieces,
    dissolved: Int64Array,
    pool: Pool,
    formed: Formed,
    made: tuple[Integer, Integer],
    own: Integer,
    run: Int64Array,
) -> None:
    """Put new clusters in place of old ones, into the empty slots from that of the drawn cluster on."""
    (low, high, code, bits), size, loss, head = clusters
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
    slot_of, e = pool.order, own
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
