"""Raise rare sets of nodes to maximal rare sets, and list items of the records that contain rare sets.

A set of unrelated nodes is *rare* if some, but fewer than k, records contain an item below each node. It is *maximal*
if no node can be replaced by the parent so that the set remains rare and unrelated. The exact search
(`exact_cut.problem`) defines the clause of a rare set, and when a node is closed. Records are rows of ascending leaf
codes. A record contains a node if an item of the record is in the node's interval.
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
from anonset_kernels._sorted import first_at_least
from anonset_kernels.rare_sets._tree import is_below, lowest_common_ancestor

TOLERANCE = 1e-6
"""Smallest violation of a clause that is reported."""


@kernel(allocates=True)
def node_postings(
    indptr: Indptr, items: Items, entry: Int32Array, parent: Parent, start: Int64Array, records: Int32Array
) -> None:
    """List the records that contain each node. O(nnz times the depth).

    Parameters
    ----------
    entry
        int32 (M,): lowest published node of each leaf.
    start
        int64 (V + 1,): running sum of the supports of the nodes to list. All other nodes have empty ranges.
    records
        int32 (start[V],): filled with the records of each node, ascending.
    """
    fill, stamp = start[:-1].copy(), np.full(len(parent), -1, np.int32)
    for record in range(len(indptr) - 1):
        for index in range(indptr[record], indptr[record + 1]):
            node = entry[items[index]]
            while node >= 0 and stamp[node] != record:
                stamp[node] = record
                if start[node + 1] > start[node]:
                    records[fill[node]] = record
                    fill[node] += 1
                node = parent[node]


@kernel()
def _holds(rows: Csr, tree: Ancestry, members: Int32Array, record: Integer) -> bool:
    indptr, items = rows
    begin, end = indptr[record], indptr[record + 1]
    for node in members:
        position = first_at_least(items, begin, end, tree[1][node])
        if position == end or items[position] >= tree[2][node]:
            return False
    return True


@kernel()
def _rarest(start: Int64Array, members: Int32Array) -> Integer:
    rarest = members[0]
    for node in members:
        if start[node + 1] - start[node] < start[rarest + 1] - start[rarest]:
            rarest = node
    return rarest


@kernel()
def is_rare(rows: Csr, postings: Postings, tree: Ancestry, members: Int32Array, k: int) -> bool:
    """Return True if fewer than `k` records contain all `members`, int32 (j,). O(records of the rarest member)."""
    start, records = postings
    rarest, support = _rarest(start, members), 0
    for i in range(start[rarest], start[rarest + 1]):
        if _holds(rows, tree, members, records[i]):
            support += 1
            if support == k:
                return False
    return True


@kernel()
def raise_members(rows: Csr, postings: Postings, tree: Ancestry, k: int, sets: Int32Matrix) -> None:
    """Replace rare sets by maximal rare sets above them. Each member is raised as high as possible.

    Parameters
    ----------
    rows
        (indptr, items): the records.
    postings
        (start, records) of `node_postings`, for the members and all their ancestors except the root.
    tree
        (parent, leaf_lo, leaf_hi): int32 (V,).
    sets
        int32 (n, j): the sets, replaced in place. The member that is raised first varies, so that different maximal
        sets result.

    Cost: the records of the rarest member for each level by which a member is raised.
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


@kernel(allocates=True)
def meeting_nodes(tree: Ancestry, sets: Int32Matrix) -> Int32Matrix:
    """Return the lowest common ancestors of adjacent members, int32 (n, j - 1).

    `sets` is int32 (n, j). The members of each set must be sorted from left to right.
    """
    ancestors = np.empty((len(sets), sets.shape[1] - 1), np.int32)
    for t in range(len(sets)):
        for i in range(sets.shape[1] - 1):
            ancestors[t, i] = lowest_common_ancestor(tree[0], tree[1], tree[2], sets[t, i], sets[t, i + 1])
    return ancestors


@kernel()
def allow_violated(
    tree: Ancestry, nodes: Int32Array, weight: Float64Array, closed: Float64Array, together: Together
) -> None:
    """Mark the pairs of `nodes`, int32 (C,), that can be in a set with a violated clause. O(C² times the depth).

    Parameters
    ----------
    weight
        float64 (C,): degree to which each node is not published, because the parent is closed or the node is
        suppressed.
    closed
        float64 (V,): degree to which each node is closed.

    The violation of a set's clause is at most that of any two of its members.
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
    out: tuple[Int32Matrix, Int32Array, Float64Array],
) -> tuple[int, int]:
    """Report the records that contain rare sets, starting with set `first`.

    For each record and each member of the set, the item below the member that is suppressed least is reported.

    Parameters
    ----------
    rows, postings, tree
        As in `raise_members`.
    sets, slack
        int32 (n, j) and float64 (n,): nodes of each set, and violation of its clause before suppression.
    suppressed
        float64 (M,): degree to which each item is suppressed, 0 to 1.
    out
        (items, set, violation), filled here: items of each record, int32 (F, j); set, int32 (F,); and violation that
        remains after suppression, float64 (F,).

    Returns
    -------
    (number of reported records, next set)
        If `out` has no space for all records of a set, this is the next set. F must be at least the support of any set.
    """
    (start, records), n_found = postings, 0
    for t in range(first, len(sets)):
        members, begin = sets[t], n_found
        rarest = _rarest(start, members)
        for index in range(start[rarest], start[rarest + 1]):
            record = records[index]
            if not _holds(rows, tree, members, record):
                continue
            if n_found == len(out[2]):
                return begin, t
            violation = slack[t]
            for i in range(len(members)):
                item = _least_suppressed(rows, tree, members[i], record, suppressed)
                out[0][n_found, i] = item
                violation -= suppressed[item]
            if violation > TOLERANCE:
                out[1][n_found], out[2][n_found] = t, violation
                n_found += 1
    return n_found, len(sets)


@kernel()
def _least_suppressed(rows: Csr, tree: Ancestry, node: Integer, record: Integer, suppressed: Float64Array) -> Integer:
    """Return the first of the items of a record below `node` that are suppressed least."""
    indptr, items = rows
    end = indptr[record + 1]
    position = first_at_least(items, indptr[record], end, tree[1][node])
    best = items[position]
    while position < end and items[position] < tree[2][node]:
        if suppressed[items[position]] < suppressed[best]:
            best = items[position]
        position += 1
    return best
