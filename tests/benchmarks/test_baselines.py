"""The study of baselines: mined patterns, classifiers, privacy budgets, generators and tables, by small examples."""

import json
from itertools import combinations
from math import inf, log, sqrt
from pathlib import Path
from statistics import mean

import numpy as np
import pytest
from benchmarks.experiments import results_page, runner
from benchmarks.experiments.baselines import (
    DATA,
    EPSILONS,
    LARGE,
    at_limit,
    classifier,
    diff_part,
    generators,
    itemsets,
    larger,
    measurement,
    noise,
    priv_basis,
    quantities,
    render,
)
from benchmarks.experiments.cases import Repeated, Results
from benchmarks.experiments.judging import results_of_figure
from hypothesis import given
from hypothesis import strategies as st

from anonset import SetColumn, Table
from anonset.data.table import CategoricalColumn
from anonset.generalization import ItemGroups, apply
from anonset.measures.item_supports import ColumnSupports, SymbolSupports
from anonset.queries.estimate import ONE_MEMBER

BASKETS = SetColumn.of(["ab", "ab", "abc", "cd"])
PAPER = runner.paper("baselines")


def published(groups: list[int]) -> SymbolSupports:
    publication = apply(Table(BASKETS), ItemGroups(BASKETS.vocabulary, np.array(groups, np.int32)))
    assert publication.transactions is not None
    return SymbolSupports(publication, publication.transactions, ONE_MEMBER)


def letters(found: object) -> list[str]:
    return sorted("".join(sorted(items)) for items in found)  # type: ignore[attr-defined]


def test_frequent_itemsets_of_records_are_counted() -> None:
    found = itemsets.frequent_itemsets(ColumnSupports(BASKETS), 1)
    assert {"".join(sorted(items)): support for items, support in found.items()} == {
        "ab": 3, "ac": 1, "bc": 1, "abc": 1, "cd": 1,
    }  # fmt: skip


def test_a_symbol_is_expanded_to_each_of_its_items() -> None:
    """c and d are published as {c, d}. 'abc' shows a, b and {c, d}: a with c, and a with d, have the support 1/2."""
    supports = published([0, 1, 2, 2])
    assert letters(itemsets.frequent_itemsets(supports, 3)) == ["ab"]
    found = itemsets.frequent_itemsets(supports, 0.5)
    assert letters(found) == ["ab", "abc", "abd", "ac", "ad", "bc", "bd"]
    assert found[frozenset("ad")] == found[frozenset("abc")] == 0.5
    assert itemsets.ItemSupports(supports).count("c") == 1
    assert itemsets.ItemSupports(supports).count("c", "d") == 0
    assert itemsets.ItemSupports(supports).count("a", "unknown") == 0


def test_rules_have_the_confidence_of_their_itemsets() -> None:
    """The confidence of c -> a is 1/2, of ac -> b it is 1, and of a -> c it is 1/3."""
    supports = ColumnSupports(BASKETS)
    found = itemsets.rules(itemsets.frequent_itemsets(supports, 1), itemsets.ItemSupports(supports).count, 0.5)
    assert {("".join(sorted(items)), item) for items, item in found} == {
        ("a", "b"), ("b", "a"), ("c", "a"), ("c", "b"), ("c", "d"), ("d", "c"), ("ac", "b"), ("bc", "a"),
    }  # fmt: skip


def test_agreement_without_mined_patterns_is_zero() -> None:
    assert itemsets.agreement(set(), {1}) == (0, 0, 0)
    assert itemsets.agreement({1, 2}, {1, 2}) == (1, 1, 1)


def test_scores_are_the_smoothed_log_odds() -> None:
    """3 of 4 records contain a. Smoothed: b has (3 + 1)/(3 + 2) with a, and (0 + 1)/(1 + 2) without a."""
    scores = classifier.scores(
        itemsets.ItemSupports(ColumnSupports(BASKETS)), 4, "a", ["b"], np.array([[True], [False]])
    )
    assert scores == pytest.approx([log(4 / 5 / (1 / 3)), log(1 / 5 / (2 / 3))])


def test_a_classifier_that_predicts_every_record_has_area_one() -> None:
    supports = itemsets.ItemSupports(ColumnSupports(BASKETS))
    tested = SetColumn.of(["ab", "cd", "d", "abd"], universe="abcd")
    assert classifier.mean_auc(supports, 4, tested, ["a"], ["a", "b", "c", "d"]) == 1
    worse = itemsets.ItemSupports(published([0, 0, 0, 0]))
    assert classifier.mean_auc(worse, 4, tested, ["a"], ["a", "b", "c", "d"]) < 1


def test_equal_scores_count_one_half() -> None:
    score, positive = np.array([1.0, 2.0, 2.0, 3.0]), np.array([False, False, True, True])
    assert classifier.auc(score, positive) == 3.5 / 4  # of four pairs, three are in order and one is tied
    assert classifier.auc(score, np.zeros(4, bool)) == 0.5


def test_sums_in_another_order_are_ties() -> None:
    score = np.array([0.1 + 0.2 + 0.3, 0.3 + 0.2 + 0.1])
    assert score[0] != score[1]
    assert classifier.auc(score, np.array([True, False])) == 0.5


