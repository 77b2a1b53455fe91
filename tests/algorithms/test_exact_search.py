"""Parts of the exact search: clauses, listed rare sets, and termination."""

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from tests.facts import names

from algorithms.implementations import bound_table
from algorithms.test_against_twins import Case, cases
from algorithms.test_exact import few_leaves, image_of, larger_case, run
from anonset.algorithms.transaction.exact_cut import clauses, limits, search, triples
from anonset.algorithms.transaction.exact_cut.clauses import Clauses
from anonset.algorithms.transaction.exact_cut.limits import LimitReached, SearchBudget
from anonset.algorithms.transaction.exact_cut.pairs import RarePairs
from anonset.algorithms.transaction.exact_cut.problem import CutProblem
from anonset.algorithms.transaction.exact_cut.sets import raise_to_maximal, rare_sets, witness_clauses
from anonset.algorithms.transaction.exact_cut.triples import RareTriples
from anonset.algorithms.transaction.exact_cut.view import Point, View
from anonset.algorithms.transaction.rare_sets import rare_tables
from anonset.data import Hierarchy, SetColumn
from anonset.data.blocks import Blocks
from anonset.data.storage.store import MEMORY
from anonset.data.storage.workers import Threads
from effort import examples
from reference import exact as twin
from reference.hierarchy_model import HierarchyModel
from reference.suppression import support
from reference.transaction_algorithms import is_km

