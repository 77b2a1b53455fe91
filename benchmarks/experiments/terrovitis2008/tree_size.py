"""Compute the size of the count-tree of Terrovitis et al. (VLDB 2008), which the paper reports as memory.

The engine walks the count-tree without storing it, so this module counts the nodes outside of the timed runs.
"""

from typing import Any

import numpy as np

from anonset.data import Hierarchy, SetColumn
from anonset.data.array_types import Int32
from anonset_kernels._bits import bit
from anonset_kernels._jit import kernel


def tree_nodes(
    column: SetColumn, hierarchy: Hierarchy, size: int, *, cut: Int32 | None = None, limit: float = float("inf")
) -> int | None:
    """Count the nodes of a count-tree, except the root.

    Parameters
    ----------
    column
        Records, bound to the hierarchy.
    size
        Length of the longest paths.
    cut
        int32 (M,): node that replaces each leaf. With `cut`, AA builds the tree in iteration `size`, and the tree
        contains the sets of exactly `size` nodes at or above the cut. Without `cut`, OA and DA build the tree, and the
        tree contains all sets of up to `size` nodes.
    limit
        Largest number of sets of `size` nodes in the records. Returns None if the records contain more.

    Cost: a few steps for each set of ``size - 1`` nodes in each record.
    """
    from anonset_kernels.rare_sets.count_tree import expand, node_supports, walk_sizes

    support = node_supports(column.indptr, column.items, hierarchy.leaf_node, hierarchy.parent)
    takes_part = support > 0
    takes_part[0] = False
    for node in () if cut is None else np.unique(cut):
        takes_part[node + 1 : hierarchy.subtree_end[node]] = False
    rank = np.lexsort((np.arange(hierarchy.n_nodes), -support))
    rank = rank[takes_part[rank]].astype(np.int32)
    code = np.full(hierarchy.n_nodes, -1, np.int32)
    code[rank] = np.arange(len(rank), dtype=np.int32)
    start = np.concatenate([[0], np.cumsum(support[rank])]).astype(np.int64)
    position = np.empty(int(start[-1]), np.int64)
    entry = hierarchy.leaf_node if cut is None else cut
    codes = expand(column.indptr, column.items, entry, hierarchy.parent, code, start, position)
    if walk_sizes(codes, len(rank), size).sum() > limit:
        return None
    if size == 1:
        return len(rank)
    record = np.repeat(np.arange(column.n, dtype=np.int32), np.diff(np.flatnonzero(codes < 0), prepend=-1))
    members = np.zeros((column.n, (len(rank) + 63) // 64), np.uint64)
    set_bits(codes, record, members)
    intervals = (hierarchy.leaf_lo[rank], hierarchy.leaf_hi[rank])
    prefix, exact, found = np.zeros(size, np.int32), cut is not None, 0
    room = np.zeros((size, len(rank)), np.int64)
    for first in range(len(rank)):
        prefix[0] = first
        candidates = np.arange(first + 1, len(rank), dtype=np.int32)
        held = position[start[first] : start[first + 1]]
        below = int(nodes_below((codes, record, members), held, candidates, 1, (size, exact), prefix, intervals, room))
        found += below + (below > 0 or not exact)
    return found


@kernel()
def set_bits(codes: Any, record: Any, members: Any) -> None:
    """Set bit `c` of a record's row of `members` for each code `c` of the record."""
    for at in range(len(codes)):
        if codes[at] >= 0:
            members[record[at], codes[at] >> 6] |= bit(codes[at] & 63)


@kernel(allocates=True)
def nodes_below(
    records: Any, held: Any, candidates: Any, level: int, rule: Any, prefix: Any, intervals: Any, room: Any
) -> int:
    """Count the nodes of the tree below a prefix. The prefix has `level` codes and occurs at the positions `held`.

    Parameters
    ----------
    records
        Codes by record, the record of each position, and the codes of each record as a bit set.
    candidates
        Possible next codes, int32. These are the codes that follow the prefix without its last code.
    rule
        Length of the longest paths, and True if only nodes on a path of this length count.
    room
        Zero counters for each level, int64 (size, C).
    """
    leaf_lo, leaf_hi = intervals
    size, exact = rule
    last = prefix[level - 1]
    kept, n_kept = np.empty(len(candidates), np.int32), 0
    for c in candidates:  # ancestors have smaller codes, so only the other direction is tested
        if c > last and not (leaf_lo[last] <= leaf_lo[c] and leaf_hi[c] <= leaf_hi[last]):
            kept[n_kept] = c
            n_kept += 1
    kept = kept[:n_kept]
    if level == size - 1:
        return _n_met(records, held, kept)
    codes, count = records[0], room[level]
    for p in held:
        at = p + 1
        while codes[at] >= 0:
            count[codes[at]] += 1
            at += 1
    filled, begin = 0, np.zeros(n_kept + 1, np.int64)
    fill = np.full(len(count), -1, np.int64)
    for i in range(n_kept):
        fill[kept[i]] = filled
        filled += count[kept[i]]
        begin[i + 1] = filled
    count[:] = 0
    positions = np.empty(filled, np.int64)
    for p in held:
        at = p + 1
        while codes[at] >= 0:
            if fill[codes[at]] >= 0:
                positions[fill[codes[at]]] = at
                fill[codes[at]] += 1
            at += 1
    found = 0
    for i in range(n_kept):
        if begin[i] < begin[i + 1]:
            prefix[level] = kept[i]
            here = positions[begin[i] : begin[i + 1]]
            below = nodes_below(records, here, kept, level + 1, rule, prefix, intervals, room)
            found += below + (1 if below > 0 or not exact else 0)
    return found


@kernel(allocates=True)
def _n_met(records: Any, held: Any, candidates: Any) -> int:
    """Count the candidates that occur in the records at `held`. Stop as soon as all candidates are found."""
    _, record, members = records
    missing = np.zeros(members.shape[1], np.uint64)
    for c in candidates:
        missing[c >> 6] |= bit(c & 63)
    for p in held:
        left, row = np.uint64(0), members[record[p]]
        for w in range(len(missing)):
            missing[w] &= ~row[w]
            left |= missing[w]
        if left == 0:
            break
    found = len(candidates)
    for c in candidates:
        if missing[c >> 6] & bit(c & 63):
            found -= 1
    return found
