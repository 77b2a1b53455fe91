"""HgHs, mHgHs and greedy suppression: the worked examples, the vectors, and naive implementations."""

import json
import random
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.facts import refused

from algorithms.implementations import bound_table, published_rows
from algorithms.test_against_twins import small_case
from anonset.algorithms.transaction.suppression.coherence_suppression import CoherenceSuppression
from anonset.algorithms.transaction.suppression.hghs import HgHs
from anonset.algorithms.transaction.suppression.mhghs import MHgHs
from anonset.algorithms.transaction.suppression.threats import MinimalThreats
from anonset.data import Hierarchy, Table
from anonset.data.storage.workers import Threads
from anonset.errors import InputError
from anonset.generalization import Cut, ItemGroups
from anonset.measures.retention import lm_of_sizes, occurrences_by_size
from effort import examples
from reference.hierarchy_model import HierarchyModel, Tree, parse
from reference.suppression import (
    coherence_suppression,
    evaluate,
    hghs,
    is_coherent,
    mhghs,
    minimal_threats,
    moles,
)
from reference.transaction_algorithms import is_km

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "algorithm_vectors.json").read_text())
FOOD = [set(row.split()) for row in VECTORS["rows"]]
OUTLIER = parse("T(P(H(a,b),K(c,d)),Q(L(f,g),M(x,y,z)),e,i)")  # Liu and Wang 2010, Figure 1
OUTLIER_ROWS = [set(row.split()) for row in ("b c d", "a f g", "d f y z", "c d f x", "a b c f g", "e i", "e", "i")]
SHORT = parse("R(X(x,w),Y(y,z))")
thorough = settings(max_examples=examples(400), suppress_health_check=[HealthCheck.too_slow])
seeds = st.integers(0, 2**32 - 1)


def run(algorithm: Any, rows: Sequence[set[str]], tree: Tree, workers: int = 1, **options: Any) -> tuple[Table, Any]:
    hierarchy = Hierarchy.from_tree(tree)
    table = bound_table(rows, hierarchy)
    return table, algorithm.recode(table.with_workers(Threads(workers)), {"items": hierarchy}, **options)


def decision(result: Any) -> tuple[list[str], list[str]]:
    assert isinstance(result.recoding, Cut)
    return result.recoding.labels, result.recoding.suppressed


# --- the papers' example -------------------------------------------------------------------------------


def test_the_threats_of_the_papers_example() -> None:
    tree = HierarchyModel(OUTLIER)
    hierarchy = Hierarchy.from_tree(OUTLIER)
    column = bound_table(OUTLIER_ROWS, hierarchy).transactions
    assert column is not None
    threats = MinimalThreats(column, hierarchy, 2, limit=100)
    for _ in range(5):
        threats.mine_next()
    result = {frozenset(hierarchy.labels[v] for v in threat) for size in threats.by_size for threat in size.tolist()}
    assert threats.n == len(result) == 25
    assert result == minimal_threats(tree.nodes[1:], OUTLIER_ROWS, tree, 2, 5)
    of_cuts = set().union(*(minimal_threats(cut, OUTLIER_ROWS, tree, 2, 5) for cut in tree.cuts()))
    assert result == of_cuts
    assert len(tree.cuts()) == 26


@pytest.mark.parametrize(
    ("cut", "suppressed", "cost"),
    [
        ("T", "", Fraction(23)),
        ("P Q e i", "i", Fraction(86, 10)),
        ("H K Q e i", "H i", Fraction(102, 10)),
        ("P L M e i", "i", Fraction(62, 10)),
        ("H K L M e i", None, Fraction(78, 10)),
        ("P f g M e i", "i", Fraction(56, 10)),
        ("P L x y z e i", None, Fraction(86, 10)),
        ("H K f g M e i", None, Fraction(92, 10)),
        ("P f g x y z e i", None, Fraction(8)),
    ],
)
def test_the_costs_of_the_papers_example(cut: str, suppressed: str | None, cost: Fraction) -> None:
    evaluation = evaluate(cut.split(), OUTLIER_ROWS, HierarchyModel(OUTLIER), 2, 5)
    assert evaluation.cost == cost
    if suppressed is not None:
        assert list(evaluation.suppressed) == suppressed.split()


