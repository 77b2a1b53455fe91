"""Bottom-up reallocation of records among the partitions of local generalization.

The siblings of a partition are the partitions that follow it directly and have only nodes below its nodes. The division
made them from the same records.
"""

from typing import NamedTuple

import numpy as np

from anonset_kernels._arrays import BoolArray, Int16Array, Int32Array, Int64Array
from anonset_kernels._jit import kernel
from anonset_kernels.partitions._keys import compare_keys, sort_keys
from anonset_kernels.partitions._partition_stack import (
    FIRST,
    FRAMES,
    HIGH,
    LENGTH,
    LOW,
    HierarchyRecords,
    PartitionStack,
)


class Tree(NamedTuple):
    """Nodes of the hierarchy."""

    parent: Int32Array
    """Parent of each node, -1 for the root, int32 (V,)."""
    depth: Int32Array
    """Depth of each node, int32 (V,)."""


class Partitions(NamedTuple):
    """Partitions and their records."""

    record: Int32Array
    """Non-empty records, sorted by partition, int32 (n+,)."""
    begins: Int64Array
    """Start of each partition in `record`, int64 (partitions + 1,)."""
    cut_start: Int64Array
    """First node of each partition in `cut_nodes`, int64 (at least partitions + 1,)."""
    cut_nodes: Int32Array
    """Nodes of the partitions, int32."""


class Moves(NamedTuple):
    """Partition of each record, and the new partitions. The first new partition has the number of partitions."""

    cluster: Int32Array
    """Partition of each record, int32 (n,)."""
    cost: Int64Array
    """Cost of each record in its partition, int64 (n,)."""
    size: Int64Array
    """Number of records of each partition, int64 (partitions + largest number of new partitions,)."""
    source: Int32Array
    """Partition that each new partition refines, int32 (largest number of new partitions,)."""
    cut_start: Int64Array
    """First node of each new partition in `cut_nodes`, int64 (largest number of new partitions + 1,)."""
    cut_nodes: Int32Array
    """Nodes of the new partitions, int32 (nnz,)."""


@kernel(allocates=True)
def stack(records: HierarchyRecords, partitions: Partitions, state: PartitionStack) -> None:
    """Put partitions on an empty stack. The first partition is the first to be divided. Cost: O(nnz)."""
    in_cut, filled = np.zeros(len(records.leaves), np.bool_), 0
    for place, record in enumerate(partitions.record):
        state.ids[place] = record
    for p in range(len(partitions.begins) - 2, -1, -1):
        nodes = partitions.cut_nodes[partitions.cut_start[p] : partitions.cut_start[p + 1]]
        frame = state.frames[state.cursor[FRAMES]]
        frame[LOW], frame[HIGH] = partitions.begins[p], partitions.begins[p + 1]
        frame[FIRST], frame[LENGTH] = filled, len(nodes)
        state.cursor[FRAMES] += 1
        for v in nodes:
            state.pool[filled], in_cut[v] = v, True
            filled += 1
        for record in partitions.record[partitions.begins[p] : partitions.begins[p + 1]]:
            for entry in range(records.indptr[record], records.indptr[record + 1]):
                path, level = records.path[records.items[entry]], 0
                while not in_cut[path[level]]:
                    level += 1
                state.level[entry] = level
        for v in nodes:
            in_cut[v] = False


@kernel(allocates=True)
def costs(records: HierarchyRecords, level: Int16Array) -> Int64Array:
    """Return the cost of each record, int64 (n,).

    Parameters
    ----------
    level
        Depth of each item's published node, int16 (nnz,).
    """
    cost = np.zeros(len(records.indptr) - 1, np.int64)
    for record in range(len(cost)):
        for entry in range(records.indptr[record], records.indptr[record + 1]):
            cost[record] += records.leaves[records.path[records.items[entry], level[entry]]]
    return cost


@kernel(allocates=True)
def reallocate(records: HierarchyRecords, tree: Tree, partitions: Partitions, moves: Moves, k: int) -> int:
    """Form new partitions while this lowers the total cost. Return their number.

    Partitions are processed from the last to the first, so a partition follows its siblings. For each of its nodes, its
    records and the records of its siblings are grouped by the children of the node that they contain. Records of a
    group form a new partition if the total cost falls, and k records remain in each partition that they leave.
    Cost: for each node of a partition with siblings, the items of these partitions, and the sort of their records.
    """
    n_partitions, n_new = len(partitions.begins) - 1, 0
    ends, in_cut = np.arange(n_partitions) + 1, np.zeros(len(tree.parent), np.bool_)
    seen = np.full(len(tree.parent), -1, np.int64)
    for p in range(n_partitions - 1, -1, -1):
        nodes = np.sort(partitions.cut_nodes[partitions.cut_start[p] : partitions.cut_start[p + 1]])
        for v in nodes:
            in_cut[v] = True
        while ends[p] < n_partitions and _is_sibling(tree, partitions, (p, ends[p], len(nodes)), in_cut, seen):
            ends[p] = ends[ends[p]]
        if ends[p] > p + 1:
            family = partitions.record[partitions.begins[p] : partitions.begins[ends[p]]]
            cost = np.empty(len(family), np.int64)
            for r in range(len(family)):
                cost[r] = _cost(records, family[r], in_cut)
            for v in nodes:
                if records.leaves[v] > 0:
                    n_new = _form(records, moves, (p, v, tree.depth[v], n_partitions, n_new, k), nodes, family, cost)
        for v in nodes:
            in_cut[v] = False
    return n_new


