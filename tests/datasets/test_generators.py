import hashlib
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array
from tests.facts import refused

from anonset.algorithms.transaction.cuts.apriori import Apriori
from anonset.data import CategoricalColumn, NumericColumn, SetColumn, Table
from anonset.errors import InputError
from anonset.generalization import Cut
from anonset_datasets.generators import GENERATORS, demo_table, generate, long_tail, pos_like, quest, shop, youtube_like
from anonset_datasets.generators.longitudinal import longitudinal

pytestmark = pytest.mark.compiled

OF_SETS = [name for name, generator in GENERATORS.items() if generator.kind != "longitudinal"]


def sets(table: Table) -> SetColumn:
    assert table.transactions is not None
    return table.transactions


def digest(table: Table) -> str:
    result = hashlib.sha256()
    for column in table.columns:
        if isinstance(column, SetColumn):
            arrays: list[Any] = [column.indptr, column.items]
        else:
            arrays = [column.values if isinstance(column, NumericColumn) else column.codes]
        for array in arrays:
            result.update(array.astype(array.dtype.newbyteorder("<")).tobytes())
    return result.hexdigest()[:16]


@pytest.mark.parametrize("name", OF_SETS)
@pytest.mark.parametrize("n", [0, 1, 3_000])
def test_rows_are_distinct_ascending_and_not_empty(name: str, n: int) -> None:
    column = sets(generate(name, n=n))
    assert column.n == n
    assert (column.lengths >= 1).all()
    rises = np.diff(column.items) > 0
    starts = column.indptr[1:-1]
    rises[starts - 1] = True  # items need not rise from a record to the next
    assert rises.all()
    assert ((column.items >= 0) & (column.items < len(column.vocabulary))).all()


@pytest.mark.long
@pytest.mark.parametrize("name", OF_SETS)
def test_same_seed_same_data_other_seed_other_data(name: str) -> None:
    first = digest(generate(name, n=500, seed=3))
    assert first == digest(generate(name, n=500, seed=3))
    assert first != digest(generate(name, n=500, seed=4))


@pytest.mark.long
@pytest.mark.parametrize("name", OF_SETS)
def test_a_smaller_table_is_a_prefix_of_a_larger_table(name: str) -> None:
    small, large = generate(name, n=900), generate(name, n=140_000)
    assert digest(small) == digest(
        Table(sets(large).take(np.arange(900)), tuple(c.take(np.arange(900)) for c in large.relational))
    )


@pytest.mark.long
def test_raw_streams_generate_the_same_data_everywhere() -> None:
    assert [digest(pos_like(2_000)), digest(youtube_like(2_000)), digest(shop()), digest(long_tail(2_000))] == [
        "26f2042a28a1d6f9",
        "3d0161282c2539a7",
        "61e4bee1197135e4",
        "ee646ddec3abb3ae",
    ]


def test_long_tail_has_rare_items_and_shelves() -> None:
    column = sets(generate("long_tail", n=20_000, n_items=50_050))
    assert len(column.vocabulary) == 50_050
    assert (column.occurrences == 0).sum() > 10_000
    assert 5 < column.lengths.mean() < 6.5
    shelf = column.items // 100
    same = [len(set(shelf[a:b].tolist())) == 1 for a, b in pairwise(column.indptr[:2_000].tolist()) if b - a > 1]
    assert 0.1 < np.mean(same) < 0.6


def test_pos_like_has_the_characteristics_of_bms_pos() -> None:
    column = sets(pos_like())
    assert column.n == 515_597
    assert len(column.vocabulary) == 1_657
    assert column.occurrences.min() > 0
    assert column.lengths.max() == 164
    assert abs(column.lengths.mean() - 6.5) < 0.05


@pytest.mark.long
def test_pos_like_is_heavy_tailed() -> None:
    column = sets(pos_like(100_000))
    popular = np.sort(column.occurrences)[::-1]
    assert popular[:166].sum() > 0.35 * popular.sum()  # a tenth of the items
    assert popular[0] > 100 * popular[-1]
    assert np.median(column.lengths) < column.lengths.mean() < np.quantile(column.lengths, 0.8)
    assert np.quantile(column.lengths, 0.999) > 8 * column.lengths.mean()


