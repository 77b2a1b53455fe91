"""Comparison of sets of codes, and search and insertion in ascending codes."""

from anonset_kernels._arrays import Int32Array, Integer, Items
from anonset_kernels._jit import kernel


@kernel()
def comes_before(nodes: Int32Array, others: Int32Array) -> bool:
    """Return True if `nodes` is lexicographically less than `others`. Both are int32 (few,). O(few)."""
    for j in range(min(len(nodes), len(others))):
        if nodes[j] != others[j]:
            return bool(nodes[j] < others[j])
    return len(nodes) < len(others)


@kernel(inlined=True)
def insert(nodes: Int32Array, first: Integer, end: Integer, node: Integer) -> None:
    """Insert a node into the ascending ``nodes[first:end]``, int32. Overwrites ``nodes[end]``. O(end - first)."""
    place = end
    while place > first and nodes[place - 1] > node:
        nodes[place] = nodes[place - 1]
        place -= 1
    nodes[place] = node


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
