"""If the scheduler or the command is killed in any phase, the same command continues and publishes the same bytes."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from textwrap import dedent
from typing import Any, NamedTuple

import dask
import numpy as np
import pytest
from tests.jobs.programs import Programs, free_port
from tests.jobs.test_by_blocks import files_of
from tests.object_store import object_store

from anonset.cli.main import exit_code, main
from anonset.errors import AnonsetError
from anonset.jobs.anonymize_file import anonymize_file
from anonset.settings.edits import make_settings

pytestmark = [pytest.mark.long, pytest.mark.compiled]
PHASES = ("read", "search", "apply", "write", "read back", "verify", "complete")

AFTER_FIRST_TASK = """
    import os, signal, sys
    from anonset.cli import main
    from anonset.data.storage import cluster
    from anonset.data.storage.cluster import ClusterWorkers
    from anonset.generalization import row_order
    from anonset.reading.sources.place import Place
    from anonset.release.stopwatch import Stopwatch
    phase, begin, copy = Stopwatch.phase, ClusterWorkers.begin, Place.copy
    current = []
    row_order.AT_ONCE = 100  # fewer rows are sorted without a task

    def named(self, name):
        current[:] = [name]
        return phase(self, name)

    def begun(self, work, task, ended):
        pending = begin(self, work, task, ended)
        if current == [os.environ["KILLED_IN"]]:
            os.kill(os.getpid(), signal.SIGKILL)
        return pending

    def copied(self, name, to):
        copy(self, name, to)
        if os.environ["KILLED_IN"] == "upload":
            os.kill(os.getpid(), signal.SIGKILL)

    if os.environ["KILLED_IN"] == "lease":
        cluster.ClusterWorkers = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
    Stopwatch.phase, ClusterWorkers.begin, Place.copy = named, begun, copied
    main.run()
