"""Rum-bound and Tum-bound make the same merges as the naive implementations."""

import random
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.facts import refused

import reference.relational as relational_twins
import reference.rt as twins
import reference.transaction_algorithms as item_twins
from algorithms.relational_cases import RelationalCase, random_case
from anonset.algorithms.base import Result
from anonset.algorithms.clusters import list_members
from anonset.algorithms.rt.cluster_function import ClusterFunction
from anonset.algorithms.rt.distances import Distances
from anonset.algorithms.rt.rfirst import MergingFramework, RFirst
from anonset.algorithms.rt.rum_bound import RumBound
from anonset.algorithms.rt.tfirst import TFirst
from anonset.algorithms.rt.tum_bound import TumBound
from anonset.algorithms.transaction.cuts.apriori import Apriori
from anonset.algorithms.transaction.cuts.direct import Direct
from anonset.algorithms.transaction.item_sets.coat import Coat
from anonset.data import Hierarchy, SetColumn, Table
from anonset.data.storage.workers import Threads
from anonset.errors import InfeasibleError, InputError
from anonset.generalization import Cut, PerCluster, apply
from anonset.generalization.local import MergedItems
from anonset.privacy.kkm import KKmAnonymity
from anonset.verification.counting import Resources
from anonset.verification.item_truth import check_item_truth
from anonset.verification.kkm import check_kkm
from anonset.verification.relational_truth import check_relational_truth
from effort import examples
from reference.hierarchy_model import HierarchyModel, parse

TREE = "T(P(H(a,b),K(c,d)),Q(L(f,g),M(x,y,z)),e,i)"
MODEL, HIERARCHY = HierarchyModel(parse(TREE)), Hierarchy.from_tree(parse(TREE))

thorough = settings(max_examples=examples(300), suppress_health_check=[HealthCheck.too_slow])


def apriori_twin(k: int, m: int) -> twins.Transform:
    """Publish records by the naive AA."""

    def publish(rows: twins.Items) -> twins.Published:
        image = item_twins.apriori(rows, MODEL, k, m).image
        nodes = [sorted({image[x] for x in row}, key=MODEL.pre.__getitem__) for row in rows]
        return [[tuple(MODEL.below[v]) for v in row] for row in nodes]

    return publish


@dataclass
class Case:
    """An RT-dataset and the parameters of a run."""

    relational: RelationalCase
    items: list[set[str]]
    k: int
    m: int
    settings: dict[str, Any]

    @property
    def table(self) -> Table:
        column = SetColumn.of(self.items, universe=HIERARCHY.leaves.labels)
        return Table(column, self.relational.columns)

    @property
    def hierarchies(self) -> dict[str, Hierarchy]:
        return {**self.relational.hierarchies, "items": HIERARCHY}

    @property
    def weights(self) -> dict[str, float]:
        columns = self.relational.columns
        return {c.name: w for c, w in zip(columns, self.relational.relation.weights, strict=True)}


def draw(seed: int) -> Case:
    """Draw a case with many ties."""
    source = random.Random(seed)
    n = source.randint(1, 30)
    lengths = [source.choice([0, 1, 1, 2, 2, 3, 4, 5]) for _ in range(n)]
    chosen = {
        "merge": source.choice(["r", "t", "rt"]),
        "order": source.choice(["btd", "btd", "ul"]),
        "btd": source.choice(["xor", "or"]),
        "delta": source.choice([0, 0.2, 0.3, 0.5, 0.65, 0.8, 1.0]),
        "on_infeasible": source.choice(["error", "merge", "merge"]),
    }
    items = [set(source.sample(MODEL.leaves, length)) for length in lengths]
    relational = random_case(source.randrange(10**9), n, source.randint(1, 3))
    return Case(relational, items, source.randint(1, 4), source.randint(1, 3), chosen)


cases = st.builds(draw, st.integers(0, 10**9))


def expected(case: Case, bound: str, scan: bool) -> tuple[Any, ...] | float | None:
    """Run the naive implementation. Return clusters, merges and losses, or the loss reached if it is infeasible."""
    chosen, relation = case.settings, case.relational.relation
    frame = twins.Frame(relation, case.items, apriori_twin(case.k, case.m), case.k, chosen["order"], chosen["btd"])
    try:
        if len(case.items) < case.k:
            return float(len(case.items))
        clusters = relational_twins.cluster(relation, case.k)
        if chosen["on_infeasible"] == "merge":
            clusters = frame.repair(clusters)
        if bound == "rum":
            clusters = twins.rum_bound(frame, clusters, chosen["delta"], chosen["merge"])
        else:
            clusters = twins.tum_bound(frame, clusters, chosen["delta"], chosen["merge"], scan)
        merges = [(seed[0], other[0]) for seed, other in frame.merges]
        return clusters, merges, pytest.approx(frame.rum(clusters)), pytest.approx(frame.tum(clusters))
    except twins.Unreachable as error:
        return error.achieved


def clusters_of(result: Result) -> list[list[int]]:
    assert isinstance(result.recoding, PerCluster)
    return [members.tolist() for members in list_members(result.recoding.cluster)]


