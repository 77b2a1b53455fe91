"""On clusters, AA's bitmap kernel finds the same cut as the full search and as naive AA."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.facts import refused

import reference.transaction_algorithms as twins
from anonset.algorithms.transaction.cluster_mappings import SearchEach
from anonset.algorithms.transaction.cuts import apriori_on_clusters, cut_search
from anonset.algorithms.transaction.cuts.apriori import Apriori
from anonset.algorithms.transaction.cuts.apriori_on_clusters import AprioriOnClusters, search_in_bitmaps
from anonset.algorithms.transaction.partitions import lra
from anonset.algorithms.transaction.partitions.lra import Lra
from anonset.data import Hierarchy, SetColumn, Table
from anonset.data.blocks import Blocks
from anonset.data.storage.store import MEMORY
from anonset.errors import InputError
from effort import examples
from reference.hierarchy_model import HierarchyModel, parse

TREE = "T(P(H(a,b),K(c,d)),Q(L(f,g),M(x,y,z)),e,i)"
MODEL, HIERARCHY = HierarchyModel(parse(TREE)), Hierarchy.from_tree(parse(TREE))
LEAVES = HIERARCHY.leaves.labels


def column_of(draw: random.Random, n: int) -> SetColumn:
    """Draw records. Some items are rare."""
    rows = ({LEAVES[int(len(LEAVES) * draw.random() ** 3)] for _ in range(draw.randint(0, 4))} for _ in range(n))
    return HIERARCHY.bind(SetColumn.of(rows, universe=LEAVES))


@settings(max_examples=examples(80))
@given(st.integers(0, 10**6), st.integers(1, 5), st.sampled_from([2, 3, 7]))
def test_a_large_cluster_has_the_cut_of_the_full_search(seed: int, m: int, k: int) -> None:
    draw = random.Random(seed)
    column = column_of(draw, 300)
    sizes = [0, 1, k, 63, 64, 65, 200]
    clusters = [np.sort(np.array(draw.sample(range(column.n), size), np.int64)) for size in sizes]
    algorithm = Apriori(k=k, m=m)
    each = SearchEach(algorithm, column, HIERARCHY)
    chosen = [c for c in clusters if not 0 < np.count_nonzero(column.lengths[c]) < k]
    result = algorithm.on_clusters(column, HIERARCHY)(chosen)
    assert [nodes.tolist() for nodes in result] == [each.search(c).tolist() for c in chosen]


@settings(max_examples=examples(30))
@given(st.integers(0, 10**6), st.integers(1, 4))
def test_a_cluster_is_searched_as_by_the_naive_search(seed: int, m: int) -> None:
    column = column_of(random.Random(seed), 70)
    (nodes,) = Apriori(k=3, m=m).on_clusters(column, HIERARCHY)([np.arange(column.n)])
    image = twins.apriori([set(row) for row in column.rows()], MODEL, 3, m).image
    published = {image[item] for row in column.rows() for item in row} - set(LEAVES)
    shown = {HIERARCHY.labels[v] for v in nodes.tolist()}
    assert published <= shown <= {*image.values()}


@settings(max_examples=examples(80))
@given(st.integers(0, 10**6), st.integers(1, 5), st.sampled_from([2, 3, 7]), st.sampled_from([1, 49, 1 << 28]))
def test_the_kernel_reports_the_fixes_and_increments_of_the_full_search(seed: int, m: int, k: int, cells: int) -> None:
    column = column_of(random.Random(seed), 130)
    with pytest.MonkeyPatch.context() as patch:
        for module in (apriori_on_clusters, cut_search):
            patch.setattr(module, "TOGETHER_CELLS", cells)
        nodes, fixes, increments = search_in_bitmaps(column, HIERARCHY, k, m)
        full = Apriori(k=k, m=m).run_apriori(Blocks.of(column, MEMORY), HIERARCHY)
    assert fixes == full.fixes
    assert increments == full.increments
    assert nodes.tolist() == [v for v in full.cut.nodes.tolist() if not HIERARCHY.is_leaf[v]]


@pytest.mark.parametrize("m", [1, 2, 3])
def test_lra_has_the_same_result_by_kernel_and_by_full_search(monkeypatch, m: int) -> None:
    column = column_of(random.Random(m), 90)
    algorithm = Lra(k=3, m=m, partitions=4)
    results = [algorithm.recode(Table(column), {column.name: HIERARCHY})]
    monkeypatch.setattr(lra, "search_in_bitmaps", None)
    with pytest.raises(TypeError):
        algorithm.recode(Table(column), {column.name: HIERARCHY})
    monkeypatch.setattr(lra, "in_bitmaps", lambda *_: False)
    results.append(algorithm.recode(Table(column), {column.name: HIERARCHY}))
    assert results[0].trace == results[1].trace
    assert results[0].figures == results[1].figures


def test_lra_rejects_a_small_partition_with_too_many_increments() -> None:
    column = column_of(random.Random(1), 90)
    with refused(InputError, "2 max_increments 9"):
        Lra(k=3, m=2, partitions=2, max_increments=9).recode(Table(column), {column.name: HIERARCHY})


@pytest.mark.parametrize(("m", "room", "large", "n_full"), [(2, 8, 0, 1), (3, 8, 0, 1), (3, 9, 0, 0), (4, 9, 65, 1)])
def test_large_clusters_use_the_full_search(monkeypatch, m: int, room: int, large: int, n_full: int) -> None:
    column = column_of(random.Random(5), 64 + (m == 4))
    searched = []

    class Full(SearchEach):
        def search(self, members):
            searched.append(len(members))
            return super().search(members)

    monkeypatch.setattr(apriori_on_clusters, "_BYTES_OF_BITMAPS", room * HIERARCHY.n_nodes - (room == 8))
    monkeypatch.setattr(apriori_on_clusters, "_LARGE", large)
    full = Full(Apriori(k=2, m=m), column, HIERARCHY)
    search = AprioriOnClusters(2, m, column, HIERARCHY, full, MEMORY)
    clusters = [np.arange(20), np.arange(column.n)]
    result = [nodes.tolist() for nodes in search(clusters)]
    assert searched == [column.n] * n_full
    assert result == [SearchEach.search(full, members).tolist() for members in clusters]
