"""Re-identification risk if an attacker knows items of a person. The risk depends on the number of records that contain
the known items.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from anonset.data import SetColumn
from anonset.data.array_types import Bools, Float64, Int32, Int64
from anonset.data.redacted_repr import RedactedRepr
from anonset.data.spans import spans
from anonset.data.storage.store import MEMORY, Store
from anonset.measures.distinct_records import DistinctRecords
from anonset.measures.risks.known_by_blocks import least_of_all
from anonset.measures.risks.known_sample import SampledCounts, affordable_sizes, count_sample, sample_of
from anonset.measures.shares import RecordFigures, Share, mean_of, share_of
from anonset.privacy.model import require_at_least

if TYPE_CHECKING:
    from anonset_kernels.attacks.known_items import GroupedRecords


@dataclass(frozen=True, eq=False)
class KnownItems(RedactedRepr):
    """Supports of the sets of items that an attacker may know, for all records or for a sample.

    If a record has fewer than `size` items, the attacker knows all items of the record.
    """

    size: int
    """Number of known items."""
    least: Int64
    """Smallest support of a set of at most `size` items of each record, int64 (s,). For an empty record, it is the
    number of all records.
    """
    below: Float64
    """Share of each record's sets of `size` items that have a support below k, float64 (s,)."""
    unique: Float64
    """Share of each record's sets of `size` items that have a support of 1, float64 (s,)."""
    enough: Bools
    """True for each record with at least `size` items, bool (s,)."""
    known: Bools | None = None
    """Mask of the sampled records whose sets were counted, bool (s,). None if all records were counted."""

    @property
    def exact(self) -> bool:
        """True if all records were counted, False for a sample."""
        return self.known is None

    def worst(self, fewer_than: float) -> Share:
        """Return the share of records with a set of at most `size` items whose support is below `fewer_than`."""
        return share_of(self.least < fewer_than, self.known)

    @property
    def average_unique(self) -> Share:
        """Average share of a record's sets of `size` items that occur in no other record.

        Records with fewer than `size` items are not counted.
        """
        return mean_of(self.unique, self.known, self.enough)

    @property
    def average_below(self) -> Share:
        """Average share of a record's sets of `size` items that have a support below k.

        Records with fewer than `size` items are not counted.
        """
        return mean_of(self.below, self.known, self.enough)


def known_items(
    column: SetColumn,
    size: int,
    k: int,
    *,
    group: NDArray[np.integer] | None = None,
    seed: int = 0,
) -> tuple[KnownItems, ...]:
    """Count the records that contain the sets of 1, …, `size` items of each record.

    If an exact count is expensive, only the sets of a sample of records are counted.

    Parameters
    ----------
    column
        The items, or published symbols.
    size
        Largest number of known items (>= 1).
    k
        Sets with support below k are rare.
    group
        Group of each record, int (n,). Sets are counted within a group. None if all records are one group.
    seed
        Seed of the sample.

    Examples
    --------
    >>> found = known_items(SetColumn.of([{"a", "b"}, {"a", "b"}, {"a", "c"}, set()]), 2, 2)
    >>> [known.least.tolist() for known in found], [str(known.worst(2)) for known in found]
    ([[2, 2, 1, 4], [2, 2, 1, 4]], ['25.0%', '25.0%'])

    Cost: two steps for each set of at most `size` items of each distinct record. If a sample is used, only the items
    that the distinct record shares with a sampled record form sets.
    """
    require_at_least("size", size, 1)
    distinct = DistinctRecords.of(column, () if group is None else (group.astype(np.int32),))
    all_of = _sizes_of_all(distinct, size)
    of_sizes = _of_all(distinct, all_of, k) if all_of else []
    if all_of < size:
        of_sizes += _of_sample(count_sample(distinct, sample_of(column.n, seed), size, k))[all_of:]
    return tuple(of_sizes)


def matching_rows(
    column: SetColumn,
    size: int,
    *,
    group: Sequence[Int32] = (),
    store: Store = MEMORY,
    seed: int = 0,
) -> tuple[RecordFigures, ...]:
    """Return the smallest support of a set of at most 1, …, `size` items of each record.

    Parameters
    ----------
    column, size, seed
        See `known_items`. The results are the distributions of `KnownItems.least`.
    group
        Code arrays, int32 (n,) each. Sets are counted within the records with equal codes in all arrays.
    store
        Store of the intermediate arrays. If the store is in files, sets are counted out of core.

    Examples
    --------
    >>> [str(left.share(left.values < 2)) for left in matching_rows(SetColumn.of([{"a", "b"}, {"a"}, {"a"}]), 2)]
    ['33.3%', '33.3%']

    Cost: the cost of `known_items`, a sort of the records, and a pass over the records for each part that is counted in
    one step.
    """
    require_at_least("size", size, 1)
    with store.nested() as scratch:
        distinct = DistinctRecords.of(column, group, scratch)
        all_of = _sizes_of_all(distinct, size)
        figures = [
            RecordFigures.of(least, weight=distinct.weight)
            for least in (least_of_all(distinct, all_of) if all_of else [])
        ]
        if all_of < size:
            counts = count_sample(distinct, sample_of(column.n, seed), size, 2)
            figures += [RecordFigures.of(least, counts.known) for least in counts.least][all_of:]
    return tuple(figures)


