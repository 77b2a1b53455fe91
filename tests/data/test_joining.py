"""Columns of joined labels are found without a comparison of each label with each column."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from anonset.data.joining import codes_by_column, columns_of, prefixed, require_joinable
from anonset.errors import InputError

TEXTS = st.text("ab:", min_size=1, max_size=4)


def conflicts(names):
    return any(second.startswith(prefixed(first, "")) for first in names for second in names if first != second)


@given(st.lists(TEXTS, unique=True, max_size=4), st.lists(TEXTS, max_size=4))
def test_columns_agree_with_the_prefixes_of_all_columns(names, items):
    if conflicts(names):
        with pytest.raises(InputError, match="cannot be joined"):
            require_joinable(names)
        return
    require_joinable(names)
    labels = [*items, *(prefixed(name, item) for name in names[::2] for item in items)]
    codes = {name: [n for n, x in enumerate(labels) if x.startswith(prefixed(name, ""))] for name in names}
    assert columns_of(names, labels) == [name for name in names if codes[name]]
    assert {name: found for name, found in codes_by_column(names, labels).items() if name} == {
        name: found for name, found in codes.items() if found
    }