def test_persons_with_a_single_matching_row_are_counted() -> None:
    """Only 'abc' is unique among the records with three items. No row of the second publication matches 'abc'."""
    column = SetColumn.of(["abc", "def", "def", "def", "ab"])
    assert measurement._alone(Table(column), measurement._rows(column)) == 1 / 4
    assert measurement._alone(Table(column), measurement._rows(column.take(np.array([1, 2])))) == 0


def test_the_noise_has_the_scale_of_the_mechanism() -> None:
    drawn = noise.laplace(np.random.default_rng(1), 3, 0.5, 200_000)
    assert np.abs(drawn).mean() == pytest.approx(6, rel=0.02)  # the mean of |noise| is the scale
    assert not noise.laplace(np.random.default_rng(1), 3, inf, 5).any()


rows = st.lists(st.sets(st.sampled_from("abcdefghijklmno"), max_size=12), min_size=1, max_size=8)


@given(rows)
def test_a_record_changes_counts_by_the_sensitivity_at_most(records: list[set[str]]) -> None:
    """Neighbours differ in the last record, so that the same random numbers cut the other records."""
    column = SetColumn.of(records, universe="abcdefghijklmno")
    length = 4
    matrix = generators.truncated(column, length, np.random.default_rng(1))
    smaller = generators.truncated(column.take(np.arange(column.n - 1)), length, np.random.default_rng(1))
    assert np.array_equal(matrix[:-1], smaller)
    assert matrix.sum(axis=1).tolist() == [min(len(record), length) for record in records]
    assert not (matrix & ~noise.matrix_of(column)).any()
    cuts = [generators.Cut(counted, length, inf) for counted in (matrix, smaller)]
    items = [len(one.matrix) + generators.noisy_items(one, 1, None)[1].sum() for one in cuts]
    pairs = [np.triu(generators.noisy_pairs(one, 1, None)[0], 1).sum() for one in cuts]
    assert items[0] - items[1] <= 1 + length
    assert pairs[0] - pairs[1] <= length * (length - 1) / 2


def test_the_length_is_chosen_by_noisy_counts_and_leaves_most_records_whole() -> None:
    lengths = [2] * 94 + [7] * 2 + [12] * 4
    column = SetColumn.of([{str(item) for item in range(length)} for length in lengths])
    assert generators.longest(column, inf, np.random.default_rng(1)) == 7
    chosen = [generators.longest(column, 0.05, np.random.default_rng(seed)) for seed in range(20)]
    assert len(set(chosen)) > 1, "with a small budget, the noise decides"
    assert max(chosen) <= generators.LENGTHS


