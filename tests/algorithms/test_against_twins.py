"""The library's algorithms make the same decisions as the naive implementations."""

import random
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from algorithms.implementations import run_library, run_twin
from effort import examples
from reference.hierarchy_model import HierarchyModel, Tree
from reference.measures import item_ncp
from reference.transaction_algorithms import brute_force, is_km

LEAVES = "dbfhaigce"  # not in code point order: positions come from the tree
Case = tuple[Tree, list[set[str]], int, int]

thorough = settings(max_examples=examples(600), suppress_health_check=[HealthCheck.too_slow])


@st.composite
def trees(draw: st.DrawFn, least: int = 1) -> Tree:
    """Draw a tree of up to 9 leaves of uneven depth, with a few single-child nodes."""
    forest: list[Tree] = list(LEAVES[: draw(st.integers(least, len(LEAVES)))])
    n_inner = 0
    while len(forest) > 1 or n_inner == 0:
        first = draw(st.integers(0, max(0, len(forest) - 2)))
        width = draw(st.sampled_from([2, 2, 2, 3, 3, 4, 1])) if n_inner < 9 else len(forest)
        forest[first : first + width] = [(f"n{n_inner}", forest[first : first + width])]
        n_inner += 1
    return forest[0]


@st.composite
def drawn_cases(draw: st.DrawFn) -> Case:
    """Draw a tree, records over the leaves (some empty), k and m. These cases shrink well. Most are easy."""
    tree = draw(trees())
    leaves = st.sampled_from(HierarchyModel(tree).leaves)
    rows = draw(st.lists(st.sets(leaves, max_size=5), max_size=14))
    return tree, rows, draw(st.integers(1, 4)), draw(st.integers(1, 4))


def random_tree(rng: random.Random, leaves: Sequence[str]) -> Tree:
    """Split the leaves at random, level by level, into a tree of uneven depth."""
    names = iter(range(10**6))

    def grow(part: Sequence[str]) -> Tree:
        if len(part) == 1:
            return part[0]
        n_cuts = rng.randint(1, min(4, len(part) - 1))
        ends = [0, *sorted(rng.sample(range(1, len(part)), n_cuts)), len(part)]
        label = f"n{next(names)}"
        return label, [grow(part[a:b]) for a, b in pairwise(ends)]

    return grow(leaves)


def small_case(seed: int) -> Case:
    """Draw up to 14 records, some equal and some empty, over a random tree of 3 to 9 leaves. Most cases need fixes."""
    rng = random.Random(seed)
    leaves = rng.sample(LEAVES, rng.randint(3, 9))
    weights = [rng.choice([1, 1, 2, 4]) for _ in leaves]
    rows = [set(rng.choices(leaves, weights, k=rng.randint(1, 5))) for _ in range(rng.randint(3, 10))]
    rows += rng.choices(rows, k=rng.randint(0, 3)) + [set()] * rng.randint(0, 1)
    rng.shuffle(rows)
    return random_tree(rng, leaves), rows, rng.choice([2, 2, 2, 3, 3, 4]), rng.choice([1, 2, 2, 3, 3, 4])


