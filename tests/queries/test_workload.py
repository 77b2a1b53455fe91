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
from anonset.queries import Query, Workload
from anonset.queries.mixed_workload import (
    QueryShape,
    mixed_domain_workload,
    mixed_published_workload,
    mixed_record_workload,
)

ROWS = ["abcdefgh", "acefg", "cdefh", "acef", "efgh", "defg", "abde", "acf", "ac", "bh", ""]


def column() -> SetColumn:
    return SetColumn.of(ROWS, universe="abcdefghxyz")


def of_items(n_items: int) -> QueryShape:
    return QueryShape(n_values=0, n_items=n_items)


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
    workload = mixed_record_workload(Table(column()), 50, of_items(3), seed=4)
    assert (len(workload), workload.source, workload.seed) == (50, "record", 4)
    for query in workload.queries:
        assert len(set(query.items)) == 3
        assert list(query.items) == sorted(query.items)
        assert any(set(query.items) <= row for row in rows)
    assert {len(query.items) for query in mixed_record_workload(Table(column()), 20, of_items(8)).queries} == {8}


def test_queries_of_the_domain_take_any_item() -> None:
    queries = mixed_domain_workload(Table(column()), 300, of_items(2), 0).queries
    assert {item for query in queries for item in query.items} == set("abcdefghxyz")
    assert all(len(set(query.items)) == 2 for query in queries)


def test_queries_of_published_items_use_one_item_per_occurring_symbol() -> None:
    queries = mixed_published_workload(Table(column()), publication(), 300, of_items(2)).queries
    assert {item for query in queries for item in query.items} == set("abcefgh")
    assert not any(set(query.items) in ({"a", "b"}, {"g", "h"}) for query in queries)


MAKERS: list[Callable[[int, int, int], Workload]] = [
    lambda n, q, seed: mixed_record_workload(Table(column()), n, of_items(q), seed),
    lambda n, q, seed: mixed_domain_workload(Table(column()), n, of_items(q), seed),
    lambda n, q, seed: mixed_published_workload(Table(column()), publication(), n, of_items(q), seed),
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
        (5, 0, 0, "n_items 1 0 0"),
        (5, 40, 0, "40"),
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
