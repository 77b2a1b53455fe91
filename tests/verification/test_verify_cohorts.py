"""Checks of coherence, diversity, partitions and complete transactions against naive implementations, and witnesses."""

import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.facts import names, refused

from anonset.data import CategoricalColumn, NumericColumn, SetColumn, Table, Vocabulary, spans
from anonset.data.spans import Limits
from anonset.data.storage.store import MEMORY, Files, Memory
from anonset.errors import InputError
from anonset.privacy import Verdict
from anonset.privacy.coherence import Coherence
from anonset.privacy.constraints import ConstraintSet
from anonset.privacy.lm import KLmDiversity, LmDiversity
from anonset.privacy.partitions import PartitionKmAnonymity
from anonset.privacy.transaction_k import TransactionKAnonymity
from anonset.verification import cohorts, distinct_rows, occurrences, verify
from anonset.verification.cohort_models import check_coherence, check_partitions
from anonset.verification.counting import Resources
from anonset.verification.lm import check_klm, check_lm
from anonset.verification.transaction_k import check_transaction_k
from effort import examples
from reference.diversity import is_diverse
from reference.suppression import is_coherent
from reference.transaction_algorithms import is_km

BUDGET = 10**9
Rows = list[set[str]]
seeds = st.integers(0, 2**32 - 1)
thorough = settings(max_examples=examples(300))


def case(seed: int) -> tuple[random.Random, Rows, tuple[str, ...]]:
    """Draw records that repeat, some with a sensitive item. Sometimes use small slices."""
    rng = random.Random(seed)
    sensitive = ("s", "t")[: rng.randint(0, 2)]
    base = [set(rng.choices("abcde", k=rng.randint(0, 4))) for _ in range(rng.randint(1, 5))]
    usual_rows = [{rng.choice(sensitive)} if sensitive and rng.random() < 0.3 else set() for _ in range(20)]
    rows = [set(rng.choice(base)) | usual_rows[i] for i in range(rng.randint(0, 20))]
    return rng, rows, sensitive


def matching(rows: Sequence[set[str]], what: Sequence[str]) -> list[int]:
    return [i for i, row in enumerate(rows) if set(what) <= row]


def assert_witness(verdict: Verdict, rows: Rows, k: int, share: Fraction, sensitive: tuple[str, ...]) -> None:
    """Check the witness: a set with too few records, or with too large a share of a sensitive item."""
    witness = verdict.witness
    assert witness is not None
    cohort = matching(rows, witness.what)
    assert len(cohort) == witness.support < witness.required
    assert witness.record in cohort
    worst = max((len(matching(rows, [*witness.what, s])) for s in sensitive), default=0)
    if witness.detail:
        assert worst > share * len(cohort)
        assert worst <= share * witness.required
        assert names(witness.detail, f"{worst}")
    else:
        assert len(cohort) < k == witness.required


@pytest.fixture(params=[(1, 0), (1, 8), (3, 4), (4_000_000, 8)])
def _slices(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in zip(("OCCURRENCES_AT_ONCE", "MOST_OF_A_SET"), request.param, strict=True):
        monkeypatch.setattr(occurrences, name, value)


@pytest.mark.usefixtures("_slices")
def test_every_check_equals_its_twin_in_slices_of_any_size() -> None:
    for seed in range(examples(120)):
        compare_coherence(seed)
        compare_diversity(seed)
        compare_classes(seed)
        compare_partitions(seed)


@pytest.mark.compiled
@thorough
@given(seeds)
def test_symbols_of_the_same_records_are_checked_together(seed: int) -> None:
    rng, rows, sensitive = case(seed)
    k, m, column = rng.randint(1, 3), rng.randint(1, 4), SetColumn.of(rows)
    part = np.array([rng.randint(0, 1) for _ in rows], np.int32)
    sex = (CategoricalColumn.of("sex", [rng.choice("mf") for _ in rows]),)

    def verdicts() -> list[Verdict]:
        return [
            check_coherence(column, Coherence(0.5, k, m, sensitive), Resources(BUDGET)),
            check_lm(column, LmDiversity(k, 2, m, sensitive), Resources(BUDGET)),
            check_klm(column, sex, KLmDiversity(k, 2, m, sensitive), Resources(BUDGET)),
            check_partitions(column, part, PartitionKmAnonymity(k, m), Resources(BUDGET)),
        ]

    usual = verdicts()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cohorts, "_WORTH_MERGING", 0)
        merged = verdicts()
    assert [(verdict_value.holds, verdict_value.witness) for verdict_value in merged] == [
        (verdict_value.holds, verdict_value.witness) for verdict_value in usual
    ]