@pytest.mark.long
def test_pos_like_neighbours_in_the_item_order_co_occur() -> None:
    column = sets(pos_like(50_000))
    together = co_occurrence(column, np.arange(1_657))
    first, second = np.triu_indices(1_657, 1)
    near = second - first < 25
    assert together[first[near], second[near]].mean() > 10 * together[first[~near], second[~near]].mean()
    assert (together[first, second] > 0).mean() < 0.25


@pytest.mark.long
def test_pos_like_data_can_be_published_with_categories() -> None:
    column = sets(pos_like(50_000))
    category = np.arange(1_657) // 25
    counts = co_occurrence(column, category)[np.triu_indices(67)]
    rare = (counts > 0) & (counts < 5)
    assert rare.mean() < 0.02  # nearly all pairs of categories satisfy k=5, m=2
    items = co_occurrence(column, np.arange(1_657))[np.triu_indices(1_657)]
    assert ((items > 0) & (items < 5)).mean() > 0.02  # but pairs of items do not


def co_occurrence(column: SetColumn, group: np.ndarray[Any, np.dtype[np.int64]]) -> np.ndarray[Any, np.dtype[np.int64]]:
    rows = np.repeat(np.arange(column.n), column.lengths)
    shape = (column.n, int(group.max()) + 1)
    matrix = csr_array((np.ones(len(rows), np.int64), (rows, group[column.items])), shape=shape)
    matrix.data[:] = 1
    result: np.ndarray[Any, np.dtype[np.int64]] = (matrix.T @ matrix).toarray()
    return result


@pytest.mark.long
def test_quest_follows_its_parameters() -> None:
    column = sets(quest(50_000, 500, 12.0))
    assert len(column.vocabulary) == 500
    assert (column.occurrences > 0).sum() > 450
    assert abs(column.lengths.mean() - 12) < 1
    assert abs(sets(quest(20_000, 500, 5.0)).lengths.mean() - 5) < 0.6


def test_quest_patterns_recur() -> None:
    column = sets(quest(20_000, 500, 10.0, n_patterns=50, corruption=0.1))
    together = co_occurrence(column, np.arange(500))
    share = column.occurrences / column.n
    expected = np.outer(share, share) * column.n
    lift = together[np.triu_indices(500, 1)] / np.maximum(expected[np.triu_indices(500, 1)], 1)
    assert np.sort(lift)[-50:].min() > 5


@pytest.mark.long
def test_quest_levels_of_corruption_at_the_ends() -> None:
    complete = sets(quest(2_000, 1_000, 10.0, corruption=0.0, correlation=1.0))
    broken = sets(quest(2_000, 1_000, 10.0, corruption=1.0, correlation=0.0))
    assert complete.n == broken.n == 2_000
    assert complete.lengths.min() >= 1 <= broken.lengths.min()


def test_youtube_like_has_the_characteristics_of_youtube() -> None:
    table = youtube_like()
    column = sets(table)
    assert (table.n, len(column.vocabulary), column.lengths.max()) == (131_780, 936, 37)
    assert column.occurrences.min() > 0
    assert abs(column.lengths.mean() - 6.5) < 0.05
    assert [c.name for c in table.relational] == ["age", "category", "length", "views", "rate", "ratings"]
    assert table.order == ("age", "category", "length", "views", "rate", "ratings", "related_videos")


def test_youtube_like_attributes_depend_on_each_other() -> None:
    table = youtube_like(20_000)
    numbers = {c.name: c.values for c in table.relational if isinstance(c, NumericColumn)}
    category = next(c for c in table.relational if isinstance(c, CategoricalColumn))
    column = sets(table)
    in_category = np.repeat(category.codes, column.lengths) == column.items // 78
    assert in_category.mean() > 0.8
    assert np.corrcoef(np.log1p(numbers["views"]), np.log1p(numbers["ratings"]))[0, 1] > 0.7
    assert np.corrcoef(numbers["age"], np.log1p(numbers["views"]))[0, 1] > 0.1
    assert ((numbers["rate"] == 0) == (numbers["ratings"] == 0)).all()
    assert numbers["rate"].max() <= 5
    assert numbers["length"].min() >= 1


