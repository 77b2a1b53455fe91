"""Joint k^m-anonymity of two releases, compared with all combinations of items that an attacker may know."""

from dataclasses import replace
from itertools import chain

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from tests.facts import refused

from anonset.algorithms.base import Result
from anonset.algorithms.transaction.cuts.apriori import Apriori
from anonset.algorithms.transaction.joint_anonymity import raise_to_joint_anonymity
from anonset.attacks.composition import ReleasePair, ReleaseRows
from anonset.data import Hierarchy, Table
from anonset.errors import InfeasibleError, InputError
from anonset.generalization import Cut, ItemGroups, apply
from anonset.generalization.other_release import OtherRelease
from anonset.generalization.recoding import SUPPRESSED
from anonset.privacy import KmAnonymity
from anonset.publications import Records as Published
from anonset.verification.two_releases import few_in_both
from effort import examples
from reference.two_releases import Release, TwoReleases

TREE = Hierarchy.from_tree(("ALL", [("AB", ["a", "b"]), ("CDE", [("CD", ["c", "d"]), "e"])]))
OTHER = Hierarchy.from_tree(("ALL", [("AC", ["a", "c"]), ("BDE", [("BE", ["b", "e"]), "d"])]))
ITEMS = "abcde"
Records = list[frozenset[str]]
RECORD = st.frozensets(st.sampled_from(ITEMS), max_size=4)


def table_of(records: Records, tree: Hierarchy) -> Table:
    table = Table.from_sets(records, universe=ITEMS)
    assert table.transactions is not None
    return table.with_transactions(tree.bind(table.transactions))


def seen(publication: Published, records: Records, certain: bool) -> Release:
    """Return what an attacker sees of a release."""
    assert publication.transactions is not None
    row_of = dict(zip(publication.record.tolist(), map(frozenset, publication.transactions.rows()), strict=True))
    members = {symbol.label: symbol.members for symbol in publication.symbols}
    return Release(records, [row_of[record] for record in range(len(records))], members, certain)


def both(
    later: Published, earlier: Published, inputs: tuple[Records, Records], persons: dict[int, int],
    certain: tuple[bool, bool],
) -> TwoReleases:  # fmt: skip
    sides = seen(later, inputs[0], certain[0]), seen(earlier, inputs[1], certain[1])
    return TwoReleases(*sides, list(persons.items()), frozenset(ITEMS))


def items_of(publication: Published) -> set[str]:
    return set(chain(*(symbol.members for symbol in publication.symbols)))


def keeps(k: int, *fewest: int | None) -> bool:
    return all(count is None or count >= k for count in fewest)


def earlier_of(records: Records, k: int, m: int, groups: list[int] | None = None, suppressed: str = "") -> Published:
    table = table_of(records, OTHER)
    if groups is not None:
        assert table.transactions is not None
        first: dict[int, int] = {}
        codes = [-1 if group < 0 else first.setdefault(group, i) for i, group in enumerate(groups)]
        return apply(table, ItemGroups(table.transactions.vocabulary, np.array(codes, np.int32)))
    recoding = Apriori(k=k, m=m).recode(table, {"items": OTHER}).recoding
    assert isinstance(recoding, Cut)
    hidden = np.isin(OTHER.leaves.labels, list(suppressed))
    return apply(table, Cut(OTHER, np.where(hidden, SUPPRESSED, recoding.image).astype(np.int32)))


def by_record(publication: Published, persons: dict[int, int], n: int) -> OtherRelease:
    """Return an earlier release for `n` later records. `persons` maps later records to earlier records."""
    row_of = np.argsort(publication.record)
    return OtherRelease(publication, np.array([row_of[persons[i]] if i in persons else -1 for i in range(n)], np.int64))


@pytest.mark.long
@settings(max_examples=examples(400))
@given(
    records=st.lists(RECORD, min_size=6, max_size=14), left=st.integers(0, 3), new=st.lists(RECORD, max_size=3),
    changes=st.dictionaries(st.integers(0, 13), RECORD, max_size=6), suppressed=st.sampled_from(["", "a", "d"]),
    k=st.integers(2, 3), m=st.integers(1, 2),
)  # fmt: skip
def test_joint_releases_satisfy_the_guarantee_by_enumeration(
    records: Records, left: int, new: Records, changes: dict[int, frozenset[str]], suppressed: str, k: int, m: int
) -> None:
    assume(sum(map(bool, records)) >= k)
    now = [changes.get(i, record) for i, record in enumerate(records[left:])] + new
    assume(sum(map(bool, now)) >= k)
    persons = {i: left + i for i in range(len(records) - left)}
    earlier = earlier_of(records, k, m, suppressed=suppressed)
    beside = replace(by_record(earlier, persons, len(now)), shows_all=not suppressed)
    table = table_of(now, TREE)
    assert table.transactions is not None
    algorithm = Apriori(k=k, m=m)
    result = algorithm.recode(table, {"items": TREE})
    certain = beside.certain_absence(table, TREE.leaves.labels)
    try:
        joint, linked = raise_to_joint_anonymity(algorithm, result, table.transactions, beside, certain=certain)
    except InfeasibleError:
        assert left or changes or suppressed
        return
    publication = apply(table, joint.recoding)
    beside, model = replace(beside, linked=linked), KmAnonymity(k, m)
    assert few_in_both(table, publication, beside, model) is None
    alone = few_in_both(table, apply(table, result.recoding), beside, model)
    assert (joint.figures["raised"] == 0) == (alone is None)
    attacker = both(publication, earlier, (now, records), persons, (True, not suppressed))
    assert keeps(k, attacker.fewest_rows(attacker.unchanged, m))
    assert not linked or keeps(k, attacker.fewest_linked(attacker.unchanged, m), attacker.fewest_of_changed(m))
    assert isinstance(joint.recoding, Cut)
    assert isinstance(result.recoding, Cut)
    was, new_image = result.recoding.image, joint.recoding.image
    assert (TREE.leaf_lo[new_image] <= TREE.leaf_lo[was]).all()
    assert (TREE.leaf_hi[new_image] >= TREE.leaf_hi[was]).all()


