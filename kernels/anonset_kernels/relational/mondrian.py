"""Strict Mondrian (LeFevre et al. 2006): split records at medians and at the children of hierarchy nodes."""

from typing import NamedTuple

import numpy as np

from anonset_kernels._arrays import (
    Float64Array,
    Int8Array,
    Int32Array,
    Int64Array,
    PackedRule,
    Parent,
    SubtreeEnd,
    TupleOf,
    Tuples,
)
from anonset_kernels._jit import kernel
from anonset_kernels.relational._class_rules import KIND, NONE, break_rule
from anonset_kernels.relational._kinds import NODE, RANGE


class Shares(NamedTuple):
    """Unweighted losses of v relational attributes, and their hierarchies."""

    kind: Int8Array
    """Kind of each attribute, int8 (v,). RANGE, NODE or SET."""
    slot: Int64Array
    """Row of each attribute, int64 (v,). The row is in `Tuples.numbers` for a range, otherwise in `Tuples.codes`."""
    share_at: Int64Array
    """Start of each attribute in `share`, `parent` and `subtree_end`, int64 (v + 1,)."""
    share: Float64Array
    """Losses of the published values, attribute after attribute, float64. ``share[share_at[a] + c]`` is the loss of
    node `c`, or of a set of `c` values. A range has a single entry, the width of its domain.
    """
    parent: Parent
    """Parent of each node in the hierarchies, int32."""
    subtree_end: SubtreeEnd
    """End of each node's descendants (exclusive), int32."""


class _Scratch(NamedTuple):
    """Buffers shared by all splits."""

    values: Float64Array
    """Values of the records in a part, float64 (n,)."""
    ordered: Float64Array
    """Copy of `values` that is partially sorted to find the median, float64 (n,)."""
    ones: Int64Array
    """Weight 1 of each record, int64 (n,). (0,) without a rule."""


