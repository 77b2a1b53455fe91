"""`--if-exists resume`: the same command serves for the first run, the retry after a kill, and the finished run."""

import json
import os
import signal
import subprocess
import sys
from textwrap import dedent

import pytest
from tests.cli.place import Ran
from tests.facts import names
from tests.jobs.test_by_blocks import BASKETS, files_of

from anonset.cli.main import main
from anonset.data.storage import lease as module
from anonset.data.storage.lease import LEASE, RUN, mark_unused, take

pytestmark = [pytest.mark.compiled, pytest.mark.long]
KILLED = {
    "before the work directory is of a run": """
        from anonset.jobs.runs import work_places
        work_places._identity = die
    """,
    "in reading": """
        from anonset.jobs.runs import file_run
        file_run._gathered = die
    """,
    "in the search": """
        from anonset.algorithms.transaction.cuts.cut_search import CutSearch
        found = CutSearch.rare_sets
        CutSearch.rare_sets = lambda self, size: die() if size == 2 else found(self, size)
    """,
    "before the lease of the private directory": """
        from anonset.release.publishing import staging
        staging.take = die
    """,
    "in verifying": """
        from anonset.release.publishing import publish
        publish.verify_release = die
    """,
    "before the renaming": """
        from anonset.release.publishing.staging import Staging
        Staging.rename = die
    """,
    "after the renaming": """
        from anonset.release.publishing.staging import Staging
        Staging.finish = die
    """,
    "before the work directory is removed": """
        from anonset.data.storage.store import Files
        removed = Files.remove
        Files.remove = lambda store: die() if (store.path / "run.json").exists() else removed(store)
    """,
}
DYING = "import os\ndef die(*_args, **_kwargs):\n    os._exit(9)\n"
WAITING = "import time\ndef die(*_args, **_kwargs):\n    print('ready', flush=True)\n    time.sleep(600)\n"


def arguments(folder, *options, out="out", k="2"):
    of_items = ["--hierarchy", "items=balanced:2", "--model", "km", "--k", k, "--m", "2", "--algorithm", "apriori"]
    return ["anonymize", str(folder / "v.dat"), "-o", str(folder / out), *of_items, "--quiet", *options]


def start(folder, where, options, before=DYING, job=arguments):
    """Start the job in a process with a hook at a given point."""
    script = f"{before}{dedent(where)}\nimport sys\nfrom anonset.cli.main import run\nrun()"
    command = [sys.executable, "-c", script, *job(folder, *options)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "v.dat").write_text(BASKETS)
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    return tmp_path


@pytest.fixture
def run(folder, capsys):
    def run(*options, **given):
        code = main(arguments(folder, *options, **given))
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return run


def far(folder):
    """Make all leases in a folder belong to another machine and be valid by that clock."""
    result = list(folder.rglob(f"{LEASE[:-5]}*"))
    for lease in result:
        entry = json.loads(lease.read_text()) | {"host": "elsewhere", "boot": "another", "expires": 4e9}
        with lease.open("r+b") as file:
            file.write(json.dumps(entry).encode().ljust(512))
    return result


def left(folder):
    others = ("temporary", "v.dat", "memory", "memory.private")
    return sorted(path.name for path in folder.iterdir() if path.name not in others)


IN_MEMORY = ("before the lease of the private directory", "in verifying", "after the renaming")
PLACES = [
    *(("in a new directory", where) for where in KILLED),
    *(("in memory", where) for where in IN_MEMORY),
    ("in an empty directory", "in the search"),
]


@pytest.mark.parametrize(("place", "where"), PLACES)
def test_a_killed_run_is_retried_by_the_same_command(folder, run, place, where):
    assert run(out="memory").code == 0
    if place == "in an empty directory":
        (folder / "work").mkdir()
    options = ("--if-exists", "resume", *(() if place == "in memory" else ("--work-dir", str(folder / "work"))))
    child = start(folder, KILLED[where], options)
    assert (*child.communicate(), child.returncode) == ("", "", 9)
    done = run(*options)
    assert (done.code, done.err) == (0, "")
    assert files_of(folder / "out") == files_of(folder / "memory")
    kept_work = (folder / "work").exists()
    assert left(folder) == ["out", "out.private", *(["work"] if kept_work else [])]
    assert not kept_work or list((folder / "work").iterdir()) == []
    assert not list(folder.rglob(LEASE))
    repeated = run(*options)
    assert (repeated.code, repeated.err) == (0, "")
    assert main(["verify", str(folder / "out"), "--original", str(folder / "v.dat")]) == 0


@pytest.mark.parametrize("model", [("kl", "--l", "2"), ("kt", "--t", "0.6")])
@pytest.mark.parametrize("where", ["in verifying", "before the work directory is removed"])
def test_a_killed_run_with_a_sensitive_column_is_retried(folder, model, where):
    rows = [f"{20 + n % 40},{'fm'[n % 2]},{('flu', 'cold', 'ache')[n * 7 // 3 % 3]}" for n in range(240)]
    (folder / "stays.csv").write_text("\n".join(["age,sex,illness", *rows, ""]))

    def job(folder, *options):
        roles = ["--relational", "age,sex", "--numeric", "age", "--sensitive", "illness", "--unit", "row"]
        given = ["--k", "3", "--quiet", "--model", *model, *options]
        return ["anonymize", str(folder / "stays.csv"), "-o", str(folder / "out"), *roles, *given]

    options = ("--if-exists", "resume", "--work-dir", str(folder / "work"))
    child = start(folder, KILLED[where], options, job=job)
    assert (*child.communicate(), child.returncode) == ("", "", 9)
    assert main(job(folder, *options)) == 0
    assert not (folder / "work").exists()
    assert main(["verify", str(folder / "out")]) == 0


