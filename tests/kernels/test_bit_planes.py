"""Rare sets counted in bit planes, compared with a dictionary of all sets, for any passes, blocks and order."""

from collections import Counter
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonset.algorithms.transaction.rare_sets import rare_tables
from anonset.algorithms.transaction.rare_sets.rare_tables import CountSets, RareTables, bytes_of
from anonset.algorithms.transaction.rare_sets.sets import RareSets
from anonset.algorithms.transaction.rare_sets.supported_nodes import SupportedNodes
from anonset.data import Hierarchy, SetColumn
from anonset.data.blocks import Blocks
from anonset.data.storage.store import MEMORY
from anonset.data.storage.workers import Threads
from anonset_kernels.rare_sets._planes import Planes
from anonset_kernels.rare_sets._record_codes import Ancestors, ancestor_codes
from anonset_kernels.rare_sets.bit_planes import merge
from effort import examples

SMALL = Hierarchy.from_tree(
    ("ALL", [("A", ["a1", ("C", ["c1", "c2", "c3"])]), ("B", ["b1", "b2"]), "d", ("E", ["e1", ("F", ["f1", "f2"])])])
)
WIDE = Hierarchy.balanced([f"i{n:03}" for n in range(120)], 4)
"""More than 128 nodes, so that bit sets have three words."""
TREES = st.sampled_from([SMALL, WIDE])
SIZES = st.integers(2, 5)
NO_LEAVES = Ancestors(np.zeros(1, np.int64), np.empty(0, np.int32), np.empty(0, np.uint64), np.empty(0, np.int32))


def records_of(tree):
    """Draw records of few items, some of them frequent, including empty records."""
    labels = tree.leaves.labels
    items = st.sampled_from([*labels[:5], *labels[-3:], *labels[::17]])
    return st.lists(st.sets(items, max_size=5), max_size=12)


def naive_rare_sets(rows, tree, taking_part, size, k):
    """Return the rare sets of the selected nodes, in count-tree order, with their supports."""
    records = [{v for x in row for v in [tree.node_of[x], *tree.ancestors(tree.node_of[x])]} for row in rows]
    support = Counter(v for record in records for v in record)
    rank = {v: (-support[v], v) for v in support}
    counts = Counter(
        chosen
        for record in records
        for chosen in antichains(sorted(record & taking_part, key=rank.__getitem__), size, tree)
    )
    rare = sorted((tuple(rank[v] for v in chosen), n) for chosen, n in counts.items() if n < k)
    return [(tuple(v for _, v in chosen), n) for chosen, n in rare]


def antichains(nodes, size, tree):
    """Return the sets of some nodes, none above another, each in node order."""
    result = [()]
    for _ in range(size):
        longer = [(*chosen, v) for chosen in result for v in nodes[nodes.index(chosen[-1]) + 1 if chosen else 0 :]]
        result = [chosen for chosen in longer if not any(a in tree.ancestors(chosen[-1]) for a in chosen)]
    return result


def as_nodes(parts):
    """Return rare sets as nodes, with their supports."""
    return [
        (tuple(part.node_of_code[codes].tolist()), int(n))
        for part in parts
        for codes, n in zip(part.codes, part.support, strict=True)
    ]


def tables(rows, tree, taking_part, size, k, *, records_per_block=1_000, workers=1) -> RareTables:
    blocks = Blocks.of(
        SetColumn.of(rows, universe=tree.leaves.labels), MEMORY.with_workers(Threads(workers)), records_per_block
    )
    nodes = np.zeros(tree.n_nodes, bool)
    nodes[list(taking_part)] = True
    return SupportedNodes(blocks, tree, k).rare_tables(nodes, tree.leaf_node, size)


def rare_sets(found: RareTables, generalized):
    return as_nodes(part for table in found.of_all(generalized) for part in table.rare_sets(generalized))


@pytest.fixture(params=[1 << 28, 1], ids=["one pass", "a word a pass"], autouse=True)
def _passes(request, monkeypatch):
    for name in ("BYTES_OF_TABLE", "BYTES_SHARED", "BYTES_OF_PAIRS", "BYTES_IN_CACHE"):
        monkeypatch.setattr(rare_tables, name, request.param)
    monkeypatch.setattr(rare_tables, "SETS_PER_CALL", 3)
    monkeypatch.setattr(rare_tables, "SETS_OF_CALL", 4)


in_one_pass = pytest.mark.parametrize("_passes", [1 << 28], indirect=True)
"""For tests that count into a private table."""