def test_hghs_on_the_papers_example() -> None:
    table, result = run(HgHs(k=2, m=5), OUTLIER_ROWS, OUTLIER)
    assert decision(result) == (["P", "f", "g", "M", "e"], ["i"])
    assert [(step.node, step.cost) for step in result.trace] == [("T", 86), ("Q", 62), ("L", 56)]
    assert result.figures["threats"] == 25
    assert published_rows(table, result) == [
        set(row.split()) for row in ["P", "P f g", "P f M", "P f M", "P f g", "e", "e", ""]
    ]
    assert lm_of_sizes(occurrences_by_size(table.transactions, result.recoding)) == Fraction(56, 10 * 23)  # type: ignore[arg-type]


def test_mhghs_on_the_papers_example() -> None:
    _, result = run(MHgHs(k=2, m=5), OUTLIER_ROWS, OUTLIER)
    rounds = [(" ".join(r.cut), " ".join(r.suppressed), Fraction(r.cost, 10)) for r in result.trace]
    assert rounds == [
        ("a b c d f g M e i", "", Fraction(6, 10)),
        ("H K L M e i", "i", Fraction(42, 10)),
        *[("P L M e i", "i", Fraction(62, 10))] * 3,
    ]
    assert decision(result) == (["P", "L", "M", "e"], ["i"])
    reduced = run(MHgHs(k=2, m=5, cost="reduced"), OUTLIER_ROWS, OUTLIER)[1]
    assert decision(reduced) == decision(result)


@pytest.mark.parametrize("name", ["k2m2", "k3m2", "k3m3"])
@pytest.mark.parametrize("paper_name", ["HgHs", "mHgHs"])
def test_hghs_and_mhghs_reproduce_the_reference_results(name: str, paper_name: str) -> None:
    k, m = int(name[1]), int(name[3])
    cut, suppressed, cost = VECTORS["vectors"][name][paper_name]
    table, result = run((HgHs if paper_name == "HgHs" else MHgHs)(k=k, m=m), FOOD, parse(VECTORS["tree"]))
    labels, items = decision(result)
    model = HierarchyModel(parse(VECTORS["tree"]))
    assert labels == [v for v in cut if v not in suppressed]
    assert items == [x for v in suppressed for x in model.below[v]]
    assert Fraction(int(result.figures["cost"]), 7) == Fraction(cost)
    assert is_km(published_rows(table, result), k, m)
    twin = hghs(FOOD, model, k, m) if paper_name == "HgHs" else mhghs(FOOD, model, k, m)[-1]
    assert (list(twin.cut), list(twin.suppressed), twin.cost) == (cut, suppressed, Fraction(cost))


# --- against the naive implementations ------------------------------------------------------------------


@thorough
@given(seeds)
def test_hghs_equals_its_twin(seed: int) -> None:
    tree, rows, k, m = small_case(seed)
    model = HierarchyModel(tree)
    table, result = run(HgHs(k=k, m=m), rows, tree)
    twin = hghs(rows, model, k, m)
    assert decision(result) == (
        [v for v in twin.cut if v not in twin.suppressed],
        [x for v in twin.suppressed for x in model.below[v]],
    )
    assert result.figures["cost"] == twin.cost * (len(model.leaves) - 1)
    most = (len(model.leaves) - 1) * sum(map(len, rows))
    assert lm_of_sizes(occurrences_by_size(table.transactions, result.recoding)) * most == result.figures["cost"]  # type: ignore[arg-type]
    assert is_km(published_rows(table, result), k, m)


@thorough
@given(seeds, st.sampled_from(["original", "reduced"]))
def test_mhghs_equals_its_twin(seed: int, cost: str) -> None:
    tree, rows, k, m = small_case(seed)
    table, result = run(MHgHs(k=k, m=m, cost=cost), rows, tree)
    twin = mhghs(rows, HierarchyModel(tree), k, m, cost)
    assert [(r.cut, r.suppressed) for r in result.trace] == [(s.cut, s.suppressed) for s in twin]
    assert is_km(published_rows(table, result), k, m)


