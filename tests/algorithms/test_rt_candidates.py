"""Candidate order, and the loss of intermediate clusters, computed from a part of the data."""

import random
import re
from math import fsum
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.facts import refused

import reference.rt as twins
from algorithms.relational_cases import random_case
from anonset.algorithms.relational.formations import formation_of
from anonset.algorithms.relational.generalized_tuples import loss_keys
from anonset.algorithms.rt.candidates import MergeOrder, _cheapest, candidates, first_within
from anonset.algorithms.rt.cluster_function import ClusterFunction
from anonset.algorithms.rt.cluster_losses import ClusterLosses
from anonset.algorithms.rt.merging import Clusters
from anonset.algorithms.rt.results import tum
from anonset.algorithms.rt.rum_bound import RumBound
from anonset.algorithms.rt.tum_bound import TumBound
from anonset.algorithms.transaction.cuts.apriori import Apriori
from anonset.data import Hierarchy, SetColumn, Table
from anonset.data.quasi_identifiers import QuasiIdentifiers
from anonset.errors import InfeasibleError
from effort import examples
from reference.hierarchy_model import parse

HIERARCHY = Hierarchy.from_tree(parse("ALL(A(a,b,c),B(d,e,f),C(g,h,i),D(j,k,l))"))
some = settings(max_examples=examples(15), suppress_health_check=[HealthCheck.too_slow])


def table_of(source: random.Random, n: int) -> tuple[Table, dict[str, Hierarchy], list[set[str]]]:
    relational = random_case(source.randrange(10**9), n, 2)
    items = [set(source.sample(HIERARCHY.leaves.labels, source.choice([1, 2, 2, 3, 6]))) for _ in range(n)]
    column = HIERARCHY.bind(SetColumn.of(items, universe=HIERARCHY.leaves.labels))
    return Table(column, relational.columns), {**relational.hierarchies, "items": HIERARCHY}, items


def singles(source: random.Random, n: int, order: Any = "btd") -> tuple[Clusters, list[set[str]]]:
    """Return clusters of one record each, more than the search first examines."""
    table, hierarchies, items = table_of(source, n)
    qi = QuasiIdentifiers.of(table.relational, hierarchies, None, bounded=True)
    function = ClusterFunction.of(Apriori(k=1, m=1), 1, table, hierarchies)
    return Clusters(qi, np.arange(n, dtype=np.int32), function, order, "xor"), items


@some
@given(seed=st.integers(0, 10**9), merge=st.sampled_from(["r", "t", "rt"]))
def test_candidate_order_is_independent_of_the_search_width(seed: int, merge: MergeOrder) -> None:
    source = random.Random(seed)
    clusters, items = singles(source, source.choice([70, 150, 250]))
    for _ in range(source.randint(0, 3)):
        a, b = source.sample(np.flatnonzero(clusters.alive).tolist(), 2)
        rows = [items[r] for r in clusters.members(a, b).tolist()]
        distance = float(twins.cluster_distance(rows))
        clusters.merge(a, b, float(clusters.tuples.union_losses(a)[b]), distance)
    seed_place = source.choice(np.flatnonzero(clusters.alive).tolist())
    ncp, usable = clusters.tuples.union_losses(seed_place), clusters.usable(seed_place)
    places = np.flatnonzero(usable).tolist()
    unions = {x: [items[r] for r in clusters.members(seed_place, x).tolist()] for x in places}
    distance_of = {x: twins.cluster_distance(unions[x]) for x in places}
    by_loss = sorted(places, key=lambda x: (loss_keys(ncp)[x], x))
    by_items = sorted(places, key=lambda x: (distance_of[x], x))
    u, v = ({x: i for i, x in enumerate(order)} for order in (by_loss, by_items))
    by_both = sorted(places, key=lambda x: (u[x] + v[x], u[x]))
    allowed = usable & (np.array([source.random() for _ in usable]) < source.choice([0.02, 0.5, 1.0]))
    wanted = [x for x in {"r": by_loss[:1], "t": by_items, "rt": by_both}[merge] if allowed[x]]
    result = list(candidates(clusters, seed_place, merge, ncp, allowed))
    assert [x for x, _ in result] == wanted
    assert merge == "r" or [distance for _, distance in result] == [float(distance_of[x]) for x in wanted]


def test_candidates_are_ordered_by_utility_loss() -> None:
    clusters, _ = singles(random.Random(3), 90, "ul")
    ncp, usable = clusters.tuples.union_losses(0), clusters.usable(0)
    unions = [clusters.members(0, x) for x in range(1, 90)]
    losses = clusters.function.losses(unions, clusters.function.mappings(unions))
    keys = loss_keys(np.array([fsum(part.tolist()) / len(part) for part in losses])).tolist()
    wanted = sorted(range(1, 90), key=lambda x: (keys[x - 1], x))
    assert [x for x, _ in candidates(clusters, 0, "t", ncp, usable)] == wanted


