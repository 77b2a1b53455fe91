"""Benchmarks of kernels that count sets in bit planes, and that extract rare sets."""

from typing import Any

import numpy as np
import pytest

from anonset.algorithms.transaction.cuts.cut_search import CutSearch
from anonset.algorithms.transaction.rare_sets.rare_tables import RareTable

pytestmark = pytest.mark.benchmark(group="bit_planes")


def table_of(search: CutSearch, size: int) -> RareTable:
    """Count sets of nodes. Pairs use all nodes, and larger sets use the nodes of the cut."""
    taking_part = np.ones(search.hierarchy.n_nodes, np.bool_)
    if size > 2:
        taking_part = np.isin(np.arange(search.hierarchy.n_nodes), search.image)
    found = search.nodes.rare_tables(taking_part, search.image, size)
    return next(iter(found.of_all(np.zeros(search.hierarchy.n_nodes, np.uint8))))


@pytest.mark.parametrize("size", [2, 3])
def test_bench_count_sets(benchmark: Any, search: CutSearch, size: int) -> None:
    table = benchmark.pedantic(table_of, (search, size), rounds=5, warmup_rounds=1)
    assert table.increments > 0


@pytest.mark.parametrize("size", [2, 3])
def test_bench_rare_sets(benchmark: Any, search: CutSearch, size: int) -> None:
    table, none = table_of(search, size), np.zeros(search.hierarchy.n_nodes, np.uint8)
    rare = benchmark(lambda: list(table.rare_sets(none)))
    assert sum(len(part.codes) for part in rare) > 0
