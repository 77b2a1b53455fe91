"""Given sets of codes, whose supports are wanted as far as they are below k."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from anonset.data.table import Int32

if TYPE_CHECKING:
    from anonset_kernels.set_counts import SetIndex, Wanted


class WantedSets:
    """Sets of codes that are counted up to k.

    Parameters
    ----------
    sets
        int32 (T, size): sets of at least 3 codes, ascending, each once.
    n_codes
        Number of codes.
    k
        Where counting stops.
    """

    def __init__(self, sets: Int32, n_codes: int, k: int) -> None:
        self.sets = np.ascontiguousarray(sets[np.lexsort(sets.T)])
        self.n_codes, self.k = n_codes, k
        self.met = np.zeros(len(sets), np.int32)
        """int32 (T,): records that hold each set, up to k."""

    def count(self, blocks: Iterable[Int32]) -> Int32:
        """Count the records of some blocks that hold each set, up to k: int32 (T,).

        See `count_tree.expand_block` for the records.
        """
        from anonset_kernels.set_counts import count_sets

        index, wanted = self._index()
        for codes in blocks:
            count_sets(codes, self.k, index, wanted)
        return wanted.met

    def add(self, met: Int32) -> None:
        """Add what was counted over other records."""
        self.met = np.minimum(self.met + met, np.int32(self.k))

    def rare(self) -> tuple[Int32, Int32]:
        """Return the sets that were met fewer than k times, in lexicographic order, and how often."""
        rare = np.flatnonzero(self.met < self.k)
        sets = self.sets[rare]
        order = np.lexsort(sets.T[::-1])
        return sets[order], self.met[rare[order]]

    def _index(self) -> "tuple[SetIndex, Wanted]":
        """Return the sets as the kernel goes through them, and that none has been met."""
        from anonset_kernels.set_counts import SetIndex, Wanted

        n_words = (self.n_codes + 63) // 64
        third, before, last = self.sets[:, -3], self.sets[:, -2], self.sets[:, -1]
        pair_first = _firsts(last, before)
        triple_first = _firsts(last, before, third)
        partner = np.ascontiguousarray(before[pair_first])
        begin = np.searchsorted(last[pair_first], np.arange(self.n_codes + 1)).astype(np.int64)
        pairs = np.zeros((self.n_codes, n_words), np.uint64)
        np.bitwise_or.at(pairs, (last[pair_first], partner >> 6), _bits(partner))
        pair_of = np.searchsorted(pair_first, triple_first, side="right") - 1
        thirds = np.zeros((len(pair_first), n_words), np.uint64)
        np.bitwise_or.at(thirds, (pair_of, third[triple_first] >> 6), _bits(third[triple_first]))
        first = np.searchsorted(triple_first, np.append(pair_first, len(self.sets))).astype(np.int64)
        bounds = np.append(triple_first, len(self.sets)).astype(np.int64)
        index = SetIndex(self.sets, begin, partner, first, np.ascontiguousarray(third[triple_first]), bounds)
        left = np.bincount(pair_of, minlength=len(pair_first)).astype(np.int32)
        order = np.arange(len(self.sets), dtype=np.int32)
        return index, Wanted(
            pairs, thirds, left, order, np.diff(bounds).astype(np.int32), np.zeros(len(self.sets), np.int32)
        )


def _firsts(*columns: Int32) -> "np.ndarray[tuple[int], np.dtype[np.intp]]":
    """Return where some of the columns differs from the row before."""
    new = np.zeros(len(columns[0]), np.bool_)
    new[:1] = True
    for column in columns:
        new[1:] |= column[1:] != column[:-1]
    return np.flatnonzero(new)


def _bits(codes: Int32) -> "np.ndarray[tuple[int], np.dtype[np.uint64]]":
    return np.left_shift(np.uint64(1), (codes & 63).astype(np.uint64))
