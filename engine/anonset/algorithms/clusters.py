"""Clusters of records, as the number of each record's cluster."""

import numpy as np
from numpy.typing import NDArray

from anonset.data.table import Int32, Int64


def renumber_clusters(cluster: NDArray[np.integer]) -> tuple[Int32, Int32]:
    """Renumber clusters by their smallest record.

    >>> renumber_clusters(np.array([2, 0, 2, 1], np.int32))
    (array([0, 1, 0, 2], dtype=int32), array([2, 0, 1], dtype=int32))

    Returns
    -------
    int32 (n,), int32 (C,)
        The new number of each record's cluster, and the old number of each cluster.
    """
    old, first, inverse = np.unique(cluster, return_index=True, return_inverse=True)
    by_record = np.argsort(first, kind="stable")
    new = np.empty(len(old), np.int32)
    new[by_record] = np.arange(len(old), dtype=np.int32)
    return new[inverse].astype(np.int32), old[by_record].astype(np.int32)


def list_members(cluster: NDArray[np.integer]) -> list[Int64]:
    """Return the records of each cluster, ascending: int64 each.

    >>> [members.tolist() for members in list_members(np.array([1, 0, 1], np.int32))]
    [[1], [0, 2]]
    """
    order = np.argsort(cluster, kind="stable").astype(np.int64)
    start = np.concatenate([[0], np.cumsum(np.bincount(cluster))])
    return [order[first:end] for first, end in zip(start[:-1].tolist(), start[1:].tolist(), strict=True)]
