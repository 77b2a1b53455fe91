"""Generating and checking policies, and the model built from a policy."""

from itertools import combinations

import pytest
from tests.facts import names, refused

from anonset.data import Hierarchy, Vocabulary
from anonset.errors import InputError
from anonset.privacy import PrivacyModel
from anonset.privacy.constraints import ConstraintSet
from anonset.privacy.policies import (
    PERCENT_OF_ITEMS,
    SHARE_OF_SIZES,
    PrivacyPolicy,
    UtilityPolicy,
    groups_of_level,
    groups_of_siblings,
    one_group,
    random_policy,
)
from reference.hierarchy_model import parse

ITEMS = Vocabulary.of(f"{i:03d}" for i in range(200))
TREE = Hierarchy.from_tree(parse("ALL(dairy(milk(skim,full),yogurt),bakery(bread,rolls,cake),tea)"))


@pytest.mark.parametrize("name", PERCENT_OF_ITEMS)
def test_policies_of_pairs_contain_all_pairs_of_some_items(name: str) -> None:
    policy = random_policy(name, Vocabulary(ITEMS.labels[1:]), seed=5)
    chosen = sorted({item for itemset in policy.itemsets for item in itemset})
    assert len(chosen) == 2 * PERCENT_OF_ITEMS[name], "the share of 199 items, rounded up"
    assert policy.itemsets == tuple(combinations(chosen, 2))


@pytest.mark.parametrize("name", SHARE_OF_SIZES)
def test_policies_of_mixed_sizes_have_the_shares_of_the_table(name: str) -> None:
    policy = random_policy(name, ITEMS, n_itemsets=300, seed=5)
    sizes = [len(itemset) for itemset in policy.itemsets]
    expected = [min(200, round(share * 300)) for share in SHARE_OF_SIZES[name]]
    assert [sizes.count(size) for size in (1, 2, 3, 4)] == expected
    assert len(set(policy.itemsets)) == len(policy)
    assert all(list(itemset) == sorted(itemset) for itemset in policy.itemsets)


def test_there_are_no_more_itemsets_than_exist() -> None:
    policy = random_policy("PP8", Vocabulary.of("abcde"), n_itemsets=1000)
    assert [sum(len(i) == size for i in policy.itemsets) for size in (1, 2, 3, 4)] == [5, 10, 10, 5]


def test_a_seed_determines_a_random_policy() -> None:
    assert random_policy("PP6", ITEMS, seed=1) == random_policy("PP6", ITEMS, seed=1)
    assert random_policy("PP6", ITEMS, seed=1) != random_policy("PP6", ITEMS, seed=2)


@pytest.mark.parametrize(
    ("depth", "groups"),
    [
        (0, ["skim full yogurt bread rolls cake tea"]),
        (1, ["skim full yogurt", "bread rolls cake", "tea"]),
        (2, ["skim full", "yogurt", "bread", "rolls", "cake", "tea"]),
        (3, ["skim", "full", "yogurt", "bread", "rolls", "cake", "tea"]),
    ],
)
def test_groups_of_a_level(depth: int, groups: list[str]) -> None:
    assert [" ".join(group) for group in groups_of_level(TREE, depth).groups] == groups


@pytest.mark.parametrize(("depth", "groups"), [(1, ["a b c"]), (2, ["a", "b c"]), (3, ["a", "b", "c"])])
def test_nodes_with_one_child_are_levels(depth: int, groups: list[str]) -> None:
    tree = Hierarchy.from_tree(parse("ALL(TOP(A(X(a)),B(b,c)),d)"))
    assert [" ".join(group) for group in groups_of_level(tree, depth).groups] == [*groups, "d"]


@pytest.mark.parametrize("depth", [-1, 4])
def test_levels_that_do_not_exist_are_refused(depth: int) -> None:
    with refused(InputError, f"depth 0 3 hierarchy {depth}"):
        groups_of_level(TREE, depth)