@pytest.mark.parametrize("generator", [generators.independent, generators.tree])
def test_generators_spend_epsilon_on_noise(generator, monkeypatch: pytest.MonkeyPatch) -> None:
    spent = []

    def laplace(random, sensitivity, epsilon, size):
        spent.append((sensitivity, epsilon))
        return np.zeros(size)

    monkeypatch.setattr(generators, "laplace", laplace)
    generator(BASKETS, 0.5, np.random.default_rng(1))
    found = list(spent)
    chosen = generators.longest(BASKETS, inf, np.random.default_rng(1))
    assert [sensitivity for sensitivity, _ in found] == [1, 1 + chosen, chosen * (chosen - 1) // 2][: len(found)]
    assert sum(epsilon for _, epsilon in found) == pytest.approx(0.5)
    spent.clear()
    generator(BASKETS, 0.5, np.random.default_rng(1), length=3)
    assert [sensitivity for sensitivity, _ in spent] == [4, 3][: len(spent)]
    assert sum(epsilon for _, epsilon in spent) == 0.5


def test_mst_spends_its_budget_in_thirds(monkeypatch: pytest.MonkeyPatch) -> None:
    """The choice of the length spends a tenth of epsilon, and the rest is converted to zCDP."""
    spent, chosen = [], []

    def gaussian(random, sensitivity, rho, size):
        spent.append((round(sensitivity**2), rho))
        return np.zeros(size)

    def spanning_tree(n, counts, records, pairs, rho, random):
        chosen.append(rho)
        return tree(n, counts, records, pairs, rho, random)

    tree = generators.spanning_tree
    monkeypatch.setattr(generators, "gaussian", gaussian)
    monkeypatch.setattr(generators, "spanning_tree", spanning_tree)
    column = SetColumn.of(["ab", "abc", "c", "b"] * 500)
    drawn = noise.matrix_of(generators.mst(column, 50.0, np.random.default_rng(1), delta=1e-6))
    longest = generators.longest(column, inf, np.random.default_rng(1))
    assert [squared for squared, _ in spent] == [1 + longest, longest - 1]
    assert [*chosen, *(rho for _, rho in spent)] == pytest.approx([noise.zcdp_of(45.0, measurement.MST_DELTA) / 3] * 3)
    assert not (drawn[:, 0] & ~drawn[:, 1]).any(), "a never occurs without b"


def test_a_spanning_tree_prefers_dependent_pairs_and_closes_no_cycle() -> None:
    """With a large budget, the two pairs that differ most from independence are chosen; the third closes a cycle."""
    counts, pairs = np.full(4, 50.0), np.full((4, 4), 25.0)
    for one, other, together in ((0, 1, 50), (1, 2, 46), (0, 2, 44), (2, 3, 5)):
        pairs[one, other] = pairs[other, one] = together
    np.fill_diagonal(pairs, counts)
    known = (100, counts, 100, pairs)
    assert generators.dependence(*known)[0, 1] == 4 * 25, "without noise, the four cells differ equally"
    assert generators.spanning_tree(*known, 1e6, np.random.default_rng(1)) == [(0, 1), (1, 2), (2, 3)]
    drawn = {tuple(generators.spanning_tree(*known, 1e-9, np.random.default_rng(n))) for n in range(20)}
    assert len(drawn) > 5, "without a budget, the choice is random"


@given(rows)
def test_a_record_changes_the_dependence_of_a_pair_by_at_most_1(records: list[set[str]]) -> None:
    matrix = noise.matrix_of(SetColumn.of(records, universe="abcdefghijklmno")).astype(float)
    n, noisy = 7, np.linspace(0.5, 6.5, matrix.shape[1])
    all_of_them, without = (generators.dependence(n, noisy, len(m), m.T @ m) for m in (matrix, matrix[:-1]))
    assert np.abs(all_of_them - without).max() <= 1 + 1e-9


def test_priv_basis_without_noise_counts_the_sets_of_its_bases(monkeypatch: pytest.MonkeyPatch) -> None:
    """More than 12 items need several bases. The pairs i0 i1, i2 i3, ... always occur together."""
    spent = []

    def laplace(random, sensitivity, epsilon, size):
        spent.append((sensitivity, epsilon, size))
        return np.zeros(size)

    monkeypatch.setattr(priv_basis, "laplace", laplace)
    column = SetColumn.of([{f"i{2 * n}", f"i{2 * n + 1}"} for n in range(10) for _ in range(100 - n)])
    for epsilon, top in ((1e6, 30), (1e6, 8)):
        found = priv_basis.priv_basis(column, epsilon, np.random.default_rng(1), top)
        assert found[frozenset({"i0", "i1"})] == 100
        assert found[frozenset({"i0"})] == 100
        assert all(support == 0 for items, support in found.items() if len(items) > 2)
        assert {sensitivity for sensitivity, _, _ in spent} == {len(spent)}, "a record changes a count of each basis"
        assert {epsilon for _, epsilon, _ in spent} == {0.5e6}
        assert (len(spent) > 1) == (top == 30)
        assert (frozenset({"i18", "i19"}) in found) == (top == 30)
        spent.clear()


def test_choices_of_priv_basis_spend_their_parts_of_epsilon(monkeypatch: pytest.MonkeyPatch) -> None:
    spent = []

    def drawn(scores, exponent, random):
        spent.append(exponent)
        return int(np.argmax(scores))

    monkeypatch.setattr(priv_basis, "_drawn", drawn)
    column = SetColumn.of([{f"i{2 * n}", f"i{2 * n + 1}"} for n in range(10) for _ in range(100 - n)])
    chosen = priv_basis.choose(noise.matrix_of(column), 2.0, np.random.default_rng(1), 33)
    assert len(spent) == 1 + len(chosen.items) + len(chosen.pairs)
    assert spent[0] == pytest.approx(0.1 * 2.0 / 2)  # the two-sided score has a factor of 2
    assert sum(spent[1:]) == pytest.approx(0.4 * 2.0)


def test_zcdp_is_at_least_the_simple_bound() -> None:
    """rho-zCDP implies (rho + 2 sqrt(rho log(1/delta)), delta)-differential privacy (Bun and Steinke)."""
    for epsilon in (0.5, 1.0, 10.0):
        simple = (sqrt(log(1e6) + epsilon) - sqrt(log(1e6))) ** 2
        assert simple < noise.zcdp_of(epsilon, 1e-6) < 2 * simple
    drawn = noise.gaussian(np.random.default_rng(1), 3, 0.5, 200_000)
    assert drawn.std() == pytest.approx(3, rel=0.02)


def test_each_path_of_diff_part_spends_epsilon(monkeypatch: pytest.MonkeyPatch) -> None:
    """With fan-out 2, four items have three inner nodes. The first division spends a third of half of epsilon."""
    monkeypatch.setattr(diff_part, "FANOUT", 2)
    used = []

    def laplace(random, sensitivity, epsilon, size):
        used.append((sensitivity, epsilon, size))
        return np.zeros(size)

    monkeypatch.setattr(diff_part, "laplace", laplace)
    column = SetColumn.of(["ac"] * 400 + ["a"] * 400, universe="abcd")
    tree = diff_part.Taxonomy.over(column)
    leaves = list(diff_part.leaf_partitions(tree, 6.0, np.random.default_rng(1)))
    by_items = {"".join("abcd"[tree.leaf[node]] for node in leaf.cut): leaf for leaf in leaves}
    assert {items: len(leaf.records) for items, leaf in by_items.items()} == {"a": 400, "ac": 400}
    assert by_items["a"].spent == pytest.approx((1, 2))  # one division remains, which spends all of the half
    assert by_items["ac"].spent == pytest.approx((1, 1, 1))
    assert all(sensitivity == 1 and size == 3 for sensitivity, _, size in used)
    used.clear()
    released = diff_part.diff_part(column, 6.0, np.random.default_rng(1))
    assert [epsilon for _, epsilon, size in used if size == 1] == pytest.approx([3, 3])  # epsilon minus the path
    assert sorted(np.diff(released.indptr).tolist()) == [1] * 400 + [2] * 400


def test_diff_part_counts_the_empty_sets_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a large noise, a set that no record has is published."""
    monkeypatch.setattr(diff_part, "laplace", lambda random, sensitivity, epsilon, size: np.full(size, 10 / epsilon))
    released = diff_part.diff_part(SetColumn.of(["a"], universe="ab"), 1.0, np.random.default_rng(1))
    assert {frozenset(released.held_by(row).tolist()) for row in range(released.n)} == {
        frozenset({0}), frozenset({1}), frozenset({0, 1}),
    }  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize(("release", "item"), [(diff_part.diff_part, 0), (generators.independent, 0)])
def test_neighbours_have_similar_outputs(release, item: int) -> None:
    """Audit: the probability of an output differs by a factor of at most e^epsilon, within three standard errors."""
    epsilon, runs = 1.0, 1500
    random = np.random.default_rng(7)
    columns = [SetColumn.of(["a"] * number, universe="ab") for number in (12, 13)]
    counts = [np.array([release(column, epsilon, random).occurrences[item] for _ in range(runs)]) for column in columns]
    for least in (6, 10, 13, 16, 20):
        less, more = (float((one >= least).mean()) for one in counts)
        slack = 3 * sqrt(max(less, 1 / runs) / runs)
        assert more <= np.exp(epsilon) * (less + slack) + slack


def test_a_tree_preserves_the_pairs_that_it_contains() -> None:
    """a and b are equal, and c is independent of both, so the only edge is (a, b)."""
    column = SetColumn.of(["ab", "abc", "c", ""] * 500)
    counts, pairs = noise.matrix_of(column).sum(axis=0).astype(float), np.zeros((3, 3))
    pairs[0, 1] = pairs[1, 0] = 1000
    pairs[0, 2] = pairs[1, 2] = 500
    assert generators.forest(2000, counts, pairs, 0.0) == [(0, 1, 1000.0)]
    assert generators.forest(2000, counts, pairs, 600.0) == []  # not significant: 1000 - 500 is below 600
    drawn = noise.matrix_of(generators.tree(column, inf, np.random.default_rng(1)))
    assert np.array_equal(drawn[:, 0], drawn[:, 1])
    assert drawn[:, 0].mean() == pytest.approx(0.5, abs=0.05)
    assert (drawn[:, 0] & drawn[:, 2]).mean() == pytest.approx(0.25, abs=0.05)
    apart = noise.matrix_of(generators.independent(column, inf, np.random.default_rng(1)))
    assert (apart[:, 0] & apart[:, 1]).mean() == pytest.approx(0.25, abs=0.05)


def test_a_forest_has_the_edges_of_largest_information() -> None:
    """b agrees with a, and c agrees mostly with b: the chain is a - b - c, without (a, c)."""
    pairs = np.array([[50, 50, 40], [50, 50, 42], [40, 42, 50]], float)
    assert [(edge.parent, edge.child) for edge in generators.forest(100, np.full(3, 50.0), pairs, 0.0)] == [
        (0, 1), (1, 2),
    ]  # fmt: skip


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(3)
    records = [{f"i{int(8 * random.random() ** 2)}" for _ in range(random.integers(1, 6))} for _ in range(300)]
    ages = CategoricalColumn.of("age", random.choice(list("xyz"), 300).tolist())
    monkeypatch.setattr("anonset_datasets.catalogue.load", lambda _: Table(SetColumn.of(records), (ages,)))
    monkeypatch.setattr(measurement, "TRAINED", 200)
    measurement._split.cache_clear()


ASKED = {"data": "small", "sample": "sample 1"}


@pytest.mark.compiled
@pytest.mark.studies
@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("way", ["apriori", "set-search", "coat", "pcta", "disassociation", "rum-bound"])
def test_a_publication_is_measured(way: str) -> None:
    measured = measurement.measure({**ASKED, "way": way, "k": 3})
    assert 0 < measured["sets_f1"] <= 1
    assert 0.3 < measured["auc"] < 1
    assert ("alone" in measured) == (way != "disassociation")
    assert ("rum" in measured) == (way == "rum-bound")


@pytest.mark.compiled
@pytest.mark.usefixtures("small")
def test_the_original_has_no_errors_and_reveals_persons() -> None:
    measured = measurement.measure({**ASKED, "way": "original"})
    assert measured["are"] == measured["singles"] == 0
    assert measured["sets_f1"] == measured["rules_f1"] == 1
    assert measured["inferred"] > measured["control_inferred"]
    noisy = measurement.measure({**ASKED, "way": "independent", "epsilon": "1"})
    assert noisy["are"] > 0
    assert noisy["sets_f1"] < 1


@pytest.mark.usefixtures("small")
def test_test_records_are_not_published() -> None:
    split = measurement._split("small", 1)
    assert (split.trained.n, split.tested.n) == (200, 100)
    larger = measurement._split("small", 1, 250)
    assert (larger.trained.n, larger.tested.n) == (250, 50)
    again = measurement._split("small", 2)
    assert not np.array_equal(split.items.items, again.items.items)


def test_the_table_shows_the_difference_from_the_control() -> None:
    points = [{"inferred": 0.5, "control_inferred": 0.25}, {"inferred": 0.75, "control_inferred": 0.25}]
    levels = {f"sample {i}": Results({("tree", "1"): point}) for i, point in enumerate(points, 2)}
    assert render.values(Repeated(levels), "tree", "1", "disclosed") == [0.25, 0.5]
    assert render.values(Repeated(levels), "tree", "2", "disclosed") == []
    assert render.interval([0.25, 0.5]) == "0.375 ± 1.588"  # t(1) = 12.706, times 0.125
    assert render.interval([-0.0001, -0.0002]) == "0.000 ± 0.001"


def test_the_table_names_points_of_the_study() -> None:
    points = {(case.figure, case.series, case.x) for case in PAPER.cases}
    shown = {(f"diabetes130_patients_{figure}", series, x) for _, series, figure, x in render._SHOWN}
    assert {series for _, series, _ in shown - points} == {render.SMARTNOISE}, "it is measured by its own command"


def test_the_page_shows_the_stored_results() -> None:
    tables = render.tables(runner.RESULTS)
    assert tables.count("| original | 1.000") == 3
    assert tables.startswith("We measured the results at commit ")
    assert tables in results_page.PAGES["baselines"].read_text(encoding="utf-8")


def of_points(levels: dict[str, dict]) -> quantities.Stored:
    """Return results of three samples with the same points, by the key of the figure."""
    samples = {key: {f"sample {i}": Results(points) for i in (2, 3, 4)} for key, points in levels.items()}
    return lambda data, figure: Repeated(samples.get(f"{data}_{figure}", {}))


def test_the_table_lists_each_k_at_which_a_private_release_keeps_more() -> None:
    kept = {
        "groceries_k": {
            ("pcta", k): {"sets_f1": f1, "rules_f1": 0.9, "auc": auc, "are": are}
            for k, f1, auc, are in ((2, 0.7, 0.5, 0.2), (5, 0.6, 0.7, 0.3), (10, 0.5, 0.7, 0.5))
        },
        "groceries_epsilon": {
            ("tree", "1"): {"sets_f1": 0.55, "rules_f1": 0.1, "auc": 0.6, "are": 0.4},
            ("mst", "1"): {"sets_f1": 0.6, "rules_f1": 0.1, "auc": 0.55, "are": 0.6},
            ("tree", "10"): {"sets_f1": 0.65, "rules_f1": 0.95},
        },
    }
    row = (
        "| groceries | `pcta` | k=10 (`mst`) |  | k=2 (`tree`) | k=10 (`tree`) | k=5, k=10 (`tree`) "
        "| k=2, k=5, k=10 (`tree`) |  |  |"
    )
    assert render._lost(of_points(kept)).splitlines()[2:] == [row]
    kept["groceries_epsilon"][render.SMARTNOISE, "1"] = {"sets_f1": 0.65, "auc": 0.5}
    (with_other,) = render._lost(of_points(kept)).splitlines()[2:]
    assert with_other == row.replace("k=10 (`mst`)", f"k=5, k=10 (`{render.SMARTNOISE}`)")


def test_a_value_is_better_if_the_difference_exceeds_its_interval() -> None:
    """t(2) = 4.303. The differences 0.1, 0.1, 0.11 have a half-width of 0.014, and 0.1, 0.1, -0.1 have one of 0.29."""
    base = {"a": 0.2, "b": 0.9, "c": 0.5}
    more = {"a": 0.3, "b": 1.0, "c": 0.61}
    assert quantities.is_better("auc", more, base)
    assert not quantities.is_better("auc", base, more)
    assert quantities.is_better("are", base, more), "a lower ARE is better"
    assert not quantities.is_better("auc", more | {"c": 0.4}, base)
    assert not quantities.is_better("auc", {"a": 0.3, "d": 0.9}, base), "one common sample has no interval"


def test_results_of_smartnoise_belong_to_their_number_of_records(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path = tmp_path / "smartnoise.jsonl"
    lines = [
        {"data": data, "trained": trained, "epsilon": "1", "sample": f"sample {i}", "measured": {"auc": trained / 1e6}}
        for data, trained in (("diabetes130_patients", 7_000), ("diabetes130_patients", LARGE), ("msweb", 7_000))
        for i in ((2, 3) if data != "msweb" else (2,))
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    monkeypatch.setattr(quantities, "SMARTNOISE_RESULTS", path)
    of = quantities.stored(tmp_path)
    assert quantities.values(of("diabetes130_patients", "epsilon"), render.SMARTNOISE, "1", "auc") == [0.007] * 2
    assert quantities.values(of("diabetes130_patients", "large"), render.SMARTNOISE, "epsilon=1", "auc") == [0.06] * 2
    assert quantities.values(of("msweb", "epsilon"), render.SMARTNOISE, "1", "auc") == [], "a single division"


RECORDS = ("diff-part", "independent", "tree", "mst")


@pytest.mark.long
def test_the_strongest_generator_is_that_of_the_stored_results() -> None:
    """A lower ARE is better. The page states these orders in words."""
    of = quantities.stored()
    private = {data: of(data, "epsilon") for data in DATA}

    def best(quantity: str, data: str, epsilon: str, names: tuple[str, ...] = ("independent", "tree", "mst")) -> str:
        sign = -1 if quantity == "are" else 1
        found_at = {name: render.values(private[data], name, epsilon, quantity) for name in names}
        return max((sign * mean(of), name) for name, of in found_at.items() if of)[1]

    places = [(data, epsilon) for data in DATA for epsilon in EPSILONS]
    for quantity, least, most in (("rules_f1", 0, 10), ("sets_f1", 1, 5), ("are", 2, 10)):
        assert {best(quantity, *place) for place in places if least <= float(place[1]) <= most} == {"mst"}
        assert not least or "independent" in {best(quantity, *place) for place in places if float(place[1]) < least}
        assert "tree" in {best(quantity, *place) for place in places if float(place[1]) > most}
    by_auc = {place for place in places if best("auc", *place, RECORDS) == "diff-part" and place[0] in DATA[:2]}
    assert by_auc == {("groceries", epsilon) for epsilon in EPSILONS} | {("msweb", "20"), ("msweb", "50")}


def test_a_publication_with_an_interval_above_the_limit_is_unresolved() -> None:
    def point(f1: float, disclosed: float) -> dict[str, float]:
        return {"sets_f1": f1, "rules_f1": 0.1, "auc": 0.5, "inferred": disclosed, "control_inferred": 0.0}

    levels = {
        f"sample {i}": Results(
            {("independent", "1"): point(0.5, 0.0), ("mst", "5"): point(0.7, 0.004 + 0.004 * (i > 2))}
        )
        for i in (2, 3)
    }
    found = {"msweb_epsilon": levels}

    def at(limit: str) -> str:
        lines = at_limit.table(lambda data, figure: Repeated(found.get(f"{data}_{figure}", {}))).splitlines()
        (line,) = [line for line in lines if f"msweb | {limit} " in line]
        return line

    assert "| 0.500 (`independent`, epsilon=1); unresolved: 0.700 (`mst`, epsilon=5) |" in at("0.01")
    assert "unresolved" not in at("0.005")
    every = {("mst", "epsilon=5"): {"all_inferred": 0.009, "control_all_inferred": 0.0}}
    found["msweb_attack"] = dict.fromkeys(levels, Results(every))
    assert "| 0.700 (`mst`, epsilon=5) |" in at("0.01"), "the attack on all records decides"


def test_the_better_kind_within_a_limit_is_better_than_each_publication_of_the_other_kind() -> None:
    def point(f1: float, are: float, disclosed: float = 0.0) -> dict[str, float]:
        return {"sets_f1": f1, "are": are, "inferred": disclosed, "control_inferred": 0.0}

    found = {
        "msweb_k": {("apriori", 5): point(0.9, 0.4), ("coat", 5): point(0.99, 0.1, 0.03)},
        "msweb_epsilon": {("mst", "1"): point(0.8, 0.3), ("tree", "1"): point(0.1, 0.9)},
    }
    words = " ".join(at_limit.in_words(of_points(found)).split())
    assert "itemsets 4, 0, 8; rules 0, 0, 12; AUC 0, 0, 12; ARE 1, 3, 8." in words
    assert "is better in 5 comparisons" in words, "itemsets at each limit, and ARE at 0.05"
    assert "these are 5 and 3. The divisions" in words, "the differences have no variance"
    assert "private one in 3 (msweb at 0.005: ARE; msweb at 0.01: ARE; msweb at 0.02: ARE)" in words
    assert "the attack on private releases succeeds at most in 0.000 (`tree`, epsilon=1, msweb)" in words
    found["msweb_k"]["apriori", 5] = point(0.9, 0.4, 0.005)
    found["msweb_epsilon"]["priv-basis", "1"] = {"sets_f1": 0.9, "inferred": 0.0, "control_inferred": 0.0}
    assert "is better in 2 comparisons" in " ".join(at_limit.in_words(of_points(found)).split()), (
        "equal values are open"
    )


def test_the_pilot_sample_is_not_reported() -> None:
    figure = next(figure for figure in runner.paper("baselines").figures if figure.key == "groceries_k")
    found = {case.key: {"measured": {"auc": 0.5}} for case in figure.cases}
    assert list(results_of_figure(figure, found).levels) == [f"sample {number}" for number in range(2, 11)]


@pytest.mark.compiled
@pytest.mark.usefixtures("small")
def test_all_records_are_attacked_with_targets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measurement, "ATTEMPTS", 20)
    asked = {**ASKED, "way": "original"}
    found = measurement.measure({**asked, "targets": "all"})
    assert set(found) == {"all_inferred", "control_all_inferred"}
    assert found["all_inferred"] != measurement.measure(asked)["inferred"]


@pytest.mark.compiled
@pytest.mark.usefixtures("small")
def test_released_supports_are_attacked_as_the_supports_of_records(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without noise, and with all itemsets, the attacker infers what the original itself implies."""
    rows = [sorted(row) for row in measurement._split("small", 1).items.rows()]
    exact = {
        frozenset(items): float(sum(set(items) <= set(row) for row in rows))
        for row in rows
        for size in (1, 2, 3)
        for items in combinations(row, size)
    }
    monkeypatch.setattr(priv_basis, "priv_basis", lambda *_: exact)
    asked = {**ASKED, "epsilon": "1"}
    released, original = ({**asked, "way": way} for way in ("priv-basis", "original"))
    assert measurement.measure(released)["inferred"] == measurement.measure(original)["inferred"] > 0
    attacked = [measurement.measure({**one, "targets": "all"}) for one in (released, original)]
    assert attacked[0] == attacked[1]
    assert "inferred" not in measurement.measure({**released, "top": 5})
    supports = priv_basis.ReleasedSupports({frozenset("a"): 3.0, frozenset("b"): 5.0, frozenset("ab"): -1.0})
    assert supports.groups == [("b",), ("a",)]
    assert [supports.count(chosen) for chosen in ((0,), (1,), (0, 1))] == [5.0, 3.0, 0.0]


def test_a_study_without_claims_is_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results_page, "judged_papers", lambda _: {"baselines": []})
    monkeypatch.setattr(results_page, "disagreeing", lambda *_: [])
    assert len(results_page.overview().splitlines()) == 2


