"""The bucket of a key equals its insertion position."""

from bisect import bisect_right

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset_kernels.records._splitters import bucket_of


@pytest.mark.parametrize(("kind", "low", "high"), [(np.int64, -(2**63), 2**63 - 1), (np.uint64, 0, 2**64 - 1)])
@given(data=st.data())
def test_a_key_is_in_the_bucket_that_it_would_be_sorted_into(kind, low, high, data):
    keys = st.integers(low, high) | st.sampled_from([low, high])
    splitters = sorted(data.draw(st.lists(keys, max_size=9)))
    key = data.draw(st.sampled_from(splitters) | keys if splitters else keys)
    assert bucket_of(np.array(splitters, kind), kind(key)) == bisect_right(splitters, key)
