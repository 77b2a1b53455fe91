"""Marked pairs of codes, packed for transfer between processes."""

import numpy as np

from anonset.data.array_types import Int64, UInt8
from anonset.data.spans import spans

_PLACE, _BITS = 8, 8  # bytes of a position, and cells in a byte of marks


def packed(pairs: UInt8) -> Int64 | UInt8:
    """Return the marked cells of a matrix, as positions or as bits. The smaller representation is used.

    Parameters
    ----------
    pairs
        1 for marked pairs, else 0, uint8 (C, C), contiguous.

    Returns
    -------
    int64 (set,), or uint8 (C * C / 8,)
        Ascending positions of the marked cells in the flattened matrix, or a bit for each cell.
    """
    cells = pairs.reshape(-1)
    if np.count_nonzero(cells) * _PLACE * _BITS < len(cells):
        return np.flatnonzero(cells)
    return np.packbits(cells)


def mark(marked: Int64 | UInt8, pairs: UInt8) -> None:
    """Mark the packed cells in a matrix, uint8 (C, C). Other cells are unchanged."""
    cells = pairs.reshape(-1)
    if marked.dtype != np.uint8:
        cells[marked] = 1
        return
    for first, end in spans(len(marked)):
        some = cells[_BITS * first : _BITS * end]
        some |= np.unpackbits(marked[first:end].view(np.uint8), count=len(some))


def make_symmetric(pairs: UInt8) -> None:
    """Make a matrix, uint8 (C, C), symmetric in place, by marking the mirror cell of each marked cell."""
    for first, end in spans(len(pairs), 256):
        pairs[first:end] |= pairs[:, first:end].T