@settings(max_examples=examples(80))
@given(st.data(), TREES, SIZES, st.integers(1, 9))
def test_tables_contain_the_rare_sets_of_the_selected_nodes(data, tree, size, k):
    rows = data.draw(records_of(tree))
    taking_part = data.draw(st.sets(st.integers(1, tree.n_nodes - 1))) | set(range(1, tree.n_nodes, 2))
    rare = rare_sets(tables(rows, tree, taking_part, size, k), np.zeros(tree.n_nodes, np.uint8))
    assert rare == naive_rare_sets(rows, tree, taking_part, size, k)


@settings(max_examples=examples(40))
@given(st.data(), TREES, SIZES, st.integers(1, 9), st.integers(1, 5), st.sampled_from([1, 2]))
def test_the_result_is_independent_of_blocks_and_threads(data, tree, size, k, records_per_block, workers):
    rows, everything = data.draw(records_of(tree)), set(range(1, tree.n_nodes))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rare_tables, "RECORDS_PER_PIECE", 2)
        divided = tables(rows, tree, everything, size, k, records_per_block=records_per_block, workers=workers)
        rare = rare_sets(divided, np.zeros(tree.n_nodes, np.uint8))
        increments = divided.increments()
    assert rare == naive_rare_sets(rows, tree, everything, size, k)
    lengths = [len({v for x in row for v in [tree.node_of[x], *tree.ancestors(tree.node_of[x])]} - {0}) for row in rows]
    assert increments == sum(comb(length, size) for length in lengths)


@settings(max_examples=examples(40))
@given(st.data(), TREES, st.integers(2, 4), st.integers(1, 9), st.integers(1, 5), st.sampled_from([1, 2]))
def test_records_of_a_rare_set_are_counted_in_its_table(data, tree, size, k, records_per_block, workers):
    rows, everything = data.draw(records_of(tree)), set(range(1, tree.n_nodes))
    records = [{v for x in row for v in [tree.node_of[x], *tree.ancestors(tree.node_of[x])]} for row in rows]
    none = np.zeros(tree.n_nodes, np.uint8)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rare_tables, "RECORDS_PER_PIECE", 2)
        divided = tables(rows, tree, everything, size, k, records_per_block=records_per_block, workers=workers)
        for table in divided.of_all(none):
            assert [first for first, _, _ in table.rows] == sorted(first for first, _, _ in table.rows)
            adding = {
                first + i
                for first, (indptr, _), bits in table.rows
                for i in range(len(indptr) - 1)
                if int(bits[i >> 6]) >> (i & 63) & 1
            }
            rare = [set(nodes) for nodes, _ in as_nodes(table.rare_sets(none))]
            assert adding >= {i for i, record in enumerate(records) for nodes in rare if nodes <= record}
            assert not any(len(rows[i]) < 2 for i in adding)


@pytest.mark.long
@settings(max_examples=examples(40))
@given(st.data(), TREES, SIZES, st.integers(2, 9))
def test_sets_of_meanwhile_generalized_nodes_are_skipped(data, tree, size, k):
    """After each part more nodes are generalized. Later sets must not contain them."""
    rows, everything = data.draw(records_of(tree)), set(range(1, tree.n_nodes))
    expected = naive_rare_sets(rows, tree, everything, size, k)
    generalized, actual = np.zeros(tree.n_nodes, np.uint8), []
    for table in tables(rows, tree, everything, size, k).of_all(generalized):
        for part in table.rare_sets(generalized):
            parts = as_nodes([part])
            assert not any(generalized[v] for chosen, _ in parts for v in chosen)
            actual += parts
            generalized[data.draw(st.lists(st.sampled_from(range(1, tree.n_nodes)), max_size=2))] = 1
    expected_rest = [(chosen, n) for chosen, n in expected if not any(generalized[v] for v in chosen)]
    assert [itemset for itemset in actual if itemset in expected_rest] == expected_rest
    assert sorted(actual, key=expected.index) == actual


@settings(max_examples=examples(40))
@given(st.data(), TREES, SIZES, st.integers(1, 9), st.integers(0, 20))
def test_pairs_are_marked_if_rare_sets_exceed_the_limit(data, tree, size, k, room):
    rows, everything = data.draw(records_of(tree)), set(range(1, tree.n_nodes))
    expected = naive_rare_sets(rows, tree, everything, size, k)
    counted = tables(rows, tree, everything, size, k)
    increments, together, rare, frequent = counted.rare_together(lambda increments: room + 0 * int(increments))
    assert increments == counted.increments()
    if len(expected) <= room:
        assert rare is not None
        assert sum(len(table.planes.closed) for table in frequent) > 0 or len(counted.nodes) < size
        assert not any(len(table.planes.planes) for table in frequent)
        assert as_nodes([rare]) == expected
        assert together.shape == (0, 0)
    else:
        assert (rare, frequent) == (None, [])
        marked = {tuple(pair) for pair in counted.nodes[np.argwhere(together)].tolist()}
        assert marked == {(a, b) for chosen, _ in expected for a in chosen for b in chosen if a != b}


