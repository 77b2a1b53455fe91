import random
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonset_kernels.buckets import anatomize, counting_order, diversify, gather_runs, settle, sorted_runs
from reference.buckets import anatomy, make_diverse


@settings(max_examples=100, deadline=None)
@given(codes=st.lists(st.integers(0, 6), max_size=30), seed=st.integers(0, 999))
def test_counting_order_sorts_stably(codes: list[int], seed: int) -> None:
    before = list(range(len(codes)))
    random.Random(seed).shuffle(before)
    found = counting_order(np.array(codes, np.int32), 7, np.array(before, np.int32))
    assert found.tolist() == sorted(before, key=lambda row: codes[row])
    assert found.dtype == np.int32


@settings(max_examples=100, deadline=None)
@given(bits=st.integers(0, 31), data=st.data())
def test_sorted_runs_sorts_stably_and_finds_the_runs(bits: int, data: st.DataObject) -> None:
    n_keys = data.draw(st.integers((1 << bits) // 2 + 1, 1 << bits))
    few = data.draw(st.lists(st.integers(0, n_keys - 1), min_size=1, max_size=5))
    keys = data.draw(st.lists(st.sampled_from([*few, n_keys - 1]), max_size=40))
    order, starts = sorted_runs(np.array(keys, np.int64), n_keys)
    assert order.tolist() == sorted(range(len(keys)), key=lambda row: keys[row])
    ordered = sorted(keys)
    assert starts.tolist() == [at for at in range(len(keys)) if at == 0 or ordered[at] != ordered[at - 1]] + [len(keys)]
    assert (order.dtype, starts.dtype) == (np.int32, np.int64)


def test_gather_runs_moves_whole_runs() -> None:
    order, first = np.array([5, 3, 4, 0, 1, 2], np.int32), np.array([0, 1, 3, 6], np.int64)
    gathered, start = gather_runs(order, first, np.array([2, 0, 1], np.int32))
    assert gathered.tolist() == [0, 1, 2, 5, 3, 4]
    assert start.tolist() == [0, 3, 4, 6]


def concentrated_groups(seed: int, size: int) -> tuple[list[int], list[int], list[int], list[int]]:
    """Make groups in which a few values are far too frequent: values, persons, ids' ranks, where groups start."""
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
        bounds.append(len(value))
    identity = list(range(n_persons))
    rng.shuffle(identity)
    return value, person, identity, bounds


@pytest.mark.parametrize("size", [20, 60, 400])
def test_diversify_removes_what_its_twin_does(size: int) -> None:
    n_removed = n_values_removed = 0
    for seed in range(100):
        value, person, identity, bounds = concentrated_groups(seed, size)
        l = 1 + seed % 7  # noqa: E741
        kept = diversify(
            np.array(value, np.int32), np.array(person, np.int32), np.array(identity, np.int32),
            np.array(bounds, np.int64), 12, l,
        )  # fmt: skip
        for begin, end in pairwise(bounds):
            left = list(range(begin, end))
            make_diverse(left, [identity[p] for p in person], [f"{v:02}" for v in value], l)
            assert np.flatnonzero(kept[begin:end]).tolist() == [t - begin for t in left]
            removed = {value[t] for t in set(range(begin, end)) - set(left)}
            n_removed += end - begin - len(left)
            n_values_removed = max(n_values_removed, len(removed))
    assert n_removed > 20 * size
    assert n_values_removed >= 3


def test_settle_drops_small_groups_and_evens_out_the_others() -> None:
    kept = np.array([1, 0, 1, 1, 1, 1, 0, 1], np.bool_)
    start, bounds = np.array([0, 3, 4, 6, 7, 8], np.int64), np.array([0, 2, 4, 5], np.int64)
    group, starred, n_dropped = settle(kept, start, bounds, 2)
    assert group.tolist() == [0, -1, 0, 0, -1, -1, -1, -1]
    assert starred.tolist() == [False, False, True, False, False, False, False, False]
    assert n_dropped == 3


@pytest.mark.parametrize("seed", range(30))
def test_anatomize_forms_the_groups_of_its_twin_from_many_values(seed: int) -> None:
    rng = random.Random(seed)
    n_values = rng.randint(5, 60)
    value = [int(n_values * rng.random() ** 1.2) for _ in range(rng.randint(60, 400))]
    l = max(1, len(value) // max(value.count(v) for v in set(value)) - seed % 2)  # noqa: E741
    order = counting_order(np.array(value, np.int32), n_values, np.arange(len(value), dtype=np.int32))
    first = np.searchsorted(np.sort(value), np.arange(n_values + 1))
    expected = anatomy([f"{v:02}" for v in value], l)
    assert anatomize(order, first.astype(np.int64), l).tolist() == expected.group
