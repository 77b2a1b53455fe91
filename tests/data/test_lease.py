"""A directory's lease belongs to a living process. A single process can take over the lease of a dead process."""

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path

import pytest
from tests.facts import refused

from anonset.data.storage import lease as module
from anonset.data.storage.lease import (
    LEASE,
    forget,
    holds,
    is_lost,
    lease_of,
    mark_unused,
    release,
    require_held,
    state_of,
    take,
)
from anonset.data.storage.store import Files
from anonset.errors import InputError
from anonset.jobs.runs.leftovers import remove_left, warning_of_what_is_left, work_directories
from anonset.reading.sources.place import Place

pytestmark = pytest.mark.compiled
HOLD = """
import os, sys, time
from pathlib import Path
from anonset.data.storage import lease
lease.EVERY = 0.02
lease.take(Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.readline()
try:
    lease.require_held(Path(sys.argv[1]))
    print("still held", flush=True)
except Exception as error:
    print(error.code, error, flush=True)
"""
"""Takes a lease, and on each input line prints whether it is still the owner."""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


@pytest.fixture
def hold(folder):
    """Start processes that own the folder's lease until the end of the test."""
    started = []

    def hold():
        child = subprocess.Popen(
            [sys.executable, "-c", HOLD, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        started.append(child)
        assert child.stdout.readline() == "held\n"
        return child

    yield hold
    for child in started:
        child.kill()
        child.wait()
        child.stdin.close()
        child.stdout.close()


@pytest.fixture(scope="module")
def killed(tmp_path_factory):
    """A folder with the lease of a killed process."""
    work = tmp_path_factory.mktemp("killed")
    child = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(work)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert child.stdout.readline() == "held\n"
    child.kill()
    child.communicate()
    return work


@pytest.fixture
def ended(folder, killed):
    """A copy of the folder with the lease of a killed process."""
    return shutil.copytree(killed, folder, dirs_exist_ok=True)


@pytest.fixture
def quick(monkeypatch):
    """Watch leases of other machines only briefly."""
    monkeypatch.setattr(module, "LASTS", 0.6)
    monkeypatch.setattr(module, "EVERY", 0.02)


def kill(child):
    child.send_signal(signal.SIGKILL)
    child.wait()


def change(folder, **said):
    """Change fields of a folder's lease in place, as a renewal does."""
    lease = folder / LEASE
    changed = (json.dumps(json.loads(lease.read_text()) | said)).encode().ljust(512)
    with lease.open("r+b") as file:
        file.write(changed)


def far(folder, **said):
    """Make a folder's lease belong to another machine."""
    change(folder, host="elsewhere", boot="another", **said)


def test_a_lease_is_in_use_as_long_as_its_process_lives(folder, hold):
    child = hold()
    assert state_of(folder) == "in use"
    with refused(InputError, f"{child.pid}", code="in-use"):
        take(folder)
    kill(child)
    assert state_of(folder) == "left"
    take(folder)
    assert (state_of(folder), holds(folder)) == ("in use", True)
    release(folder)
    assert list(folder.iterdir()) == []


def test_the_lease_of_a_zombie_process_is_free(folder, hold):
    child = hold()
    child.send_signal(signal.SIGKILL)
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert state_of(folder) == "left"


def test_a_reused_process_id_is_another_process(folder, hold):
    lease = hold()
    began = json.loads((folder / LEASE).read_text())["start"]
    kill(lease)
    change(folder, process=os.getppid(), start=began + 10**9)
    assert state_of(folder) == "left"


def test_a_released_directory_is_free_while_its_process_lives(folder):
    take(folder)
    mark_unused(folder)
    assert state_of(folder) == "left"
    far(folder)
    take(folder, pytest.fail)
    assert holds(folder)
    forget(folder)


def test_a_directory_released_on_a_full_disk_is_free(folder, monkeypatch):
    take(folder)
    with monkeypatch.context() as patch:
        patch.setattr(os, "pwrite", out_of_room)
        with pytest.raises(OSError, match="No space"):
            mark_unused(folder)
    assert state_of(folder) == "left"
    take(folder, pytest.fail)
    assert (holds(folder), state_of(folder)) == (True, "in use")
    release(folder)


@pytest.mark.parametrize("step", ["pwrite", "fsync"])
def test_a_lease_on_a_full_disk_is_reported_and_removed(folder, monkeypatch, step):
    monkeypatch.setattr(os, step, out_of_room)
    with pytest.raises(OSError, match="No space") as failed:
        take(folder)
    assert failed.value.filename == str(folder / LEASE)
    assert list(folder.iterdir()) == []


def out_of_room(*_):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"host": "elsewhere"}, "of another host"),
        ({"user": os.getuid() + 1}, "of another user"),
        ({"processes": "pid:[1]"}, "left"),
        ({"processes": "pid:[1]", "expires": 4e9}, "in use"),
        ({"boot": "another"}, "left"),
        ({"boot": "another", "expires": 4e9}, "in use"),
        ({"more": 1}, "unknown"),
    ],
)
def test_a_lease_of_an_unknown_process_is_valid_until_it_expires(ended, said, told, quick):
    change(ended, **({"expires": 1.0} | said))
    assert state_of(ended) == told
    (leftover,) = work_directories(ended)
    assert remove_left(leftover) == (told == "left")
    assert ended.exists() == (told != "left")


