"""Grids of numeric columns equal the naive implementation's, and have at least k values per cell."""

import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from anonset.data import NumericColumn, grids, spans
from anonset.data.decimals import exact
from anonset.data.domains import Range, domain_of, with_grid
from anonset.data.grids import Grid, grid_of
from effort import examples
from reference.grids import grid as twin

small = st.lists(st.integers(-30, 120), min_size=1, max_size=30)
skewed = st.lists(st.integers(0, 40).map(lambda e: int(1.7**e)), min_size=1, max_size=30)
heavy = st.lists(st.sampled_from([0, 0, 0, 7, 114, 594, 99_999]), min_size=1, max_size=30)
large = st.lists(st.integers(-(2**10), 2**10 - 1).map(lambda x: x << 53), min_size=1, max_size=20)
decimals = st.lists(st.integers(-5000, 5000).map(lambda x: x / 100), min_size=1, max_size=30)
floats = st.lists(
    st.floats(-1e300, 1e300, allow_nan=False, allow_subnormal=False).filter(lambda x: x == 0 or abs(x) > 1e-280),
    min_size=1,
    max_size=12,
)
lists: Any = st.one_of(small, skewed, heavy, large, decimals, floats)
ks = st.integers(1, 6)


def array(values: list[Any]) -> Any:
    all_integers = all(isinstance(value, int) for value in values)
    return np.array(values, np.int64 if all_integers else np.float64) + (0 if all_integers else 0.0)


def cells_of(grid: Grid) -> list[tuple[Fraction, Fraction]]:
    return [(exact(low), exact(high)) for low, high in zip(grid.lows.tolist(), grid.highs.tolist(), strict=True)]


@settings(max_examples=examples(100))
@given(lists, ks)
@example([0.1, 0.2, 0.30000000000000004, 0.3, 0.7], 1)
@example([3, 5, 5, 5, 9, 9, 9, 12], 3)
@example([100.0, 100.0, 100.0, 99.5, 99.25, 98.0], 2)
@example([-3, 0, 0, 1, 2, 3], 2)
def test_grids_agree_with_the_twin(values: list[Any], k: int) -> None:
    numbers = array(values)
    assert cells_of(grid_of(numbers, k)) == twin(numbers.tolist(), k, grids.MOST_CELLS)


@settings(max_examples=examples(60))
@given(st.one_of(small, skewed, heavy, decimals), ks, st.integers(2, 9), st.randoms(use_true_random=False))
def test_neither_order_nor_blocks_matter(values: list[Any], k: int, most: int, source: random.Random) -> None:
    numbers = array(values)
    mixed = array(source.sample(values, len(values)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grids, "MOST_CELLS", most)
        complete = cells_of(grid_of(numbers, k))
        patch.setattr(spans, "AT_ONCE", 7)
        assert cells_of(grid_of(mixed, k)) == complete == twin(numbers.tolist(), k, most)


@pytest.mark.long
@settings(max_examples=examples(100))
@given(lists, ks)
def test_each_cell_contains_k_records_and_all_cells_contain_all(values: list[Any], k: int) -> None:
    numbers = array(values)
    grid = grid_of(numbers, k)
    cell = np.searchsorted(grid.lows, numbers, side="right") - 1
    counts = np.bincount(cell, minlength=len(grid))
    assert counts.min() >= min(k, len(values))
    assert (grid.lows[cell] <= numbers).all()
    assert (numbers <= grid.highs[cell]).all()
    assert len(cells_of(grid)) == 1 or len(values) >= 2 * k


@settings(max_examples=examples(60))
@given(lists, ks)
def test_rounded_ranges_contain_the_originals_and_end_at_the_grid(values: list[Any], k: int) -> None:
    numbers = np.sort(array(values))
    grid = grid_of(numbers, k)
    low, high = numbers[:-1].astype(np.float64), numbers[1:].astype(np.float64)
    first, last = grid.rounded(low, high)
    single = low == high
    assert (first <= numbers[:-1]).all()
    assert (last >= numbers[1:]).all()
    assert np.array_equal(first[single], numbers[:-1][single])
    assert np.isin(first[~single], grid.lows).all()
    assert np.isin(last[~single], grid.highs).all()


@settings(max_examples=examples(60))
@given(st.one_of(decimals, floats), ks)
def test_ends_of_floats_have_few_digits(values: list[float], k: int) -> None:
    for low, high in cells_of(grid_of(np.array(values) + 0.0, k)):
        for end in (low, high):
            digits = f"{float(end):.17e}".partition("e")[0] if not end else repr(float(end)).partition("e")[0]
            assert len(digits.strip("-0").replace(".", "").strip("0")) <= 15


@pytest.mark.parametrize(
    ("values", "k", "cells"),
    [
        ([], 5, []),
        ([5], 5, [(5, 5)]),
        ([17] * 9, 5, [(17, 17)]),
        ([3, 1000], 5, [(0, 1000)]),  # fewer than k
        ([*[30] * 8, 91, 93, 97, 99, 104], 5, [(30, 49), (50, 120)]),
        ([0.1 + 0.2] * 5 + [0.1] * 5, 5, [(0.1, 0.2), (0.2, 0.300000000000002)]),
    ],
)
def test_grids_of_columns_with_few_values(values: list[Any], k: int, cells: list[tuple[Any, Any]]) -> None:
    grid = grid_of(array(values), k)
    assert list(zip(grid.lows.tolist(), grid.highs.tolist(), strict=True)) == cells


def test_parts_of_a_column_have_its_grid() -> None:
    column = with_grid(NumericColumn("age", np.arange(100) % 60), 5)
    domain = domain_of(column.take(np.arange(3)))
    assert isinstance(domain, Range)
    assert domain.grid is column.slice(5, 9).grid is column.grid


@pytest.mark.parametrize(("largest", "end"), [(81, 85), (80, 80)])
def test_an_outer_end_can_depend_on_the_largest_value(largest: int, end: int) -> None:
    """The documentation names this example."""
    assert grid_of(np.array([79, 79, 79, 79, largest]), 5).highs.tolist() == [end]
