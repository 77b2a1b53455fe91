"""The sets of nodes above those of a hierarchy cut."""

import numpy as np
from numpy.typing import NDArray

from anonset.data import Hierarchy
from anonset.data.table import Int32


def sets_above(hierarchy: Hierarchy, sets: Int32) -> Int32:
    """Return some sets of nodes, and all that come of them by raising members, no two above each other.

    Where the rare sets of a cut are given, every rare set of nodes at or above the cut is among these: a record that
    holds it holds a set of the cut below it, and that is no more frequent.

    Parameters
    ----------
    sets
        int32 (T, size): sets of nodes, no two above each other.

    Returns
    -------
    int32 (R, size)
        The sets, each once, each row ascending; none holds the root.
    """
    found = _distinct(hierarchy, sets)
    for member in range(sets.shape[1]):
        raised, last = [found], found
        while len(last):
            last = _distinct(hierarchy, _raised(hierarchy, last, member))
            raised.append(last)
        found = _distinct(hierarchy, np.concatenate(raised))
    return _distinct(hierarchy, np.sort(found, axis=1))


def _distinct(hierarchy: Hierarchy, sets: Int32) -> Int32:
    """Return the rows, each once."""
    keys: NDArray[np.generic]
    if hierarchy.n_nodes ** sets.shape[1] <= np.iinfo(np.int64).max:
        keys = np.zeros(len(sets), np.int64)
        for column in sets.T:
            keys = keys * hierarchy.n_nodes + column
    else:
        rows = np.ascontiguousarray(sets)
        keys = rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()
    return sets[np.unique(keys, return_index=True)[1]]


def _raised(hierarchy: Hierarchy, sets: Int32, member: int) -> Int32:
    """Return the sets with one member replaced by its parent, where that is above no other."""
    low, high = hierarchy.leaf_lo, hierarchy.leaf_hi
    parent = hierarchy.parent[sets[:, member]]
    apart = parent > 0
    for other in range(sets.shape[1]):
        if other != member:
            apart &= (low[sets[:, other]] < low[parent]) | (low[sets[:, other]] >= high[parent])
    rows = sets[apart]
    rows[:, member] = parent[apart]
    return rows
