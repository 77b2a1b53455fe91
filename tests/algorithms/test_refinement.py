"""Refinement of clusters equals the naive implementation, never increases the loss, obeys the limit, and is optimal for
most small tables.
"""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from math import fsum
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.facts import refused

from algorithms.relational_cases import RelationalCase, cases, encode, random_case
from anonset.algorithms.base import traits_of
from anonset.algorithms.clusters import list_members, renumber_clusters
from anonset.algorithms.relational import refinement
from anonset.algorithms.relational.formations import FORMATIONS, formation_of
from anonset.algorithms.relational.mondrian import Mondrian
from anonset.algorithms.relational.refinement import refine_clusters
from anonset.algorithms.rt.rfirst import RFirst
from anonset.data import CategoricalColumn, NumericColumn, Table
from anonset.data.quasi_identifiers import QuasiIdentifiers
from anonset.errors import InputError
from anonset.generalization import PerCluster
from anonset.measures.losses.relational_ncp import relational_ncp
from anonset_kernels.relational import refine as kernels
from effort import examples
from reference.refinement import refine
from reference.relational import Relation

thorough = settings(max_examples=examples(100), suppress_health_check=[HealthCheck.too_slow])


def clusters_of(cluster: Any) -> list[list[int]]:
    return [members.tolist() for members in list_members(cluster)]


