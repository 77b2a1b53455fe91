import random
from collections import Counter
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from anonset.algorithms.buckets.draws import Draws
from anonset.algorithms.buckets.safe_grouping import PERSON, TUPLE, VALUE
from anonset_kernels.buckets._draws import draw, exchanged
from anonset_kernels.buckets.buckets import anatomize, random_by_code, random_runs, sorted_runs
from anonset_kernels.buckets.safe_grouping import assign_groups, diversify, fewest_shown, group_bounds
from effort import examples
from reference.buckets import anatomy, diverse, drawn_order, groups_of
from reference.buckets import exchanged as naive_exchanged
from reference.draws import keyed, siphash


def key_of(secret: bytes, purpose: str = "") -> NDArray[np.uint64]:
    return Draws(secret).key(purpose)


@settings(max_examples=examples(300))
@given(key=st.binary(min_size=16, max_size=16), number=st.integers(0, 2**63 - 1))
def test_draws_equal_siphash(key: bytes, number: int) -> None:
    with np.errstate(over="ignore"):
        result = draw(np.frombuffer(key, "<u8"), number)
    assert int(result) == siphash(key, number.to_bytes(8, "little"))


def test_the_siphash_twin_returns_the_published_vector() -> None:
    assert siphash(bytes(range(16)), bytes(range(15))) == 0xA129CA6149BE45E5  # appendix A of the paper


@pytest.mark.parametrize("end", [1 << 16, (1 << 16) + 1, (1 << 16) + 2, 3 << 16])
@pytest.mark.parametrize("begin", [0, 1, 7 << 20])
def test_two_places_share_a_draw_unless_their_stretch_is_long(begin: int, end: int) -> None:
    places = [*range(begin + end - 1, begin + end - 9, -1), *range(begin + (1 << 16) + 3, begin + (1 << 16) - 5, -1)]
    drawn, rest = partial(keyed(b"long"), ""), np.uint64(0)
    for place in [place for place in places if place < begin + end]:
        with np.errstate(over="ignore"):
            if place + 1 < begin + end:
                rest = np.uint64(exchanged(key_of(b"long"), place + 1, begin, begin + end, np.uint64(0))[1])
            place_drawn, _ = exchanged(key_of(b"long"), place, begin, begin + end, rest)
        assert place_drawn == naive_exchanged(place, begin, begin + end, drawn)


def in_random_order(codes: list[int], n_codes: int, key: NDArray[np.uint64], room: int) -> NDArray[np.int32]:
    stretch, order = np.empty(len(codes), np.int32), np.empty(len(codes), np.int32)
    with np.errstate(over="ignore"):
        random_by_code(np.array(codes, np.int32), n_codes, key, room, stretch, order)
    return order


few_codes = st.lists(st.sampled_from([0, 0, 0, 1, 4, 6]), max_size=60)


@settings(max_examples=examples(200))
@given(codes=few_codes, room=st.integers(1, 20), secret=st.binary(max_size=4))
def test_random_by_code_equals_its_twin(codes: list[int], room: int, secret: bytes) -> None:
    result = in_random_order(codes, 7, key_of(secret), room)
    assert result.tolist() == drawn_order(codes, partial(keyed(secret), ""), room)


@settings(max_examples=examples(200))
@given(lengths=st.lists(st.sampled_from([1, 1, 2, 2, 5]), min_size=1, max_size=60), room=st.integers(1, 20))
def test_random_runs_equals_its_twin(lengths: list[int], room: int) -> None:
    first = np.cumsum([0, *lengths])
    order = np.arange(first[-1], dtype=np.int32)[::-1].copy()
    with np.errstate(over="ignore"):
        gathered, starts = random_runs(order, first, key_of(b"runs"), room)
    weights = Counter({-length: length for length in lengths})
    expected = drawn_order([-length for length in lengths], partial(keyed(b"runs"), ""), room, weights)
    assert gathered.tolist() == [t for run in expected for t in order[first[run] : first[run + 1]].tolist()]
    assert starts.tolist() == np.cumsum([0, *(lengths[run] for run in expected)]).tolist()
    assert (gathered.dtype, starts.dtype) == (np.int32, np.int64)


def test_every_order_is_as_likely() -> None:
    seen = Counter[tuple[int, ...]]()
    for seed in range(6000):
        seen[tuple(in_random_order([0] * 4, 1, key_of(b"%d" % seed), 1 + seed % 4).tolist())] += 1
    assert len(seen) == 24
    assert all(abs(count - 250) < 5 * np.sqrt(250) for count in seen.values())


@given(n=st.integers(1, 60), k=st.integers(1, 20), secret=st.binary(max_size=4))
def test_group_bounds_draw_as_their_twin(n: int, k: int, secret: bytes) -> None:
    if n < k:
        return
    with np.errstate(over="ignore"):
        bounds = group_bounds(n, k, key_of(secret))
    assert np.diff(bounds).tolist() == [len(group) for group in groups_of(range(n), k, partial(keyed(secret), ""))]
    assert np.diff(bounds).min() >= k
    assert np.ptp(np.diff(bounds)) <= 1


