"""Verification of disassociated publications, compared with the naive implementation and all possible worlds."""

import random
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.facts import names, refused

from algorithms.chunk_cases import RECORDS, as_in_twin, disassociated, publication_of
from anonset.data import Table, spans
from anonset.errors import InputError, plain_text
from anonset.privacy import DisassociationModel
from anonset.publications import Chunks
from anonset.verification import chunk_truth, verify
from anonset.verification.chunk_truth import check_chunks_true
from effort import examples
from reference import disassociation as twin

MOST_WORLDS = 3000
HOLDS = publication_of(
    [(4, "x", [["a", "a", "ab", "ab"]]), (4, "y", [["a", "a"]]), (4, "z", [["b", "b"]])],
    [(0, 1, ["c", "c", "cd", "cd"])],
)
FORGED = [
    (publication_of([(1, "a", [])]), "'cluster 0' records 1 2"),
    (publication_of([(4, "a", [["a", "a"]])]), "{a} 'cluster 0'"),
    (publication_of([(4, "x", [["a", "a"], ["ab", "ab"]])]), "{a} 'cluster 0'"),
    (publication_of([(2, "x", [["a", "a", "b", "b"]])]), "'cluster 0' sub-records 4 2"),
    (publication_of([(4, "", [["a", "a", "a"]])]), "'cluster 0' terms"),
    (publication_of([(4, "", [["a"] * 3, ["b"] * 2])]), "'cluster 0' terms"),
    (publication_of([(4, "x", [["a", "a", "b", "ab"]])]), "'{a, b}' 1 2"),
    (publication_of([(4, "x", [["a", "a", "b"]])]), "{b} 1 2"),
    (publication_of([(2, "x", []), (2, "y", [])], [(0, 1, ["a", "a", "ab"])]), "{b} 1 2"),
    (publication_of([(2, "x", []), (2, "a", [])], [(0, 1, ["a", "a", "a"])]), "sub-records 3 2"),
    (publication_of([(2, "a", []), (2, "x", [["a", "a"]])], [(0, 1, ["a", "a"])]), "sub-records 2 0"),
    (
        publication_of([(2, "x", [])] * 5, [(0, 4, ["a"] * 3), (0, 3, ["a"] * 2)]),
        "sub-records 3 2",
    ),
    (
        publication_of([(2, "x", []), (2, "y", [])], [(0, 1, ["a", "a"]), (0, 1, ["ab", "ab"])]),
        "{a} clusters 0 1",
    ),
    (
        publication_of([(2, "x", [])] * 3, [(0, 1, ["a", "a"]), (1, 2, ["b", "b"])]),
        "range 1 2",
    ),
    (publication_of([(2, "x", []), (2, "y", [])], [(0, 2, ["a", "a"])]), "clusters 0 2"),
    (publication_of([(2, "x", []), (2, "y", [])], [(1, 1, ["a", "a"])]), "clusters 1 2"),
]
"""Publications that each break a rule for k = m = 2, and the facts in the witness."""


def test_a_publication_that_satisfies_all_rules_verifies() -> None:
    verdict = verify(HOLDS, DisassociationModel(2, 2))
    assert verdict.holds
    assert verdict.checked["chunks"] == 3


@pytest.mark.parametrize("at_once", [1, 4, 1 << 18])
@pytest.mark.parametrize(("publication", "message"), FORGED)
def test_a_violation_of_each_rule_is_found(
    publication: Chunks, message: str, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spans, "AT_ONCE", at_once)
    verdict = verify(publication, DisassociationModel(2, 2))
    assert verdict.holds is False
    assert names(plain_text(f"{verdict}"), message)


SECRET = DisassociationModel(2, 2, ("a",), "1/2")
ABOVE_CAP = [
    (publication_of([(4, "x", [["ab", "ab"]])]), "{a} 'cluster 0'"),
    (publication_of([(5, "x", [["a"] * 3])]), "{a} 'cluster 0' 3 5 cap"),
    (
        publication_of([(4, "x", []), (2, "y", [["a"]]), (2, "z", [])], [(0, 2, ["a"] * 4)]),
        "{a} clusters 0 2 4 6 cap",
    ),
    (
        publication_of([(4, "x", []), (4, "z", [])], [(0, 1, ["a", "a", "ab", "ab"])]),
        "{a} clusters 0 1",
    ),
]


