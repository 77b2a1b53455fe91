"""How far known items tell records apart: how many records hold the items that somebody knows of a person."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from anonset.data import SetColumn
from anonset.data.redacted_repr import Discreet
from anonset.data.table import Int64
from anonset.generalization.publication import row_ranks
from anonset.measures.shares import Share, mean_of, share_of
from anonset.privacy.model import require_at_least

if TYPE_CHECKING:
    from anonset_kernels.known_items import Records

AFFORDABLE = 400_000_000
"""Number of sets up to which those of all records are counted, about two seconds; beyond it a sample of records is."""
SAMPLED = 400
"""Records of a sample."""
LARGEST_PROJECTION = 30_000_000
"""Sets of what others share with one record, up to which they are counted."""


@dataclass(frozen=True, eq=False)
class KnownItems(Discreet):
    """How many records some known items leave, for all records or a sample; of shorter records, all items are known."""

    size: int
    """Number of known items."""
    least: Int64
    """int64 (s,): records that hold the set of at most so many items that the fewest hold; all, for an empty record."""
    below: NDArray[np.float64]
    """float64 (s,): share of the record's sets of so many items that fewer than k records hold."""
    unique: NDArray[np.float64]
    """float64 (s,): share of the record's sets of so many items that one record holds."""
    enough: NDArray[np.bool_]
    """bool (s,): whether the record has so many items."""
    known: NDArray[np.bool_] | None = None
    """bool (s,) of a sample: whether the record's sets could be counted; None where all records were."""

    @property
    def exact(self) -> bool:
        """Whether all records were counted."""
        return self.known is None

    def worst(self, fewer_than: float) -> Share:
        """Return the share of all records of which some set of at most so many items leaves fewer than that."""
        return share_of(self.least < fewer_than, self.known)

    @property
    def average_unique(self) -> Share:
        """The share of random sets that single a record out, of a random record that has so many items."""
        return mean_of(self.unique, self.known, self.enough)

    @property
    def average_below(self) -> Share:
        """The share of random sets that fewer than k records hold, of a random record that has so many items."""
        return mean_of(self.below, self.known, self.enough)


def known_items(
    column: SetColumn,
    size: int,
    k: int,
    *,
    group: NDArray[np.integer] | None = None,
    seed: int = 0,
    affordable: float = AFFORDABLE,
    sampled: int = SAMPLED,
) -> tuple[KnownItems, ...]:
    """Count the records that hold each set of 1, …, `size` items of each record, or where that is much, of a sample.

    Parameters
    ----------
    column
        The items, or published symbols.
    size
        Largest number of known items (>= 1).
    k
        Below so many records, a set counts as rare.
    group
        int (n,): records of different groups are told apart anyway; by default all are one.
    seed
        Seed of the sample.
    affordable
        Number of sets up to which those of all records are counted.
    sampled
        Size of the sample.

    Examples
    --------
    >>> found = known_items(SetColumn.of([{"a", "b"}, {"a", "b"}, {"a", "c"}, set()]), 2, 2)
    >>> [known.least.tolist() for known in found], [str(known.worst(2)) for known in found]
    ([[2, 2, 1, 4], [2, 2, 1, 4]], ['25.0%', '25.0%'])

    Cost: two steps for each set of at most `size` items of each distinct record, or of what others share with each
    record of the sample.
    """
    require_at_least("size", size, 1)
    distinct = _Distinct.of(column, group)
    lengths = np.diff(distinct.begin)
    dear = [number_of_sets(lengths, up_to) > affordable for up_to in range(1, size + 1)]
    all_of = size - sum(dear)
    of_sizes = _of_all(distinct, lengths, all_of, k) if all_of else []
    if any(dear):
        of_sizes += _of_sample(column, group, size, k, seed, sampled)[all_of:]
    return tuple(of_sizes)


def number_of_sets(lengths: Int64, size: int) -> float:
    """Return how many sets of at most `size` items records of these lengths have, those of several records each."""
    total, number = 0.0, np.ones(len(lengths))
    for more in range(1, size + 1):
        number = number * np.maximum(lengths - more + 1, 0) / more
        total += float(number.sum())
    return total


@dataclass(frozen=True, eq=False)
class _Distinct(Discreet):
    """The distinct records, group by group, over codes of which 0 is the rarest."""

    begin: Int64
    codes: NDArray[np.int32]
    weight: Int64
    groups: Int64
    of_record: Int64
    """int64 (n,): the distinct record that each one is."""
    n_codes: int

    @classmethod
    def of(cls, column: SetColumn, group: NDArray[np.integer] | None) -> "_Distinct":
        moved = rarest_first(column)
        rank = row_ranks(moved)
        of_group = _groups_of(column, group)
        first, inverse, weight = _distinct(rank, None if group is None else of_group)
        taken = moved.take(first)
        starts = np.flatnonzero(np.diff(of_group[first], prepend=-1))
        groups = np.append(starts, len(first)).astype(np.int64)
        return cls(taken.indptr, taken.items, weight, groups, inverse, len(column.vocabulary))

    @property
    def sizes(self) -> Int64:
        """int64 (D,): records in the group of each distinct one."""
        if not len(self.weight):
            return self.weight
        total: Int64 = np.add.reduceat(self.weight, self.groups[:-1])
        return np.repeat(total, np.diff(self.groups))