@pytest.mark.long
def test_diverse_records_of_a_million_items() -> None:
    labels = (*(f"{code:06d}" for code in range(1_000_000)), "s", "t")
    rows = [np.arange(1_000_001), np.append(np.arange(1_000_000), 1_000_001), np.arange(500_000), np.arange(500_000)]
    indptr = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    column = SetColumn("items", indptr, np.concatenate(rows).astype(np.int32), Vocabulary(labels))
    verdict = check_lm(column, LmDiversity(2, 2, 2, ("s", "t")), Resources(BUDGET))
    assert (verdict.holds, verdict.checked["distinct_columns"]) == (True, 2)
    assert check_lm(column, LmDiversity(2, 3, 2, ("s", "t")), Resources(BUDGET)).holds is False


@thorough
@given(seeds)
def test_coherence_equals_the_naive_check(seed: int) -> None:
    compare_coherence(seed)


def compare_coherence(seed: int) -> None:
    rng, rows, sensitive = case(seed)
    h = rng.choice([1, 0.5, 0.3, 1 / 3, 0.25, "1/3", "0.9999999999", "0." + "9" * 20, "1e-12"])
    model = Coherence(h, rng.randint(1, 3), rng.randint(1, 4), sensitive)
    verdict = check_coherence(SetColumn.of(rows), model, Resources(BUDGET))
    assert verdict.holds is is_coherent(rows, sensitive, Fraction(str(h)), model.k, model.p)
    if not verdict.holds:
        assert_witness(verdict, rows, model.k, Fraction(str(h)), sensitive)


@thorough
@given(seeds)
def test_diversity_equals_the_naive_check(seed: int) -> None:
    compare_diversity(seed)


def compare_diversity(seed: int) -> None:
    rng, rows, sensitive = case(seed)
    model = LmDiversity(rng.randint(1, 3), rng.randint(1, 4), rng.randint(1, 4), sensitive)
    verdict = check_lm(SetColumn.of(rows), model, Resources(BUDGET))
    assert verdict.holds is is_diverse(rows, sensitive, model.k, model.l, model.m)
    if not verdict.holds:
        assert_witness(verdict, rows, model.k, Fraction(1, model.l), sensitive)


@thorough
@given(seeds)
def test_diversity_of_classes_equals_the_naive_check(seed: int) -> None:
    compare_classes(seed)


def compare_classes(seed: int) -> None:
    rng, rows, sensitive = case(seed)
    model = KLmDiversity(rng.randint(1, 2), rng.randint(1, 3), rng.randint(1, 3), sensitive)
    sex, age = [rng.choice("mf") for _ in rows], [rng.choice([30, 40]) for _ in rows]
    relational = (CategoricalColumn.of("sex", sex), NumericColumn("age", np.array(age, np.int64)))
    verdict = check_klm(SetColumn.of(rows), relational, model, Resources(BUDGET))
    classes: dict[tuple[str, int], Rows] = {}
    for row, key in zip(rows, zip(sex, age, strict=True), strict=True):
        classes.setdefault(key, []).append(row)
    assert verdict.holds is all(is_diverse(c, sensitive, model.k, model.l, model.m) for c in classes.values())
    if not verdict.holds:
        assert verdict.witness is not None
        position = verdict.witness.record
        assert_witness_in_class(verdict, rows, classes[sex[position], age[position]], model, sensitive)


def assert_witness_in_class(
    verdict: Verdict, rows: Rows, members: Rows, model: KLmDiversity, sensitive: tuple[str, ...]
) -> None:
    assert verdict.witness is not None
    assert set(verdict.witness.what) <= rows[verdict.witness.record]
    cohort = matching(members, verdict.witness.what)
    assert verdict.witness.support == len(cohort)
    worst = max((len(matching(members, [*verdict.witness.what, s])) for s in sensitive), default=0)
    assert len(cohort) < model.k or worst * model.l > len(cohort)


@thorough
@given(seeds)
def test_partitions_equal_the_naive_check(seed: int) -> None:
    compare_partitions(seed)


def compare_partitions(seed: int) -> None:
    rng, rows, _ = case(seed)
    model = PartitionKmAnonymity(rng.randint(1, 3), rng.randint(1, 3))
    part = np.array([rng.randint(0, 1) for _ in rows], np.int32)
    verdict = check_partitions(SetColumn.of(rows), part, model, Resources(BUDGET))
    parts: list[Rows] = [[row for row, p in zip(rows, part, strict=True) if p == q] for q in (0, 1)]
    assert verdict.holds is all(is_km(members, model.k, model.m) for members in parts)
    if not verdict.holds:
        assert verdict.witness is not None
        members = parts[part[verdict.witness.record]]
        assert len(matching(members, verdict.witness.what)) == verdict.witness.support < model.k


