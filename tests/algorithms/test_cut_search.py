"""Cut search: rare sets above a cut derived from sets on the cut, precomputed rules, blocks of records."""

from dataclasses import replace
from itertools import combinations, product
from math import comb

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from tests.facts import refused

from anonset.algorithms.transaction.cuts import cut_search
from anonset.algorithms.transaction.cuts.cut_search import CutSearch
from anonset.algorithms.transaction.partitions import vpa
from anonset.algorithms.transaction.partitions.vpa import Vpa
from anonset.algorithms.transaction.rare_sets import count_tree, marked_pairs, rare_above, rare_tables, windows
from anonset.algorithms.transaction.rare_sets.sets import RareSets
from anonset.algorithms.transaction.rare_sets.sets_above import sets_above
from anonset.algorithms.transaction.rare_sets.supported_nodes import SupportedNodes
from anonset.data import Hierarchy, SetColumn, Table
from anonset.data.blocks import Blocks
from anonset.data.spans import Limits, spans
from anonset.data.storage.store import MEMORY, Files, Memory
from anonset.data.storage.workers import Threads
from anonset.errors import InputError
from effort import examples, file_names

INPUT = {"indptr", "items"}
"""Files of the sets that a search reads."""

TREE = Hierarchy.from_tree(
    ("ALL", [("A", ["a1", ("C", ["c1", "c2", "c3"])]), ("B", ["b1", "b2"]), "d", ("E", ["e1", ("F", ["f1", "f2"])])])
)
LEAVES = TREE.leaves.labels
records_of_items = st.lists(st.sets(st.sampled_from(LEAVES), max_size=7), min_size=4, max_size=30)


def ways_up(node):
    return [v for v in (node, *TREE.ancestors(node)) if v != 0]


def are_apart(nodes):
    return not any(a == b or a in TREE.ancestors(b) or b in TREE.ancestors(a) for a, b in combinations(nodes, 2))


def above(hierarchy, sets, at_once, kept=lambda sets: np.ones(len(sets), bool)):
    """Return the sets above some sets, part by part, as tuples."""
    return [[tuple(nodes) for nodes in part.tolist()] for part in sets_above(hierarchy, sets, at_once, kept)]


@pytest.mark.long
@given(st.sets(st.sampled_from(sorted(combinations(TREE.leaf_node.tolist(), 3))), min_size=1, max_size=9))
def test_sets_above_are_all_sets_with_raised_members(sets):
    expected = {tuple(sorted(way)) for itemset in sets for way in product(*map(ways_up, itemset)) if are_apart(way)}
    for at_once in (1, 3, 1_000):
        actual = [nodes for part in above(TREE, np.array(sorted(sets), np.int32)[:, ::-1], at_once) for nodes in part]
        assert sorted(actual) == sorted(expected)


@given(st.sets(st.sampled_from(sorted(combinations(TREE.leaf_node.tolist(), 3))), min_size=1, max_size=9), st.data())
def test_sets_above_a_rejected_set_are_not_generated(sets, data):
    everything = sorted(
        {tuple(sorted(way)) for itemset in sets for way in product(*map(ways_up, itemset)) if are_apart(way)}
    )
    left_out = data.draw(st.lists(st.sampled_from(everything), max_size=3))
    reached = [way for nodes in left_out for way in product(*map(ways_up, nodes)) if way != nodes and are_apart(way)]
    dropped = ({*left_out, *(tuple(sorted(way)) for way in reached)}) - sets

    def kept(some):
        return np.array([tuple(sorted(nodes)) not in dropped for nodes in some.tolist()], bool)

    result = [nodes for part in above(TREE, np.array(sorted(sets), np.int32), 2, kept) for nodes in part]
    assert sorted(result) == [nodes for nodes in everything if nodes not in dropped]


def test_parts_of_sets_above_are_as_small_as_they_may_be():
    flat = Hierarchy.balanced([str(i) for i in range(12)], 12)
    sets = np.array(list(combinations(flat.leaf_node.tolist(), 3)), np.int32)
    assert [len(part) for part in above(flat, sets, len(sets))] == [len(sets)]
    assert max(len(part) for part in above(flat, sets, 20)) <= 20
    assert all(len(part) == 1 for part in above(flat, sets, 1))


