"""Preservation of the most frequent itemsets, compared with a count of all sets of two to four items."""

from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.facts import refused

from algorithms.chunk_cases import disassociated, publication_of
from anonset.analysis.base import analysis_of
from anonset.data import SetColumn, Table
from anonset.errors import InputError
from anonset.generalization import ItemGroups, PerCluster, apply
from anonset.measures import item_supports
from anonset.measures import top_itemsets as measured
from anonset.measures.top_itemsets import lost_items, most_frequent, top_itemsets
from anonset.publications import Chunks, Records
from anonset.queries import ExpectedCounts, Query, TrueCounts
from anonset.queries.chunks import ChunkCounts
from anonset.queries.estimate import READINGS, Reading
from effort import examples

ITEMS = "abcdefg"
TABLES = st.lists(st.sets(st.sampled_from("aaabbcdefg"), max_size=5), max_size=14)
GROUPINGS = st.lists(st.integers(-1, 3), min_size=len(ITEMS), max_size=len(ITEMS))
Count = Callable[[Query], float]


def column_of(table: Table) -> SetColumn:
    assert table.transactions is not None
    return table.transactions


def all_sets(items: str, count: Count) -> dict[tuple[str, ...], float]:
    """Count every set with a positive expected count."""
    sets = [chosen for size in (2, 3, 4) for chosen in combinations(items, size)]
    counts = {chosen: float(f"{count(Query(chosen)):.12g}") for chosen in sets}
    return {chosen: counted for chosen, counted in counts.items() if counted > 0}


def assert_measured(column: SetColumn, publication: Records | Chunks, count: Count, top: int, reading: Reading) -> None:
    """Compare tKd and re with the counts of all sets. Ties may be resolved arbitrarily."""
    true, expected = all_sets(ITEMS, TrueCounts(column).count), all_sets(ITEMS, count)
    itemsets = top_itemsets(column, analysis_of(publication).supports(reading), top)
    assert itemsets.top == min(top, len(true))
    limit = sorted(true.values(), reverse=True)[itemsets.top - 1] if itemsets.top else 1
    sure = [chosen for chosen, often in true.items() if often > limit]
    last = sorted(expected.values(), reverse=True)[: itemsets.top][-1:] or [0.0]
    last = last if len(expected) >= itemsets.top else [0.0]
    above = [chosen for chosen, often in expected.items() if often > last[0]]
    reached = [chosen for chosen, often in expected.items() if often >= last[0]]
    tied = itemsets.top - len(sure)
    least = len(set(sure) & set(above))
    most = min(itemsets.top, len(set(sure) & set(reached)) + tied)
    if not tied and len(reached) <= itemsets.top:
        most = least = len(set(sure) & set(reached))
    matched = itemsets.top * (1 - itemsets.tkd)
    assert least - 1e-9 <= matched <= most + 1e-9
    if not tied:
        errors = [
            2
            * abs(true[certain_set] - expected.get(certain_set, 0))
            / (true[certain_set] + expected.get(certain_set, 0))
            for certain_set in sure
        ]
        assert itemsets.re == pytest.approx(np.mean(errors) if errors else 0)


def assert_mined(publication: Records | Chunks, count: Count, top: int, reading: Reading) -> None:
    """Check that the mined sets have the largest expected counts."""
    supports = analysis_of(publication).supports(reading)
    expected = sorted(all_sets(ITEMS, count).values(), reverse=True)
    for at_least in (0.0, expected[top - 1] if len(expected) >= top else 0.0):
        sets = most_frequent(supports, top, at_least=at_least)
        counts = [one.count for one in sets for _ in range(one.number)]
        assert counts == sorted(counts, reverse=True)
        assert counts[:top] == pytest.approx(expected[:top])
        assert all(one.count == sets[-1].count for one in sets if one.count <= counts[:top][-1])
        for one in sets:
            labels = [supports.groups[item][one.chosen[:place].count(item)] for place, item in enumerate(one.chosen)]
            assert count(Query(tuple(labels))) == pytest.approx(one.count)


