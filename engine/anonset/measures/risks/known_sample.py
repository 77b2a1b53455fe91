"""Supports of the itemsets of sampled records. A sample is used if counting the itemsets of all records is too
expensive.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from anonset.data import SetColumn
from anonset.data.array_types import Bools, Float64, Int64
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.spans import begins_of, spans_up_to
from anonset.measures.distinct_records import DistinctRecords

if TYPE_CHECKING:
    from anonset_kernels.attacks.known_sample import Sample

AFFORDABLE = 400_000_000
"""Maximum number of sets for an exact count (about two seconds). For more sets, a sample of records is used."""
SAMPLED = 400
"""Number of records, or of persons, in the sample."""
LARGEST_PROJECTION = 30_000_000
"""Maximum number of sets in the intersections of all records with a sampled record. At least 4 sets per distinct record
are allowed.
"""
_COUNTED_AT_ONCE = 1 << 22
"""Maximum number of sets that are counted in one pass. Records with more sets are counted by bit vectors only."""
_MOST_WORDS, _WORDS_PER_SET = 1 << 27, 16
"""Maximum number of words of bit vectors to read for a record (less than 0.1 s), and number of words that are read in
the time of counting a shared set.
"""


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
    known: Bools
    """Mask of the records whose sets were counted, bool (s,)."""


def affordable_sizes(numbers: Iterable[float]) -> int:
    """Return the largest size for which the sets of all records are counted, given the number of sets of up to each
    size. Larger sizes use a sample.
    """
    return sum(number <= AFFORDABLE for number in numbers)


def sample_of(n: int, seed: int) -> Int64:
    """Return the sample of `n` records or persons."""
    return np.random.default_rng(seed).choice(n, min(SAMPLED, n), replace=False)


def count_sample(distinct: DistinctRecords, records: Int64, size: int, k: int) -> SampledCounts:
    """Count the records that contain each set of at most `size` items of the sampled `records`, int64 (s,).

    For each sampled record, the faster of two methods is used: count the sets that each distinct record shares with the
    sampled record, or intersect bit vectors of the records that contain each item. Threads share the work.
    """
    numbers = distinct.of_records(records)
    lengths = distinct.rows.indptr[numbers + 1] - distinct.rows.indptr[numbers]
    n_sets = np.array([_sets(length, size) for length in lengths.tolist()], np.float64)
    n_shared = np.full(len(records), np.inf)
    few = np.flatnonzero(n_sets <= _COUNTED_AT_ONCE)
    n_shared[few] = _measured(distinct, numbers[few], size)
    by_items = n_shared <= max(LARGEST_PROJECTION, 4 * distinct.n)
    cost = _cost_of_bits(distinct, numbers, n_sets)
    by_bits = (cost <= _MOST_WORDS) & (cost < np.where(by_items, _WORDS_PER_SET * n_shared, np.inf))
    tally = np.zeros((len(records), size, 3), np.int64)
    tally[:, :, 0] = distinct.group_sizes[distinct.of_group[numbers]][:, None]
    tally[by_bits] = _tally_bits(distinct, numbers[by_bits], size, k)
    for part in _parts(np.flatnonzero(by_items & ~by_bits), n_sets):
        sample = _sample(distinct, numbers[part], size)
        counts = _counted(distinct, sample, int(n_sets[part].sum()))
        for place, (position, length) in enumerate(zip(part.tolist(), lengths[part].tolist(), strict=True)):
            for row in range(size):
                start = int(sample.start[place, row])
                counts_of_size = counts[start : start + comb(length, row + 1)]
                least = counts_of_size.min(initial=tally[position, row, 0])
                tally[position, row] = least, (counts_of_size < k).sum(), (counts_of_size == 1).sum()
    tally[:, :, 0] = np.minimum.accumulate(tally[:, :, 0], axis=1)
    tally[~(by_items | by_bits), :, 0] = 1
    least, below, unique = tally.transpose(2, 1, 0)
    return SampledCounts(least, below, unique, lengths, by_items | by_bits)


def _cost_of_bits(distinct: DistinctRecords, numbers: Int64, n_sets: Float64) -> Float64:
    """Return the cost of counting each sampled record by bit vectors, (s,): words to read, plus items of its group."""
    group = distinct.of_group[numbers]
    first, end = distinct.groups[group], distinct.groups[group + 1]
    items = distinct.rows.indptr[end] - distinct.rows.indptr[first]
    cost: Float64 = n_sets * np.ceil(distinct.group_sizes[group] / 64) + items
    return cost


def _tally_bits(distinct: DistinctRecords, numbers: Int64, size: int, k: int) -> Int64:
    """Measure the sets of the distinct records `numbers` by bit vectors, int64 (s, size, 3); see `tally_sets_of`."""
    from anonset_kernels.attacks.known_sample import tally_sets_of

    rows, start, n_codes = distinct.rows, distinct.start, len(distinct.rows.vocabulary)

    def measure(part: Int64) -> Int64:
        tally = np.zeros((len(part), size, 3), np.int64)
        for number, of_sizes in zip(part.tolist(), tally, strict=True):
            group = distinct.of_group[number]
            span = int(distinct.groups[group]), int(distinct.groups[group + 1])
            of_sizes[:, 0] = start[span[1]] - start[span[0]]
            codes = rows.items[rows.indptr[number] : rows.indptr[number + 1]]
            tally_sets_of(codes, rows.indptr, rows.items, start, span, k, n_codes, of_sizes)
        return tally

    return np.concatenate(list(distinct.store.map(measure, np.array_split(numbers, distinct.store.workers.count))))


def _sets(length: int, size: int) -> int:
    return sum(comb(length, of) for of in range(1, size + 1))


def _parts(records: Int64, n_sets: Float64) -> list[Int64]:
    """Divide records into parts. The sets of a part are counted together."""
    sets_before = np.append(0.0, np.cumsum(n_sets[records]))
    return [records[first:end] for first, end in spans_up_to(sets_before, _COUNTED_AT_ONCE)]


def _sample(distinct: DistinctRecords, numbers: Int64, size: int) -> "Sample":
    """Return the sampled distinct records in the format of the kernels.

    The result includes the position of each item in its record, and the offset of each record's set counters.
    """
    from anonset_kernels.attacks.known_sample import Sample
    from anonset_kernels.records.rows import transpose

    column: SetColumn = distinct.rows.take(numbers)
    holders, holder = transpose(column.indptr, column.items, len(column.vocabulary))
    order = np.argsort(column.items, kind="stable")  # sorts by code, then by record, as `transpose` does
    place = (np.arange(len(column.codes)) - np.repeat(column.indptr[:-1], column.lengths))[order].astype(np.int32)
    longest = max(1, column.longest)
    choose = np.array([[comb(n, of) for of in range(size + 1)] for n in range(longest)], np.int64)
    set_counts = [[comb(length, of) for of in range(1, size + 1)] for length in column.lengths.tolist()]
    start = begins_of(np.array(set_counts, np.int64).ravel())[:-1].reshape(len(numbers), size)
    return Sample(holders, holder, place, distinct.of_group[numbers], choose, start.astype(np.int64))


def _measured(distinct: DistinctRecords, numbers: Int64, size: int) -> Float64:
    """Return the number of sets in the intersections of all distinct records with each sampled record, float64 (s,)."""
    from anonset_kernels.attacks.known_sample import measure_shared

    sample, rows = _sample(distinct, numbers, size), distinct.rows
    sets = np.array([_sets(length, size) for length in range(len(sample.choose) + 1)], np.float64)

    def measure(span: tuple[int, int]) -> Float64:
        total = np.zeros(len(numbers))
        measure_shared(rows.indptr, rows.items, distinct.of_group, span, sample, sets, total)
        return total

    total = np.zeros(len(numbers))
    for part in distinct.store.map(measure, _shares(distinct)):
        total += part
    return total


def _counted(distinct: DistinctRecords, sample: "Sample", n_sets: int) -> Int64:
    from anonset_kernels.attacks.known_sample import count_shared

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
