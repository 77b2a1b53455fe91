"""COAT and PCTA make the same decisions as the naive implementations, with constraints and in k^m mode."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.facts import refused

from algorithms.set_based_cases import (
    FIGURE_1,
    FIGURE_1B,
    Case,
    Larger,
    random_case,
    seeds,
)
from anonset.algorithms.base import Algorithm
from anonset.algorithms.transaction.item_sets.coat import Coat
from anonset.algorithms.transaction.item_sets.constraint_search import GroupMerge
from anonset.algorithms.transaction.item_sets.pcta import Pcta
from anonset.data import Hierarchy, SetColumn, Table
from anonset.errors import InfeasibleError, InputError
from anonset.generalization import ItemGroups
from effort import examples

thorough = settings(max_examples=examples(400), suppress_health_check=[HealthCheck.too_slow])


def assert_like_twin(algorithm: str, case: Case) -> None:
    expected, actual = case.twin(algorithm), case.library(algorithm)
    assert (actual is None) == (expected is None)
    if actual is None or expected is None:
        return
    assert isinstance(actual.recoding, ItemGroups)
    assert actual.recoding.labels == expected.partition()
    assert actual.recoding.suppressed == expected.suppressed()
    steps = [(s.group, s.partner if isinstance(s, GroupMerge) else None, s.support) for s in actual.trace]
    assert steps == expected.steps


@thorough
@given(seeds)
def test_coat_makes_the_decisions_of_its_twin(seed: int) -> None:
    assert_like_twin("coat", random_case(seed))


@thorough
@given(seeds)
def test_pcta_makes_the_decisions_of_its_twin(seed: int) -> None:
    assert_like_twin("pcta", random_case(seed))


# --- k^m mode ------------------------------------------------------------------------------------------


def outcome(algorithm: Algorithm, table: Table, hierarchies: Mapping[str, Hierarchy]) -> Any:
    """Return groups and decisions, or the error message."""
    try:
        result = algorithm.recode(table, hierarchies)
    except InfeasibleError as error:
        return str(error)
    assert isinstance(result.recoding, ItemGroups)
    return result.recoding.group.tolist(), result.trace


@settings(max_examples=examples(100))
@given(seeds, st.sampled_from([0.0, 0.3, 1.0]), st.sampled_from(["generalize", "suppress"]))
def test_coat_in_km_mode_equals_all_itemsets_as_constraints(seed: int, share: float, single: Any) -> None:
    case = Larger.random(seed)
    options = {**case.shared, "max_suppressed": share, "single": single}
    implicit = outcome(Coat(m=case.m, **options), case.table, case.hierarchies)
    assert implicit == outcome(Coat(constraints=case.every_itemset, **options), case.table, case.hierarchies)


@settings(max_examples=examples(100))
@given(seeds)
def test_pcta_in_km_mode_equals_all_itemsets_as_constraints(seed: int) -> None:
    case = Larger.random(seed)
    implicit = outcome(Pcta(m=case.m, **case.shared), case.table, case.hierarchies)
    assert implicit == outcome(Pcta(constraints=case.every_itemset, **case.shared), case.table, case.hierarchies)


@settings(max_examples=examples(60))
@given(seeds, st.sampled_from([Coat, Pcta]))
def test_a_cluster_is_searched_like_a_table_of_its_records(seed: int, algorithm: Any) -> None:
    case = Larger.random(seed)
    column = case.table.transactions
    assert column is not None
    records = np.arange(0, column.n, 2)
    actual = algorithm(m=case.m, **case.shared)
    expected = outcome(actual, Table(column.take(records)), case.hierarchies)
    cluster_search = actual.on_clusters(column, case.hierarchies.get("items"))
    if isinstance(expected, str):
        with refused(InfeasibleError, "k"):
            cluster_search([records])
        return
    groups, occurring = np.array(expected[0]), np.unique(column.take(records).items)
    if (groups < 0).any():
        with refused(InputError, "suppressed"):
            cluster_search([records])
        return
    (mapping,) = cluster_search([records])
    image = mapping.image(len(groups))
    assert image[occurring].tolist() == [int(np.flatnonzero(groups == groups[code])[0]) for code in occurring]
    others = np.setdiff1d(np.arange(len(groups)), occurring)
    assert image[others].tolist() == others.tolist()


def test_clusters_need_m() -> None:
    column = SetColumn.of(FIGURE_1)
    with refused(InputError, "coat clusters m"):
        Coat(k=2, constraints=FIGURE_1B).on_clusters(column)
