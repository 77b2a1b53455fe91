"""Worthless publications, compared with a naive reading of the published text, are rejected with a remedy."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.facts import names

import anonset
from anonset.data import CategoricalColumn, NumericColumn, SetColumn, Table
from anonset.data.joining import prefixed
from anonset.data.table_facts import OwnerStatements
from anonset.generalization import Bucketized, ItemGroups, PerCluster, RelationalValues, apply
from anonset.generalization.bucketizing import bucketize
from anonset.privacy import PrivacyModel
from anonset.publications.records import written_columns
from anonset.release.formats import kind_of
from anonset.release.losses import nothing_left, why_worthless
from effort import examples

KM, KKM, K = anonset.KmAnonymity(1, 1), anonset.KKmAnonymity(1, 1), anonset.KAnonymity(1)
HALF = "'items' had 2 different labels"


def items_of(rows: list[str], group: str) -> tuple[Table, Any]:
    """Publish rows of one-letter items as groups, a digit per item in canonical order. A dot suppresses the item."""
    table = Table.from_sets(rows)
    assert table.transactions is not None
    codes = np.array([-1 if digit == "." else int(digit) for digit in group], np.int32)
    return table, apply(table, ItemGroups(table.transactions.vocabulary, codes))


@pytest.mark.parametrize(
    ("rows", "group", "why"),
    [
        (["ab", "a"], "00", "symbol items 2"),
        (["ab", "a"], "..", "nothing items 2"),
        (["ab", "a"], "0.", "symbol items 2"),
        (["ab", "a"], "01", ""),
        (["abc", "a"], "001", ""),
        (["a", "a", ""], "0", ""),
        (["a", ""], ".", "nothing items 1"),
        (["", ""], "", ""),
        ([], "", ""),
    ],
)
def test_publications_without_information_about_items_are_worthless(rows: list[str], group: str, why: str) -> None:
    result = why_worthless(KM, *items_of(rows, group))
    assert names(result, why) if why else not result


@pytest.mark.parametrize(
    ("group", "worth", "warned"),
    [
        ("01234", True, False),
        ("00123", True, True),
        ("..123", True, True),
        ("..0..", False, False),
        (".0123", True, False),
        ("00023", True, True),
        ("00000", False, False),
    ],
)
def test_a_publication_of_sensitive_items_warns(group: str, worth: bool, warned: bool) -> None:
    """The last three of five items are sensitive."""
    model = anonset.LmDiversity(1, 1, 1, ("c", "d", "e"))
    made = items_of(["abcde", "a", "b"], group)
    assert (why_worthless(model, *made) == "") is worth
    if worth:
        found = nothing_left(model, *made)
        assert [names(line, "items") for line in found] == [True] * warned
        assert all("except sensitive items, which can be read" in line for line in found)


def rt(ages: list[str], texts: list[str], sets: tuple[list[str], str]) -> tuple[Table, Any]:
    """Publish each record as a separate class, with the age as given text."""
    table, published = items_of(*sets)
    age = CategoricalColumn.of("age", ages)
    made = Table(table.transactions, (age,))
    shown = CategoricalColumn.of("age", texts)
    return made, replace(published, relational=(shown,))


@pytest.mark.parametrize(
    ("ages", "texts", "group", "worth", "warned"),
    [
        (["1", "2"], ["1", "2"], "01", True, ""),
        (["1", "2"], ["*", "*"], "01", True, "age"),
        (["1", "2"], ["1", "2"], "00", True, "items"),
        (["1", "2"], ["*", "*"], "00", False, ""),
        (["1", "1"], ["1", "1"], "00", False, ""),
        (["1", "1"], ["1", "1"], "01", True, ""),
        (["1", "2"], ["*", "*"], "..", False, ""),
    ],
)
def test_a_publication_is_worthless_only_if_items_and_columns_are(
    ages: list[str], texts: list[str], group: str, worth: bool, warned: str
) -> None:
    table, published = rt(ages, texts, (["ab", "a"], group))
    assert (why_worthless(KKM, table, published) == "") is worth
    result = nothing_left(KKM, table, published)
    if worth:
        assert [names(line, warned) for line in result] == [True] * bool(warned)


def test_columns_with_one_symbol_each_are_worthless() -> None:
    table = Table(relational=(NumericColumn("age", np.array([1, 2])), CategoricalColumn.of("sex", ["f", "f"])))
    recoding = PerCluster(
        np.zeros(2, np.int32), (), (RelationalValues("age", ("[1:2]",)), RelationalValues("sex", ("f",)))
    )
    assert names(why_worthless(K, table, apply(table, recoding)), "symbol age 2 sex 1")


@pytest.mark.long
@settings(max_examples=examples(200))
@given(st.lists(st.tuples(st.sets(st.sampled_from("ab")), st.sets(st.sampled_from("12"))), max_size=5), st.data())
def test_joined_columns_are_judged_individually(pairs: list[tuple[set[str], set[str]]], data: st.DataObject) -> None:
    rows = [{prefixed("dx", x) for x in dx} | {prefixed("rx", x) for x in rx} for dx, rx in pairs]
    column = SetColumn.of(rows, universe=["dx:a", "dx:b", "rx:1", "rx:2"])
    table = Table(column, joined=("dx", "rx"))
    group = data.draw(st.lists(st.integers(-1, 3), min_size=4, max_size=4))
    publication = apply(table, ItemGroups(column.vocabulary, np.array(group, np.int32)))
    texts = [
        {text for row in column.rows() for text in row}
        for column in written_columns(publication)
        if isinstance(column, SetColumn)
    ]
    labels = [set().union(*(pair[side] for pair in pairs)) for side in (0, 1)]
    shown = max((len(text) for text in texts), default=0)
    differed = max(map(len, labels))
    expected = shown <= 1 and differed >= (2 if shown else 1)
    assert bool(why_worthless(KM, table, publication)) is expected


@pytest.mark.parametrize(
    ("values", "group", "starred", "why"),
    [
        ("abab", [0, 0, 1, 1], [], ""),
        ("abab", [0, 0, 0, 0], [], "group"),
        ("aaaa", [0, 0, 0, 0], [], ""),
        ("abab", [0, 0, 1, 1], [0, 1, 2, 3], "identity"),
        ("abab", [0, 0, 1, 1], [0, 1, 2], ""),
        ("abab", [-1, -1, -1, -1], [], "tuple"),
    ],
)
def test_buckets_without_information_are_worthless(values: str, group: list[int], starred: list[int], why: str) -> None:
    ids = CategoricalColumn.of("who", ["p", "q", "r", "s"])
    table = Table(sensitive=CategoricalColumn.of("drug", list(values)), ids=(ids,))
    buckets = Bucketized(np.array(group, np.int32), np.isin(np.arange(4), starred))
    model = anonset.SafetyConstraint(1, 1)
    result = kind_of(model).why_worthless(model, table, bucketize(table, buckets))
    assert names(result, why) if why else not result


REFUSALS: list[tuple[Any, PrivacyModel | None, tuple[str, ...], tuple[str, ...]]] = [
    (anonset.Apriori(k=4, m=1), None, ("exact", "suppress", "coat"), ("k", "balanced")),
    (anonset.Exact(k=4, m=1), None, ("suppress", "coat", "children"), ("mhghs",)),
    (anonset.Exact(k=4, m=1, suppress=None), None, ("coat", "children"), ("suppress",)),
    (anonset.Coat(k=4, m=1), None, ("pcta",), ("exact", "children")),
    (anonset.LocalGeneralization(k=4), None, ("children",), ("suppress",)),
    (anonset.HgHs(k=4, m=1), None, ("exact", "coat"), ("mhghs", "lg")),
]


@pytest.mark.parametrize(("algorithm", "_", "named", "silent"), REFUSALS)
def test_a_refusal_names_other_ways_and_no_weaker_parameters(
    algorithm: Any, _: object, named: tuple[str, ...], silent: tuple[str, ...]
) -> None:
    table = Table.from_sets(["ab", "b", "a", "c"])
    with pytest.raises(anonset.WorthlessError) as raised:
        anonset.anonymize(table, algorithm, hierarchies={"items": "balanced:3"}, workers=1)
    message = str(raised.value)
    assert names(message, f"{algorithm.name} symbol accept worthless")
    assert names(message, " ".join(named))
    assert not any(names(message, name) for name in silent), message
    assert isinstance(raised.value, anonset.InfeasibleError)


@pytest.mark.parametrize(("k", "named"), [(2, True), (4, False)])
def test_a_smaller_delta_is_suggested_if_clusters_were_merged(k: int, named: bool) -> None:
    table = Table.from_columns({"items": ["x"] * 4}, sex=["f", "m", "f", "m"])
    table = replace(table, statements=OwnerStatements("row"))
    with pytest.raises(anonset.WorthlessError) as raised:
        anonset.anonymize(table, anonset.RumBound(k=k, m=1, delta=1.0), workers=1)
    assert names(raised.value, "delta clusters") is named


def test_a_comparison_notes_worthless_candidates() -> None:
    table = Table.from_sets(["ab", "b", "a"])
    (candidate,) = anonset.compare(table, [anonset.Apriori(k=3, m=1)], hierarchies={"items": "balanced:3"}, workers=1)
    assert candidate.outcome == "holds"
    assert names(candidate.note, "worthless symbol items 2")
