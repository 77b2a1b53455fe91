"""COAT, PCTA and Pgen: against their naive twins decision by decision, and the examples of their paper."""

import json
import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from anonset.algorithms.base import Algorithm, Result
from anonset.algorithms.transaction.coat import Coat
from anonset.algorithms.transaction.constraint_search import Merge, Suppression
from anonset.algorithms.transaction.pcta import Pcta
from anonset.algorithms.transaction.pgen import generate_constraints
from anonset.data import Hierarchy, SetColumn, Table
from anonset.errors import InfeasibleError, InputError
from anonset.generalization import ItemGroups, apply
from anonset.measures.utility_loss import ItemWeights, group_weights, utility_loss, weighted_utility_loss
from anonset.privacy import KmAnonymity
from anonset.privacy.constraints import ConstraintSet
from anonset.privacy.policies import PrivacyPolicy, UtilityPolicy
from anonset.verification.constraints import check_constraints
from anonset.verification.itemsets import check_km
from reference import set_based
from reference.hierarchy_model import parse
from reference.set_based import Infeasible, State, Weight, all_itemsets

Rows = Sequence[Collection[str]]
UNIVERSE = "abcdefgh"
FIGURE_1 = [set(row) for row in ["abcdefgh", "acefg", "cdefh", "acef", "efgh", "defg", "abde", "acf", "ac", "bh"]]
FIGURE_1B = PrivacyPolicy.of(["abc", "defgh"])
FIGURE_1C = UtilityPolicy.of(["ab", "c", "d", "efgh"])
FIGURE_2C = [
    "(a,b) c e f (g,h)",
    "(a,b) c e f (g,h)",
    "c e f (g,h)",
    "(a,b) c e f",
    "e f (g,h)",
    "e f (g,h)",
    "(a,b) e",
    "(a,b) c f",
    "(a,b) c",
    "(a,b) (g,h)",
]
FIGURE_3 = Hierarchy.from_tree(parse("ALL(abc(a,b,c),defgh(d,e,f,g,h))"))
VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "algorithm_vectors.json").read_text())


@dataclass(frozen=True)
class Case:
    """One run of COAT and PCTA."""

    rows: list[set[str]]
    k: int
    m: int | None
    constraints: list[tuple[str, ...]]
    utility: list[str]
    max_suppressed: float
    weights: str
    tree: Any
    listed: dict[tuple[str, ...], str]
    suppress_single: bool

    @property
    def hierarchies(self) -> Mapping[str, Hierarchy]:
        return {"items": Hierarchy.from_tree(self.tree)} if self.weights == "lca" else {}

    @property
    def table(self) -> Table:
        return Table.from_sets(self.rows, universe=UNIVERSE)

    def parameters(self) -> dict[str, Any]:
        protected = {"m": self.m} if self.m else {"constraints": PrivacyPolicy.of(self.constraints)}
        weights = ItemWeights.of(self.listed) if self.weights == "listed" else self.weights
        return {"k": self.k, **protected, "utility": UtilityPolicy.of(self.utility), "item_weights": weights}

    def weight(self) -> Weight:
        if self.weights == "ones":
            return lambda _: Fraction(1)
        if self.weights == "lca":
            h = self.hierarchies["items"]
            nodes = [set(h.leaves.labels[h.leaf_lo[v] : h.leaf_hi[v]]) for v in range(h.n_nodes)]
            return set_based.cheapest_around([(node, Fraction(len(node), len(UNIVERSE))) for node in nodes])
        if self.weights == "listed":
            return set_based.cheapest_around([(set(group), Fraction(w)) for group, w in self.listed.items()])
        return set_based.uniform

    def twin(self, algorithm: str) -> State | None:
        state = State(self.rows, UNIVERSE, self.k, self.utility, self.weight(), Fraction(str(self.max_suppressed)))
        constraints = all_itemsets(self.rows, UNIVERSE, self.m) if self.m else self.constraints
        try:
            if algorithm == "coat":
                return set_based.coat(state, constraints, suppress_single=self.suppress_single)
            return set_based.pcta(state, constraints)
        except Infeasible:
            return None

    def library(self, algorithm: str) -> Result | None:
        found: Algorithm = Pcta(**self.parameters()) if algorithm == "pcta" else self.coat()
        try:
            return found.recode(self.table, self.hierarchies)
        except InfeasibleError:
            return None

    def coat(self) -> Coat:
        single: Any = "suppress" if self.suppress_single else "generalize"
        return Coat(**self.parameters(), max_suppressed=self.max_suppressed, single=single)


