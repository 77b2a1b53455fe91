"""The exact cut of records in a work directory equals the cut in memory, for any block size."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.facts import refused

from algorithms.test_exact import image_of
from anonset.algorithms.base import Result
from anonset.algorithms.transaction.exact_cut import filed_copies, filed_rows, pairs, search
from anonset.algorithms.transaction.exact_cut.copies import FirstCopies, first_copies
from anonset.algorithms.transaction.exact_cut.exact import Exact
from anonset.data import Hierarchy, SetColumn
from anonset.data.blocks import Blocks, Rows
from anonset.data.spans import Limits
from anonset.data.storage.store import MEMORY, Files, Memory
from anonset.data.storage.workers import Threads
from anonset.errors import InputError
from effort import file_names

INPUT = {"indptr", "items"}
"""Files of the sets that a search reads."""

HIERARCHY = Hierarchy.balanced([f"i{n:02}" for n in range(40)], 3)
N = 300
Told = tuple[object, ...]


@pytest.fixture(scope="module")
def column() -> SetColumn:
    """Return some hundred records of up to eight items, many of them equal."""
    rng = np.random.default_rng(11)
    sizes, weights = rng.integers(0, 9, N), 1 / np.arange(1, 41)
    chosen = [rng.choice(40, size, replace=False, p=weights / weights.sum()) for size in sizes]
    return SetColumn.of([{f"i{i:02}" for i in row} for row in chosen], universe=HIERARCHY.leaves.labels)


def in_files(column: SetColumn, work: Files, ends: list[int]) -> Blocks:
    """Return a column in files, as blocks with the given ends."""
    arrays = [work.keep(name, values) for name, values in (("indptr", column.indptr), ("items", column.items))]
    filed = Blocks.of(SetColumn("items", *arrays, column.vocabulary), work)
    rows = [(arrays[0][first : end + 1], arrays[1]) for first, end in zip([0, *ends], [*ends, N], strict=False)]
    return replace(filed, rows=rows)


def result_in_memory(result: Result) -> Told:
    return image_of(result), result.figures, result.trace, result.notes


@pytest.fixture(scope="module")
def expected(column: SetColumn, m: int, suppress: bool) -> Told:
    """Return the result of a search in memory."""
    result = Exact(k=4, m=m, suppress=suppress).search(Blocks.of(column, MEMORY), HIERARCHY)
    assert {step.kind for step in result.trace} > set()  # some relaxations were solved
    return result_in_memory(result)


@pytest.mark.compiled
@pytest.mark.parametrize("ends", [[], [3, 10, 61, 62, 150, 277]], ids=["one block", "seven blocks"])
@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize(("m", "suppress"), [(3, False), (4, False), (3, True)], scope="module")
def test_the_cut_of_records_in_files_equals_the_cut_in_memory(
    column: SetColumn, expected: Told, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ends: list[int], workers: int,
    m: int, suppress: bool,
) -> None:  # fmt: skip
    exact = Exact(k=4, m=m, suppress=suppress)
    monkeypatch.setattr(filed_rows, "RECORDS_PER_PIECE", 37)
    monkeypatch.setattr(filed_copies, "BYTES_AT_ONCE", 3_000)
    with Files.temporary(tmp_path, workers=Threads(workers)) as work:
        result = exact.search(in_files(column, work, ends), HIERARCHY)
        assert result_in_memory(result) == expected
        assert file_names(work.path, INPUT) == INPUT


@pytest.mark.long
def test_records_above_the_memory_limit_are_searched_in_files(column: SetColumn, tmp_path: Path) -> None:
    exact, blocks = Exact(k=4, m=4), Blocks.of(column, MEMORY, 100)
    expected, limits = exact.search(blocks, HIERARCHY), Limits(room=4_000)
    with refused(InputError, "exact GiB"):
        exact.search(replace(blocks, store=Memory(limits)), HIERARCHY)
    with Files.temporary(tmp_path, limits) as work:
        blocks = in_files(column, work, [100])
        assert result_in_memory(exact.search(blocks, HIERARCHY)) == result_in_memory(expected)
        tiny = replace(blocks, store=replace(work, limits=Limits(room=40)))
        with refused(InputError, "memory_limit"):
            exact.search(tiny, HIERARCHY)


@pytest.mark.parametrize("at_once", [1, 500, 1 << 31])
def test_first_copies_in_files_equal_those_in_memory(
    column: SetColumn, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr(filed_copies, "BYTES_AT_ONCE", at_once)
    starts = range(0, N, 90)
    parts: list[Rows] = [(column.indptr[i : i + 91], column.items) for i in starts]
    expected = first_copies(parts, FirstCopies(lambda rows: rows, 2), MEMORY)
    assert len(expected[0]) < N
    with Files.temporary(tmp_path) as work:
        actual = filed_copies.filed_copies(parts, FirstCopies(lambda rows: rows, 2), work)
        assert [array.tolist() for array in actual] == [array.tolist() for array in expected]
        del actual
        assert list(work.path.iterdir()) == []


def test_pairs_are_recounted_only_for_new_nodes(column: SetColumn, monkeypatch: pytest.MonkeyPatch) -> None:
    counted, known = list[bool](), search.RarePairs

    class Noted(known):  # type: ignore[misc, valid-type]
        def violated(self) -> object:
            counted.append(not self.is_known)
            return super().violated()

    exact = Exact(k=4, m=3)
    monkeypatch.setattr(search, "RarePairs", Noted)
    result = exact.search(Blocks.of(column, MEMORY), HIERARCHY)
    assert counted.count(True) < len(counted)
    monkeypatch.setattr(pairs, "MAX_CHOSEN", 0)
    counted.clear()
    assert result_in_memory(exact.search(Blocks.of(column, MEMORY), HIERARCHY)) == result_in_memory(result)
    assert all(counted)
