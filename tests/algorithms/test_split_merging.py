"""Merging clusters across the parts of split data makes the same merges as the naive implementation on plain lists."""

import itertools
import random
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tests.facts import names, refused

import anonset
import reference.rt as twins
from algorithms.relational_cases import RelationalCase, random_case
from anonset.algorithms.record_order import content_order
from anonset.algorithms.rt import across
from anonset.algorithms.rt.across import PartlyMergedClusters, threshold
from anonset.algorithms.rt.rfirst import RFirst
from anonset.algorithms.rt.rum_bound import RumBound
from anonset.algorithms.split import merging
from anonset.algorithms.split.median_cuts import cut_into_parts
from anonset.algorithms.split.solving import split_and_solve
from anonset.algorithms.transaction.cuts.apriori import Apriori
from anonset.algorithms.transaction.cuts.lm_apriori import LmApriori
from anonset.algorithms.transaction.item_sets.coat import Coat
from anonset.data import CategoricalColumn, Hierarchy, NumericColumn, SetColumn, Table
from anonset.data.domains import with_range
from anonset.data.hierarchies.combined_hierarchies import attach_sensitive
from anonset.errors import InfeasibleError
from anonset.generalization import apply
from anonset.measures.losses.relational_ncp import relational_ncp
from effort import examples
from reference.relational import Relation

ITEMS = Hierarchy.balanced(tuple("abcdefgh"), 2)
LAX = settings(max_examples=examples(60), suppress_health_check=[HealthCheck.too_slow])
MOST = 16


class Case:
    """A split RT-dataset, and the naive implementation's records in part order."""

    def __init__(self, seed: int) -> None:
        source = random.Random(seed)
        n = source.randint(2 * MOST, 60)
        self.relational: RelationalCase = random_case(seed, n, 3)
        self.items = [set(source.sample("abcdefgh", source.choice([1, 2, 3, 5]))) for _ in range(n)]
        columns = tuple(map(with_range, self.relational.columns))
        self.table = Table(SetColumn.of(self.items, universe=ITEMS.leaves.labels), columns)
        self.trees = {**self.relational.hierarchies, "items": ITEMS}
        self.delta, self.merge = source.choice([0.2, 0.5, 0.9]), source.choice(["r", "t", "rt"])
        weights = {c.name: w for c, w in zip(columns, self.relational.relation.weights, strict=True)}
        shared: dict[str, Any] = {"k": 2, "m": 2, "formation": "mondrian", "transaction": Apriori}
        self.formed = RFirst(**shared, relational_weights=weights)
        self.algorithm = RumBound(**shared, delta=self.delta, merge=self.merge, relational_weights=weights)
        cuts = cut_into_parts(columns, self.relational.hierarchies, 2, MOST)
        parts = np.split(cuts.record, cuts.first[1:-1])
        self.record = np.concatenate([part[content_order(self.table.take(part))] for part in parts])

    def expected(self) -> list[list[int]]:
        """Return the naive implementation's merges of the clusters formed in all parts. Records are in table order."""
        cluster = split_and_solve(self.formed, MOST, self.table, self.trees).recoding.cluster
        place = {int(r): i for i, r in enumerate(self.record)}
        begun = [sorted(place[r] for r in members) for members in partition(cluster)]
        rows = [self.relational.relation.rows[r] for r in self.record]
        relation = Relation(rows, self.relational.relation.attributes, self.relational.relation.weights)
        frame = twins.Frame(relation, [self.items[r] for r in self.record], unpublished, 1)
        result = twins.rum_bound(frame, sorted(begun), self.delta, self.merge)
        return sorted(sorted(int(self.record[i]) for i in members) for members in result)


def unpublished(rows: twins.Items) -> twins.Published:
    return [[] for _ in rows]


def partition(cluster: Any) -> list[list[int]]:
    return sorted(np.flatnonzero(cluster == c).tolist() for c in np.unique(cluster))


