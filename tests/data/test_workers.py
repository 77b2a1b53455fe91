"""Workers return results in task order, stop completely, and never nest pools."""

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from anonset.data import CategoricalColumn, Table
from anonset.data.storage.store import MEMORY, Files
from anonset.data.storage.workers import Threads, is_unwanted
from anonset.errors import InputError
from anonset.spelling import as_options, setting, spelled_by


@pytest.mark.parametrize(("n", "ahead"), [(1, 1), (3, 4)])
def test_results_are_in_task_order_and_a_few_tasks_are_begun_ahead(n: int, ahead: int) -> None:
    begun: list[int] = []
    results = Threads(n).map(lambda task: 6 // task, (begun.append(task) or task for task in (3, 2, 1, 0)), 3)
    assert next(results) == 2
    assert len(begun) == ahead
    assert [next(results), next(results)] == [3, 6]
    with pytest.raises(ZeroDivisionError):
        next(results)


@pytest.mark.parametrize(("remote", "sizes"), [(False, [1] * 19), (True, [2] * 9 + [1])])
def test_workers_of_a_cluster_get_several_short_tasks_at_once(
    monkeypatch: pytest.MonkeyPatch, remote: bool, sizes: list[int]
) -> None:
    monkeypatch.setattr(Threads, "remote", remote)
    workers, begun = Threads(2), list[Any]()
    begin = workers.begin
    monkeypatch.setattr(workers, "begin", lambda work, task, ended: begun.append(task) or begin(work, task, ended))
    assert list(workers.map_short(lambda task: task * task, range(19))) == [n * n for n in range(19)]
    assert [len(task) if remote else 1 for task in begun] == sizes


def test_the_first_failure_cancels_waiting_tasks_and_awaits_running_tasks() -> None:
    done, running = [], threading.Event()

    def work(task: int) -> int:
        if task == 0:
            assert running.wait(10)
            raise KeyError(task)
        running.set()
        while not is_unwanted():
            time.sleep(0.001)
        done.append(task)
        return task

    with pytest.raises(KeyError):
        list(Threads(2).map(work, range(8)))
    assert done in ([1], [1, 2], [2, 1])


def test_an_interruption_waits_for_running_tasks() -> None:
    done = []

    def work(task: int) -> None:
        time.sleep(0.05)  # until the main thread waits for the result
        os.kill(os.getpid(), signal.SIGINT)
        while not is_unwanted():
            time.sleep(0.001)
        time.sleep(0.05)
        done.append(task)

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in a process started in the background
    try:
        with pytest.raises(KeyboardInterrupt):
            list(Threads(2).map(work, [3]))
    finally:
        signal.signal(signal.SIGINT, before)
    assert done == [3]


def test_a_map_inside_a_task_runs_serially() -> None:
    def names(task: int) -> set[str]:
        return set(MEMORY.with_workers(Threads(4)).map(lambda _: threading.current_thread().name, range(4)))

    outer = list(Threads(2).map(names, range(6)))
    assert all(len(of_task) == 1 for of_task in outer)
    assert all(name.startswith("anonset-worker") for name in set.union(*outer))
    assert not is_unwanted()


def test_tasks_spell_settings_as_their_caller_and_other_threads_do_not() -> None:
    workers, elsewhere, spelled = Threads(2), list[str](), list[str]()
    with spelled_by(as_options):
        other = threading.Thread(target=lambda: elsewhere.append(setting("k", 2)))
        other.start()
        other.join()
        spelled += workers.map(lambda n: setting("k", n), range(6))
    assert (elsewhere, spelled) == (["k=2"], [f"--k {n}" for n in range(6)])
    assert list(workers.map(lambda n: setting("k", n), range(2))) == ["k=0", "k=1"]


def test_all_maps_share_a_pool_that_ends_with_its_owner() -> None:
    workers = Threads(2)
    for _ in range(3):
        list(workers.map(time.sleep, [0.001] * 4))
    names = [thread.name for thread in threading.enumerate() if thread.name.startswith("anonset-worker")]
    mine = workers._pool
    assert mine is not None
    assert len(mine._threads) <= 2
    threads = tuple(mine._threads)
    del workers, mine
    for thread in threads:
        thread.join(10)
        assert not thread.is_alive()
    assert len(names) >= len(threads)


def test_a_store_that_travels_has_no_workers(tmp_path: Path) -> None:
    with Files.temporary(tmp_path, workers=Threads(3)) as store:
        for original in (store, MEMORY.with_workers(Threads(3))):
            came = pickle.loads(pickle.dumps(original))
            assert came == original
            assert (original.workers.count, came.workers.count) == (3, 1)
        table = Table(relational=(CategoricalColumn.of("sex", "fm"),)).with_workers(store.workers)
        assert table.store.workers is store.nested().workers is store.in_memory().workers is store.workers
        assert store.keep("codes", table.relational[0].codes).base.store.workers is store.workers


@pytest.mark.parametrize("n", [0, -1])
def test_a_worker_count_below_one_is_rejected(n: int) -> None:
    with pytest.raises(InputError, match=f"workers must be at least 1, got {n}"):
        Threads(n)


_FORKS = """
import os, sys, warnings
from anonset.data.storage.workers import Threads
warnings.simplefilter("ignore", DeprecationWarning)
workers = Threads(2)
assert list(workers.map(abs, range(4))) == [0, 1, 2, 3]
child = os.fork()
if child == 0:
    assert list(workers.map(abs, range(4))) == [0, 1, 2, 3]
    os._exit(7)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.long
def test_a_forked_process_has_separate_threads() -> None:
    environment: dict[str, Any] = dict(os.environ)
    assert subprocess.run([sys.executable, "-c", _FORKS], env=environment, timeout=60, check=False).returncode == 7
