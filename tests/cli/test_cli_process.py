"""The command line as a separate process: imports, signals, closed pipes."""

import json
import os
import re
import runpy
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.facts import names

from cli.place import Place

pytestmark = [pytest.mark.compiled, pytest.mark.long]

HEAVY = {"numba", "numpy", "pyarrow", "pydantic", "scipy", "highspy", "matplotlib", "distributed"}
ROOT = Path(__file__).resolve().parents[2]
RUN = "from anonset.cli.main import run; run()"


needs_full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")


def python(code: str, *arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)  # type: ignore[call-overload,no-any-return]


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], []])
def test_help_imports_no_heavy_packages(arguments: list[str]) -> None:
    code = (
        "import sys; from anonset.cli.main import main; import anonset; code = main(sys.argv[1:]); "
        f"print(sorted({HEAVY!r} & set(sys.modules)), file=sys.stderr); sys.exit(code)"
    )
    ran = python(code, *arguments)
    assert (ran.returncode, ran.stderr) == (0, "[]\n")
    assert ran.stdout


def test_warnings_of_libraries_show_no_paths() -> None:
    code = (
        "import warnings; from anonset.cli import app, main\n"
        "app.run_command = lambda _: warnings.warn('a\\nb', stacklevel=1) or 0; main.run()"
    )
    ran = python(code, env={**os.environ, "PYTHONWARNINGS": "always"})
    assert (ran.returncode, ran.stderr) == (0, "anonset: warning: UserWarning: a b\n")


def test_a_log_in_json_has_standard_error_for_itself() -> None:
    """Libraries, child processes and interpreter shutdown do not write between the log lines."""
    code = """
import asyncio, atexit, logging, os, subprocess, sys, threading, warnings
from anonset.cli import app, main

def noisy(_):
    logging.getLogger("distributed.client").error("one")
    sys.stderr.write("two\\n")
    os.write(2, b"three\\n")
    subprocess.run([sys.executable, "-c", "import sys; sys.stderr.write('four'); 1 / 0"])
    broken = threading.Thread(target=lambda: 1 / 0)
    broken.start()
    broken.join()
    warnings.warn("five", stacklevel=1)
    loop = asyncio.new_event_loop()
    loop.call_exception_handler({"message": "six"})
    loop.close()
    atexit.register(lambda: 1 / 0)
    return 0

app.run_command = noisy
main.run()
"""
    ran = python(code, "--log-format", "json")
    lines = [json.loads(line) for line in ran.stderr.splitlines()]
    assert [line["event"] for line in lines] == ["start", "message", "end"]
    assert (ran.returncode, lines[1]["level"], lines[2]["exit_code"]) == (0, "warning", 0)


def test_a_process_ends_without_finalizing_the_interpreter() -> None:
    """During finalization, threads of libraries can abort the process. Exit functions run, and output is complete."""
    code = (
        "import atexit\n"
        "class Last:\n"
        "    def __del__(self):\n"
        "        print('finalized')\n"
        "last = Last()\n"
        "atexit.register(print, 'exit function')\n"
    )
    ran = python(code + RUN, "--version")
    assert (ran.returncode, ran.stdout.splitlines()[1:], ran.stderr) == (0, ["exit function"], "")


def test_errors_have_an_exit_code_and_one_line(place: Place) -> None:
    ran = python(RUN, *place.job("--max-loss", "0.1"))
    assert ran.returncode == 1
    assert ran.stderr.startswith("anonset: error: exact: ")
    assert ran.stderr.count("\n") == 1
    assert place.nothing_left()


USUAL = (
    "import os, signal, sys\n"
    "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    "signal.signal(signal.SIGTERM, signal.SIG_DFL), signal.signal(signal.SIGHUP, signal.SIG_DFL)\n"
)
"""Default signal handlers: tests may run under nohup."""
ENDS = [
    (signal.SIGINT, 130, "interrupted"),
    (signal.SIGTERM, 143, "terminated"),
    (signal.SIGHUP, 129, "terminated"),
]


@pytest.mark.parametrize(("number", "code", "said"), ENDS)
def test_signals_leave_no_files(place: Place, number: signal.Signals, code: int, said: str) -> None:
    """The process sends itself a signal in the middle of writing, and more signals during the clean-up."""
    trap = (
        "import shutil, anonset.writing.codebook as p\n"
        "remove = shutil.rmtree\n"
        "def strike(*_, **__):\n"
        f"    signal.raise_signal({int(number)})\n"
        "def struck(*a, **o):\n"
        "    strike(), remove(*a, **o), strike()\n"
        "p.write_codebook, shutil.rmtree = strike, struck\n"
    )
    ran = python(USUAL + trap + RUN, *place.job("--quiet"))
    assert (ran.returncode, ran.stderr.count("\n"), names(ran.stderr, f"error {said}")) == (code, 1, True)
    assert place.nothing_left()