def _distinct(rank: Int64, of_group: Int64 | None) -> tuple[Int64, Int64, Int64]:
    """Return where each distinct pair of group and rank comes first, which one each record has, and how many have it.

    Ranks are dense: if all records are of one group, they are the result, without sorting.
    """
    if of_group is not None:
        key = of_group * (int(rank.max(initial=0)) + 1) + rank
        _, first, inverse, counts = np.unique(key, return_index=True, return_inverse=True, return_counts=True)
        return first.astype(np.int64), inverse.astype(np.int64), counts.astype(np.int64)
    weight = np.bincount(rank).astype(np.int64)
    first = np.empty(len(weight), np.int64)
    first[rank[::-1]] = np.arange(len(rank))[::-1]
    return first, rank, weight


def _of_all(distinct: _Distinct, lengths: Int64, size: int, k: int) -> list[KnownItems]:
    from anonset_kernels.known_items import Records

    each = np.arange(len(distinct.weight))
    records = Records(distinct.begin, distinct.codes, distinct.weight, distinct.groups, each)
    least, below, unique = _counted(records, lengths, distinct.n_codes, size, k, distinct.sizes)
    to = distinct.of_record
    return [
        KnownItems(row + 1, least[row, to], below[row, to], unique[row, to], lengths[to] > row) for row in range(size)
    ]


def _counted(
    records: "Records", lengths: Int64, n_codes: int, size: int, k: int, sizes: Int64
) -> tuple[Int64, NDArray[np.float64], NDArray[np.float64]]:
    """Return (size, D) each: the least support, and the shares of rare and of unique sets."""
    tally = _tally(records, len(lengths), n_codes, size, k, sizes)
    least, below, unique = (tally.T[start : start + size].copy() for start in (0, size, 2 * size))
    rare, alone, number = below.astype(np.float64), unique.astype(np.float64), np.ones(len(lengths))
    for row in range(size):
        number = number * np.maximum(lengths - row, 0) / (row + 1)
        enough = number > 0
        for share in (rare, alone):  # of a record with fewer items, all of them are the set
            share[row] = np.where(enough, share[row] / np.where(enough, number, 1.0), share[row - 1] * (row > 0))
        least[row] = np.minimum(least[row], least[max(0, row - 1)])
    return least, rare, alone


def least_counts(records: "Records", lengths: Int64, n_codes: int, size: int, sizes: Int64) -> Int64:
    """Return int64 (size, D): in how many records, or of how many owners, the rarest set of each record is.

    Parameters
    ----------
    sizes
        int64 (D,): what an empty record leaves.
    """
    tally = _tally(records, len(lengths), n_codes, size, 0, sizes)
    least: Int64 = np.minimum.accumulate(tally.T[:size], axis=0)
    return least


def _tally(records: "Records", n: int, n_codes: int, size: int, k: int, sizes: Int64) -> Int64:
    from anonset_kernels.known_items import count_known_sets

    tally = np.zeros((n, 3 * size), np.int64)
    tally[:, :size] = sizes[:, None]
    count_known_sets(records, n_codes, k, tally)
    return tally


def _of_sample(
    column: SetColumn, group: NDArray[np.integer] | None, size: int, k: int, seed: int, sampled: int
) -> list[KnownItems]:
    """Count the sets of some records, each among what all others share with it."""
    from anonset_kernels.known_items import Records, project
    from anonset_kernels.rows import transpose

    moved, of_group = rarest_first(column), _groups_of(column, group)
    start, records = transpose(moved.indptr, moved.items, len(moved.vocabulary))
    chosen = np.random.default_rng(seed).choice(column.n, min(sampled, column.n), replace=False)
    least, known = np.ones((size, len(chosen)), np.int64), np.zeros(len(chosen), bool)
    below, unique = np.zeros((size, len(chosen))), np.zeros((size, len(chosen)))
    seen, members = np.zeros(column.n, np.int32), np.bincount(of_group, minlength=1)
    for position, record in enumerate(chosen.tolist()):
        begin, places, _ = project(moved.indptr, moved.items, start, records, record, of_group, seen)
        lengths = np.diff(begin)
        if number_of_sets(lengths, size) > LARGEST_PROJECTION:
            continue
        ones, each = np.ones(len(lengths), np.int64), np.arange(len(lengths))
        shared = Records(begin, places, ones, np.array([0, len(lengths)], np.int64), each)
        all_of = np.full(len(lengths), members[of_group[record]], np.int64)
        counted = _counted(shared, lengths, int(moved.lengths[record]), size, k, all_of)
        least[:, position], below[:, position], unique[:, position] = (part[:, 0] for part in counted)
        known[position] = True
    enough = moved.lengths[chosen]
    return [KnownItems(row + 1, least[row], below[row], unique[row], enough > row, known) for row in range(size)]


def _groups_of(column: SetColumn, group: NDArray[np.integer] | None) -> Int64:
    return np.zeros(column.n, np.int64) if group is None else group.astype(np.int64)


def rarest_first(column: SetColumn) -> SetColumn:
    """Return the column over codes of which 0 is the rarest; their labels are those of others."""
    from anonset_kernels.rows import sort_rows

    place = np.empty(len(column.vocabulary), np.int32)
    place[np.argsort(column.occurrences, kind="stable")] = np.arange(len(place), dtype=np.int32)
    return replace(column, items=sort_rows(column.indptr, place[column.items], len(place)))
