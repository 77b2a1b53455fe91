"""COAT and PCTA for a list of privacy constraints.

The support of a constraint never decreases: a merge replaces a group by a union, and a suppression reduces the groups
that a record must contain. A constraint with support k or more is therefore permanently satisfied and is removed from
every list. Below k, the last count is a lower bound. Some groups of a constraint can form its *core*. The upper bound
is the support of the core until one of the core's groups changes. Without a core, or after the change, it is k - 1. A
tournament tree over the upper bounds finds the next constraint. If the support of the winner is not counted, it is
counted, and the tournament is repeated. Otherwise the winner is returned. A constraint is therefore counted only if the
choice depends on it, not after each merge that concerns it. Constraints with equal images remain equal, so the
constraint with the smallest number represents all of them.
"""

from typing import NamedTuple

import numpy as np

from anonset_kernels._arrays import Image, Int32Array, Int64Array, Items, UInt8Array
from anonset_kernels._jit import kernel
from anonset_kernels.item_sets._bitmaps import Bitmaps, count_held, give_back, make_bitmaps
from anonset_kernels.item_sets._groups import Groups, count_partners, image_of
from anonset_kernels.item_sets._repair import RepairRule, Weights, satisfy
from anonset_kernels.item_sets._satisfaction import is_satisfied

DONE, INFEASIBLE, UNFINISHED = 0, 1, 2
"""Results of a search."""
_COUNTED, _TOUCHED, _BOUNDED = 0, 1, 2
"""States of a constraint's support. _COUNTED is exact, _TOUCHED was counted before a group changed, and _BOUNDED is a
lower bound.
"""
_DOUBLE = -1
"""Support of a constraint with the same image as another constraint."""
_UNLISTED = -2
"""Value of `following` for a constraint that is in no hash chain."""


class ConstraintSupports(NamedTuple):
    """P privacy constraints on V items, and what is known about their supports."""

    start: Int64Array
    """First index of each constraint in `items`, int64 (P + 1,)."""
    items: Items
    """Items of the constraints, int32. The first `length` items of a constraint represent the groups of its image."""
    length: Int64Array
    """Number of groups in each constraint's image, int64 (P,)."""
    of_start: Int64Array
    """Start of each item in `of`, int64 (V + 1,)."""
    of: Int32Array
    """Constraints of each item, int32."""
    of_length: Int64Array
    """Number of constraints in each item's list, int64 (V,). The list contains the constraints that may have a support
    below k and in which the item represents a group.
    """
    seen: Int32Array
    """Representative of each item's group at the last update of the lists, int32 (V,)."""
    support: Int32Array
    """Support of each constraint's image, up to k, or a lower bound, int32 (P,). _DOUBLE if another constraint
    represents it.
    """
    known: UInt8Array
    """State of each support, uint8 (P,). _COUNTED, _TOUCHED or _BOUNDED."""
    rank: Int32Array
    """Tournament tree, int32. The leaf of a constraint is 1 + the upper bound of its support, or 0 if it is satisfied.
    """
    code: Int64Array
    """Random number of each representative, int64 (V,)."""
    key: Int64Array
    """Hash key of each constraint, int64 (P,). The key is the sum of `code` over the image."""
    head: Int32Array
    """First constraint of each hash chain, int32. -1 for an empty chain."""
    following: Int32Array
    """Next constraint in the hash chain, int32 (P,). -1 for the last constraint, _UNLISTED for a constraint in no
    chain.
    """
    core: Int32Array
    """Number of groups in each constraint's core, int32 (P,). The core is represented by the first items of the
    constraint. 0 if there is no core.
    """
    bound: Int32Array
    """Support of each constraint's core, int32 (P,). k - 1 if there is no core."""
    top: Int64Array
    """Support of the constraint chosen last, int64 (1,)."""
    touched: Int32Array
    """Buffer for the constraints on changed groups, int32 (P,)."""
    bitmaps: Bitmaps
    """Bitmaps of the records of dense groups."""


@kernel(allocates=True)
def make_policy(
    groups: Groups, start: Int64Array, items: Items, of_start: Int64Array, of: Int32Array, k: int
) -> ConstraintSupports:
    """List the constraints with distinct images, and count the support of each constraint of at most two items.

    `start`, int64 (P + 1,), is the first index of each constraint in `items`. The search changes `items`. `of_start`,
    int64 (V + 1,), is the first index of each item in `of`, int32, which lists the constraints of each item. O(items of
    the constraints).
    """
    n, n_items = len(start) - 1, len(groups.rep)
    n_slots = 1
    while n_slots < n:
        n_slots *= 2
    policy = ConstraintSupports(
        start,
        items,
        start[1:] - start[:-1],
        of_start,
        of,
        of_start[1:] - of_start[:-1],
        groups.rep.copy(),
        np.zeros(n, np.int32),
        np.full(n, _TOUCHED, np.uint8),
        np.zeros(2 * n_slots, np.int32),
        np.empty(n_items, np.int64),
        np.zeros(n, np.int64),
        np.full(n_slots, -1, np.int32),
        np.full(n, _UNLISTED, np.int32),
        np.zeros(n, np.int32),
        np.full(n, k - 1, np.int32),
        np.full(1, k - 1, np.int64),
        np.arange(n).astype(np.int32),
        make_bitmaps(groups),
    )
    value = np.int64(1)
    for item in range(n_items):
        value = value * 48271 % 2147483647
        policy.code[item] = value
    for p in range(n):
        for item in items[start[p] : start[p + 1]]:
            policy.key[p] += policy.code[item]
    groups.changed[:] = 1
    update_constraints(groups, policy, n, k)
    return policy


