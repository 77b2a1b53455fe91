"""Clusters of local recodings, in canonical order."""

import numpy as np

from anonset.data.table import Int32


def clusters_in_order(cluster: Int32) -> tuple[Int32, Int32]:
    """Renumber clusters by their smallest record.

    >>> clusters_in_order(np.array([2, 0, 2, 1], np.int32))
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