def test_an_unrenewed_lease_of_another_host_is_taken_over(ended, quick):
    far(ended, expires=4e9)  # by a wrong clock
    reported = []
    began = time.monotonic()
    take(ended, reported.append)
    assert time.monotonic() - began >= 0.6
    assert "elsewhere" in reported[0]
    assert holds(ended)
    assert len(list(ended.iterdir())) == 2
    release(ended)


@pytest.mark.parametrize("expires", [0.0, 4e9])
def test_a_renewed_lease_of_another_host_is_valid_by_any_clock(folder, hold, quick, monkeypatch, expires):
    hold()
    before = module._read
    clock = json.dumps({"host": "elsewhere", "boot": "another", "expires": expires})

    def read(path, *, own_only):
        data = before(path, own_only=own_only)
        return data and json.dumps(json.loads(data) | json.loads(clock)).encode()

    monkeypatch.setattr(module, "_read", read)
    with refused(InputError, code="in-use"):
        take(folder)
    assert [path.name for path in folder.iterdir()] == [LEASE]


@pytest.mark.long
def test_of_many_simultaneous_takeovers_one_succeeds(ended):
    code = """
import sys, time
from pathlib import Path
from anonset.data.storage import lease
from anonset.errors import InputError
from anonset.reading.sources.place import Place
lease.LASTS, lease.EVERY = 1.0, 0.05
print("ready", flush=True)
sys.stdin.readline()
try:
    lease.take(Path(sys.argv[1]))
    print("won", flush=True)
    time.sleep(2.5)
    print("held" if lease.holds(Path(sys.argv[1])) else "lost", flush=True)
except InputError as error:
    print(error.code, error, flush=True)
"""
    far(ended)
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    children = [subprocess.Popen([sys.executable, "-c", code, str(ended)], **pipes) for _ in range(4)]
    assert [child.stdout.readline() for child in children] == ["ready\n"] * 4
    for child in children:
        child.stdin.write("\n")
        child.stdin.flush()
    answers = sorted(child.communicate()[0] for child in children)
    assert answers[-1] == "won\nheld\n"
    assert all(line.startswith("in-use ") for line in answers[:-1])
    assert all(line.count("\n") == 1 for line in answers[:-1])


def test_a_suspended_process_notices_that_it_lost_its_lease(folder, hold, quick):
    child = hold()
    child.send_signal(signal.SIGSTOP)
    os.waitid(os.P_PID, child.pid, os.WSTOPPED | os.WNOWAIT)
    with refused(InputError, code="in-use"):
        take(folder)  # the process is visible on this machine
    far(folder)
    take(folder)
    child.send_signal(signal.SIGCONT)
    child.stdin.write("\n")
    child.stdin.flush()
    assert child.stdout.readline().startswith("in-use ")
    assert holds(folder)
    release(folder)


def test_renewing_a_lost_lease_does_not_change_the_new_lease(folder):
    take(folder)
    lease = module._held[folder]
    (folder / LEASE).rename(folder / "moved")
    forget_of = module._held.pop(folder)
    take(folder)
    mine = lease_of(folder)
    lease.write(module.renewed(lease.lease))
    assert lease_of(folder) == mine
    assert forget_of.lease.renewals == 1
    release(folder)
    lease.close()


def test_renewing_changes_neither_a_deleted_object_nor_the_object_of_another_run(tmp_path):
    place = Place(str(tmp_path / "place"))
    take(place)
    lease = module._held[place]
    lease.write(module.renewed(lease.lease))
    assert json.loads(place.read(LEASE))["renewals"] == 1
    theirs = json.dumps(asdict(module.new_lease())).encode()
    place.put(LEASE, theirs, replace=True)
    lease.write(module.renewed(lease.lease))
    assert place.read(LEASE) == theirs
    place.delete(LEASE)
    lease.write(module.renewed(lease.lease))
    assert place.names() == []
    forget(place)


def test_a_recreated_directory_is_lost_and_not_removed(folder):
    take(folder)
    require_held(folder)
    assert not is_lost(folder)
    shutil.rmtree(folder)
    folder.mkdir()
    (folder / "data").touch()
    assert is_lost(folder)
    with refused(InputError, f"{folder}", code="in-use"):
        require_held(folder)
    Files(folder).remove()
    assert (folder / "data").exists()
    release(folder)


