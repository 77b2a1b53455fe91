"""Rare sets above a cut, derived from those on the cut, compared with a dictionary of all sets."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonset.algorithms.transaction.rare_sets import rare_above, rare_tables
from anonset.algorithms.transaction.rare_sets.rare_above import RareAbove
from anonset.algorithms.transaction.rare_sets.supported_nodes import SupportedNodes
from anonset.data import Hierarchy, SetColumn
from anonset.data.blocks import Blocks
from anonset.data.storage.store import MEMORY
from anonset.data.storage.workers import Threads
from anonset.generalization import Cut
from effort import examples

TREE = Hierarchy.from_tree(
    ("ALL", [("A", ["a1", ("C", ["c1", "c2", "c3"])]), ("B", ["b1", "b2"]), "d", ("E", ["e1", ("F", ["f1", "f2"])])])
)
WIDE = Hierarchy.balanced([f"i{n:03}" for n in range(100)], 4)
"""More than 64 leaves, so that bit sets have several words."""


def records_of(tree):
    labels = tree.leaves.labels
    return st.lists(st.sets(st.sampled_from([*labels[:6], *labels[-3:], *labels[::17]]), max_size=7), max_size=25)


def raised(tree, image, nodes):
    """Return a cut in which some nodes replace everything below them."""
    image = image.copy()
    for node in sorted(nodes, reverse=True):
        if (image[tree.leaf_lo[node] : tree.leaf_hi[node]] > node).all():
            image[tree.leaf_lo[node] : tree.leaf_hi[node]] = node
    return image


def naive_rare_sets(rows, tree, image, size, k):
    """Return the rare sets of nodes at or above the cut, none above another, with their supports."""
    counts = Counter()
    for row in rows:
        on_cut = {int(image[tree.leaves.labels.index(item)]) for item in row}
        row_nodes = sorted({v for node in on_cut for v in (node, *tree.ancestors(node)) if v != 0})
        counts.update(subset for subset in combinations(row_nodes, size) if are_apart(tree, subset))
    return {nodes: n for nodes, n in counts.items() if n < k}


def are_apart(tree, nodes):
    return not any(a in tree.ancestors(b) for a, b in combinations(nodes, 2))


def found_above(rows, tree, image, size, k, *, per_block, workers):
    """Return the search's rare sets at or above a cut, with their supports."""
    blocks = Blocks.of(
        SetColumn.of(rows, universe=tree.leaves.labels), MEMORY.with_workers(Threads(workers)), per_block
    )
    on_cut = np.isin(np.arange(tree.n_nodes), image)
    nodes = SupportedNodes(blocks, tree, k)
    tables = nodes.rare_tables(on_cut, image, size)
    _, _, rare, frequent = tables.rare_together(lambda _: 1 << 20)
    for known in (frequent if size < rare_tables.BY_LARGEST else [], []):
        above = RareAbove(nodes, image, rare, known).sets()
        in_order = [tuple(codes) for codes in above.codes.tolist()]
        assert in_order == sorted(set(in_order))
        members = [tuple(sorted(nodes)) for nodes in above.node_of_code[above.codes].tolist()]
        yield dict(zip(members, above.support.tolist(), strict=True))


@pytest.mark.long
@pytest.mark.parametrize(
    "passes",
    [pytest.param(1 << 28, id="one pass"), pytest.param(1, id="word per pass", marks=pytest.mark.compiled)],
)
@settings(max_examples=examples(60))
@given(
    st.data(),
    st.sampled_from([1, 3, 1 << 12]),
    st.sampled_from([TREE, WIDE]),
    st.integers(3, 5),
    st.integers(1, 5),
    st.integers(1, 30),
    st.sampled_from([1, 2]),
)
def test_rare_sets_above_a_cut_equal_a_count(passes, data, most, tree, size, k, per_block, workers):
    rows = data.draw(records_of(tree))
    nodes = data.draw(st.lists(st.integers(1, tree.n_nodes - 1), max_size=3))
    image = raised(tree, tree.leaf_node, nodes)
    assert Cut(tree, image)
    expected = naive_rare_sets(rows, tree, image, size, k)
    with pytest.MonkeyPatch.context() as patch:
        for name in ("BYTES_OF_TABLE", "BYTES_SHARED", "BYTES_OF_PAIRS", "BYTES_IN_CACHE"):
            patch.setattr(rare_tables, name, passes)
        patch.setattr(rare_above, "MOST_BELOW", most)
        if passes == 1:
            patch.setattr(rare_above, "BYTES_AT_ONCE", 100)  # the size of two or three records with sets
        for entry in found_above(rows, tree, image, size, k, per_block=per_block, workers=workers):
            assert entry == expected
