"""Rows that tasks of a cluster sort are the rows that this process sorts."""

import numpy as np
import pytest

from anonset.data import SetColumn, Vocabulary
from anonset.data.codes import stored_codes
from anonset.data.spans import Limits, begins_of
from anonset.data.storage.cluster import ClusterWorkers
from anonset.data.storage.scheduler import cluster_of
from anonset.data.storage.store import MEMORY, Files, Store, backing
from anonset.generalization import row_order, row_sorter
from anonset.generalization.row_order import RangeSort, sort_rows
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
    monkeypatch.setattr(row_sorter, "ROWS_IN_CACHE", 10)
    monkeypatch.setattr(Store, "rows_per_task", lambda *_: 112)


def unsorted(n_columns, heavy):
    """Return rows. Of `heavy` of them, the first 62 bits are equal."""
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
@pytest.mark.parametrize(("n_columns", "heavy"), [(0, 0), (2, 50), (1, 300)])
def test_workers_sort_the_same_rows(client, tmp_path, small, narrow, n_columns, heavy):
    rows, largest = unsorted(n_columns, heavy)
    expected = sort_rows(rows, largest=largest, store=MEMORY)
    with Files.temporary(tmp_path, Limits(rows_per_bucket=200)) as work:
        with ClusterWorkers(client, work) as workers:
            actual = sort_rows(rows, largest=largest, store=work.with_workers(workers), narrow=narrow)
        assert content(actual) == content(expected)
        remaining = sorted(path.name.partition("-")[0] for path in work.path.iterdir())
        assert remaining == [*["codes"] * n_columns, "indptr", "items", "record"]
        stored = [backing(stored_codes(codes)).dtype for codes in (actual.items, actual.record)]
    assert stored == ([np.uint16, np.int32] if narrow else [np.int32, np.int64])


@pytest.mark.parametrize(("heavy", "levels"), [(0, 1), (300, 3)])
def test_runs_are_stored_with_their_ranges_in_a_file_of_each_task(client, tmp_path, small, monkeypatch, heavy, levels):
    rows, largest = unsorted(1, heavy)
    levels_of_runs = []

    def range_sort(*arguments):
        task = RangeSort(*arguments)
        levels_of_runs.append([run.read() for run in task.runs])  # after the sort, the files are deleted
        return task

    monkeypatch.setattr(row_order, "RangeSort", range_sort)
    with Files.temporary(tmp_path, Limits(rows_per_bucket=200)) as work, ClusterWorkers(client, work) as workers:
        sort_rows(rows, largest=largest, store=work.with_workers(workers))
    assert len(levels_of_runs) == levels
    arrays = levels_of_runs[0]
    assert [int(starts[-1, 0]) for starts, *_ in arrays] == [112] * 8 + [4]
    files = {backing(array).filename for starts, *stored in arrays for array in (starts, *stored)}
    assert len(files) == 9  # and the coordinator stores no rows in memory


@pytest.mark.parametrize("rows_of_task", [112, 400])
def test_a_range_may_have_as_many_rows_as_a_task(client, tmp_path, small, monkeypatch, rows_of_task):
    rows, largest = unsorted(1, 300)
    tasks = []
    monkeypatch.setattr(row_order, "RangeSort", lambda *a: tasks.append(RangeSort(*a)) or tasks[-1])
    monkeypatch.setattr(Store, "rows_per_task", lambda *_: rows_of_task)
    with Files.temporary(tmp_path, Limits(rows_per_bucket=200)) as work, ClusterWorkers(client, work) as workers:
        sort_rows(rows, largest=largest, store=work.with_workers(workers))
    assert [len(task.runs) for task in tasks] == ([9, 3, 3] if rows_of_task < 300 else [3])
