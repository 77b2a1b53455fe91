"""Expected answers on disassociated publications, compared with all possible reconstructions."""

import random
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import anonset
from algorithms.chunk_cases import as_in_twin, disassociated, publication_of
from anonset.publications import Chunks
from anonset.queries import Query, TrueCounts
from anonset.queries.chunks import ChunkCounts
from effort import examples
from reference.reconstruction import expected_counts, items_of, number_drawn

OWN, SHARED = "abc", "de"
MOST = 20_000


@st.composite
def publications(draw: st.DrawFn) -> Chunks:
    """Draw records of one or two clusters, and the place of each item."""
    clusters, rows_of_all = [], list[str]()
    n_clusters = draw(st.integers(1, 2))
    for _ in range(n_clusters):
        records = draw(st.lists(st.sets(st.sampled_from(OWN + SHARED)), min_size=2, max_size=3))
        shares = n_clusters > 1 and draw(st.booleans())
        places = {item: draw(st.integers(0, 3)) for item in (OWN if shares else OWN + SHARED)}
        if draw(st.booleans()):
            places = {item: place % 3 for item, place in places.items()}
        rows = [
            ["".join(sorted(item for item in record if places.get(item) == place)) for record in records]
            for place in range(3)
        ]
        terms = "".join(sorted(item for item in set().union(*records) if places.get(item) == 3))
        rows_of_all += ["".join(sorted(record & set(SHARED))) for record in records] if shares else []
        clusters.append((len(records), terms, [chunk for record in rows if (chunk := list(filter(None, record)))]))
    shared = list(filter(None, rows_of_all))
    totals = {}
    for term in sorted(set().union(*(terms for _, terms, _ in clusters))):
        sizes = [n for n, terms, _ in clusters if term in terms]
        totals[term] = draw(st.integers(len(sizes), sum(sizes)))
    with_totals = totals if draw(st.booleans()) else None
    return publication_of(clusters, [(0, n_clusters - 1, shared)] if shared else [], with_totals)


def queries_on(items: Sequence[str]) -> list[tuple[str, ...]]:
    return [query for size in range(4) for query in combinations(sorted(items), size)]


@pytest.mark.long
@pytest.mark.compiled
@given(publications())
@settings(max_examples=examples(150))
def test_expected_counts_are_the_mean_over_all_possible_tables(publication: Chunks) -> None:
    twin = as_in_twin(publication)
    assume(number_drawn(twin) <= MOST)
    queries = queries_on(sorted(items_of(twin)))
    counts = ChunkCounts(publication)
    expected = list(map(float, expected_counts(twin, queries)))
    assert [counts.count(Query(query)) for query in queries] == pytest.approx(expected, rel=1e-12, abs=1e-12)
    codes = list(range(len(publication.vocabulary)))[::-1]
    pairs = {query: answer for query, answer in zip(queries, expected, strict=True) if len(query) == 2}
    labels = [publication.vocabulary.labels[code] for code in codes]
    wanted = [[0 if a == b else pairs[min(a, b), max(a, b)] for b in labels] for a in labels]
    assert counts.pairs(codes) == pytest.approx(np.array(wanted).reshape(len(codes), len(codes)), rel=1e-12, abs=1e-12)


COVERED = [
    (publication_of([(3, "", [["a", "a"], ["b"]])]), "ab", 0),
    (publication_of([(3, "", [["a", "a", "a"], ["b"]])]), "ab", 1),
    (publication_of([(3, "", [["a", "a"], ["b", "b"]])]), "ab", 1),
    (publication_of([(3, "x", [["a", "a"], ["b", "b"]])]), "ab", 4 / 3),
    (publication_of([(3, "x", [["ac", "a"], ["b", "b"]])]), "acb", 2 / 3),
    (publication_of([(2, "", [["a", "a"]]), (2, "", [["b", "b"]])], [(0, 1, ["c", "cd"])]), "ac", 1),
    (publication_of([(2, "", [["a", "a"]]), (2, "", [["b", "b"]])], [(0, 1, ["c", "cd"])]), "acd", 0.5),
    (publication_of([(2, "c", [["a", "a"]]), (2, "", [["b", "b"]])], [(0, 1, ["c"])]), "bc", 1),
    (publication_of([(2, "c", [["a", "a"]]), (2, "", [["b", "b"]])], [(0, 1, ["c"])]), "ac", 1),
]


@pytest.mark.parametrize(("publication", "items", "expected"), COVERED)
def test_small_publications_by_hand(publication: Chunks, items: str, expected: float) -> None:
    assert ChunkCounts(publication).count(Query(tuple(items))) == pytest.approx(expected, rel=1e-12)


def rows(n: int) -> list[set[str]]:
    chance = random.Random(6)
    return [{f"i{int(40 * chance.random() ** 2)}" for _ in range(chance.randint(0, 6))} for _ in range(n)]


def true_counts(table: anonset.Table) -> TrueCounts:
    assert table.transactions is not None
    return TrueCounts(table.transactions)


def test_single_items_are_exact_but_for_terms() -> None:
    publication, original = disassociated(rows(900), 3, 2, 20), anonset.Table.from_sets(rows(900))
    assert publication.shared
    counts, true = ChunkCounts(publication), true_counts(original)
    in_terms = {term for cluster in publication.clusters for term in cluster.terms}
    for item, label in enumerate(publication.vocabulary.labels):
        if item not in in_terms:
            assert counts.count(Query((label,))) == pytest.approx(true.count(Query((label,))), rel=1e-12)
    assert len(in_terms) < len(publication.vocabulary)


@pytest.mark.long
def test_expected_counts_agree_with_random_draws() -> None:
    """The mean over draws is within five standard errors."""
    release = anonset.anonymize(
        anonset.Table.from_sets(rows(300)), anonset.Disassociation(k=3, m=2, cluster_size=20), workers=1
    )
    counts, frequent = ChunkCounts(release.publication), [f"i{number}" for number in range(6)]
    queries = [Query(query) for size in (2, 3) for query in combinations(frequent, size)]
    draws = [true_counts(anonset.reconstruct(release, seed=seed)) for seed in range(40)]
    drawn = np.array([[draw.count(query) for query in queries] for draw in draws])
    error = drawn.std(axis=0, ddof=1) / np.sqrt(len(draws))
    expected = np.array([counts.count(query) for query in queries])
    assert (expected > 0).all()
    assert (np.abs(drawn.mean(axis=0) - expected) <= 5 * error + 1e-9).all()
