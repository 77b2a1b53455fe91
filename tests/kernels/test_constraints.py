"""Choice of the next constraint, compared with counting all of them, after random merges and suppressions."""

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from anonset_kernels.item_sets import constraints as kernels
from anonset_kernels.item_sets._bitmaps import count_held, give_back, make_bitmaps
from anonset_kernels.item_sets._groups import image_of, make_groups, merge_groups, suppress_group
from anonset_kernels.records.rows import transpose
from effort import examples

seeds = st.integers(0, 2**32 - 1)


class Records:
    """Few distinct records with many repetitions, enough for dense and sparse groups."""

    def __init__(self, rng: random.Random, n_items: int) -> None:
        frequency = [rng.random() ** 3 + 0.01 for _ in range(n_items)]
        some = [rng.choices(range(n_items), frequency, k=rng.randint(1, 6)) for _ in range(rng.randint(3, 25))]
        rows = [sorted(set(row)) for row in some]
        drawn = [rows[min(int(rng.expovariate(0.3)), len(rows) - 1)] for _ in range(rng.choice([20, 500, 700]))]
        codes = {x: code for code, x in enumerate(sorted({x for row in drawn for x in row}))}
        drawn = [[codes[x] for x in row] for row in drawn]
        self.n_items, self.times = len(codes), Counter(map(tuple, drawn))
        indptr = np.concatenate([[0], np.cumsum([len(row) for row in drawn])]).astype(np.int64)
        items = np.array([x for row in drawn for x in row], np.int32)
        self.groups: Any = make_groups(indptr, items, self.n_items, np.zeros(self.n_items, np.int32))

    def image(self, itemset: Any) -> frozenset[int]:
        return frozenset(g for x in itemset if (g := int(self.groups.rep[x])) >= 0)

    def shown(self) -> Counter[frozenset[int]]:
        """Return the number of records of each published set of groups."""
        result: Counter[frozenset[int]] = Counter()
        for row, n in self.times.items():
            result[self.image(row)] += n
        return result

    def change(self, rng: random.Random) -> None:
        """Merge or suppress some groups."""
        for _ in range(rng.choice([1, 1, 2, 4])):
            remaining = np.flatnonzero(self.groups.rep == np.arange(self.n_items)).tolist()
            if len(remaining) < 2:
                return
            if rng.random() < 0.15:
                suppress_group(self.groups, rng.choice(remaining))
            else:
                merge_groups(self.groups, *rng.sample(remaining, 2))


def expected_choice(records: Records, itemsets: list[list[int]], k: int) -> int:
    """Choose by the specification: every constraint, every subset of it that occurs."""
    shown, violated = records.shown(), []
    for p, itemset in enumerate(itemsets):
        image = records.image(itemset)
        parts = {row & image for row in shown} - {frozenset()}
        if any(sum(n for row, n in shown.items() if part <= row) < k for part in parts):
            violated.append((-sum(n for row, n in shown.items() if image <= row), p))
    return min(violated, default=(0, -1))[1]


@pytest.mark.long
@settings(max_examples=examples(150))
@given(seeds)
@example(50)  # two different sets of the same size and the same first place in the table
def test_the_next_constraint_is_that_of_the_specification(seed: int) -> None:
    rng = random.Random(seed)
    records = Records(rng, rng.choice([5, 12]))
    k, longest = rng.choice([1, 2, 3, 5, 40]), rng.choice([2, 4, 7])
    itemsets = [
        rng.sample(range(records.n_items), rng.randint(0, min(longest, records.n_items)))
        for _ in range(rng.choice([0, 1, 8, 40]))
    ]
    start = np.concatenate([[0], np.cumsum([len(itemset) for itemset in itemsets])]).astype(np.int64)
    items = np.array([x for itemset in itemsets for x in itemset], np.int32)
    of_start, of = transpose(start, items, records.n_items)
    policy = kernels.make_policy(records.groups, start, items, of_start, of, k)
    for _ in range(2 * records.n_items):
        n_touched = kernels.touch(records.groups, policy, k)
        kernels.update_constraints(records.groups, policy, n_touched, k)
        assert kernels.next_constraint(records.groups, policy, k) == expected_choice(records, itemsets, k)
        records.change(rng)


@settings(max_examples=examples(100))
@given(seeds)
@example(242)  # several groups in few records each
def test_records_that_contain_the_first_groups_are_counted(seed: int) -> None:
    rng = random.Random(seed)
    records = Records(rng, 12)
    bitmaps = make_bitmaps(records.groups)
    for _ in range(4):
        itemset = np.array(rng.sample(range(records.n_items), rng.randint(1, records.n_items)), np.int32)
        image = np.empty(len(itemset), np.int32)
        image = image[: image_of(records.groups, itemset, image)]
        if len(image):
            counts = np.empty(len(image), np.int64)
            count_held(records.groups, bitmaps, image, 10**9, counts)
            shown = records.shown()
            parts = [frozenset(image[: j + 1].tolist()) for j in range(len(image))]
            assert counts.tolist() == [sum(n for row, n in shown.items() if part <= row) for part in parts]
            count_held(records.groups, bitmaps, image, 2, counts)
            assert min(counts[-1], 2) == min(2, sum(n for row, n in shown.items() if parts[-1] <= row))
        records.change(rng)
        for g in np.flatnonzero(records.groups.changed).tolist():
            give_back(bitmaps, g)
        records.groups.changed[:] = 0
