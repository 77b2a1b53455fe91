"""Fixing rare sets."""

from typing import Any

import numpy as np
import pytest

from anonset.algorithms.transaction.count_tree import CutSearch
from anonset_kernels.fix import fix_threats

pytestmark = pytest.mark.benchmark(group="fix")
K = 5


def test_bench_fix_threats(benchmark: Any, search: CutSearch) -> None:
    """Fix rare pairs: of neighbours in the order of support, taken for rare where they are not."""
    search.fix_size(1)
    nodes = search.rank[search.dead[search.rank] == 0]
    n_threats = min(2000, len(nodes) - 1)
    first = len(nodes) - 1 - n_threats
    threats = np.stack([np.arange(first, first + n_threats), np.arange(first + 1, first + 1 + n_threats)], axis=1)
    fixed, rules = np.empty(n_threats, np.int32), np.empty((n_threats, 2), np.int32)

    def fresh() -> tuple[tuple[Any, ...], dict[str, Any]]:
        state = (search.occurrences, search.below.copy(), search.image.copy(), search.dead.copy(), search.support)
        return (threats.astype(np.int32), nodes, search.tree, search.data, state, K, fixed, rules), {}

    n_fixed = benchmark.pedantic(fix_threats, setup=fresh, rounds=5)
    benchmark.extra_info["fixes"] = n_fixed
    assert 0 < n_fixed <= n_threats
