"""Rare sets of nodes: lifting them to maximal ones, and the items of the records that hold them.

A set of nodes, none above another, is *rare* if some, but fewer than k, records hold an item below each of them. It
is *maximal* if no node of it can be replaced by its parent so that the set stays rare and unrelated. Records are rows
of ascending leaf codes; a record holds a node if one of its items lies in the node's interval.
"""

import numpy as np

from anonset_kernels._arrays import (
    Ancestry,
    Csr,
    Float64Array,
    Indptr,
    Int32Array,
    Int32Matrix,
    Int64Array,
    Integer,
    Items,
    Parent,
    Postings,
    Together,
)
from anonset_kernels._jit import kernel
from anonset_kernels._tree import is_below, lowest_common_ancestor

TOLERANCE = 1e-6
"""What a clause must be violated by to be reported."""


@kernel()
def node_postings(
    indptr: Indptr, items: Items, entry: Int32Array, parent: Parent, start: Int64Array, records: Int32Array
) -> None:
    """List the records that hold each node. O(nnz times the depth).

    Parameters
    ----------
    entry
        int32 (M,): the lowest node that stands for each leaf.
    start
        int64 (V + 1,): running sum of the supports of the nodes to list; the others take no room.
    records
        int32 (start[V],): filled with the records of each node, ascending.
    """
    fill, stamp = start[:-1].copy(), np.full(len(parent), -1, np.int32)
    for record in range(len(indptr) - 1):
        for at in range(indptr[record], indptr[record + 1]):
            node = entry[items[at]]
            while node >= 0 and stamp[node] != record:
                stamp[node] = record
                if start[node + 1] > start[node]:
                    records[fill[node]] = record
                    fill[node] += 1
                node = parent[node]


@kernel()
def _first_item(items: Items, begin: Integer, end: Integer, low: Integer) -> Integer:
    """Return the first place in ``items[begin:end]``, which ascend, with an item of at least `low`."""
    while begin < end:
        middle = (begin + end) >> 1
        if items[middle] < low:
            begin = middle + 1
        else:
            end = middle
    return begin


@kernel()
def _holds(rows: Csr, tree: Ancestry, members: Int32Array, record: Integer) -> bool:
    """Tell whether a record holds all members."""
    indptr, items = rows
    begin, end = indptr[record], indptr[record + 1]
    for node in members:
        at = _first_item(items, begin, end, tree[1][node])
        if at == end or items[at] >= tree[2][node]:
            return False
    return True


@kernel()
def _rarest(start: Int64Array, members: Int32Array) -> Integer:
    """Return the member that the fewest records hold."""
    rarest = members[0]
    for node in members:
        if start[node + 1] - start[node] < start[rarest + 1] - start[rarest]:
            rarest = node
    return rarest


@kernel()
def is_rare(rows: Csr, postings: Postings, tree: Ancestry, members: Int32Array, k: int) -> bool:
    """Tell whether fewer than `k` records hold all `members`, int32 (j,). O(records of the rarest member)."""
    start, records = postings
    rarest, support = _rarest(start, members), 0
    for at in range(start[rarest], start[rarest + 1]):
        if _holds(rows, tree, members, records[at]):
            support += 1
            if support == k:
                return False
    return True


@kernel()
def lift(rows: Csr, postings: Postings, tree: Ancestry, k: int, sets: Int32Matrix) -> None:
    """Replace rare sets by maximal ones above them, each member as far as it goes.

    Parameters
    ----------
    rows
        (indptr, items): the records.
    postings
        (start, records) of `node_postings`, for the members and all nodes above them but the root.
    tree
        (parent, leaf_lo, leaf_hi): int32 (V,).
    sets
        int32 (n, j): the sets, replaced here. Each begins with another member, for variety.

    Cost: the records of the rarest member, for each step up.
    """
    n_members = sets.shape[1]
    for t in range(len(sets)):
        members = sets[t]
        for turn in range(n_members):
            i = (t + turn) % n_members
            climbing = True
            while climbing:
                node = members[i]
                above = tree[0][node]
                for j in range(n_members):
                    climbing &= j == i or not is_below(tree[1], tree[2], members[j], above)
                if climbing:
                    members[i] = above
                    if not is_rare(rows, postings, tree, members, k):
                        members[i] = node
                        climbing = False


