"""NCP of items compared with the naive implementation, and special cases."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.facts import refused

from anonset.data import Hierarchy, SetColumn
from anonset.errors import InputError
from anonset.generalization import Cut
from anonset.measures.losses.ncp import (
    ncp,
    ncp_exact,
    ncp_numerator,
)
from effort import examples
from reference.hierarchy_model import HierarchyModel, parse
from reference.measures import item_ncp

TREE = parse("ALL(dairy(milk(skim,full),yogurt),bakery(bread,rolls,cake),misc(pens,tea))")
MODEL = HierarchyModel(TREE)
HIERARCHY = Hierarchy.from_tree(TREE)
Rows = list[set[str]]


def column_of(rows: Rows) -> SetColumn:
    return HIERARCHY.bind(SetColumn.of(rows))


def cut_of(nodes: str, suppressed: str = "") -> Cut:
    image = MODEL.image(nodes.split())
    hidden = {leaf for node in suppressed.split() for leaf in MODEL.below[node]}
    codes = [-1 if leaf in hidden else HIERARCHY.node_of[image[leaf]] for leaf in MODEL.leaves]
    return Cut(HIERARCHY, np.array(codes, np.int32))


@settings(max_examples=examples(200))
@given(
    st.lists(st.sets(st.sampled_from(MODEL.leaves), max_size=6), max_size=12),
    st.sampled_from(MODEL.cuts()),
    st.sets(st.sampled_from(MODEL.leaves)),
)
def test_ncp_equals_its_twin(rows: Rows, nodes: tuple[str, ...], hidden: set[str]) -> None:
    image = {leaf: None if leaf in hidden else node for leaf, node in MODEL.image(nodes).items()}
    column, cut = column_of(rows), cut_of(" ".join(nodes), " ".join(hidden))
    expected = item_ncp(rows, image, MODEL)
    occurrences = sum(map(len, rows))
    assert ncp_exact(column, cut) == expected
    assert ncp(column, cut) == float(expected)
    assert ncp_numerator(column, cut) == expected * len(MODEL.leaves) * occurrences


def test_is_zero_for_the_leaves_and_one_for_the_root_and_for_full_suppression() -> None:
    column = column_of([{"skim", "tea"}, {"cake"}])
    assert ncp_exact(column, Cut.identity(HIERARCHY)) == 0
    assert ncp_exact(column, cut_of("ALL")) == 1
    assert ncp_exact(column, cut_of(" ".join(MODEL.leaves), "ALL")) == 1


def test_items_that_never_occur_count_in_the_leaves_only() -> None:
    column = column_of([{"tea"}])
    assert ncp_exact(column, cut_of("dairy bakery misc")) == Fraction(2, 8)
    assert ncp_exact(column, cut_of("dairy bakery pens tea")) == 0


@pytest.mark.parametrize("rows", [[], [set(), set()]], ids=["no record", "empty records"])
def test_records_without_items_have_no_loss(rows: Rows) -> None:
    column = column_of(rows)
    assert ncp_exact(column, cut_of("ALL")) == 0
    assert ncp(column, cut_of("ALL")) == 0.0


def test_a_hierarchy_of_one_leaf_has_no_loss_unless_suppressed() -> None:
    hierarchy = Hierarchy.from_tree("only")
    column = hierarchy.bind(SetColumn.of([{"only"}]))
    assert ncp_exact(column, Cut.identity(hierarchy)) == 0
    assert ncp_exact(column, Cut(hierarchy, np.array([-1], np.int32))) == 1


def test_sums_beyond_64_bits_are_exact() -> None:
    column = column_of([{"skim"}])
    column.__dict__["occurrences"] = np.array([2**60 + 1] * 4 + [0] * 4, np.int64)
    assert ncp_numerator(column, cut_of("ALL")) == 8 * 4 * (2**60 + 1)


@pytest.mark.parametrize("measure", [ncp_numerator, ncp_exact, ncp])
def test_an_unbound_column_is_refused(measure: object) -> None:
    assert callable(measure)
    with refused(InputError, "items Hierarchy.bind"):
        measure(SetColumn.of([{"tea", "skim"}]), cut_of("ALL"))
