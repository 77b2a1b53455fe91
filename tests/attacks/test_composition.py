"""The composition attack, compared with an enumeration of all possible records."""

from itertools import chain, combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.facts import names, refused

import anonset
from anonset.attacks.base import AttackInput
from anonset.attacks.composition import ENOUGH, ReleasePair, ReleaseRows, composition
from anonset.attacks.registry import ATTACKS, run_attacks
from anonset.data import Table
from anonset.errors import InputError
from anonset.generalization import ItemGroups, apply
from anonset.generalization.other_release import OtherRelease
from anonset.publications import Records

ITEMS = "abcde"
RECORDS = st.lists(st.sets(st.sampled_from(ITEMS)), min_size=1, max_size=7)
GROUPS = st.lists(st.integers(-1, 3), min_size=5, max_size=5)


def published(table: Table, numbers: list[int]) -> Records:
    column = table.transactions
    assert column is not None
    first: dict[int, int] = {}
    group = [-1 if number < 0 else first.setdefault(number, i) for i, number in enumerate(numbers)]
    return apply(table, ItemGroups(column.vocabulary, np.array(group, np.int32)))


def of_records(records: list[set[str]]) -> Table:
    return Table.from_sets(records, universe=ITEMS)


def shown(publication: Records, items: set[str]) -> frozenset[str]:
    """Return the published row of a record."""
    return frozenset(symbol.label for symbol in publication.symbols if items & set(symbol.members))


def naive_candidates(first: Records, second: Records, known: tuple[str, ...]) -> int:
    """Return the number of candidate rows in the first release, by enumerating all records with the known items."""
    assert first.transactions is not None
    assert second.transactions is not None
    rows = [[frozenset(row) for row in publication.transactions.rows()] for publication in (first, second)]
    possible = {
        (shown(first, set(items)), shown(second, set(items)))
        for size in range(len(ITEMS) + 1)
        for items in combinations(ITEMS, size)
        if set(known) <= set(items)
    }
    return sum(any((row, other) in possible for other in rows[1]) for row in rows[0])


@pytest.mark.long
@given(records=RECORDS, others=RECORDS, groups=GROUPS, other_groups=GROUPS)
def test_candidate_rows_equal_an_enumeration_of_records(
    records: list[set[str]], others: list[set[str]], groups: list[int], other_groups: list[int]
) -> None:
    first, second = published(of_records(records), groups), published(of_records(others), other_groups)
    sides = ReleaseRows.of(first), ReleaseRows.of(second)
    assert sides[0] is not None
    assert sides[1] is not None
    both = ReleasePair(*sides)
    for known in chain(*(combinations(ITEMS, size) for size in (0, 1, 2))):
        fitting = [side.fitting(known) for side in sides]
        assert both.count_candidates(*fitting) == naive_candidates(first, second, known)
    pairs = np.array([(a, b) for a in range(sides[0].column.n) for b in range(sides[1].column.n)], np.int64).T
    assert both.compatible_pairs(*pairs).tolist() == [bool(both.compatible([a], [b])[0, 0]) for a, b in pairs.T]


@pytest.mark.long
@pytest.mark.compiled
def test_two_releases_of_the_same_records_disclose_hidden_items() -> None:
    rng = np.random.default_rng(1)
    items = [f"i{i:02}" for i in range(40)]
    table = Table.from_sets(
        [set(rng.choice(items, rng.integers(5, 9), replace=False)) for _ in range(300)], universe=items
    )
    pairs = [i // 2 for i in range(40)]
    first, second = published(table, pairs), published(table, [*pairs[1:], 99])
    scene = AttackInput(
        first, anonset.KmAnonymity(10, 2), table, other_release=OtherRelease(second, np.argsort(second.record))
    )
    (outcome,) = composition(scene)
    assert outcome.targets == 300
    assert outcome.won.success > 2 * max(outcome.without.success, outcome.control.success)
    assert outcome.won.below_k is not None
    assert outcome.without.below_k is not None
    assert outcome.won.below_k > outcome.without.below_k
    assert composition(scene) == (outcome,)


@pytest.mark.long
def test_a_coarser_release_of_the_same_records_adds_no_information() -> None:
    rng = np.random.default_rng(3)
    table = of_records([set(rng.choice(list(ITEMS), rng.integers(1, 4), replace=False)) for _ in range(60)])
    first, second = published(table, [0, 1, 2, 3, 3]), published(table, [0, 0, 2, 3, 3])
    scene = AttackInput(
        second, anonset.KmAnonymity(2, 1), table, other_release=OtherRelease(first, np.argsort(first.record))
    )
    (outcome,) = composition(scene)
    assert outcome.won == outcome.without


def test_counting_stops_when_enough_rows_are_found() -> None:
    table = of_records([{"a"}] * 1500)
    same = published(table, [0, 1, 2, 3, 3])
    (outcome,) = composition(
        AttackInput(same, anonset.KmAnonymity(2, 1), table, other_release=OtherRelease(same, same.record), attempts=2)
    )
    assert outcome.won.success == 1 / ENOUGH


def test_persons_in_only_one_release_are_not_targets() -> None:
    table = of_records([{"a"}, {"b"}, {"b"}])
    same = published(table, [0, 1, 2, 3, 3])
    (outcome,) = composition(
        AttackInput(same, anonset.KmAnonymity(1, 1), table, other_release=OtherRelease(same, np.array([0, -1, -1])))
    )
    assert outcome.targets == 1


def test_an_inapplicable_attack_states_the_reason() -> None:
    table = of_records([{"a"}, {"b"}])
    scene = AttackInput(published(table, [0, 1, 2, 3, 3]), anonset.KmAnonymity(1, 1), table)
    assert names(composition(scene), "beside")
    outcomes, reasons = run_attacks(scene, ["all"])
    assert names(reasons["composition"], "beside")
    assert {outcome.attack for outcome in outcomes}.isdisjoint(reasons)
    assert {*reasons, *(outcome.attack for outcome in outcomes)} <= set(ATTACKS)
    with refused(InputError, "composition beside"):
        run_attacks(scene, ["composition"])
