"""Maximal rare triples of nodes, from a bitmap of the rare triples.

A triple of unrelated nodes is *rare* if some, but fewer than k, records contain an item below each node. It is
*maximal* if no node can be replaced by the parent so that the triple remains rare and unrelated.

The bits are stored in rows, as described in `bit_planes`. The triple a < b < c is bit a & 63 of word a >> 6 in the row
of (b, c).
"""

import numpy as np

from anonset_kernels._arrays import Ancestry, Int32Array, Int64Array
from anonset_kernels._bits import bit, trailing_zeros
from anonset_kernels._jit import kernel
from anonset_kernels.rare_sets._planes import RareBits
from anonset_kernels.rare_sets._tree import is_below


@kernel()
def _is_rare(rare: RareBits, a: int, b: int, c: int) -> bool:
    """Return True if three codes, in any order, form a rare triple."""
    if a > b:
        a, b = b, a
    if b > c:
        b, c = c, b
    if a > b:
        a, b = b, a
    word = rare.bits[rare.start[b] + (c - b - 1) * ((b + 63) >> 6) + (a >> 6)]
    return word & bit(a & 63) != 0


@kernel(allocates=True)
def maximal_triples(
    rare: RareBits, nodes: Int32Array, code: Int32Array, tree: Ancestry, span: tuple[int, int, int], keys: Int64Array
) -> tuple[int, int, int]:
    """Report the parents of the maximal rare triples, starting with a given row.

    Parameters
    ----------
    nodes, code
        int32 (C,) node of each code, by descending support, and int32 (V,) code of each node; -1 for the root.
    tree
        (parent, leaf_lo, leaf_hi): int32 (V,).
    span
        Second and third code of the first row, and end of the second codes (exclusive).
    keys
        int64 (F,): filled with a number for each triple. Its digits in base C + 1 are the codes of the parents from
        left to right, each increased by one. The code of the root is -1. F must be at least C.

    Returns
    -------
    (number of triples, second and third code of the next row)

    O(words + rare triples times the depth).
    """
    parent, leaf_lo, leaf_hi = tree
    base, n_found, members = len(nodes) + 1, 0, np.empty(3, np.int32)
    b, c = span[0], span[1]
    while b < span[2]:
        wide = (b + 63) >> 6
        members[1] = nodes[b]
        while c < len(nodes):
            members[2] = nodes[c]
            if n_found + b > len(keys):
                return n_found, b, c
            row = rare.start[b] + (c - b - 1) * wide
            if not is_below(leaf_lo, leaf_hi, members[2], members[1]):
                for w in range(wide):
                    word = rare.bits[row + w]
                    while word != 0:
                        a = w * 64 + trailing_zeros(word)
                        word &= word - np.uint64(1)
                        members[0] = nodes[a]
                        if not _is_maximal(rare, members, (a, b, c), code, tree):
                            continue
                        low, high = min(members[0], members[1], members[2]), max(members[0], members[1], members[2])
                        middle = members[0] + members[1] + members[2] - low - high
                        key = (np.int64(code[parent[low]]) + 1) * base + code[parent[middle]] + 1
                        keys[n_found] = key * base + code[parent[high]] + 1
                        n_found += 1
            c += 1
        b += 1
        c = b + 1
    return n_found, b, c


@kernel()
def _is_maximal(
    rare: RareBits, members: Int32Array, codes: tuple[int, int, int], code: Int32Array, tree: Ancestry
) -> bool:
    """Return True if a rare triple is maximal and its nodes are unrelated. The last two nodes must be unrelated."""
    parent, leaf_lo, leaf_hi = tree
    u, v, x = members[0], members[1], members[2]
    if is_below(leaf_lo, leaf_hi, v, u) or is_below(leaf_lo, leaf_hi, x, u):
        return False
    p, q, r = parent[u], parent[v], parent[x]
    if not (is_below(leaf_lo, leaf_hi, v, p) or is_below(leaf_lo, leaf_hi, x, p)):
        if _is_rare(rare, int(code[p]), codes[1], codes[2]):
            return False
    if not (is_below(leaf_lo, leaf_hi, u, q) or is_below(leaf_lo, leaf_hi, x, q)):
        if _is_rare(rare, codes[0], int(code[q]), codes[2]):
            return False
    if is_below(leaf_lo, leaf_hi, u, r) or is_below(leaf_lo, leaf_hi, v, r):
        return True
    return not _is_rare(rare, codes[0], codes[1], int(code[r]))
