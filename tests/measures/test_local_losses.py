"""LM, the NCP of local recodings, and ambiguous items, compared with naive implementations."""

import random
from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.facts import refused

from anonset.data import Hierarchy, SetColumn, Table
from anonset.errors import InputError
from anonset.generalization import Cut, ItemGroups, PerCluster, apply
from anonset.measures.ambiguous_items import ambiguous_items
from anonset.measures.losses.ncp import ncp_exact
from anonset.measures.retention import lm_of_sizes, ncp_of_sizes, occurrences_by_size
from effort import examples
from reference.hierarchy_model import HierarchyModel, parse
from reference.measures import shown_below

TREE = parse("ALL(dairy(milk(skim,full),yogurt),bakery(bread,rolls,cake),misc(pens,tea))")
MODEL = HierarchyModel(TREE)
HIERARCHY = Hierarchy.from_tree(TREE)
CUTS = MODEL.cuts()
Image = dict[str, str | None]


def ncp_exactly(column: SetColumn, recoding: Cut | ItemGroups | PerCluster) -> Fraction:
    return ncp_of_sizes(occurrences_by_size(column, recoding))


def lm_exactly(column: SetColumn, recoding: Cut | ItemGroups | PerCluster) -> Fraction:
    return lm_of_sizes(occurrences_by_size(column, recoding))


def cut_of(image: Image) -> Cut:
    codes = [-1 if (node := image[leaf]) is None else HIERARCHY.node_of[node] for leaf in MODEL.leaves]
    return Cut(HIERARCHY, np.array(codes, np.int32))


def local_case(seed: int) -> tuple[list[set[str]], list[int], list[Image]]:
    rng = random.Random(seed)
    rows = [set(rng.choices(MODEL.leaves, k=rng.randint(0, 4))) for _ in range(rng.randint(0, 12))]
    images: list[Image] = []
    for _ in range(3):
        hidden = set(rng.sample(MODEL.leaves, rng.choice([0, 0, 1, 3])))
        images.append({x: None if x in hidden else v for x, v in MODEL.image(rng.choice(CUTS)).items()})
    return rows, [rng.randrange(3) for _ in rows], images


@settings(max_examples=examples(150))
@given(st.integers(0, 2**32 - 1).map(local_case))
def test_losses_equal_their_twins(case: tuple[list[set[str]], list[int], list[Image]]) -> None:
    rows, clusters, images = case
    column = HIERARCHY.bind(SetColumn.of(rows))
    recoding = PerCluster(np.array(clusters, np.int32), tuple(map(cut_of, images)))
    published = [(images[c], images[c][x]) for row, c in zip(rows, clusters, strict=True) for x in row]
    sizes = [None if node is None else shown_below(node, image, MODEL) for image, node in published]
    n_items, n = len(MODEL.leaves), max(1, len(published))
    ncp = sum((Fraction(1) if s is None else Fraction(s if s > 1 else 0, n_items) for s in sizes), Fraction(0)) / n
    loss = sum((Fraction(1) if s is None else Fraction(s - 1, n_items - 1) for s in sizes), Fraction(0)) / n
    assert ncp_exactly(column, recoding) == ncp
    assert lm_exactly(column, recoding) == loss
    cut = cut_of(images[0])
    assert ncp_exactly(column, cut) == ncp_exact(column, cut)
    alike = PerCluster(np.array(clusters, np.int32), (cut,) * 3)
    assert ncp_exactly(column, alike) == ncp_exact(column, cut)
    assert lm_exactly(column, alike) == lm_exactly(column, cut)


def test_groups_cost_their_size() -> None:
    column = SetColumn.of([{"a", "b"}, {"a", "c", "d"}])
    groups = ItemGroups(column.vocabulary, np.array([0, 1, 1, -1], np.int32))
    assert ncp_exactly(column, groups) == Fraction(0 + 0 + 2 + 2 + 4, 4 * 5)
    assert lm_exactly(column, groups) == Fraction(0 + 0 + 1 + 1 + 3, 3 * 5)


def test_an_empty_table_has_no_loss() -> None:
    empty = HIERARCHY.bind(SetColumn.of([set()]))
    assert lm_exactly(empty, Cut(HIERARCHY, np.zeros(8, np.int32))) == 0
    single = SetColumn.of([{"a"}])
    assert lm_exactly(single, ItemGroups.identity(single.vocabulary)) == 0


def test_unbound_columns_are_refused() -> None:
    column = SetColumn.of([{"tea"}])
    with refused(InputError, "Hierarchy.bind"):
        ncp_exactly(column, Cut.identity(HIERARCHY))
    with refused(InputError, "vocabulary"):
        lm_exactly(column, ItemGroups.identity(HIERARCHY.leaves))
    with refused(InputError, "clusters 2 1"):
        ncp_exactly(column, PerCluster(np.zeros(2, np.int32), (Cut.identity(HIERARCHY),)))


@settings(max_examples=examples(100))
@given(st.integers(0, 2**32 - 1).map(local_case))
def test_ambiguous_items_equal_their_twin(case: tuple[list[set[str]], list[int], list[Image]]) -> None:
    rows, clusters, images = case
    images = [{x: node or x for x, node in image.items()} for image in images]
    table = Table.from_sets(rows)
    assert table.transactions is not None
    table = table.with_transactions(HIERARCHY.bind(table.transactions))
    used = sorted(set(clusters))
    renumbered = np.array([used.index(c) for c in clusters], np.int32)
    publication = apply(table, PerCluster(renumbered, tuple(cut_of(images[c]) for c in used)))
    symbols = {images[c][x] for row, c in zip(rows, clusters, strict=True) for x in row}
    assert ambiguous_items(publication) == sum(sum(x in MODEL.below[s] for s in symbols) > 1 for x in MODEL.leaves)


def test_a_global_cut_publishes_each_item_as_one_symbol() -> None:
    table = Table.from_sets([{"skim", "tea"}, {"full"}])
    assert table.transactions is not None
    table = table.with_transactions(HIERARCHY.bind(table.transactions))
    assert ambiguous_items(apply(table, cut_of(dict(MODEL.image(("dairy", "bakery", "misc")))))) == 0
