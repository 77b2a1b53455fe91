"""COAT and PCTA for a list of privacy constraints.

An unsatisfied constraint is in fewer than k records, so k buckets hold the candidates. A merge concerns only the
constraints with an item of the merged group: only their supports are counted again, and only a candidate that has
its turn is tested in full.
"""

from typing import Any, NamedTuple

import numpy as np

from anonset_kernels._groups import image_of, is_satisfied, support_of
from anonset_kernels._jit import kernel
from anonset_kernels._repair import satisfy

DONE, INFEASIBLE, UNFINISHED = 0, 1, 2
"""Outcomes of a search."""


class Policy(NamedTuple):
    """P privacy constraints over the occurring items, and what is known of them."""

    start: Any
    """int64 (P + 1,): where each constraint's items start."""
    items: Any
    """int32: items of the constraints."""
    of_start: Any
    """int64 (V + 1,): where each item's constraints start."""
    of: Any
    """int32: constraints of each item."""
    support: Any
    """int64 (P,): support of each constraint's image, counted up to k."""
    open: Any
    """uint8 (P,): constraints that may be unsatisfied."""
    n_open: Any
    """int64 (k,): open constraints of each support."""
    first: Any
    """int64 (k,): no open constraint of this support comes before this one."""
    image: Any
    """int32: scratch, as long as the longest constraint."""
    fresh: Any
    """uint8 (P,): scratch, zero between uses."""


@kernel()
def make_policy(groups: Any, start: Any, items: Any, of_start: Any, of: Any, k: int) -> Any:
    """Count the support of every constraint."""
    n, longest = len(start) - 1, 0
    for p in range(n):
        longest = max(longest, start[p + 1] - start[p])
    policy = Policy(
        start,
        items,
        of_start,
        of,
        np.zeros(n, np.int64),
        np.zeros(n, np.uint8),
        np.zeros(k, np.int64),
        np.zeros(k, np.int64),
        np.empty(longest, np.int32),
        np.zeros(n, np.uint8),
    )
    for p in range(n):
        _count(groups, policy, p, k)
    return policy


@kernel()
def search_policy(groups: Any, weights: Any, policy: Any, rule: Any, max_constraints: int) -> int:
    """Satisfy one violated constraint after the other; return DONE, INFEASIBLE, or UNFINISHED after so many."""
    for _ in range(max_constraints):
        _refresh(groups, policy, rule.k)
        p = _next_constraint(groups, policy, rule.k)
        if p < 0:
            return DONE
        if not satisfy(groups, weights, policy.items[policy.start[p] : policy.start[p + 1]], rule):
            return INFEASIBLE
    return UNFINISHED


@kernel()
def _count(groups: Any, policy: Any, p: int, k: int) -> None:
    """Count the support of a constraint's image, and open it if that is below k."""
    if policy.open[p]:
        policy.n_open[policy.support[p]] -= 1
        policy.open[p] = 0
    n = image_of(groups, policy.items[policy.start[p] : policy.start[p + 1]], policy.image)
    if n == 0:
        return
    support = support_of(groups, policy.image[:n], k)
    policy.support[p] = support
    if support < k:
        policy.open[p] = 1
        policy.n_open[support] += 1
        policy.first[support] = min(policy.first[support], p)


@kernel()
def _refresh(groups: Any, policy: Any, k: int) -> None:
    """Count the constraints again that have an item whose group has changed."""
    for item in range(len(groups.rep)):
        if groups.changed[item]:
            for at in range(policy.of_start[item], policy.of_start[item + 1]):
                p = policy.of[at]
                if not policy.fresh[p]:
                    policy.fresh[p] = 1
                    _count(groups, policy, p, k)
    for item in range(len(groups.rep)):
        if groups.changed[item]:
            policy.fresh[policy.of[policy.of_start[item] : policy.of_start[item + 1]]] = 0
    groups.changed[:] = 0


@kernel()
def _next_constraint(groups: Any, policy: Any, k: int) -> int:
    """Return the unsatisfied constraint of the largest support, ties by the smallest number; -1 if there is none."""
    for support in range(k - 1, -1, -1):
        p = policy.first[support]
        while policy.n_open[support] > 0:
            if policy.open[p] and policy.support[p] == support:
                policy.first[support] = p
                n = image_of(groups, policy.items[policy.start[p] : policy.start[p + 1]], policy.image)
                if not is_satisfied(groups, policy.image[:n], k):
                    return p
                policy.open[p] = 0
                policy.n_open[support] -= 1
            p += 1
        policy.first[support] = len(policy.open)
    return -1