def at_limit_point(value: float, *, within: bool = True, noise: float = 0.01) -> at_limit._Point:
    """Return a point of three samples. The differences of two points have the noise of both."""
    return at_limit._Point("x", within, {"a": value - noise, "b": value + noise, "c": value})


def test_a_comparison_is_open_if_differences_are_uncertain_or_the_limit_decides() -> None:
    point = at_limit_point
    assert at_limit._keeps_more("auc", [point(0.6)], [point(0.5)])[0] == "k^m-anonymous"
    assert at_limit._keeps_more("are", [point(0.6)], [point(0.5)])[0] == "private"
    assert at_limit._keeps_more("auc", [point(0.5)], [point(0.6)])[0] == "private"
    assert not at_limit._keeps_more("auc", [point(0.55, noise=0.05)], [point(0.5)])[0], "the interval includes 0"
    assert at_limit._keeps_more("auc", [point(0.51)], [point(0.5)])[0] == "k^m-anonymous", "the samples are the same"
    assert not at_limit._keeps_more("auc", [point(0.6)], [point(0.5), point(0.7, within=False)])[0]
    assert not at_limit._keeps_more("auc", [point(0.6, within=False)], [point(0.5)])[0]


def test_divisions_that_overlap_prove_less_for_new_records() -> None:
    own, other = {"a": 0.6, "b": 0.62, "c": 0.65}, dict.fromkeys("abc", 0.55)
    p_values = [quantities.p_of_better("sets_f1", own, other, overlap=overlap) for overlap in (0.0, 0.1, 3 / 7)]
    assert p_values == sorted(p_values)
    assert p_values[0] < 0.025 < p_values[-1]


