"""Evidence from sex and birth that rows with the same value belong to the same person.

A pair consists of two successive rows among the first rows that have the same value of a column C. An attribute A
*agrees within C* if

* there are at least 20 pairs, and the two rows agree in A in at least 95% of them, and
* the agreement is far beyond chance. If the values of A were permuted over the rows, a pair would agree with the
  probability ``p = sum f (f - 1) / (n (n - 1))``. The sum is over the values of A, f is the frequency of a value, and n
  is the number of rows. The condition is that p is at most 0.9, and that the number of agreeing pairs exceeds the
  expected ``N p`` by five standard deviations of the binomial distribution, ``sqrt(N p (1 - p))``.

A postcode, ward, physician or product determines neither birth nor sex, because the patients of a ward, or the buyers
of a product, differ in both.
"""

from collections.abc import Sequence

import numpy as np

from anonset.data.array_types import Int64
from anonset.data.distinct import distinct

FEWEST_PAIRS = 20
_TELLING = frozenset({"birth", "sex"})
_TELLING_OF_NAMES = frozenset({"birth", "residence"})
"""Attributes that agree within a person. A first name determines the sex, whether or not it is one person."""
_AGREEING, _BY_CHANCE, _DEVIATIONS = 0.95, 0.9, 5.0


def count_distinct(codes: Int64) -> int:
    """Return the number of distinct non-negative codes in `codes`, (n,)."""
    return len(distinct(codes[codes >= 0]))


AGREE, UNKNOWN, DIFFER = 0, 1, 2
"""Evidence about a column. Birth and sex may agree within its values (each value is a person), differ (each value is,
for example, a physician), or be unknown.
"""


def evidence_of(codes: Int64, attributes: Sequence[tuple[str, str, Int64]], *, of_names: bool = False) -> int:
    """Return `AGREE`, `UNKNOWN` or `DIFFER`, which states whether birth or sex agrees within the values of a column.

    Parameters
    ----------
    codes
        Value of each row, int64 (n,). Negative if it is missing.
    attributes
        Kind, name and codes of each attribute.
    of_names
        Whether the values are names.
    """
    telling = _TELLING_OF_NAMES if of_names else _TELLING
    first, second = _pairs(codes)
    tested = False
    for kind, _, of_attribute in attributes:
        if kind in telling:
            if agrees(of_attribute, first, second):
                return AGREE
            comparable = (of_attribute[first] >= 0) & (of_attribute[second] >= 0)
            tested |= comparable.sum() >= FEWEST_PAIRS and count_distinct(of_attribute) > 1
    return DIFFER if tested else UNKNOWN


def _pairs(codes: Int64) -> tuple[Int64, Int64]:
    """Return the first and the second row of all pairs. A pair is a row with a value, and the next row with the same
    value.
    """
    order = np.argsort(codes, kind="stable")
    order = order[codes[order] >= 0]
    same = codes[order[1:]] == codes[order[:-1]]
    return order[:-1][same], order[1:][same]


def agrees(codes: Int64, first: Int64, second: Int64) -> bool:
    """Return True if pairs of rows agree in a column far more often than by chance."""
    counts = np.bincount(codes[codes >= 0]).astype(np.float64)
    n = counts.sum()
    both_filled = (codes[first] >= 0) & (codes[second] >= 0)
    pairs, agreed = int(both_filled.sum()), int((both_filled & (codes[first] == codes[second])).sum())
    if n < 2 or pairs < FEWEST_PAIRS:
        return False
    p = float((counts * (counts - 1)).sum() / (n * (n - 1)))
    beyond = agreed - pairs * p > _DEVIATIONS * float(np.sqrt(pairs * p * (1 - p)))
    return agreed >= _AGREEING * pairs and p <= _BY_CHANCE and beyond