def test_a_takeover_of_a_recreated_directory_fails(folder, ended, monkeypatch):
    """Between reading the stale lease and creating the successor, another process wins and restarts."""
    stale = (ended / LEASE).read_bytes()
    leases = module._held
    take(ended)
    release(ended)
    take(ended)
    theirs = lease_of(ended)
    looked = iter([stale])
    last = module.content_in
    monkeypatch.setattr(module, "_held", {})
    monkeypatch.setattr(module, "content_in", lambda *of, **how: next(looked, None) or last(*of, **how))
    with refused(InputError, code="in-use"):
        take(ended)
    assert lease_of(ended) == theirs
    monkeypatch.setattr(module, "_held", leases)
    assert holds(ended)
    release(ended)


def test_an_empty_lease_is_taken_over_after_a_waiting_time(folder, quick):
    (folder / LEASE).touch()
    assert state_of(folder) == "unknown"
    take(folder)
    assert holds(folder)
    release(folder)


def test_a_child_does_not_own_the_leases_of_its_parent(folder):
    take(folder)
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.write(writer, b"1" if holds(folder) else b"0")
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(reader, 1) == b"0"
    os.close(reader)
    os.close(writer)
    assert holds(folder)
    release(folder)


def test_no_lock_of_the_file_system_is_needed(monkeypatch):
    assert "fcntl" not in Path(module.__file__).read_text()
    with Files.temporary() as work:
        assert asdict(lease_of(work.path))["process"] == os.getpid()


def nested(mark):
    mark.write_text("[" * 4000)


def huge(mark):
    os.truncate(mark, 2**40)


def pipe(mark):
    mark.unlink()
    os.mkfifo(mark)


def link(mark):
    mark.rename(mark.with_name("elsewhere"))
    mark.symlink_to("elsewhere")


def subfolder(mark):
    mark.unlink()
    mark.mkdir()


def twice(mark):
    mark.write_text(mark.read_text().replace("{", '{"process": 1, ', 1))


def marked(**said):
    return lambda mark: change(mark.parent, **said)


@pytest.mark.parametrize(
    "forged",
    [
        nested, huge, pipe, link, subfolder, twice, lambda mark: mark.write_text("9" * 4000),
        lambda mark: mark.write_bytes(b"\xff\xfe"), lambda mark: mark.write_text("[]"),
        marked(process="self"), marked(process="1\0"), marked(process=True), marked(process=-1), marked(process=1.5),
        marked(start=-1), marked(start=float("nan")), marked(host=7), marked(user=[]), marked(token="../x"),
        marked(renewals="1"), marked(expires=1),
    ],
)  # fmt: skip
def test_a_forged_lease_blocks_no_run_and_removes_no_files(ended, monkeypatch, forged):
    """Anyone can create such a directory among the temporary files, which each run searches for leftovers."""
    forged(ended / LEASE)
    monkeypatch.setattr("tempfile.tempdir", str(ended.parent))
    assert (state_of(ended), lease_of(ended), warning_of_what_is_left()) == ("unknown", None, "")
    (leftover,) = work_directories()
    assert not remove_left(leftover)
    assert ended.exists()


def test_another_users_files_are_neither_read_nor_counted(ended, monkeypatch):
    user = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: user + 1)
    monkeypatch.setattr(os, "open", lambda *_, **__: pytest.fail("it is opened"))
    monkeypatch.setattr(os, "walk", lambda *_, **__: pytest.fail("it is searched"))
    assert [(leftover.state, leftover.bytes) for leftover in work_directories(ended)] == [("of another user", 0)]


def test_another_users_directory_is_never_removed(ended, monkeypatch):
    user = os.getuid()
    change(ended, user=user + 1)
    monkeypatch.setattr(os, "getuid", lambda: user + 1)
    assert state_of(ended) == "of another user"


def test_links_and_other_directories_are_ignored(ended, tmp_path):
    (tmp_path / "place").mkdir()
    (tmp_path / "place" / "anonset-link").symlink_to(ended)
    (tmp_path / "place" / "anonset-demo-1").mkdir()
    (tmp_path / "place" / "anonset-old").mkdir()
    (tmp_path / "place" / "other").mkdir()
    leftovers = work_directories(tmp_path / "place")
    assert [(leftover.path.name, leftover.state) for leftover in leftovers] == [("anonset-old", "unknown")]
    assert [leftover.path for leftover in work_directories(tmp_path)] == [ended]


def test_a_resumed_directory_is_not_removed(ended):
    (leftover,) = work_directories(ended)
    take(ended)
    assert not remove_left(leftover)
    mark_unused(ended)
    assert remove_left(leftover)
    with refused(InputError, "'No such file'"):
        work_directories(ended)
