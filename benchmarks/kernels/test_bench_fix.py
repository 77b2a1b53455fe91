"""Benchmark of the kernel that generalizes nodes until no rare set remains."""

from typing import Any

import numpy as np
import pytest

from anonset.algorithms.transaction.cuts.cut_search import CutSearch
from anonset_kernels.cuts.fix import fix_threats

pytestmark = pytest.mark.benchmark(group="fix")
K = 5


def test_bench_fix_threats(benchmark: Any, search: CutSearch) -> None:
    """Fix pairs of nodes with neighbouring supports. All pairs are treated as rare."""
    for rare_nodes in search.rare_sets(1):
        search.fix(rare_nodes)
    nodes = search.nodes.by_support[search.generalized[search.nodes.by_support] == 0]
    n_threats = min(2000, len(nodes) - 1)
    first = len(nodes) - 1 - n_threats
    threats = np.stack([np.arange(first, first + n_threats), np.arange(first + 1, first + 1 + n_threats)], axis=1)
    fixed, rules = np.empty(n_threats, np.int32), np.empty((n_threats, 2), np.int32)

    def fresh() -> tuple[tuple[Any, ...], dict[str, Any]]:
        changed = (search.loss.copy(), search.image.copy(), search.generalized.copy())
        state = (*changed, search.nodes.support)
        return (threats.astype(np.int32), nodes, search.tree, search.data, state, K, fixed, rules), {}

    n_fixed = benchmark.pedantic(fix_threats, setup=fresh, rounds=5)
    benchmark.extra_info["fixes"] = n_fixed
    assert 0 < n_fixed <= n_threats
