"""COAT and PCTA on records in files: the same groups, decisions and errors as in memory."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.facts import refused

from algorithms.set_based_cases import Case, Larger, random_case, seeds
from anonset.algorithms.base import Algorithm, traits_of
from anonset.algorithms.transaction.item_sets import constraint_search
from anonset.algorithms.transaction.item_sets.coat import Coat
from anonset.algorithms.transaction.item_sets.pcta import Pcta
from anonset.data import SetColumn, Table, spans
from anonset.data.storage.store import Files
from anonset.errors import InfeasibleError, InputError
from anonset.privacy.policies import PrivacyPolicy
from effort import examples, file_names

INPUT = {"indptr", "items"}
"""Files of the sets that a search reads."""

BLOCKS = 7
fixed = settings(
    max_examples=examples(100),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def outcome(algorithm: Algorithm, table: Table, hierarchies: Any) -> Any:
    """Return groups, decisions and figures, or the error message."""
    try:
        result = algorithm.recode(table, hierarchies)
    except InfeasibleError as error:
        return str(error), error.achieved, error.bound
    return result.recoding.group.tolist(), result.trace, result.figures


def in_files(table: Table, work: Files) -> Table:
    """Return a table with the set-valued column in files."""
    column = table.transactions
    assert column is not None
    arrays = [work.keep(name, values) for name, values in (("indptr", column.indptr), ("items", column.items))]
    return replace(table, transactions=SetColumn(column.name, *arrays, column.vocabulary), store=work)


def assert_the_same_in_files(algorithm: Algorithm, table: Table, hierarchies: Any, folder: Path) -> None:
    expected = outcome(algorithm, table, hierarchies)
    for at_once in (table.n, -(-table.n // BLOCKS)):
        with Files.temporary(folder) as work, pytest.MonkeyPatch.context() as patch:
            patch.setattr(spans, "AT_ONCE", max(1, at_once))
            assert outcome(algorithm, in_files(table, work), hierarchies) == expected
            assert file_names(work.path, INPUT) == INPUT


@pytest.mark.long
@fixed
@given(seeds)
def test_small_cases_with_all_settings(tmp_path: Path, seed: int) -> None:
    case: Case = random_case(seed)
    for algorithm in (case.coat(), Pcta(**case.parameters())):
        assert_the_same_in_files(algorithm, case.table, case.hierarchies, tmp_path)


@pytest.mark.long
@fixed
@given(seeds, st.sampled_from([0.0, 0.3, 1.0]))
def test_larger_tables_give_the_same_result_in_files(tmp_path: Path, seed: int, share: float) -> None:
    case = Larger.random(seed)
    for algorithm in (Coat(m=case.m, max_suppressed=share, **case.shared), Pcta(m=case.m, **case.shared)):
        assert_the_same_in_files(algorithm, case.table, case.hierarchies, tmp_path)


@pytest.mark.parametrize("m", [1, 2, 3, 4])
def test_records_without_items_and_one_record(tmp_path: Path, m: int) -> None:
    for rows in ([], [set()], [set(), set()], ["abc"], [set(), "ab", set()]):
        for algorithm in (Coat(k=2, m=m, max_suppressed=1), Pcta(k=2, m=m)):
            assert_the_same_in_files(algorithm, Table.from_sets(rows, universe="abcd"), {}, tmp_path)


def test_the_cases_include_failures_and_merges() -> None:
    cases = [Larger.random(seed) for seed in range(60)]
    result = [outcome(Coat(m=case.m, **case.shared), case.table, case.hierarchies) for case in cases]
    assert any(isinstance(outcome_of_case[0], str) for outcome_of_case in result)
    assert any(isinstance(outcome_of_case[0], list) and len(outcome_of_case[1]) > 1 for outcome_of_case in result)


def test_all_itemsets_run_out_of_core_but_a_list_does_not() -> None:
    assert traits_of(Coat(k=2, m=2)).by_blocks
    assert traits_of(Pcta(k=2, m=3)).by_blocks
    assert not traits_of(Coat(k=2, constraints=PrivacyPolicy.of(["ab"]))).by_blocks


def test_more_than_numbers_of_32_bits_count_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table.from_sets(["ab", "abc"])
    monkeypatch.setattr(constraint_search, "MOST_CELLS", 7)
    assert Coat(k=2, m=2).recode(table, {}).trace
    monkeypatch.setattr(constraint_search, "MOST_CELLS", 6)
    with refused(InputError, "6 2 5"):
        Pcta(k=2, m=2).recode(table, {})


@pytest.mark.parametrize(
    "items", [[1, 0, 0, 1], [0, 0, 0, 1], [0, 1, 2, 3], [0, 2, 0, 2]], ids=["order", "twice", "never", "other counts"]
)
def test_items_that_were_changed_since_they_were_counted_are_refused(tmp_path: Path, items: list[int]) -> None:
    table = Table.from_sets(["ab", "ab", "c"], universe="abcd")
    with Files.temporary(tmp_path) as work:
        mapped = in_files(table, work)
        assert mapped.transactions is not None
        assert mapped.transactions.occurrences.tolist() == [2, 2, 1, 0]
        np.memmap(work.path / "items", np.int32, "r+")[:4] = items
        with refused(InputError, code="damaged"):
            Coat(k=2, m=2).recode(mapped, {})
