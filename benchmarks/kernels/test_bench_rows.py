"""Benchmarks of kernels that transpose, sort, map and check rows."""

from typing import Any

import numpy as np
import pytest

from anonset.data import Hierarchy, SetColumn
from anonset.data.codes import sort_items
from anonset_kernels.records.rows import map_rows, transpose, unsorted_or_repeated

pytestmark = pytest.mark.benchmark(group="rows")


def test_bench_transpose(benchmark: Any, column: SetColumn) -> None:
    start, records = benchmark(transpose, column.indptr, column.items, len(column.vocabulary))
    assert np.array_equal(np.diff(start), column.occurrences)
    assert len(records) == len(column.codes)


def test_bench_sort_rows(benchmark: Any, column: SetColumn, shuffled: Any) -> None:
    found = benchmark(lambda: sort_items(column.indptr, shuffled.copy(), len(column.vocabulary)))
    assert unsorted_or_repeated(column.indptr, found) == -1


def test_bench_map_rows(benchmark: Any, column: SetColumn, hierarchy: Hierarchy) -> None:
    image = hierarchy.parent[hierarchy.leaf_node]
    indptr, items = benchmark(map_rows, column.indptr, column.items, image, hierarchy.n_nodes)
    assert indptr[-1] == len(items) < len(column.codes)


def test_bench_unsorted_or_repeated(benchmark: Any, column: SetColumn) -> None:
    assert benchmark(unsorted_or_repeated, column.indptr, column.items) == -1
