"""Settings of all tests: hypothesis without deadlines (the first call of a kernel compiles), real data if available."""

import atexit
import gc
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import settings

from effort import examples

settings.register_profile("anonset", deadline=None, max_examples=examples(100), derandomize="CI" in os.environ)
settings.load_profile("anonset")


def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile all kernels, unless `anonset warmup` has. Each worker begins elsewhere in the list of files, so that the
    workers share the work through the cache.
    """
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if worker is None or os.environ.get("NUMBA_DISABLE_JIT") == "1":
        return
    from anonset.jobs.annotated_kernels import all_files, compile_file
    from anonset.jobs.warmup import is_warm

    if is_warm():
        return
    names = all_files()
    begin = int(worker.removeprefix("gw")) * len(names) // int(os.environ["PYTEST_XDIST_WORKER_COUNT"])
    for name in names[begin:] + names[:begin]:
        compile_file(name)


@pytest.fixture(scope="session", autouse=True)
def kernels_are_compiled() -> Iterator[None]:
    """Reserve no memory for compilation in this process: the first tests compile all kernels."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("anonset.jobs.warmup.is_warm", lambda: True)
        yield


@pytest.fixture(scope="session", autouse=True)
def temporary_files_of_our_own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Use a private temporary directory: leftovers of other processes would change the output of commands."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TMPDIR", str(tmp_path_factory.mktemp("temporary")))
        patch.setattr("tempfile.tempdir", None)
        yield


@pytest.fixture(scope="session", autouse=True)
def files_are_not_flushed_to_disk() -> Iterator[None]:
    """Flush no file to the disk: only a power failure shows the difference, and commands wait for each flush."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("os.fsync", os.fstat)
        yield


@pytest.fixture
def work(tmp_path: Path) -> Iterator[object]:
    """Give a store in files, deleted after the test."""
    from anonset.data.storage.store import Files

    with Files.temporary(tmp_path) as store:
        yield store


@pytest.fixture
def on_disk() -> Iterator[Path]:
    """Return a folder of the checkout: /tmp may be in memory, which distorts memory measurements."""
    build = Path(__file__).parents[1] / "build"
    build.mkdir(exist_ok=True)
    with TemporaryDirectory(prefix="tests-", dir=build) as folder:
        yield Path(folder)


@pytest.fixture(scope="session")
def directories_of_this_process() -> set[str]:
    """Return a set for the names of work directories that this process uses."""
    return set()


@pytest.fixture(autouse=True)
def temporary_files_of_killed_runs(directories_of_this_process: set[str]) -> Iterator[None]:
    """Remove leftovers of a killed run, which commands in the next test would report."""
    yield
    from anonset.data.storage.store import PREFIX
    from anonset.jobs.runs.leftovers import remove_left, work_directories

    found = {path.name for path in Path(gettempdir()).glob(f"{PREFIX}*")}
    if found <= directories_of_this_process:
        return
    for leftover in work_directories():
        if leftover.state == "left":
            remove_left(leftover)
        elif leftover.process == os.getpid():
            directories_of_this_process.add(leftover.path.name)


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Use the argument name as the id of a bytes value: a packed file contains its time, and all workers need equal
    ids.
    """
    return argname if isinstance(val, bytes) else None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Collect no garbage among tests and modules, which all remain: neither now nor in tests."""
    gc.disable()
    collected = yield
    gc.enable()
    gc.freeze()
    atexit.register(gc.unfreeze)  # some packages report objects that remain at exit
    return collected


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Iterator[None]:
    """Search a file of tests for examples only if it contains a prompt: the search imports helpers a second time."""
    collectors = yield
    if file_path.suffix != ".py" or ">>> " in file_path.read_text("utf-8"):
        return collectors
    return [each for each in collectors if not isinstance(each, DoctestModule)]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip tests of real data if ANONSET_DATA is not set."""
    if not os.environ.get("ANONSET_DATA"):
        for item in items:
            if item.get_closest_marker("data"):
                item.add_marker(pytest.mark.skip(reason="ANONSET_DATA is not set: real data do not ship"))


@pytest.fixture(scope="session", autouse=True)
def kernels_are_called_as_they_are_annotated() -> Iterator[None]:
    """Compare the types that Numba compiled in this process with the kernels' signatures."""
    yield
    if any(name.startswith("anonset_kernels.") for name in sys.modules):
        from kernels.signatures import mismatches

        assert mismatches()[1] == [], "call kernels with the types of their signatures"
