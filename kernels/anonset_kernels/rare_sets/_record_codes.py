"""Codes of a record, as a bitmap and as a sorted list.

The codes represent the nodes of the record's items and all ancestors of these nodes.
"""

from typing import NamedTuple

import numpy as np

from anonset_kernels._arrays import Int32Array, Int64Array, LeafNode, Parent, UInt64Array
from anonset_kernels._bits import bit, trailing_zeros
from anonset_kernels._jit import kernel


class Ancestors(NamedTuple):
    """Codes of each leaf's node and all its ancestors.

    The codes of a leaf are stored as the non-zero words of a bitmap.
    """

    start: Int64Array
    """First word of each leaf, int64 (M + 1,)."""
    place: Int32Array
    """Bitmap index of each word, int32 (entries,)."""
    words: UInt64Array
    """Non-zero words of each leaf's bitmap, uint64 (entries,)."""
    n_codes: Int32Array
    """Number of codes of each leaf, int32 (M,)."""


class Record(NamedTuple):
    """Buffers for the codes of a record."""

    words: UInt64Array
    """Bitmap of the codes, uint64 (W,). Zero between records."""
    used: UInt64Array
    """Bitmap of the non-zero words, uint64 ((W + 63) // 64,). Zero between records."""
    place: Int32Array
    """Indices of the non-zero words in ascending order, int32 (W,)."""
    codes: Int32Array
    """Codes in ascending order, int32 (C,)."""


@kernel(allocates=True)
def ancestor_codes(leaf_node: LeafNode, parent: Parent, code: Int32Array, height: int) -> Ancestors:
    """Return the codes of each leaf's node and of all its ancestors.

    Parameters
    ----------
    code
        int32 (V,): code of each node. Nodes with -1 are omitted.
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


@kernel(allocates=True)
def room_for_record(n_codes: int) -> Record:
    n_words = (n_codes + 63) >> 6
    return Record(
        np.zeros(n_words, np.uint64),
        np.zeros((n_words + 63) >> 6, np.uint64),
        np.empty(n_words, np.int32),
        np.empty(n_codes, np.int32),
    )


@kernel()
def take_record(of_record: Int32Array, ancestors: Ancestors, record: Record) -> tuple[int, int]:
    """Store the codes of a record. Return the number of codes and the number of non-zero words.

    ``of_record``, int32 (any,), contains the items of the record. The caller must clear the words afterwards.

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