def test_a_difference_that_may_be_chance_among_48_comparisons_does_not_survive_the_correction() -> None:
    def point(f1: float) -> dict[str, float]:
        return {"sets_f1": f1, "inferred": 0.0, "control_inferred": 0.0}

    own, other = {"a": 0.6, "b": 0.62, "c": 0.65}, dict.fromkeys("abc", 0.55)
    p = quantities.p_of_better("sets_f1", own, other)
    assert 0.025 / 48 < p < 0.025
    levels = {
        "msweb_k": {one: Results({("apriori", 5): point(value)}) for one, value in own.items()},
        "msweb_epsilon": {one: Results({("mst", "1"): point(value)}) for one, value in other.items()},
    }
    words = at_limit.in_words(lambda data, figure: Repeated(levels.get(f"{data}_{figure}", {})))
    one = " ".join(words.split())
    assert "Without corrections, the k<sup>m</sup>-anonymous one is better in 4 comparisons" in one
    assert "these are 0 and 0. The divisions overlap" in one
    assert "they are **0 and 0**, and the other **48 of 48 are undecided**" in one


def test_a_publication_that_does_not_come_near_the_private_one_is_named() -> None:
    point = at_limit_point
    far = [point(0.1), point(0.9, within=False)]
    assert not at_limit._keeps_more("auc", far, [point(0.6)])[0], "a better publication might be within the limit"
    assert at_limit._not_near("auc", far, [point(0.6)]) == "0.100 against 0.600"
    assert at_limit._not_near("auc", [], [point(0.6)]) == "none against 0.600"
    assert not at_limit._not_near("auc", [point(0.3)], [point(0.6), point(0.9, within=False)])
    assert not at_limit._not_near("are", far, [point(0.6)])


