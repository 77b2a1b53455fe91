"""Horizontal partitions of similar records: runs of the reflected Gray order of their bit vectors."""

from itertools import pairwise

import numpy as np

from anonset.data import SetColumn
from anonset.data.table import Int32


def gray_order(column: SetColumn) -> Int32:
    """Sort the records with items by the Gray rank of their bit vectors, ties by record index.

    The bits are the items by descending support, then position; the first is the most significant.

    >>> gray_order(SetColumn.of([{"a"}, {"a", "b"}, {"b"}, set()]))
    array([2, 1, 0], dtype=int32)

    Returns
    -------
    int32 (n⁺,). O(nnz + n log n) for records whose bit vectors soon differ.
    """
    from anonset_kernels.gray import gray_order as sort
    from anonset_kernels.rows import sort_rows

    support = column.occurrences
    order = np.lexsort((np.arange(len(support)), -support))
    rank = np.empty(len(support), np.int32)
    rank[order] = np.arange(len(support), dtype=np.int32)
    ranks = sort_rows(column.indptr, rank[column.items], len(support))
    found: Int32 = sort(column.indptr, ranks, np.flatnonzero(column.lengths).astype(np.int32))
    return found


def gray_partitions(column: SetColumn, k: int, partitions: int) -> list[Int32]:
    """Cut the Gray order into at most `partitions` runs of about equal length, each of at least k records.

    Records without items are in none. With fewer than k records there is one run.

    >>> [run.tolist() for run in gray_partitions(SetColumn.of([{"a"}, {"a", "b"}, {"b"}, {"a"}]), 2, 10)]
    [[2, 1], [0, 3]]
    """
    order = gray_order(column)
    n = len(order)
    if n == 0:
        return []
    number = max(1, min(partitions, n // k))
    bounds = [j * n // number for j in range(number + 1)]
    return [order[low:high] for low, high in pairwise(bounds)]
