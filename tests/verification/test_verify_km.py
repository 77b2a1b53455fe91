import threading
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from itertools import pairwise
from math import comb
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.facts import names, refused

from anonset.data import CategoricalColumn, Hierarchy, SetColumn, Table, Vocabulary, spans
from anonset.data.spans import Limits
from anonset.data.storage.store import MEMORY, Files, Memory
from anonset.data.storage.workers import Threads
from anonset.errors import AnonsetError, InputError
from anonset.generalization import Cut, apply
from anonset.privacy import KmAnonymity, PrivacyModel, Verdict
from anonset.publications import Records
from anonset.verification import counting, distinct_rows, itemsets, verify
from anonset.verification.counting import CountedTriples
from effort import examples
from reference.km import alike, naive_km, supports

small_rows = st.lists(st.sets(st.integers(0, 5), max_size=5), max_size=12)
repeated_rows = st.lists(st.tuples(st.sets(st.integers(0, 4), max_size=5), st.integers(1, 4)), max_size=5).map(
    lambda pairs: [row for row, times in pairs for _ in range(times)]
)


def table_of(rows: Sequence[set[int]], n_symbols: int = 6) -> Table:
    # labels fall as codes rise, so that sorting by label would be noticed
    labels = [f"s{n_symbols - code:06d}" for code in range(n_symbols)]
    return Table.from_sets([[labels[code] for code in row] for row in rows], universe=labels)


def codes_of(table: Table, verdict: Verdict) -> tuple[int, ...]:
    assert table.transactions is not None
    assert verdict.witness is not None
    return tuple(table.transactions.vocabulary.index[label] for label in verdict.witness.what)


def count_pairs_by(patch: pytest.MonkeyPatch, method: str) -> None:
    patch.setattr(itemsets.DistinctRows, "_suit_a_matrix", lambda *_: method == "matrix")


def test_the_verifier_counts_occurrences_itself() -> None:
    table = table_of([{0, 1}, {0}, {0}])
    assert table.transactions is not None
    table.transactions.with_occurrences(np.array([3, 3, 0, 0, 0, 0]))
    verdict = verify(table, KmAnonymity(2, 1))
    assert (verdict.holds, codes_of(table, verdict)) == (False, (1,))


