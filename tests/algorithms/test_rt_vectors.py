"""Worked examples of (k, k^m)-anonymity: Figure 1a of Poulis et al. 2013 with k = m = 2, and COAT on the clusters."""

import json
from pathlib import Path
from typing import Any

import pytest

from algorithms.relational_cases import FIGURE_1_ITEMS, figure_1
from anonset.algorithms.base import Result
from anonset.algorithms.relational.formations import formation_of
from anonset.algorithms.rt.rfirst import RFirst
from anonset.algorithms.rt.rum_bound import RumBound
from anonset.algorithms.rt.tum_bound import TumBound
from anonset.data import SetColumn, Table
from anonset.errors import InfeasibleError
from anonset.generalization import PerCluster, apply
from anonset.measures.losses.record_utility_loss import record_utility_loss
from anonset.measures.losses.relational_ncp import relational_ncp

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "algorithm_vectors.json").read_text())
RUNS = VECTORS["vectors"]["RT fig1a nonsensitive k=m=2 T=COAT"]


def figure_table() -> Table:
    return Table(SetColumn.of(row.split() for row in FIGURE_1_ITEMS), figure_1().columns)


def clusters_of(result: Result) -> list[list[int]]:
    assert isinstance(result.recoding, PerCluster)
    actual: dict[int, list[int]] = {}
    for record, cluster in enumerate(result.recoding.cluster.tolist()):
        actual.setdefault(cluster, []).append(record)
    assert list(actual) == list(range(len(actual)))
    return list(actual.values())


def replayed(result: Result, start: list[list[int]]) -> list[list[list[int]]]:
    """Return the merges of a trace as pairs of member lists."""
    clusters, merges = {members[0]: members for members in start}, []
    for merge in result.trace:
        pair = [clusters.pop(merge.seed), clusters.pop(merge.other)]
        merges.append(pair)
        union = sorted(pair[0] + pair[1])
        assert len(union) == merge.size
        clusters[union[0]] = union
    return merges


@pytest.mark.parametrize("name", RUNS)
def test_merges_reproduce_the_reference_results(name: str) -> None:
    bound, merge, order, delta = name.split()
    kind: Any = RumBound if bound == "Rum" else TumBound
    algorithm = kind(k=2, m=2, delta=float(delta), merge=merge.lower(), order=order)
    expected = RUNS[name]
    table, hierarchies = figure_table(), figure_1().hierarchies
    if expected is None or expected[2] is False:
        with pytest.raises(InfeasibleError) as caught:
            algorithm.recode(table, hierarchies)
        assert caught.value.bound == float(delta)
        assert caught.value.achieved == pytest.approx(55 / 153 if expected is None else expected[4], abs=1e-9)
        return
    result = algorithm.recode(table, hierarchies)
    rum, tum = expected[-2:]
    assert clusters_of(result) == expected[0]
    assert replayed(result, [[0, 1], [2, 3], [4, 5]]) == expected[1]
    assert result.figures["rum"] == pytest.approx(rum, abs=1e-12)
    assert result.figures["tum"] == pytest.approx(tum, abs=1e-9)
    publication = apply(table, result.recoding)
    assert record_utility_loss(publication) == pytest.approx(tum, abs=1e-9)
    assert relational_ncp(figure_1().qi, result.recoding.cluster) == pytest.approx(rum, abs=1e-12)


def published(algorithm: Any) -> tuple[list[list[str]], list[tuple[str, ...]]]:
    table = figure_table()
    publication = apply(table, algorithm.recode(table, figure_1().hierarchies).recoding)
    assert publication.transactions is not None
    relational = list(zip(*(column.labels() for column in publication.relational), strict=True))
    return list(publication.transactions.rows()), relational


def test_one_cluster_is_published_as_in_the_papers_table() -> None:
    rows, relational = published(RumBound(k=2, m=2, delta=1.0))
    expected = [{"E", "(A,B,C)", "(D,F)"}, {"E", "(D,F)"}, {"E", "(A,B,C)"}, {"(D,F)"}, {"E"}, {"(A,B,C)", "(D,F)"}]
    assert [set(row) for row in rows] == expected
    assert set(relational) == {("[19:70]", "All", "Any")}


def test_rum_bound_reproduces_figure_2d() -> None:
    rows, relational = published(RumBound(k=2, m=2, delta=0.8, merge="t"))
    assert [set(rows[r]) for r in (0, 1, 4, 5)] == [
        {"E", "F", "(A,B,D)"},
        {"E", "F", "(A,B,D)"},
        {"E"},
        {"F", "(A,B,D)"},
    ]
    assert relational[0] == ("[19:70]", "All", "Any")
    assert relational[2] == ("[28:39]", "Europe", "Female")


def test_rfirst_reproduces_figure_2a() -> None:
    rows, relational = published(RFirst(k=2, m=2))
    assert [set(rows[r]) for r in (0, 1, 4, 5)] == [{"E", "F", "(B,D)"}, {"E", "F", "(B,D)"}, {"(A,E,F)"}, {"(A,E,F)"}]
    expected = [("[19:22]", "Europe", "Male"), ("[28:39]", "Europe", "Female"), ("[55:70]", "Africa", "Any")]
    assert relational == [row for row in expected for _ in range(2)]


@pytest.mark.parametrize(
    ("formation", "k", "clusters", "loss"),
    [
        ("cluster", 2, [[0, 1], [2, 3], [4, 5]], 55 / 153),
        ("cluster", 3, [[0, 1, 5], [2, 3, 4]], 10 / 17),
        ("k-member", 2, [[0, 2], [1, 5], [3, 4]], 260 / 459),
        ("mondrian", 2, [[0, 1, 2], [3, 4, 5]], 227 / 306),
        ("xu-bottom-up", 2, [[0, 1], [2, 3], [4, 5]], 55 / 153),
        ("xu-top-down", 2, [[0, 1, 5], [2, 3, 4]], 10 / 17),
    ],
)
def test_initial_clusters_and_their_loss_equal_the_reference_results(
    formation: str, k: int, clusters: list[list[int]], loss: float
) -> None:
    qi = figure_1().qi
    result = formation_of(formation, k).form(qi)
    assert [[r for r in range(6) if result[r] == c] for c in range(result.max() + 1)] == clusters
    assert relational_ncp(qi, result) == pytest.approx(loss, abs=1e-12)
