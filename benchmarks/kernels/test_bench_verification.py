"""Benchmarks of verification kernels, which merge equal rows, count itemsets, and compare rows with the original."""

from typing import Any

import numpy as np
import pytest

from anonset.data import Hierarchy, SetColumn, Vocabulary
from anonset.data.storage.store import MEMORY
from anonset.verification.itemsets import DistinctRows
from anonset_kernels.records.rows import map_rows
from anonset_kernels.verification.published_rows import merge_rows
from anonset_kernels.verification.truth import SymbolMembers, first_untrue

pytestmark = pytest.mark.benchmark(group="verification")


@pytest.fixture(scope="module")
def published(column: SetColumn, hierarchy: Hierarchy) -> SetColumn:
    """Return the column with every item replaced by the node two levels up."""
    image = hierarchy.parent[hierarchy.parent[hierarchy.leaf_node]]
    symbols, code = np.unique(image, return_inverse=True)
    indptr, items = map_rows(column.indptr, column.items, code.astype(np.int32), len(symbols))
    return SetColumn(column.name, indptr, items, Vocabulary(tuple(hierarchy.labels[v] for v in symbols)))


def test_bench_merge_rows(benchmark: Any, published: SetColumn) -> None:
    n = published.n
    slots = np.empty(1 << (2 * n).bit_length(), np.int64)
    weight = np.zeros(n, np.int64)

    def fresh() -> None:
        slots.fill(-1)
        weight.fill(0)

    rows = (published.indptr, published.items)
    arguments = (rows, np.ones(n, np.int64), slots, weight, (0, 1), (0, n))
    benchmark.pedantic(merge_rows, arguments, setup=fresh, rounds=5)
    assert 0 < np.count_nonzero(weight) < n
    assert weight.sum() == n


@pytest.mark.parametrize("size", [2, 3])
def test_bench_count_itemsets(benchmark: Any, published: SetColumn, size: int) -> None:
    """Count all itemsets of a size, by the kernel `advance` and the function that calls it."""
    rows = DistinctRows(published, MEMORY)
    count = benchmark(rows.count, size, 1)
    benchmark.extra_info["occurrences"] = rows.occurrences(size)
    assert count.rare is None
    assert count.distinct > 0


def test_bench_first_untrue(benchmark: Any, column: SetColumn, published: SetColumn, hierarchy: Hierarchy) -> None:
    nodes = np.array([hierarchy.node_of[label] for label in published.vocabulary.labels])
    members = [np.arange(hierarchy.leaf_lo[v], hierarchy.leaf_hi[v], dtype=np.int32) for v in nodes]
    offsets = np.concatenate([[0], np.cumsum([len(one) for one in members])]).astype(np.int64)
    untrue = benchmark(
        first_untrue,
        (column.indptr, column.items),
        (published.indptr, published.items),
        np.arange(column.n),
        SymbolMembers(offsets, np.concatenate(members)),
        np.zeros(len(column.vocabulary), np.bool_),
        0,
        column.n,
    )
    assert untrue == (-1, -1, -1)