def test_sets_of_nodes_beyond_64_bits_are_distinguished():
    wide = Hierarchy.balanced([str(i) for i in range(2_000)], 40)
    leaves = wide.leaf_node[np.array([[0, 50, 100, 150, 200, 250], [1, 50, 100, 150, 200, 250]])].astype(np.int32)
    assert wide.n_nodes**6 > np.iinfo(np.int64).max
    for at_once in (1, 1_000):
        assert sum(map(len, above(wide, leaves, at_once))) == 3 * 2**5


def run(records, k, m, *, looked_up=False, workers=1):
    blocks = records if isinstance(records, Blocks) else Blocks.of(records, MEMORY)
    search = CutSearch(replace(blocks, store=blocks.store.with_workers(Threads(workers))), TREE, k)
    for size in range(1, min(m, search.longest) + 1):
        for rare in search.rare_sets(size):
            search.fix(rare, looked_up=looked_up)
    return search.cut.labels, search.fixes, search.increments


def mapped(column, work):
    """Return a column with arrays in files."""
    arrays = [work.keep(name, values) for name, values in (("indptr", column.indptr), ("items", column.items))]
    return SetColumn(column.name, *arrays, column.vocabulary)


@settings(max_examples=examples(60))
@given(records_of_items, st.integers(2, 4), st.integers(1, 4))
def test_rules_equal_precomputed_rules(rows, k, m):
    column = SetColumn.of(rows, universe=LEAVES)
    assume(column.n_nonempty >= k)
    assert run(column, k, m) == run(column, k, m, looked_up=True)


def test_a_cheaper_rule_in_fewer_than_k_records_is_rejected():
    """With k 2, generalizing a1 to A would cost less than b1 to B, but A and b1 share only one record."""
    tree = Hierarchy.from_tree(("ALL", [("A", ["a1", "a2"]), ("B", ["b1", "b2"])]))
    column = SetColumn.of([{"a1", "b1"}, {"a1", "b2"}, {"b1"}], universe=tree.leaves.labels)
    search = CutSearch(Blocks.of(column, MEMORY), tree, 2)
    nodes = np.array([tree.labels.index("a1"), tree.labels.index("b1")], np.int32)
    search.fix(RareSets(np.array([[0, 1]], np.int32), np.array([1], np.int32), nodes), looked_up=True)
    assert [fix.rules for fix in search.fixes] == [("B",)]


@pytest.mark.parametrize("sizes", [(2, 3, 4, 5), ()], ids=["in tables", "walked"])
@settings(max_examples=examples(60))
@given(records_of_items, st.integers(2, 4), st.integers(1, 4), st.integers(1, 9))
def test_cut_fixes_and_increments_are_independent_of_blocks(sizes, rows, k, m, records_per_block):
    column = SetColumn.of(rows, universe=LEAVES)
    assume(column.n_nonempty >= k)
    expected = run(column, k, m)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rare_tables, "SIZES", sizes)
        assert run(Blocks.of(column, MEMORY, records_per_block), k, m) == expected


@pytest.mark.parametrize("steps", [1e12, 1e-9], ids=["all are counted", "rare ones are raised"])
@pytest.mark.parametrize("sizes", [(2, 3, 4, 5), ()], ids=["in tables", "walked"])
@settings(max_examples=examples(40))
@given(records_of_items, st.integers(2, 4), st.integers(1, 4))
def test_increments_equal_the_number_of_sets_in_the_records(steps, sizes, rows, k, m):
    column = SetColumn.of(rows, universe=LEAVES)
    search, expected = CutSearch(Blocks.of(column, MEMORY), TREE, k), 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rare_tables, "SIZES", sizes)
        patch.setattr(cut_search, "STEPS_PER_RARE_SET", steps)
        for size in range(1, min(m, search.longest) + 1):
            on_cut = [ways_up(int(search.image[leaf])) for leaf in range(TREE.n_leaves)]
            ways = [way if size == 2 else way[:1] for way in on_cut]
            for row in column.rows() if size > 1 else ():
                row_nodes = {v for item in row for v in ways[LEAVES.index(item)]}
                expected += comb(len(row_nodes), size)
            for rare in search.rare_sets(size):
                search.fix(rare, looked_up=False)
    assert search.increments == expected