@kernel()
def search_policy(
    groups: Groups, weights: Weights, policy: ConstraintSupports, rule: RepairRule, max_constraints: int
) -> int:
    """Satisfy violated constraints in turn.

    Return DONE, INFEASIBLE, or UNFINISHED after `max_constraints` constraints.
    """
    for _ in range(max_constraints):
        update_constraints(groups, policy, touch(groups, policy, rule.k), rule.k)
        p = next_constraint(groups, policy, rule.k)
        if p < 0:
            return DONE
        first = policy.start[p]
        if not satisfy(groups, weights, policy.items[first : first + policy.length[p]], rule):
            return INFEASIBLE
    return UNFINISHED


@kernel(allocates=True)
def next_constraint(groups: Groups, policy: ConstraintSupports, k: int) -> int:
    """Return the unsatisfied constraint with the largest support, or -1. Ties are resolved by the smallest number."""
    rank, start, length, items = policy.rank, policy.start, policy.length, policy.items
    support, known = policy.support, policy.known
    image = np.empty(len(groups.rep), np.int32)
    while rank[1] > 0:
        v = 1
        while v < len(rank) // 2:
            v = 2 * v + (rank[2 * v] < rank[v])
        p = v - len(rank) // 2
        if known[p] == _BOUNDED:
            n = image_of(groups, items[start[p] : start[p] + length[p]], image)
            _count(groups, policy, p, image[:n], k)
            _rank(rank, p, support[p] + 1 if support[p] < k else 0)
            continue
        rare = support[p] > 0
        for item in items[start[p] : start[p] + length[p]]:
            rare |= groups.support[groups.rep[item]] < k
        if not rare and length[p] > 2:
            n = image_of(groups, items[start[p] : start[p] + length[p]], image)
            rare = not is_satisfied(groups, image[:n], k)
        if rare:
            policy.top[0] = max(1, support[p])
            return p
        _rank(rank, p, 0)
    return -1


@kernel()
def _rank(rank: Int32Array, p: int, value: int) -> None:
    """Update a leaf of the tournament tree and all its ancestors."""
    v = len(rank) // 2 + p
    rank[v] = value
    while v > 1:
        v //= 2
        best = max(rank[2 * v], rank[2 * v + 1])
        if rank[v] == best:
            return
        rank[v] = best


@kernel(allocates=True)
def touch(groups: Groups, policy: ConstraintSupports, k: int) -> int:
    """Store the constraints below k that concern changed groups in `policy.touched`. Return their number.

    All other constraints are removed from the lists of the changed groups.
    """
    rep, changed, seen, support, known = groups.rep, groups.changed, policy.seen, policy.support, policy.known
    start, length, items, of_start, of = policy.start, policy.length, policy.items, policy.of_start, policy.of
    key, code, head, following = policy.key, policy.code, policy.head, policy.following
    core, bound = policy.core, policy.bound
    n_touched = 0
    for item in range(len(rep)):
        if not changed[item]:
            continue
        old, new = seen[item], rep[item]
        filled = of_start[item]
        for i in range(of_start[item], of_start[item] + policy.of_length[item]):
            p = of[i]
            if support[p] < 0 or support[p] >= k:
                continue
            for other in items[start[p] : start[p] + core[p]]:
                if other == item:
                    core[p], bound[p] = 0, k - 1
            stays = new >= 0
            if known[p] == _TOUCHED:
                for other in items[start[p] : start[p] + length[p]]:
                    stays &= other == item or rep[other] != new
            else:
                policy.touched[n_touched] = p
                n_touched += 1
                known[p] = _TOUCHED
            if stays and old == new:
                of[filled] = p
                filled += 1
                continue
            if following[p] != _UNLISTED:
                _unlist(head, following, key[p], p)
            key[p] -= code[old]
            if stays:
                key[p] += code[new]
                of[filled] = p
                filled += 1
            else:
                place = start[p]
                while items[place] != item:
                    place += 1
                length[p] -= 1
                items[place], items[start[p] + length[p]] = items[start[p] + length[p]], items[place]
        policy.of_length[item] = filled - of_start[item]
    return n_touched


