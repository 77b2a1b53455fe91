"""Record codes in Gray order, compared with ranks of bit vectors, and the inverse."""

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonset_kernels.partitions.gray import gray_codes, gray_items

BITS = 5
bit_sets = st.lists(st.sets(st.integers(0, BITS - 1)).map(sorted), max_size=12)


def rank(bits):
    """Return the position of a bit vector in the reflected Gray code. The first bit is the most significant."""
    code = sum(1 << (BITS - 1 - bit) for bit in bits)
    place = 0
    while code:
        place ^= code
        code >>= 1
    return place


def keys_of(rows):
    indptr = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    return gray_codes(indptr, np.array([bit for row in rows for bit in row], np.int32), BITS)


@given(bit_sets)
def test_codes_compare_as_the_ranks_of_the_bit_vectors(rows):
    indptr, codes = keys_of(rows)
    keys = [codes[a:b].tolist() for a, b in pairwise(indptr)]
    assert all(0 <= code <= BITS for key in keys for code in key)
    order = sorted(range(len(rows)), key=lambda at: keys[at])
    assert order == sorted(range(len(rows)), key=lambda at: rank(rows[at]))


@given(bit_sets, st.integers(0, 3), st.permutations(range(BITS)))
def test_items_are_restored_from_codes(rows, first, item_of_bit):
    indptr, codes = keys_of(rows)
    begins, items = gray_items(indptr[min(first, len(rows)) :], codes, np.array(item_of_bit, np.int32))
    result = [items[a:b].tolist() for a, b in pairwise(begins)]
    assert result == [[item_of_bit[bit] for bit in row] for row in rows[first:]]
