"""Supports of the itemsets of sampled records. A sample is used if counting the itemsets of all records is too
expensive.
"""

from dataclasses import dataclass
from itertools import pairwise
from math import comb
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from anonset.data import SetColumn
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.spans import begins_of
from anonset.data.table import Int64
from anonset.measures.distinct_records import DistinctRecords

if TYPE_CHECKING:
    from anonset_kernels.known_sample import Sample

LARGEST_PROJECTION = 30_000_000
"""Maximum number of sets in the intersections of all records with a sampled record. At least 4 sets per distinct record
are allowed.
"""
_COUNTED_AT_ONCE = 1 << 22
"""Maximum number of sets that are counted in one pass. Records with more sets are not counted."""


@dataclass(frozen=True, eq=False)
class SampledCounts(RedactedRepr):
    """Supports of the itemsets of sampled records."""

    least: Int64
    """Smallest support of the sets of 1, 2, … items of each record, int64 (size, s). For an empty record, it is the
    size of the group.
    """
    below: Int64
    """Number of sets with support below k, int64 (size, s)."""
    unique: Int64
    """Number of sets with support 1, int64 (size, s)."""
    lengths: Int64
    """Number of items of each record, int64 (s,)."""
    known: NDArray[np.bool_]
    """Mask of the records whose sets were counted, bool (s,)."""


def count_sample(distinct: DistinctRecords, records: Int64, size: int, k: int) -> SampledCounts:
    """Count the records that contain each set of at most `size` items of the sampled `records`, int64 (s,).

    Cost: each distinct record is intersected with each sampled record, twice. Threads share the work, and each
    thread has separate counters.
    """
    numbers = distinct.of_records(records)
    lengths = distinct.rows.indptr[numbers + 1] - distinct.rows.indptr[numbers]
    n_sets = np.array([_sets(length, size) for length in lengths.tolist()], np.int64)
    countable = np.flatnonzero(n_sets <= _COUNTED_AT_ONCE)
    total = _measured(distinct, numbers[countable], size)
    is_exact = np.zeros(len(records), bool)
    is_exact[countable] = total <= max(LARGEST_PROJECTION, 4 * distinct.n)
    least = np.ones((size, len(records)), np.int64)
    below, unique = np.zeros((2, size, len(records)), np.int64)
    for part in _parts(np.flatnonzero(is_exact), n_sets):
        sample = _sample(distinct, numbers[part], size)
        counts = _counted(distinct, sample, int(n_sets[part].sum()))
        for place, (position, length) in enumerate(zip(part.tolist(), lengths[part].tolist(), strict=True)):
            group_size = distinct.group_sizes[sample.group[place]]
            for row in range(size):
                start = int(sample.start[place, row])
                counts_of_size = counts[start : start + comb(length, row + 1)]
                least[row, position] = min(
                    int(counts_of_size.min(initial=group_size)), least[row - 1, position] if row else group_size
                )
                below[row, position], unique[row, position] = (
                    int((counts_of_size < k).sum()),
                    int((counts_of_size == 1).sum()),
                )
    return SampledCounts(least, below, unique, lengths, is_exact)


def _sets(length: int, size: int) -> int:
    return sum(comb(length, of) for of in range(1, size + 1))


def _parts(records: Int64, n_sets: Int64) -> list[Int64]:
    """Divide records into parts. The sets of a part are counted together."""
    if not len(records):
        return []
    done = np.cumsum(n_sets[records])
    parts, first = list[Int64](), 0
    while first < len(records):
        before = int(done[first - 1]) if first else 0
        end = max(first + 1, int(np.searchsorted(done, before + _COUNTED_AT_ONCE, side="right")))
        parts.append(records[first:end])
        first = end
    return parts


def _sample(distinct: DistinctRecords, numbers: Int64, size: int) -> "Sample":
    """Return the sampled distinct records in the format of the kernels.

    The result includes the position of each item in its record, and the offset of each record's set counters.
    """
    from anonset_kernels.known_sample import Sample
    from anonset_kernels.rows import transpose

    column: SetColumn = distinct.rows.take(numbers)
    holders, holder = transpose(column.indptr, column.items, len(column.vocabulary))
    order = np.argsort(column.items, kind="stable")  # sorts by code, then by record, as `transpose` does
    place = (np.arange(len(column.codes)) - np.repeat(column.indptr[:-1], column.lengths))[order].astype(np.int32)
    longest = max(1, column.longest)
    choose = np.array([[comb(n, of) for of in range(size + 1)] for n in range(longest)], np.int64)
    set_counts = [[comb(length, of) for of in range(1, size + 1)] for length in column.lengths.tolist()]
    start = begins_of(np.array(set_counts, np.int64).ravel())[:-1].reshape(len(numbers), size)
    return Sample(holders, holder, place, distinct.of_group[numbers], choose, start.astype(np.int64))


def _measured(distinct: DistinctRecords, numbers: Int64, size: int) -> NDArray[np.float64]:
    """Return the number of sets in the intersections of all distinct records with each sampled record, float64 (s,)."""
    from anonset_kernels.known_sample import measure_shared

    sample, rows = _sample(distinct, numbers, size), distinct.rows
    sets = np.array([_sets(length, size) for length in range(len(sample.choose) + 1)], np.float64)

    def measure(span: tuple[int, int]) -> NDArray[np.float64]:
        total = np.zeros(len(numbers))
        measure_shared(rows.indptr, rows.items, distinct.of_group, span, sample, sets, total)
        return total

    total = np.zeros(len(numbers))
    for part in distinct.store.map(measure, _shares(distinct)):
        total += part
    return total


def _counted(distinct: DistinctRecords, sample: "Sample", n_sets: int) -> Int64:
    from anonset_kernels.known_sample import count_shared

    rows = distinct.rows

    def count(span: tuple[int, int]) -> Int64:
        counts = np.zeros(n_sets, np.int64)
        count_shared(rows.indptr, rows.items, distinct.weight, distinct.of_group, span, sample, counts)
        return counts

    counts = np.zeros(n_sets, np.int64)
    for part in distinct.store.map(count, _shares(distinct)):
        counts += part
    return counts


def _shares(distinct: DistinctRecords) -> list[tuple[int, int]]:
    bounds = np.linspace(0, distinct.n, distinct.store.workers.count + 1).astype(np.int64).tolist()
    return list(pairwise(bounds))
