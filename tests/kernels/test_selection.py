"""Selection of the n-th smallest value without sorting."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset_kernels.relational.mondrian import nth_smallest, part_sizes


@given(st.lists(st.integers(-5, 5), min_size=1, max_size=40), st.data())
def test_equals_the_value_at_its_sorted_position(values, data):
    n = data.draw(st.integers(0, len(values) - 1))
    assert nth_smallest(np.array(values, np.float64), n) == sorted(values)[n]


@pytest.mark.parametrize("shape", ["up", "down", "up and down", "equal"])
def test_long_rows_of_any_shape(shape):
    up = np.arange(2_000.0)
    values = {"up": up, "down": up[::-1], "up and down": np.concatenate([up, up[::-1]]), "equal": up * 0}[shape]
    assert nth_smallest(values.copy(), 999) == np.sort(values)[999]


@given(st.lists(st.integers(0, 6), min_size=1))
def test_part_sizes_equal_a_count(parts):
    assert part_sizes(np.array(parts, np.int32)).tolist() == np.bincount(parts).tolist()