@kernel()
def _is_sibling(
    tree: Tree, partitions: Partitions, place: tuple[int, int, int], in_cut: BoolArray, seen: Int64Array
) -> bool:
    """Return True if a partition has only nodes in a cut or below it, and has such nodes for each node of the cut.

    Parameters
    ----------
    place
        The partition of the cut, the other partition, and the number of nodes of the cut.
    seen
        int64 (V,): last call that found a node below each node of the cut.
    """
    p, other, n_nodes = place
    n_seen, call = 0, p * len(partitions.begins) + other
    for entry in range(partitions.cut_start[other], partitions.cut_start[other + 1]):
        v = partitions.cut_nodes[entry]
        while v >= 0 and not in_cut[v]:
            v = tree.parent[v]
        if v < 0:
            return False
        n_seen += seen[v] != call
        seen[v] = call
    return n_seen == n_nodes


@kernel()
def _cost(records: HierarchyRecords, record: int, in_cut: BoolArray) -> int:
    total = np.int64(0)
    for entry in range(records.indptr[record], records.indptr[record + 1]):
        path, level = records.path[records.items[entry]], 0
        while not in_cut[path[level]]:
            level += 1
        total += records.leaves[path[level]]
    return int(total)


@kernel(allocates=True)
def _form(
    records: HierarchyRecords,
    moves: Moves,
    place: tuple[int, int, int, int, int, int],
    nodes: Int32Array,
    family: Int32Array,
    cost: Int64Array,
) -> int:
    """Form new partitions by the children of a node. Return the number of new partitions, including earlier ones.

    Parameters
    ----------
    place
        The partition, the node and its depth, the numbers of partitions and of new partitions, and k.
    nodes
        Nodes of the partition, ascending.
    family
        Records of the partition and of its siblings.
    cost
        Cost of these records if they are published by the nodes of the partition.
    """
    p, v, depth, n_partitions, n_new, k = place
    key_start, keys, gains = _keys(records, family, v, depth)
    benefit = np.empty(len(family), np.int64)
    for r in range(len(family)):
        benefit[r] = moves.cost[family[r]] - cost[r] + gains[r]
    order = sort_keys(key_start, keys)
    first = 0
    while first < len(order):
        end, found = first, False
        while end < len(order) and (end == first or compare_keys(key_start, keys, order[end - 1], order[end]) == 0):
            found |= moves.cluster[family[order[end]]] == p
            end += 1
        if found and end - first >= k:
            group = order[first:end]
            if _move(moves, family, group, benefit, n_partitions + n_new, k):
                one, index = group[0], moves.cut_start[n_new]
                moves.source[n_new] = p
                for u in nodes:
                    if u != v:
                        moves.cut_nodes[index] = u
                        index += 1
                for j in range(key_start[one], key_start[one + 1]):
                    moves.cut_nodes[index] = keys[j]
                    index += 1
                n_new += 1
                moves.cut_start[n_new] = index
        first = end
    return n_new


@kernel(allocates=True)
def _move(moves: Moves, family: Int32Array, group: Int32Array, benefit: Int64Array, new: int, k: int) -> bool:
    """Move records of a group to a new partition, in the order of their benefit. Return False if this brings nothing.

    Records with a loss are only moved until the partition has k records.
    """
    chosen, n_chosen, total = np.empty(len(group), np.int32), 0, np.int64(0)
    for i in np.argsort(-benefit[group], kind="mergesort"):
        r = group[i]
        if benefit[r] <= 0 and n_chosen >= k:
            break
        if moves.size[moves.cluster[family[r]]] > k:
            moves.size[moves.cluster[family[r]]] -= 1
            chosen[n_chosen] = r
            n_chosen += 1
            total += benefit[r]
    if n_chosen < k or total <= 0:
        for r in chosen[:n_chosen]:
            moves.size[moves.cluster[family[r]]] += 1
        return False
    for r in chosen[:n_chosen]:
        moves.cluster[family[r]] = new
        moves.cost[family[r]] -= benefit[r]
    moves.size[new] = n_chosen
    return True


@kernel(allocates=True)
def _keys(
    records: HierarchyRecords, family: Int32Array, node: int, depth: int
) -> tuple[Int64Array, Int32Array, Int64Array]:
    """Return the children of a node above the items of each record, and the cost that they save."""
    total = 0
    for record in family:
        total += records.indptr[record + 1] - records.indptr[record]
    key_start, keys, gains = (
        np.zeros(len(family) + 1, np.int64),
        np.empty(total, np.int32),
        np.zeros(len(family), np.int64),
    )
    filled = 0
    for r in range(len(family)):
        begin = filled
        for entry in range(records.indptr[family[r]], records.indptr[family[r] + 1]):
            path = records.path[records.items[entry]]
            if depth + 1 < len(path) and path[depth] == node:
                child = path[depth + 1]
                gains[r] += records.leaves[node] - records.leaves[child]
                if filled == begin or keys[filled - 1] != child:
                    keys[filled] = child
                    filled += 1
        key_start[r + 1] = filled
    return key_start, keys, gains