@kernel()
def meeting_nodes(tree: Ancestry, sets: Int32Matrix) -> Int32Matrix:
    """Return the lowest common ancestors of neighbours, int32 (n, j - 1).

    `sets` is int32 (n, j); members stand from left to right.
    """
    found = np.empty((len(sets), sets.shape[1] - 1), np.int32)
    for t in range(len(sets)):
        for i in range(sets.shape[1] - 1):
            found[t, i] = lowest_common_ancestor(tree[0], tree[1], tree[2], sets[t, i], sets[t, i + 1])
    return found


@kernel()
def allow_violated(
    tree: Ancestry, nodes: Int32Array, weight: Float64Array, closed: Float64Array, together: Together
) -> None:
    """Set the pairs of `nodes`, int32 (C,), that can be in a set whose clause is violated. O(C² times the depth).

    Parameters
    ----------
    weight
        float64 (C,): how far each node is out of reach: its parent closed, or itself suppressed.
    closed
        float64 (V,): how far each node is closed.

    The clause of a set is violated by no more than that of any two of its members.
    """
    for a in range(len(nodes)):
        for b in range(a + 1, len(nodes)):
            meeting = lowest_common_ancestor(tree[0], tree[1], tree[2], nodes[a], nodes[b])
            if weight[a] + weight[b] - closed[meeting] < 1.0 - TOLERANCE:
                together[a, b] = together[b, a] = 1


@kernel()
def witnesses(
    rows: Csr,
    postings: Postings,
    tree: Ancestry,
    sets: Int32Matrix,
    slack: Float64Array,
    suppressed: Float64Array,
    first: int,
    held: tuple[Int32Matrix, Int32Array, Float64Array],
) -> tuple[int, int]:
    """Report the records that hold each set, from set `first` on, by the items that are the least suppressed.

    Parameters
    ----------
    rows, postings, tree
        As in `lift`.
    sets, slack
        int32 (n, j) sets of nodes, and float64 (n,) by how much their clauses are violated before anything is
        suppressed.
    suppressed
        float64 (M,): how far each item is suppressed, 0 to 1.
    held
        (items, set, violation): int32 (F, j), int32 (F,) and float64 (F,), filled here with what is violated still.

    Returns
    -------
    (number of witnesses, next set)
        Where `held` has no room for all records of a set, the next set is that one. F >= records of any set.
    """
    (start, records), n_found = postings, 0
    for t in range(first, len(sets)):
        members, begin = sets[t], n_found
        rarest = _rarest(start, members)
        for at in range(start[rarest], start[rarest + 1]):
            record = records[at]
            if not _holds(rows, tree, members, record):
                continue
            if n_found == len(held[2]):
                return begin, t
            violation = slack[t]
            for i in range(len(members)):
                item = _least_suppressed(rows, tree, members[i], record, suppressed)
                held[0][n_found, i] = item
                violation -= suppressed[item]
            if violation > TOLERANCE:
                held[1][n_found], held[2][n_found] = t, violation
                n_found += 1
    return n_found, len(sets)


@kernel()
def _least_suppressed(rows: Csr, tree: Ancestry, node: Integer, record: Integer, suppressed: Float64Array) -> Integer:
    """Return the item of a record below a node that is suppressed the least; the first one of several."""
    indptr, items = rows
    end = indptr[record + 1]
    at = _first_item(items, indptr[record], end, tree[1][node])
    best = items[at]
    while at < end and items[at] < tree[2][node]:
        if suppressed[items[at]] < suppressed[best]:
            best = items[at]
        at += 1
    return best
