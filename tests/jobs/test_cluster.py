"""A cluster of processes: the same search, whatever happens to its workers."""

import os
import pickle
import signal
from types import SimpleNamespace

import numpy as np
import pytest

from anonset.algorithms.transaction.cut_search import CutSearch
from anonset.data import Hierarchy, SetColumn
from anonset.data.blocks import Blocks
from anonset.data.mapped import WorkFolder
from anonset.errors import InputError
from anonset.jobs.cluster import ClusterExecutor, _packed, _unpacked, _version, cluster_of

N_ITEMS, K, M = 60, 4, 3
HIERARCHY = Hierarchy.balanced([str(i) for i in range(N_ITEMS)], 4)


@pytest.fixture(scope="module")
def column():
    rng = np.random.default_rng(7)
    sizes, weights = rng.integers(0, 7, 900), 1 / np.arange(1, N_ITEMS + 1)
    chosen = [rng.choice(N_ITEMS, size, replace=False, p=weights / weights.sum()) for size in sizes]
    return SetColumn.of([{str(i) for i in row} for row in chosen], universe=HIERARCHY.leaves.labels)


@pytest.fixture
def work(tmp_path):
    with WorkFolder.temporary(tmp_path) as work:
        yield work


@pytest.fixture
def blocks(column, work):
    arrays = [work.stored(name, values) for name, values in (("indptr", column.indptr), ("items", column.items))]
    return Blocks.of(SetColumn("items", *arrays, column.vocabulary), 130)


@pytest.fixture(scope="module")
def client():
    with cluster_of("local:2") as client:
        yield client


def run(records, executor=None, each=lambda: None):
    search = CutSearch(records, HIERARCHY, K, executor=executor)
    for size in range(1, M + 1):
        each()
        for rare in search.rare_sets(size):
            search.fix(rare, looked_up=False)
    return search.cut.labels, search.fixes, search.increments


def test_arrays_in_files_travel_by_their_names(work):
    codes = work.stored("codes", np.arange(100_000, dtype=np.int32))
    packed = _packed({"part": codes[10:20_000], "own": np.arange(3)})
    assert len(packed) < 1_000 < len(pickle.dumps(codes[10:20_000]))
    found = _unpacked(packed)
    assert np.array_equal(found["part"], codes[10:20_000])
    assert found["own"].tolist() == [0, 1, 2]
    assert np.array_equal(_unpacked(_packed(codes[::2])), codes[::2])


@pytest.mark.compiled
def test_processes_find_what_one_thread_does_and_leave_nothing(client, work, blocks, column):
    with ClusterExecutor(client, work) as executor:
        assert run(blocks, executor) == run(column)
    assert sorted(path.name for path in work.path.iterdir()) == ["indptr", "items"]


@pytest.mark.compiled
def test_a_worker_that_is_killed_in_every_round_changes_nothing(client, work, blocks, column):
    def kill():
        pids = [nanny.pid for nanny in client.cluster.workers.values() if nanny.pid]
        os.kill(pids[0], signal.SIGKILL)

    with ClusterExecutor(client, work) as executor:
        assert run(blocks, executor, kill) == run(column)


class Answering:
    """A client whose workers answer as told."""

    scheduler = SimpleNamespace(address="tcp://here")

    def __init__(self, answers):
        self.answers = answers

    def run(self, _function, *_args, on_error):
        assert on_error == "return"
        return self.answers


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ({}, "the scheduler tcp://here has no workers"),
        ({"tcp://a": ConnectionError()}, "the scheduler tcp://here has no workers"),
        ({"tcp://a": (_version(), True), "tcp://b": (_version(), False)}, "worker tcp://b does not see the work dir"),
        ({"tcp://a": ("other", True)}, "worker tcp://a runs another anonset"),
    ],
)
def test_workers_that_cannot_take_part_are_named(work, answers, said):
    with pytest.raises(InputError, match=said):
        ClusterExecutor(Answering(answers), work)
    assert not list(work.path.iterdir())


def test_no_scheduler_at_an_address_is_one_line():
    with (
        pytest.raises(InputError, match=r"cluster='tcp://127.0.0.1:9': no scheduler answers there"),
        cluster_of("tcp://127.0.0.1:9"),
    ):
        pass


@pytest.mark.parametrize("address", ["local", "local:0", "local:two"])
def test_a_number_of_processes_is_one(address):
    with pytest.raises(InputError, match="local:N for N processes"), cluster_of(address):
        pass
