"""Mondrian (LeFevre et al. 2006), strict: split records at medians and at the children of hierarchy nodes."""

import numpy as np

from anonset_kernels._arrays import (
    Float64Array,
    Int8Array,
    Int32Array,
    Int64Array,
    Int64Matrix,
    Parent,
    SubtreeEnd,
    TupleOf,
    Tuples,
)
from anonset_kernels._class_rules import KIND, NONE, break_rule
from anonset_kernels._jit import kernel

_Space = tuple[Int8Array, Int64Array, Int64Array, Float64Array]
_Rule = tuple[Int64Array, Int64Array, Int64Matrix, Int32Array]

RANGE, NODE, SET = 0, 1, 2


@kernel()
def mondrian(
    space: _Space,
    tree: tuple[Parent, SubtreeEnd],
    tuples: Tuples,
    tuple_of: TupleOf,
    k: int,
    rule: _Rule,
    cluster: Int32Array,
) -> int:
    """Fill ``cluster[r]`` with the part of each record; return the number of parts.

    Parameters
    ----------
    space
        (kind, slot, share_at, share): the unweighted loss of node `c` or of `c` values is ``share[share_at[a] + c]``;
        for a range ``share[share_at[a]]`` is its width.
    tree
        (parent, subtree_end) of the hierarchies, each from ``share_at[a]`` on.
    tuples, tuple_of
        (numbers, codes) and int32 (n,): the distinct tuples and that of each record.
    rule
        (terms, overall, ways, value): what each part must hold beside k records, see `_class_rules`, and the value of
        each record; without one the kind is NONE.

    Cost: O(v n log n) for each level of splits.
    """
    n = len(tuple_of)
    ids, room = np.arange(n), np.empty(n, np.int64)
    part_of = np.empty(n, np.int32)
    first, last = np.empty(n // k + 2, np.int64), np.empty(n // k + 2, np.int64)
    top, n_parts = 0, 0
    if n > 0:
        first[0], last[0], top = 0, n, 1
    while top:
        top -= 1
        begin, end = first[top], last[top]
        members = ids[begin:end]
        keys = _widths(space, tree, tuples, tuple_of, members)
        parts, sizes = 0, np.zeros(1, np.int64)
        while parts < 2:
            a = _widest(keys)
            if a < 0:
                break
            keys[a] = -1.0
            parts = _assign(space, tree, a, tuples, tuple_of, members, part_of[begin:end])
            sizes = part_sizes(part_of[begin:end])
            for size in sizes:
                if 0 < size < k:
                    parts = 0
            if parts == 2 and rule[0][KIND] != NONE:
                broken, ones = np.zeros(len(sizes), np.uint8), np.ones(end - begin, np.int64)
                if break_rule(rule[0], rule[1], rule[2], part_of[begin:end], rule[3][members], ones, broken):
                    parts = 0
        if parts < 2:
            cluster[members] = n_parts
            n_parts += 1
            continue
        place = np.empty(len(sizes), np.int64)
        at = begin
        for part in range(len(sizes)):
            place[part] = at
            if sizes[part] > 0:
                first[top], last[top] = at, at + sizes[part]
                top += 1
            at += sizes[part]
        for j in range(begin, end):
            part = part_of[j]
            room[place[part]] = ids[j]
            place[part] += 1
        for j in range(begin, end):
            ids[j] = room[j]
    return n_parts


@kernel()
def part_sizes(part_of: Int32Array) -> Int64Array:
    """Count the records of each part; int64, up to the last part that has any.

    `part_of` is the part of each record, from 0 on.
    """
    last = 0
    for part in part_of:
        last = max(last, int(part))
    sizes = np.zeros(last + 1, np.int64)
    for part in part_of:
        sizes[part] += 1
    return sizes


@kernel()
def nth_smallest(values: Float64Array, n: int) -> float:
    """Return what stands at `n` once `values` are sorted, and leave them in another order. O(n) as a rule.

    By Hoare's selection: NumPy's in Numba takes much longer to compile, and SciPy to load.
    """
    low, high = 0, len(values) - 1
    while low < high:
        one, two, three = values[low], values[(low + high) // 2], values[high]
        pivot = max(min(one, two), min(max(one, two), three))
        left, right = low, high
        while left <= right:
            while values[left] < pivot:
                left += 1
            while pivot < values[right]:
                right -= 1
            if left <= right:
                values[left], values[right] = values[right], values[left]
                left, right = left + 1, right - 1
        if right < n:
            low = left
        if n < left:
            high = right
    return values[n]


@kernel()
def _widest(keys: Float64Array) -> int:
    """Return the first attribute with the largest positive key, or -1."""
    best = -1
    for a in range(len(keys)):
        if keys[a] >= 0.0 and (best < 0 or keys[a] > keys[best]):
            best = a
    return best


@kernel()
def _widths(
    space: _Space, tree: tuple[Parent, SubtreeEnd], tuples: Tuples, tuple_of: TupleOf, members: Int64Array
) -> Float64Array:
    """Return the rounded loss of each attribute over the records, -1 where they agree."""
    kind, slot, share_at, share = space
    keys = np.full(len(kind), -1.0)
    for a in range(len(kind)):
        if kind[a] == RANGE:
            values = tuples[0][slot[a]]
            low, high = values[tuple_of[members[0]]], values[tuple_of[members[0]]]
            for r in members:
                low, high = min(low, values[tuple_of[r]]), max(high, values[tuple_of[r]])
            if high > low:
                keys[a] = np.rint((high - low) / share[share_at[a]] * 1e12)
            continue
        codes = tuples[1][slot[a]]
        if kind[a] == NODE:
            node = _common(tree, share_at[a], codes, tuple_of, members)
            if share[share_at[a] + node] > 0.0:
                keys[a] = np.rint(share[share_at[a] + node] * 1e12)
            continue
        seen = np.zeros(share_at[a + 1] - share_at[a], np.uint8)
        count = 0
        for r in members:
            code = codes[tuple_of[r]]
            count += 1 - seen[code]
            seen[code] = 1
        if count > 1:
            keys[a] = np.rint(share[share_at[a] + count] * 1e12)
    return keys


@kernel()
def _common(tree: tuple[Parent, SubtreeEnd], at: int, nodes: Int32Array, tuple_of: TupleOf, members: Int64Array) -> int:
    """Return the lowest common node of the records."""
    parent, subtree_end = tree
    node = nodes[tuple_of[members[0]]]
    for r in members:
        while not (node <= nodes[tuple_of[r]] < subtree_end[at + node]):
            node = parent[at + node]
    return node


@kernel()
def _assign(
    space: _Space,
    tree: tuple[Parent, SubtreeEnd],
    a: int,
    tuples: Tuples,
    tuple_of: TupleOf,
    members: Int64Array,
    part_of: Int32Array,
) -> int:
    """Fill the part of each record if attribute `a` is split; return the number of non-empty parts."""
    kind, slot, share_at, _ = space
    if kind[a] == NODE:
        codes, at = tuples[1][slot[a]], share_at[a]
        node = _common(tree, at, codes, tuple_of, members)
        child_of = np.empty(tree[1][at + node] - node, np.int32)
        child, number = node + 1, 0
        while child < tree[1][at + node]:
            child_of[child - node : tree[1][at + child] - node] = number
            child, number = tree[1][at + child], number + 1
        for i in range(len(members)):
            part_of[i] = child_of[codes[tuple_of[members[i]]] - node]
        return 2
    values = np.empty(len(members), np.float64)
    for i in range(len(members)):
        t = tuple_of[members[i]]
        values[i] = tuples[0][slot[a], t] if kind[a] == RANGE else tuples[1][slot[a], t]
    median = nth_smallest(values.copy(), (len(members) - 1) // 2)
    above = 0
    for i in range(len(members)):
        part_of[i] = 1 if values[i] > median else 0
        above += part_of[i]
    return 2 if above > 0 else 1
