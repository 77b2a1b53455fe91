"""LG, LRA and VPA: the worked examples, the vectors, and naive implementations."""

import json
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st
from tests.facts import refused

from algorithms.implementations import bound_table, image_of, published_rows
from algorithms.test_against_twins import small_case
from algorithms.test_cut_search import mapped
from anonset.algorithms.transaction.cuts import cut_search
from anonset.algorithms.transaction.partitions import lra as lra_module
from anonset.algorithms.transaction.partitions.gray_order import GrayOrder, gray_partitions
from anonset.algorithms.transaction.partitions.local_generalization import LocalGeneralization
from anonset.algorithms.transaction.partitions.local_reallocation import LocalReallocation
from anonset.algorithms.transaction.partitions.lra import Lra
from anonset.algorithms.transaction.partitions.vpa import Vpa
from anonset.algorithms.transaction.rare_sets.supported_nodes import SupportedNodes
from anonset.data import Hierarchy, SetColumn, Table, spans
from anonset.data.spans import Limits
from anonset.data.storage.store import Files
from anonset.data.storage.workers import Threads
from anonset.errors import InfeasibleError, InputError
from anonset.generalization import PerCluster, apply
from anonset.measures.retention import by_level, ncp_of_sizes, occurrences_by_size
from anonset.verification import verify
from anonset.writing.codebook import write_local_mapping
from effort import examples
from reference.hierarchy_model import HierarchyModel, Tree, parse
from reference.local_recoding import (
    Group,
    entropy,
    gray_order,
    local_generalization,
    local_ncp,
    local_reallocation,
    lra,
    node_ncp,
    publish,
    reallocated,
    vpa,
)
from reference.transaction_algorithms import Infeasible, is_km

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "algorithm_vectors.json").read_text())
FOOD_TREE = parse(VECTORS["tree"])
FOOD = [set(row.split()) for row in VECTORS["rows"]]
SHORT = parse("R(X(x,w),Y(y,z))")
thorough = settings(max_examples=examples(400), suppress_health_check=[HealthCheck.too_slow])
seeds = st.integers(0, 2**32 - 1)


def run(algorithm: Any, rows: Sequence[set[str]], tree: Tree, workers: int = 1) -> tuple[Table, Any]:
    hierarchy = Hierarchy.from_tree(tree)
    table = bound_table(rows, hierarchy)
    return table, algorithm.recode(table.with_workers(Threads(workers)), {"items": hierarchy})


def groups_of(result: Any) -> list[Group]:
    """Return a local recoding's groups from the trace."""
    return [(list(p.records), list(p.nodes if hasattr(p, "nodes") else p.cut)) for p in result.trace]


def ncp_of(table: Table, result: Any) -> Fraction:
    assert table.transactions is not None
    return ncp_of_sizes(occurrences_by_size(table.transactions, result.recoding))


def larger_case(seed: int) -> tuple[Tree, list[set[str]], int, int]:
    """Repeat some records of a small case, to have enough records to divide."""
    tree, rows, k, m = small_case(seed)
    rng = random.Random(seed)
    if rng.random() < 0.7:
        rows = rows + [set(rng.choice(rows)) for _ in range(15)]
    if rng.random() < 0.5:
        rows = [row for row in rows if row] or rows
    return tree, rows, k, m


def labels_only(text: str) -> list[set[str]]:
    return [set(row.split()) for row in text.split("|")]


# --- local generalization --------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [2, 3])
def test_lg_vector(k: int) -> None:
    *expected, ncp = VECTORS["vectors"][f"LG k{k}"]
    table, result = run(LocalGeneralization(k=k), FOOD, FOOD_TREE)
    assert [[list(p.records), list(p.nodes)] for p in result.trace] == expected
    assert ncp_of(table, result) == Fraction(ncp)
    assert [[ids, nodes] for ids, nodes in local_generalization(FOOD, HierarchyModel(FOOD_TREE), k)] == expected


