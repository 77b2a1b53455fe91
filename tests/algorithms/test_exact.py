"""The exact cut compared with the enumeration of all recodings, and the lemmas of the search."""

import random
import time
from dataclasses import replace
from itertools import count
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.facts import refused

from algorithms.implementations import Rows, bound_table
from algorithms.test_against_twins import Case, cases, random_tree, small_case
from anonset.algorithms.base import Result
from anonset.algorithms.rt.rum_bound import RumBound
from anonset.algorithms.rt.tum_bound import TumBound
from anonset.algorithms.transaction.cuts.apriori import Apriori
from anonset.algorithms.transaction.exact_cut import pairs as pair_counts
from anonset.algorithms.transaction.exact_cut.exact import Exact
from anonset.algorithms.transaction.exact_cut.pairs import rare_siblings
from anonset.algorithms.transaction.exact_cut.problem import CutProblem
from anonset.algorithms.transaction.suppression.mhghs import MHgHs
from anonset.data import CategoricalColumn, Hierarchy, Table
from anonset.data.blocks import Blocks
from anonset.data.spans import Limits
from anonset.data.storage.store import MEMORY, Memory
from anonset.data.storage.workers import Threads
from anonset.errors import InfeasibleError, InputError, TooLargeError
from anonset.generalization import Cut, PerCluster, apply
from anonset.measures.losses.ncp import ncp_exact
from anonset.privacy import KKmAnonymity, KmAnonymity
from anonset.verification import verify
from effort import examples
from reference.exact import least_loss, rare_sets, recodings
from reference.exact import published as recoded
from reference.hierarchy_model import HierarchyModel, Tree
from reference.suppression import support
from reference.transaction_algorithms import Infeasible, is_km

thorough = settings(max_examples=examples(250), suppress_health_check=[HealthCheck.too_slow])
in_both_modes = pytest.mark.parametrize("suppress", [False, True])


def run(rows: Rows, tree: Tree, k: int, m: int, **options: Any) -> tuple[Result, Table, Hierarchy]:
    hierarchy = Hierarchy.from_tree(tree)
    table = bound_table(rows, hierarchy)
    return Exact(k=k, m=m, **options).recode(table, {"items": hierarchy}), table, hierarchy


def image_of(result: Result) -> dict[str, str | None]:
    """Return the published node of each leaf."""
    cut = result.recoding
    assert isinstance(cut, Cut)
    labels = cut.hierarchy.labels
    return {labels[v]: None if to < 0 else labels[to] for v, to in zip(cut.hierarchy.leaf_node, cut.image, strict=True)}


def loss_of(result: Result, table: Table) -> Any:
    assert table.transactions is not None
    assert isinstance(result.recoding, Cut)
    return ncp_exact(table.transactions, result.recoding)


def assert_optimal(case: Case, *, suppress: bool) -> None:
    """Check that the library finds and proves the least loss, with a k^m-anonymous result."""
    tree, rows, k, m = case
    model = HierarchyModel(tree)
    try:
        least = least_loss(rows, model, k, m, suppress=suppress)
    except Infeasible:
        with pytest.raises(InfeasibleError):
            run(rows, tree, k, m, suppress=suppress)
        return
    result, table, _ = run(rows, tree, k, m, suppress=suppress)
    assert loss_of(result, table) == least
    assert result.figures["lower_bound"] <= float(least) * (1 + 1e-12)
    assert result.figures["gap"] == 0
    assert result.figures["ncp"] == float(least)
    image = image_of(result)
    assert image in recodings(model, suppress=suppress)
    assert is_km(recoded(rows, image), k, m)
    assert verify(apply(table, result.recoding), KmAnonymity(k, m)).holds


@pytest.mark.long
@thorough
@given(cases)
def test_exact_without_suppression_finds_the_best_cut(case: Case) -> None:
    assert_optimal(case, suppress=False)


def few_leaves(case: Case) -> bool:
    """Return True if the recodings with suppression can be enumerated."""
    return len(HierarchyModel(case[0]).leaves) <= 8


@pytest.mark.long
@pytest.mark.compiled
@thorough
@given(cases.filter(few_leaves))
def test_exact_with_suppression_finds_the_best_recoding(case: Case) -> None:
    assert_optimal(case, suppress=True)


