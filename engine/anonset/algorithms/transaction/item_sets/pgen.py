"""Pgen, which derives privacy constraints from the data (Loukides, Gkoulalas-Divanis, Malin, 2010, section 5.1).

Lines of Algorithm 4 and their implementation::

    1        sort the transactions of D by falling size          np.lexsort, in generate_constraints
    2 to 4   remove each that is a subset of an earlier one      kernel pgen.maximal_rows
    5 to 7   remove each that k or more transactions contain     the number of equal rows
    8        the rest are the constraints
"""

import numpy as np

from anonset.data import SetColumn
from anonset.privacy import require_at_least
from anonset.privacy.policies import PrivacyPolicy
from anonset.publications.symbols import row_ranks


def generate_constraints(column: SetColumn, k: int) -> PrivacyPolicy:
    """Return the maximal infrequent itemsets, which are the maximal records that fewer than k records contain.

    If these constraints are satisfied, no subset of any record is linkable. The itemsets are sorted by descending size,
    then by items.

    If a record is not a proper subset of another record, only equal records contain it. Its support is then the number
    of equal records. Cost: a sort, and for each distinct record a test of the records with its rarest item. The paper
    compares every pair of records.

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
    from anonset_kernels.item_sets.pgen import maximal_rows
    from anonset_kernels.records.rows import transpose

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
