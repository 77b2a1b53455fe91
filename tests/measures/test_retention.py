"""Exact counts of unchanged, generalized and suppressed items, compared with naive implementations."""

import random

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.facts import refused

from anonset.algorithms.relational.cluster import Cluster
from anonset.data import CategoricalColumn, NumericColumn, SetColumn, Table
from anonset.errors import InputError
from anonset.generalization import Bucketized, Cut, ItemGroups, PerCluster, apply
from anonset.measures.retention import occurrences_by_size, of_tuples, retention, shares
from effort import examples
from measures.test_local_losses import HIERARCHY, MODEL, Image, cut_of, local_case
from reference.measures import became, shown_below


def table_of(rows: list[set[str]]) -> Table:
    return Table(HIERARCHY.bind(SetColumn.of(rows)))


def shown_as(item: str, image: Image) -> str | None:
    """Return the published text of an item: the item itself if all others below its node are suppressed."""
    node = image[item]
    return item if node is not None and shown_below(node, image, MODEL) == 1 else node


@settings(max_examples=examples(300))
@given(st.integers(0, 2**32 - 1).map(local_case))
def test_items_equal_their_twin(case: tuple[list[set[str]], list[int], list[Image]]) -> None:
    rows, clusters, images = case
    table = table_of(rows)
    local = PerCluster(np.array(clusters, np.int32), tuple(map(cut_of, images)))
    pairs = [(x, shown_as(x, images[c])) for row, c in zip(rows, clusters, strict=True) for x in row]
    assert retention(table, local) == {"items": became(pairs)}
    pairs = [(x, shown_as(x, images[0])) for row in rows for x in row]
    assert retention(table, cut_of(images[0])) == {"items": became(pairs)}


@settings(max_examples=examples(200))
@given(st.integers(0, 2**32 - 1))
def test_groups_equal_their_twin(seed: int) -> None:
    rng = random.Random(seed)
    rows = [set(rng.choices("abcdef", k=rng.randint(0, 4))) for _ in range(rng.randint(1, 8))]
    column = SetColumn.of(rows, universe="abcdef")
    drawn = [rng.choice([-1, 0, 1, 2, 3]) for _ in range(6)]
    groups = ItemGroups(column.vocabulary, np.array(drawn, np.int32))
    members = {g: [x for x, h in zip("abcdef", drawn, strict=True) if h == g] for g in drawn}
    text = {x: None if g < 0 else "".join(members[g]) for x, g in zip("abcdef", drawn, strict=True)}
    assert retention(Table(column), groups) == {"items": became([(x, text[x]) for row in rows for x in row])}


@settings(max_examples=examples(100))
@given(st.integers(0, 2**32 - 1))
def test_values_equal_a_count_of_the_records(seed: int) -> None:
    rng = random.Random(seed)
    n = rng.randint(2, 20)
    numbers = [rng.choice([1, 1, 2, 30]) for _ in range(n)]
    values = np.array(numbers) if rng.random() < 0.5 else np.array(numbers) + 0.5
    nodes = [rng.choice(HIERARCHY.leaves.labels) for _ in range(n)]
    columns = (
        NumericColumn("age", values),
        CategoricalColumn.of("sex", [rng.choice("fm") for _ in range(n)]),
        CategoricalColumn.of("food", nodes),
    )
    table = Table(relational=columns)
    recoding = Cluster(k=2).recode(table, {"food": HIERARCHY}).recoding
    assert isinstance(recoding, PerCluster)
    shown = [column.labels() for column in apply(table, recoding).relational]
    texts = [list(map(str, values.tolist())), columns[1].labels(), columns[2].labels()]
    counts = became([pair for was, now in zip(texts, shown, strict=True) for pair in zip(was, now, strict=True)])
    assert counts.pop("suppressed") == 0
    assert retention(table, recoding) == {"values": counts}


def test_values_and_items_are_counted_separately() -> None:
    sex = CategoricalColumn.of("sex", ["f", "m"])
    table = Table(HIERARCHY.bind(SetColumn.of([{"skim"}, {"full", "tea"}])), (sex,))
    recoding = Cluster(k=2).recode(Table(relational=(sex,)), {}).recoding
    assert isinstance(recoding, PerCluster)
    milk = Cut(HIERARCHY, np.where(HIERARCHY.leaf_node < HIERARCHY.node_of["yogurt"], HIERARCHY.node_of["milk"], -1))
    both = PerCluster(recoding.cluster, (milk,), recoding.relational)
    assert retention(table, both) == {
        "items": {"kept": 0, "generalized": 2, "suppressed": 1},
        "values": {"kept": 0, "generalized": 2},
    }


@settings(max_examples=examples(100))
@given(st.lists(st.tuples(st.integers(-1, 2), st.booleans()), max_size=12))
def test_tuples_equal_their_twin(tuples: list[tuple[int, bool]]) -> None:
    group, starred = np.array([g for g, _ in tuples], np.int32), np.array([s for _, s in tuples], bool)
    expected = {"kept": 0, "starred": 0, "removed": 0}
    for g, s in tuples:
        expected["removed" if g < 0 else "starred" if s else "kept"] += 1
    assert of_tuples(Bucketized(group, starred)) == expected


def test_shares_sum_to_one_and_empty_data_have_none() -> None:
    assert shares({"items": {"kept": 1, "generalized": 2, "suppressed": 1}}) == {
        "items": {"kept": 0.25, "generalized": 0.5, "suppressed": 0.25}
    }
    assert shares({"items": {"kept": 0, "generalized": 0, "suppressed": 0}})["items"]["kept"] == 0


def test_an_empty_column_has_no_occurrences() -> None:
    column = SetColumn.of([set()])
    assert occurrences_by_size(column, ItemGroups.identity(column.vocabulary)).tolist() == [0]
    assert retention(Table(column), ItemGroups.identity(column.vocabulary))["items"]["kept"] == 0


def test_unbound_columns_are_refused() -> None:
    with refused(InputError, "Hierarchy.bind"):
        retention(Table.from_sets([{"tea"}]), Cut.identity(HIERARCHY))
