"""What the search for the exact cut rests on: its clauses, the rare sets it lists, and how it ends."""

import os
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from algorithms.implementations import bound_table
from algorithms.test_against_twins import Case, cases
from algorithms.test_exact import few_leaves, image_of, run
from anonset.algorithms.transaction.exact_cut import limits
from anonset.algorithms.transaction.exact_cut.clauses import Clauses
from anonset.algorithms.transaction.exact_cut.limits import Limits
from anonset.algorithms.transaction.exact_cut.pairs import RarePairs
from anonset.algorithms.transaction.exact_cut.problem import CutProblem
from anonset.algorithms.transaction.exact_cut.sets import lifted, rare_sets, witnessed
from anonset.algorithms.transaction.exact_cut.view import Point, View
from anonset.data import Hierarchy
from anonset.data.blocks import Blocks
from effort import examples
from reference import exact as twin
from reference.hierarchy_model import HierarchyModel
from reference.suppression import support
from reference.transaction_algorithms import is_km

some = settings(
    max_examples=examples(120), deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
Labels = tuple[str, ...]


def view_of(case: Case, *, suppress: bool) -> View:
    """Return the records as they are, nothing closed and nothing suppressed."""
    tree, rows, k, m = case
    hierarchy = Hierarchy.from_tree(tree)
    column = bound_table(rows, hierarchy).transactions
    assert column is not None
    nothing = Point(np.zeros(hierarchy.n_nodes), np.zeros(hierarchy.n_leaves))
    records = [(column.indptr, column.items)]
    return View(CutProblem(Blocks.of(column), hierarchy, k, m, suppress), records, nothing, 1.0 - 1e-6, 2)


def labelled(view: View, sets: np.ndarray) -> set[Labels]:
    labels = view.problem.hierarchy.labels
    return {tuple(labels[v] for v in row) for row in sets}


def of_frequent_nodes(case: Case, size: int) -> list[Labels]:
    """Return the rare sets of nodes none of which is rare by itself, nor the root."""
    tree, rows, k, _ = case
    model = HierarchyModel(tree)
    found = twin.rare_sets(rows, model, k, size)
    return [nodes for nodes in found if all(support((v,), rows, model) >= k for v in nodes)]


def several_leaves(case: Case) -> bool:
    return few_leaves(case) and len(HierarchyModel(case[0]).leaves) > 1


@some
@given(cases.filter(several_leaves))
def test_a_recoding_is_safe_where_all_clauses_hold_and_only_there(case: Case) -> None:
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
    assert labelled(view, RarePairs(view, Limits(None, 1e9)).violated()) == set(twin.maximal(pairs, model))


@some
@given(cases.filter(several_leaves))
def test_rare_sets_of_the_leaves_are_found_and_lifted_to_maximal_ones(case: Case) -> None:
    view, endless = view_of(case, suppress=False), Limits(None, 1e9)
    model, above = HierarchyModel(case[0]), set(twin.maximal(of_frequent_nodes(case, 3), HierarchyModel(case[0])))
    sets = rare_sets(view, 3, None, endless)
    leaves = {nodes for nodes in of_frequent_nodes(case, 3) if set(nodes) <= set(model.leaves)}
    assert labelled(view, sets) == leaves
    found = lifted(view, sets, None, endless)
    assert labelled(view, found) <= above
    assert bool(len(found)) == bool(leaves)


@some
@given(cases.filter(several_leaves))
def test_witnesses_are_leaves_of_a_record_and_make_the_clauses_of_the_twin(case: Case) -> None:
    tree, rows, _, _ = case
    view, model = view_of(case, suppress=True), HierarchyModel(tree)
    hierarchy = view.problem.hierarchy
    pairs = RarePairs(view, Limits(None, 1e9)).violated()
    clauses = witnessed(view, pairs)
    assert bool(clauses.n) == bool(len(pairs))
    held = {leaves for nodes in of_frequent_nodes(case, 2) for leaves in twin.witnesses(nodes, rows, model)}
    assert {tuple(hierarchy.leaves.labels[i] for i in items) for items in clauses.items} <= held
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


@some
@given(cases.filter(several_leaves))
def test_bounds_hold_wherever_the_search_is_stopped(case: Case) -> None:
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


def test_ctrl_c_ends_the_solver_and_leaves_nothing(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    pairs = rng.permutation(np.array(list(combinations(range(100), 2))))[:400]
    rows = [f"{a} {b}" for a, b in pairs.tolist()] + [str(item) for item in range(100)] * 5
    data, out = tmp_path / "data.dat", tmp_path / "out"
    data.write_text("".join(f"{row}\n" for row in rows))
    job = ["anonymize", str(data), "-o", str(out), "--hierarchy", "items=balanced:100", "--k", "5", "--m", "2"]
    more = ["--model", "km", "--suppress", "--max-steps", "1000000000", "--quiet"]
    command = [sys.executable, "-c", ENDLESS, *job, *more]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ)
    assert (ran.returncode, ran.stderr) == (130, "anonset: error: interrupted; nothing was published\n")
    assert ran.stdout.split()[-1] in ("begun", "kInterrupt")
    assert [path.name for path in tmp_path.iterdir()] == ["data.dat"]


def test_sets_that_are_counted_are_steps_too(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"a", "b", "c"}] * 3 + [{"a", "b"}, {"b", "c"}, {"a", "c"}] * 9 + [{"a", "b", "d"}, {"d"}, {"d", "c"}] * 4
    tree = ("R", [("A", ["a", "b"]), ("C", ["c", "d"])])
    proven, _, _ = run(rows, tree, 4, 3)
    assert (proven.figures["gap"], proven.notes) == (0, ())
    monkeypatch.setattr(limits, "SETS_OF_A_STEP", 1e-3)
    stopped, _, _ = run(rows, tree, 4, 3)
    assert stopped.figures["gap"] > 0
    assert "all of its steps are taken" in stopped.notes[0]
    assert is_km(twin.published(rows, image_of(stopped)), 4, 3)
