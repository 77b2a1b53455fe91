"""Bit and tree primitives, called from kernels and from Python."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numba.core.errors import TypingError

from anonset.data import Hierarchy
from anonset_kernels._bits import bit, bit_count, trailing_zeros
from anonset_kernels._jit import kernel
from anonset_kernels.rare_sets._tree import is_below

words = st.integers(1, 2**64 - 1)


@kernel()
def primitives(word: int, position: int) -> tuple[int, int, int]:
    return bit_count(word), trailing_zeros(word), bit(position)


@given(words, st.integers(0, 63))
def test_bit_primitives_agree_in_kernels_and_in_python(word, position):
    expected = (bin(word).count("1"), len(bin(word)) - len(bin(word).rstrip("0")), 1 << position)
    assert tuple(map(int, primitives(np.uint64(word), position))) == expected
    assert (bit_count(np.uint64(word)), trailing_zeros(np.uint64(word)), int(bit(position))) == expected


@pytest.mark.compiled
def test_a_kernel_that_counts_no_references_must_not_allocate():
    @kernel()
    def total(n: int) -> int:
        return np.ones(n, np.int64).sum()

    with pytest.raises(TypingError, match="returning of array"):
        total(3)


def test_is_below():
    h = Hierarchy.from_tree(("ALL", [("A", ["a1", "a2"]), ("B", ["b1", ("C", ["c1", "c2"])])]))
    for node in range(h.n_nodes):
        for above in range(h.n_nodes):
            expected = node == above or above in h.ancestors(node)
            assert is_below(h.leaf_lo, h.leaf_hi, node, above) == expected
