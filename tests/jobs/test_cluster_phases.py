"""Workers that are killed in every phase of a run do not change the published bytes."""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from anonset.data.cluster import cluster_of
from anonset.jobs import anonymize
from anonset.settings.overriding import make_settings

pytestmark = [pytest.mark.long, pytest.mark.compiled]
RECORDS, ITEMS = 3_000, 60
PHASES = ("search", "apply", "write", "read back", "verify")


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
    fixed |= {"items": ["items"], "rows_are_persons": True, "part_rows": 700, "work_dir": str(out.with_suffix(".work"))}
    settings = make_settings({"input": str(source), "out": str(out), **fixed, **more})
    anonymize.anonymize_file(settings, progress=progress)
    return {path.relative_to(out).as_posix(): path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()}


def _running(client: Any, dead: set[int]) -> list[int]:
    """Return the processes of two workers that answer: a process that is killed while it starts is not replaced."""
    end = time.monotonic() + 120
    while time.monotonic() < end:
        with suppress(Exception):  # a worker that was killed does not answer
            if len(processes := {*client.run(os.getpid).values()} - dead) == 2:
                return sorted(processes)
        time.sleep(0.1)
    msg = "the workers were not replaced"
    raise TimeoutError(msg)


@pytest.mark.parametrize("killed", [1, 2])
def test_killed_workers_change_no_byte(
    client: Any, source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, killed: int
) -> None:
    @contextmanager
    def connected(*_: Any) -> Iterator[Any]:
        client.wait_for_workers(2, timeout=120)
        yield client

    def kill(stage: str, _done: float, _total: float) -> None:
        if stage in PHASES and stage not in stages:
            stages.append(stage)
            for process in _running(client, dead)[:killed]:
                dead.add(process)
                os.kill(process, signal.SIGKILL)

    dead = set[int]()
    stages = list[str]()
    expected = _run(source, tmp_path / "near")
    monkeypatch.setattr(anonymize, "cluster_of", connected)
    found = _run(source, tmp_path / "far", progress=kill, cluster="tcp://here:1")
    assert found == expected
    assert stages == [*PHASES]
    assert len(expected) > 4
