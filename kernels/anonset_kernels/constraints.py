"""COAT and PCTA for a list of privacy constraints.

Supports of constraints only grow: a merge replaces a group by a union, a suppression leaves fewer groups to hold. So a
constraint in at least k records is safe for good and leaves every list; below that, what was counted last is a lower
bound. Upper bounds are k - 1, or the support of a core, some groups of the constraint, while none of these changes. A
tournament over the upper bounds finds the next constraint: whoever wins by a bound is counted, whoever wins by a
count is the one. So a constraint is counted where the choice needs it, not after each merge that concerns it.
Constraints of equal images stay equal: the one with the smallest number speaks for all.
"""

from typing import NamedTuple

import numpy as np

from anonset_kernels._arrays import Image, Int32Array, Int64Array, Items, UInt8Array
from anonset_kernels._bitmaps import Bitmaps, count_held, give_back, make_bitmaps
from anonset_kernels._groups import Groups, count_partners, image_of
from anonset_kernels._jit import kernel
from anonset_kernels._repair import Rule, Weights, satisfy
from anonset_kernels._satisfaction import is_satisfied

DONE, INFEASIBLE, UNFINISHED = 0, 1, 2
"""Outcomes of a search."""
_COUNTED, _TOUCHED, _BOUNDED = 0, 1, 2
"""What is known of a constraint: its support, the same but a group of it has just changed, or a lower bound."""
_DOUBLE = -1
"""Support of a constraint whose image is that of another one."""
_UNLISTED = -2
"""Successor of a constraint that is in no chain."""


class Policy(NamedTuple):
    """P privacy constraints over the occurring items, and what is known of them."""

    start: Int64Array
    """int64 (P + 1,): where each constraint's items start."""
    items: Items
    """int32: items of the constraints, one for each group of the image."""
    length: Int64Array
    """int64 (P,): groups of each constraint's image."""
    of_start: Int64Array
    """int64 (V + 1,): where each item's constraints start."""
    of: Int32Array
    """int32: constraints of each item."""
    of_length: Int64Array
    """int64 (V,): number of those that may be below k and in which the item stands for its group."""
    seen: Int32Array
    """int32 (V,): representative of each item's group when the lists were last brought up to date."""
    support: Int32Array
    """int32 (P,): support of each constraint's image, counted up to k, or a lower bound; or _DOUBLE."""
    known: UInt8Array
    """uint8 (P,): which of the two."""
    rank: Int32Array
    """int32: the tournament. Leaves: 1 + upper bound of the support of constraints that may be unsatisfied, or 0."""
    code: Int64Array
    """int64 (V,): a random number for each representative."""
    key: Int64Array
    """int64 (P,): sum of the codes of each constraint's image."""
    head: Int32Array
    """int32: first constraint of each chain of keys, or -1."""
    following: Int32Array
    """int32 (P,): next constraint of the chain, or -1, or _UNLISTED."""
    core: Int32Array
    """int32 (P,): how many of each constraint's first items are known to be together in few records, or 0."""
    bound: Int32Array
    """int32 (P,): number of these records; k - 1 without a core."""
    top: Int64Array
    """int64 (1,): support of the last constraint chosen."""
    touched: Int32Array
    """int32 (P,): scratch."""
    bitmaps: Bitmaps
    """The records of dense groups."""


