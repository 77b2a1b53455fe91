"""Joint splitting compared with the naive implementation, a worked example, and properties of regions and points."""

import random
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.facts import refused

import anonset
import reference.joint_split as twins
from anonset.algorithms.base import Result
from anonset.algorithms.rt.cluster_function import ClusterFunction
from anonset.algorithms.rt.joint.growth import Losses, TreeGrowth
from anonset.algorithms.rt.joint.pruning import Pruning, shown_frontier
from anonset.algorithms.rt.joint.regions import axes_of
from anonset.algorithms.rt.joint.scores import Scores
from anonset.algorithms.rt.joint_split import LARGEST_RELATIONAL_LOSS, LARGEST_WEIGHT, JointSplit
from anonset.algorithms.transaction.cuts.apriori import Apriori
from anonset.algorithms.transaction.item_sets.coat import Coat
from anonset.data import CategoricalColumn, Hierarchy, NumericColumn, SetColumn, Table
from anonset.data.decimals import exact
from anonset.data.domains import with_grid
from anonset.data.grids import grid_of
from anonset.data.hierarchies.hierarchy_rules import hierarchy_by_rule
from anonset.data.quasi_identifiers import QuasiIdentifiers
from anonset.data.storage.workers import Threads
from anonset.errors import InfeasibleError, InputError
from anonset.generalization import PerCluster, apply
from anonset.privacy.kkm import KKmAnonymity
from anonset.release.published_values import published_relational_loss
from anonset.release.symbols import spell_out
from anonset.verification import verify
from anonset.verification.item_truth import check_item_truth
from anonset.verification.relational_truth import check_relational_truth
from effort import examples
from reference.hierarchy_model import HierarchyModel, parse

ITEMS = "abcdefgh"
ORIGINS = "All(Europe(France,Greece,Spain),Africa(Algeria,Nigeria),Oz)"
MODEL, TREE = HierarchyModel(parse(ORIGINS)), Hierarchy.from_tree(parse(ORIGINS))
HIERARCHIES = {"origin": TREE}

thorough = settings(max_examples=examples(150), suppress_health_check=[HealthCheck.too_slow])


def draw(seed: int) -> tuple[Table, int, int]:
    """Draw an RT-dataset with many ties, and k and m."""
    source = random.Random(seed)
    n = source.randint(1, 40)
    relational: list[Any] = []
    if source.random() < 0.8:
        values = [source.choice([18, 19, 20, 30, 31, 45, 80]) for _ in range(n)]
        if source.random() < 0.3:
            relational.append(NumericColumn("age", np.array([value / 4 for value in values])))
        else:
            relational.append(NumericColumn("age", np.array(values, np.int64)))
    if source.random() < 0.7:
        relational.append(CategoricalColumn.of("origin", [source.choice(MODEL.leaves) for _ in range(n)]))
    if source.random() < 0.7 or not relational:
        relational.append(CategoricalColumn.of("race", [source.choice("1123") for _ in range(n)]))
    weights = [source.random() for _ in ITEMS]
    items = [set(source.choices(ITEMS, weights, k=source.choice([0, 1, 2, 2, 3, 4]))) for _ in range(n)]
    k = source.randint(1, 4)
    if source.random() < 0.7:
        relational = [with_grid(column, k) for column in relational]
    return Table(SetColumn.of(items), tuple(relational)), k, source.randint(1, 3)


cases = st.builds(draw, st.integers(0, 10**9))
weights = st.sampled_from(["0", "0.000001", "0.03", "0.1", "0.25", "0.5", "0.75", "0.9", "1"])


def twin_of(table: Table, k: int, m: int) -> twins.Twin:
    columns = []
    for column in table.relational:
        if isinstance(column, NumericColumn):
            values = [exact(value) for value in column.values.tolist()]
            grid = grid_of(column.values, k) if column.grid is None else column.grid
            lows, highs = ([exact(end) for end in ends.tolist()] for ends in (grid.lows, grid.highs))
            columns.append(twins.Column(values, "number", lows=lows, highs=highs, rounds=column.grid is not None))
        elif column.name == "origin":
            columns.append(twins.Column(column.labels(), "nodes", tree=MODEL))
        else:
            columns.append(twins.Column(column.labels(), "values", order=column.vocabulary.labels))
    assert table.transactions is not None
    rows = [set(row) for row in table.transactions.rows()]
    return twins.Twin(columns, rows, len(table.transactions.vocabulary), k, m)


