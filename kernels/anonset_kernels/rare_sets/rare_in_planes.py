"""List the rare sets of a table of bit planes (see `bit_planes`) as code sets, code pairs or bitmaps."""

from typing import NamedTuple

import numpy as np

from anonset_kernels._arrays import (
    Dead,
    Found,
    FoundSupport,
    Intervals,
    Itemset,
    Together,
    UInt64Matrix,
)
from anonset_kernels._bits import bit, trailing_zeros
from anonset_kernels._jit import kernel
from anonset_kernels.rare_sets._planes import Planes, RareBits, rare_of_cell, width
from anonset_kernels.rare_sets._tree import is_below


class Listing(NamedTuple):
    """Parameters of a listing, and the arrays that it fills."""

    firsts: tuple[int, int]
    """Range of smallest codes, (from, to)."""
    intervals: Intervals
    """Leaf intervals by code. Sets with related nodes (an ancestor and a descendant) are skipped."""
    members: Itemset
    """Codes of the current set, int32 (size,). In a set of 5, the caller sets the largest code."""
    rare_sets: Found
    """Filled with the rare sets, as ascending codes, int32 (F, size), up to its capacity."""
    support: FoundSupport
    """Filled with the support of each set, int32 (F,)."""


@kernel()
def rare_in_rows(table: Planes, size: int, dead: Dead, listing: Listing, n_found: int) -> int:
    """List the rare sets of `size` (2 to 4) codes whose smallest code is in a range, row by row.

    Parameters
    ----------
    dead
        uint8 (C,): 1 for generalized codes. Sets that contain them are skipped.
    n_found
        Number of sets that are listed already.

    Returns
    -------
    Number of listed sets. It may exceed the capacity of the listing.
    """
    n_codes, intervals, members = len(dead), listing.intervals, listing.members
    for b in range(n_codes):
        wide = width(b, table.n_words)
        if dead[b] or listing.firsts[0] >> 6 >= wide:
            continue
        members[1] = b
        if size == 2:
            n_found = _rare_in_row(table, table.start[b], dead, listing, n_found)
            continue
        for c in range(b + 1, n_codes):
            if dead[c] or is_below(intervals.leaf_lo, intervals.leaf_hi, c, b):
                continue
            members[2] = c
            if size == 3:
                n_found = _rare_in_row(table, table.start[b] + (c - b - 1) * wide, dead, listing, n_found)
                continue
            row = table.start[b * n_codes + c]
            for d in range(c + 1, n_codes):
                if not (
                    dead[d]
                    or is_below(intervals.leaf_lo, intervals.leaf_hi, d, b)
                    or is_below(intervals.leaf_lo, intervals.leaf_hi, d, c)
                ):
                    members[3] = d
                    n_found = _rare_in_row(table, row, dead, listing, n_found)
                row += wide
    return n_found


@kernel()
def _rare_in_row(table: Planes, row: int, dead: Dead, listing: Listing, n_found: int) -> int:
    """List the rare sets of a row like `rare_in_rows`.

    The row determines all codes of a set except the smallest.
    """
    firsts, intervals, members, rare_sets, found_support = listing
    n_planes = len(table.flip)
    for w in range(firsts[0] >> 6, min((firsts[1] + 63) >> 6, width(members[1], table.n_words))):
        plane, rare = (row + w) * n_planes, rare_of_cell(table, row + w)
        if firsts[0] > w * 64:
            rare &= ~(bit(firsts[0] & 63) - np.uint64(1))
        if firsts[1] < w * 64 + 64:
            rare &= bit(firsts[1] & 63) - np.uint64(1)
        while rare != 0:
            a = w * 64 + trailing_zeros(rare)
            low = rare & (~rare + np.uint64(1))
            rare ^= low
            apart = dead[a] == 0
            for i in range(1, len(members)):
                apart &= not is_below(intervals.leaf_lo, intervals.leaf_hi, members[i], a)
            if not apart:
                continue
            if n_found < len(rare_sets):
                members[0], support = a, 0
                for p in range(n_planes):
                    if table.planes[plane + p] & low:
                        support += 1 << p
                found_support[n_found] = support
                for i in range(len(members)):
                    rare_sets[n_found, i] = members[i]
            n_found += 1
    return n_found


@kernel()
def mark_together(sets: Found, together: Together) -> None:
    """Mark all pairs of codes that are in the same set in ``together``, uint8 (C, C), which is symmetric."""
    for t in range(len(sets)):
        for i in range(sets.shape[1]):
            for j in range(sets.shape[1]):
                if i != j:
                    together[sets[t, i], sets[t, j]] = 1


@kernel()
def mark_rare_pairs(table: Planes, before: int, rare: UInt64Matrix) -> None:
    """Set the bits of the rare pairs of a table. Code 0 of the table is code `before` of the result.

    ``rare`` is uint64 (C, W): for each code, a bitmap of larger codes. O(cells).
    """
    for c in range(len(table.start) - 1):
        place, low = (before + c) >> 6, bit((before + c) & 63)
        for cell in range(table.start[c], table.start[c + 1]):
            cell_bits = rare_of_cell(table, cell)
            while cell_bits != 0:
                rare[before + (cell - table.start[c]) * 64 + trailing_zeros(cell_bits), place] |= low
                cell_bits &= cell_bits - np.uint64(1)


@kernel()
def mark_rare_triples(table: Planes, before: int, rare: RareBits) -> None:
    """Set the bits of the rare triples of a table. Code 0 of the table is code `before`, a multiple of 64. O(cells)."""
    n_codes = len(table.start) - 1
    for b in range(1, n_codes):
        wide, wide_of_all = width(b, table.n_words), (before + b + 63) >> 6
        for c in range(b + 1, n_codes):
            cell = table.start[b] + (c - b - 1) * wide
            to = rare.start[before + b] + (c - b - 1) * wide_of_all + (before >> 6)
            for w in range(wide):
                rare.bits[to + w] = rare_of_cell(table, cell + w)
