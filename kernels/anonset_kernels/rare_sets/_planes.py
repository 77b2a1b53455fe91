"""Tables of bit planes, and the layout of their rows. See `bit_planes`."""

from typing import NamedTuple

import numpy as np

from anonset_kernels._arrays import Int64Array, UInt64Array
from anonset_kernels._bits import bit
from anonset_kernels._jit import kernel
from anonset_kernels.rare_sets._record_codes import Record


class Planes(NamedTuple):
    """Table of code sets with counters in bit planes."""

    n_words: int
    """Maximum number of cells in a row. Only sets whose smallest code is below ``64 * n_words`` are counted."""
    start: Int64Array
    """First cell of each group of rows, as described in `bit_planes`. int64 (C * C + 1,) for sets of 4, otherwise (C +
    1,).
    """
    flip: UInt64Array
    """Mask of each plane, uint64 (P,). All bits are set if the corresponding bit of k is 0, otherwise no bit."""
    closed: UInt64Array
    """Bitmap of the sets in each cell that have support k, uint64 (cells,)."""
    planes: UInt64Array
    """Bit planes of each cell with the supports below k, uint64 (cells * P,)."""


class RareBits(NamedTuple):
    """Bitmap of the rare triples of C codes."""

    start: Int64Array
    """Index in `bits` of the rows of each second code, as returned by `row_starts`, int64 (C + 1,)."""
    bits: UInt64Array
    """Bits of the rare triples, row by row, uint64 (start[C],)."""


@kernel()
def width(code: int, n_words: int) -> int:
    """Return the number of words needed for a bit per code smaller than `code`, at most `n_words`."""
    return min((code + 63) >> 6, n_words)


@kernel(allocates=True)
def row_starts(n_codes: int, size: int, n_words: int) -> Int64Array:
    """Return `Planes.start` for a table of sets of `size`. The last entry is the number of cells."""
    start = np.zeros(n_codes * n_codes + 1 if size == 4 else n_codes + 1, np.int64)
    if size == 5:
        for e in range(n_codes):
            cells = 0
            for b in range(e):
                cells += (e - 1 - b) * (e - 2 - b) // 2 * width(b, n_words)
            start[e + 1] = start[e] + cells
        return start
    if size < 4:
        for b in range(n_codes):
            start[b + 1] = start[b] + (1 if size == 2 else n_codes - 1 - b) * width(b, n_words)
        return start
    for b in range(n_codes):
        for c in range(n_codes):
            rows = n_codes - 1 - c if c > b else 0
            start[b * n_codes + c + 1] = start[b * n_codes + c] + rows * width(b, n_words)
    return start


@kernel(allocates=True)
def fours_below(table: Planes, code: int) -> Planes:
    """Return the sets with largest code `code` of a table of sets of 5, as a table of sets of 4."""
    first, end, n_planes = table.start[code], table.start[code + 1], len(table.flip)
    planes = table.planes[first * n_planes : end * n_planes]
    return Planes(table.n_words, row_starts(code, 4, table.n_words), table.flip, table.closed[first:end], planes)


@kernel()
def rare_of_cell(table: Planes, cell: int) -> np.uint64:
    """Return the sets of a cell that occur in some, but fewer than k, records. O(P)."""
    some, n_planes = np.uint64(0), len(table.flip)
    for p in range(n_planes):
        some |= table.planes[cell * n_planes + p]
    return some & ~table.closed[cell]


@kernel()
def add_to_cell(cell: int, sets: np.uint64, closed: UInt64Array, planes: UInt64Array, flip: UInt64Array) -> None:
    """Add 1 to the counters of some sets of a cell, and close the sets that reach k. The sets must not be closed.

    `planes` and `flip` are as in `Planes`.
    """
    plane, carry, full = cell * len(flip), sets, sets
    for p in range(len(flip)):
        before = planes[plane + p]
        after = before ^ carry
        carry &= before
        full &= after ^ flip[p]
        planes[plane + p] = after
    closed[cell] |= full


@kernel()
def count_pairs(record: Record, n: int, n_first: int, table: Planes) -> bool:
    """Count the pairs of a record's codes whose smaller code is in the first `n_first` words of the record.

    Returns True if a counter changes.
    """
    closed, planes, flip, place, words = table.closed, table.planes, table.flip, record.place, record.words
    adds = False
    for j in range(1, n if n_first else 0):
        c = record.codes[j]
        row, last = table.start[c], c >> 6
        for i in range(n_first):
            w = place[i]
            if w > last:
                break
            word = words[w]
            if w == last:
                word &= bit(c & 63) - np.uint64(1)
            open_bits = word & ~closed[row + w] if word != 0 else word
            if open_bits != 0:
                adds = True
                add_to_cell(row + w, open_bits, closed, planes, flip)
    return adds
