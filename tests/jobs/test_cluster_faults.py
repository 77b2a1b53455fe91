"""A worker that joins late with another version, lacks a file or has a full disk is named in one line."""

import errno
import os
import socket
from functools import partial

import numpy as np
import pytest
from tests.facts import refused

from anonset.cli.main import exit_code
from anonset.data.storage import worker_faults
from anonset.data.storage.cluster import ClusterWorkers
from anonset.data.storage.scheduler import cluster_of
from anonset.data.storage.worker_faults import named_worker, require_importable, version_here
from anonset.errors import HierarchyError, InputError
from anonset.local_paths import writing

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def client():
    with cluster_of("local:1") as client:
        yield client


def pretend_other_version():
    """Let this worker run another version."""
    worker_faults.version_here = lambda: "another"


def pretend_same_version(version):
    worker_faults.version_here = lambda: version


def write_to_full_disk(path):
    with writing(path):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def open_file(path):
    return np.memmap(path, np.int32)


def refuse(_task):
    raise HierarchyError("no")


def fail(task):
    return task.missing


def run(client, work, do, task):
    with ClusterWorkers(client, work) as workers:
        return next(workers.map(do, [task]))


def test_a_late_worker_with_another_version_is_named(client, work):
    with ClusterWorkers(client, work) as workers:
        client.run(pretend_other_version)
        try:
            with refused(InputError, f"worker 127.0.0.1 {socket.gethostname()} another version of anonset") as error:
                next(workers.map(len, ["abc"]))
        finally:
            client.run(partial(pretend_same_version, version_here()))
        assert exit_code(error.value) == 2
        assert next(workers.map(len, ["abc"])) == 3


@pytest.mark.parametrize(
    ("do", "reason"), [(write_to_full_disk, "No space left on device"), (open_file, "No such file or directory")]
)
def test_a_worker_that_cannot_use_a_file_is_named(client, work, tmp_path, do, reason):
    path = tmp_path / "segment"
    with refused(InputError, f"worker 127.0.0.1 {socket.gethostname()}") as error:
        run(client, work, do, path)
    assert str(error.value).replace(" cannot be written:", "").endswith(f"{path}: {reason}")
    assert "\n" not in str(error.value)


def test_other_errors_are_not_changed(client, work):
    with pytest.raises(HierarchyError, match=r"^no$"):
        run(client, work, refuse, 0)
    with pytest.raises(AttributeError):
        run(client, work, fail, 0)


def test_a_worker_without_this_version_is_named_before_reading():
    with refused(InputError, "worker tcp://b cannot run this version ModuleNotFoundError"):
        require_importable({"tcp://a": (version_here(), True), "tcp://b": ModuleNotFoundError("anonset")})


def test_local_processes_accept_connections_from_this_machine_only(client):
    addresses = [client.scheduler.address, *client.nthreads()]
    assert all(address.partition("://")[2].startswith("127.0.0.1:") for address in addresses)


def test_a_worker_without_memory_is_named(monkeypatch):
    monkeypatch.setattr(worker_faults, "_address", lambda: "tcp://a")
    with refused(InputError, "worker tcp://a out of memory"), named_worker(version_here()):
        raise MemoryError