def check_published(case: Case, result: Result) -> None:
    """Compare the published records with the naive implementation, the model and the original."""
    publication = apply(case.table, result.recoding)
    column = publication.transactions
    assert column is not None
    rows = [[publication.symbols[column.vocabulary.index[s]].members for s in row] for row in column.rows()]
    for members in clusters_of(result):
        assert [rows[r] for r in members] == apriori_twin(case.k, case.m)([case.items[r] for r in members])
        text = case.relational.relation.publish(members)
        assert all(tuple(c.labels()[r] for c in publication.relational) == text for r in members)
    assert check_kkm(publication.relational, column, KKmAnonymity(case.k, case.m), Resources(10**9)).holds
    assert check_item_truth(case.table, publication) is None
    assert check_relational_truth(case.table, publication, case.hierarchies) is None


@pytest.mark.long
@pytest.mark.compiled
@thorough
@given(case=cases, bound=st.sampled_from(["rum", "rum", "tum"]), scan=st.booleans())
def test_framework_equals_its_twin(case: Case, bound: str, scan: bool) -> None:
    if sum(case.weights.values()) > 1:
        return
    kind: Any = RumBound if bound == "rum" else TumBound
    more = {"scan": scan} if bound == "tum" else {}
    fixed = {"transaction": Apriori, "relational_weights": case.weights, **case.settings}
    algorithm = kind(k=case.k, m=case.m, **fixed, **more)
    wanted = expected(case, bound, scan)
    if isinstance(wanted, tuple):
        result = algorithm.recode(case.table.with_workers(Threads(1)), case.hierarchies)
        merges = [(merge.seed, merge.other) for merge in result.trace]
        assert (clusters_of(result), merges, result.figures["rum"], result.figures["tum"]) == wanted
        check_published(case, result)
        repeated = algorithm.recode(case.table.with_workers(Threads(2)), case.hierarchies)
        assert repeated.recoding.cluster.tolist() == result.recoding.cluster.tolist()
        return
    with pytest.raises(InfeasibleError) as caught:
        algorithm.recode(case.table, case.hierarchies)
    if wanted is not None:
        assert caught.value.achieved == pytest.approx(wanted)


@pytest.mark.long
@thorough
@given(case=cases)
def test_distances_equal_their_twin_through_merges(case: Case) -> None:
    column = SetColumn.of(case.items, universe=HIERARCHY.leaves.labels)
    members = [[r] for r in range(len(case.items))]
    distances = Distances(column, [np.array(c) for c in members], case.settings["btd"])
    source = random.Random(len(case.items))
    while len(members) > 1:
        c, x = sorted(source.sample(range(len(members)), 2))
        unions = [[case.items[r] for r in dict.fromkeys(members[c] + other)] for other in members]
        wanted = [float(twins.cluster_distance(rows, case.settings["btd"])) for rows in unions]
        nearest = sorted((w, i) for i, w in enumerate(wanted) if i != c)
        allowed = np.arange(len(members)) != c
        allowed[source.randrange(len(members))] = False
        nearest = [pair for pair in nearest if allowed[pair[1]]]
        search = distances.search(c, allowed)
        for count in sorted(source.randint(0, len(members)) for _ in range(3)):
            places, nearest_distances = search.nearest(count)
            assert list(zip(nearest_distances.tolist(), places.tolist(), strict=True)) == nearest[:count]
        distances.merge(c, x, wanted[x])
        members[c] += members.pop(x)
        distances.keep(np.arange(len(members) + 1) != x)


@thorough
@given(seed=st.integers(0, 10**9), k=st.integers(1, 6), m=st.integers(1, 5))
def test_cuts_of_clusters_equal_the_full_search(seed: int, k: int, m: int) -> None:
    source = random.Random(seed)
    items = [set(source.sample(MODEL.leaves, source.randint(0, 6))) for _ in range(source.randint(1, 60))]
    column = HIERARCHY.bind(SetColumn.of(items, universe=HIERARCHY.leaves.labels))
    clusters = [np.flatnonzero(np.arange(len(items)) % 3 == c) for c in range(min(3, len(items)))]
    function = ClusterFunction.of(Apriori(k=k, m=m), k, Table(column), {"items": HIERARCHY})
    clusters = [c for c, bad in zip(clusters, function.infeasible(clusters), strict=True) if not bad]
    for members, nodes in zip(clusters, function.mappings(clusters), strict=True):
        cut = Apriori(k=k, m=m).recode(Table(column.take(members)), {"items": HIERARCHY}).recoding
        assert isinstance(cut, Cut)
        assert not isinstance(nodes, MergedItems)
        assert nodes.tolist() == [v for v in cut.nodes.tolist() if not HIERARCHY.is_leaf[v]]