@pytest.mark.parametrize(
    ("tree", "text", "published", "ncp"),
    [
        (  # He and Naughton 2009, Table 2
            "ALL(A(a1,a2),B(b1,b2))",
            "a1|a1 a2|b1 b2|b1 b2|a1 a2 b2|a1 a2 b2|a1 a2 b1 b2",
            "A|A|b1 b2|b1 b2|a1 a2 B|a1 a2 B|a1 a2 B",
            Fraction(7, 34),
        ),
        (  # Liu and Wang 2010, Figure 1
            "T(P(H(a,b),K(c,d)),Q(L(f,g),M(x,y,z)),e,i)",
            "b c d|a f g|d f y z|c d f x|a b c f g|e i|e|i",
            "T|P f g|K f M|K f M|P f g|T|T|T",
            Fraction(108, 253),
        ),
    ],
)
def test_lg_on_the_papers_examples(tree: str, text: str, published: str, ncp: Fraction) -> None:
    table, result = run(LocalGeneralization(k=2), labels_only(text), parse(tree))
    assert published_rows(table, result) == labels_only(published)
    assert ncp_of(table, result) == ncp


@thorough
@given(seeds)
def test_lg_equals_its_twin(seed: int) -> None:
    tree, rows, k, _ = larger_case(seed)
    model = HierarchyModel(tree)
    try:
        expected = local_generalization(rows, model, k)
    except Infeasible:
        with pytest.raises(InfeasibleError):
            run(LocalGeneralization(k=k), rows, tree)
        return
    table, result = run(LocalGeneralization(k=k), rows, tree)
    assert groups_of(result) == expected
    published = published_rows(table, result)
    assert published == publish(rows, expected, model)
    assert all(count >= k for count in Counter(map(frozenset, published)).values())
    assert ncp_of(table, result) == local_ncp(rows, expected, model)


def test_the_cases_of_lg_are_no_trifle() -> None:
    divided = kept = 0
    for seed in range(100):
        tree, rows, k, _ = larger_case(seed)
        model = HierarchyModel(tree)
        try:
            groups = local_generalization(rows, model, k)
        except Infeasible:
            continue
        divided += len(groups) > 2
        kept += len(groups) > 1 and any(model.children[v] for _, nodes in groups for v in nodes)
    assert divided > 30
    assert kept > 20


@pytest.mark.parametrize("rows", [[], [set()] * 3], ids=["no record", "empty records"])
def test_indivisible_records_are_unchanged(rows: list[set[str]]) -> None:
    for algorithm in (LocalGeneralization(k=2), LocalReallocation(k=2), Lra(k=2, m=2), Vpa(k=2, m=2)):
        table, result = run(algorithm, rows, SHORT)
        assert published_rows(table, result) == rows


@pytest.mark.parametrize(
    ("rows", "kind"),
    [([{"x"}], "non-empty"), ([set(), {"x"}, {"y"}], "empty"), ([set(), set(), {"x"}], "non-empty")],
)
def test_lg_needs_k_records_with_items_and_without(rows: list[set[str]], kind: str) -> None:
    with refused(InfeasibleError, f"1 {kind} k 2"):
        run(LocalGeneralization(k=2), rows, SHORT)


def test_clusters_are_numbered_by_their_smallest_record() -> None:
    _, result = run(LocalGeneralization(k=2), [set(), *FOOD, set()], FOOD_TREE)
    assert isinstance(result.recoding, PerCluster)
    firsts = [result.recoding.cluster.tolist().index(c) for c in range(result.recoding.n_clusters)]
    assert firsts == sorted(firsts)
    assert result.recoding.cluster[0] == result.recoding.cluster[-1] == 0


# --- reallocation ------------------------------------------------------------------------------------------


def reallocation_case(seed: int) -> tuple[Tree, list[set[str]], int]:
    """Return records of which many have siblings: a tree of two levels, and long records."""
    rng = random.Random(seed)
    fanout, width = rng.randint(2, 4), rng.randint(2, 3)
    tree: Tree = ("R", [(f"n{i}", [f"{i}{j}" for j in range(width)]) for i in range(fanout)])
    items = [f"{i}{j}" for i in range(fanout) for j in range(width)]
    rows = [set(rng.choices(items, k=rng.randint(2, 7))) for _ in range(rng.randint(25, 100))]
    return tree, rows, rng.randint(2, 6)