@pytest.mark.parametrize("merge", ["r", "t", "rt"])
@pytest.mark.parametrize("margin", [-5e-10, -5e-13, 0.0, 5e-10])
def test_the_first_candidate_within_a_bound_is_exact(merge: MergeOrder, margin: float) -> None:
    clusters, _ = singles(random.Random(7), 30)
    ncp, total = clusters.tuples.union_losses(0), clusters.rum * clusters.n
    places = [x for x, _ in candidates(clusters, 0, merge, ncp, clusters.usable(0))]

    def rum_after(x: int) -> float:
        return fsum([2 * ncp[x], *(loss for c, loss in enumerate(clusters.ncp.tolist()) if c not in (0, x))]) / 30

    for bound in sorted({rum_after(x) for x in places}):
        delta = bound + margin
        result = first_within(clusters, 0, merge, total, delta)
        wanted = next((x for x in places if rum_after(x) <= delta + 1e-12), None)
        assert (None if result is None else result[0]) == wanted


def test_no_search_if_no_candidate_satisfies_the_bound() -> None:
    clusters, _ = singles(random.Random(1), 70)
    total = clusters.rum * clusters.n
    assert first_within(clusters, 0, "rt", total + clusters.n, 0.5) is None
    assert clusters._distances is None


def test_keys_beyond_64_bits_are_sorted() -> None:
    keys, usable = np.array([3e18, 1.0, 1.0, 2.0]), np.array([True, True, True, False])
    assert _cheapest(keys, usable)(2).tolist() == [1, 2]
    assert _cheapest(keys / 1e9, usable)(3).tolist() == [1, 2, 0]


@pytest.mark.compiled
@some
@given(seed=st.integers(0, 10**9))
def test_losses_of_published_clusters_are_sums_over_all_records(seed: int) -> None:
    source = random.Random(seed)
    table, hierarchies, _ = table_of(source, 60)
    qi = QuasiIdentifiers.of(table.relational, hierarchies)
    function = ClusterFunction.of(Apriori(k=2, m=2), 2, table, hierarchies)
    clusters = Clusters(qi, formation_of("cluster", 2).form(qi), function)
    losses, lowest = ClusterLosses(clusters), 1.0
    assert losses.tum == tum(clusters)
    while clusters.count > 1:
        lowest = min(lowest, tum(clusters) or 0.0)
        a, b = source.sample(range(len(clusters.alive)), 2)
        first, second = int(clusters.smallest[a]), int(clusters.smallest[b])
        expected = losses.tum_after(first, second) if source.random() < 0.3 else None
        losses.take_merge(first, second)
        clusters.merge(a, b, float(clusters.tuples.union_losses(a)[b]), np.inf)
        clusters.drop_merged()
        bound, average = source.random(), tum(clusters)
        assert expected is None or expected == average
        assert average is not None
        assert losses.exceeds(bound) == (average > bound)
    assert losses.tum == tum(clusters)
    assert losses.smallest_tum() == min(lowest, losses.tum)
    assert len(losses.mappings()) == 1


@pytest.mark.parametrize("seed", range(3))
def test_the_error_of_tum_bound_names_a_delta_that_would_do(seed: int) -> None:
    table, hierarchies, _ = table_of(random.Random(seed), 80)
    algorithm = {"k": 4, "m": 2, "transaction": Apriori, "on_infeasible": "merge"}
    with refused(InfeasibleError, "cluster") as caught:
        TumBound(delta=0.0, **algorithm).recode(table, hierarchies)  # type: ignore[arg-type]
    result = re.search(r"at least ([0-9.e-]+) is feasible", str(caught.value))
    assert result is not None
    delta = float(result[1])
    figures = TumBound(delta=delta + 1e-9, **algorithm).recode(table, hierarchies).figures  # type: ignore[arg-type]
    assert figures["tum"] == pytest.approx(delta)
    with pytest.raises(InfeasibleError):
        TumBound(delta=delta - 1e-6, **algorithm).recode(table, hierarchies)  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", [RumBound, TumBound])
def test_progress_counts_merges(kind: Any) -> None:
    table, hierarchies, _ = table_of(random.Random(5), 60)
    seen: list[tuple[str, float, float]] = []

    def progress(phase: str, done: float, total: float) -> None:
        seen.append((phase, done, total))

    algorithm = kind(k=3, m=2, delta=0.6, transaction=Apriori, on_infeasible="merge")
    result = algorithm.recode(table, hierarchies, progress=progress)
    merges = [(done, total) for phase, done, total in seen if phase == "merges"]
    expected = int(result.figures["clusters_before"] - result.figures["clusters"])
    assert merges == [(float(i), result.figures["clusters_before"] - 1) for i in range(1, expected + 1)]
    assert expected > 0
