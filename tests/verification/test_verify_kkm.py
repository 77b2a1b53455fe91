"""Checks of k and (k, k^m)-anonymity and of relational truth, compared with the definitions."""

import random
from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.facts import names, refused

from anonset.data import CategoricalColumn, Hierarchy, NumericColumn, SetColumn, Table
from anonset.data.storage.store import MEMORY
from anonset.errors import InputError
from anonset.privacy.k import KAnonymity
from anonset.privacy.kkm import KKmAnonymity
from anonset.publications import Records
from anonset.verification.counting import Resources
from anonset.verification.kkm import check_k, check_kkm
from anonset.verification.relational_truth import check_relational_truth
from effort import examples

BUDGET = 10**9


def naive_holds(tuples: Sequence[tuple[str, ...]], rows: Sequence[set[str]], k: int, m: int) -> bool:
    """Count every relational tuple with every set of at most m items, including the empty set."""
    counts: Counter[Any] = Counter()
    for values, row in zip(tuples, rows, strict=True):
        for size in range(m + 1):
            counts.update((values, itemset) for itemset in combinations(sorted(row), size))
    return all(count >= k for count in counts.values())


@pytest.mark.long
@settings(max_examples=examples(200))
@given(seed=st.integers(0, 10**9), k=st.integers(1, 3), m=st.integers(1, 3))
def test_check_equals_the_definition(seed: int, k: int, m: int) -> None:
    source = random.Random(seed)
    kinds = [(source.choice("xy"), source.choice("uv")) for _ in range(3)]
    baskets = [set(source.sample("abcd", source.randint(0, 3))) for _ in range(3)]
    pairs = [(source.choice(kinds), source.choice(baskets)) for _ in range(source.randint(1, 20))]
    tuples, rows = [t for t, _ in pairs], [b for _, b in pairs]
    relational = [CategoricalColumn.of(str(i), [t[i] for t in tuples]) for i in range(2)]
    verdict = check_kkm(relational, SetColumn.of(rows), KKmAnonymity(k, m), Resources(BUDGET))
    assert verdict.holds is naive_holds(tuples, rows, k, m)
    assert check_k(relational, KAnonymity(k), MEMORY).holds is naive_holds(tuples, [set()] * len(rows), k, m)
    if verdict.witness is None:
        return
    shown = verdict.witness
    alike = [rows[r] for r in range(len(rows)) if tuples[r] == tuples[shown.record]]
    if shown.detail:
        assert sum(set(shown.what) <= row for row in alike) == shown.support < k
        assert set(shown.what) <= rows[shown.record]
    else:
        assert shown.what == tuples[shown.record]
        assert len(alike) == shown.support < k


def test_a_set_frequent_in_the_file_but_rare_in_its_class_is_detected() -> None:
    relational = [CategoricalColumn.of("sex", "ffmm")]
    items = SetColumn.of([{"a", "b"}, {"a", "b"}, {"a", "b"}, {"a"}])
    verdict = check_kkm(relational, items, KKmAnonymity(2, 2), Resources(BUDGET))
    assert names(verdict, "{b} 1 2 sex")
    assert verdict.witness is not None
    assert (verdict.witness.what, verdict.witness.record) == (("b",), 2)


def test_empty_publications_and_empty_records() -> None:
    model = KKmAnonymity(3, 2)
    assert check_kkm([CategoricalColumn.of("sex", "")], SetColumn.of([]), model, Resources(BUDGET)).holds
    three = [CategoricalColumn.of("sex", "fff")]
    assert check_kkm(three, SetColumn.of([set()] * 3), model, Resources(BUDGET)).holds
    assert not check_kkm(three, SetColumn.of([{"a"}, set(), set()]), model, Resources(BUDGET)).holds


def test_a_small_budget_is_undecided() -> None:
    items = SetColumn.of([{"a", "b"}, {"a", "b"}, {"a", "b", "c"}, {"c"}])
    assert check_kkm([CategoricalColumn.of("sex", "ffff")], items, KKmAnonymity(2, 2), Resources(5)).holds is None


def test_numbers_published_elsewhere_are_compared_as_numbers() -> None:
    column = NumericColumn("age", np.array([1.5, 1.5, 2.0]))
    verdict = check_k([column], KAnonymity(2), MEMORY)
    assert str(verdict.witness) == "published row 2 matches 1 record, 2 required; by 'age'"
    assert verdict.checked == {"rows": 3, "classes": 2, "smallest_class": 1}


def test_malformed_publications_are_refused() -> None:
    model = KKmAnonymity(2, 2)
    sex = CategoricalColumn.of("sex", "ff")
    broken = CategoricalColumn("sex", np.array([0, 1], np.int32), sex.vocabulary)
    with refused(InputError, "relational"):
        check_k([], KAnonymity(2), MEMORY)
    with refused(InputError, "codes 0 1"):
        check_k([broken], KAnonymity(2), MEMORY)
    with refused(InputError, "rows"):
        check_k([sex, CategoricalColumn.of("race", "1")], KAnonymity(1), MEMORY)
    with refused(InputError, "rows sex 2 items 3"):
        check_kkm([sex], SetColumn.of([set()] * 3), model, Resources(BUDGET))


HIERARCHY = Hierarchy.from_tree(("All", [("A", ["a1", "a2"]), "b"]))


@pytest.mark.parametrize(
    ("column", "published", "wrong"),
    [
        (NumericColumn("c", np.array([1, 5, 9])), ["[1:5]", "[1:5]", "9"], None),
        (NumericColumn("c", np.array([1, 5, 9])), ["[1:5]", "[1:5]", "8"], 2),
        (NumericColumn("c", np.array([-1.5, 0.5, 2.0])), ["[-1.5:0]", "[-1.5:0]", "2"], 1),
        (CategoricalColumn.of("c", ["a1", "a2", "b"]), ["A", "A", "All"], None),
        (CategoricalColumn.of("c", ["a1", "a2", "b"]), ["A", "a1", "A"], 1),
        (CategoricalColumn.of("c", ["a1", "a2", "b"]), ["A", "A", "nobody"], 2),
    ],
)
def test_a_relational_value_that_does_not_cover_the_original_is_found(
    column: Any, published: list[str], wrong: int | None
) -> None:
    table = Table(None, (column,))
    shown = Records(None, (), (CategoricalColumn.of("c", published),), (), np.arange(3))
    verdict = check_relational_truth(table, shown, {"c": HIERARCHY} if isinstance(column, CategoricalColumn) else {})
    assert (None if verdict is None else verdict.record) == wrong


def test_relational_truth_of_value_sets_in_another_row_order() -> None:
    table = Table.from_columns(c=["x", "y", "z"])
    column = Records(None, (), (CategoricalColumn.of("c", ["z", "(x,y)", "(x,y)"]),), (), np.array([2, 1, 0]))
    assert check_relational_truth(table, column, {}) is None
    swapped = Records(None, (), column.relational, (), np.array([0, 1, 2]))
    verdict = check_relational_truth(table, swapped, {})
    assert verdict is not None
    assert (verdict.record, verdict.what) == (0, ("z",))
    with refused(InputError, "relational c"):
        check_relational_truth(table, Records(None, (), (), (), np.arange(3)), {})