def test_demonstration_generalizes_rare_categories_and_keeps_popular_items() -> None:
    table, hierarchy = demo_table()
    column = sets(table)
    assert table.n == 5_000
    assert column.vocabulary == hierarchy.leaves
    assert column.occurrences.min() >= 5
    assert {hierarchy.labels[v] for v in hierarchy.children(0)} == {"fresh", "cold_counter", "dry_goods", "drinks"}
    result = Apriori(k=5, m=2).recode(table, {"items": hierarchy})
    assert isinstance(result.recoding, Cut)
    inner = [node for node in result.recoding.nodes if not hierarchy.is_leaf[node]]
    assert [hierarchy.labels[node] for node in inner] == ["cheese", "fish", "spices"]


@pytest.mark.parametrize(
    ("function", "parameters", "message"),
    [
        (pos_like, {"n": -1}, "n 0 -1"),
        (pos_like, {"n": 1.5}, "n 0 1.5"),
        (pos_like, {"n": True}, "n 0 True"),
        (pos_like, {"seed": -1}, "seed 0 -1"),
        (pos_like, {"n_items": 189}, "n_items 190 189"),
        (pos_like, {"max_length": 0}, "max_length 1 0"),
        (pos_like, {"avg_length": 0.5}, "avg_length 1 82.0 max_length 0.5"),
        (pos_like, {"avg_length": 200.0}, "avg_length 1 82.0 max_length 200.0"),
        (pos_like, {"avg_length": float("nan")}, "avg_length 1 82.0 max_length nan"),
        (quest, {"n": -1}, "n 0 -1"),
        (quest, {"n_items": 0}, "n_items 1 0"),
        (quest, {"avg_length": 1_001.0}, "avg_length 1 1000 n_items 1001.0"),
        (quest, {"n_patterns": 0}, "n_patterns 1 0"),
        (quest, {"avg_pattern": 0.0}, "avg_pattern 1 1000 n_items 0.0"),
        (quest, {"correlation": 1.1}, "correlation 0 1 1.1"),
        (quest, {"corruption": -0.1}, "corruption 0 1 -0.1"),
        (youtube_like, {"n": -1}, "n 0 -1"),
        (youtube_like, {"n_items": 671}, "n_items 672 671"),
        (youtube_like, {"avg_length": 40.0}, "avg_length 1 18.5 max_length 40.0"),
        (shop, {"n": -1}, "n 0 -1"),
        (shop, {"n": 10**20}, "n 100000000 100000000000000000000"),
        (pos_like, {"n": 100_000_001}, "n 100000000 100000001"),
        (pos_like, {"max_length": 10**20}, f"max_length 100000000 {10**20}"),
        (quest, {"n": 10**20}, f"n 100000000 {10**20}"),
        (quest, {"n_items": 10**20}, f"n_items 100000000 {10**20}"),
        (quest, {"n_patterns": 10**20}, f"n_patterns 100000000 {10**20}"),
        (youtube_like, {"n": 10**20}, f"n 100000000 {10**20}"),
        (longitudinal, {"individuals": 10**20}, f"individuals 100000000 {10**20}"),
    ],
)
def test_bad_parameters_are_refused(function: Callable[..., Table], parameters: dict[str, Any], message: str) -> None:
    with refused(InputError, message):
        function(**parameters)


@pytest.mark.long
@pytest.mark.parametrize(
    "parameters",
    [
        {"n_items": 190, "max_length": 164, "avg_length": 80.0},
        {"n_items": 25, "max_length": 20, "avg_length": 10.0},
        {"n_items": 26, "max_length": 12, "avg_length": 6.0},
        {"n_items": 40, "max_length": 3, "avg_length": 1.0},
        {"n_items": 30, "max_length": 1, "avg_length": 1.0},
        {"n_items": 10_000, "max_length": 50, "avg_length": 20.0},
    ],
)
def test_pos_like_follows_other_parameters(parameters: dict[str, Any]) -> None:
    column = sets(pos_like(20_000, **parameters))
    assert len(column.vocabulary) == parameters["n_items"]
    assert column.lengths.max() == parameters["max_length"]
    assert column.lengths.mean() == pytest.approx(parameters["avg_length"], rel=0.02)
