import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.facts import refused

from anonset.data import Hierarchy, SetColumn, Vocabulary
from anonset.errors import HierarchyError


def test_preorder_arrays():
    h = Hierarchy.from_tree(("ALL", [("A", ["a1", "a2"]), "x", ("B", [("C", ["c1", "c2"]), "b"])]))
    assert h.labels == ("ALL", "A", "a1", "a2", "x", "B", "C", "c1", "c2", "b")
    assert h.parent.tolist() == [-1, 0, 1, 1, 0, 0, 5, 6, 6, 5]
    assert h.subtree_end.tolist() == [10, 4, 3, 4, 5, 10, 9, 8, 9, 10]
    assert list(zip(h.leaf_lo.tolist(), h.leaf_hi.tolist(), strict=True)) == [
        (0, 6), (0, 2), (0, 1), (1, 2), (2, 3), (3, 6), (3, 5), (3, 4), (4, 5), (5, 6),
    ]  # fmt: skip
    assert h.leaves.labels == ("a1", "a2", "x", "c1", "c2", "b")
    assert h.depth.tolist() == [0, 1, 2, 2, 1, 1, 2, 3, 3, 2]
    assert [h.labels[v] for v in h.children(5)] == ["C", "b"]
    assert [h.labels[v] for v in h.ancestors(7)] == ["C", "B", "ALL"]
    assert h.labels[h.lowest_common_ancestor([3, 4])] == "C"
    assert h.labels[h.lowest_common_ancestor([2, 4])] == "ALL"
    assert h.labels[h.lowest_common_ancestor([5])] == "b"


def test_unary_nodes_are_collapsed():
    h = Hierarchy.from_tree(("ALL", [("U", [("X", ["x", "w"])]), ("V", [("W", ["y"])])]))
    assert h.labels == ("ALL", "X", "x", "w", "y")
    assert h.parent.tolist() == [-1, 0, 1, 1, 0]
    assert h.aliases == (("U", "X"), ("V", "y"), ("W", "y"))
    chain = Hierarchy.from_tree(("ALL", [("TOP", [("A", ["a", "b"])])]))
    assert chain.labels == ("A", "a", "b")
    assert chain.parent.tolist() == [-1, 0, 0]
    assert Hierarchy.from_tree(("ALL", ["only"])).labels == ("only",)


def test_a_label_names_one_node():
    with refused(HierarchyError, "label a"):
        Hierarchy.from_tree(("ALL", [("A", ["a", "b"]), ("B", ["a", "c"])]))


@given(st.integers(1, 60), st.integers(2, 6))
def test_balanced_hierarchies_have_the_requested_fan_out(n_items, fanout):
    items = [str(i) for i in range(n_items)]
    h = Hierarchy.balanced(items, fanout)
    assert h.leaves.labels == tuple(items)
    assert h.n_leaves == n_items
    for v in range(h.n_nodes):
        children = h.children(v)
        assert len(children) != 1
        assert len(children) <= fanout
        if children:
            assert h.leaf_lo[v] == h.leaf_lo[children[0]]
            assert h.leaf_hi[v] == h.leaf_hi[children[-1]]


@pytest.mark.parametrize(
    ("items", "fanout", "message"),
    [
        (["a"], 1, "fan-out 2 1"),
        ([], 5, "item"),
        (["N1_0", "b"], 2, "N1_0"),
    ],
)
def test_invalid_fan_outs_are_rejected(items, fanout, message):
    with refused(HierarchyError, message):
        Hierarchy.balanced(items, fanout)


def test_bind_recodes_to_leaf_positions():
    h = Hierarchy.from_tree(("ALL", [("A", ["b", "a"]), "c"]))
    column = SetColumn.of([{"a", "b"}, {"c"}, {"a", "c"}, set()])
    bound = h.bind(column)
    assert [sorted(row) for row in bound.rows()] == [sorted(row) for row in column.rows()]
    assert bound.items.tolist() == [0, 1, 2, 1, 2]
    assert h.bind(bound) is bound


@pytest.mark.parametrize(("item", "kind"), [("z", "missing"), ("A", "inner")])
def test_bind_rejects_labels_that_are_not_leaves(item, kind):
    h = Hierarchy.from_tree(("ALL", [("A", ["a", "b"]), "c"]))
    with refused(HierarchyError, f"{item} leaf {kind}"):
        h.codes_of(Vocabulary(("a", item)), "items")


def test_arrays_have_the_stated_types():
    h = Hierarchy.balanced(list("abcdefg"), 3)
    for array in (h.parent, h.leaf_lo, h.leaf_hi, h.subtree_end, h.leaf_node, h.depth, h.n_leaves_below):
        assert array.dtype == np.int32
