"""Losses by the number of items that the published symbol of each occurrence stands for: NCP and LM, exactly.

NCP of items where clusters of records have recodings of their own, or items form groups: each occurrence costs what its
own partition publishes it as, over the same denominator as a global recoding; a suppressed one costs 1, one in a group
of s items s / M. LM costs (leaves - 1) / (L - 1) where an occurrence is published as a node, with L the leaves of the
root, and 1 where it is suppressed. LM is not NCP: a node of two leaves costs 1 / (L - 1), not 2 / L.

References: He and Naughton, VLDB 2009, section 3.2; Iyengar, KDD 2002; Liu and Wang, "Anonymizing transaction data by
integrating suppression and generalization", 2010, section 2.
"""

from fractions import Fraction

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
    counts = np.zeros(len(column.vocabulary) + 1, np.int64)
    if not isinstance(recoding, PerCluster):
        np.add.at(counts, sizes_of_items(column, recoding), column.occurrences)
        return counts
    if len(recoding.cluster) != column.n:
        msg = f"the recoding names the clusters of {len(recoding.cluster)} records, the column has {column.n}"
        raise InputError(msg)
    for records, own in recoding.pieces():
        _add_occurrences(counts, column if records is None else column.take(records), own)
    return counts


def _add_occurrences(counts: Int64, column: SetColumn, recoding: PerCluster) -> None:
    """Add the occurrences in the records of a part."""
    order = np.argsort(recoding.cluster, kind="stable").astype(np.int64)
    items = column.take(order).items
    lengths = np.bincount(recoding.cluster, weights=column.lengths, minlength=len(recoding.items))
    ends = np.concatenate([[0], np.cumsum(np.rint(lengths).astype(np.int64))])
    for c, mapping in enumerate(recoding.items):
        own = items[ends[c] : ends[c + 1]]
        np.add.at(counts, sizes_of_items(column, mapping)[own], 1)


def weighted_sum(by_size: Int64, costs: Int64) -> int:
    """Return the sum of a cost over all occurrences, by the size of their symbols, as a Python integer.

    Parameters
    ----------
    costs
        int64 (M + 1,): cost of an occurrence by that size.
    """
    there = np.flatnonzero(by_size)
    return sum(count * cost for count, cost in zip(by_size[there].tolist(), costs[there].tolist(), strict=True))


def sizes_of_items(column: SetColumn, mapping: Cut | ItemGroups) -> Int64:
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
    return _ncp_numerator(occurrences_by_size(column, recoding))


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
    return ncp_of_sizes(occurrences_by_size(column, recoding))


def local_ncp(column: SetColumn, recoding: Cut | ItemGroups | PerCluster) -> float:
    """Return the NCP: the exact value, rounded once."""
    return float(local_ncp_exact(column, recoding))


def ncp_of_sizes(by_size: Int64) -> Fraction:
    """Return the NCP, given the occurrences by the number of items that their symbol stands for (`occurrences`)."""
    return Fraction(_ncp_numerator(by_size), max(1, (len(by_size) - 1) * int(by_size.sum())))


def _ncp_numerator(by_size: Int64) -> int:
    costs = np.arange(len(by_size), dtype=np.int64)
    costs[0], costs[1:2] = len(by_size) - 1, 0
    return weighted_sum(by_size, costs)


def lm_numerator(column: SetColumn, recoding: Cut | ItemGroups | PerCluster) -> int:
    """Return the integer core of LM: the sum of leaves - 1 over the occurrences, L - 1 where they are suppressed.

    Divided by L - 1 it is the cost that HgHs minimises.

    Parameters
    ----------
    column
        The **original** column, bound to the recoding's hierarchy or vocabulary.

    Raises
    ------
    InputError
        If it is not.
    """
    return _lm_numerator(occurrences_by_size(column, recoding))


def lm_exact(column: SetColumn, recoding: Cut | ItemGroups | PerCluster) -> Fraction:
    """Return LM averaged over the occurrences, in [0, 1]; 0 for a column without items or of one item.

    Examples
    --------
    >>> from anonset.data import Hierarchy
    >>> h = Hierarchy.from_tree(("ALL", [("A", ["a1", "a2"]), ("B", ["b1", "b2"])]))
    >>> column = h.bind(SetColumn.of([["a1", "b1"], ["a2", "b2"]]))
    >>> nodes = [h.node_of["A"]] * 2 + [h.node_of["b1"], -1]
    >>> lm_exact(column, Cut(h, np.array(nodes, np.int32)))
    Fraction(5, 12)

    Raises
    ------
    InputError
        If the column is not bound to the recoding's hierarchy.
    """
    return lm_of_sizes(occurrences_by_size(column, recoding))


def lm(column: SetColumn, recoding: Cut | ItemGroups | PerCluster) -> float:
    """Return LM averaged over the occurrences: the exact value, rounded once."""
    return float(lm_exact(column, recoding))


def lm_of_sizes(by_size: Int64) -> Fraction:
    """Return LM, given the occurrences by the number of items that their symbol stands for (`occurrences`)."""
    return Fraction(_lm_numerator(by_size), max(1, (len(by_size) - 2) * int(by_size.sum())))


def _lm_numerator(by_size: Int64) -> int:
    costs = np.arange(-1, len(by_size) - 1, dtype=np.int64)
    costs[0] = max(0, len(by_size) - 2)
    return weighted_sum(by_size, costs)
