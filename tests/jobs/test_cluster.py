"""A cluster of processes returns the same result, even if workers fail."""

import os
import pickle
import signal
from contextlib import suppress as passing_over
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from distributed.client import ClosedClientError
from tests.facts import refused

import anonset
from anonset.algorithms.buckets import safe_grouping
from anonset.algorithms.buckets.safe_grouping import SafeGrouping
from anonset.algorithms.transaction.cuts.cut_search import CutSearch
from anonset.algorithms.transaction.exact_cut import pairs, sets
from anonset.algorithms.transaction.exact_cut.exact import Exact
from anonset.algorithms.transaction.rare_sets.expanded_blocks import BlockTask
from anonset.data import Hierarchy, SetColumn
from anonset.data.blocks import Blocks
from anonset.data.storage import cluster, scheduler
from anonset.data.storage.cluster import ClusterWorkers, _packed, _unpacked
from anonset.data.storage.scheduler import cluster_of
from anonset.data.storage.store import MEMORY
from anonset.data.storage.usage import REMOTE_TASKS
from anonset.data.storage.worker_faults import version_here
from anonset.data.storage.workers import Threads
from anonset.errors import InputError
from anonset.jobs.runs.cluster import require_on_workers
from anonset_kernels.verification.truth import first_untrue_by_one

pytestmark = pytest.mark.long

N_ITEMS, K, M = 60, 4, 3
HIERARCHY = Hierarchy.balanced([str(i) for i in range(N_ITEMS)], 4)


@pytest.fixture(scope="module")
def column():
    rng = np.random.default_rng(7)
    sizes, weights = rng.integers(0, 7, 900), 1 / np.arange(1, N_ITEMS + 1)
    chosen = [rng.choice(N_ITEMS, size, replace=False, p=weights / weights.sum()) for size in sizes]
    return SetColumn.of([{str(i) for i in row} for row in chosen], universe=HIERARCHY.leaves.labels)


@pytest.fixture
def blocks(column, work):
    arrays = [work.keep(name, values) for name, values in (("indptr", column.indptr), ("items", column.items))]
    return Blocks.of(SetColumn("items", *arrays, column.vocabulary), work, 130)


@pytest.fixture(scope="module")
def client():
    with cluster_of("local:2") as client:
        yield client


def on(blocks, workers):
    return replace(blocks, store=blocks.store.with_workers(workers))


def run(blocks, each=lambda: None):
    search = CutSearch(blocks, HIERARCHY, K)
    for size in range(1, M + 1):
        each()
        for rare in search.rare_sets(size):
            search.fix(rare, looked_up=False)
    return search.cut.labels, search.fixes, search.increments


def test_a_large_function_is_sent_by_the_name_of_its_file(client, work):
    with ClusterWorkers(client, work) as workers:
        assert isinstance(workers._sent(len), bytes)
        assert isinstance(workers._sent(partial(np.add, np.arange(1_000))), Path)
        assert [int(total.sum()) for total in workers.map(partial(np.add, np.arange(1_000)), [1])] == [500_500]


def test_large_functions_tasks_and_results_do_not_pass_through_the_scheduler(client, work):
    before = replace(REMOTE_TASKS)
    with ClusterWorkers(client, work) as workers:
        lists = [["x"] * n for n in range(3_000, 3_040)]
        kept = list(workers.map(partial(joined, "a" * 3_000), lists))
        for other in range(10):  # functions of earlier passes are forgotten, but not their files
            assert list(workers.map(partial(joined, f"{other}" * 3_000), [[]])) == [[f"{other}" * 3_000]]
    assert kept == [["a" * 3_000, *each] for each in lists]
    sent = REMOTE_TASKS.since(before)
    assert sent.count == 50
    assert sent.bytes_sent < sent.count * 1_024
    assert list(work.path.iterdir()) == []


def joined(text, task):
    return [text, *task]


