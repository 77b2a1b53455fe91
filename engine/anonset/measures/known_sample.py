"""How many records each set of the items of some records leaves, where those of all are too many."""

from dataclasses import dataclass
from itertools import pairwise
from math import comb
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from anonset.data import SetColumn
from anonset.data.redacted_repr import Discreet
from anonset.data.spans import begins_of
from anonset.data.table import Int64
from anonset.measures.distinct_records import DistinctRecords

if TYPE_CHECKING:
    from anonset_kernels.known_sample import Sample

LARGEST_PROJECTION = 30_000_000
"""Sets of what others share with one record, up to which they are counted, or 4 for each distinct record."""
_COUNTED_AT_ONCE = 1 << 22
"""Sets of the sampled records that are counted in one pass; those of a single one are no more."""


@dataclass(frozen=True, eq=False)
class SampledCounts(Discreet):
    """The counts of the sets of some records."""

    least: Int64
    """int64 (size, s): fewest records that hold a set of 1, 2, … items of each; of an empty one, its whole group."""
    below: Int64
    """int64 (size, s): sets that fewer than k records hold."""
    unique: Int64
    """int64 (size, s): sets that one record holds."""
    lengths: Int64
    """int64 (s,): items of each."""
    known: NDArray[np.bool_]
    """bool (s,): whether its sets could be counted."""


def count_sample(distinct: DistinctRecords, records: Int64, size: int, k: int) -> SampledCounts:
    """Count the records that hold each set of up to `size` items of some records, int64 (s,).

    Cost: two passes over what all records share with them, on threads; memory for the counts of each thread.
    """
    which = distinct.of_records(records)
    lengths = distinct.rows.indptr[which + 1] - distinct.rows.indptr[which]
    n_sets = np.array([_sets(length, size) for length in lengths.tolist()], np.int64)
    few = np.flatnonzero(n_sets <= _COUNTED_AT_ONCE)
    total = _measured(distinct, which[few], size)
    known = np.zeros(len(records), bool)
    known[few] = total <= max(LARGEST_PROJECTION, 4 * distinct.n)
    least = np.ones((size, len(records)), np.int64)
    below, unique = np.zeros((2, size, len(records)), np.int64)
    for part in _parts(np.flatnonzero(known), n_sets):
        sample = _sample(distinct, which[part], size)
        counts = _counted(distinct, sample, int(n_sets[part].sum()))
        for place, (at, length) in enumerate(zip(part.tolist(), lengths[part].tolist(), strict=True)):
            whole = distinct.group_sizes[sample.group[place]]
            for row in range(size):
                start = int(sample.start[place, row])
                own = counts[start : start + comb(length, row + 1)]
                least[row, at] = min(int(own.min(initial=whole)), least[row - 1, at] if row else whole)
                below[row, at], unique[row, at] = int((own < k).sum()), int((own == 1).sum())
    return SampledCounts(least, below, unique, lengths, known)


def _sets(length: int, size: int) -> int:
    return sum(comb(length, of) for of in range(1, size + 1))


def _parts(known: Int64, n_sets: Int64) -> list[Int64]:
    """Divide records into parts whose sets are counted together."""
    if not len(known):
        return []
    done = np.cumsum(n_sets[known])
    parts, first = list[Int64](), 0
    while first < len(known):
        before = int(done[first - 1]) if first else 0
        end = max(first + 1, int(np.searchsorted(done, before + _COUNTED_AT_ONCE, side="right")))
        parts.append(known[first:end])
        first = end
    return parts


def _sample(distinct: DistinctRecords, which: Int64, size: int) -> "Sample":
    """Return where the items of some distinct records stand, and the counts of their sets."""
    from anonset_kernels.known_sample import Sample
    from anonset_kernels.rows import transpose

    column: SetColumn = distinct.rows.take(which)
    holders, holder = transpose(column.indptr, column.items, len(column.vocabulary))
    order = np.argsort(column.items, kind="stable")  # as `transpose` does: by code, then by record
    place = (np.arange(len(column.codes)) - np.repeat(column.indptr[:-1], column.lengths))[order].astype(np.int32)
    longest = max(1, column.longest)
    choose = np.array([[comb(n, of) for of in range(size + 1)] for n in range(longest)], np.int64)
    each = [[comb(length, of) for of in range(1, size + 1)] for length in column.lengths.tolist()]
    start = begins_of(np.array(each, np.int64).ravel())[:-1].reshape(len(which), size)
    return Sample(holders, holder, place, distinct.of_group[which], choose, start.astype(np.int64))


def _measured(distinct: DistinctRecords, which: Int64, size: int) -> NDArray[np.float64]:
    """Return float64 (s,): the sets of what all distinct records share with each of some."""
    from anonset_kernels.known_sample import measure_shared

    sample, rows = _sample(distinct, which, size), distinct.rows
    sets = np.array([_sets(length, size) for length in range(len(sample.choose) + 1)], np.float64)

    def measure(span: tuple[int, int]) -> NDArray[np.float64]:
        total = np.zeros(len(which))
        measure_shared(rows.indptr, rows.items, distinct.of_group, span, sample, sets, total)
        return total

    total = np.zeros(len(which))
    for part in distinct.store.map(measure, _shares(distinct)):
        total += part
    return total


def _counted(distinct: DistinctRecords, sample: "Sample", n_sets: int) -> Int64:
    """Return int64 (sets,): how many records hold each set of the sample."""
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
    """Divide the distinct records into as many spans as there are threads."""
    bounds = np.linspace(0, distinct.n, distinct.store.workers.count + 1).astype(np.int64).tolist()
    return list(pairwise(bounds))