@pytest.mark.parametrize("workers", [1, 2])
@settings(max_examples=examples(30), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(records_of_items, st.integers(2, 4), st.integers(1, 4), st.integers(1, 9))
def test_blocks_in_files_have_the_same_result_and_leave_no_files(tmp_path, workers, rows, k, m, records_per_block):
    column = SetColumn.of(rows, universe=LEAVES)
    assume(column.n_nonempty >= k)
    with Files.temporary(tmp_path) as work:
        blocks = Blocks.of(mapped(column, work), work, records_per_block)
        assert run(blocks, k, m, workers=workers) == run(column, k, m)
        assert file_names(work.path, INPUT) == INPUT


@settings(max_examples=examples(30))
@given(records_of_items, st.integers(2, 4), st.integers(2, 4), st.integers(1, 9))
def test_small_windows_have_the_same_result(rows, k, m, records_per_block):
    column = SetColumn.of(rows, universe=LEAVES)
    assume(column.n_nonempty >= k)
    expected = run(column, k, m)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (("LEAST_WINDOW", 1), ("RARE_SETS_PER_CALL", 4), ("RARE_SETS_PER_WINDOW", 1)):
            patch.setattr(windows, name, value)
        patch.setattr(rare_tables, "SIZES", ())
        assert run(Blocks.of(column, MEMORY, records_per_block), k, m) == expected


@settings(max_examples=examples(30))
@given(records_of_items, st.integers(2, 4), st.integers(3, 4), st.integers(1, 9))
def test_a_cut_with_too_many_pairs_is_searched_without_a_matrix(rows, k, m, records_per_block):
    column = SetColumn.of(rows, universe=LEAVES)
    assume(column.n_nonempty >= k)
    cut, fixes, _ = run(column, k, m)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cut_search, "TOGETHER_CELLS", 0)
        patch.setattr(count_tree.CountTree, "rare_together", None)  # it creates the matrix
        for records in (column, Blocks.of(column, MEMORY, records_per_block)):
            assert run(records, k, m)[:2] == (cut, fixes)


