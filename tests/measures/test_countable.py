"""Errors of item and pair counts, compared with individual queries."""

from collections.abc import Callable
from itertools import combinations
from statistics import median

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonset.data import Hierarchy, SetColumn, Table
from anonset.generalization import Cut, ItemGroups, PerCluster, apply
from anonset.measures import countable as measured
from anonset.measures.countable import CountAccuracy, FrequentItems, accuracy_of, counts_in_records, mean_symbol_size
from anonset.publications import Records
from anonset.queries import ExpectedCounts, Query
from effort import examples

groupings = st.lists(st.integers(-1, 3), min_size=6, max_size=6)
datasets = st.lists(st.sets(st.sampled_from("abcdef")), max_size=10)


def by_queries(rows: list[set[str]], publication: Records, most: int) -> CountAccuracy:
    """Return the errors by a query for each item and each pair."""
    items = sorted("abcdef", key=lambda x: (-sum(x in row for row in rows), x))[:most]
    items = sorted(x for x in items if any(x in row for row in rows))
    counted = {pair: sum(set(pair) <= row for row in rows) for pair in combinations(items, 2)}
    pairs = [pair for pair in sorted(counted, key=lambda pair: (-counted[pair], pair))[:most] if counted[pair]]
    expected = ExpectedCounts(publication)

    def error(asked: list[tuple[str, ...]], of: Callable[[list[float]], float] = median) -> float | None:
        true = [sum(set(query) <= row for row in rows) for query in asked]
        wrong = [abs(t - expected.count(Query(query))) / t for t, query in zip(true, asked, strict=True)]
        return of(wrong) if wrong else None

    column = publication.transactions
    assert column is not None
    sizes = [len(publication.symbols[code].members) for code in column.items.tolist()]
    wide = [size for size in sizes if size > 1]
    asked = [(x,) for x in items], pairs
    stands_for = sum(wide) / len(wide) if wide else None
    return CountAccuracy(*map(error, asked), stands_for, largest=(error(asked[0], max), error(asked[1], max)))


def assert_counted(rows: list[set[str]], publication: Records) -> None:
    column = SetColumn.of(rows, universe="abcdef")
    for most in (1, 3, 200):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(measured, "FREQUENT", most)
            patch.setattr(measured, "_RECORDS_AT_ONCE", 3)
            frequent = FrequentItems.of(column)
            errors = accuracy_of(frequent, *counts_in_records(publication, frequent))
        naive = by_queries(rows, publication, most)
        for name in ("items_error", "pairs_error", "stands_for"):
            assert getattr(errors, name) == pytest.approx(getattr(naive, name)), (name, most)
        assert errors.largest == pytest.approx(naive.largest), most
        assert errors.reading == "one-member"


@settings(max_examples=examples(60))
@given(datasets, groupings)
def test_countable_symbols_of_item_groups(rows: list[set[str]], group: list[int]) -> None:
    table = Table.from_sets(rows, universe="abcdef")
    assert table.transactions is not None
    assert_counted(rows, apply(table, ItemGroups(table.transactions.vocabulary, np.array(group, np.int32))))


@settings(max_examples=examples(60))
@given(datasets, st.lists(groupings, min_size=3, max_size=3))
def test_countable_symbols_of_item_groups_per_cluster(rows: list[set[str]], groups: list[list[int]]) -> None:
    table = Table.from_sets(rows, universe="abcdef")
    assert table.transactions is not None
    cluster = (np.arange(len(rows)) % 3).astype(np.int32)
    recodings = [
        ItemGroups(table.transactions.vocabulary, np.array(group, np.int32)) for group in groups[: min(3, len(rows))]
    ]
    assert_counted(rows, apply(table, PerCluster(cluster, tuple(recodings))))


def test_nodes_with_absent_leaves_are_counted() -> None:
    rows = [{"a", "d"}, {"b"}, {"a", "b"}, {"d"}, {"a"}]
    tree = Hierarchy.from_tree(("ALL", [("X", ["a", "b", "c"]), ("Y", ["d", "e", "f"])]))
    image = np.array([tree.node_of["X"]] * 3 + [tree.node_of[x] for x in "def"], np.int32)
    publication = apply(Table.from_sets(rows, universe="abcdef"), Cut(tree, image))
    assert_counted(rows, publication)
    assert mean_symbol_size(publication) == 3


def test_a_publication_without_items_has_no_mean_symbol_size() -> None:
    assert mean_symbol_size(Records(None, (), (), (), np.arange(0, dtype=np.int64))) is None
