"""Workloads: sources of their items, and reproducibility by seed."""

from collections.abc import Callable

import numpy as np
import pytest
from tests.facts import refused

from anonset.data import SetColumn, Table
from anonset.data.split_mix import SplitMix
from anonset.errors import InputError
from anonset.generalization import ItemGroups, apply
from anonset.publications import Records
from anonset.queries import Query, Workload, domain_workload, published_workload, record_workload

ROWS = ["abcdefgh", "acefg", "cdefh", "acef", "efgh", "defg", "abde", "acf", "ac", "bh", ""]


def column() -> SetColumn:
    return SetColumn.of(ROWS, universe="abcdefghxyz")


def publication() -> Records:
    groups = ItemGroups(column().vocabulary, np.array([0, 0, 1, -1, 2, 3, 4, 4, 5, 5, 6], np.int32))
    return apply(Table(column()), groups)


def test_split_mix_equals_the_published_numbers() -> None:
    random = SplitMix(0)
    assert [random.next() for _ in range(3)] == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]


def test_distinct_indices_are_distinct() -> None:
    assert sorted(SplitMix(3).distinct(5, 5)) == [0, 1, 2, 3, 4]
    assert len(set(SplitMix(3).distinct(10**12, 100))) == 100


def test_queries_of_records_are_in_a_record() -> None:
    rows = [set(row) for row in ROWS]
    workload = record_workload(column(), 50, 3, seed=4)
    assert (len(workload), workload.source, workload.seed) == (50, "record", 4)
    for query in workload.queries:
        assert len(set(query.items)) == 3
        assert list(query.items) == sorted(query.items)
        assert any(set(query.items) <= row for row in rows)
    assert {len(query.items) for query in record_workload(column(), 20, 8).queries} == {8}


def test_queries_of_the_domain_take_any_item() -> None:
    queries = domain_workload(column(), 300, 2).queries
    assert {item for query in queries for item in query.items} == set("abcdefghxyz")
    assert all(len(set(query.items)) == 2 for query in queries)


def test_queries_of_published_items_use_one_item_per_occurring_symbol() -> None:
    queries = published_workload(column(), publication(), 300, 2).queries
    assert {item for query in queries for item in query.items} == set("abcefgh")
    assert not any(set(query.items) in ({"a", "b"}, {"g", "h"}) for query in queries)


MAKERS: list[Callable[[int, int, int], Workload]] = [
    lambda n, q, seed: record_workload(column(), n, q, seed),
    lambda n, q, seed: domain_workload(column(), n, q, seed),
    lambda n, q, seed: published_workload(column(), publication(), n, q, seed),
]


@pytest.mark.parametrize("make", MAKERS)
def test_a_seed_determines_the_workload(make: Callable[[int, int, int], Workload]) -> None:
    assert make(20, 2, 7) == make(20, 2, 7)
    assert make(20, 2, 7) != make(20, 2, 8)
    assert make(10, 2, 7).queries == make(20, 2, 7).queries[:10]


@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize(
    ("n", "q", "seed", "message"),
    [
        (0, 2, 0, "n_queries 1 0"),
        (1_000_001, 2, 0, "n_queries 1000000 1000001"),
        (5, 0, 0, "n_items 1 0"),
        (5, 40, 0, "n_items"),
        (5, 2, -1, "seed 0 -1"),
    ],
)
def test_bad_numbers_are_refused(
    make: Callable[[int, int, int], Workload], n: int, q: int, seed: int, message: str
) -> None:
    with refused(InputError, message):
        make(n, q, seed)


def test_queries_are_sets_of_items() -> None:
    assert Workload.of(["aab"]).queries == (Query(("a", "b")),)