@kernel()
def make_policy(
    groups: Groups, start: Int64Array, items: Items, of_start: Int64Array, of: Int32Array, k: int
) -> Policy:
    """List the constraints of distinct images, and count those of at most two items.

    `start`, int64 (P + 1,), is where each constraint begins in `items`, which the search changes; `of_start`, int64
    (V + 1,), where the constraints of each item begin in `of`, int32. O(items of the constraints).
    """
    n, n_items = len(start) - 1, len(groups.rep)
    n_slots = 1
    while n_slots < n:
        n_slots *= 2
    policy = Policy(
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
    bring_up_to_date(groups, policy, n, k)
    return policy


@kernel()
def search_policy(groups: Groups, weights: Weights, policy: Policy, rule: Rule, max_constraints: int) -> int:
    """Satisfy one violated constraint after the other; return DONE, INFEASIBLE, or UNFINISHED after so many."""
    for _ in range(max_constraints):
        bring_up_to_date(groups, policy, touch(groups, policy, rule.k), rule.k)
        p = next_constraint(groups, policy, rule.k)
        if p < 0:
            return DONE
        first = policy.start[p]
        if not satisfy(groups, weights, policy.items[first : first + policy.length[p]], rule):
            return INFEASIBLE
    return UNFINISHED


@kernel()
def next_constraint(groups: Groups, policy: Policy, k: int) -> int:
    """Return the unsatisfied constraint of the largest support, ties by the smallest number; -1 if there is none."""
    rank, start, length, items = policy.rank, policy.start, policy.length, policy.items
    support, known = policy.support, policy.known
    image = np.empty(len(groups.rep), np.int32)
    while rank[1] > 0:
        at = 1
        while at < len(rank) // 2:
            at = 2 * at + (rank[2 * at] < rank[at])
        p = at - len(rank) // 2
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
    """Change a leaf of the tournament, and what follows from it."""
    at = len(rank) // 2 + p
    rank[at] = value
    while at > 1:
        at //= 2
        best = max(rank[2 * at], rank[2 * at + 1])
        if rank[at] == best:
            return
        rank[at] = best


@kernel()
def touch(groups: Groups, policy: Policy, k: int) -> int:
    """Find the constraints below k on changed groups, drop the others from their lists; return how many there are."""
    rep, changed, seen, support, known = groups.rep, groups.changed, policy.seen, policy.support, policy.known
    start, length, items, of_start, of = policy.start, policy.length, policy.items, policy.of_start, policy.of
    key, code, head, following = policy.key, policy.code, policy.head, policy.following
    core, bound = policy.core, policy.bound
    n_touched = 0
    for item in range(len(rep)):
        if not changed[item]:
            continue
        old, new = seen[item], rep[item]
        kept = of_start[item]
        for at in range(of_start[item], of_start[item] + policy.of_length[item]):
            p = of[at]
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
                of[kept] = p
                kept += 1
                continue
            if following[p] != _UNLISTED:
                _unlist(head, following, key[p], p)
            key[p] -= code[old]
            if stays:
                key[p] += code[new]
                of[kept] = p
                kept += 1
            else:
                place = start[p]
                while items[place] != item:
                    place += 1
                length[p] -= 1
                items[place], items[start[p] + length[p]] = items[start[p] + length[p]], items[place]
        policy.of_length[item] = kept - of_start[item]
    return n_touched


@kernel()
def _unlist(head: Int32Array, following: Int32Array, key: int, p: int) -> None:
    """Take a constraint out of its chain."""
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
def bring_up_to_date(groups: Groups, policy: Policy, n_touched: int, k: int) -> None:
    """Take note of the groups that have changed, and of what is known of the constraints on them."""
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


@kernel()
def _drop_doubles(groups: Groups, policy: Policy, n_touched: int, k: int) -> None:
    """Of equal images, keep the constraint with the smallest number; none if one is known to be in k records."""
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
def _count_pairs(groups: Groups, policy: Policy, g: int, k: int) -> None:
    """Count the touched constraints of a group and at most one other, where they are many: all of them at once."""
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


@kernel()
def _count(groups: Groups, policy: Policy, p: int, image: Image, k: int) -> None:
    """Count the support of a constraint up to k, and choose a core: few groups that are together in few records."""
    start, items = policy.start[p], policy.items
    held = np.empty(len(image), np.int64)
    count_held(groups, policy.bitmaps, image, k, held)
    policy.support[p], policy.known[p] = min(k, held[-1]), _COUNTED
    if held[-1] < policy.top[0]:
        n = 0
        while n == 0 or held[n - 1] >= policy.top[0]:
            place = start + n
            while groups.rep[items[place]] != image[n]:
                place += 1
            items[place], items[start + n] = items[start + n], items[place]
            n += 1
        policy.core[p], policy.bound[p] = n, held[n - 1]