@thorough
@given(seeds, st.integers(1, 5))
def test_the_mined_threats_are_the_minimal_ones(seed: int, m: int) -> None:
    tree, rows, k, _ = small_case(seed)
    model, hierarchy = HierarchyModel(tree), Hierarchy.from_tree(tree)
    column = bound_table(rows, hierarchy).transactions
    assert column is not None
    threats = MinimalThreats(column, hierarchy, k, limit=10**6)
    for _ in range(m):
        threats.mine_next()
    actual = [frozenset(hierarchy.labels[v] for v in threat) for size in threats.by_size for threat in size.tolist()]
    expected = minimal_threats(model.nodes, rows, model, k, m)
    assert len(actual) == len(set(actual))
    assert set(actual) == expected


def test_random_cases_include_suppression_and_several_rounds() -> None:
    suppressed, divided, long, differ = 0, 0, 0, 0
    for seed in range(150):
        tree, rows, k, m = small_case(seed)
        model = HierarchyModel(tree)
        once, rounds = hghs(rows, model, k, m), mhghs(rows, model, k, m)
        suppressed += bool(once.suppressed) and len(once.suppressed) < len(once.cut)
        divided += len(once.cut) > 3
        long += any(len(threat) > 2 for threat in minimal_threats(model.nodes, rows, model, k, m))
        differ += rounds[-1].cost != once.cost
    assert suppressed > 30
    assert divided > 60
    assert long > 10
    assert differ > 0


# --- suppression for coherence ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["k2m2", "k3m2", "k3m3"])
def test_suppression_vector(name: str) -> None:
    k, p = int(name[1]), int(name[3])
    _, result = run(CoherenceSuppression(k=k, p=p), FOOD, parse(VECTORS["tree"]))
    assert list(result.trace) == VECTORS["vectors"][name]["MM"]
    assert coherence_suppression(FOOD, HierarchyModel(parse(VECTORS["tree"])).leaves, (), Fraction(1), k, p) == list(
        result.trace
    )


def test_suppression_of_the_papers_examples() -> None:
    _, result = run(CoherenceSuppression(k=2, p=5), OUTLIER_ROWS, OUTLIER)
    assert result.trace == ("x", "y", "z", "b", "c", "i")
    remaining = [row - {"x", "y", "z"} for row in OUTLIER_ROWS]
    pairs = moles(remaining, list("abcdfgei"), (), Fraction(1), 2, 5)
    assert sorted("".join(sorted(mole)) for mole in pairs) == ["ab", "ac", "bd", "bf", "bg", "cdf", "cg", "ei"]
    assert result.figures["threats"] == 8
    diagnoses = "a b c d e f g h|a c e f g|c d e f h|a c e f|e f g h|d e f g|a b d e|a c f|a c|b h"
    rows = [set(row.split()) for row in diagnoses.split("|")]
    result = CoherenceSuppression(h=1, k=5, p=5).recode(Table.from_sets(rows), {})
    assert result.trace == ("b", "d", "g", "h", "a", "c")
    assert isinstance(result.recoding, ItemGroups)
    assert result.recoding.labels == [("e",), ("f",)]


@thorough
@given(seeds, st.sampled_from([1, 0.5, 0.75, 0.6, 1 / 3, 0.4, "1/3", "0.9999999999", "0." + "9" * 20, "1e-12"]))
def test_suppression_equals_its_twin(seed: int, h: float | str) -> None:
    tree, rows, k, p = small_case(seed)
    rng = random.Random(seed)
    rows = rows * rng.choice([1, 2])
    order = HierarchyModel(tree).leaves
    private = tuple(rng.sample(order, rng.choice([0, 1, 1, 2])))
    algorithm = CoherenceSuppression(h=h, k=k, p=p, sensitive_items=private)
    table, result = run(algorithm, rows, tree)
    share = Fraction(str(h))
    assert list(result.trace) == coherence_suppression(rows, order, private, share, k, p)
    published = published_rows(table, result)
    assert published == [row - set(result.trace) for row in rows]
    assert is_coherent(published, private, share, k, p)