def random_tree(rng: random.Random) -> Any:
    cut = sorted(rng.sample(range(1, 8), rng.randint(1, 3)))
    parts = [UNIVERSE[a:b] for a, b in zip([0, *cut], [*cut, 8], strict=True)]
    return "ALL", [(f"N{i}", list(part)) if len(part) > 1 else part for i, part in enumerate(parts)]


def random_case(seed: int) -> Case:
    """Make a case with few items, some never occurring, and all settings that there are."""
    rng = random.Random(seed)
    occurring = rng.sample(UNIVERSE, rng.randint(2, 8))
    frequency = [rng.choice([1, 1, 2, 5]) for _ in occurring]
    longest = rng.choice([1, 2, 4, 6])
    rows = [set(rng.choices(occurring, frequency, k=rng.randint(0, longest))) for _ in range(rng.randint(1, 12))]
    items = list(UNIVERSE)
    rng.shuffle(items)
    n_groups = rng.choice([1, 1, 2, 3, 5])
    utility = [part for i in range(n_groups) if (part := "".join(items[i::n_groups]))]
    constraints = [tuple(rng.sample(UNIVERSE, rng.randint(1, 5))) for _ in range(rng.randint(0, 6))]
    groups = [tuple(rng.sample(UNIVERSE, rng.randint(2, 6))) for _ in range(3)]
    listed = {group: rng.choice(["0", "0.1", "0.375", "1/3", "1"]) for group in groups}
    return Case(
        rows,
        rng.choice([1, 2, 2, 3, 4]),
        rng.choice([None, 1, 2, 2, 3, 3, 4, 9]),
        constraints,
        utility,
        rng.choice([0.0, 0.13, 0.25, 0.5, 1.0]),
        rng.choice(["uniform", "uniform", "ones", "lca", "listed"]),
        random_tree(rng),
        listed,
        rng.random() < 0.2,
    )


seeds = st.integers(0, 2**32 - 1)
thorough = settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def assert_like_twin(algorithm: str, case: Case) -> None:
    expected, found = case.twin(algorithm), case.library(algorithm)
    assert (found is None) == (expected is None)
    if found is None or expected is None:
        return
    assert isinstance(found.recoding, ItemGroups)
    assert found.recoding.labels == expected.partition()
    assert found.recoding.suppressed == expected.suppressed()
    steps = [(s.group, s.partner if isinstance(s, Merge) else None, s.support) for s in found.trace]
    assert steps == expected.steps


@thorough
@given(seeds)
def test_coat_takes_the_decisions_of_its_twin(seed: int) -> None:
    assert_like_twin("coat", random_case(seed))


@thorough
@given(seeds)
def test_pcta_takes_the_decisions_of_its_twin(seed: int) -> None:
    assert_like_twin("pcta", random_case(seed))


# --- k^m mode ------------------------------------------------------------------------------------------


ITEMS = [f"{i:02d}" for i in range(20)]


def outcome(algorithm: Algorithm, table: Table, hierarchies: Mapping[str, Hierarchy]) -> Any:
    """Return groups and decisions, or the message of the failure."""
    try:
        result = algorithm.recode(table, hierarchies)
    except InfeasibleError as error:
        return str(error)
    assert isinstance(result.recoding, ItemGroups)
    return result.recoding.group.tolist(), result.trace


