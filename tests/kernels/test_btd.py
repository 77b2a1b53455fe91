"""Distances of records and clusters compared with sets: large clusters, wide universes, and widened searches."""

import random
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import reference.rt as twins
from anonset.algorithms.rt.distances import Distances
from anonset.data import SetColumn
from anonset_kernels.rt.btd import common_items, length, pack_records, record_distance
from effort import examples

few = settings(max_examples=examples(40), suppress_health_check=[HealthCheck.too_slow])


def column_of(rows: Sequence[set[int]], n_items: int) -> SetColumn:
    return SetColumn.of([{f"i{x:05}" for x in row} for row in rows], universe=[f"i{x:05}" for x in range(n_items)])


def labels(row: set[int]) -> set[str]:
    return {f"i{x}" for x in row}


def distances_of(rows: Sequence[set[int]], numerator: str) -> NDArray[np.float64]:
    """Return the BTD of all pairs of different records."""
    apart, names = np.zeros((len(rows), len(rows))), [labels(row) for row in rows]
    for a, b in combinations(range(len(rows)), 2):
        apart[a, b] = apart[b, a] = float(twins.distance(names[a], names[b], numerator))
    return apart


def farthest(apart: NDArray[np.float64], left: Sequence[int], right: Sequence[int]) -> float:
    """Return the BTD of a union, from all pairs of its records."""
    union = [*left, *right]
    return float(apart[np.ix_(union, union)].max())


@given(rows=st.lists(st.sets(st.integers(0, 199), max_size=12), max_size=8), with_or=st.booleans())
def test_packed_records_keep_lengths_and_common_items(rows: list[set[int]], with_or: bool) -> None:
    column = column_of(rows, 200)
    chosen = np.arange(len(rows))[::-1]
    place, packed = pack_records(column.indptr, column.items, chosen, 200)
    numerator = "or" if with_or else "xor"
    rows = rows[::-1]
    for a, first in zip(place.tolist(), rows, strict=True):
        assert length(packed, a) == len(first)
        assert int(packed[a + 1]) == sum({1 << (x * 64 // 200) for x in first})
        for b, second in zip(place.tolist(), rows, strict=True):
            assert common_items(packed, a, b) == len(first & second)
            wanted = twins.distance(labels(first), labels(second), numerator)
            assert record_distance(packed, a, b, with_or) == float(wanted)


def draw(source: random.Random) -> tuple[list[set[int]], list[list[int]], int]:
    """Draw records that share many items, clusters of very different sizes, and a number of items."""
    n_items = source.choice([3, 40, 64, 200, 1000])
    kinds = [source.sample(range(n_items), min(n_items, source.choice([2, 12, 40]))) for _ in range(3)]
    rows = []
    for _ in range(source.choice([20, 200])):
        kind = source.choice(kinds)
        rows.append({*source.sample(kind, source.randint(0, len(kind))), *(kind[:1] if source.random() < 0.5 else [])})
    cuts = sorted(source.sample(range(1, len(rows)), 5))
    clusters = [list(range(a, b)) for a, b in zip([0, *cuts], [*cuts, len(rows)], strict=True)]
    return rows, clusters, n_items


@few
@given(seed=st.integers(0, 10**9), numerator=st.sampled_from(["xor", "or"]))
def test_searches_find_the_nearest_unions(seed: int, numerator: str) -> None:
    source = random.Random(seed)
    rows, clusters, n_items = draw(source)
    distances = Distances(column_of(rows, n_items), [np.array(c) for c in clusters], numerator)  # type: ignore[arg-type]
    apart = distances_of(rows, numerator)
    assert distances.own.tolist() == [farthest(apart, c, []) for c in clusters]
    while len(clusters) > 1:
        c = source.randrange(len(clusters))
        wanted = np.array([x != c and source.random() < 0.9 for x in range(len(clusters))])
        result = {x: farthest(apart, clusters[c], other) for x, other in enumerate(clusters) if x != c}
        order = sorted((result[x], x) for x in np.flatnonzero(wanted).tolist())
        search = distances.search(c, wanted)
        for count in (1, source.randint(0, 6), 6):
            places, nearest = search.nearest(count)
            assert list(zip(nearest.tolist(), places.tolist(), strict=True)) == order[:count]
        assert not distances.expanded.any()
        x = source.choice([x for x in range(len(clusters)) if x != c])
        survivor, gone = min(c, x), max(c, x)
        distances.merge(survivor, gone, result[x])
        clusters[survivor] += clusters.pop(gone)
        distances.keep(np.arange(len(clusters) + 1) != gone)


def test_a_cluster_without_records_is_never_wanted() -> None:
    rows = [{0, 1}, {2}, {3}]
    clusters = [np.array([0]), np.empty(0, np.int64), np.array([1, 2])]
    distances = Distances(column_of(rows, 4), clusters, "xor")
    assert distances.heads[:, :2].tolist() == [[2, -1], [-1, -1], [1, 1]]
    places, nearest = distances.search(0, np.array([False, False, True])).nearest(3)
    assert (places.tolist(), nearest.tolist()) == ([2], [4.0])


@pytest.mark.parametrize(("left", "right"), [([3, 1], [2]), ([], [2, 2, 0]), ([1], [])])
def test_a_union_has_its_longest_records_first(left: list[int], right: list[int]) -> None:
    rows = [set(range(size)) for size in (*left, *right)]
    parts = [np.arange(len(left)), np.arange(len(left), len(rows))]
    distances = Distances(column_of(rows, 4), parts, "xor")
    distances.merge(0, 1, 0.0)
    united = sorted((*left, *right), reverse=True)
    members = distances.members[distances.first[0] :][: len(rows)]
    assert [length(distances.packed, r) for r in members] == united
    assert distances.size.tolist() == [len(rows), 0]
    assert distances.heads[0].tolist() == [*united[:2], *[-1] * (2 - len(united)), *distances.heads[0, 2:].tolist()]
    assert distances.heads[0, 3] == members[0]


def test_records_beyond_the_first_64_are_searched() -> None:
    rows = [*({0, 1, 2 + i} for i in range(70)), {1, 501}, {0, 600}]
    distances = Distances(column_of(rows, 700), [np.arange(71), np.array([71])], "xor")
    assert distances.own.tolist() == [2.0, 0.0]
    assert distances.search(0, np.array([False, True])).nearest(1)[1].tolist() == [5.0]