STUCK = """
import ctypes, importlib
from anonset.data.storage.store import Files
module = importlib.import_module({module!r})
def stuck(*_, **__):
    mutex, libc = ctypes.create_string_buffer(256), ctypes.CDLL(None)
    libc.pthread_mutex_lock(mutex)
    with Files.temporary() as kept:  # which goes, too, if the signal comes before the next call
        print("stuck", kept.path, flush=True)
        libc.pthread_mutex_lock(mutex)  # for ever; no signal ends it, and other threads run
module.{name} = stuck
"""


@pytest.mark.parametrize(("number", "code", "said"), ENDS)
@pytest.mark.parametrize("where", ["anonset.writing.codebook.write_codebook", "anonset.jobs.runs.file_run._gathered"])
def test_signals_end_a_process_that_is_in_compiled_code(
    place: Place, where: str, number: signal.Signals, code: int, said: str
) -> None:
    """A signal that arrives while the main thread runs compiled code still stops the process, without
    leftover files.
    """
    module, name = where.rsplit(".", 1)
    command = [sys.executable, "-c", USUAL + STUCK.format(module=module, name=name) + RUN, *place.job("--quiet")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        word, _, work = process.stdout.readline().strip().partition(" ")
        assert (word, Path(work).is_dir()) == ("stuck", True)
        start = time.monotonic()
        process.send_signal(number)
        try:
            assert process.wait(60) == code
        finally:
            process.kill()
        assert time.monotonic() - start < 30  # two seconds on an idle machine
        assert names(process.stderr.read(), f"error {said}")
    assert place.nothing_left()
    assert not Path(work).exists(), list(Path(work).iterdir())


@pytest.mark.parametrize(
    ("where", "stays"),
    [("anonset.writing.codebook.write_codebook", True), ("anonset.jobs.runs.file_run._gathered", False)],
)
def test_a_process_that_ends_in_compiled_code_names_the_work_directory(place: Place, where: str, stays: bool) -> None:
    """The work directory of the user remains if the data are read, so that the next run can continue from it."""
    module, name = where.rsplit(".", 1)
    job = place.job("--quiet", "--work-dir", str(place.folder / "work"))
    command = [sys.executable, "-c", USUAL + STUCK.format(module=module, name=name) + RUN, *job]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith(b"stuck ")
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert (place.folder / "work").exists() == stays
    assert names(said.decode(), "if-exists resume anonset clean") == stays
    assert names(said.decode(), "error interrupted")
    if stays:
        ran = python(RUN, *job, "--if-exists", "resume")
        assert (ran.returncode, place.out.exists()) == (0, True)


@pytest.mark.parametrize(
    ("where", "number"),
    [
        *(("anonset.jobs.runs.run.publish", number) for number, _, _ in ENDS),
        ("anonset.report.account.account", signal.SIGTERM),
        ("atexit._run_exitfuncs", signal.SIGINT),
    ],
)
def test_signals_after_publication_keep_the_result(place: Place, number: signal.Signals, where: str) -> None:
    """The process sends itself a signal when both directories exist, or later."""
    module, name = where.rsplit(".", 1)
    trap = (
        "import importlib, anonset.cli.main\n"
        f"made = importlib.import_module({module!r}); work = made.{name}\n"
        "def struck(*a, **o):\n"
        "    try:\n"
        "        return work(*a, **o)\n"
        "    finally:\n"
        f"        signal.raise_signal({int(number)})\n"
        f"made.{name} = struck\n"
    )
    ran = python(USUAL + trap + RUN, *place.job())
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ["published", "in", str(place.out)] in [line.split() for line in ran.stdout.splitlines()]
    assert (place.private / "report.json").is_file()


@pytest.mark.parametrize("module", ["anonset.cli.options", "pydantic", "numpy", "anonset_kernels"])
def test_an_interruption_during_imports_prints_one_line(place: Place, module: str) -> None:
    """An imported module may turn the interruption into another error."""
    trap = (
        "class Finder:\n"
        "    def find_spec(name, *_):\n"
        f"        if name == {module!r}:\n"
        "            try:\n"
        "                signal.raise_signal(signal.SIGINT)\n"
        "            except KeyboardInterrupt:\n"
        "                raise SystemError('initialization failed') from None\n"
        "sys.meta_path.insert(0, Finder)\n"
    )
    ran = python(USUAL + trap + RUN, *place.job("--quiet"))
    assert (ran.returncode, ran.stderr.count("\n"), names(ran.stderr, "error interrupted")) == (130, 1, True)
    assert place.nothing_left()


@pytest.mark.parametrize(("closed", "more"), [((1,), ()), ((2,), ()), ((0, 1, 2), ()), ((0, 1, 2), ("--quiet",))])
def test_closed_streams_do_not_change_the_result(place: Place, closed: tuple[int, ...], more: tuple[str, ...]) -> None:
    """Files that are opened in place of the closed streams receive none of their output."""
    begin = "os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
    shut = f"import os, sys; [os.close(number) for number in {closed}]; {begin}"
    ran = python(shut, "-c", RUN, *place.job(*more))
    assert ran.returncode == 0
    assert ran.stderr == ""
    assert place.run("verify", str(place.out)).code == 0


@needs_full
def test_a_closed_terminal_does_not_prevent_the_clean_up(place: Place) -> None:
    trap = (
        "import io, anonset.writing.codebook as p\n"
        "def strike(*_, **__):\n"
        "    os.dup2(os.open('/dev/full', os.O_WRONLY), 2)\n"
        "    signal.raise_signal(signal.SIGHUP)\n"
        "p.write_codebook = strike\n"
    )
    ran = python(USUAL + trap + RUN, *place.job())
    assert (ran.returncode, ran.stderr) == (129, "")
    assert place.nothing_left()


def test_an_internal_error_has_another_exit_code_than_a_failed_model(place: Place) -> None:
    trap = "import anonset.release.publishing.publish as p; p.verify_release = None; "
    ran = python(trap + RUN, *place.job())
    assert ran.returncode == 70
    assert "TypeError" in ran.stderr
    assert place.nothing_left()


def test_a_killed_process_publishes_no_files(place: Place) -> None:
    die = "def die(*_, **__):\n    os.kill(os.getpid(), 9)\n"
    trap = f"import os, anonset.release.publishing.publish as p\n{die}p.verify_release = die\n"
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


@needs_full
def test_account_that_cannot_be_written_does_not_undo_the_publication(place: Place) -> None:
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-c", RUN, *place.job()]
        ran = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert ran.returncode == 0
    assert names(ran.stderr, "publication complete")
    assert (place.private / "report.json").is_file()


def test_an_unwritable_kernel_cache_is_reported_once(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file, where a folder would be made")
    code = "from anonset_kernels._compiling import COMPILATION as c; from anonset.cli.progress import progress_bars\n"
    code += "with progress_bars(quiet=False) as p:\n  for _ in range(2): c.begin(); c.end()\nprint(p)"
    ran = python(code, env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")})
    assert (ran.stdout, ran.stderr.count("NUMBA_CACHE_DIR")) == ("None\n", 1)


def test_commands_without_optional_packages_work_as_documented(tmp_path: Path) -> None:
    """Each command succeeds, or prints a one-line error and writes no files."""
    footprint = SimpleNamespace(**runpy.run_path(str(ROOT / "docs" / "building" / "footprint.py")))
    page, place = (ROOT / "docs" / "install.md").read_text("utf-8"), tmp_path / "small"
    without = footprint.LEFT_OUT[-1]
    result = footprint.refused(sys.executable, without, place)
    assert re.search(rf"\| {', '.join(without)} \| \d+ \| {', '.join(result)} \|", page)
    published = {path.name.removesuffix(".private") for path in place.iterdir()}
    assert published == {"baskets.dat", "made", "of-apriori", "in-chunks"}
    ended = footprint.ended_without(sys.executable, ["highspy"], [footprint.COMMANDS["`--algorithm exact`"]], place)
    ((code, message),) = ended
    assert (code, message.count("\n"), names(message, "error highspy 'pip install highspy'")) == (2, 1, True)


def test_a_missing_module_of_the_engine_is_a_defect() -> None:
    ran = python("import sys; sys.modules['anonset.jobs.proposals.inspect'] = None; " + RUN, "inspect", "no.csv")
    assert (ran.returncode, "is not installed" in ran.stderr) == (70, False)
