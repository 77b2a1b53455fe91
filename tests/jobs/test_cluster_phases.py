"""Workers that are killed or stopped in every phase of a run do not change the published bytes. Others are named."""

import os
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet
from tests.jobs.programs import Programs
from tests.jobs.test_by_blocks import files_of

import anonset
from anonset.cli.main import exit_code
from anonset.data.storage.scheduler import cluster_of
from anonset.errors import InputError
from anonset.jobs.anonymize_file import anonymize_file
from anonset.jobs.runs.file_run import FileRun
from anonset.settings.edits import make_settings

pytestmark = [pytest.mark.long, pytest.mark.compiled]
RECORDS, ITEMS = 3_000, 60
PHASES = ("search", "apply", "write", "read back", "verify")
SECONDS_STOPPED = 3
DISK_KIB = (24, 96, 144, 168)
"""Sizes of disks that are full when reading, sorting, writing and verifying."""


@pytest.fixture(scope="module")
def client() -> Iterator[Any]:
    with cluster_of("local:2") as client:
        yield client


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("data") / "baskets"
    folder.mkdir()
    rng = np.random.default_rng(5)
    for part in range(3):
        rows = [[f"{i:02}" for i in np.unique(rng.geometric(0.1, 5) % ITEMS)] for _ in range(RECORDS // 3)]
        parquet.write_table(pa.table({"items": rows}), folder / f"{part}.parquet")
    return folder


def _run(source: Path, out: Path, *, progress: Any = None, **more: Any) -> dict[str, bytes]:
    fixed = {"model": "km", "algorithm": "apriori", "k": 3, "m": 2, "hierarchy": {"items": "balanced:4"}}
    fixed |= {"items": ["items"], "unit": "row", "part_rows": 700, "work_dir": str(out.with_suffix(".work"))}
    settings = make_settings({"input": str(source), "out": str(out), **fixed, **more})
    anonymize_file(settings, progress=progress)
    return files_of(out)


def use(client: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let jobs run on the workers of a client."""

    @contextmanager
    def connected(*_: Any) -> Iterator[Any]:
        client.wait_for_workers(2, timeout=120)
        yield client

    monkeypatch.setattr("anonset.data.storage.scheduler.cluster_of", connected)


@pytest.mark.parametrize("killed", [1, 2])
def test_killed_workers_change_no_byte(source: Path, tmp_path: Path, killed: int) -> None:
    def kill(stage: str, _done: float, _total: float) -> None:
        if stage in PHASES and stage not in stages:
            stages.append(stage)
            programs.wait(2)
            for process in programs.workers[-2:][:killed]:
                process.kill()
                process.wait()
                programs.worker()

    stages = list[str]()
    expected = _run(source, tmp_path / "near")
    with Programs(tmp_path / "dask") as programs:
        programs.complete(2)
        found = _run(source, tmp_path / "far", progress=kill, cluster=programs.address)
    assert found == expected
    assert stages == [*PHASES]
    assert len(expected) > 4


def test_a_worker_that_stops_for_a_while_changes_no_byte(
    client: Any, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(stage: str, _done: float, _total: float) -> None:
        if stage in PHASES and stage not in stages:
            stages.append(stage)
            process = min(client.run(os.getpid).values())
            os.kill(process, signal.SIGSTOP)
            timers.append(threading.Timer(SECONDS_STOPPED, os.kill, (process, signal.SIGCONT)))
            timers[-1].start()

    stages, timers = list[str](), list[threading.Timer]()
    expected = _run(source, tmp_path / "near")
    use(client, monkeypatch)
    try:
        assert _run(source, tmp_path / "far", progress=stop, cluster="tcp://here:1") == expected
    finally:
        for timer in timers:
            timer.join()
    assert stages == [*PHASES]


@contextmanager
def _disk(folder: Path, kib: int) -> Iterator[None]:
    """Mount a disk of a given size."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={kib}k", "tmpfs", str(folder)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("this user cannot mount a disk")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.mark.parametrize("kib", DISK_KIB)
def test_a_full_disk_is_reported_in_one_line(
    client: Any, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kib: int
) -> None:
    use(client, monkeypatch)
    monkeypatch.setattr(FileRun, "require_disk", lambda *_: None)
    with _disk(tmp_path / "small", kib), pytest.raises(InputError) as error:
        _run(source, tmp_path / "out", cluster="tcp://here:1", work_dir=str(tmp_path / "small" / "work"))
    assert exit_code(error.value) == 2
    assert "No space left on device" in str(error.value)
    assert "\n" not in str(error.value)
    assert not (tmp_path / "out").exists()


def test_a_worker_that_joins_late_with_another_version_is_named(source: Path, tmp_path: Path) -> None:
    shutil.copytree(Path(anonset.__file__).parent, tmp_path / "other" / "anonset")
    with (tmp_path / "other" / "anonset" / "spelling.py").open("a") as file:
        file.write("# another version\n")

    def replace_worker(stage: str, _done: float, _total: float) -> None:
        if stage == "apply" and len(programs.workers) == 1:
            programs.worker(PYTHONPATH=str(tmp_path / "other"))
            programs.wait(2)
            programs.workers[0].kill()

    with Programs(tmp_path / "dask") as programs:
        programs.complete(1)
        with pytest.raises(InputError, match="another version of anonset") as error:
            _run(source, tmp_path / "out", progress=replace_worker, cluster=programs.address)
    assert exit_code(error.value) == 2
    assert "worker tcp://127.0.0.1" in str(error.value)
    assert not (tmp_path / "out").exists()