def test_noise_alone_joins_about_one_pair_to_the_tree_of_two_items() -> None:
    random = np.random.default_rng(1)
    column = SetColumn.of([[f"i{i}" for i in range(40) if random.random() < 0.2] for _ in range(2000)])
    cut = generators.cut(column, 1.0, random, 5)
    exact = cut.matrix.astype(float).T @ cut.matrix.astype(float)
    upper = np.triu_indices(40, 1)
    assert len(upper[0]) == 780
    above = []
    for _ in range(50):
        pairs, scale = generators.noisy_pairs(cut, 0.5, random)
        above.append(np.sum(np.abs(pairs - exact)[upper] > generators.above_noise(scale, 40)))
    assert 0.6 < np.mean(above) < 1.5


def test_own_mst_and_that_of_smartnoise_are_compared_on_common_divisions() -> None:
    def points(own: float, other: float | None) -> Results:
        both = {("mst", "1"): own, (render.SMARTNOISE, "1"): other}
        return Results(
            {
                at: {"sets_f1": f1, "rules_f1": 0.3, "auc": 1 - f1, "are": f1}
                for at, f1 in both.items()
                if f1 is not None
            }
        )

    levels = {"sample 2": points(0.4, 0.6), "sample 3": points(0.9, None)}

    def of(data: str, _: str) -> Repeated:
        return Repeated(levels if data == "groceries" else {})

    assert render._compared(of)["groceries", "1"] == (
        1, {"sets_f1": (0.4, 0.6), "rules_f1": (0.3, 0.3), "auc": (0.6, 0.4), "are": (0.4, 0.6)}
    )  # fmt: skip
    warning = render._warning(of)
    assert "by itemsets in 0 and 0, rules in 0 and 0, AUC in 0 and 0, ARE in 0 and 0 of 1 rows" in warning, (
        "one division"
    )
    levels["sample 3"] = points(0.5, 0.71)
    assert "by itemsets in 1 and 0, rules in 0 and 0, AUC in 0 and 1, ARE in 0 and 1 of 1 rows" in render._warning(of)


