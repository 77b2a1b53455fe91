"""l^m-diverse apriori anonymization compared with the naive implementation."""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.facts import refused

from algorithms.implementations import image_of
from algorithms.test_against_twins import small_case
from anonset.algorithms.transaction.cuts.lm_apriori import LmApriori
from anonset.algorithms.transaction.rare_sets import bad_cohorts, windows
from anonset.data import Hierarchy, SetColumn, Table
from anonset.data.blocks import Blocks
from anonset.data.hierarchies.combined_hierarchies import attach_sensitive
from anonset.data.spans import Limits
from anonset.data.storage.store import MEMORY, Files, Memory
from anonset.data.storage.workers import Threads
from anonset.errors import HierarchyError, InfeasibleError, InputError
from effort import examples, file_names
from reference.diversity import brute_force_feasible, is_diverse, lm_apriori
from reference.hierarchy_model import HierarchyModel, Tree, parse
from reference.transaction_algorithms import Infeasible

INPUT = {"indptr", "items"}
"""Files of the sets that a search reads."""

PAIRS = parse("ALL(A(a1,a2),B(b1,b2))")
WORKED = [
    set(row.split()) for row in ("a1 b1 s1", "a1 b2", "a2 b1 s2", "a2 b2", "a1 b1", "a2 b2 s1", "a1 b2 s2", "a2 b1")
]
Case = tuple[Tree, list[set[str]], tuple[str, ...], int, int, int]


def run(tree: Tree, rows: list[set[str]], sensitive: tuple[str, ...], k: int, diversity: int, m: int) -> Any:
    algorithm = LmApriori(k=k, l=diversity, m=m, sensitive_items=sensitive)
    return algorithm.recode(Table.from_sets(rows), {"items": Hierarchy.from_tree(tree)})


def diverse_case(seed: int) -> Case:
    """Add sensitive items to some records of a small case, and repeat some records."""
    tree, rows, _, m = small_case(seed)
    rng = random.Random(seed)
    sensitive = ("s1", "s2", "s3")[: rng.randint(0, 3)]
    rows = [row | ({rng.choice(sensitive)} if sensitive and rng.random() < 0.35 else set()) for row in rows]
    if rng.random() < 0.6:
        rows = rows + [set(rng.choice(rows)) for _ in range(10)]
    return tree, rows, sensitive, rng.choice([1, 2, 2, 3]), rng.choice([1, 2, 2, 3, 4]), m


@pytest.mark.parametrize(
    ("diversity", "image"),
    [(2, ["a1", "a2", "b1", "b2"]), (3, ["A", "A", "b1", "b2"])],
)
def test_the_worked_example_is_generalized_as_computed_by_hand(diversity: int, image: list[str]) -> None:
    result = run(PAIRS, WORKED, ("s1", "s2"), 2, diversity, 2)
    actual = image_of(result.recoding)
    assert [actual[x] for x in ("a1", "a2", "b1", "b2")] == image
    assert (actual["s1"], actual["s2"]) == ("s1", "s2")


def test_a_generalization_may_break_another_set() -> None:
    """In the cohorts of a1 and a2 half the records have the secret, in that of A two thirds, so A is no solution."""
    rows = [{"a1", "s"}, {"a1", "a2"}, {"a2", "s"}, {"b1"}, {"b1"}]
    assert is_diverse(rows, ["s"], 1, 2, 1)
    assert not is_diverse([{"A", "s"}, {"A"}, {"A", "s"}, {"b1"}, {"b1"}], ["s"], 1, 2, 1)
    assert run(PAIRS, rows, ("s",), 1, 2, 1).trace == ()


@pytest.mark.long
@settings(max_examples=examples(500), suppress_health_check=[HealthCheck.too_slow])
@given(st.integers(0, 2**32 - 1).map(diverse_case))
def test_lm_apriori_equals_its_twin(case: Case) -> None:
    tree, rows, sensitive, k, diversity, m = case
    try:
        image, fixes = lm_apriori(rows, HierarchyModel(tree), sensitive, k, diversity, m)
    except Infeasible:
        with pytest.raises(InfeasibleError):
            run(*case)
        return
    result = run(*case)
    actual = image_of(result.recoding)
    assert {leaf: actual[leaf] for leaf in image} == image
    assert all(actual[item] == item for item in sensitive)
    assert [(fix.itemset, fix.support, fix.rules) for fix in result.trace] == fixes
    assert is_diverse([{actual[item] for item in row} for row in rows], sensitive, k, diversity, m)