@thorough
@given(seed=seeds, larger=st.booleans(), by_entropy=st.booleans())
@example(seed=726, larger=False, by_entropy=False)  # a record moves twice
def test_lgr_equals_its_twin(seed: int, larger: bool, by_entropy: bool) -> None:
    tree, rows, k = larger_case(seed)[:3] if larger else reallocation_case(seed)
    model, algorithm = HierarchyModel(tree), LocalReallocation(k=k, node_cost="entropy" if by_entropy else "ncp")
    cost = entropy(rows) if by_entropy else node_ncp
    try:
        expected = local_reallocation(rows, model, k, cost)
    except Infeasible:
        with pytest.raises(InfeasibleError):
            run(algorithm, rows, tree)
        return
    table, result = run(algorithm, rows, tree)
    assert groups_of(result) == expected
    published = published_rows(table, result)
    assert published == publish(rows, expected, model)
    assert all(count >= k for count in Counter(map(frozenset, published)).values())
    assert verify(apply(table, result.recoding), algorithm.model).holds


@settings(max_examples=examples(160))
@given(seeds, st.booleans())
def test_the_reallocation_never_raises_its_cost(seed: int, by_entropy: bool) -> None:
    tree, rows, k = reallocation_case(seed)
    model = HierarchyModel(tree)
    cost = entropy(rows) if by_entropy else node_ncp
    before = local_generalization(rows, model, k, cost)
    after = reallocated(before, rows, model, k, cost)
    assert local_ncp(rows, after, model, cost) <= local_ncp(rows, before, model, cost)
    table, result = run(LocalReallocation(k=k), rows, tree)
    assert ncp_of(table, result) <= ncp_of(*run(LocalGeneralization(k=k), rows, tree))


def test_the_cases_of_lgr_are_no_trifle() -> None:
    moved = 0
    for seed in range(40):
        tree, rows, k = reallocation_case(seed)
        model = HierarchyModel(tree)
        before = local_generalization(rows, model, k)
        moved += len(reallocated(before, rows, model, k, node_ncp)) > len(before)
    assert moved > 3


def test_a_worked_example_of_lgr() -> None:
    """Record 3 gains 4 leaves by b1 instead of B, and record 0 loses 3 by A instead of a1, so both form a partition."""
    rows = labels_only("a1 b1|a1 b1|a1 b1|a2 b1|a1 a3 b2|a1 a2 a3 b3")
    tree = parse("ALL(A(a1,a2,a3),B(b1,b2,b3,b4))")
    before, after = (run(cls(k=2), rows, tree) for cls in (LocalGeneralization, LocalReallocation))
    assert groups_of(before[1]) == [([3, 4, 5], ["A", "B"]), ([0, 1, 2], ["a1", "b1"])]
    assert groups_of(after[1]) == [([4, 5], ["A", "B"]), ([0, 3], ["A", "b1"]), ([1, 2], ["a1", "b1"])]
    assert (ncp_of(*before), ncp_of(*after)) == (Fraction(30, 105), Fraction(29, 105))


def test_entropy_prefers_other_partitions() -> None:
    found = 0
    for seed in range(40):
        tree, rows, k = reallocation_case(seed)
        ways = [run(LocalReallocation(k=k, node_cost=cost), rows, tree) for cost in ("ncp", "entropy")]
        found += groups_of(ways[0][1]) != groups_of(ways[1][1])
    assert found > 5


# --- partitions in Gray order ------------------------------------------------------------------------------


def records_in_order(column: SetColumn) -> list[int]:
    order = GrayOrder.of(column)
    return order.record[order.n_empty :].tolist()


def test_gray_order_vector() -> None:
    column = Hierarchy.from_tree(FOOD_TREE).bind(SetColumn.of(FOOD))
    assert records_in_order(column) == VECTORS["vectors"]["gray order"]
    assert gray_order(FOOD, HierarchyModel(FOOD_TREE)) == VECTORS["vectors"]["gray order"]


def test_consecutive_vectors_in_gray_order_differ_in_one_bit() -> None:
    rows = [{x for bit, x in enumerate("abcd") if code >> bit & 1} for code in range(1, 16)]
    order = records_in_order(SetColumn.of(rows))
    assert sorted(order) == list(range(15))
    assert all(len(rows[a] ^ rows[b]) == 1 for a, b in pairwise(order))


@pytest.mark.parametrize(("k", "sizes"), [(1, [3, 4, 4]), (3, [3, 4, 4]), (4, [5, 6]), (6, [11]), (20, [11])])
def test_partitions_have_at_least_k_records(k: int, sizes: list[int]) -> None:
    column = SetColumn.of([{"a"}] * 11 + [set()])
    parts = gray_partitions(column, k, 3)
    assert [len(part) for part in parts] == sizes
    assert sorted(record for part in parts for record in part.tolist()) == list(range(11))