def test_a_best_release_that_is_worse_with_a_larger_epsilon_is_named() -> None:
    def falls(*later: float) -> str:
        levels = {
            f"sample {i}": Results({("tree", "1"): {"sets_f1": 0.7}, ("mst", "2"): {"sets_f1": one}})
            for i, one in enumerate(later)
        }
        return render._falls(lambda data, _: Repeated(levels if data == "msweb" else {}))

    assert falls(0.5, 0.51).endswith("in: msweb, itemsets, epsilon=1 to 2.")
    assert falls(0.6, 0.75).endswith("in: none.")


def test_the_divisions_of_smartnoise_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    measured = [
        {"data": data, "trained": 7_000, "epsilon": epsilon, "commit": "c1", "cpu_seconds": 30 + n}
        for data in DATA
        for n, epsilon in enumerate(("1", "1", "10"))
    ]
    monkeypatch.setattr(render, "smartnoise", lambda: measured)
    assert "2 divisions with epsilon=1 and 1 divisions with epsilon=10" in render._of_smartnoise()
    assert "not by several divisions with epsilon=0.5, 2, 5, 20, 50." in render._of_smartnoise()
    assert "with 60,000 records, it was measured on 0 with epsilon=1" in render._of_smartnoise().lower()
    end = "A run took 30 to 32 s of CPU. With epsilon=0.5, 1, 2, 5, 10, 20, 50, a stronger private release is possible."
    assert render._of_smartnoise().endswith(end)


