"""Mining minimal threats finds all of them, however the walk is interrupted."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonset_kernels._arrays import ExpandedCodes
from anonset_kernels.suppression._dense_threats import is_dense
from anonset_kernels.suppression.threats import (
    DisclosureRule,
    ThreatRule,
    allow_antichains,
    forbid_pairs,
    hash_sets,
    mine,
)
from effort import examples

N_CODES = 9
sparse = st.lists(st.sets(st.integers(0, N_CODES - 1), max_size=4), max_size=20)
dense = st.lists(st.sets(st.integers(0, N_CODES - 1), min_size=5), max_size=14)
records_of_codes = st.one_of(sparse, dense, st.tuples(sparse, dense).map(lambda both: both[0] + both[1]))
trees = st.lists(st.tuples(st.integers(0, 6), st.integers(1, 3)), min_size=N_CODES, max_size=N_CODES)


def stored(rows):
    """Return the records in the format of `count_tree.expand`."""
    codes = [c for row in rows for c in [*sorted(row), -1]]
    position = [[i for i, c in enumerate(codes) if c == wanted] for wanted in range(N_CODES)]
    start = np.concatenate([[0], np.cumsum([len(p) for p in position])]).astype(np.int64)
    return ExpandedCodes(np.array(codes, np.int32), start, np.array([i for p in position for i in p], np.int32))


def support(chosen, rows):
    return sum(1 for row in rows if row.issuperset(chosen))


def naive_threats(rows, overlap, k, m):
    """Return the minimal rare sets of two to m frequent, non-overlapping codes, by size."""
    result = [set() for _ in range(m + 1)]
    codes = [c for c in range(N_CODES) if support({c}, rows) >= k]
    for size in range(2, m + 1):
        for chosen in map(frozenset, combinations(codes, size)):
            if (
                not any(overlap[a][b] for a, b in combinations(sorted(chosen), 2))
                and 0 < support(chosen, rows) < k
                and not any(threat < chosen for threats in result for threat in threats)
            ):
                result[size].add(chosen)
    return result


def mine_all(rows, intervals, k, m, budget, room):
    """Mine size by size, with as many calls per size as budget and room require."""
    lo, hi = (np.array(bounds, np.int32) for bounds in intervals)
    frequent = [c for c in range(N_CODES) if support({c}, rows) >= k]
    records, mined, n_calls = stored([row & set(frequent) for row in rows]), [set(), set()], 0
    for size in range(2, m + 1):
        allowed = np.zeros((N_CODES, 1), np.uint64)
        for first in range(0, N_CODES, 4):
            allow_antichains(lo, hi, first, min(first + 4, N_CODES), allowed)
        forbid_pairs(np.array([sorted(t) for t in mined[2]] if size > 2 else [], np.int32).reshape(-1, 2), allowed)
        smaller = [sorted(threat) for threats in mined[3:] for threat in threats]
        members = np.array([t + [-1] * (size - 1 - len(t)) for t in smaller], np.int32).reshape(-1, size - 1)
        slots = np.full(1 << (2 * len(members) + 1).bit_length(), -1, np.int32)
        hash_sets(members, 0, len(members), slots)
        position, threats = np.array([0, *[-1] * (size - 1)], np.int32), []
        sets_found = np.empty((room, size), np.int32)
        while position[0] < N_CODES:
            before = position.tolist()
            n, steps = mine(
                records,
                allowed,
                (members, slots),
                position,
                N_CODES,
                ThreatRule(size, k, budget),
                DisclosureRule(0, 0, 1),
                sets_found,
            )
            assert position.tolist() > before
            assert steps >= 0
            threats += [tuple(threat) for threat in sets_found[:n].tolist()]
            n_calls += 1
        assert threats == sorted(set(threats))
        mined.append({frozenset(threat) for threat in threats})
    return mined, n_calls


@pytest.mark.long
@settings(max_examples=examples(200))
@given(records_of_codes, trees, st.integers(1, 6), st.integers(2, 5), st.sampled_from([0, 7, 10**9]))
def test_the_minimal_threats_are_found(rows, spans, k, m, budget):
    intervals = [lo for lo, _ in spans], [lo + length for lo, length in spans]
    overlap = [[a[0] < b[0] + b[1] and b[0] < a[0] + a[1] for b in spans] for a in spans]
    threats, n_calls = mine_all(rows, intervals, k, m, budget, N_CODES if budget == 7 else 1000)
    assert threats == naive_threats(rows, overlap, k, m)
    assert n_calls >= m - 1


def test_interruptions_are_many_and_both_ways_of_searching_occur():
    random = np.random.default_rng(1)
    apart = list(range(N_CODES)), list(range(1, N_CODES + 1))
    for density in (0.35, 0.8):
        rows = [set(np.flatnonzero(random.random(N_CODES) < density).tolist()) for _ in range(60)]
        at_once, one_call_a_size = mine_all(rows, apart, 4, 5, 10**9, 1000)
        bit_by_bit, n_calls = mine_all(rows, apart, 4, 5, 0, 1000)
        assert at_once == bit_by_bit == naive_threats(rows, np.zeros((N_CODES, N_CODES)), 4, 5)
        assert one_call_a_size == 4
        assert n_calls > 60


def test_the_projections_of_many_records_are_stored():
    apart = list(range(N_CODES)), list(range(1, N_CODES + 1))
    rows = [set(chosen) for chosen in combinations(range(N_CODES), 3) for _ in range(60)]
    expected = naive_threats(rows, np.zeros((N_CODES, N_CODES)), 61, 4)
    assert mine_all(rows, apart, 61, 4, 10**9, 1000)[0] == expected
    assert len(expected[3]) == 84


@pytest.mark.parametrize(
    ("n_records", "entries", "n_kept", "k", "expected"),
    [
        (100, 50, 1, 5, False),
        (100, 900, 10, 5, True),  # 81 records contain a pair: many more than two words
        (100, 100, 10, 5, False),
        (64_000, 200_000, 100, 5, False),  # 6 records contain a pair: fewer than the number of words
        (64_000, 3_200_000, 100, 5, True),
        (64_000, 3_200_000, 100, 20_000, True),
        (64_000, 3_200_000, 1_000, 1_000, False),
    ],
)
def test_is_dense_chooses_bit_rows_for_frequent_pairs(n_records, entries, n_kept, k, expected):
    assert is_dense(n_records, entries, n_kept, k) == expected
