"""Index of code sets by their largest codes."""

from typing import NamedTuple

from anonset_kernels._arrays import Int32Array, Int32Matrix, Int64Array, Itemset
from anonset_kernels._jit import kernel
from anonset_kernels._sorted import first_at_least


class SetIndex(NamedTuple):
    """Sets of equal size (>= 3), sorted by the last code, the second last, the third last, then the remaining codes.

    The codes of each set are ascending. P is the number of distinct pairs of the last two codes, and Q is the number of
    distinct triples of the last three.
    """

    sets: Int32Matrix
    """Codes of each set in ascending order, int32 (T, size)."""
    begin: Int64Array
    """First pair of each last code, int64 (C + 1,)."""
    partner: Int32Array
    """Second last code of each pair, int32 (P,). Ascending for each last code."""
    first: Int64Array
    """First triple of each pair, int64 (P + 1,)."""
    third: Int32Array
    """Third last code of each triple, int32 (Q,). Ascending for each pair."""
    bounds: Int64Array
    """First set of each triple, int64 (Q + 1,)."""
    lowest: int
    """Smallest last code."""


@kernel()
def place_of(index: SetIndex, itemset: Itemset) -> int:
    """Return the position in the index of a set of ascending codes, or -1 if the index does not contain the set."""
    size = len(itemset)
    last = itemset[size - 1]
    pair = first_at_least(index.partner, index.begin[last], index.begin[last + 1], itemset[size - 2])
    if pair == index.begin[last + 1] or index.partner[pair] != itemset[size - 2]:
        return -1
    triple = first_at_least(index.third, index.first[pair], index.first[pair + 1], itemset[size - 3])
    if triple == index.first[pair + 1] or index.third[triple] != itemset[size - 3]:
        return -1
    for place in range(index.bounds[triple], index.bounds[triple + 1]):
        same = True
        for j in range(size - 3):
            same &= index.sets[place, j] == itemset[j]
        if same:
            return place
    return -1
