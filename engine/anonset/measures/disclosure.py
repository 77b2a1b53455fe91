"""What the records of an equivalence class give away of a sensitive value, although nobody is told apart."""

from typing import NamedTuple

import numpy as np

from anonset.data import CategoricalColumn
from anonset.data.table import Int64


class Disclosure(NamedTuple):
    """How much the classes give away of a sensitive column."""

    l: int  # noqa: E741
    """Different values in the class that has the fewest: 1 tells the value to whoever finds the class."""
    t: float
    """Largest distance of a class's distribution from that of all records (each value as far from each other)."""
    homogeneous: float
    """Share of the records in classes that hold one value alone."""


def disclosure(classes: Int64, sensitive: CategoricalColumn) -> Disclosure:
    """Return the l-diversity (distinct values) and the t-closeness that is observed.

    Parameters
    ----------
    classes
        int64 (n,): class of each record, from 0.
    sensitive
        The values.

    References: Machanavajjhala et al., TKDD 2007 (l-diversity); Li, Li, Venkatasubramanian, ICDE 2007 (t-closeness).

    Examples
    --------
    >>> disclosure(np.array([0, 0, 1, 1]), CategoricalColumn.of("illness", ["flu", "flu", "flu", "hiv"]))
    Disclosure(l=1, t=0.25, homogeneous=0.5)
    """
    n = len(classes)
    if not n:
        return Disclosure(0, 0.0, 0.0)
    n_values = max(1, len(sensitive.vocabulary))
    pairs, counts = np.unique(classes * n_values + sensitive.codes, return_counts=True)
    of_class, value = pairs // n_values, pairs % n_values
    size = np.bincount(classes)
    overall = np.bincount(sensitive.codes, minlength=n_values) / n
    different = np.bincount(of_class)
    # half of |p - q| over all values; where p is 0, that is q, and the q of all values are 1 together
    share = counts / size[of_class]
    apart = np.abs(share - overall[value]) - overall[value]
    distance = (1.0 + np.bincount(of_class, weights=apart)) / 2
    alone = int(size[different == 1].sum())
    return Disclosure(int(different.min()), max(0.0, float(distance.max())), alone / n)
