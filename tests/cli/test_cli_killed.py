"""The next run lists leftovers of a killed run and how to remove them. The files keep their owner."""

import json
import os
import shlex
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from tests.facts import names, refused

from anonset.data.storage.lease import LEASE
from anonset.data.storage.store import MEMORY
from anonset.errors import InputError
from anonset.release.publishing.staging import Directories
from cli.place import Place

pytestmark = pytest.mark.long

EVERY_LINE = """
    import json, os, shutil, signal, sys
    from pathlib import Path
    import pyarrow  # here, and not in every process anew
    from anonset.data.storage.store import MEMORY
    from anonset.release.publishing import staging

    folder = Path(sys.argv[1])
    LOOKING = ("require_free", "require_new", "leftovers", "_stem")  # they leave everything as it is

    def killed_at(number):
        left = number

        def trace(frame, event, _):
            nonlocal left
            code = frame.f_code
            if code.co_filename != staging.__file__ or code.co_name.startswith("_clean") or code.co_name in LOOKING:
                return None
            if event == "line":
                left -= 1
                if left < 0:
                    os.kill(os.getpid(), signal.SIGKILL)
            return trace

        sys.settrace(trace)
        with staging.Directories(folder / "out", folder / "out.private").stage(MEMORY) as made:
            (made.folder / "data").write_text("x")
            (made.private / "records.csv").write_text("y")
            made.seal()
            made.rename()
            (made.private / "report.json").write_text("z")
            made.finish()
        os._exit(0)

    for number in range(10_000):
        child = os.fork()
        if not child:
            killed_at(number)
        _, status = os.waitpid(child, 0)
        left = sorted(path.name for path in folder.iterdir())
        try:
            staging.Directories(folder / "out", folder / "out.private").require_free()
            said = ""
        except Exception as error:
            said = str(error)
        print(json.dumps([status, left, said]), flush=True)
        if not status:
            break
        for path in folder.iterdir():
            shutil.rmtree(path)
"""
"""Publish repeatedly, each time in a process that is killed one line later, until a run succeeds."""


@pytest.mark.compiled
def test_a_kill_at_any_line_is_named_by_the_next_run(tmp_path: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(EVERY_LINE), str(tmp_path)], capture_output=True, text=True, check=True
    )
    result = [json.loads(line) for line in ran.stdout.splitlines()]
    assert result[-1][0] == 0
    assert {status for status, *_ in result[:-1]} == {signal.SIGKILL}
    states = {(*(name if name.startswith("out") else ".tmp" for name in remaining),) for _, remaining, _ in result}
    everything = (".tmp", "out", "out.private")
    assert {(), ("out.private",), (".tmp", "out.private"), everything, ("out", "out.private")} == states
    for _, left, message in result[:-1]:
        if not left:
            assert message == ""
            continue
        assert str(tmp_path / "out.private") in message or "out" in left
        temporary = [name for name in left if name.startswith(".")]
        assert all(str(tmp_path / name) in message for name in temporary)
        if "rm -r -- " in message:
            cleared = shlex.split(message.partition("rm -r -- ")[2].partition(", or")[0])
            allowed = {str(tmp_path / name) for name in left}
            if "out" in left:
                allowed = allowed - {str(tmp_path / "out.private")} | {str(tmp_path / "out.private" / LEASE)}
            assert set(cleared) <= allowed