@pytest.mark.parametrize("transaction", [Apriori, Coat, Direct])
@pytest.mark.parametrize("seed", range(5))
def test_the_transaction_function_determines_the_model(transaction: Any, seed: int) -> None:
    case = next(
        c for c in map(draw, range(100 * seed, 100 * seed + 100)) if len(c.items) > 9 and sum(map(bool, c.items)) > 9
    )
    algorithm = RFirst(k=2, m=2, transaction=transaction, on_infeasible="merge")
    publication = apply(case.table, algorithm.recode(case.table, case.hierarchies).recoding)
    assert publication.transactions is not None
    assert check_kkm(publication.relational, publication.transactions, algorithm.model, Resources(10**9)).holds
    assert check_item_truth(case.table, publication) is None


@pytest.mark.parametrize("seed", range(20))
def test_tfirst_equals_its_twin(seed: int) -> None:
    case = draw(seed)
    algorithm = TFirst(k=2, m=2, partitions=3)
    filled = sum(map(bool, case.items))
    if len(case.items) < 2 or filled == 1:
        with pytest.raises(InfeasibleError):
            algorithm.recode(case.table, case.hierarchies)
        return
    result = algorithm.recode(case.table, case.hierarchies)
    assert min(map(len, clusters_of(result))) >= 2
    assert len(clusters_of(result)) == max(1, min(3, filled // 2))
    publication = apply(case.table, result.recoding)
    assert publication.transactions is not None
    assert check_kkm(publication.relational, publication.transactions, algorithm.model, Resources(10**9)).holds
    assert check_item_truth(case.table, publication) is None
    assert check_relational_truth(case.table, publication, case.hierarchies) is None


@pytest.mark.parametrize("kind", [RumBound, TumBound, RFirst, TFirst])
def test_an_empty_table_has_no_cluster(kind: Any) -> None:
    relational = tuple(column.take(np.arange(0)) for column in random_case(1, 1, 1).columns)
    table = Table(SetColumn.of([], universe=HIERARCHY.leaves.labels), relational)
    bound = {"delta": 0.5} if issubclass(kind, MergingFramework) else {}
    assert apply(table, kind(k=2, m=2, **bound).recode(table, {"items": HIERARCHY}).recoding).n == 0


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"delta": 1.5}, "delta 0 1 1.5"),
        ({"delta": float("nan")}, "delta 0 1 nan"),
        ({"delta": "0.5"}, "delta 0 1 0.5"),
        ({"merge": "tr"}, "merge r t rt tr"),
        ({"order": "x"}, "order btd ul x"),
        ({"btd": "and"}, "btd xor or and"),
        ({"on_infeasible": "drop"}, "on_infeasible error merge drop"),
        ({"formation": "near"}, "formation cluster mondrian near"),
        ({"k": 0}, "k 1 0"),
        ({"m": 0}, "m 1 0"),
        ({"seed": -1}, "seed 0 -1"),
    ],
)
@pytest.mark.parametrize("kind", [RumBound, TumBound])
def test_bad_parameters_are_refused(kind: Any, settings: dict[str, Any], message: str) -> None:
    with refused(InputError, message):
        kind(**{"k": 2, "m": 2, "delta": 0.5, **settings})


def test_unfit_tables_are_refused() -> None:
    relational = Table.from_columns(sex=["f", "m"])
    with refused(InputError, "set-valued"):
        RumBound(k=2, m=2, delta=0.65).recode(relational, {})
    with refused(InputError, "relational"):
        RumBound(k=2, m=2, delta=0.65).recode(Table.from_sets([{"a"}, {"a"}]), {})
    table = Table.from_columns({"items": [{"a"}, {"a"}]}, sex=["f", "m"], race=["1", "2"])
    with refused(InputError, "relational weights 1 1.2"):
        RumBound(k=2, m=2, delta=0.65, relational_weights={"sex": 0.6, "race": 0.6}).recode(table, {})


def test_a_cluster_with_too_few_non_empty_records_is_infeasible_or_merged() -> None:
    table = Table.from_columns({"items": [{"a"}, set(), {"a"}, {"a"}]}, sex=["f", "f", "m", "m"])
    with refused(InfeasibleError, "cluster 2 1") as caught:
        RumBound(k=2, m=2, delta=0.65).recode(table, {})
    assert (caught.value.achieved, caught.value.bound) == (1.0, 2.0)
    result = RumBound(k=2, m=2, delta=1.0, on_infeasible="merge").recode(table, {})
    assert clusters_of(result) == [[0, 1, 2, 3]]
    lonely = Table.from_columns({"items": [{"a"}, set()]}, sex=["f", "f"])
    with refused(InfeasibleError, "1 k 2"):
        RumBound(k=2, m=2, delta=0.65, on_infeasible="merge").recode(lonely, {})


def test_the_error_names_a_feasible_delta() -> None:
    table = Table.from_columns({"items": [{"a"}, {"b"}, {"a"}, {"b"}]}, sex=["f", "m", "x", "y"])
    with refused(InfeasibleError, "delta 0.5") as caught:
        RumBound(k=2, m=2, delta=0.25).recode(table, {})
    assert (caught.value.achieved, caught.value.bound) == (0.5, 0.25)
    assert RumBound(k=2, m=2, delta=0.5).recode(table, {}).figures["rum"] == 0.5
