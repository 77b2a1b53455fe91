"""Counting given sets up to k, and finding their records, compared with a dictionary."""

import pickle
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from anonset.algorithms.transaction.rare_sets import set_counter
from anonset.algorithms.transaction.rare_sets.set_counter import SetCounter, in_ranges
from anonset.data import Hierarchy
from anonset_kernels.rare_sets._record_codes import ancestor_codes
from effort import examples
from reference.km import supports

N_CODES = 70
"""More than 64, so that bit sets have several words."""
codes = st.sampled_from([0, 1, 2, 3, 62, 63, 64, 65, 69])
records = st.lists(st.sets(codes), max_size=25)
bytes_at_once = st.sampled_from([1, 300, 1_000, 1 << 20])
"""Room for one set, for some sets, and for all."""
EVERY_THREE = list(combinations([0, 2, 3, 40, 62, 63, 64, 65, 69], 3))


FLAT = Hierarchy.balanced([str(c) for c in range(N_CODES)], N_CODES)
ITEMS = ancestor_codes(FLAT.leaf_node, FLAT.parent, np.arange(-1, N_CODES, dtype=np.int32), 2)
"""Each item has a separate code."""


def encoded(rows):
    indptr = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    return indptr, np.array([c for row in rows for c in sorted(row)], np.int32)


def bits(chosen):
    """Return bits as 64-bit words."""
    padded = np.zeros((len(chosen) + 63) // 64 * 64, bool)
    padded[: len(chosen)] = chosen
    return np.packbits(padded, bitorder="little").view(np.uint64)


@pytest.mark.long
@settings(max_examples=examples(150))
@given(records, records, st.integers(3, 5), st.integers(1, 4), bytes_at_once, st.randoms(use_true_random=False))
def test_sets_are_counted_up_to_k_over_any_blocks_and_in_any_ranges(rows, others, size, k, most, random):
    support = supports([*rows, *others], size)
    never = [chosen for chosen in combinations([0, 2, 63, 64, 69], size) if chosen not in support]
    wanted = [*random.sample(sorted(support), (len(support) + 1) // 2), *never]
    random.shuffle(wanted)
    result = []
    for part in in_ranges(np.array(wanted, np.int32).reshape(-1, size), N_CODES, most):
        sets = pickle.loads(pickle.dumps(SetCounter(part, ITEMS, N_CODES, k)))  # as when sent to another process
        for blocks in ([encoded(rows), encoded([])], [encoded(others)]):
            sets.add(sets.count(blocks))
        rare = sets.met < k
        result += zip(map(tuple, sets.sets[rare].tolist()), sets.met[rare].tolist(), strict=True)
    assert sorted(result) == [(chosen, support[chosen]) for chosen in sorted(wanted) if support[chosen] < k]


@settings(max_examples=examples(150))
@given(records, records, st.integers(3, 5), st.randoms(use_true_random=False))
def test_records_that_contain_given_sets_are_found(rows, others, size, random):
    every = sorted(supports([*rows, *others], size))
    chosen = random.sample(every, (len(every) + 1) // 2)
    if not chosen:
        return
    (part,) = in_ranges(np.array(chosen, np.int32), N_CODES, 1 << 20)
    wanted = pickle.loads(pickle.dumps(SetCounter(part, ITEMS, N_CODES, 1)))
    seen = np.array([random.random() < 0.7 for _ in [*others, *rows]], bool)
    blocks = [
        (7, encoded(others), bits(seen[: len(others)])),
        (7 + len(others), encoded(rows), bits(seen[len(others) :])),
    ]
    sets, numbers = wanted.holders(blocks)
    held = [(tuple(part[t].tolist()), number - 7) for t, number in zip(sets, numbers, strict=True)]
    holders = [(entry, i) for i, row in enumerate([*others, *rows]) for entry in chosen if row.issuperset(entry)]
    expected = [(holder, i) for holder, i in holders if seen[i]]
    assert sorted(held) == sorted(expected)
    assert [i for _, i in held] == sorted(i for _, i in held)


def bytes_of_task(part):
    """Return the memory in bytes of a task with some sets, mainly their bits."""
    wanted = SetCounter(part, ITEMS, N_CODES, 2)
    own_bytes = set_counter._zero_counts(wanted.index)
    return sum(array.nbytes for array in (*own_bytes, *wanted.index) if isinstance(array, np.ndarray))


@settings(max_examples=examples(150))
@given(st.sets(st.sampled_from(EVERY_THREE), min_size=1, max_size=60), st.integers(1, 3_000))
def test_ranges_are_complete_and_within_the_memory_limit(sets, most):
    ranges = list(in_ranges(np.array(sorted(sets), np.int32), N_CODES, most))
    joined = np.concatenate(ranges)
    assert np.array_equal(joined, joined[np.lexsort(joined.T)])
    assert set(map(tuple, joined.tolist())) == sets
    assert len(joined) == len(sets)
    fixed = 8 * (N_CODES + 1) + 2 * 8  # borders of the pairs of each code
    assert all(len(part) == 1 or bytes_of_task(part) <= most + fixed for part in ranges)
