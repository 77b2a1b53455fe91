"""Count records that contain several groups, with a bitmap per frequent group.

A bitmap is created when it is first needed and released when its group changes.
"""

from typing import NamedTuple

import numpy as np

from anonset_kernels._arrays import Image, Int32Array, Int64Array, Integer, UInt64Matrix
from anonset_kernels._bits import bit, bit_count
from anonset_kernels._jit import kernel
from anonset_kernels.item_sets._groups import Groups

_DENSE = 256
"""Groups in more than 1/256 of the records get a bitmap. All bitmaps together need at most 32 bytes per item
occurrence.
"""


class Bitmaps(NamedTuple):
    """Bitmaps of the records of dense groups."""

    words: UInt64Matrix
    """A bitmap of records in each row, uint64 (B, words)."""
    of: Int32Array
    """Row in `words` of each representative's bitmap, int32 (V,). -1 if the group has no bitmap."""
    free: Int32Array
    """Number of unused rows of `words`, followed by their row numbers, int32 (1 + B,)."""


@kernel(allocates=True)
def make_bitmaps(groups: Groups) -> Bitmaps:
    """Allocate bitmaps for the largest possible number of dense groups."""
    n_records = len(groups.row) - 1
    n_bitmaps = len(groups.records) // (n_records // _DENSE + 1)
    words = np.empty((n_bitmaps, n_records // 64 + 1), np.uint64)
    free = np.arange(n_bitmaps + 1).astype(np.int32) - np.int32(1)
    free[0] = n_bitmaps
    return Bitmaps(words, np.full(len(groups.rep), -1, np.int32), free)


@kernel()
def give_back(bitmaps: Bitmaps, g: int) -> None:
    """Release the bitmap of a changed group, if it has a bitmap."""
    if bitmaps.of[g] >= 0:
        bitmaps.free[0] += 1
        bitmaps.free[bitmaps.free[0]] = bitmaps.of[g]
        bitmaps.of[g] = -1


@kernel()
def count_held(groups: Groups, bitmaps: Bitmaps, image: Image, enough: int, supports: Int64Array) -> None:
    """Count the records that contain the first, the first two, … groups of an image. Stop if `enough` records contain
    all groups.

    Cost per group: a word per 64 records. If the first group is not dense, the cost is a step per record of that group.
    The counting ends when no record contains all groups counted so far.

    Parameters
    ----------
    image
        int32: the groups, from rarest to most frequent.
    supports
        int64, as long as `image`: filled with the counts. After an early stop, only the count of the complete image is
        valid.
    """
    threshold = (len(groups.row) - 1) // _DENSE
    supports[0], supports[1:] = groups.support[image[0]], 0
    if len(image) == 1:
        return
    for g in image:
        if groups.support[g] > threshold and bitmaps.of[g] < 0:
            _draw(groups, bitmaps, g)
    if supports[0] > threshold:
        _count_dense(bitmaps.words, bitmaps.of, image, enough, supports)
    else:
        _count_sparse(groups, bitmaps, image, enough, supports)


@kernel()
def _draw(groups: Groups, bitmaps: Bitmaps, g: Integer) -> None:
    """Create the bitmap of a group's records."""
    bitmaps.of[g] = bitmaps.free[bitmaps.free[0]]
    bitmaps.free[0] -= 1
    words, item = bitmaps.words[bitmaps.of[g]], g
    words[:] = 0
    while item >= 0:
        for record in groups.records[groups.begin[item] : groups.begin[item] + groups.length[item]]:
            words[record >> 6] |= bit(record & 63)
        item = groups.following[item]


@kernel()
def _count_dense(words: UInt64Matrix, bitmap_of: Int32Array, image: Image, enough: int, supports: Int64Array) -> None:
    first = words[bitmap_of[image[0]]]
    for w in range(len(first)):
        word = first[w]
        for j in range(1, len(image)):
            word &= words[bitmap_of[image[j]], w]
            if word == 0:
                break
            supports[j] += bit_count(word)
        if supports[-1] >= enough:
            return


@kernel()
def _count_sparse(groups: Groups, bitmaps: Bitmaps, image: Image, enough: int, supports: Int64Array) -> None:
    words, bitmap_of, cells, item = bitmaps.words, bitmaps.of, groups.cells, image[0]
    while item >= 0:
        for record in groups.records[groups.begin[item] : groups.begin[item] + groups.length[item]]:
            for j in range(1, len(image)):
                g = image[j]
                if bitmap_of[g] >= 0:
                    if words[bitmap_of[g], record >> 6] & bit(record & 63) == 0:
                        break
                else:
                    place = groups.row[record]
                    while cells[place] < g:
                        place += 1
                    if cells[place] != g:
                        break
                supports[j] += 1
            if supports[-1] >= enough:
                return
        item = groups.following[item]