def symmetric_case(seed: int) -> Case:
    """Draw records that are symmetric in the root's children, so that nearly every choice is a tie."""
    rng = random.Random(seed)
    n_branches, width = rng.choice([(2, 2), (2, 3), (3, 2), (2, 4), (4, 2), (3, 3)])
    branches = [[f"{branch}{item}" for item in range(width)] for branch in "cabd"[:n_branches]]
    tree: Tree = ("ALL", [(f"{leaves[0]}..", leaves) for leaves in branches])
    rows = []
    for _ in range(rng.randint(2, 14 // n_branches)):
        row = {(rng.randrange(n_branches), rng.randrange(width)) for _ in range(rng.randint(1, 4))}
        rows += [{branches[(b + turn) % n_branches][item] for b, item in row} for turn in range(n_branches)]
    rng.shuffle(rows)
    return tree, rows, rng.choice([2, 2, 3, 3, 4]), rng.choice([2, 2, 3, 4])


seeds = st.integers(0, 2**32 - 1)
cases = st.one_of(drawn_cases(), seeds.map(small_case), seeds.map(symmetric_case))


def assert_equal(name: str, case: Case) -> None:
    """Check that library and naive implementation make the same decisions, and that the result is k^m-anonymous."""
    tree, rows, k, m = case
    actual, expected = run_library(name, rows, tree, k, m), run_twin(name, rows, tree, k, m)
    assert actual == expected, name
    if actual is not None:
        assert is_km(actual.rows, k, m)


@pytest.mark.long
@thorough
@given(cases)
def test_every_algorithm_makes_the_decisions_of_its_twin(case: Case) -> None:
    for name in ("apriori", "direct", "optimal"):
        assert_equal(name, case)


@settings(max_examples=examples(100), suppress_health_check=[HealthCheck.too_slow])
@given(cases)
def test_optimal_twin_finds_the_least_loss(case: Case) -> None:
    tree, rows, k, m = case
    decision = run_twin("optimal", rows, tree, k, m)
    if decision is None:
        assert 0 < sum(map(bool, rows)) < k
        return
    model = HierarchyModel(tree)
    assert item_ncp(rows, decision.image, model) == brute_force(rows, model, k, m)


def large_case(seed: int, n_records: int, n_leaves: int, m: int) -> Case:
    """Draw skewed records of up to 6 items, about 8 % of them empty, over a random tree."""
    rng = random.Random(seed)
    leaves = [f"i{i}" for i in range(n_leaves)]
    rng.shuffle(leaves)
    tree = random_tree(rng, leaves)
    by_popularity = rng.sample(leaves, n_leaves)
    weights = [1 / (1 + rank) ** rng.choice([0.5, 1.0, 1.5]) for rank in range(n_leaves)]
    rows = [
        set(rng.choices(by_popularity, weights, k=rng.randint(1, 6))) if rng.random() < 11 / 12 else set()
        for _ in range(n_records)
    ]
    return tree, rows, rng.choice([2, 3, 5, 10]), m


def apriori_case(seed: int) -> Case:
    """Return a large case for AA."""
    return large_case(seed, n_records=150 + 10 * seed, n_leaves=26 + seed % 9, m=(2, 3, 2, 4, 1)[seed % 5])


@pytest.mark.parametrize("seed", range(20))
def test_apriori_on_hundreds_of_records(seed: int) -> None:
    assert_equal("apriori", apriori_case(seed))


@pytest.mark.parametrize("seed", range(100, 108))
def test_direct_on_hundreds_of_records(seed: int) -> None:
    assert_equal("direct", large_case(seed, n_records=200, n_leaves=30, m=2))


@pytest.mark.parametrize("name", ["apriori", "direct"])
def test_a_fix_lifts_one_member_to_its_parent(name: str) -> None:
    # The walk reaches the set with one member replaced by its parent before an infrequent set, so that the former is
    # already frequent. A single step is therefore enough.
    n_fixes = 0
    for seed in range(200):
        tree, rows, k, m = small_case(seed)
        parent = HierarchyModel(tree).parent
        decision = run_library(name, rows, tree, k, m)
        for itemset, support, rules in decision.fixes if decision else []:
            assert len(rules) == 1
            assert rules[0] in {parent[node] for node in itemset}
            assert support < k
            n_fixes += 1
    assert n_fixes > 200


def test_the_small_cases_are_no_trifle() -> None:
    longest, coarsest, n_between, n_different = 0, 0, 0, 0
    for seed in range(200):
        tree, rows, k, m = small_case(seed)
        by_level, in_one_walk = run_twin("apriori", rows, tree, k, m), run_twin("direct", rows, tree, k, m)
        if by_level is not None and in_one_walk is not None:
            longest = max([longest, *(len(itemset) for itemset, _, _ in by_level.fixes)])
            coarsest = max(coarsest, len(by_level.fixes))
            n_between += 1 < len(by_level.cut()) < len(by_level.image)
            n_different += by_level.fixes != in_one_walk.fixes
    assert longest >= 3
    assert coarsest >= 4
    assert n_between >= 50
    assert n_different >= 20


def test_the_large_cases_are_no_trifle() -> None:
    for seed in range(0, 40, 5):
        tree, rows, k, m = apriori_case(seed)
        decision = run_twin("apriori", rows, tree, k, m)
        assert decision is not None
        assert len(decision.fixes) >= 3
        assert 1 < len(decision.cut()) < len(decision.image)