@pytest.mark.long
@given(TABLES, GROUPINGS, st.integers(1, 12), st.sampled_from(READINGS))
@settings(max_examples=examples(150))
def test_top_itemsets_of_item_groups_equal_a_complete_search(
    rows: list[set[str]], group: list[int], top: int, reading: Reading
) -> None:
    column = column_of(table := Table.from_sets(rows, universe=ITEMS))
    publication = apply(table, ItemGroups(column.vocabulary, np.array(group, np.int32)))
    count = ExpectedCounts(publication, reading=reading).count
    assert_mined(publication, count, top, reading)
    assert_measured(column, publication, count, top, reading)


@given(TABLES, st.lists(GROUPINGS, min_size=3, max_size=3), st.integers(1, 12), st.sampled_from(READINGS))
@settings(max_examples=examples(150))
def test_top_itemsets_of_groups_per_cluster_equal_a_complete_search(
    rows: list[set[str]], groups: list[list[int]], top: int, reading: Reading
) -> None:
    column = column_of(table := Table.from_sets(rows, universe=ITEMS))
    cluster = (np.arange(len(rows)) % 3).astype(np.int32)
    mappings = [ItemGroups(column.vocabulary, np.array(group, np.int32)) for group in groups[: min(3, len(rows))]]
    publication = apply(table, PerCluster(cluster, tuple(mappings)))
    count = ExpectedCounts(publication, reading=reading).count
    assert_mined(publication, count, top, reading)
    assert_measured(column, publication, count, top, reading)


@pytest.mark.long
@pytest.mark.compiled
@given(st.lists(st.sets(st.sampled_from("aaabbcdefg"), max_size=5), min_size=4, max_size=40), st.integers(1, 12))
@settings(max_examples=examples(100))
def test_top_itemsets_of_chunks_equal_a_complete_search(rows: list[set[str]], top: int) -> None:
    column = column_of(Table.from_sets(rows, universe=ITEMS))
    publication = disassociated(rows, 2, 2, 6)
    count = ChunkCounts(publication).count
    assert_mined(publication, count, top, "one-member")
    assert_measured(column, publication, count, top, "one-member")
    for paired, most in ((1, 3), (2, 99)):  # few pairs at a time, or single pairs
        before = measured._PAIRED, item_supports._MOST_PAIRED
        measured._PAIRED, item_supports._MOST_PAIRED = paired, most
        assert_mined(publication, count, top, "one-member")
        measured._PAIRED, item_supports._MOST_PAIRED = before


def test_an_unchanged_table_loses_no_itemset() -> None:
    column = column_of(table := Table.from_sets(["abc", "ab", "bc", "abcd", "d"]))
    same = apply(table, ItemGroups(column.vocabulary, np.arange(4, dtype=np.int32)))
    for top in (1, 3, 99):
        itemsets = top_itemsets(column, analysis_of(same).supports(), top)
        assert (itemsets.tkd, itemsets.re) == (0, 0)
    assert top_itemsets(column, analysis_of(same).supports(), 99).top == 11
    assert lost_items(column, same, 1) == 0


def test_a_tie_is_shared() -> None:
    """Two of 2 x 2 pairs with equal expected counts are selected: each counts with a share of 1/2."""
    column = column_of(table := Table.from_sets(["ac"] * 3 + ["bd"] * 2))
    publication = apply(table, ItemGroups(column.vocabulary, np.array([0, 0, 1, 1], np.int32)))
    itemsets = top_itemsets(column, analysis_of(publication).supports(), 2)
    assert (itemsets.top, itemsets.tkd) == (2, 0.5)
    assert itemsets.re == pytest.approx((2 * 1.75 / 4.25 + 2 * 0.75 / 3.25) / 2)


def test_generalized_items_are_lost() -> None:
    column = column_of(table := Table.from_sets(["abc", "abd", "ab", "cd"]))
    publication = apply(table, ItemGroups(column.vocabulary, np.array([0, 1, 2, 2], np.int32)))
    assert lost_items(column, publication, 2) == 0.5
    assert lost_items(column, publication, 3) == 0
    assert lost_items(column, publication, 9) == 0
    chunks = publication_of([(4, "cd", [["ab", "ab", "ab"]])])
    assert lost_items(column, chunks, 2) == 0.5


def test_without_a_set_valued_column_there_are_none() -> None:
    table = Table.from_columns(sex=["f", "m"])
    publication = Records(None, (), table.kept, (), np.arange(2))
    with refused(InputError, "set-valued"):
        analysis_of(publication).supports()
