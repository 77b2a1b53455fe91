"""Disassociation against the naive implementation, and the guarantee in all possible originals of tiny publications."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.facts import refused

from algorithms.chunk_cases import RECORDS, as_in_twin, disassociated, publication_of
from anonset.algorithms.transaction.disassociation.disassociation import Disassociation
from anonset.algorithms.transaction.disassociation.horizontal_parts import horizontal_parts
from anonset.data import SetColumn, Table, spans
from anonset.errors import InfeasibleError, InputError
from anonset_kernels.disassociation.chunk_fitting import needs_term
from effort import examples
from reference import disassociation as twin

CLUSTERINGS = st.sampled_from(("gray", "horpart"))
SECRETS = st.sampled_from(("", "", "a", "b", "ah"))
CAPS = st.sampled_from((Fraction(1, 10), Fraction(1, 3), Fraction(1, 2), Fraction(1)))
SIZES = st.sampled_from((2, 3, 4, 6, 60))
MOST_WORLDS = 4000
COUNTEREXAMPLE = publication_of([(3, "", [["1", "01", "01"]]), (3, "9", [])], [(0, 1, ["02", "02"])])
"""Counterexample to the paper's condition for shared chunks: the chunk of the first cluster is inside two chunks
with the same domain.
"""


@pytest.mark.long
@given(RECORDS, st.integers(1, 4), st.integers(1, 4), SIZES, SECRETS, CAPS, st.booleans(), CLUSTERINGS)
@settings(max_examples=examples(300), suppress_health_check=[HealthCheck.too_slow])
def test_publishes_the_same_chunks_as_the_twin(
    records: list[set[str]], k: int, m: int, size: int, secrets: str, cap: Fraction, counts: bool, clustering: str
) -> None:
    if len(records) < k:
        return
    parameters = twin.Asked(k, m, size, frozenset(secrets), cap, counts, clustering)
    expected, cluster_of = twin.disassociate(records, parameters)
    more = {"counts": counts, "clustering": clustering, **_capped(secrets, cap)}
    publication = disassociated(records, k, m, size, **more)
    assert as_in_twin(publication) == expected
    assert publication.record is not None
    assert publication.cluster is not None
    sizes = [publication.cluster.tolist().count(c) for c in range(len(expected.clusters))]
    assert sizes == [cluster_of.count(c) for c in range(len(expected.clusters))]


def _capped(secrets: str, cap: Fraction) -> dict[str, object]:
    return {"sensitive_items": tuple(secrets), "cap": cap} if secrets else {}


@pytest.mark.long
@given(RECORDS, st.randoms(use_true_random=False), st.integers(2, 4), SIZES, CLUSTERINGS)
@settings(max_examples=examples(50))
def test_is_independent_of_the_order_of_the_records(
    records: list[set[str]], random: object, k: int, size: int, clustering: str
) -> None:
    if len(records) < k:
        return
    shuffled = list(records)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    first, other = (disassociated(rows, k, 2, size, clustering=clustering) for rows in (records, shuffled))
    assert (first.clusters, first.shared, first.vocabulary.labels) == (
        other.clusters,
        other.shared,
        other.vocabulary.labels,
    )


@given(RECORDS, st.integers(2, 4), SIZES)
@settings(max_examples=examples(50))
def test_is_independent_of_block_size(records: list[set[str]], k: int, size: int) -> None:
    if len(records) < k:
        return
    publication_and_clusters = disassociated(records, k, 2, size, counts=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spans, "AT_ONCE", 3)
        other = disassociated(records, k, 2, size, counts=True)
    assert (publication_and_clusters.clusters, publication_and_clusters.shared, publication_and_clusters.totals) == (
        other.clusters,
        other.shared,
        other.totals,
    )


@pytest.mark.long
@given(
    st.lists(st.sets(st.sampled_from("abcdef"), max_size=4), min_size=2, max_size=6),
    st.integers(2, 3),
    st.integers(1, 3),
    st.sampled_from((2, 3, 4)),
    st.booleans(),
    st.booleans(),
    CLUSTERINGS,
)
@settings(max_examples=examples(300), suppress_health_check=[HealthCheck.too_slow])
def test_links_no_person_in_all_possible_worlds(
    records: list[set[str]], k: int, m: int, size: int, empty: bool, counts: bool, clustering: str
) -> None:
    if len(records) < k:
        return
    published = as_in_twin(disassociated(records, k, m, size, counts=counts, clustering=clustering))
    if twin.number_of_worlds(published) <= MOST_WORLDS:
        assert twin.surest_link(published, m, empty=empty) <= Fraction(1, k)


@pytest.mark.long
@pytest.mark.compiled
@given(
    st.lists(st.sets(st.sampled_from("aaaabcdef"), max_size=4), min_size=2, max_size=6),
    *(st.integers(2, 3), st.integers(1, 3), st.sampled_from((2, 3, 4)), CAPS, st.booleans()),
)
@settings(max_examples=examples(300), suppress_health_check=[HealthCheck.too_slow])
def test_no_sensitive_item_is_inferred_above_its_cap(
    records: list[set[str]], k: int, m: int, size: int, cap: Fraction, empty: bool
) -> None:
    if len(records) < k:
        return
    published = as_in_twin(disassociated(records, k, m, size, sensitive_items=("a",), cap=cap))
    if any("a" in cluster.terms for cluster in published.clusters):
        return  # the number of records with a term is not published
    if twin.number_of_worlds(published) <= MOST_WORLDS:
        assert twin.surest_link(published, m, empty=empty) <= Fraction(1, k)
        assert twin.surest_conclusion(published, "a", m, empty=empty) <= cap


@pytest.mark.parametrize("empty", [False, True])
def test_a_sensitive_item_with_others_in_a_chunk_could_be_inferred_from_them(empty: bool) -> None:
    beside = as_in_twin(publication_of([(4, "x", [["as", "as"]])]))
    apart = as_in_twin(publication_of([(4, "x", [["a", "a"], ["s", "s"]])]))
    assert twin.surest_conclusion(beside, "s", 1, empty=empty) == 1
    assert twin.surest_conclusion(apart, "s", 1, empty=empty) == Fraction(1, 2)


@pytest.mark.parametrize("empty", [False, True])
def test_shared_chunks_that_fall_anywhere_would_break_the_guarantee(empty: bool) -> None:
    published = as_in_twin(COUNTEREXAMPLE)
    assert twin.falls_on(published, published.shared[0]) == [1]
    assert twin.surest_link(published, 2, empty=empty) == Fraction(1, 2)
    assert twin.surest_link(published, 2, empty=empty, anywhere=True) == 1


CHUNKS = st.lists(
    st.lists(st.sampled_from(("", "0", "1", "01")), min_size=3, max_size=4).map(tuple), min_size=1, max_size=3
)


@given(CHUNKS, st.integers(2, 3), st.integers(1, 3))
@settings(max_examples=examples(300))
def test_rule_4_is_exact_for_a_cluster_by_itself(texts: list[tuple[str, ...]], k: int, m: int) -> None:
    n = max(map(len, texts))
    letters = [{"0": "abc"[place], "1": "def"[place]} for place in range(3)]
    chunks = [
        twin.in_order(frozenset(letters[place][mark] for mark in row) for row in rows)
        for place, rows in enumerate(texts)
    ]
    cluster = twin.Cluster(n, frozenset(), tuple(rows for rows in chunks if rows and twin.is_km(rows, k, m)))
    published = twin.Chunks((cluster,))
    if not cluster.chunks or twin.number_of_worlds(published) > MOST_WORLDS:
        return
    safe = twin.some_world_shows_k(published, k, m)
    assert twin.covers(cluster, k, m) == safe
    assert needs_term(n, np.array([len(rows) for rows in cluster.chunks]), k, m) != safe


@pytest.mark.parametrize(("n", "k", "size"), [*product((1, 5, 11, 12, 13, 47, 48, 49), (1, 2, 5), (1, 6, 12))])
def test_clusters_have_at_least_k_records_and_about_the_requested_size(n: int, k: int, size: int) -> None:
    if n < k:
        with refused(InfeasibleError, f"{n} k {k}"):
            disassociated([{"a"}] * n, k, 2, size)
        return
    sizes = [cluster.n for cluster in disassociated([{"a"}] * n, k, 2, size).clusters]
    assert sum(sizes) == n
    assert min(sizes) >= min(n, max(k, max(size, 2 * k) // 2))
    assert max(sizes) <= max(size, 2 * k)


def test_no_item_divides_records_if_fewer_than_k_records_lack_it() -> None:
    records = SetColumn.of(({"a"}, {"a"}, {"a"}, {"a"}, {"b"}))
    assert [part.tolist() for part in horizontal_parts(records, 2, 4)] == [[0, 1], [2, 3, 4]]
    assert [part.tolist() for part in horizontal_parts(records, 1, 4)] == [[0, 1, 2, 3], [4]]


def test_items_of_fewer_than_k_records_are_suppressed() -> None:
    publication = disassociated([{"a", "x"}, {"a", "b"}, {"b"}, {"a"}], 2, 2, 60)
    assert publication.vocabulary.labels == ("a", "b")


def test_data_without_sets_or_without_records() -> None:
    with refused(InputError, "set-valued"):
        Disassociation(k=2, m=2).recode(Table(), {})
    assert disassociated([], 3, 2, 60).clusters == ()
    empty = Table(SetColumn.of([set(), set()], universe=["a"]))
    assert Disassociation(k=2, m=2).recode(empty, {}).figures["clusters"] == 1
    with refused(InputError, "cluster_size 1 0"):
        Disassociation(k=2, m=2, cluster_size=0)
    with refused(InputError, "clustering gray horpart trie"):
        Disassociation(k=2, m=2, clustering="trie")  # type: ignore[arg-type]
    assert disassociated([], 3, 2, 60, clustering="horpart").clusters == ()
    assert len(disassociated([set()] * 7, 1, 2, 2, clustering="horpart").clusters) == 4
