"""The table of growth covers every algorithm, and describes measured times."""

import pytest
from benchmarks.algorithms.test_bench_families import CASES, Case, small
from benchmarks.growth import described, larger, measured

from anonset.algorithms.registry import ALGORITHMS


def test_every_algorithm_is_measured() -> None:
    assert {case.algorithm for case in CASES} == set(ALGORITHMS)


@pytest.mark.long
def test_sizes_grow_until_a_search_is_long(monkeypatch: pytest.MonkeyPatch) -> None:
    case = Case("optimal", 1, small, {"k": 5, "m": 2, "max_cuts": 10**9})
    monkeypatch.setattr("benchmarks.growth.SIZES", (100, 200, 300))
    assert [records for records, _ in measured(case)] == [100, 200, 300]
    monkeypatch.setattr("benchmarks.growth.LONG", 0.0)
    assert [records for records, _ in measured(case)] == [100]


def test_a_table_that_is_rejected_ends_the_measurement(monkeypatch: pytest.MonkeyPatch) -> None:
    case = Case("optimal", 1, small, {"k": 5, "m": 2, "max_cuts": 1})
    monkeypatch.setattr("benchmarks.growth.SIZES", (100, 200))
    assert list(measured(case)) == []


@pytest.mark.parametrize(
    ("points", "text"),
    [
        ([(1_000, 0.011), (10_000, 0.02), (100_000, 0.11)], "10 ms + 1 µs per record"),
        ([(1_000, 0.001), (10_000, 0.01), (100_000, 0.1)], "1 µs per record"),
        ([(1_000, 0.01), (2_000, 0.04), (4_000, 0.16)], "records^2.0"),
    ],
)
def test_growth_as_text(points: list[tuple[int, float]], text: str) -> None:
    assert described(points) == text


@pytest.mark.parametrize(
    ("algorithm", "text"),
    [
        ("apriori", "in blocks"),
        ("k-member", "rejected above 100,000 records"),
        ("hghs", "in memory only"),
        ("mondrian", "in parts of at most 131,072 records"),
    ],
)
def test_what_happens_to_larger_tables(algorithm: str, text: str) -> None:
    assert larger(algorithm) == text