def clusters_of(result: Result) -> list[list[int]]:
    assert isinstance(result.recoding, PerCluster)
    actual: dict[int, list[int]] = {}
    for record, cluster in enumerate(result.recoding.cluster.tolist()):
        actual.setdefault(cluster, []).append(record)
    return [actual[cluster] for cluster in range(len(actual))]


def run(table: Table, k: int, m: int, **options: Any) -> Result | None:
    """Run the algorithm with COAT on the leaves. Return None if it is infeasible."""
    try:
        return JointSplit(k=k, m=m, transaction=Coat, **options).recode(table, HIERARCHIES)
    except InfeasibleError:
        return None


@pytest.mark.long
@given(case=cases, w=weights)
@thorough
def test_grows_the_tree_of_the_twin(case: tuple[Table, int, int], w: str) -> None:
    table, k, m = case
    result, twin = run(table, k, m, w=w), twin_of(table, k, m)
    filled = sum(bool(row) for row in twin.rows)
    if table.n < k or 0 < filled < k:
        assert result is None
        return
    assert result is not None
    leaves = twins.leaves(twin.grow(Fraction(w)))
    assert clusters_of(result) == sorted(leaf.records for leaf in leaves)
    assert result.figures["rum"] == pytest.approx(float(sum(leaf.relational for leaf in leaves)))
    assert result.figures["estimated_item_loss"] == pytest.approx(float(sum(leaf.items for leaf in leaves)))


def growth_of(table: Table, k: int, m: int) -> TreeGrowth:
    """Return a growth that scores the sides of cuts individually, as for large nodes."""
    axes = axes_of(QuasiIdentifiers.of(table.relational, HIERARCHIES), k)
    function, column = ClusterFunction.of(Coat(k=k, m=m), k, table, {}), table.transactions
    assert column is not None
    losses = Losses(axes, table.n, len(column.vocabulary), len(column.items))
    return TreeGrowth(losses, Scores(column, k, m), function.infeasible, k, at_once=0)


@given(case=cases, several=st.lists(weights, min_size=1, max_size=3))
@thorough
def test_cuts_that_the_bound_skips_win_in_no_tree_of_the_twin(case: tuple[Table, int, int], several: list[str]) -> None:
    table, k, m = case
    twin = twin_of(table, k, m)
    if table.n < k or 0 < sum(bool(row) for row in twin.rows) < k:
        return
    growth = growth_of(table, k, m)
    for w in several:
        result = sorted(leaf.members.tolist() for leaf in growth.grow(int(Fraction(w) * 10**6)).leaves)
        assert result == sorted(leaf.records for leaf in twins.leaves(twin.grow(Fraction(w))))


def test_the_bound_skips_cuts() -> None:
    growth = growth_of(WORKED, 2, 2)
    root = growth.grow(300_000).nodes[0]
    assert root.cuts is not None
    # sex saves the most relational loss, but each side loses more items than that; by age no item is lost
    assert [(cut.axis, cut.items.count(None)) for cut in root.cuts] == [(1, 1), (0, 0)]


@pytest.mark.long
@given(case=cases, w=weights)
@thorough
def test_the_publication_is_anonymous_and_true_and_has_the_reported_losses(
    case: tuple[Table, int, int], w: str
) -> None:
    table, k, m = case
    result = run(table, k, m, w=w)
    if result is None:
        return
    publication = apply(table, result.recoding)
    assert verify(publication, KKmAnonymity(k, m)).holds
    assert check_relational_truth(table, publication, HIERARCHIES) is None
    assert check_item_truth(table, publication) is None
    values = spell_out(publication.relational, publication.value_sets)
    loss = published_relational_loss(table, values, HIERARCHIES)
    assert result.figures["rum"] == pytest.approx(loss)


@pytest.mark.long
@given(case=cases, w=weights)
@thorough
def test_the_frontier_lists_the_prunings_of_the_twin(case: tuple[Table, int, int], w: str) -> None:
    table, k, m = case
    result, twin = run(table, k, m, w=w), twin_of(table, k, m)
    if result is None:
        return
    tree = twin.grow(Fraction(w))
    points = result.trace
    assert [point.w for point in points] == sorted({point.w for point in points}, reverse=True)
    assert points[0].w == float(w)
    for i, point in enumerate(points):
        leaves = twins.pruned(tree, exact(point.w))
        assert point.clusters == len(leaves)
        assert point.relational_ncp == pytest.approx(float(sum(leaf.relational for leaf in leaves)))
        assert point.item_loss == pytest.approx(float(sum(leaf.items for leaf in leaves)))
        if i:  # the next weight of 6 decimals gives another pruning
            assert len(twins.pruned(tree, exact(point.w) + Fraction(1, 10**6))) > len(leaves)