GROUPS = st.lists(st.integers(-1, 3), min_size=5, max_size=5)
OF_FOUR = st.frozensets(st.sampled_from("abcd"), min_size=1, max_size=3)


@pytest.mark.long
@pytest.mark.compiled
@settings(max_examples=examples(1000))
@given(
    records=st.lists(RECORD | OF_FOUR, min_size=3, max_size=8) | st.lists(OF_FOUR, min_size=4, max_size=8),
    changes=st.dictionaries(st.integers(0, 7), RECORD, max_size=5), left=st.integers(0, 2),
    new=st.lists(RECORD, max_size=2), groups=GROUPS, others=GROUPS, k=st.integers(2, 3), m=st.integers(1, 2),
)  # fmt: skip
@example(
    records=[frozenset(x) for x in ("a", "a", "ad", "d")], changes=dict(enumerate(map(frozenset, ("", "", "b", "a")))),
    left=0, new=[], groups=[0, 0, 0, 0, 1], others=[0, 0, 0, 0, 1], k=2, m=1,
)  # fmt: skip
def test_the_check_finds_every_joint_violation(
    records: Records, changes: dict[int, frozenset[str]], left: int, new: Records, groups: list[int],
    others: list[int], k: int, m: int,
) -> None:  # fmt: skip
    """Each release suppresses items or none. In the latter case no record has an item outside the codebook."""
    now = [changes.get(i, record) for i, record in enumerate(records[left:])] + new
    persons = {i: left + i for i in range(len(records) - left)}
    table = table_of(now, OTHER)
    later, earlier = earlier_of(now, k, m, groups), earlier_of(records, k, m, others)
    shows_all = [set(chain(*rows)) <= items_of(x) for rows, x in ((now, later), (records, earlier))]
    beside = replace(by_record(earlier, persons, len(now)), shows_all=shows_all[1])
    attacker = both(later, earlier, (now, records), persons, (shows_all[0], shows_all[1]))
    for linked in (False, True):
        fewest = attacker.fewest_linked if linked else attacker.fewest_rows
        of_changed = attacker.fewest_of_changed(m) if linked else None
        result = few_in_both(table, later, replace(beside, linked=linked), KmAnonymity(k, m))
        assert (result is None) == keeps(k, fewest(attacker.persons, m), of_changed)
        assert result is not None or keeps(k, fewest(attacker.unchanged, m))
        assert result is None or (result.required, result.support < k, result.what) == (k, True, ())


@pytest.mark.parametrize("linked", [False, True])
def test_rows_of_changed_records_do_not_protect_a_person_with_an_unchanged_record(linked: bool) -> None:
    """Item d of two persons in both is published, but only the rows of the first may have the same record."""
    before = [frozenset(record) for record in ("ad", "ad", "a", "a", "b", "b")]
    now = [frozenset(record) for record in ("ad", "d", "a", "a", "b", "b")]
    persons = {i: i for i in range(6 if linked else 5)}
    model, table, groups = KmAnonymity(2, 1), table_of(now, OTHER), list(range(5))
    later, earlier = earlier_of(now, 2, 1, groups), earlier_of(before, 2, 1, groups)
    beside = replace(by_record(earlier, persons, 6), shows_all=True, linked=linked)
    attacker = both(later, earlier, (now, before), persons, (True, True))
    assert (attacker.fewest_linked if linked else attacker.fewest_rows)(attacker.unchanged, 1) == 1
    assert not linked or attacker.fewest_of_changed(1) == 2
    result = few_in_both(table, later, beside, model)
    assert result is not None
    assert result.support == 1