some = settings(max_examples=examples(120), suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
Labels = tuple[str, ...]


def view_of(case: Case, *, suppress: bool) -> View:
    """Return the records with every leaf published as itself."""
    tree, rows, k, m = case
    hierarchy = Hierarchy.from_tree(tree)
    column = bound_table(rows, hierarchy).transactions
    assert column is not None
    nothing = Point(np.zeros(hierarchy.n_nodes), np.zeros(hierarchy.n_leaves))
    records = [(column.indptr, column.items)]
    return View(CutProblem(Blocks.of(column, MEMORY), hierarchy, k, m, suppress), records, nothing, 1.0 - 1e-6, 2)


def named(view: View, sets: np.ndarray) -> list[Labels]:
    labels = view.problem.hierarchy.labels
    return [tuple(labels[v] for v in row) for row in sets]


def labelled(view: View, sets: np.ndarray) -> set[Labels]:
    return set(named(view, sets))


def of_frequent_nodes(case: Case, size: int) -> list[Labels]:
    """Return the rare sets of nodes that are frequent and not the root."""
    tree, rows, k, _ = case
    model = HierarchyModel(tree)
    rare = twin.rare_sets(rows, model, k, size)
    return [nodes for nodes in rare if all(support((v,), rows, model) >= k for v in nodes)]


def several_leaves(case: Case) -> bool:
    return few_leaves(case) and len(HierarchyModel(case[0]).leaves) > 1


@some
@given(cases.filter(several_leaves))
def test_a_recoding_is_safe_if_and_only_if_all_clauses_hold(case: Case) -> None:
    tree, rows, k, m = case
    model = HierarchyModel(tree)
    clauses = [
        (nodes, leaves)
        for size in range(1, m + 1)
        for nodes in twin.rare_sets(rows, model, k, size)
        for leaves in twin.witnesses(nodes, rows, model)
    ]
    for recoding in twin.recodings(model, suppress=True):
        holds = all(twin.clause_value(nodes, leaves, recoding, model) >= 1 for nodes, leaves in clauses)
        assert holds == is_km(twin.published(rows, recoding), k, m)


@some
@given(cases.filter(several_leaves))
def test_the_maximal_rare_pairs_are_listed_all(case: Case) -> None:
    view = view_of(case, suppress=False)
    model, pairs = HierarchyModel(case[0]), of_frequent_nodes(case, 2)
    assert labelled(view, RarePairs(view, SearchBudget(None, 1e9)).violated()) == set(twin.maximal(pairs, model))


@some
@given(cases.filter(several_leaves))
def test_the_clauses_of_the_maximal_rare_triples_are_listed_all(case: Case) -> None:
    view, model = view_of(case, suppress=False), HierarchyModel(case[0])
    result = RareTriples(view.problem, view.closed, SearchBudget(None, 1e9)).clauses()
    assert result is not None
    parents = [tuple(model.parent[v] for v in triple) for triple in twin.maximal(of_frequent_nodes(case, 3), model)]
    assert sorted(map(tuple, named(view, result.parents))) == sorted(set(parents))
    meetings = [tuple(twin.meeting(model, v, w) for v, w in pairwise(triple)) for triple in named(view, result.parents)]
    assert named(view, result.meetings) == meetings


WIDE = Hierarchy.balanced([f"i{n:03}" for n in range(150)], 4)
"""More than 128 nodes, so that bit sets have three words."""
ROWS = [set(np.minimum(chosen, 149).tolist()) for chosen in np.random.default_rng(5).geometric(0.02, (400, 5))]
"""Leaves of each record, by number."""


@pytest.mark.parametrize("at_once", [1, 1 << 28], ids=["a word a pass", "one pass"])
@pytest.mark.parametrize("workers", [1, 2])
def test_triples_in_bit_sets_equal_a_count_of_all_triples(
    monkeypatch: pytest.MonkeyPatch, at_once: int, workers: int
) -> None:
    column = SetColumn.of([{f"i{item:03}" for item in row} for row in ROWS], universe=WIDE.leaves.labels)
    for name in ("BYTES_OF_TABLE", "BYTES_SHARED"):
        monkeypatch.setattr(rare_tables, name, at_once)
    monkeypatch.setattr(triples, "KEYS_PER_CALL", 1)
    monkeypatch.setattr(triples, "KEYS_AT_ONCE", 7)
    problem = CutProblem(
        Blocks.of(WIDE.bind(column), MEMORY.with_workers(Threads(workers)), 90), WIDE, 3, 3, suppress=False
    )
    listed = RareTriples(problem, problem.begun, SearchBudget(None, 1e9))
    result = listed.clauses()
    assert result is not None
    assert {tuple(row) for row in result.parents.tolist()} == parents_of_triples(frozenset(listed.nodes.tolist()))
    assert len(listed.nodes) > 128
    assert len(result.parents) > 100


@cache
def parents_of_triples(taking_part: frozenset[int]) -> set[tuple[int, ...]]:
    """Return the parents of the maximal rare triples of some nodes, by counting all triples."""
    above = [{int(v) for x in row for v in ancestors(WIDE.leaf_node[x])} & taking_part for row in ROWS]
    counted = Counter(triple for nodes in above for triple in combinations(sorted(nodes), 3) if unrelated(triple))
    rare = {triple for triple, n in counted.items() if n < 3}
    raised = ({tuple(sorted({*triple} - {v} | {int(WIDE.parent[v])})) for v in triple} for triple in rare)
    maximal = [triple for triple, others in zip(rare, raised, strict=True) if not others & rare]
    return {tuple(WIDE.parent[[*triple]].tolist()) for triple in maximal}


def ancestors(node: int) -> Iterator[int]:
    """Yield a node of the wide hierarchy and its ancestors."""
    while node >= 0:
        yield node
        node = WIDE.parent[node]


def unrelated(nodes: Sequence[int]) -> bool:
    low, high = WIDE.leaf_lo, WIDE.leaf_hi
    return all(high[a] <= low[b] or high[b] <= low[a] for a, b in combinations(nodes, 2))


@pytest.mark.parametrize("name", ["BYTES_OF_BITS", "LEAST_NODES"])
def test_the_cut_is_the_same_whether_triples_are_listed_and_by_which_depths(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    for seed in range(examples(30)):
        tree, rows, k, _ = larger_case(seed)
        monkeypatch.undo()
        expected, _, _ = run(rows, tree, k, 3)
        monkeypatch.setattr(triples if name == "BYTES_OF_BITS" else search, name, 0)
        actual, _, _ = run(rows, tree, k, 3)
        assert (actual.figures["ncp"], actual.figures["gap"]) == (expected.figures["ncp"], 0)


@some
@given(cases.filter(several_leaves))
def test_rare_sets_of_the_leaves_are_found_and_lifted_to_maximal_ones(case: Case) -> None:
    view, endless = view_of(case, suppress=False), SearchBudget(None, 1e9)
    model, above = HierarchyModel(case[0]), set(twin.maximal(of_frequent_nodes(case, 3), HierarchyModel(case[0])))
    sets = rare_sets(view, 3, endless)
    leaves = {nodes for nodes in of_frequent_nodes(case, 3) if set(nodes) <= set(model.leaves)}
    assert labelled(view, sets) == leaves
    result = raise_to_maximal(view, sets, endless)
    assert labelled(view, result) <= above
    assert bool(len(result)) == bool(leaves)


@some
@given(cases.filter(several_leaves))
def test_witnesses_are_leaves_of_a_record_and_yield_the_twins_clauses(case: Case) -> None:
    tree, rows, _, _ = case
    view, model = view_of(case, suppress=True), HierarchyModel(tree)
    hierarchy = view.problem.hierarchy
    pairs = RarePairs(view, SearchBudget(None, 1e9)).violated()
    clauses = witness_clauses(view, pairs)
    assert bool(clauses.n) == bool(len(pairs))
    witnesses = {leaves for nodes in of_frequent_nodes(case, 2) for leaves in twin.witnesses(nodes, rows, model)}
    assert {tuple(hierarchy.leaves.labels[i] for i in items) for items in clauses.items} <= witnesses
    for parents, meetings in zip(clauses.parents, clauses.meetings, strict=True):
        assert all(hierarchy.leaf_lo[meetings[0]] <= hierarchy.leaf_lo[p] for p in parents)
        assert all(hierarchy.leaf_hi[p] <= hierarchy.leaf_hi[meetings[0]] for p in parents)


def test_clauses_of_siblings_close_their_parent() -> None:
    case: Case = (("R", [("A", ["a", "b"]), ("B", ["c", "d"])]), [{"a", "b"}, {"c"}], 2, 2)
    view = view_of(case, suppress=False)
    hierarchy = view.problem.hierarchy
    node = hierarchy.node_of
    sets = np.array([[node["a"], node["b"]], [node["a"], node["c"]]], np.int32)
    clauses = Clauses.of(view.problem, sets)
    assert clauses.closing.tolist() == [node["A"]]


@pytest.mark.long
@some
@given(cases.filter(several_leaves))
def test_bounds_are_valid_at_any_stop(case: Case) -> None:
    tree, rows, k, m = case
    model = HierarchyModel(tree)
    if 0 < sum(map(bool, rows)) < k:
        return
    for suppress in (False, True):
        least = float(twin.least_loss(rows, model, k, m, suppress=suppress))
        for options in ({"max_steps": 1}, {"max_steps": 11}, {"max_steps": 25}, {"gap": 0.2}):
            result, _, _ = run(rows, tree, k, m, suppress=suppress, **options)
            figures = result.figures
            assert figures["lower_bound"] <= least * (1 + 1e-12)
            assert figures["ncp"] >= least * (1 - 1e-12)
            assert figures["gap"] <= 0.2 or "max_steps" in options
            assert is_km(twin.published(rows, image_of(result)), k, m)


ENDLESS = """
import os, signal, sys, threading
signal.signal(signal.SIGINT, signal.default_int_handler)
import highspy
solve = highspy.Highs.run
def run(model):
    if not len(model.getLp().integrality_):  # linear programs are over at once
        return solve(model)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    print("begun", flush=True)
    status = solve(model)
    timer.cancel()  # of a program that is over before: the signal is for one that is not
    print(model.getModelStatus().name, flush=True)
    return status
highspy.Highs.run = run
from anonset.cli.main import run as command
command()
"""


@pytest.mark.long
@pytest.mark.compiled
def test_ctrl_c_stops_the_solver_and_leaves_no_files(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    pairs = rng.permutation(np.array(list(combinations(range(100), 2))))[:400]
    rows = [f"{a} {b}" for a, b in pairs.tolist()] + [str(item) for item in range(100)] * 5
    data, out = tmp_path / "data.dat", tmp_path / "out"
    data.write_text("".join(f"{row}\n" for row in rows))
    job = ["anonymize", str(data), "-o", str(out), "--hierarchy", "items=balanced:100", "--k", "5", "--m", "2"]
    more = ["--model", "km", "--suppress", "--effort", "1000000", "--quiet"]
    command = [sys.executable, "-c", ENDLESS, *job, *more]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ)
    assert (ran.returncode, ran.stderr.count("\n")) == (130, 1)
    assert names(ran.stderr, "error interrupted")
    assert ran.stdout.split()[-1] in ("begun", "kInterrupt")
    assert [path.name for path in tmp_path.iterdir()] == ["data.dat"]


@pytest.mark.parametrize("seed", range(12))
def test_the_proof_is_independent_of_the_number_of_listed_triples(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    tree, rows, k, _ = larger_case(seed)
    expected, _, _ = run(rows, tree, k, 3)
    for module, limit in ((clauses, "MAX_AT_ONCE"), (triples, "MAX_LISTED")):
        monkeypatch.setattr(module, limit, 2 if module is clauses else -1)
        actual, _, _ = run(rows, tree, k, 3)
        assert (actual.figures["ncp"], actual.figures["gap"]) == (expected.figures["ncp"], 0)


def test_counted_sets_count_as_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"a", "b", "c"}] * 3 + [{"a", "b"}, {"b", "c"}, {"a", "c"}] * 9 + [{"a", "b", "d"}, {"d"}, {"d", "c"}] * 4
    tree = ("R", [("A", ["a", "b"]), ("C", ["c", "d"])])
    proven, _, _ = run(rows, tree, 4, 3)
    assert (proven.figures["gap"], proven.notes) == (0, ())
    monkeypatch.setattr(limits, "SETS_OF_A_STEP", 1e-3)
    monkeypatch.setattr(limits, "SETS_OF_A_RECORD", 0)
    stopped, _, _ = run(rows, tree, 4, 3)
    assert stopped.figures["gap"] > 0
    assert names(stopped.notes[0], "stopped")
    assert is_km(twin.published(rows, image_of(stopped)), 4, 3)


@pytest.mark.parametrize(("records", "sets"), [(0, 2e7), (10**7, 2e7), (10**8, 2e8)])
def test_a_step_of_many_records_is_more_sets(records: int, sets: float) -> None:
    remaining = SearchBudget(None, 5, records).share(0.8)
    remaining.count(3 * sets)
    assert remaining.steps == 1
    with pytest.raises(LimitReached):
        remaining.count(1.5 * sets)
