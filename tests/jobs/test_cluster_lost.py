"""A cluster that is unreachable, or lost during a run, causes a one-line error."""

import multiprocessing
import time
from types import SimpleNamespace

import dask
import pytest
from tests.facts import names, refused
from tests.jobs.programs import Programs

import anonset
from anonset.cli.main import exit_code, main
from anonset.data.storage.cluster import ClusterWorkers
from anonset.data.storage.scheduler import cluster_of
from anonset.data.storage.store import Files
from anonset.data.storage.worker_faults import version_here
from anonset.errors import AnonsetError, InputError

pytestmark = pytest.mark.long


def test_a_missing_tls_configuration_is_reported_in_one_line():
    with pytest.raises(InputError, match=r"distributed\.comm\.tls"), cluster_of("tls://127.0.0.1:9"):
        pass


def test_a_failure_to_start_processes_is_reported_in_one_line(monkeypatch):
    def refuse(*_args, **_kwargs):
        raise FileNotFoundError(2, "No such file or directory")  # as without /dev/shm

    monkeypatch.setattr(multiprocessing.get_context("spawn").__class__, "Queue", refuse)
    monkeypatch.setattr("multiprocessing.synchronize.SemLock.__init__", refuse)
    with pytest.raises(InputError, match="/dev/shm"), cluster_of("local:1"):
        pass


@pytest.mark.compiled
def test_a_scheduler_killed_during_the_search_is_reported_in_one_line(tmp_path):
    with dask.config.set({"distributed.comm.timeouts.connect": "1s"}), Programs(tmp_path) as programs:
        programs.complete(1)
        with cluster_of(programs.address) as client, Files.temporary() as store:
            result = ClusterWorkers(client, store).map(time.sleep, [0, 100, 0])
            next(result)
            programs.scheduler.kill()
            with refused(AnonsetError, "scheduler") as lost:
                next(result)
            assert exit_code(lost.value) == 2
            assert "again" not in str(lost.value)  # the note about the work directory names the way to continue
            with refused(AnonsetError, "scheduler"):
                list(store.with_workers(ClusterWorkers(client, store)).map(time.sleep, [0]))


class Blind:
    """A client whose worker cannot access the work directory."""

    scheduler = SimpleNamespace(address="tcp://here")

    def run(self, *_args, on_error):
        return {"tcp://there": (version_here(), False)}


def test_workers_are_checked_before_anything_is_read(tmp_path, monkeypatch, capsys):
    (tmp_path / "v.dat").write_text("a b\na b\n")
    monkeypatch.setattr("anonset.data.storage.scheduler.cluster_of", lambda *_: anonset_client())
    monkeypatch.setattr("anonset.jobs.runs.file_run._gathered", lambda *_: pytest.fail("the data are read"))
    job = ["anonymize", str(tmp_path / "v.dat"), "-o", str(tmp_path / "out"), "--model", "km", "--algorithm", "apriori"]
    how = ["--k", "2", "--m", "2", "--hierarchy", "items=balanced:2", "--cluster", "tcp://here:1"]
    assert main([*job, *how]) == 2
    assert names(capsys.readouterr().err, "worker tcp://there directory")


def test_workers_are_checked_before_anything_is_done_in_python(tmp_path, monkeypatch):
    (tmp_path / "v.dat").write_text("a b\na b\n")
    table = anonset.scan(tmp_path / "v.dat", work_dir=tmp_path / "work")
    monkeypatch.setattr("anonset.jobs.runs.run.bind", lambda *_: pytest.fail("the hierarchies are bound"))
    tree = {"items": "balanced:2"}
    with refused(InputError, "worker tcp://there directory"):
        anonset.anonymize(table, anonset.Apriori(k=2, m=2), hierarchies=tree, client=Blind())
    table.store.remove()


def anonset_client():
    """Return a stand-in for `cluster_of`: a client whose worker cannot access the directory."""
    from contextlib import nullcontext

    return nullcontext(Blind())
