"""The best recoding at or below ceilings equals that of an enumeration. Invalid ceilings are rejected."""

import random
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.facts import names, refused

import anonset
from algorithms.relational_cases import TREES, encode
from algorithms.test_against_twins import Case, cases
from anonset.data import Hierarchy, Table
from anonset.data.hierarchies.ceilings import cap_hierarchy
from anonset.data.hierarchies.halves import halves
from anonset.data.table_facts import OwnerStatements
from anonset.errors import HierarchyError, InfeasibleError, InputError
from anonset.measures.losses.ncp import ncp_exact
from effort import examples
from reference.exact import published, recodings
from reference.hierarchy_model import HierarchyModel, parse
from reference.measures import item_ncp
from reference.transaction_algorithms import is_km

pytestmark = pytest.mark.filterwarnings("ignore:(the publication is worthless|.*retains no information)")
thorough = settings(max_examples=examples(120))
TREE = Hierarchy.from_tree(("ALL", [("A", ["a1", "a2"]), ("B", ["b1", "b2"]), ("C", ["c1", "c2", "c3"])]))


def ceilings_of(tree: HierarchyModel, rng: random.Random) -> list[str]:
    return rng.sample(tree.nodes, rng.randint(1, min(3, len(tree.nodes))))


@thorough
@given(cases, st.integers(0, 99), st.booleans())
def test_the_best_cut_below_ceilings_is_found(case: Case, seed: int, suppress: bool) -> None:
    tree, rows, k, m = case
    model = HierarchyModel(tree)
    if suppress and len(model.leaves) > 7:
        return
    ceilings = ceilings_of(model, random.Random(seed))
    above = {node for node in model.nodes for ceiling in ceilings if model.strictly_above(node, ceiling)}
    allowed = [r for r in recodings(model, suppress=suppress) if above.isdisjoint(x for x in r.values() if x)]
    losses = [item_ncp(rows, recoding, model) for recoding in allowed if is_km(published(rows, recoding), k, m)]
    hierarchy = Hierarchy.from_tree(tree)
    table = Table.from_sets(rows, universe=hierarchy.leaves.labels)
    algorithm = anonset.Exact(k=k, m=m, suppress=suppress)
    more: dict[str, Any] = {"hierarchies": {"items": hierarchy}, "ceilings": {"items": ceilings}}
    if not losses:
        with pytest.raises(InfeasibleError):
            anonset.anonymize(table, algorithm, accept="worthless", **more)
        return
    release = anonset.anonymize(table, algorithm, accept="worthless", **more)
    shown = {release.recoding.hierarchy.labels[node] for node in release.recoding.image.tolist() if node >= 0}
    occurring = {item for row in rows for item in row}
    assert all(above.isdisjoint({x}) or occurring.isdisjoint(model.below[x]) for x in shown)
    column = table.transactions
    assert column is not None
    assert ncp_exact(release.recoding.hierarchy.bind(column), release.recoding) == min(losses)


@thorough
@given(cases, st.integers(0, 99))
def test_generalization_finds_a_solution_if_one_exists(case: Case, seed: int) -> None:
    tree, rows, k, m = case
    model, hierarchy = HierarchyModel(tree), Hierarchy.from_tree(tree)
    more: dict[str, Any] = {
        "hierarchies": {"items": hierarchy},
        "ceilings": {"items": ceilings_of(model, random.Random(seed))},
    }
    table = Table.from_sets(rows, universe=hierarchy.leaves.labels)
    outcomes = set()
    for algorithm in (
        anonset.Exact(k=k, m=m),
        anonset.Apriori(k=k, m=m),
        anonset.Direct(k=k, m=m),
        anonset.Optimal(k=k, m=m),
    ):
        try:
            anonset.anonymize(table, algorithm, accept="worthless", **more)
        except InfeasibleError:
            outcomes.add(False)
        else:
            outcomes.add(True)
    assert len(outcomes) == 1


def relational(seed: int, n: int) -> tuple[Table, dict[str, Hierarchy], dict[str, list[str]], dict[str, set[str]]]:
    """Draw records with two columns, and ceilings of the first or of both. Return also the nodes above the ceilings."""
    rng = random.Random(seed)
    trees = rng.sample(TREES, 2)
    models = [HierarchyModel(parse(tree)) for tree in trees]
    rows = [tuple(rng.choice(model.leaves) for model in models) for _ in range(n)]
    case = encode(rows, list(trees))
    ceilings = {f"c{i}": ceilings_of(models[i], rng) for i in range(rng.randint(1, 2))}
    above = {
        name: {v for v in models[int(name[1])].nodes for c in labels if models[int(name[1])].strictly_above(v, c)}
        for name, labels in ceilings.items()
    }
    return (
        Table(None, relational=case.columns, statements=OwnerStatements("row")),
        dict(case.hierarchies),
        ceilings,
        above,
    )


FORMING = [
    lambda k: anonset.Mondrian(k=k),
    lambda k: anonset.Cluster(k=k, seed=1),
    lambda k: anonset.Cluster(k=k, seed=1, refine=True),
    lambda k: anonset.KMember(k=k),
    lambda k: anonset.XuBottomUp(k=k),
]


