"""The command line as a process of its own: imports, signals, closed pipes."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from cli.place import Place

HEAVY = {"numpy", "pyarrow", "pydantic", "numba", "scipy", "rich.progress", "anonset_kernels", "anonset.runner.job"}
RUN = "from anonset.cli.main import run; run()"


def python(code: str, *arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)  # type: ignore[call-overload,no-any-return]


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], []])
def test_help_imports_nothing_heavy(arguments: list[str]) -> None:
    code = (
        "import sys; from anonset.cli.main import main; import anonset; code = main(sys.argv[1:]); "
        f"print(sorted({HEAVY!r} & set(sys.modules)), file=sys.stderr); sys.exit(code)"
    )
    ran = python(code, *arguments)
    assert (ran.returncode, ran.stderr) == (0, "[]\n")
    assert ran.stdout


def test_exit_code_and_one_line(place: Place) -> None:
    ran = python(RUN, *place.job("--max-loss", "0.1"))
    assert ran.returncode == 1
    assert ran.stderr.startswith("anonset: error: apriori: ")
    assert ran.stderr.count("\n") == 1
    assert place.nothing_left()


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_signals_leave_nothing(place: Place, number: signal.Signals, code: int) -> None:
    """The process sends itself a signal in the middle of writing."""
    trap = (
        "import os, anonset.io.publish as p\n"
        "def stop(*_, **__):\n"
        f"    os.kill(os.getpid(), {int(number)})\n"
        "    __import__('time').sleep(60)\n"
        "p.write_codebook = stop\n"
    )
    ran = python(trap + RUN, *place.job())
    assert ran.returncode == code
    assert "Traceback" not in ran.stderr
    assert place.nothing_left()


def test_a_defect_is_no_failed_model(place: Place) -> None:
    trap = "import anonset.runner.publish as p; p.checked = None; "
    ran = python(trap + RUN, *place.job())
    assert ran.returncode == 70
    assert "TypeError" in ran.stderr
    assert place.nothing_left()


def test_killed_process_publishes_nothing(place: Place) -> None:
    trap = "import os, anonset.runner.publish as p\ndef die(*_, **__):\n    os.kill(os.getpid(), 9)\np.checked = die\n"
    ran = python(trap + RUN, *place.job())
    assert ran.returncode == -9
    assert not place.out.exists()


@pytest.mark.parametrize(("k", "code"), [("2", 0), ("3", 1)])
def test_closed_pipe_changes_no_exit_code(place: Place, k: str, code: int) -> None:
    published = place.write("else.dat", "x y\nx y\n")
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-c", RUN, "verify", published, "--model", "km", "--k", k, "--m", "1"]
    ran = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writer)
    assert (ran.returncode, ran.stderr) == (code, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_account_that_cannot_be_written_does_not_undo_the_publication(place: Place) -> None:
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-c", RUN, *place.job()]
        ran = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert ran.returncode == 0
    assert "the publication is complete" in ran.stderr
    assert (place.private / "report.json").is_file()