def test_arrays_in_files_travel_by_their_names(work):
    codes = work.keep("codes", np.arange(100_000, dtype=np.int32))
    packed = _packed({"part": codes[10:20_000], "own": np.arange(3)})
    assert len(packed) < 1_000 < len(pickle.dumps(codes[10:20_000]))
    result = _unpacked(packed)
    assert np.array_equal(result["part"], codes[10:20_000])
    assert result["own"].tolist() == [0, 1, 2]
    assert np.array_equal(_unpacked(_packed(codes[::2])), codes[::2])


def test_large_arrays_of_a_result_travel_in_files_that_are_deleted_when_read(work):
    values = np.arange(100_000, dtype=np.int32).reshape(2, -1)
    packed = _packed({"large": values, "small": np.arange(3)}, str(work.path))
    assert len(packed) < 1_000
    assert len(list(work.path.glob("message-*"))) == 1
    result = _unpacked(packed)
    assert np.array_equal(result["large"], values)
    result["large"][0, 0] = 5  # kernels require writable arrays
    assert result["small"].tolist() == [0, 1, 2]
    assert list(work.path.glob("message-*")) == []
    assert len(_packed(result["large"])) > values.nbytes  # its file no longer exists


def test_a_kernel_travels_by_its_name_because_its_source_would_be_compiled_again():
    packed = _packed(lambda: first_untrue_by_one)
    assert b"anonset_kernels.verification.truth:first_untrue_by_one" in packed
    assert _unpacked(packed)() is first_untrue_by_one


def test_workers_of_a_cluster_are_local_after_their_block(client, work):
    with ClusterWorkers(client, work) as workers:
        assert set(workers.map(process, range(4))).isdisjoint({os.getpid()})
        assert list(Threads(2).map(partial(nested, workers), [0, 1])) == [os.getpid()] * 2
    assert (set(workers.map(process, range(4))), workers.remote) == ({os.getpid()}, False)
    assert workers.count == work.workers.count


def process(_):
    return os.getpid()


def nested(workers, _):
    return next(workers.map(process, [0]))


@pytest.mark.compiled
def test_processes_find_the_same_result_as_one_thread_and_leave_no_files(client, work, blocks, column):
    with ClusterWorkers(client, work) as workers:
        assert run(on(blocks, workers)) == run(Blocks.of(column, MEMORY.with_workers(Threads(1))))
    assert sorted(path.name for path in work.path.iterdir()) == ["indptr", "items"]


@pytest.mark.compiled
def test_processes_that_are_started_here_keep_the_memory_of_arrays(client):
    assert set(client.run(os.environ.get, "MALLOC_TRIM_THRESHOLD_").values()) == {None}
    assert set(client.run(os.environ.get, "OMP_NUM_THREADS").values()) == {"1"}


@pytest.mark.compiled
def test_killing_a_worker_in_every_round_does_not_change_the_result(client, work, blocks, column):
    with ClusterWorkers(client, work) as workers:
        assert run(on(blocks, workers), lambda: kill_one(client)) == run(Blocks.of(column, MEMORY))


def kill_one(client):
    pids = [nanny.pid for nanny in client.cluster.workers.values() if nanny.pid]
    with passing_over(ProcessLookupError):  # the worker has ended, and the next has not started
        os.kill(pids[0], signal.SIGKILL)


@pytest.mark.compiled
@pytest.mark.parametrize("suppress", [False, True])
def test_the_exact_cut_is_counted_by_processes_some_of_which_are_killed(
    client, work, blocks, column, monkeypatch, suppress
):
    killed, sent = [], []
    monkeypatch.setattr(sets, "LEAST_SENT", 0)
    monkeypatch.setattr(pairs, "CELLS_PER_PASS", 1_000)
    algorithm = Exact(k=K, m=M, suppress=suppress)

    def kill(phase, _done, _total):
        if phase not in killed and len(killed) < 2:
            killed.append(phase)
            kill_one(client)

    class Noted(ClusterWorkers):
        def begin(self, work, task, ended):
            sent.append(type(work.work if isinstance(work, BlockTask) else work).__name__)
            return super().begin(work, task, ended)

    expected = algorithm.search(Blocks.of(column, MEMORY.with_workers(Threads(2)), 130), HIERARCHY)
    with Noted(client, work) as workers:
        result = algorithm.search(on(blocks, workers), HIERARCHY, progress=kill)
    assert (result.recoding.labels, result.figures, result.trace) == (
        expected.recoding.labels, expected.figures, expected.trace,
    )  # fmt: skip
    assert len(killed) == 2
    gathered = (
        {"_Share", "_ViolationSearch"} if suppress else set()
    )  # without suppression, tables determine all rare sets
    assert {"NodeSupports", "_CountSiblings", "CountSets", *gathered} <= set(sent)
    # without the files of the killed worker
    remaining = {path.name for path in work.path.iterdir() if not path.name.startswith("tmp")}
    assert remaining == {"indptr", "items"}


