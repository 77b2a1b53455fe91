"""What became of each occurrence of an item: how many items the symbol stands for that it is published as."""

import numpy as np

from anonset.data import SetColumn
from anonset.data.table import Int64
from anonset.errors import InputError
from anonset.generalization import Cut, ItemGroups, PerCluster
from anonset.generalization.recoding import SUPPRESSED


def occurrences_by_size(column: SetColumn, recoding: Cut | ItemGroups | PerCluster) -> Int64:
    """Count the occurrences of items by the number of items that their published symbol stands for.

    Each occurrence counts by what its own record publishes it as. Cost: O(nnz), and O(M) for each cluster.

    Parameters
    ----------
    column
        The **original** column, bound to the recoding's hierarchy or vocabulary.

    Returns
    -------
    int64 (M + 1,)
        At 0 the suppressed occurrences, at 1 those that are published as they are.

    Raises
    ------
    InputError
        If the column is not bound, or has another number of records than the recoding.

    Examples
    --------
    >>> column = SetColumn.of(["ab", "acd"])
    >>> occurrences_by_size(column, ItemGroups(column.vocabulary, np.array([0, 1, 1, -1], np.int32))).tolist()
    [1, 2, 2, 0, 0]
    """
    found = np.zeros(len(column.vocabulary) + 1, np.int64)
    if not isinstance(recoding, PerCluster):
        np.add.at(found, _sizes(column, recoding), column.occurrences)
        return found
    if len(recoding.cluster) != column.n:
        msg = f"the recoding names the clusters of {len(recoding.cluster)} records, the column has {column.n}"
        raise InputError(msg)
    order = np.argsort(recoding.cluster, kind="stable").astype(np.int64)
    items = column.take(order).items
    lengths = np.bincount(recoding.cluster, weights=column.lengths, minlength=len(recoding.items))
    ends = np.concatenate([[0], np.cumsum(np.rint(lengths).astype(np.int64))])
    for c, mapping in enumerate(recoding.items):
        own = items[ends[c] : ends[c + 1]]
        np.add.at(found, _sizes(column, mapping)[own], 1)
    return found


def weighted_sum(by_size: Int64, costs: Int64) -> int:
    """Return the sum of a cost over all occurrences, by the size of their symbols, as a Python integer.

    Parameters
    ----------
    costs
        int64 (M + 1,): cost of an occurrence by that size.
    """
    there = np.flatnonzero(by_size)
    return sum(count * cost for count, cost in zip(by_size[there].tolist(), costs[there].tolist(), strict=True))


def _sizes(column: SetColumn, mapping: Cut | ItemGroups) -> Int64:
    """Return int64 (M,): number of items that the symbol of each item stands for, 0 if it is suppressed."""
    if isinstance(mapping, Cut):
        if column.vocabulary != mapping.hierarchy.leaves:
            msg = f"column {column.name!r} must be bound to the recoding's hierarchy first (Hierarchy.bind)"
            raise InputError(msg)
        image = mapping.image
        sizes = mapping.hierarchy.n_leaves_below[image].astype(np.int64)
    else:
        if column.vocabulary != mapping.vocabulary:
            msg = f"column {column.name!r} must have the vocabulary of the recoding"
            raise InputError(msg)
        image = mapping.group
        sizes = np.bincount(image[image != SUPPRESSED], minlength=len(image)).astype(np.int64)[image]
    return np.where(image == SUPPRESSED, 0, sizes).astype(np.int64)
