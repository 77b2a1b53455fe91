"""Count the records that contain given sets of codes, up to k, and list these records."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from anonset.data.array_types import Int32, Int64, UInt64
from anonset.data.blocks import StoredRows, checked_rows
from anonset.data.distinct import first_of_runs

if TYPE_CHECKING:
    from anonset_kernels.rare_sets._record_codes import Ancestors
    from anonset_kernels.rare_sets._set_index import SetIndex
    from anonset_kernels.rare_sets.set_counts import RareSetCounts

_BYTES_OF_SET = 64  # a set, its positions in the index, and its count


class SetCounter:
    """Counts given sets of codes in records.

    Tasks on different records share the read-only index of the sets. Only the sets are sent to other processes.

    Parameters
    ----------
    sets
        Distinct ascending sets of at least 3 codes, in the order of `in_ranges`, int32 (T, size). T >= 1.
    ancestors
        Codes of each leaf. The kernel `ancestor_codes` documents them.
    n_codes
        Number of codes.
    k
        Maximum count.
    """

    def __init__(self, sets: Int32, ancestors: "Ancestors", n_codes: int, k: int) -> None:
        self.sets, self.ancestors, self.n_codes, self.k = sets, ancestors, n_codes, k
        self.met = np.zeros(len(sets), np.int32)
        """Support of each set, up to k, int32 (T,)."""
        self.index = indexed(sets, n_codes)

    def __reduce__(self) -> "tuple[type[SetCounter], tuple[Int32, Ancestors, int, int]]":
        """Pickle the sets without their counts and index."""
        return SetCounter, (self.sets, self.ancestors, self.n_codes, self.k)

    def count(self, group: Iterable[StoredRows]) -> Int32:
        """Count the records of some blocks that contain each set, up to k, int32 (T,)."""
        from anonset_kernels.rare_sets.set_counts import count_sets

        counts = _zero_counts(self.index)
        for rows in group:
            count_sets(checked_rows(rows, len(self.ancestors.start) - 1), self.ancestors, self.k, self.index, counts)
        return counts.met

    def holders(self, group: Iterable[tuple[int, StoredRows, UInt64]]) -> tuple[Int32, Int64]:
        """Return pairs of a set and a record that contains the set, as set positions and record numbers.

        Parameters
        ----------
        group
            Number of the first record of each block, the block, and bits of the records to examine.
        """
        from anonset_kernels.rare_sets.set_counts import holders

        pairs, parts = _bits_of_pairs(self.index), [(np.empty(0, np.int32), np.empty(0, np.int64))]
        for first, rows, chosen in group:
            checked = checked_rows(rows, len(self.ancestors.start) - 1)
            parts.append(holders(checked, chosen, first, self.ancestors, self.index, pairs))
        sets, records = zip(*parts, strict=True)
        return np.concatenate(sets), np.concatenate(records)

    def add(self, counts: Int32) -> None:
        """Add the counts of other records."""
        self.met = np.minimum(self.met + counts, np.int32(self.k))


def in_ranges(sets: Int32, n_codes: int, most: int) -> Iterator[Int32]:
    """Sort sets by the last code, then by the second to last code and so on. Yield ranges of the sorted sets.

    Parameters
    ----------
    sets
        Distinct ascending sets of at least 3 codes, int32 (T, size).
    most
        Maximum memory, in bytes, for counting a range in a task. A range of a single set may need more memory.
    """
    sets = np.ascontiguousarray(sets[np.lexsort(sets.T)])
    row = 8 * _words(n_codes)  # a row of bits for each last code of a range, and for each pair
    new = first_of_runs(sets[:, -1], sets[:, -2])
    bytes_before = _BYTES_OF_SET * np.arange(len(sets)) + row * (np.cumsum(new) + sets[:, -1])
    first, of_one = 0, _BYTES_OF_SET + 2 * row
    while first < len(sets):
        end = int(np.searchsorted(bytes_before, bytes_before[first] - of_one + most, side="right"))
        end = max(first + 1, end)
        yield sets[first:end]
        first = end


def indexed(sets: Int32, n_codes: int) -> "SetIndex":
    """Return the sets, in the order of `in_ranges`, as an index for kernels."""
    from anonset_kernels.rare_sets._set_index import SetIndex

    third, before, last = sets[:, -3], sets[:, -2], sets[:, -1]
    pair_first = np.flatnonzero(first_of_runs(last, before))
    triple_first = np.flatnonzero(first_of_runs(last, before, third))
    begin = np.searchsorted(last[pair_first], np.arange(n_codes + 1)).astype(np.int64)
    first = np.searchsorted(triple_first, np.append(pair_first, len(sets))).astype(np.int64)
    bounds = np.append(triple_first, len(sets)).astype(np.int64)
    return SetIndex(sets, begin, before[pair_first], first, third[triple_first], bounds, int(last[0]))


def _zero_counts(index: "SetIndex") -> "RareSetCounts":
    from anonset_kernels.rare_sets.set_counts import RareSetCounts

    n_words = _words(len(index.begin) - 1)
    triples = np.diff(index.first)
    thirds = np.zeros((len(triples), n_words), np.uint64)
    pair = np.repeat(np.arange(len(triples)), triples)
    np.bitwise_or.at(thirds, (pair, index.third >> 6), _bits(index.third))
    order, counts = np.arange(len(index.sets), dtype=np.int32), np.zeros(len(index.sets), np.int32)
    return RareSetCounts(
        _bits_of_pairs(index), thirds, triples.astype(np.int32), order, np.diff(index.bounds).astype(np.int32), counts
    )


def _bits_of_pairs(index: "SetIndex") -> UInt64:
    """Return a bitmap of the second to last codes for each last code, uint64 (L, W), starting with the lowest last
    code.
    """
    n_words, lowest = _words(len(index.begin) - 1), index.lowest
    pairs = np.zeros((int(index.sets[-1, -1]) + 1 - lowest, n_words), np.uint64)
    last = np.repeat(np.arange(len(pairs)), np.diff(index.begin[lowest : lowest + len(pairs) + 1]))
    np.bitwise_or.at(pairs, (last, index.partner >> 6), _bits(index.partner))
    return pairs


def _words(n_codes: int) -> int:
    return (n_codes + 63) // 64


def _bits(codes: Int32) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    return np.left_shift(np.uint64(1), (codes & 63).astype(np.uint64))