def test_groups_of_siblings_follow_the_leaves() -> None:
    assert [" ".join(group) for group in groups_of_siblings(TREE.leaves, 3).groups] == [
        "skim full yogurt",
        "bread rolls cake",
        "tea",
    ]
    with refused(InputError, "size 1 0"):
        groups_of_siblings(TREE.leaves, 0)


def test_every_generated_utility_policy_is_a_partition() -> None:
    policies = [one_group(TREE.leaves), groups_of_siblings(TREE.leaves, 2), groups_of_level(TREE, 2)]
    assert [sorted(policy.codes(TREE.leaves)) for policy in policies] == [
        [0] * 7,
        [0, 0, 1, 1, 2, 2, 3],
        [0, 0, 1, 2, 3, 4, 5],
    ]
    assert one_group(Vocabulary(())).groups == ()


def test_a_utility_policy_can_be_completed() -> None:
    partial = UtilityPolicy.of([["bread", "rolls"]])
    completed = partial.completed(TREE.leaves)
    assert completed.groups[1] == ("skim", "full", "yogurt", "cake", "tea")
    assert completed.completed(TREE.leaves) is completed


@pytest.mark.parametrize(
    ("itemsets", "message"),
    [
        ([["a"], []], "privacy constraint 2 empty"),
        ([["a", "b", "a"]], "privacy constraint 1 twice"),
    ],
)
def test_bad_privacy_constraints_are_refused(itemsets: list[list[str]], message: str) -> None:
    with refused(InputError, message):
        PrivacyPolicy.of(itemsets)


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        (["ab", ""], "utility constraint 2 empty"),
        (["ab", "cb"], "utility 1 2 b"),
        (["aa"], "utility 1 a"),
    ],
)
def test_bad_utility_constraints_are_refused(groups: list[str], message: str) -> None:
    with refused(InputError, message):
        UtilityPolicy.of(groups)


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        (["abx"], "utility constraint 1 x 7"),
        (["ab"], "utility 5 7 c d e f g"),
        (["a"], "6 7 b c d e f"),
    ],
)
def test_utility_constraints_that_do_not_fit_the_items_are_refused(groups: list[str], message: str) -> None:
    with refused(InputError, message):
        UtilityPolicy.of(groups).codes(Vocabulary.of("abcdefg"))


def test_unknown_items_of_privacy_constraints_are_refused() -> None:
    with refused(InputError, "privacy constraint 2 x 3"):
        PrivacyPolicy.of(["ab", "ax", "x"]).codes(Vocabulary.of("abc"))
    start, codes = PrivacyPolicy.of(["ca", "b"]).codes(Vocabulary.of("abc"))
    assert (start.tolist(), codes.tolist()) == ([0, 2, 3], [2, 0, 1])


@pytest.mark.parametrize(
    ("name", "n", "message"),
    [("PP10", 9, "PP1 PP10"), ("PP6", 0, "0"), ("PP6", 10**11, "1000000")],
)
def test_random_policies_that_do_not_exist_are_refused(name: str, n: int, message: str) -> None:
    with refused(InputError, message):
        random_policy(name, ITEMS, n_itemsets=n)


def test_the_model_states_its_guarantee() -> None:
    model = ConstraintSet(5, PrivacyPolicy.of(["abc"]))
    assert isinstance(model, PrivacyModel)
    assert names(model.statement, "'same protected itemset'")
    assert names(model.statement, "5")
    assert names(model.limits, "'same protected itemset'")
    assert names(ConstraintSet(5, m=3).statement, "3 5")
    assert names(ConstraintSet(5, m=3).limits, "3")


@pytest.mark.parametrize(
    ("k", "policy", "m", "message"),
    [
        (0, None, 2, "k 1 0"),
        (2, None, 0, "m 1 0"),
        (2, None, None, "policy m neither"),
        (2, PrivacyPolicy.of(["a"]), 2, "policy m both"),
    ],
)
def test_bad_models_are_refused(k: int, policy: PrivacyPolicy | None, m: int | None, message: str) -> None:
    with refused(InputError, message):
        ConstraintSet(k, policy, m)