@pytest.mark.long
@pytest.mark.compiled
@settings(max_examples=examples(30), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(records_of_items, st.integers(2, 4), st.integers(3, 4), st.integers(1, 9))
def test_rare_sets_above_are_counted_in_any_ranges(tmp_path, rows, k, m, records_per_block):
    column = SetColumn.of(rows, universe=LEAVES)
    assume(column.n_nonempty >= k)
    with pytest.MonkeyPatch.context() as patch:
        for name in ("STEPS_PER_RARE_SET", "RECORDS_PER_RARE_SET"):
            patch.setattr(cut_search, name, 1e-9)  # count these separately
        expected = run(column, k, m)
        for workers in (1, 2):
            with Files.temporary(tmp_path) as work:
                blocks = Blocks.of(mapped(column, work), work, records_per_block)
                for sets_at_once, bytes_at_once in product((1, 5, 1 << 22), (1, 400, 1 << 30)):
                    patch.setattr(rare_above, "SETS_AT_ONCE", sets_at_once)
                    patch.setattr(rare_above, "BYTES_AT_ONCE", bytes_at_once)
                    for records in (column, blocks):
                        actual = run(records, k, m, workers=workers)
                        assert actual == expected, f"{workers} workers, {sets_at_once} sets, {bytes_at_once} bytes"


@settings(max_examples=examples(60))
@given(records_of_items, st.integers(2, 4), st.integers(3, 4), st.sampled_from([1, 6_000, 1 << 20]))
def test_a_memory_limit_does_not_change_the_result(rows, k, m, limit):
    column = SetColumn.of(rows, universe=LEAVES)
    assume(column.n_nonempty >= k)
    expected = run(column, k, m)
    blocks = Blocks.of(column, Memory(Limits.of_process(limit)))
    assert run(blocks, k, m) == expected


@pytest.mark.parametrize("size", [2, 3])
@pytest.mark.parametrize("together_cells", [0, 1 << 28], ids=["walked", "on the cut"])
def test_a_too_expensive_set_size_is_rejected_before_it_starts(size, together_cells, monkeypatch):
    """Eight records of a1, b1 and d expand to A, B and these items: one set of three leaves, and more sets above it."""
    monkeypatch.setattr(cut_search, "TOGETHER_CELLS", together_cells)
    blocks = Blocks.of(SetColumn.of([{"a1", "b1", "d"}] * 8, universe=LEAVES), MEMORY)
    search = CutSearch(blocks, TREE, 2, max_increments=7)
    with refused(InputError, f"m {size} hierarchy max_increments 7"):
        next(search.rare_sets(size))
    assert not search.fixes


def marked(column, hierarchy, workers, records_per_block, k=3):
    """Return the leaves that are in a rare set of three, and the number of such sets."""
    on_cut = np.zeros(hierarchy.n_nodes, bool)
    on_cut[hierarchy.leaf_node] = True
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(windows, "LEAST_WINDOW", 1)
        patch.setattr(windows.PairMarker, "__call__", None)  # it creates a matrix for each task
        nodes = SupportedNodes(
            Blocks.of(column, MEMORY.with_workers(Threads(workers)), records_per_block), hierarchy, k
        )
        together, rare = nodes.count_tree(on_cut, hierarchy.leaf_node, 3).rare_together(1 << 12)
    return together, len(rare.codes)


@pytest.mark.long
@settings(max_examples=30)
@given(records_of_items, st.integers(1, 9))
def test_several_threads_mark_the_same_pairs_as_one(rows, records_per_block):
    column = SetColumn.of(rows, universe=LEAVES)
    (alone, rare), (shared, shared_rare) = marked(column, TREE, 1, 1_000), marked(column, TREE, 3, records_per_block)
    assert np.array_equal(shared, alone)
    assert shared_rare == rare


@settings(max_examples=examples(60))
@given(st.integers(1, 40), st.data())
def test_compressed_marks_are_restored(n_codes, data):
    cells = st.sets(st.integers(0, n_codes**2 - 1), max_size=data.draw(st.sampled_from([1, 20, n_codes**2])))
    expected = np.zeros((n_codes, n_codes), np.uint8)
    together = np.zeros_like(expected)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(marked_pairs, "spans", lambda n, at_once=3: spans(n, min(at_once, 3)))
        for some in data.draw(st.lists(cells, max_size=3)):
            combined = np.zeros_like(expected)
            combined.flat[sorted(some)] = 1
            actual = marked_pairs.packed(combined)
            assert actual.nbytes <= min(8 * len(some), (n_codes**2 + 7) // 8)
            marked_pairs.mark(actual, together)
            expected |= combined
        assert np.array_equal(together, expected)
        marked_pairs.make_symmetric(together)
    assert np.array_equal(together, expected | expected.T)


@pytest.mark.parametrize("sizes", [(2, 3, 4, 5), ()], ids=["in tables", "walked"])
@pytest.mark.parametrize("steps", [1e-9, 1e9], ids=["sets above counted", "all counted"])
@settings(max_examples=examples(60))
@given(records_of_items, st.integers(2, 4), st.integers(3, 4))
def test_all_ways_to_larger_rare_sets_lead_to_the_same(steps, sizes, rows, k, m):
    column = SetColumn.of(rows, universe=LEAVES)
    expected = run(column, k, m)[:2]
    with pytest.MonkeyPatch.context() as patch:
        for name in ("STEPS_PER_RARE_SET", "RECORDS_PER_RARE_SET", "INCREMENTS_PER_RARE_SET"):
            patch.setattr(cut_search, name, steps)
        patch.setattr(rare_tables, "SIZES", sizes)
        assert run(column, k, m)[:2] == expected


@settings(max_examples=examples(20), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(records_of_items, st.integers(2, 4), st.integers(1, 4))
def test_pairs_of_records_in_files_equal_those_in_memory(tmp_path, rows, k, m):
    column = SetColumn.of(rows, universe=LEAVES, name="items")
    assume(column.n_nonempty >= k)
    in_memory = Vpa(k=k, m=m).recode(Table(column), {"items": TREE})
    with Files.temporary(tmp_path) as work, pytest.MonkeyPatch.context() as patch:
        patch.setattr(vpa, "spans", lambda n: spans(n, 3))
        result = Vpa(k=k, m=m).recode(Table(mapped(column, work)), {"items": TREE})
    assert result.recoding.image.tolist() == in_memory.recoding.image.tolist()
    assert (result.trace, result.figures) == (in_memory.trace, in_memory.figures)
