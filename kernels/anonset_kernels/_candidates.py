"""Candidates for generalising a set of nodes: tuples of its members' ancestors, as sets of maximal nodes."""

from typing import Any

from anonset_kernels._jit import kernel


@kernel()
def next_candidate(itemset: Any, raised: Any, parent: Any) -> bool:
    """Step to the next tuple of the product of the members' ancestor chains; False after the last."""
    j = len(itemset) - 1
    while j >= 0:
        if parent[raised[j]] >= 0:
            raised[j] = parent[raised[j]]
            return True
        raised[j] = itemset[j]
        j -= 1
    return False


@kernel()
def maximal_nodes(raised: Any, subtree_end: Any, chosen: Any) -> int:
    """Keep the maximal nodes of a tuple, each once, in preorder; return their number. O(size^2)."""
    n_chosen = 0
    for a in range(len(raised)):
        node, covered = raised[a], False
        for b in range(len(raised)):
            above = raised[b]
            if b != a and above <= node < subtree_end[above]:
                covered |= node != above or b < a
        if not covered:
            place = n_chosen
            while place > 0 and chosen[place - 1] > node:
                chosen[place] = chosen[place - 1]
                place -= 1
            chosen[place] = node
            n_chosen += 1
    return n_chosen


@kernel()
def holds(nodes: Any, node: int) -> bool:
    """Tell whether a node is among a few."""
    for member in nodes:
        if member == node:
            return True
    return False


@kernel()
def comes_before(nodes: Any, others: Any) -> bool:
    """Compare two ascending node lists lexicographically."""
    for j in range(min(len(nodes), len(others))):
        if nodes[j] != others[j]:
            return bool(nodes[j] < others[j])
    return len(nodes) < len(others)


@kernel()
def first_at_least(items: Any, begin: int, end: int, code: int) -> int:
    """Return the index of the first item of the sorted row ``items[begin:end]`` that is at least `code`."""
    while begin < end:
        middle = (begin + end) >> 1
        if items[middle] < code:
            begin = middle + 1
        else:
            end = middle
    return begin