@pytest.mark.long
@pytest.mark.compiled
@LAX
@given(seed=st.integers(0, 10**9))
@example(seed=910)  # a cluster of ten records, in which the longest eight have another nearest cluster
def test_clusters_of_parts_are_merged_as_if_formed_at_once(seed: int) -> None:
    """Provided that cluster distances cover all their records."""
    case = Case(seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(across, "_LONGEST", case.table.n)
        try:
            expected = case.expected()
        except twins.Unreachable:
            with refused(InfeasibleError, "clusters relational"):
                split_and_solve(case.algorithm, MOST, case.table, case.trees)
            return
        actual = split_and_solve(case.algorithm, MOST, case.table, case.trees)
    assert partition(actual.recoding.cluster) == expected
    assert actual.figures["rum"] == pytest.approx(relational_ncp(case.relational.qi, actual.recoding.cluster))


@pytest.mark.long
@LAX
@given(seed=st.integers(0, 10**9), most=st.integers(1, 12), together=st.integers(4, 80), group=st.integers(1, 60))
def test_merging_within_parts_first_satisfies_the_bound(seed: int, most: int, together: int, group: int) -> None:
    case = Case(seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(across, "MOST_BEGUN", most)
        patch.setattr(across.ClustersOfAllParts, "most", together)
        patch.setattr(merging, "_TOGETHER", group)
        patch.setattr(merging, "_SAMPLED", 2)
        try:
            result = split_and_solve(case.algorithm, MOST, case.table, case.trees)
        except InfeasibleError as error:
            assert names(str(error), "clusters")  # noqa: PT017
            return
    assert result.figures["rum"] == pytest.approx(relational_ncp(case.relational.qi, result.recoding.cluster))
    assert result.figures["rum"] <= case.delta + 1e-9
    sizes = [len(members) for members in partition(result.recoding.cluster)]
    assert max(sizes) <= max(MOST, together)
    assert (result.figures["smallest_cluster"], result.figures["largest_cluster"]) == (min(sizes), max(sizes))
    assert result.figures["merges"] == result.figures["clusters_before"] - len(sizes)
    groups = np.diff(result.recoding.parts.first).tolist()
    assert all(rows <= max(group, *sizes) for rows in groups)
    assert sum(groups) == case.table.n
    assert anonset.verify(apply(case.table, result.recoding), case.algorithm.model).holds


def started_part(clusters: int, *seeds: float) -> PartlyMergedClusters:
    none = np.empty((0, clusters))
    values = none, none, none.astype(np.int32), none.astype(np.uint64)
    return PartlyMergedClusters(np.zeros(0, np.int32), np.zeros(clusters, np.int64), values, np.array(seeds), None, {})


@pytest.mark.parametrize(
    ("most", "expected"),
    [(14, -1.0), (13, 0.1), (12, 0.1), (10, 0.2), (8, 0.3), (6, 0.3), (4, 0.5), (2, float("inf"))],
)
def test_parts_merge_up_to_a_loss_that_limits_the_number_of_clusters(monkeypatch, most: int, expected: float) -> None:
    """In half of the records, 5 merges reduced 7 clusters to 2. All records have an estimated 14 clusters, and at most
    `most` may remain.
    """
    monkeypatch.setattr(across, "MOST_BEGUN", most)
    samples = [started_part(1, 0.1, 0.3, 0.3), started_part(1, 0.2, 0.5)]
    assert threshold(samples, 0.5) == expected


def test_parts_that_merged_too_far_start_over(monkeypatch) -> None:
    """A part may exceed the bound alone. The other parts must not use up the remainder."""
    rounds: list[float] = []
    begin = RumBound.begin_part

    def watched(self: RumBound, *args: Any, up_to: float, **more: Any) -> PartlyMergedClusters:
        rounds.append(up_to)
        return begin(self, *args, up_to=up_to, **more)

    monkeypatch.setattr(across, "MOST_BEGUN", 2)
    monkeypatch.setattr(RumBound, "begin_part", watched)
    monkeypatch.setattr(RumBound, "merge_across", _refusing_once(RumBound.merge_across))
    sex = CategoricalColumn.of("sex", ["f", "m", "f", "m"] * 5 + ["a", "b", "c", "d"] * 5)
    algorithm = RumBound(k=2, m=1, delta=0.9, formation="mondrian", merge="r", transaction=Coat)
    result = split_and_solve(algorithm, 20, Table(SetColumn.of([{"x"}] * 40), (sex,)), {})
    assert rounds[-2:] == [-1.0, -1.0]
    assert result.figures["rum"] <= 0.9


def _refusing_once(merge_across: Any) -> Any:
    calls: list[int] = []

    def merge(self: RumBound, *args: Any) -> Any:
        calls.append(1)
        return None if len(calls) == 1 else merge_across(self, *args)

    return merge


def test_a_part_may_exceed_the_bound_if_all_keep_it() -> None:
    """One part loses 0.3, the other 0.03. Together they stay below 0.2."""
    ages = NumericColumn("age", np.array([0, 30] * 10 + [97, 98, 99, 100] * 5))
    algorithm = RumBound(k=11, m=1, delta=0.2, formation="mondrian", merge="r", transaction=Coat)
    result = split_and_solve(algorithm, 20, Table(SetColumn.of([{"x"}] * 40), (ages,)), {})
    assert result.figures["parts"] == 2
    assert result.figures["rum"] == pytest.approx(0.165)


def test_order_by_true_utility_loss_applies_only_within_parts() -> None:
    case = Case(11)
    algorithm = replace(case.algorithm, order="ul", delta=1.0, merge="t")
    assert not algorithm.merges_across
    result = split_and_solve(algorithm, MOST, case.table, case.trees)
    parts = list(itertools.pairwise(result.recoding.parts.first.tolist()))
    assert len(parts) == result.figures["parts"] > 1


@pytest.mark.parametrize("merge", ["r", "rt"])
def test_merging_diverse_clusters_of_parts_remains_diverse(merge: str) -> None:
    source = random.Random(3)
    baskets = [{*source.sample("abcdef", 2), *source.sample(["s1", "s2", *"ghij"], 1)} for _ in range(60)]
    ages = NumericColumn("age", np.array([source.randint(0, 20) for _ in range(60)]))
    diverse = partial(LmApriori, l=2, sensitive_items=("s1", "s2"))
    shared: dict[str, Any] = {"k": 3, "m": 2, "delta": 0.8, "merge": merge, "transaction": diverse}
    algorithm = RumBound(**shared, formation="mondrian", on_infeasible="merge")
    table, tree = Table(SetColumn.of(baskets), (ages,)), Hierarchy.balanced(tuple("abcdefghij"), 2)
    tree = attach_sensitive(tree, ("s1", "s2"))
    table = replace(table, transactions=tree.bind(table.transactions))
    result = split_and_solve(algorithm, MOST, table, {"items": tree})
    assert result.figures["merges"] > 0
    assert result.figures["parts"] > 2
    assert anonset.verify(apply(table, result.recoding), algorithm.model).holds
