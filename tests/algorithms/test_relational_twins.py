"""Cluster formations produce the same clusters as the naive implementations."""

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.facts import refused

import reference.recoding as recodings
import reference.relational as twins
from algorithms.relational_cases import RelationalCase, cases, encode, random_case
from anonset.algorithms.base import traits_of
from anonset.algorithms.clusters import list_members
from anonset.algorithms.relational.cluster import Cluster
from anonset.algorithms.relational.formations import FORMATIONS, formation_of
from anonset.algorithms.relational.generalized_tuples import GeneralizedTuples
from anonset.algorithms.relational.k_member import KMember
from anonset.algorithms.relational.mondrian import Mondrian
from anonset.algorithms.relational.values import relational_values
from anonset.data import CategoricalColumn, NumericColumn, SetColumn, Table
from anonset.data.quasi_identifiers import QuasiIdentifiers
from anonset.errors import InfeasibleError, InputError
from anonset.generalization import PerCluster, apply
from anonset.measures.losses.relational_ncp import relational_ncp, value_losses
from anonset.release.published_values import published_relational_loss
from anonset_kernels.relational.cluster import BLOCK, CHUNK
from effort import examples

thorough = settings(max_examples=examples(300), suppress_health_check=[HealthCheck.too_slow])
every_formation = pytest.mark.parametrize("name", FORMATIONS)


def clusters_of(cluster: Any) -> list[list[int]]:
    return [members.tolist() for members in list_members(cluster)]


@pytest.mark.long
@thorough
@given(case=cases, k=st.integers(1, 6))
def test_every_formation_equals_its_twin(case: RelationalCase, k: int) -> None:
    if len(case.relation.rows) < k:
        return
    qi = case.qi
    for name in FORMATIONS:
        word = name.replace("-", "_")
        twin: Any = getattr(recodings, word, None) or getattr(twins, word)
        assert clusters_of(formation_of(name, k).form(qi)) == twin(case.relation, k), name


@thorough
@given(case=cases, k=st.integers(1, 6), seed=st.integers(0, 2**64))
def test_cluster_with_random_seeds_equals_its_twin(case: RelationalCase, k: int, seed: int) -> None:
    if len(case.relation.rows) < k:
        return
    assert clusters_of(Cluster(k=k, seed=seed).form(case.qi)) == twins.cluster(case.relation, k, seed)


@pytest.mark.compiled
@pytest.mark.parametrize(("seed", "spread"), [(None, 12), (7, 10**6)])
def test_cluster_on_many_blocks_of_tuples(seed: int | None, spread: int) -> None:
    source = random.Random(1)
    leaves = ["France", "Greece", "Germany", "Spain", "Algeria", "Nigeria"]
    rows: list[Any] = [(source.randrange(spread), source.choice(leaves), source.choice("abc")) for _ in range(520)]
    case = encode(rows, [None, "All(Europe(France,Greece,Germany,Spain),Africa(Algeria,Nigeria))", None])
    assert case.qi.n > CHUNK
    assert case.qi.n_tuples > 2 * BLOCK
    assert clusters_of(Cluster(k=2, seed=seed).form(case.qi)) == twins.cluster(case.relation, 2, seed)


@thorough
@given(case=cases, data=st.data())
def test_tuples_losses_and_texts_equal_their_twins(case: RelationalCase, data: Any) -> None:
    n = len(case.relation.rows)
    labels = np.array(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)))
    cluster = np.unique(labels, return_inverse=True)[1].astype(np.int32)
    members = clusters_of(cluster)
    tuples = GeneralizedTuples.of(case.qi, cluster, len(members))
    assert tuples.losses().tolist() == [case.relation.loss(c) for c in members]
    assert tuples.union_losses(0).tolist() == [case.relation.loss(members[0] + c) for c in members]
    texts = zip(*(values.labels for values in relational_values(case.qi, tuples)), strict=True)
    assert list(texts) == [case.relation.publish(c) for c in members]
    assert relational_ncp(case.qi, cluster) == pytest.approx(case.relation.total(members), abs=1e-12)
    losses = value_losses(case.qi, cluster)
    for a, attribute in enumerate(case.relation.attributes):
        expected = [attribute.loss([case.relation.rows[r][a] for r in c]) for c in members]
        assert losses[a].tolist() == pytest.approx(expected, abs=1e-15)


