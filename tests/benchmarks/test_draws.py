"""Random leaf orders, samples and unbalanced taxonomies, for choices that the papers do not state."""

import doctest

import numpy as np
import pytest
from benchmarks.experiments import draws, panels
from benchmarks.experiments.draws import (
    NAMED_ORDERS,
    RANDOM_ORDERS,
    ordered,
    parts,
    permutation,
    skewed_tree,
    subsample,
)

from anonset.data import CategoricalColumn, Hierarchy, NumericColumn, SetColumn, Table
from anonset.errors import InputError

LABELS = [str(label) for label in range(300)]


def of_several_columns(n: int = 60) -> Table:
    """Return a table in which each column contains the record number."""
    numbers = [str(record) for record in range(n)]
    named = [CategoricalColumn.of(name, numbers) for name in ("a", "b", "c", "d")]
    return Table(
        SetColumn.of([{number, "all"} for number in numbers]),
        (named[0], NumericColumn("x", np.arange(n))),
        sensitive=named[1],
        ids=(named[2],),
        kept=(named[3],),
    )


def test_doctests_of_draws_and_panels_pass() -> None:
    for module in (draws, panels):
        result = doctest.testmod(module)
        assert result.attempted > 1, module.__name__
        assert result.failed == 0, module.__name__


@pytest.mark.parametrize("order", [*NAMED_ORDERS, *RANDOM_ORDERS])
def test_an_order_contains_each_label_once(order: str) -> None:
    column = SetColumn.of([{"b", "10", "9"}, {"9", "a"}], universe=["10", "9", "a", "b", "never"])
    assert sorted(ordered(column, order)) == sorted(column.vocabulary.labels)
    Hierarchy.balanced(ordered(column, order), 2)


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("numeric", ["2", "9", "010", "10", "V1", "never"]),
        ("lexical", ["010", "10", "2", "9", "V1", "never"]),
        ("frequency", ["10", "9", "V1", "2", "010", "never"]),
        ("first seen", ["10", "V1", "9", "2", "010", "never"]),
    ],
)
def test_items_are_ordered_as_the_name_of_the_order_says(order: str, expected: list[str]) -> None:
    rows = [{"10", "V1"}, {"10", "9"}, {"2"}, {"10", "9", "V1", "010"}]
    assert ordered(SetColumn.of(rows, universe=["never", "V1", "9", "2", "10", "010"]), order) == expected


def test_orders_of_a_relational_column() -> None:
    column = CategoricalColumn.of("age", ["40", "9", "40", "100"])
    assert [ordered(column, order) for order in NAMED_ORDERS] == [
        ["9", "40", "100"],
        ["100", "40", "9"],
        ["40", "9", "100"],
        ["40", "9", "100"],
    ]


def test_a_random_order_is_independent_of_codes() -> None:
    forth, back = (SetColumn.of([LABELS[:20]], universe=labels) for labels in (LABELS[:20], LABELS[19::-1]))
    assert ordered(forth, "random 3") == ordered(back, "random 3")
    assert len({tuple(ordered(forth, order)) for order in RANDOM_ORDERS}) == len(RANDOM_ORDERS)


def test_permutations_put_each_place_everywhere() -> None:
    result = np.array([permutation(5, number) for number in range(2_000)])
    for place in range(5):  # 400 expected, with a standard deviation of 18
        assert (abs(np.bincount(result[:, place], minlength=5) - 400) < 90).all()


def test_a_sample_contains_complete_records_once_in_order() -> None:
    table = of_several_columns()
    drawn = subsample(table, 25, 7)
    numbers = [int(label) for label in drawn.ids[0].labels()]
    assert drawn.n == len(set(numbers)) == 25
    assert numbers == sorted(numbers)
    for column in (drawn.relational[0], drawn.sensitive, drawn.kept[0]):
        assert isinstance(column, CategoricalColumn)
        assert [int(label) for label in column.labels()] == numbers
    assert isinstance(drawn.relational[1], NumericColumn)
    assert drawn.relational[1].values.tolist() == numbers
    assert drawn.transactions is not None
    assert table.transactions is not None
    assert [set(row) for row in drawn.transactions.rows()] == [{str(number), "all"} for number in numbers]
    assert subsample(table.transactions, 25, 7).items.tolist() == drawn.transactions.items.tolist()


def test_samples_are_nested_and_differ_by_number() -> None:
    column = of_several_columns().transactions
    assert column is not None
    drawn = {
        (size, number): {*map(tuple, subsample(column, size, number).rows())} for size in (10, 30) for number in (1, 2)
    }
    assert drawn[10, 1] < drawn[30, 1]
    assert drawn[10, 1] != drawn[10, 2]
    assert subsample(column, column.n, 5).items.tolist() == column.items.tolist()
    assert subsample(column, 0, 5).n == 0


def test_parts_contain_every_record_once() -> None:
    table = of_several_columns()
    result = [part.ids[0].labels() for part in parts(table, 7, 3)]
    assert sorted(int(number) for part in result for number in part) == list(range(table.n))
    assert {len(part) for part in result} == {8, 9}
    assert all(part == sorted(part, key=int) for part in result)


@pytest.mark.parametrize("skew", [0, 1, 2.5, 4])
def test_a_skewed_tree_keeps_the_leaf_order(skew: float) -> None:
    tree = skewed_tree(LABELS, skew, 3, fanout=4)
    assert tree.leaves.labels == tuple(LABELS)
    assert {len(tree.children(node)) for node in np.flatnonzero(~tree.is_leaf).tolist()} <= {2, 3, 4}


@pytest.mark.studies
def test_the_larger_the_skew_the_deeper_the_tree() -> None:
    depths = [
        np.median([skewed_tree(LABELS, skew, number).depth.max() for number in range(1, 21)]) for skew in range(5)
    ]
    assert depths == sorted(set(depths))
    assert depths[-1] > 3 * depths[0]


def test_without_skew_siblings_differ_by_at_most_one_leaf() -> None:
    tree = skewed_tree(LABELS, 0, 9)
    for node in np.flatnonzero(~tree.is_leaf).tolist():
        below = sorted(tree.n_leaves_below[tree.children(node)].tolist())
        assert below[-2] - below[0] <= 0
        assert below[-1] - below[0] < len(below)


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (
            lambda: ordered(SetColumn.of([{"a"}]), "by length"),
            "order must be one of numeric, lexical, frequency, first seen or 'random N', got 'by length'",
        ),
        (lambda: ordered(SetColumn.of([{"a"}]), "random x"), "or 'random N', got 'random x'"),
        (lambda: subsample(SetColumn.of([{"a"}]), 2, 1), "size must be at most 1, the number of records, got 2"),
        (lambda: skewed_tree(["a"], 1, 1), "two leaves or more, .* got 1, 5 and 1"),
        (lambda: skewed_tree(["a", "b"], 5, 1), r"a skew in \[0, 4\], got 2, 5 and 5"),
        (lambda: skewed_tree(["a", "b"], 1, 1, fanout=1), "a fan-out of at least 2 .* got 2, 1 and 1"),
    ],
)
def test_invalid_draws_are_rejected(draw, message: str) -> None:
    with pytest.raises(InputError, match=message):
        draw()