@pytest.mark.parametrize("name", ["k2m2", "k3m2", "k3m3"])
def test_lra_vector(name: str) -> None:
    expected, ncp = VECTORS["vectors"][name]["LRA3"]
    k, m = int(name[1]), int(name[3])
    table, result = run(Lra(k=k, m=m, partitions=3), FOOD, FOOD_TREE)
    assert [[list(p.records), list(p.cut)] for p in result.trace] == expected
    assert ncp_of(table, result) == Fraction(ncp)
    assert [[ids, nodes] for ids, nodes in lra(FOOD, HierarchyModel(FOOD_TREE), k, m, 3)] == expected


@pytest.mark.long
@thorough
@given(seeds, st.integers(1, 5))
def test_lra_equals_its_twin(seed: int, parts: int) -> None:
    tree, rows, k, m = larger_case(seed)
    model = HierarchyModel(tree)
    try:
        expected = lra(rows, model, k, m, parts)
    except Infeasible:
        with pytest.raises(InfeasibleError):
            run(Lra(k=k, m=m, partitions=parts), rows, tree)
        return
    table, result = run(Lra(k=k, m=m, partitions=parts), rows, tree)
    assert groups_of(result) == expected
    published = published_rows(table, result)
    assert published == publish(rows, expected, model)
    assert all(is_km([published[t] for t in ids], k, m) for ids, _ in expected)
    assert ncp_of(table, result) == local_ncp(rows, expected, model)


@settings(max_examples=examples(60), suppress_health_check=list(HealthCheck))
@given(seeds, st.integers(1, 5), st.sampled_from([1, 3, 1000]), st.booleans())
def test_lra_in_files_is_as_in_memory(tmp_path: Path, seed: int, parts: int, at_once: int, room: bool) -> None:
    tree, rows, k, m = larger_case(seed)
    assume(sum(map(bool, rows)) >= k)
    algorithm = Lra(k=k, m=m, partitions=parts)
    table, expected = run(algorithm, rows, tree)
    column, hierarchy = table.transactions, Hierarchy.from_tree(tree)
    assert column is not None
    limits = Limits(rows_per_bucket=4, room=None if room else 1)
    with Files.temporary(tmp_path, limits, Threads(2)) as work, pytest.MonkeyPatch.context() as patch:
        patch.setattr(spans, "AT_ONCE", at_once)
        filed_table = replace(table, transactions=mapped(column, work), store=work)
        actual = algorithm.recode(filed_table, {"items": hierarchy})
        assert {path.name.split("-")[0] for path in work.path.iterdir()} == {"indptr", "items", "cluster", "record"}
        assert groups_of(actual) == groups_of(expected)
        assert [part.fixes for part in actual.trace] == [part.fixes for part in expected.trace]
        assert actual.figures == expected.figures
        assert actual.recoding.cluster.tolist() == expected.recoding.cluster.tolist()
        assert published_rows(filed_table, actual) == published_rows(table, expected)
        assert ncp_of(filed_table, actual) == ncp_of(table, expected)
        assert by_level(column, actual.recoding, hierarchy) == by_level(column, expected.recoding, hierarchy)
        written = [
            write_local_mapping(entry.recoding, column, tmp_path / "mapping.csv").read_bytes()
            for entry in (expected, actual)
        ]
        assert written[0] == written[1]


