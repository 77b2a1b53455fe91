"""Tasks of a cluster verify the same facts."""

from dataclasses import replace

import numpy as np
import pytest

from anonset.data import SetColumn, Table
from anonset.data.storage.cluster import ClusterWorkers
from anonset.data.storage.scheduler import cluster_of
from anonset.data.storage.store import Store
from anonset.publications import Records, Symbol
from anonset.verification import distinct_rows
from anonset.verification.item_truth import check_item_truth

pytestmark = [pytest.mark.long, pytest.mark.compiled]
N, ROWS_PER_TASK = 120, 7


@pytest.fixture(scope="module")
def client():
    with cluster_of("local:2") as client:
        yield client


@pytest.fixture
def remote(client, work):
    """Return a function from a task list to a store with the workers of a cluster, which lists their tasks there."""
    with ClusterWorkers(client, work) as workers:
        begin = workers.begin

        def store(tasks):
            workers.begin = lambda work, task, ended: tasks.append(task) or begin(work, task, ended)
            return work.with_workers(workers)

        yield store


def sets(order):
    """Return rows, sorted unless they are random. In sorted rows, a run of equal rows fills several tasks."""
    rng = np.random.default_rng(4)
    rows = [sorted(f"c{c}" for c in rng.choice(5, rng.integers(0, 3), replace=False)) for _ in range(N)]
    return rows if order == "random" else sorted(rows)


@pytest.mark.parametrize("order", ["sorted", "random"])
def test_workers_merge_equal_rows(remote, work, monkeypatch, order):
    monkeypatch.setattr(Store, "rows_per_task", lambda *_: ROWS_PER_TASK)
    rows, tasks = sets(order), []
    column = SetColumn.of(rows)
    column = replace(
        column, indptr=work.keep("indptr", column.indptr), codes=work.keep("codes", column.items.astype(np.int32))
    )
    result = distinct_rows.merged(column, remote(tasks))
    weights = dict(zip(map(tuple, result.column.rows()), result.weight.tolist(), strict=True))
    assert weights == {tuple(row): rows.count(row) for row in rows}
    assert list(weights) == list(dict.fromkeys(map(tuple, rows)))
    assert tasks == [(first, min(first + ROWS_PER_TASK, N)) for first in range(0, N, ROWS_PER_TASK)]
    assert result.column.codes.base.dtype == np.uint16


def test_a_worker_finds_a_record_that_is_published_twice(remote, work):
    table, tasks = Table.from_sets(sets("random")), []
    column = table.transactions
    symbols = tuple(Symbol(label, "item", (label,)) for label in column.vocabulary.labels)
    record = np.arange(N)
    true = Records(column, symbols, (), (), record, store=remote(tasks))
    assert check_item_truth(table, true) is None
    assert N in tasks
    record[9] = 4
    witness = check_item_truth(table, replace(true, record=record))
    assert (witness.record, witness.what) == (9, ())
    assert "input record 4 is published more than once" in str(witness)


def test_workers_count_the_items(remote, work):
    column, tasks = SetColumn.of(sets("random")), []
    expected = np.bincount(column.items, minlength=len(column.vocabulary)).tolist()
    assert "occurrences" not in replace(column).counted(work).__dict__  # threads would not be faster
    counted = replace(column).counted(remote(tasks))
    assert tasks == [[(0, len(column.codes))]]
    assert counted.occurrences.tolist() == expected
