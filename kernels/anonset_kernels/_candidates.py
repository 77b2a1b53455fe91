"""Candidates for generalising a set of nodes: tuples of its members' ancestors, as sets of maximal nodes."""

from anonset_kernels._arrays import Int32Array, Items, Itemset, Parent, SubtreeEnd
from anonset_kernels._jit import kernel


@kernel()
def next_candidate(itemset: Itemset, raised: Int32Array, parent: Parent) -> bool:
    """Step to the next tuple of the product of the members' ancestor chains; False after the last.

    `raised` is int32 (size,): the tuple, at first the itemset itself; changed here. O(size).
    """
    j = len(itemset) - 1
    while j >= 0:
        if parent[raised[j]] >= 0:
            raised[j] = parent[raised[j]]
            return True
        raised[j] = itemset[j]
        j -= 1
    return False


@kernel()
def maximal_nodes(raised: Int32Array, subtree_end: SubtreeEnd, chosen: Int32Array) -> int:
    """Keep the maximal nodes of a tuple, each once, in preorder; return their number. O(size^2).

    `raised` is int32 (size,): the tuple; `chosen`, int32 (size,), is filled with them.
    """
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
def holds(nodes: Int32Array, node: int) -> bool:
    """Tell whether a node is among a few: `nodes`, int32 (few,). O(few)."""
    for member in nodes:
        if member == node:
            return True
    return False


@kernel()
def comes_before(nodes: Int32Array, others: Int32Array) -> bool:
    """Compare two ascending lists, `nodes` and `others`, int32 (few,), lexicographically. O(few)."""
    for j in range(min(len(nodes), len(others))):
        if nodes[j] != others[j]:
            return bool(nodes[j] < others[j])
    return len(nodes) < len(others)


@kernel()
def first_at_least(items: Items, begin: int, end: int, code: int) -> int:
    """Return the index of the first item of the sorted row ``items[begin:end]`` that is at least `code`."""
    while begin < end:
        middle = (begin + end) >> 1
        if items[middle] < code:
            begin = middle + 1
        else:
            end = middle
    return begin
