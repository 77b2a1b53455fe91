"""Codes of a record (nodes of the items, and all ancestors), as a bitmap and as a sorted list."""

from typing import NamedTuple

import numpy as np

from anonset_kernels._arrays import Int32Array, Int64Array, LeafNode, Parent, UInt64Array
from anonset_kernels._bits import bit, trailing_zeros
from anonset_kernels._jit import kernel


class Ancestors(NamedTuple):
    """Codes of each leaf's node and of all ancestors, as the non-zero words of bitmaps."""

    start: Int64Array
    """int64 (M + 1,): first word of each leaf."""
    place: Int32Array
    """int32 (entries,): bitmap index of each word."""
    words: UInt64Array
    """uint64 (entries,)."""
    n_codes: Int32Array
    """int32 (M,): number of codes of each leaf."""


class Record(NamedTuple):
    """Buffers for the codes of a record."""

    words: UInt64Array
    """uint64 (W,): bitmap of the codes; zero between records."""
    used: UInt64Array
    """uint64 ((W + 63) // 64,): bitmap of the non-zero words; zero between records."""
    place: Int32Array
    """int32 (W,): indices of the non-zero words, ascending."""
    codes: Int32Array
    """int32 (C,): codes, ascending."""


@kernel()
def ancestor_codes(leaf_node: LeafNode, parent: Parent, code: Int32Array, height: int) -> Ancestors:
    """Return the codes of each leaf's node and of all ancestors.

    Parameters
    ----------
    code
        int32 (V,): code of each node; -1 omits it.
    height
        Largest number of nodes on a path.
    """
    start, most = np.zeros(len(leaf_node) + 1, np.int64), len(leaf_node) * height
    place, words, filled = np.empty(most, np.int32), np.zeros(most, np.uint64), 0
    n_codes = np.zeros(len(leaf_node), np.int32)
    for leaf in range(len(leaf_node)):
        node = leaf_node[leaf]
        while node >= 0:
            c = code[node]
            if c >= 0:
                i = start[leaf]
                while i < filled and place[i] != c >> 6:
                    i += 1
                filled = max(filled, i + 1)
                place[i] = c >> 6
                words[i] |= bit(c & 63)
                n_codes[leaf] += 1
            node = parent[node]
        start[leaf + 1] = filled
    return Ancestors(start, place[:filled].copy(), words[:filled].copy(), n_codes)


@kernel()
def room_for_record(n_codes: int) -> Record:
    """Allocate buffers for the codes of a record."""
    n_words = (n_codes + 63) >> 6
    return Record(
        np.zeros(n_words, np.uint64),
        np.zeros((n_words + 63) >> 6, np.uint64),
        np.empty(n_words, np.int32),
        np.empty(n_codes, np.int32),
    )


@kernel()
def take_record(of_record: Int32Array, ancestors: Ancestors, record: Record) -> tuple[int, int]:
    """Store the codes of a record; return the number of codes and of words.

    ``of_record`` is int32 (any,): items of the record. The caller must clear the words.

    All words of an item's codes are written unconditionally, because a check would take longer.
    """
    start, place, codes = ancestors.start, ancestors.place, ancestors.words
    words, used = record.words, record.used
    for item in of_record:
        for place_of_word in range(start[item], start[item + 1]):
            w = place[place_of_word]
            words[w] |= codes[place_of_word]
            used[w >> 6] |= bit(w & 63)
    n = n_words = 0
    for i in range(len(used)):
        bits, used[i] = used[i], np.uint64(0)
        while bits != 0:
            w = i * 64 + trailing_zeros(bits)
            bits &= bits - np.uint64(1)
            record.place[n_words] = w
            n_words += 1
            word = words[w]
            while word != 0:
                record.codes[n] = w * 64 + trailing_zeros(word)
                n += 1
                word &= word - np.uint64(1)
    return n, n_words