@thorough
@given(seeds)
def test_complete_transactions_are_checked(seed: int) -> None:
    rng, rows, _ = case(seed)
    model = TransactionKAnonymity(rng.randint(1, 4))
    verdict = check_transaction_k(SetColumn.of(rows), model, MEMORY)
    count = Counter(map(frozenset, rows))
    assert verdict.holds is all(n >= model.k for n in count.values())
    if not verdict.holds:
        assert verdict.witness is not None
        assert verdict.witness.what == ()
        assert count[frozenset(rows[verdict.witness.record])] == verdict.witness.support < model.k


def test_symbols_of_all_records_are_counted_within_the_memory_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """All 600 records contain a and b, half c or d, and 4 e. Every sensitive item is in a sixth of the records."""
    rows = [{"a", "b", "cd"[i % 2], f"s{i % 6}", *(["e"] if i % 150 == 0 else [])} for i in range(600)]
    column, peak_sizes = SetColumn.of(rows), []
    of_size = occurrences.MemberSymbols.of_size

    def measured(symbols: occurrences.MemberSymbols, size: int) -> Iterator[occurrences.Occurrences]:
        for occurrences_of_size in of_size(symbols, size):
            peak_sizes.append(len(occurrences_of_size.row))
            yield occurrences_of_size

    monkeypatch.setattr(occurrences.MemberSymbols, "of_size", measured)
    monkeypatch.setattr(spans, "AT_ONCE", 50)
    for k, share in ((4, 2), (5, 2), (1, 4)):
        model = LmDiversity(k, share, 4, tuple(f"s{n}" for n in range(6)))
        expected = verify(Table(column), model)
        del peak_sizes[:]
        assert verify(Table(column, store=Memory(Limits(room=8_000))), model) == expected
        assert max(peak_sizes) <= 50 < len(rows)


@pytest.mark.long
@settings(max_examples=examples(60))
@given(seeds)
def test_mapped_records_have_the_same_verdicts(work_folder: Files, seed: int) -> None:
    rng, rows, sensitive = case(seed)
    k, m, column = rng.randint(1, 3), rng.randint(1, 3), SetColumn.of(rows)
    arrays = [work_folder.keep(name, values) for name, values in (("p", column.indptr), ("i", column.items))]
    mapped = Table(SetColumn(column.name, *arrays, column.vocabulary), store=work_folder)
    models = LmDiversity(k, 2, m, sensitive), Coherence(0.5, k, m, sensitive), TransactionKAnonymity(k)
    for model in (*models, KLmDiversity(k, 2, m, sensitive), ConstraintSet(k, m=m)):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(spans, "AT_ONCE", 3)
            patch.setattr(occurrences, "OCCURRENCES_AT_ONCE", rng.choice([1, 4, 4_000_000]))
            patch.setattr(occurrences, "MOST_OF_A_SET", rng.choice([0, 4, 4_000_000]))
            verdict = verify(mapped, model)
        assert verdict == verify(Table(column), model)


@pytest.mark.long
@settings(max_examples=examples(60))
@given(seeds)
def test_mapped_records_of_partitions_have_the_same_verdict(work_folder: Files, seed: int) -> None:
    rng, rows, _ = case(seed)
    column, model = SetColumn.of(rows), PartitionKmAnonymity(rng.randint(1, 3), rng.randint(1, 3))
    part = np.array([rng.choice([5, 0, 2]) for _ in rows], np.int32)
    arrays = [work_folder.keep(name, array) for name, array in (("p", column.indptr), ("i", column.items))]
    mapped = SetColumn(column.name, *arrays, column.vocabulary)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spans, "AT_ONCE", rng.choice([1, 3, 100]))
        patch.setattr(occurrences, "OCCURRENCES_AT_ONCE", rng.choice([1, 4, 4_000_000]))
        patch.setattr(occurrences, "MOST_OF_A_SET", rng.choice([1, 3, 4_000_000]))
        verdict = check_partitions(mapped, part, model, Resources(BUDGET, None, work_folder))
    assert verdict == check_partitions(column, part, model, Resources(BUDGET))
    assert verdict.checked["groups"] == len(set(part.tolist()))


@pytest.fixture(scope="module")
def work_folder(tmp_path_factory: pytest.TempPathFactory) -> Files:
    return Files.temporary(tmp_path_factory.mktemp("mapped"))


def test_complete_transactions_of_a_mapped_table_are_merged_by_blocks(
    work_folder: Files, monkeypatch: pytest.MonkeyPatch
) -> None:
    column = SetColumn.of([{"a"}, {"a", "b"}, set()] * 4 + [{"b"}])
    monkeypatch.setattr(spans, "AT_ONCE", 2)
    seen: list[int] = []
    merge = distinct_rows._merged_block

    def merged_block(column: SetColumn, span: tuple[int, int], *, narrow: bool) -> Any:
        seen.append(span[1] - span[0])
        return merge(column, span, narrow=narrow)

    monkeypatch.setattr(distinct_rows, "_merged_block", merged_block)
    verdict = check_transaction_k(column, TransactionKAnonymity(2), work_folder)
    assert verdict.witness is not None
    assert (verdict.witness.record, verdict.witness.support) == (12, 1)
    assert sorted(seen) == [1, 2, 2, 2, 2, 2, 2]


