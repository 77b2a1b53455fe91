"""Counting given sets, and all pairs, up to k, against a dictionary."""

from collections import Counter
from itertools import combinations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from anonset.algorithms.transaction.wanted_sets import WantedSets
from anonset_kernels.pairs import count_pairs
from effort import examples

N_CODES = 70
"""More than there are bits in a word."""
codes = st.sampled_from([0, 1, 2, 3, 62, 63, 64, 65, 69])
records = st.lists(st.sets(codes), max_size=25)
longer_records = st.lists(st.sets(st.integers(50, N_CODES - 1)), max_size=25)
"""Records of fewer codes than are counted pair by pair, and of more."""


def encoded(rows):
    return np.array([c for row in rows for c in (*sorted(row), -1)], np.int32)


def supports(rows, size):
    return Counter(chosen for row in rows for chosen in combinations(sorted(row), size))


@settings(max_examples=examples(150))
@given(records, records, st.integers(3, 5), st.integers(1, 4), st.randoms(use_true_random=False))
def test_sets_are_counted_up_to_k_over_any_blocks(rows, others, size, k, random):
    support = supports([*rows, *others], size)
    never = [chosen for chosen in combinations([0, 2, 63, 64, 69], size) if chosen not in support]
    wanted = [*random.sample(sorted(support), (len(support) + 1) // 2), *never]
    random.shuffle(wanted)
    sets = WantedSets(np.array(wanted, np.int32).reshape(-1, size), N_CODES, k)
    for blocks in ([encoded(rows), encoded([])], [encoded(others)]):
        sets.add(sets.count(blocks))
    found, counts = sets.rare()
    rare = [(chosen, support[chosen]) for chosen in sorted(wanted) if support[chosen] < k]
    assert list(zip(map(tuple, found.tolist()), counts.tolist(), strict=True)) == rare


@settings(max_examples=examples(150))
@given(longer_records, longer_records, st.integers(1, 300))
def test_pairs_are_counted_up_to_k_over_blocks_and_rows(rows, others, k):
    pairs = [np.zeros((last - first, N_CODES), np.uint16) for first, last in ((0, 63), (63, N_CODES))]
    for block in (rows, others):
        for matrix, (first, last) in zip(pairs, ((0, 63), (63, N_CODES)), strict=True):
            count_pairs(encoded(block), first, last, k, matrix)
    expected = np.zeros((N_CODES, N_CODES), np.uint16)
    for (a, b), n in supports([*rows, *others], 2).items():
        expected[a, b] = min(n, k)
    assert np.array_equal(np.concatenate(pairs), expected)


def test_records_of_any_length_are_counted():
    rows = [list(range(n)) for n in range(N_CODES + 1)] * 2
    pairs = np.zeros((N_CODES, N_CODES), np.uint16)
    count_pairs(encoded(rows), 0, N_CODES, 100, pairs)
    behind = np.maximum.outer(np.arange(N_CODES), np.arange(N_CODES))
    expected = np.minimum(100, 2 * (N_CODES - behind))
    assert np.array_equal(pairs, np.triu(expected, 1))
