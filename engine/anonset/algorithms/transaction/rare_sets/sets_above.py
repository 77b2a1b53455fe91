"""Sets of nodes above the sets of a hierarchy cut."""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from anonset.data import Hierarchy
from anonset.data.array_types import Bools, Int32
from anonset.data.distinct import first_of_runs

Kept = Callable[[Int32], Bools]
"""Function that returns True for each set to keep, bool (T,). Its argument is the sets, int32 (T, size)."""


def sets_above(hierarchy: Hierarchy, sets: Int32, at_once: int, possible: Kept) -> Iterator[Int32]:
    """Yield, in batches, the given sets of nodes, and all sets that result if ancestors replace members of a given set.

    No yielded set contains a node and an ancestor of this node. If the rare sets of a cut are given, the result
    includes every rare set of nodes at or above the cut. The reason is that a record with a rare set above the cut also
    contains a set of the cut below this set, which is at most as frequent.

    Parameters
    ----------
    sets
        Sets of nodes, int32 (T, size). No node of a set is above another node of the set.
    at_once
        Maximum number of sets in a batch. Sets with common results are always in the same batch, even if the batch is
        then larger.
    possible
        Function that selects the sets to keep. If it rejects a set, it must reject all sets above this set. The given
        sets are always kept.

    Yields
    ------
    int32 (R, size)
        Distinct sets without the root, in ascending order. No set is in two batches.
    """
    sets = _distinct(hierarchy, np.sort(sets, axis=1))  # also drops the reference to the given sets, which may be large
    yield from _above(hierarchy, sets, 0, at_once, possible)


def _above(hierarchy: Hierarchy, sets: Int32, member: int, at_once: int, possible: Kept) -> Iterator[Int32]:
    """Yield, in batches, the sets that result if members from position `member` on are raised."""
    if member == sets.shape[1]:
        yield sets
        return
    for part in _parts(hierarchy, sets, member, at_once):
        raised, last = [part], part
        while len(last):
            last = _distinct(hierarchy, _raised(hierarchy, last, member))
            last = last[possible(last)]
            raised.append(last)
        yield from _above(hierarchy, _distinct(hierarchy, np.concatenate(raised)), member + 1, at_once, possible)


def _parts(hierarchy: Hierarchy, sets: Int32, member: int, at_once: int) -> Iterator[Int32]:
    """Yield batches of ascending sets with disjoint results.

    The sets of different batches differ in a member before position `member`, or in the child of the root above this
    member.
    """
    if len(sets) <= at_once:
        yield sets
        return
    below_root = np.searchsorted(hierarchy.children(0), sets[:, member], side="right")
    begins, first = np.flatnonzero(first_of_runs(below_root, *sets.T[:member])), 0
    ends = np.append(begins[1:], len(sets))
    while first < len(sets):
        following = int(np.searchsorted(ends, first, side="right"))
        within = int(np.searchsorted(ends, first + at_once, side="right")) - 1
        end = int(ends[max(following, within)])
        yield sets[first:end]
        first = end


def _distinct(hierarchy: Hierarchy, sets: Int32) -> Int32:
    keys: NDArray[np.generic]
    if hierarchy.n_nodes ** sets.shape[1] <= np.iinfo(np.int64).max:
        numbers = np.zeros(len(sets), np.int64)
        for column in sets.T:
            numbers *= hierarchy.n_nodes
            numbers += column
        keys = numbers
    else:
        rows = np.ascontiguousarray(sets)
        keys = rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()
    order = np.argsort(keys, kind="stable")
    keys = keys[order]
    new = first_of_runs(keys)
    del keys  # free memory, because the keys are several times as large as the rows
    return sets[order if new.all() else order[new]]


def _raised(hierarchy: Hierarchy, sets: Int32, member: int) -> Int32:
    """Return the sets in which a member is replaced by its parent, if the parent is not above another member."""
    low, high = hierarchy.leaf_lo, hierarchy.leaf_hi
    parent = hierarchy.parent[sets[:, member]]
    apart = parent > 0
    for other in range(sets.shape[1]):
        if other != member:
            apart &= (low[sets[:, other]] < low[parent]) | (low[sets[:, other]] >= high[parent])
    rows = sets[apart]
    rows[:, member] = parent[apart]
    return rows
