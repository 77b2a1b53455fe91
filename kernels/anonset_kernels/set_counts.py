"""Counting given sets of codes, up to k, in one pass over the records: each set is looked for from its last code on."""

from typing import NamedTuple

import numpy as np

from anonset_kernels._arrays import Codes, Int32Array, Int32Matrix, Int64Array, UInt64Array, UInt64Matrix
from anonset_kernels._bits import trailing_zeros
from anonset_kernels._candidates import first_at_least
from anonset_kernels._jit import kernel
from anonset_kernels._saturation import gather_words


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


class Wanted(NamedTuple):
    """The sets of an index that have not been met k times; changed by counting."""

    pairs: UInt64Matrix
    """uint64 (L, W): for each last code, from the lowest on, the bits of the codes before it in wanted sets."""
    thirds: UInt64Matrix
    """uint64 (P, W): for each pair, the bits of the third last codes with which some set is wanted."""
    triples_left: Int32Array
    """int32 (P,): number of wanted triples of each pair."""
    order: Int32Array
    """int32 (T,): for each triple, its wanted sets, then the others."""
    left: Int32Array
    """int32 (Q,): number of wanted sets of each triple."""
    met: Int32Array
    """int32 (T,): records that hold each set, up to k."""


@kernel()
def count_sets(codes: Codes, k: int, index: SetIndex, wanted: Wanted) -> None:
    """Add the records that hold each set to ``wanted.met``, up to `k`.

    Cost: a look at each word of a record's bitmap for each of its codes, and again for each pair of them that ends a
    wanted set.
    """
    size, n_codes = index.sets.shape[1], len(index.begin) - 1
    stamp = np.full(n_codes, -1, np.int64)
    words, used = np.empty((n_codes + 63) // 64, np.uint64), np.empty((n_codes + 63) // 64, np.int32)
    begin = 0
    for end in range(len(codes)):
        if codes[end] >= 0:
            stamp[codes[end]] = begin
            continue
        n_words = gather_words(codes, begin, end, words, used) if end - begin >= size else 0
        for j in range(begin + size - 1, end if n_words > 0 else begin):
            last = codes[j]
            if index.begin[last] == index.begin[last + 1]:
                continue
            row = wanted.pairs[last - index.lowest]
            for w in range(n_words):
                if used[w] > last >> 6:
                    break
                found = words[w] & row[used[w]]
                while found != 0:
                    low = found & (~found + np.uint64(1))
                    found ^= low
                    before = used[w] * 64 + trailing_zeros(low)
                    pair = first_at_least(index.partner, index.begin[last], index.begin[last + 1], before)
                    _count_pair(pair, begin, words, used, w, stamp, k, index, wanted)
                    if wanted.triples_left[pair] == 0:
                        row[used[w]] ^= low
        begin = end + 1


@kernel()
def _count_pair(
    pair: int, record: int, words: UInt64Array, used: Int32Array, last_word: int, stamp: Int64Array, k: int,
    index: SetIndex, wanted: Wanted,
) -> None:  # fmt: skip
    """Count a record that holds a pair for the wanted sets that the pair ends."""
    thirds = wanted.thirds[pair]
    for w in range(last_word + 1):
        found = words[w] & thirds[used[w]]
        while found != 0:
            low = found & (~found + np.uint64(1))
            found ^= low
            code = used[w] * 64 + trailing_zeros(low)
            triple = first_at_least(index.third, index.first[pair], index.first[pair + 1], code)
            _count_triple(triple, record, stamp, k, index, wanted)
            if wanted.left[triple] == 0:
                thirds[used[w]] ^= low
                wanted.triples_left[pair] -= 1


@kernel()
def _count_triple(triple: int, record: int, stamp: Int64Array, k: int, index: SetIndex, wanted: Wanted) -> None:
    """Count a record, whose codes bear its stamp, for the wanted sets that end with three codes and that it holds."""
    others, place = index.sets.shape[1] - 3, index.bounds[triple]
    end = place + wanted.left[triple]
    while place < end:
        t = wanted.order[place]
        held = True
        for j in range(others):
            if stamp[index.sets[t, j]] != record:
                held = False
                break
        if held:
            wanted.met[t] += 1
            if wanted.met[t] == k:
                end -= 1
                wanted.order[place], wanted.order[end] = wanted.order[end], t
                wanted.left[triple] -= 1
                continue
        place += 1