def larger_case(seed: int) -> Case:
    """Draw some 60 records over a random tree of 12 to 30 leaves."""
    rng = random.Random(seed)
    leaves = [f"i{n:02}" for n in range(rng.randint(12, 30))]
    weights = [1 / (1 + rng.randrange(9)) for _ in leaves]
    rows = [set(rng.choices(leaves, weights, k=rng.randint(1, 6))) for _ in range(rng.randint(30, 90))]
    return random_tree(rng, leaves), rows, rng.choice([2, 3, 5]), rng.choice([1, 2, 3, 4])


@pytest.mark.long
@settings(thorough, max_examples=examples(60))
@given(st.integers(0, 2**32 - 1).map(larger_case))
def test_exact_never_has_a_higher_loss_than_a_heuristic(case: Case) -> None:
    tree, rows, k, m = case
    hierarchy = Hierarchy.from_tree(tree)
    table = bound_table(rows, hierarchy)
    for suppress, heuristics in ((False, [Apriori]), (True, [MHgHs, Apriori])):
        result = Exact(k=k, m=m, suppress=suppress).recode(table, {"items": hierarchy})
        assert result.figures["gap"] == 0
        assert verify(apply(table, result.recoding), KmAnonymity(k, m)).holds
        for heuristic in heuristics:
            assert loss_of(result, table) <= loss_of(heuristic(k=k, m=m).recode(table, {"items": hierarchy}), table)