@thorough
@given(seeds)
def test_suppression_with_owner_losses_equals_its_twin(seed: int) -> None:
    tree, rows, k, p = small_case(seed)
    rng = random.Random(seed)
    order = HierarchyModel(tree).leaves
    losses = [Fraction(1, 3), Fraction(1, 2), Fraction(2, 3), Fraction(1), Fraction(7, 1000)]
    item_loss = {item: rng.choice(losses) for item in order if rng.random() < 0.7}
    _, result = run(CoherenceSuppression(k=k, p=p, item_loss=item_loss), rows, tree)
    assert list(result.trace) == coherence_suppression(rows, order, (), Fraction(1), k, p, item_loss)


def test_an_item_with_a_high_owner_loss_is_kept() -> None:
    table = Table.from_sets([{"a", "b"}, {"a"}, {"b"}, {"b"}])
    by_occurrences = CoherenceSuppression(k=2, p=2)
    assert by_occurrences.recode(table, {}).trace == ("a",)
    for little in (0.1, "0.1", "1/10", Fraction(1, 10)):
        assert CoherenceSuppression(k=2, p=2, item_loss={"b": little}).recode(table, {}).trace == ("b",)
    # of equal items the last is suppressed
    assert CoherenceSuppression(k=2, p=2, item_loss={}).recode(table, {}).trace == ("b",)
    with refused(InputError, "item_loss z 2"):
        CoherenceSuppression(k=2, p=2, item_loss={"z": 1}).recode(table, {})


def test_private_items_are_never_suppressed() -> None:
    rows = [{"a", "s"}, {"a", "s"}, {"a"}, {"b", "s"}, {"b"}, {"c"}, {"c"}]
    result = CoherenceSuppression(h=0.5, k=2, p=1, sensitive_items=("s",)).recode(Table.from_sets(rows), {})
    assert result.trace == ("a",)
    assert isinstance(result.recoding, ItemGroups)
    assert result.recoding.suppressed == ["a"]


# --- edges and bad input --------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", [HgHs(k=2, m=2), MHgHs(k=2, m=2)], ids=["hghs", "mhghs"])
@pytest.mark.parametrize(
    ("rows", "labels", "suppressed", "cost"),
    [
        ([], ["R"], [], 0),
        ([set()] * 3, ["R"], [], 0),
        ([{"x"}], [], ["x", "w", "y", "z"], 3),
        ([set(), {"x"}, {"y"}], ["R"], [], 6),
    ],
)
def test_hghs_and_mhghs_on_edge_cases(
    algorithm: Any, rows: list[set[str]], labels: list[str], suppressed: list[str], cost: int
) -> None:
    _, result = run(algorithm, rows, SHORT)
    assert decision(result) == (labels, suppressed)
    assert result.figures["cost"] == cost


@pytest.mark.parametrize(
    ("rows", "suppressed"), [([], ()), ([set()] * 3, ()), ([{"x"}], ("x",)), ([set(), {"x"}, {"y"}], ("x", "y"))]
)
def test_coherence_suppression_on_edge_cases(rows: list[set[str]], suppressed: tuple[str, ...]) -> None:
    assert run(CoherenceSuppression(k=2, p=2), rows, SHORT)[1].trace == suppressed


@pytest.mark.parametrize("algorithm", [HgHs(k=1, m=2), MHgHs(k=1, m=2), CoherenceSuppression(k=1, p=2)])
def test_k_of_one_publishes_the_input(algorithm: Any) -> None:
    table, result = run(algorithm, FOOD, parse(VECTORS["tree"]))
    assert published_rows(table, result) == FOOD