@pytest.fixture
def killed(place: Place) -> Place:
    """Return a place with a job that was killed while it verified."""
    trap = textwrap.dedent(
        """
        import time, anonset.release.publishing.publish as module
        module.verify_release = lambda *_, **__: (print("verifying", flush=True), time.sleep(600))
        from anonset.cli.main import run
        run()
        """
    )
    command = [sys.executable, "-c", trap, *place.job("--quiet")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "verifying\n"
        ran = place.run(*place.job())
        assert (ran.code, names(ran.err, f"run {place.out}")) == (2, True), ran.err
        process.kill()
        assert process.wait() == -signal.SIGKILL
    return place


def test_a_killed_run_leaves_a_temporary_directory_that_the_next_run_names(killed: Place) -> None:
    (temporary,) = (path for path in killed.folder.iterdir() if path.name.startswith(".out."))
    assert (temporary / "publication" / "published.dat").is_file()
    ran = killed.run(*killed.job())
    assert ran.code == 2
    assert names(ran.err, f"{killed.out} killed '--if-exists resume'")
    assert ran.err.count("\n") == 1
    assert temporary.is_dir()
    assert killed.private.is_dir()
    assert killed.run(*killed.job("--if-exists", "resume")).code == 0
    assert not temporary.exists()
    assert killed.run("verify", str(killed.out)).code == 0


def test_a_killed_job_with_another_output_does_not_block_a_run(killed: Place) -> None:
    other = [part.replace(str(killed.out), str(killed.folder / "outer")) for part in killed.job()]
    assert killed.run(*other).code == 0


def test_a_private_directory_without_its_publication_is_reported(place: Place) -> None:
    assert place.run(*place.job()).code == 0
    place.out.rename(place.folder / "handed-on")
    ran = place.run(*place.job())
    assert (ran.code, names(ran.err, f"{place.private} {place.out}")) == (2, True)
    assert {path.name for path in place.private.iterdir()} == {
        "hierarchy.csv",
        "mapping.csv",
        "records.csv",
        "report.json",
    }


def test_a_running_job_is_distinguished_from_a_killed_job(tmp_path: Path) -> None:
    out, private = tmp_path / "out", tmp_path / "private"
    with Directories(out, private).stage(MEMORY) as staging:
        assert all(Directories(out, private).leftovers().values())
        assert len(Directories(out, private).leftovers()) == 2
        with refused(InputError, f"{out}", code="in-use"):
            Directories(out, private).require_free()
        with refused(InputError, f"{out}", code="in-use"), Directories(out, tmp_path / "elsewhere").stage(MEMORY):
            pass
        staging.rename()
        assert (private / LEASE).exists()
        staging.finish()
    assert Directories(out, private).leftovers() == {}
    assert list(private.iterdir()) == []


def test_long_names_are_distinguished(tmp_path: Path) -> None:
    first, other = tmp_path / ("x" * 100 + "1"), tmp_path / ("\N{GRINNING FACE}" * 50)
    for out in (first, other):
        with Directories(out, tmp_path / f"private-{len(out.name)}").stage(MEMORY):
            assert len(Directories(out, tmp_path / "none").leftovers()) == 1
            assert Directories(tmp_path / ("x" * 100 + "2"), tmp_path / "none").leftovers() == {}


@pytest.mark.parametrize("umask", [0o000, 0o077, 0o277])
def test_private_files_are_readable_only_by_their_owner(place: Place, umask: int) -> None:
    policy = place.write("policy.txt", "a1 b1\n")
    job = ["anonymize", str(place.folder / "data.dat"), "-o", str(place.out), "--model", "constraints", "--k", "2"]
    before = os.umask(umask)
    try:
        assert place.run(*job, "--privacy-constraints", policy).code == 0
    finally:
        os.umask(before)
    names = {"mapping.csv", "records.csv", "report.json", "privacy_constraints.txt"}
    assert {path.name: path.stat().st_mode & 0o777 for path in place.private.iterdir()} == dict.fromkeys(names, 0o600)
    assert place.private.stat().st_mode & 0o777 == 0o700


def test_private_files_are_never_readable_by_others_while_written(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        with Directories(tmp_path / "out", tmp_path / "private").stage(MEMORY) as staging:
            assert staging.private.stat().st_mode & 0o777 == 0o700
            assert (staging.private / LEASE).stat().st_mode & 0o777 == 0o600
            assert staging.folder.parent.stat().st_mode & 0o777 == 0o700
    finally:
        os.umask(before)
