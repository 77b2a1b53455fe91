"""Functions on clusters of records. An array contains the cluster number of each record."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from anonset.data import spans
from anonset.data.array_types import Int32, Int64
from anonset.data.distinct import positions
from anonset.data.spans import begins_of
from anonset.data.storage.store import MEMORY, Store
from anonset.generalization.recoding import Parts


def renumber_clusters(cluster: NDArray[np.integer]) -> tuple[Int32, Int32]:
    """Renumber clusters in the order of their first records.

    >>> renumber_clusters(np.array([2, 0, 2, 1], np.int32))
    (array([0, 1, 0, 2], dtype=int32), array([2, 0, 1], dtype=int32))

    Returns
    -------
    int32 (n,), int32 (C,)
        The new cluster number of each record, and the old number of each new cluster.
    """
    old, first, inverse = np.unique(cluster, return_index=True, return_inverse=True)
    by_record = np.argsort(first, kind="stable")
    return positions(by_record, len(old))[inverse], old[by_record].astype(np.int32)


def list_members(cluster: NDArray[np.integer]) -> list[Int64]:
    """Return the records of each cluster, ascending, as int64 arrays.

    >>> [members.tolist() for members in list_members(np.array([1, 0, 1], np.int32))]
    [[1], [0, 2]]
    """
    order = np.argsort(cluster, kind="stable").astype(np.int64)
    start = begins_of(np.bincount(cluster))
    return [order[first:end] for first, end in zip(start[:-1].tolist(), start[1:].tolist(), strict=True)]


def number_clusters(members: Sequence[Int64], n: int, store: Store = MEMORY) -> tuple[Int32, Parts | None, Int64]:
    """Assign numbers to clusters in the order of their first records. Members may be in any order.

    >>> cluster, parts, old = number_clusters([np.array([3, 1]), np.array([2, 0])], 4)
    >>> cluster.tolist(), parts, old.tolist()
    ([0, 1, 0, 1], None, [1, 0])

    Parameters
    ----------
    members
        Records of each cluster, as an int64 array per cluster. No cluster is empty, and each record is in one cluster.
    store
        Store for arrays of table length.

    Returns
    -------
    cluster
        Cluster of each record, int32 (n,).
    parts
        Ranges of consecutive clusters that are processed together. The number of records in a range is limited, except
        in a single large cluster. None if the store is in memory.
    old
        Index in `members` of each cluster, int64 (C,).
    """
    smallest = np.array([int(records.min()) for records in members], np.int64)
    old = np.argsort(smallest, kind="stable")
    cluster = store.array("cluster", np.int32, n)
    if not store.in_files:
        for number, place in enumerate(old.tolist()):
            cluster[members[place]] = number
        return cluster, None, old
    record, end = store.array("record", np.int64, n), 0
    first, begins = [0], [0]
    for number, place in enumerate(old.tolist()):
        begin, end = end, end + len(members[place])
        record[begin:end] = members[place]
        for a, b in spans.spans(end - begin):
            cluster[record[begin + a : begin + b]] = number
        if begin > first[-1] and end - first[-1] > spans.AT_ONCE:
            first.append(begin)
            begins.append(number)
    bounds = np.array([*first, n] if n else first, np.int64)
    parts = Parts(record, bounds, np.array([*begins, len(old)] if n else begins, np.int64))
    for begin, end in pairwise(bounds.tolist()):
        record[begin:end].sort()
    return cluster, parts, old
