"""Comparison, search and insertion sort of ascending codes."""

from anonset_kernels._arrays import Int32Array, Integer, Items
from anonset_kernels._jit import kernel


@kernel()
def comes_before(nodes: Int32Array, others: Int32Array) -> bool:
    """Return True if `nodes` is lexicographically less than `others`. Both are int32 (few,). O(few)."""
    for j in range(min(len(nodes), len(others))):
        if nodes[j] != others[j]:
            return bool(nodes[j] < others[j])
    return len(nodes) < len(others)


@kernel()
def first_at_least(items: Items, begin: Integer, end: Integer, code: Integer) -> int:
    """Return the index of the first item of the sorted row ``items[begin:end]`` that is at least `code`."""
    while begin < end:
        middle = (begin + end) >> 1
        if items[middle] < code:
            begin = middle + 1
        else:
            end = middle
    return int(begin)


@kernel()
def sort_by_insertion(values: Int32Array, first: Integer, end: Integer) -> None:
    """Sort ``values[first:end]``, int32 (any,). O((end - first)^2), but linear if the values are sorted."""
    for i in range(first + 1, end):
        moved, place = values[i], i
        while place > first and values[place - 1] > moved:
            values[place] = values[place - 1]
            place -= 1
        values[place] = moved