def test_a_sensitive_item_may_fill_its_cap_and_be_a_term() -> None:
    assert verify(publication_of([(4, "x", [["a", "a"], ["b", "b"]]), (9, "a", [])]), SECRET).holds
    assert verify(publication_of([(4, "x", []), (4, "z", [])], [(0, 1, ["a"] * 4)]), SECRET).holds


@pytest.mark.parametrize(("publication", "message"), ABOVE_CAP)
def test_a_sensitive_item_above_its_cap_is_detected(publication: Chunks, message: str) -> None:
    verdict = verify(publication, SECRET)
    assert verdict.holds is False
    assert names(plain_text(f"{verdict}"), message)


TWO = [(4, "x", []), (4, "xy", []), (4, "z", [])]
WRONG_TOTALS = [
    (publication_of(TWO, [], {"x": 1}), "{x} total clusters 2 8 1"),
    (publication_of(TWO, [], {"x": 9}), "{x} total clusters 2 8 9"),
    (publication_of(TWO, [], {"c": 2}), "{c} total"),
    (publication_of([*TWO, (4, "a", [])], [], {"a": 2}), "{a} total sensitive"),
]


def test_correct_totals_of_terms_hold() -> None:
    assert verify(publication_of(TWO, [], {"x": 2, "y": 4}), SECRET).holds


@pytest.mark.parametrize(("publication", "message"), WRONG_TOTALS)
def test_impossible_totals_and_totals_of_sensitive_items_are_detected(publication: Chunks, message: str) -> None:
    verdict = verify(publication, SECRET)
    assert verdict.holds is False
    assert names(plain_text(f"{verdict}"), message)


TRIPLE = publication_of([(9, "x", [["ab", "ab", "ac", "ac", "bc", "bc", "abc"]])])


def test_sets_of_more_than_m_items_may_be_rare() -> None:
    assert verify(TRIPLE, DisassociationModel(2, 2)).holds
    assert verify(TRIPLE, DisassociationModel(2, 3)).holds is False


def test_a_check_beyond_the_budget_is_undecided() -> None:
    assert verify(TRIPLE, DisassociationModel(2, 2), budget=1).holds is None