def outcome(case: Case, blocks: tuple[SetColumn, Blocks, Hierarchy], workers: int = 1) -> Any:
    """Return the complete result of a search, or the error message."""
    _, _, sensitive, k, diversity, m = case
    algorithm = LmApriori(k=k, l=diversity, m=m, sensitive_items=sensitive)
    column, parts, hierarchy = blocks
    try:
        result = algorithm.search(column, replace(parts, store=parts.store.with_workers(Threads(workers))), hierarchy)
    except InfeasibleError as error:
        return str(error)
    return result.trace, result.figures, image_of(result.recoding)


def bound(case: Case) -> tuple[SetColumn, Hierarchy]:
    """Return the records of a case bound to the hierarchy, with the sensitive items."""
    tree, rows, sensitive, *_ = case
    hierarchy = attach_sensitive(Hierarchy.from_tree(tree), sensitive)
    column = Table.from_sets(rows).transactions
    assert column is not None
    return hierarchy.bind(column), hierarchy


WINDOWS = {
    "one window": (bad_cohorts.LEAST_WINDOW, bad_cohorts.LARGEST_WINDOW),
    "small windows": (1, bad_cohorts.LARGEST_WINDOW),
    "some codes are too many": (1 << 17, 5),
    "all codes are too many": (1, 0),
}


@contextmanager
def in_windows(least: int, largest: int) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(bad_cohorts, "LEAST_WINDOW", least)
        patch.setattr(bad_cohorts, "LARGEST_WINDOW", largest)
        patch.setattr(windows, "_CODES_AT_ONCE", 3)
        yield


fixed = settings(max_examples=examples(60), suppress_health_check=list(HealthCheck))


@fixed
@given(st.integers(0, 2**32 - 1).map(diverse_case), st.integers(1, 9))
def test_the_result_is_independent_of_blocks(case: Case, records_per_block: int) -> None:
    column, tree = bound(case)
    expected = outcome(case, (column, Blocks.of(column, MEMORY), tree))
    for name, window in WINDOWS.items():
        with in_windows(*window):
            assert outcome(case, (column, Blocks.of(column, MEMORY, records_per_block), tree)) == expected, name


