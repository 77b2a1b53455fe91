"""Kernels that count all pairs of nodes at once."""

from typing import Any

import numpy as np
import pytest

from anonset.algorithms.transaction.cut_search import CutSearch
from anonset.data import SetColumn
from anonset_kernels.count_tree import expand
from anonset_kernels.pairs import count_pairs

pytestmark = pytest.mark.benchmark(group="pairs")
K = 5


@pytest.fixture
def codes(search: CutSearch, column: SetColumn) -> Any:
    """int32: the records as codes of all nodes but the root."""
    nodes, hierarchy = search.nodes.by_support, search.hierarchy
    code = np.full(hierarchy.n_nodes, -1, np.int32)
    code[nodes] = np.arange(len(nodes), dtype=np.int32)
    start = np.concatenate([[0], np.cumsum(search.nodes.support[nodes])]).astype(np.int64)
    nowhere = np.empty(0, np.int32)
    return expand(column.indptr, column.items, hierarchy.leaf_node, hierarchy.parent, code, start, nowhere)


def test_bench_count_pairs(benchmark: Any, codes: Any, search: CutSearch) -> None:
    n_codes = len(search.nodes.by_support)
    pairs = np.zeros((n_codes, n_codes), np.uint8)
    benchmark.pedantic(count_pairs, (codes, 0, n_codes, K, pairs), setup=lambda: pairs.fill(0), rounds=5)
    assert pairs.max() == K
