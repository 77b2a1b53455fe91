import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.facts import refused

from anonset.data import CategoricalColumn, Hierarchy, SetColumn, Table
from anonset.errors import InputError
from anonset.generalization import Cut, apply
from anonset.publications import Symbol
from anonset.publications.symbols import row_ranks
from effort import examples

TREE = Hierarchy.from_tree(("ALL", [("A", ["a1", "a2"]), ("B", ["b1", "b2"])]))


def bound(rows, **columns):
    table = Table.from_columns({"items": rows}, **columns)
    return table.with_transactions(TREE.bind(table.transactions))


def test_a_cut_publishes_nodes_once_in_canonical_order():
    cut = Cut(TREE, np.array([1, 1, 5, 6], np.int32))
    published = apply(bound([["b2", "a1", "a2"], ["b1"], []]), cut)
    assert list(published.transactions.rows()) == [["A", "b2"], ["b1"], []]
    assert published.symbols[:2] == (Symbol("A", "node", ("a1", "a2")), Symbol("b1", "item", ("b1",)))
    assert cut.labels == ["A", "b1", "b2"]


def test_a_suppressed_item_is_absent():
    cut = Cut(TREE, np.array([1, 1, -1, 6], np.int32))
    published = apply(bound([["b1", "a1"], ["b1"], ["b2"]]), cut)
    assert list(published.transactions.rows()) == [["A"], [], ["b2"]]
    assert cut.suppressed == ["b1"]


@pytest.mark.parametrize("suppressed", ["b1", "b2"])
def test_unused_symbols_do_not_reveal_suppressed_items(suppressed):
    image = np.array([1, 1, 5, 6], np.int32)
    image[2 if suppressed == "b1" else 3] = -1
    published = apply(bound([["a1"], [suppressed, "a2"]]), Cut(TREE, image))
    assert published.symbols == (Symbol("A", "node", ("a1", "a2")),)
    assert published.transactions.vocabulary.labels == ("A",)
    assert list(published.transactions.rows()) == [["A"], ["A"]]


def test_an_unbound_table_is_refused():
    with refused(InputError, "Hierarchy.bind"):
        apply(Table.from_sets([["a1"]]), Cut.identity(TREE))


def test_sorted_rows_depend_only_on_the_content():
    rows = [["b1"], ["a1", "b2"], [], ["a1"], ["b1"]]
    table = bound(rows)
    table = Table(table.transactions, kept=(CategoricalColumn.of("shop", ["x", "y", "x", "y", "x"]),))
    published = apply(table, Cut.identity(TREE), by_content=True)
    content = list(zip(published.kept[0].labels(), published.transactions.rows(), strict=True))
    assert content == [("x", []), ("x", ["b1"]), ("x", ["b1"]), ("y", ["a1"]), ("y", ["a1", "b2"])]
    assert published.record.tolist() == [2, 0, 4, 3, 1]


@pytest.mark.long
@settings(max_examples=examples(200))
@given(st.lists(st.sets(st.integers(0, 40), max_size=30), max_size=20), st.sampled_from([41, 3000, 2**31 - 1]))
def test_row_ranks_order_rows_lexicographically(rows, n_symbols):
    class Many:
        def __len__(self):
            return n_symbols

    lists = [sorted(row) for row in rows]
    indptr = np.concatenate([[0], np.cumsum([len(row) for row in lists])]).astype(np.int64)
    column = SetColumn("items", indptr, np.array([x for row in lists for x in row], np.int32), Many())
    distinct = sorted(map(tuple, lists))
    dense = {row: rank for rank, row in enumerate(dict.fromkeys(distinct))}
    assert row_ranks(column).tolist() == [dense[tuple(row)] for row in lists]
