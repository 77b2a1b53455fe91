"""Sets of codes, found by their last codes."""

from typing import NamedTuple

from anonset_kernels._arrays import Int32Array, Int32Matrix, Int64Array, Itemset
from anonset_kernels._candidates import first_at_least
from anonset_kernels._jit import kernel


class SetIndex(NamedTuple):
    """Sets of one size (>= 3), in the order of their last code, the one before it, the third last, then the others.

    P pairs of last codes differ, and Q triples.
    """

    sets: Int32Matrix
    """int32 (T, size): ascending codes."""
    begin: Int64Array
    """int64 (C + 1,): where the pairs of each last code begin."""
    partner: Int32Array
    """int32 (P,): the code before the last one, ascending for each."""
    first: Int64Array
    """int64 (P + 1,): where the triples of each pair begin."""
    third: Int32Array
    """int32 (Q,): the third last code, ascending for each pair."""
    bounds: Int64Array
    """int64 (Q + 1,): where the sets of each triple begin."""
    lowest: int
    """The first last code."""


@kernel()
def place_of(index: SetIndex, itemset: Itemset) -> int:
    """Return the place of a set of ascending codes in an index; -1 if it is not there."""
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
