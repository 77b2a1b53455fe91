"""Index of code sets by their last codes."""

from typing import NamedTuple

from anonset_kernels._arrays import Int32Array, Int32Matrix, Int64Array, Itemset
from anonset_kernels._candidates import first_at_least
from anonset_kernels._jit import kernel


class SetIndex(NamedTuple):
    """Sets of equal size (>= 3), sorted by last code, second last, third last, then the others.

    P is the number of distinct pairs of last codes, Q the number of distinct triples.
    """

    sets: Int32Matrix
    """int32 (T, size): ascending codes."""
    begin: Int64Array
    """int64 (C + 1,): first pair of each last code."""
    partner: Int32Array
    """int32 (P,): second last code of each pair, ascending per last code."""
    first: Int64Array
    """int64 (P + 1,): first triple of each pair."""
    third: Int32Array
    """int32 (Q,): third last code, ascending per pair."""
    bounds: Int64Array
    """int64 (Q + 1,): first set of each triple."""
    lowest: int
    """Smallest last code."""


@kernel()
def place_of(index: SetIndex, itemset: Itemset) -> int:
    """Return the position of a set of ascending codes in the index, or -1."""
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
