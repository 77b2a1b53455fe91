"""Checking the classes of a mapped table by shares returns the same verdict, witness and figures."""

import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.facts import names

from anonset.data import CategoricalColumn, NumericColumn, SetColumn, Table, spans
from anonset.data.spans import Limits
from anonset.data.storage.store import MEMORY, Files
from anonset.data.storage.workers import Threads
from anonset.privacy.classes import KLDiversity, KTCloseness
from anonset.privacy.k import KAnonymity
from anonset.privacy.kkm import KKmAnonymity
from anonset.privacy.lm import KLmDiversity
from anonset.publications import Records
from anonset.verification import shares
from anonset.verification.classes import check_classes
from anonset.verification.counting import Resources
from anonset.verification.kkm import check_k, check_kkm
from anonset.verification.lm import check_klm
from anonset.verification.relational_truth import check_relational_truth
from effort import examples

BUDGET = 10**9


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Files:
    monkeypatch.setattr(spans, "AT_ONCE", 3)
    return Files.temporary(tmp_path, Limits(rows_per_bucket=4))


def columns_of(source: random.Random) -> tuple[list[Any], SetColumn]:
    """Draw classes, most of them of equal rows, so that checks end after different sizes."""
    tuples, rows = [], []
    for _ in range(source.randint(0, 8)):
        values = source.choice("abcdefgh"), source.choice([0.0, -0.0, 1.5, 2.0])
        basket = source.sample("uvwxyz", source.randint(0, 4))
        for _ in range(source.randint(1, 5)):
            tuples.append(values)
            rows.append(set(basket) if source.random() < 0.9 else {source.choice("uvw")})
    order = source.sample(range(len(rows)), len(rows))
    labels = CategoricalColumn.of("place", [tuples[i][0] for i in order])
    numbers = NumericColumn("size", np.array([tuples[i][1] for i in order], np.float64))
    return [labels, numbers], SetColumn.of([rows[i] for i in order], universe="uvwxyz")


@pytest.mark.long
@settings(max_examples=examples(100))
@given(seed=st.integers(0, 10**9), k=st.integers(1, 3), m=st.integers(1, 5))
def test_checking_by_shares_equals_checking_the_table(work_folder: Files, seed: int, k: int, m: int) -> None:
    relational, items = columns_of(random.Random(seed))
    model = KKmAnonymity(k, m)
    complete, parts = (
        check_kkm(relational, items, model, Resources(BUDGET, None, work)) for work in (MEMORY, work_folder)
    )
    assert parts == complete
    assert list(parts.checked) == list(complete.checked)
    assert check_k(relational, KAnonymity(k), work_folder) == check_k(relational, KAnonymity(k), MEMORY)


@pytest.mark.long
@pytest.mark.compiled
@settings(max_examples=examples(100))
@given(seed=st.integers(0, 10**9))
def test_checking_a_sensitive_column_by_shares_equals_checking_the_table(work_folder: Files, seed: int) -> None:
    source = random.Random(seed)
    relational, items = columns_of(source)
    kept = [CategoricalColumn.of("drug", source.choices(source.choice(("123", "11112", "1?2??")), k=items.n))]
    for model in (
        KLDiversity(source.randint(1, 2), 2, "drug"),
        KLDiversity(1, 2, "drug", "entropy"),
        KLDiversity(1, 2, "drug", "recursive", 3),
        KTCloseness(1, source.choice(("0.3", "1")), "drug", source.choice(("equal", "ordered"))),
    ):
        complete = check_classes(relational, kept, model, MEMORY)
        assert check_classes(relational, kept, model, work_folder) == complete


@pytest.fixture(scope="module")
def work_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Files]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spans, "AT_ONCE", 3)
        yield Files.temporary(tmp_path_factory.mktemp("shares"), Limits(rows_per_bucket=4))


@pytest.mark.long
@settings(max_examples=examples(100))
@given(seed=st.integers(0, 10**9), k=st.integers(1, 3), l_=st.integers(1, 3), m=st.integers(1, 4))
def test_checking_diversity_by_shares_equals_checking_the_table(
    work_folder: Files, seed: int, k: int, l_: int, m: int
) -> None:
    relational, items = columns_of(random.Random(seed))
    model = KLmDiversity(k, l_, m, ("u", "w"))
    complete, parts = (
        check_klm(items, tuple(relational), model, Resources(BUDGET, None, work)) for work in (MEMORY, work_folder)
    )
    assert parts == complete


