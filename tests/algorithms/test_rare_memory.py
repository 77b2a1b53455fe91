"""Listing rare sets and searching above them stay within the memory limits."""

import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from anonset.algorithms.transaction.cuts.cut_search import BYTES_OF_MEMBER
from anonset.algorithms.transaction.rare_sets.rare_above import RareAbove
from anonset.algorithms.transaction.rare_sets.rare_tables import BYTES_READ_OUT, RareTables
from anonset.algorithms.transaction.rare_sets.supported_nodes import SupportedNodes
from anonset.data import SetColumn, Vocabulary
from anonset.data.blocks import Blocks
from anonset.data.hierarchies.hierarchy import Hierarchy
from anonset.data.spans import Limits
from anonset.data.storage.store import Memory
from anonset.data.storage.workers import Threads

pytestmark = pytest.mark.compiled
N_ITEMS, K = 130, 5


def with_peak_memory(work: Callable[[], Any]) -> tuple[Any, int]:
    """Return the result of `work`, and the peak memory in bytes."""
    work()  # compile, and fill caches
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        done = work()
        return done, tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


def rare_triples(room: int, workers: int = 1) -> tuple[SupportedNodes, RareTables]:
    """Return random records of four items in which most triples are rare, and their tables."""
    rows = np.sort(np.random.default_rng(1).integers(0, N_ITEMS, (300_000, 4)), axis=1).astype(np.int32)
    rows = rows[(np.diff(rows) > 0).all(axis=1)]
    tree = Hierarchy.balanced([str(item) for item in range(N_ITEMS)], 5)
    column = SetColumn("items", np.arange(0, 4 * len(rows) + 1, 4), rows.ravel(), Vocabulary(tree.leaves.labels))
    nodes = SupportedNodes(Blocks.of(column, Memory(Limits(room=room), Threads(workers))), tree, K)
    leaves = np.zeros(tree.n_nodes, np.bool_)
    leaves[tree.leaf_node] = True
    return nodes, nodes.rare_tables(leaves, tree.leaf_node, 3)


@pytest.mark.long
def test_listing_rare_sets_keeps_one_batch_in_memory() -> None:
    _, tables = rare_triples(8 << 20, 2)
    (table,) = tables.of_all()
    (largest, total), most = with_peak_memory(
        lambda: (lambda sizes: (max(sizes), sum(sizes)))(
            [len(part.codes) for part in table.all_rare_sets(tables.store)]
        )
    )
    assert largest <= table.at_once <= total // 8
    assert most <= 2 * 2 * BYTES_READ_OUT * table.at_once
    (_, together, rare, _), most = with_peak_memory(lambda: tables.rare_together(lambda _: total // 100))
    assert rare is None
    assert together.any()
    assert most < 16 * total + table.planes.planes.nbytes  # the peak excludes the list of all sets


@pytest.mark.long
def test_sets_above_need_the_estimated_memory_per_set() -> None:
    nodes, tables = rare_triples(16 << 20)
    _, _, rare, frequent = tables.rare_together(lambda _: 1 << 30)
    assert rare is not None
    n_sets = len(rare.codes)
    rare_above, most = with_peak_memory(lambda: RareAbove(nodes, nodes.hierarchy.leaf_node, rare, frequent).sets())
    assert len(rare_above.codes) < 1.1 * n_sets
    assert n_sets > 100_000
    assert most <= 3 * BYTES_OF_MEMBER * n_sets
