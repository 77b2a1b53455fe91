"""Joint k^m-anonymity of two releases, compared with all combinations of items that an attacker may know."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.facts import refused

from anonset.algorithms.base import Result
from anonset.algorithms.transaction.apriori import Apriori
from anonset.algorithms.transaction.joint_anonymity import raise_to_joint_anonymity
from anonset.attacks.composition import ReleasePair, ReleaseRows
from anonset.data import Hierarchy, Table
from anonset.errors import InfeasibleError
from anonset.generalization import Cut, ItemGroups, apply
from anonset.generalization.other_release import OtherRelease
from anonset.privacy import KmAnonymity
from anonset.publications import Records as Published
from anonset.verification.two_releases import few_in_both
from effort import examples

TREE = Hierarchy.from_tree(("ALL", [("AB", ["a", "b"]), ("CDE", [("CD", ["c", "d"]), "e"])]))
OTHER = Hierarchy.from_tree(("ALL", [("AC", ["a", "c"]), ("BDE", [("BE", ["b", "e"]), "d"])]))
ITEMS = "abcde"
Records = list[frozenset[str]]
RECORD = st.frozensets(st.sampled_from(ITEMS), max_size=4)


def table_of(records: Records, tree: Hierarchy) -> Table:
    table = Table.from_sets(records, universe=ITEMS)
    assert table.transactions is not None
    return table.with_transactions(tree.bind(table.transactions))


def shown(publication: Published, items: frozenset[str]) -> frozenset[str]:
    return frozenset(symbol.label for symbol in publication.symbols if items & set(symbol.members))


def sets_of(items: frozenset[str], m: int) -> Iterator[frozenset[str]]:
    return map(frozenset, chain(*(combinations(sorted(items), size) for size in range(m + 1))))


def rows_of(publication: Published) -> list[frozenset[str]]:
    assert publication.transactions is not None
    return [frozenset(row) for row in publication.transactions.rows()]


def naive_linked(
    later: Published, beside: OtherRelease, now: Records, before: dict[int, frozenset[str]], m: int
) -> int:
    """Return the smallest number of matching persons in both releases, for m items known from either record."""
    rows, others = rows_of(later), rows_of(beside.publication)
    row_of = {record: rows[row] for row, record in enumerate(later.record.tolist())}
    both = {record: (row_of[record], others[row]) for record, row in enumerate(beside.row.tolist()) if row >= 0}
    fewest = len(both)
    for person in both:
        for here in sets_of(now[person], m):
            for there in sets_of(before[person], m):
                if len(here | there) <= m:
                    needed = shown(later, here), shown(beside.publication, there)
                    fits = sum(needed[0] <= row and needed[1] <= other for row, other in both.values())
                    fewest = min(fewest, fits)
    return fewest


def may_be(publication: Published, *, certain: bool) -> frozenset[str]:
    """Return the items that original records may have: only codebook items if the release suppresses none."""
    return frozenset(chain(*(symbol.members for symbol in publication.symbols))) if certain else frozenset(ITEMS)


def naive_by_rows(
    later: Published, beside: OtherRelease, now: Records, m: int, certain: tuple[bool, bool] = (False, False)
) -> int:
    """Return the smallest number of matching rows, for items of a person with the same record in both releases."""
    rows, others = rows_of(later), rows_of(beside.publication)
    universe = may_be(later, certain=certain[0]) & may_be(beside.publication, certain=certain[1])
    fewest = len(rows)
    for person in np.flatnonzero(beside.row >= 0).tolist():
        for known in sets_of(now[person], m):
            worlds = {(shown(later, items), shown(beside.publication, items)) for items in sets_of(universe, 5)
                      if known <= items}  # fmt: skip
            remaining = sum(any((row, other) in worlds for other in others) for row in rows)
            fewest = min(fewest, remaining, sum(any((row, other) in worlds for row in rows) for other in others))
    return fewest


def earlier_of(records: Records, k: int, m: int, groups: list[int] | None = None) -> Published:
    table = table_of(records, OTHER)
    if groups is not None:
        assert table.transactions is not None
        first: dict[int, int] = {}
        codes = [-1 if group < 0 else first.setdefault(group, i) for i, group in enumerate(groups)]
        return apply(table, ItemGroups(table.transactions.vocabulary, np.array(codes, np.int32)))
    return apply(table, Apriori(k=k, m=m).recode(table, {"items": OTHER}).recoding)


def by_record(publication: Published, record_of: list[int], n: int) -> OtherRelease:
    row_of = np.full(n + 1, -1, np.int64)
    row_of[publication.record] = np.arange(publication.n)
    return OtherRelease(publication, row_of[record_of])


@pytest.mark.long
@given(
    records=st.lists(RECORD, min_size=6, max_size=14), left=st.integers(0, 3), new=st.lists(RECORD, max_size=3),
    changes=st.dictionaries(st.integers(0, 20), RECORD, max_size=2), k=st.integers(2, 3), m=st.integers(1, 2),
)  # fmt: skip
def test_joint_releases_satisfy_the_guarantee_by_enumeration(
    records: Records, left: int, new: Records, changes: dict[int, frozenset[str]], k: int, m: int
) -> None:
    assume(sum(map(bool, records)) >= k)
    stayed = records[left:]
    now = [changes.get(i, record) for i, record in enumerate(stayed)] + new
    assume(sum(map(bool, now)) >= k)
    earlier = earlier_of(records, k, m)
    beside = by_record(earlier, [left + i for i in range(len(stayed))] + [-1] * len(new), len(records))
    beside = replace(beside, shows_all=True)
    table = table_of(now, TREE)
    assert table.transactions is not None
    algorithm = Apriori(k=k, m=m)
    result = algorithm.recode(table, {"items": TREE})
    certain = beside.certain_presence(table, TREE.leaves.labels)
    try:
        joint, linked = raise_to_joint_anonymity(algorithm, result, table.transactions, beside, certain=certain)
    except InfeasibleError:
        assert left or changes
        return
    publication = apply(table, joint.recoding)
    assert few_in_both(table, publication, replace(beside, linked=linked), KmAnonymity(k, m)) is None
    before = {i: records[left + i] for i in range(len(stayed))}
    if linked:
        assert len(before) == 0 or naive_linked(publication, beside, now, before, m) >= k
    elif not changes:
        assert naive_by_rows(publication, beside, now, m, (True, True)) >= k
    assert isinstance(joint.recoding, Cut)
    assert isinstance(result.recoding, Cut)
    was, new_image = result.recoding.image, joint.recoding.image
    assert (TREE.leaf_lo[new_image] <= TREE.leaf_lo[was]).all()
    assert (TREE.leaf_hi[new_image] >= TREE.leaf_hi[was]).all()


GROUPS = st.lists(st.integers(-1, 3), min_size=5, max_size=5)


OF_FOUR = st.frozensets(st.sampled_from("abcd"), min_size=1, max_size=3)


@pytest.mark.long
@settings(max_examples=examples(1000))
@given(
    records=st.lists(RECORD | OF_FOUR, min_size=3, max_size=8) | st.lists(OF_FOUR, min_size=4, max_size=8),
    groups=GROUPS, others=GROUPS, k=st.integers(2, 3), m=st.integers(1, 2),
)  # fmt: skip
def test_the_check_finds_every_joint_violation(
    records: Records, groups: list[int], others: list[int], k: int, m: int
) -> None:
    """Each release suppresses items or none. In the latter case no record has an item outside the codebook."""
    table = table_of(records, OTHER)
    later, earlier = earlier_of(records, k, m, groups), earlier_of(records, k, m, others)
    shows_all = [set(chain(*records)) <= may_be(release, certain=True) for release in (later, earlier)]
    beside = replace(by_record(earlier, list(range(len(records))), len(records)), shows_all=shows_all[1])
    before = dict(enumerate(records))
    holds = naive_linked(later, beside, records, before, m) >= k
    assert (few_in_both(table, later, replace(beside, linked=True), KmAnonymity(k, m)) is None) == holds
    holds = naive_by_rows(later, beside, records, m, (shows_all[0], shows_all[1])) >= k
    result = few_in_both(table, later, beside, KmAnonymity(k, m))
    assert (result is None) == holds
    assert result is None or (result.required, result.support < k, result.what) == (k, True, ())


def test_without_a_cut_it_is_refused() -> None:
    records = [frozenset("ab")] * 4
    table = table_of(records, TREE)
    assert table.transactions is not None
    beside = by_record(earlier_of(records, 2, 1), [0, 1, 2, 3], 4)
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
    beside = replace(by_record(earlier, list(range(len(records))), len(records)), shows_all=shows_all)
    assert (few_in_both(table, later, beside, model) is None) != shows_all
    assert (naive_by_rows(later, beside, records, 1, (True, shows_all)) >= 2) != shows_all
    remaining = [
        ReleasePair(*(ReleaseRows.of(entry) for entry in pair), certain=certain)
        for pair, certain in (((later, earlier), (True, shows_all)), ((earlier, later), (shows_all, True)))
    ]  # type: ignore[arg-type]
    fitting = [side.fitting(["a"]) for side in (remaining[0].later, remaining[0].earlier)]
    assert (remaining[0].count_candidates(*fitting), remaining[1].count_candidates(*fitting[::-1])) == (
        3,
        1 if shows_all else 3,
    )
