"""NCP of items where clusters of records have recodings of their own, or items form groups, exactly.

References: He and Naughton, VLDB 2009, section 3.2: each occurrence costs what its own partition publishes it as,
over the same denominator as a global recoding. A suppressed occurrence costs 1, one in a group of s items s / M.
"""

from fractions import Fraction

import numpy as np

from anonset.data import SetColumn
from anonset.data.table import Int64
from anonset.generalization import Cut, ItemGroups, PerCluster
from anonset.measures.occurrences import occurrences_by_size, weighted_sum


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
    return _numerator(occurrences_by_size(column, recoding))


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
    return Fraction(_numerator(by_size), max(1, (len(by_size) - 1) * int(by_size.sum())))


def _numerator(by_size: Int64) -> int:
    costs = np.arange(len(by_size), dtype=np.int64)
    costs[0], costs[1:2] = len(by_size) - 1, 0
    return weighted_sum(by_size, costs)
