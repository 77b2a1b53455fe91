"""COAT, PCTA and Pgen on the worked examples of the papers, and in edge cases."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.facts import refused

from algorithms.set_based_cases import (
    FIGURE_1,
    FIGURE_1B,
    FIGURE_1C,
    FIGURE_2C,
    FIGURE_3,
    ITEMS,
    UNIVERSE,
    VECTORS,
    Larger,
    Rows,
    seeds,
)
from anonset.algorithms.base import Result
from anonset.algorithms.transaction.item_sets.coat import Coat
from anonset.algorithms.transaction.item_sets.constraint_search import GroupMerge, Suppression
from anonset.algorithms.transaction.item_sets.pcta import Pcta
from anonset.algorithms.transaction.item_sets.pgen import generate_constraints
from anonset.data import Hierarchy, SetColumn, Table
from anonset.errors import InfeasibleError, InputError
from anonset.generalization import ItemGroups, apply
from anonset.measures.losses.item_weights import ItemWeights
from anonset.measures.losses.utility_loss import group_weights, utility_loss
from anonset.privacy import KmAnonymity
from anonset.privacy.constraints import ConstraintSet
from anonset.privacy.policies import PrivacyPolicy, UtilityPolicy
from anonset.verification.constraints import check_constraints
from anonset.verification.counting import Resources
from anonset.verification.itemsets import check_km
from effort import examples
from reference import set_based
from reference.hierarchy_model import parse
from reference.set_based import State

# --- worked examples -----------------------------------------------------------------------------------


def published(table: Table, result: Result) -> list[str]:
    column = apply(table, result.recoding).transactions
    assert column is not None
    return [" ".join(row) for row in column.rows()]


def figure_1_table(universe: Sequence[str] | None = None) -> Table:
    return Table.from_sets(FIGURE_1, universe=universe)


@pytest.mark.parametrize(
    ("weights", "hierarchies", "loss"),
    [("uniform", {}, 0.0152941176), ("lca", {"items": FIGURE_3}, 0.0075), (None, {"items": FIGURE_3}, 0.0075)],
)
def test_coat_reproduces_example_4_1(weights: str | None, hierarchies: Mapping[str, Hierarchy], loss: float) -> None:
    table = figure_1_table(UNIVERSE)
    coat = Coat(k=5, constraints=FIGURE_1B, utility=FIGURE_1C, max_suppressed=0.15, item_weights=weights)
    result = coat.recode(table, hierarchies)
    assert published(table, result) == FIGURE_2C
    assert result.trace == (
        GroupMerge(group=("b",), partner=("a",), support=7),
        Suppression(group=("d",), support=4),
        GroupMerge(group=("g",), partner=("h",), support=6),
    )
    assert isinstance(result.recoding, ItemGroups)
    assert result.recoding.suppressed == ["d"]
    column = table.transactions
    assert column is not None
    resolved = group_weights(weights, column.vocabulary, hierarchies.get("items"))
    actual = utility_loss(column, result.recoding, resolved)
    assert actual.generalization == pytest.approx(loss, abs=1e-10)
    assert actual.suppression == 4


def test_example_4_1_with_a_tighter_bound_names_a_feasible_bound() -> None:
    with refused(InfeasibleError, "coat 3 (d) 1 8 max_suppressed 0.1 0 0.125") as caught:
        Coat(k=5, constraints=FIGURE_1B, utility=FIGURE_1C, max_suppressed=0.1).recode(figure_1_table(), {})
    assert (caught.value.achieved, caught.value.bound) == (0.125, 0.1)
    Coat(k=5, constraints=FIGURE_1B, utility=FIGURE_1C, max_suppressed=0.125).recode(figure_1_table(), {})


def loss_of(column: SetColumn, recoding: ItemGroups) -> float:
    return utility_loss(column, recoding, group_weights("uniform", column.vocabulary)).value


def test_constraints_are_generated_as_in_example_5_3() -> None:
    assert generate_constraints(SetColumn.of(["acf", "ac", "bh"]), 2).itemsets == (("a", "c", "f"), ("b", "h"))


@pytest.mark.parametrize("k", [2, 5])
def test_the_largest_record_is_the_only_constraint_of_figure_1(k: int) -> None:
    assert generate_constraints(SetColumn.of(FIGURE_1), k) == PrivacyPolicy.of(["abcdefgh"])


def test_coat_on_the_constraints_of_figure_1() -> None:
    table, constraints = figure_1_table(), PrivacyPolicy.of(["abcdefgh"])
    result = Coat(k=5, constraints=constraints).recode(table, {})
    assert isinstance(result.recoding, ItemGroups)
    assert ["".join(group) for group in result.recoding.labels] == ["abcde", "fgh"]
    with refused(InfeasibleError, "2 8 max_suppressed 0.15 1"):
        Coat(k=5, constraints=constraints, utility=FIGURE_1C, max_suppressed=0.15).recode(table, {})


@pytest.mark.parametrize(
    ("utility", "merges"), [(None, "bd ac bdh ace fg acefg"), (UtilityPolicy.of(["abc", "defgh"]), "ab dg ef dgh")]
)
def test_pcta_on_figure_1(utility: UtilityPolicy | None, merges: str) -> None:
    table = figure_1_table()
    result = Pcta(k=5, constraints=FIGURE_1B, utility=utility).recode(table, {})
    assert ["".join(sorted(step.group + step.partner)) for step in result.trace] == merges.split()
    if utility is None:
        assert isinstance(result.recoding, ItemGroups)
        assert table.transactions is not None
        assert loss_of(table.transactions, result.recoding) == pytest.approx(0.1258823529, abs=1e-10)


@pytest.mark.parametrize("setting", ["k2m2", "k3m2", "k3m3"])
@pytest.mark.parametrize(("name", "algorithm"), [("COAT", Coat), ("PCTA", Pcta)])
def test_coat_and_pcta_reproduce_the_reference_results(setting: str, name: str, algorithm: Any) -> None:
    hierarchy = Hierarchy.from_tree(parse(VECTORS["tree"]))
    table = Table.from_sets([row.split() for row in VECTORS["rows"]], universe=hierarchy.leaves.labels)
    groups, loss = VECTORS["vectors"][setting][name]
    result = algorithm(k=int(setting[1]), m=int(setting[3]), item_weights="uniform").recode(table, {"items": hierarchy})
    assert sorted("+".join(group) for group in result.recoding.labels) == sorted(groups)
    assert table.transactions is not None
    assert loss_of(table.transactions, result.recoding) == pytest.approx(loss, rel=1e-12)


def test_vector_of_pgen() -> None:
    actual = generate_constraints(SetColumn.of(row.split() for row in VECTORS["rows"]), 2).itemsets
    expected = [tuple(sorted(itemset)) for itemset in VECTORS["vectors"]["pgen k2"]]  # listed in another order
    assert list(actual) == sorted(expected, key=lambda itemset: (-len(itemset), itemset))


@settings(max_examples=examples(200))
@given(st.lists(st.sets(st.sampled_from("abcdef")), max_size=12), st.integers(1, 3))
def test_pgen_finds_the_constraints_of_its_twin(rows: list[set[str]], k: int) -> None:
    column = SetColumn.of(rows, universe="abcdef")
    assert list(generate_constraints(column, k).itemsets) == set_based.pgen(rows, "abcdef", k)


@settings(max_examples=examples(60))
@given(seeds)
def test_pgen_makes_every_part_of_every_record_safe(seed: int) -> None:
    case = Larger.random(seed)
    k, column = case.shared["k"], case.table.transactions
    assert column is not None
    if column.n_nonempty < k:
        return
    result = Coat(k=k, constraints=generate_constraints(column, k)).recode(case.table, {})
    after = apply(case.table, result.recoding).transactions
    assert after is not None
    assert check_km(after, KmAnonymity(k, 99), Resources(10**9)).holds


# --- edges ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", [Coat, Pcta])
@pytest.mark.parametrize("rows", [[], [set(), set(), set()]])
def test_safe_records_are_unchanged(algorithm: Any, rows: Rows) -> None:
    result = algorithm(k=2, m=2).recode(Table.from_sets(rows, universe="xwyz"), {})
    assert result.recoding.labels == [("x",), ("w",), ("y",), ("z",)]
    assert result.trace == ()


@pytest.mark.parametrize("algorithm", [Coat, Pcta])
def test_one_record_cannot_be_hidden_by_generalization(algorithm: Any) -> None:
    with refused(InfeasibleError, "1 k 2"):
        algorithm(k=2, m=2).recode(Table.from_sets(["x"], universe="xwyz"), {})


@pytest.mark.parametrize("algorithm", [Coat, Pcta])
def test_two_single_items_are_merged(algorithm: Any) -> None:
    result = algorithm(k=2, m=2).recode(Table.from_sets(["", "x", "y"], universe="xwyz"), {})
    assert result.recoding.labels == [("x", "y"), ("w",), ("z",)]


def test_the_endless_loop_of_the_paper_terminates() -> None:
    rows = [{"x"}, {"x"}, {"y"}, {"y"}, {"x", "y"}]
    coat = Coat(k=2, constraints=PrivacyPolicy.of(["xy"]), utility=UtilityPolicy.of(["x", "y"]), max_suppressed=0.5)
    result = coat.recode(Table.from_sets(rows), {})
    assert isinstance(result.recoding, ItemGroups)
    assert result.recoding.suppressed == ["x"]


def test_a_constraint_that_a_merge_breaks_is_satisfied_again() -> None:
    rows = [{"x"}, {"x", "z"}, {"y"}, {"y"}, {"z"}, {"w"}]
    constraints = PrivacyPolicy.of(["xy", "w"])
    result = Coat(k=2, constraints=constraints).recode(Table.from_sets(rows), {})
    assert len(result.trace) == 1
    broken = Coat(k=2, constraints=PrivacyPolicy.of(["xy", "zw"])).recode(Table.from_sets(rows), {})
    after = apply(Table.from_sets(rows), broken.recoding).transactions
    assert after is not None
    assert check_constraints(after, None, ConstraintSet(2, PrivacyPolicy.of(["xy", "zw"])), Resources(10**6)).holds


@pytest.mark.compiled
def test_hundreds_of_items_are_compared_exactly() -> None:
    """For groups of 70 and more items, powers of two exceed the range of floats and 64-bit integers."""
    items = [f"{i:03d}" for i in range(90)]
    table = Table.from_sets([[x] for x in items] * 2, universe=items)
    result = Coat(k=150, m=1).recode(table, {})
    assert isinstance(result.recoding, ItemGroups)
    state = State([{x} for x in items] * 2, items, 150, [items], set_based.uniform, Fraction(0))
    assert result.recoding.labels == set_based.coat(state, [(x,) for x in items]).partition()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 0, "m": 2}, "k 1 0"),
        ({"k": 2, "m": 0}, "m 1 0"),
        ({"k": 2}, "m constraints neither"),
        ({"k": 2, "m": 2, "constraints": FIGURE_1B}, "m constraints both"),
        ({"k": 2, "m": 2, "max_suppressed": 1.5}, "max_suppressed 0 1 1.5"),
        ({"k": 2, "m": 2, "item_weights": "heavy"}, "lca uniform ones heavy"),
        ({"k": 2, "m": 2, "single": "drop"}, "single generalize suppress drop"),
    ],
)
def test_bad_parameters_are_refused(options: dict[str, Any], message: str) -> None:
    with refused(InputError, message):
        Coat(**options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"constraints": PrivacyPolicy.of(["ab", "aZ"])}, "privacy constraint 2 Z 8"),
        ({"m": 2, "utility": UtilityPolicy.of(["abZ"])}, "utility constraint 1 Z 8"),
        (
            {"m": 2, "utility": UtilityPolicy.of(["abc"])},
            "5 8 d",
        ),
        ({"m": 2, "item_weights": "lca"}, "lca hierarchy"),
        ({"m": 2, "item_weights": ItemWeights.of({("a", "Z"): 0.5})}, "Z 8"),
    ],
)
def test_settings_that_do_not_fit_the_data_are_refused(options: dict[str, Any], message: str) -> None:
    with refused(InputError, message):
        Coat(k=2, **options).recode(figure_1_table(), {})


def test_a_table_without_items_is_refused() -> None:
    with refused(InputError, "set-valued"):
        Coat(k=2, m=2).recode(Table(), {})


def test_progress_is_reported() -> None:
    seen: list[tuple[str, float, float]] = []
    table = Table.from_sets([[x] for x in ITEMS] * 2 + [[x, y] for x, y in pairwise(ITEMS)])
    Coat(k=3, m=2).recode(table, {}, progress=lambda *told: seen.append(told))
    assert all(done <= total == len(ITEMS) for _, done, total in seen)