@dataclass(frozen=True)
class Larger:
    """A table of up to 20 items and 60 records, and settings: too large for the twins."""

    table: Table
    hierarchies: Mapping[str, Hierarchy]
    shared: dict[str, Any]
    m: int
    every_itemset: PrivacyPolicy

    @classmethod
    def random(cls, seed: int) -> "Larger":
        rng = random.Random(seed)
        frequency, longest = [rng.random() ** 3 for _ in ITEMS], rng.choice([3, 7])
        rows = [set(rng.choices(ITEMS, frequency, k=rng.randint(0, longest))) for _ in range(rng.randint(1, 60))]
        occurring = [x for x in ITEMS if any(x in row for row in rows)]
        shuffled = rng.sample(ITEMS, len(ITEMS))
        n_groups = rng.choice([1, 1, 3, 6])
        m = rng.choice([1, 2, 2, 3, 3])
        every = PrivacyPolicy.of(combinations(occurring, min(m, len(occurring))) if occurring else [])
        utility = UtilityPolicy.of(shuffled[i::n_groups] for i in range(n_groups))
        hierarchies = {"items": Hierarchy.balanced(ITEMS, 3)} if rng.random() < 0.5 else {}
        shared = {"k": rng.choice([2, 3, 5, 9]), "utility": utility}
        return cls(Table.from_sets(rows, universe=ITEMS), hierarchies, shared, m, every)


@settings(max_examples=100, deadline=None)
@given(seeds, st.sampled_from([0.0, 0.3, 1.0]), st.sampled_from(["generalize", "suppress"]))
def test_coat_in_km_mode_equals_all_itemsets_as_constraints(seed: int, share: float, single: Any) -> None:
    case = Larger.random(seed)
    options = {**case.shared, "max_suppressed": share, "single": single}
    implicit = outcome(Coat(m=case.m, **options), case.table, case.hierarchies)
    assert implicit == outcome(Coat(constraints=case.every_itemset, **options), case.table, case.hierarchies)


@settings(max_examples=100, deadline=None)
@given(seeds)
def test_pcta_in_km_mode_equals_all_itemsets_as_constraints(seed: int) -> None:
    case = Larger.random(seed)
    implicit = outcome(Pcta(m=case.m, **case.shared), case.table, case.hierarchies)
    assert implicit == outcome(Pcta(constraints=case.every_itemset, **case.shared), case.table, case.hierarchies)


@settings(max_examples=60, deadline=None)
@given(seeds, st.sampled_from([Coat, Pcta]))
def test_a_cluster_is_searched_like_a_table_of_its_records(seed: int, algorithm: Any) -> None:
    case = Larger.random(seed)
    column = case.table.transactions
    assert column is not None
    records = np.arange(0, column.n, 2)
    found = algorithm(m=case.m, **case.shared)
    expected = outcome(found, Table(column.take(records)), case.hierarchies)
    cluster_search = found.on_clusters(column, case.hierarchies.get("items"))
    if isinstance(expected, str):
        with pytest.raises(InfeasibleError, match=r"cannot be generalized to k=\d within the bounds"):
            cluster_search([records])
        return
    groups, occurring = np.array(expected[0]), np.unique(column.take(records).items)
    if (groups < 0).any():
        with pytest.raises(InputError, match="it suppressed items"):
            cluster_search([records])
        return
    (mapping,) = cluster_search([records])
    image = mapping.image(len(groups))
    assert image[occurring].tolist() == [int(np.flatnonzero(groups == groups[code])[0]) for code in occurring]
    others = np.setdiff1d(np.arange(len(groups)), occurring)
    assert image[others].tolist() == others.tolist()


def test_clusters_need_m() -> None:
    column = SetColumn.of(FIGURE_1)
    with pytest.raises(InputError, match="coat on clusters must be given m, not a list of constraints"):
        Coat(k=2, constraints=FIGURE_1B).on_clusters(column)


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
def test_example_4_1(weights: str | None, hierarchies: Mapping[str, Hierarchy], loss: float) -> None:
    table = figure_1_table(UNIVERSE)
    coat = Coat(k=5, constraints=FIGURE_1B, utility=FIGURE_1C, max_suppressed=0.15, item_weights=weights)
    result = coat.recode(table, hierarchies)
    assert published(table, result) == FIGURE_2C
    assert result.trace == (
        Merge(group=("b",), partner=("a",), support=7),
        Suppression(group=("d",), support=4),
        Merge(group=("g",), partner=("h",), support=6),
    )
    assert isinstance(result.recoding, ItemGroups)
    assert result.recoding.suppressed == ["d"]
    column = table.transactions
    assert column is not None
    resolved = group_weights(weights, column.vocabulary, hierarchies.get("items"))
    found = weighted_utility_loss(column, result.recoding, resolved)
    assert found.generalization == pytest.approx(loss, abs=1e-10)
    assert found.suppression == 4


