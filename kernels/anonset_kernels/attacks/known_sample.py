"""Count the records that contain each itemset of a sample of records.

`count_shared` counts the sets that records share, in one pass over all records. `tally_sets_of` intersects bit vectors
of the records that contain each item. It is faster if the sampled record is long and there are few records.
"""

from typing import NamedTuple

import numpy as np

from anonset_kernels._arrays import (
    Float64Array,
    Indptr,
    Int32Array,
    Int32Matrix,
    Int64Array,
    Int64Matrix,
    Items,
    UInt64Matrix,
)
from anonset_kernels._bits import bit, bit_count
from anonset_kernels._jit import kernel


class Sample(NamedTuple):
    """Sample of records, and the layout of the counts of their sets of up to `size` items.

    A set of t items at places p < q < … of sample record s is counted at ``start[s, t - 1] + choose[p, 1] + choose[q,
    2] + …``.
    """

    holders: Int64Array
    """First index of each code in `holder`, int64 (C + 1,)."""
    holder: Int32Array
    """Sample records that contain each code, int32."""
    place: Int32Array
    """Place of the code in each sample record of `holder`, int32."""
    group: Int64Array
    """Group of each sample record, int64 (S,). Only records of the same group are counted."""
    choose: Int64Matrix
    """Binomial coefficient of row and column, int64 (longest, size + 1)."""
    start: Int64Matrix
    """Index of the first count of each sample record's sets of 1, 2, … items, int64 (S, size)."""


class _SharedCodes(NamedTuple):
    """Codes that the current record shares with the sample records."""

    shared: Int32Matrix
    number: Int64Array
    touched: Int64Array


@kernel()
def _meet(indptr: Indptr, items: Items, of_group: Int64Array, record: int, sample: Sample, shared: _SharedCodes) -> int:
    """Store the sample records that share codes with a record, and the places of these codes. Return their number."""
    n_touched = 0
    for entry in range(indptr[record], indptr[record + 1]):
        code = items[entry]
        for j in range(sample.holders[code], sample.holders[code + 1]):
            s = sample.holder[j]
            if sample.group[s] != of_group[record]:
                continue
            if shared.number[s] == 0:
                shared.touched[n_touched] = s
                n_touched += 1
            shared.shared[s, shared.number[s]] = sample.place[j]
            shared.number[s] += 1
    return n_touched


@kernel(allocates=True)
def measure_shared(
    indptr: Indptr, items: Items, of_group: Int64Array, span: tuple[int, int], sample: Sample,
    sets: Float64Array, total: Float64Array,
) -> None:  # fmt: skip
    """Count the sets that the records of a range share with each sample record.

    Parameters
    ----------
    of_group
        int64 (n,): group of each record.
    span
        First record, and end of the range (exclusive).
    sets
        float64 (longest + 1,): number of itemsets that can be formed from 0, 1, 2, … items.
    total
        float64 (S,): number of shared sets of each sample record; updated.
    """
    n, longest = len(sample.group), len(sample.choose)
    shared = _SharedCodes(np.empty((n, longest), np.int32), np.zeros(n, np.int64), np.empty(n, np.int64))
    for record in range(span[0], span[1]):
        for j in range(_meet(indptr, items, of_group, record, sample, shared)):
            s = shared.touched[j]
            total[s] += sets[shared.number[s]]
            shared.number[s] = 0


@kernel(allocates=True)
def count_shared(
    indptr: Indptr, items: Items, weight: Int64Array, of_group: Int64Array, span: tuple[int, int],
    sample: Sample, counts: Int64Array,
) -> None:  # fmt: skip
    """Count the records of a range that contain each set of each sample record.

    Parameters
    ----------
    of_group, span
        As for `measure_shared`.
    weight
        int64 (n,): multiplicity of each record.
    counts
        int64 (sets,): updated; see `Sample`.

    Cost: the codes shared with the sample records, and the sets of these codes.
    """
    n, longest, size = len(sample.group), len(sample.choose), sample.start.shape[1]
    shared = _SharedCodes(np.empty((n, longest), np.int32), np.zeros(n, np.int64), np.empty(n, np.int64))
    following, position = np.zeros(size, np.int64), np.zeros(size, np.int64)
    for record in range(span[0], span[1]):
        for j in range(_meet(indptr, items, of_group, record, sample, shared)):
            s = shared.touched[j]
            number, level = shared.number[s], 0
            shared.number[s] = 0
            following[0] = 0
            while level >= 0:
                if following[level] == number:
                    level -= 1
                    continue
                chosen = following[level]
                following[level] += 1
                to = position[level] + sample.choose[shared.shared[s, chosen], level + 1]
                counts[sample.start[s, level] + to] += weight[record]
                if level + 1 < size:
                    level += 1
                    following[level], position[level] = chosen + 1, to


@kernel(allocates=True)
def tally_sets_of(
    own: Items, indptr: Indptr, items: Items, start: Int64Array, span: tuple[int, int], k: int, n_codes: int,
    of_sizes: Int64Matrix,
) -> None:  # fmt: skip
    """Measure the supports of all sets of up to `size` codes of one record.

    Parameters
    ----------
    own
        Codes of the record, int32 (L,).
    start
        int64 (n + 1,): sum of the multiplicities of the previous records.
    span
        First record of the group of the record, and end of the group (exclusive).
    k
        Supports below k are counted.
    n_codes
        Number of codes.
    of_sizes
        int64 (size, 3): smallest support of the sets of 1, 2, … codes, number of sets with support below k, and number
        of sets with support 1; updated.

    Cost: the codes of the group, and a bit per record of the group for each set.
    """
    holders = _holders(own, indptr, items, start, span, n_codes)
    n, words, size = len(own), holders.shape[1], len(of_sizes)
    common = np.empty((size, words), np.uint64)
    following = np.zeros(size, np.int64)
    level = 0
    while level >= 0:
        if following[level] == n:
            level -= 1
            continue
        chosen = following[level]
        following[level] += 1
        support = 0
        if level == 0:
            for word in range(words):
                common[0, word] = holders[chosen, word]
                support += bit_count(holders[chosen, word])
        else:
            for word in range(words):
                both = common[level - 1, word] & holders[chosen, word]
                common[level, word] = both
                support += bit_count(both)
        of_sizes[level, 0] = min(of_sizes[level, 0], support)
        of_sizes[level, 1] += support < k
        of_sizes[level, 2] += support == 1
        if level + 1 < size:
            level += 1
            following[level] = chosen + 1


@kernel(allocates=True)
def _holders(
    own: Items, indptr: Indptr, items: Items, start: Int64Array, span: tuple[int, int], n_codes: int
) -> UInt64Matrix:
    """Return a bit vector of the records that contain each code, uint64 (L, words). A record has as many bits as its
    multiplicity.
    """
    place = np.full(n_codes, -1, np.int32)
    for at in range(len(own)):
        place[own[at]] = at
    first = start[span[0]]
    holders = np.zeros((len(own), (start[span[1]] - first + 63) // 64), np.uint64)
    for record in range(span[0], span[1]):
        for entry in range(indptr[record], indptr[record + 1]):
            at = place[items[entry]]
            if at >= 0:
                for position in range(start[record] - first, start[record + 1] - first):
                    holders[at, position >> 6] |= bit(position & 63)
    return holders
