"""Merge partners of a cluster, best first (Poulis et al. 2013, section 4).

The cluster to merge next is the seed. Usually one of the first candidates is chosen, so a few candidates are computed
first, and more on demand. This does not change the order.
"""

from collections.abc import Callable, Iterator
from math import fsum, isqrt
from typing import Literal

import numpy as np

from anonset.algorithms.relational.generalized_tuples import loss_keys
from anonset.algorithms.rt.merging import TOLERANCE, Clusters
from anonset.data.array_types import Bools, Float64, Int64

MergeOrder = Literal["r", "t", "rt"]
"""Order of candidates: by relational loss (r), by item distance (t), or by the sum of both ranks (rt)."""
Nearest = Callable[[int], tuple[Int64, Float64]]
"""Function from n to the n candidates with the smallest item distances, and these distances."""

_FEW = 64
_DOUBT = 1e-9
"""If a sum is closer to the bound than this tolerance, it is computed again from all losses."""


def candidates(
    clusters: Clusters, seed: int, merge: MergeOrder, ncp: Float64, allowed: Bools
) -> Iterator[tuple[int, float]]:
    """Yield the allowed merge partners of `seed`, best first, with the item distance of each union.

    Parameters
    ----------
    clusters, seed
        The clusters, and the index of the cluster to merge next.
    merge
        The order of candidates. The order by losses (r) yields only the best candidate, without an item distance.
    ncp
        Loss of the union of the seed with each cluster, float64 (C,).
    allowed
        True for the clusters to yield, bool (C,). Ranks are computed among all usable clusters.
    """
    if merge == "r":
        best = int(np.argmin(np.where(clusters.usable(seed), loss_keys(ncp), np.inf)))
        if allowed[best]:
            yield best, np.inf
    elif merge == "t":
        yield from _by_items(clusters, seed, allowed)
    else:
        yield from _by_both(clusters, seed, ncp, allowed)


def first_within(
    clusters: Clusters, seed: int, merge: MergeOrder, total: float, delta: float
) -> tuple[int, float, float, float] | None:
    """Find the first candidate whose merge results in a relational loss of at most `delta`.

    Returns the candidate's index, the loss and item distance of the union, and the increase of the total loss of all
    records. None if there is no candidate.
    """
    ncp = clusters.tuples.union_losses(seed)
    size, cluster_ncp = clusters.size, clusters.ncp
    growth = (size[seed] + size) * ncp - size[seed] * cluster_ncp[seed] - size * cluster_ncp
    excess = (total + growth) / clusters.n - (delta + TOLERANCE)
    allowed = clusters.usable(seed) & (excess <= _DOUBT)
    if not allowed.any():
        return None
    for best, distance in candidates(clusters, seed, merge, ncp, allowed):
        if excess[best] < -_DOUBT or _exact_rum(clusters, seed, best, float(ncp[best])) <= delta + TOLERANCE:
            return best, float(ncp[best]), distance, float(growth[best])
    return None


def merge_infeasible(name: str, clusters: Clusters) -> None:
    """Merge each cluster that cannot be made anonymous with the cluster whose union has the least loss.

    Clusters are processed in order.

    Raises
    ------
    InfeasibleError
        If a cluster of all records cannot be made anonymous. The message contains `name`, the name of the algorithm.
    """
    function = clusters.function
    infeasible = function.infeasible(clusters.all_members())
    while infeasible.any():
        first = int(np.argmax(infeasible))
        if clusters.count == 1:
            raise function.infeasible_at_all(name, clusters.members(first))
        ncp = clusters.tuples.union_losses(first)
        best, distance = next(candidates(clusters, first, "r", ncp, clusters.usable(first)))
        infeasible[first] = infeasible[best] = False
        union = clusters.merge(first, best, float(ncp[best]), distance)
        infeasible[union] = function.infeasible([clusters.members(union)])[0]


def _exact_rum(clusters: Clusters, seed: int, other: int, ncp: float) -> float:
    size, cluster_ncp = clusters.size.copy(), clusters.ncp.copy()
    size[seed], cluster_ncp[seed] = size[seed] + size[other], ncp
    others = clusters.alive.copy()
    others[other] = False
    return fsum((size * cluster_ncp)[others].tolist()) / clusters.n


def _by_items(clusters: Clusters, seed: int, allowed: Bools) -> Iterator[tuple[int, float]]:
    nearest, n_yielded, count_requested = _nearest(clusters, seed, allowed), 0, 1
    count = int(np.count_nonzero(allowed))
    while n_yielded < count:
        places, distances = nearest(count_requested)
        yield from zip(places[n_yielded:].tolist(), distances[n_yielded:].tolist(), strict=True)
        n_yielded, count_requested = len(places), max(_FEW, 2 * count_requested)


def _by_both(clusters: Clusters, seed: int, ncp: Float64, allowed: Bools) -> Iterator[tuple[int, float]]:
    """Yield candidates in the order of (u + v, u). u is the rank by loss, and v is the rank by items.

    The first t candidates of each order suffice to rank the candidates that are among the first t in both orders. All
    other candidates have u + v > t + 1. If the two orders of C clusters are independent, the smallest u + v is about
    sqrt(2C).
    """
    usable = clusters.usable(seed)
    count = int(np.count_nonzero(usable))
    cheapest, nearest = _cheapest(loss_keys(ncp), usable), _nearest(clusters, seed, usable)
    n_yielded, count_requested = 0, max(_FEW, isqrt(count))
    while n_yielded < count:
        count_requested = min(count_requested, count)
        places, distances = nearest(count_requested)
        u = np.zeros(len(usable), np.int64)
        u[cheapest(count_requested)] = np.arange(1, count_requested + 1)
        u, v = u[places], np.arange(1, count_requested + 1)
        certain = np.flatnonzero((u > 0) & ((u + v <= count_requested + 1) | (count_requested == count)))
        order = certain[np.lexsort((u[certain], (u + v)[certain]))]
        for rank in order[n_yielded:].tolist():
            if allowed[places[rank]]:
                yield int(places[rank]), float(distances[rank])
        n_yielded, count_requested = len(order), 2 * count_requested


def _nearest(clusters: Clusters, seed: int, among: Bools) -> Nearest:
    if clusters.order == "btd":
        return clusters.distances.search(seed, among).nearest
    places = np.flatnonzero(among)
    unions = [clusters.members(seed, x) for x in places.tolist()]
    losses = clusters.function.losses(unions, clusters.function.mappings(unions))
    keys = loss_keys(np.array([fsum(losses_of_union.tolist()) / len(losses_of_union) for losses_of_union in losses]))
    order = np.argsort(keys, kind="stable")
    return lambda count: (places[order[:count]], keys[order[:count]])


def _cheapest(keys: Float64, usable: Bools) -> Callable[[int], Int64]:
    """Return a function from a number to the usable indices with the smallest keys, sorted by key, then by index.

    Keys are integers. Their low bits contain the index, because distinct keys are sorted much faster than pairs.
    """
    places, shift = np.flatnonzero(usable), max(1, len(keys).bit_length())
    keys = keys[places]
    if float(keys.max(initial=0.0)) >= 2.0 ** (62 - shift):
        order = places[np.argsort(keys, kind="stable")]
        return lambda count: order[:count]
    pairs = (keys.astype(np.int64) << shift) | places
    return lambda count: np.sort(np.partition(pairs, count - 1)[:count]) & ((1 << shift) - 1)