@pytest.mark.compiled
def test_killing_a_worker_does_not_change_grouping_by_parts(client, tmp_path, monkeypatch):
    monkeypatch.setattr(safe_grouping, "TUPLES_PER_PART", 100)
    source = np.random.default_rng(3)
    rows = [f"n{source.integers(150)},d{source.integers(9)}\n" for _ in range(900)]
    (tmp_path / "v.csv").write_text("name,drug\n" + "".join(rows))
    table = anonset.scan(tmp_path / "v.csv", sensitive="drug", id="name", work_dir=tmp_path / "work")
    algorithm, before, killed = SafeGrouping(k=3, l=2, seed=4), sorted((tmp_path / "work").iterdir()), []

    def kill(phase, _done, _total):
        if not killed:
            killed.append(phase)
            kill_one(client)

    expected = algorithm.recode(table, {})
    here = set((tmp_path / "work").iterdir())
    with ClusterWorkers(client, table.store) as workers:
        actual = algorithm.recode(table.with_workers(workers), {}, progress=kill)
    assert (actual.figures["parts"], killed) == (9, ["parts"])
    assert actual.figures == expected.figures
    assert np.array_equal(actual.recoding.group, expected.recoding.group)
    assert np.array_equal(actual.recoding.starred, expected.recoding.starred)
    remaining = {path.name.split("-")[0] for path in {*(tmp_path / "work").iterdir()} - here}
    assert (remaining, len(before) < len(here)) == ({"group", "starred"}, True)  # the files of the recoding


class Answering:
    """A client with fixed answers."""

    scheduler = SimpleNamespace(address="tcp://here")

    def __init__(self, answers):
        self.answers = answers

    def run(self, _function, *_args, on_error):
        assert on_error == "return"
        return self.answers


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ({}, "scheduler tcp://here workers"),
        ({"tcp://a": ConnectionError()}, "scheduler tcp://here workers"),
        ({"tcp://a": (version_here(), True), "tcp://b": (version_here(), False)}, "worker tcp://b directory"),
        ({"tcp://a": ("other", True)}, "worker tcp://a anonset"),
    ],
)
def test_workers_that_cannot_take_part_are_named(work, answers, said):
    with refused(InputError, said):
        ClusterWorkers(Answering(answers), work)
    assert not list(work.path.iterdir())


class LostTask:
    """A task on a scheduler that no longer exists."""

    status = "closed"

    def cancel(self):
        raise ClosedClientError


def test_a_task_of_a_lost_scheduler_can_be_cancelled():
    assert cluster._Pending(LostTask(), LostTask(), lambda: None, b"").cancel()


def test_single_process_algorithms_are_rejected_with_alternatives():
    with refused(InputError, "client direct apriori exact vpa"):
        require_on_workers(anonset.Direct(k=2, m=2), "client")


def test_a_missing_scheduler_is_reported_in_one_line(monkeypatch):
    monkeypatch.setattr(scheduler, "_SECONDS_TO_ANSWER", 0.2)
    with (
        refused(InputError, "cluster tcp://127.0.0.1:9 scheduler"),
        cluster_of("tcp://127.0.0.1:9"),
    ):
        pass


@pytest.mark.parametrize("address", ["local", "local:0", "local:two", "local:1000", "local:" + "9" * 5000])
def test_invalid_process_numbers_are_rejected(address):
    with pytest.raises(InputError, match="local:N for N processes"), cluster_of(address):
        pass
