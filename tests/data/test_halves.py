"""Trees built from frequencies equal the naive implementation's, and refined trees keep their coarse nodes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonset.data.hierarchies.combined_hierarchies import attach_sensitive, join_hierarchies
from anonset.data.hierarchies.halves import HALVED_BY, halves, in_order_of_place, refined
from anonset.data.hierarchies.hierarchy import Hierarchy
from effort import examples
from reference import halves as twin

counts = st.lists(st.one_of(st.integers(0, 4), st.integers(0, 10_000)), min_size=1, max_size=40)
by = pytest.mark.parametrize("by", HALVED_BY)
thorough = settings(max_examples=examples(200))


def labels_of(occurrences: list[int]) -> dict[str, int]:
    return {f"i{i:02d}": count for i, count in enumerate(occurrences)}


def inner(tree: Hierarchy) -> dict[str, frozenset[str]]:
    return {tree.labels[v]: frozenset(tree.members(v)) for v in range(tree.n_nodes) if not tree.is_leaf[v]}


@by
@thorough
@given(counts)
def test_halving_trees_equal_those_of_the_twin(by, occurrences):
    named = labels_of(occurrences)
    tree = halves(list(named), np.array(occurrences), by)
    assert inner(tree) == twin.numbered(named, by)
    assert list(tree.leaves.labels) == twin.leaves(twin.halves(named, by))
    if len(named) > 1:
        assert [sorted(named)[place] for place in tree.place] == list(tree.leaves.labels)
    assert tree.unnamed == set(inner(tree))
    assert tree.from_data


@thorough
@given(counts)
def test_the_rival_has_the_same_leaves_in_the_same_order(occurrences):
    named = labels_of(occurrences)
    tree = halves(list(named), np.array(occurrences))
    if len(named) > 1:
        assert tree.rival is not None
        assert tree.rival.leaves == tree.leaves
        assert inner(tree.rival) == twin.numbered(named, "number")


@pytest.mark.long
@by
@thorough
@given(counts)
def test_depth_is_bounded_by_the_logarithm_of_the_occurrences(by, occurrences):
    tree = halves(list(labels_of(occurrences)), np.array(occurrences), by)
    total = sum(max(1, count) for count in occurrences)
    bound = np.log(total) / np.log(4 / 3) + 1 if by == "frequency" else np.ceil(np.log2(len(occurrences)))
    assert tree.depth.max() <= bound


@pytest.mark.long
@by
@thorough
@given(counts)
def test_displayed_children_are_ordered_by_their_first_label(by, occurrences):
    tree = halves(list(labels_of(occurrences)), np.array(occurrences), by)
    shown = in_order_of_place(tree)
    assert inner(shown) == inner(tree)
    for node in np.flatnonzero(~shown.is_leaf).tolist():
        firsts = [min(shown.members(child)) for child in shown.children(node)]
        assert firsts == sorted(firsts)


trees = st.recursive(st.just(None), lambda below: st.lists(below, min_size=2, max_size=6), max_leaves=25)


def named_tree(shape, counter):
    label = f"n{next(counter):03d}"
    return label if shape is None else (label, [named_tree(child, counter) for child in shape])


@pytest.mark.long
@by
@thorough
@given(trees.filter(bool), st.data())
def test_a_finer_tree_keeps_every_node_and_its_name(by, shape, data):
    owners_tree = Hierarchy.from_tree(named_tree(shape, iter(range(1000))))
    occurrences = data.draw(st.lists(st.integers(0, 9), min_size=owners_tree.n_leaves, max_size=owners_tree.n_leaves))
    finer = refined(owners_tree, np.array(occurrences), by)
    before, after = inner(owners_tree), inner(finer)
    assert {label: below for label, below in after.items() if label not in finer.unnamed} == before
    assert set(finer.unnamed) == set(after) - set(before)
    assert all(len(finer.children(v)) in (0, 2) for v in range(finer.n_nodes))
    assert [owners_tree.leaves.labels[place] for place in finer.place] == list(finer.leaves.labels)
    for label in before:
        assert finer.members(finer.node_of[label]) == owners_tree.members(owners_tree.node_of[label])
    assert finer.from_data


def test_names_of_new_nodes_differ_from_all_labels():
    tree = halves(["H1", "H_2", "x"], np.array([1, 1, 1]))
    assert sorted(tree.unnamed) == ["H__1", "H__2"]


def test_one_label_is_a_leaf():
    tree = halves(["x"], np.array([3]))
    assert (tree.labels, tree.unnamed, tree.rival) == (("x",), frozenset(), None)


def test_sensitive_items_are_added_to_both_trees():
    tree = attach_sensitive(halves(["a", "b", "c"], np.array([1, 5, 2])), ["s"])
    assert tree.leaves.labels == ("b", "c", "a", "s")
    assert tree.place.tolist() == [1, 2, 0, 3]
    assert tree.rival.leaves == tree.leaves
    assert tree.unnamed == {"H1", "H2"}


@pytest.mark.parametrize("parts", [("x",), ("x", "y")])
def test_joined_trees_keep_unnamed_nodes(parts):
    trees = {name: halves(["a", "b", "c"], np.array([1, 5, 2])) for name in parts}
    tree = join_hierarchies(trees, "items")
    assert tree.unnamed == {f"{name}:{label}" for name in parts for label in ("H1", "H2")}
    assert tree.unnamed <= set(tree.labels)
    assert [tree.members(v) for v in range(tree.n_nodes) if tree.labels[v] == "x:H1"] == [("x:a", "x:b", "x:c")]
    assert tree.rival.leaves == tree.leaves
    mixed = join_hierarchies({**trees, "z": Hierarchy.from_tree(("Z", ["z1", "z2"]))}, "items")
    assert mixed.members(mixed.node_of["z:Z"]) == ("z:z1", "z:z2")
    assert sorted(mixed.place.tolist()) == list(range(mixed.n_leaves))