def test_example_4_1_with_a_tighter_bound_says_what_would_do() -> None:
    with pytest.raises(InfeasibleError) as caught:
        Coat(k=5, constraints=FIGURE_1B, utility=FIGURE_1C, max_suppressed=0.1).recode(figure_1_table(), {})
    assert str(caught.value) == (
        "coat: utility constraint 3 leaves (d) nothing to be generalized with: 1 of 8 items would have to be "
        "suppressed, max_suppressed=0.1 allows 0; max_suppressed=0.125 or wider utility constraints would do "
        "(utility constraint 3, (d))"
    )
    assert (caught.value.achieved, caught.value.bound) == (0.125, 0.1)
    Coat(k=5, constraints=FIGURE_1B, utility=FIGURE_1C, max_suppressed=0.125).recode(figure_1_table(), {})


def test_example_5_3() -> None:
    assert generate_constraints(SetColumn.of(["acf", "ac", "bh"]), 2).itemsets == (("a", "c", "f"), ("b", "h"))


@pytest.mark.parametrize("k", [2, 5])
def test_the_largest_record_is_the_only_constraint_of_figure_1(k: int) -> None:
    assert generate_constraints(SetColumn.of(FIGURE_1), k) == PrivacyPolicy.of(["abcdefgh"])


def test_coat_on_the_constraints_of_figure_1() -> None:
    table, constraints = figure_1_table(), PrivacyPolicy.of(["abcdefgh"])
    result = Coat(k=5, constraints=constraints).recode(table, {})
    assert isinstance(result.recoding, ItemGroups)
    assert ["".join(group) for group in result.recoding.labels] == ["abcde", "fgh"]
    with pytest.raises(
        InfeasibleError, match=r"2 of 8 items would have to be suppressed, max_suppressed=0\.15 allows 1"
    ):
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
        assert utility_loss(table.transactions, result.recoding).value == pytest.approx(0.1258823529, abs=1e-10)


@pytest.mark.parametrize("setting", ["k2m2", "k3m2", "k3m3"])
@pytest.mark.parametrize(("name", "algorithm"), [("COAT", Coat), ("PCTA", Pcta)])
def test_vectors(setting: str, name: str, algorithm: Any) -> None:
    hierarchy = Hierarchy.from_tree(parse(VECTORS["tree"]))
    table = Table.from_sets([row.split() for row in VECTORS["rows"]], universe=hierarchy.leaves.labels)
    groups, loss = VECTORS["vectors"][setting][name]
    found = algorithm(k=int(setting[1]), m=int(setting[3]), item_weights="uniform").recode(table, {"items": hierarchy})
    assert sorted("+".join(group) for group in found.recoding.labels) == sorted(groups)
    assert table.transactions is not None
    assert utility_loss(table.transactions, found.recoding, "uniform").value == pytest.approx(loss, rel=1e-12)


def test_vector_of_pgen() -> None:
    found = generate_constraints(SetColumn.of(row.split() for row in VECTORS["rows"]), 2).itemsets
    expected = [tuple(sorted(itemset)) for itemset in VECTORS["vectors"]["pgen k2"]]  # listed in another order
    assert list(found) == sorted(expected, key=lambda itemset: (-len(itemset), itemset))


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sets(st.sampled_from("abcdef")), max_size=12), st.integers(1, 3))
def test_pgen_finds_the_constraints_of_its_twin(rows: list[set[str]], k: int) -> None:
    column = SetColumn.of(rows, universe="abcdef")
    assert list(generate_constraints(column, k).itemsets) == set_based.pgen(rows, "abcdef", k)


@settings(max_examples=60, deadline=None)
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
    assert check_km(after, KmAnonymity(k, 99), 10**9, None).holds