@pytest.mark.long
@pytest.mark.compiled
@in_both_modes
@settings(thorough, max_examples=examples(40), suppress_health_check=[*HealthCheck])
@given(
    workers=st.sampled_from([1, 3]),
    case=st.integers(0, 2**32 - 1).map(larger_case),
    records_per_block=st.integers(1, 40),
)
def test_cut_figures_and_trace_are_independent_of_blocks(
    suppress: bool, workers: int, case: Case, records_per_block: int
) -> None:
    tree, rows, k, m = case
    rows = [*rows, *rows[: len(rows) // 2], set()]
    expected, table, hierarchy = run(rows, tree, k, m, suppress=suppress)
    assert table.transactions is not None
    blocks = Blocks.of(hierarchy.bind(table.transactions), MEMORY.with_workers(Threads(workers)), records_per_block)
    result = Exact(k=k, m=m, suppress=suppress).search(blocks, hierarchy)
    assert image_of(result) == image_of(expected)
    assert (result.figures, result.trace, result.notes) == (expected.figures, expected.trace, expected.notes)


@pytest.mark.compiled
@pytest.mark.parametrize("records_per_block", [7, 1000])
def test_records_above_the_memory_limit_are_rejected(records_per_block: int) -> None:
    """Up to m=3 the search keeps no records in memory. From m=4 it keeps the records that the cut distinguishes."""
    items = [f"i{n}" for n in range(12)]
    source = random.Random(0)
    rows = [set(source.sample(items, 5)) for _ in range(300)]
    hierarchy = Hierarchy.balanced(items, 3)
    table = bound_table(rows, hierarchy)
    assert table.transactions is not None
    blocks = Blocks.of(table.transactions, MEMORY, records_per_block)
    expected = Exact(k=8, m=4).search(blocks, hierarchy)
    ample, small = (replace(blocks, store=Memory(Limits(room=room))) for room in (1 << 29, 8000))
    assert image_of(Exact(k=8, m=4).search(ample, hierarchy)) == image_of(expected)
    Exact(k=8, m=3).search(small, hierarchy)
    with refused(InputError, "exact GiB memory_limit"):
        Exact(k=8, m=4).search(small, hierarchy)


EDGES: dict[str, tuple[Rows, Tree, int, int]] = {
    "one level": ([{"a"}, {"b"}, {"a", "b"}, {"c"}], ("R", ["a", "b", "c"]), 2, 2),
    "one leaf": ([{"a"}, {"a"}], ("R", ["a"]), 2, 2),
    "empty table": ([], ("R", [("A", ["a", "b"]), "c"]), 3, 2),
    "empty records": ([set(), set()], ("R", [("A", ["a", "b"]), "c"]), 3, 2),
    "m above the longest record": ([{"a", "b"}, {"a"}, {"b", "c"}, {"c"}], ("R", [("A", ["a", "b"]), "c"]), 2, 50),
    "k of one": ([{"a", "b"}, {"c"}], ("R", [("A", ["a", "b"]), "c"]), 1, 2),
    "as many records as k": ([{"a"}, {"b"}, {"c"}], ("R", [("A", ["a", "b"]), "c"]), 3, 2),
    "fewer records than k": ([{"a"}, {"b"}, set()], ("R", [("A", ["a", "b"]), "c"]), 3, 2),
}


@in_both_modes
@pytest.mark.parametrize("name", EDGES)
def test_exact_is_optimal_on_edge_cases(name: str, suppress: bool) -> None:
    rows, tree, k, m = EDGES[name]
    assert_optimal((tree, [set(row) for row in rows], k, m), suppress=suppress)


def test_fewer_records_than_k_are_reported_in_one_line() -> None:
    rows, tree, k, m = EDGES["fewer records than k"]
    with refused(InfeasibleError, "2 k 3"):
        run(rows, tree, k, m)
    result, _, _ = run(rows, tree, k, m, suppress=True)
    assert image_of(result) == {"a": None, "b": None, "c": "c"}


@settings(thorough, max_examples=examples(60))
@given(cases.filter(few_leaves))
def test_by_default_it_suppresses_only_if_otherwise_one_symbol_remained(case: Case) -> None:
    tree, rows, k, m = case
    if 0 < sum(map(bool, rows)) < k:
        return
    (plain, table, _), (actual, _, _) = run(rows, tree, k, m), run(rows, tree, k, m, suppress=None)
    several = len({item for row in rows for item in row}) > 1
    shown = {symbol for row in recoded(rows, image_of(plain)) for symbol in row}
    if several and len(shown) == 1:
        suppressing, _, _ = run(rows, tree, k, m, suppress=True)
        expected = {loss_of(plain, table), loss_of(suppressing, table)}
        assert loss_of(actual, table) in expected
        assert bool(actual.notes) == bool(actual.figures["suppression"])
    else:
        assert (image_of(actual), actual.notes) == (image_of(plain), ())


@settings(thorough, max_examples=examples(40))
@given(st.integers(0, 2**32 - 1), st.sampled_from([RumBound, TumBound]))
def test_the_items_of_each_cluster_lose_the_least(seed: int, framework: Any) -> None:
    tree, rows, _, m = small_case(seed)
    rng, hierarchy = random.Random(seed), Hierarchy.from_tree(tree)
    sexes = CategoricalColumn.of("sex", [rng.choice("fm") for _ in rows])
    items = bound_table(rows, hierarchy).transactions
    table = Table(items, (sexes,))
    try:
        result = framework(k=2, m=m, delta=1.0, transaction=Exact).recode(table, {"items": hierarchy})
    except InfeasibleError:
        return
    assert verify(apply(table, result.recoding), KKmAnonymity(2, m)).holds
    assert isinstance(result.recoding, PerCluster)
    for number, mapping in enumerate(result.recoding.items):
        members = np.flatnonzero(result.recoding.cluster == number)
        assert items is not None
        assert isinstance(mapping, Cut)
        part = [rows[record] for record in members]
        assert ncp_exact(items.take(members), mapping) == least_loss(part, HierarchyModel(tree), 2, m, suppress=False)


@pytest.mark.long
@thorough
@given(cases.filter(few_leaves))
def test_ties_prefer_the_root_to_suppression_and_ignore_absent_items(case: Case) -> None:
    tree, rows, k, m = case
    result, _, _ = run(rows, tree, k, m, suppress=True)
    image, below = image_of(result), HierarchyModel(tree).below
    occurring = {item for row in rows for item in row}
    for leaf in set(image) - occurring:
        assert image[leaf] == leaf or occurring & set(below[image[leaf] or leaf])
    if result.figures["ncp"] == 1 and sum(map(bool, rows)) >= k:
        assert None not in image.values()


def rows_of_a_graph(n: int, seed: int) -> tuple[Rows, Tree]:
    """Return records whose least suppression is a vertex cover of n items. Many other rare items are cheap to
    generalize.
    """
    rng, vertices = random.Random(seed), [f"v{i:02}" for i in range(n)]
    edges: set[tuple[str, ...]] = set()
    while len(edges) < 3 * n // 2:
        edges.add(tuple(sorted(rng.sample(vertices, 2))))
    groups: list[Tree] = [(f"G{g}", [f"r{g}_{i}" for i in range(10)]) for g in range(2 * n)]
    rare = [{f"r{g}_{i}"} for g in range(2 * n) for i in range(10)]
    return [set(edge) for edge in sorted(edges)] + [{x} for x in vertices * 5] + rare, ("ALL", [*vertices, *groups])


@pytest.mark.parametrize("gap", [0.05, 0.1])
def test_the_requested_gap_is_relative_to_the_total_loss(gap: float) -> None:
    rows, tree = rows_of_a_graph(20, seed=1)
    close, _, _ = run(rows, tree, 5, 2, suppress=True, gap=gap)
    best, _, _ = run(rows, tree, 5, 2, suppress=True)
    assert close.figures["gap"] <= gap
    assert close.figures["lower_bound"] <= best.figures["ncp"] <= close.figures["ncp"]
    assert any(step.kind == "integer" for step in close.trace)


def siblings_of(case: Case) -> set[str]:
    """Return the nodes with children that are frequent, but rare together."""
    tree, rows, k, _ = case
    model = HierarchyModel(tree)
    result = [nodes for nodes in rare_sets(rows, model, k, 2) if model.parent[nodes[0]] == model.parent[nodes[1]]]
    parents = {nodes: model.parent[nodes[0]] for nodes in result}
    return {str(parents[nodes]) for nodes in result if all(support((v,), rows, model) >= k for v in nodes)}


@pytest.mark.long
@pytest.mark.parametrize("cells", [1, 4, 1 << 25])
@settings(thorough, suppress_health_check=[*HealthCheck])
@given(case=cases)
def test_rare_siblings_are_independent_of_the_number_of_passes(monkeypatch, cells: int, case: Case) -> None:
    monkeypatch.setattr(pair_counts, "CELLS_PER_PASS", cells)
    tree, rows, k, m = case
    hierarchy = Hierarchy.from_tree(tree)
    column = bound_table(rows, hierarchy).transactions
    assert column is not None
    problem = CutProblem(Blocks.of(column, MEMORY, 3), hierarchy, k, m, suppress=False)
    result = rare_siblings(problem, np.zeros(hierarchy.n_nodes, np.bool_))
    assert {hierarchy.labels[v] for v in hierarchy.parent[result[:, 0]]} == siblings_of(case)
    assert np.array_equal(hierarchy.parent[result[:, 0]], hierarchy.parent[result[:, 1]])


def test_the_heuristic_is_skipped_only_if_it_exceeds_its_limits(monkeypatch) -> None:
    hierarchy = Hierarchy.from_tree(("ALL", [("A", ["a1", "a2"]), ("B", ["b1", "b2"])]))
    table = Table.from_sets([["a1", "b1"], ["a2"], ["b1"], ["a1", "b2"]] * 2)
    expected = Exact(k=2, m=2).recode(table, {"items": hierarchy}).recoding

    def fails(error: type[InputError]) -> None:
        def run(*_: Any, **__: Any) -> None:
            raise error("block 3: its codes are damaged")

        monkeypatch.setattr(Apriori, "run_apriori", run)

    fails(TooLargeError)
    assert Exact(k=2, m=2).recode(table, {"items": hierarchy}).recoding.labels == expected.labels
    fails(InputError)
    with pytest.raises(InputError, match="block 3"):
        Exact(k=2, m=2).recode(table, {"items": hierarchy})


@in_both_modes
def test_with_too_many_pairs_it_returns_the_best_known_cut(monkeypatch, suppress: bool) -> None:
    rows, tree = rows_of_a_graph(20, seed=1)
    best, _, _ = run(rows, tree, 5, 2, suppress=suppress)
    monkeypatch.setattr(pair_counts, "MAX_PAIR_BITS", 16)
    result, table, _ = run(rows, tree, 5, 2, suppress=suppress)
    assert verify(apply(table, result.recoding), KmAnonymity(5, 2)).holds
    assert result.figures["lower_bound"] <= best.figures["ncp"] <= result.figures["ncp"]
    assert (result.figures["gap"] > 0) == suppress


@pytest.mark.parametrize("ticks", [3.0, 6.0, 8.0])
def test_when_time_is_up_it_returns_the_best_it_has(monkeypatch, ticks: float) -> None:
    rows, tree = rows_of_a_graph(20, seed=1)
    best, _, _ = run(rows, tree, 5, 2, suppress=True)
    began, clock = time.monotonic(), count()
    # only in the search: other threads read the clock as well
    ticking = SimpleNamespace(monotonic=lambda: began + next(clock))
    monkeypatch.setattr("anonset.algorithms.transaction.exact_cut.limits.time", ticking)
    result, table, _ = run(rows, tree, 5, 2, suppress=True, time_limit=ticks)
    assert next(clock) < ticks + 30
    assert verify(apply(table, result.recoding), KmAnonymity(5, 2)).holds
    assert result.figures["lower_bound"] <= best.figures["ncp"] <= result.figures["ncp"]
    assert result.figures["gap"] > 0
