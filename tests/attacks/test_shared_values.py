"""Homogeneity and skewness attacks, compared with a row-by-row count."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import anonset
from anonset.attacks.base import AttackInput
from anonset.attacks.composition import ReleaseRows
from anonset.attacks.shared_values import _in_all, homogeneity, skewness
from anonset.data import Table
from anonset.generalization import ItemGroups, apply
from anonset.measures.risks.skewness import Skewness
from anonset.privacy.policies import PrivacyPolicy

ITEMS = "abcde"


@given(
    records=st.lists(st.sets(st.sampled_from(ITEMS)), min_size=1, max_size=8),
    known=st.lists(st.sampled_from(ITEMS), max_size=2),
)
def test_values_shared_by_all_rows_are_disclosed(records: list[set[str]], known: list[str]) -> None:
    table = Table.from_sets(records, universe=ITEMS)
    assert table.transactions is not None
    publication = apply(table, ItemGroups(table.transactions.vocabulary, np.array([0, 0, 2, 3, -1], np.int32)))
    rows = ReleaseRows.of(publication)
    assert rows is not None
    assert publication.transactions is not None
    label_of = {member: symbol.label for symbol in publication.symbols for member in symbol.members}
    fitting = [
        set(row)
        for row in publication.transactions.rows()
        if {label_of[item] for item in known if item in label_of} <= set(row)
    ]
    shared = set.intersection(*fitting) if fitting else set()
    assert {rows.column.vocabulary.labels[code] for code in _in_all(rows, known)} == shared


def test_a_symbol_in_all_rows_is_reported() -> None:
    source = random.Random(2)
    pairs = ["ab", "cd", "ef", "gh"]
    records = [set(source.choice(pairs)) | {source.choice("xyz")} for _ in range(200)]
    table = Table.from_sets(records)
    assert table.transactions is not None
    publication = apply(table, ItemGroups.identity(table.transactions.vocabulary))
    (outcome,) = homogeneity(AttackInput(publication, anonset.KmAnonymity(5, 1), table, attempts=100))
    assert isinstance(outcome.won.certain, float)
    assert (outcome.targets, outcome.without.certain, outcome.control.certain) == (100, 0.0, 0.0)
    # a person known by an item of a pair has the other item
    assert outcome.won.certain == pytest.approx(2 / 3, abs=0.15)
    assert outcome.won.below_k is None


def test_only_persons_with_a_row_are_attacked() -> None:
    table = Table.from_sets([{"a", "b"}, {"c"}, {"a", "b"}])
    assert table.transactions is not None
    publication = apply(table, ItemGroups.identity(table.transactions.vocabulary)).take(np.array([2]))
    (outcome,) = homogeneity(AttackInput(publication, anonset.KmAnonymity(1, 1), table))
    assert (outcome.targets, outcome.won.certain) == (1, 1.0)


def test_kept_columns_are_reported_by_their_skewness() -> None:
    skew = Skewness(0.4, 0.7, 0.5, 0.1, 3.0, 0.2, 0.05)
    table = Table.from_sets([{"a"}, {"b"}])
    assert table.transactions is not None
    publication = apply(table, ItemGroups.identity(table.transactions.vocabulary))
    scene = AttackInput(publication, anonset.KAnonymity(2), skews={"illness": skew})
    (shared,), (guessed,) = homogeneity(scene), skewness(scene)
    assert [shared.without.certain, shared.won.certain, shared.control.certain] == [0.0, 0.2, 0.05]
    assert [guessed.without.success, guessed.won.success, guessed.control.success] == [0.4, 0.7, 0.5]
    nothing = AttackInput(publication, anonset.KAnonymity(2))
    assert isinstance(skewness(nothing), str)
    assert isinstance(homogeneity(nothing), str)


@pytest.mark.parametrize("model", [anonset.ConstraintSet(3, PrivacyPolicy((("a",),))), anonset.AnatomyDiversity(2)])
def test_models_that_name_no_size_take_two(model: anonset.PrivacyModel) -> None:
    table = Table.from_sets([{"a"}, {"b"}])
    assert table.transactions is not None
    scene = AttackInput(apply(table, ItemGroups.identity(table.transactions.vocabulary)), model, table)
    assert scene.m == 2
    assert scene.k == (model.k or 2)
    assert not isinstance(homogeneity(scene), str)