@settings(max_examples=examples(40))
@given(st.data(), TREES, st.integers(1, 9))
def test_the_bits_of_pairs_mark_rare_pairs(data, tree, k):
    rows, everything = data.draw(records_of(tree)), set(range(1, tree.n_nodes))
    result = tables(rows, tree, everything, 2, k)
    bits = np.unpackbits(result.rare_bits().view(np.uint8), axis=1, bitorder="little")
    pairs = {tuple(pair) for pair in result.nodes[np.argwhere(bits)].tolist()}
    related = {pair for pair in pairs if pair[0] in tree.ancestors(pair[1])}
    assert pairs - related == {pair for pair, _ in naive_rare_sets(rows, tree, everything, 2, k)}


def counted(rows, n_codes: int, size: int, k: int) -> Planes:
    """Count records of codes. Each code is a separate item."""
    flat = Hierarchy.balanced([str(c) for c in range(n_codes)], n_codes)
    ancestors = ancestor_codes(flat.leaf_node, flat.parent, np.arange(-1, n_codes, dtype=np.int32), 2)
    indptr = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    items = np.array([c for row in rows for c in sorted(row)], np.int32)
    return CountSets(ancestors, n_codes, size, k, (n_codes + 63) // 64)([(indptr, items)])[0]


def supports(table: Planes):
    """Return the support of each set of a table, or -1 for k and more."""
    values = np.full(64 * len(table.closed), 0, np.int8)
    for p in range(len(table.flip)):
        values += np.unpackbits(table.planes[p :: len(table.flip)].copy().view(np.uint8), bitorder="little") << p
    values[np.unpackbits(table.closed.view(np.uint8), bitorder="little") == 1] = -1
    return values


@in_one_pass
@pytest.mark.parametrize("size", [2, 3, pytest.param(4, marks=pytest.mark.compiled)])
@settings(max_examples=examples(20))
@given(
    st.lists(st.sets(st.sampled_from([0, 1, 2, 62, 63, 64, 66]), max_size=6), max_size=30),
    st.lists(st.integers(0, 2), min_size=30, max_size=30),
    st.integers(1, 9),
)
def test_tables_of_any_parts_of_the_records_add_up_in_any_order(size, rows, part_of, k):
    require_sums(rows, part_of, size, k)


@pytest.mark.long
@in_one_pass
@pytest.mark.compiled
def test_tables_of_sets_of_five_can_be_added():
    """A table of the 5-sets of 67 codes has ten million entries, so there is a single case."""
    rows = [{0, 1, 2, 62, 63, 64}, {0, 1, 2, 63, 66}, {0, 2, 62, 63, 64, 66}, {1, 62, 63, 64, 66}] * 2
    require_sums(rows, [0, 1, 2, 0, 1, 1, 0, 2], 5, 2)


def require_sums(rows, part_of, size: int, k: int) -> None:
    complete = supports(counted(rows, 67, size, k))
    parts = [[row for row, part in zip(rows, part_of, strict=False) if part == chosen] for chosen in range(3)]
    for order in ((0, 1, 2), (2, 0, 1)):
        table = counted(parts[order[0]], 67, size, k)
        for other in order[1:]:
            merge(table, counted(parts[other], 67, size, k))
        assert np.array_equal(supports(table), complete)


@given(st.integers(1, 70), SIZES, st.integers(1, 20), st.integers(1, 2))
def test_the_estimated_bytes_of_a_table_are_exact(n_codes, size, k, n_words):
    table, *_ = CountSets(NO_LEAVES, n_codes, size, k, n_words)(())
    assert table.closed.nbytes + table.planes.nbytes == bytes_of(n_codes, size, k, n_words)


def test_sets_that_cannot_be_are_none():
    result = tables([{"a1"}, set()], SMALL, set(), 3, 2)
    assert list(result.of_all(np.zeros(SMALL.n_nodes, np.uint8))) == []
    assert isinstance(result.rare_together(lambda _: 0)[2], RareSets)
