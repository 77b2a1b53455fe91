"""The next run lists the leftover files of a killed run. Only `anonset clean` removes them."""

import json
import os
import re
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.cli.place import Ran
from tests.facts import names
from tests.jobs.test_by_blocks import BASKETS

import anonset
from anonset.cli.main import main
from anonset.data.storage.lease import mark_unused, take
from anonset.errors import RAW_DATA_STAY

pytestmark = pytest.mark.long

_STOPPED = """
import sys, time
from dataclasses import replace
from anonset.cli.main import main
from anonset.jobs.runs.file_run import FileRun
from anonset.release.publishing import publish

def stop(*_args, **_kwargs):
    print("ready", flush=True)
    time.sleep(600)

chosen = FileRun.chosen.func
FileRun.chosen = property(lambda run: replace(chosen(run), by_blocks=True))
publish.verify_release = stop
main(sys.argv[1:])
"""
OF_ITEMS = ["--hierarchy", "items=balanced:2", "--model", "km", "--k", "2", "--m", "2", "--quiet"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with data and a private temporary folder."""
    (tmp_path / "v.dat").write_text(BASKETS)
    (tmp_path / "temporary").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    monkeypatch.setattr("tempfile.tempdir", None)
    return tmp_path


@pytest.fixture
def run(folder, capsys, monkeypatch):
    monkeypatch.chdir(folder)

    def run(*words):
        code = main([str(word) for word in words])
        captured = capsys.readouterr()
        return Ran(code, captured.out, captured.err)

    return run


@pytest.fixture
def job(run):
    def job(out, *more):
        return run("anonymize", "v.dat", "-o", out, *OF_ITEMS, *more)

    return job


def stopped(folder, *more):
    """Start a process that runs out of core and stops before it verifies."""
    words = ["anonymize", str(folder / "v.dat"), "-o", str(folder / "stopped"), *OF_ITEMS, *more]
    child = subprocess.Popen([sys.executable, "-c", _STOPPED, *words], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    return child


def killed(child):
    child.send_signal(signal.SIGKILL)
    assert child.wait() == -signal.SIGKILL
    child.stdout.close()


@pytest.mark.compiled
def test_leftovers_of_a_killed_run_are_listed_and_removed(folder, run, job):
    child = stopped(folder)
    (work,) = (folder / "temporary").iterdir()
    listed = run("clean", "--yes", "--json")
    (reported,) = json.loads(listed.out)["directories"]
    assert (reported["path"], reported["state"], reported["process"], reported["removed"]) == (
        str(work),
        "in use",
        child.pid,
        False,
    )
    assert names(run("clean").out, f"{work}")
    assert job("meanwhile").err == ""
    killed(child)
    assert any(work.iterdir())
    named = job("next")
    assert (named.code, names(named.err, f"warning {work} 'anonset clean --yes'")) == (0, True)
    listed = run("clean")
    assert names(listed.out, f"{work}")
    assert names(listed.out, "'anonset clean --yes'")
    assert work.exists()
    done = run("clean", "--yes", "--json")
    (reported,) = json.loads(done.out)["directories"]
    assert (done.code, reported["state"], reported["removed"], reported["bytes"] > 0) == (0, "left", True, True)
    assert not work.exists()
    assert job("last").err == ""
    assert names(run("clean").out, "no directory")


@pytest.mark.compiled
def test_a_named_work_directory_can_be_resumed_until_it_is_cleaned(folder, run, job):
    killed(stopped(folder, "--work-dir", str(folder / "work")))
    assert names(run("clean").out, "no directory")
    repeated = job("again", "--work-dir", "work")
    assert repeated.code == 2
    assert names(repeated.err, "'anonset clean work --yes'")
    assert "work: " in run("clean", ".").out
    assert names(run("clean", "work").out, "'anonset clean work --yes'")
    assert run("clean", "work", "--yes").code == 0
    assert not (folder / "work").exists()
    assert run("clean", "work").code == 2


@pytest.mark.compiled
def test_an_unfinished_publication_is_cleaned_at_its_path(folder, run, job):
    child = stopped(folder)
    (place,) = folder.glob(".stopped.*.tmp")
    assert f"{place.name}: " in run("clean", ".").out
    assert names(run("clean", ".", "--yes").out, place.name)
    killed(child)
    assert job("finished").code == 0
    home = folder / "stopped.private"
    assert [
        directory
        for directory in json.loads(run("clean", ".", "--json").out)["directories"]
        if directory["state"] == "left"
    ] == [
        {"path": remaining.name, "state": "left", "process": child.pid, "bytes": _size(remaining), "removed": False}
        for remaining in (place, home)
    ]
    for report in ("finished.private", "stopped.private"):  # if a report exists, the publication may be complete
        (folder / report / "report.json").touch()
        assert run("clean", report, "--yes").code == 0
        assert (folder / report).exists()
    (home / "report.json").unlink()
    assert run("clean", ".", "--yes").code == 0
    assert not place.exists()
    assert (folder / "finished" / "attestation.json").exists()
    assert not home.exists()


def _size(place):
    return sum(path.stat().st_size for path in place.rglob("*") if path.is_file())


@pytest.mark.compiled
def test_python_warns_of_leftovers_of_killed_runs(folder, run):
    killed(stopped(folder))
    (work,) = (folder / "temporary").iterdir()
    table = anonset.Table.from_sets([{"a"}, {"a"}])
    with pytest.warns(UserWarning, match=re.escape(str(work))):
        anonset.anonymize(table, anonset.Apriori(k=2, m=1), hierarchies={"items": "balanced:2"})
    run("clean", "--yes")
    anonset.anonymize(table, anonset.Apriori(k=2, m=1), hierarchies={"items": "balanced:2"})  # warnings are errors


def test_a_failed_run_warns_of_raw_data_in_its_work_directory(folder, run, job):
    failed = job("out", "--work-dir", "my work", "--max-loss", "0")
    first, last = failed.err.splitlines()
    assert failed.code == 1
    assert names(first, """'my work' '--if-exists resume' clean --yes""")
    assert last.startswith("anonset: error: ")
    assert names(run("clean", "my work").out, "'my work'")
    logged = job("out", "--work-dir", "other", "--max-loss", "0", "--log-format", "json").err.splitlines()
    assert any(json.loads(line).get("message", "").startswith(f"{RAW_DATA_STAY} 'other'") for line in logged)
    assert run("clean", ".", "--yes").code == 0
    assert sorted(path.name for path in folder.iterdir()) == ["temporary", "v.dat"]


def test_a_failed_run_without_work_directory_does_not_warn(job):
    assert len(job("out", "--max-loss", "0").err.splitlines()) == 1


SHARED = 0o1777


def shared_folder(path):
    path.mkdir()
    path.chmod(SHARED)
    (path / "f").write_text("hi")


@pytest.fixture
def published(folder, job):
    assert job("out").code == 0
    return folder


COMMANDS = {
    "anonymize": lambda work: ("anonymize", "v.dat", "-o", "new", *OF_ITEMS, "--work-dir", work),
    "verify": lambda work: ("verify", "out", "--work-dir", work),
    "risk": lambda work: ("risk", "out", "--work-dir", work),
    "evaluate": lambda work: ("evaluate", "v.dat", "out", "--work-dir", work),
}


def modes(folder):
    return {path: (path.lstat().st_mode, path.read_bytes() if path.is_file() else b"") for path in folder.rglob("*")}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("work", ["shared", "v.dat", "v.dat/inner"])
def test_a_rejected_work_directory_is_not_changed(published, run, command, work):
    shared_folder(published / "shared")
    before = modes(published)
    assert run(*COMMANDS[command](work)).code == 2
    assert modes(published) == before


@pytest.mark.parametrize("command", COMMANDS)
def test_a_shared_folder_is_rejected_and_not_changed(published, run, command, monkeypatch):
    inner = published / "temporary" / "inner"
    shared_folder(inner)
    monkeypatch.chdir(inner)
    words = [str(published / word) if word in ("v.dat", "out", "new") else word for word in COMMANDS[command](".")]
    before = modes(published)
    refused = run(*words)
    assert (refused.code, names(refused.err, "empty")) == (2, True)
    assert modes(published) == before
    assert stat.S_IMODE(inner.stat().st_mode) == SHARED


@pytest.mark.parametrize("command", COMMANDS)
def test_an_empty_work_directory_is_used_and_not_removed(published, run, command, monkeypatch):
    from anonset.data.storage.store import Files

    seen = []
    work = published / "empty"
    work.mkdir()
    work.chmod(SHARED)

    def remove(self):
        seen.append((self.path, stat.S_IMODE(self.path.stat().st_mode)))
        arguments(self)

    arguments = Files.remove
    monkeypatch.setattr(Files, "remove", remove)
    assert run(*COMMANDS[command]("empty")).code in (0, 1)
    assert (Path("empty/anonset-work"), 0o700) in seen
    assert (list(work.iterdir()), stat.S_IMODE(work.stat().st_mode)) == ([], SHARED)


def test_a_run_in_an_empty_directory_can_be_resumed(folder, run, job):
    (folder / "empty").mkdir()
    assert job("out", "--work-dir", "empty", "--max-loss", "0").code == 1
    assert [path.name for path in (folder / "empty").iterdir()] == ["anonset-work"]
    repeated = job("out", "--work-dir", "empty", "--if-exists", "resume", "--max-loss", "0")
    assert names(repeated.err, "'--if-exists resume'")
    assert names(job("out", "--work-dir", "empty").err, "empty")
    assert run("clean", "empty", "--yes").code == 0
    assert list((folder / "empty").iterdir()) == []


@pytest.mark.parametrize(
    ("work", "out", "how"),
    [
        ("new", "new", "is"),
        ("new/work", "new", "lies in"),
        ("work", "work/new", "holds"),
        ("work", "work/deep/../new", "holds"),
        ("new.private", "new", "is"),
        ("new.private/work", "new", "lies in"),
        ("link", "new", "is"),
        ("link/work", "new", "lies in"),
        ("empty", "empty/new", "holds"),
        (".", "new", "holds"),
    ],
)
def test_a_work_directory_must_be_outside_the_publication(folder, job, monkeypatch, work, out, how):
    (folder / "link").symlink_to("new")
    (folder / "empty").mkdir()
    before = modes(folder)
    monkeypatch.setattr(
        "anonset.reading.sources.source.require_file", lambda *_, **__: pytest.fail("the data are looked at")
    )
    refused = job(out, "--work-dir", work)
    assert (refused.code, f"--work-dir: {work!r} {how} " in refused.err) == (2, True)
    assert refused.err.count("\n") == 1
    assert modes(folder) == before


def test_a_work_directory_must_be_outside_any_private_directory(folder, job):
    assert names(job("out", "--private", "home", "--work-dir", "home/work").err, "--work-dir home/work home")
    assert "--work-dir: 'work' holds 'work/home'" in job("out", "--private", "work/home", "--work-dir", "work").err
    assert sorted(path.name for path in folder.iterdir()) == ["temporary", "v.dat"]


def test_a_work_directory_must_be_outside_the_data_folder(folder, run):
    (folder / "data").mkdir()
    table = pa.table({"items": pa.array([["a"], ["a", "b"]])})
    pq.write_table(table, folder / "data" / "part.parquet")
    words = ["data", "--items", "items", "-o", "out", *OF_ITEMS, "--work-dir", "data/work"]
    refused = run("anonymize", *words)
    assert (refused.code, names(refused.err, "--work-dir data/work data")) == (2, True)
    assert [path.name for path in (folder / "data").iterdir()] == ["part.parquet"]


@pytest.mark.parametrize("command", [name for name in COMMANDS if name != "anonymize"])
@pytest.mark.parametrize(
    ("work", "how"),
    [("out", "is"), ("out/work", "lies in"), (".", "holds"), ("out.private/work", "lies in"), ("link/work", "lies in")],
)
def test_a_work_directory_must_be_outside_all_inputs_of_a_command(published, run, command, work, how):
    (published / "link").symlink_to("out")
    before = modes(published)
    refused = run(*COMMANDS[command](work))
    assert (refused.code, f"--work-dir: {work!r} {how} " in refused.err) == (2, True)
    assert modes(published) == before


def test_a_table_in_files_is_not_published_among_them(folder):
    from anonset import Apriori, anonymize, scan
    from anonset.errors import InputError

    table = scan(folder / "v.dat", work_dir=folder / "work")
    with pytest.raises(InputError, match=r"work_dir: '.*work' holds '.*out'"):
        anonymize(table, Apriori(k=2, m=2), hierarchies={"items": "balanced:2"}, out=folder / "work" / "out")


def test_files_of_another_job_are_not_removed(folder, job, monkeypatch):
    words = ["out", "--work-dir", "work"]
    assert job(*words, "--max-loss", "0").code == 1
    home = folder / "out.private"
    home.mkdir()
    take(home)
    mark_unused(home)
    assert job(*words, "--if-exists", "resume", "--seed", "5").code == 2  # with other settings
    assert home.exists()
    assert job(*words, "--if-exists", "resume", "--max-loss", "0").code == 1
    assert not home.exists()


def test_publication_and_private_directory_must_be_different_folders(folder, job):
    (folder / "here").symlink_to(".")
    refused = job("out", "--private", "here/out")
    assert (refused.code, names(refused.err, "private out")) == (2, True)
    assert not os.path.lexists(folder / "out")
