"""Number of persons who match known items, if a person has several records, compared with the definition."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.facts import refused

from anonset.data import SetColumn
from anonset.errors import InputError
from anonset.measures.risks import known_sample
from anonset.measures.risks.known_items import known_items
from anonset.measures.risks.known_persons import fewest_persons, matching_persons
from effort import examples
from reference import known_items as reference

ROWS = st.lists(
    st.tuples(st.sets(st.sampled_from("abcdefgh"), max_size=5), st.integers(0, 4), st.integers(0, 1)),
    min_size=1, max_size=12,
)  # fmt: skip


def numbers(owners):
    return np.unique(np.array(owners), return_inverse=True)[1].ravel()


@settings(max_examples=examples(100))
@given(ROWS, st.integers(1, 4), st.booleans(), st.booleans())
def test_the_persons_of_every_set_of_every_record_are_counted(rows, size, grouped, sampled):
    sets, owners, groups = (list(part) for part in zip(*rows, strict=True))
    owner, group = numbers(owners), np.array(groups) if grouped else None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(known_sample, "AFFORDABLE", 0 if sampled else 1e9)
        patch.setattr(known_sample, "SAMPLED", len(rows))
        counts = matching_persons(SetColumn.of(sets), size, owner, group=group)
    for figures in counts:
        expected = reference.matching_persons(sets, figures.size, owner.tolist(), groups if grouped else None)
        assert figures.least.tolist() == expected
        assert figures.known is None or figures.known.all()
    assert len(counts) == size


@given(ROWS)
def test_persons_with_one_record_each_equal_records(rows):
    column = SetColumn.of([items for items, _, _ in rows])
    by_records, by_persons = known_items(column, 3, 2), matching_persons(column, 3, np.arange(len(rows)))
    assert [by_record.least.tolist() for by_record in by_persons] == [
        by_record.least.tolist() for by_record in by_records
    ]


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5)), min_size=1, max_size=20))
def test_the_persons_of_a_class_against_counting(pairs):
    classes, owner = (numbers(part) for part in zip(*pairs, strict=True))
    expected = [
        min(len(set(owner[classes == c].tolist())) for c in set(classes[owner == person].tolist()))
        for person in range(int(owner.max()) + 1)
    ]
    assert fewest_persons(classes, owner).tolist() == expected


def test_a_sample_of_persons_is_that_of_all_or_widens(monkeypatch):
    column, owner = SetColumn.of([{f"i{n % 7}", f"i{n % 5}"} for n in range(300)]), np.arange(300) // 2
    exact = matching_persons(column, 2, owner)[1].least
    monkeypatch.setattr(known_sample, "AFFORDABLE", 0)
    monkeypatch.setattr(known_sample, "SAMPLED", 40)
    few = matching_persons(column, 2, owner)[1]
    assert (len(exact), len(few.least)) == (150, 40)
    assert set(few.least.tolist()) <= set(exact.tolist())


def test_a_size_below_one_is_rejected():
    with refused(InputError, "size 1 0"):
        matching_persons(SetColumn.of([{"a"}]), 0, np.array([0]))
