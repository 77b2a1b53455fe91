"""Growth studies: sizes, nested samples, and exponents."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.facts import names, refused

from anonset.data import SetColumn, Table
from anonset.errors import InputError
from anonset.jobs.trials.growth import RunSize, growths, run_sizes, sample


def test_sizes_are_ascending_and_run_three_times() -> None:
    sizes = run_sizes("100%,3,25%", "7", None, 40)
    assert [size.records for size in sizes] == [3] * 3 + [10] * 3 + [40] * 3
    assert [size.run for size in sizes] == [1, 2, 3] * 3
    assert {size.n_items for size in sizes} == {7}
    assert [size.workers for size in run_sizes(None, None, "1,2..6:2", 40)[::3]] == [1, 2, 4, 6]
    assert run_sizes(None, None, "4", 40) == [RunSize(workers=4)]
    assert RunSize(workers=4).given == {}


@pytest.mark.parametrize("text", ["0", "41", "0%", "101%", "x", "1,,2", "-1", "1e3", "9" * 30])
def test_invalid_sizes_are_rejected(text: str) -> None:
    with refused(InputError, "--records 1 40"):
        run_sizes(text, None, None, 40)
    if "%" in text or text != "41":
        with refused(InputError, "--workers 1"):
            run_sizes(None, None, text, 40)


@given(st.lists(st.sets(st.sampled_from("abcdef")), min_size=1, max_size=30), st.integers(0, 9), st.data())
def test_a_larger_sample_contains_the_smaller_sample(rows: list[set[str]], seed: int, data: st.DataObject) -> None:
    table = Table(SetColumn.of([*rows], universe="abcdef"), kept=())
    numbered = Table.from_columns(row=[str(n) for n in range(len(rows))])
    less = data.draw(st.integers(1, len(rows)))
    more = data.draw(st.integers(less, len(rows)))
    few, many = (set(sample(numbered, RunSize(n), seed).relational[0].labels()) for n in (less, more))
    assert (len(few), few <= many) == (less, True)
    assert sample(table, RunSize(more), seed).n == more


@given(st.lists(st.sets(st.sampled_from("abcdef")), min_size=1, max_size=30), st.integers(1, 6))
def test_the_most_frequent_items_are_kept(rows: list[set[str]], n: int) -> None:
    column = SetColumn.of(rows, universe="abcdef")
    taken = sample(Table(column), RunSize(n_items=n), 0).transactions
    assert taken is not None
    often = np.argsort(-column.occurrences, kind="stable")[:n]
    frequent_labels = {column.vocabulary.labels[i] for i in often}
    assert set(taken.vocabulary.labels) == frequent_labels
    assert [set(row) for row in taken.rows()] == [row & frequent_labels for row in rows]


def test_exponents_are_fitted_per_series() -> None:
    rows = [
        {"algorithm": name, "k": 5, "records": n, "run": run, "outcome": "holds", "seconds": 1e-6 * n**power}
        for name, power in (("a", 1.0), ("b", 1.5))
        for n in (100, 1000, 10000)
        for run in (1, 2, 3)
    ]
    first, other = growths(rows, ["algorithm", "k", "records", "run"])
    assert (first.exponent, other.exponent) == (pytest.approx(1), pytest.approx(1.5))
    assert first.low <= first.exponent <= first.high
    assert names(first, "a k=5 '0 ms' '1 µs per record' 0%")
    assert names(other, "b k=5 records^1.50 95 1.50 '100 µs'")
    assert growths([row for row in rows if row["records"] == 100], ["algorithm", "k", "records", "run"]) == []
    infeasible = [{**row, "outcome": "infeasible"} for row in rows]
    assert growths(infeasible, ["algorithm", "k", "records", "run"]) == []


@pytest.mark.parametrize(
    ("seconds", "axis", "expected"),
    [
        ((0.134, 1.034, 10.034), "records", "'34 ms + 1e+03 µs per record' 0%"),  # the exponent is below 1
        ((0.2, 0.1, 0.05), "records", "'does not grow' records"),
        ((0.2, 0.1, 0.05), "workers", "workers^-0.30"),
        ((0.02, 0.11, 1.01), "n_items", "'10 ms + 100 µs per item'"),
    ],
)
def test_growth_is_a_line_if_one_fits(seconds: tuple[float, ...], axis: str, expected: str) -> None:
    rows = [
        {"algorithm": "a", axis: n, "run": run, "outcome": "holds", "seconds": took}
        for n, took in zip((100, 1000, 10000), seconds, strict=True)
        for run in (1, 2, 3)
    ]
    (growth,) = growths(rows, ["algorithm", axis, "run"])
    assert min(growth.line.fixed, growth.line.slope) >= 0
    assert names(growth, expected)