@pytest.mark.parametrize("method", ["matrix", "walk"])
@pytest.mark.parametrize(("k", "support"), [(1, None), (2, 1), (3, 1)])
def test_a_pair_of_a_single_record_is_found(
    method: str, k: int, support: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    count_pairs_by(monkeypatch, method)
    witness = verify(table_of([{0, 1}, *[{0}, {1}] * 2]), KmAnonymity(k, 2)).witness
    assert (None if witness is None else witness.support) == support


@settings(max_examples=examples(200))
@given(
    rows=st.one_of(small_rows, repeated_rows),
    k=st.integers(1, 4),
    m=st.integers(1, 7),
    steps=st.sampled_from([1, 7, 10**6]),
    together=st.sampled_from([1, 3, 10**6]),
    threads=st.booleans(),
    pairs=st.sampled_from(["matrix", "walk"]),
    tables=st.sampled_from([0, 200, 1 << 20]),
)
def test_every_method_and_division_agrees_with_the_naive_twin(
    rows: list[set[int]], k: int, m: int, steps: int, together: int, threads: bool, pairs: str, tables: int
) -> None:
    table = table_of(rows)
    with pytest.MonkeyPatch.context() as patch:
        count_pairs_by(patch, pairs)
        patch.setattr(itemsets, "BYTES_PER_OCCURRENCE", 1000)
        patch.setattr(itemsets, "MOST_OF_TRIPLES", tables)
        patch.setattr(counting, "_STEPS_PER_CALL", steps)
        patch.setattr(distinct_rows, "_ROWS_PER_CALL", steps)
        patch.setattr(distinct_rows, "MOST_TOGETHER", together)
        patch.setattr(spans, "AT_ONCE", steps)
        patch.setattr(counting, "CODES_PER_WINDOW", steps)
        patch.setattr(itemsets, "_WORTH_THREADS", 0 if threads else 10**9)
        verdict = verify(table, KmAnonymity(k, m))
    rare = naive_km(rows, k, m)
    assert verdict.holds is (rare is None)
    if rare is None:
        sizes = range(1, min(m, max(map(len, rows), default=0)) + 1)
        assert verdict.checked["distinct_itemsets"] == {size: len(supports(rows, size)) for size in sizes}
    else:
        assert codes_of(table, verdict) == rare
        assert verdict.witness is not None
        assert verdict.witness.support == supports(rows, len(rare))[rare]
        assert verdict.witness.required == k
        assert verdict.witness.record == next(r for r, row in enumerate(rows) if set(rare) <= row)


@pytest.mark.parametrize("size", [2, 3, 4])
@pytest.mark.parametrize("k", [1, 2, 3, 9])
def test_counting_pairs_in_a_matrix_equals_walking(size: int, k: int) -> None:
    rng = np.random.default_rng(size)
    # more than 64 symbols, so that bit sets have several words
    heads = [rng.choice(150, 3, replace=False) for _ in range(12)]
    rows = [{*heads[i % 12].tolist(), *rng.choice(150, i % 5).tolist()} for i in range(400)] * 2
    column = table_of([row for row in rows if len(row) < 7], 150).transactions
    assert column is not None
    together = itemsets.DistinctRows(column, MEMORY).count(size, k)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "MOST_SYMBOLS", 0)
        patch.setattr(itemsets, "MOST_SYMBOLS", 0)
        walked = itemsets.DistinctRows(column, MEMORY).count(size, k)
    assert (together.rare, together.support) == (walked.rare, walked.support)
    assert together.rare is not None or together.distinct == walked.distinct
    assert (together.rare is None) is (k < 3)


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("most", [1 << 15, 1 << 20], ids=["some windows", "few windows"])
@pytest.mark.parametrize("k", [1, 2, 3, 5, 9, 100])
def test_counting_triples_equals_walking(k: int, most: int, threads: int) -> None:
    rng = np.random.default_rng(k)
    # more than 64 symbols, so that bit sets have several words
    heads = [rng.choice(150, 9, replace=False) for _ in range(12)]
    rows = [set(heads[i % 12][: rng.integers(10)].tolist()) for i in range(300)] * 4
    rows += [{*heads[0].tolist(), int(rng.integers(150))} for _ in range(2 if k > 4 else 0)]
    column = table_of(rows, 150).transactions
    assert column is not None
    distinct = itemsets.DistinctRows(column, MEMORY.with_workers(Threads(threads)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(itemsets, "BYTES_PER_OCCURRENCE", 0)
        walked = distinct.count(3, k)
        patch.setattr(itemsets, "BYTES_PER_OCCURRENCE", 1000)
        patch.setattr(itemsets, "MOST_OF_TRIPLES", most)
        patch.setattr(itemsets, "_WORTH_THREADS", 0)
        patch.setattr(counting.ItemsetCounting, "run", None)
        counted = distinct.count(3, k)
    assert (counted.rare, counted.support) == (walked.rare, walked.support)
    assert counted.rare is not None or counted == walked
    assert (counted.rare is None) is (k < 5)


@given(st.lists(st.integers(0, 40), max_size=90), st.integers(1, 9), st.integers(1, 1 << 16), st.integers(1, 9))
def test_windows_cover_all_numbers_within_the_limit(lengths: list[int], k: int, most: int, threads: int) -> None:
    indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    items = np.concatenate([np.arange(length) for length in lengths] or [[]]).astype(np.int32)
    column = SetColumn("items", indptr, items, Vocabulary(tuple(f"{code:03}" for code in range(80))))
    triples = CountedTriples(column, k, most, threads)
    sizes = [triples.counters(window) for window in triples.windows]
    assert all(counters.full.nbytes + counters.digits.nbytes <= most for counters in sizes)
    if triples.windows:
        numbers = [number for first, end in triples.windows for number in range(first, end)]
        assert numbers == list(range(len(triples.symbols)))
        assert sum(counters.full.nbytes + counters.digits.nbytes for counters in sizes) == triples.bytes
    else:
        assert not len(triples.symbols) or triples.bytes > most


@settings(max_examples=examples(100))
@given(
    rows=st.lists(st.sets(st.integers(0, 3), max_size=3), max_size=12),
    ordered=st.booleans(),
    limit=st.sampled_from([None, 1, 2 * 48 * 3]),
    filed=st.booleans(),
)
def test_equal_rows_are_merged_in_any_order_and_within_any_memory(
    rows: list[set[int]], ordered: bool, limit: int | None, filed: bool
) -> None:
    rows = sorted(rows, key=sorted) if ordered else rows
    column = table_of(rows).transactions
    assert column is not None
    with ExitStack() as stack:
        stack.enter_context(pytest.MonkeyPatch.context()).setattr(spans, "AT_ONCE", 3)
        limits = Limits(room=limit)  # no limit, and limits for tables of one and of three rows
        store = stack.enter_context(Files.temporary(limits=limits) if filed else Memory(limits))
        result = distinct_rows.merged(column, store)
    first = list(dict.fromkeys(map(tuple, map(sorted, rows))))
    codes = [tuple(result.column.items[a:b].tolist()) for a, b in pairwise(result.column.indptr.tolist())]
    assert codes == first
    assert result.weight.tolist() == [sum(tuple(sorted(row)) == codes_of_row for row in rows) for codes_of_row in first]


@pytest.mark.parametrize(("limit", "shares"), [(None, 1), (2 * 48 * 10, 5)])
def test_a_limit_on_the_memory_bounds_the_table_of_rows_that_are_merged(
    limit: int | None, shares: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    column = table_of([{i % 6, (i + i // 6) % 6} for i in range(50)][::-1]).transactions
    assert column is not None
    merge, taken = distinct_rows.merge_equal, []

    def seen(column: SetColumn, *others: Any) -> Any:
        taken.append(others[2])
        return merge(column, *others)

    monkeypatch.setattr(spans, "AT_ONCE", 1)
    monkeypatch.setattr(distinct_rows, "merge_equal", seen)
    assert int(distinct_rows.merged(column, Memory(Limits(room=limit))).weight.sum()) == 50
    assert taken == [shares]


@settings(max_examples=examples(100))
@given(rows=st.one_of(small_rows, repeated_rows))
def test_the_verdict_reports_counts(rows: list[set[int]]) -> None:
    checked = verify(table_of(rows), KmAnonymity(1, 9)).checked
    distinct = {frozenset(row) for row in rows}
    longest = max(map(len, rows), default=0)
    assert checked["rows"] == len(rows)
    assert checked["distinct_rows"] == len(distinct)
    assert checked["symbols"] == len(set().union(*rows))
    assert checked["itemset_occurrences"] == {
        size: sum(comb(len(row), size) for row in distinct) for size in range(1, longest + 1)
    }


@settings(max_examples=examples(200))
@given(rows=small_rows, kept=st.sets(st.integers(0, 5)), together=st.sampled_from([1, 3, 10**6]))
def test_symbols_of_the_same_rows_are_represented_by_the_first(
    rows: list[set[int]], kept: set[int], together: int
) -> None:
    column, places = table_of(rows).transactions, alike(rows, 6)
    assert column is not None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(distinct_rows, "_CODES_PER_CALL", together)
        others = np.array([code in kept for code in range(6)])
        assert distinct_rows.first_of_alike(column).tolist() == [
            places.index(rows_of_symbol) == i for i, rows_of_symbol in enumerate(places)
        ]
        free = [rows_of_symbol if i not in kept else frozenset({-1 - i}) for i, rows_of_symbol in enumerate(places)]
        result = distinct_rows.first_of_alike(column, others)
        assert result.tolist() == [free.index(rows_of_symbol) == i for i, rows_of_symbol in enumerate(free)]
        fewer = column.only(result)
        labels = column.vocabulary.labels
        wanted = [{labels[code] for code in row if result[code]} for row in rows]
        assert [set(row) for row in fewer.rows()] == wanted


@settings(max_examples=examples(200))
@given(rows=st.one_of(small_rows, repeated_rows), k=st.integers(1, 4), m=st.integers(1, 6), times=st.integers(1, 3))
def test_long_records_have_the_same_verdict_and_witness(rows: list[set[int]], k: int, m: int, times: int) -> None:
    long = [{code * times + more for code in row for more in range(times)} for row in rows]
    table = table_of(long, 6 * times)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(itemsets, "_WORTH_MERGING", 0)
        verdict = verify(table, KmAnonymity(k, m))
    expected = naive_km(long, k, m)
    assert verdict.holds is (expected is None)
    if expected is not None:
        assert codes_of(table, verdict) == expected
    elif "distinct_columns" in verdict.checked:
        places = alike(long, 6 * times)
        assert verdict.checked["distinct_columns"] == len(set(places) - {frozenset()}) < verdict.checked["symbols"]


@pytest.mark.long
def test_records_of_a_million_items() -> None:
    n = 1_000_000
    voc = Vocabulary(tuple(f"{code:06d}" for code in range(n)))

    def of(*lengths: int) -> Table:
        indptr = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        return Table(
            SetColumn("items", indptr, np.concatenate([np.arange(end, dtype=np.int32) for end in lengths]), voc)
        )

    verdict = verify(of(n, n), KmAnonymity(2, 2))
    assert (verdict.holds, verdict.checked["distinct_columns"]) == (True, 1)
    halves = verify(of(n, n, n // 2, n // 2), KmAnonymity(3, 2))
    assert halves.witness is not None
    assert (halves.witness.what, halves.witness.support) == ((f"{n // 2:06d}",), 2)
    verdict = verify(of(n, n, n // 2, n // 2), KmAnonymity(2, 2))
    assert (verdict.holds, verdict.checked["itemset_occurrences"]) == (True, {1: n + n // 2, 2: 1})


@settings(max_examples=examples(100))
@given(rows=small_rows, k=st.integers(1, 4), budget=st.integers(0, 60))
def test_beyond_the_budget_a_violation_is_the_first_or_none(rows: list[set[int]], k: int, budget: int) -> None:
    table, expected = table_of(rows), naive_km(rows, k, 3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "_STEPS_PER_CALL", 1)
        patch.setattr(counting, "CODES_PER_WINDOW", 1)
        verdict = verify(table, KmAnonymity(k, 3), budget=budget)
    if verdict.holds is False:
        assert codes_of(table, verdict) == expected
    assert verdict.holds is None or verdict.holds is (expected is None)


def test_beyond_the_budget_the_first_sets_are_checked() -> None:
    table = table_of([{0, 1, 2, 3, 4, 5}, {0, 2, 3, 4, 5}, {1, 2, 3, 4, 5}])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "_STEPS_PER_CALL", 1)
        verdict = verify(table, KmAnonymity(2, 2), budget=22)
        assert codes_of(table, verdict) == (0, 1)
        assert verify(table, KmAnonymity(2, 2), budget=16).holds is None
        patch.setattr(itemsets, "_TRIED", 0)
        assert verify(table, KmAnonymity(2, 2), budget=22).holds is None


@pytest.mark.parametrize("rows", [[], [set()], [set(), set(), set()]])
def test_a_publication_without_symbols_verifies(rows: list[set[int]]) -> None:
    verdict = verify(table_of(rows), KmAnonymity(5, 3))
    assert verdict.holds is True
    assert names(verdict.checked["covered"], "no 0")


@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_finds_a_violation_that_only_the_largest_size_shows(size: int) -> None:
    all_codes = set(range(size))
    rows = [all_codes - {code} for code in all_codes for _ in range(2)] + [all_codes]
    table = table_of(rows)
    assert verify(table, KmAnonymity(2, size - 1)).holds is True
    verdict = verify(table, KmAnonymity(2, size))
    assert verdict.holds is False
    assert codes_of(table, verdict) == tuple(all_codes)
    assert verdict.witness is not None
    assert (verdict.witness.support, verdict.witness.record) == (1, 2 * size)
    assert set(verdict.checked["distinct_itemsets"]) == set(range(1, size))


def test_finds_a_violation_in_a_record_shorter_than_m() -> None:
    rows = [{1, 2, 3}] * 5 + [{0, 1}]
    table = table_of(rows)
    assert codes_of(table, verify(table, KmAnonymity(2, 3))) == (0,)


def test_the_witness_is_the_first_set_below_k() -> None:
    table = table_of([{0, 4}, {1, 2}, {0, 1, 2, 4}, {1}, {2}, {3}, {3}, {3}])
    assert codes_of(table, verify(table, KmAnonymity(3, 2))) == (0,)
    assert codes_of(table, verify(table, KmAnonymity(2, 2))) == (0, 1)


def test_many_symbols_do_not_overflow() -> None:
    n = 70_000  # n ** 4 exceeds 64 bits
    common = [{0, 1, n - 2, n - 1}, {0, n // 2, n - 2, n - 1}, {1, n // 2, n - 2, n - 1}]
    table = table_of(common * 2 + [{0, 1, n // 2, n - 1}, {0, 1, n // 2, n - 1}], n)
    assert verify(table, KmAnonymity(2, 4)).holds is True
    broken = table_of(common * 2 + [{0, 1, n // 2, n - 1}], n)
    assert codes_of(broken, verify(broken, KmAnonymity(2, 4))) == (0, 1, n // 2)
    assert verify(table, KmAnonymity(2, 4)).checked["distinct_itemsets"] == {1: 5, 2: 10, 3: 10, 4: 4}


def publication() -> Records:
    hierarchy = Hierarchy.from_tree(("ALL", [("A", ["a1", "a2"]), ("B", ["b1", "b2"])]))
    rows = [{"a1", "b1"}, {"a2", "b1"}, {"a1", "b2"}, {"a2", "b2"}, {"b1"}, {"b2"}]
    table = Table.from_sets(rows, universe=hierarchy.leaves.labels)
    image = [hierarchy.node_of[label] for label in ("A", "A", "b1", "b2")]
    return apply(table, Cut(hierarchy, np.array(image, np.int32)))


def test_a_broken_publication_fails_with_its_witness() -> None:
    good = publication()
    assert verify(good, KmAnonymity(2, 2)).holds is True
    assert good.transactions is not None
    rows = [set(row) for row in good.transactions.rows()]
    rows[4] = {"b1", "b2"}  # contains no rare single item
    column = SetColumn.of(rows, universe=good.transactions.vocabulary.labels)
    verdict = verify(replace(good, transactions=column), KmAnonymity(2, 2))
    assert names(verdict, "'{b1, b2}' 1 2 4")


def test_a_check_beyond_the_budget_is_undecided() -> None:
    table = table_of([{0, 1, 2}, {0, 1, 2}, {0, 1}, {0, 1}])  # two distinct records: 5, 4 and 1 occurrences
    assert verify(table, KmAnonymity(2, 3), budget=10).holds is True
    verdict = verify(table, KmAnonymity(3, 3), budget=4)
    assert (verdict.holds, bool(verdict), verdict.witness) == (None, False, None)
    assert names(verdict.checked["covered"], "single 5 budget 4")
    rows = [{0, 1, 2}, {0, 1}, {0, 2}, {1, 2}]
    verdict = verify(table_of(rows), KmAnonymity(2, 3), budget=9 + 6)
    assert verdict.outcome == "undecided"
    assert names(verdict.checked["covered"], "2 3 1")
    assert verdict.checked["itemset_occurrences"] == {1: 9, 2: 6, 3: 1}
    assert verdict.checked["distinct_itemsets"] == {1: 3, 2: 3}
    assert verify(table_of(rows), KmAnonymity(2, 3), budget=9 + 6 + 1).holds is False


def test_a_violation_in_the_part_that_fits_still_fails() -> None:
    table = table_of([{0, 1, 2}, {0, 1, 2}, {0, 1, 3}])
    verdict = verify(table, KmAnonymity(2, 3), budget=6)
    assert verdict.holds is False
    assert codes_of(table, verdict) == (3,)


def test_records_repeated_k_times_need_no_counting() -> None:
    rows = [set(range(40))] * 3 + [set(range(5, 45))] * 3
    verdict = verify(table_of(rows, 45), KmAnonymity(3, 40), budget=1000)
    assert verdict.holds is True
    assert names(verdict.checked["covered"], "all 40 3")
    assert verify(table_of(rows[:-1], 45), KmAnonymity(3, 40), budget=1000).holds is False
    assert verify(table_of([*rows, {9}], 45), KmAnonymity(3, 40), budget=1000).holds is None


def test_reports_progress_up_to_the_end() -> None:
    seen: list[tuple[str, float, float]] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "_STEPS_PER_CALL", 1)
        verify(table_of([{0, 1, 2}, {1, 2, 3}]), KmAnonymity(1, 3), progress=lambda *now: seen.append(now))
    pairs = [now for now in seen if names(now[0], "itemsets 2")]
    assert len(pairs) > 2
    assert [done for _, done, _ in pairs] == sorted(done for _, done, _ in pairs)
    assert pairs[-1][1:] == (6.0, 6.0)
    assert names(seen[-1][0], "itemsets 3")
    assert seen[-1][1:] == (2.0, 2.0)


@pytest.mark.parametrize("worth", [0, 10**9])
def test_an_interruption_stops_all_threads(worth: int) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    rows = [{a, b, c} for a in range(6) for b in range(6, 12) for c in range(12, 18)]
    before = threading.active_count()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(itemsets, "_WORTH_THREADS", worth)
        with pytest.raises(KeyboardInterrupt):
            verify(table_of(rows, 18), KmAnonymity(1, 3), progress=interrupt)
    assert threading.active_count() == before


@pytest.mark.parametrize("worth", [0, 10**9])
def test_a_count_that_does_not_add_up_is_an_error(worth: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(itemsets, "_WORTH_THREADS", worth)
        patch.setattr(itemsets.DistinctRows, "occurrences", lambda _self, _size: 5)
        with refused(AnonsetError, "itemsets 1 2 5"):
            verify(table_of([{0, 1}, {0, 1}]), KmAnonymity(2, 2))


def test_a_witness_that_the_records_do_not_show_is_an_error() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(itemsets, "records_with", lambda _column, _codes: np.arange(3))
        with refused(AnonsetError, "records '(0, 1)' 1 3"):
            verify(table_of([{0, 1}, {0}, {1}]), KmAnonymity(2, 2))


@pytest.mark.long
def test_read_only_arrays_are_checked() -> None:
    column = table_of([{0, 1}, {0}, {1}]).transactions
    assert column is not None
    column.indptr.flags.writeable = column.items.flags.writeable = False
    assert verify(Table(column), KmAnonymity(2, 2)).holds is False


@pytest.mark.parametrize(
    ("indptr", "items", "message"),
    [
        ([0, 2], [1, 0], "ascending 'record 0'"),
        ([0, 0, 1, 3], [2, 1, 1], "ascending 'record 2'"),
        ([0, 1, 2], [0, 3], "0..2 3 'record 1'"),
        ([0, 0, 1], [-1], "0..2 -1 'record 1'"),
        ([0, 2, 1, 2], [0, 1], "indptr 'record 1'"),
    ],
)
def test_a_malformed_column_is_refused(indptr: list[int], items: list[int], message: str) -> None:
    vocabulary = Vocabulary(("a", "b", "c"))
    column = SetColumn("items", np.array(indptr, np.int64), np.array(items, np.int32), vocabulary)
    with refused(InputError, message):
        verify(Table(column), KmAnonymity(1, 2))


@dataclass(frozen=True)
class Strange(PrivacyModel):
    name: ClassVar[str] = "strange"
    statement: str = ""  # type: ignore[assignment]
    limits: str = ""  # type: ignore[assignment]


@dataclass(frozen=True)
class Hasty(Strange):
    def check(self, publication: Any, *, budget: int, progress: Any = None) -> Any:
        return True


def test_invalid_checks_are_rejected() -> None:
    table = table_of([{0}])
    with refused(InputError, "strange Strange"):
        verify(table, Strange())
    with refused(InputError, "strange Verdict"):
        verify(table, Hasty())
    with refused(InputError, "PrivacyModel object"):
        verify(table, object())  # type: ignore[arg-type]
    with refused(InputError, "budget 0 -1"):
        verify(table, KmAnonymity(1, 1), budget=-1)
    with refused(InputError, "budget 0 True"):
        verify(table, KmAnonymity(1, 1), budget=True)
    relational = Table(relational=(CategoricalColumn.of("sex", ["f"]),))
    with refused(InputError, "km set-valued"):
        verify(relational, KmAnonymity(1, 1))
