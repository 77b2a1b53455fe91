"""Benchmarks of the count-tree kernels, which compute supports, expand records, and walk the tree in three modes."""

from typing import Any

import numpy as np
import pytest

from anonset.algorithms.transaction.cuts.cut_search import CutSearch
from anonset.data import Hierarchy, SetColumn
from anonset_kernels._arrays import ExpandedCodes as ExpandedRecords
from anonset_kernels._arrays import Intervals
from anonset_kernels.rare_sets.count_tree import (
    EXACT,
    LEAVES,
    MARK,
    SupportRule,
    expand,
    node_supports,
    walk,
    walk_sizes,
)

pytestmark = pytest.mark.benchmark(group="count_tree")
K = 5


class ExpandedCodes:
    """Records as codes of all nodes except the root, by descending support."""

    def __init__(self, search: CutSearch, column: SetColumn) -> None:
        nodes, hierarchy = search.nodes.by_support, search.hierarchy
        self.code = np.full(hierarchy.n_nodes, -1, np.int32)
        self.code[nodes] = np.arange(len(nodes), dtype=np.int32)
        self.start = np.concatenate([[0], np.cumsum(search.nodes.support[nodes])]).astype(np.int64)
        self.position = np.empty(int(self.start[-1]), np.int32)
        self.n_codes, self.intervals = len(nodes), Intervals(hierarchy.leaf_lo[nodes], hierarchy.leaf_hi[nodes])
        self.arguments = (column.indptr, column.items, hierarchy.leaf_node, hierarchy.parent, self.code, self.start)
        self.codes = expand(*self.arguments, self.position)


@pytest.fixture
def expanded(search: CutSearch, column: SetColumn) -> ExpandedCodes:
    return ExpandedCodes(search, column)


def test_bench_node_supports(benchmark: Any, column: SetColumn, hierarchy: Hierarchy) -> None:
    support = benchmark(node_supports, column.indptr, column.items, hierarchy.leaf_node, hierarchy.parent)
    assert support[0] == column.n_nonempty


def test_bench_expand(benchmark: Any, expanded: ExpandedCodes) -> None:
    codes = benchmark(expand, *expanded.arguments, expanded.position)
    assert np.array_equal(codes, expanded.codes)


def test_bench_walk_sizes(benchmark: Any, expanded: ExpandedCodes) -> None:
    assert benchmark(walk_sizes, expanded.codes, expanded.n_codes, 3).sum() > len(expanded.codes)


@pytest.mark.parametrize(("size", "mode"), [(2, EXACT), (2, LEAVES), (3, MARK)], ids=["exact-2", "leaves-2", "mark-3"])
def test_bench_walk(benchmark: Any, expanded: ExpandedCodes, size: int, mode: int) -> None:
    """Walk the subtrees of all codes in a single call, with enough space for all rare sets."""
    n_codes = expanded.n_codes
    records = ExpandedRecords(expanded.codes, expanded.start, expanded.position)
    increments = float(walk_sizes(expanded.codes, n_codes, size).sum())
    found = np.empty((1 << 22 if mode != MARK else 0, size), np.int32)
    support, dead = np.empty(len(found), np.int32), np.zeros(n_codes, np.uint8)
    together = np.zeros((n_codes, n_codes) if mode == MARK else (0, 0), np.uint8)
    rule = SupportRule(size, K, mode)
    n_found, following = benchmark(
        walk, records, expanded.intervals, dead, (0, n_codes), rule, found, support, together
    )
    benchmark.extra_info["increments"] = increments
    assert following == n_codes
    assert together.any() if mode == MARK else n_found > 0
