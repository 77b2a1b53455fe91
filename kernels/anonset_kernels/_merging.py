"""Merging groups of a partition until no pair of them is violated any more: see `_sweeps`."""

import numpy as np

from anonset_kernels._arrays import Integer
from anonset_kernels._jit import kernel
from anonset_kernels._partitions import (
    CELLS,
    Partition,
    Records,
    Rule,
    Scratch,
    change,
    group_cost,
    groups_of,
    put,
    violation,
)


@kernel()
def merge_violated(records: Records, groups: Partition, scratch: Scratch, rule: Rule) -> None:
    """Merge two groups, one of them violated: those of most violation less, as estimated, for what the cost rises by.

    Where no two are estimated to bring anything, the violated group of fewest occurrences is merged with the one with
    which it adds least to the cost. Cost: the pairs of the violated groups with all others, times their partners.
    """
    g, h = _most_gain(groups, scratch, rule)
    if g < 0:
        g, h = _least_violated(groups, rule)
    _merge(records, groups, scratch, rule, min(g, h), max(g, h))


@kernel()
def _added(groups: Partition, g: Integer, h: Integer, mu: int) -> int:
    """Return what the cost of two groups rises by where they are merged."""
    merged = group_cost(
        groups.size[g] + groups.size[h],
        groups.occurrences[g] + groups.occurrences[h],
        groups.levels[g] + groups.levels[h],
        groups.squares[g] + groups.squares[h],
        mu,
    )
    return merged - groups.cost[g] - groups.cost[h]


@kernel()
def _most_gain(groups: Partition, scratch: Scratch, rule: Rule) -> tuple[int, int]:
    """Return the violated group and another of most gain for the cost, ties the first; (-1, -1) where none gains."""
    found, best = (-1, -1), 0.0
    for g in range(len(groups.size)):
        if groups.violation[g] == 0:
            continue
        n = 0
        for x in range(len(groups.size) if rule.m > 1 else 0):
            if groups.pairs[g, x] > 0 and x != g:
                scratch.held[n] = x
                n += 1
        for h in range(len(groups.size)):
            if groups.size[h] == 0 or h == g:
                continue
            cost = _added(groups, g, h, rule.mu) + 1
            if (groups.violation[g] + groups.violation[h]) / cost > best:  # no merge gains more than that
                groups.state[CELLS] += n
                worth = _gain(groups, scratch, rule, g, h, n) / cost
                if worth > best:
                    found, best = (g, h), worth
    return found


@kernel()
def _gain(groups: Partition, scratch: Scratch, rule: Rule, g: Integer, h: Integer, n: int) -> Integer:
    """Estimate how much less is violated with two groups merged, as if no record held a third one and both."""
    k, row, other = rule.k, groups.pairs[g], groups.pairs[h]
    gain = violation(row[g], k) + violation(other[h], k) - violation(row[g] + other[h] - row[h], k)
    if rule.m > 1:
        gain += violation(row[h], k)
    for i in range(n):
        x = scratch.held[i]
        if x != h:
            gain += violation(row[x], k) + violation(other[x], k) - violation(row[x] + other[x], k)
    return gain


@kernel()
def _least_violated(groups: Partition, rule: Rule) -> tuple[int, int]:
    """Return the violated group of fewest occurrences, and the one that adds least to the cost with it."""
    g, h = -1, -1
    for at in range(len(groups.size)):
        if groups.violation[at] > 0 and (g < 0 or groups.occurrences[at] < groups.occurrences[g]):
            g = at
    for at in range(len(groups.size)):
        if groups.size[at] > 0 and at != g:
            if h < 0 or _added(groups, g, at, rule.mu) < _added(groups, g, h, rule.mu):
                h = at
    return g, h


@kernel()
def _merge(records: Records, groups: Partition, scratch: Scratch, rule: Rule, g: Integer, h: Integer) -> None:
    """Move the items of a group to another one, and count its pairs again."""
    marked = np.zeros(len(records.weight), np.bool_)
    for x in range(len(groups.size)):
        change(groups, rule, h, x, -groups.pairs[h, x])
        change(groups, rule, g, x, -groups.pairs[g, x])
    for item in range(len(groups.of)):
        if groups.of[item] == h:
            put(records, groups, item, h, -1, rule.mu)
            put(records, groups, item, g, 1, rule.mu)
            groups.of[item] = g
    for item in range(len(groups.of)):
        if groups.of[item] == g:
            for record in records.records[records.start[item] : records.start[item + 1]]:
                if not marked[record]:
                    marked[record] = True
                    for x in scratch.held[: groups_of(records, groups, scratch, record, -1)]:
                        scratch.here[x] += records.weight[record]
    for x in range(len(groups.size)):
        change(groups, rule, g, x, scratch.here[x])
        scratch.here[x] = 0