@kernel(allocates=True)
def mondrian(
    space: Shares,
    tuples: Tuples,
    tuple_of: TupleOf,
    k: int,
    rule: PackedRule,
    cluster: Int32Array,
) -> int:
    """Fill ``cluster[r]`` with the part of each record. Return the number of parts.

    Parameters
    ----------
    space
        Losses and hierarchies of the attributes.
    tuples, tuple_of
        Distinct tuples, and the tuple of each record, int32 (n,).
    rule
        Condition that each part must satisfy in addition to the minimum size, with the value of each record.

    Cost: O(v n log n) for each level of splits.
    """
    n = len(tuple_of)
    ids, sorted_ids = np.arange(n), np.empty(n, np.int64)
    part_of = np.empty(n, np.int32)
    first, last = np.empty(n // k + 2, np.int64), np.empty(n // k + 2, np.int64)
    ruled = rule.terms[KIND] != NONE
    scratch = _Scratch(np.empty(n), np.empty(n), np.ones(n if ruled else 0, np.int64))
    top, n_parts = 0, 0
    if n > 0:
        first[0], last[0], top = 0, n, 1
    while top:
        top -= 1
        begin, end = first[top], last[top]
        members = ids[begin:end]
        keys = _widths(space, tuples, tuple_of, members)
        parts, sizes = 0, np.zeros(1, np.int64)
        while parts < 2:
            a = _widest(keys)
            if a < 0:
                break
            keys[a] = -1.0
            parts = _assign(space, a, tuples, tuple_of, members, scratch, part_of[begin:end])
            sizes = part_sizes(part_of[begin:end])
            for size in sizes:
                if 0 < size < k:
                    parts = 0
            if parts == 2 and ruled:
                broken, ones = np.zeros(len(sizes), np.uint8), scratch.ones[: end - begin]
                value = rule.value[members]
                if break_rule(rule.terms, rule.overall, rule.ways, part_of[begin:end], value, ones, broken):
                    parts = 0
        if parts < 2:
            cluster[members] = n_parts
            n_parts += 1
            continue
        place = np.empty(len(sizes), np.int64)
        target = begin
        for part in range(len(sizes)):
            place[part] = target
            if sizes[part] > 0:
                first[top], last[top] = target, target + sizes[part]
                top += 1
            target += sizes[part]
        for j in range(begin, end):
            part = part_of[j]
            sorted_ids[place[part]] = ids[j]
            place[part] += 1
        for j in range(begin, end):
            ids[j] = sorted_ids[j]
    return n_parts


@kernel(allocates=True)
def part_sizes(part_of: Int32Array) -> Int64Array:
    """Return the number of records of each part up to the last non-empty part, int64.

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
    """Return the element that has index `n` in the sorted `values`. Reorders `values`. O(n) on average.

    Uses Hoare's selection algorithm. NumPy's function takes much longer to compile in Numba, and SciPy's function takes
    longer to load.
    """
    low, high = 0, len(values) - 1
    while low < high:
        start, two, three = values[low], values[(low + high) // 2], values[high]
        pivot = max(min(start, two), min(max(start, two), three))
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


@kernel(allocates=True)
def _widths(space: Shares, tuples: Tuples, tuple_of: TupleOf, members: Int64Array) -> Float64Array:
    """Return the rounded loss of each attribute over the records. -1 if all values are equal."""
    kind, slot, share_at, share, _, _ = space
    keys = np.full(len(kind), -1.0)
    for a in range(len(kind)):
        if kind[a] == RANGE:
            values = tuples.numbers[slot[a]]
            low, high = values[tuple_of[members[0]]], values[tuple_of[members[0]]]
            for r in members:
                low, high = min(low, values[tuple_of[r]]), max(high, values[tuple_of[r]])
            if high > low:
                keys[a] = np.rint((high - low) / share[share_at[a]] * 1e12)
            continue
        codes = tuples.codes[slot[a]]
        if kind[a] == NODE:
            node = _common(space, share_at[a], codes, tuple_of, members)
            if share[share_at[a] + node] > 0.0:
                keys[a] = np.rint(share[share_at[a] + node] * 1e12)
            continue
        is_present = np.zeros(share_at[a + 1] - share_at[a], np.uint8)
        count = 0
        for r in members:
            code = codes[tuple_of[r]]
            count += 1 - is_present[code]
            is_present[code] = 1
        if count > 1:
            keys[a] = np.rint(share[share_at[a] + count] * 1e12)
    return keys


@kernel()
def _common(space: Shares, first_node: int, nodes: Int32Array, tuple_of: TupleOf, members: Int64Array) -> int:
    """Return the lowest common ancestor of the records' nodes."""
    parent, subtree_end = space.parent, space.subtree_end
    node = nodes[tuple_of[members[0]]]
    for r in members:
        while not (node <= nodes[tuple_of[r]] < subtree_end[first_node + node]):
            node = parent[first_node + node]
    return node


@kernel(allocates=True)
def _assign(
    space: Shares,
    a: int,
    tuples: Tuples,
    tuple_of: TupleOf,
    members: Int64Array,
    scratch: _Scratch,
    part_of: Int32Array,
) -> int:
    """Write the part of each record in a split by attribute `a`. Return the number of non-empty parts."""
    kind, slot, share_at, _, _, subtree_end = space
    if kind[a] == NODE:
        codes, first_node = tuples.codes[slot[a]], share_at[a]
        node = _common(space, first_node, codes, tuple_of, members)
        child_of = np.empty(subtree_end[first_node + node] - node, np.int32)
        child, number = node + 1, 0
        while child < subtree_end[first_node + node]:
            child_of[child - node : subtree_end[first_node + child] - node] = number
            child, number = subtree_end[first_node + child], number + 1
        for i in range(len(members)):
            part_of[i] = child_of[codes[tuple_of[members[i]]] - node]
        return 2
    values, ordered = scratch.values, scratch.ordered[: len(members)]
    for i in range(len(members)):
        t = tuple_of[members[i]]
        values[i] = tuples.numbers[slot[a], t] if kind[a] == RANGE else tuples.codes[slot[a], t]
        ordered[i] = values[i]
    median = nth_smallest(ordered, (len(members) - 1) // 2)
    above = 0
    for i in range(len(members)):
        part_of[i] = 1 if values[i] > median else 0
        above += part_of[i]
    return 2 if above > 0 else 1
