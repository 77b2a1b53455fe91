"""The check of privacy and utility constraints, compared with Definition 3.4."""

import random
from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.facts import names, refused

from anonset.data import SetColumn, Table
from anonset.errors import InputError
from anonset.generalization import ItemGroups, apply
from anonset.privacy.constraints import ConstraintSet
from anonset.privacy.policies import PrivacyPolicy, UtilityPolicy
from anonset.publications import Records
from anonset.verification.constraints import check_constraints, utility_violation
from anonset.verification.counting import Resources
from effort import examples
from reference.set_based import State, all_itemsets, uniform

UNIVERSE = "abcdefgh"
ROWS = ["abcdefgh", "acefg", "cdefh", "acef", "efgh", "defg", "abde", "acf", "ac", "bh"]
FIGURE_2C = [0, 0, 1, -1, 2, 3, 4, 4]
UTILITY = UtilityPolicy.of(["ab", "c", "d", "efgh"])


def publish(rows: list[set[str]], group: list[int]) -> Records:
    table = Table.from_sets(rows, universe=UNIVERSE)
    assert table.transactions is not None
    return apply(table, ItemGroups(table.transactions.vocabulary, np.array(group, np.int32)))


def figure_2c() -> tuple[SetColumn, Records]:
    return SetColumn.of(ROWS, universe=UNIVERSE), publish([set(row) for row in ROWS], FIGURE_2C)


@settings(max_examples=examples(200))
@given(st.integers(0, 2**32 - 1))
def test_verdicts_equal_the_definition(seed: int) -> None:
    rng = random.Random(seed)
    rows = [set(rng.choices(UNIVERSE, k=rng.randint(0, 6))) for _ in range(rng.randint(1, 14))]
    occurring = {x for row in rows for x in row}
    group = [rng.choice([-1, 0, 1, 2, 3, 4]) if x in occurring else 9 + i for i, x in enumerate(UNIVERSE)]
    k, m = rng.choice([1, 2, 2, 3]), rng.choice([None, 1, 2, 3])
    constraints = [tuple(rng.sample(UNIVERSE, rng.randint(1, 6))) for _ in range(rng.randint(0, 4))]
    publication = publish(rows, group)
    state = State(rows, UNIVERSE, k, [UNIVERSE], uniform, Fraction(1))
    for x, g in zip(UNIVERSE, group, strict=True):
        members = frozenset(y for y, h in zip(UNIVERSE, group, strict=True) if h == g)
        state.image[x] = members if g >= 0 else None
    model = ConstraintSet(k, PrivacyPolicy.of(constraints)) if m is None else ConstraintSet(k, m=m)
    wanted = constraints if m is None else all_itemsets(rows, UNIVERSE, m)
    column = publication.transactions
    assert column is not None
    verdict = check_constraints(column, [symbol.members for symbol in publication.symbols], model, Resources(10**9))
    assert verdict.holds == all(state.satisfied(p) for p in wanted)
    assert verdict == check_constraints(column, None, model, Resources(10**9))
    assert verdict.model is model
    if verdict.witness is not None:
        shown = set(verdict.witness.what)
        published = [set(row) for row in column.rows()]
        assert sum(1 for row in published if shown <= row) == verdict.witness.support
        assert 0 < verdict.witness.support < k == verdict.witness.required
        assert shown <= published[verdict.witness.record]


def test_the_witness_is_of_the_first_violated_constraint() -> None:
    _, publication = figure_2c()
    assert publication.transactions is not None
    model = ConstraintSet(6, PrivacyPolicy.of(["a", "d", "efgh", "abc"]))
    verdict = check_constraints(publication.transactions, None, model, Resources(10**6))
    assert verdict.outcome == "fails"
    assert names(verdict.witness, "'{e, f, (g,h)}' 5 6 0 3 '{e, f, g, h}'")
    assert names(verdict.checked["covered"], "2 4 constraints")


def test_figure_2c_satisfies_only_its_own_constraints() -> None:
    _, publication = figure_2c()
    assert publication.transactions is not None
    assert check_constraints(
        publication.transactions, None, ConstraintSet(5, PrivacyPolicy.of(["abc", "defgh"])), Resources(10**6)
    )
    assert not check_constraints(publication.transactions, None, ConstraintSet(5, m=2), Resources(10**6))