def some_clusters(data: Any, n: int, k: int) -> Any:
    """Draw clusters of at least k records each."""
    order = data.draw(st.permutations(range(n)))
    sizes = [k] * (n // k)
    sizes[-1] += n % k
    merged = data.draw(st.integers(1, len(sizes)))
    labels = np.empty(n, np.int32)
    labels[order] = np.minimum(np.repeat(np.arange(len(sizes)), sizes), merged - 1)
    return renumber_clusters(labels)[0]


@contextmanager
def steps_noted() -> Iterator[list[tuple[int, float]]]:
    """Record the total steps and the tolerance after each call of the kernel."""
    noted: list[tuple[int, float]] = []
    kernel = kernels.refine

    def refine_and_note(*arguments: Any) -> None:
        kernel(*arguments)
        noted.append((int(arguments[4][kernels.STEPS]), arguments[-1][4]))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(kernels, "refine", refine_and_note)
        yield noted


@thorough
@given(
    case=cases, k=st.integers(1, 4), most=st.integers(1, 2500), tolerance=st.sampled_from([0.0, 0.5]), data=st.data()
)
def test_steps_equal_those_of_the_twin(case: RelationalCase, k: int, most: int, tolerance: float, data: Any) -> None:
    if len(case.relation.rows) < k:
        return
    cluster = some_clusters(data, len(case.relation.rows), k)
    with steps_noted() as noted:
        refined = refine_clusters(case.qi, cluster, k, most, tolerance=tolerance)
    expected = refine(case.relation, clusters_of(cluster), k, noted)
    if tolerance and not refined.gains:  # no gain after the last phase
        loss, before = ncp_of(case.relation, expected), ncp_of(case.relation, clusters_of(cluster))
        assert loss >= before - 1e-9
        expected = clusters_of(cluster)
    assert clusters_of(refined.cluster) == expected


def ncp_of(relation: Relation, clusters: list[list[int]]) -> float:
    return fsum(len(members) * relation.loss(members) for members in clusters)


@thorough
@given(
    case=cases, k=st.integers(1, 5), most=st.integers(1, 5000), window=st.sampled_from([1, 2, 5, 4096]), data=st.data()
)
def test_clusters_have_at_least_k_records_and_never_a_higher_loss(
    case: RelationalCase, k: int, most: int, window: int, data: Any
) -> None:
    n = len(case.relation.rows)
    if n < k:
        return
    cluster = some_clusters(data, n, k)
    refined = refine_clusters(case.qi, cluster, k, most, window=window)
    assert np.bincount(refined.cluster).min() >= k
    assert relational_ncp(case.qi, refined.cluster) <= relational_ncp(case.qi, cluster)
    assert refined.gains <= refined.steps
    assert (refined.gains > 0) == (relational_ncp(case.qi, refined.cluster) < relational_ncp(case.qi, cluster))


def partitions(records: list[int], k: int) -> Iterator[list[list[int]]]:
    """Yield all partitions of the records into clusters of at least k."""
    if not records:
        yield []
        return
    first, rest = records[0], records[1:]
    for mask in range(1 << len(rest)):
        mates = [r for i, r in enumerate(rest) if mask >> i & 1]
        if len(mates) + 1 >= k:
            others = [r for i, r in enumerate(rest) if not mask >> i & 1]
            yield from ([[first, *mates], *more] for more in partitions(others, k))


def least(relation: Relation, k: int) -> float:
    records = list(range(len(relation.rows)))
    return min(fsum(len(c) * relation.loss(c) for c in way) / len(records) for way in partitions(records, k))


@pytest.mark.compiled
def test_small_tables_reach_the_least_loss() -> None:
    """In most cases: it is a local search."""
    reached = 0
    for seed in range(20):
        case = random_case(seed, 8, 2)
        refined = refine_clusters(case.qi, np.zeros(8, np.int32), 2, 20_000)
        loss, best = relational_ncp(case.qi, refined.cluster), least(case.relation, 2)
        assert loss >= best - 1e-12
        reached += loss <= best + 1e-12
    assert reached >= 18


def test_one_cluster_is_split_and_a_bad_one_dissolved() -> None:
    case = encode([(x,) for x in (1, 1, 1, 50, 50, 50, 99, 99)], [None])
    refined = refine_clusters(case.qi, np.zeros(8, np.int32), 2, 10_000)
    assert clusters_of(refined.cluster) == [[0, 1, 2], [3, 4, 5], [6, 7]]
    crossed = refine_clusters(case.qi, np.array([0, 1, 2, 0, 1, 2, 0, 1], np.int32), 2, 10_000)
    assert clusters_of(crossed.cluster) == [[0, 1, 2], [3, 4, 5], [6, 7]]


@pytest.mark.parametrize("name", FORMATIONS)
def test_every_formation_refines(name: str) -> None:
    case = random_case(3, 60, 3)
    plain = FORMATIONS[name](k=4).recode(Table(None, case.columns), case.hierarchies)
    result = FORMATIONS[name](k=4, refine=True, max_evaluations=20_000).recode(
        Table(None, case.columns), case.hierarchies
    )
    assert isinstance(result.recoding, PerCluster)
    assert np.bincount(result.recoding.cluster).min() >= 4
    assert result.figures["ncp"] <= result.figures["ncp_before"] <= plain.figures["ncp"] + 1e-12
    if traits_of(FORMATIONS[name](k=4)).tight:
        assert result.figures["ncp_before"] == pytest.approx(plain.figures["ncp"])
    assert result.figures["clusters_before"] == plain.figures["clusters"]


def test_steps_are_limited_and_tolerance_falls_by_phase() -> None:
    source = random.Random(5)
    case = encode([(source.randrange(50), source.choice("abcd")) for _ in range(300)], [None, None])
    cluster = Mondrian(k=3).form(case.qi)
    reported: list[tuple[str, float, float]] = []
    with steps_noted() as noted:
        refined = refine_clusters(case.qi, cluster, 3, 30_000, lambda *told_now: reported.append(told_now))
    assert 30_000 <= refined.evaluations < 60_000
    assert reported[-1] == ("refining", 30_000.0, 30_000.0)
    assert reported == sorted(reported)
    tolerated = [tolerance for _, tolerance in noted]
    assert tolerated == sorted(tolerated, reverse=True)
    assert tolerated[0] > tolerated[-1] == 0.0
    assert refine_clusters(case.qi, cluster, 3, 60_000).steps >= refined.steps


@pytest.mark.parametrize(("n", "seed"), [(200, 2), (400, 3)])
def test_without_a_limit_rounds_double_until_one_gains_less_than_a_twentieth(
    n: int, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refinement, "FIRST_EVALUATIONS", 1)
    source = random.Random(seed)
    case = encode([(source.randrange(90), source.choice("abcdefgh")) for _ in range(n)], [None, None])
    cluster = Mondrian(k=3).form(case.qi)
    refined = refine_clusters(case.qi, cluster, 3)
    planned, losses, evaluations = (n // 3) ** 2, [relational_ncp(case.qi, cluster)], 0
    while len(losses) < 2 or losses[-1] <= 0.95 * losses[-2]:
        round_ = refine_clusters(case.qi, cluster, 3, planned)
        cluster, planned, evaluations = round_.cluster, 2 * planned, evaluations + round_.evaluations
        losses.append(relational_ncp(case.qi, cluster))
    assert len(losses) > 2, "the first round is not the last"
    assert refined.cluster.tolist() == cluster.tolist()
    assert refined.evaluations == evaluations


@pytest.mark.compiled
@pytest.mark.long
def test_the_first_round_is_long_enough_to_gain() -> None:
    rng, n = np.random.default_rng(1), 8000
    position = rng.random(n)
    numbers = [NumericColumn(name, (position * 50 + rng.integers(0, 30, n)).astype(np.int64)) for name in "ab"]
    texts = [CategoricalColumn.of(name, [str(v % 9) for v in rng.zipf(1.8, n).tolist()]) for name in "cdef"]
    qi = QuasiIdentifiers.of([*numbers, *texts], {})
    cluster, _ = formation_of("cluster", 10).clusters(qi)
    refined, limited = (refine_clusters(qi, cluster, 10, most).cluster for most in (None, 1_000_000))
    assert relational_ncp(qi, refined) < 0.8 * relational_ncp(qi, limited)


def test_a_hierarchy_too_large_for_a_pair_table_has_the_same_result() -> None:
    """Losses of node pairs are listed in a table, or computed on the way."""
    leaves = [f"x{i:03}" for i in range(300)]
    tree = "R(" + ",".join(f"N{i}({','.join(leaves[i * 10 : i * 10 + 10])})" for i in range(30)) + ")"
    source = random.Random(2)
    case = encode([(source.choice(leaves),) for _ in range(120)], [tree])
    table = kernels.pair_losses(case.qi.space)
    assert (table.at.tolist(), len(table.loss), len(table.attribute)) == ([0, 0], 0, 0)
    cluster = Mondrian(k=3).form(case.qi)
    with steps_noted() as noted:
        refined = refine_clusters(case.qi, cluster, 3, 15_000)
    assert refined.gains
    assert clusters_of(refined.cluster) == refine(case.relation, clusters_of(cluster), 3, noted)


def test_clusters_of_rt_data_are_refined() -> None:
    """Origins alternate, so that CLUSTER, starting from the first record, produces a bad last cluster."""
    rows = [f"a{i % 7}" for i in range(40)]
    table = Table.from_columns(
        {"items": [{"x", "y"}] * 40}, origin=rows, sex=["f" if i % 3 else "m" for i in range(40)]
    )
    plain, refined = (RFirst(k=3, m=2, refine=refine).recode(table, {}).figures["rum"] for refine in (False, True))
    assert refined < plain


def test_a_limit_that_is_none_is_refused() -> None:
    with refused(InputError, "max_evaluations 1 0"):
        formation_of("cluster", 2, refine=True, max_evaluations=0)
