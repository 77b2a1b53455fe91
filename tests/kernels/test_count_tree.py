"""The walk over the count-tree, compared with a dictionary of all sets."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonset.algorithms.transaction.rare_sets.count_tree import CountTree
from anonset.algorithms.transaction.rare_sets.supported_nodes import SupportedNodes
from anonset.algorithms.transaction.rare_sets.windows import Suffixes
from anonset.data import Hierarchy, SetColumn
from anonset.data.blocks import Blocks
from anonset.data.storage.store import MEMORY
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
from effort import examples

TREE = Hierarchy.from_tree(
    ("ALL", [("A", ["a1", ("C", ["c1", "c2", "c3"])]), ("B", ["b1", "b2"]), "d", ("E", ["e1", ("F", ["f1", "f2"])])])
)
LEAVES_OF_TREE = TREE.leaves.labels
ABOVE = [set(TREE.ancestors(v)) for v in range(TREE.n_nodes)]
BESIDE = [[a not in ABOVE[b] and b not in ABOVE[a] for b in range(TREE.n_nodes)] for a in range(TREE.n_nodes)]
records_of_items = st.lists(st.sets(st.sampled_from(LEAVES_OF_TREE), max_size=7), max_size=14)


def naive_records(rows):
    """Return each record's nodes without the root."""
    return [{v for x in row for v in [TREE.node_of[x], *ABOVE[TREE.node_of[x]]]} - {0} for row in rows]


def naive_tree(rows, m):
    """Count every set of up to m unrelated nodes, as rank-ordered tuples."""
    records = naive_records(rows)
    support = Counter(v for record in records for v in record)
    nodes = sorted(support, key=lambda v: (-support[v], v))
    rank = {v: r for r, v in enumerate(nodes)}
    counts: Counter[tuple[int, ...]] = Counter()
    for record in records:
        for size in range(1, m + 1):
            counts.update(combinations(sorted(rank[v] for v in record), size))
    return {s: n for s, n in counts.items() if all(BESIDE[nodes[a]][nodes[b]] for a, b in combinations(s, 2))}


def count_tree(rows, k: int, size: int, records_per_block: int = 1_000) -> CountTree:
    """Return the count-tree of all nodes except the root."""
    blocks = Blocks.of(SetColumn.of(rows, universe=LEAVES_OF_TREE), MEMORY, records_per_block)
    return SupportedNodes(blocks, TREE, k).count_tree(np.ones(TREE.n_nodes, bool), TREE.leaf_node, size)


def _codes(tree: CountTree):
    return np.concatenate([np.empty(0, np.int32), *tree.records.stored()])


def run_walk(rows, size, k, mode, *, room=10_000, records_per_block=1_000):
    tree = count_tree(rows, k, size, records_per_block)
    sets, support = np.empty((room, size), np.int32), np.empty(room, np.int32)
    n_codes = tree.n_codes
    dead, together = np.zeros(n_codes, np.uint8), np.zeros((n_codes, n_codes) if mode == MARK else (0, 0), np.uint8)
    out = []
    suffixes = Suffixes.of(tree.records, n_codes, 0 if mode == LEAVES else size - 1)
    for first, last in suffixes.windows:
        records = suffixes.of_window((first, last))
        while first < last:
            n_found, first = walk(
                records, tree.intervals, dead, (first, last), SupportRule(size, k, mode), sets, support, together
            )
            for codes, count in zip(sets[:n_found].tolist(), support[:n_found].tolist(), strict=True):
                chosen = tuple(c for c in codes if c >= 0)
                if (chosen, count) not in out:
                    out.append((chosen, count))
            if n_found == room:  # repeat the walk without the reported sets
                room *= 2
                sets, support = np.empty((room, size), np.int32), np.empty(room, np.int32)
    return out, together


@pytest.mark.long
@settings(max_examples=examples(150))
@given(records_of_items)
def test_node_supports(rows):
    column = SetColumn.of(rows, universe=LEAVES_OF_TREE)
    support = node_supports(column.indptr, column.items, TREE.leaf_node, TREE.parent)
    expected = Counter(v for record in naive_records(rows) for v in record)
    expected[0] = sum(1 for row in rows if row)
    assert support.tolist() == [expected[v] for v in range(TREE.n_nodes)]


@pytest.mark.long
@settings(max_examples=examples(150))
@given(records_of_items, st.integers(2, 4), st.integers(2, 4))
def test_exact_reports_the_rare_sets_in_order(rows, size, k):
    expected = [(s, n) for s, n in sorted(naive_tree(rows, size).items()) if len(s) == size and n < k]
    assert run_walk(rows, size, k, EXACT)[0] == expected