@pytest.mark.long
@settings(fixed, max_examples=examples(20))
@given(st.integers(0, 2**32 - 1).map(diverse_case))
def test_blocks_in_files_have_the_same_result_and_leave_no_files(tmp_path: Path, case: Case) -> None:
    column, tree = bound(case)
    records_per_block = -(-column.n // 7)
    expected = outcome(case, (column, Blocks.of(column, MEMORY), tree))
    with Files.temporary(tmp_path) as work:
        arrays = [work.keep(name, values) for name, values in (("indptr", column.indptr), ("items", column.items))]
        mapped = SetColumn(column.name, *arrays, column.vocabulary)
        blocks = Blocks.of(mapped, mapped.store, max(1, records_per_block))
        assert blocks.store == work
        for (name, window), workers in product(WINDOWS.items(), (1, 2)):
            with in_windows(*window):
                assert outcome(case, (mapped, blocks, tree), workers) == expected, f"{name}, {workers} workers"
            assert file_names(work.path, INPUT) == INPUT


@pytest.mark.parametrize(("limit", "behind"), [(1, True), (8000, False)])
def test_a_memory_limit_bounds_buffers_and_does_not_change_the_result(
    monkeypatch: pytest.MonkeyPatch, limit: int, *, behind: bool
) -> None:
    """A node has 36 codes; 8,000 bytes are room for 62 codes, or for 31 pairs."""
    case: Case = (PAIRS, WORKED, ("s1", "s2"), 2, 3, 2)
    column, tree = bound(case)
    blocks = Blocks.of(column, MEMORY, 3)
    expected = outcome(case, (column, blocks, tree))
    room: list[int] = []
    passed: list[int] = []
    gather, follow = bad_cohorts.Suffixes.of_window, bad_cohorts.Suffixes.following

    def gathered(of: Any, window: Any) -> Any:
        result = gather(of, window)
        room.append(len(result[0]))
        return result

    monkeypatch.setattr(bad_cohorts.Suffixes, "of_window", gathered)
    monkeypatch.setattr(
        bad_cohorts.Suffixes, "following", lambda of, *code: passed.append(code[0]) or follow(of, *code)
    )
    monkeypatch.setattr(bad_cohorts, "LEAST_WINDOW", 1 << 17)
    limited = replace(blocks, store=Memory(Limits.of_process(limit)))
    assert outcome(case, (column, limited, tree)) == expected
    assert bool(passed) == behind
    assert max(room, default=0) <= (1 if behind else 62)


def result_sizes(found: Any) -> int:
    """Return the number of passes over the sets of a size: two sizes per sweep."""
    return 2 * int(found[1]["sweeps"])


def test_random_cases_include_solved_and_infeasible_tables() -> None:
    solved = refused = swept = 0
    for seed in range(300):
        tree, rows, sensitive, k, diversity, m = case = diverse_case(seed)
        try:
            result = run(*case)
        except InfeasibleError:
            refused += 1
            if refused <= 10:
                assert not brute_force_feasible(rows, HierarchyModel(tree), sensitive, k, diversity, m)
            continue
        solved += bool(result.trace) and bool(sensitive)
        swept += result.figures["sweeps"] > 2
    assert solved > 50
    assert refused > 10
    assert swept > 0


@pytest.mark.parametrize("rows", [[], [set()] * 3], ids=["no record", "empty records"])
def test_safe_records_are_unchanged(rows: list[set[str]]) -> None:
    assert run(PAIRS, rows, (), 2, 2, 2).trace == ()


def test_a_sensitive_item_in_too_many_records_is_infeasible() -> None:
    with refused(InfeasibleError, "sensitive s1 2 3 1/2"):
        run(PAIRS, [{"a1", "s1"}, {"a2", "s1"}, {"b1"}], ("s2", "s1"), 1, 2, 1)


def test_fewer_than_k_records_are_infeasible() -> None:
    with refused(InfeasibleError, "1 k 2"):
        run(PAIRS, [{"a1"}], (), 2, 1, 1)


def test_no_generalization_may_help() -> None:
    with refused(InfeasibleError, "{a1}"):
        run(PAIRS, [{"a1", "s"}, {"a1"}, {"b1", "s"}, set(), set(), set()], ("s",), 3, 3, 1)


def test_the_hierarchy_must_not_generalize_sensitive_items() -> None:
    with refused(InputError, "sensitive a1 hierarchy"):
        run(PAIRS, WORKED, ("a1",), 2, 2, 1)


def test_an_item_outside_the_hierarchy_and_the_sensitive_items_is_rejected() -> None:
    with refused(HierarchyError, "s2 leaf missing"):
        run(PAIRS, WORKED, ("s1",), 2, 2, 1)


def test_a_hierarchy_that_includes_the_sensitive_items_has_the_same_result() -> None:
    attached = attach_sensitive(Hierarchy.from_tree(PAIRS), ("s1", "s2"))
    algorithm = LmApriori(k=2, l=3, m=2, sensitive_items=("s2", "s1"))
    result = algorithm.recode(Table.from_sets(WORKED), {"items": attached})
    other = run(PAIRS, WORKED, ("s1", "s2"), 2, 3, 2)
    assert result.trace == other.trace
    assert image_of(result.recoding) == image_of(other.recoding)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"k": 0, "l": 2, "m": 2}, "k 1 0"),
        ({"k": 2, "l": 0, "m": 2}, "l 1 0"),
        ({"k": 2, "l": 2, "m": 0}, "m 1 0"),
        ({"k": 2, "l": 2, "m": 2, "sensitive_items": ("s", "s")}, "sensitive_items s twice"),
    ],
)
def test_bad_parameters_are_refused(parameters: dict[str, Any], message: str) -> None:
    with refused(InputError, message):
        LmApriori(**parameters)
