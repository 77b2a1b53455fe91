"""Rows that tasks of a cluster sort are the rows that this process sorts."""

import numpy as np
import pytest

from anonset.data import SetColumn, Vocabulary
from anonset.data.cluster import ClusterWorkers, cluster_of
from anonset.data.spans import Limits, begins_of
from anonset.data.store import MEMORY, Files, backing
from anonset.generalization import row_order, sorting_on_workers
from anonset.generalization.row_order import sort_rows
from anonset.generalization.sorting_on_workers import RangeSort
from anonset.generalization.unsorted_rows import UnsortedRows

pytestmark = [pytest.mark.long, pytest.mark.compiled]
N, ITEMS = 900, 40


@pytest.fixture(scope="module")
def client():
    with cluster_of("local:2") as client:
        yield client


@pytest.fixture
def small(monkeypatch):
    """Give a task a hundred rows, and a range about ten."""
    monkeypatch.setattr(row_order, "AT_ONCE", 100)
    monkeypatch.setattr(row_order, "ROWS_IN_CACHE", 10)
    monkeypatch.setattr(sorting_on_workers, "rows_per_task", lambda *_: 112)


def unsorted(n_columns, heavy):
    """Return rows; of `heavy` of them, the first 62 bits are equal."""
    rng = np.random.default_rng(n_columns)
    lengths = np.where(np.arange(N) < heavy, 30, rng.integers(0, 12, N))
    rows = [np.sort(rng.choice(ITEMS, n, replace=False)) if n < 30 else np.arange(30) for n in lengths]
    rows = [rows[i] for i in rng.permutation(N)]
    indptr = begins_of([len(row) for row in rows])
    sets = SetColumn("items", indptr, np.concatenate(rows).astype(np.int32), Vocabulary(()))
    columns = [rng.integers(0, 3, N).astype(np.int32) * (i > 0) for i in range(n_columns)]
    return UnsortedRows(sets, columns), [3] * n_columns + [ITEMS]


def content(rows):
    return [np.asarray(a).tolist() for a in (rows.indptr, rows.items[:], *rows.columns, rows.record)]


@pytest.mark.parametrize("narrow", [False, True])
@pytest.mark.parametrize(("n_columns", "heavy", "distributed"), [(0, 0, True), (2, 50, True), (1, 300, False)])
def test_workers_sort_the_same_rows(client, tmp_path, small, monkeypatch, narrow, n_columns, heavy, distributed):
    rows, largest = unsorted(n_columns, heavy)
    expected = sort_rows(rows, largest=largest, store=MEMORY)
    results, sort_on_workers = [], row_order._sorted_on_workers
    monkeypatch.setattr(row_order, "_sorted_on_workers", lambda *a: results.append(sort_on_workers(*a)) or results[-1])
    returned, ranges = set(), row_order.sorted_ranges

    def noted(*args, **options):
        for arrays in ranges(*args, **options):
            returned.update(enumerate(array.dtype for array in arrays))
            yield arrays

    if distributed:
        monkeypatch.setattr(row_order, "sorted_ranges", noted)
    with Files.temporary(tmp_path, Limits(rows_per_bucket=200)) as work:
        with ClusterWorkers(client, work) as workers:
            actual = sort_rows(rows, largest=largest, store=work.with_workers(workers), narrow=narrow)
        assert content(actual) == content(expected)
        remaining = sorted(path.name.partition("-")[0] for path in work.path.iterdir())
        assert [name for name in remaining if name not in ("codes", "fixed")] == ["indptr", "items", "record"]
    assert [result is not None for result in results] == [distributed]
    codes, numbers = (np.uint16, np.int32) if narrow else (np.int32, np.int64)
    stored = [np.int32, codes, np.int32, numbers]
    assert returned == ({*enumerate(map(np.dtype, stored))} if distributed else set())  # appended as they are


def test_runs_are_stored_with_their_ranges(client, tmp_path, small, monkeypatch):
    rows, largest = unsorted(1, 0)
    tasks = []
    monkeypatch.setattr(sorting_on_workers, "RangeSort", lambda *a: tasks.append(RangeSort(*a)) or tasks[-1])
    with Files.temporary(tmp_path, Limits(rows_per_bucket=200)) as work, ClusterWorkers(client, work) as workers:
        sort_rows(rows, largest=largest, store=work.with_workers(workers))
    starts = [run.starts for run in tasks[0].runs]
    assert [int(ends[-1, 0]) for ends in starts] == [112] * 8 + [4]
    assert all(backing(ends) is not None for ends in starts)  # the coordinator stores none of them


@pytest.mark.parametrize("rows_of_task", [112, 400])
def test_a_range_may_have_as_many_rows_as_a_task(client, tmp_path, small, monkeypatch, rows_of_task):
    rows, largest = unsorted(1, 300)
    results, sort_on_workers = [], row_order._sorted_on_workers
    monkeypatch.setattr(row_order, "_sorted_on_workers", lambda *a: results.append(sort_on_workers(*a)) or results[-1])
    monkeypatch.setattr(sorting_on_workers, "rows_per_task", lambda *_: rows_of_task)
    with Files.temporary(tmp_path, Limits(rows_per_bucket=200)) as work, ClusterWorkers(client, work) as workers:
        sort_rows(rows, largest=largest, store=work.with_workers(workers))
    assert [result is not None for result in results] == [rows_of_task > 300]
