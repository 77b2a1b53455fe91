"""Pgen of Loukides, Gkoulalas-Divanis, Malin, 2010, section 5.1: privacy constraints from the data themselves.

Algorithm 4, and where its lines are::

    1        the transactions of D by falling size               np.lexsort, in generate_constraints
    2 to 4   remove those that are part of one before            kernel pgen.maximal_rows
    5 to 7   remove those that k transactions or more hold       the number of equal rows
    8        the others are the constraints
"""

import numpy as np

from anonset.data import SetColumn
from anonset.privacy import require_at_least
from anonset.privacy.policies import PrivacyPolicy
from anonset.publications.symbols import row_ranks


def generate_constraints(column: SetColumn, k: int) -> PrivacyPolicy:
    """Return the maximal infrequent itemsets: whole records that fewer than k records hold, and no larger one does.

    With these as constraints, no part of any record is linkable. They are in the order of their size, largest
    first, then of their items.

    A record that no other properly contains is held by its equals alone, so no support needs to be counted beyond
    the number of equal records. Cost: sorting, and for each distinct record the records of its rarest item, where
    the paper compares every pair.

    References: Loukides, Gkoulalas-Divanis, Malin, "Towards utility-driven anonymization of transactions", 2010,
    Algorithm 4.

    Raises
    ------
    InputError
        If k is below 1.

    Examples
    --------
    >>> generate_constraints(SetColumn.of(["acf", "ac", "bh"]), 2).itemsets
    (('a', 'c', 'f'), ('b', 'h'))
    """
    from anonset_kernels.pgen import maximal_rows
    from anonset_kernels.rows import transpose

    require_at_least("k", k, 1)
    rank = row_ranks(column)
    _, first, n_equal = np.unique(rank, return_index=True, return_counts=True)
    order = np.lexsort((rank[first], -column.lengths[first]))
    order = order[column.lengths[first[order]] > 0]
    distinct = column.take(first[order])
    transposed = transpose(distinct.indptr, distinct.items, len(column.vocabulary))
    maximal = maximal_rows(distinct.indptr, distinct.items, *transposed)
    chosen = distinct.take(np.flatnonzero((maximal == 1) & (n_equal[order] < k)))
    return PrivacyPolicy(tuple(tuple(row) for row in chosen.rows()))