def test_more_symbols_than_a_word_has_bits() -> None:
    items = [f"{i:03d}" for i in range(70)]
    rows = [items, items, items[:69], items[1:], items[1:], items[:5]]
    column = SetColumn.of(rows)
    wide = PrivacyPolicy.of([items[:3], items, items[4:]])
    assert check_constraints(column, None, ConstraintSet(2, wide), Resources(10**6))
    verdict = check_constraints(column, None, ConstraintSet(3, wide), Resources(10**6))
    assert verdict.witness is not None
    assert verdict.witness.what == tuple(items)
    assert (verdict.witness.support, verdict.witness.record) == (2, 0)
    assert names(verdict.checked["covered"], "1 3 constraints")


def test_a_small_budget_is_undecided() -> None:
    _, publication = figure_2c()
    assert publication.transactions is not None
    model = ConstraintSet(5, PrivacyPolicy.of(["a", "bc", "ef"]))
    seen: list[tuple[str, float, float]] = []
    verdict = check_constraints(publication.transactions, None, model, Resources(20, lambda *told: seen.append(told)))
    assert verdict.holds is None
    assert names(verdict.checked["covered"], "2 3 constraints")
    assert seen == [("privacy constraints", 2.0, 3.0)]


def test_constraints_with_equal_symbols_are_checked_once() -> None:
    column = SetColumn.of([["(a,b)", "c"], ["(a,b)", "c"], ["(a,b)"], ["c", "d"]])
    alike = PrivacyPolicy.of(["ac", "z", "bc", "cab", "ab", "d"])  # 6 occurrences of (a,b) and c, 3 of (a,b), 1 of d
    verdict = check_constraints(column, None, ConstraintSet(2, alike), Resources(9))
    assert verdict.holds is None
    assert names(verdict.checked["covered"], "5 6 constraints")
    verdict = check_constraints(column, None, ConstraintSet(2, alike), Resources(10))
    assert verdict.witness is not None
    assert (verdict.witness.what, verdict.witness.record) == (("d",), 3)
    assert names(verdict.witness.detail, "6 {d}")
    assert names(verdict.checked["covered"], "5 6 constraints")
    nothing = check_constraints(column, None, ConstraintSet(2, PrivacyPolicy.of(["y", "z"])), Resources(0))
    assert nothing.holds
    assert names(nothing.checked["covered"], "2 constraints")


def test_an_item_with_two_symbols_is_rejected() -> None:
    column = SetColumn.of([["(a,b)"], ["a"]])
    with refused(InputError, "item a (a,b)"):
        check_constraints(column, None, ConstraintSet(2, PrivacyPolicy.of(["a"])), Resources(100))


def test_figure_2c_respects_its_utility_constraints() -> None:
    original, publication = figure_2c()
    assert utility_violation(original, publication, UTILITY) == ""


def test_a_symbol_across_utility_constraints_is_named() -> None:
    original, _ = figure_2c()
    publication = publish([set(row) for row in ROWS], [0, 1, 0, 2, 3, 4, 5, 6])
    assert names(utility_violation(original, publication, UTILITY), "(a,c) 1 2")


def test_an_inexact_count_is_detected() -> None:
    original, publication = figure_2c()
    tampered = publication.take(np.array([0, 1, 2, 3, 4, 5, 6, 7, 8], np.int64))
    assert names(utility_violation(original, tampered, UTILITY), "1 7 6")


def test_counts_of_constraints_with_suppressed_items_are_not_compared() -> None:
    original, _ = figure_2c()
    publication = publish([set(row) for row in ROWS], [0, 1, -1, -1, 3, 4, 5, 6])
    assert utility_violation(original, publication, UTILITY) == ""


def test_symbols_of_other_data_are_refused() -> None:
    _, publication = figure_2c()
    other = SetColumn.of(["ab"])
    with refused(InputError, "symbol c 2"):
        utility_violation(other, publication, UtilityPolicy.of(["ab"]))


@settings(max_examples=examples(100))
@given(st.lists(st.sets(st.sampled_from(UNIVERSE)), max_size=10), st.lists(st.integers(0, 3), min_size=8, max_size=8))
def test_groups_inside_utility_constraints_keep_their_counts(rows: list[set[str]], group: list[int]) -> None:
    """Corollary 3.12 on random data."""
    publication, original = publish(rows, group), SetColumn.of(rows, universe=UNIVERSE)
    utility = UtilityPolicy.of(symbol.members for symbol in publication.symbols).completed(original.vocabulary)
    assert utility_violation(original, publication, utility) == ""