@kernel()
def _unlist(head: Int32Array, following: Int32Array, key: int, p: int) -> None:
    slot = key & (len(head) - 1)
    if head[slot] == p:
        head[slot] = following[p]
    else:
        q = head[slot]
        while following[q] != p:
            q = following[q]
        following[q] = following[p]
    following[p] = _UNLISTED


@kernel()
def update_constraints(groups: Groups, policy: ConstraintSupports, n_touched: int, k: int) -> None:
    """Update `seen`, and the states and bounds of the constraints that concern changed groups."""
    _drop_doubles(groups, policy, n_touched, k)
    for item in range(len(groups.rep)):
        if groups.changed[item]:
            policy.seen[item] = groups.rep[item]
            give_back(policy.bitmaps, item)
            if groups.rep[item] == item:
                _count_pairs(groups, policy, item, k)
    groups.changed[:] = 0
    rank, support, known = policy.rank, policy.support, policy.known
    for p in policy.touched[:n_touched]:
        upper = support[p]
        if known[p] == _TOUCHED:
            exact = policy.core[p] > 0 and upper == policy.bound[p]
            known[p] = _COUNTED if exact else _BOUNDED
            if 0 <= upper < k:
                upper = policy.bound[p]
        _rank(rank, p, upper + 1 if 0 <= upper < k else 0)


@kernel(allocates=True)
def _drop_doubles(groups: Groups, policy: ConstraintSupports, n_touched: int, k: int) -> None:
    """Keep the first of the touched constraints with equal images, or none if one of them has support k."""
    rep, mark, start, length, items = groups.rep, groups.mark, policy.start, policy.length, policy.items
    support, key, head, following = policy.support, policy.key, policy.head, policy.following
    for p in policy.touched[:n_touched]:
        if following[p] != _UNLISTED or support[p] < 0:
            continue
        if length[p] == 0:
            support[p] = k
            continue
        slot = key[p] & (len(head) - 1)
        q = head[slot]
        while q >= 0:
            if key[q] == key[p] and length[q] == length[p]:
                n_shared = 0
                for item in items[start[p] : start[p] + length[p]]:
                    mark[rep[item]] = 1
                for item in items[start[q] : start[q] + length[q]]:
                    if rep[item] >= 0 and mark[rep[item]]:
                        mark[rep[item]] = 0
                        n_shared += 1
                for item in items[start[p] : start[p] + length[p]]:
                    mark[rep[item]] = 0
                if n_shared == length[p]:
                    break
            q = following[q]
        if q >= 0 and (support[q] >= k or q < p):
            support[p] = k if support[q] >= k else _DOUBLE
            continue
        if q >= 0:
            _unlist(head, following, key[q], q)
            support[q] = _DOUBLE
            _rank(policy.rank, q, 0)
        following[p] = head[slot]
        head[slot] = p


@kernel()
def _count_pairs(groups: Groups, policy: ConstraintSupports, g: int, k: int) -> None:
    """Count the touched constraints of `g` with at most one other group.

    A single pass counts all of them. Nothing is counted if there are few constraints.
    """
    rep, following, count, length = groups.rep, groups.following, groups.count, policy.length
    support, known, start, items = policy.support, policy.known, policy.start, policy.items
    n_listed, item = np.int64(0), g
    while item >= 0:
        n_listed += policy.of_length[item]
        item = following[item]
    if 4 * n_listed < groups.support[g]:
        return
    count_partners(groups, g)
    item = g
    while item >= 0:
        for p in policy.of[policy.of_start[item] : policy.of_start[item] + policy.of_length[item]]:
            if known[p] == _TOUCHED and 0 <= support[p] < k and length[p] <= 2:
                other = items[start[p]] if items[start[p]] != item else items[start[p] + length[p] - 1]
                support[p], known[p] = min(k, count[rep[other]]), _COUNTED
        item = following[item]
    count[:] = 0


@kernel(allocates=True)
def _count(groups: Groups, policy: ConstraintSupports, p: int, image: Image, k: int) -> None:
    """Count the support of a constraint up to k. Choose a core if the support is below that of the last choice."""
    start, items = policy.start[p], policy.items
    supports = np.empty(len(image), np.int64)
    count_held(groups, policy.bitmaps, image, k, supports)
    policy.support[p], policy.known[p] = min(k, supports[-1]), _COUNTED
    if supports[-1] < policy.top[0]:
        n = 0
        while n == 0 or supports[n - 1] >= policy.top[0]:
            place = start + n
            while groups.rep[items[place]] != image[n]:
                place += 1
            items[place], items[start + n] = items[start + n], items[place]
            n += 1
        policy.core[p], policy.bound[p] = n, supports[n - 1]
