"""The exact cut on clusters equals the full search, which is skipped if AA's cut is proven optimal."""

import random
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.algorithms.test_apriori_on_clusters import HIERARCHY, LEAVES, column_of

from anonset.algorithms.transaction.cluster_mappings import SearchEach
from anonset.algorithms.transaction.cuts.apriori import Apriori
from anonset.algorithms.transaction.exact_cut.exact import Exact
from anonset.algorithms.transaction.exact_cut.exact_on_clusters import ExactOnClusters
from anonset.data import SetColumn
from anonset.data.blocks import Blocks
from anonset.data.storage.store import MEMORY
from anonset.generalization import Cut
from anonset.measures.losses.ncp import ncp_numerator
from effort import examples


def clusters_of(draw: random.Random, column: SetColumn, k: int) -> list[np.ndarray]:
    """Draw clusters for which a solution exists."""
    sizes = [0, k, 2 * k, 17, 65]
    clusters = [np.sort(np.array(draw.sample(range(column.n), size), np.int64)) for size in sizes]
    return [c for c in clusters if not 0 < np.count_nonzero(column.lengths[c]) < k]


class Counted(SearchEach):
    """The full search, with a call counter."""

    n = 0

    def search(self, members):
        self.n += 1
        return super().search(members)


def on_clusters(column: SetColumn, k: int, m: int) -> tuple[ExactOnClusters, Counted]:
    """Return the cluster search and the full search."""
    search = Exact(k=k, m=m).on_clusters(column, HIERARCHY)
    assert isinstance(search, ExactOnClusters)
    search.full = full = Counted(Exact(k=k, m=m), column, HIERARCHY)
    return search, full


def is_forced(rows: list[set[str]], node: int, k: int, m: int) -> bool:
    """Return True if the surroundings of a node contain a rare set of at most m nodes, by brute force."""
    tree, around, above = HIERARCHY, list[int](), node
    while above >= 0:
        around += [child for child in tree.children(above) if not set(tree.members(node)) <= set(tree.members(child))]
        above = int(tree.parent[above])
    return any(
        0 < sum(all(row & set(tree.members(v)) for v in nodes) for row in rows) < k
        for size in range(1, m + 1) for nodes in combinations(around, size)
    )  # fmt: skip


@settings(max_examples=examples(60))
@given(st.integers(0, 10**6), st.integers(1, 4), st.sampled_from([1, 2, 3, 7]))
def test_clusters_are_searched_as_by_the_full_search(seed: int, m: int, k: int) -> None:
    draw = random.Random(seed)
    column = column_of(draw, 80)
    clusters = clusters_of(draw, column, k)
    search, full = on_clusters(column, k, m)
    result = search(clusters)
    assert [nodes.tolist() for nodes in result] == [SearchEach.search(full, c).tolist() for c in clusters]


@settings(max_examples=examples(60))
@given(st.integers(0, 10**6), st.integers(1, 4), st.sampled_from([2, 3, 7]))
def test_the_full_search_is_skipped_if_each_node_is_forced(seed: int, m: int, k: int) -> None:
    draw = random.Random(seed)
    column = column_of(draw, 80)
    clusters = clusters_of(draw, column, k)
    search, full = on_clusters(column, k, m)
    search(clusters)
    cuts = search.apriori(clusters)
    rows = [list(map(set, column.take(c).rows())) for c in clusters]
    open_ = sum(not all(is_forced(of, v, k, m) for v in cut) for of, cut in zip(rows, cuts, strict=True))
    assert full.n == open_


@pytest.mark.parametrize("seed", [62, 206, 232, 286])
def test_a_cut_with_a_smaller_loss_than_aa_is_found(seed: int) -> None:
    draw = random.Random(seed)
    n, k = draw.randint(8, 40), draw.choice([2, 3])
    rows = [{LEAVES[draw.randrange(len(LEAVES))] for _ in range(draw.randint(1, 4))} for _ in range(n)]
    column, everyone = HIERARCHY.bind(SetColumn.of(rows, universe=LEAVES)), np.arange(n)
    [least] = on_clusters(column, k, 2)[0]([everyone])
    [heuristic] = Apriori(k=k, m=2).on_clusters(column, HIERARCHY)([everyone])
    costs = [ncp_numerator(Blocks.of(column, MEMORY), Cut.of(HIERARCHY, nodes)) for nodes in (least, heuristic)]
    assert costs[0] < costs[1]


@pytest.mark.parametrize("suppress", [None, True])
def test_with_suppression_each_cluster_is_searched_by_itself(suppress: bool | None) -> None:
    column = column_of(random.Random(1), 10)
    assert isinstance(Exact(k=2, m=2, suppress=suppress).on_clusters(column, HIERARCHY), SearchEach)
