"""NCP of items where clusters of records have recodings of their own, or items form groups, exactly.

References: He and Naughton, VLDB 2009, section 3.2: each occurrence costs what its own partition publishes it as,
over the same denominator as a global recoding. A suppressed occurrence costs 1, one in a group of s items s / M.
"""

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from anonset.data import SetColumn
from anonset.data.table import Int64
from anonset.errors import InputError
from anonset.generalization import Cut, ItemGroups, PerCluster
from anonset.generalization.recoding import SUPPRESSED

Costs = Callable[[Int64, int], Int64]
"""Cost of an occurrence, given the number of items its symbol stands for (0: suppressed) and of all items."""


def local_ncp_numerator(column: SetColumn, recoding: Cut | ItemGroups | PerCluster) -> int:
    """Return the integer core of the NCP: the items each occurrence's symbol stands for, 0 for one, M if suppressed.

    Parameters
    ----------
    column
        The **original** column, bound to the recoding's hierarchy or vocabulary.

    Raises
    ------
    InputError
        If it is not.
    """
    return occurrence_costs(column, recoding, _costs)


def local_ncp_exact(column: SetColumn, recoding: Cut | ItemGroups | PerCluster) -> Fraction:
    """Return the NCP as a fraction in [0, 1]; 0 for a column without items. Of a cut it is `ncp.ncp_exact`.

    Examples
    --------
    >>> from anonset.data import Hierarchy
    >>> h = Hierarchy.from_tree(("ALL", [("A", ["a1", "a2"]), ("B", ["b1", "b2"])]))
    >>> column = h.bind(SetColumn.of([["a1"], ["a2"], ["a1"]]))
    >>> cut = Cut(h, np.array([h.node_of["A"]] * 2 + h.children(h.node_of["B"]), np.int32))
    >>> local_ncp_exact(column, PerCluster(np.array([0, 0, 1], np.int32), (cut, Cut.identity(h))))
    Fraction(1, 3)

    Raises
    ------
    InputError
        If the column is not bound to the recoding's hierarchy or vocabulary.
    """
    return Fraction(local_ncp_numerator(column, recoding), max(1, len(column.vocabulary) * len(column.items)))


def local_ncp(column: SetColumn, recoding: Cut | ItemGroups | PerCluster) -> float:
    """Return the NCP: the exact value, rounded once."""
    return float(local_ncp_exact(column, recoding))


def occurrence_costs(column: SetColumn, recoding: Cut | ItemGroups | PerCluster, costs: Costs) -> int:
    """Sum a cost over all occurrences of items, each by the symbol that its record publishes it as.

    Cost: O(nnz), and O(M) for each cluster.
    """
    n_items = len(column.vocabulary)
    if not isinstance(recoding, PerCluster):
        return _sum(column.occurrences, costs(_sizes(column, recoding), n_items))
    if len(recoding.cluster) != column.n:
        msg = f"the recoding names the clusters of {len(recoding.cluster)} records, the column has {column.n}"
        raise InputError(msg)
    order = np.argsort(recoding.cluster, kind="stable").astype(np.int64)
    items = column.take(order).items
    lengths = np.bincount(recoding.cluster, weights=column.lengths, minlength=len(recoding.items))
    ends = np.concatenate([[0], np.cumsum(np.rint(lengths).astype(np.int64))])
    total = 0
    for c, mapping in enumerate(recoding.items):
        own = items[ends[c] : ends[c + 1]]
        total += int(costs(_sizes(column, mapping), n_items)[own].sum())
    return total


def _costs(sizes: Int64, n_items: int) -> Int64:
    return np.where(sizes == 0, n_items, np.where(sizes == 1, 0, sizes)).astype(np.int64)


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


def _sum(counts: Int64, costs: Int64) -> int:
    """Return the sum of products, in Python integers where int64 might overflow."""
    if int(counts.sum()) * int(costs.max(initial=0)) < 2**63:
        return int(counts @ costs)
    return sum(count * cost for count, cost in zip(counts.tolist(), costs.tolist(), strict=True))
