"""Whether the process that a work directory is marked for is at work there: told only where it is known."""

import fcntl
import json
import os
import shutil
import subprocess
import sys

import pytest

from anonset.data.owners import OWNER, leave, looked_at, owner_of, take
from anonset.data.store import Files
from anonset.errors import InputError
from anonset.jobs.leftovers import remove_left, warning_of_what_is_left, work_directories

pytestmark = pytest.mark.compiled


@pytest.fixture(scope="module")
def killed(tmp_path_factory):
    """A work directory whose process was killed."""
    work = tmp_path_factory.mktemp("killed") / "work"
    script = (
        "import os, signal\nfrom pathlib import Path\nfrom anonset.data.store import Files\n"
        f"print(Files.at(Path({str(work)!r})).path, flush=True)\nos.kill(os.getpid(), signal.SIGKILL)"
    )
    done = subprocess.run([sys.executable, "-c", script], check=False, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (-9, f"{work}\n")
    return work


@pytest.fixture
def ended(killed, tmp_path):
    """A copy of it."""
    return shutil.copytree(killed, tmp_path / "work")


def state(folder):
    with looked_at(folder) as found:
        return found


def change(folder, **said):
    mark = folder / OWNER
    mark.write_text(json.dumps(json.loads(mark.read_text()) | said))


def ours():
    with Files.temporary() as work:
        return json.loads((work.path / OWNER).read_text())


def test_a_directory_is_in_use_as_long_as_its_process_lives(ended):
    assert state(ended) == "left"
    with Files.temporary() as work:
        assert state(work.path) == "in use"


def test_a_lock_alone_keeps_a_directory_whatever_else_its_mark_says(ended):
    with (ended / OWNER).open("r+b") as mark:
        fcntl.flock(mark, fcntl.LOCK_EX)
        change(ended, boot="another")
        assert state(ended) == "in use"
    assert state(ended) == "left"


def test_where_no_lock_is_known_number_and_start_of_the_process_tell(ended):
    alive = ours()
    change(ended, locked=False)
    assert state(ended) == "left"
    change(ended, process=alive["process"], start=alive["start"])
    assert state(ended) == "in use"
    change(ended, start=alive["start"] - 1)
    assert state(ended) == "left"  # the number was given to another process
    change(ended, start=alive["start"], boot="another")
    assert state(ended) == "left"


def test_a_dead_process_that_nobody_has_waited_for_is_dead(ended):
    child = subprocess.Popen([sys.executable, "-c", ""])
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    with open(f"/proc/{child.pid}/stat", encoding="utf-8") as stat:  # noqa: PTH123
        start = int(stat.read().rpartition(")")[2].split()[19])
    change(ended, process=child.pid, start=start, locked=False)
    assert state(ended) == "left"
    child.wait()


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"host": "elsewhere"}, "of another host"),
        ({"user": os.getuid() + 1}, "of another user"),
        ({"processes": "pid:[1]"}, "left"),
        ({"processes": "pid:[1]", "locked": False}, "unknown"),
        ({"more": 1}, "unknown"),
    ],
)
def test_what_is_of_others_or_untold_stays(ended, said, told):
    change(ended, **said)
    assert state(ended) == told
    (found,) = work_directories(ended)
    assert remove_left(found) == (told == "left")
    assert ended.exists() == (told != "left")


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


def folder(mark):
    mark.unlink()
    mark.mkdir()


def twice(mark):
    mark.write_text(mark.read_text().replace("{", '{"process": 1, ', 1))


def marked(**said):
    return lambda mark: change(mark.parent, **said)


@pytest.mark.parametrize(
    "forged",
    [
        nested, huge, pipe, link, folder, twice, lambda mark: mark.write_text("9" * 4000),
        lambda mark: mark.write_bytes(b"\xff\xfe"), lambda mark: mark.write_text("[]"),
        marked(process="self"), marked(process="1\0"), marked(process=True), marked(process=-1), marked(process=1.5),
        marked(start=-1), marked(start=float("nan")), marked(host=7), marked(user=[]), marked(locked="yes"),
    ],
)  # fmt: skip
def test_a_forged_mark_stops_nobody_and_has_nothing_removed(ended, monkeypatch, forged):
    """Anybody may put such a directory among the temporary files, where each run looks for what is left."""
    forged(ended / OWNER)
    monkeypatch.setattr("tempfile.tempdir", str(ended.parent))
    assert (state(ended), owner_of(ended), warning_of_what_is_left()) == ("unknown", None, "")
    (found,) = work_directories()
    assert not remove_left(found)
    assert ended.exists()


def test_another_users_files_are_neither_read_nor_counted(ended, monkeypatch):
    user = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: user + 1)
    monkeypatch.setattr(os, "open", lambda *_, **__: pytest.fail("it is opened"))
    monkeypatch.setattr(os, "walk", lambda *_, **__: pytest.fail("it is searched"))
    assert [(found.state, found.bytes) for found in work_directories(ended)] == [("of another user", 0)]


def test_a_directory_with_a_pipe_for_a_mark_is_not_taken(tmp_path):
    os.mkfifo(tmp_path / OWNER)
    with pytest.raises(InputError, match="must be a regular file"):
        take(tmp_path)


def test_another_users_directory_stays_whatever_its_mark_says(ended, monkeypatch):
    alive = os.getuid()
    change(ended, user=alive + 1)
    monkeypatch.setattr(os, "getuid", lambda: alive + 1)
    assert state(ended) == "of another user"


def test_without_a_mark_nobody_knows(ended):
    (ended / OWNER).write_text("")
    assert state(ended) == "unknown"
    (ended / OWNER).unlink()
    assert state(ended) == "unknown"


def test_a_directory_is_taken_by_one_and_can_be_left_to_another(tmp_path):
    work = Files.at(tmp_path / "work")
    with pytest.raises(InputError, match=r"another run is at work in '.*work'; wait for it"):
        take(work.path)
    assert state(work.path) == "in use"
    leave(work.path)
    assert state(work.path) == "left"  # though this process lives
    take(work.path)
    assert state(work.path) == "in use"
    work.remove()


def test_links_are_not_followed_and_what_is_no_work_directory_is_not_named(ended, tmp_path):
    (tmp_path / "place").mkdir()
    (tmp_path / "place" / "anonset-link").symlink_to(ended)
    (tmp_path / "place" / "anonset-demo-1").mkdir()
    (tmp_path / "place" / "anonset-old").mkdir()
    (tmp_path / "place" / "other").mkdir()
    found = work_directories(tmp_path / "place")
    assert [(one.path.name, one.state) for one in found] == [("anonset-old", "unknown")]
    assert [one.path for one in work_directories(tmp_path)] == [ended]


def test_a_taken_up_directory_is_not_removed(ended):
    (found,) = work_directories(ended)
    take(ended)
    assert not remove_left(found)
    leave(ended)
    assert remove_left(found)
    with pytest.raises(InputError, match="cannot be read: No such file or directory"):
        work_directories(ended)