def test_generalized_tuples_of_many_blocks_of_tuples() -> None:
    source = random.Random(1)
    leaves = ["France", "Greece", "Germany", "Spain", "Algeria", "Nigeria"]
    rows: list[Any] = [(source.randrange(10**6), source.choice(leaves), source.choice("abc")) for _ in range(1300)]
    case = encode(rows, [None, "All(Europe(France,Greece,Germany,Spain),Africa(Algeria,Nigeria))", None])
    cluster = (np.arange(1300) % 7).astype(np.int32)
    members = clusters_of(cluster)
    tuples = GeneralizedTuples.of(case.qi, cluster, len(members))
    assert case.qi.n_tuples > 1024
    assert tuples.losses().tolist() == [case.relation.loss(c) for c in members]


@every_formation
def test_a_formation_publishes_classes_of_at_least_k_records(name: str) -> None:
    case = random_case(3, 30, 3)
    table = Table(None, case.columns)
    result = FORMATIONS[name](k=4).recode(table, case.hierarchies)
    assert isinstance(result.recoding, PerCluster)
    publication = apply(table, result.recoding)
    tuples = list(zip(*(column.labels() for column in publication.relational), strict=True))
    assert len(tuples) == 30
    assert min(map(tuples.count, tuples)) >= 4
    lowest = relational_ncp(QuasiIdentifiers.of(case.columns, case.hierarchies), result.recoding.cluster)
    shown = published_relational_loss(table, publication.relational, case.hierarchies)
    assert result.figures["ncp"] == pytest.approx(shown)
    assert shown == pytest.approx(lowest) if traits_of(FORMATIONS[name](k=4)).tight else shown >= lowest - 1e-12


@every_formation
def test_an_empty_table_has_no_cluster(name: str) -> None:
    table = Table.from_columns(sex=[], race=[])
    assert apply(table, FORMATIONS[name](k=3).recode(table, {}).recoding).n == 0


@every_formation
def test_fewer_records_than_k_are_infeasible(name: str) -> None:
    with refused(InfeasibleError, "2 k 3") as caught:
        FORMATIONS[name](k=3).recode(Table.from_columns(sex=["f", "m"]), {})
    assert (caught.value.achieved, caught.value.bound) == (2.0, 3.0)


def test_bad_input_is_refused() -> None:
    table = Table(SetColumn.of([{"a"}] * 3), (CategoricalColumn.of("sex", "fmf"),))
    with refused(InputError, "items set-valued"):
        Cluster(k=2).recode(table, {})
    columns = (CategoricalColumn.of("sex", "fmf"),)
    cases: list[tuple[tuple[Any, ...], dict[str, float] | None, str]] = [
        ((), None, "relational"),
        (columns, {"age": 1.0}, "relational once"),
        (columns, {"sex": 1.5}, "sex 0 1 1.5"),
        ((NumericColumn("age", np.array([1.0, np.nan])),), None, "age 'record 1' number"),
    ]
    for relational, weights, message in cases:
        with refused(InputError, message):
            QuasiIdentifiers.of(relational, {}, weights)
    two = (*columns, CategoricalColumn.of("race", "121"))
    with refused(InputError, "weights 1"):
        QuasiIdentifiers.of(two, {}, {"sex": 0.7, "race": 0.7}, bounded=True)
    with refused(InputError, "race 1,2 comma"):
        Cluster(k=1).recode(Table.from_columns(race=["1,2", "3"]), {})
    with refused(InputError, "max_records 2 3"):
        KMember(k=1, max_records=2).recode(Table(None, columns), {})
    with refused(InputError, "formation nearest mondrian"):
        formation_of("nearest", 2)
    with refused(InputError, "seed cluster"):
        formation_of("mondrian", 2, 5)


def test_mondrian_splits_categories_by_descending_frequency() -> None:
    """Alphabetically the median is b, and {a, b} is not split. By frequency c is first and becomes a cluster."""
    qi = QuasiIdentifiers.of(Table.from_columns(illness="cacbcb").relational, {})
    assert clusters_of(Mondrian(k=2).form(qi)) == [[0, 2, 4], [1, 3, 5]]
    assert clusters_of(Mondrian(k=1).form(qi)) == [[0, 2, 4], [1], [3, 5]]


def test_mondrian_breaks_frequency_ties_in_canonical_order() -> None:
    qi = QuasiIdentifiers.of(Table.from_columns(illness="dacb").relational, {})
    assert clusters_of(Mondrian(k=2).form(qi)) == [[0, 2], [1, 3]]
