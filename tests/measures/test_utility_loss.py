"""Utility loss: the paper's figures, extreme sizes, and exact values by fractions."""

from collections.abc import Sequence
from fractions import Fraction
from math import inf, log2
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.facts import refused

from anonset.data import Hierarchy, SetColumn, Table
from anonset.errors import InputError
from anonset.generalization import Cut, ItemGroups, apply
from anonset.measures.losses.item_weights import ItemWeights
from anonset.measures.losses.utility_loss import (
    UtilityLoss,
    group_losses,
    group_utility_loss,
    group_weights,
    utility_loss,
)
from anonset.release.losses import supports_of
from effort import examples
from reference.hierarchy_model import parse

FIGURE_1 = ["abcdefgh", "acefg", "cdefh", "acef", "efgh", "defg", "abde", "acf", "ac", "bh"]
TREE = Hierarchy.from_tree(parse("ALL(abc(a,b,c),defgh(d,e,f,g,h))"))


def loss_of(column: SetColumn, recoding: ItemGroups | Cut, weights: str | None = None) -> UtilityLoss:
    hierarchy = recoding.hierarchy if isinstance(recoding, Cut) else None
    return utility_loss(column, recoding, group_weights(weights, column.vocabulary, hierarchy))


def groups_of(column: SetColumn, group: Sequence[int]) -> ItemGroups:
    return ItemGroups(column.vocabulary, np.array(group, np.int32))


def test_a_generalized_item_of_figure_2c() -> None:
    value, logarithm = group_utility_loss(2, 8, Fraction(3, 8), 7, 10)
    assert value == pytest.approx(3 / 255 * 0.375 * 0.7)
    assert value == pytest.approx(0.0030882, abs=1e-7)
    assert logarithm == pytest.approx(log2(value))


def test_thousands_of_items_underflow_but_keep_their_logarithm() -> None:
    value, logarithm = group_utility_loss(3, 1657, 1, 100, 1000)
    assert value == 0.0
    assert logarithm == pytest.approx(-1657.514573, abs=1e-6)
    column = SetColumn.of([["0", "1"], ["0"]], universe=[str(i) for i in range(3000)])
    loss = loss_of(column, groups_of(column, [0, 0, *range(1, 2999)]))
    assert (loss.value, loss.suppression) == (0.0, 0.0)
    assert loss.log2 == pytest.approx(log2(3) - 3000)


@given(st.integers(1, 900), st.integers(0, 100), st.integers(1, 50), st.integers(50, 60))
def test_values_equal_exact_fractions(size: int, more: int, support: int, n: int) -> None:
    exact = Fraction(2**size - 1, 2 ** (size + more) - 1) * Fraction(1, 3) * support / n
    value, logarithm = group_utility_loss(size, size + more, Fraction(1, 3), support, n)
    assert value == pytest.approx(float(exact), rel=1e-13)
    assert logarithm == pytest.approx(log2(exact.numerator) - log2(exact.denominator), abs=1e-9)


@settings(max_examples=examples(100))
@given(
    st.lists(st.sets(st.sampled_from("abcdef")), min_size=1, max_size=8),
    st.lists(st.integers(-1, 3), min_size=6, max_size=6),
)
def test_the_loss_of_a_dataset_is_the_sum_of_its_groups(rows: list[set[str]], group: list[int]) -> None:
    column = SetColumn.of(rows, universe="abcdef")
    members = [{x for x, h in zip("abcdef", group, strict=True) if h == g} for g in set(group) - {-1}]
    generalized = sum(
        Fraction(2 ** len(items) - 1, 63) * sum(1 for row in rows if items & row) / len(rows)
        for items in members
        if len(items) > 1
    )
    dropped = sum(x in row for row in rows for x, g in zip("abcdef", group, strict=True) if g < 0)
    loss = loss_of(column, groups_of(column, group), "uniform")
    assert loss.generalization == pytest.approx(float(generalized), rel=1e-12)
    assert loss.suppression == dropped
    assert loss.value == pytest.approx(float(generalized + dropped), rel=1e-12)
    assert loss.generalization_log2 == (pytest.approx(log2(generalized)) if generalized else -inf)