@thorough
@given(st.integers(0, 10**6), st.sampled_from(range(len(FORMING))), st.integers(2, 3))
def test_clusters_remain_below_ceilings(seed: int, which: int, k: int) -> None:
    table, trees, ceilings, above = relational(seed, 14)
    capped = {name: cap_hierarchy(tree, ceilings[name]) if name in ceilings else tree for name, tree in trees.items()}
    tops = [
        {leaf: top for top in tree.children(0) for leaf in tree.members(top)} if tree.capped else {}
        for tree in capped.values()
    ]
    labels = [column.labels() for column in table.relational]
    groups = [tuple(top.get(x, 0) for top, x in zip(tops, row, strict=True)) for row in zip(*labels, strict=True)]
    feasible = min(groups.count(group) for group in groups) >= k
    more: dict[str, Any] = {"hierarchies": trees, "ceilings": ceilings, "accept": "worthless"}
    if not feasible:
        with refused(InfeasibleError, "ceilings"):
            anonset.anonymize(table, FORMING[which](k), **more)
        return
    release = anonset.anonymize(table, FORMING[which](k), **more)
    for column in release.publication.relational:
        assert above.get(column.name, set()).isdisjoint(column.labels())


@thorough
@given(st.integers(0, 10**6), st.sampled_from(["r", "t", "rt"]), st.sampled_from([0.3, 0.6, 1.0]))
def test_merges_within_a_relational_bound_remain_below_ceilings(seed: int, merge: Any, delta: float) -> None:
    table, trees, ceilings, above = relational(seed, 30)
    rng = random.Random(seed)
    rows = [rng.sample(TREE.leaves.labels, 3) for _ in range(table.n)]
    items = Table.from_sets(rows, universe=TREE.leaves.labels).transactions
    both = replace(table, transactions=items)
    rum = anonset.RumBound(k=2, m=1, delta=delta, merge=merge)
    try:
        release = anonset.anonymize(
            both, rum, hierarchies={**trees, "items": TREE}, ceilings=ceilings, accept="worthless"
        )
    except InfeasibleError as error:
        assert error.achieved is not None  # noqa: PT017
        return
    assert release.measures["rum"] <= delta + 1e-9
    for column in release.publication.relational:
        assert above.get(column.name, set()).isdisjoint(column.labels())


@thorough
@given(st.integers(0, 10**6), st.integers(2, 4))
def test_the_best_levels_below_ceilings(seed: int, k: int) -> None:
    table, trees, ceilings, above = relational(seed, 12)
    images = []
    for column in table.relational:
        tree = cap_hierarchy(trees[column.name], ceilings.get(column.name, []))
        rows = [tree.nodes_in_column(depth)[tree.codes_of(column.vocabulary, "")][column.codes] for depth in range(9)]
        images.append(
            [
                (
                    [tree.labels[v] for v in row],
                    float(np.mean([tree.n_leaves_below[v] / tree.n_leaves * (not tree.is_leaf[v]) for v in row])),
                )
                for row in rows
            ]
        )
    losses = []
    for levels in product(*images):
        shown = list(zip(*(labels for labels, _ in levels), strict=True))
        low = all(above.get(f"c{i}", set()).isdisjoint(labels) for i, (labels, _) in enumerate(levels))
        if low and min(map(shown.count, shown)) >= k:
            losses.append(sum(loss for _, loss in levels) / 2)
    more: dict[str, Any] = {"hierarchies": trees, "ceilings": ceilings, "accept": "worthless"}
    if not losses:
        with refused(InfeasibleError, "ceilings"):
            anonset.anonymize(table, anonset.FullDomain(k=k), **more)
        return
    release = anonset.anonymize(table, anonset.FullDomain(k=k), **more)
    assert release.measures["rum"] == pytest.approx(min(losses), abs=1e-12)


def test_invalid_ceilings_are_rejected(tmp_path: Path) -> None:
    table = Table.from_sets([["a1", "b1"]] * 4, universe=TREE.leaves.labels)

    def message(ceiling: Any, name: str = "items", hierarchy: Any = TREE) -> str:
        with pytest.raises(InputError) as error:
            anonset.anonymize(
                table, anonset.Exact(k=2, m=2), hierarchies={"items": hierarchy}, ceilings={name: ceiling}
            )
        return str(error.value)

    assert names(message(["X"]), "X node hierarchy")
    assert names(message(1, "codes"), "column codes")
    assert names(message(1, hierarchy="halves:number"), "nodes file")
    assert names(message(tmp_path / "none.txt"), f"file {tmp_path / 'none.txt'}")
    (tmp_path / "latin.txt").write_bytes(b"\xe9\n")
    assert "UTF-8" in message(tmp_path / "latin.txt")
    with pytest.raises(HierarchyError):
        cap_hierarchy(TREE, ["nothing"])


def test_a_refined_tree_keeps_the_ceilings(tmp_path: Path) -> None:
    (tmp_path / "tree.csv").write_text("".join(f"{x}{n},{x},ALL\n" for x in "ABC" for n in range(5)))
    (tmp_path / "top.txt").write_text("A\nB\nC\n")
    rng = random.Random(3)
    rows = [[f"{x}{int(rng.random() ** 2 * 5)}" for x in "ABC"] for _ in range(60)]
    for spec in (f"refine:{tmp_path / 'tree.csv'}", str(tmp_path / "tree.csv")):
        release = anonset.anonymize(
            Table.from_sets(rows),
            anonset.Exact(k=5, m=2),
            hierarchies={"items": spec},
            ceilings={"items": tmp_path / "top.txt"},
        )
        assert all(len({member[0] for member in symbol.members}) == 1 for symbol in release.publication.symbols)


def test_both_trees_of_halves_have_the_ceiling() -> None:
    tree = cap_hierarchy(halves(["a", "b", "c", "d"], np.array([9, 1, 2, 2]), "frequency"), ["a"])
    assert tree.rival is not None
    assert tree.capped
    assert tree.rival.capped