@pytest.mark.long
@settings(max_examples=examples(150))
@given(records_of_items, st.integers(2, 4), st.integers(2, 4))
def test_leaves_reports_rare_leaves_of_the_tree_in_preorder(rows, size, k):
    tree = naive_tree(rows, size)
    inner = {s[:-1] for s in tree}
    expected = [(s, n) for s, n in sorted(tree.items()) if s not in inner and n < k]
    assert run_walk(rows, size, k, LEAVES)[0] == expected


@settings(max_examples=examples(100))
@given(records_of_items, st.integers(2, 4), st.integers(2, 4))
def test_mark_marks_the_pairs_of_rare_sets_and_reports_these(rows, size, k):
    rare = [(s, n) for s, n in sorted(naive_tree(rows, size).items()) if len(s) == size and n < k]
    sets, together = run_walk(rows, size, k, MARK)
    assert sets == rare
    pairs = set(zip(*map(np.ndarray.tolist, np.nonzero(together)), strict=True))
    assert pairs == {pair for s, _ in rare for pair in combinations(s, 2)}


@settings(max_examples=examples(100))
@given(records_of_items, st.integers(2, 4), st.integers(1, 3))
def test_mark_resumes_after_a_full_buffer(rows, size, room):
    rare = [s for s, n in naive_tree(rows, size).items() if len(s) == size and n < 3]
    together, reported_sets = count_tree(rows, 3, size).rare_together(room)
    pairs = {pair for s in rare for pair in combinations(s, 2)}
    assert {(a, b) for a, b in zip(*map(np.ndarray.tolist, np.nonzero(together)), strict=True) if a < b} == pairs
    assert np.array_equal(together, together.T)
    assert (reported_sets is None) == (len(rare) > room)
    assert reported_sets is None or len(reported_sets.codes) == len(rare)


@pytest.mark.long
@settings(max_examples=examples(100))
@given(records_of_items, st.integers(2, 4), st.integers(2, 4), st.integers(1, 5))
def test_the_result_is_independent_of_blocks(rows, size, k, records_per_block):
    for mode in (EXACT, LEAVES, MARK):
        complete, marked = run_walk(rows, size, k, mode)
        blocks, marked_by_blocks = run_walk(rows, size, k, mode, records_per_block=records_per_block)
        assert blocks == complete
        assert np.array_equal(marked, marked_by_blocks)


@pytest.mark.long
@settings(max_examples=examples(100))
@given(st.lists(st.sets(st.sampled_from(LEAVES_OF_TREE), min_size=4), min_size=20, max_size=60), st.integers(3, 4))
def test_dense_data_are_counted_the_same(rows, size):
    expected = [(s, n) for s, n in sorted(naive_tree(rows, size).items()) if len(s) == size and n < 9]
    assert run_walk(rows, size, 9, EXACT)[0] == expected


@settings(max_examples=examples(100))
@given(records_of_items, st.integers(2, 3))
def test_a_full_buffer_loses_no_set(rows, k):
    complete, _ = run_walk(rows, 2, k, EXACT)
    pieces, _ = run_walk(rows, 2, k, EXACT, room=1)
    assert pieces == complete


@settings(max_examples=examples(100))
@given(records_of_items, st.integers(1, 4))
def test_walk_sizes_counts_every_set_that_starts_with_a_code(rows, size):
    tree = count_tree(rows, 1, size)
    code = {int(v): c for c, v in enumerate(tree.node_of_code)}
    expected = Counter(
        min(chosen) for record in naive_records(rows) for chosen in combinations([code[v] for v in record], size)
    )
    work = walk_sizes(_codes(tree), len(code), size)
    assert work.tolist() == [expected[c] for c in range(len(code))]


def test_long_records_are_sorted():
    hierarchy = Hierarchy.balanced([str(i) for i in range(300)], 3)
    column = SetColumn.of([hierarchy.leaves.labels, hierarchy.leaves.labels[:5]], universe=hierarchy.leaves.labels)
    support = node_supports(column.indptr, column.items, hierarchy.leaf_node, hierarchy.parent)
    nodes = np.lexsort((np.arange(hierarchy.n_nodes), -support))[1:]
    code = np.full(hierarchy.n_nodes, -1, np.int32)
    code[nodes] = np.arange(len(nodes))
    start = np.concatenate([[0], np.cumsum(support[nodes])]).astype(np.int64)
    position = np.empty(start[-1], np.int32)
    codes = expand(column.indptr, column.items, hierarchy.leaf_node, hierarchy.parent, code, start, position)
    ends = np.flatnonzero(codes < 0)
    assert codes[: ends[0]].tolist() == list(range(len(nodes)))
    assert codes[ends[0] + 1 : ends[1]].tolist() == sorted(codes[ends[0] + 1 : ends[1]].tolist())
    assert (codes[position] == np.repeat(np.arange(len(nodes)), support[nodes])).all()
