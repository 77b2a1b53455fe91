"""The matching attack, compared with all ways to pair the rows of two releases."""

from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.facts import names

import anonset
from anonset.attacks.base import AttackInput
from anonset.attacks.composition import ReleasePair, ReleaseRows, composition
from anonset.attacks.matching import RowPairs, matching
from anonset.data import Table
from anonset.generalization.other_release import OtherRelease
from anonset.publications import Records
from attacks.test_composition import GROUPS, ITEMS, of_records, published, shown


def rows_of(publication: Records) -> list[frozenset[str]]:
    assert publication.transactions is not None
    return [frozenset(row) for row in publication.transactions.rows()]


@pytest.mark.long
@given(
    records=st.lists(st.sets(st.sampled_from(ITEMS)), min_size=1, max_size=5), groups=GROUPS, other_groups=GROUPS
)  # fmt: skip
def test_pairs_belong_to_perfect_matchings(records: list[set[str]], groups: list[int], other_groups: list[int]) -> None:
    first, second = published(of_records(records), groups), published(of_records(records), other_groups)
    sides = ReleaseRows.of(first), ReleaseRows.of(second)
    assert sides[0] is not None
    assert sides[1] is not None
    possible = {
        (shown(first, set(items)), shown(second, set(items)))
        for size in range(len(ITEMS) + 1)
        for items in combinations(ITEMS, size)
    }
    rows, others = rows_of(first), rows_of(second)
    expected = set[tuple[int, int]]()
    for order in permutations(range(len(records))):
        if all((rows[i], others[other]) in possible for i, other in enumerate(order)):
            expected |= {(int(sides[0].kind[i]), int(sides[1].kind[other])) for i, other in enumerate(order)}
    kinds = np.stack((sides[0].kind[np.argsort(first.record)], sides[1].kind[np.argsort(second.record)]), axis=1)
    pairs = RowPairs.of(ReleasePair(*sides), kinds)
    assert set(zip(*(part.tolist() for part in pairs.matched.nonzero()), strict=True)) == expected
    random = pairs.as_many_at_random(np.random.default_rng(1))
    assert random.nnz == pairs.matched.nnz
    assert (random.multiply(pairs.true)).nnz == pairs.true.nnz


def scene_of(table: Table, first: Records, second: Records) -> AttackInput:
    return AttackInput(
        first, anonset.KmAnonymity(3, 1), table, other_release=OtherRelease(second, np.argsort(second.record))
    )


@pytest.mark.long
def test_matching_finds_more_rows_than_composition() -> None:
    rng = np.random.default_rng(1)
    items = [f"i{i:02}" for i in range(20)]
    records = [set(rng.choice(items, rng.integers(2, 5), replace=False)) for _ in range(60)]
    table = Table.from_sets(records, universe=items)
    pairs = [i // 2 for i in range(20)]
    scene = scene_of(table, published(table, pairs), published(table, [*pairs[1:], 99]))
    (outcome,), (alone,) = matching(scene), composition(scene)
    assert outcome.targets == 60
    assert outcome.without == alone.won
    assert outcome.won.success > max(outcome.without.success, outcome.control.success)
    assert outcome.won.below_k is not None
    assert outcome.without.below_k is not None
    assert outcome.won.below_k >= outcome.without.below_k
    assert matching(scene) == (outcome,)


def test_everybody_must_be_in_both_with_the_same_record() -> None:
    table = of_records([{"a"}, {"b"}, {"b", "c"}])
    same = published(table, [0, 1, 2, 3, 3])
    assert names(matching(AttackInput(same, anonset.KmAnonymity(1, 1), table)), "beside")
    some = AttackInput(same, anonset.KmAnonymity(1, 1), table, other_release=OtherRelease(same, np.array([0, -1, 1])))
    assert names(matching(some), "persons")
    changed = published(of_records([{"c"}, {"b"}, {"b"}]), [0, 1, 2, 3, 3])
    assert names(matching(scene_of(table, same, changed)), "records")
    (outcome,) = matching(scene_of(table, same, same))
    assert outcome.won == outcome.without
