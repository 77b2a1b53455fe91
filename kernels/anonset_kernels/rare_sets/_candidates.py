"""Enumerate the generalizations of a set of nodes. Each candidate replaces the members by some of their ancestors."""

import numpy as np

from anonset_kernels._arrays import Dead, Int32Array, Int64Array, Integer, Itemset, Parent, SubtreeEnd, TreeShape
from anonset_kernels._jit import kernel
from anonset_kernels._sorted import comes_before, insert


@kernel()
def next_candidate(itemset: Itemset, raised: Int32Array, parent: Parent) -> bool:
    """Advance to the next combination of the members' ancestors. Return False after the last combination.

    `raised`, int32 (size,), is the current combination. It starts as the itemset and is updated. O(size).
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
def next_better(
    itemset: Itemset,
    raised: Int32Array,
    shape: TreeShape,
    below: Int64Array,
    chosen: Int32Array,
    best: Int32Array,
    least: tuple[int, int],
) -> tuple[int, int, int]:
    """Advance to the next candidate that is better than the best so far.

    Candidates are compared by loss, then by the number of leaves that move to another node, then by their nodes in
    preorder.

    Parameters
    ----------
    itemset, raised
        As in `next_candidate`.
    shape
        The tree.
    below
        int64 (V,): NCP numerator of the leaves below each node.
    chosen
        int32 (size,): filled with the nodes of the candidate.
    best, least
        Nodes of the best candidate so far, int32 (few,); its loss, and the number of leaves that it moves. `best` is
        empty at the start.

    Returns
    -------
    Number of nodes, loss, and number of leaves that move. (0, 0, 0) after the last candidate. O(size^2) per candidate.
    """
    parent, end, occurrences, leaves = shape
    while next_candidate(itemset, raised, parent):
        n_chosen = maximal_nodes(raised, end, chosen)
        loss, moved = np.int64(0), np.int64(0)
        for v in chosen[:n_chosen]:
            if not holds(itemset, v):
                loss += occurrences[v] * leaves[v] - below[v]
                moved += leaves[v]
        if moved == 0:
            continue
        if len(best) > 0 and (
            loss > least[0]
            or (loss == least[0] and moved > least[1])
            or (loss == least[0] and moved == least[1] and not comes_before(chosen[:n_chosen], best))
        ):
            continue
        return n_chosen, int(loss), int(moved)
    return 0, 0, 0


@kernel()
def generalize(v: Integer, shape: TreeShape, dead: Dead, below: Int64Array) -> None:
    """Publish a node instead of all nodes below it, and add the loss to all ancestors. O(nodes below + height).

    `dead`, uint8 (V,), marks the nodes below the published nodes. `shape` and `below` are as in `next_better`.
    """
    parent, end, occurrences, leaves = shape
    change = occurrences[v] * leaves[v] - below[v]
    dead[v + 1 : end[v]] = 1
    while v >= 0:
        below[v] += change
        v = parent[v]


@kernel()
def maximal_nodes(raised: Int32Array, subtree_end: SubtreeEnd, chosen: Int32Array) -> int:
    """List, in preorder, the nodes of `raised` that are below no other node of it. Return their number. O(size^2).

    `raised` is int32 (size,). `chosen`, int32 (size,), is filled with the nodes.
    """
    n_chosen = 0
    for a in range(len(raised)):
        node, covered = raised[a], False
        for b in range(len(raised)):
            above = raised[b]
            if b != a and above <= node < subtree_end[above]:
                covered |= node != above or b < a
        if not covered:
            insert(chosen, 0, n_chosen, node)
            n_chosen += 1
    return n_chosen


@kernel()
def holds(nodes: Int32Array, node: Integer) -> bool:
    """Return True if `nodes`, int32 (few,), contains `node`. O(few)."""
    for member in nodes:
        if member == node:
            return True
    return False
