"""Groups of CAHD (Ghinita, Tao and Kalnis, ICDE 2008, section 4): a sensitive record and similar records around it."""

from typing import NamedTuple

import numpy as np

from anonset_kernels._arrays import Indptr, Int32Array, Int64Array, Items
from anonset_kernels._jit import kernel


class SortedRecords(NamedTuple):
    """Records, sorted so that similar records are near each other."""

    indptr: Indptr
    """Start of each record in `items`, int64 (n + 1,)."""
    items: Items
    """Public items of the records, int32 (nnz,)."""
    sensitive_indptr: Indptr
    """Start of each record in `sensitive`, int64 (n + 1,)."""
    sensitive: Items
    """Sensitive items of the records, int32 (sensitive nnz,)."""


class GroupRule(NamedTuple):
    """Conditions that groups must satisfy, and the number of candidates."""

    size: int
    """Number of records per group."""
    candidates: int
    """Number of candidates before the sensitive record, and after it."""
    numerator: int
    denominator: int
    """Denominator of the maximum share of the last group's records that have the same sensitive item."""


@kernel(allocates=True)
def form_groups(records: SortedRecords, counts: Int64Array, n_items: int, rule: GroupRule) -> Int32Array:
    """Return the group of each record, int32 (n,). -1 for the records of the last group.

    A sensitive record without a group forms a group with the candidates that share most items with it, if the records
    that remain can still form a group. A candidate has no group, and no sensitive item of the record.
    Cost per sensitive record: the items of its candidates, their sort, and a step for each sensitive item of the data.

    Parameters
    ----------
    counts
        Number of records with each sensitive item, int64 (S,).
    n_items
        Number of public items.
    """
    n = len(records.indptr) - 1
    group = np.full(n, -1, np.int32)
    left = counts.copy()
    before, after = np.arange(n) - 1, np.arange(n) + 1  # neighbours without a group
    seen, taken = np.full(n_items, -1, np.int64), np.full(len(counts), -1, np.int64)
    candidate, members = np.empty(2 * rule.candidates, np.int64), np.empty(rule.size, np.int64)
    remaining, n_groups = n, 0
    for record in range(n):
        if group[record] >= 0 or records.sensitive_indptr[record] == records.sensitive_indptr[record + 1]:
            continue
        _mark(records.sensitive_indptr, records.sensitive, record, record, taken)
        n_candidates = _collect(records, record, before, after, taken, rule.candidates, candidate)
        _mark(records.indptr, records.items, record, record, seen)
        members[0], n_members = record, 1
        for place in _by_overlap(records, candidate[:n_candidates], record, seen):
            if n_members == rule.size:
                break
            other = candidate[place]
            if not _conflicts(records, other, record, taken):
                _mark(records.sensitive_indptr, records.sensitive, other, record, taken)
                members[n_members] = other
                n_members += 1
        if n_members < rule.size:
            continue
        _add(records, members, left, -1)
        if not _is_feasible(left, remaining - rule.size, rule):
            _add(records, members, left, 1)
            continue
        remaining -= rule.size
        for member in members:
            group[member] = n_groups
            if before[member] >= 0:
                after[before[member]] = after[member]
            if after[member] < n:
                before[after[member]] = before[member]
        n_groups += 1
    return group


@kernel()
def _mark(indptr: Indptr, items: Items, record: int, mark: int, marks: Int64Array) -> None:
    for entry in range(indptr[record], indptr[record + 1]):
        marks[items[entry]] = mark


@kernel()
def _conflicts(records: SortedRecords, other: int, record: int, taken: Int64Array) -> bool:
    """Return True if a record has a sensitive item that is already in the group."""
    for entry in range(records.sensitive_indptr[other], records.sensitive_indptr[other + 1]):
        if taken[records.sensitive[entry]] == record:
            return True
    return False


@kernel()
def _collect(
    records: SortedRecords,
    record: int,
    before: Int64Array,
    after: Int64Array,
    taken: Int64Array,
    most: int,
    candidate: Int64Array,
) -> int:
    """Write up to `most` candidates on each side to `candidate`, nearest first. Return their number.

    The sides take turns, and the preceding side is first.
    """
    n, low, high, n_low, n_high, filled = len(before), before[record], after[record], 0, 0, 0
    while (low >= 0 and n_low < most) or (high < n and n_high < most):
        while low >= 0 and n_low < most:
            other, low = low, before[low]
            if not _conflicts(records, other, record, taken):
                candidate[filled] = other
                filled, n_low = filled + 1, n_low + 1
                break
        while high < n and n_high < most:
            other, high = high, after[high]
            if not _conflicts(records, other, record, taken):
                candidate[filled] = other
                filled, n_high = filled + 1, n_high + 1
                break
    return filled


@kernel(allocates=True)
def _by_overlap(records: SortedRecords, candidate: Int64Array, record: int, seen: Int64Array) -> Int64Array:
    """Return the places of the candidates, most items shared with the record first. Ties are in order of distance."""
    missing = np.zeros(len(candidate), np.int64)
    for place in range(len(candidate)):
        for entry in range(records.indptr[candidate[place]], records.indptr[candidate[place] + 1]):
            missing[place] -= seen[records.items[entry]] == record
    return np.argsort(missing, kind="mergesort")


@kernel()
def _add(records: SortedRecords, members: Int64Array, left: Int64Array, number: int) -> None:
    for member in members:
        for entry in range(records.sensitive_indptr[member], records.sensitive_indptr[member + 1]):
            left[records.sensitive[entry]] += number


@kernel()
def _is_feasible(left: Int64Array, remaining: int, rule: GroupRule) -> bool:
    for item in range(len(left)):
        if left[item] * rule.denominator > rule.numerator * remaining:
            return False
    return True