def test_a_share_has_complete_classes_and_leaves_no_files(work: Files) -> None:
    column = CategoricalColumn.of("place", "abcabcabdd" * 3)
    seen = [np.asarray(rows).copy() for rows in shares.shares_of([column], work)]
    assert len(seen) > 1
    assert sorted(np.concatenate(seen).tolist()) == list(range(30))
    class_codes = [set(column.codes[rows].tolist()) for rows in seen]
    assert sum(map(len, class_codes)) == 4
    assert not list(work.path.iterdir())


def test_as_many_shares_at_a_time_as_memory_allows(work: Files, monkeypatch: pytest.MonkeyPatch) -> None:
    at_a_time = []

    class Counted(Threads):
        def map(self, work: Any, tasks: Any, ahead: int | None = None) -> Any:
            at_a_time.append(ahead)
            return super().map(work, tasks, ahead)

    work = work.with_workers(Counted(64))
    column = CategoricalColumn.of("place", "aabbccdd")
    limited = replace(work, limits=replace(work.limits, room=2 * 4 * 4 * 400))  # half of it for shares of four rows
    assert check_k([column], KAnonymity(2), limited).holds
    assert check_k([column], KAnonymity(2), work).holds
    assert at_a_time == [4, 64]


def test_a_share_beyond_the_budget_makes_the_verdict_undecided(work: Files) -> None:
    items = SetColumn.of([{"a", "b"}, {"a", "b"}, {"a", "b", "c"}, {"c"}] * 2)
    verdict = check_kkm([CategoricalColumn.of("sex", "ffffmmmm")], items, KKmAnonymity(2, 2), Resources(5, None, work))
    assert verdict.holds is None
    assert names(verdict.checked["covered"], "budget")


def test_a_single_share_beyond_the_budget_makes_the_verdict_undecided(work: Files) -> None:
    place = CategoricalColumn.of("place", "aaaabbbbccccdddd")
    assert len(list(shares.shares_of([place], work))) > 1
    items = SetColumn.of(map(set, ["abcdefgh", "abcdefgh", "abcdefg", "h", *["abc"] * 12]))
    verdict = check_kkm([place], items, KKmAnonymity(2, 3), Resources(30, None, work))
    assert (verdict.holds, verdict.witness) == (None, None)


def test_equal_records_of_each_share_hold_within_any_budget(work: Files) -> None:
    items = SetColumn.of([{"a", "b"}] * 8)
    verdict = check_kkm([CategoricalColumn.of("sex", "ffffmmmm")], items, KKmAnonymity(2, 2), Resources(0, None, work))
    assert verdict.holds
    assert "itemset_occurrences" not in verdict.checked


@settings(max_examples=examples(100))
@given(seed=st.integers(0, 10**9))
def test_ranges_are_true_if_each_covers_its_number(work_folder: Files, seed: int) -> None:
    source = random.Random(seed)
    texts = ["1", "[0:2]", "[0.1:0.3]", "[0.10:0.30]", "[1/3:2]", "[2:1]", "x", "[-0.0:0]", "1e0", "[5e-324:1]", "[:]"]
    values = [0.0, -0.0, 0.1, 0.3, 1 / 3, 1.0, 2.0, 5e-324, 1e16]
    n = source.randint(1, 9)
    numbers, texts_of_rows = [source.choice(values) for _ in range(n)], [source.choice(texts) for _ in range(n)]
    whole_numbers = source.random() < 0.3
    if whole_numbers:
        numbers = [float(source.randint(-1, 3)) for _ in range(n)]
    column = NumericColumn("x", np.array(numbers, np.int64) if whole_numbers else np.array(numbers, np.float64))
    after = CategoricalColumn.of("x", texts_of_rows)
    verdict = check_relational_truth(Table(relational=(column,)), Records(None, (), (after,), (), np.arange(n)), {})
    from anonset.verification.relational_truth import covers

    wrong = [row for row in range(n) if not covers(texts_of_rows[row], True, None)(str(column.values[row]))]
    assert (None if verdict is None else verdict.record) == (wrong[0] if wrong else None)
