"""Exact normalized certainty penalty (NCP) of the items under a hierarchy cut.

References: Terrovitis, Mamoulis, Kalnis, "Privacy-preserving anonymization of set-valued data", VLDB 2008, section 3.3.
Deviation: the paper does not suppress items. Here, each occurrence of a suppressed item costs 1.
"""

from fractions import Fraction

import numpy as np

from anonset.data import SetColumn
from anonset.data.array_types import Int64
from anonset.data.blocks import Blocks
from anonset.errors import InputError
from anonset.generalization import Cut
from anonset.generalization.recoding import SUPPRESSED

_INT64_MAX = 2**63 - 1


def ncp_numerator(column: SetColumn | Blocks, cut: Cut) -> int:
    """Return the numerator of the NCP, which is a sum over items.

    A generalized item adds its occurrences times the number of published leaves below its node. An unchanged item adds
    0. A suppressed item adds as much as an item that is generalized to the root. The NCP is the numerator divided by
    the number of leaves and by the number of occurrences.

    Parameters
    ----------
    column
        The **original** column, bound to the cut's hierarchy.
    cut
        The recoding.

    Raises
    ------
    InputError
        If the column is not bound to the cut's hierarchy.
    """
    _require_bound(column, cut)
    return _dot(column.occurrences, _leaves_of_image(cut))


def ncp_exact(column: SetColumn, cut: Cut) -> Fraction:
    """Return the NCP of a cut as a fraction in [0, 1]. Return 0 for a column without items.

    Examples
    --------
    Figure 2 of the paper: generalizing a1 and a2 to A costs 2.5/11.

    >>> from anonset.data import Hierarchy, SetColumn
    >>> h = Hierarchy.from_tree(("ALL", [("A", ["a1", "a2"]), ("B", ["b1", "b2"])]))
    >>> rows = ["a1 b1 b2", "a2 b1", "a2 b1 b2", "a1 a2 b2"]
    >>> column = h.bind(SetColumn.of(row.split() for row in rows))
    >>> nodes = [h.node_of[label] for label in ("A", "A", "b1", "b2")]
    >>> ncp_exact(column, Cut(h, np.array(nodes, np.int32)))
    Fraction(5, 22)

    Raises
    ------
    InputError
        If the column is not bound to the cut's hierarchy.
    """
    numerator = ncp_numerator(column, cut)
    return Fraction(numerator, max(1, cut.hierarchy.n_leaves * len(column.codes)))


def ncp(column: SetColumn, cut: Cut) -> float:
    """Return the NCP of a cut as a float.

    Raises
    ------
    InputError
        If the column is not bound to the cut's hierarchy.
    """
    return float(ncp_exact(column, cut))


def _leaves_of_image(cut: Cut) -> Int64:
    """Return the cost of an occurrence of each leaf, int64 (M,). 0 if the leaf is unchanged, M if it is suppressed.

    The cost of a generalized leaf is the number of published leaves below its node.
    """
    below = np.where(cut.sizes == 1, 0, cut.sizes)
    return np.where(cut.image == SUPPRESSED, cut.hierarchy.n_leaves, below[cut.image]).astype(np.int64)


def _dot(counts: Int64, costs: Int64) -> int:
    """Return the scalar product. Python integers are used if int64 might overflow."""
    if int(counts.sum()) * int(costs.max(initial=0)) <= _INT64_MAX:
        return int(counts @ costs)
    return sum(count * cost for count, cost in zip(counts.tolist(), costs.tolist(), strict=True))


def _require_bound(column: SetColumn | Blocks, cut: Cut) -> None:
    if column.vocabulary != cut.hierarchy.leaves:
        raise InputError(
            f"column {column.name!r} must be bound to the cut's hierarchy first (Hierarchy.bind): "
            f"its {len(column.vocabulary)} items differ from the {cut.hierarchy.n_leaves} leaves or their order"
        )
