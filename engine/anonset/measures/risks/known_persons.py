"""Re-identification risk if an attacker knows items of a person with several records. The risk depends on the number of
persons with a matching record.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from anonset.data import SetColumn
from anonset.data.array_types import Bools, Int64
from anonset.data.distinct import first_of_runs
from anonset.data.redacted_repr import RedactedRepr
from anonset.measures.distinct_records import rarest_first
from anonset.measures.risks.known_items import least_counts, number_of_sets
from anonset.measures.risks.known_sample import LARGEST_PROJECTION, affordable_sizes, sample_of
from anonset.privacy.model import require_at_least


@dataclass(frozen=True, eq=False)
class MatchingPersons(RedactedRepr):
    """Number of persons who match known items from one record of a person, for all persons or for a sample."""

    size: int
    least: Int64
    """Smallest number of persons who match a set of at most `size` items from a record of each person, int64 (s,)."""
    known: Bools | None = None
    """Mask of the sampled persons whose sets were counted, bool (s,). None if all persons were counted."""


def matching_persons(
    column: SetColumn,
    size: int,
    owner: Int64,
    *,
    group: NDArray[np.integer] | None = None,
    seed: int = 0,
) -> tuple[MatchingPersons, ...]:
    """For each set of 1, …, `size` items of a record, count the persons with a record that contains the set.

    Parameters
    ----------
    column
        The items, or published symbols.
    size
        Largest number of known items (>= 1). All known items are from the same record.
    owner
        Person of each record, int64 (n,). Persons are numbered from 0 without gaps.
    group
        Group of each record, int (n,). Sets are counted within a group. None if all records are one group.
    seed
        Seed of the sample, which consists of persons (see `known_items`).

    Examples
    --------
    >>> visits = SetColumn.of([{"a", "b"}, {"a", "b"}, {"a"}])
    >>> [left.least.tolist() for left in matching_persons(visits, 2, np.array([0, 0, 1]))]
    [[1, 2], [1, 2]]

    Cost: two steps for each set of at most `size` items of each record. If a sample is used, only the items that the
    record shares with a sampled record form sets.
    """
    require_at_least("size", size, 1)
    of_group = np.zeros(column.n, np.int64) if group is None else group.astype(np.int64)
    pairs = np.unique(np.stack([of_group, owner]), axis=1)
    members = np.bincount(pairs[0], minlength=1)[of_group]
    moved = rarest_first(column)
    all_of = affordable_sizes(number_of_sets(moved.lengths, up_to) for up_to in range(1, size + 1))
    of_sizes = _of_all(moved, of_group, owner, members, all_of) if all_of else []
    if all_of < size:
        of_sizes += _of_sample(moved, of_group, owner, members, size, seed)[all_of:]
    return tuple(of_sizes)


def fewest_persons(classes: Int64, owner: Int64) -> Int64:
    """Return the number of persons in the smallest class of each person, int64 (persons,).

    Parameters
    ----------
    classes, owner
        Class and person of each record, int64 (n,) each. Classes and persons are numbered from 0 without gaps.

    >>> fewest_persons(np.array([0, 0, 1, 1]), np.array([0, 0, 0, 1])).tolist()
    [1, 2]
    """
    pairs = np.unique(np.stack([classes, owner]), axis=1)
    return _of_persons(np.bincount(pairs[0])[classes], owner)


def _of_all(column: SetColumn, of_group: Int64, owner: Int64, members: Int64, size: int) -> list[MatchingPersons]:
    from anonset_kernels.attacks.known_items import GroupedRecords

    order = np.lexsort((owner, of_group))
    ordered = column.take(order)
    groups = np.append(np.flatnonzero(first_of_runs(of_group[order])), len(order)).astype(np.int64)
    records = GroupedRecords(ordered.indptr, ordered.items, np.ones(len(order), np.int64), groups, owner[order])
    least = least_counts(records, len(column.vocabulary), size, members[order])
    return [MatchingPersons(row + 1, _of_persons(least[row], owner[order])) for row in range(size)]


def _of_sample(
    column: SetColumn, of_group: Int64, owner: Int64, members: Int64, size: int, seed: int
) -> list[MatchingPersons]:
    """Count the sets of the records of sampled persons, using the intersections of these records with all records."""
    from anonset_kernels.attacks.known_items import GroupedRecords, project
    from anonset_kernels.records.rows import transpose

    start, records = transpose(column.indptr, column.items, len(column.vocabulary))
    n = int(owner.max(initial=-1)) + 1
    chosen = sample_of(n, seed)
    rows = np.flatnonzero(np.isin(owner, chosen))
    least, is_exact = np.ones((size, len(rows)), np.int64), np.zeros(len(rows), np.int64)
    number_of = np.zeros(column.n, np.int32)
    for position, record in enumerate(rows.tolist()):
        begin, places, sharing = project(column.indptr, column.items, start, records, record, of_group, number_of)
        if number_of_sets(np.diff(begin), size) > LARGEST_PROJECTION:
            continue
        order = np.argsort(owner[sharing], kind="stable")
        shared = SetColumn("", begin, places, column.vocabulary).take(order)
        ones, bounds = np.ones(len(order), np.int64), np.array([0, len(order)], np.int64)
        counted = GroupedRecords(shared.indptr, shared.items, ones, bounds, owner[sharing[order]])
        everybody = np.full(len(order), members[record], np.int64)
        least_persons = least_counts(counted, int(column.lengths[record]), size, everybody)
        least[:, position], is_exact[position] = least_persons[:, int(np.flatnonzero(order == 0)[0])], 1
    persons = np.unique(owner[rows], return_inverse=True)[1].ravel()
    sure = _of_persons(is_exact, persons) == 1
    return [MatchingPersons(row + 1, _of_persons(least[row], persons), sure) for row in range(size)]


def _of_persons(figures: Int64, owner: Int64) -> Int64:
    """Return the minimum over the records of each person, int64 (persons,)."""
    least = np.full(int(owner.max(initial=-1)) + 1, np.iinfo(np.int64).max)
    np.minimum.at(least, owner, figures)
    return least
