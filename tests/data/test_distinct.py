"""Runs, positions and spans equal their definitions. Searches and checks use them, so an error would affect both."""

from itertools import groupby

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from anonset.data.distinct import first_of_runs, positions
from anonset.data.spans import begins_of, spans_up_to

keys = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), max_size=20)


@given(rows=keys)
def test_the_first_of_each_run_differs_from_the_row_before(rows: list[tuple[int, int]]) -> None:
    expected = [number == 0 for _, run in groupby(rows) for number, _ in enumerate(run)]
    columns = np.array(rows, np.int64).reshape(-1, 2).T
    assert first_of_runs(*columns).tolist() == expected
    assert first_of_runs(columns[0]).tolist() == [i == 0 or rows[i][0] != rows[i - 1][0] for i in range(len(rows))]


@given(numbers=st.lists(st.integers(0, 9), unique=True), first=st.integers(0, 5))
def test_positions_are_those_of_a_list(numbers: list[int], first: int) -> None:
    expected = [numbers.index(n) + first if n in numbers else -1 for n in range(10)]
    assert positions(np.array(numbers, np.int64), 10, first).tolist() == expected


@given(sizes=st.lists(st.integers(0, 6), max_size=20), most=st.integers(1, 9), shift=st.integers(0, 4))
def test_spans_are_as_long_as_the_limit_allows(sizes: list[int], most: int, shift: int) -> None:
    spans = list(spans_up_to(begins_of(np.array(sizes, np.int64)) + shift, most))
    assert [run for first, end in spans for run in range(first, end)] == list(range(len(sizes)))
    for first, end in spans:
        assert end == first + 1 or sum(sizes[first:end]) <= most
        assert end == len(sizes) or sum(sizes[first : end + 1]) > most
