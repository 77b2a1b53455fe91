"""Exact comparison of losses with powers of two beyond any number type."""

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from anonset_kernels.item_sets._repair import compare_losses
from effort import examples

sizes = st.one_of(st.integers(1, 70), st.integers(1, 3000))
costs = st.one_of(st.integers(0, 20), st.integers(0, 2**61))


@settings(max_examples=examples(300))
@given(sizes, costs, sizes, costs)
@example(1, 3, 2, 1)
@example(2, 2**61, 63, 1)
@example(61, 2**61, 62, 2**60)
@example(70, 5, 69, 10)
@example(64, 4, 66, 1)
def test_losses_are_compared_like_big_integers(size: int, cost: int, other_size: int, other_cost: int) -> None:
    difference = (2**size - 1) * cost - (2**other_size - 1) * other_cost
    result = compare_losses(size, np.int64(cost), other_size, np.int64(other_cost))
    assert result == (difference > 0) - (difference < 0)


@settings(max_examples=examples(150))
@given(st.integers(1, 12), st.integers(1, 12), st.integers(1, 2**40))
def test_equal_losses_compare_as_equal(size: int, other_size: int, factor: int) -> None:
    ours, theirs = (2**other_size - 1) * factor, (2**size - 1) * factor
    assert compare_losses(size, np.int64(ours), other_size, np.int64(theirs)) == 0
    assert compare_losses(size, np.int64(ours + 1), other_size, np.int64(theirs)) == 1
    assert compare_losses(size, np.int64(ours), other_size, np.int64(theirs + 1)) == -1