def test_similar_points_are_shown_once() -> None:
    losses = (0.1, 0.102, 0.1049, 0.106, 0.111, 0.5)
    trace = [Pruning(0.5 - loss, 9, loss, 0.1) for loss in losses]
    assert [point.relational_ncp for point in shown_frontier(trace)] == [0.1, 0.106, 0.111, 0.5]
    assert shown_frontier([object()]) == ()


@pytest.mark.long
@given(case=cases, point=st.sampled_from(["items", "balanced", "attributes"]))
@settings(thorough, max_examples=examples(60))
def test_a_point_is_reached_by_the_weight_of_the_twin(case: tuple[Table, int, int], point: Any) -> None:
    table, k, m = case
    result, twin = run(table, k, m, point=point), twin_of(table, k, m)
    if result is None:
        return

    @cache
    def grown(w: int) -> tuple[twins.Leaf, ...]:
        return tuple(twins.leaves(twin.grow(Fraction(w, 10**6))))

    w = twins.least_weight(lambda w: list(grown(w)), LARGEST_RELATIONAL_LOSS[point], LARGEST_WEIGHT)
    assert result.figures["w"] == w / 10**6
    repeated = run(table, k, m, w=Fraction(w, 10**6))
    assert repeated is not None
    assert clusters_of(repeated) == clusters_of(result) == sorted(leaf.records for leaf in grown(w))


@given(case=cases, cells=st.sampled_from([0, 1 << 20]))
@thorough
def test_scores_are_the_losses_of_apriori_on_halves(case: tuple[Table, int, int], cells: int) -> None:
    table, k, m = case
    twin, everyone = twin_of(table, k, m), list(range(table.n))
    if 0 < sum(bool(row) for row in twin.rows) < k:
        return
    assert table.transactions is not None
    scores = Scores(table.transactions, k, m, cells).losses([np.arange(table.n)])
    assert scores == [twin.score(everyone)]


def test_threads_do_not_change_the_result() -> None:
    table, k, m = draw(11)
    alone = JointSplit(k=k, m=m, w="0.4").recode(table.with_workers(Threads(1)), HIERARCHIES)
    threaded = JointSplit(k=k, m=m, w="0.4").recode(table.with_workers(Threads(2)), HIERARCHIES)
    assert alone.trace == threaded.trace
    assert clusters_of(alone) == clusters_of(threaded)
    assert list(alone.recoding.items) == list(threaded.recoding.items) or alone.figures == threaded.figures


WORKED = Table(
    SetColumn.of(["ab", "ab", "ac", "ac", "d", "d", "de", "de"]),
    (NumericColumn("age", np.array([20, 20, 30, 30, 40, 40, 50, 50])), CategoricalColumn.of("sex", "fmfmfmfm")),
)
"""k=2, m=2, 5 items, 14 occurrences. Ages 20 and 30 have the items a, b, c, ages 40 and 50 d, e.

All records, and any set of complete age groups, are 2^2-anonymous unchanged, so they score 0. By sex, each item with
two occurrences occurs once on each side: b, c and e are rare, and form one group on both sides: 2 more items for each
of 3 occurrences, so 6 per side, 12 of 14·4 = 56. One sex costs 0, both cost 1. Age is cut at 40, then at 30 and 50:
each leaf has a single age, published without loss.
"""


@pytest.mark.parametrize(
    ("w", "ranges", "relational", "items"),
    [
        # age halves at no item loss for any w > 0, down to single ages; then sex at an item loss of 12/56
        ("0", {("[20:50]", "(f,m)")}, Fraction(1), 0),
        ("0.3", {("20", "(f,m)"), ("30", "(f,m)"), ("40", "(f,m)"), ("50", "(f,m)")}, Fraction(1, 2), 0),
    ],
)
def test_joint_split_reproduces_the_worked_example(
    w: str, ranges: set[tuple[str, str]], relational: Fraction, items: float
) -> None:
    result = JointSplit(k=2, m=2, w=w).recode(WORKED, {})
    assert isinstance(result.recoding, PerCluster)
    age, sex = result.recoding.relational
    assert set(zip(age.labels, sex.labels, strict=True)) == ranges
    assert result.figures["estimated_item_loss"] == items
    assert result.figures["rum"] == pytest.approx(float(relational))