@pytest.mark.parametrize(
    "publication", [TRIPLE, HOLDS, publication_of([(4, "", [["ab"] * 4]), (4, "", [["abc"] * 4])])]
)
@pytest.mark.parametrize("budget", [0, 1, 4, 6, 9, 13, 100])
def test_the_reach_of_a_budget_is_independent_of_block_size(
    publication: Chunks, budget: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = DisassociationModel(2, 3)
    at_once = verify(publication, model, budget=budget)
    monkeypatch.setattr(spans, "AT_ONCE", 1)
    assert verify(publication, model, budget=budget) == at_once


def test_other_publications_are_refused() -> None:
    with refused(InputError, "disassociation"):
        verify(Table.from_sets([{"a"}, {"a"}]), DisassociationModel(2, 2))


LETTERS = st.sets(st.sampled_from("abc"), min_size=1, max_size=2).map(lambda row: "".join(sorted(row)))
CHUNK = LETTERS.map(lambda row: [row, row]) | st.lists(LETTERS, min_size=2, max_size=3)
CLUSTER = st.tuples(st.integers(2, 3), st.sampled_from(("", "a", "d", "e")), st.lists(CHUNK, max_size=2))
SHARED = st.lists(CHUNK.map(lambda rows: (0, 1, rows)), max_size=2)


SECRETS = st.sampled_from(("", "", "a", "e"))
CAPS = st.sampled_from((Fraction(1, 3), Fraction(1, 2), Fraction(1)))


TOTALS = st.none() | st.dictionaries(st.sampled_from("ade"), st.integers(1, 6), max_size=2)


@pytest.mark.compiled
@given(
    st.lists(CLUSTER, min_size=2, max_size=2),
    SHARED,
    st.integers(1, 3),
    st.booleans(),
    SECRETS,
    CAPS,
    TOTALS,
    st.sampled_from((1, 9)),
)
@settings(max_examples=examples(500), suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
def test_verified_publications_link_no_person(
    clusters: list[object],
    shared: list[object],
    m: int,
    empty: bool,
    secrets: str,
    cap: Fraction,
    totals: dict[str, int] | None,
    at_once: int,
) -> None:
    publication = publication_of(clusters, shared, totals)  # type: ignore[arg-type]
    published = as_in_twin(publication)
    model = DisassociationModel(2, m, tuple(secrets), cap if secrets else None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spans, "AT_ONCE", at_once)
        holds = verify(publication, model).holds
    assert holds == twin.holds(published, 2, m, frozenset(secrets), cap)
    if holds and twin.number_of_worlds(published) <= MOST_WORLDS:
        assert twin.surest_link(published, m, empty=empty) <= Fraction(1, 2)
        if secrets and not any(secrets in cluster.terms for cluster in published.clusters):
            assert twin.surest_conclusion(published, secrets, m, empty=empty) <= cap


@pytest.mark.long
@given(RECORDS, st.integers(1, 4), st.integers(1, 3), st.sampled_from((2, 4, 6)), SECRETS, CAPS)
@settings(max_examples=examples(100))
def test_publications_of_the_algorithm_verify_and_are_true(
    records: list[set[str]], k: int, m: int, size: int, secrets: str, cap: Fraction
) -> None:
    assume(len(records) >= k)
    secret_options = {"sensitive_items": tuple(secrets), "cap": cap} if secrets else {}
    publication = disassociated(records, k, m, size, counts=size > 2, **secret_options)
    verdict = verify(publication, DisassociationModel(k, m, **secret_options))  # type: ignore[arg-type]
    assert verdict.holds
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spans, "AT_ONCE", 8)
        assert verify(publication, verdict.model) == verdict
        assert check_chunks_true(Table.from_sets(records), publication) is None


_DRAW = random.Random(5)
ORIGINAL = [{"abcdefgh"[int(8 * _DRAW.random() ** 2)] for _ in range(4)} for _ in range(48)]


def _changed(publication: Chunks, **changes: object) -> Chunks:
    """Change the first cluster that has terms and chunks."""
    clusters = list(publication.clusters)
    number = next(c for c, cluster in enumerate(clusters) if cluster.terms and cluster.chunks)
    clusters[number] = replace(clusters[number], **changes)  # type: ignore[arg-type]
    return replace(publication, clusters=tuple(clusters))


def _swapped(publication: Chunks) -> Chunks:
    assert publication.record is not None
    return replace(publication, record=np.roll(publication.record, 1))


def _record_twice(publication: Chunks) -> Chunks:
    assert publication.record is not None
    return replace(publication, record=np.concatenate([publication.record[:1], publication.record[:-1]]))


UNTRUE: list[tuple[Callable[[Chunks], Chunks], str]] = [
    (lambda one: _changed(one, chunks=((((0,), 1),),)), "cluster"),
    (_swapped, "cluster"),
    (_record_twice, "clusters 48"),
    (lambda one: _changed(one, n=1), "records"),
    (lambda one: _changed(one, terms=()), "cluster"),
    (lambda one: _changed(one, terms=tuple(range(len(one.vocabulary))), chunks=()), "cluster"),
    (
        lambda one: replace(one, totals=((next(cluster.terms[0] for cluster in one.clusters if cluster.terms), 40),)),
        "term 40",
    ),
    (lambda one: replace(one, shared=()), "cluster"),
    (
        lambda one: replace(
            one, shared=tuple(replace(chunk, rows=tuple((row, n + 1) for row, n in chunk.rows)) for chunk in one.shared)
        ),
        "records",
    ),
    (lambda one: replace(one, cluster=_clusters(one) + np.int32(90)), "cluster"),
    (lambda one: replace(one, cluster=_clusters(one)[:-1]), "clusters 48"),
]


def _clusters(publication: Chunks) -> NDArray[np.int32]:
    assert publication.cluster is not None
    return publication.cluster


@pytest.mark.parametrize("numbers", ["one", "many"])
@pytest.mark.parametrize("at_once", [5, 1 << 17])
@pytest.mark.parametrize(("change", "message"), UNTRUE)
def test_untrue_publications_are_detected(
    change: Callable[[Chunks], Chunks],
    message: str,
    at_once: int,
    numbers: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(spans, "AT_ONCE", at_once)
    if numbers == "many":  # with more chunks and items than fit in 64 bits
        for name in ("_LARGEST_CODE", "_LARGEST_KEY"):
            monkeypatch.setattr(chunk_truth, name, 0)
    publication, table = disassociated(ORIGINAL, 3, 2, 6), Table.from_sets(ORIGINAL)
    assert check_chunks_true(table, publication) is None
    breach = check_chunks_true(table, change(publication))
    assert breach is not None
    assert names(plain_text(f"{breach}"), message)


def test_truth_needs_the_cluster_of_each_record() -> None:
    publication = replace(disassociated(ORIGINAL, 3, 2, 6), record=None, cluster=None)
    with refused(InputError, "cluster"):
        check_chunks_true(Table.from_sets(ORIGINAL), publication)