"""


class Work(NamedTuple):
    """Work directory and output of a run."""

    name: str
    remains: Callable[[], bool]
    """Return True if files other than the publication remain."""
    out: str
    published: Callable[[], dict[str, bytes]]
    """Return the files of the publication."""

    @property
    def is_directory(self) -> bool:
        """True on a shared file system."""
        return "://" not in self.name


@contextmanager
def with_worker(folder: Path, port: int) -> Iterator[Programs]:
    """Run a scheduler at a port and a worker."""
    with Programs(folder, port) as programs:
        programs.complete(1)
        yield programs


@pytest.fixture
def job(tmp_path: Path) -> dict[str, Any]:
    """Return the settings of a run that has tasks in each phase."""
    rng = np.random.default_rng(5)
    rows = [" ".join(f"{i:02}" for i in np.unique(rng.geometric(0.1, 5) % 60)) for _ in range(3_000)]
    (tmp_path / "v.dat").write_text("\n".join(rows) + "\n")
    fixed = {"model": "km", "algorithm": "apriori", "k": 3, "m": 2, "hierarchy": {"items": "balanced:4"}}
    return {"input": str(tmp_path / "v.dat"), "format": "parquet", "part_rows": 700, **fixed}


def expected_files(job: dict[str, Any], tmp_path: Path) -> dict[str, bytes]:
    """Return the files of the run on threads."""
    anonymize_file(make_settings({**job, "out": str(tmp_path / "near"), "work_dir": str(tmp_path / "near.work")}))
    return files_of(tmp_path / "near")


def on_cluster(job: dict[str, Any], work: Work, port: int) -> dict[str, Any]:
    places = {"out": work.out, "work_dir": work.name, "cluster": f"tcp://127.0.0.1:{port}"}
    return {**job, **places, "if_exists": "resume"}


@pytest.fixture(params=["directory", "address"])
def work(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Work]:
    """Yield a work directory and an output on a shared file system, or in an object store."""
    if request.param == "directory":
        out = tmp_path / "far"
        yield Work(str(tmp_path / "work"), (tmp_path / "work").exists, str(out), lambda: files_of(out))
        return
    with object_store(monkeypatch) as store:

        def remains() -> bool:
            names = (name for name in store.objects if not name.endswith("/"))
            return not all(name.startswith(("bucket/far/", "bucket/far.private/")) for name in names)

        yield Work("s3://bucket/work", remains, "s3://bucket/far", lambda: store.below("bucket/far"))


def test_a_scheduler_that_is_killed_in_any_phase_is_reported_in_one_line(
    tmp_path: Path, job: dict[str, Any], work: Work
) -> None:
    expected, port = expected_files(job, tmp_path), free_port()
    settings = make_settings(on_cluster(job, work, port))
    with dask.config.set({"distributed.comm.timeouts.connect": "1s"}):
        for phase in PHASES:
            with with_worker(tmp_path / "dask", port) as programs:

                def kill(stage: str, _done: float, _total: float, phase: str = phase, ran: Any = programs) -> None:
                    if stage == phase:
                        ran.scheduler.kill()

                with pytest.raises(AnonsetError) as lost:
                    anonymize_file(settings, progress=kill)
            assert (exit_code(lost.value), "scheduler" in str(lost.value)) == (2, True), (phase, lost.value)
            assert "\n" not in str(lost.value)
            assert not work.published()
            assert work.remains() == (phase != "read")
        with with_worker(tmp_path / "dask", port):
            anonymize_file(settings)
    assert work.published() == expected
    assert not work.remains()


def command_of(job: dict[str, Any], work: Work, port: int) -> list[str]:
    settings = on_cluster(job, work, port)
    del settings["hierarchy"]
    options = [f"--{name.replace('_', '-')}={value}" for name, value in settings.items() if name != "input"]
    return ["anonymize", job["input"], "--hierarchy", "items=balanced:4", "--quiet", *options]


def kill_in(phase: str, arguments: list[str], work: Work) -> None:
    """Run the command until it is killed in a phase."""
    ended = subprocess.run(
        [sys.executable, "-c", dedent(AFTER_FIRST_TASK), *arguments],
        env={**os.environ, "KILLED_IN": phase}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert ended.returncode == -signal.SIGKILL, (phase, ended.stderr)
    assert work.remains()


@pytest.mark.parametrize("work", ["address"], indirect=True)
def test_copies_of_all_killed_runs_are_deleted_from_the_workers(
    tmp_path: Path, job: dict[str, Any], work: Work
) -> None:
    port = free_port()
    arguments = command_of(job, work, port)
    with with_worker(tmp_path / "dask", port):
        for phase in ("search", "lease", "lease"):
            kill_in(phase, arguments, work)
            assert any((tmp_path / "dask").rglob("anonset-*"))
        assert main(arguments) == 0
        assert not any((tmp_path / "dask").rglob("anonset-*"))
    assert not work.remains()


def test_a_command_that_is_killed_in_any_phase_is_resumed(
    tmp_path: Path, job: dict[str, Any], work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected, port = expected_files(job, tmp_path), free_port()
    arguments = command_of(job, work, port)
    with with_worker(tmp_path / "dask", port):
        for phase in PHASES if work.is_directory else (*PHASES, "upload"):
            kill_in(phase, arguments, work)
        monkeypatch.setattr("anonset.jobs.runs.file_run.gather_files", lambda *_: pytest.fail("read again"))
        monkeypatch.setattr("anonset.jobs.runs.run.Run._found", lambda *_: pytest.fail("searched again"))
        monkeypatch.setattr(sys.modules["anonset.generalization.apply"], "sort_rows", lambda *_: pytest.fail("sorted"))
        monkeypatch.setattr("anonset.writing.publications.records._write_part", lambda *_: pytest.fail("written"))
        assert main(arguments) == 0
        assert not [*(tmp_path / "dask").rglob("anonset-*")]
    assert work.published() == expected
    assert not work.remains()
