"""LM: the loss metric of hierarchy cuts with suppression, exactly.

References: Iyengar, KDD 2002; Liu and Wang, "Anonymizing transaction data by integrating suppression and
generalization", 2010, section 2. An occurrence that is published as a node costs (leaves - 1) / (L - 1), with L
the leaves of the root, and a suppressed one 1. LM is not NCP: a node of two leaves costs 1 / (L - 1), not 2 / L.
"""

from fractions import Fraction

import numpy as np

from anonset.data import SetColumn
from anonset.data.table import Int64
from anonset.generalization import Cut, ItemGroups, PerCluster
from anonset.measures.occurrences import occurrences_by_size, weighted_sum


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
    return _numerator(occurrences_by_size(column, recoding))


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
    return Fraction(_numerator(by_size), max(1, (len(by_size) - 2) * int(by_size.sum())))


def _numerator(by_size: Int64) -> int:
    costs = np.arange(-1, len(by_size) - 1, dtype=np.int64)
    costs[0] = max(0, len(by_size) - 2)
    return weighted_sum(by_size, costs)