def test_the_page_states_the_losses_in_words() -> None:
    assert render.in_short(runner.RESULTS) in results_page.PAGES[results_page.IN_SHORT].read_text(encoding="utf-8")


def test_larger_data_have_the_training_records_of_their_case(monkeypatch: pytest.MonkeyPatch) -> None:
    (figure,) = (figure for figure in PAPER.figures if figure.key.endswith("_large"))
    drawn = []

    def split(data: str, number: int, trained: int | None = None):
        drawn.append(trained)
        raise LookupError(data)

    monkeypatch.setattr(measurement, "_split", split)
    for case in figure.cases:
        with pytest.raises(LookupError):
            measurement.measure(case.parameters)
    assert set(drawn) == {LARGE}
    assert LARGE > 8 * measurement.TRAINED


def test_a_private_release_of_more_records_that_is_better_is_named() -> None:
    figures = {figure.key: figure for figure in PAPER.figures}
    large = figures["diabetes130_patients_large"]
    kept = {"apriori": 0.5, "set-search": 0.9, "disassociation": 0.8}
    kept |= {
        "independent": 0.4,
        "tree": 0.5,
        "mst": 0.7,
        "priv-basis": 0.6,
        "coat": 0.95,
        "pcta": 0.95,
        "diff-part": 0.1,
        "pair-counts": 0.3,
    }

    def measured(case) -> dict[str, float]:
        more = 0.15 if case.parameters.get("epsilon") == "10" else 0.0
        return {"sets_f1": kept[case.series] + more, "rules_f1": 0.5, "auc": 0.5, "are": 1 - kept[case.series]}

    found = {case.key: {"measured": measured(case)} for case in large.cases}

    def of(_: str, figure: str) -> Repeated:
        return results_of_figure(figures[f"diabetes130_patients_{figure}"], found)

    weak, near = ("; ".join(f"k={k}: {lost}" for k in (5, 10, 25)) for lost in ("itemsets, ARE", "itemsets"))
    assert larger.in_words(of) == (
        "With 60,000 records of diabetes130_patients, we compare `apriori`, `set-search`, `coat`, `pcta`, "
        f"`disassociation` with k=5, 10, 25: with epsilon=1, a private release is better than `apriori` ({weak}); with "
        f"epsilon=10, a private release is better than `apriori` ({weak}); `disassociation` ({near})."
    )
    found |= {case.key: {"measured": {"sets_f1": 0.1}} for case in figures["diabetes130_patients_k"].cases}
    row = "| `apriori`, k=5 | 0.100 ± 0.000 | 0.500 ± 0.000 |"
    assert row in larger.table(of)
    found.clear()
    assert larger.in_words(of).count("better than none of them") == 2