@pytest.mark.parametrize("where", ["in the search", "in verifying", "after the renaming"])
def test_a_killed_run_is_resumed_from_another_machine(folder, run, where, monkeypatch):
    monkeypatch.setattr(module, "LASTS", 0.3)
    monkeypatch.setattr(module, "EVERY", 0.05)
    options = ("--work-dir", str(folder / "work"), "--if-exists", "resume")
    child = start(folder, KILLED[where], options)
    assert child.communicate() == ("", "")
    assert far(folder)
    assert run(*options).code == 0
    assert left(folder) == ["out", "out.private"]


@pytest.mark.parametrize("where", ["in the search", "in verifying"])
def test_a_running_job_is_not_taken_over(folder, run, where):
    options = ("--work-dir", str(folder / "work"), "--if-exists", "resume")
    child = start(folder, KILLED[where], options, WAITING)
    assert child.stdout.readline() == "ready\n"
    before = sorted(folder.rglob("*"))
    done = run(*options)
    taken = "work" if where == "in the search" else "out.private"
    assert (done.code, done.err.count("\n"), names(done.err, f"{folder / taken}")) == (2, 1, True)
    assert sorted(folder.rglob("*")) == before
    child.kill()
    child.communicate()
    assert run(*options).code == 0


def test_of_two_simultaneous_retries_one_publishes(folder):
    options = ("--work-dir", str(folder / "work"), "--if-exists", "resume")
    start(folder, KILLED["in the search"], options).communicate()
    both = [start(folder, "", options) for _ in range(2)]
    messages = [child.communicate()[1] for child in both]
    codes = [child.returncode for child in both]
    assert 0 in codes
    for code, line in zip(codes, messages, strict=True):  # the second command may start when the first has finished
        assert (code, line.count("\n")) in ((0, 0), (2, 1)), line
    assert left(folder) == ["out", "out.private"]
    assert main(["verify", str(folder / "out"), "--original", str(folder / "v.dat")]) == 0


SUSPENDED = {
    "before the search": """
        from anonset.jobs.runs.run import Run
        real, Run.unverified = Run.unverified, lambda *of, **how: (stop(), real(*of, **how))[1]
    """,
    "before the check": """
        from anonset.release.publishing import staging
        real, staging.require_new = staging.require_new, lambda *of: (stop() if len(of) == 1 else None, real(*of))
    """,
    "after the check": """
        from anonset.release.publishing import staging
        real, staging.require_held = staging.require_held, lambda *of: (real(*of), stop())
    """,
    "after the renaming": """
        from anonset.release.publishing.staging import Staging
        real, Staging.finish = Staging.finish, lambda made: (stop(), real(made))
    """,
}
STOP = """
import os, signal
stopped = []
def stop():
    if not stopped:
        stopped.append(1)
        os.kill(os.getpid(), signal.SIGSTOP)
"""


@pytest.mark.parametrize("where", SUSPENDED)
def test_a_suspended_run_does_not_publish_after_a_takeover(folder, run, where, monkeypatch):
    monkeypatch.setattr(module, "LASTS", 0.3)
    monkeypatch.setattr(module, "EVERY", 0.05)
    options = ("--work-dir", str(folder / "work"), "--if-exists", "resume")
    child = start(folder, SUSPENDED[where], options, STOP)
    os.waitid(os.P_PID, child.pid, os.WSTOPPED | os.WNOWAIT)
    assert far(folder)
    assert run(*options).code == 0
    out, home = ((folder / name).stat().st_ino for name in ("out", "out.private"))
    files = files_of(folder / "out"), files_of(folder / "out.private")
    child.send_signal(signal.SIGCONT)
    _, message = child.communicate()
    expected = (0, 0) if where == "after the renaming" else (2, 1)
    assert (child.returncode, len([line for line in message.splitlines() if "warning" not in line])) == expected, (
        message
    )
    assert ((folder / "out").stat().st_ino, (folder / "out.private").stat().st_ino) == (out, home)
    assert (files_of(folder / "out"), files_of(folder / "out.private")) == files
    assert left(folder) == ["out", "out.private"]


def test_another_job_does_not_resume_the_killed_job(folder, run):
    options = ("--work-dir", str(folder / "work"), "--if-exists", "resume")
    start(folder, KILLED["in the search"], options).communicate()
    before = sorted((folder / "work").iterdir())
    done = run(*options, k="3")
    assert (done.code, names(done.err, f"{folder / 'work'} k")) == (2, True)
    assert sorted((folder / "work").iterdir()) == before
    assert run(*options).code == 0
    refused = run(*options, k="3")
    assert (refused.code, names(refused.err, f"{folder / 'out'} k")) == (2, True)
    (folder / "precious").mkdir()
    (folder / "precious" / "file").touch()
    done = run("--work-dir", str(folder / "precious"), "--if-exists", "resume", out="other")
    assert (done.code, names(done.err, f"{folder / 'precious'} empty")) == (2, True)
    assert (folder / "precious" / "file").exists()


def test_a_work_directory_of_another_job_is_not_removed(folder, run):
    assert run("--if-exists", "resume").code == 0
    (folder / "work").mkdir()
    (folder / "work" / RUN).write_text("{}")
    take(folder / "work")
    mark_unused(folder / "work")
    assert run("--if-exists", "resume", "--work-dir", str(folder / "work")).code == 0
    assert (folder / "work" / LEASE).exists()
    (folder / "work" / RUN).unlink()
    assert run("--if-exists", "resume", "--work-dir", str(folder / "work")).code == 0
    assert not (folder / "work").exists()