# --- edges ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", [Coat, Pcta])
@pytest.mark.parametrize("rows", [[], [set(), set(), set()]])
def test_nothing_to_hide_is_unchanged(algorithm: Any, rows: Rows) -> None:
    result = algorithm(k=2, m=2).recode(Table.from_sets(rows, universe="xwyz"), {})
    assert result.recoding.labels == [("x",), ("w",), ("y",), ("z",)]
    assert result.trace == ()


@pytest.mark.parametrize("algorithm", [Coat, Pcta])
def test_one_record_cannot_be_hidden_by_generalization(algorithm: Any) -> None:
    with pytest.raises(InfeasibleError, match="1 non-empty records, at least k=2 are required"):
        algorithm(k=2, m=2).recode(Table.from_sets(["x"], universe="xwyz"), {})


@pytest.mark.parametrize("algorithm", [Coat, Pcta])
def test_two_single_items_are_merged(algorithm: Any) -> None:
    result = algorithm(k=2, m=2).recode(Table.from_sets(["", "x", "y"], universe="xwyz"), {})
    assert result.recoding.labels == [("x", "y"), ("w",), ("z",)]


def test_the_endless_loop_of_the_paper_ends() -> None:
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
    assert check_constraints(after, None, ConstraintSet(2, PrivacyPolicy.of(["xy", "zw"])), 10**6).holds


def test_hundreds_of_items_are_compared_exactly() -> None:
    """Groups of 70 and more items: the powers of two exceed any float and 64 bits."""
    items = [f"{i:03d}" for i in range(160)]
    table = Table.from_sets([[x] for x in items] * 2, universe=items)
    result = Coat(k=200, m=1).recode(table, {})
    assert isinstance(result.recoding, ItemGroups)
    state = State([{x} for x in items] * 2, items, 200, [items], set_based.uniform, Fraction(0))
    assert result.recoding.labels == set_based.coat(state, [(x,) for x in items]).partition()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 0, "m": 2}, "k must be an integer of at least 1, got 0"),
        ({"k": 2, "m": 0}, "m must be an integer of at least 1, got 0"),
        ({"k": 2}, r"exactly one of m .* and constraints .* must be given, got neither"),
        ({"k": 2, "m": 2, "constraints": FIGURE_1B}, "must be given, got both"),
        ({"k": 2, "m": 2, "max_suppressed": 1.5}, r"max_suppressed must be a number in \[0, 1\], got 1.5"),
        ({"k": 2, "m": 2, "item_weights": "heavy"}, "item weights must be one of lca, uniform, ones or a file"),
        ({"k": 2, "m": 2, "single": "drop"}, "single must be 'generalize' or 'suppress', got 'drop'"),
    ],
)
def test_bad_parameters_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Coat(**options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"constraints": PrivacyPolicy.of(["ab", "aZ"])}, "privacy constraint 2: item 'Z' must be one of the 8 items"),
        ({"m": 2, "utility": UtilityPolicy.of(["abZ"])}, "utility constraint 1: item 'Z' must be one of the 8 items"),
        (
            {"m": 2, "utility": UtilityPolicy.of(["abc"])},
            "must hold every item, but miss 5 of 8: 'd'",
        ),
        ({"m": 2, "item_weights": "lca"}, "item weights 'lca' need a hierarchy, got none"),
        ({"m": 2, "item_weights": ItemWeights.of({("a", "Z"): 0.5})}, "item weights: item 'Z' must be one of the 8"),
    ],
)
def test_settings_that_do_not_fit_the_data_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Coat(k=2, **options).recode(figure_1_table(), {})


def test_a_table_without_items_is_refused() -> None:
    with pytest.raises(InputError, match="the table must have a set-valued column, got none"):
        Coat(k=2, m=2).recode(Table(), {})


def test_progress_is_told() -> None:
    seen: list[tuple[str, float, float]] = []
    table = Table.from_sets([[x] for x in ITEMS] * 2 + [[x, y] for x, y in pairwise(ITEMS)])
    Coat(k=3, m=2).recode(table, {}, progress=lambda *told: seen.append(told))
    assert all(done <= total == len(ITEMS) for _, done, total in seen)
