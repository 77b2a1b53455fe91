"""Supports of node sets above a hierarchy cut, computed from the rare sets of the cut.

A record that contains a set of nodes also contains a set of the cut below these nodes. If a set of the cut below the
nodes has support k or more, the set of nodes also has support k or more. Otherwise, all sets of the cut below the nodes
are rare, and the set of nodes occurs in the union of their records.
"""

from typing import NamedTuple

import numpy as np

from anonset_kernels._arrays import BoolArray, Int32Array, Int32Matrix, Int64Array, Itemset
from anonset_kernels._bits import bit
from anonset_kernels._jit import kernel
from anonset_kernels._sorted import insert
from anonset_kernels.rare_sets._planes import Planes, width
from anonset_kernels.rare_sets._prefix import with_room
from anonset_kernels.rare_sets._set_index import SetIndex, place_of


class CodesBelow(NamedTuple):
    """Codes of a cut below each node. Only codes that occur are listed."""

    start: Int64Array
    """First index of each node in `codes`, int64 (V,)."""
    end: Int64Array
    """End index of each node (exclusive), int64 (V,)."""
    codes: Int32Array
    """Codes in leaf order, int32 (C,)."""


@kernel()
def _number_below(below: CodesBelow, nodes: Itemset) -> int:
    """Return the number of sets of the cut below a set of nodes, including sets that do not occur."""
    number = 1
    for node in nodes:
        number *= below.end[node] - below.start[node]
    return number


@kernel()
def _set_below(below: CodesBelow, nodes: Itemset, number: int, chosen: Itemset) -> None:
    """Store the codes of a set of the cut in ``chosen``, in ascending order.

    The sets of the cut below a set of nodes are numbered. `number` selects a set.
    """
    for j in range(len(nodes)):
        wide = below.end[nodes[j]] - below.start[nodes[j]]
        insert(chosen, 0, j, below.codes[below.start[nodes[j]] + number % wide])
        number //= wide


@kernel(allocates=True)
def keep_possible(
    table: Planes, before: int, below: CodesBelow, sets: Int32Matrix, most: int, possible: BoolArray
) -> None:
    """Clear ``possible``, bool (T,), for each set of nodes above a set of the cut with support k or more.

    Parameters
    ----------
    table
        Table of the sets of 3 or 4 codes of the cut.
    before
        Code of the cut that has number 0 in the table. Sets with a smaller code are in another table.
    sets
        int32 (T, size).
    most
        Maximum number of sets of the cut that are checked for each set of nodes. If there are more and no checked set
        has support k, the set of nodes remains possible.
    """
    n_codes, chosen = len(below.codes) - before, np.empty(sets.shape[1], np.int32)
    for t in range(len(sets)):
        n_below = min(_number_below(below, sets[t]), most) if possible[t] else 0
        for number in range(n_below):
            _set_below(below, sets[t], number, chosen)
            a, b, c = chosen[0] - before, chosen[1] - before, chosen[2] - before
            if a < 0 or a >> 6 >= table.n_words:
                continue
            if len(chosen) == 3:
                cell = table.start[b] + (c - b - 1) * width(b, table.n_words) + (a >> 6)
            else:
                row = table.start[b * n_codes + c]
                cell = row + (chosen[3] - before - c - 1) * width(b, table.n_words) + (a >> 6)
            if table.closed[cell] & bit(a & 63) != 0:
                possible[t] = False
                break


@kernel(allocates=True)
def rare_below(index: SetIndex, below: CodesBelow, sets: Int32Matrix, most: int) -> tuple[Int64Array, Int32Array]:
    """Return the rare sets of the cut below each set of nodes.

    If more than `most` sets of the cut are below a set of nodes, none are returned for it.

    Parameters
    ----------
    index
        Index of the rare sets of the cut.
    sets
        int32 (T, size).

    Returns
    -------
    int64 (T + 1,) and int32 (start[T],)
        Start of each set of nodes in the second array, and the rare sets as positions in the index.
    """
    start, chosen = np.zeros(len(sets) + 1, np.int64), np.empty(sets.shape[1], np.int32)
    of_set, n_found = np.empty(1024, np.int32), 0
    for t in range(len(sets)):
        n_below = _number_below(below, sets[t])
        for number in range(n_below if n_below <= most else 0):
            _set_below(below, sets[t], number, chosen)
            place = place_of(index, chosen)
            if place >= 0:
                of_set = with_room(of_set, n_found, n_found + 1)
                of_set[n_found] = place
                n_found += 1
        start[t + 1] = n_found
    return start, of_set[:n_found]


@kernel(allocates=True)
def sizes_of_unions(
    start: Int64Array, of_set: Int32Array, first: Int64Array, records: Int64Array, k: int
) -> Int32Array:
    """Return the number of records that contain any set of the cut below each set of nodes, up to `k`, int32 (T,).

    Parameters
    ----------
    start, of_set
        Result of `rare_below`.
    first, records
        int64 (sets + 1,) and int64: start of each set of the cut in `records`, and its records.
    """
    sizes, union = np.zeros(len(start) - 1, np.int32), np.empty(max(1, k), np.int64)
    for t in range(len(sizes)):
        n = 0
        for below in of_set[start[t] : start[t + 1]]:
            for record in records[first[below] : first[below + 1]]:
                i = 0
                while i < n and union[i] != record:
                    i += 1
                if i == n and n < k:
                    union[n] = record
                    n += 1
            if n == k:
                break
        sizes[t] = n
    return sizes