@pytest.mark.parametrize("workers", [1, 2])
def test_partitions_in_memory_share_the_limit_of_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, workers: int
) -> None:
    hierarchy, rooms = Hierarchy.from_tree(SHORT), list[int | None]()

    class Noted(SupportedNodes):
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            super().__init__(*args, **kwargs)
            rooms.append(self.blocks.store.limits.room)

    monkeypatch.setattr(cut_search, "SupportedNodes", Noted)
    monkeypatch.setattr(lra_module, "in_bitmaps", lambda *_: False)
    column = bound_table([{"x", "y"}] * 8, hierarchy).transactions
    assert column is not None
    with Files.temporary(tmp_path, Limits(room=1 << 30), Threads(workers)) as work:
        filed_table = Table(mapped(column, work), store=work)
        Lra(k=2, m=2, partitions=3).recode(filed_table, {"items": hierarchy})
    assert rooms == [(1 << 30) // workers] * 3


def test_damaged_files_are_reported_before_sorting(tmp_path: Path) -> None:
    hierarchy = Hierarchy.from_tree(SHORT)
    column = bound_table([{"x", "y"}] * 4, hierarchy).transactions
    assert column is not None
    with Files.temporary(tmp_path) as work:
        filed_column = mapped(column, work)
        filed_column.items[3] = 99
        with refused(InputError, code="damaged"):
            Lra(k=2, m=2).recode(Table(filed_column, store=work), {"items": hierarchy})
        assert len(list(work.path.iterdir())) == 2


# --- vertical partitioning ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["k2m2", "k3m2", "k3m3"])
def test_vpa_vector(name: str) -> None:
    cut, ncp, before = VECTORS["vectors"][name]["VPA"]
    k, m = int(name[1]), int(name[3])
    table, result = run(Vpa(k=k, m=m), FOOD, FOOD_TREE)
    assert result.recoding.labels == cut
    assert ncp_of(table, result) == Fraction(ncp)
    assert [label for part in result.trace[:3] for label in part.cut] == before
    parts, final = vpa(FOOD, HierarchyModel(FOOD_TREE), k, m)
    assert list(dict.fromkeys(parts.values())) == before
    assert list(dict.fromkeys(final.values())) == cut


@pytest.mark.long
@thorough
@given(seeds, st.integers(1, 3))
def test_vpa_equals_its_twin(seed: int, depth: int) -> None:
    tree, rows, k, m = larger_case(seed)
    try:
        _, expected = vpa(rows, HierarchyModel(tree), k, m, depth)
    except Infeasible:
        with pytest.raises(InfeasibleError):
            run(Vpa(k=k, m=m, depth=depth), rows, tree)
        return
    table, result = run(Vpa(k=k, m=m, depth=depth), rows, tree)
    assert image_of(result.recoding) == expected
    assert is_km(published_rows(table, result), k, m)


def test_the_cases_of_lra_and_vpa_are_no_trifle() -> None:
    several = mended = 0
    for seed in range(100):
        tree, rows, k, m = larger_case(seed)
        model = HierarchyModel(tree)
        if sum(map(bool, rows)) >= k:
            several += len({tuple(cut) for _, cut in lra(rows, model, k, m, 3)}) > 1
            parts, final = vpa(rows, model, k, m)
            mended += parts != final
    assert several > 20
    assert mended > 20


# --- all of them ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", [Lra(k=1, m=2), Vpa(k=1, m=2), LocalGeneralization(k=1), LocalReallocation(k=1)])
def test_k_of_one_publishes_the_input(algorithm: Any) -> None:
    table, result = run(algorithm, FOOD, FOOD_TREE)
    assert published_rows(table, result) == FOOD


@pytest.mark.parametrize(
    "algorithm", [Lra(k=2, m=2, partitions=4), Vpa(k=2, m=2), LocalGeneralization(k=2), LocalReallocation(k=2)]
)
def test_is_the_same_for_any_number_of_workers(algorithm: Any) -> None:
    alone = run(algorithm, FOOD, FOOD_TREE)[1]
    together = run(algorithm, FOOD, FOOD_TREE, 3)[1]
    assert alone.trace == together.trace


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: LocalGeneralization(k=0), "k 1 0"),
        (lambda: LocalReallocation(k=0), "k 1 0"),
        (lambda: LocalReallocation(k=2, node_cost="lm"), "node_cost ncp entropy 'lm'"),  # type: ignore[arg-type]
        (lambda: Lra(k=2, m=0), "m 1 0"),
        (lambda: Lra(k=2, m=2, partitions=0), "partitions 1 0"),
        (lambda: Vpa(k=2, m=2, depth=0), "depth 1 0"),
        (lambda: Vpa(k=2.0, m=2), "k 1 2.0"),  # type: ignore[arg-type]
    ],
)
def test_bad_parameters_are_refused(make: Any, message: str) -> None:
    with refused(InputError, message):
        make()


@pytest.mark.parametrize("algorithm", [Lra(k=2, m=2), Vpa(k=2, m=2)])
def test_fewer_than_k_records_with_items_are_infeasible(algorithm: Any) -> None:
    with refused(InfeasibleError, "1 k"):
        run(algorithm, [{"x"}, set()], SHORT)