@pytest.mark.parametrize(
    ("numbers", "labels", "rum"),
    [
        # cells [20:29], [30:34], [35:40]; of 18, they cover 8 (from 21), 4 and 4 (up to 39)
        ([21, 22, 24, 28, 31, 33, 37, 39], ["[20:29]", "[30:34]", "[35:40]"], Fraction(4 * 8 + 2 * 4 + 2 * 4, 8 * 18)),
        ([21, 21, 30, 30, 40, 43, 50, 50], ["21", "30", "[40:49]", "50"], Fraction(2 * 9, 8 * 29)),
        ([0.21, 0.22, 0.3, 0.3, 0.4, 0.4, 0.5, 0.55], ["[0.2:0.3]", "0.3", "0.4", "[0.5:0.6]"], Fraction(14, 8 * 17)),
        ([7] * 8, ["7"], Fraction(0)),
    ],
)
def test_ranges_end_on_the_grid_and_numbers_that_all_records_share_are_published(
    numbers: list[float], labels: list[str], rum: Fraction
) -> None:
    column = with_grid(NumericColumn("age", np.array(numbers)), 2)
    result = JointSplit(k=2, m=2, w="0.3").recode(Table(WORKED.transactions, (column,)), {})
    assert isinstance(result.recoding, PerCluster)
    assert list(result.recoding.relational[0].labels) == labels
    assert result.figures["rum"] == pytest.approx(float(rum))


def test_ranges_of_a_part_end_on_the_grid_of_the_full_column() -> None:
    column = with_grid(NumericColumn("age", np.array([21, 22, 24, 28, 31, 33, 37, 39])), 2).take(np.arange(2))
    result = JointSplit(k=2, m=2, w="0.3").recode(Table(SetColumn.of(["ab", "ab"]), (column,)), {})
    assert result.recoding.relational[0].labels == ("[20:29]",)  # type: ignore[union-attr]
    assert result.figures["rum"] == pytest.approx(8 / 18)


def test_without_a_grid_ranges_end_at_the_numbers_of_a_leaf() -> None:
    column = NumericColumn("age", np.array([21, 22, 24, 28, 31, 33, 37, 39]))
    result = JointSplit(k=2, m=2, w="0.3").recode(Table(WORKED.transactions, (column,)), {})
    assert result.recoding.relational[0].labels == ("[21:28]", "[31:33]", "[37:39]")  # type: ignore[union-attr]


def test_a_leaf_publishes_the_values_that_occur_in_it() -> None:
    sex, race = CategoricalColumn.of("sex", "ffffmmmm"), CategoricalColumn.of("race", "11223344")
    result = JointSplit(k=4, m=1, w=1).recode(Table(SetColumn.of(["a"] * 8), (sex, race)), {})
    assert isinstance(result.recoding, PerCluster)
    assert [values.labels for values in result.recoding.relational] == [("f", "m"), ("(1,2)", "(3,4)")]


def test_a_region_of_several_nodes_is_published_as_the_set_of_their_leaves() -> None:
    labels = ["France", "Greece"] * 2 + ["Algeria"] * 2 + ["Oz"] * 2
    table = Table(SetColumn.of(["a"] * 8), (CategoricalColumn.of("origin", labels),))
    result = JointSplit(k=3, m=1, w=1).recode(table, HIERARCHIES)
    assert isinstance(result.recoding, PerCluster)
    assert result.recoding.relational[0].labels == ("Europe", "(Algeria,Oz)")


def test_a_node_with_one_occurring_child_is_split_below_it() -> None:
    labels = ["France"] * 4 + ["Greece"] * 4
    table = Table(SetColumn.of(["a"] * 8), (CategoricalColumn.of("origin", labels),))
    axes = axes_of(QuasiIdentifiers.of(table.relational, HIERARCHIES), 1)
    root = (0,)
    counts = np.bincount(axes[0].codes, minlength=axes[0].n_codes)
    halves = axes[0].halves(root, counts, 1)
    assert halves is not None
    assert [axes[0].label(half) for half in halves] == ["France", "(Greece,Spain,Algeria,Nigeria,Oz)"]