@pytest.mark.parametrize("algorithm", [HgHs(k=2, m=3), MHgHs(k=2, m=3), CoherenceSuppression(k=3, p=2)])
def test_is_the_same_for_any_number_of_workers(algorithm: Any) -> None:
    rng = random.Random(3)
    tree = parse(VECTORS["tree"])
    rows = [set(rng.choices(HierarchyModel(tree).leaves, k=rng.randint(0, 6))) for _ in range(60)]
    alone = run(algorithm, rows, tree)[1]
    together = run(algorithm, rows, tree, 3)[1]
    assert alone.trace == together.trace
    assert alone.recoding.image.tolist() == together.recoding.image.tolist()


@pytest.mark.parametrize("algorithm", [HgHs(k=2, m=2, max_threats=5), MHgHs(k=2, m=2, max_threats=5)])
def test_too_many_threats_are_refused(algorithm: Any) -> None:
    with refused(InputError, "m 2 k max_threats 5"):
        run(algorithm, OUTLIER_ROWS, OUTLIER)


def test_too_many_moles_are_refused() -> None:
    with refused(InputError, "p 2 k max_threats 5"):
        run(CoherenceSuppression(k=2, p=2, max_threats=5), OUTLIER_ROWS, OUTLIER)


@pytest.mark.parametrize("h", ["0.9999999999", "0.99999999999999999999", 1 - 2**-53, Fraction(10**12, 10**12 + 1)])
def test_a_share_close_to_one_is_not_one(h: Any) -> None:
    rows = [{"a", "s"}, {"a", "s"}, {"b"}, {"b", "s"}]
    result = CoherenceSuppression(h=h, k=2, p=2, sensitive_items=("s",)).recode(Table.from_sets(rows), {})
    assert result.trace == ("a",)


def test_a_share_below_one_discloses_no_private_item() -> None:
    rows = [{"a", "s"}, *[{"a", "b"}] * 50, *[{"b"}] * 50]
    result = CoherenceSuppression(h="1e-12", k=2, p=2, sensitive_items=("s",)).recode(Table.from_sets(rows), {})
    assert result.trace == ("a",)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: CoherenceSuppression(h="half", k=2, p=2), "h 0 1 half"),
        (lambda: CoherenceSuppression(h="1e-999999999", k=2, p=2), "h 0 1e-999999999"),
        (lambda: CoherenceSuppression(h="1.00000000000000000000001", k=2, p=2), "h 0 1"),
        (lambda: HgHs(k=0, m=2), "k 1 0"),
        (lambda: HgHs(k=2, m=0), "m 1 0"),
        (lambda: MHgHs(k=2, m=2, cost="other"), "cost original reduced other"),
        (lambda: MHgHs(k=2, m=2, max_threats=0), "max_threats 1 0"),
        (lambda: CoherenceSuppression(h=0, k=2, p=2), "h 0 1"),
        (lambda: CoherenceSuppression(h=1.5, k=2, p=2), "h 0 1 1.5"),
        (lambda: CoherenceSuppression(h=float("nan"), k=2, p=2), "h 0 nan"),
        (lambda: CoherenceSuppression(k=2, p=1, item_loss={"a": 0}), "item_loss a 0"),
        (lambda: CoherenceSuppression(k=2, p=1, item_loss={"a": 1.5}), "item_loss a 1.5"),
        (lambda: CoherenceSuppression(k=2, p=1, item_loss={"a": "much"}), "item_loss a much"),
        (lambda: CoherenceSuppression(k=2, p=1, item_loss={"a": float("nan")}), "item_loss a nan"),
        (
            lambda: CoherenceSuppression(k=2, p=1, item_loss={"a": "1/1000000007"}),
            "denominator 1,000,000,000",
        ),
        (lambda: CoherenceSuppression(k=2, p=0), "p 1 0"),
        (lambda: CoherenceSuppression(k=2, p=1, sensitive_items=("s", "s")), "sensitive_items s twice"),
        (lambda: CoherenceSuppression(k=2, p=1, sensitive_items="s"), "sensitive_items tuple s"),  # type: ignore[arg-type]
    ],
)
def test_bad_parameters_are_refused(make: Any, message: str) -> None:
    with refused(InputError, message):
        make()