def test_a_group_that_never_occurs_has_no_loss() -> None:
    column = SetColumn.of(["a"], universe="abc")
    losses = group_losses(column, groups_of(column, [0, 1, 1]), group_weights("ones", column.vocabulary))
    assert [(loss.items, loss.support, loss.value) for loss in losses] == [(("a",), 1, 1 / 7), (("b", "c"), 0, 0.0)]
    assert losses[1].log2 == -inf


def test_groups_are_ordered_by_their_smallest_items() -> None:
    column = SetColumn.of(["abc"], universe="abc")
    losses = group_losses(column, groups_of(column, [7, 2, 7]), group_weights("uniform", column.vocabulary))
    assert [loss.items for loss in losses] == [("a", "c"), ("b",)]


def test_a_hierarchy_cut_is_a_set_of_groups() -> None:
    column = SetColumn.of(FIGURE_1, universe=TREE.leaves.labels)
    cut = Cut(TREE, np.array([TREE.node_of["abc"]] * 3 + list(TREE.leaf_node[3:]), np.int32))
    expected = 7 / 255 * Fraction(3, 8) * Fraction(8, 10)
    assert loss_of(column, cut).value == pytest.approx(float(expected))
    assert loss_of(column, cut, "uniform").value == pytest.approx(7 / 255 * 0.8)


@pytest.mark.parametrize(
    ("weights", "group", "expected"),
    [
        ("uniform", "a", "0"),
        ("uniform", "ab", "1"),
        ("ones", "a", "1"),
        ("lca", "a", "0"),
        ("lca", "ab", "3/8"),
        ("lca", "cd", "1"),
        (None, "de", "5/8"),
        (ItemWeights.of({("a", "b"): 0.1, ("a", "b", "c"): "1/2"}), "ab", "1/10"),
        (ItemWeights.of({("a", "b"): 0.1, ("a", "b", "c"): "1/2"}), "ac", "1/2"),
        (ItemWeights.of({("a", "b"): 0.1, ("a", "b", "c"): "1/2"}), "ad", "1"),
        (ItemWeights.of({("a", "b"): 0.1}), "a", "0"),
    ],
)
def test_weights_of_groups(weights: Any, group: str, expected: str) -> None:
    resolved = group_weights(weights, TREE.leaves, TREE)
    assert resolved.of([TREE.leaves.index[x] for x in group]) == Fraction(expected)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ({("a",): 1.5}, "(a) 0 1 1.5"),
        ({("a", "b"): "much"}, "(a,b) 0 1 much"),
        ({("a", "a"): 1}, "(a,a) non-empty"),
        ({("a", "b"): "1/1000000007"}, "denominator 1,000,000,000 1,000,000,007"),
    ],
)
def test_bad_weights_are_refused(weights: Any, message: str) -> None:
    with refused(InputError, message):
        ItemWeights.of(weights)


def test_mismatched_tables_are_rejected() -> None:
    column = SetColumn.of(FIGURE_1)
    other = SetColumn.of(["xy"])
    with refused(InputError, "items 2"):
        loss_of(column, groups_of(other, [0, 0]))
    with refused(InputError, "lca Hierarchy.bind"):
        group_weights("lca", other.vocabulary, TREE)


@settings(max_examples=examples(50))
@given(
    st.lists(st.sets(st.sampled_from("abcdefgh")), min_size=1, max_size=8),
    st.lists(st.integers(-1, 3), min_size=8, max_size=8),
)
def test_supports_of_a_publication_are_those_of_the_groups(rows: list[set[str]], group: list[int]) -> None:
    column = SetColumn.of(rows, universe="abcdefgh")
    groups, weights = groups_of(column, group), group_weights("ones", column.vocabulary)
    publication = apply(Table(column), groups)
    assert group_losses(column, groups, weights, supports=supports_of(publication)) == group_losses(
        column, groups, weights
    )
