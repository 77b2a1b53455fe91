"""What every registered algorithm promises, whatever it does inside.

A new algorithm takes part by a row in `CONTRACTS`.
"""

import dataclasses
import random
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from algorithms.implementations import bound_table, published_rows
from anonset.algorithms.base import Algorithm, Result
from anonset.algorithms.registry import ALGORITHMS
from anonset.data import Hierarchy, Table
from anonset.errors import InfeasibleError, InputError
from anonset.generalization import Cut, Recoding
from anonset.privacy import KmAnonymity, PrivacyModel
from reference.hierarchy_model import parse
from reference.transaction_algorithms import is_km

HIERARCHY = Hierarchy.from_tree(parse("ALL(dairy(milk(skim,full),yogurt),bakery(bread,rolls,cake),misc(pens,tea))"))
SETTINGS = [(2, 1), (2, 2), (3, 2), (4, 3)]


@dataclass(frozen=True)
class Contract:
    """How to make an algorithm from k and m, the model it guarantees, and a naive check of its output."""

    make: Callable[[type[Any], int, int], Algorithm]
    model: Callable[[int, int], PrivacyModel]
    holds: Callable[[Sequence[Collection[str]], int, int], bool]


def _km(cls: type[Any], k: int, m: int) -> Algorithm:
    algorithm: Algorithm = cls(k=k, m=m)
    return algorithm


KM = Contract(_km, lambda k, m: KmAnonymity(k, m), is_km)
CONTRACTS: Mapping[str, Contract] = {"optimal": KM, "direct": KM, "apriori": KM}

every_algorithm = pytest.mark.parametrize("name", CONTRACTS)
every_setting = pytest.mark.parametrize(("k", "m"), SETTINGS)


def make(name: str, k: int, m: int) -> Algorithm:
    return CONTRACTS[name].make(ALGORITHMS[name], k, m)


def table_of(rows: Sequence[Collection[str]]) -> Table:
    return bound_table(rows, HIERARCHY)


def random_rows(seed: int, n: int = 40) -> list[set[str]]:
    rng = random.Random(seed)
    return [set(rng.choices(HIERARCHY.leaves.labels, k=rng.randint(0, 5))) for _ in range(n)]


def run(name: str, rows: Sequence[Collection[str]], k: int, m: int, **options: Any) -> Result:
    return make(name, k, m).anonymize(table_of(rows), {"items": HIERARCHY}, **options)


def content(recoding: Recoding) -> list[Any]:
    """Return a recoding's arrays as lists, to compare two recodings."""
    fields = (getattr(recoding, field.name) for field in dataclasses.fields(recoding))
    return [value.tolist() for value in fields if isinstance(value, np.ndarray)]


def test_every_registered_algorithm_has_a_contract() -> None:
    assert set(ALGORITHMS) == set(CONTRACTS)


@every_algorithm
def test_declares_its_name_and_model(name: str) -> None:
    algorithm = make(name, 3, 2)
    assert isinstance(algorithm, Algorithm)
    assert algorithm.name == name
    assert algorithm.model == CONTRACTS[name].model(3, 2)


@every_algorithm
def test_is_a_frozen_keyword_only_dataclass(name: str) -> None:
    algorithm_class: Any = ALGORITHMS[name]
    fields = dataclasses.fields(algorithm_class)
    assert fields
    assert all(field.kw_only for field in fields)
    with pytest.raises(dataclasses.FrozenInstanceError):
        make(name, 3, 2).k = 1  # type: ignore[attr-defined]


@every_algorithm
@every_setting
@pytest.mark.parametrize("seed", range(3))
def test_published_records_satisfy_the_model(name: str, k: int, m: int, seed: int) -> None:
    rows = random_rows(seed)
    published = published_rows(table_of(rows), run(name, rows, k, m))
    assert CONTRACTS[name].holds(published, k, m)
    assert not CONTRACTS[name].holds(rows, 20, 2)
    assert [bool(row) for row in published] == [bool(row) for row in rows]


@every_algorithm
@every_setting
def test_published_symbols_are_true_of_the_original_records(name: str, k: int, m: int) -> None:
    rows = random_rows(7)
    recoding = run(name, rows, k, m).recoding
    assert isinstance(recoding, Cut)
    assert all(HIERARCHY.leaf_lo[node] <= leaf < HIERARCHY.leaf_hi[node] for leaf, node in enumerate(recoding.image))
    assert sum(HIERARCHY.n_leaves_below[recoding.nodes]) == HIERARCHY.n_leaves


@every_algorithm
@every_setting
def test_is_deterministic_for_any_number_of_workers(name: str, k: int, m: int) -> None:
    rows = random_rows(11)
    first = run(name, rows, k, m)
    with ThreadPoolExecutor(3) as executor:
        others = [run(name, rows, k, m), run(name, rows, k, m, executor=executor)]
    for other in others:
        assert content(other.recoding) == content(first.recoding)
        assert other.trace == first.trace


@every_algorithm
def test_leaves_its_input_alone(name: str) -> None:
    table = table_of(random_rows(13))
    assert table.transactions is not None
    before = table.transactions.items.copy(), HIERARCHY.leaf_node.copy()
    make(name, 4, 2).anonymize(table, {"items": HIERARCHY})
    assert np.array_equal(table.transactions.items, before[0])
    assert np.array_equal(HIERARCHY.leaf_node, before[1])


@every_algorithm
@every_setting
@pytest.mark.parametrize("n", [0, 1, 5])
def test_tables_without_items_are_unchanged(name: str, k: int, m: int, n: int) -> None:
    result = run(name, [set()] * n, k, m)
    assert published_rows(table_of([set()] * n), result) == [set()] * n
    assert content(result.recoding) == content(Cut.identity(HIERARCHY))


@every_algorithm
@pytest.mark.parametrize("m", [1, 2, 50])
def test_k_of_one_changes_nothing(name: str, m: int) -> None:
    rows = random_rows(17)
    assert published_rows(table_of(rows), run(name, rows, 1, m)) == rows


@every_algorithm
def test_m_beyond_the_longest_record_is_the_longest_record(name: str) -> None:
    rows = random_rows(19, n=30)
    longest = max(map(len, rows))
    assert content(run(name, rows, 3, 50).recoding) == content(run(name, rows, 3, longest).recoding)


@every_algorithm
@pytest.mark.parametrize(
    ("rows", "k"),
    [([{"tea"}], 2), ([{"tea", "skim"}, set(), set()], 2), ([{"tea"}] * 4 + [set()] * 9, 5)],
    ids=["one record", "empty records do not help", "identical records do not help"],
)
def test_fewer_than_k_records_with_items_are_infeasible(name: str, rows: list[set[str]], k: int) -> None:
    with pytest.raises(InfeasibleError) as caught:
        run(name, rows, k, 2)
    assert caught.value.reason
    assert caught.value.algorithm


@every_algorithm
@pytest.mark.parametrize(
    ("k", "m", "message"),
    [
        (0, 2, r"k must be .* at least 1, got 0"),
        (-3, 2, r"k must be .* at least 1, got -3"),
        (2, 0, r"m must be .* at least 1, got 0"),
        (2, -1, r"m must be .* at least 1, got -1"),
        (2.5, 2, r"k must be an integer .*, got 2\.5"),
        ("2", 2, r"k must be an integer .*, got '2'"),
        (2, True, r"m must be an integer .*, got True"),
    ],
)
def test_bad_parameters_are_refused(name: str, k: Any, m: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make(name, k, m)