def _sizes_of_all(distinct: DistinctRecords, size: int) -> int:
    """Return the largest size for which the sets of all records are counted. Larger sizes use a sample."""
    begin = distinct.rows.indptr
    lengths = (np.diff(begin[a : b + 1]) for a, b in spans(distinct.n))
    numbers = np.sum([[number_of_sets(part, of) for of in range(1, size + 1)] for part in lengths] or [[0.0]], axis=0)
    return affordable_sizes(numbers.tolist()) if distinct.n else size


def number_of_sets(lengths: Int64, size: int) -> float:
    """Return the total number of sets of at most `size` items in records of the given lengths.

    A set that occurs in several records is counted several times.
    """
    total, number = 0.0, np.ones(len(lengths))
    for more in range(1, size + 1):
        number = number * np.maximum(lengths - more + 1, 0) / more
        total += float(number.sum())
    return total


def _of_all(distinct: DistinctRecords, size: int, k: int) -> list[KnownItems]:
    from anonset_kernels.attacks.known_items import GroupedRecords

    numbers, rows = np.arange(distinct.n), distinct.rows
    records = GroupedRecords(rows.indptr, rows.items, distinct.weight, distinct.groups, numbers)
    sizes = distinct.sizes(0, distinct.n)
    least, below, unique = _counted(records, rows.lengths, len(rows.vocabulary), size, k, sizes)
    to = distinct.of_each_record
    return [
        KnownItems(row + 1, least[row, to], below[row, to], unique[row, to], rows.lengths[to] > row)
        for row in range(size)
    ]


def _counted(
    records: "GroupedRecords", lengths: Int64, n_codes: int, size: int, k: int, sizes: Int64
) -> tuple[Int64, Float64, Float64]:
    """Measure the sets of items of each of D distinct records, by set size. Each result is an array (size, D).

    The results are the smallest support, the share of rare sets, and the share of unique sets.
    """
    tally = _tally(records, n_codes, size, k, sizes)
    least, below, unique = (tally.T[start : start + size].copy() for start in (0, size, 2 * size))
    return np.minimum.accumulate(least, axis=0), shares_of_sets(below, lengths), shares_of_sets(unique, lengths)


def shares_of_sets(counts: Int64, lengths: Int64) -> Float64:
    """Return the shares of the counted sets among all sets of 1, 2, … items of each record, (size, D).

    If a record has fewer items than the size, its only set contains all its items.
    """
    shares, number = counts.astype(np.float64), np.ones(len(lengths))
    for row, share in enumerate(shares):
        number = number * np.maximum(lengths - row, 0) / (row + 1)
        enough = number > 0
        share[:] = np.where(enough, share / np.where(enough, number, 1.0), shares[row - 1] * (row > 0))
    return shares


def least_counts(records: "GroupedRecords", n_codes: int, size: int, sizes: Int64) -> Int64:
    """Return the smallest support of the sets of each size in each record, int64 (size, D).

    Supports are counted in records, or in persons if the records have owners.

    Parameters
    ----------
    sizes
        Result for empty records, int64 (D,).
    """
    tally = _tally(records, n_codes, size, 0, sizes)
    least: Int64 = np.minimum.accumulate(tally.T[:size], axis=0)
    return least


def _tally(records: "GroupedRecords", n_codes: int, size: int, k: int, sizes: Int64) -> Int64:
    from anonset_kernels.attacks.known_items import count_known_sets

    tally = np.zeros((len(records.weight), 3 * size), np.int64)
    tally[:, :size] = sizes[:, None]
    count_known_sets(records, n_codes, n_codes, k, tally)
    return tally


def _of_sample(counts: SampledCounts) -> list[KnownItems]:
    size = len(counts.least)
    rare, unique = shares_of_sets(counts.below, counts.lengths), shares_of_sets(counts.unique, counts.lengths)
    return [
        KnownItems(row + 1, counts.least[row], rare[row], unique[row], counts.lengths > row, counts.known)
        for row in range(size)
    ]