@settings(max_examples=examples(100))
@given(bits=st.integers(0, 31), data=st.data())
def test_sorted_runs_sorts_stably_and_finds_the_runs(bits: int, data: st.DataObject) -> None:
    n_keys = data.draw(st.integers((1 << bits) // 2 + 1, 1 << bits))
    few = data.draw(st.lists(st.integers(0, n_keys - 1), min_size=1, max_size=5))
    keys = data.draw(st.lists(st.sampled_from([*few, n_keys - 1]), max_size=40))
    order, starts = sorted_runs(np.array(keys, np.int64), n_keys)
    assert order.tolist() == sorted(range(len(keys)), key=lambda row: keys[row])
    ordered = sorted(keys)
    assert starts.tolist() == [i for i in range(len(keys)) if i == 0 or ordered[i] != ordered[i - 1]] + [len(keys)]
    assert (order.dtype, starts.dtype) == (np.int32, np.int64)


def concentrated_groups(seed: int, size: int) -> tuple[list[int], list[int], list[int]]:
    """Draw groups in which a few values are too frequent: values, persons, and the groups of each person."""
    rng = random.Random(seed)
    value: list[int] = []
    person: list[int] = []
    bounds = [0]
    n_persons = 0
    for _ in range(rng.randint(1, 3)):
        weights = [rng.choice([1, 2, 20, 30]) for _ in range(rng.randint(1, 12))]
        for _ in range(rng.randint(1, max(2, size // 8))):
            tuples = rng.randint(1, rng.choice([1, 3, 15]))
            person += [n_persons] * tuples
            value += rng.choices(range(len(weights)), weights, k=tuples)
            n_persons += 1
        bounds.append(n_persons)
    return value, person, bounds


@pytest.mark.parametrize("size", [20, 60, pytest.param(400, marks=pytest.mark.compiled)])
def test_diversify_equals_its_twin(size: int) -> None:
    n_removed = n_values_removed = 0
    for seed in range(100):
        value, person, bounds = concentrated_groups(seed, size)
        l, secret = 1 + seed % 7, b"%d" % seed  # noqa: E741
        start = np.searchsorted(person, np.arange(bounds[-1] + 1)).astype(np.int64)
        keys = np.stack([key_of(secret, purpose) for purpose in (VALUE, PERSON, TUPLE)])
        with np.errstate(over="ignore"):
            retained, n_too_frequent = diversify(
                np.array(value, np.int32), start, np.array(bounds, np.int64), 12, l, keys
            )
        names, places = [f"{v:02}" for v in value], dict(enumerate(range(len(value))))
        for begin, end in pairwise(start[bounds].tolist()):
            remaining = diverse(range(begin, end), person, names, l, places, keyed(secret))
            assert (np.flatnonzero(retained[begin:end]) + begin).tolist() == remaining
            removed = {value[t] for t in set(range(begin, end)) - set(remaining)}
            n_too_frequent -= sum(max(0, c - (end - begin) // l) for c in Counter(value[begin:end]).values())
            n_removed += end - begin - len(remaining)
            n_values_removed = max(n_values_removed, len(removed))
        assert n_too_frequent == 0
    assert n_removed > 20 * size
    assert n_values_removed >= 3


def test_settle_drops_small_groups_and_evens_out_the_others() -> None:
    retained = np.array([1, 0, 1, 1, 1, 1, 0, 1], np.bool_)
    start, bounds = np.array([0, 3, 4, 6, 7, 8], np.int64), np.array([0, 2, 4, 5], np.int64)
    shown, n_dropped = fewest_shown(retained, start, bounds, 2)
    assert (shown.tolist(), n_dropped) == ([1, 0, 0], 3)
    tuples, numbers = np.array([7, 6, 5, 4, 3, 2, 1, 0], np.int32), np.array([4, 0, 0], np.int32)
    with np.errstate(over="ignore"):
        group, starred = assign_groups(retained, tuples, start, bounds, shown, numbers, key_of(b"settle"))
    assert group.tolist() == [-1, -1, -1, -1, 4, 4, -1, 4]
    assert np.flatnonzero(starred).tolist() in ([5], [7])


@pytest.mark.parametrize("seed", range(30))
def test_anatomize_equals_its_twin_for_many_values(seed: int) -> None:
    rng = random.Random(seed)
    n_values = rng.randint(5, 60)
    value = [int(n_values * rng.random() ** 1.2) for _ in range(rng.randint(60, 400))]
    l = max(1, len(value) // max(value.count(v) for v in set(value)) - seed % 2)  # noqa: E741
    order = np.argsort(value, kind="stable").astype(np.int32)
    first = np.searchsorted(np.sort(value), np.arange(n_values + 1))
    expected = anatomy([f"{v:02}" for v in value], l)
    group = np.empty(len(order), np.int32)
    anatomize(order, first.astype(np.int64), l, group)
    assert group.tolist() == expected.group