@pytest.mark.long
@pytest.mark.compiled
def test_the_cases_include_valid_and_invalid_records() -> None:
    outcomes: Counter[tuple[str, Any]] = Counter()
    for seed in range(200):
        rng, rows, sensitive = case(seed)
        k, m = rng.randint(1, 3), rng.randint(1, 3)
        column = SetColumn.of(rows)
        coherent = check_coherence(column, Coherence(0.5, k, m, sensitive), Resources(BUDGET))
        diverse = check_lm(column, LmDiversity(k, 2, m, sensitive), Resources(BUDGET))
        for verdict in (coherent, diverse):
            has_detail = bool(verdict.witness and verdict.witness.detail)
            outcomes[verdict.model.name, has_detail if verdict.witness else None] += 1
    assert all(outcomes[name, outcome] > 10 for name in ("coherence", "lm") for outcome in (None, False, True))


def test_the_witness_is_the_smallest_set_then_the_first() -> None:
    rows = [{"a", "b", "c"}] * 2 + [{"a", "c", "d"}] * 2 + [{"b", "c"}, {"d", "c"}]
    verdict = check_coherence(SetColumn.of(rows), Coherence(1, 3, 3), Resources(BUDGET))
    assert names(verdict.witness, "'{a, b}' 2 3 0")


def test_a_disclosed_item_is_named() -> None:
    rows = [{"a", "s"}, {"a", "s"}, {"a"}, {"b"}, {"b"}, {"b"}]
    verdict = check_lm(SetColumn.of(rows), LmDiversity(1, 2, 2, ("s",)), Resources(BUDGET))
    assert verdict.outcome == "fails"
    assert names(verdict, "{a} 3 4 0 s 2")
    everyone = check_lm(SetColumn.of(rows[:3]), LmDiversity(1, 2, 2, ("s",)), Resources(BUDGET))
    assert everyone.witness is not None
    assert everyone.witness.what == ()


def test_a_size_above_the_longest_record_is_stated_with_the_items_that_may_be_known() -> None:
    rows = [{"a", "s"}, {"a"}, {"b"}, {"b"}]
    verdict = check_lm(SetColumn.of(rows), LmDiversity(2, 2, 2, ("s",)), Resources(BUDGET))
    assert verdict.holds
    assert re.findall(r"\bitems?\b", str(verdict.checked["covered"])) == ["items", "item"]
    assert names(verdict.checked["covered"], "2 1")


def test_a_check_beyond_its_budget_is_undecided() -> None:
    column = SetColumn.of([{"a", "b", "c"}] * 3)
    verdict = check_coherence(column, Coherence(1, 2, 3), Resources(100))
    assert verdict.holds is None
    assert names(verdict.checked["covered"], "2 3 budget 100")


def test_progress_reaches_the_total() -> None:
    reported: list[tuple[str, float, float]] = []
    column = SetColumn.of([{"a", "b"}, {"a"}])
    check_coherence(column, Coherence(1, 1, 2), Resources(BUDGET, lambda *said: reported.append(said)))
    assert reported == [("cohorts of 1 symbols", 3.0, 3.0), ("cohorts of 2 symbols", 1.0, 1.0)]


def test_a_check_of_partitions_needs_the_partitions() -> None:
    with refused(InputError, "partition-km"):
        check_partitions(SetColumn.of([{"a"}]), None, PartitionKmAnonymity(2, 2), Resources(BUDGET))


def test_malformed_columns_are_refused() -> None:
    column = SetColumn("items", np.array([0, 2]), np.array([1, 0], np.int32), SetColumn.of([{"a", "b"}]).vocabulary)
    with refused(InputError, "ascending"):
        check_coherence(column, Coherence(1, 1, 1), Resources(BUDGET))
    with refused(InputError, "ascending"):
        check_transaction_k(column, TransactionKAnonymity(1), MEMORY)


def test_without_relational_columns_there_is_one_class() -> None:
    verdict = check_klm(SetColumn.of([{"a"}, {"a", "s"}]), (), KLmDiversity(2, 2, 1, ("s",)), Resources(BUDGET))
    assert verdict.holds
    assert verdict.checked["groups"] == 1


def test_classes_of_another_number_of_rows_are_refused() -> None:
    sex, model = CategoricalColumn.of("sex", "f"), KLmDiversity(1, 2, 1, ("s",))
    with refused(InputError, "rows sex 1 items 2"):
        check_klm(SetColumn.of([{"a"}, {"a"}]), (sex,), model, Resources(BUDGET))