def test_a_single_person_in_both_is_found_without_any_known_item() -> None:
    """Rows of this person can be linked, but many rows may have the same record."""
    records = [frozenset(record) for record in ("", "ab", "ab", "ab")]
    table, algorithm = table_of(records, TREE), Apriori(k=2, m=1)
    assert table.transactions is not None
    earlier, result = earlier_of(records, 2, 1), algorithm.recode(table, {"items": TREE})
    beside = replace(by_record(earlier, {0: 0}, 4), shows_all=True)
    joint, linked = raise_to_joint_anonymity(algorithm, result, table.transactions, beside, certain=(True, True))
    assert (joint.figures["raised"], linked) == (0, False)
    publication = apply(table, joint.recoding)
    for against, holds in ((True, False), (False, True)):
        release = replace(beside, linked=against)
        assert (few_in_both(table, publication, release, KmAnonymity(2, 1)) is None) == holds


def test_an_item_that_the_earlier_row_excludes_does_not_raise_the_cut() -> None:
    """One record changes from b to a. Its rows may have the same record b, but not a record with item a."""
    before = [frozenset(record) for record in ("ad", "ad", "b", "b", "b")]
    now = [frozenset(record) for record in ("e", "e", "a", "b", "b")]
    table, algorithm = table_of(now, TREE), Apriori(k=2, m=1)
    assert table.transactions is not None
    earlier, result = earlier_of(before, 2, 1, list(range(5))), algorithm.recode(table, {"items": TREE})
    beside = replace(by_record(earlier, dict(enumerate(range(5))), 5), shows_all=True)
    joint, linked = raise_to_joint_anonymity(algorithm, result, table.transactions, beside, certain=(True, True))
    assert (joint.figures["raised"], linked) == (0, True)
    assert few_in_both(table, apply(table, joint.recoding), replace(beside, linked=True), KmAnonymity(2, 1)) is None


def test_linked_rows_protect_a_person_with_a_changed_record() -> None:
    """One record changes from a to e, which someone with both items sees in linked rows."""
    before = [frozenset(record) for record in "aaaeee"]
    now = [frozenset(record) for record in "eaaeee"]
    table, algorithm, persons = table_of(now, TREE), Apriori(k=2, m=2), dict(enumerate(range(6)))
    assert table.transactions is not None
    earlier, result = earlier_of(before, 2, 2, list(range(5))), algorithm.recode(table, {"items": TREE})
    beside = replace(by_record(earlier, persons, 6), shows_all=True, linked=True)
    joint, linked = raise_to_joint_anonymity(algorithm, result, table.transactions, beside, certain=(True, True))
    assert (joint.figures["raised"] > 0, linked) == (True, True)
    for recoding, fewest in ((result.recoding, 1), (joint.recoding, 3)):
        publication = apply(table, recoding)
        attacker = both(publication, earlier, (now, before), persons, (True, True))
        assert attacker.fewest_of_changed(2) == fewest
        assert (few_in_both(table, publication, beside, KmAnonymity(2, 2)) is None) == (fewest >= 2)


def test_without_a_cut_it_is_refused() -> None:
    records = [frozenset("ab")] * 4
    table = table_of(records, TREE)
    assert table.transactions is not None
    beside = by_record(earlier_of(records, 2, 1), dict(enumerate(range(4))), 4)
    with refused(InfeasibleError, "item"):
        raise_to_joint_anonymity(
            Apriori(k=2, m=1), Result(ItemGroups.identity(table.transactions.vocabulary)), table.transactions, beside
        )


@pytest.mark.parametrize("shows_all", [True, False])
def test_a_certainly_absent_item_does_not_protect_a_person(shows_all: bool) -> None:
    """All but one of the earlier rows with {a,b} match a later row with {c,e} only by item e."""
    records = [frozenset(record) for record in ("ac", "cd", "cd", "b", "b")]
    table, model = table_of(records, OTHER), KmAnonymity(2, 1)
    later, earlier = (earlier_of(records, 2, 1, groups) for groups in ([0, 2, 1, 2, 0], [0, 2, 0, 4, 3]))
    persons = dict(enumerate(range(len(records))))
    beside = replace(by_record(earlier, persons, len(records)), shows_all=shows_all)
    attacker = both(later, earlier, (records, records), persons, (True, shows_all))
    assert (few_in_both(table, later, beside, model) is None) != shows_all
    assert keeps(2, attacker.fewest_rows(attacker.unchanged, 1)) != shows_all
    remaining = [
        ReleasePair(*(ReleaseRows.of(entry) for entry in pair), certain=certain)
        for pair, certain in (((later, earlier), (True, shows_all)), ((earlier, later), (shows_all, True)))
    ]  # type: ignore[arg-type]
    fitting = [side.fitting(["a"]) for side in (remaining[0].later, remaining[0].earlier)]
    assert (remaining[0].count_candidates(*fitting), remaining[1].count_candidates(*fitting[::-1])) == (
        3,
        1 if shows_all else 3,
    )


def test_the_check_rejects_releases_with_several_symbols_per_item() -> None:
    records = [frozenset("ab")] * 4
    table, single = table_of(records, OTHER), earlier_of(records, 2, 1)
    several = replace(single, symbols=(*single.symbols, replace(single.symbols[0], label="twice")))
    for later, earlier in ((several, single), (single, several)):
        with refused(InputError, "symbol item"):
            few_in_both(table, later, by_record(earlier, dict(enumerate(range(4))), 4), KmAnonymity(2, 1))