@pytest.mark.parametrize("w", ["-0.1", "1.1", "0.0000001", "much", 1e-7])
def test_weights_have_at_most_six_decimals(w: Any) -> None:
    with refused(InputError, "w 6"):
        JointSplit(k=2, m=2, w=w)


def test_a_weight_and_a_point_exclude_each_other() -> None:
    with refused(InputError, "w point both"):
        JointSplit(k=2, m=2, w="0.1", point="items")
    with pytest.raises(InputError, match="balanced"):
        JointSplit(k=2, m=2, point="all")  # type: ignore[arg-type]


def test_fewer_than_k_records_with_items_are_infeasible() -> None:
    table = Table(SetColumn.of(["a", "", "", ""]), (CategoricalColumn.of("sex", "ffmm"),))
    with pytest.raises(InfeasibleError, match="1 non-empty"):
        JointSplit(k=2, m=1).recode(table, {})


def test_records_without_items_are_split_by_their_values() -> None:
    table = Table(SetColumn.of([""] * 4, universe="ab"), (CategoricalColumn.of("sex", "ffmm"),))
    result = JointSplit(k=2, m=2, w="0.5", transaction=Apriori).recode(
        table, {"items": Hierarchy.from_tree(parse("T(a,b)"))}
    )
    assert result.recoding.relational[0].labels == ("f", "m")


def test_rare_leaves_of_a_hierarchy_are_published_as_nodes_and_not_listed() -> None:
    """Each postal code belongs to one person: sets of codes would list the persons."""
    source = random.Random(1)
    codes = [f"{10 + n % 7}{n:03}" for n in range(120)]
    table = Table(SetColumn.of([set(source.choices(ITEMS, k=2)) for _ in codes]), (CategoricalColumn.of("zip", codes),))
    tree = hierarchy_by_rule("mask:3,2", table.relational[0].vocabulary, "zip")
    result = JointSplit(k=5, m=1, w="0.5").recode(table, {"zip": tree})
    assert isinstance(result.recoding, PerCluster)
    [values] = result.recoding.relational
    assert len(set(values.labels)) > 1
    assert {tree.is_leaf[tree.node_of[label]] for label in values.labels} == {False}
    publication = apply(table, result.recoding)
    assert verify(publication, KKmAnonymity(5, 1)).holds
    assert check_relational_truth(table, publication, {"zip": tree}) is None


def tables(folder, diagnoses):
    """Write persons, diagnoses and drugs of 80 persons."""
    rng = random.Random(7)
    (folder / "person.csv").write_text(
        "id,sex,born\n" + "".join(f"{p},{p % 2},{1940 + rng.randrange(60)}\n" for p in range(80))
    )
    (folder / "diagnosis.csv").write_text("id,code\n" + "".join(f"{p},{code}\n" for p, code in diagnoses(rng)))
    (folder / "drug.csv").write_text(
        "id,drug\n" + "".join(f"{p},{rng.choice('ab')}\n" for p in rng.sample(range(80), 40))
    )
    return {
        "person": {"input": folder / "person.csv", "relational": "sex,born", "numeric": "born"},
        "diagnosis": {"input": folder / "diagnosis.csv", "items": "code"},
        "drug": {"input": folder / "drug.csv", "items": "drug"},
    }


TREES = {
    "person.sex": "values",
    "person.born": "range",
    **dict.fromkeys(("diagnosis.code", "drug.drug"), "halves:frequency"),
}


def with_a_rare_item(rng):
    return [(p, rng.choice(["E11", "I10"])) for p in range(80)] + [(p, "Q99") for p in rng.sample(range(80), 3)]


def test_items_of_a_table_that_are_rare_in_a_cluster_do_not_split_it(tmp_path):
    table = anonset.read(tables=tables(tmp_path, with_a_rare_item), unit="id")
    release = anonset.anonymize(table, JointSplit(k=5, m=2, transaction=Apriori), hierarchies=TREES)
    assert release.verdict.holds


def test_a_table_whose_items_are_rare_is_named(tmp_path):
    table = anonset.read(tables=tables(tmp_path, lambda _: [(p, "Q99") for p in (1, 2, 3)]), unit="id")
    with refused(InfeasibleError, "joint-split 'items of a table' 'too rare'"):
        anonset.anonymize(table, JointSplit(k=5, m=2, transaction=Apriori), hierarchies=TREES)
